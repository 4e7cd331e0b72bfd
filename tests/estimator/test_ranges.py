"""A figure with its ends: sums and multiples end by end, differences whose typical case stays typical, cents as dollars."""

from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.ranges import NOTHING, Range, total_of

CENTS = st.integers(-(10**13), 10**13)
RANGES = st.tuples(CENTS, CENTS, CENTS).map(lambda ends: Range(*ends))


def test_money_adds_up_to_the_cent_however_large() -> None:
    """In dollars of binary fractions a thousand times $0.10 are no $100."""
    assert total_of([Range(10, 20, 30)] * 1_000) == Range(10, 20, 30) * 1_000 == Range(10_000, 20_000, 30_000)
    assert total_of([Range(10**18 + 1, 10**18 + 1, 10**18 + 1), NOTHING, Range(1, 1, 1)]).low == 10**18 + 2


def test_what_has_no_price_adds_nothing() -> None:
    assert total_of([None, Range(1, 2, 3), None]) == Range(1, 2, 3)
    assert total_of([]) == NOTHING


@given(RANGES, RANGES)
def test_a_difference_keeps_its_typical_case(one: Range[int], other: Range[int]) -> None:
    difference = (one - other).ordered()
    assert difference.typical == one.typical - other.typical
    assert difference.low == min(one - other)
    assert difference.high == max(one - other)


def test_sorting_would_have_made_another_end_typical() -> None:
    """Typical is the least of these three: it stays typical."""
    assert Range(5, -7, 3).ordered() == Range(-7, -7, 5)
    assert (Range(1, 2, 3) * -1).ordered() == Range(-3, -2, -1)


def test_a_range_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Range(1, 2, 3).low = 0  # type: ignore[misc]
