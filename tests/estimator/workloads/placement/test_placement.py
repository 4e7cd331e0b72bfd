"""Seats and groups of layouts: every rank once, no GPU twice, tensor-parallel groups inside a domain wherever they fit."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.errors import SpecError
from estimator.record import Json
from estimator.workloads.placement.grid import Grid, kinds_of
from estimator.workloads.placement.machine import LEVELS, Machine
from estimator.workloads.placement.notes import answer_of
from estimator.workloads.placement.placed import Placed, placed_on
from estimator.workloads.placement.request import Parallel, Part, parse_placement, parts_of

DEGREE = st.sampled_from([1, 1, 2, 3, 4, 5])


def machine_of(nodes: int, gpus: int = 8, domain: int = 8, leaf: int = 4, pod: int = 8) -> Machine:
    """Nodes of ``gpus`` with a NIC each, ``leaf`` nodes below a leaf and ``pod`` in a pod of three tiers."""
    node = np.arange(nodes)
    return Machine(
        node_names=tuple(f"node-{number:04d}" for number in range(1, nodes + 1)),
        gpus_per_node=gpus,
        domain_gpus=domain,
        leaf=node // leaf,
        leaf_names=tuple(f"unit-{number:03d}" for number in range(1, nodes // leaf + 2)),
        pod=node // pod,
        n_tiers=3,
        nics=tuple((f"mlx5_{gpu}",) for gpu in range(gpus)),
        rail=np.arange(gpus) + 1,
    )


def placed(machine: Machine, **request: Any) -> Placed:
    order = request.get("order", "auto")
    return placed_on(machine, parse_placement(request), "tp-cp-ep-dp-pp" if order == "auto" else order)


def problems_of(machine: Machine, **request: Any) -> dict[str, str]:
    with pytest.raises(SpecError) as refused:
        placed(machine, **request)
    return {one.code: one.message for one in refused.value.problems}


def ranks_by_hand(sizes: dict[str, int], over: tuple[str, ...]) -> Iterator[list[int]]:
    """Groups as loops write them: the axes that stay, slowest last, and inside them those that a group runs over."""
    strides, step = {}, 1
    for name, size in sizes.items():
        strides[name], step = step, step * size
    still = [name for name in sizes if name not in over]
    for outer in product(*(range(sizes[name]) for name in reversed(still))):
        base = sum(at * strides[name] for at, name in zip(outer, reversed(still), strict=True))
        inner = product(*(range(sizes[name]) for name in reversed(list(sizes)) if name in over))
        names = [name for name in reversed(list(sizes)) if name in over]
        yield [base + sum(at * strides[name] for at, name in zip(one, names, strict=True)) for one in inner]


@given(st.permutations(["tp", "cp", "dp", "pp"]), st.lists(DEGREE, min_size=4, max_size=4), st.data())
@settings(max_examples=40, deadline=None)
def test_groups_of_a_grid_are_those_that_loops_write(order: list[str], sizes: list[int], data: st.DataObject) -> None:
    grid = Grid(dict(zip(order, sizes, strict=True)))
    over = data.draw(st.sets(st.sampled_from(order), min_size=1))
    found = grid.groups(*over).tolist()
    assert found == list(ranks_by_hand(grid.sizes, tuple(over)))
    for name, column in grid.coordinates().items():
        if name not in over:  # ranks of a group differ along its own axes alone
            assert all(len(set(column[group])) == 1 for group in found)


def test_megatrons_own_example_of_data_parallel_groups() -> None:
    """[tp, dp, pp] = [2, 3, 4] in the comment of generate_masked_orthogonal_rank_groups, parallel_state.py."""
    groups = Grid({"tp": 2, "dp": 3, "pp": 4}).groups("dp").tolist()
    assert (groups[0], groups[1], groups[7]) == ([0, 2, 4], [1, 3, 5], [19, 21, 23])


def test_experts_have_a_grid_of_their_own() -> None:
    """16 ranks, tp 2, cp 2, dp 2, pp 2, four experts of one rank: expert groups run through tensor and context ranks."""
    degrees = Parallel(tp=2, cp=2, dp=2, pp=2, ep=4, expert_tp=1)
    kinds = {kind.name: kind.ranks.tolist() for kind in kinds_of(Part("training", 1, degrees, "tp-cp-ep-dp-pp"))}
    assert kinds["ep"] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]]
    assert kinds["expert_dp"][0] == [0, 4]
    assert kinds["dp"][0] == [0, 2, 4, 6]
    assert kinds["pp"][0] == [0, 8]


LAYOUTS = st.fixed_dictionaries({"tp": DEGREE, "cp": DEGREE, "dp": DEGREE, "pp": DEGREE})
WORKERS = st.fixed_dictionaries({"tp": DEGREE, "attention_dp": DEGREE, "pp": DEGREE})
MACHINES = st.sampled_from(
    [(600, 8, 8), (600, 8, 4), (300, 4, 72), (300, 4, 32), (600, 8, 1), (600, 4, 4), (300, 6, 3), (300, 4, 10)]
)


def holds(one: Placed) -> None:
    """What every placement keeps."""
    machine, seats = one.machine, []
    for part in one.parts:
        places = part.places
        assert len(places.node) == part.part.n_ranks
        assert places.node.max() < machine.n_nodes
        assert places.gpu.max() < machine.gpus_per_node
        seats += list(zip(places.node.tolist(), places.gpu.tolist(), strict=True))
        for kind, crossing in zip(part.kinds, part.crossings, strict=True):
            assert sorted(kind.ranks.ravel().tolist()) == list(range(part.part.n_ranks))  # a partition
            for group, ranks in enumerate(kind.ranks.tolist()):
                domains = sorted(places.domain[ranks].tolist())
                distinct = sorted(set(domains))
                assert crossing.domain_ranks[group] == max(domains.count(domain) for domain in distinct)
                assert (crossing.level[group] == 0) == (len(distinct) == 1)
                for index, column in ((2, places.leaf), (3, places.pod)):
                    assert (crossing.level[group] <= index) == (len(set(column[ranks].tolist())) == 1) or len(
                        distinct
                    ) == 1
                if len(distinct) > 1:
                    assert crossing.domains_apart[group] == (distinct[-1] - distinct[0]) // (len(distinct) - 1)
        whole = machine.domain_gpus % machine.gpus_per_node == 0 or machine.gpus_per_node % machine.domain_gpus == 0
        most = machine.domain_gpus if whole else 0  # domains of two nodes and a half can be parted
        if 1 < part.part.degrees.tp <= most:
            assert next(one.farthest for one in part.crossings if one.kind == "tp") == "domain"
    assert len(set(seats)) == len(seats)


@given(LAYOUTS, st.sampled_from(["tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp"]), MACHINES, st.sampled_from([1, 2, 4]))
@settings(max_examples=25, deadline=None)
def test_training_sits_on_gpus_of_its_own(degrees: dict[str, int], order: str, kind: tuple[int, ...], ep: int) -> None:
    parallel = degrees | ({"ep": ep, "expert_tp": 1} if degrees["cp"] * degrees["dp"] * degrees["tp"] % ep == 0 else {})
    holds(placed(machine_of(*kind), parallel=parallel, order=order))


@given(WORKERS, WORKERS, st.integers(1, 3), st.integers(1, 3), MACHINES)
@settings(max_examples=25, deadline=None)
def test_pools_sit_on_gpus_of_their_own(
    one: dict[str, int], two: dict[str, int], some: int, more: int, kind: tuple[int, ...]
) -> None:
    pools = {"prefill": {"workers": some, "layout": one}, "decode": {"workers": more, "layout": two}}
    holds(placed(machine_of(*kind), **pools))
    holds(placed(machine_of(*kind), layout=one, replicas=more))


def test_tensor_parallel_three_leaves_two_gpus_of_a_node() -> None:
    one = placed(machine_of(16), parallel={"tp": 3, "dp": 8})
    assert one.parts[0].ranks_per_node == 6
    assert one.parts[0].places.gpu.max() == 5
    assert {note.code for note in answer_of(one).notes} == {"gpus_unused", "nodes_left"}


def test_a_group_that_fills_no_whole_trays_crosses_and_is_marked() -> None:
    """19 ranks on trays of equally many: 19 trays or more, and a domain has 18."""
    one = placed(machine_of(36, 4, 72), parallel={"tp": 19, "dp": 2})
    assert "tp_crosses_domain" not in {note.code for note in answer_of(one).notes}  # ranks 0 to 37 of 72
    assert one.parts[0].seats.filling.unit == 1


def test_experts_stay_in_a_rack_where_there_are_racks_enough() -> None:
    """64 experts in domains of 72 GPUs: 16 of 18 trays are used, unless the design has no more racks."""
    layout = {"tp": 1, "ep": 64, "expert_tp": 1, "dp": 128}
    wide = placed(machine_of(36, 4, 72), parallel=layout)
    assert answer_of(wide).groups[0].at == {"domain": 2}
    assert sorted(set(wide.parts[0].places.node.tolist())) == [*range(16), *range(18, 34)]
    assert "domain_nodes_unused" in {note.code for note in answer_of(wide).notes}
    tight = placed(machine_of(33, 4, 72), parallel=layout)
    assert answer_of(tight).groups[0].at == {"domain": 1, "fabric": 1}
    assert "ep_crosses_domain" in {note.code for note in answer_of(tight).notes}


def test_tensor_parallel_over_two_trays_is_marked_inside_a_rack() -> None:
    one = placed(machine_of(18, 4, 72), parallel={"tp": 8, "dp": 9})
    notes = {note.code: note.message for note in answer_of(one).notes}
    assert set(notes) == {"tp_spans_nodes"}
    assert "IMEX" in notes["tp_spans_nodes"]
    assert answer_of(one).groups[0].at == {"domain": 9}


def test_tensor_parallel_beyond_a_node_is_allowed_and_marked() -> None:
    one = placed(machine_of(4), parallel={"tp": 16, "dp": 2})
    notes = {note.code: note.message for note in answer_of(one).notes}
    assert "a scale-up domain has 8 GPUs" in notes["tp_crosses_domain"]
    crossing = one.parts[0].crossings[0]
    assert (crossing.domain_ranks.tolist(), crossing.farthest) == ([8, 8], "leaf")


def test_groups_go_to_the_model_of_collectives_as_they_are() -> None:
    one = placed(machine_of(16), parallel={"tp": 4, "dp": 8, "pp": 4})
    by_kind = {crossing.kind: crossing for crossing in one.parts[0].crossings}
    dp, pp = by_kind["dp"].groups(), by_kind["pp"].groups()
    assert (dp.n_ranks.tolist(), dp.domain_ranks.tolist(), dp.domains_apart.tolist()) == ([8], [2], [1])
    assert (pp.n_ranks.tolist(), pp.domain_ranks.tolist(), pp.domains_apart.tolist()) == ([4], [1], [4])
    assert by_kind["dp"].one_rail.tolist() == [False] * 16
    assert by_kind["pp"].one_rail.all()
    assert [LEVELS[level] for level in by_kind["pp"].level] == ["fabric"] * 32


def test_a_layout_larger_than_the_design_says_by_how_much() -> None:
    message = problems_of(machine_of(4), parallel={"tp": 8, "dp": 5})["layout_too_large"]
    assert "40 ranks" in message
    assert "5 nodes" in message
    parted = problems_of(machine_of(4), parallel={"tp": 3, "dp": 10})["layout_too_large"]  # 30 of 32 GPUs
    assert "6 of 8 GPUs of a node" in parted
    assert "layout_too_large" in problems_of(machine_of(4), parallel={"tp": 8, "dp": 2}, first_node=4)
    assert "out_of_range" in problems_of(machine_of(4), parallel={"tp": 8}, first_node=5)


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({}, "contradiction"),
        ({"parallel": {}, "layout": {}}, "contradiction"),
        ({"prefill": {}}, "contradiction"),
        ({"parallel": {}, "replicas": 2}, "contradiction"),
        ({"parallel": {"tp": 0}}, "out_of_range"),
        ({"parallel": {"tp": 2, "ep": 3, "dp": 2}}, "not_divisible"),
        ({"parallel": {"virtual_stages": 2}}, "contradiction"),
        ({"layout": {"tp": 4, "ep": 3}}, "not_divisible"),
        ({"layout": {"tp": 4, "ep": 2, "moe_tp": 4}}, "not_divisible"),
        ({"parallel": {"dp": 60000, "tp": 60000}}, "too_many_ranks"),
        ({"parallel": {"tensor": 8}}, "unknown_key"),
        ({"parallel": {"tp": float("nan")}}, "wrong_type"),
        ({"layout": {}, "model": "x; rm -rf /"}, "bad_name"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused(request_: Json, code: str) -> None:
    with pytest.raises(SpecError) as refused:
        parse_placement(request_)
    assert code in {problem.code for problem in refused.value.problems}


def test_a_million_ranks_are_placed() -> None:
    one = placed(machine_of(2**17), parallel={"tp": 8, "cp": 2, "dp": 4096, "pp": 16})
    assert one.n_ranks == 2**20
    assert answer_of(one).groups[0].at == {"domain": 2**17}


def test_parts_are_in_the_order_of_their_nodes() -> None:
    request = parse_placement({"prefill": {"workers": 2, "layout": {"tp": 4}}, "decode": {"layout": {"tp": 8}}})
    assert [(part.name, part.n_ranks) for part in parts_of(request)] == [("prefill", 8), ("decode", 8)]
