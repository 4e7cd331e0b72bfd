"""How fast a total gets its range by chance, and eight designs are compared. Run: manage.py test tests/benchmarks.

What counts is time on the processor, of the best round: draws use two threads, so that a free machine takes less.
"""

import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from estimator.catalog.loader import load_catalog
from estimator.compare.comparison import compare_request
from estimator.compare.request import MOST
from estimator.cost.inputs import Priced, priced
from estimator.cost.power import design_power
from estimator.cost.uncertainty import DRAWS as DRAWS_OF_HEADLINE
from estimator.cost.uncertainty import SEED, draw, price_groups, simulated
from estimator.pipeline import estimate
from estimator.spec.parse import parse_spec
from tests.estimator.designs import superpod_h100
from tests.yardstick import in_yardsticks

CATALOG = load_catalog()
LINES, DRAWS = 200, 100_000
DRAW_BUDGET, COMPARISON_BUDGET = 5, 20  # yardsticks: half a second, two seconds
HEADLINE_BUDGET = 0.1  # 10 ms of a preview at each key

pytestmark = pytest.mark.benchmark(timer=time.process_time, min_rounds=7)


def long_bill(*, strangers: bool) -> Priced:
    """A SuperPOD's bill, repeated to 200 priced lines. As strangers, each is a part of its own of a vendor of its own."""
    made = superpod_h100(CATALOG)
    power = design_power(made.spec, made.fabric, made.plan, CATALOG)
    inputs = priced(made.spec, made.fabric, made.bom, power, CATALOG)
    facts = inputs.facts
    rows = np.resize(np.arange(len(facts.lines)), LINES)
    lines = [facts.lines[row] for row in rows]
    if strangers:
        lines = [replace(line, part=None, description=f"part {number}") for number, line in enumerate(lines)]
    weights = {name: getattr(facts, name)[:, rows] for name in ("capital", "supported", "replaced")}
    return replace(inputs, facts=replace(facts, lines=tuple(lines), **weights), unit_cents=inputs.unit_cents[rows])


@pytest.mark.parametrize("strangers", [False, True])
def test_a_bill_of_200_lines_is_drawn_100_000_times(benchmark: Any, strangers: bool) -> None:
    bill = long_bill(strangers=strangers)
    groups = price_groups(bill.facts.lines, CATALOG)
    parts, vendors = groups.part_of_line, groups.vendor_of_part
    assert len(parts) == LINES
    assert (len(set(parts.tolist())), len(set(vendors.tolist()))) == (LINES, LINES) or not strangers
    drawn = benchmark(draw, bill, CATALOG, DRAWS, 1)
    assert len(drawn.total) == DRAWS
    assert np.ptp(drawn.total) > 0
    assert in_yardsticks(benchmark.stats["min"]) < DRAW_BUDGET


@pytest.mark.parametrize("gpus", [1_024, 131_072])
def test_a_headline_is_drawn_at_each_key(benchmark: Any, gpus: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the draws add to a preview, once a process has drawn the parts: the columns of chance are kept."""
    values = {
        "name": "x",
        "compute": {"server": "dgx-h100", "gpus": gpus},
        "fabric": {"generation": "roce-400"},
    }
    bills: list[Any] = []

    def kept(bill: Any, *others: Any) -> Any:
        bills.append(bill)
        return draw(bill, *others)

    monkeypatch.setattr("estimator.cost.cost.draw", kept)
    estimate([parse_spec(values, CATALOG)], CATALOG, parts=("counts", "cables", "bom", "cost", "percentiles"))
    found = benchmark(lambda: simulated(draw(bills[0], CATALOG, DRAWS_OF_HEADLINE, SEED), gpus))
    assert found.capex_usd.p5 < found.capex_usd.p50 < found.capex_usd.p95
    assert in_yardsticks(benchmark.stats["min"]) < HEADLINE_BUDGET


def test_eight_designs_are_compared(benchmark: Any) -> None:
    """Estimates of 1,024 GPUs included: both families, four ratios, with storage and management networks."""
    items = [
        {
            "spec": {
                "name": f"{generation} {ratio}",
                "compute": {"server": "dgx-h100", "gpus": 1_024},
                "fabric": {"generation": generation, "oversubscription": ratio},
                "other_fabrics": [{"role": "storage"}, {"role": "out-of-band"}],
            }
        }
        for generation in ("ndr", "roce-400")
        for ratio in ("1:1", "4:3", "2:1", "3:1")
    ]
    answer = benchmark(compare_request, {"items": items}, CATALOG)
    assert len(answer.items) == MOST
    assert answer.items[0].gpus == 1_024
    assert in_yardsticks(benchmark.stats["min"]) < COMPARISON_BUDGET
