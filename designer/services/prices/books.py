"""Price books of one's own: made, changed with a reason, taken whole into designs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from designer.models import PriceBook, PriceBookRevision
from designer.services.labels import checked_label, checked_name
from estimator.catalog.loader import load_catalog
from estimator.catalog.price_records import BOOKS, STREET
from estimator.errors import Problem, SpecError
from estimator.record import Json
from estimator.spec.checking import validated
from estimator.spec.price_book import MAX_REGION, OwnPrice, OwnPrices, own_price_problems

MAX_REASON = 300
MAX_BOOKS = 200  # of one owner
BASES = BOOKS
EMPTY_REASON = "Made, without prices"
Key = tuple[Any, ...]


class FullShelf(SpecError):
    """An owner has as many books as one may have."""

    code = "too_many_price_books"


def checked_book(name: str, prices: Sequence[Any], rates: Sequence[Any], region: str = "") -> OwnPrices:
    """A book's contents by the rules of a request, every default filled in.

    Raises
    ------
    SpecError
        With every problem found; fields are ``prices[3].low``, ``rates[0].usd``.
    """
    values = {"name": name, "prices": list(prices), "rates": list(rates), "region": region or None}
    book, problems = validated(OwnPrices, values, "a price book")
    if book is not None:
        found = own_price_problems(book, load_catalog(), "")
        problems += [one.named(one.field.removeprefix(".")) for one in found]
        problems += _repeated(book.prices)
    if problems or book is None:
        raise SpecError(problems)
    return book


def entry_key(price: OwnPrice) -> Key:
    """What makes two entries one price at different times: all but its amount, currency, date, last day and note."""
    kind = price.part, price.per, price.basis, price.source
    return *kind, price.region, price.min_quantity, price.length_m, price.valid_from


def _repeated(prices: Sequence[OwnPrice]) -> list[Problem]:
    first: dict[Key, int] = {}
    problems = []
    for number, price in enumerate(prices):
        if (before := first.setdefault(entry_key(price), number)) != number:
            message = (
                f"The price of {price.part} stands twice, as entry {before + 1} and {number + 1}: same basis, source, region, "
                "quantity, length and first day. Keep one of them, or distinguish them."
            )
            problems.append(Problem(f"prices[{number}].part", "price_twice", message))
    return problems


def checked_base(base: str) -> str:
    """The catalog's book behind your own.

    Raises
    ------
    SpecError
        If there is no such book.
    """
    if base not in BASES:
        message = f"The catalog's books are {' and '.join(BASES)}, and {base[:40]!r} was given."
        raise SpecError([Problem("base", "not_a_choice", message)])
    return base


@transaction.atomic
def create_book(
    owner: User,
    name: str,
    prices: Sequence[Any] = (),
    rates: Sequence[Any] = (),
    reason: str = EMPTY_REASON,
    base: str = STREET,
    region: str = "",
) -> PriceBook:
    """A new book with its first revision.

    Raises
    ------
    SpecError
        With what is wrong with name, prices or rates, or if the owner has MAX_BOOKS.
    """
    name, region = checked_name(name), checked_label("region", region, MAX_REGION)
    if owner.price_books.count() >= MAX_BOOKS:
        raise FullShelf(
            [Problem("", "too_many_price_books", f"{MAX_BOOKS} price books are the most. Delete one first.")]
        )
    contents = checked_book(name, prices, rates, region)
    book = PriceBook.objects.create(owner=owner, name=name, base=checked_base(base), region=region)
    _add_revision(book, 1, contents, reason)
    return book


@transaction.atomic
def revise_book(
    book: PriceBook, reason: str, prices: Sequence[Any] | None = None, rates: Sequence[Any] | None = None
) -> PriceBookRevision:
    """The book's next revision; the newest one as it is where nothing changes.

    Prices and rates are OwnPrice and OwnRate, or objects with their keys.

    Raises
    ------
    SpecError
        With what is wrong with prices or rates.
    """
    locked = PriceBook.objects.select_for_update().get(pk=book.pk)
    latest = locked.latest
    before = locked.contents(latest)
    contents = checked_book(
        locked.name,
        before.prices if prices is None else prices,
        before.rates if rates is None else rates,
        locked.region,
    )
    if contents == before:
        return latest
    locked.save(update_fields=["updated_at"])
    return _add_revision(locked, latest.number + 1, contents, reason)


def _add_revision(book: PriceBook, number: int, contents: OwnPrices, reason: str) -> PriceBookRevision:
    values = contents.model_dump(mode="json", include={"prices", "rates"})
    return PriceBookRevision.objects.create(book=book, number=number, reason=reason[:MAX_REASON], **values)


def describe_book(book: PriceBook, name: str | None = None, base: str | None = None, region: str | None = None) -> None:
    """Another name, base or region; designs keep what they took.

    Raises
    ------
    SpecError
        With what is wrong with them.
    """
    book.name = book.name if name is None else checked_name(name)
    book.base = book.base if base is None else checked_base(base)
    book.region = book.region if region is None else checked_label("region", region, MAX_REGION)
    book.save(update_fields=["name", "base", "region", "updated_at"])


def merged_prices(before: Iterable[OwnPrice], entries: Iterable[OwnPrice]) -> list[OwnPrice]:
    """A book's entries with others in the place of the same ones, and new ones behind."""
    merged = {entry_key(entry): entry for entry in before}
    merged |= {entry_key(entry): entry for entry in entries}
    return list(merged.values())


def take_prices(book: PriceBook | None, owner: User, name: str, entries: Sequence[Json], reason: str) -> PriceBook:
    """Put prices with their provenance into a book, or into a new one of this name where none is given.

    ``entries`` have the keys of OwnPrice. An entry of the same part, basis, source, region, quantity, length and first
    day takes the place of the one of before; the others of the book stay.

    Raises
    ------
    SpecError
        With what is wrong with an entry; ``price_twice`` where two entries give one price differently.
    """
    prices = checked_book(name or "prices", _once(entries), ()).prices
    if book is None:
        return create_book(owner, name, prices, reason=reason)
    with transaction.atomic():
        locked = PriceBook.objects.select_for_update().get(pk=book.pk)
        revise_book(locked, reason, merged_prices(locked.contents().prices, prices))
    return book


def _once(entries: Iterable[Json]) -> list[Json]:
    """Entries that say the very same are one."""
    return list({json.dumps(entry, sort_keys=True): entry for entry in entries}.values())
