"""Where the ranks of a workload sit on a design, and which level of links each kind of group crosses."""
