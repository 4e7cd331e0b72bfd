"""The JSON that nccl-tests writes with -J, alone, several together, or behind what a launcher put in front of each line."""

import json
import re
from collections.abc import Iterator
from math import isfinite
from typing import Any

from estimator.calibration.logs.lines import MAX_LINE, MAX_MESSAGE_BYTES, OF_CPU, LogRow, Shape, plain_line, tag_of
from estimator.calibration.logs.runs import MAX_RANKS, Rank, Run
from estimator.errors import Problem, SpecError

MAX_BEFORE = 200  # lines that a launcher may print first
_FRONT = re.compile(r"^([^{\"]{1,200}?)(?=\{)")
_DIGITS = re.compile(r"\d+")
_Contents = list[dict[str, Any]]


def json_runs(name: str, text: str) -> list[Run] | None:
    """The runs of a log in JSON; None where the log is text.

    Raises
    ------
    SpecError
        If it starts as JSON and is no log of the tests.
    """
    first = text.lstrip().partition("\n")[0]
    if first.startswith("{") and plain_line(first) != first:  # a container's log
        text = "\n".join(plain_line(line) for line in text.splitlines())
    if text.lstrip().startswith("{"):
        contents = _objects(text)
        if contents is None or not all(_is_log(content) for content in contents):
            message = f"{name} starts as JSON, and is not what nccl-tests writes with -J: an object with 'results'."
            raise SpecError([Problem("log", "not_a_log", message)])
        return [_run(content) for content in contents]
    contents = _behind_tags(text) if '"results"' in text else None
    return [_run(content) for content in contents] if contents and all(map(_is_log, contents)) else None


def _behind_tags(text: str) -> _Contents | None:
    """What JSON there is when the start that the first brace has behind it is taken off every line."""
    lines = text.splitlines()
    for i, line in enumerate(lines[:MAX_BEFORE]):
        if line.lstrip().startswith("{"):
            return _objects("\n".join(lines[i:]))
        if found := _FRONT.match(line):
            start = found[1]
            n_spaces = len(start) - len(start.rstrip())
            like = re.compile(_DIGITS.sub(r"\\d{1,30}", re.escape(start.rstrip())) + rf"\s{{0,{n_spaces}}}")
            return _objects("\n".join(_rest(other, like, start) for other in lines[i:] if like.match(other)))
    return None


def _rest(line: str, like: re.Pattern[str], start: str) -> str:
    """The line behind its tag, if that is the tag of ``start``."""
    found = like.match(line)
    return line[found.end() :] if found and tag_of(found[0]) == tag_of(start) else ""


def _objects(text: str) -> _Contents | None:
    """The JSON objects that stand one behind the other; None where it is no JSON."""
    decoder, at, out = json.JSONDecoder(), 0, []
    text = text.strip()
    try:
        while at < len(text):
            content, at = decoder.raw_decode(text, at)
            if not isinstance(content, dict):
                return None
            out.append(content)
            at += len(text[at : at + 100]) - len(text[at : at + 100].lstrip())
    except (ValueError, RecursionError):
        return None
    return out


def _is_log(content: dict[str, Any]) -> bool:
    return isinstance(content.get("results"), list) and isinstance(content.get("config") or {}, dict)


def _run(content: dict[str, Any]) -> Run:
    run, config = Run(), content.get("config") or {}
    run.note(" ".join(map(str, _list(content.get("args"))))[:MAX_LINE])
    run.version = _plain(content.get("nccl_version") or "") or None
    names = {"nGpus": "ngpus", "nThread": "nthreads", "graph": "graph"}
    run.options = {name: _count(config.get(key), int(key != "graph")) for name, key in names.items()}
    run.ranks = list(_ranks(_list(content.get("devices")) or _list(config.get("devices"))))
    bounds = content.get("out_of_bounds")
    run.n_failed = _count(bounds.get("count"), 0) if isinstance(bounds, dict) and bounds.get("okay") is not True else 0
    for number, result in enumerate(content["results"], start=1):
        row = _row(number, result)
        if isinstance(row, LogRow):
            run.rows.append(row)
            run.shapes.append(Shape(str(result.get("redop") or ""), str(result.get("root") or "").strip(), 0.0, None))
        else:
            run.drop(number, row)
    return run


def _ranks(devices: list[Any]) -> Iterator[Rank]:
    for device in devices:
        rank = _count(device.get("rank"), -1) if isinstance(device, dict) else -1
        if rank >= 0:
            place = _plain(device.get("pid")), _plain(device.get("hostname")), _count(device.get("device"), 0)
            yield Rank(rank, *place, _plain(device.get("device_info") or ""))


def _plain(value: Any) -> str:
    """A text, at most 200 characters, without zeros and halves of character pairs."""
    return str(value)[:200].encode("utf-8", errors="replace").decode().replace("\0", "")


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _count(value: Any, otherwise: int) -> int:
    """A whole number from 0 to MAX_RANKS; ``otherwise`` for anything else."""
    return value if type(value) is int and 0 <= value <= MAX_RANKS else otherwise


def _row(number: int, result: Any) -> LogRow | str:
    halves = [result.get(half) for half in ("out_of_place", "in_place")] if isinstance(result, dict) else []
    if any(isinstance(half, dict) and "cpu_time" in half for half in halves):
        return OF_CPU
    try:
        out = result["out_of_place"]
        inside = result.get("in_place") or {}
        figures = [float(out["time"]), float(out["alg_bw"]), float(out["bus_bw"]), float(inside.get("time") or 0.0)]
        size = int(result["size"])
        n_wrong = sum(int(float(half.get("nwrong") or 0)) for half in (out, inside) if half.get("nwrong") != "N/A")
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return "a result without size, time or bandwidths"
    if size > MAX_MESSAGE_BYTES or not all(map(isfinite, figures)):
        return "a result with a figure that no run has"
    return LogRow(number, size, figures[0], figures[1], figures[2], figures[3] or None, n_wrong)
