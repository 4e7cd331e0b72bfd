"""Predicted against measured, for every run that is carried: the errors that pages and documents state.

``python -m estimator.calibration.report`` writes docs/validation.md again; a test holds the document to the model.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from estimator.calibration.bands import FLOOR_BYTES, band_values, is_run_uncertain, residuals_of, sites_of
from estimator.calibration.global_fit import (
    FAMILY_WEIGHTS,
    FOLDS,
    batches_of,
    folds_of,
    predicted_without,
    read_folds,
)
from estimator.calibration.held_out import (
    ANY,
    SHOWN_SETS,
    Compared,
    Coverage,
    Floored,
    FlooredErrors,
    NeverSeen,
    Strangers,
    Unmeasured,
    VotedErrors,
    floored_errors,
    left_out,
    shown_sets,
    strangers,
    voted_errors,
    write_coverage,
)
from estimator.calibration.league import Rival, league
from estimator.calibration.measured import CORE, SIZE_CLASSES, Run, measured_runs, size_class, sources
from estimator.catalog.catalog import Catalog
from estimator.catalog.constants import ModelConstants
from estimator.catalog.loader import load_catalog
from estimator.performance.agreement import by_scale, kept
from estimator.performance.algorithms import floor_ratios
from estimator.performance.bands import DOMAINS, LEAST_SITES
from estimator.performance.bandwidth import points_of
from estimator.performance.collectives import COLLECTIVES
from estimator.performance.times import predict_times
from estimator.ranges import Range
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
    "1 to 64 MiB, where the library changes algorithm and protocol: real curves dip by up to 40 % around a switch, at other "
    "sizes with every version. One point in ten is out by half.",
    "Below 1 MiB: the floor is the host's and the launcher's. Eight H100 take 13 µs at one provider and over 40 µs at another. "
    "Give a measured floor, or calibrate.",
    "Send-receive over a network: versions of the library open other numbers of channels. Without a version two nodes may have "
    "34 or 44 GB/s, and eight 17 or 26.",
    "One point a run for GB200 and GB300 over several racks, one provider each; no run at all of XDR or 800 Gb/s between nodes, "
    "and none of Rubin, which is taken as Blackwell.",
    "AMD is met in bandwidth of large messages; small and middle ones can take two to four times as long, by set-up of RCCL.",
    "Slingshot: one operator each for A100 and GH200. Alps is 7 to 16 % faster than predicted from 512 MiB on, and on 32 "
    "domains takes up to half longer at 64 to 256 MiB; smaller messages can take two to four times as long, by set-up of "
    "libfabric.",
    "PCIe-only hosts, bridges, V100 and virtual machines (family other): a guess of the right size, often out by half.",
    "Oversubscription, random placement, ECMP, failed links and lossy Ethernet follow from geometry and published claims: no run "
    "that is carried measures them, so their bands are wider and they are never marked as measured.",
    "In-network reduction that fails to start runs at the ring's rate without a word: the band reaches that far.",
    "Machines with a fault (health problem) are slower than predicted by 2 to 15 times. That is the point of a prediction.",
    "More than 64 domains, and other jobs on the same fabric: extrapolated, or left out.",
)


class ErrorSummary(Record):
    """Errors of some points, |ln(predicted ÷ measured)|, in sample and held out by site; None where there is no point."""

    points: int
    median: float | None = None
    nine_in_ten: float | None = None
    inside: float | None = None
    """Share of the points that lie in their bands."""
    sites: int = 0
    """Operators that the points are of."""
    width: float | None = None
    """Median of a band's upper end ÷ its lower end."""
    held_points: int = 0
    """Points of which another site speaks too: what held-out errors are stated of."""
    held_median: float | None = None
    held_nine_in_ten: float | None = None
    held_inside: float | None = None


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
    reason: str


class Refused(Record):
    """A cell of which fewer than two sites speak: predictions of it are never marked as measured."""

    collective: str
    domains: str
    size_class: str
    sites: int


class Report(Record):
    """Everything that the validation page and document state; ``tables`` by the keys of TABLES."""

    tables: dict[str, list[ErrorRow]]
    worst: list[WorstPoint]
    league: list[Rival]
    """Other ways to predict, on the same rows."""
    refused: list[Refused]
    floored: list[FlooredErrors]
    """Errors with a site's own floor given, by size class."""
    by_run: list[VotedErrors]
    """Held-out errors with one vote a run."""
    by_site: list[VotedErrors]
    """Held-out errors with one vote an operator."""
    strangers: list[Strangers]
    """What sets of operators find that no part of the procedure saw, by size class."""
    splits: list[NeverSeen]
    """The page's figures of two thirds of the operators beside those of the third, by split."""
    kinds: list[Unmeasured]
    """GPU generations on networks, predicted without any run of them."""
    inside: float
    """Share of the points of core runs that lie in their bands."""
    held_inside: float
    """The same with constants and bands of other sites."""
    runs: int
    points: int
    sources: int
    sites: int

    @property
    def overall(self) -> ErrorRow:
        """All core runs together."""
        return self.tables[ALL][0]


class Found(NamedTuple):
    predicted_us: FloatArray
    low_us: FloatArray
    high_us: FloatArray
    error: FloatArray
    is_inside: Any


def predicted_runs(runs: Sequence[Run], catalog: Catalog, constants: ModelConstants) -> dict[tuple[str, str], Found]:
    """Predictions of runs by name and collective, one call a group."""
    out: dict[tuple[str, str], Found] = {}
    for batch in batches_of(runs, catalog):
        first = batch.runs[0]
        points = points_of(batch.columns, batch.n_ranks, first.launch, constants)
        way = first.collective, first.algorithm, first.protocol
        floors = floor_ratios(points, constants, *way)
        times = predict_times(points, batch.message_bytes, constants, *way, floors)
        for i, run in enumerate(batch.runs):
            n, measured = len(run.time_us), np.array(run.time_us)
            us = [s_to_us(column[i, :n]) for column in (times.time_s, times.low_s, times.high_s)]
            inside = (us[1] <= measured) & (measured <= us[2])
            out[run.name, run.collective] = Found(us[0], us[1], us[2], np.log(us[0] / measured), inside)
    return out


@lru_cache(maxsize=2)
def compared_runs(catalog: Catalog) -> tuple[Compared, ...]:
    """Every carried run beside its prediction, in sample and by the fit that its site has no part in."""
    runs, constants = measured_runs(), ModelConstants(catalog)
    fitted = [run for run in runs if FAMILY_WEIGHTS.get(run.family)]
    found = predicted_runs(runs, catalog, constants)
    held, floored = held_by_site(fitted, read_folds(FOLDS), catalog, constants)
    sites = sites_of(fitted)
    out = []
    for run in runs:
        one = found[run.name, run.collective]
        without = held.get((run.name, run.collective), one)  # what no fit has seen is held out as it is
        told = [
            bool(sites.get((DOMAINS[run.n_domains > 1], size_class(size), run.collective), set()) - {run.site})
            for size in run.message_bytes
        ]
        with_floor = _floored(run, floored.get((run.name, run.collective)), np.array(told))
        out.append(Compared(run, *one, without.error, without.is_inside, np.array(told), with_floor))
    return tuple(out)


def _floored(run: Run, found: Found | None, is_told: Any) -> Floored | None:
    if found is None:
        return None
    beyond = np.array(run.message_bytes) > FLOOR_BYTES
    return Floored(found.error, found.is_inside, beyond & is_told)


def with_floor(run: Run) -> Run | None:
    """The run on a system whose floor is given: the median of its own short messages; None where it has none."""
    short = [time_us for size, time_us in zip(run.message_bytes, run.time_us, strict=True) if size <= FLOOR_BYTES]
    if not short:
        return None
    floor = {"small_message_us": float(np.median(short)), "small_message_gpus": run.gpus}
    return replace(run, system=run.system | floor)


FoundBy = dict[tuple[str, str], Found]


def held_by_site(
    runs: Sequence[Run], folds: Sequence[dict[tuple[str, str], float]], catalog: Catalog, constants: ModelConstants
) -> tuple[FoundBy, FoundBy]:
    """Predictions of fitted runs with constants and bands that their site has no part in, and those with floors given."""
    fold_of = folds_of(runs)
    tested = predicted_without(runs, folds, catalog)
    residuals = residuals_of(tested.runs, tested.error, tested.host_share, constants)
    every = band_values(residuals)
    out: FoundBy = {}
    floored: FoundBy = {}
    for fold, values in enumerate(folds):
        others = band_values([one for one in residuals if fold_of[one.run.site] != fold])
        pooled = pooled_bands(every, others)
        of_fold = [run for run in runs if fold_of[run.site] == fold]
        without = constants.replaced(values | others | pooled)
        out |= predicted_runs(of_fold, catalog, without)
        floored |= predicted_runs([given for run in of_fold if (given := with_floor(run))], catalog, without)
    return out, floored


def pooled_bands(keys: Iterable[tuple[str, str]], known: dict[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """Of the cells that nothing known speaks of, the bands of all collectives of their domains and size class."""
    pools = {(name, index): (name, ".".join(index.split(".")[:2])) for name, index in keys}
    return {key: known[pool] for key, pool in pools.items() if key not in known and pool in known}


def error_rows(
    compared: Sequence[Compared], group: Callable[[Compared], str], order: Callable[[str], Any] = str
) -> list[ErrorRow]:
    """Errors by group and size class: points, median and ninth decile of |ln|, share inside the band, sites."""
    found: dict[str, dict[str, list[tuple[Compared, int]]]] = {}
    for item in compared:
        by_class = found.setdefault(group(item), {name: [] for name in SIZE_CLASSES})
        for i, size in enumerate(item.run.message_bytes):
            by_class[size_class(size)].append((item, i))
    return [
        ErrorRow(group=name, **{key: _summary(found[name][key]) for key in SIZE_CLASSES})
        for name in sorted(found, key=order)
    ]


def _summary(points: list[tuple[Compared, int]]) -> ErrorSummary:
    if not points:
        return ErrorSummary(points=0)
    errors = np.abs([item.error[i] for item, i in points])
    told = [(item, i) for item, i in points if item.is_told[i]]
    held = np.abs([item.held_error[i] for item, i in told])
    return ErrorSummary(
        points=len(points),
        median=float(np.median(errors)),
        nine_in_ten=float(np.quantile(errors, 0.9)),
        inside=float(np.mean([item.is_inside[i] for item, i in points])),
        sites=len({item.run.site for item, _ in points}),
        width=float(np.median([item.high_us[i] / item.low_us[i] for item, i in points])),
        held_points=len(told),
        held_median=float(np.median(held)) if told else None,
        held_nine_in_ten=float(np.quantile(held, 0.9)) if told else None,
        held_inside=float(np.mean([item.held_inside[i] for item, i in told])) if told else None,
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
    overall = error_rows(core, lambda item: "core")
    held = {
        kind: (cell.held_median, cell.held_nine_in_ten)
        for kind, cell in zip(SIZE_CLASSES, overall[0].cells, strict=True)
        if cell.held_median is not None and cell.held_nine_in_ten is not None
    }
    worst = sorted(core, key=lambda item: -float(np.max(np.abs(item.error))))[:N_WORST]
    inside = np.concatenate([item.is_inside for item in core])
    held_inside = np.concatenate([item.held_inside[item.is_told] for item in core])
    return Report(
        tables={
            ALL: overall,
            "by_collective": error_rows(core, lambda item: item.run.collective),
            "by_fabric": error_rows(core, lambda item: item.run.fabric),
            "by_domains": error_rows(core, lambda item: node_class(item.run.n_domains)),
            "by_gpu": error_rows(core, lambda item: item.run.gpu),
            "by_family": error_rows(every, lambda item: f"{item.run.family}, {item.run.health}"),
        },
        worst=[_worst_point(item, ModelConstants(catalog)) for item in worst],
        league=league([(item.run, item.held_error, item.is_told) for item in core], catalog),
        refused=_refused([item.run for item in core]),
        floored=floored_errors(core),
        by_run=voted_errors(core, lambda run: (run.name, run.collective)),
        by_site=voted_errors(core, lambda run: run.site),
        strangers=strangers(left_out().splits, held),
        splits=left_out().splits,
        kinds=left_out().kinds,
        inside=float(inside.mean()),
        held_inside=float(held_inside.mean()),
        runs=len(core),
        points=len(inside),
        sources=len({item.run.source for item in core}),
        sites=len({item.run.site for item in core}),
    )


def _refused(runs: Sequence[Run]) -> list[Refused]:
    """Cells that fewer than two sites speak of."""
    sites = sites_of(runs)
    return [
        Refused(collective=collective, domains=domains, size_class=kind, sites=n_sites)
        for collective in COLLECTIVES
        for domains in DOMAINS
        for kind in SIZE_CLASSES
        if (n_sites := len(sites.get((domains, kind, collective), ()))) < LEAST_SITES
    ]


def coverage_rows(catalog: Catalog) -> list[Coverage]:
    """What designs say of their bands: held out, core runs, by collective, domains and size class."""
    core = [item for item in compared_runs(catalog) if item.run.family == CORE]
    out = []
    for collective in COLLECTIVES:
        for several, domains in enumerate(DOMAINS):
            alike = [one for one in core if (one.run.collective, one.run.n_domains > 1) == (collective, bool(several))]
            cells = error_rows(alike, lambda _: "")[0].cells if alike else [ErrorSummary(points=0)] * len(SIZE_CLASSES)
            out += [
                Coverage(collective, domains, kind, cell.sites, cell.held_points, cell.held_inside)
                for kind, cell in zip(SIZE_CLASSES, cells, strict=True)
            ]
    return out


def reason(run: Run, message_bytes: int, error: float, constants: ModelConstants) -> str:
    """Why a run may lie far from its prediction, as far as its kind, its size and its library say."""
    kind = size_class(message_bytes)
    if run.collective == "sendrecv":
        return "channels of a pair open by size, and by library and settings over a network"
    if is_run_uncertain(run, constants):
        return "a ring ran where a tree is predicted, or the reverse: the band has both"
    if run.fabric == "efa":
        return "EFA's plugin and its version"
    if kind == "small":
        return "floor of the site's hosts and launcher" if error < 0 else "a site with less of a floor than most"
    if kind == "mid":
        return "the library changes algorithm and protocol about this size"
    return "not known; the band is to leave one in ten outside"


def _worst_point(item: Compared, constants: ModelConstants) -> WorstPoint:
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
        reason=reason(item.run, item.run.message_bytes[at], float(item.error[at]), constants),
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
        "|ln(predicted ÷ measured)|: 0.02 is 2 %, 0.10 is 11 %. Core runs are healthy NCCL runs on NVLink machines over",
        f"InfiniBand, RoCE or EFA: {made.runs} runs of {made.sources} sources and {made.sites} sites, {made.points} points.",
        f"In sample {made.inside:.1%} of them lie inside their bands, with constants and bands of other sites",
        f"{made.held_inside:.1%}.",
        "",
        "## What sites that nobody here has seen find",
        "",
        *_stranger_lines(made.strangers),
        "",
        "## Held out, and in sample",
        "",
        "Cells: *held out* median / nine in ten stay below (share inside the band; points), then *in sample* the same, the",
        "number of sites, and the median width of the bands, their upper over their lower end. Held out: constants and bands",
        "are fitted without the operator who ran the machines, under whatever titles it published; only points of which",
        "another site speaks are counted. The same tables, and a chart of every run, are on the page `/validation/`. How",
        "constants were fitted: [model.md](model.md). `python -m estimator.calibration.global_fit --write` fits all of it again",
        "from the carried runs, in under three minutes of one processor.",
    ]
    for key, title in TABLES.items():
        lines += ["", f"## {title}", "", *_table(made.tables[key])]
    lines += ["", "## One vote a run, or an operator", "", *_vote_lines({"run": made.by_run, "operator": made.by_site})]
    lines += ["", "## Operators that no part of this saw", "", *_split_lines(made.splits)]
    lines += ["", "## Machines that nobody measured", "", *_kind_lines(made.kinds)]
    lines += ["", "## With a measured floor", "", *_floored_lines(made.floored)]
    lines += ["", "## Against other ways to predict", "", *_league_table(made.league)]
    lines += ["", "## Uplinks, against a flow solver", "", *_uplink_lines()]
    lines += ["", "## What is never marked as measured", "", *_refused_lines(made.refused)]
    lines += ["", "## The ten worst core runs", "", *_worst_table(made.worst)]
    lines += ["", "## Where not to trust it", "", *(f"- {words}" for words in NOT_TO_TRUST)]
    lines += ["", "## Sources", "", *(f"- {text}" for text in sources().values())]
    return "\n".join(lines) + "\n"


def _table(rows: Sequence[ErrorRow]) -> list[str]:
    def cell(found: ErrorSummary) -> str:
        if not found.points:
            return "–"
        held = (
            f"{found.held_median:.3f} / {found.held_nine_in_ten:.3f} ({found.held_inside:.0%}; {found.held_points})"
            if found.held_points
            else "no other site"
        )
        own = f"{found.median:.3f} / {found.nine_in_ten:.3f} ({found.inside:.0%}; {found.points})"
        return f"{held}, {own}, {found.sites} sites, × {found.width:.2f}"

    head = ["| | " + " | ".join(CLASS_LABELS.values()) + " |", "|---|---|---|---|"]
    return head + [f"| {row.group} | " + " | ".join(map(cell, row.cells)) + " |" for row in rows]


def _league_table(rows: Sequence[Rival]) -> list[str]:
    head = ["| | " + " | ".join(CLASS_LABELS.values()) + " |", "|---|---|---|---|"]
    return head + [
        f"| {row.name} | "
        + " | ".join(f"{one.median:.3f} / {one.nine_in_ten:.3f} ({one.points})" for one in row.cells)
        + " |"
        for row in rows
    ]


def _vote_lines(votes: dict[str, list[VotedErrors]]) -> list[str]:
    return [
        "Held out, core runs; the median error of each run or operator, and the mean over them of the share inside the bands.",
        "",
        "| | one vote a | votes | median | nine in ten | inside the band |",
        "|---|---|---|---|---|---|",
        *(
            f"| {CLASS_LABELS[row.size_class]} | {voter} | {row.voters} | {row.median:.3f} | {row.nine_in_ten:.3f} | "
            f"{row.inside:.0%} |"
            for voter, rows in votes.items()
            for row in rows
        ),
    ]


def _stranger_lines(rows: Sequence[Strangers]) -> list[str]:
    def figure(one: Range[float]) -> str:
        return f"{one.typical:.3f} ({one.low:.3f} to {one.high:.3f})"

    def share(one: Range[float]) -> str:
        return f"{one.typical:.0%} ({one.low:.0%} to {one.high:.0%})"

    def off(one: Range[float]) -> str:
        return f"{one.typical - 1:+.0%} ({one.low - 1:+.0%} to {one.high - 1:+.0%})"

    return [
        "A typical set of operators, and within what eight sets in ten lie. Sets of a third of the operators were left out of",
        "all of it, fit, folds, bands and the figures of this page, and compared with what a page of all others said: the errors",
        "are those held out by operator, times how far the sets were off such a page. They are the errors to expect of machines",
        "that nobody here has seen, and the spread is wide: below 64 MiB floors of hosts and launchers, and versions of the",
        "library, are an operator's own, and a set has only a few operators.",
        "",
        "| | half are off by less than | nine in ten by less than | inside the band | sets; operators, points of one |",
        "|---|---|---|---|---|",
        *(
            f"| {CLASS_LABELS[row.size_class]} | {figure(row.median)} | {figure(row.nine_in_ten)} | {share(row.inside)} | "
            f"{row.sets}; {row.sites}, {row.points} |"
            for row in rows
        ),
        "",
        "Sets against what a page of all others said, typical and eight in ten:",
        "",
        *(
            f"- {CLASS_LABELS[row.size_class]}: {off(row.ratio)}, and {row.ratio_by_points - 1:+.0%} weighed by "
            f"points; {row.within_a_fifth:.0%} of sets within a fifth; what nine in ten stay below: {off(row.nine_in_ten_ratio)}."
            for row in rows
        ),
    ]


def _split_lines(rows: Sequence[NeverSeen]) -> list[str]:
    def cell(row: NeverSeen | None) -> str:
        if row is None:
            return "–"
        page = f"{row.page_median:.3f} / {row.page_nine_in_ten:.3f} ({row.page_inside:.0%})"
        return f"{page} → {row.median:.3f} / {row.nine_in_ten:.3f} ({row.inside:.0%}; {row.points}), × {row.width:.2f}"

    return [
        f"The first {SHOWN_SETS} sets one by one. Cells: what a page of all others then says, median / nine in ten (share",
        "inside the band) → what the set finds (points), and the median width of its bands. Not held out are the form",
        "of the terms, where fits start and are bound, and the share of votes that bands leave outside. The statistic was chosen",
        "on other draws of the same operators, and half of these sets were drawn once all was settled; draws overlap, as there",
        "are few operators. `python -m estimator.calibration.never_seen` does it again.",
        "",
        "| | " + " | ".join(CLASS_LABELS.values()) + " |",
        "|---|---|---|---|",
        *(
            f"| set {number} | " + " | ".join(map(cell, cells)) + " |"
            for number, cells in enumerate(shown_sets(rows), 1)
        ),
    ]


def kind_cells(rows: Sequence[Unmeasured]) -> dict[tuple[str, str, str], list[Unmeasured | None]]:
    """By GPU generation, network and collective, in the order of SIZE_CLASSES."""
    found = {(row.generation, row.fabric, row.collective, row.size_class): row for row in rows}
    keys = dict.fromkeys((row.generation, row.fabric, row.collective) for row in rows)
    return {key: [found.get((*key, kind)) for kind in SIZE_CLASSES] for key in keys}


def _kind_lines(rows: Sequence[Unmeasured]) -> list[str]:
    def cell(row: Unmeasured | None) -> str:
        if row is None:
            return "–"
        return f"{row.median:.3f} / {row.nine_in_ten:.3f} ({row.inside:.0%}; {row.points}), × {row.width:.2f}"

    return [
        "A GPU generation on a network, or a generation on any, predicted by a fit without any run of it: what is of it alone",
        "is taken from its neighbour, and nothing is marked as measured, so that bands are wider. Cells: median / nine in ten",
        "(share inside the band; points), and the median width of the bands.",
        "",
        "| | " + " | ".join(CLASS_LABELS.values()) + " |",
        "|---|---|---|---|",
        *(
            f"| {generation}, {fabric}{'' if collective == ANY else f': {collective}'} | {' | '.join(map(cell, cells))} |"
            for (generation, fabric, collective), cells in kind_cells(rows).items()
        ),
    ]


def _floored_lines(rows: Sequence[FlooredErrors]) -> list[str]:
    return [
        "Held out, of sizes beyond 1 KiB of runs that have shorter ones, with the median time of those given as",
        "`small_message_us`, and without it:",
        "",
        "| | with it | without it | inside the band |",
        "|---|---|---|---|",
        *(
            f"| {CLASS_LABELS[row.size_class]} | {row.median:.3f} / {row.nine_in_ten:.3f} ({row.points}) | "
            f"{row.without_median:.3f} / {row.without_nine_in_ten:.3f} | {row.inside:.0%} |"
            for row in rows
        ),
    ]


def _uplink_lines() -> list[str]:
    fabrics = len({one.case for one in kept()})
    return [
        "No run is published of oversubscribed fabrics, of scattered ranks or of 4,096 GPUs and more. What the model leaves of",
        f"the NICs' rate is compared with max-min fair flows over the links of {fabrics} fabrics that are wired here: leaves",
        "of 1:1 to 8:1, spines of 1:1 to 4:1, two and three tiers, by rail and top of rack, planes, links of two rates, leaves",
        "and pods that are not all alike, failed spines; rings in random order, at the mean time over many orders.",
        "",
        "| pattern | GPUs | fabrics | median difference | largest | of |",
        "|---|---|---|---|---|---|",
        *(
            f"| {row.pattern} | {row.gpus} | {row.fabrics} | {row.middle:.1%} | {row.worst:.1%} | {row.worst_case.words} |"
            for row in by_scale()
        ),
        "",
        "The solver is exact for what it solves: flows between the same two leaves are one class, spines and cores that can be",
        "swapped are one, and rates are those of filling all flows at once (a test compares it with flow by flow on random",
        "fabrics, to 1e-9). What it takes as given: one rail stands for all, as rails share no link; ports of a leaf are alike;",
        "and a leaf's traffic is spread by its own links at either end, as routing that sees congestion everywhere can. Routing",
        "that only sees its own uplinks gets less where leaves have unequal numbers of links to spines, and hashed flows do too.",
        "`python -m estimator.flows.check` solves all of it again in under a minute and a gigabyte.",
    ]


def _refused_lines(rows: Sequence[Refused]) -> list[str]:
    """By collective and domains, with the size classes that fewer than two sites speak of."""
    by: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        words = {0: "no site", 1: "one site"}[row.sites]
        by.setdefault((row.collective, row.domains), []).append(f"{CLASS_LABELS[row.size_class]} ({words})")
    return [
        f"- {collective}, {'one domain' if domains == 'one' else 'several domains'}: {', '.join(kinds)}"
        for (collective, domains), kinds in by.items()
    ]


def _worst_table(rows: Sequence[WorstPoint]) -> list[str]:
    head = [
        "| run | collective | GPUs | message, B | measured, µs | predicted, µs | ln | may be | source |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    return head + [
        f"| {row.run} | {row.collective} | {row.gpus} | {row.message_bytes:,} | {row.measured_us:,.1f} | "
        f"{row.predicted_us:,.1f} | {row.error:+.2f} | {row.reason} | {row.source} |"
        for row in rows
    ]


if __name__ == "__main__":
    write_coverage(coverage_rows(load_catalog()))
    DOCUMENT.write_text(document(load_catalog()), encoding="utf-8")
