"""What nvbandwidth prints: matrices of copies between host and GPUs, and between GPUs, as text or JSON.

Source of the forms: NVIDIA/nvbandwidth, its README and published outputs of 0.2 to 0.10.
"""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from estimator.calibration.paths.tables import figure
from estimator.digits import is_whole_number

_RUNNING = re.compile(r"^.{0,200}?\brunning\s+([a-z0-9_]{1,80})", re.IGNORECASE)
_DEVICE = re.compile(r"Device\s+\d{1,4}:\s*(.{1,100}?)\s*(?:\([0-9a-fA-F:.]+\))?\s*$", re.MULTILINE)
HOST = {"host_to_device_memcpy_ce": "host to GPU", "device_to_host_memcpy_ce": "GPU to host"}
PEER = ("device_to_device_memcpy_read_ce", "device_to_device_memcpy_write_ce")


class Copy(NamedTuple):
    """One cell of a test case's matrix. [GB/s]"""

    case: str
    line: int
    row: int
    column: int
    gb_s: float


def is_nvbandwidth(text: str) -> bool:
    """Whether a text looks like nvbandwidth's."""
    return "nvbandwidth" in text[:2000].lower() or any(f"unning {name}" in text for name in (*HOST, *PEER))


def gpu_names(text: str) -> tuple[str, ...]:
    """Names of GPUs that the file lists."""
    return tuple(dict.fromkeys(_DEVICE.findall(text)))


def copies_of(text: str) -> Iterator[Copy]:
    """Every cell with a figure, in the order of the file."""
    return _of_json(text) if text.lstrip().startswith("{") else _of_text(text)


def _of_text(text: str) -> Iterator[Copy]:
    case = ""
    columns: list[int] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if running := _RUNNING.match(line):
            case, columns = running[1].lower(), []
            continue
        words = line.split()
        if not case or not words:
            continue
        if columns and len(words) > len(columns) + 1:
            words = words[-len(columns) - 1 :]  # behind what a launcher put in front
        if not is_whole_number(words[0], 5):
            words = [word for word in words if is_whole_number(word, 5)] if not columns else []
        if words and all(is_whole_number(word, 5) for word in words):
            columns = [int(word) for word in words]
        elif words and len(words) == len(columns) + 1:
            row = int(words[0])
            for column, word in zip(columns, words[1:], strict=True):
                if (value := figure(word)) is not None:
                    yield Copy(case, number, row, column, value)


def _of_json(text: str) -> Iterator[Copy]:
    try:
        cases = json.loads(text)["nvbandwidth"]["testcases"]
        for case in cases:
            name = str(case["name"])
            line = text.count("\n", 0, max(text.find(f'"{name}"'), 0)) + 1
            for row, cells in enumerate(case.get("bandwidth_matrix") or ()):
                for column, cell in enumerate(cells):
                    if (value := figure(str(cell))) is not None:
                        yield Copy(name, line, row, column, value)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return
