"""A file of a tool that measures one path → its figures, each with the line that it stands on."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Literal

from estimator.calibration.logs.lines import plain_line
from estimator.calibration.paths import clusterkit, nvbandwidth, perftest
from estimator.errors import Problem, SpecError

Kind = Literal["link", "both_ways", "latency", "host_copy", "peer_copy"]
LINK: Kind = "link"
BOTH_WAYS: Kind = "both_ways"
LATENCY: Kind = "latency"
HOST_COPY: Kind = "host_copy"
PEER_COPY: Kind = "peer_copy"
Unit = Literal["Gb/s", "GB/s", "us"]
MAX_TEXT = 20_000_000
MOST_LATENCY_BYTES = 256  # of a message whose time is latency


@dataclass(frozen=True)
class PathFigure:
    """One figure: a rate in Gb/s or GB/s, a time in µs. ``low`` and ``high`` are its least and most in the file."""

    file: str
    line: int
    kind: Kind
    what: str
    value: float
    unit: Unit
    low: float
    high: float
    n_measured: int  # tests, copies or pairs of nodes in it
    index: str = ""  # of its healthy value: what is timed
    fabric: str | None = None
    gpu_names: tuple[str, ...] = ()
    why_unused: str = ""


def figures_of(name: str, data: bytes) -> tuple[PathFigure, ...] | None:
    """The figures of a file; None where it is of none of these tools.

    Raises
    ------
    SpecError
        If it is of one of them and has no figure.
    """
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    text = data[:MAX_TEXT].decode(encoding, errors="replace").replace("\0", "")
    text = text if text.lstrip().startswith("{") else "\n".join(plain_line(line) for line in text.splitlines())
    if perftest.is_perftest(text):
        found, needs = tuple(_perftest(name, text)), "a row of ib_write_bw, ib_read_lat or their like"
    elif nvbandwidth.is_nvbandwidth(text):
        found, needs = tuple(_nvbandwidth(name, text)), "a matrix of copies between host and GPU, or between GPUs"
    elif clusterkit.is_clusterkit(name, text):
        found, needs = (
            tuple(_clusterkit(name, text)),
            "an average bandwidth or latency of ClusterKit, its matrix, or its Links",
        )
    else:
        return None
    if not found:
        raise SpecError([Problem("log", "no_rows", f"{name}: it lacks {needs}. Give what the tool printed, whole.")])
    return found


def _perftest(name: str, text: str) -> Iterator[PathFigure]:
    """Of each test the bandwidth of its largest messages, or the latency of its smallest."""
    tests: dict[perftest.Test, list[perftest.TestRow]] = {}
    for row in perftest.rows_of(text):
        tests.setdefault(row.test, []).append(row)
    for test, rows in tests.items():
        is_latency = test.measure == "latency"
        row = (min if is_latency else max)(rows, key=lambda row: row.message_bytes)
        what = f"{test.tool}, {row.message_bytes:,} B" + (", both directions" if test.is_bidirectional else "")
        why = ""
        if test.operation == "atomic":
            why = "an atomic operation moves no message"
        elif is_latency and row.message_bytes > MOST_LATENCY_BYTES:
            why = f"a message of {row.message_bytes:,} B is no latency: {MOST_LATENCY_BYTES} B are the most"
        value = row.value / 2 if test.is_bidirectional and not is_latency else row.value
        yield PathFigure(
            name,
            row.line,
            LATENCY if is_latency else LINK,
            what,
            value,
            "us" if is_latency else "Gb/s",
            value,
            value,
            1,
            test.operation or "write",
            test.fabric,
            why_unused=why,
        )


def _nvbandwidth(name: str, text: str) -> Iterator[PathFigure]:
    """Of each case that is known the middle copy."""
    cases: dict[str, list[nvbandwidth.Copy]] = {}
    for copy in nvbandwidth.copies_of(text):
        if copy.case in nvbandwidth.HOST or (copy.case in nvbandwidth.PEER and copy.row != copy.column):
            cases.setdefault(copy.case, []).append(copy)
    gpus = nvbandwidth.gpu_names(text)
    for case, copies in cases.items():
        rates = [copy.gb_s for copy in copies]
        kind: Kind = HOST_COPY if case in nvbandwidth.HOST else PEER_COPY
        what = f"nvbandwidth {case}, middle of {len(rates):,}"
        ends = min(rates), max(rates), len(rates)
        yield PathFigure(name, copies[0].line, kind, what, median(rates), "GB/s", *ends, gpu_names=gpus)


def _clusterkit(name: str, text: str) -> Iterator[PathFigure]:
    for pairs in clusterkit.pairs_of(name, text):
        is_latency = pairs.measure == "latency"
        yield PathFigure(
            name,
            pairs.line,
            LATENCY if is_latency else BOTH_WAYS,
            f"ClusterKit {pairs.measure}, pairs of nodes",
            pairs.value,
            "us" if is_latency else "GB/s",
            pairs.low,
            pairs.high,
            pairs.n_pairs,
            "mpi",
        )
