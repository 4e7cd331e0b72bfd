"""Every conversion, and integer arithmetic that floats would get wrong."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator import units


@given(st.integers(0, 2**62), st.integers(1, 2**31))
def test_division_rounds_up_exactly(dividend: int, divisor: int) -> None:
    quotient = units.ceil_div(dividend, divisor)
    assert (quotient - 1) * divisor < dividend <= quotient * divisor
    assert units.ceil_div(np.array([dividend]), divisor)[0] == quotient


def test_conversions() -> None:
    assert units.gbit_s_to_byte_s(400) == 50e9
    assert units.byte_s_to_gb_s(50e9) == 50
    assert units.s_to_us(0.25) == pytest.approx(250_000)
    assert units.us_to_s(250_000) == pytest.approx(0.25)
    assert units.cents_to_usd(np.int64(12_345)) == 123.45


def test_ratios_are_two_integers() -> None:
    assert units.parse_ratio(" 66 : 14 ") == Fraction(33, 7)
    assert units.ratio_text(Fraction(66, 14)) == "33:7"
    assert units.ratio_text(Fraction(4)) == "4:1"


@pytest.mark.parametrize("text", ["", "3", "3:1:1", "0:1", "1:0", "-1:1", "1.5:1", "3/1", "1" * 10 + ":1"])
def test_what_is_no_ratio_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"colon|0"):
        units.parse_ratio(text)


def test_divisors_ascend_and_are_complete() -> None:
    for number in (1, 2, 32, 36, 97, 360):
        assert units.divisors(number) == [d for d in range(1, number + 1) if number % d == 0]


def test_counted_nouns() -> None:
    assert [units.counted(n, "leaf") for n in (0, 1, 2048)] == ["0 leaves", "1 leaf", "2,048 leaves"]
    assert units.counted(3, "switch") == "3 switches"
    assert units.counted(1, "node") == "1 node"
