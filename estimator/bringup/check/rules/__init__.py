"""Rules: what readings and plan say of each other, as faults with file and line."""
