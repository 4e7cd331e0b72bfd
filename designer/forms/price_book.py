"""Forms of price books: one price, the exchange rates, name and base, a file. What was typed stays, with problems beside."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from itertools import zip_longest
from typing import Any

from django import forms
from django.utils import timezone

from designer.forms.asking import AskForm, ask, hidden
from designer.wording.context import Context
from designer.wording.names import part_labels
from designer.wording.numbers import words
from estimator.bom.price_file import COLUMNS
from estimator.catalog.currency import CURRENCIES, MINOR_DIGITS, USD
from estimator.catalog.loader import load_catalog
from estimator.catalog.price_choice import BASIS_WORDS
from estimator.catalog.price_records import BOOK_TITLES, BOOKS
from estimator.digits import is_whole_number
from estimator.errors import Problem
from estimator.record import Json
from estimator.spec.price_book import BASES, MAX_NAME, MAX_RATES, MAX_REGION, MAX_TEXT, OwnPrice, OwnRate
from estimator.tables.numbers import parse_number

MORE = ("region", "min_quantity", "length_m", "valid_from", "valid_to", "note")
BASIS_CHOICES = [(basis, BASIS_WORDS[basis].capitalize()) for basis in BASES]
CURRENCY_CHOICES = [(code, code) for code in CURRENCIES]
TEXT: Context = {"maxlength": MAX_TEXT}
AMOUNT = TEXT | {"inputmode": "decimal", "class": "numeric"}
DAY = TEXT | {"type": "date"}
SPARE_RATES = 3  # empty rows under those that are there


def today() -> str:
    """The day as a form prints it."""
    return timezone.localdate().isoformat()


class BookForm(AskForm):
    """What a book is called, what lies under it and where its prices hold."""

    name = ask("Name", is_wide=True, maxlength=MAX_NAME, required=True)
    base = ask(
        "Over", "The catalog’s book for parts that this one lacks.", [(base, BOOK_TITLES[base]) for base in BOOKS]
    )
    region = ask(
        "Region", "Yours, such as EU. Prices of other regions then do not count. Blank: all do.", maxlength=MAX_REGION
    )


def column_label(name: str) -> str:
    """What a page calls a column of a file of prices: as the field of a price."""
    field = PriceForm.base_fields.get(name)
    return str(field.label) if field else words(name).capitalize()


class PriceForm(AskForm):
    """One price of a book, a new one or one that is edited; its fields are the columns of a file of prices."""

    part = ask("Part", "Id or part number of the catalog.", is_wide=True, list="parts", **TEXT)
    per = ask("Per", choices=[("piece", "piece"), ("metre", "metre")])
    low = ask("Low", "Blank: as typical.", **AMOUNT)
    typical = ask("Typical", "The price that is used.", **AMOUNT)
    high = ask("High", "Blank: as typical.", **AMOUNT)
    currency = ask("Currency", choices=CURRENCY_CHOICES)
    basis = ask("Basis", choices=BASIS_CHOICES)
    as_of = ask("Date", "Day of the price.", **DAY)
    source = ask("Source", "Offer’s number, page, name.", is_wide=True, **TEXT)
    region = ask("Region", "Blank: anywhere.", **TEXT)
    min_quantity = ask("From quantity", "Pieces from which it holds.", **TEXT)
    length_m = ask("Length", "Of a cable, if the price is of one length.", unit="m", **TEXT)
    valid_from = ask("Valid from", **DAY)
    valid_to = ask("Valid to", **DAY)
    note = ask("Note", is_wide=True, **TEXT)
    index, number, here = hidden(), hidden(), hidden()  # its place in the book, the revision shown, how it is sorted

    @property
    def main(self) -> list[forms.BoundField]:
        """Fields that are always shown."""
        return [self[name] for name in COLUMNS if name not in MORE]

    @property
    def more(self) -> list[forms.BoundField]:
        """Fields that are folded away."""
        return [self[name] for name in MORE]

    @property
    def is_more_open(self) -> bool:
        """Whether a folded field says something, or something is wrong with it."""
        return any(field.errors or (field.value() or "1") != "1" for field in self.more)

    @property
    def parts(self) -> list[tuple[str, str]]:
        """Ids and names of parts, for the list that a browser offers while one types."""
        return [(part, label) for part, (_, label, _) in part_labels(load_catalog().version).items()]

    def place(self, n_prices: int) -> int:
        """The place of the price in a book; behind the last for a new one."""
        text = self.text("index")
        return min(int(text), n_prices) if is_whole_number(text, 5) else n_prices

    def price(self) -> dict[str, str]:
        """What was typed for the price."""
        return {name: text[: MAX_TEXT + 1] for name, text in self.texts(*COLUMNS).items()}


def blank_price() -> dict[str, str]:
    """A new price before anything is typed."""
    return {"per": "piece", "currency": USD, "basis": "quote", "as_of": today(), "min_quantity": "1"}


def texts_of(price: OwnPrice) -> dict[str, str]:
    """An entry as the form prints it: amounts in whole units of the currency, one price alone as the typical."""
    digits = MINOR_DIGITS[price.currency]
    texts = {name: "" if getattr(price, name) is None else str(getattr(price, name)) for name in COLUMNS}
    is_one = price.low == price.typical == price.high
    texts |= {
        name: "" if is_one and name != "typical" else f"{minor / 10**digits:,.{digits}f}"
        for name, minor in price.minor.as_json().items()
    }
    return texts | {"length_m": f"{price.length_m:g}" if price.length_m else ""}


class ImportForm(AskForm):
    """A file of prices, and what holds where a row of it does not say it."""

    file = forms.FileField(
        required=False,
        allow_empty_file=True,
        label="Prices",
        widget=forms.FileInput({"accept": ".csv,.tsv,.txt,.xlsx,.xlsm", "required": True}),
    )
    mode = ask("Prices that the file lacks", choices=[("merge", "stay"), ("replace", "go")])
    basis = ask("Basis", choices=BASIS_CHOICES)
    currency = ask("Currency", choices=CURRENCY_CHOICES)
    as_of = ask("Date", type="date")
    source = ask("Source", maxlength=MAX_TEXT, placeholder="the file’s name")
    discount = ask("Discount on every price", "Blank: none.", unit="%", inputmode="decimal", maxlength=12)

    @property
    def defaults(self) -> list[forms.BoundField]:
        """What holds for rows that do not say it."""
        return [self[name] for name in ("basis", "currency", "as_of", "source")]


# ---------------------------------------------------------------- exchange rates


@dataclass(frozen=True, slots=True)
class RateTexts:
    """A row of the form of exchange rates, as it is typed."""

    currency: str = ""
    usd: str = ""
    as_of: str = ""
    source: str = ""


RATE_FIELDS = tuple(field.name for field in fields(RateTexts))


def rate_texts(rates: Iterable[OwnRate]) -> list[RateTexts]:
    """A book's rates as the form prints them, and some empty rows."""
    rows = [RateTexts(rate.currency, f"{rate.usd:g}", rate.as_of, rate.source) for rate in rates]
    return rows + [RateTexts()] * max(0, min(SPARE_RATES, MAX_RATES - len(rows)))


def typed_rates(posted: Any) -> list[RateTexts]:
    """Rows of the form of rates; those without a currency and a figure are none."""
    columns = [posted.getlist(f"rate_{name}")[: MAX_RATES + SPARE_RATES] for name in RATE_FIELDS]
    return [
        RateTexts(*(text.strip()[: MAX_TEXT + 1] for text in texts)) for texts in zip_longest(*columns, fillvalue="")
    ]


def rates_of(rows: Iterable[RateTexts]) -> tuple[list[Json], list[int]]:
    """Rates of the rows in which anything stands, with the keys of OwnRate, and the places of those rows in the form."""
    rates, places = [], []
    for place, row in enumerate(rows):
        if row.currency or row.usd:
            usd = parse_number(row.usd)
            rates.append(
                {
                    "currency": row.currency.upper(),
                    "usd": float(usd) if usd is not None else row.usd,
                    "as_of": row.as_of or today(),
                    "source": row.source,
                }
            )
            places.append(place)
    return rates, places


def rate_messages(problems: Iterable[Problem], places: list[int]) -> dict[int, str]:
    """What is wrong with a row of the form of rates, by its place; -1 for all of them."""
    out: dict[int, list[str]] = {}
    for problem in problems:
        head = problem.field.partition("rates[")[2].partition("]")[0]
        place = places[int(head)] if is_whole_number(head, 6) and int(head) < len(places) else -1
        out.setdefault(place, []).append(problem.message)
    return {place: " ".join(messages) for place, messages in out.items()}
