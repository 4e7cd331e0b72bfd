"""A request → its networks sized and cabled, or why there is none and what would work."""
