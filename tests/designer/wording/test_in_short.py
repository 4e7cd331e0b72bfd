"""A design in short: its verdict, and the parts of what it costs."""

from typing import Any

import pytest

from designer.templatetags.bars import BAR_WIDTH, cost_bar
from designer.wording.cost import CostPart, cost_parts
from designer.wording.findings import verdict
from designer.wording.numbers import NO_BREAK_SPACE, WORD_JOINER
from designer.wording.strip import range_note
from estimator.catalog.loader import load_catalog
from estimator.findings.finding import Finding
from estimator.pipeline import estimate
from estimator.spec.parse import parse_spec


def findings(*severities: Any) -> list[Finding]:
    return [Finding(code="x", severity=one, field="fabric", message=f"{one} {at}") for at, one in enumerate(severities)]


@pytest.mark.parametrize(
    ("severities", "lacks_prices", "words", "tone"),
    [
        ((), False, "Can be built as requested; no warnings", "good"),
        (("info",), True, "Can be built; some parts have no price", "warning"),
        (("info", "warning"), False, "Can be built; 1 warning", "warning"),
        (("warning", "warning", "info"), True, "Can be built; 2 warnings", "warning"),
        (("warning", "error", "info"), False, "Can be built; 1 error to correct first", "error"),
    ],
)
def test_a_verdict_follows_from_the_worst_finding(severities: Any, lacks_prices: bool, words: str, tone: str) -> None:
    found = verdict(findings(*severities), lacks_prices=lacks_prices)
    assert (found.words, found.tone) == (words, tone)


def test_a_ratio_that_is_not_the_requested_one_is_not_built_as_requested() -> None:
    """2,048 H100 on NDR at 2:1: 37 nodes and 19 uplinks a leaf."""
    values = {
        "compute": {"server": "dgx-h100", "nodes": 256},
        "fabric": {"generation": "ndr", "oversubscription": "2:1"},
    }
    (made,) = estimate([parse_spec(values, load_catalog())], load_catalog())
    assert any("neither 1:1 nor 2:1" in finding.message for finding in made.findings)
    assert verdict(made.findings, lacks_prices=False) == ("Can be built; no warnings", "good")


def test_parts_of_the_cost_add_up_to_what_is_paid() -> None:
    values = {"compute": {"server": "dgx-h100", "nodes": 16}, "fabric": {"generation": "ndr"}}
    (made,) = estimate([parse_spec(values, load_catalog())], load_catalog())
    cost = made.cost
    assert cost is not None
    parts = cost_parts(cost)
    paid = cost.outlay_usd.typical + cost.running_usd_per_year.typical * cost.tco_years
    assert sum(part.usd for part in parts) == pytest.approx(paid, rel=0.001)
    assert sum(part.share for part in parts) == pytest.approx(1)
    assert parts[0].name == "Servers"


def test_the_bar_is_as_long_as_its_parts() -> None:
    bar = cost_bar([CostPart("a", 3.0, 0.75), CostPart("b", 1.0, 0.25)])
    assert f'x="0.0" width="{0.75 * BAR_WIDTH:.1f}"' in bar
    assert f'x="{0.75 * BAR_WIDTH:.1f}" width="{0.25 * BAR_WIDTH:.1f}"' in bar
    assert "style=" not in bar


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (11_500_000, 15_500_000, f"$11.5 M–{WORD_JOINER}$15.5 M"),
        (598_000, 843_000, "$598,000–$843,000"),  # wider than its cell: it may break after the dash, not be cut off
        (35_000, 35_000, "$35,000"),
    ],
)
def test_a_range_of_the_strip_breaks_where_its_cell_is_too_narrow(low: float, high: float, shown: str) -> None:
    assert range_note(low, high).replace(NO_BREAK_SPACE, " ") == shown
