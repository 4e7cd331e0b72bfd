"""What ClusterKit of HPC-X reports of pairs of nodes: bandwidth and latency of MPI messages.

Forms: the report in words ("Average bandwidth: 42107 MB/sec", Azure/azurehpc apps/health_checks), and the files
bandwidth.json and latency.json with their list of "Links", [number, figure] each. The test of bandwidth sends in both directions
at once unless it was run with --unidirectional (NVIDIA, HPC-X, Test Descriptions and Options), and adds them up.
"""

import json
import re
from collections.abc import Iterator
from statistics import median
from typing import Literal, NamedTuple

from estimator.calibration.paths.tables import figure

_REPORTED = re.compile(
    r"\b(Average) (bandwidth|latency)\s*:\s*([0-9.]{1,20})\s*(MB/s(?:ec)?|GB/s(?:ec)?|usec|us)\b", re.I
)
_SPREAD = re.compile(r"\b(Minimum|Maximum) (bandwidth|latency)\s*:\s*([0-9.]{1,20})\s*(?:MB/s|GB/s|us)", re.I)
_KIND = re.compile(r"bandwidth|latency", re.I)
MB_S = 1e-3  # [GB/s]


class Pairs(NamedTuple):
    """A figure over all pairs of nodes: bandwidth in GB/s, latency in µs, with the least and the most of a pair."""

    measure: Literal["bandwidth", "latency"]
    line: int
    value: float
    low: float
    high: float
    n_pairs: int  # that the file lists; 1 where it has the average alone


def is_clusterkit(name: str, text: str) -> bool:
    """Whether a file looks like ClusterKit's."""
    return bool(_REPORTED.search(text)) or ('"Links"' in text and bool(_KIND.search(name) or _KIND.search(text[:2000])))


def pairs_of(name: str, text: str) -> Iterator[Pairs]:
    """The figures of a file."""
    if text.lstrip().startswith("{"):
        yield from _of_json(name, text)
        return
    spread: dict[str, list[float]] = {}
    for line in text.splitlines():
        for _, measure, word in _SPREAD.findall(line):
            if (value := figure(word)) is not None:
                spread.setdefault(measure.lower(), []).append(value)
    for number, line in enumerate(text.splitlines(), start=1):
        if (found := _REPORTED.search(line)) and (value := figure(found[3])) is not None:
            measure = found[2].lower()
            scale = MB_S if found[4].upper().startswith("MB") else 1.0
            ends = [end * scale for end in spread.get(measure, [])]
            value *= scale
            yield Pairs("bandwidth" if measure == "bandwidth" else "latency", number, value, *_ends(ends, value), 1)


def _ends(found: list[float], value: float) -> tuple[float, float]:
    return min([*found, value]), max([*found, value])


def _of_json(name: str, text: str) -> Iterator[Pairs]:
    kind = _KIND.search(name) or _KIND.search(text[:2000])
    try:
        links = json.loads(text)["Links"]
        values = [value for link in links if (value := figure(str(link[-1]))) is not None]
    except (ValueError, TypeError, KeyError, IndexError, RecursionError):
        return
    if not values or kind is None:
        return
    is_bandwidth = kind[0].lower() == "bandwidth"
    values = [value * MB_S for value in values] if is_bandwidth else values
    line = text.count("\n", 0, text.find('"Links"')) + 1
    ends = _ends(values, median(values))
    yield Pairs("bandwidth" if is_bandwidth else "latency", line, median(values), *ends, len(values))
