"""A search equals brute force: every candidate by the ordinary estimate, to the cent and the port, on random requests."""

import random
from typing import Any

import numpy as np
import pytest

from estimator.search.figures import FIGURES, OF_WORKLOAD
from estimator.spec.change import apply_change
from tests.estimator.search.brute_force import agrees, every_design, front_of, meets, searched

SERVERS = [
    ("dgx-h100", ["ndr"]),
    ("dgx-b200", ["ndr"]),
    ("dgx-b300", ["xdr", "roce-800"]),
    ("gb300-tray", ["xdr"]),
    ("smc-8125gs-mi300x", ["roce-400"]),
    ("dgx-a100-640", ["hdr"]),
    ("hgx-h200-8u", ["roce-400"]),
]
SWITCHES = {
    "roce-400": ["nvidia-sn5600", "arista-7060x6-64pe", "generic-th4-64x400"],
    "ndr": ["nvidia-qm9700", "nvidia-qm9790"],
}
FIELDS: dict[str, list[Any]] = {
    "fabric.oversubscription": ["1:1", "2:1", "3:1", "4:3"],
    "fabric.layout": ["rail-optimized", "top-of-rack", "rail-only"],
    "fabric.tiers": ["auto", 1, 2, 3],
    "fabric.uplink_spread": ["even", "uneven"],
    "fabric.leaf_downlinks": [8, 12, 24, 32],
    "fabric.leaf_uplinks": [4, 8, 16, 32],
    "fabric.least_spines": [1, 2, 4, 5],
    "fabric.scalable_unit_nodes": [4, 7, 16, 32],
    "fabric.pod_nodes": [8, 32, 64],
    "fabric.core_groups": [1, 2, 3],
    "fabric.provision": ["as-bought", "full-unit"],
    "fabric.spine_oversubscription": ["1:1", "2:1"],
    "fabric.rails_per_leaf": [1, 2, 4],
    "fabric.grow_to_nodes": [300, 500],
    "site.leaf_spine_m": [3, 30, 200],
    "site.node_leaf_medium": ["auto", "copper", "single-mode"],
    "economics.price_book": ["street", "anchors", "dealer"],
    "economics.facility": ["colocation", "own-building", "existing"],
    "economics.years": [1, 4, 12],
    "economics.volume_discount": [0.0, 0.07],
    "economics.spares.optics": [0.0, 0.03],
    "workload.placement": ["ordered", "random"],
    "workload.load_balancing": ["adaptive", "ecmp"],
}
LIMITS = [
    {"figure": "vendors", "barred": ["Arista"]},
    {"figure": "switch_vendors", "allowed": ["NVIDIA"]},
    {"figure": "vendors", "most": 1},
    {"figure": "vendors", "least": 2},
    {"figure": "longest_cable_m", "most": 30},
    {"figure": "growth_nodes", "least": 64},
    {"figure": "in_network_reduction", "least": 1},
    {"figure": "announced_parts", "most": 0},
    {"figure": "endpoints_left", "least": 0.9},
    {"figure": "uplinks_left", "least": 0.5},
    {"figure": "oversubscription", "most": 2},
    {"figure": "switches", "most": 40},
]
MONEY = ["network_usd", "tco_usd"]
PLAIN = ["power_kw", "switches"]  # without draws of prices
PARETO = [*MONEY, "power_kw", "switches", "all_to_all_gb_s", "all_reduce_gb_s", "bisection_gbit_s", "uplinks_left"]


def random_request(seed: int) -> tuple[Any, dict[str, list[Any]], dict[str, Any]]:
    """(base, values by field, the request of the search)."""
    draw = random.Random(seed)
    server, generations = draw.choice(SERVERS)
    generation = draw.choice(generations)
    base: Any = {
        "compute": {"server": server, "nodes": draw.choice([2, 5, 16, 31, 64, 127])},
        "fabric": {"generation": generation},
    }
    fields = draw.sample(sorted(FIELDS), draw.choice([1, 2, 2, 3]))
    values = {field: draw.sample(FIELDS[field], draw.choice([1, 2, 2])) for field in fields}
    if generation in SWITCHES and draw.random() < 0.4:
        values["fabric.leaf_switch"] = draw.sample(SWITCHES[generation], 2)
    if draw.random() < 0.3:
        values["compute.nodes"] = sorted(draw.sample(range(2, 140), 2))
    request = {
        "base": apply_change(base, values),
        "objective": draw.choice(PARETO),
        "pareto": draw.sample(PARETO, draw.choice([2, 3])),
        "limits": draw.sample(LIMITS, draw.choice([0, 0, 1, 1, 2])),
        "top": 200,
    }
    return base, values, request


@pytest.mark.parametrize("seed", range(48))
def test_a_search_equals_brute_force(seed: int) -> None:
    base, values, request = random_request(seed)
    designs = every_design(base, values)
    if not designs:
        pytest.skip("nothing of this request can be built, which test_search.py has")
    answer = searched(request)
    assert answer["looked_at"] == np.prod([len(one) for one in values.values()])
    assert answer["built"] == len(designs)
    by_request = {
        repr(apply_change(base, dict(sorted(one.items())))): figures for one, figures in _by_values(values, designs)
    }
    for one in answer["designs"]:
        expected = by_request[repr(apply_change(base, dict(sorted(one["values"].items()))))]
        wrong = [name for name in FIGURES if not agrees(name, one["figures"][name], expected[name][1])]
        assert not wrong, (one["values"], {name: (one["figures"][name], expected[name][1]) for name in wrong})
        for name, ends in one["ranges_usd"].items():
            assert tuple(ends.values()) == expected[name], (one["values"], name)
    front = {tuple(answer["designs"][at]["figures"][name] for name in request["pareto"]) for at in answer["front"]}
    known = [
        figures
        for given, figures in designs
        if not np.isnan(figures[request["objective"]][1])
        and all(meets(one, given, figures) for one in request["limits"])
    ]
    assert _rounded(front) == _rounded(front_of(known, request["pareto"]))
    assert answer["feasible"] == len(known)
    if known:
        sign = -1 if FIGURES[request["objective"]].is_more else 1
        best = min(sign * figures[request["objective"]][1] for figures in known)
        assert agrees(request["objective"], answer["designs"][0]["figures"][request["objective"]], sign * best)


MIXED: dict[str, Any] = {  # vendors, planes and rails, in two and three tiers
    "base": {"compute": {"server": "hgx-h200-8u", "nodes": 33}, "fabric": {"generation": "roce-400"}},
    "values": {
        "fabric.leaf_switch": ["nvidia-sn5600", "arista-7060x6-64pe"],
        "fabric.spine_switch": ["nvidia-sn5600", "dell-z9864f-on"],
        "fabric.planes": [1, 2],
        "fabric.tiers": [2, 3],
    },
}


@pytest.mark.parametrize("figure", [name for name in FIGURES if name not in OF_WORKLOAD])
def test_a_limit_on_any_figure_keeps_what_brute_force_keeps(figure: str) -> None:
    base, values = MIXED["base"], MIXED["values"]
    designs = every_design(base, values)
    known = sorted(ends[figure][1] for _, ends in designs)
    middle = known[len(known) // 2]
    for end in ("least", "most"):
        limit = {"figure": figure, end: middle}
        answer = searched(
            {"base": apply_change(base, values), "objective": PLAIN[0], "limits": [limit], "pareto": PLAIN}
        )
        kept = [ends for given, ends in designs if meets(limit, given, ends)]
        assert answer["built"] == len(designs) > 8
        assert answer["feasible"] == len(kept) > 0
        best = min(ends[PLAIN[0]][1] for ends in kept)
        assert agrees(PLAIN[0], answer["designs"][0]["figures"][PLAIN[0]], best)
        front = {tuple(answer["designs"][at]["figures"][name] for name in PLAIN) for at in answer["front"]}
        assert _rounded(front) == _rounded(front_of(kept, PLAIN))


def _by_values(values: dict[str, list[Any]], designs: Any) -> Any:
    for given, figures in designs:
        yield {field: _at(given, field) for field in values}, figures


def _at(given: Any, field: str) -> Any:
    for key in field.split("."):
        given = given[key]
    return given


def _rounded(rows: set[tuple[float, ...]]) -> set[tuple[float, ...]]:
    """To eight digits: a bandwidth and a watt are sums in another order."""
    return {tuple(float(f"{value:.7g}") for value in row) for row in rows}
