"""Slurm's hostlist expressions: ``node-[0001-0032,0040]`` for names that differ in their last number."""

import re
from collections.abc import Iterable, Iterator

_NUMBERED = re.compile(r"(.*?)(\d*)")


def hostlist(names: Iterable[str]) -> str:
    """Names in one expression: runs of the same prefix and width in brackets, in the order given."""
    return ",".join(_expression(prefix, runs) for prefix, runs in _by_prefix(names))


def _by_prefix(names: Iterable[str]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """(prefix, [(first, last) of each run]) of neighbours with one prefix."""
    prefix, runs = "", list[tuple[str, str]]()
    for name in names:
        match = _NUMBERED.fullmatch(name)
        before, digits = match.groups() if match else (name, "")
        if runs and (before != prefix or not digits or not runs[-1][1]):
            yield prefix, runs
            runs = []
        prefix = before
        follows = runs and len(runs[-1][1]) == len(digits) and int(runs[-1][1]) + 1 == int(digits)
        if follows:
            runs[-1] = (runs[-1][0], digits)
        else:
            runs.append((digits, digits))
    if runs:
        yield prefix, runs


def _expression(prefix: str, runs: list[tuple[str, str]]) -> str:
    if len(runs) == 1 and runs[0][0] == runs[0][1]:
        return prefix + runs[0][0]
    ranges = ",".join(first if first == last else f"{first}-{last}" for first, last in runs)
    return f"{prefix}[{ranges}]"
