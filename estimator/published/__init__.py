"""Published designs, parts and workloads, held against ours."""
