"""Find the design: every network that a request's lists, ranges and free fields can build, as columns (docs/search.md)."""
