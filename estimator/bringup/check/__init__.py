"""The settings that devices have, read from what they print, against the plan and each other."""
