"""Importing a file of prices into a book: what it would change, shown first, and then done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, NamedTuple

from pydantic import Field

from designer.forms.price_book import today
from designer.models import PriceBook
from designer.services.prices.books import checked_book, entry_key, merged_prices, revise_book
from designer.services.prices.changes import Changes, changes_between
from estimator.bom.price_file import Defaults, RefusedRow, less_discount, not_taken_off, read_price_sheet
from estimator.catalog.currency import CURRENCIES, USD, amount_text
from estimator.catalog.loader import load_catalog
from estimator.errors import Problem, SpecError
from estimator.record import Json
from estimator.spec.checking import Section, empty
from estimator.spec.price_book import BASES, MAX_PRICES, OwnPrice, OwnRate, is_day
from estimator.tables.discounts import MAX_SHOWN, StatedDiscount, given_percent, percent_text
from estimator.units import counted

MERGE: Literal["merge"] = "merge"
REPLACE: Literal["replace"] = "replace"
SHOWN_REFUSED = 100  # rows that a preview names


class StatedJson(Section):
    """A discount that the file states for all of its prices."""

    row: int
    text: str
    percent: float | None


class RefusedJson(Section):
    """A row that gave no price."""

    row: int
    part: str
    column: str
    message: str


class DiscountChoice(NamedTuple):
    """A discount that may be taken off all prices of a file: as a form sends it, in words, and what it does to one price."""

    percent: str
    words: str
    part: str
    before: str
    after: str


class Planned(Section):
    """What the page hands from the preview to the import; what is in the lists is checked by their rules."""

    file_name: str
    prices: list[Any]
    rates: list[Any]
    mode: Literal["merge", "replace"]
    discount: str = ""
    discounts: list[StatedJson] = Field(default_factory=empty)
    net: list[int] = Field(default_factory=empty)
    refused: list[RefusedJson] = Field(default_factory=empty)
    n_more_refused: int = 0
    ignored: list[str] = Field(default_factory=empty)
    remarks: list[str] = Field(default_factory=empty)


@dataclass
class ImportPlan:
    """What a file would change in a book.

    ``given`` are its prices as they stand there, and ``net`` the places of those from which no discount of the list comes off.
    """

    file_name: str
    given: list[OwnPrice]
    rates: list[OwnRate]
    mode: Literal["merge", "replace"]
    discount: Decimal | None = None
    discounts: list[StatedDiscount] = field(default_factory=list)
    net: frozenset[int] = frozenset()
    changes: Changes = field(default_factory=Changes)
    refused: list[RefusedRow] = field(default_factory=list)
    n_more_refused: int = 0
    ignored: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    @property
    def prices(self) -> list[OwnPrice]:
        """The file's prices, with the discount of the list taken off where somebody set one."""
        if self.discount is None:
            return self.given
        stated = next((one.words() for one in self.discounts if one.percent == self.discount), "")
        return [
            price if at in self.net else less_discount(price, self.discount, stated)
            for at, price in enumerate(self.given)
        ]

    @property
    def notes(self) -> list[str]:
        """What a reader should know of the file, and which discounts were taken off or not."""
        return [*self.remarks, *(self._discount_words(one) for one in self.discounts), *self._typed_discount()]

    def _discount_words(self, stated: StatedDiscount) -> str:
        if self.discount is None or stated.percent != self.discount:
            return not_taken_off(stated)
        return f"Row {stated.row} says “{stated.text}”: {self._off()}"

    def _typed_discount(self) -> list[str]:
        is_stated = any(one.percent == self.discount for one in self.discounts)
        return [] if self.discount is None or is_stated else [f"A discount was set: {self._off()}"]

    def _off(self) -> str:
        one = len(self.net) == 1
        what = (
            "that is net or has a discount of its own stays" if one else "that are net or have their own discount stay"
        )
        net = f"; {counted(len(self.net), 'price')} {what}" if self.net else ""
        return f"{percent_text(self.discount)} is taken off {counted(self.n_discounted, 'price')}{net}."

    @property
    def n_discounted(self) -> int:
        """How many prices a discount of the list comes off."""
        return len(self.given) - len(self.net)

    @property
    def choices(self) -> list[DiscountChoice]:
        """Each discount that the file states, with what it does to the first price."""
        sample = next((price for at, price in enumerate(self.given) if at not in self.net), None)
        if sample is None:
            return []
        out = []
        for percent in dict.fromkeys(one.percent for one in self.discounts if one.percent):
            left = less_discount(sample, percent)
            before, after = (amount_text(price.typical, price.currency) for price in (sample, left))
            out.append(DiscountChoice(f"{percent:f}", percent_text(percent), sample.part, before, after))
        return out

    @property
    def counts(self) -> dict[str, int]:
        """How many prices are added, changed, removed, the same, and rows refused."""
        return {
            "added": len(self.changes.added),
            "removed": len(self.changes.removed),
            "changed": len(self.changes.changed),
            "same": len(self.changes.same),
            "refused": len(self.refused) + self.n_more_refused,
        }

    @property
    def has_changes(self) -> bool:
        """Whether there is anything to store."""
        return bool(self.rates) or any(self.changes.counts.values())

    def as_json(self) -> Json:
        """What the page hands from the preview to the import."""
        return {
            "file_name": self.file_name,
            "prices": [price.model_dump(mode="json") for price in self.given],
            "rates": self.rates_json(),
            "mode": self.mode,
            "discount": "" if self.discount is None else f"{self.discount:f}",
            "discounts": self.discounts_json(),
            "net": sorted(self.net),
            "refused": [one.as_json() for one in self.refused[:SHOWN_REFUSED]],
            "n_more_refused": max(len(self.refused) - SHOWN_REFUSED, 0) + self.n_more_refused,
            "ignored": self.ignored[:SHOWN_REFUSED],
            "remarks": self.remarks[:SHOWN_REFUSED],
        }

    def discounts_json(self) -> list[Json]:
        """Discounts that the file states for all of its prices, with the keys of an answer."""
        return [
            {"row": one.row, "text": one.text, "percent": float(one.percent) if one.percent else None}
            for one in self.discounts
        ]

    def rates_json(self) -> list[Json]:
        """The exchange rates of the file with the keys of an answer."""
        return [rate.model_dump(mode="json") for rate in self.rates]

    def after(self, book: PriceBook) -> tuple[list[OwnPrice], list[OwnRate]]:
        """Prices and rates of the book once the file is in it."""
        now = book.contents()
        before = now.prices if self.mode == MERGE else []
        rates = {(rate.currency, rate.as_of): rate for rate in [*now.rates, *self.rates]}
        return merged_prices(before, self.prices), list(rates.values())

    def apply(self, book: PriceBook) -> Mapping[str, int]:
        """Store it as the book's next revision; how many prices that adds, changes and removes.

        Raises
        ------
        SpecError
            With what is wrong with the prices.
        """
        checked_book(self.file_name or "import", self.prices, self.rates)
        prices, rates = self.after(book)
        changes = changes_between(book.contents().prices, prices)
        less = f", {percent_text(self.discount)} discount taken off" if self.discount else ""
        n_prices = counted(len(self.given), "price")
        revise_book(book, f"Imported {self.file_name}: {n_prices}{less}", prices, rates)
        return changes.counts


def plan_import(book: PriceBook, data: bytes, file_name: str, typed: Mapping[str, str]) -> ImportPlan:
    """Read a file and compare it with a book; nothing is stored. A price that stands twice is refused the second time.

    Raises
    ------
    SpecError
        If the file cannot be read, what holds by default is wrong, or the book would have too many prices.
    """
    sheet = read_price_sheet(data, file_name, load_catalog(), _defaults(typed, file_name))
    rows: dict[Any, int] = {}
    prices: list[OwnPrice] = []
    refused, net = list(sheet.refused), set[int]()
    discount = given_percent(typed.get("discount"), "discount")
    for row, entry in sheet.entries:
        if (first := rows.setdefault(entry_key(entry), row)) != row:
            what = "basis, source, region, quantity, length and first day"
            message = f"Row {first} has a price of this part with the same {what}."
            refused.append(RefusedRow(row, entry.part, "part", message))
        else:
            net |= {len(prices)} if row in sheet.discounted_rows else set()
            prices.append(entry)
    mode = REPLACE if typed.get("mode") == REPLACE else MERGE
    plan = ImportPlan(file_name, prices, sheet.rates, mode, discount, sheet.discounts, frozenset(net))
    plan.ignored, plan.remarks = sheet.ignored, sheet.notes
    plan.refused = sorted(refused, key=lambda one: one.row)
    _compare(plan, book)
    return plan


def _compare(plan: ImportPlan, book: PriceBook) -> None:
    """What a plan changes in a book, into the plan."""
    after, _ = plan.after(book)
    if len(after) > MAX_PRICES:
        message = (
            f"The book would have {len(after):,} prices, and {MAX_PRICES:,} are the most. Leave out parts that no design "
            "buys, or put them into a second book."
        )
        raise SpecError([Problem("file", "too_many_prices", message)])
    before, prices = book.contents().prices, plan.prices
    keys = {entry_key(entry) for entry in prices}
    of_file = [entry for entry in before if entry_key(entry) in keys]
    plan.changes = changes_between(before, after).but(same=changes_between(of_file, prices).same)


def with_discount(plan: ImportPlan, book: PriceBook, percent: str) -> ImportPlan:
    """An import that a preview handed over, with another discount taken off its prices; "" for none.

    Raises
    ------
    SpecError
        If it is no discount.
    """
    plan.discount = given_percent(percent, "discount")
    _compare(plan, book)
    return plan


def _defaults(typed: Mapping[str, str], file_name: str) -> Defaults:
    as_of, basis, currency = typed.get("as_of") or today(), typed.get("basis") or "quote", typed.get("currency") or USD
    problems = []
    if not is_day(as_of):
        problems.append(
            Problem("as_of", "not_a_date", f"'{as_of[:20]}' is no day of the calendar. Write it as 2026-11-02.")
        )
    if basis not in BASES:
        problems.append(
            Problem("basis", "not_a_choice", f"The basis is one of {', '.join(BASES)}, and {basis[:20]!r} was given.")
        )
    if currency not in CURRENCIES:
        problems.append(Problem("currency", "unknown_currency", f"'{currency[:20]}' is no currency known here."))
    if problems:
        raise SpecError(problems)
    return Defaults(as_of=as_of, basis=basis, currency=currency, source=(typed.get("source") or file_name)[:300])


def planned_of(text: str) -> ImportPlan:
    """The import that a preview handed over.

    Raises
    ------
    SpecError
        If it is not what the preview made, or with what is wrong with a price.
    """
    broken = SpecError([Problem("planned", "wrong_type", "The preview was not sent whole. Choose the file again.")])
    try:
        sent = Planned.model_validate_json(text)
    except ValueError:
        raise broken from None
    contents = checked_book(sent.file_name or "import", sent.prices, sent.rates)
    stated = [StatedDiscount(one.row, one.text[:MAX_SHOWN], _percent(one.percent)) for one in sent.discounts]
    discount = given_percent(sent.discount, "discount")
    return ImportPlan(
        sent.file_name[:200],
        contents.prices,
        contents.rates,
        sent.mode,
        discount,
        stated,
        frozenset(sent.net),
        refused=[RefusedRow(one.row, one.part, one.column, one.message) for one in sent.refused],
        n_more_refused=sent.n_more_refused,
        ignored=sent.ignored,
        remarks=sent.remarks,
    )


def _percent(value: float | None) -> Decimal | None:
    return None if value is None else given_percent(value, "planned")
