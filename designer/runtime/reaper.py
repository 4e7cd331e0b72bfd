"""Ends the children of a supervisor that died without stopping them, as after `kill -9`. Standard library only.

`manage.py up` starts this with a pipe for its input and writes a line with the process id of each child it starts.
The kernel closes the pipe however the supervisor ends; what is then still running is asked to stop, and killed when
it takes too long. Each child leads a process group of its own, so all that it started goes with it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterable

STOP_WITHIN_S = 10.0


def running(groups: Iterable[int]) -> set[int]:
    """Those process groups that still have a member."""
    found = set()
    for group in groups:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, 0)
            found.add(group)
    return found


def end(groups: set[int]) -> None:
    """Ask the leaders to stop, wait until each group is empty, kill what is left."""
    for leader in running(groups):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(leader, signal.SIGTERM)
    deadline = time.monotonic() + STOP_WITHIN_S
    while running(groups) and time.monotonic() < deadline:
        time.sleep(0.05)
    for group in running(groups):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # its end is the end of its input
    end({int(line) for line in sys.stdin if line.strip()})


if __name__ == "__main__":
    main()
