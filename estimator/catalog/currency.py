"""Amounts of other currencies in US cents: minor units, dated rates, exact arithmetic rounded half up.

Amounts are integers of a currency's minor unit: cents of EUR, whole yen of JPY. A rate is US dollars for one unit of the
currency. The rate of a price is the newest one at or before the price's date (docs/prices.md, "Currencies").
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple

from estimator.record import Json

USD = "USD"
MINOR_DIGITS: Mapping[str, int] = {  # decimals of ISO 4217
    "USD": 2, "EUR": 2, "GBP": 2, "CHF": 2, "JPY": 0, "CNY": 2, "CAD": 2, "AUD": 2, "INR": 2, "KRW": 0, "SGD": 2, "SEK": 2,
    "NOK": 2, "DKK": 2, "PLN": 2, "CZK": 2, "HUF": 2, "RON": 2, "ISK": 0, "ILS": 2, "TRY": 2, "TWD": 2, "HKD": 2, "NZD": 2,
    "BRL": 2, "MXN": 2, "CLP": 0, "ZAR": 2, "SAR": 2, "AED": 2, "QAR": 2, "KWD": 3, "BHD": 3, "THB": 2, "MYR": 2, "IDR": 2,
    "PHP": 2, "VND": 0,
}  # fmt: skip
CURRENCIES = tuple(MINOR_DIGITS)
LARGEST_RATE = 1_000.0  # US dollars for one unit of any currency


class Rate(NamedTuple):
    """US dollars for one unit of a currency on a day, and who says so."""

    currency: str
    usd: float
    as_of: str
    basis: str
    source: str

    @property
    def exact(self) -> Fraction:
        """The rate as it is written: 1.08 is 108/100."""
        return Fraction(str(self.usd))

    def as_json(self) -> Json:
        """What a line of the bill of materials says of it."""
        return {"usd": self.usd, "date": self.as_of, "basis": self.basis, "source": self.source}


class Rates:
    """Rates by currency and day. Those given first replace those given later, currency by currency."""

    def __init__(self, *books: Iterable[Rate]) -> None:
        self._by_currency: dict[str, list[Rate]] = {}
        for book in books:
            mine: dict[str, list[Rate]] = {}
            for rate in book:
                mine.setdefault(rate.currency, []).append(rate)
            for currency, rates in mine.items():
                self._by_currency.setdefault(currency, sorted(rates, key=lambda rate: rate.as_of))

    def at(self, currency: str, day: str) -> Rate | None:
        """The newest rate at or before a day, else the oldest there is; None for a currency without one."""
        rates = self._by_currency.get(currency, [])
        before = [rate for rate in rates if rate.as_of <= day]
        return before[-1] if before else next(iter(rates), None)


def half_up(amount: Fraction) -> int:
    """The nearest integer, a half upwards; ``amount`` of 0 or more."""
    return (2 * amount.numerator + amount.denominator) // (2 * amount.denominator)


def us_cents(amount_minor: int, currency: str, rate: Rate | None) -> int:
    """An amount in minor units → US cents; ``rate`` is needed for all but US dollars."""
    return half_up(exact_us_cents(Fraction(amount_minor), currency, rate))


def exact_us_cents(amount_minor: Fraction, currency: str, rate: Rate | None) -> Fraction:
    """As ``us_cents``, for amounts that are still summed or multiplied: nothing is rounded."""
    if currency == USD:
        return amount_minor
    if rate is None or rate.currency != currency:
        raise ValueError(f"an amount in {currency} needs a rate of {currency}")
    return amount_minor * Fraction(10 ** MINOR_DIGITS[USD], 10 ** MINOR_DIGITS[currency]) * rate.exact


def amount_text(amount_minor: int, currency: str) -> str:
    """``123450, "EUR"`` → ``"EUR 1,234.50"``; dollars as ``$1,234.50``, whole ones as ``$1,234``."""
    digits = MINOR_DIGITS[currency]
    whole, rest = divmod(amount_minor, 10**digits)
    text = f"{whole:,}" + (f".{rest:0{digits}}" if digits and rest else "")
    return f"${text}" if currency == USD else f"{currency} {text}"
