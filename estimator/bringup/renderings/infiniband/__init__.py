"""Subnet managers of InfiniBand fabrics: OpenSM, UFM, and the aggregation manager of SHARP."""
