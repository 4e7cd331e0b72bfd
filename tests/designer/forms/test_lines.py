"""Lists of a request that the form writes in one line: every digit comes back, and what is no entry is refused in words."""

from typing import Any

import pytest

from designer.forms.keys import ALL_KEYS
from designer.forms.lines.owned import owned_of_text, text_of_owned
from designer.forms.lines.phases import EXAMPLE, PHASES, phases_of_text, text_of_phases
from designer.forms.parts.part import OwnPartForm
from estimator.spec.own.part import OWN_KINDS
from tests.estimator.spec.test_own_parts import OWN
from tests.estimator.spec.test_read_again import FIELDS, beside, numeric_fields


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


def test_the_example_of_phases_is_read_as_it_is_printed() -> None:
    line = EXAMPLE.removeprefix("Such as ").removesuffix(".")
    assert ALL_KEYS[PHASES].help.endswith(EXAMPLE)
    assert text_of_phases(phases_of_text(line)) == line.replace(",", "")
    assert [(one.get("nodes"), one.get("gpus")) for one in phases_of_text(line)] == [
        (None, None),
        (64, None),
        (None, 1024),
    ]


def test_every_number_of_a_design_is_read_as_it_is_printed() -> None:
    for path, is_fraction, bounds in FIELDS:
        for value in beside(is_fraction, bounds) if path in ALL_KEYS else ():
            assert ALL_KEYS[path].parse(str(value)) == value, path


@pytest.mark.parametrize("kind", OWN_KINDS)
def test_every_fraction_of_an_own_part_is_read_as_its_form_prints_it(kind: str) -> None:
    model, n_read = OWN_KINDS[kind], 0
    for path, is_fraction, bounds in numeric_fields(model):
        for value in beside(is_fraction, bounds) if is_fraction else ():
            try:
                part = model.model_validate(OWN[kind][0] | {path: value})
            except ValueError:  # the rules refuse it
                continue
            shown = OwnPartForm(kind, None, part.model_dump(mode="json")).initial
            sent = OwnPartForm(kind, {name: text for name, text in shown.items() if text != ""}).part()
            assert getattr(model.model_validate(sent), path) == value, path
            n_read += 1
    assert n_read > 3
