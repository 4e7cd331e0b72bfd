"""Readers of what devices print: a module a kind of file, each text → observations."""
