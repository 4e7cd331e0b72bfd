"""What ib_write_bw, ib_read_lat and their like print: tables of text, or the file of --out_json.

Source of the forms: linux-rdma/perftest, its manual and published outputs. Without --report_gbits bandwidth is in MB/sec,
of 2^20 bytes. A bidirectional test reports both directions together; the latency of a read is a round trip, that of a write
or send half of one (perftest's README).
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from estimator.calibration.paths.tables import figure, without_groups
from estimator.digits import is_whole_number

_BANDWIDTH = re.compile(r"BW average\s*\[\s*(Gb|MB|MiB)\s*/\s*sec\s*\]")
_LATENCY = re.compile(r"t_typical\s*\[\s*usec\s*\]")
_TITLE = re.compile(r"\b(RDMA_Write|RDMA_Read|Send|Atomic)\b[\w ]{0,40}?(Bidirectional BW|BW|Latency)\s+Test")
_LINK_TYPE = re.compile(r"Link type\s*:\s*(IB|Ethernet)")
_GBIT_S = {"Gb": 1.0, "MB": 8 * 2**20 / 1e9, "MiB": 8 * 2**20 / 1e9}
_NAMES = {"RDMA_Write": "write", "RDMA_Read": "read", "Send": "send", "Atomic": "atomic"}
_FABRICS = {"IB": "infiniband", "Ethernet": "roce"}
FIRST_COLUMNS = 2  # bytes and iterations, in front of the figures
MAX_SIZE = 2**40
Measure = Literal["bandwidth", "latency"]


@dataclass(frozen=True)
class Test:
    """One test of a file: what was done over which kind of link. ``number`` counts from 0."""

    number: int = 0
    measure: Measure = "bandwidth"
    operation: str = ""
    is_bidirectional: bool = False
    fabric: str | None = None

    @property
    def tool(self) -> str:
        """Name of the tool, as far as the file says it."""
        return f"ib_{self.operation or 'write'}_{'bw' if self.measure == 'bandwidth' else 'lat'}"


@dataclass(frozen=True)
class TestRow:
    """A row of a table: bandwidth in Gb/s, or the typical latency in µs. ``line`` counts from 1."""

    test: Test
    line: int
    message_bytes: int
    value: float


def is_perftest(text: str) -> bool:
    """Whether a text looks like perftest's."""
    return bool(_BANDWIDTH.search(text) or _LATENCY.search(text)) or '"BW_average"' in text or '"t_typical"' in text


def rows_of(text: str) -> Iterator[TestRow]:
    """Rows with a figure, test by test."""
    return _of_json(text) if text.lstrip().startswith("{") else _of_table(text)


def _of_table(text: str) -> Iterator[TestRow]:
    test, unit, place, n_columns = Test(-1), 1.0, 3, 0
    title = Test()
    for number, line in enumerate(text.splitlines(), start=1):
        if found := _TITLE.search(line):
            title = Test(0, "bandwidth", _NAMES[found[1]], found[2].startswith("Bi"))
        elif link := _LINK_TYPE.search(line):
            title = replace(title, fabric=_FABRICS[link[1]])
        elif head := _BANDWIDTH.search(line):
            test, unit, place = replace(title, number=test.number + 1, measure="bandwidth"), _GBIT_S[head[1]], 3
            n_columns = FIRST_COLUMNS + _n_units(line)
        elif _LATENCY.search(line):
            test, unit = replace(title, number=test.number + 1, measure="latency"), 1.0
            n_columns = FIRST_COLUMNS + _n_units(line)
            place = FIRST_COLUMNS + _n_units(line[: line.index("t_typical")])
        elif n_columns:
            words = _row(line.split(), n_columns, test.measure)
            if words and (value := figure(words[place])) is not None:
                yield TestRow(test, number, min(int(words[0]), MAX_SIZE), value * unit)


def _n_units(head: str) -> int:
    """Columns that have a unit in brackets; a launcher's tag in front may have brackets of its own."""
    return head.partition("#")[2].count("[") if "#" in head else head.count("[")


def _row(words: list[str], n_columns: int, measure: Measure) -> list[str]:
    """The cells of a row, without what a launcher put in front; empty where the line is none."""
    words = without_groups(words)
    for cells in (words[-n_columns:], words):
        is_long = len(cells) == n_columns or (measure == "bandwidth" and len(cells) in (4, 5, 6))
        if is_long and len(cells) > 3 and all(is_whole_number(word, 20) for word in cells[:FIRST_COLUMNS]):
            return cells
    return []


def _of_json(text: str) -> Iterator[TestRow]:
    try:
        answer = json.loads(text)
        results = answer["results"]
        info = answer.get("test_info") or {}
        title = _TITLE.search(f"{info.get('test', '')} Test" if isinstance(info, dict) else "")
        link = _FABRICS.get(str(info.get("Link_type") or info.get("Link type")))
        for one in results if isinstance(results, list) else [results]:
            measure: Measure = "bandwidth" if "BW_average" in one else "latency"
            value = figure(str(one["BW_average" if measure == "bandwidth" else "t_typical"]))
            operation = _NAMES[title[1]] if title else ""
            test = Test(0, measure, operation, bool(title and title[2].startswith("Bi")), link)
            if value is not None:
                yield TestRow(test, _line_of(text, one), int(one.get("MsgSize") or 0), value)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
        return


def _line_of(text: str, result: dict[str, object]) -> int:
    """The line on which a result's figure stands."""
    key = "BW_average" if "BW_average" in result else "t_typical"
    found = re.search(rf'"{key}"\s*:\s*"?{re.escape(str(result[key]))}', text)
    return text.count("\n", 0, found.start()) + 1 if found else 1
