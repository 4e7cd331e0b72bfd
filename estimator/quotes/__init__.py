"""A vendor's offer compared with a bill of materials."""
