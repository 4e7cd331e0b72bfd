"""Sweeps: figures at every point, and the exact value from which the build is of another kind."""

from typing import Any

import pytest

from estimator.errors import SpecError
from estimator.pipeline import estimate
from estimator.search.figures import Aims, figures_of_estimate
from estimator.search.sweep import sweep
from estimator.spec.parse import parse_spec
from tests.estimator.search.brute_force import CATALOG, SIZE

BASE = {"compute": {"server": "dgx-h100", "nodes": 4}, "fabric": {"generation": "ndr"}}


def swept(**request: Any) -> Any:
    return sweep({"base": BASE} | request, CATALOG, estimate).as_json()


def test_a_third_tier_begins_where_two_of_64_ports_end() -> None:
    """64-port switches at 1:1 join 2,048 endpoints in two tiers."""
    answer = swept(x={"field": "gpus", "values": {"from": 64, "to": 4096, "factor": 2}}, figures=["tiers"])
    assert [one["figures"]["tiers"] for one in answer["points"]] == [1, 2, 2, 2, 2, 2, 3]
    assert answer["changes"] == [
        {"x": 65, "what": "2 tiers instead of 1"},
        {"x": 2049, "what": "3 tiers instead of 2"},
    ]


def test_points_are_those_of_the_estimate() -> None:
    names = ["network_usd", "all_to_all_gb_s", "tco_usd"]
    ratios, years = ["1:1", "3:1"], [2, 5]
    answer = swept(
        x={"field": "oversubscription", "values": ratios},
        y={"field": "economics.years", "values": years},
        figures=names,
    )
    assert [(one["x"], one["y"]) for one in answer["points"]] == [(x, y) for x in ratios for y in years]
    for point in answer["points"]:
        spec = BASE | {
            "fabric": {"generation": "ndr", "oversubscription": point["x"]},
            "economics": {"years": point["y"]},
        }
        (made,) = estimate([parse_spec(spec, CATALOG)], CATALOG)
        expected = figures_of_estimate(made, Aims([(name, SIZE) for name in names]), CATALOG)
        for name in names:
            assert point["figures"][name] == pytest.approx(expected.typical[name, SIZE][0], rel=1e-12)


def test_where_nothing_can_be_built_the_point_is_empty() -> None:
    base = {"compute": {"server": "dgx-h100"}, "fabric": {"generation": "ndr", "tiers": 2}}
    answer = swept(base=base, x={"field": "nodes", "values": [200, 300]}, figures=["switches"])
    assert [one["figures"] is None for one in answer["points"]] == [False, True]
    assert answer["changes"] == [{"x": 257, "what": "no network can be built from here on"}]


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"x": {"field": "colour", "values": [1]}}, "x.field", "unknown_field"),
    ({"x": {"field": "nodes", "values": {"from": 9, "to": 1}}}, "x.values", "range_reversed"),
    ({"x": {"field": "nodes", "values": {"from": 1, "to": 10**9}}}, "x.values", "range_too_long"),
    ({"x": {"field": "nodes", "values": {"to": 9}}}, "x.values.from", "wrong_type"),
    ({"x": {"field": "nodes", "values": []}}, "x.values", "out_of_range"),
    ({"figures": ["beauty"]}, "figures[0]", "unknown_figure"),
    ({"figures": []}, "figures", "out_of_range"),
    ({"y": {"field": "nodes", "values": [1]}}, "y.field", "contradiction"),
    (
        {"base": {"compute": {"server": "dgx-h100"}, "fabric": {"generation": ["ndr", "xdr"]}}},
        "base.fabric.generation",
        "not_a_choice",
    ),
    ({"x": {"field": "nodes", "values": {"from": 1, "to": 3_000}}}, "base", "too_many_candidates"),
]


@pytest.mark.parametrize(("more", "field", "code"), WRONG)
def test_wrong_sweeps_name_field_and_limit(more: dict[str, Any], field: str, code: str) -> None:
    with pytest.raises(SpecError) as refused:
        swept(**{"x": {"field": "nodes", "values": [4]}, "figures": ["racks"]} | more)
    assert (field, code) in [(one.field, one.code) for one in refused.value.problems]
