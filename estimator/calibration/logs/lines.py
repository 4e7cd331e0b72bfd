"""One line of a log: what a launcher put in front of it, and what the test printed.

Launchers are not known by name. A row of the table is two whole numbers and a type of element, a comment is a ``#`` before
words that the tests print; all that stands in front of either is the tag of whoever passed the line on. Times are taken
out of a tag, so that the lines of one source have one tag.
"""

import json
import re
from dataclasses import dataclass
from math import isfinite

from estimator.calibration.logs.separators import (
    MAX_CELLS,
    WHOLE,
    has_separators,
    is_figure,
    joined,
    plain_whole,
    readings,
)
from estimator.digits import is_whole_number

MAX_LINE = 10_000
MAX_MESSAGE_BYTES = 2**50
MAX_TAG = 300
_BEFORE_DIGITS = "+-."
_PER_ITERATION = (
    8  # figures of a half: time, bandwidths, wrong values; least, most, 99th percentile and spread of iterations
)
TYPE_BYTES = {
    "int8": 1, "uint8": 1, "char": 1, "int8_t": 1, "f8e4m3": 1, "f8e5m2": 1, "fp8_e4m3": 1, "fp8_e5m2": 1,
    "half": 2, "bfloat16": 2, "bf16": 2, "fp16": 2, "float16": 2,
    "float": 4, "int32": 4, "uint32": 4, "int": 4, "fp32": 4, "float32": 4,
    "double": 8, "int64": 8, "uint64": 8, "fp64": 8, "float64": 8,
}  # fmt: skip
_COUNT = rf"(?:{WHOLE}|[0-9]{{1,100}})"
_ROW = re.compile(
    rf"(?<![\w.+-])(?<![0-9][,'’])({_COUNT})[ \t|]{{1,40}}({_COUNT})[ \t|]{{1,40}}(?=("
    + "|".join(TYPE_BYTES)
    + r")[ \t|])"
)
_GROUPS_BEFORE = re.compile(r"(?:(?<![\w.,:+'’-])[0-9]{1,3}[ \t|]{1,40}){1,10}$")
_UNCLEAR_SPACES = "a row of the table in which spaces part thousands or columns: print it without them"
_UNCLEAR_SIGNS = "a row of the table with commas or points that part thousands or decimals: print it without them"
OF_CPU = "the time is the CPU’s for starting the operation (-C 1), which says nothing of a network"
_COMMENT = re.compile(
    r"#\s{0,80}(?:nThread|Using devices|Rank\s|Collective test|nccl-tests|rccl-tests|size\s|\(B\)|out-of-place|Out of bounds|"
    r"Avg bus|NCCL_|[\"'`\\]|$)"
)
_ANSI = re.compile(r"\x1b(?:\[[0-9;?]{0,40}[ -/]{0,4}[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\))")
_TIME = re.compile(
    r"\d{4}[-/]\d\d[-/]\d\d|\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?|(?:Z|[+-]\d\d:?\d\d)(?=\W|$)|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b|"
    r"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b(?:\s{1,3}\d{1,2}\b)?|\b\d{10,19}(?:\.\d{1,9})?\b|\b20\d\d\b|"
    r"\b(?:UTC|GMT|CES?T)\b"
)
_DIGITS = re.compile(r"\d{1,40}")
_QUOTES = ('"', "'", "`")  # a line that stands as a string among other words ends where its quote does
_MESSAGE_KEYS = ("log", "message", "msg", "MESSAGE", "textPayload")


@dataclass(frozen=True, slots=True)
class LogRow:
    """One row of the table, out of place; ``line`` counts from 1."""

    line: int
    message_bytes: int
    time_us: float
    algbw_gb_s: float | None
    busbw_gb_s: float | None
    in_place_us: float | None = None
    n_wrong: int = 0  # values that the test's own check found wrong, out of place and in place


@dataclass(frozen=True, slots=True)
class Shape:
    """What a row has beside its figures; it tells collectives apart.

    ``operation`` is such as "sum" or "none", empty where none is printed; ``root`` likewise. ``share`` is the message divided
    by what its count holds: 1 where every rank counts the whole message, the number of ranks where each counts its part.
    ``in_place`` says whether the result in place was checked, None where neither half was.
    """

    operation: str
    root: str
    share: float
    in_place: bool | None


def plain_line(raw: str) -> str:
    """A line without colours, without the envelope that container logs have, and without marks of quoting."""
    line = _ANSI.sub("", raw) if "\x1b" in raw else raw
    return _unwrapped(line) if line.lstrip().startswith("{") and line.rstrip().endswith("}") else line


def _unwrapped(line: str) -> str:
    """The text of a line of JSON that a container runtime wrote around it; the line itself where it is no such."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return line
    texts = [found[key] for key in _MESSAGE_KEYS if isinstance(found.get(key), str)] if isinstance(found, dict) else []
    return texts[0].rstrip("\r\n") if texts else line


def parted(line: str) -> tuple[str, str]:
    """(the tag in front, what the test printed); the tag is empty where the line is neither a row nor a known comment."""
    row = _ROW.search(line)
    found = row or _COMMENT.search(line)
    if found is None or found.start() > MAX_TAG:
        return "", line.strip()
    before, text = line[: found.start()], line[found.start() :]
    if row:
        before, numbers = _counts(before, row)
        text = f"{numbers} {line[row.end() :]}"
    opened = before.rstrip()[-1:]
    if opened in _QUOTES:
        text = text.partition(opened)[0].removesuffix("\\n").removesuffix("\\r")
    return tag_of(before), text.replace("|", " ").strip()


def _counts(before: str, row: re.Match[str]) -> tuple[str, str]:
    """(what stands in front of size and count, both in plain digits); digits apart that cannot be put together stay apart."""
    size, count, kind = row.groups()
    size, count = plain_whole(size), plain_whole(count)
    led = _GROUPS_BEFORE.search(before)
    if led is None:
        return before, f"{size} {count}"
    n_bytes = TYPE_BYTES[kind.lower()]
    cells = [*led[0].replace("|", " ").split(), size, count]
    found = joined(cells, lambda size, count: size > 0 and count > 0 and size % (count * n_bytes) == 0)
    if found is None:
        return before[: led.start()], " ".join(cells)
    taken, size, count = found
    words = " ".join([*cells[:-taken], ""])
    return before[: led.start()] + words, f"{size} {count}"


def tag_of(before: str) -> str:
    """What stands in front of a line, without times of day and without spaces."""
    return " ".join(_TIME.sub(" ", before).split())


def without_numbers(tag: str) -> str:
    """A tag without its digits, for launchers that number their lines."""
    return _DIGITS.sub("0", tag)


def row_of(number: int, words: list[str]) -> tuple[LogRow, Shape] | str:
    """A row of the table, or why the line is none."""
    counts = all(is_whole_number(word, MAX_LINE) for word in words[:2])
    if len(words) >= 6 and counts and is_whole_number(words[2], MAX_LINE) and _has_type(words):
        return _UNCLEAR_SPACES
    if len(words) < 6 or not counts or words[2].lower() not in TYPE_BYTES:
        return "not a row of the table"
    if not has_separators(words[3:]):
        return _plain_row(number, words)
    while not (words[-1] == "N/A" or is_figure(words[-1])):
        words = words[:-1]
    rows = [_plain_row(number, [*words[:3], *figures]) for figures in readings(words[3:])]
    if len(rows) > 1:
        rows = [row for row in rows if not isinstance(row, str) and _agrees(row[0])]
    return rows[0] if len(rows) == 1 else _UNCLEAR_SIGNS


def _has_type(words: list[str]) -> bool:
    return any(word.lower() in TYPE_BYTES for word in words[3:MAX_CELLS])


def _agrees(row: LogRow) -> bool:
    """Whether the bandwidth follows from size and time, to the digits that are printed."""
    if not row.algbw_gb_s or row.time_us <= 0:
        return False
    return abs(row.message_bytes / row.time_us / 1e3 / row.algbw_gb_s - 1) < 0.05


def _plain_row(number: int, words: list[str]) -> tuple[LogRow, Shape] | str:
    end = len(words)
    while not (words[end - 1] == "N/A" or _number(words[end - 1])):
        end -= 1  # what a launcher put behind the row
    words = words[:end]
    is_figure = (i for i, word in enumerate(words) if i > 2 and (word == "N/A" or _number(word)))
    rest = words[next(is_figure, len(words)) :]  # behind the operation, where one is printed
    root = ""
    if len(rest) in (5, 9, 7, 2 * _PER_ITERATION + 1) and _is_integer(rest[0]):
        root, rest = rest[0], rest[1:]
    numbers = [float(word) if _number(word) else None for word in rest]
    if len(words[0]) > len(str(MAX_MESSAGE_BYTES)) or not all(isfinite(number or 0.0) for number in numbers):
        return "a row of the table with a figure that no run has"
    if len(numbers) == 2 * _PER_ITERATION:  # each half with the spread of its iterations behind it (nccl-tests of 2026)
        numbers = numbers[:4] + numbers[_PER_ITERATION : _PER_ITERATION + 4]
    if len(numbers) not in (3, 4, 6, 8):
        return f"a row of the table with {len(numbers)} figures where 4 or 8 are printed"
    time_us, algbw, busbw = numbers[0], numbers[1], numbers[2]
    if time_us is None:
        return "a row of the table without a time"
    if time_us < 0:
        return "a row of the table that is cut short"
    half = len(numbers) // 2
    in_place = numbers[half] if len(numbers) in (6, 8) else None
    checks = numbers[3::4] if half == 4 or len(numbers) == 4 else []
    n_wrong = sum(int(check) for check in checks if check and check >= 1)  # below 1: the error that old versions print
    row = LogRow(number, int(words[0]), time_us, algbw, busbw, in_place, n_wrong)
    return row, _shape(words, numbers, root)


def _shape(words: list[str], numbers: list[float | None], root: str) -> Shape:
    held = int(words[1]) * TYPE_BYTES[words[2].lower()] if len(words[1]) <= len(str(MAX_MESSAGE_BYTES)) else 0
    checked = None if len(numbers) != 8 or numbers[3] is None else numbers[7] is not None
    operation = words[3] if not (words[3] == "N/A" or _number(words[3])) else ""
    return Shape(operation, root, int(words[0]) / held if held else 0.0, checked)


def _number(word: str) -> bool:
    if not (word[:1].isdecimal() or word[:1] in _BEFORE_DIGITS):
        return False  # most words of a log: a number that float() refuses costs ten times as much
    try:
        float(word)
    except ValueError:
        return False
    return "nan" not in word.lower() and "inf" not in word.lower()


def _is_integer(word: str) -> bool:
    return is_whole_number(word.removeprefix("-"), MAX_LINE)
