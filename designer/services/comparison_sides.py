"""Sides of a comparison as they are named: an estimate, a design, a spec, an offer, another book, the other family.

What is found is kept with the comparison, so that it can be made again.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User

from designer.models import Design, PriceBook, Quote
from designer.services.designs.results import result_of
from designer.services.designs.state import fresh
from designer.services.quotes import offered_lines
from estimator.catalog.catalog import Catalog
from estimator.catalog.loader import load_catalog
from estimator.catalog.price_records import BOOKS
from estimator.compare.kept import Kept, kept_of
from estimator.compare.other_family import alternative_spec
from estimator.compare.request import LEAST, MOST
from estimator.errors import EstimatorError, Problem, SpecError
from estimator.jobs.models import EstimateJob
from estimator.record import Newer, Record
from estimator.spec.change import apply_change
from estimator.spec.checking import kind_of

SOURCES = ("estimate", "design", "spec", "offer", "quote", "sibling")
BESIDE = ("label", "price_book", "revision")
Values = dict[str, Any]  # a spec or an offer as it was given


class Source(Record):
    """Where a side came from."""

    label: str | None = None
    """None until it is compared: then it is the design's own name."""
    spec: Values | None = None
    design: str | None = None
    revision: int | None = None
    """Of the named version that was requested; before states were kept, of the newest version of any kind."""
    state: Newer[str | None] = None
    """Hash of the design's state, where no version was requested."""
    sibling: int | None = None
    """The side that it is the other family of."""
    price_book: str | None = None
    notes: list[str] = []

    @property
    def version(self) -> int | None:
        """The number of the named version that it shows; None where it shows what was current."""
        return self.revision if "state" in vars(self) else None


class Side(Source):
    """One side of a comparison, with what it is compared by: an offer, or what was kept of an Estimate."""

    offer: Values | None = None
    estimate: Kept | None = None


class _Wrong(Exception):
    """One item that cannot be had; ``problems`` have fields below the item."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__()
        self.problems = problems


def resolved_items(owner: User, items: Any) -> list[Side]:
    """Sides of a request, from what its items name.

    Parameters
    ----------
    items : ``[{"estimate": id} | {"design": id} | {"spec": {…}} | {"offer": {…}} | {"quote": id} | {"sibling": 0}, …]``, each
        with ``label`` and, where it is no finished estimate, offer or quote, ``price_book``: a book of the catalog or the id of
        your price book.

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
    found: list[Side | None] = []
    for at, item in enumerate(items):
        try:
            found.append(_resolved(owner, item, found))
        except _Wrong as wrong:
            found.append(None)
            problems += [one.inside(f"items[{at}]") for one in wrong.problems]
    if problems:
        raise SpecError(problems)
    return [side for side in found if side]


def _resolved(owner: User, item: Any, before: Sequence[Side | None]) -> Side:
    source = _source(item)
    label, book = item.get("label"), item.get("price_book")
    if label is not None and not (isinstance(label, str) and 1 <= len(label.strip()) <= 200 and label.isprintable()):
        raise _Wrong(Problem("label", "out_of_range", "A label has 1 to 200 printable characters."))
    if book is not None and source in ("estimate", "offer", "quote"):
        article = "A" if source == "quote" else "An"
        message = f"{article} {source} has its prices already. Name a design or a spec to price it by another book."
        raise _Wrong(Problem("price_book", "priced_already", message))
    readers: dict[str, Callable[..., Side]] = {
        "estimate": _of_estimate,
        "design": _of_design,
        "spec": _of_spec,
        "offer": _of_offer,
        "quote": _of_quote,
        "sibling": _of_alternative,
    }
    side = readers[source](owner, item[source], before)
    if (number := item.get("revision")) is not None:
        if source != "design":
            raise _Wrong(Problem("revision", "no_design", "A version is one of a design. Name the design beside it."))
        side = _of_version(Design.objects.get(pk=item[source]), number)
    side = side.but(label=label.strip() if label else side.label, state=side.state)
    return side if book is None else _by_book(owner, book, side, is_named=bool(label))


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


def _of_estimate(owner: User, value: Any, before: Sequence[Side | None]) -> Side:
    job = EstimateJob.objects.filter(owner=owner, pk=_id(value, "estimate", "an estimate")).first()
    if job is None:
        raise _Wrong(Problem("estimate", "not_found", "You have no estimate with this id."))
    made = result_of(job)
    if job.state != EstimateJob.State.SUCCEEDED or made is None or not made.bom:
        message = f"This estimate is {job.state} and has no result. Wait for it, or name its design."
        raise _Wrong(Problem("estimate", "not_finished", message))
    return Side(label=job.spec.get("name"), spec=job.spec, estimate=kept_of(made))


def _of_design(owner: User, value: Any, before: Sequence[Side | None]) -> Side:
    design = Design.objects.filter(owner=owner, pk=_id(value, "design", "a design")).first()
    if design is None:
        raise _Wrong(Problem("design", "not_found", "You have no design with this id."))
    return side_of(design)


def side_of(design: Design) -> Side:
    """A design as a side: its current state, with defaults of today where nothing was said."""
    given = fresh(design).given
    return Side(label=design.name, spec=given, design=str(design.pk), state=design.spec_hash)


def _of_version(design: Design, number: Any) -> Side:
    """A named version of a design as a side."""
    is_number = isinstance(number, int) and not isinstance(number, bool)
    version = design.revisions.filter(number=number).first() if is_number else None
    if version is None:
        numbers = ", ".join(str(one.number) for one in design.revisions.all()) or "none"
        raise _Wrong(Problem("revision", "not_found", f"This design has no such version. It has {numbers}."))
    label = f"{design.name}, {version.name}"[:200]
    return Side(label=label, spec=version.given, design=str(design.pk), revision=version.number)


def _of_spec(owner: User, value: Any, before: Sequence[Side | None]) -> Side:
    if not isinstance(value, Mapping):
        raise _Wrong(Problem("spec", "wrong_type", f"A spec is an object, and this is {kind_of(value)}."))
    return Side(spec=dict(value))


def _of_offer(owner: User, value: Any, before: Sequence[Side | None]) -> Side:
    return Side(offer=value)  # the estimator checks its lines


def _of_quote(owner: User, value: Any, before: Sequence[Side | None]) -> Side:
    quote = Quote.objects.filter(owner=owner, pk=_id(value, "quote", "a quote")).first()
    if quote is None:
        raise _Wrong(Problem("quote", "not_found", "You have no quote with this id."))
    lines = offered_lines(quote)
    if not lines:
        raise _Wrong(
            Problem(
                "quote", "no_lines", "No line of this quote is matched to the design, so that nothing can be compared."
            )
        )
    return Side(label=quote.name[:200], offer={"lines": lines})


def _of_alternative(owner: User, value: Any, before: Sequence[Side | None]) -> Side:
    """An earlier side on the other family of network."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < len(before):
        message = (
            f"Name an item before this one by its position, from 0 to {len(before) - 1}, to have its other family."
        )
        raise _Wrong(Problem("sibling", "out_of_range", message))
    origin = before[value]
    if origin is None:
        raise _Wrong(Problem("sibling", "invalid", f"Item {value} is wrong itself."))
    if origin.spec is None:
        raise _Wrong(Problem("sibling", "invalid", f"Item {value} is an offer, which has no other family."))
    return _alternative(origin.spec, value, load_catalog())


def _alternative(spec: Values, origin: int, catalog: Catalog) -> Side:
    """The other family of a spec as a side."""
    try:
        found = alternative_spec(spec, catalog)
    except EstimatorError as error:
        raise _Wrong(*(one.named("sibling") for one in error.problems)) from None
    notes = [note.words for note in found.notes]
    return Side(label=found.name, spec=found.values, notes=notes, sibling=origin)


def _by_book(owner: User, book: Any, side: Side, is_named: bool) -> Side:
    """The side priced by a book of the catalog, or by your price book over the catalog's book behind it."""
    if book in BOOKS:
        change: Values = {"economics.price_book": book, "economics.prices": None}
        words = f"{book} prices"
    else:
        row = PriceBook.objects.filter(owner=owner, pk=_id(book, "price_book", "a price book")).first()
        if row is None:
            raise _Wrong(Problem("price_book", "not_found", "You have no price book with this id."))
        change = {"economics.price_book": row.base, "economics.prices": row.snapshot()}
        words = f"prices of {row.name}"
    spec = side.spec or {}
    name = side.label or spec.get("name") or "Design"
    label = side.label if is_named else f"{name}, {words}"[:200]
    return side.but(spec=apply_change(spec, change), price_book=book, label=label, estimate=None)


def renewed(owner: User, kept: Sequence[Side]) -> list[Side]:
    """Sides of a kept comparison, of today: designs that are still there and books as they are now; versions stay.

    Raises
    ------
    SpecError
        If a side cannot be had any more.
    """
    out: list[Side] = []
    problems: list[Problem] = []
    for at, side in enumerate(kept):
        try:
            out.append(_renewed(owner, side, out))
        except _Wrong as wrong:
            problems += [one.named(f"items[{at}]") for one in wrong.problems]
            out.append(side)
    if problems:
        raise SpecError(problems)
    return out


def _renewed(owner: User, side: Side, before: Sequence[Side]) -> Side:
    if side.sibling is not None and side.sibling < len(before):
        origin = before[side.sibling].spec or {}
        return _alternative(origin, side.sibling, load_catalog()).but(price_book=side.price_book, state=None)
    fresh_side = side.but(estimate=None)
    design = Design.objects.filter(owner=owner, pk=side.design).first() if side.design else None
    if design is not None and side.version is None:
        fresh_side = side_of(design).but(label=side.label, price_book=side.price_book, notes=side.notes)
    book = side.price_book
    if book in BOOKS or (book and PriceBook.objects.filter(owner=owner, pk=book).exists()):
        return _by_book(owner, book, fresh_side, is_named=True)
    if book:  # the book is gone: its prices of that day stay
        old = (side.spec or {}).get("economics") or {}
        change = {f"economics.{key}": old.get(key) for key in ("price_book", "prices")}
        return fresh_side.but(spec=apply_change(fresh_side.spec or {}, change))
    return fresh_side
