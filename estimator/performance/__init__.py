"""A system → times of collectives."""
