"""Published designs, parts and workloads, compared with ours."""
