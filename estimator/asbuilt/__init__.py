"""A built network's links compared with the planned ones."""
