"""Everything that the validation page and document state."""

from collections.abc import Sequence

import numpy as np

from estimator.calibration.bands import sites_of
from estimator.calibration.held_out import (
    FlooredErrors,
    NeverSeen,
    Strangers,
    Unmeasured,
    VotedErrors,
    floored_errors,
    left_out,
    strangers,
    voted_errors,
)
from estimator.calibration.league import Rival, league
from estimator.calibration.measured import CORE, SIZE_CLASSES, Run
from estimator.calibration.validation.compared import compared_runs
from estimator.calibration.validation.errors import ErrorRow, error_rows
from estimator.calibration.validation.worst import WorstPoint, worst_points
from estimator.catalog.catalog import Catalog
from estimator.catalog.constants import ModelConstants
from estimator.performance.bands import DOMAINS, LEAST_SITES
from estimator.performance.collectives import COLLECTIVES
from estimator.record import Record

ALL = "all"
TABLES = {
    ALL: "All core runs",
    "by_collective": "By collective",
    "by_domains": "By scale-up domains",
    "by_fabric": "By network",
    "by_gpu": "By GPU",
    "by_family": "By family and health",
}


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
        worst=worst_points(core, ModelConstants(catalog)),
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


def node_class(n_domains: int) -> str:
    """Runs by how many scale-up domains they span."""
    if n_domains <= 2:
        return "1 domain" if n_domains == 1 else "2 domains"
    return "3 to 8" if n_domains <= 8 else "9 and more"


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
