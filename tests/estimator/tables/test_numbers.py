"""Numbers as vendors write them come back as the numbers they are."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.tables.numbers import (
    currency_of,
    decimal_votes,
    parse_money,
    parse_number,
    parse_quantity,
    stored_number,
    to_minor,
)

amounts = st.decimals(0, 10**9, places=2)


@given(
    amount=amounts, sign=st.sampled_from(["", "-", "−"]), thousands=st.sampled_from([",", "", " ", "\u00a0", "'", "’"])
)
def test_numbers_with_a_point_come_back(amount: Decimal, sign: str, thousands: str) -> None:
    text = sign + f"{amount:,.2f}".replace(",", thousands)
    assert parse_number(text, ".") == (-amount if sign else amount)


@given(
    amount=amounts,
    thousands=st.sampled_from([".", "", " ", "\u202f", "'"]),
    code=st.sampled_from(["€", "EUR", "CHF", "kč"]),
)
def test_numbers_with_a_comma_come_back(amount: Decimal, thousands: str, code: str) -> None:
    body = f"{amount:,.2f}".replace(".", "~").replace(",", thousands).replace("~", ",")
    for text in (f"{body} {code}", f"{code} {body}"):
        found = parse_money(text, ",")
        assert found is not None
        assert found == (amount, currency_of(code))


@given(text=st.text(max_size=80))
def test_any_text_is_a_number_or_none(text: str) -> None:
    for decimal in (".", ","):
        number = parse_number(text, decimal)
        assert number is None or number.is_finite()
        parse_money(text, decimal)
        parse_quantity(text, decimal)
    stored_number(text)


@pytest.mark.parametrize(
    ("text", "decimal", "amount", "currency"),
    [
        ("$32,870.00", ".", "32870", "USD"),
        ("1.234,50 €", ".", "1234.50", "EUR"),  # it can be read in one way only
        ("12'000.– CHF", ".", "12000", "CHF"),
        ("99,-", ",", "99", None),
        ("(1,200.00)", ".", "-1200", None),
        ("¥120,000", ".", "120000", "JPY"),
        ("£1 200.5", ".", "1200.5", "GBP"),
        ("US$ 5", ".", "5", "USD"),
        ("C$10", ".", "10", "CAD"),
        ("1,23,456.00", ".", "123456", None),
        ("1,234", ".", "1234", None),
        ("1,234", ",", "1.234", None),
        ("included", ".", "0", None),
        ("250.00 / pc", ".", "250", None),
    ],
)
def test_a_price_is_read(text: str, decimal: str, amount: str, currency: str | None) -> None:
    assert parse_money(text, decimal) == (Decimal(amount), currency)


@pytest.mark.parametrize("text", ["TBD", "on request", "", "1,2,3.4.5", "1e9", "=1+1", "12 34", "9" * 30])
def test_what_is_no_price_is_none(text: str) -> None:
    assert parse_money(text) is None


@pytest.mark.parametrize(
    ("text", "count"), [("48", 48), ("1,024 pcs", 1024), ("x12", 12), ("6 ea.", 6), ("10 Stk", 10)]
)
def test_quantities_may_name_their_unit(text: str, count: int) -> None:
    assert parse_quantity(text) == count


def test_stored_numbers_lose_their_binary_noise() -> None:
    assert stored_number("32870.000000000004") == 32870
    assert stored_number("1.2E+05") == 120_000
    assert stored_number("1E-300") == 0
    assert stored_number("1E999") is None
    assert stored_number("#REF!") is None


def test_votes_tell_the_decimal_sign() -> None:
    assert decimal_votes(["1,234.50"]) == (2, 0)
    assert decimal_votes(["1.234,50", "12,5"]) == (0, 3)
    assert decimal_votes(["1,234", "2,500"]) == (0, 0)


def test_yen_have_no_cents() -> None:
    assert to_minor(Decimal("1234.5"), "JPY") == 1235
    assert to_minor(Decimal("1234.505"), "EUR") == 123451
