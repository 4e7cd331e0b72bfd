"""From the design to a network that works: what has to be proved at the site, by which runs, and what the results say."""
