"""Training steps: how long one takes on a system with a layout, what it holds in memory, and which layout is best."""
