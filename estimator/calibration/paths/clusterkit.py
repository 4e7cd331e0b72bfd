"""What ClusterKit of HPC-X reports of pairs of nodes: bandwidth and latency of MPI messages.

Forms: the report in words ("Average bandwidth: 42107 MB/sec", Azure/azurehpc apps/health_checks), the files bandwidth.txt and
latency.txt with their matrix (a head of ranks, then "0 (node):" and a figure for each rank, 0.0 for what was not measured;
wuchanghui5220/pot, ck-bench), and bandwidth.json and latency.json with their list of "Links", [number, figure] each. The test
of bandwidth sends in both directions at once unless it was run with --unidirectional (NVIDIA, HPC-X, Test Descriptions and
Options), and adds them up.
"""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from statistics import median
from typing import Literal, NamedTuple

from estimator.calibration.logs.separators import plain_whole
from estimator.calibration.paths.tables import figure

_REPORTED = re.compile(
    r"\b(Average) (bandwidth|latency)\s*:\s*([0-9.,'’]{1,20})\s*(MB/s(?:ec)?|GB/s(?:ec)?|usec|us)\b", re.I
)
_SPREAD = re.compile(r"\b(Minimum|Maximum) (bandwidth|latency)\s*:\s*([0-9.,'’]{1,20})\s*(MB/s|GB/s|us)", re.I)
_KIND = re.compile(r"bandwidth|latency", re.I)
_RANKS = re.compile(r"\s*Ranks?\s*:((?:\s+\d{1,6})+)\s*$", re.I)
_ROW = re.compile(r"\s*(\d{1,6})\s+\([^()]{0,255}\)\s*:\s*([\d.\sNA/-]*)$", re.I)
_DECIMALS = re.compile(r"\.(\d{1,6})(?!.*\d)")
_UNIT = re.compile(r"\b(MB|GB)/s", re.I)
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
    has_matrix = any(map(_RANKS.match, text.splitlines())) and _kind_of(name, text) is not None
    return (
        has_matrix
        or bool(_REPORTED.search(text))
        or ('"Links"' in text and bool(_KIND.search(name) or _KIND.search(text[:2000])))
    )


def pairs_of(name: str, text: str) -> Iterator[Pairs]:
    """The figures of a file."""
    if text.lstrip().startswith("{"):
        yield from _of_json(name, text)
        return
    matrices = list(_of_matrix(name, text))
    yield from matrices
    spread: dict[str, list[float]] = {}
    for line in text.splitlines():
        for _, measure, word, unit in _SPREAD.findall(line):
            if (value := _reported(word, unit)) is not None:
                spread.setdefault(measure.lower(), []).append(value)
    for number, line in enumerate(text.splitlines(), start=1):
        if (found := _REPORTED.search(line)) and (value := _reported(found[3], found[4])) is not None:
            measure = found[2].lower()
            if any(one.measure == measure for one in matrices):
                continue  # the matrix says it of each pair
            scale = MB_S if found[4].upper().startswith("MB") else 1.0
            ends = [end * scale for end in spread.get(measure, [])]
            value *= scale
            yield Pairs("bandwidth" if measure == "bandwidth" else "latency", number, value, *_ends(ends, value), 1)


def _reported(word: str, unit: str) -> float | None:
    """A figure of the report; MB are printed without a fraction, so that signs there part thousands."""
    return figure(plain_whole(word) if unit.upper().startswith("MB") else word)


def _kind_of(name: str, text: str) -> Literal["bandwidth", "latency"] | None:
    kind = _KIND.search(name) or _KIND.search(text[:2000])
    return None if kind is None else "bandwidth" if kind[0].lower() == "bandwidth" else "latency"


def _of_matrix(name: str, text: str) -> Iterator[Pairs]:
    """The middle of all pairs of each matrix; a row that has not a figure for each rank is left out."""
    lines = text.splitlines()
    heads = [at for at, line in enumerate(lines) if _RANKS.match(line)]
    for at, end in pairwise([*heads, len(lines)]):
        ranks = [int(word) for word in lines[at].partition(":")[2].split()]
        rows = [(int(row[1]), row[2]) for line in lines[at + 1 : end] if (row := _ROW.match(line))]
        words = "\n".join(lines[at if at > heads[0] else 0 : end])
        measure = _kind_of("", words) or _kind_of(name, text)
        found: dict[tuple[int, int], float] = {}
        for mine, cells in rows:
            for other, word in zip(ranks, _cells(cells, len(ranks)), strict=False):
                if other != mine and (value := figure(word)) is not None:
                    found.setdefault((min(mine, other), max(mine, other)), value)
        if not found or measure is None:
            continue
        unit = _UNIT.search(words)
        scale = 1.0 if measure == "latency" or (unit and unit[1].upper() == "GB") else MB_S
        values = [value * scale for value in found.values()]
        yield Pairs(measure, at + 1, median(values), min(values), max(values), len(values))


def _cells(text: str, n_ranks: int) -> list[str]:
    """Figures of a row; those that fill their column run into one another and are parted by their decimals."""
    words = text.split()
    decimals = _DECIMALS.search(text)
    if len(words) < n_ranks and decimals:
        words = re.findall(rf"\d{{1,12}}\.\d{{{len(decimals[1])}}}|N/?A|-", text, re.I)
    return words if len(words) == n_ranks else []


def _ends(found: list[float], value: float) -> tuple[float, float]:
    return min([*found, value]), max([*found, value])


def _of_json(name: str, text: str) -> Iterator[Pairs]:
    measure = _kind_of(name, text)
    try:
        links = json.loads(text)["Links"]
        values = [value for link in links if (value := figure(str(link[-1]))) is not None]
    except (ValueError, TypeError, KeyError, IndexError, RecursionError):
        return
    if not values or measure is None:
        return
    values = [value * MB_S for value in values] if measure == "bandwidth" else values
    line = text.count("\n", 0, text.find('"Links"')) + 1
    ends = _ends(values, median(values))
    yield Pairs(measure, line, median(values), *ends, len(values))
