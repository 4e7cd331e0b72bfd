"""A built network's links held against the planned ones."""
