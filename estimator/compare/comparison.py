"""Two to eight designs, offers or price books side by side, one of them the baseline. docs/comparison.md has the rules.

``compare_request`` is the one way in for the command line, the API and pages: it checks the request, estimates all designs
in one batch and compares them. ``compare`` compares estimates that are there already.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from estimator.bom.lines import CABLE, CATEGORIES, FIBER, MODULE, NIC, SERVERS, SWITCH
from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import COMPUTE
from estimator.compare.figures import Side, busbw, compared_figure, differ_in_size, figures_of
from estimator.compare.kept import Kept, KeptAllReduce, kept_of
from estimator.compare.lines import DESIGN, OFFER, Basis, aligned, lines_of, row_of, total_cents
from estimator.compare.request import LEAST, MOST, ComparisonRequest, Item, Offer
from estimator.compare.result import (
    CommonVersions,
    ComparedCurve,
    ComparedCurves,
    ComparedItem,
    ComparisonResult,
    Spend,
    SpendParts,
)
from estimator.compare.scope import scope_of, totals_of
from estimator.compare.verdicts import Verdicts
from estimator.compare.words import not_comparable, summary_of
from estimator.designs.networks import sized_fabrics
from estimator.designs.parts import catalog_of
from estimator.errors import EstimatorError, InfeasibleDesign, Problem, SpecError
from estimator.pipeline import estimate
from estimator.ranges import Range
from estimator.result import PricedEstimate
from estimator.spec.checking import validated
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec

PARTS = (
    "counts",
    "cables",
    "bom",
    "cost",
    "percentiles",
    "performance",
    "failures",
)  # growth and draws would say nothing here
WHAT = "a comparison"


@dataclass(frozen=True)
class Prepared:
    """A checked request with everything that a comparison is made of."""

    sides: list[Kept | Offer]
    labels: list[str]
    notes: list[list[str]]
    baseline: int

    def compared(self) -> ComparisonResult:
        """The comparison."""
        return compare(self.sides, self.labels, self.baseline, self.notes)


def prepare(values: Any, catalog: Catalog, known: Mapping[int, Kept] | None = None) -> Prepared:
    """Check a request and estimate its designs, all in one batch.

    Parameters
    ----------
    known : what was kept of estimates, by the position of the item that they are of; the specs of those are not read.

    Raises
    ------
    SpecError
        With every problem of the request and of its specs, fields such as ``items[1].spec.compute.nodes``.
    InfeasibleDesign
        With those of every design that cannot be built.
    """
    known = known or {}
    asked, problems = validated(ComparisonRequest, values, WHAT)
    if asked is None or problems:
        raise SpecError(problems)
    if asked.baseline >= len(asked.items):
        message = f"There are {len(asked.items)} items, counted from 0, and {asked.baseline} was named as the baseline."
        problems.append(Problem("baseline", "out_of_range", message))
    specs = [None if i in known else _spec_of(item, i, catalog, problems) for i, item in enumerate(asked.items)]
    if problems:
        raise SpecError(problems)
    made = iter(estimates_of(specs, catalog))
    sides = [item.offer or known.get(i) or kept_of(next(made)) for i, item in enumerate(asked.items)]
    labels = [
        item.label or (side.spec.name if isinstance(side, Kept) else "Offer")
        for item, side in zip(asked.items, sides, strict=True)
    ]
    return Prepared(sides, _unique(labels), [item.notes for item in asked.items], asked.baseline)


def _spec_of(item: Item, at: int, catalog: Catalog, problems: list[Problem]) -> DesignSpec | None:
    """The spec of one item; None for an offer, and for what is wrong, which is then a problem."""
    if (item.spec is None) == (item.offer is None):
        problems.append(Problem(f"items[{at}]", "spec_or_offer", "Give a spec or an offer, one of them."))
        return None
    try:
        return None if item.spec is None else parse_spec(item.spec, catalog)
    except SpecError as error:
        problems += _placed(error, at)
        return None


def _placed(error: EstimatorError, at: int) -> list[Problem]:
    """Problems of one side's spec under their place in the request; a change would not fit there."""
    return [problem.inside(f"items[{at}].spec") for problem in error.problems]


def compare_request(values: Any, catalog: Catalog) -> ComparisonResult:
    """Compare what a request ``{"items": [{"spec"} or {"offer"}, …], "baseline": 0}`` names.

    Raises
    ------
    SpecError, InfeasibleDesign
        With the problems of every side.
    """
    return prepare(values, catalog).compared()


def estimates_of(specs: Sequence[DesignSpec | None], catalog: Catalog) -> tuple[PricedEstimate, ...]:
    """All designs in one batch.

    Raises
    ------
    InfeasibleDesign
        With the place of each design that cannot be built.
    """
    designs = [spec for spec in specs if spec is not None]
    if not designs:
        return ()
    try:
        return tuple(PricedEstimate.of(made) for made in estimate(designs, catalog, PARTS))
    except InfeasibleDesign:
        problems = [problem for at, spec in enumerate(specs) if spec for problem in _infeasible(spec, at, catalog)]
        raise InfeasibleDesign(problems) from None


def _infeasible(spec: DesignSpec, at: int, catalog: Catalog) -> list[Problem]:
    try:
        sized_fabrics([spec], catalog_of(spec, catalog))
    except InfeasibleDesign as error:
        return _placed(error, at)
    return []


def compare(
    given: Sequence[PricedEstimate | Kept | Offer],
    labels: Sequence[str],
    baseline: int = 0,
    notes: Sequence[Sequence[str]] = (),
) -> ComparisonResult:
    """Align bills of materials and figures of designs and offers, and say in words how each differs from the baseline.

    Parameters
    ----------
    given : Estimates, what was kept of them, offers.
    labels : what each is called; made unique.
    notes : what to tell of each, in words.

    Raises
    ------
    ValueError
        If there are not two to eight, or the baseline is none of them.
    """
    if not LEAST <= len(given) <= MOST or len(labels) != len(given) or not 0 <= baseline < len(given):
        raise ValueError(f"{LEAST} to {MOST} sides, a label each, and one of them the baseline")
    sides = [side_of(one, label) for one, label in zip(given, _unique(labels), strict=True)]
    names, kinds = [side.label for side in sides], [side.kind for side in sides]
    sizes = tuple(side.gpus for side in sides) if differ_in_size(sides) else ()
    basis = Basis(baseline, sizes, OFFER in kinds)
    rows = aligned([side.lines for side in sides])
    scope = scope_of(rows, kinds, names)
    totals = totals_of(rows, scope.left_out, baseline)
    sides = [replace(side, lacks=lacks) for side, lacks in zip(sides, scope.lacks, strict=True)]
    verdicts = Verdicts([side.estimate for side in sides])
    figures = [compared_figure(figure, sides, baseline, verdicts) for figure in figures_of(sides)]
    items = [_item(side, list(notes[i]) if i < len(notes) else []) for i, side in enumerate(sides)]
    predicted = [max(side.all_reduce.gpus) if side.all_reduce else None for side in sides]
    return ComparisonResult(
        versions=_versions(sides),
        baseline=baseline,
        items=items,
        is_per_gpu=bool(sizes),
        summary=[
            summary_of(i, baseline, items, figures, totals, predicted, verdicts)
            for i in range(len(sides))
            if i != baseline
        ],
        not_comparable=not_comparable(figures, items, totals),
        figures=figures,
        rows=[row_of(key, row, basis, key not in scope.left_out) for key, row in rows.items()],
        totals=totals,
        spend=[_spend(side) for side in sides],
        busbw=_curves(sides),
    )


def side_of(one: PricedEstimate | Kept | Offer, label: str) -> Side:
    """A design or an offer as figures are read from it."""
    if isinstance(one, Offer):
        return Side(label, OFFER, lines_of(one.lines), None, one.gpus)
    made = one if isinstance(one, Kept) else kept_of(one)
    return Side(label, DESIGN, lines_of(made.bom.lines), made, made.fabrics[COMPUTE].counts.gpus)


def _unique(labels: Sequence[str]) -> list[str]:
    """Labels with a number behind those that stand there twice."""
    out: list[str] = []
    for label in labels:
        n, name = 1, label
        while name in out:
            n += 1
            name = f"{label} ({n})"
        out.append(name)
    return out


def _versions(sides: Sequence[Side]) -> CommonVersions:
    """Those of all designs; None where they differ, or where there are offers alone."""
    found = [side.estimate.versions for side in sides if side.estimate]
    models, catalogs = {one.model for one in found}, {one.catalog for one in found}
    return CommonVersions(
        model=models.pop() if len(models) == 1 else None, catalog=catalogs.pop() if len(catalogs) == 1 else None
    )


def _item(side: Side, notes: list[str]) -> ComparedItem:
    """What a side is, for the head of its column."""
    made, compute = side.estimate, side.network
    prices = made.spec.economics.prices if made else None
    severities = [finding.severity for finding in made.findings] if made else []
    return ComparedItem(
        label=side.label,
        kind=side.kind,
        gpus=side.gpus,
        nodes=compute.counts.nodes if compute else None,
        server=made.spec.compute.server if made else None,
        generation=made.spec.fabric.generation if made else None,
        layout=compute.layout if compute else None,
        tiers=compute.tiers if compute else None,
        planes=compute.planes if compute else None,
        spec_hash=made.spec_hash if made else None,
        versions=made.versions if made else None,
        price_book=made.spec.economics.price_book if made else None,
        own_prices=prices.name if prices else None,
        notes=notes,
        n_errors=severities.count("error"),
        n_warnings=severities.count("warning"),
        server_name=_server_name(made) if made else None,
    )


def _server_name(made: Kept) -> str | None:
    server = made.spec.compute.server
    return next((line.description for line in made.bom.lines if server and line.part == server), None)


def _spend(side: Side) -> Spend:
    """Where the money goes, in five parts; what is not known is None."""
    cabling = (MODULE, CABLE, FIBER, NIC)
    rest = [category for category in CATEGORIES if category not in (*SERVERS, SWITCH, *cabling)]
    cost = side.estimate.cost if side.estimate else None
    yearly, years = (cost.opex_usd_per_year, cost.tco_years) if cost else (None, None)
    parts = SpendParts(
        servers=_bought(side, *SERVERS),
        switches=_bought(side, SWITCH),
        cabling=_bought(side, *cabling),
        rest=_bought(side, *rest),
        once=cost.one_off_usd.get("total") if cost and cost.one_off_usd else None,
        running=yearly["total"].each(lambda end: round(end * years, 2)) if yearly and years else None,
    )
    return Spend(parts_usd=parts, years=years)


def _bought(side: Side, *categories: str) -> Range[float]:
    return total_cents(side.of(*categories)).in_usd()


def _curves(sides: Sequence[Side]) -> ComparedCurves:
    """Predicted all-reduce of each side on all its GPUs, against message size."""
    known = [side.all_reduce for side in sides]
    sizes: list[int] = next((table.message_bytes for table in known if table), [])
    return ComparedCurves(message_bytes=sizes, sides=[_curve(table) if table else None for table in known])


def _curve(table: KeptAllReduce) -> ComparedCurve:
    points = [busbw(table, -1, size) for size in range(len(table.message_bytes))]
    return ComparedCurve(
        gpus=table.gpus[-1],
        message_bytes=table.message_bytes,
        low_gb_s=[_short(point.low) for point in points],
        busbw_gb_s=[_short(point.typical) for point in points],
        high_gb_s=[_short(point.high) for point in points],
        limited_by=table.limited_by[-1][-1],
        algorithm=table.algorithm[-1][-1],
    )


def _short(value: float) -> float:
    return float(f"{value:.6g}")
