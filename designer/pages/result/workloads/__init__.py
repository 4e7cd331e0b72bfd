"""The workloads tab: the links that a model's traffic takes."""
