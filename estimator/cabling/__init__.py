"""Media, cables, transceivers and fibres of a sized network."""
