"""One network, sized and wired: leaves, spines, cores, links."""
