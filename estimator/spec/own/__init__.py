"""Parts of one's own: what a request says of them, its rules, and the catalog with them in it (docs/own_parts.md)."""
