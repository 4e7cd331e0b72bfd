"""Storage and management networks beside the compute network."""
