"""A design and a model → what it does in training and serving: tokens, steps, dollars, and where parallel groups go."""
