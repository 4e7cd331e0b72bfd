"""What every PDF report is made of: pages, tables and texts in embedded fonts; the same story gives the same bytes."""
