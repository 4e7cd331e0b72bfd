"""Results of single paths: links between hosts, copies between GPUs and with hosts."""
