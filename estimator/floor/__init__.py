"""Racks, rows, and the length of every link."""
