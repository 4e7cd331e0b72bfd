"""Requests: defaults printed back, bounds, and every problem in one pass."""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.catalog.loader import load_catalog
from estimator.errors import SpecError
from estimator.spec.checking import MAX_DEPTH
from estimator.spec.design import SECTIONS, DesignSpec, spec_hash, spec_json_schema
from estimator.spec.economics import Economics
from estimator.spec.fabric import MAX_ENDPOINTS
from estimator.spec.parse import parse_spec

CATALOG = load_catalog()
H100 = {"server": "dgx-h100", "nodes": 4}
NDR = {"generation": "ndr"}


SCHEMA: dict[str, Any] = DesignSpec.model_json_schema()
OF_EVERY_KIND: tuple[Any, ...] = (None, True, 1.5, "x", [], {})


def places(schema: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every key that a request may have, as a path; ``[]`` is the entry of a list."""
    if path:
        yield path
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]]
    for one in schema.get("anyOf", ()):
        yield from (found for found in places(one, path) if found != path)
    for key, one in schema.get("properties", {}).items():
        yield from places(one, (*path, key))
    if "items" in schema:
        yield from places(schema["items"], (*path, "[]"))


PLACES = sorted(set(places(SCHEMA)))


def problems_of(values: Any) -> dict[str, tuple[str, str]]:
    """field → (code, message) of a refused request."""
    with pytest.raises(SpecError) as caught:
        parse_spec(values, CATALOG)
    return {problem.field: (problem.code, problem.message) for problem in caught.value.problems}


def test_every_default_is_printed_back() -> None:
    spec = parse_spec({"compute": {"server": "dgx-h100", "nodes": 127}, "fabric": NDR}, CATALOG).as_json()
    assert spec["compute"] == {
        "server": "dgx-h100",
        "nodes": 127,
        "gpus": None,
        "racks": None,
        "gpu": "h100-sxm",
        "nic": None,
        "gpus_per_node": 8,
        "nics_per_node": 8,
        "nic_ports_per_node": 8,
        "scale_up_domain_gpus": 8,
    }
    fabric = spec["fabric"]
    assert (fabric["leaf_switch"], fabric["leaf_radix"], fabric["core_radix"]) == ("nvidia-qm9700", 64, 64)
    assert (fabric["oversubscription"], fabric["tiers"], fabric["layout"]) == ("1:1", "auto", "rail-optimized")
    assert spec["site"] == {
        "node_leaf_m": 30.0,
        "leaf_spine_m": 30.0,
        "spine_core_m": 50.0,
        "node_leaf_medium": "auto",
        "leaf_spine_medium": "auto",
        "spine_core_medium": "auto",
        "fiber_grade": None,
        "set_lengths": [],
        "plan": None,
    }
    assert spec["spec_version"] == 1


def test_the_normalized_spec_means_the_same_again() -> None:
    for values in (
        {"compute": {"server": "dgx-b300", "gpus": 1000}, "fabric": {"generation": "roce-400", "planes": 2}},
        {"compute": {"gpus": 7}, "fabric": {"generation": "ndr", "leaf_radix": 48}},
        {"compute": {"nodes": 9}, "fabric": {"generation": "edr", "leaf_switch": "custom", "leaf_radix": 3}},
    ):
        spec = parse_spec(values, CATALOG)
        again = parse_spec(spec.as_json(), CATALOG)
        assert again.as_json() == spec.as_json()
        assert spec_hash(again) == spec_hash(spec)
        assert spec.as_given() == values


def test_a_change_changes_the_hash() -> None:
    one, two = (parse_spec({"compute": {**H100, "nodes": n}, "fabric": NDR}, CATALOG) for n in (4, 5))
    assert spec_hash(one) != spec_hash(two)


def test_gpus_round_up_to_whole_nodes() -> None:
    spec = parse_spec({"compute": {"server": "dgx-h100", "gpus": 1017}, "fabric": NDR}, CATALOG)
    assert spec.compute.nodes == 128


def test_a_plane_is_fed_by_each_nic_that_can() -> None:
    """DGX B300 has eight 800G NICs, two 400G ports each; DGX H100's 400G NICs have one."""
    fabric = {"generation": "roce-400", "planes": 2}
    assert (
        parse_spec(
            {"compute": {"server": "dgx-b300", "nodes": 4}, "fabric": fabric}, CATALOG
        ).compute.nic_ports_per_node
        == 16
    )
    assert parse_spec({"compute": H100, "fabric": fabric}, CATALOG).compute.nic_ports_per_node == 8


def test_more_ports_than_the_usual_switch_has_make_a_custom_one() -> None:
    """No part was named, so the counts stand without one; fewer ports than it has keep it."""
    more, fewer = (parse_spec({"compute": H100, "fabric": NDR | {"leaf_radix": n}}, CATALOG).fabric for n in (65, 63))
    assert (more.leaf_switch, more.leaf_radix) == ("custom", 65)
    assert (fewer.leaf_switch, fewer.leaf_radix) == ("nvidia-qm9700", 63)


def test_all_problems_come_in_one_pass() -> None:
    found = problems_of(
        {
            "compute": {"server": "dgx-h10", "nodes": 0, "nodez": 3},
            "typo": 1,
            "fabric": {"generation": "ndr", "oversubscription": "0:1", "planes": "2", "leaf_switch": "nvidia-sn5600"},
        }
    )
    assert {field: code for field, (code, _) in found.items()} == {
        "compute.server": "unknown_part",
        "compute.nodes": "out_of_range",
        "compute.nodez": "unknown_key",
        "typo": "unknown_key",
        "fabric.oversubscription": "not_a_ratio",
        "fabric.planes": "wrong_type",
        "fabric.leaf_switch": "switch_does_not_fit",
    }
    assert "dgx-h100" in found["compute.server"][1]
    assert "'nodes'" in found["compute.nodez"][1]


@pytest.mark.parametrize(
    ("compute", "fabric", "field", "code"),
    [
        ({}, NDR, "compute.nodes", "missing"),
        ({"nodes": 4}, {}, "fabric.generation", "missing"),
        ({"nodes": 4}, {"generation": "fdr"}, "fabric.generation", "not_a_choice"),
        ({"server": "dgx-h100", "nodes": 4, "gpus": 64}, NDR, "compute.gpus", "contradiction"),
        ({"gpus": 2**40}, NDR, "compute.gpus", "out_of_range"),
        ({"nodes": MAX_ENDPOINTS // 8 + 1}, NDR, "compute.nodes", "out_of_range"),
        ({"nodes": 4}, {**NDR, "grow_to_nodes": MAX_ENDPOINTS // 8 + 1}, "fabric.grow_to_nodes", "out_of_range"),
        ({"nodes": 2**63}, NDR, "compute.nodes", "out_of_range"),
        ({"nodes": True}, NDR, "compute.nodes", "wrong_type"),
        ({"nodes": 4.0}, NDR, "compute.nodes", "wrong_type"),
        ({"server": "gb200-nvl72", "nodes": 4}, NDR, "compute.server", "rack_not_node"),
        ({"nodes": 4, "gpu": "h100"}, NDR, "compute.gpu", "unknown_part"),
        ({"nodes": 4}, {**NDR, "leaf_switch": "no-such"}, "fabric.leaf_switch", "unknown_part"),
        ({"nodes": 4}, {**NDR, "leaf_switch": "custom"}, "fabric.leaf_radix", "missing"),
        (
            {"nodes": 4},
            {**NDR, "leaf_switch": "nvidia-qm9700", "leaf_radix": 65},
            "fabric.leaf_radix",
            "radix_over_part",
        ),
        ({"nodes": 4}, {**NDR, "leaf_radix": 1}, "fabric.leaf_radix", "out_of_range"),
        ({"nodes": 4}, {**NDR, "leaf_downlinks": 40, "leaf_uplinks": 32}, "fabric.leaf_downlinks", "leaf_ports_short"),
        ({"nodes": 4}, {**NDR, "reserved": {"leaf_ports": 63}}, "fabric.reserved.leaf_ports", "leaf_ports_short"),
        ({"nodes": 4}, {**NDR, "reserved": {"spine_ports": 64}}, "fabric.reserved.spine_ports", "spine_ports_short"),
        ({"nodes": 4}, {**NDR, "oversubscription": "3"}, "fabric.oversubscription", "not_a_ratio"),
        ({"nodes": 4}, {**NDR, "oversubscription": "1025:1"}, "fabric.oversubscription", "not_a_ratio"),
        ({"nodes": 4}, {**NDR, "oversubscription": "1:1025"}, "fabric.oversubscription", "not_a_ratio"),
        ({"nodes": 4}, {**NDR, "oversubscription": "²:1"}, "fabric.oversubscription", "not_a_ratio"),
        ({"nodes": 4, "nic_ports_per_node": 8}, {**NDR, "planes": 3}, "fabric.planes", "planes_do_not_divide"),
        ({"nodes": 4}, {**NDR, "rails_per_leaf": 3}, "fabric.rails_per_leaf", "rails_do_not_divide"),
        ({"nodes": 4}, {**NDR, "grow_to_nodes": 3}, "fabric.grow_to_nodes", "out_of_range"),
        ({"nodes": 4}, {**NDR, "grow_to_nodes": 9, "uplink_spread": "uneven"}, "fabric.grow_to_nodes", "contradiction"),
        (None, NDR, "compute", "wrong_type"),
        ([], NDR, "compute", "wrong_type"),
    ],
)
def test_each_rule_refuses_by_field_and_code(compute: Any, fabric: Any, field: str, code: str) -> None:
    found = problems_of({"compute": compute, "fabric": fabric})
    assert found[field][0] == code
    assert found[field][1].endswith((".", "?"))


def test_a_switch_s_part_number_leads_to_its_name_in_the_catalog() -> None:
    found = problems_of({"compute": {"nodes": 4}, "fabric": NDR | {"leaf_switch": "MQM9700-NS2F"}})
    assert "The catalog's name of that switch is nvidia-qm9700" in found["fabric.leaf_switch"][1]
    found = problems_of(
        {"compute": {"nodes": 4}, "fabric": NDR | {"leaf_switch": "MMA4Z00-NS"}}
    )  # a transceiver is none
    assert "Near it: " in found["fabric.leaf_switch"][1]


@pytest.mark.parametrize("values", [None, [], "text", 3, True, {}, {"compute": {}}, {"spec_version": 2}])
def test_what_is_no_design_is_refused(values: Any) -> None:
    assert problems_of(values)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from([key for section in SECTIONS.values() for key in section.model_fields])


def test_a_value_of_any_kind_at_any_key_is_read_or_refused() -> None:
    assert len(PLACES) > 300
    for first, *path in PLACES:
        for value in OF_EVERY_KIND:
            given: Any = value
            for key in reversed(path):
                given = [given] if key == "[]" else {key: given}
            sound: dict[str, Any] = {"compute": H100, "fabric": NDR}
            whole = {**sound.get(first, {}), **given} if path and path[0] != "[]" else given
            with suppress(SpecError):
                parse_spec({**sound, first: whole}, CATALOG)


@given(
    st.dictionaries(
        st.sampled_from([*SECTIONS, "name", "spec_version", "x"]), st.dictionaries(KEYS, JSON, max_size=4) | JSON
    )
)
def test_any_json_is_a_design_or_refused(values: dict[str, Any]) -> None:
    """Never anything but an answer: no traceback whatever the JSON holds."""
    try:
        parse_spec(values, CATALOG)
    except SpecError as error:
        refusal = error
    else:
        return
    json.dumps(refusal.as_json())
    assert all(problem.code and problem.message for problem in refusal.problems)


def test_the_schema_explains_every_key() -> None:
    """Form and API take their words from here: a key without a title and a description would be a field unexplained."""
    json.dumps(spec_json_schema())
    for section in SECTIONS.values():
        for key, field in section.model_fields.items():
            if key != "reserved":
                assert field.title, key
                assert field.description, key


def test_a_request_nested_too_deeply_is_refused_not_a_traceback() -> None:
    deep: Any = 1
    for _ in range(900):
        deep = {"compute": deep}
    assert problems_of(deep)[""][0] == "too_deep"
    assert problems_of({"compute": H100, "fabric": NDR, "other_fabrics": [deep]})[""][0] == "too_deep"


@pytest.mark.parametrize(("n_inside", "code"), [(MAX_DEPTH, "not_a_choice"), (MAX_DEPTH + 1, "too_deep")])
def test_the_depth_of_a_request_has_a_limit(n_inside: int, code: str) -> None:
    """``n_inside`` lists and objects inside the request: the list, the object in it, and lists below that."""
    inner: Any = []
    for _ in range(n_inside - 3):
        inner = [inner]
    found = problems_of({"compute": H100, "fabric": NDR, "other_fabrics": [{"role": inner}]})
    assert code in {code for code, _ in found.values()}


@pytest.mark.parametrize(
    ("changed", "field", "said"),
    [
        ({"compute": {"nodes": 4.5}}, "compute.nodes", "Must be a whole number, and 4.5 was given."),
        ({"compute": {"nodes": "zwölf"}}, "compute.nodes", 'Must be a whole number, and "zwölf" was given.'),
        ({"compute": H100 | {"gpu": 5}}, "compute.gpu", "Must be a text, and 5 was given."),
        ({"fabric": []}, "fabric", "Must be an object, and a list was given."),
        ({"site": None}, "site", "Must be an object, and nothing was given."),
        ({"fabric": NDR | {"splitters": 1}}, "fabric.splitters", "Must be true or false, and 1 was given."),
        ({"site": {"node_leaf_m": 0}}, "site.node_leaf_m", "Must be above 0, and 0 was requested."),
        ({"spec_version": 2}, "spec_version", "Must be 1, and 2 was given."),
        ({"name": "x" * 201}, "name", "Must have at most 200 characters, and has 201."),
        ({"name": ""}, "name", "Must have at least 1 character, and has 0."),
        (
            {"fabric": NDR | {"oversubscription": "1:²"}},
            "fabric.oversubscription",
            "'1:²' is not two integers with a colon between, such as 3:1.",
        ),
        (
            {"fabric": NDR | {"oversubscription": "9" * 5000 + ":1"}},
            "fabric.oversubscription",
            f"'{'9' * 40}' is not two integers with a colon between, such as 3:1.",
        ),
        (
            {"compute": H100 | {"gpu": "h900"}},
            "compute.gpu",
            "The catalog has no GPU 'h900'. Near it: h800-sxm, h200-sxm, h200-nvl; or leave it out.",
        ),
    ],
)
def test_a_refusal_is_in_plain_words(changed: dict[str, Any], field: str, said: str) -> None:
    assert problems_of({"compute": H100, "fabric": NDR, **changed})[field][1] == said


@pytest.mark.parametrize(
    ("changed", "change"),
    [
        ({"compute": {"nodes": 0}}, {"compute.nodes": 1}),
        ({"compute": {"nodes": 12.5}}, {"compute.nodes": 13}),
        ({"compute": {"nodes": "12.5"}}, {"compute.nodes": 13}),
        ({"compute": {"nodes": "12.5.1"}}, None),
        ({"compute": {"server": "dgx-h100", "nodes": 99_999_999}}, {"compute.nodes": 131_072}),
        ({"compute": {"nodes": -3.5}}, {"compute.nodes": 1}),
        ({"compute": {"nodes": "abc"}}, None),
        ({"economics": {"utilization": 150.0}}, {"economics.utilization": 1}),
        ({"economics": {"utilization": 85}}, {"economics.utilization": 0.85}),
        ({"economics": {"pue": 0.5}}, {"economics.pue": 1}),
        ({"fabric": NDR | {"oversubscription": "0.5"}}, {"fabric.oversubscription": "1:2"}),
        ({"fabric": NDR | {"oversubscription": "5:0"}}, {"fabric.oversubscription": "5:1"}),
        ({"fabric": NDR | {"oversubscription": "3"}}, {"fabric.oversubscription": "3:1"}),
        ({"fabric": NDR | {"oversubscription": "x"}}, None),
        ({"fabric": NDR | {"planes": 99}}, {"fabric.planes": 8}),
        ({"other_fabrics": [{"role": "storage", "planes": 99}]}, {"other_fabrics.0.planes": 16}),
    ],
)
def test_the_nearest_value_is_proposed_where_it_is_clear(
    changed: dict[str, Any], change: dict[str, Any] | None
) -> None:
    """A bound, a fraction rounded up, per cent as a share, a ratio as two integers: what then keeps every rule of its key."""
    with pytest.raises(SpecError) as caught:
        parse_spec({"compute": H100, "fabric": NDR, **changed}, CATALOG)
    (problem,) = caught.value.problems
    assert problem.change == change


def test_a_number_is_reported_as_it_was_typed() -> None:
    assert problems_of({"compute": H100, "fabric": NDR, "economics": {"utilization": 150.0}})["economics.utilization"][
        1
    ] == ("Must be at most 1, and 150 was requested.")


@pytest.mark.parametrize(
    ("given", "shown"), [(1e308, "1e+308"), (10**80, f"1{'0' * 59}…"), ("7" * 80, f'"{"7" * 59}…')]
)
def test_a_value_is_reported_as_it_was_given_or_says_that_it_is_shortened(given: Any, shown: str) -> None:
    """Not the 309 digits of 1e308, and not 60 of 80 digits as if they were all."""
    found = problems_of({"compute": H100, "fabric": NDR, "economics": {"utilization": given}})
    assert f"and {shown} was " in found["economics.utilization"][1]


def test_a_long_key_is_not_echoed_whole() -> None:
    ((field, (code, message)),) = problems_of({"compute": H100, "fabric": NDR, "x" * 100_000: 1}).items()
    assert code == "unknown_key"
    assert len(field) + len(message) < 500


def test_a_ratio_is_normalized_but_not_reduced() -> None:
    spec = parse_spec({"compute": H100, "fabric": NDR | {"oversubscription": " 04 : 2 "}}, CATALOG)
    assert spec.fabric.oversubscription == "4:2"


def test_every_request_key_of_economics_csv_is_a_number_that_a_request_may_give() -> None:
    rows = {row.request_key: row for row in CATALOG.economics.values() if row.request_key}
    assert {"pue", "support_other", "spares.nics"} <= rows.keys()
    for key, row in rows.items():
        section, _, name = key.rpartition(".")
        given = {section: {name: 0.5}} if section else {name: 1.5 if name == "pue" else 1}
        assert Economics.model_validate(given).in_place_of(row) == (given[section] if section else given)[name]
        assert Economics().in_place_of(row) is None
    assert Economics(pue=1.5).in_place_of(CATALOG.economics["heat-btu"]) is None


def test_a_measured_time_that_is_no_time_is_refused_with_its_bound() -> None:
    """Below a nanosecond latencies would be no numbers any more."""
    values = {"compute": {"server": "dgx-h100", "nodes": 4}, "fabric": NDR, "workload": {"small_message_us": 5e-324}}
    with pytest.raises(SpecError) as refused:
        parse_spec(values, CATALOG)
    assert [(one.field, one.code) for one in refused.value.problems] == [("workload.small_message_us", "out_of_range")]
