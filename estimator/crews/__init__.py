"""Work at the site: what a unit of it takes, and who does it."""
