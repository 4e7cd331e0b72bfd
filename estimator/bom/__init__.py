"""Counted parts → priced lines."""
