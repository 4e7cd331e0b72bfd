"""Readers of what the gates' commands print: untrusted text, bounded, every file that gives no result named with the reason."""
