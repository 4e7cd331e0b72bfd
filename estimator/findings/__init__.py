"""What an architect should know about a design."""
