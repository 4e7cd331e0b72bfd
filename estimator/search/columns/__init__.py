"""Figures of many candidates at once, in columns."""
