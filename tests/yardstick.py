"""How long work takes, in a unit that a slow or a busy machine does not change: a fixed piece of Python's own work."""

from __future__ import annotations

import time
from collections.abc import Callable


def cpu_s(work: Callable[[], object]) -> float:
    """Processor time of this process for the work."""
    started = time.process_time()
    work()
    return time.process_time() - started


def yardsticks(work: Callable[[], object]) -> float:
    """Processor time of the work over that of the yardstick, which is measured before and after it."""
    before = cpu_s(yardstick)
    took = cpu_s(work)
    return took / max(before, cpu_s(yardstick))


def another_second() -> None:
    """Wait until the clock shows another second than now, as files are dated."""
    now = int(time.time())
    while int(time.time()) == now:
        time.sleep(0.01)


def yardstick() -> int:
    """A tenth of a second of a core of 2026, about: sorting, hashing and joining of text."""
    words = [f"{number * 7919 % 100_003:06d}" for number in range(100_000)]
    return len({"-".join(pair) for pair in zip(sorted(words), words, strict=True)})
