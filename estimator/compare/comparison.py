"""Two to eight designs, offers or price books side by side, one of them the baseline. docs/comparison.md has the rules.

``compare_request`` is the one way in for the command line, the API and pages: it checks the request, estimates all designs
in one batch and compares them. ``compare`` compares estimates that are there already.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import Field

from estimator.bom.lines import CABLE, CATEGORIES, FIBER, MODULE, NIC, SERVERS, SWITCH
from estimator.catalog.catalog import Catalog
from estimator.compare.figures import Side, busbw, differ_in_size, figure_json, figures_of
from estimator.compare.kept import kept_of
from estimator.compare.lines import DESIGN, OFFER, Basis, aligned, lines_of, row_json, total_cents
from estimator.compare.scope import scope_of, totals_json
from estimator.compare.verdicts import Verdicts
from estimator.compare.words import not_comparable, summary_of
from estimator.designs.networks import sized_fabrics
from estimator.errors import EstimatorError, InfeasibleDesign, Problem, SpecError
from estimator.pipeline import estimate
from estimator.ranges import usd_json
from estimator.result import Estimate
from estimator.spec.checking import Section, validated
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec

LEAST, MOST = 2, 8
MAX_OFFER_LINES = 5_000
MAX_USD = 1e10
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

Amount = Annotated[float, Field(ge=0, le=MAX_USD)]


class OfferPrice(Section):
    """US dollars; three times the same where an offer has one price."""

    low: Amount
    typical: Amount
    high: Amount


class OfferLine(Section):
    """One priced line of an offer, under the names of a bill of materials."""

    line: int | None = Field(None, ge=1, le=1_000_000, description="Its number; default: its place in the list.")
    category: Literal[CATEGORIES]  # type: ignore[valid-type]
    part: str | None = Field(None, max_length=80, description="Catalog id, where it is known.")
    part_number: str | None = Field(None, max_length=120)
    description: str = Field("", max_length=500)
    use: str | None = Field(None, max_length=80, description="Role, as BOMs have it; null: found by part or category.")
    tier: str | None = Field(None, max_length=40)
    length_m: float | None = Field(None, ge=0, le=100_000)
    quantity: int = Field(ge=0, le=1_000_000_000)
    spare_quantity: int = Field(0, ge=0, le=1_000_000_000)
    unit_price_usd: OfferPrice | None = None
    extended_price_usd: OfferPrice | None = None
    price_basis: str | None = Field(None, max_length=40)
    power_w: float | None = Field(None, ge=0, le=1e12)
    fabric: str = Field("compute", max_length=80)


class Offer(Section):
    """What a vendor offers."""

    lines: list[OfferLine] = Field(min_length=1, max_length=MAX_OFFER_LINES)
    gpus: int | None = Field(
        None, ge=1, le=10_000_000, description="GPUs that it is for, where clusters differ in size."
    )


class Item(Section):
    """One side: a design, or an offer."""

    label: str | None = Field(None, min_length=1, max_length=200, description="Default: the design's name.")
    spec: dict[str, Any] | None = Field(None, description="A design, as for an estimate.")
    offer: Offer | None = None
    notes: list[str] = Field(default_factory=list, max_length=40, description="What to tell of this side, in words.")


class ComparisonRequest(Section):
    """Two to eight sides."""

    items: list[Item] = Field(min_length=LEAST, max_length=MOST, description="Designs and offers, in columns.")
    baseline: int = Field(
        0, ge=0, le=MOST - 1, description="Position of the one that others are compared with, from 0."
    )


@dataclass(frozen=True)
class Prepared:
    """A checked request with everything that a comparison is made of; ``given`` are the specs as they were requested."""

    sides: list[dict[str, Any]]
    labels: list[str]
    notes: list[list[str]]
    baseline: int
    given: list[dict[str, Any] | None]

    def compared(self) -> dict[str, Any]:
        """The comparison."""
        return compare(self.sides, self.labels, self.baseline, self.notes)


def prepare(values: Any, catalog: Catalog, known: Mapping[int, Mapping[str, Any]] | None = None) -> Prepared:
    """Check a request and estimate its designs, all in one batch.

    Parameters
    ----------
    known : estimates that are there already, by the position of the item that they are of; their specs are not read.

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
    sides: list[dict[str, Any]] = []
    for i, item in enumerate(asked.items):
        if item.offer is not None:
            sides.append({"offer": item.offer.model_dump(mode="json")})
        else:
            sides.append(kept_of(known[i] if i in known else next(made).as_json()))
    labels = [
        item.label or (side["spec"]["name"] if "spec" in side else "Offer")
        for item, side in zip(asked.items, sides, strict=True)
    ]
    given = [item.spec for item in asked.items]
    return Prepared(sides, _unique(labels), [item.notes for item in asked.items], asked.baseline, given)


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
    place = f"items[{at}].spec"
    return [Problem(f"{place}.{p.field}" if p.field else place, p.code, p.message) for p in error.problems]


def compare_request(values: Any, catalog: Catalog) -> dict[str, Any]:
    """Compare what a request ``{"items": [{"spec"} or {"offer"}, …], "baseline": 0}`` names.

    Raises
    ------
    SpecError, InfeasibleDesign
        With the problems of every side.
    """
    return prepare(values, catalog).compared()


def estimates_of(specs: Sequence[DesignSpec | None], catalog: Catalog) -> tuple[Estimate, ...]:
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
        return estimate(designs, catalog, PARTS)
    except InfeasibleDesign:
        problems = [problem for at, spec in enumerate(specs) if spec for problem in _infeasible(spec, at, catalog)]
        raise InfeasibleDesign(problems) from None


def _infeasible(spec: DesignSpec, at: int, catalog: Catalog) -> list[Problem]:
    try:
        sized_fabrics([spec], catalog)
    except InfeasibleDesign as error:
        return _placed(error, at)
    return []


def compare(
    estimates: Sequence[Estimate | Mapping[str, Any]],
    labels: Sequence[str],
    baseline: int = 0,
    notes: Sequence[Sequence[str]] = (),
) -> dict[str, Any]:
    """Align bills of materials and figures of designs and offers, and say in words how each differs from the baseline.

    Parameters
    ----------
    estimates : Estimates, their JSON, or ``{"offer": {"lines": […], "gpus": …}}`` with lines under a bill of materials' names.
    labels : what each is called; made unique.
    notes : what to tell of each, in words.

    Returns
    -------
    ``{"versions", "baseline", "items", "summary", "figures", "rows", "totals", "not_comparable", "spend", "busbw"}``.

    Raises
    ------
    ValueError
        If there are not two to eight, or the baseline is none of them.
    """
    if not LEAST <= len(estimates) <= MOST or len(labels) != len(estimates) or not 0 <= baseline < len(estimates):
        raise ValueError(f"{LEAST} to {MOST} sides, a label each, and one of them the baseline")
    sides = [_side(one, label) for one, label in zip(estimates, _unique(labels), strict=True)]
    names, kinds = [side.label for side in sides], [side.kind for side in sides]
    sizes = tuple(side.gpus for side in sides) if differ_in_size(sides) else ()
    basis = Basis(baseline, sizes, OFFER in kinds)
    rows = aligned([side.lines for side in sides])
    scope = scope_of(rows, kinds, names)
    totals = totals_json(rows, scope.left_out, baseline)
    sides = [replace(side, lacks=lacks) for side, lacks in zip(sides, scope.lacks, strict=True)]
    verdicts = Verdicts([side.estimate for side in sides])
    figures = [figure_json(figure, sides, baseline, verdicts) for figure in figures_of(sides)]
    items = [_item(side, list(notes[i]) if i < len(notes) else []) for i, side in enumerate(sides)]
    predicted = [max(side.all_reduce["gpus"]) if side.all_reduce else None for side in sides]
    return {
        "versions": _versions(sides),
        "baseline": baseline,
        "items": items,
        "is_per_gpu": bool(sizes),
        "summary": [
            summary_of(i, baseline, items, figures, totals, predicted, verdicts)
            for i in range(len(sides))
            if i != baseline
        ],
        "not_comparable": not_comparable(figures, items, totals),
        "figures": figures,
        "rows": [row_json(key, row, basis, key not in scope.left_out) for key, row in rows.items()],
        "totals": totals,
        "spend": [_spend(side) for side in sides],
        "busbw": _curves(sides),
    }


def _side(one: Estimate | Mapping[str, Any], label: str) -> Side:
    if not isinstance(one, Estimate) and "offer" in one:
        offer = one["offer"]
        return Side(label, OFFER, lines_of(offer["lines"]), None, offer.get("gpus"))
    made = kept_of(one.as_json() if isinstance(one, Estimate) else one)
    gpus = int(made["fabrics"]["compute"]["counts"]["gpus"])
    return Side(label, DESIGN, lines_of(made["bom"]["lines"]), made, gpus)


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


def _versions(sides: Sequence[Side]) -> dict[str, str | None]:
    """Those of all designs; None where they differ, or where there are offers alone."""
    found = [side.estimate["versions"] for side in sides if side.estimate]
    same = {key: {versions[key] for versions in found} for key in ("model", "catalog")}
    return {key: values.pop() if len(values) == 1 else None for key, values in same.items()}


def _item(side: Side, notes: list[str]) -> dict[str, Any]:
    """What a side is, for the head of its column."""
    made, compute = side.estimate or {}, side.network()
    spec = made.get("spec") or {}
    economics = spec.get("economics") or {}
    prices = economics.get("prices")
    return {
        "label": side.label,
        "kind": side.kind,
        "gpus": side.gpus,
        "nodes": compute.get("counts", {}).get("nodes"),
        "server": spec.get("compute", {}).get("server"),
        "generation": spec.get("fabric", {}).get("generation"),
        "layout": compute.get("layout"),
        "tiers": compute.get("tiers"),
        "planes": compute.get("planes"),
        "spec_hash": made.get("spec_hash"),
        "versions": made.get("versions"),
        "price_book": economics.get("price_book"),
        "own_prices": prices.get("name") if isinstance(prices, Mapping) else None,
        "notes": notes,
        "n_errors": sum(finding["severity"] == "error" for finding in made.get("findings", [])),
        "n_warnings": sum(finding["severity"] == "warning" for finding in made.get("findings", [])),
    }


def _spend(side: Side) -> dict[str, Any]:
    """Where the money goes, in five parts; what is not known is None."""
    named = {"servers": SERVERS, "switches": (SWITCH,), "cabling": (MODULE, CABLE, FIBER, NIC)}
    bought = {part: usd_json(total_cents(side.of(*categories))) for part, categories in named.items()}
    used = {category for categories in named.values() for category in categories}
    bought["rest"] = usd_json(total_cents(side.of(*(category for category in CATEGORIES if category not in used))))
    cost = side.cost
    yearly, years = cost.get("opex_usd_per_year", {}).get("total"), cost.get("tco_years")
    running = {end: round(yearly[end] * years, 2) for end in yearly} if yearly and years else None
    once = cost.get("one_off_usd", {}).get("total")
    return {"parts_usd": {**bought, "once": once, "running": running}, "years": years}


def _curves(sides: Sequence[Side]) -> dict[str, Any]:
    """Predicted all-reduce of each side on all its GPUs, against message size."""
    known = [side.all_reduce for side in sides]
    sizes: list[int] = next((table["message_bytes"] for table in known if table), [])
    curves: list[dict[str, Any] | None] = []
    for table in known:
        if table is None:
            curves.append(None)
            continue
        points = [busbw(table, -1, size) for size in range(len(table["message_bytes"]))]
        curves.append(
            {"gpus": table["gpus"][-1], "message_bytes": table["message_bytes"]}
            | {
                key: [float(f"{getattr(point, end):.6g}") for point in points]
                for end, key in (("low", "low_gb_s"), ("typical", "busbw_gb_s"), ("high", "high_gb_s"))
            }
            | {"limited_by": table["limited_by"][-1][-1], "algorithm": table["algorithm"][-1][-1]}
        )
    return {"message_bytes": sizes, "sides": curves}
