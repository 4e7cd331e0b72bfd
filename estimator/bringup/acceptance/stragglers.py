"""What slow results have in common: the node, rail, leaf or rack that all of them touch and no good result does."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import NamedTuple

import numpy as np

from estimator.bringup.acceptance.constants import constant
from estimator.bringup.acceptance.gates import Contract
from estimator.bringup.acceptance.matching import Judged
from estimator.bringup.acceptance.readers.reading import Place
from estimator.bringup.acceptance.result import Straggler

MOST = 20
INSIDE = ("pcie", "nvlink", "node", "domain")  # gates of nodes alone: no leaf or rail is in them
ORDER = ("rail", "leaf", "rack", "node", "pair")  # of parts that explain alike, the one that is larger comes first
NEXT = {
    "rail": "Its leaves, uplinks and the NICs of this index: compare error, discard and pause counters with another rail's",
    "leaf": "Uplinks up, their errors and load, temperature and firmware of this switch against its neighbours",
    "rack": "Power and inlet temperature of the rack; clocks of its GPUs; the cable bundle that leaves it",
    "node": "Clocks and power of its GPUs, slot widths, link counters of each NIC; then swap its cables by label",
    "pair": "Run each of the two with a third one: whichever stays slow is it",
}


class Part(NamedTuple):
    """A part of the site that a result touches."""

    kind: str
    name: str


def stragglers_of(paths: Sequence[Judged], contract: Contract) -> list[Straggler]:
    """The fewest parts that explain the failed results, the one that explains most of them first.

    A part is a candidate where results that touch it fail and, of the same gates, at least one that does not touch it
    passes; of candidates the one counts with the most failures that no good result contradicts.
    """
    touched = [set(_parts(path, contract)) for path in paths]
    slow = {i for i, path in enumerate(paths) if path.verdict == "fail"}
    good = {i for i, path in enumerate(paths) if path.verdict == "pass"}
    found: list[Straggler] = []
    left = set(slow)
    while left and len(found) < MOST:
        best = _best(left, good, touched, paths)
        if best is None:
            break
        explained = {i for i in left if best in touched[i]}
        best = _narrowed(best, paths, contract)
        explained |= {i for i in left if _is_held_up(paths[i], best, contract)}
        found.append(_straggler(best, [paths[i] for i in sorted(explained)], paths, touched, slow))
        left -= explained
    return found


def _best(left: set[int], good: set[int], touched: Sequence[set[Part]], paths: Sequence[Judged]) -> Part | None:
    candidates = {part for i in left for part in touched[i]}

    def worth(part: Part) -> tuple[float, int]:
        with_it = {i for i in left if part in touched[i]}
        gates = {paths[i].first.path.code for i in with_it}
        against = sum(part in touched[i] for i in good if paths[i].first.path.code in gates)
        return len(with_it) - 2 * against, -ORDER.index(part.kind)

    best = max(sorted(candidates), key=worth, default=None)
    return best if best and worth(best)[0] > 0 else None


def _narrowed(best: Part, paths: Sequence[Judged], contract: Contract) -> Part:
    """The leaf of a slow rail, where runs on all NICs are slow below one group of leaves alone.

    Two groups share their one pair of leaves of a rail, so that the gates of rails alone cannot tell them apart; half of the
    pairs of nodes are slow then, so that none is slow beside its peers.
    """
    site = contract.site
    if best.kind != "rail" or not site.has_rails:
        return best
    shares: dict[str, dict[int, list[float]]] = {}
    for path in paths:
        unit = _unit_of_run(path, contract)
        if unit is not None:
            shares.setdefault(path.first.path.code, {}).setdefault(unit, []).append(path.share)
    slowest = {unit for by_unit in shares.values() if (unit := _slow_unit(by_unit)) is not None}
    if len(slowest) != 1:
        return best
    (unit,) = slowest
    return Part("leaf", site.leaves[int(site.leaf_of[site.units[unit][0], int(best.name) - 1])])


def _slow_unit(shares: Mapping[int, Sequence[float]]) -> int | None:
    """The group whose runs are as far below those of each other as a lost tenth puts them; None where none is."""
    middles = sorted((median(found), unit) for unit, found in shares.items())
    if len(middles) < 2 or middles[0][0] > (1 - constant("loss").value / 2) * middles[1][0]:
        return None
    return middles[0][1]


def _unit_of_run(path: Judged, contract: Contract) -> int | None:
    """The group of leaves below which a run on all NICs of its nodes stays; None where it is another kind of run."""
    site, place = contract.site, path.first.reading.place
    if path.first.path.scope not in ("pair", "rack") or place.rail:
        return None
    nodes = [site.node_index[name] for name in place.nodes]
    if place.rack:
        nodes = _nodes_of(place.rack, contract)
    units = {int(site.unit_of[node]) for node in nodes}
    return units.pop() if len(units) == 1 else None


def _nodes_of(rack: str, contract: Contract) -> list[int]:
    site = contract.site
    return [node for node in range(site.n_nodes) if site.racks[int(site.rack_of[node])] == rack]


def _is_held_up(path: Judged, part: Part, contract: Contract) -> bool:
    """Whether a run on all NICs of its nodes waits for a rail, or for a leaf of one that is above them."""
    site = contract.site
    if (
        not site.has_rails
        or part.kind not in ("rail", "leaf")
        or path.first.path.scope not in ("pair", "rack", "cluster")
    ):
        return False
    if part.kind == "rail" or path.first.path.scope == "cluster":
        return True
    unit = _unit_of_run(path, contract)
    return unit is not None and part.name in site.leaves_of(site.units[unit][0], None)


def _straggler(
    part: Part, slow: Sequence[Judged], paths: Sequence[Judged], touched: Sequence[set[Part]], all_slow: set[int]
) -> Straggler:
    gates = list(dict.fromkeys(path.first.path.code for path in slow))
    shares = []
    for gate in gates:
        others = [
            path.share
            for i, path in enumerate(paths)
            if path.first.path.code == gate and i not in all_slow and part not in touched[i]
        ]
        usual = median(others) if others else 1.0
        shares += [path.share / usual for path in slow if path.first.path.code == gate]
    share = median(shares)
    return Straggler(
        kind=part.kind,
        name=part.name,
        share=round(share, 3),
        gates=gates,
        evidence=f"{len(slow)} of {len(all_slow)} failed results touch it, at {100 * share:.0f} % of their peers",
        next_step=NEXT[part.kind],
    )


def _parts(path: Judged, contract: Contract) -> Iterator[Part]:
    """Parts that one path touches, as far as its names say."""
    site, place, code = contract.site, path.first.reading.place, path.first.path.code
    nodes = [site.node_index[name] for name in place.nodes]
    if len(nodes) <= 2:
        yield from (Part("node", site.nodes[node]) for node in nodes)
    if len(nodes) == 2:
        yield Part("pair", " and ".join(place.nodes))
    if place.rack:
        yield Part("rack", place.rack)
    if code in INSIDE:
        yield from (Part("rack", site.racks[int(site.rack_of[node])]) for node in nodes[:1] if not place.rack)
        return
    if place.rail:
        yield Part("rail", str(place.rail))
    yield from (Part("leaf", leaf) for leaf in _leaves(place, nodes, contract))


def _leaves(place: Place, nodes: Sequence[int], contract: Contract) -> Iterable[str]:
    """Leaves that are named, or that the nodes hang on where the rail is known or there is one leaf a node."""
    site = contract.site
    if place.leaves:
        return place.leaves
    if place.rail and site.has_rails and not nodes:  # a run of the whole rail: all of its leaves
        return [site.leaves[leaf] for leaf in np.unique(site.leaf_of[:, place.rail - 1]).tolist()]
    if place.rack and not nodes and not site.has_rails:
        nodes = _nodes_of(place.rack, contract)
    elif len(nodes) > 2 or (site.has_rails and not place.rail):
        return ()
    return dict.fromkeys(leaf for node in nodes for leaf in site.leaves_of(node, place.rail))
