"""Predicted against measured, for every run that is carried: the errors that pages and documents state.

``python -m estimator.calibration.report`` writes docs/validation.md again; a test holds the document to the model.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from estimator.calibration.measured import CORE, SIZE_CLASSES, Run, measured_runs, size_class, sources
from estimator.catalog.catalog import Catalog
from estimator.catalog.constants import ModelConstants
from estimator.catalog.loader import load_catalog
from estimator.performance.bandwidth import points_of, system_columns
from estimator.performance.collectives import BUS_FACTORS
from estimator.performance.times import Times, predict_times
from estimator.record import Record
from estimator.units import FloatArray, s_to_us

DOCUMENT = Path(__file__).parents[1] / "docs" / "validation.md"
N_WORST = 10
CLASS_LABELS = {"large": "≥ 64 MiB", "mid": "1–64 MiB", "small": "< 1 MiB"}
ALL = "all"
TABLES = {
    ALL: "All core runs",
    "by_collective": "By collective",
    "by_domains": "By scale-up domains",
    "by_fabric": "By network",
    "by_gpu": "By GPU",
    "by_family": "By family and health",
}
NOT_TO_TRUST = (
    "1 to 64 MiB, where NCCL changes algorithm: real curves dip by up to 40 % around a switch, and the model takes what is "
    "fastest. One point in ten is out by a third.",
    "Below 1 MiB: the floor is the host's and the launcher's. Eight H100 take 13 µs at one provider and over 40 µs at another.",
    "EFA from 1 to 64 MiB: out by 30 % in the median, and only half of the points lie in their bands.",
    "Send-receive: few runs, and they differ by how NCCL splits channels; one in five of large messages lies outside its band.",
    "One point a run for GB200 and GB300 over several racks, one provider each; no run at all of XDR or 800 Gb/s between nodes, "
    "and none of Rubin, which is taken as Blackwell.",
    "Slingshot and AMD are met in bandwidth of large messages; small and middle ones can take two to four times as long, by "
    "set-up of libfabric and RCCL.",
    "PCIe-only hosts, bridges, V100 and virtual machines (family other): a guess of the right size, often out by half.",
    "Oversubscription, random placement, ECMP, failed links and lossy Ethernet follow from geometry and published claims: no run "
    "that is carried measures them, so their bands are wider and they are never marked as measured.",
    "Machines with a fault (health problem) are slower than predicted by 2 to 15 times. That is the point of a prediction.",
    "More than 64 domains, and other jobs on the same fabric: extrapolated, or left out.",
)


class ErrorSummary(Record):
    """Errors of some points, |ln(predicted ÷ measured)|; None where there is no point."""

    points: int
    median: float | None = None
    nine_in_ten: float | None = None
    inside: float | None = None
    """Share of the points that lie in their bands."""


class ErrorRow(Record):
    """Errors of a group of runs by size class."""

    group: str
    large: ErrorSummary
    mid: ErrorSummary
    small: ErrorSummary

    @property
    def cells(self) -> list[ErrorSummary]:
        """In the order of SIZE_CLASSES."""
        return [getattr(self, name) for name in SIZE_CLASSES]


class WorstPoint(Record):
    """The point of a run that the prediction misses most; ``error`` is ln(predicted ÷ measured)."""

    run: str
    collective: str
    gpus: int
    message_bytes: int
    measured_us: float
    predicted_us: float
    error: float
    source: str


class Report(Record):
    """Everything that the validation page and document state; ``tables`` by the keys of TABLES."""

    tables: dict[str, list[ErrorRow]]
    worst: list[WorstPoint]
    inside: float
    """Share of the points of core runs that lie in their bands."""
    runs: int
    points: int
    sources: int

    @property
    def overall(self) -> ErrorRow:
        """All core runs together."""
        return self.tables[ALL][0]


@dataclass(frozen=True)
class Compared:
    """One run with its prediction; arrays have an entry for each message size. ``error`` is ln(predicted ÷ measured)."""

    run: Run
    predicted_us: FloatArray
    low_us: FloatArray
    high_us: FloatArray
    error: FloatArray
    is_inside: Any

    @property
    def busbw_factor(self) -> float:
        """busbw ÷ algbw."""
        return float(BUS_FACTORS[self.run.collective](np.array(self.run.gpus)))


def compare(run: Run, catalog: Catalog, constants: ModelConstants) -> Compared:
    """A run beside the prediction for the same request."""
    columns = system_columns([run.system], catalog, constants)
    points = points_of(columns, np.array([run.gpus]), run.launch, constants)
    sizes = np.array([run.message_bytes], dtype=np.float64)
    times: Times = predict_times(points, sizes, constants, run.collective, run.algorithm, run.protocol)
    predicted, low, high = (s_to_us(column[0]) for column in (times.time_s, times.low_s, times.high_s))
    measured = np.array(run.time_us)
    inside = (low <= measured) & (measured <= high)
    return Compared(run, predicted, low, high, np.log(predicted / measured), inside)


@lru_cache(maxsize=2)
def compared_runs(catalog: Catalog) -> tuple[Compared, ...]:
    """Every carried run beside its prediction."""
    constants = ModelConstants(catalog)
    return tuple(compare(run, catalog, constants) for run in measured_runs())


def error_rows(
    compared: Sequence[Compared], group: Callable[[Compared], str], order: Callable[[str], Any] = str
) -> list[ErrorRow]:
    """Errors by group and size class: points, median and ninth decile of |ln|, share inside the band."""
    found: dict[str, dict[str, list[tuple[float, bool]]]] = {}
    for item in compared:
        by_class = found.setdefault(group(item), {name: [] for name in SIZE_CLASSES})
        for size, error, inside in zip(
            item.run.message_bytes, item.error.tolist(), item.is_inside.tolist(), strict=True
        ):
            by_class[size_class(size)].append((error, inside))
    return [
        ErrorRow(group=name, **{key: _summary(found[name][key]) for key in SIZE_CLASSES})
        for name in sorted(found, key=order)
    ]


def _summary(points: list[tuple[float, bool]]) -> ErrorSummary:
    if not points:
        return ErrorSummary(points=0)
    errors = np.abs([error for error, _ in points])
    return ErrorSummary(
        points=len(points),
        median=float(np.median(errors)),
        nine_in_ten=float(np.quantile(errors, 0.9)),
        inside=float(np.mean([inside for _, inside in points])),
    )


def node_class(n_domains: int) -> str:
    """Runs by how many scale-up domains they span."""
    return (
        "1 domain"
        if n_domains == 1
        else "2 domains"
        if n_domains == 2
        else "3 to 8"
        if n_domains <= 8
        else "9 and more"
    )


def report(catalog: Catalog) -> Report:
    """Everything that the validation page and document state."""
    every = compared_runs(catalog)
    core = [item for item in every if item.run.family == CORE]
    worst = sorted(core, key=lambda item: -float(np.max(np.abs(item.error))))[:N_WORST]
    inside = np.concatenate([item.is_inside for item in core])
    return Report(
        tables={
            ALL: error_rows(core, lambda item: "core"),
            "by_collective": error_rows(core, lambda item: item.run.collective),
            "by_fabric": error_rows(core, lambda item: item.run.fabric),
            "by_domains": error_rows(core, lambda item: node_class(item.run.n_domains)),
            "by_gpu": error_rows(core, lambda item: item.run.gpu),
            "by_family": error_rows(every, lambda item: f"{item.run.family}, {item.run.health}"),
        },
        worst=[_worst_point(item) for item in worst],
        inside=float(inside.mean()),
        runs=len(core),
        points=len(inside),
        sources=len({item.run.source for item in core}),
    )


def _worst_point(item: Compared) -> WorstPoint:
    at = int(np.argmax(np.abs(item.error)))
    return WorstPoint(
        run=item.run.name,
        collective=item.run.collective,
        gpus=item.run.gpus,
        message_bytes=item.run.message_bytes[at],
        measured_us=item.run.time_us[at],
        predicted_us=float(item.predicted_us[at]),
        error=float(item.error[at]),
        source=source_text(item.run.source),
    )


def source_text(source: str) -> str:
    """Title of a source and where it is."""
    return str(sources()[source])


def document(catalog: Catalog) -> str:
    """The text of docs/validation.md."""
    made = report(catalog)
    lines = [
        "# Predictions against published runs",
        "",
        "Written by `python -m estimator.calibration.report`; a test checks that it is what the command writes. The error is",
        "|ln(predicted ÷ measured)|: 0.02 is 2 %, 0.10 is 11 %. Cells: median / nine in ten stay below (points, share inside",
        "the band, which is to hold nine in ten). Core runs are healthy NCCL runs on NVLink machines over InfiniBand, RoCE or",
        f"EFA: {made.runs} runs of {made.sources} sources, {made.points} points, {made.inside:.1%} of them inside "
        "their bands.",
        "The same tables, and a chart of every run, are on the page `/validation/`. How constants were fitted and held out:",
        "[model.md](model.md).",
    ]
    for key, title in TABLES.items():
        lines += ["", f"## {title}", "", *_table(made.tables[key])]
    lines += ["", "## The ten worst core runs", "", *_worst_table(made.worst)]
    lines += ["", "## Where not to trust it", "", *(f"- {words}" for words in NOT_TO_TRUST)]
    lines += ["", "## Sources", "", *(f"- {text}" for text in sources().values())]
    return "\n".join(lines) + "\n"


def _table(rows: Sequence[ErrorRow]) -> list[str]:
    def cell(found: ErrorSummary) -> str:
        if not found.points:
            return "–"
        return f"{found.median:.3f} / {found.nine_in_ten:.3f} ({found.points}, {found.inside:.0%})"

    head = ["| | " + " | ".join(CLASS_LABELS.values()) + " |", "|---|---|---|---|"]
    return head + [f"| {row.group} | " + " | ".join(map(cell, row.cells)) + " |" for row in rows]


def _worst_table(rows: Sequence[WorstPoint]) -> list[str]:
    head = [
        "| run | collective | GPUs | message, B | measured, µs | predicted, µs | ln | source |",
        "|---|---|---|---|---|---|---|---|",
    ]
    return head + [
        f"| {row.run} | {row.collective} | {row.gpus} | {row.message_bytes:,} | {row.measured_us:,.1f} | "
        f"{row.predicted_us:,.1f} | {row.error:+.2f} | {row.source} |"
        for row in rows
    ]


if __name__ == "__main__":
    DOCUMENT.write_text(document(load_catalog()), encoding="utf-8")
