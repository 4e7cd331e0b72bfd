"""Lists of a request that the form writes in one line: every digit comes back, and what is no entry is refused in words."""

from typing import Any

import pytest

from designer.forms.lines.owned import owned_of_text, text_of_owned


@pytest.mark.parametrize(
    ("text", "owned"),
    [
        ("", []),
        ("none", []),
        ("dgx-h100", [{"part": "dgx-h100"}]),
        ("nvidia-qm9700: 1,016; dgx-h100", [{"part": "nvidia-qm9700", "quantity": 1016}, {"part": "dgx-h100"}]),
        ("cable-x 2.5 m: 40", [{"part": "cable-x", "quantity": 40, "length_m": 2.5}]),
        ("cable-x 3 m", [{"part": "cable-x", "length_m": 3.0}]),
        ("a: many", [{"part": "a", "quantity": "many"}]),  # the rules say what is wrong with it
        ("two words", [{"part": "two words"}]),
    ],
)
def test_a_line_is_read(text: str, owned: list[Any]) -> None:
    assert owned_of_text(text) == owned


@pytest.mark.parametrize("length_m", [1e-05, 0.1 + 0.2, 3.0, 10_000.0])
def test_every_digit_of_an_entry_comes_back(length_m: float) -> None:
    owned = [{"part": "cable-x", "quantity": 1_000_000_000, "length_m": length_m}, {"part": "dgx-h100"}]
    assert owned_of_text(text_of_owned(owned)) == owned
    assert text_of_owned(None) == ""
