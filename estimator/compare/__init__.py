"""Several designs or offers beside each other."""
