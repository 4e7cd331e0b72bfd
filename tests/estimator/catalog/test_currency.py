"""Amounts of other currencies in US cents: exact, half up, at the rate of the day."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.catalog.catalog import Catalog
from estimator.catalog.currency import MINOR_DIGITS, Rate, Rates, amount_text, half_up, us_cents

EUR_OLD = Rate("EUR", 1.0705, "2024-06-28", "reference", "ECB")
EUR_NEW = Rate("EUR", 1.15, "2026-01-01", "assumption", "none")


def test_an_amount_is_converted_exactly_and_rounded_half_up() -> None:
    assert us_cents(3_389_400, "EUR", EUR_NEW) == 3_897_810  # EUR 33,894.00 × 1.15 = $38,978.10
    assert us_cents(1, "EUR", Rate("EUR", 0.5, "2026-01-01", "own", "")) == 1  # half a cent
    assert us_cents(1, "EUR", Rate("EUR", 0.49, "2026-01-01", "own", "")) == 0
    assert us_cents(123, "USD", None) == 123
    with pytest.raises(ValueError, match="needs a rate of EUR"):
        us_cents(1, "EUR", None)
    with pytest.raises(ValueError, match="needs a rate of EUR"):
        us_cents(1, "EUR", Rate("GBP", 1.26, "2026-01-01", "own", ""))


def test_minor_units_are_those_of_the_currency() -> None:
    assert us_cents(10_000, "JPY", Rate("JPY", 0.0065, "2026-01-01", "own", "")) == 6_500  # ¥10,000 → $65.00
    assert us_cents(1_000, "KWD", Rate("KWD", 3.25, "2026-01-01", "own", "")) == 325  # a dinar has 1,000 fils
    texts = [amount_text(123_450, "EUR"), amount_text(123_400, "USD"), amount_text(1_234, "JPY"), amount_text(1, "KWD")]
    assert texts == ["EUR 1,234.50", "$1,234", "JPY 1,234", "KWD 0.001"]


@given(
    amount=st.integers(0, 10**13),
    usd=st.decimals("0.00001", 1000, places=5).map(float),
    code=st.sampled_from(list(MINOR_DIGITS)),
)
def test_rounding_is_never_off_by_more_than_half_a_cent(amount: int, usd: float, code: str) -> None:
    rate = Rate(code, usd, "2026-01-01", "own", "")
    exact = Fraction(amount, 10 ** MINOR_DIGITS[code]) * 100 * (Fraction(str(usd)) if code != "USD" else 1)
    assert abs(us_cents(amount, code, rate) - exact) <= Fraction(1, 2)
    assert half_up(exact) == us_cents(amount, code, rate)


@pytest.mark.parametrize(
    ("day", "usd"),
    [
        ("2024-06-28", 1.0705),
        ("2025-12-31", 1.0705),
        ("2026-01-01", 1.15),
        ("2030-01-01", 1.15),
        ("2020-01-01", 1.0705),
    ],
)
def test_the_rate_is_the_newest_at_or_before_the_day_else_the_oldest(day: str, usd: float) -> None:
    found = Rates([EUR_NEW, EUR_OLD]).at("EUR", day)
    assert found is not None
    assert found.usd == usd


def test_rates_of_a_book_replace_those_of_the_catalog_currency_by_currency() -> None:
    own = Rate("EUR", 1.08, "2026-11-02", "own", "Bank")
    pound = Rate("GBP", 1.26, "2024-06-28", "reference", "ECB")
    rates = Rates([own], [EUR_OLD, EUR_NEW, pound])
    assert rates.at("EUR", "2024-07-01") is own
    assert rates.at("GBP", "2026-11-02") is pound
    assert rates.at("TWD", "2026-11-02") is None


def test_the_catalog_has_dated_rates_with_their_source(catalog: Catalog) -> None:
    wanted = {"EUR", "GBP", "CHF", "JPY", "CNY", "CAD", "AUD", "INR", "KRW", "SGD", "SEK"}
    assert wanted <= {rate.currency for rate in catalog.exchange_rates}
    assert all(rate.source and rate.usd > 0 for rate in catalog.exchange_rates)
    euro = [rate for rate in catalog.exchange_rates if rate.currency == "EUR"]
    assert [(rate.basis, rate.usd) for rate in euro] == [("reference", 1.1269)]
    assert euro[0].usd == catalog.economics["fx-usd-eur"].typical
    # 1.1269 USD and 178.15 JPY a euro: six digits of the quotient.
    yen = next(rate for rate in catalog.exchange_rates if rate.currency == "JPY")
    assert yen.usd == pytest.approx(1.1269 / 178.15, rel=1e-5)
