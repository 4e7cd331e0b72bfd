"""Switches: one configuration a switch, a module an operating system."""
