"""Priced lines, power and parameters → money over years."""
