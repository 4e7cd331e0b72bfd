"""What a crew takes into the hall: elevations, labels, orders, cables by rack and by bundle, the HCA map (docs/crew_pack.md)."""
