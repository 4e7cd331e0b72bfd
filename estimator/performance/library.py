"""What the collective library chooses by itself, by its version: a protocol by message size, and the channels of a pair.

NCCL takes the algorithm and protocol that its own tables say are fastest, and these know neither fill nor launch: it goes
over to Simple, whose chunks wait for each other, at sizes where LL128 would take half the time. The rules are those of its
src/graph/tuning.cc and paths.cc. Pure formulas over arrays of points, in seconds, bytes and bytes a second.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from estimator.units import FloatArray, IntArray

UNKNOWN = 0
GROUPED_BEFORE = 21_400
"""Until then one process started the kernels of all its GPUs as one group, and none ran before the last was launched."""
CHANNELS_BY_RATE_FROM = 22_902
"""From then on a pair opens channels by the rate of its NIC; before, two or one by the number of ranks."""
_PAIRS_A_BATCH = 8  # pairs that one channel serves at once
_MOST_CHANNELS = 32


def library_number(text: str | None) -> int:
    """``2.29.7`` and ``22907`` → 22907, as the library numbers itself; UNKNOWN where the text has no version of it."""
    text = (text or "").strip()
    if re.fullmatch(r"2\d{4}", text):
        return int(text)
    found = re.match(r"2\.(\d{1,2})(?:\.(\d{1,2}))?(?!\d)", text)
    return 20_000 + 100 * int(found[1]) + int(found[2] or 0) if found else UNKNOWN


def version_numbers(text: str) -> tuple[int, ...]:
    """``2.11.4+cuda11`` → (2, 11, 4); a number that NCCL prints whole, 21104 or 2708, likewise."""
    if re.fullmatch(r"\d{4,5}", text):
        code = int(text)
        base = 100 if code >= 10_000 else 10  # until 2.8 a digit for each of the last two
        return code // (100 * base), code // 100 % base, code % 100
    return tuple(int(part) for part in re.findall(r"\d+", text.split("+")[0])[:3])


def library_words(text: str, gpu: str) -> str:
    """A library as it is spoken of: 22903 on an H100 is "NCCL 2.29.3"."""
    name = "RCCL" if re.match(r"mi\d|amd\b|.*instinct", gpu, re.IGNORECASE) else "NCCL"
    version = ".".join(map(str, version_numbers(text))) if text.isdecimal() else text
    return f"{name} {version}"


def index_at(indices: Sequence[str], start: str, number: int) -> str:
    """The index of a constant for a version: ``start.before_N`` with the least N above it, else ``start``."""
    before = [
        int(index.rpartition("_")[2]) for index in indices if index.startswith(f"{start}.before_") and number != UNKNOWN
    ]
    above = [limit for limit in before if limit > number]
    return f"{start}.before_{min(above)}" if above else start


def taken_up_to(
    latency_s: Sequence[FloatArray], rate_byte_s: Sequence[FloatArray], rivals: Sequence[int]
) -> list[FloatArray]:
    """Largest message for which the library can still take each variant, shape (n_points,) each. [B]

    Parameters
    ----------
    latency_s, rate_byte_s : what the library's tables say of each variant, shape (n_points,).
    rivals : places of the variants that it goes over to: those of a higher rate win from where the lines cross.
    """
    out = []
    for mine_s, mine in zip(latency_s, rate_byte_s, strict=True):
        most = np.full(mine.shape, np.inf)
        for place in rivals:
            is_faster = rate_byte_s[place] > mine * (1.0 + 1e-12)
            gain = np.where(is_faster, 1.0 / mine - 1.0 / rate_byte_s[place], 1.0)
            crossing = np.maximum((latency_s[place] - mine_s) / gain, 0.0)
            most = np.where(is_faster, np.minimum(most, crossing), most)
        out.append(most)
    return out


def power_of_two_below(values: Any) -> FloatArray:
    """The largest power of two that is not above each value, 1 at least."""
    return np.asarray(2.0 ** np.floor(np.log2(np.maximum(values, 1.0)) + 1e-9))


def channels_over_network(
    n_ranks: IntArray,
    domain_ranks: IntArray,
    nics_per_domain: FloatArray,
    gpu_byte_s: FloatArray,
    channel_byte_s: float,
    is_by_rate: Any,
) -> FloatArray:
    """Channels that a pair of GPUs opens over the network, shape (n_points,).

    A domain has two for each NIC, and four with fewer than eight ranks in it. New libraries give a pair as many as its GPU's
    NICs need at ``channel_byte_s``, and halve that until batches of pairs with all ranks fit in; old ones give two while
    the ranks are few.
    """
    of_domain = nics_per_domain * np.where(domain_ranks < _PAIRS_A_BATCH, 4, 2)
    all_channels = 2.0 ** np.ceil(np.log2(np.clip(of_domain, 1, _MOST_CHANNELS)) - 1e-9)
    needed = 2.0 ** np.ceil(np.log2(np.maximum(np.ceil(gpu_byte_s / channel_byte_s - 1e-9), 2.0)) - 1e-9)
    room = power_of_two_below(all_channels / np.ceil(n_ranks / _PAIRS_A_BATCH))
    few = np.where(2 * n_ranks > 4 * all_channels, 1.0, 2.0)
    return np.asarray(np.where(is_by_rate, np.minimum(needed, room), few))
