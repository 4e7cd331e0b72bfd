"""Collectives of GPUs that cannot reach each other's memory (peer access off, or none): through the memory of their host.

Every byte is written to host memory by one GPU and read by the next, around a ring. GPUs of a node share that memory, so
that each has less of it the more there are (constants.csv: all-reduces between H100 with peer access off).
"""

from typing import Any

import numpy as np

from estimator.units import FloatArray
from estimator.workloads.paths.constants import path_constants
from estimator.workloads.paths.groups import Groups, GroupTimes

SCALE_UP, HOST_MEMORY = "nvlink", "host_memory"
_ROUNDS = {"all_reduce": 2.0}  # around the ring; once for the others
_ONE_HOP = "sendrecv"


class HostMemoryTimes(GroupTimes):
    """Group times of a system whose scale-up links are not used; what crosses domains goes over the network as before."""

    def seconds(self, collective: str, groups: Groups, message_bytes: Any, algorithm: str | None = None) -> FloatArray:
        """As ``GroupTimes.seconds``; a group of several domains takes the slower of host memory and network."""
        inside = _ring_s(collective, groups.domain_ranks[groups.index], np.asarray(message_bytes, dtype=np.float64))
        across = super().seconds(collective, groups, message_bytes, algorithm)
        return np.where((groups.n_domains > 1)[groups.index], np.maximum(across, inside), inside)


def _ring_s(collective: str, ranks: Any, message_bytes: FloatArray) -> FloatArray:
    """Seconds of a ring of so many ranks in one node; 0 for one rank or no bytes."""
    known = path_constants()
    ranks = np.asarray(ranks, dtype=np.float64)
    rate = known["host_memory_ring_rate"].value
    rate = rate / (1 + known["host_memory_contention"].value * np.maximum(ranks - 2, 0))
    if collective == _ONE_HOP:
        steps, share = np.ones_like(ranks), np.ones_like(ranks)
    else:
        rounds = _ROUNDS.get(collective, 1.0)
        steps, share = rounds * (ranks - 1), rounds * (ranks - 1) / ranks
    seconds = steps * known["host_memory_latency"].value + share * message_bytes / rate
    return np.asarray(np.where((ranks > 1) & (message_bytes > 0), seconds, 0.0))
