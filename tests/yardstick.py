"""How long work takes, in a unit that a slow or a busy machine does not change: a fixed piece of Python's own work."""

from __future__ import annotations

import time
from collections.abc import Callable


def taken_s(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """What the work took by a clock, that of this process's own processor time if none is named."""
    started = clock()
    work()
    return clock() - started


def yardsticks(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """Time of the work over that of the yardstick, which is measured before and after it by the same clock."""
    before = taken_s(yardstick, clock)
    took = taken_s(work, clock)
    return took / max(before, taken_s(yardstick, clock))


def in_yardsticks(took_s: float) -> float:
    """A time that was measured just now over that of the yardstick."""
    return took_s / taken_s(yardstick)


def another_second() -> None:
    """Wait until the clock shows another second than now, as files are dated."""
    now = int(time.time())
    while int(time.time()) == now:
        time.sleep(0.01)


def yardstick() -> int:
    """A tenth of a second of a core of 2026, about: sorting, hashing and joining of text."""
    words = [f"{number * 7919 % 100_003:06d}" for number in range(100_000)]
    return len({"-".join(pair) for pair in zip(sorted(words), words, strict=True)})
