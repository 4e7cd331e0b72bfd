"""What nvbandwidth prints: matrices of copies between host and GPUs, and between GPUs, as text or JSON.

Source of the forms: NVIDIA/nvbandwidth, its README and published outputs of 0.4 to 0.10.
"""

import json
import re
from collections.abc import Iterator

from estimator.bringup.acceptance.readers.reading import Measured
from estimator.bringup.acceptance.readers.tools import figure
from estimator.digits import is_whole_number
from estimator.errors import Problem, SpecError

_RUNNING = re.compile(r"^\s*running\s+([a-z0-9_]{1,80})", re.IGNORECASE)
HOST = {"host_to_device_memcpy_ce": "host to GPU", "device_to_host_memcpy_ce": "GPU to host"}
PEER = ("device_to_device_memcpy_read_ce", "device_to_device_memcpy_write_ce")
MAX_GPUS = 1024
Cell = tuple[int, int, float]  # row, column, GB/s


def is_nvbandwidth(text: str) -> bool:
    """Whether a text looks like nvbandwidth's."""
    return "nvbandwidth" in text[:2000].lower() or any(f"unning {name}" in text for name in (*HOST, *PEER))


def read(name: str, text: str) -> list[Measured]:
    """The slowest copy with the host, and the slowest between GPUs, of those that it has. [GB/s]

    Raises
    ------
    SpecError
        If it holds neither.
    """
    cases = list(_of_json(text) if text.lstrip().startswith("{") else _of_text(text))
    host = [(gb_s, f"GPU {column}, {HOST[case]}") for case, (_, column, gb_s) in cases if case in HOST]
    peer = [(gb_s, f"GPU {row} and {column}") for case, (row, column, gb_s) in cases if case in PEER and row != column]
    found = [
        Measured(tool, *min(values)[:1], detail=min(values)[1])
        for tool, values in (("pcie", host), ("nvlink", peer))
        if values
    ]
    if not found:
        message = f"{name}: no copy between host and GPU, or between GPUs. Run {', '.join((*HOST, PEER[0]))}."
        raise SpecError([Problem("results", "no_rows", message)])
    return found


def _of_text(text: str) -> Iterator[tuple[str, Cell]]:
    case = ""
    columns: list[int] = []
    for line in text.splitlines():
        if running := _RUNNING.match(line):
            case, columns = running[1].lower(), []
            continue
        words = line.split()
        if not case or not words or not is_whole_number(words[0], 5):
            continue
        if all(is_whole_number(word, 5) for word in words):
            columns = [int(word) for word in words]
        elif len(words) == len(columns) + 1:
            row = int(words[0])
            for column, word in zip(columns, words[1:], strict=True):
                if (value := figure(word)) is not None:
                    yield case, (row, column, value)


def _of_json(text: str) -> Iterator[tuple[str, Cell]]:
    try:
        cases = json.loads(text)["nvbandwidth"]["testcases"]
        for case in cases:
            for row, cells in enumerate(case.get("bandwidth_matrix") or ()):
                for column, cell in enumerate(cells):
                    if (value := figure(str(cell))) is not None:
                        yield str(case["name"]), (row, column, value)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return
