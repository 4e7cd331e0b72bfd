"""A search in chunks: the answer of the whole, whatever the chunks and their order."""

import pytest

from estimator.errors import InfeasibleDesign, SpecError
from estimator.pipeline import estimate
from estimator.search.request import CHUNK, IN_CHUNKS
from estimator.search.search import chunk_of, cuts_of, joined
from tests.estimator.search.brute_force import CATALOG, VERBS, searched

BASE = {
    "compute": {"server": "dgx-h100", "nodes": 64},
    "fabric": {"generation": "ndr", "oversubscription": ["1:1", "2:1"]},
}
ASKED = {
    "base": BASE,
    "free": ["leaf_switch", "layout", "tiers"],
    "pareto": ["network_usd", "all_to_all_gb_s"],
    "limits": [{"figure": "racks", "most": 25}],
}
NOTHING = {
    "base": {
        "compute": BASE["compute"],
        "fabric": {"generation": "ndr", "leaf_downlinks": 40, "leaf_uplinks": [40, 41]},
    }
}
PLAN = {
    "base": {"compute": BASE["compute"], "fabric": {"generation": "ndr", "least_spines": [2, 4]}, "site": {"plan": {}}}
}


@pytest.mark.parametrize(
    ("asked", "size"), [(ASKED, 131), (ASKED, 600), (PLAN, 1)], ids=["within", "across", "one-by-one"]
)
def test_chunks_in_any_order_join_to_the_answer_of_the_whole(asked, size):
    cuts = cuts_of(asked, CATALOG, size)
    assert len(cuts) > 1
    assert [first for first, _ in cuts[1:]] == [last for _, last in cuts[:-1]], "each candidate is in one chunk"
    parts = [chunk_of(asked, first, last, CATALOG, estimate) for first, last in reversed(cuts)]
    assert joined(asked, parts, CATALOG, estimate).as_json() == searched(asked)


def test_where_nothing_can_be_built_the_reasons_of_all_chunks_are_given():
    parts = [chunk_of(NOTHING, first, last, CATALOG, estimate) for first, last in cuts_of(NOTHING, CATALOG, 1)]
    with pytest.raises(InfeasibleDesign) as refused:
        joined(NOTHING, parts, CATALOG, estimate)
    assert "(2 candidates)" in refused.value.problems[0].message


@pytest.mark.parametrize(
    "parallel",
    [{"tp": 1, "pp": 1, "zero_stage": 0, "global_batch": 256}, {"tp": 8, "pp": 7, "global_batch": 256}],
    ids=["memory", "layout"],
)
def test_a_workload_without_figures_is_refused_for_the_same_reason_as_at_once(parallel):
    asked = {
        "base": BASE | {"compute": {"server": "dgx-h100", "nodes": [8, 4]}},
        "workload": {"train": {"model": "llama3-70b", "parallel": parallel}},
        "objective": "step_s",
    }
    with pytest.raises(SpecError) as at_once:
        searched(asked)
    cuts = cuts_of(asked, CATALOG, 1, VERBS)
    parts = [chunk_of(asked, first, last, CATALOG, estimate, VERBS) for first, last in cuts]
    problems = []
    for order in (parts, parts[::-1]):
        with pytest.raises(SpecError) as refused:
            joined(asked, order, CATALOG, estimate, VERBS)
        problems.append(refused.value.problems)
    assert [(one.field, one.code) for one in problems[0]] == [(one.field, one.code) for one in at_once.value.problems]
    assert problems[0] == problems[1], "the reason is that of the first candidate, whatever the order"


def test_too_many_candidates_and_wrong_values_are_refused_before_any_chunk():
    with pytest.raises(SpecError) as refused:
        cuts_of({"base": BASE, "free": ["leaf_switch", "spine_switch", "core_switch"]}, CATALOG)
    assert refused.value.problems[0].code == "too_many_candidates"
    assert f"{IN_CHUNKS.candidates:,} is the most" in refused.value.problems[0].message
    with pytest.raises(SpecError):
        cuts_of({"base": BASE, "objective": "price"}, CATALOG)


def test_a_large_request_has_chunks_of_the_usual_size():
    asked = {"base": BASE, "free": ["leaf_switch", "spine_switch", "layout"]}
    cuts = cuts_of(asked, CATALOG)
    assert {last - first for first, last in cuts[:-1]} == {CHUNK}
    assert cuts[-1][1] > 20_000
