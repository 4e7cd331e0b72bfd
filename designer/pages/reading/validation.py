"""The validation page: predictions against every published run that is carried, their errors, and where not to trust them."""

import re
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from designer.charts.scaling import run_chart
from designer.charts.vega import Chart
from designer.wording.context import Context
from designer.wording.names import COLLECTIVES, NETWORKS
from designer.wording.numbers import in_usual_units, off_by
from designer.wording.query import one_of
from estimator.calibration.held_out import ANY, Compared, Coverage, Unmeasured, coverage, shown_sets
from estimator.calibration.measured import CLASS_LABELS, CORE, SIZE_CLASSES, sources
from estimator.calibration.validation.compared import compared_runs
from estimator.calibration.validation.document import NOT_TO_TRUST, kind_cells
from estimator.calibration.validation.errors import ErrorRow, ErrorSummary
from estimator.calibration.validation.report import ALL, TABLES, Report, report
from estimator.catalog.loader import load_catalog
from estimator.performance.agreement import by_scale, kept

HOLDS = 0.88  # of points inside bands that are to hold 0.9: less than this is said to be too little
MANY_POINTS, WEAKEST = 20, 6
DOMAINS = {"one": "one domain", "several": "several domains"}
FABRICS = {"none": "One domain, no network", **NETWORKS}
_REPOSITORY = re.compile(r"([\w.-]+/[\w.-]+):[\w./*-]")
_ISSUE = re.compile(r"([\w.-]+/[\w.-]+)#(\d+)$")
_PAPER = re.compile(r"arXiv:([\d.]+)$")


@login_required
@require_safe
def validation(request: HttpRequest) -> HttpResponse:
    """Errors in tables, the worst points, one run as a chart, limits in words, sources."""
    catalog = load_catalog()
    runs = {f"{item.run.name}.{item.run.collective}": item for item in compared_runs(catalog)}
    first = max(runs, key=lambda key: _tells_most(runs[key]))
    key = one_of(request.GET.get("run"), [first, *runs])
    source = sources()[runs[key].run.source]
    context = _errors(catalog.version) | {
        "section": "validation",
        "run_key": key,
        "runs": _run_names(catalog.version),
        "chart": _chart(runs[key]),
        "run": runs[key].run,
        "run_source": source,
        "run_source_address": source_address(source.where),
    }
    return render(request, "designer/reading/validation.html", context)


def _tells_most(item: Compared) -> tuple[bool, bool, int]:
    """Core runs over a network before others, the longest of them first."""
    return item.run.family == CORE, item.run.n_domains > 1, len(item.run.message_bytes)


@lru_cache(maxsize=2)
@in_usual_units()  # kept for everybody
def _errors(catalog_version: str) -> Context:
    """Tables of the page; they change with the catalog alone."""
    made = report(load_catalog())
    tables = [
        {
            "key": key,
            "title": title,
            "rows": [line for row in made.tables[key] for line in _lines(_name(row, key), row)],
        }
        for key, title in TABLES.items()
        if key != ALL
    ]
    return {
        "report": made,
        "overall": _lines("", made.overall),
        "held_points": sum(cell.held_points for cell in made.overall.cells),
        "weakest": _weakest(),
        "tables": tables,
        "votes": [
            (CLASS_LABELS[row.size_class], voter, row)
            for voter, rows in (("run", made.by_run), ("operator", made.by_site))
            for row in rows
        ],
        "sets": [(f"Set {number}", cells) for number, cells in enumerate(shown_sets(made.splits), 1)],
        "strangers": [(CLASS_LABELS[row.size_class], row) for row in made.strangers],
        "kinds": kind_rows(made),
        "floored": [(CLASS_LABELS[row.size_class], row) for row in made.floored],
        "league": [
            (
                row.name,
                [
                    (CLASS_LABELS[kind], cell.points, *((one, off_by(one)) for one in (cell.median, cell.nine_in_ten)))
                    for kind, cell in zip(SIZE_CLASSES, row.cells, strict=True)
                ],
            )
            for row in made.league
        ],
        "n_refused": len(made.refused),
        "refused": [
            (
                COLLECTIVES[collective],
                DOMAINS[domains],
                [f"{CLASS_LABELS[row.size_class]} ({'one site' if row.sites else 'no site'})" for row in rows],
            )
            for (collective, domains), rows in groupby(made.refused, key=lambda row: (row.collective, row.domains))
        ],
        "flows": by_scale(),
        "flows_worst": max(abs(one.difference) for one in kept()),
        "flows_most": max(one.case.gpus for one in kept()),
        "flows_count": len({one.case for one in kept()}),
        "worst": [(row, COLLECTIVES[row.collective]) for row in made.worst],
        "not_to_trust": NOT_TO_TRUST,
        "classes": [(name, CLASS_LABELS[name]) for name in SIZE_CLASSES],
        "sources": [(source, source_address(source.where)) for source in sources().values()],
    }


def kind_rows(made: Report) -> list[tuple[str, str, list[Unmeasured | None]]]:
    """Each kind of machine: its name, the collective's, "" of all together, and its cells by size class."""
    networks = FABRICS | {"none": "one domain", ANY: "any network"}
    return [
        (f"{generation.capitalize()}, {networks[fabric]}", COLLECTIVES.get(collective, ""), cells)
        for (generation, fabric, collective), cells in kind_cells(made.kinds).items()
    ]


class Line(NamedTuple):
    """Errors of runs at one size class: how far predictions are off, as shares, and whether bands held."""

    name: str
    sizes: str
    cell: ErrorSummary

    @property
    def holds(self) -> bool:
        """Whether the band holds, of sites that nobody had seen, about what it is to hold."""
        return (self.cell.held_inside or 0.0) >= HOLDS and self.cell.sites > 1

    @property
    def off(self) -> list[tuple[float | str, str]]:
        """What half and nine in ten of the predictions are off by at most: held out, then in sample."""
        cell = self.cell
        errors = (cell.held_median, cell.median, cell.held_nine_in_ten, cell.nine_in_ten)
        return [("", "–") if one is None else (one, off_by(one)) for one in errors]


def _lines(name: str, row: ErrorRow) -> list[Line]:
    """A line for each size class that has points."""
    return [
        Line(name, CLASS_LABELS[kind], cell) for kind, cell in zip(SIZE_CLASSES, row.cells, strict=True) if cell.points
    ]


def _weakest() -> list[tuple[str, Coverage]]:
    """Where bands held least often, worst first, as (what, figures)."""
    some = [one for one in coverage() if one.inside is not None and one.inside < HOLDS and one.points >= MANY_POINTS]
    return [
        (f"{COLLECTIVES[one.collective]}, {DOMAINS[one.domains]}, {CLASS_LABELS[one.size_class]}", one)
        for one in sorted(some, key=lambda one: one.inside or 0.0)[:WEAKEST]
    ]


def _name(row: ErrorRow, table: str) -> str:
    gpus = {key: gpu.model for key, gpu in load_catalog().gpus.items()}
    names: dict[str, dict[str, str]] = {"by_collective": COLLECTIVES, "by_fabric": FABRICS, "by_gpu": gpus}
    return names.get(table, {}).get(row.group, row.group)


@lru_cache(maxsize=2)
@in_usual_units()  # kept for everybody
def _run_names(catalog_version: str) -> list[tuple[str, str]]:
    """Every run as (key, words), in the order of the table."""
    return [
        (
            f"{item.run.name}.{item.run.collective}",
            f"{item.run.name}: {COLLECTIVES[item.run.collective].lower()}, {item.run.gpus} GPUs",
        )
        for item in compared_runs(load_catalog())
    ]


def _chart(item: Compared) -> Chart:
    bounds = list(zip(item.predicted_us.tolist(), item.low_us.tolist(), item.high_us.tolist(), strict=True))
    return run_chart(item.run, item.run.message_bytes, bounds, item.busbw_factor)


def source_address(where: str) -> str:
    """Address of a source's place: a repository, an issue or a paper; "" for anything else."""
    if found := _ISSUE.fullmatch(where):
        return f"https://github.com/{found[1]}/issues/{found[2]}"
    if found := _PAPER.fullmatch(where):
        return f"https://arxiv.org/abs/{found[1]}"
    if found := _REPOSITORY.match(where):
        return f"https://github.com/{found[1]}"
    return ""
