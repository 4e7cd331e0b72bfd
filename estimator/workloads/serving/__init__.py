"""Serving: time per token, time to first token and throughput of a model placed on GPUs, and which placement is best."""
