"""Reading what nccl-tests and rccl-tests print: text of every age, with tags of launchers in front, and the JSON form.

A reader must live with what people paste: lines of other programs in between, several ranks in turns, `N/A` where nothing
was checked, zeros where nothing was sent. Rows that cannot be used are named with the reason, never passed over.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import isfinite
from statistics import median
from typing import Any

from estimator.calibration.result import LogLine
from estimator.errors import Problem, SpecError
from estimator.performance.collectives import BUS_FACTORS, COLLECTIVES
from estimator.units import is_whole_number

MAX_LOG_BYTES = 20_000_000
MAX_LINE = 10_000
MAX_MESSAGES = 20_000  # kept for the diagnosis
MAX_RANKS = 1_048_576
MAX_MESSAGE_BYTES = 2**50
MAX_DROPPED_SHOWN = 200
ARITHMETIC_TOLERANCE = 0.006  # of a bandwidth: what rounding to two decimals leaves, for times that are long enough
MAX_BEFORE_JSON = 200  # lines that a launcher may print first
WARM_UP = 1.8  # a single row this many times both of its neighbours is no measurement of the network
TYPES = frozenset(
    (
        "float",
        "half",
        "double",
        "int8",
        "uint8",
        "int32",
        "uint32",
        "int64",
        "uint64",
        "bfloat16",
        "bf16",
        "fp16",
        "fp32",
        "fp64",
        "char",
        "int8_t",
        "f8e4m3",
        "f8e5m2",
        "fp8_e4m3",
        "fp8_e5m2",
        "int",
        "float16",
        "float32",
        "float64",
    )
)
_TAG = re.compile(
    r"^\s*(?:\[(?:[\w.-]+@)?(?P<mpi>\d+,\d+)\](?:\[[^\]\s]*\])?(?:<std\w+>)?:?|\[(?P<rank>\d+)\](?=[\s#])|(?P<srun>\d+):(?=\s)|"
    r"(?P<host>[A-Za-z][\w.-]*)(?:\s*\|\s|:\s)(?=\s*(?:#|\d+\s+\d+\s)))"
)
_STAMP = re.compile(  # mpirun --timestamp-output, kubectl logs --prefix --timestamps, journald
    r"^\s*(?:\[pod/[^\]\s]+\]\s|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?(?:\s|(?=\[))|"
    r"[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d (?:[A-Z]{3,4} )?\d{4}\s?(?=[\[#\s]))"
)
_ANY_TAG = re.compile(r"^(\s*[^\s{\"]{1,100}(?::|\s\|)\s?)(?=\{)")  # such as a host's name
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_RANK = re.compile(  # bounded in every part: a line of many such words is looked at once, not once from each of them
    r"Rank\s{1,20}(\d{1,7})\s.{0,80}?Pid\s{1,20}(\d{1,20})\s{1,20}on\s{1,20}(\S{1,255})\s{1,20}device\s{1,20}(\d{1,7})"
    r"\s{0,20}(?:\[[^\]]{0,80}\])?\s{0,20}(.*)"
)
_TEST = re.compile(r"\b(all_reduce|all_gather|reduce_scatter|alltoall|all_to_all|broadcast|reduce|sendrecv)_perf\b")
_OPTIONS = re.compile(r"\b(nThread|nGpus|graph)\s*:?\s*(\d{1,7})\b")
_VERSION = re.compile(r"(?:nccl-library=|NCCL version |nccl_version[\"': ]+)([\w.+]+)")
_SETTING = re.compile(r"\b(NCCL_[A-Z][A-Z0-9_]*)(?:=| set by environment to )([^\s,;'\"]{1,80})")
_LIBRARY = ("NCCL INFO", "NCCL WARN", "NCCL TRACE", "RCCL", "NET/", "Launch mode")


@dataclass(frozen=True, slots=True)
class LogRow:
    """One row of the table, out of place; ``line`` counts from 1."""

    line: int
    message_bytes: int
    time_us: float
    algbw_gb_s: float | None
    busbw_gb_s: float | None
    in_place_us: float | None = None


@dataclass(frozen=True)
class ParsedLog:
    """What a log says of one run. What it does not say is None; ``gpu_names`` are as printed."""

    file: str
    collective: str | None
    gpus: int | None
    nodes: int | None
    launch: str
    gpu_names: tuple[str, ...]
    version: str | None
    rows: tuple[LogRow, ...]
    dropped: tuple[LogLine, ...]
    n_dropped: int
    messages: tuple[str, ...] = ()  # lines of the library, for the diagnosis
    settings: dict[str, str] = field(default_factory=dict)  # NCCL_… as the log says them
    n_disturbed: int = 0  # rows dropped because they took much longer than both neighbours
    hosts: tuple[str, ...] = ()  # in the order of their first rank


@dataclass
class _Reading:
    """What has been gathered so far."""

    ranks: dict[int, tuple[str, str, int, str]] = field(default_factory=dict)
    options: dict[str, int] = field(default_factory=dict)
    collective: str | None = None
    version: str | None = None
    rows: list[tuple[str, LogRow, str]] = field(default_factory=list)  # (tag, row, kind of row)
    dropped: list[LogLine] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)
    n_disturbed: int = 0

    def drop(self, line: int, why: str) -> None:
        self.dropped.append(LogLine(line=line, why=why))


def read_log(name: str, data: bytes) -> ParsedLog:
    """One file as nccl-tests or rccl-tests wrote it.

    Raises
    ------
    SpecError
        If the file is too big, or holds no usable row.
    """
    if len(data) > MAX_LOG_BYTES:
        message = f"{name} has {len(data):,} bytes, and {MAX_LOG_BYTES:,} is the most. Cut it to the table of results."
        raise SpecError([Problem("log", "file_too_large", message)])
    text = _text(data)
    reading = _Reading()
    if (as_json := _json_text(text)) is not None:
        _read_json(name, as_json, reading)
    else:
        _read_text(text, reading)
    return _finish(name, reading)


def _text(data: bytes) -> str:
    """UTF-8, or UTF-16 as Windows shells write it; without zero bytes, which no database keeps."""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return data.decode(encoding, errors="replace").replace("\0", "")


def _plain(value: Any) -> str:
    """A text of a JSON log, at most 200 characters, without zeros and halves of character pairs."""
    return str(value)[:200].encode("utf-8", errors="replace").decode().replace("\0", "")


# ---------------------------------------------------------------- text


def _read_text(text: str, reading: _Reading) -> None:
    for number, raw in enumerate(text.splitlines(), start=1):
        if len(raw) > MAX_LINE:
            reading.drop(number, f"a line of {len(raw):,} characters, where a row has a hundred")
            continue
        line = _ANSI.sub("", raw) if "\x1b" in raw else raw
        tag, line = _without_tag(line)
        stripped = line.strip()
        if not stripped:
            continue
        if stripped.startswith("#") or _is_said_by_the_test(stripped):
            _read_comment(stripped, reading)
            continue
        row = _row(number, stripped.split()) if is_whole_number(stripped[0], 1) else "not a row of the table"
        if isinstance(row, LogRow):
            reading.rows.append((tag, row, _kind(stripped.split())))
            continue
        if any(word in stripped for word in _LIBRARY):
            if len(reading.messages) < MAX_MESSAGES:
                reading.messages.append(stripped[:500])
            _read_comment(stripped, reading)
            reading.drop(number, "a message of the library, not a row of the table")
        else:
            _read_comment(stripped, reading)
            reading.drop(number, row)


def _is_said_by_the_test(line: str) -> bool:
    return bool(_TEST.search(line)) and not is_whole_number(line[0], 1)


def _without_tag(line: str) -> tuple[str, str]:
    """(tag of the launcher, the line without it and without times of day)."""
    line = _without_stamps(line)
    found = _TAG.match(line)
    if not found:
        return "", line
    return next((value for value in found.groups() if value), ""), _without_stamps(line[found.end() :])


def _without_stamps(line: str) -> str:
    while found := _STAMP.match(line):
        line = line[found.end() :]
    return line


def _read_comment(line: str, reading: _Reading) -> None:
    if "Rank" in line and (found := _RANK.search(line)):
        rank, pid, host, device, name = found.groups()
        reading.ranks[int(rank)] = (pid, host, int(device), name.strip())
    if "_perf" in line and (found := _TEST.search(line)):
        reading.collective = found[1].replace("all_to_all", "alltoall")
    if "nThread" in line or "graph" in line:
        reading.options.update((name, int(value)) for name, value in _OPTIONS.findall(line))
    if "NCCL_" in line:
        reading.settings.update(_SETTING.findall(line))
    if reading.version is None and ("ersion" in line or "nccl" in line) and (found := _VERSION.search(line)):
        reading.version = found[1]


def _row(number: int, words: list[str]) -> LogRow | str:
    """A row of the table, or why the line is none."""
    counts = all(is_whole_number(word, MAX_LINE) for word in words[:2])
    if len(words) < 6 or not counts or words[2].lower() not in TYPES:
        return "not a row of the table"
    is_figure = (i for i, word in enumerate(words) if i > 2 and (word == "N/A" or _number(word)))
    rest = words[next(is_figure, len(words)) :]  # behind the operation, where one is printed
    if len(rest) in (5, 9, 7) and _is_integer(rest[0]):
        rest = rest[1:]  # the root
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
    return LogRow(number, int(words[0]), time_us, algbw, busbw, in_place)


def _kind(words: list[str]) -> str:
    """Operation and root of a row, which tell collectives apart: ``sum -1``, ``none 0`` …"""
    operation = words[3] if len(words) > 3 and not _number(words[3]) else ""
    after = words[4:] if operation else words[3:]
    root = after[0] if len(after) in (5, 9, 7) and _is_integer(after[0]) else ""
    return f"{operation} {root}".strip()


def _number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return "nan" not in word.lower() and "inf" not in word.lower()


def _is_integer(word: str) -> bool:
    return is_whole_number(word.removeprefix("-"), MAX_LINE)


# ---------------------------------------------------------------- JSON


def _json_text(text: str) -> str | None:
    """The JSON of a log, without what launchers put in front of each line of it; None where it is no JSON."""
    if text.lstrip().startswith("{"):
        return text
    if '"results"' not in text:
        return None
    lines = text.splitlines()
    for i, line in enumerate(lines[:MAX_BEFORE_JSON]):
        tag, rest = _without_tag(line)
        if rest.lstrip().startswith("{"):
            return _if_json(rest for own, rest in map(_without_tag, lines[i:]) if own == tag)
        if found := _ANY_TAG.match(line):
            start = found[1]
            return _if_json(other.removeprefix(start) for other in lines[i:] if other.startswith(start.rstrip()))
    return None


def _if_json(lines: Iterable[str]) -> str | None:
    """The lines as one text, if that is JSON."""
    text = "\n".join(lines)
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return None
    return text


def _read_json(name: str, text: str, reading: _Reading) -> None:
    try:
        content = json.loads(text)
        results = content["results"]
        config = content.get("config") or {}
        if not isinstance(results, list) or not isinstance(config, dict):
            raise TypeError
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        message = f"{name} starts as JSON, and is not what nccl-tests writes with -J: an object with 'results'."
        raise SpecError([Problem("log", "not_a_log", message)]) from None
    _read_comment(" ".join(map(str, _list(content.get("args"))))[:MAX_LINE], reading)
    reading.version = _plain(content.get("nccl_version") or "") or None
    names = {"nGpus": "ngpus", "nThread": "nthreads", "graph": "graph"}
    reading.options = {name: _count(config.get(key), int(key != "graph")) for name, key in names.items()}
    for device in _list(content.get("devices")) or _list(config.get("devices")):
        rank = _count(device.get("rank"), -1) if isinstance(device, dict) else -1
        if rank >= 0:
            reading.ranks[rank] = (
                _plain(device.get("pid")),
                _plain(device.get("hostname")),
                _count(device.get("device"), 0),
                _plain(device.get("device_info") or ""),
            )
    for number, result in enumerate(results, start=1):
        row = _json_row(number, result)
        if isinstance(row, LogRow):
            kind = f"{result.get('redop') or ''} {str(result.get('root') or '').strip()}".strip()
            reading.rows.append(("", row, kind))
        else:
            reading.drop(number, row)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _count(value: Any, otherwise: int) -> int:
    """A whole number from 0 to MAX_RANKS; ``otherwise`` for anything else."""
    return value if type(value) is int and 0 <= value <= MAX_RANKS else otherwise


def _json_row(number: int, result: Any) -> LogRow | str:
    try:
        out = result["out_of_place"]
        inside = result.get("in_place") or {}
        figures = [float(out["time"]), float(out["alg_bw"]), float(out["bus_bw"]), float(inside.get("time") or 0.0)]
        size = int(result["size"])
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return "a result without size, time or bandwidths"
    if size > MAX_MESSAGE_BYTES or not all(map(isfinite, figures)):
        return "a result with a figure that no run has"
    return LogRow(number, size, figures[0], figures[1], figures[2], figures[3] or None)


# ---------------------------------------------------------------- what the rows say together


def _finish(name: str, reading: _Reading) -> ParsedLog:
    rows, kinds = _of_one_rank(reading)
    ranks = reading.ranks
    gpus = max(max(ranks) + 1, _processes_times_gpus(reading)) if ranks else None
    collective = reading.collective or _by_name(name) or _by_factor(rows, kinds, gpus)
    gpus = gpus or _gpus_by_factor(rows, collective)
    usable = tuple(_usable(rows, collective, gpus, reading))
    if not usable:
        seen = f"{len(reading.rows)} rows were read and none can be used" if reading.rows else "no row of results in it"
        message = f"{name}: {seen}. Give the text that all_reduce_perf and its like print, or their JSON."
        raise SpecError([Problem("log", "no_rows", message)])
    dropped = sorted(reading.dropped, key=lambda item: item.line)
    return ParsedLog(
        file=name,
        collective=collective,
        gpus=gpus,
        nodes=_nodes(ranks, gpus),
        launch=_launch(reading),
        gpu_names=tuple(sorted({gpu for _, _, _, gpu in ranks.values() if gpu})),
        version=reading.version,
        rows=usable,
        dropped=tuple(dropped[:MAX_DROPPED_SHOWN]),
        n_dropped=len(dropped),
        messages=tuple(reading.messages),
        settings=reading.settings,
        n_disturbed=reading.n_disturbed,
        hosts=tuple(dict.fromkeys(ranks[rank][1] for rank in sorted(ranks) if ranks[rank][1])),
    )


def _of_one_rank(reading: _Reading) -> tuple[list[LogRow], list[str]]:
    """The rows of the rank that printed most; ranks that ran each for itself print the same table in turns."""
    counts = Counter(tag for tag, _, _ in reading.rows)
    if not counts:
        return [], []
    main = max(counts, key=lambda tag: (counts[tag], -len(tag), tag))
    for tag, row, _ in reading.rows:
        if tag != main:
            reading.drop(
                row.line, f"rank {tag or 'without a tag'} printed it as well: the table of {main or 'one'} is used"
            )
    return [row for tag, row, _ in reading.rows if tag == main], [kind for tag, _, kind in reading.rows if tag == main]


def _by_name(name: str) -> str | None:
    plain = name.lower().replace("-", "_").replace("allreduce", "all_reduce").replace("allgather", "all_gather")
    plain = (
        plain.replace("all_to_all", "alltoall")
        .replace("reducescatter", "reduce_scatter")
        .replace("send_recv", "sendrecv")
    )
    found = [collective for collective in COLLECTIVES if collective in plain]
    return max(found, key=len) if found else None


def _factor(rows: list[LogRow]) -> float | None:
    """busbw ÷ algbw of the rows that are printed finely enough."""
    ratios = [
        row.busbw_gb_s / row.algbw_gb_s for row in rows if row.busbw_gb_s and row.algbw_gb_s and row.algbw_gb_s > 1
    ]
    return median(ratios) if ratios else None


def _by_factor(rows: list[LogRow], kinds: list[str], gpus: int | None) -> str | None:
    """The collective by its bus factor, operation and root."""
    factor, kind = _factor(rows), Counter(kinds).most_common(1)[0][0] if kinds else ""
    if factor is None:
        return None
    if factor > 1.01:
        return "all_reduce"
    if abs(factor - 1) < 0.004 and (gpus is None or gpus < 200):
        return (
            "reduce"
            if kind.startswith("sum") and not kind.endswith("-1")
            else "broadcast"
            if kind == "none 0"
            else "sendrecv"
        )
    return "reduce_scatter" if kind.startswith("sum") else "all_gather" if kind else "alltoall"


def _gpus_by_factor(rows: list[LogRow], collective: str | None) -> int | None:
    """n from 2(n − 1)/n or (n − 1)/n, where the factor is fine enough to tell."""
    factor = _factor(rows)
    if factor is None or collective not in ("all_reduce", "all_gather", "reduce_scatter", "alltoall"):
        return None
    share = factor / 2 if collective == "all_reduce" else factor
    n = round(1 / (1 - share)) if share < 1 else 0
    return n if 2 <= n <= 256 and abs((n - 1) / n - share) < 0.002 else None


def _processes_times_gpus(reading: _Reading) -> int:
    """GPUs by the options alone: a list of devices may be cut short."""
    pids = {(host, pid) for pid, host, _, _ in reading.ranks.values()}
    return max(len(pids), 1) * reading.options.get("nThread", 1) * reading.options.get("nGpus", 1)


def _nodes(ranks: dict[int, tuple[str, str, int, str]], gpus: int | None) -> int | None:
    """Hosts that are named, or as many as one device stands in the list; None where most of the list is missing."""
    if not ranks or len(ranks) * 4 < (gpus or 0):
        return None
    hosts = {host for _, host, _, _ in ranks.values()}
    a_device = Counter((host, device) for _, host, device, _ in ranks.values())
    return max(len(hosts), max(a_device.values()))


def _launch(reading: _Reading) -> str:
    if reading.options.get("graph"):
        return "graph"
    pids = {(host, pid) for pid, host, _, _ in reading.ranks.values()}
    if reading.options.get("nGpus", 1) > 1 or (len(reading.ranks) > 1 and len(pids) * 2 <= len(reading.ranks)):
        return "single-process"
    return "process-per-gpu"


def _usable(rows: list[LogRow], collective: str | None, gpus: int | None, reading: _Reading) -> Iterator[LogRow]:
    """Rows with a size and a time, whose bandwidths follow from them, and that stand out from both neighbours no more."""
    kept = []
    for row in rows:
        why = _why_not(row, collective, gpus)
        if why:
            reading.drop(row.line, why)
        else:
            kept.append(row)
    for i, row in enumerate(kept):
        near = [kept[j].time_us for j in (i - 1, i + 1) if 0 <= j < len(kept)]
        is_last = i == len(kept) - 1  # nothing after it says that it should have been shorter
        if not is_last and all(row.time_us > WARM_UP * time for time in near):
            reading.n_disturbed += i > 0  # the first one is a warm-up
            reading.drop(
                row.line, f"warm-up or a disturbance: {row.time_us:g} us is over {WARM_UP} times both neighbours"
            )
        else:
            yield row


def _why_not(row: LogRow, collective: str | None, gpus: int | None) -> str | None:
    if row.message_bytes <= 0:
        return "no bytes were sent"
    if row.time_us <= 0:
        return f"a time of {row.time_us:g} us"
    algbw = row.message_bytes / row.time_us / 1e3
    if row.algbw_gb_s and row.algbw_gb_s > 1 and _differs(row.algbw_gb_s, algbw):
        return f"the arithmetic is wrong: {row.algbw_gb_s:g} GB/s printed, and {algbw:.2f} follow from size and time"
    if row.busbw_gb_s and row.busbw_gb_s > 1 and collective and gpus and gpus > 1:
        busbw = algbw * float(BUS_FACTORS[collective](gpus))
        if _differs(row.busbw_gb_s, busbw):
            return f"the arithmetic is wrong: {row.busbw_gb_s:g} GB/s of bus bandwidth printed, and {busbw:.2f} follow"
    return None


def _differs(printed: float, computed: float) -> bool:
    return abs(printed - computed) > ARITHMETIC_TOLERANCE * computed + 0.006
