"""Importing a file of prices into a book: what it would change, shown first, and then done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from designer.forms.price_book import today
from designer.models import PriceBook
from designer.services.prices.books import checked_book, entry_key, merged_prices, revise_book
from designer.services.prices.changes import Changes, changes_between
from estimator.bom.price_file import Defaults, RefusedRow, read_price_sheet
from estimator.catalog.currency import CURRENCIES, USD
from estimator.catalog.loader import load_catalog
from estimator.errors import Problem, SpecError
from estimator.record import Json
from estimator.spec.checking import Section
from estimator.spec.price_book import BASES, MAX_PRICES, OwnPrice, OwnRate, is_day
from estimator.units import counted

MERGE: Literal["merge"] = "merge"
REPLACE: Literal["replace"] = "replace"
SHOWN = 100  # rows of each kind in a preview


class Planned(Section):
    """What the page hands from the preview to the import; what is in the lists is checked by their rules."""

    file_name: str
    prices: list[Any]
    rates: list[Any]
    mode: Literal["merge", "replace"]


@dataclass
class ImportPlan:
    """What a file would change in a book."""

    file_name: str
    prices: list[OwnPrice]
    rates: list[OwnRate]
    mode: Literal["merge", "replace"]
    changes: Changes = field(default_factory=Changes)
    refused: list[RefusedRow] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        """How many prices are added, changed, removed, the same, and rows refused."""
        return {
            "added": len(self.changes.added),
            "removed": len(self.changes.removed),
            "changed": len(self.changes.changed),
            "same": len(self.changes.same),
            "refused": len(self.refused),
        }

    @property
    def has_changes(self) -> bool:
        """Whether there is anything to store."""
        return bool(self.rates) or any(self.changes.counts.values())

    def as_json(self) -> Json:
        """What the page hands from the preview to the import."""
        return {
            "file_name": self.file_name,
            "prices": [price.model_dump(mode="json") for price in self.prices],
            "rates": self.rates_json(),
            "mode": self.mode,
        }

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
        n_prices = counted(len(self.prices), "price")
        revise_book(book, f"Imported {self.file_name}: {n_prices}", prices, rates)
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
    prices, refused = [], list(sheet.refused)
    for row, entry in sheet.entries:
        if (first := rows.setdefault(entry_key(entry), row)) != row:
            message = f"Row {first} has a price of this part with the same basis, source, region, quantity and length."
            refused.append(RefusedRow(row, entry.part, "part", message))
        else:
            prices.append(entry)
    mode = REPLACE if typed.get("mode") == REPLACE else MERGE
    plan = ImportPlan(file_name, prices, sheet.rates, mode, ignored=sheet.ignored, notes=sheet.notes)
    plan.refused = sorted(refused, key=lambda one: one.row)
    after, _ = plan.after(book)
    if len(after) > MAX_PRICES:
        message = (
            f"The book would have {len(after):,} prices, and {MAX_PRICES:,} are the most. Leave out parts that no design "
            "buys, or put them into a second book."
        )
        raise SpecError([Problem("file", "too_many_prices", message)])
    before = book.contents().prices
    of_file = [entry for entry in before if entry_key(entry) in rows]
    plan.changes = changes_between(before, after).but(same=changes_between(of_file, prices).same)
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
    return ImportPlan(sent.file_name[:200], contents.prices, contents.rates, sent.mode)
