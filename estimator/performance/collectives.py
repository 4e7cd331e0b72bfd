"""Times of collectives at given latencies and bandwidths: pure formulas, in seconds, bytes and bytes a second.

Every formula takes arrays that broadcast against each other and returns an array of the broadcast shape. A collective done
by one algorithm with one protocol takes

    t(S) = alpha + start · S / (S + S1) + fill · S / (S + S0) + shown steps + S · byte_time

and where one process launches on several GPUs in turn, the host's loop runs beside that: (t⁸ + host⁸)^(1/8).

where alpha holds launch and base latency, start what it takes to open all channels (a short message uses few), fill the chunk
transfers at the start that no other transfer runs beside, shown steps the latency of the steps one after the other (of which a
long message shows little), and byte_time the traffic over the slowest link. docs/model.md, "One collective", says where each
term comes from and where it stops holding.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from estimator.units import FloatArray, IntArray

PROTOCOLS = ("ll", "ll128", "simple")
VARIANTS = (
    *(("ring", protocol) for protocol in PROTOCOLS),
    *(("tree", protocol) for protocol in PROTOCOLS),
    ("nvls", "simple"),
    ("nvls_tree", "simple"),
    ("collnet_chain", "simple"),
    ("collnet_direct", "simple"),
    ("pat", "simple"),
    ("two_level", "simple"),
    ("one_shot", "ll"),
    ("direct", "simple"),
)
ONLY_FORCED = ("two_level", "one_shot")  # what libraries beside NCCL do: never taken unless requested
_CHOICE_BITS = 15  # the variant's index sits in the last four bits of a time while the fastest is sought


NVLS_SIMPLE = VARIANTS.index(("nvls", "simple"))
SHARPNESS = 8  # of how the longer of two things side by side hides the shorter


@dataclass(frozen=True, slots=True)
class Channels:
    """What a pair's channels carry: a message opens one for each so many bytes, within bounds; arrays of shape (n_points,)."""

    least: FloatArray
    most: FloatArray
    message_bytes: float  # that one channel is opened for
    byte_s: float  # that one channel carries

    def byte_time_s(self, message_bytes: FloatArray) -> FloatArray:
        """Seconds a byte at the channels that are open, shape (n_points, n_sizes).

        The library doubles them at powers of two. Between these a message takes up to twice as long as said here, where
        times never fall as messages grow.
        """
        opened = (message_bytes / self.message_bytes) ** _NEARLY_ALL
        return 1.0 / (self.byte_s * np.clip(opened, self.least[:, None], self.most[:, None]))


_NEARLY_ALL = 0.98  # so that a longer message always takes a little longer


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of every variant at every point, arrays of shape (n_variants, n_points).

    A variant that does not exist at a point has ``alpha_s`` infinite, and harmless numbers for the rest; ``byte_time_s`` is
    above 0 everywhere.
    """

    alpha_s: FloatArray
    steps_s: FloatArray
    start_s: FloatArray
    fill_s: FloatArray
    byte_time_s: FloatArray
    limit: IntArray  # index into bandwidth.LIMITS: what holds byte_time_s up
    start_bytes: float  # S1
    fill_bytes: float  # S0
    hiding: float  # h of shown_steps
    host_s: FloatArray | None = None  # (n_points,): the host's loop over its GPUs; None where it has none
    channels: Channels | None = None  # what holds up pairs beside byte_time
    nvls_from_bytes: float = np.inf  # the library takes NVLS from here on wherever it exists
    most_bytes: FloatArray | None = None  # (n_variants, n_points): beyond which the library takes others; None: never

    def with_floors(self, ratio: FloatArray) -> "Terms":
        """The same where a message without bytes takes ``ratio`` times as long, shape (n_points,)."""
        host_s = None if self.host_s is None else self.host_s * ratio
        return replace(self, alpha_s=self.alpha_s * ratio, steps_s=self.steps_s * ratio, host_s=host_s)

    def bytes_s(self, byte_time_s: FloatArray, message_bytes: FloatArray) -> FloatArray:
        """Time of the bytes alone; ``byte_time_s`` broadcasts against ``message_bytes``."""
        if self.channels is None:
            return message_bytes * byte_time_s
        return message_bytes * np.maximum(byte_time_s, self.channels.byte_time_s(message_bytes))


def _twice_through(n_ranks: Any) -> Any:
    """Bytes over the slowest link of a ring that reduces and then gathers ÷ S: 2(n − 1)/n."""
    return 2 * (n_ranks - 1) / n_ranks


def _once_through(n_ranks: Any) -> Any:
    """The same where each GPU keeps its own part: (n − 1)/n."""
    return (n_ranks - 1) / n_ranks


def _whole(n_ranks: Any) -> Any:
    """All of the buffer passes each link once."""
    return np.ones_like(n_ranks, dtype=np.float64)


# busbw ÷ algbw, by collective, as nccl-tests defines it; S is the whole buffer, of all-gather the gathered one
BUS_FACTORS: dict[str, Callable[[Any], Any]] = {
    "all_reduce": _twice_through,
    "all_gather": _once_through,
    "reduce_scatter": _once_through,
    "alltoall": _once_through,
    "broadcast": _whole,
    "reduce": _whole,
    "sendrecv": _whole,
}
COLLECTIVES = tuple(BUS_FACTORS)
PIPELINED = ("broadcast", "reduce")  # whose ring passes all of the message through every GPU, chunk after chunk
RING_PASSES = {"all_reduce": 2, "all_gather": 1, "reduce_scatter": 1, "broadcast": 1, "reduce": 1}


def ring_steps(passes: int, n_ranks: Any, n_domains: Any) -> tuple[Any, Any]:
    """Steps of a ring of ``n_ranks`` in ``n_domains``: (inside a domain, over the network).

    n − 1 a pass; all-reduce passes twice, to reduce and to gather [Patarasu & Yuan, JPDC 69, 2009]. The ring enters each
    domain once, so k − 1 steps of a pass are bound by the network.
    """
    across = passes * (n_domains - 1)
    return passes * (n_ranks - 1) - across, across


def ring_bandwidth(inside_byte_s: Any, network_byte_s: Any, domain_ranks: Any, n_domains: Any) -> Any:
    """Payload rate of the slowest hop of a ring [B/s].

    In a domain of g GPUs g − 1 of g hops use the scale-up links, which leaves g/(g − 1) of their rate for the rest. With one
    GPU in each domain the network alone counts; with one domain, its links alone.
    """
    inside = inside_byte_s * np.where(n_domains > 1, domain_ranks / np.maximum(domain_ranks - 1, 1), 1.0)
    bound = np.where(domain_ranks > 1, inside, np.inf)
    return np.minimum(bound, np.where(n_domains > 1, network_byte_s, np.inf))


def tree_levels(n_domains: Any) -> Any:
    """⌊log2 k⌋: network steps up (and down) a binary tree over ``n_domains``, exact for integers below 2^53."""
    return np.frexp(np.asarray(n_domains, dtype=np.float64))[1] - 1


def tree_network_share(n_domains: Any) -> Any:
    """Bytes each domain sends in a double binary tree, ÷ S: 1 for two domains, 3/2 for three, 2 from four on.

    Every domain is a leaf of one tree and inside the other, so it sends half the buffer up twice and half down twice; two
    domains only exchange. That is why two-domain runs show more than the wire rate.
    """
    return np.minimum(n_domains, 4) / 2.0


def steps_latency(inside: Any, inside_step_s: Any, across: Any, across_step_s: Any) -> Any:
    """Steps inside a domain × their latency + steps over the network × theirs [s]."""
    return inside * inside_step_s + across * across_step_s


def shown_steps(steps_s: Any, bytes_s: Any, hiding: float) -> Any:
    """What shows of the steps' latency beside the time of the bytes [s]: steps · h·steps / (h·steps + bytes).

    All of it for a short message. A long one is cut into chunks that follow each other, so that a step waits only while
    there is too little on the way to hide it; h says how many times the latency the bytes must take to hide half of it.
    """
    return steps_s * (hiding * steps_s / (hiding * steps_s + bytes_s))


def saturation(message_bytes: Any, half_bytes: float) -> Any:
    """S / (S + half): the part of a term that a message of S bytes pays; none for short ones, all for long ones."""
    return message_bytes / (message_bytes + half_bytes)


def beside(time_s: FloatArray, host_s: FloatArray | None) -> FloatArray:
    """Times where the host's loop runs beside the device: a little over the longer of both."""
    if host_s is None:
        return time_s
    longer = np.maximum(time_s, host_s[:, None])
    share = np.minimum(time_s, host_s[:, None]) / longer
    return np.where(np.isfinite(longer), longer * (1.0 + share**SHARPNESS) ** (1 / SHARPNESS), longer)


def fastest(terms: Terms, message_bytes: FloatArray) -> tuple[FloatArray, IntArray]:
    """Time of the variant that the library takes, and which one that is: the shortest that its tables still allow.

    NVLS is taken from some size on wherever it exists, and a protocol only up to the size where the tables leave it.

    Parameters
    ----------
    terms : Terms of shape (n_variants, n_points), at most 16 variants.
    message_bytes : float array, shape (1 or n_points, n_sizes). [B]

    Returns
    -------
    (float array, int array), both of shape (n_points, n_sizes)
        Time [s], infinite where no variant exists, and the index into VARIANTS. The time is exact to 15 units of the last
        place, because the index is kept in its last four bits, so that one minimum finds both.
    """
    started, filled = saturation(message_bytes, terms.start_bytes), saturation(message_bytes, terms.fill_bytes)
    best = np.full((terms.alpha_s.shape[1], message_bytes.shape[1]), np.inf)
    packed_best = best.view(np.int64)
    for variant in range(terms.alpha_s.shape[0]):
        if not np.isfinite(terms.alpha_s[variant]).any():
            continue
        times = terms.bytes_s(terms.byte_time_s[variant][:, None], message_bytes)
        times += shown_steps(terms.steps_s[variant][:, None], times, terms.hiding)
        times += filled * terms.fill_s[variant][:, None]
        times += started * terms.start_s[variant][:, None]
        times += terms.alpha_s[variant][:, None]
        if terms.most_bytes is not None and np.isfinite(terms.most_bytes[variant]).any():
            np.copyto(times, np.inf, where=message_bytes > terms.most_bytes[variant][:, None])
        packed = times.view(np.int64)
        packed &= ~_CHOICE_BITS
        packed |= variant
        if variant == NVLS_SIMPLE and np.isfinite(terms.nvls_from_bytes):
            is_taken = (message_bytes >= terms.nvls_from_bytes) & np.isfinite(times)
            packed_best[...] = np.where(is_taken, packed, np.minimum(packed_best, packed))
            continue
        np.minimum(packed_best, packed, out=packed_best)
    return beside(best, terms.host_s), packed_best & _CHOICE_BITS
