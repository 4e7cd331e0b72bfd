"""Comparisons: made of what was chosen, kept whole, compared with another baseline, made again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.contrib.auth.models import User

from designer.models import Comparison
from designer.services.comparison_sides import Json, renewed
from designer.services.designs.state import fresh
from designer.services.labels import MAX_NAME, checked_name
from estimator.catalog.loader import load_catalog
from estimator.compare.comparison import Prepared, compare, prepare
from estimator.compare.kept import Kept
from estimator.compare.request import LEAST, Offer
from estimator.compare.result import ComparisonHead, ComparisonResult
from estimator.errors import Problem, SpecError
from estimator.result import PricedEstimate
from estimator.version import MODEL_VERSION

MAX_COMPARISONS = 200  # of one owner


class TooManyComparisons(SpecError):
    """An owner has as many comparisons as one may have."""

    code = "too_many_comparisons"


def create_comparison(owner: User, sides: Sequence[Json], baseline: Any = 0, name: str | None = None) -> Comparison:
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


def _prepared(sides: Sequence[Json], baseline: Any) -> Prepared:
    items = [{key: side[key] for key in ("label", "spec", "offer", "notes")} for side in sides]
    known = {at: PricedEstimate.from_json(side["estimate"]) for at, side in enumerate(sides) if side["estimate"]}
    return prepare({"items": items, "baseline": baseline}, load_catalog(), known)


def _usual_name(labels: Sequence[str]) -> str:
    text = " and ".join(labels) if len(labels) == LEAST else f"{labels[0]} and {len(labels) - 1} others"
    return text if len(text) <= MAX_NAME else f"{text[: MAX_NAME - 1]}…"


def _fill(row: Comparison, sides: Sequence[Json], made: Prepared) -> None:
    """Result and sides of a row; each side keeps what it was compared by."""
    row.specs = [
        dict(side) | {"label": label} | _stored(kept)
        for side, label, kept in zip(sides, made.labels, made.sides, strict=True)
    ]
    row.baseline, row.result = made.baseline, made.compared().as_json()
    row.model_version, row.catalog_version = MODEL_VERSION, load_catalog().version


def _stored(side: Kept | Offer) -> Json:
    """What a side was compared by, as its row has it."""
    if isinstance(side, Offer):
        return {"estimate": None, "offer": side.model_dump(mode="json")}
    return {"estimate": side.as_json(), "offer": None}


def _read(side: Json) -> Kept | Offer:
    """The reverse of ``_stored``."""
    return Kept.from_json(side["estimate"]) if side["estimate"] else Offer.model_validate(side["offer"])


def result_of(row: Comparison) -> ComparisonResult:
    """What was compared, as pages and files read it, whatever model made it."""
    return ComparisonResult.from_json(row.result)


def head_of(row: Comparison) -> ComparisonHead:
    """Of that, what a list says."""
    return ComparisonHead.from_json(row.result)


class Source(NamedTuple):
    """The design of a side, and which state of it was compared: a named version, or the one that was current."""

    design: str | None
    version: int | None
    state: str | None
    price_book: str | None


def sources_of(row: Comparison) -> list[Source]:
    """Where the sides came from. Before states were kept, ``revision`` was the newest version of any kind."""
    return [
        Source(side["design"], side["revision"] if "state" in side else None, side.get("state"), side["price_book"])
        for side in row.specs
    ]


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
    _compare_kept(row, row.specs, baseline)


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
    rest = [_moved(one, side) for at, one in enumerate(row.specs) if at != side]
    baseline = 0 if row.baseline == side else row.baseline - (side < row.baseline)
    _compare_kept(row, rest, baseline)


def _moved(one: Json, gone: int) -> Json:
    """A side whose InfiniBand or RoCE alternative may have moved up, or gone: then it stands for itself."""
    origin = one["sibling"]
    moved = None if origin == gone else origin if origin is None or origin < gone else origin - 1
    return dict(one) | {"sibling": moved}


def _compare_kept(row: Comparison, sides: Sequence[Json], baseline: int) -> None:
    labels, notes = [side["label"] for side in sides], [side["notes"] for side in sides]
    row.result = compare([_read(side) for side in sides], labels, baseline, notes).as_json()
    row.specs, row.baseline = list(sides), baseline
    row.save(update_fields=["specs", "baseline", "result"])


def refresh(row: Comparison) -> None:
    """Make a comparison again: designs as they are now, today's model, catalog and price books. Offers and versions stay.

    Raises
    ------
    SpecError, InfeasibleDesign
        If a side cannot be had or built any more; then nothing changes.
    """
    sides = renewed(row.owner, row.specs)
    _fill(row, sides, _prepared(sides, row.baseline))
    row.save()


def is_outdated(row: Comparison) -> bool:
    """Whether model or catalog have changed since, or a design has."""
    if (row.model_version, row.catalog_version) != (MODEL_VERSION, load_catalog().version):
        return True
    if head_of(row).versions.model is None and any(side["estimate"] for side in row.specs):
        return True
    known = [source for source in sources_of(row) if source.design and source.version is None]
    found = row.owner.designs.filter(pk__in=[source.design for source in known])
    states = {str(design.pk): fresh(design).spec_hash for design in found}
    return any(states[source.design] != source.state for source in known if source.design in states)
