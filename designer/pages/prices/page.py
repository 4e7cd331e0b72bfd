"""What the pages of price books show: rows of a book, searched, sorted and paged; changes between revisions; who uses it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.contrib.auth.models import User
from django.db.models import F
from django.utils import timezone
from django.utils.http import urlencode

from designer.models import KeptPart, PriceBook
from designer.services.designs.state import refresh_states
from designer.services.prices.changes import change_words, changes_between, range_text, rate_changes
from designer.wording.context import Context
from designer.wording.names import part_labels
from designer.wording.numbers import in_usual_units
from designer.wording.query import Page, column_heads, one_of, page_number, rows_on
from estimator.bom.pricing import Pricing
from estimator.catalog.catalog import Catalog, fallbacks
from estimator.catalog.currency import USD, Rate, Rates, amount_text, us_cents
from estimator.catalog.loader import load_catalog
from estimator.catalog.price_choice import BASIS_WORDS, is_valid
from estimator.catalog.price_records import BOOK_TITLES, BOOK_WORDS, Price, PriceEvidence
from estimator.spec.design import DesignSpec
from estimator.spec.economics import Economics
from estimator.spec.price_book import OwnPrice, OwnPrices

ROWS = 50
KIND_WORDS = {
    "switches": "Switch",
    "nics": "Adapter",
    "gpus": "GPU",
    "servers": "Server",
    "cables": "Cable or transceiver",
    "racks": "Rack",
    "rack_parts": "Rack part",
}
ASSUMED = ("assumption", "seed")
CATALOG_BASIS = BASIS_WORDS | {"list": "listing or list price"}
CHANGES_SHOWN = 60


@dataclass(frozen=True, slots=True)
class SeenPrice:
    """A price that was seen somewhere, behind one of the catalog's."""

    amount: str
    at: str
    date: str
    note: str
    is_read: bool
    channel: str
    counts: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A price of a book; ``index`` is its place there, where it is yours."""

    part: str
    per: str
    kind: str
    label: str
    numbers: str
    currency: str
    amount: str
    range: str
    typical_cents: int | None
    basis: str
    basis_words: str
    as_of: str
    source: str
    note: str
    region: str | None
    min_quantity: int
    length_m: float | None = None
    valid_from: str | None
    valid_to: str | None
    is_valid: bool = True
    index: int | None = None
    usd_text: str = ""
    rate: Rate | None = None
    url: str | None = None
    rule: str = ""
    is_other_book: bool = False
    of_book: str = ""
    seen: Sequence[SeenPrice] = ()

    @property
    def is_assumed(self) -> bool:
        """Whether nobody has offered it at that."""
        return self.basis in ASSUMED

    @property
    def text(self) -> str:
        """All words that a search looks at."""
        texts = (
            self.part,
            self.label,
            self.numbers,
            self.source,
            self.note,
            self.kind,
            self.basis_words,
            self.currency,
        )
        return " ".join([*texts, self.region or ""]).casefold()


@dataclass(frozen=True, slots=True)
class BookUser:
    """A design that carries a revision of a book, and whether that is the newest."""

    design: Any
    is_newest: bool


ORDERS: dict[str, Callable[[Row], Any]] = {
    "part": lambda row: (row.label.casefold(), row.per, row.min_quantity),
    "typical": lambda row: row.typical_cents,
    "basis": lambda row: row.basis,
    "as_of": lambda row: row.as_of,
}


# ---------------------------------------------------------------- rows


def own_rows(book: OwnPrices, catalog: Catalog) -> list[Row]:
    """Every entry of your price book; ``index`` is its place there."""
    rates, today = book.exchange(catalog), timezone.localdate().isoformat()
    labels = part_labels(catalog.version)
    return [_own_row(index, price, rates, today, labels) for index, price in enumerate(book.prices)]


def _own_row(index: int, price: OwnPrice, rates: Rates, today: str, labels: Mapping[str, tuple[str, str, str]]) -> Row:
    kind, label, numbers = labels.get(price.part, ("", price.part, ""))
    rate = rates.at(price.currency, price.as_of)
    is_known = price.currency == USD or rate is not None
    cents = us_cents(price.typical, price.currency, rate) if is_known else None
    return Row(
        part=price.part,
        per=price.per,
        kind=KIND_WORDS.get(kind, "no part of the catalog"),
        label=label,
        numbers=numbers,
        currency=price.currency,
        amount=amount_text(price.typical, price.currency),
        range=range_text(price.minor, price.currency),
        typical_cents=cents,
        basis=price.basis,
        basis_words=BASIS_WORDS[price.basis],
        as_of=price.as_of,
        source=price.source,
        note=price.note,
        region=price.region,
        min_quantity=price.min_quantity,
        length_m=price.length_m,
        valid_from=price.valid_from,
        valid_to=price.valid_to,
        is_valid=is_valid(price, today),
        index=index,
        usd_text=amount_text(cents, USD) if cents is not None else "",
        rate=rate if price.currency != USD else None,
    )


@cache
@in_usual_units()  # kept for everybody
def _rows_of_catalog(book: str, version: str) -> list[Row]:
    catalog = load_catalog()
    pricing, rows = Pricing(Economics(price_book=book), catalog), []  # type: ignore[arg-type]
    for part_id, (kind, label, numbers) in part_labels(version).items():
        prices = next((found for one in fallbacks(book) if (found := catalog.prices_of(part_id, one))), ())
        rows += [_catalog_row(price, book, KIND_WORDS[kind], label, numbers, pricing, catalog) for price in prices]
    return rows


def catalog_rows(book: str) -> list[Row]:
    """Every price of one of the catalog's books; parts that it lacks have the anchors', and say so."""
    return _rows_of_catalog(book, load_catalog().version)


def _catalog_row(
    price: Price, book: str, kind: str, label: str, numbers: str, pricing: Pricing, catalog: Catalog
) -> Row:
    source = catalog.sources[price.source]
    chosen = pricing.of(price.part_id, price.min_quantity) if price.per == "piece" else None
    seen = catalog.evidence_of(price.part_id) if price.per == "piece" else ()
    return Row(
        part=price.part_id,
        per=price.per,
        kind=kind,
        label=label,
        numbers=numbers,
        currency=USD,
        amount=amount_text(price.typical_cents, USD),
        range=range_text(price.cents, USD),
        typical_cents=price.typical_cents,
        basis=price.basis,
        basis_words=CATALOG_BASIS[price.basis],
        as_of=price.as_of,
        source=source.title,
        url=source.url,
        note=price.note or "",
        rule=chosen.rule or "" if chosen else "",
        is_other_book=price.book != book,
        of_book=BOOK_TITLES[price.book].lower(),
        region=price.region,
        min_quantity=price.min_quantity,
        valid_from=price.valid_from,
        valid_to=price.valid_to,
        seen=[_seen(one, catalog) for one in seen],
    )


def _seen(one: PriceEvidence, catalog: Catalog) -> SeenPrice:
    return SeenPrice(
        amount=amount_text(one.typical_cents, one.currency),
        at=one.seen_at,
        date=one.date,
        note=one.left_out or one.note or "",
        is_read=one.access == "read",
        channel=one.channel,
        counts=catalog.evidence.counts(one),
    )


# ---------------------------------------------------------------- search, order, pages


def table_of(rows: Sequence[Row], query: Mapping[str, str]) -> Context:
    """The rows that an address asks for: words in any text of a row, a kind, a basis; by a column; one page."""
    words = query.get("q", "")[:100].casefold().split()
    kinds = ["", *dict.fromkeys(row.kind for row in rows)]
    bases = {"": "", **{row.basis: row.basis_words for row in rows}}
    kind, basis = one_of(query.get("kind"), kinds), one_of(query.get("basis"), bases)
    found = [
        row
        for row in rows
        if (not kind or row.kind == kind)
        and (not basis or row.basis == basis)
        and all(word in row.text for word in words)
    ]
    order = query.get("sort", "")
    key = one_of(order.removeprefix("-"), ORDERS)
    descending = order.startswith("-") and key == order[1:]
    known_rows = sorted((row for row in found if ORDERS[key](row) is not None), key=ORDERS[key], reverse=descending)
    found = known_rows + [row for row in found if ORDERS[key](row) is None]
    number, n_pages = page_number(query.get("page"), len(found), ROWS)
    page = Page([found[place] for place in rows_on(number, len(found), ROWS)], number, n_pages, len(found), ROWS)
    kept = {"q": query.get("q", "")[:100], "kind": kind, "basis": basis}
    known = {name: value for name, value in kept.items() if value}
    return {
        "page": page,
        "heads": column_heads(list(ORDERS), key, descending),
        "kinds": kinds,
        "bases": bases,
        **kept,
        "sort": order,
        "n_all": len(rows),
        "kept_query": urlencode(known),
        "sorted_query": urlencode(known | ({"sort": order} if order else {})),
        "here_query": urlencode(known | ({"sort": order} if order else {}) | ({"page": number} if number > 1 else {})),
    }


def history_of(book: PriceBook) -> list[Context]:
    """Every revision, newest first, with what it changed against the one before."""
    revisions = list(book.revisions.order_by("number"))
    rows, before = [], OwnPrices(name=book.name)
    for one in revisions:
        contents = book.contents(one)
        changes, rates = changes_between(before.prices, contents.prices), rate_changes(before.rates, contents.rates)
        is_first = one is revisions[0]
        rows.append(
            {
                "revision": one,
                "n_prices": len(contents.prices),
                "rates": rates,
                "summary": "" if is_first and not contents.prices else change_words(changes.counts, len(rates)),
                "is_newest": one is revisions[-1],
                "groups": []
                if is_first
                else [
                    (name, entries[:CHANGES_SHOWN], max(0, len(entries) - CHANGES_SHOWN))
                    for name, entries in changes.groups.items()
                    if entries
                ],
            }
        )
        before = contents
    return rows[::-1]


# ---------------------------------------------------------------- the list, and who uses what


def designs_with_prices(owner: User) -> list[Any]:
    """The owner's designs, each with ``used``: the own book of its state, or None."""
    refresh_states(owner)
    designs = list(owner.designs.annotate(used=F("spec__economics__prices")))
    for design in designs:  # a part of a request, read past its field, may be the name of a kept one
        design.used = KeptPart.meant(design.used)
    return designs


def users_of(book: PriceBook, designs: Iterable[Any]) -> list[BookUser]:
    """Designs that carry any revision of a book, and whether it is the newest."""
    newest = book.contents().hash
    return [
        BookUser(design, OwnPrices(**design.used).hash == newest)
        for design in designs
        if design.used and design.used.get("book") == str(book.pk)
    ]


def list_rows(owner: User) -> list[Context]:
    """Every own book, the last changed first."""
    rows, designs = [], designs_with_prices(owner)
    for book in owner.price_books.all():
        latest = book.latest
        prices = book.contents(latest).prices
        rows.append(
            {
                "book": book,
                "base_title": BOOK_TITLES[book.base],
                "n_prices": len(prices),
                "n_parts": len({price.part for price in prices}),
                "number": latest.number,
                "reason": latest.reason,
                "users": users_of(book, designs),
                "currencies": sorted({price.currency for price in prices} - {USD}),
                "newest": max((price.as_of for price in prices), default=""),
            }
        )
    return rows


def catalog_list() -> list[Context]:
    """The catalog's books."""
    out = []
    for key, title in BOOK_TITLES.items():
        rows = catalog_rows(key)
        own = [row for row in rows if not row.is_other_book]
        out.append(
            {
                "key": key,
                "title": title,
                "words": BOOK_WORDS[key],
                "n_prices": len(own),
                "n_parts": len({row.part for row in own}),
                "newest": max(row.as_of for row in own),
                "n_assumed": sum(row.is_assumed for row in own),
            }
        )
    return out


def rate_rows(book: OwnPrices, catalog: Catalog) -> list[Context]:
    """The catalog's newest rate of each currency that the book lacks."""
    mine = {rate.currency for rate in book.rates}
    newest = {rate.currency: rate for rate in sorted(catalog.exchange_rates, key=lambda rate: rate.as_of)}
    return [
        {
            "currency": code,
            "usd": f"{rate.usd:g}",
            "as_of": rate.as_of,
            "source": rate.source,
            "is_assumed": rate.basis == "assumption",
        }
        for code, rate in sorted(newest.items())
        if code not in mine
    ]


def used_book(spec: DesignSpec, owner_id: int | None) -> Context:
    """What a design's result says of its own prices, where their book is if it still is, and whether that has changed."""
    taken = spec.economics.prices
    if not taken:
        return {}
    books = PriceBook.objects.filter(owner_id=owner_id)
    book = next((book for book in books if str(book.pk) == taken.book), None)
    is_changed = book is not None and book.contents().hash != taken.hash
    return {"own_prices": taken.provenance() | {"book": book, "is_changed": is_changed}}
