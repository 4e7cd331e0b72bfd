"""What differs in settings between two states of a design, and why."""
