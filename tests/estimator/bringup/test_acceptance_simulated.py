"""Sites drawn by chance: 10 % lost at one rail or leaf is found and located, and healthy sites pass."""

import math
import random
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pytest

from estimator.bringup.acceptance.design import design_contract
from estimator.bringup.acceptance.gates import Contract, Path
from estimator.bringup.acceptance.judge import verdicts
from estimator.bringup.acceptance.lines import spread_of_band
from estimator.bringup.acceptance.matching import Judged, Matched, matched
from estimator.bringup.acceptance.readers.files import Reading
from estimator.bringup.acceptance.readers.reading import Measured, Place
from estimator.bringup.acceptance.stragglers import stragglers_of
from estimator.calibration.logs.read import ParsedLog
from estimator.catalog.loader import load_catalog
from tests.estimator.bringup.sites import FOUR_UNITS, spec_of

N_SITES, N_MORE = 200, 60
LOSS = 0.10
RUN_SPREAD = 0.01
SMALL: dict[str, Any] = {"leaf_radix": 16, "spine_radix": 16, "core_radix": 16}


def _of(nodes: int, generation: str, server: str = "dgx-h100", **fabric: Any) -> dict[str, Any]:
    return {"compute": {"server": server, "nodes": nodes}, "fabric": {"generation": generation, **fabric}}


DESIGNS: dict[str, tuple[dict[str, Any], int]] = {
    "four groups of leaves": (FOUR_UNITS, N_SITES),
    "RoCE, two tiers, top of rack": (_of(64, "roce-400", tiers=2, layout="top-of-rack"), N_MORE),
    "two groups of leaves": (
        _of(64, "roce-400", tiers=2, layout="rail-optimized", leaf_switch="custom", leaf_radix=64),
        N_MORE,
    ),
    "three tiers": (_of(48, "ndr", tiers=3, **SMALL), N_MORE),
    "planes": (_of(64, "roce-400", server="dgx-b300", planes=2), N_MORE),
}


class Run(NamedTuple):
    """A run of a site and the leaves that it goes over."""

    path: Path
    place: Place
    leaves: frozenset[str]


def runs(contract: Contract) -> Iterator[Run]:
    """Every run of a site: 1 in 4 of the nodes and pairs, all of the rest."""
    site, paths = contract.site, {one.code: one for one in contract.paths}

    def over(nodes: Sequence[int], rail: int | None = None) -> frozenset[str]:
        return frozenset(leaf for node in nodes for leaf in site.leaves_of(node, rail))

    for node in range(0, site.n_nodes - 1, 4):
        yield Run(paths["node"], Place(nodes=(site.nodes[node],)), frozenset())
        yield Run(paths["pair_all_gather"], Place(nodes=site.nodes[node : node + 2]), over((node, node + 1)))
    for nodes in site.rack_nodes if "rack" in paths else ():
        yield Run(paths["rack"], Place(rack=site.racks[int(site.rack_of[nodes[0]])]), over(nodes))
    rails: list[int | None] = [*range(1, site.n_rails + 1)] if site.has_rails else [None]
    for rail in rails:
        if rail:
            yield Run(paths["rail"], Place(rail=rail), over(range(site.n_nodes), rail))
        beside = list(zip(site.units, [*site.units[1:], site.units[0]], strict=True)) if "leaf_pair" in paths else []
        for first, second in beside[: len(beside) if len(beside) > 2 else 1]:
            both = over(first[:1], rail) | over(second[:1], rail)
            yield Run(paths["leaf_pair"], Place(leaves=tuple(sorted(both)), rail=rail), both)
    for collective in ("all_reduce", "alltoall"):
        yield Run(paths[f"cluster_{collective}"], Place(other="all"), frozenset(site.leaves))


def site_drawn(contract: Contract, ran: Sequence[Run], draw: random.Random, slow: frozenset[str]) -> list[Judged]:
    """Verdicts of one site: the model errs alike for all of a family, and each run for itself; a healthy path fills the wire."""
    errors = {family: draw.gauss(0, 1) for family in ("domain", "network")}
    found: list[Matched] = []
    for path, place, leaves in ran:
        band, part = path.band, path.part
        healthy = band.expected * math.exp(errors[path.family] * spread_of_band(band.expected, band.low))
        lost = LOSS if slow & leaves else 0.0
        value = min(healthy, band.ceiling) * (1 - lost) * math.exp(draw.gauss(0, RUN_SPREAD))
        assert part is not None
        log = ParsedLog("made", part.collective, part.n_gpus, path.n_nodes, "process-per-gpu", (), None, (), (), 0)
        measured = Measured("collective", value, path.sizes.judged, log=log)
        placed = Place(path.code, place.nodes, place.rail, place.leaves, place.rack, place.other)
        found.append(matched(Reading(f"{path.code} {placed.words}", placed, measured), contract))
    return verdicts(found, contract)


@pytest.mark.parametrize("name", DESIGNS)
def test_healthy_sites_pass_and_a_tenth_lost_at_one_rail_or_leaf_is_caught(name: str) -> None:
    values, n_sites = DESIGNS[name]
    contract, draw = design_contract(spec_of(values), load_catalog()), random.Random(13)
    site, ran = contract.site, list(runs(contract))
    alarms = sum(
        any(path.verdict == "fail" for path in site_drawn(contract, ran, draw, frozenset())) for _ in range(n_sites)
    )
    assert alarms <= max(0.02 * n_sites, 1)
    for kind in ("rail", "leaf") if site.has_rails else ("leaf",):
        caught = 0
        for _ in range(n_sites):
            node, rail = draw.randrange(site.n_nodes), draw.randint(1, site.leaf_of.shape[1])
            (leaf,) = site.leaves_of(node, rail if site.has_rails else None)
            below = frozenset(site.leaves[index] for index in site.leaf_of[:, rail - 1].tolist())
            slow = below if kind == "rail" else frozenset([leaf])
            found = stragglers_of(site_drawn(contract, ran, draw, slow), contract)
            is_whole_rail = site.has_rails and slow == below  # a rail of one leaf is that leaf
            named = ("rail", str(rail)) if is_whole_rail else ("leaf", leaf)
            caught += bool(found) and (found[0].kind, found[0].name) == named
            caught -= len(found) > 2  # what waits for the slow part is not named beside it
        assert caught >= (0.95 * n_sites if n_sites == N_SITES else 0.95 * n_sites - 2), kind  # fewer, by chance
