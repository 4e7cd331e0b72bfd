"""Prices of one's own: how a design carries a whole price book with it, and what is wrong with one (docs/prices.md)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from datetime import date
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from estimator.catalog.currency import CURRENCIES, LARGEST_RATE, USD, Rate, Rates
from estimator.errors import Problem
from estimator.ranges import Range
from estimator.record import Json
from estimator.spec.checking import Section, empty, near_words, unknown_part

if TYPE_CHECKING:
    from estimator.catalog.catalog import Catalog

MAX_PRICES, MAX_RATES = 2_000, 60
LARGEST_MINOR = 10**13  # of a currency's minor unit: far beyond the dearest part, so that nothing overflows
LARGEST_QUANTITY = 10**9
LARGEST_LENGTH_M = 10_000
MAX_NAME, MAX_TEXT, MAX_REGION = 200, 300, 40
_NEAR_NAMES = 20  # unknown parts that are reported with names near them: looking for those takes a while
BASES = ("quote", "list", "listing", "analyst", "assumption")


class OwnPrice(Section):
    """One price of a part: a range in whole minor units of its currency, with where and when it is from and holds."""

    part: str = Field(min_length=1, max_length=100, title="Part", description="Id of a part of the catalog.")
    per: Literal["piece", "metre"] = Field(
        "piece", title="Per", description="A price by the metre is added to that of the piece, times the length."
    )
    low: int = Field(ge=0, le=LARGEST_MINOR, title="Low", description="In minor units: cents of EUR, whole yen of JPY.")
    typical: int = Field(ge=0, le=LARGEST_MINOR, title="Typical", description="The price that is used; in minor units.")
    high: int = Field(ge=0, le=LARGEST_MINOR, title="High", description="In minor units.")
    currency: str = Field(USD, max_length=20, title="Currency", description="Code of ISO 4217, such as EUR.")
    basis: Literal["quote", "list", "listing", "analyst", "assumption"] = Field(
        title="Basis", description="What stands behind it: a quotation, a list price, a dealer's listing, an estimate."
    )
    as_of: str = Field(max_length=20, title="Date", description="Day of the price, such as 2026-11-02.")
    source: str = Field("", max_length=MAX_TEXT, title="Source", description="Who says so: an offer's number, a page.")
    region: str | None = Field(
        None, min_length=1, max_length=MAX_REGION, title="Region", description="Where it holds; null for anywhere."
    )
    min_quantity: int = Field(
        1, ge=1, le=LARGEST_QUANTITY, title="From quantity", description="Pieces bought from which it holds."
    )
    length_m: float | None = Field(
        None,
        gt=0,
        le=LARGEST_LENGTH_M,
        title="Length",
        description="Of a cable: the one length that it is the price of.",
    )
    valid_from: str | None = Field(None, max_length=20, title="Valid from", description="First day on which it holds.")
    valid_to: str | None = Field(None, max_length=20, title="Valid to", description="Last day on which it holds.")
    note: str = Field("", max_length=MAX_TEXT, title="Note", description="What a reader should know.")

    @property
    def minor(self) -> Range[int]:
        """The price in minor units of the currency."""
        return Range(self.low, self.typical, self.high)


class OwnRate(Section):
    """US dollars for one unit of a currency on a day."""

    currency: str = Field(max_length=20, title="Currency", description="Code of ISO 4217, such as EUR.")
    usd: float = Field(gt=0, le=LARGEST_RATE, title="US dollars", description="Dollars for one unit of the currency.")
    as_of: str = Field(max_length=20, title="Date", description="Day of the rate, such as 2026-11-02.")
    source: str = Field("", max_length=MAX_TEXT, title="Source", description="Who says so.")


class OwnPrices(Section):
    """A named price book, whole: with it in the request a result depends on nothing that is not in there."""

    name: str = Field(min_length=1, max_length=MAX_NAME, title="Name", description="What the book is called.")
    prices: list[OwnPrice] = Field(
        default_factory=empty, max_length=MAX_PRICES, title="Prices", description="Several of a part may stand."
    )
    rates: list[OwnRate] = Field(
        default_factory=empty,
        max_length=MAX_RATES,
        title="Exchange rates",
        description="Of a currency that is in here, the catalog's rates are not used.",
    )
    region: str | None = Field(
        None,
        min_length=1,
        max_length=MAX_REGION,
        title="Region",
        description="The buyer's: its prices come first, and those of other regions do not count.",
    )
    priced_on: str | None = Field(
        None,
        max_length=20,
        title="Priced on",
        description="The day on which prices must stand; without one, that of the newest price in here.",
    )

    book: str | None = Field(
        None, max_length=40, title="Book", description="Where it was taken from; nothing depends on it."
    )

    @property
    def hash(self) -> str:
        """16 hexadecimal digits of prices, rates and region: equal for books that say the same."""
        values = self.model_dump(mode="json", include={"prices", "rates", "region"})
        text = json.dumps(values, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def day(self) -> str:
        """The day on which prices must stand."""
        return self.priced_on or max((price.as_of for price in self.prices), default="")

    def provenance(self) -> Json:
        """What an estimate says of it."""
        return {"name": self.name, "hash": self.hash, "priced_on": self.day or None, "n_prices": len(self.prices)}

    def exchange(self, catalog: Catalog) -> Rates:
        """The book's own rates, and the catalog's for currencies that it lacks."""
        mine = (Rate(rate.currency, rate.usd, rate.as_of, "own", rate.source or self.name) for rate in self.rates)
        return Rates(mine, catalog.exchange_rates)


def own_price_problems(own: OwnPrices | None, catalog: Catalog, field: str) -> list[Problem]:
    """Parts that the catalog lacks, dates that are none, ranges upside down, currencies that nothing says the worth of."""
    if own is None:
        return []
    problems = list(_date_problems([("priced_on", own.priced_on)], field))
    for number, rate in enumerate(own.rates):
        place = f"{field}.rates[{number}]"
        problems += _currency_problems(rate.currency, place)
        problems += _date_problems([("as_of", rate.as_of)], place)
    known = {rate.currency for rate in own.rates} | {rate.currency for rate in catalog.exchange_rates} | {USD}
    parts, n_unknown = set(catalog.part_ids()), 0
    for number, price in enumerate(own.prices):
        place = f"{field}.prices[{number}]"
        if catalog.current_id(price.part) not in parts:
            n_unknown += 1
            problems.append(unknown_own_part(price.part, parts, f"{place}.part", n_unknown <= _NEAR_NAMES))
        problems += price_problems(price, place)
        if price.currency in CURRENCIES and price.currency not in known:
            problems.append(no_rate(price.currency, f"{place}.currency"))
    return problems


def price_problems(price: OwnPrice, place: str) -> Iterator[Problem]:
    """What is wrong with one price, whatever the catalog."""
    yield from _currency_problems(price.currency, place)
    dates = [("as_of", price.as_of), ("valid_from", price.valid_from), ("valid_to", price.valid_to)]
    wrong = list(_date_problems(dates, place))
    yield from wrong
    if not price.low <= price.typical <= price.high:
        message = (
            f"Low, typical and high must ascend, and {price.low:,}, {price.typical:,}, {price.high:,} were given. "
            "Give the one price you have three times if there is no range."
        )
        yield Problem(f"{place}.typical", "price_range_not_ascending", message)
    if not wrong and price.valid_from and price.valid_to and price.valid_from > price.valid_to:
        message = (
            f"The last day, {price.valid_to}, is before the first, {price.valid_from}. Exchange them or leave one out."
        )
        yield Problem(f"{place}.valid_to", "dates_not_ascending", message)


def unknown_own_part(part: str, parts: Iterable[str], field: str, with_names: bool = True) -> Problem:
    """A price of a part that the catalog does not have."""
    if with_names:
        return unknown_part(field, "part", part, parts, "leave the price out")
    return Problem(field, "unknown_part", f"The catalog has no part '{part[:80]}'. Leave the price out.")


def no_rate(currency: str, field: str) -> Problem:
    """A price in a currency without a rate."""
    message = (
        f"Nothing says what {currency} is worth: neither the book nor the catalog has a rate. Add the US dollars for one "
        f"{currency} to the book's exchange rates, or give the price in US dollars."
    )
    return Problem(field, "no_exchange_rate", message)


def _currency_problems(currency: str, place: str) -> Iterator[Problem]:
    if currency not in CURRENCIES:
        near = near_words(currency.upper(), CURRENCIES)
        message = f"'{currency[:20]}' is no currency known here. Near it: {near}; or give the price in US dollars."
        yield Problem(f"{place}.currency", "unknown_currency", message)


def _date_problems(dates: Iterable[tuple[str, str | None]], place: str) -> Iterator[Problem]:
    for name, text in dates:
        if text is not None and not is_day(text):
            message = f"'{text[:20]}' is no day of the calendar. Write it as 2026-11-02."
            yield Problem(f"{place}.{name}", "not_a_date", message)


def is_day(text: str) -> bool:
    """Whether a text is a day as 2026-11-02."""
    try:
        return len(text) == 10 and date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
