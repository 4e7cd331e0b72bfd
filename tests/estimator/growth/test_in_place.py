"""Phases keep as many cables in place as can be: against counts by hand, against every order of spines, and as networks."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.cabling.links import LinkList
from estimator.catalog.loader import load_catalog
from estimator.errors import InfeasibleDesign, SpecError
from estimator.fabric.topology import LEAF_SPINE, TIERS
from estimator.growth.in_place import in_place
from estimator.growth.kept_ports import DEALT
from estimator.growth.recabling import KEPT, cables_of, changes_between, steps_between
from estimator.link_list import link_lists
from estimator.spec.change import apply_change
from estimator.spec.parse import parse_spec
from tests.estimator.random_designs import requests
from tests.thorough import n_examples

CATALOG = load_catalog()
Lists = tuple[LinkList, ...]


def lists(values: dict[str, Any]) -> Lists:
    return link_lists(parse_spec(values, CATALOG), CATALOG)


def grown(values: dict[str, Any], *nodes: int) -> Iterator[tuple[Lists, Lists, Lists]]:
    """(before, the design by itself, as built) of every later phase."""
    before = lists(values)
    for n in nodes:
        alone = lists(apply_change(values, {"compute.nodes": n}))
        built = in_place(before, alone)
        yield before, alone, built
        before = built


BY_HAND: list[tuple[str, str, dict[str, Any], tuple[int, ...], list[int]]] = [
    # 16 leaves × 32 uplinks, 4 to each of 8 spines; then 2 to each of 16: 16 × 8 × 2 stay. Then 1 to each of 32: 32 × 16 stay
    ("dgx-h100", "ndr", {}, (64, 128, 256), [256, 512]),
    # 8 leaves × 64 uplinks, 16 to each of 4 spines; then 8 to each of 8: 8 × 4 × 8 stay; then 4 to each of 16
    ("dgx-h100", "roce-400", {}, (64, 128, 256), [256, 512]),
    ("dgx-b300", "xdr", {}, (64, 128, 256), [256, 512]),
    # 32 leaves × 16 uplinks, 1 to each of 16 spines. Then three tiers: a spine meets the leaves of one rail, of which there
    # were 4, so 16 × 4 of 512 stay
    ("dgx-a100-640", "hdr", {}, (64, 128), [448]),
    # Three tiers, where a spine meets one rail: 32 spines × 8 leaves that were there stay of 2,048
    ("dgx-h100", "ndr", {}, (256, 512), [1792]),
    # Units of 26 for units of 32: six nodes of each of two units lose their ports, on 8 rails: 96. And 26 uplinks, 2 to each
    # of 13 spines for 4 to each of 8: half of 512 stay
    ("dgx-h100", "ndr", {}, (64, 100), [96 + 256]),
    # 16 leaves × 16 uplinks, 4 to each of 4; then 2 to each of 8: half stay
    ("dgx-h100", "ndr", {"oversubscription": "2:1"}, (64, 128), [128]),
]


@pytest.mark.parametrize(("server", "generation", "more", "nodes", "touched"), BY_HAND)
def test_the_least_is_moved(
    server: str, generation: str, more: dict[str, Any], nodes: tuple[int, ...], touched: list[int]
) -> None:
    values = {"compute": {"server": server, "nodes": nodes[0]}, "fabric": {"generation": generation, **more}}
    found = [changes_between(before, built).recabling for before, _, built in grown(values, *nodes[1:])]
    assert [one.touched for one in found] == touched


def joined(links: LinkList, tier: int) -> dict[str, Counter[str]]:
    """Links of each upper device to each lower one."""
    out: dict[str, Counter[str]] = {}
    for one in links.rows(links.table.rows(tier).start, links.table.rows(tier).stop):
        out.setdefault(one.b_device, Counter())[one.a_device] += 1
    return out


def most_that_stay(before: LinkList, alone: LinkList) -> int:
    """Leaf-spine cables that stay in the best of all orders of spines, tried one by one."""
    was, now = joined(before, LEAF_SPINE), joined(alone, LEAF_SPINE)
    orders = itertools.permutations(now, len(was))
    return max(
        sum((was[name] & now[place]).total() for name, place in zip(was, order, strict=True)) for order in orders
    )


def small(nodes: int, nics: int, radix: int, **fabric: Any) -> dict[str, Any]:
    """A network of switches with few ports, one to a cage."""
    custom = {
        f"{tier}_{what}": value
        for tier in ("leaf", "spine")
        for what, value in (("switch", "custom"), ("radix", radix))
    }
    return {
        "compute": {"server": "custom", "nodes": nodes, "gpus_per_node": nics, "nics_per_node": nics},
        "fabric": {"generation": "hdr", **custom, **fabric},
    }


SMALL = [
    (small(4, 2, 8), (6, 8, 12)),
    (small(6, 2, 8), (8, 11, 14, 16)),
    (small(9, 2, 12), (14, 20, 27)),
    (small(8, 1, 8), (12, 13, 32)),
    (small(8, 1, 12, oversubscription="2:1"), (14, 23, 40)),
    (small(5, 4, 12), (7, 9, 14)),
    (small(6, 2, 12, leaf_uplinks=5, leaf_downlinks=6), (10, 12, 16, 24)),
    (small(6, 2, 12, leaf_uplinks=3, leaf_downlinks=6), (9, 13, 18, 22)),
]


@pytest.mark.parametrize(("values", "nodes"), SMALL)
def test_no_order_of_spines_keeps_more(values: dict[str, Any], nodes: tuple[int, ...]) -> None:
    """Every order of spines is tried; in it, of each two switches the smaller of both counts of cables stays at most."""
    for (before,), (alone,), (built,) in grown(values, *nodes):
        steps = list(steps_between([before], [built]))
        kept = [step for step in steps if step.action == KEPT and step.cable.tier == TIERS[LEAF_SPINE]]
        assert len(kept) == most_that_stay(before, alone), (before.fabric.n_nodes, built.fabric.n_nodes)


@settings(max_examples=n_examples(150))
@given(requests(), st.floats(1.0, 4.0), st.floats(1.0, 2.0))
def test_what_is_built_is_the_design_with_other_ports(values: dict[str, Any], first: float, second: float) -> None:
    """The same links of the same parts between switches joined alike, in no more cages, and never more that is moved."""
    n = values["compute"]["nodes"]
    sizes = [round(min(n, 100) * first), round(min(n, 100) * first * second)]
    try:
        phases = list(grown(apply_change(values, {"compute.nodes": min(n, 100)}), *sizes))
    except (SpecError, InfeasibleDesign):
        return
    for before, alone, built in phases:
        for by_itself, made in zip(alone, built, strict=True):
            assert_same_network(by_itself, made)
        recabling, otherwise = (changes_between(before, after).recabling for after in (built, alone))
        assert recabling.touched <= otherwise.touched
        assert not any(tier.renumbered for tier in recabling.tiers)
        assert_labels_are_free(before, built)


def assert_labels_are_free(before: Lists, built: Lists) -> None:
    """A number of the phase before is on no other cable, as that one's label may still hang in the hall."""
    used = {
        links.role: {one.number + piece for one in cables_of(links) for piece in range(one.pieces)} for links in before
    }
    for step in steps_between(before, built):
        if step.after and step.action == KEPT:
            assert step.before
            assert step.before.number == step.after.number
        elif step.after:
            assert step.after.number not in used.get(step.after.fabric, ())


def assert_same_network(alone: LinkList, built: LinkList) -> None:
    ports = Counter(end for one in built.rows() for end in ((one.a_device, one.a_port), (one.b_device, one.b_port)))
    assert set(ports.values()) <= {1}
    assert like_what(built) == like_what(alone)
    assert shape(built) == shape(alone)
    assert (np.diff(built.table.tier.astype(int)) >= 0).all()
    for tier in range(len(TIERS)):
        rows = built.table.rows(tier)
        ends = list(zip(built.table.a_device[rows].tolist(), built.table.a_port[rows].tolist(), strict=True))
        assert tier not in DEALT or ends == sorted(ends)
    ours, own = cages(built), cages(alone)
    assert Counter(device for device, _ in ours).keys() == Counter(device for device, _ in own).keys()
    assert len(ours) <= len(own)
    assert max(map(len, ours.values())) <= max(map(len, own.values()))
    assert unlike(ours) <= unlike(own)
    assert cages_a_cable(built) == cages_a_cable(alone)
    pieces = [cable.pieces for cable in cables_of(built)]
    numbers = [cable.number + piece for cable in cables_of(built) for piece in range(cable.pieces)]
    assert len(set(numbers)) == len(numbers) == sum(pieces)


def like_what(links: LinkList) -> Counter[Hashable]:
    """Links by everything but where they lead."""
    return Counter(
        (one.tier, one.plane, one.rail, one.rate_gbit_s, one.part, one.length_m, one.a_transceiver, one.b_transceiver)
        for one in links.rows()
    )


def shape(links: LinkList) -> list[Counter[Hashable]]:
    """Of each tier, devices by how many links they have to how many others."""
    out: list[Counter[Hashable]] = []
    for tier in range(len(TIERS)):
        rows = links.table.rows(tier)
        pairs = Counter(zip(links.table.a_device[rows].tolist(), links.table.b_device[rows].tolist(), strict=True))
        for end in (0, 1):
            own: dict[int, Counter[int]] = {}
            for pair, n in pairs.items():
                own.setdefault(pair[end], Counter())[n] += 1
            out.append(Counter(frozenset(one.items()) for one in own.values()))
    return out


def cages(links: LinkList) -> dict[tuple[str, str], list[str | None]]:
    """What is plugged in, in every cage that is filled: an entry a link."""
    out: dict[tuple[str, str], list[str | None]] = {}
    for one in links.rows():
        out.setdefault((one.a_device, one.a_cage), []).append(one.a_transceiver)
        out.setdefault((one.b_device, one.b_cage), []).append(one.b_transceiver)
    return out


def unlike(cages: dict[tuple[str, str], list[str | None]]) -> int:
    """Cages with two kinds of plug."""
    return sum(len(set(plugs)) > 1 for plugs in cages.values())


def cages_a_cable(links: LinkList) -> Counter[int]:
    """Cables by how many pairs of cages their links join: more than one for splitters alone."""
    table = links.table
    ends = zip(*(x.tolist() for x in (table.a_device, table.a_cage, table.b_device, table.b_cage)), strict=True)
    own: dict[int, set[Hashable]] = {}
    for cable, places in zip(links.cabling.cable.tolist(), ends, strict=True):
        own.setdefault(cable, set()).add(places)
    return Counter(len(one) for one in own.values())
