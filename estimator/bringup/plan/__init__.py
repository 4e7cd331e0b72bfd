"""What the devices of a design have to be set to, with the source of every value (docs/bringup.md)."""
