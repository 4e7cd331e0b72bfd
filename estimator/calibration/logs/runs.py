"""The runs of a log: its lines sorted by who printed them, and each printer's lines parted where another run begins.

A run begins with the head that the tests print, or where sizes begin again without one. Several printers that took turns are
ranks of one run: the one with most rows counts, the rows of the others are named as left out.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from estimator.calibration.logs.inference import NAMED
from estimator.calibration.logs.lines import (
    MAX_LINE,
    LogRow,
    Shape,
    parted,
    plain_line,
    row_of,
    tag_of,
    without_numbers,
)
from estimator.calibration.result import LogLine
from estimator.digits import is_whole_number

MAX_MESSAGES = 20_000  # kept for the diagnosis
MAX_RANKS = 1_048_576
_RANK = re.compile(  # bounded in every part: a line of many such words is looked at once, not once from each of them
    r"Rank\s{1,20}(\d{1,7})\s.{0,80}?Pid\s{1,20}(\d{1,20})\s{1,20}on\s{1,20}(\S{1,255})\s{1,20}device\s{1,20}(\d{1,7})"
    r"\s{0,20}(?:\[[^\]]{0,80}\])?\s{0,20}(.*)"
)
_TEST = re.compile(r"(?<![a-z_])(" + "|".join((*NAMED, "all_to_all", "all_to_allv")) + r")_perf")
_STARTING = re.compile(r"Collective test starting:\s{0,20}(?:\S{0,200}/)?([a-z][a-z0-9_]{1,40}?)_perf")
_OPTIONS = re.compile(r"\b(nThread|nGpus|graph)\s*:?\s*(\d{1,7})\b")
_VERSION = re.compile(r"(?:nccl-library=|NCCL version |nccl_version[\"': ]+)([\w.+]+)")
_SETTING = re.compile(r"\b(NCCL_[A-Z][A-Z0-9_]*)(?:=| set by environment to )([^\s,;'\"]{1,80})")
_FAILED = re.compile(r"Out of bounds values\s*:\s*(\d{1,15})\s+FAILED")
_LIBRARY = ("NCCL INFO", "NCCL WARN", "NCCL TRACE", "RCCL", "NET/", "Launch mode")
_END = ("Out of bounds values", "Avg bus bandwidth", "Collective test concluded")


@dataclass(frozen=True, slots=True)
class Rank:
    """A line of the list of devices."""

    rank: int
    pid: str
    host: str
    device: int
    gpu: str


@dataclass
class Run:
    """What one run printed, as far as it has been read."""

    ranks: list[Rank] = field(default_factory=list)
    options: dict[str, int] = field(default_factory=dict)
    collective: str | None = None
    version: str | None = None
    rows: list[LogRow] = field(default_factory=list)
    shapes: list[Shape] = field(default_factory=list)
    dropped: list[LogLine] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)
    n_disturbed: int = 0
    n_failed: int = 0  # values out of bounds by the line behind the table
    is_of_cpu: bool = False  # the times are those that the CPU took to start an operation (-C 1)
    first: int = 0  # line of its head, and that behind its end; the end is 0 while it is open
    end: int = 0

    def drop(self, line: int, why: str) -> None:
        """Leave out a line, with the reason."""
        self.dropped.append(LogLine(line=line, why=why))

    def note(self, text: str) -> None:
        """Take from a comment or message whatever it says of the run."""
        if "Rank" in text and (found := _RANK.search(text)):
            rank, pid, host, device, name = found.groups()
            self.ranks.append(Rank(int(rank), pid, host, int(device), name.strip()))
        if "_perf" in text and (test := _TEST.search(text)) and (self.collective is None or "starting" in text):
            self.collective = test[1].replace("all_to_all", "alltoall")
        elif "starting" in text and (test := _STARTING.search(text)):
            self.collective = test[1]  # which this product does not know
        if "nThread" in text or "graph" in text:
            self.options.update((name, int(value)) for name, value in _OPTIONS.findall(text))
        if "Out of bounds" in text and (found := _FAILED.search(text)):
            self.n_failed = int(found[1])
        if "cputime" in text and "algbw" in text:
            self.is_of_cpu = True
        if "NCCL_" in text:
            self.settings.update(_SETTING.findall(text))
        if self.version is None and ("ersion" in text or "nccl" in text) and (found := _VERSION.search(text)):
            self.version = found[1]

    @property
    def span(self) -> tuple[int, int]:
        """The lines of its first and last row."""
        return min(row.line for row in self.rows), max(row.line for row in self.rows)


@dataclass(slots=True)
class _Line:
    number: int
    tag: str
    text: str
    row: tuple[LogRow, Shape] | None = None
    why: str = ""  # that it is no row; empty for a comment
    is_message: bool = False


def runs_of(text: str) -> tuple[list[Run], list[LogLine]]:
    """(runs in the order of the file, lines that belong to none)."""
    lines, outside = _lines(text)
    by_tag: dict[str, list[_Line]] = {}
    for line in lines:
        by_tag.setdefault(line.tag, []).append(line)
    printed = {tag: runs for tag, own in by_tag.items() if (runs := list(_of_one_printer(own)))}
    kept, copies = _without_copies(printed)
    for tag, run in copies:
        main, host = _beside(run, kept)
        host.ranks += run.ranks
        for row in run.rows:
            host.drop(row.line, f"{_by(tag)} printed it as well: the table of {_by(main)} is used")
    runs = [run for _, run in kept]
    others = [line for tag, own in by_tag.items() if tag not in printed for line in own]
    _share_out(runs, sorted(others, key=lambda line: line.number), outside)
    return runs, outside


def _by(tag: str) -> str:
    return f"“{tag}”" if tag else "a rank without a tag"


# ---------------------------------------------------------------- lines


def _lines(text: str) -> tuple[list[_Line], list[LogLine]]:
    """(lines that say something, lines that are too long)."""
    lines: list[_Line] = []
    outside: list[LogLine] = []
    tags: set[str] = set()
    for number, raw in enumerate(text.splitlines(), start=1):
        if len(raw) > MAX_LINE:
            why = f"a line of {len(raw):,} characters, where a row has a hundred"
            outside.append(LogLine(line=number, why=why))
        elif (line := _line(number, plain_line(raw), tags)) is not None:
            lines.append(line)
    _join_numbered(lines)
    return lines, outside


def _line(number: int, text: str, tags: set[str]) -> _Line | None:
    """A line as a row, a comment of the test, a message of the library or something else; None for an empty one."""
    tag, payload = parted(text)
    if not payload or payload.startswith("```"):
        return None
    if is_whole_number(payload[0], 1) and not any(word in payload for word in _LIBRARY):
        row = row_of(number, payload.split())
        if isinstance(row, str):
            return _Line(number, tag, payload, why=row)
        tags.add(tag)
        return _Line(number, tag, payload, row)
    if payload.startswith("#"):
        tags.add(tag)
        return _Line(number, tag, payload)
    before, hash_sign, rest = payload.partition("#")
    if hash_sign and (not rest or rest.startswith(" ")) and (known := tag_of(before)) in tags:
        return _Line(number, known, f"#{rest}")
    if any(word in payload for word in _LIBRARY):
        return _Line(number, "", payload, why="a message of the library, not a row of the table", is_message=True)
    if _TEST.search(payload):
        return _Line(number, "", payload)
    if tag_of(payload) in tags:
        return None  # an empty line behind its tag
    return _Line(number, "", payload, why="not a row of the table")


def _join_numbered(lines: Sequence[_Line]) -> None:
    """Tags that are another one on almost every row are of one printer that numbers its lines."""
    tags = Counter(line.tag for line in lines if line.row)
    if len(tags) > 3 and 2 * len(tags) > sum(tags.values()):
        for line in lines:
            line.tag = without_numbers(line.tag)


# ---------------------------------------------------------------- runs of one printer


def _of_one_printer(lines: Sequence[_Line]) -> Iterator[Run]:
    """Runs with rows, in order. What stands between the end of one and the head of the next belongs to the next."""
    run = Run(first=lines[0].number)
    sizes = [line.row[0].message_bytes for line in lines if line.row]
    falls = is_falling(sizes)
    between: list[_Line] = []
    at = 0
    for line in lines:
        if line.row:
            if run.rows and not falls and _restarts(sizes, at):
                yield run
                run = _again(run, line.number)
            _take(run, between)
            run.rows.append(line.row[0])
            run.shapes.append(line.row[1])
            at += 1
        elif _is_end(line):
            run.note(line.text)
            run.end = run.end or line.number + 1
        elif run.rows and _is_head(line):
            yield run
            run = Run(first=line.number)
            _take(run, [*between, line])
            between = []
        else:
            between.append(line)
            if not run.end:
                _take(run, between)
    if run.rows:
        _take(run, between)
        yield run


def _take(run: Run, lines: list[_Line]) -> None:
    """What lines that are no rows say goes to a run; the list is empty afterwards."""
    for line in lines:
        if line.why:
            run.drop(line.number, line.why)
        if line.is_message and len(run.messages) < MAX_MESSAGES:
            run.messages.append(line.text[:500])
        run.note(line.text)
    lines.clear()


def _is_head(line: _Line) -> bool:
    """Whether a comment can stand before a run alone: its name, its options, the head of its list of devices."""
    text = line.text
    return not line.why and (bool(_TEST.search(text)) or "nThread" in text or "Using devices" in text)


def _is_end(line: _Line) -> bool:
    return not line.why and any(words in line.text for words in _END)


def is_falling(sizes: Sequence[int]) -> bool:
    """Whether a sweep goes from the largest size down."""
    return len(sizes) > 2 and all(after < before for before, after in pairwise(sizes))


def _restarts(sizes: Sequence[int], at: int) -> bool:
    """Whether a smaller size begins the table anew: a single one that is out of order does not."""
    before = sizes[at - 1]
    return 0 < sizes[at] < before and at + 1 < len(sizes) and sizes[at + 1] < before


def _again(run: Run, line: int) -> Run:
    """A run whose table begins anew under the same head."""
    again = Run(
        list(run.ranks), dict(run.options), run.collective, run.version, settings=dict(run.settings), first=line
    )
    again.is_of_cpu = run.is_of_cpu
    return again


# ---------------------------------------------------------------- several printers

_Printed = list[tuple[str, Run]]


def _without_copies(printed: dict[str, list[Run]]) -> tuple[_Printed, _Printed]:
    """(runs, what other ranks printed beside them): of runs whose lines overlap, the one with most rows counts."""
    found = [(tag, run) for tag, runs in printed.items() for run in runs]
    kept: _Printed = []
    copies: _Printed = []
    for tag, run in sorted(found, key=lambda one: (-len(one[1].rows), -len(one[0]), one[0])):
        first, last = run.span
        is_copy = any(
            (first <= other.span[1] and other.span[0] <= last) or _is_same(run, other)
            for own, other in kept
            if own != tag and not _are_two_tests(run, other)
        )
        (copies if is_copy else kept).append((tag, run))
    return sorted(kept, key=lambda one: one[1].span), copies


def _are_two_tests(one: Run, other: Run) -> bool:
    """Whether both say which collective they ran, and it is not the same: jobs whose lines were mixed."""
    return None not in (one.collective, other.collective) and one.collective != other.collective


def _is_same(one: Run, other: Run) -> bool:
    return [(row.message_bytes, row.time_us) for row in one.rows] == [
        (row.message_bytes, row.time_us) for row in other.rows
    ]


def _beside(run: Run, kept: _Printed) -> tuple[str, Run]:
    """The run that a copy stands beside."""
    first, last = run.span
    return min(kept, key=lambda one: max(one[1].span[0] - last, first - one[1].span[1]))


def _share_out(runs: Sequence[Run], lines: Sequence[_Line], outside: list[LogLine]) -> None:
    """Lines of nobody's table go to the run before whose end they stand; behind the last one, to the last."""
    at = 0
    for line in lines:
        while at + 1 < len(runs) and line.number >= (runs[at].end or runs[at + 1].first):
            at += 1
        if not runs:
            outside += [LogLine(line=line.number, why=line.why)] if line.why else []
            continue
        run = runs[at]
        ranks = list(run.ranks)
        _take(run, [line])
        if ranks and not line.why:
            run.ranks = ranks  # a list of devices of its own counts
