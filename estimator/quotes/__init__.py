"""A vendor's offer held against a bill of materials."""
