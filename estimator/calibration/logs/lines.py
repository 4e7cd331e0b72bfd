"""One line of a log: what a launcher put in front of it, and what the test printed.

Launchers are not known by name. A row of the table is two whole numbers and a type of element, a comment is a ``#`` before
words that the tests print; all that stands in front of either is the tag of whoever passed the line on. Times are taken
out of a tag, so that the lines of one source have one tag.
"""

import json
import re
from dataclasses import dataclass
from math import isfinite

from estimator.digits import is_whole_number

MAX_LINE = 10_000
MAX_MESSAGE_BYTES = 2**50
MAX_TAG = 300
_BEFORE_DIGITS = "+-."
TYPE_BYTES = {
    "int8": 1, "uint8": 1, "char": 1, "int8_t": 1, "f8e4m3": 1, "f8e5m2": 1, "fp8_e4m3": 1, "fp8_e5m2": 1,
    "half": 2, "bfloat16": 2, "bf16": 2, "fp16": 2, "float16": 2,
    "float": 4, "int32": 4, "uint32": 4, "int": 4, "fp32": 4, "float32": 4,
    "double": 8, "int64": 8, "uint64": 8, "fp64": 8, "float64": 8,
}  # fmt: skip
_ROW = re.compile(
    r"(?<![\w.+-])[0-9]{1,100}[ \t|]{1,40}[0-9]{1,100}[ \t|]{1,40}(?:" + "|".join(TYPE_BYTES) + r")(?=[ \t|])"
)
_COMMENT = re.compile(
    r"#\s{0,20}(?:nThread|Using devices|Rank\s|Collective test|nccl-tests|rccl-tests|size\s|\(B\)|out-of-place|Out of bounds|"
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
    found = _ROW.search(line) or _COMMENT.search(line)
    if found is None or found.start() > MAX_TAG:
        return "", line.strip()
    before, text = line[: found.start()], line[found.start() :]
    opened = before.rstrip()[-1:]
    if opened in _QUOTES:
        text = text.partition(opened)[0].removesuffix("\\n").removesuffix("\\r")
    return tag_of(before), text.replace("|", " ").strip()


def tag_of(before: str) -> str:
    """What stands in front of a line, without times of day and without spaces."""
    return " ".join(_TIME.sub(" ", before).split())


def without_numbers(tag: str) -> str:
    """A tag without its digits, for launchers that number their lines."""
    return _DIGITS.sub("0", tag)


def row_of(number: int, words: list[str]) -> tuple[LogRow, Shape] | str:
    """A row of the table, or why the line is none."""
    counts = all(is_whole_number(word, MAX_LINE) for word in words[:2])
    if len(words) < 6 or not counts or words[2].lower() not in TYPE_BYTES:
        return "not a row of the table"
    end = len(words)
    while not (words[end - 1] == "N/A" or _number(words[end - 1])):
        end -= 1  # what a launcher put behind the row
    words = words[:end]
    is_figure = (i for i, word in enumerate(words) if i > 2 and (word == "N/A" or _number(word)))
    rest = words[next(is_figure, len(words)) :]  # behind the operation, where one is printed
    root = ""
    if len(rest) in (5, 9, 7) and _is_integer(rest[0]):
        root, rest = rest[0], rest[1:]
    numbers = [float(word) if _number(word) else None for word in rest]
    if len(words[0]) > len(str(MAX_MESSAGE_BYTES)) or not all(isfinite(number or 0.0) for number in numbers):
        return "a row of the table with a figure that no run has"
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
