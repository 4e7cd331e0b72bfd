"""Media, cables, modules and fibres of a sized network."""
