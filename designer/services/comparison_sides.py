"""Sides of a comparison as they are named: an estimate, a design, a spec, an offer, another book, the other family.

What is found is plain JSON that is kept with the comparison, so that it can be made again, or made again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User

from designer.models import Design, PriceBook, Quote
from designer.services.designs.state import fresh
from designer.services.quotes import offer_of
from estimator.catalog.catalog import Catalog
from estimator.catalog.loader import load_catalog
from estimator.catalog.price_records import BOOKS
from estimator.compare.other_family import alternative_spec
from estimator.compare.request import LEAST, MOST
from estimator.errors import EstimatorError, Problem, SpecError
from estimator.jobs.models import EstimateJob
from estimator.spec.change import apply_change
from estimator.spec.checking import kind_of

SOURCES = ("estimate", "design", "spec", "offer", "quote", "sibling")
BESIDE = ("label", "price_book", "revision")
Json = dict[str, Any]


class _Wrong(Exception):
    """One item that cannot be had; ``problems`` have fields below the item."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__()
        self.problems = problems


def resolved_items(owner: User, items: Any) -> list[Json]:
    """Sides of a request, from what its items name.

    Parameters
    ----------
    items : ``[{"estimate": id} | {"design": id} | {"spec": {…}} | {"offer": {…}} | {"quote": id} | {"sibling": 0}, …]``, each
        with ``label`` and, where it is no finished estimate, offer or quote, ``price_book``: a book of the catalog or the id of
        an own one.

    Returns
    -------
    ``[{"label", "spec", "offer", "notes", "design", "revision", "state", "sibling", "price_book", "estimate"}, …]``;
    ``revision`` is the number of a named version where one was requested, ``state`` the hash of the design's state where not;
    ``estimate`` is a finished result where one was named, which is taken as it is.

    Raises
    ------
    SpecError
        With every problem found, fields such as ``items[1].design``.
    """
    if not isinstance(items, Sequence) or isinstance(items, str) or not LEAST <= len(items) <= MOST:
        n_items = f"{len(items)} are" if isinstance(items, list) else f"{kind_of(items)} is"
        raise SpecError(
            [Problem("items", "out_of_range", f"A list of {LEAST} to {MOST} sides is needed, and {n_items} here.")]
        )
    problems: list[Problem] = []
    found: list[Json | None] = []
    for at, item in enumerate(items):
        try:
            found.append(_resolved(owner, item, found))
        except _Wrong as wrong:
            found.append(None)
            problems += [
                Problem(f"items[{at}].{p.field}" if p.field else f"items[{at}]", p.code, p.message)
                for p in wrong.problems
            ]
    if problems:
        raise SpecError(problems)
    return [side for side in found if side]


def _resolved(owner: User, item: Any, before: Sequence[Json | None]) -> Json:
    source = _source(item)
    label, book = item.get("label"), item.get("price_book")
    if label is not None and not (isinstance(label, str) and 1 <= len(label.strip()) <= 200 and label.isprintable()):
        raise _Wrong(Problem("label", "out_of_range", "A label has 1 to 200 printable characters."))
    if book is not None and source in ("estimate", "offer", "quote"):
        article = "A" if source == "quote" else "An"
        message = f"{article} {source} has its prices already. Name a design or a spec to price it by another book."
        raise _Wrong(Problem("price_book", "priced_already", message))
    readers: dict[str, Callable[..., Json]] = {
        "estimate": _of_estimate,
        "design": _of_design,
        "spec": _of_spec,
        "offer": _of_offer,
        "quote": _of_quote,
        "sibling": _of_alternative,
    }
    side = _blank() | readers[source](owner, item[source], before)
    if (number := item.get("revision")) is not None:
        if source != "design":
            raise _Wrong(Problem("revision", "no_design", "A version is one of a design. Name the design beside it."))
        side |= _of_version(Design.objects.get(pk=side["design"]), number) | {"state": None}
    side["label"] = label.strip() if label else side["label"]
    if book is not None:
        side |= _by_book(owner, book, side, is_named=bool(label))
    return side


def _blank() -> Json:
    keys = ("label", "spec", "offer", "design", "revision", "state", "sibling", "price_book", "estimate")
    return dict.fromkeys(keys) | {"notes": []}


def _source(item: Any) -> str:
    """Which of SOURCES an item names."""
    if not isinstance(item, Mapping):
        raise _Wrong(
            Problem("", "wrong_type", f"A side is an object with one of {', '.join(SOURCES)}; this is {kind_of(item)}.")
        )
    known = (*SOURCES, *BESIDE)
    unknown = [
        Problem(str(key)[:60], "unknown_key", f"There is no key {str(key)[:60]!r} here. Known: {', '.join(known)}.")
        for key in item
        if key not in known
    ]
    if unknown:
        raise _Wrong(*unknown)
    named = [source for source in SOURCES if item.get(source) is not None]
    if len(named) != 1:
        raise _Wrong(Problem("", "one_source", f"Give one of {', '.join(SOURCES)}; {len(named) or 'none'} are here."))
    return named[0]


def _id(value: Any, field: str, what: str) -> UUID:
    try:
        return UUID(value)
    except (ValueError, TypeError, AttributeError):
        message = f"This is no id of {what}. Ids look like 8f14e45f-ceea-467f-8d5c-3a1b2c3d4e5f."
        raise _Wrong(Problem(field, "invalid", message)) from None


def _of_estimate(owner: User, value: Any, before: Sequence[Json | None]) -> Json:
    job = EstimateJob.objects.filter(owner=owner, pk=_id(value, "estimate", "an estimate")).first()
    if job is None:
        raise _Wrong(Problem("estimate", "not_found", "You have no estimate with this id."))
    if job.state != EstimateJob.State.SUCCEEDED or not job.result or "bom" not in job.result:
        message = f"This estimate is {job.state} and has no result. Wait for it, or name its design."
        raise _Wrong(Problem("estimate", "not_finished", message))
    return {"label": job.spec.get("name"), "spec": job.spec, "estimate": job.result}


def _of_design(owner: User, value: Any, before: Sequence[Json | None]) -> Json:
    design = Design.objects.filter(owner=owner, pk=_id(value, "design", "a design")).first()
    if design is None:
        raise _Wrong(Problem("design", "not_found", "You have no design with this id."))
    return side_of(design)


def side_of(design: Design) -> Json:
    """A design as a side: its current state, with defaults of today where nothing was said."""
    return {"label": design.name, "spec": fresh(design).given, "design": str(design.pk), "state": design.spec_hash}


def _of_version(design: Design, number: Any) -> Json:
    """A named version of a design as a side."""
    is_number = isinstance(number, int) and not isinstance(number, bool)
    version = design.revisions.filter(number=number).first() if is_number else None
    if version is None:
        numbers = ", ".join(str(one.number) for one in design.revisions.all()) or "none"
        raise _Wrong(Problem("revision", "not_found", f"This design has no such version. It has {numbers}."))
    label = f"{design.name}, {version.name}"[:200]
    return {"label": label, "spec": version.given, "design": str(design.pk), "revision": version.number}


def _of_spec(owner: User, value: Any, before: Sequence[Json | None]) -> Json:
    if not isinstance(value, Mapping):
        raise _Wrong(Problem("spec", "wrong_type", f"A spec is an object, and this is {kind_of(value)}."))
    return {"spec": dict(value)}


def _of_offer(owner: User, value: Any, before: Sequence[Json | None]) -> Json:
    return {"offer": value}  # the estimator checks its lines


def _of_quote(owner: User, value: Any, before: Sequence[Json | None]) -> Json:
    quote = Quote.objects.filter(owner=owner, pk=_id(value, "quote", "a quote")).first()
    if quote is None:
        raise _Wrong(Problem("quote", "not_found", "You have no quote with this id."))
    side = offer_of(quote)
    if not side["offer"]["lines"]:
        raise _Wrong(
            Problem(
                "quote", "no_lines", "No line of this quote is matched to the design, so that nothing can be compared."
            )
        )
    return side


def _of_alternative(owner: User, value: Any, before: Sequence[Json | None]) -> Json:
    """An earlier side on the other family of network."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < len(before):
        message = (
            f"Name an item before this one by its position, from 0 to {len(before) - 1}, to have its other family."
        )
        raise _Wrong(Problem("sibling", "out_of_range", message))
    origin = before[value]
    if origin is None:
        raise _Wrong(Problem("sibling", "invalid", f"Item {value} is wrong itself."))
    if origin["spec"] is None:
        raise _Wrong(Problem("sibling", "invalid", f"Item {value} is an offer, which has no other family."))
    return alternative_side(origin["spec"], value, load_catalog())


def alternative_side(spec: Json, origin: int, catalog: Catalog) -> Json:
    """The other family of a spec as a side."""
    try:
        found = alternative_spec(spec, catalog)
    except EstimatorError as error:
        raise _Wrong(*(Problem("sibling", p.code, p.message) for p in error.problems)) from None
    notes = [note.words for note in found.notes]
    return {"label": found.values["name"], "spec": found.values, "notes": notes, "sibling": origin}


def _by_book(owner: User, book: Any, side: Json, is_named: bool) -> Json:
    """The side priced by a book of the catalog, or by an own one over the catalog's book behind it."""
    if book in BOOKS:
        change: Json = {"economics.price_book": book, "economics.prices": None}
        words = f"{book} prices"
    else:
        row = PriceBook.objects.filter(owner=owner, pk=_id(book, "price_book", "a price book")).first()
        if row is None:
            raise _Wrong(Problem("price_book", "not_found", "You have no price book with this id."))
        change = {"economics.price_book": row.base, "economics.prices": row.snapshot()}
        words = f"prices of {row.name}"
    name = side["label"] or side["spec"].get("name") or "Design"
    label = side["label"] if is_named else f"{name}, {words}"[:200]
    return {"spec": apply_change(side["spec"], change), "price_book": book, "label": label, "estimate": None}


def renewed(owner: User, kept: Sequence[Json]) -> list[Json]:
    """Sides of a kept comparison, of today: designs that are still there and books as they are now; versions stay.

    Raises
    ------
    SpecError
        If a side cannot be had any more.
    """
    out: list[Json] = []
    problems: list[Problem] = []
    for at, side in enumerate(kept):
        try:
            out.append(_renewed(owner, side, out))
        except _Wrong as wrong:
            problems += [Problem(f"items[{at}]", p.code, p.message) for p in wrong.problems]
            out.append(dict(side))
    if problems:
        raise SpecError(problems)
    return out


def _renewed(owner: User, side: Json, before: Sequence[Json]) -> Json:
    renewed_side = dict(side) | {"estimate": None}
    if side["sibling"] is not None and side["sibling"] < len(before):
        return renewed_side | alternative_side(before[side["sibling"]]["spec"], side["sibling"], load_catalog())
    design = Design.objects.filter(owner=owner, pk=side["design"]).first() if side["design"] else None
    if design is not None and (
        side["revision"] is None or "state" not in side
    ):  # the latter is of before there were states
        renewed_side |= side_of(design) | {"label": side["label"], "revision": None}
    book = side["price_book"]
    if book in BOOKS or (book and PriceBook.objects.filter(owner=owner, pk=book).exists()):
        renewed_side |= _by_book(owner, book, renewed_side, is_named=True)
    elif book:  # the book is gone: its prices of that day stay
        old = (side["spec"] or {}).get("economics") or {}
        change = {f"economics.{key}": old.get(key) for key in ("price_book", "prices")}
        renewed_side["spec"] = apply_change(renewed_side["spec"], change)
    return renewed_side
