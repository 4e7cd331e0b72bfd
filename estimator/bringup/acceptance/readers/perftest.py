"""What ib_write_bw and its like print: the table of text, or the file of --out_json.

Source of the forms: linux-rdma/perftest, its manual and published outputs. Without --report_gbits the table is in MB/sec,
of 2^20 bytes.
"""

import json
import re
from math import isfinite

from estimator.bringup.acceptance.readers.reading import Measured
from estimator.digits import is_whole_number
from estimator.errors import Problem, SpecError

_HEAD = re.compile(r"BW average\s*\[\s*(Gb|MB|MiB)\s*/\s*sec\s*\]")
_GBIT_S = {"Gb": 1.0, "MB": 8 * 2**20 / 1e9, "MiB": 8 * 2**20 / 1e9}
MOST_GBIT_S = 1e6
MAX_SIZE = 2**40


def is_perftest(text: str) -> bool:
    """Whether a text looks like perftest's."""
    return bool(_HEAD.search(text)) or '"BW_average"' in text


def read(name: str, text: str) -> Measured:
    """The average bandwidth of the largest messages. [Gb/s]

    Raises
    ------
    SpecError
        If no row can be used.
    """
    rows = _of_json(text) if text.lstrip().startswith("{") else _of_table(text)
    usable = [(size, value) for size, value in rows if isfinite(value) and 0 < value < MOST_GBIT_S]
    if not usable:
        message = f"{name}: no row of ib_write_bw with an average bandwidth. Give what the client printed."
        raise SpecError([Problem("results", "no_rows", message)])
    size, value = max(usable)
    return Measured("link", value, size)


def _of_table(text: str) -> list[tuple[int, float]]:
    rows, unit = [], 1.0
    for line in text.splitlines():
        if head := _HEAD.search(line):
            unit = _GBIT_S[head[1]]
            continue
        words = line.split()
        if len(words) in (4, 5, 6) and all(is_whole_number(word, 20) for word in words[:2]):
            try:
                rows.append((min(int(words[0]), MAX_SIZE), float(words[3]) * unit))
            except ValueError:
                continue  # another line that starts with two numbers
    return rows


def _of_json(text: str) -> list[tuple[int, float]]:
    try:
        results = json.loads(text)["results"]
        found = results if isinstance(results, list) else [results]
        return [(int(one.get("MsgSize") or 0), float(one["BW_average"])) for one in found]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
        return []
