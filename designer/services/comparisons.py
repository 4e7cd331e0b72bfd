"""Comparisons: made of what was chosen, kept whole, compared with another baseline, made again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User

from designer.models import Comparison
from designer.services.comparison_sides import Side, Source, renewed
from designer.services.designs.state import fresh
from designer.services.labels import MAX_NAME, checked_name
from estimator.catalog.loader import load_catalog
from estimator.compare.comparison import Prepared, compare, prepare
from estimator.compare.kept import Kept
from estimator.compare.request import LEAST, Offer
from estimator.compare.result import ComparisonHead, ComparisonResult
from estimator.errors import Problem, SpecError
from estimator.pipeline import estimate
from estimator.result import PricedEstimate
from estimator.spec.parse import parse_spec
from estimator.version import MODEL_VERSION

MAX_COMPARISONS = 200  # of one owner


class TooManyComparisons(SpecError):
    """An owner has as many comparisons as one may have."""

    code = "too_many_comparisons"


def create_comparison(owner: User, sides: Sequence[Side], baseline: Any = 0, name: str | None = None) -> Comparison:
    """Compare sides (see ``resolved_items``) and keep the result.

    Raises
    ------
    SpecError, InfeasibleDesign
        With every problem of the sides, the baseline and the name.
    TooManyComparisons
        If the owner has MAX_COMPARISONS.
    """
    if Comparison.objects.filter(owner=owner).count() >= MAX_COMPARISONS:
        message = f"You have {MAX_COMPARISONS} comparisons, the most that one may have. Delete one first."
        raise TooManyComparisons([Problem("", "too_many_comparisons", message)])
    chosen = checked_name(name) if name is not None else None
    made = _prepared(sides, baseline)
    row = Comparison(owner=owner, name=chosen or _usual_name(made.labels))
    _fill(row, sides, made)
    row.save()
    return row


def _prepared(sides: Sequence[Side], baseline: Any) -> Prepared:
    items = [{"label": one.label, "spec": one.spec, "offer": one.offer, "notes": one.notes} for one in sides]
    known = {at: side.estimate for at, side in enumerate(sides) if side.estimate}
    return prepare({"items": items, "baseline": baseline}, load_catalog(), known)


def _usual_name(labels: Sequence[str]) -> str:
    text = " and ".join(labels) if len(labels) == LEAST else f"{labels[0]} and {len(labels) - 1} others"
    return text if len(text) <= MAX_NAME else f"{text[: MAX_NAME - 1]}…"


def _fill(row: Comparison, sides: Sequence[Side], made: Prepared) -> None:
    """Result and sides of a row; each side keeps what it was compared by."""
    compared = zip(sides, made.labels, made.sides, strict=True)
    row.specs = [_as_compared(side, label, by).as_json() for side, label, by in compared]
    row.baseline, row.result = made.baseline, made.compared().as_json()
    row.model_version, row.catalog_version = MODEL_VERSION, load_catalog().version


def _as_compared(side: Side, label: str, by: Kept | Offer) -> Side:
    if isinstance(by, Offer):
        return side.but(label=label, estimate=None, offer=by.model_dump(mode="json"))
    return side.but(label=label, estimate=by, offer=None)


def sides_of(row: Comparison) -> list[Side]:
    """The sides, with what they were compared by."""
    return [Side.from_json(side) for side in row.specs]


def sources_of(row: Comparison) -> list[Source]:
    """Where the sides came from."""
    return [Source.from_json(side) for side in row.specs]


def result_of(row: Comparison) -> ComparisonResult:
    """What was compared, as pages and files read it, whatever model made it."""
    return ComparisonResult.from_json(row.result)


def head_of(row: Comparison) -> ComparisonHead:
    """Of that, what a list says."""
    return ComparisonHead.from_json(row.result)


def rebase(row: Comparison, baseline: int) -> None:
    """Hold the same figures against another side.

    Raises
    ------
    SpecError
        If there is no such side.
    """
    if not 0 <= baseline < len(row.specs):
        message = f"There are {len(row.specs)} sides, counted from 0, and {baseline} was named as the baseline."
        raise SpecError([Problem("baseline", "out_of_range", message)])
    _compare_kept(row, sides_of(row), baseline)


def remove_side(row: Comparison, side: int) -> None:
    """Compare the rest. The baseline stays, or becomes the first where it is the one that goes.

    Raises
    ------
    SpecError
        If there is no such side, or if two would not be left.
    """
    if not 0 <= side < len(row.specs) or len(row.specs) == LEAST:
        message = f"A comparison has {LEAST} sides at least, and this one has {len(row.specs)}. Delete the comparison instead."
        raise SpecError([Problem("side", "out_of_range", message)])
    rest = [_moved(one, side) for at, one in enumerate(sides_of(row)) if at != side]
    baseline = 0 if row.baseline == side else row.baseline - (side < row.baseline)
    _compare_kept(row, rest, baseline)


def _moved(one: Side, gone: int) -> Side:
    """A side whose InfiniBand or RoCE alternative may have moved up, or gone: then it stands for itself."""
    origin = one.sibling
    return one.but(sibling=None if origin == gone else origin if origin is None or origin < gone else origin - 1)


def _compare_kept(row: Comparison, sides: Sequence[Side], baseline: int) -> None:
    kept = [side.estimate or Offer.model_validate(side.offer) for side in sides]
    labels, notes = [side.label or "" for side in sides], [side.notes for side in sides]
    row.result = compare(kept, labels, baseline, notes).as_json()
    row.specs, row.baseline = [side.as_json() for side in sides], baseline
    row.save(update_fields=["specs", "baseline", "result"])


def refresh(row: Comparison) -> None:
    """Make a comparison again: designs as they are now, today's model, catalog and price books. Offers and versions stay.

    Raises
    ------
    SpecError, InfeasibleDesign
        If a side cannot be had or built any more; then nothing changes.
    """
    sides = renewed(row.owner, sides_of(row))
    _fill(row, sides, _prepared(sides, row.baseline))
    row.save()


def estimates_of(row: Comparison) -> list[PricedEstimate | None]:
    """The estimates of a comparison's designs, whole, of the requests that it has; None of an offer.

    Raises
    ------
    SpecError
        Where the model or the catalog is another one than the comparison was made by: its figures would not be these.
    """
    if (row.model_version, row.catalog_version) != (MODEL_VERSION, load_catalog().version):
        message = "This comparison was made by another model or catalog than today’s. Refresh it, then make the paper."
        raise SpecError([Problem("", "outdated_estimate", message)])
    catalog = load_catalog()
    specs = [parse_spec(side.spec, catalog) if side.spec and side.offer is None else None for side in sides_of(row)]
    return [PricedEstimate.of(estimate([spec], catalog)[0]) if spec else None for spec in specs]


def is_outdated(row: Comparison) -> bool:
    """Whether model or catalog have changed since, or a design has."""
    if (row.model_version, row.catalog_version) != (MODEL_VERSION, load_catalog().version):
        return True
    sources = sources_of(row)
    if head_of(row).versions.model is None and any(source.spec for source in sources):
        return True
    known = [source for source in sources if source.design and source.version is None]
    found = row.owner.designs.filter(pk__in=[source.design for source in known])
    states = {str(design.pk): fresh(design).spec_hash for design in found}
    return any(states[source.design] != source.state for source in known if source.design in states)
