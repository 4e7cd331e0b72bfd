"""Logs and measured runs → constants, errors and faults."""
