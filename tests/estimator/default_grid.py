"""Default designs against every other of as many tiers that a request could name in their place.

For each design of a grid of ordinary ones, the rivals are: every unit, number of downlinks, number of uplinks and floor of
spines named alone; and every structure that ``structures`` finds by arithmetic of its own, named in full. The rivals that
look cheapest, and those with the fewest switches, are built and billed as any request is, and the network on the bill is
compared. A rival counts where it holds the ratio on its fullest leaf, brings no warning that the default does not have, and
leaves no unit less than half full. ``python -m tests.estimator.default_grid`` runs the grid of 448 oversubscribed designs
and 160 at 1:1; a first number behind it is a seed for other numbers of nodes, two more run part i of n.
"""

import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from estimator.bom.bill import bill_of_materials
from estimator.bom.lines import NETWORK_CATEGORIES
from estimator.cabling.plan import cable_plan
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError
from estimator.fabric.columns import Asked, Sizing
from estimator.fabric.size import size
from estimator.fabric.sized import fabric_of
from estimator.fabric.sizing import asked_columns
from estimator.findings.fabric import findings_of
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec
from estimator.spec.rates import asked_ratio
from estimator.units import ceil_div, divisors

CATALOG = load_catalog()
PAIRS = (
    ("dgx-a100-640", "hdr"),
    ("dgx-h100", "ndr"),
    ("dgx-h100", "roce-400"),
    ("dgx-b300", "xdr"),
    ("hgx-b200-10u", "roce-400"),
    ("gb300-tray", "xdr"),
    ("smc-4125gs-rtxpro", "roce-400"),
    ("mi355x-4u-lc", "roce-400"),
    ("dgx-a100-640", "roce-200"),
    ("gb200-tray", "ndr"),
    ("dgx-h200", "ndr"),
    ("dgx-b200", "ndr"),
    ("hgx-b300-9u", "roce-400"),
    ("vr-nvl72-tray", "roce-800"),
)
ROUND_NODES = (16, 32, 48, 64, 72, 96, 100, 128, 144, 160, 192, 200, 256, 288, 384, 512)
RATIOS = ("2:1", "3:1", "4:1")
LAYOUTS = ("rail-optimized", "top-of-rack")
SIZES, MORE_RATIOS, AT_ONE_TO_ONE = 8, 2, 10  # 14 pairs × 2 layouts × 8 sizes × 2 ratios; 10 pairs × 2 × 8 at 1:1
MOST = 1.01  # what a rival may save, in cost or switches, before the default counts as beaten
BILLED = 5  # rivals of each kind that are billed
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


# ------------------------------------------------------------------------------------------------ the grid


def grid(seed: int = 0) -> list[dict[str, Any]]:
    """Requests of the grid; seed 0 has round numbers of nodes, any other draws them."""
    rng = random.Random(seed)
    found: list[dict[str, Any]] = []
    for number, (server, generation) in enumerate(PAIRS):
        for layout in LAYOUTS:
            sizes = ROUND_NODES[number % 2 :: 2] if seed == 0 else sorted(rng.sample(range(16, 513), SIZES))
            for at, nodes in enumerate(sizes):
                ratios = [RATIOS[(number + at + more) % len(RATIOS)] for more in range(MORE_RATIOS)]
                ratios += ["1:1"] * (number < AT_ONE_TO_ONE)
                found += [_request(server, generation, nodes, layout, ratio) for ratio in ratios]
    return found


def _request(server: str, generation: str, nodes: int, layout: str, ratio: str) -> dict[str, Any]:
    return {
        "compute": {"server": server, "nodes": nodes},
        "fabric": {"generation": generation, "layout": layout, "oversubscription": ratio},
    }


def with_keys(request: dict[str, Any], **keys: Any) -> dict[str, Any]:
    """The request with keys of its fabric named."""
    return {**request, "fabric": {**request["fabric"], **keys}}


# ------------------------------------------------------------------------------------------------ designs as they are billed


@dataclass(frozen=True)
class Built:
    """A design as it is sold."""

    switches: int
    cents: int  # the network on the bill, typical
    warnings: frozenset[str]
    is_held: bool  # the ratio, on the fullest leaf
    is_stranded: bool  # the last unit is less than half full
    shares_cages: bool  # of a leaf, with ports to nodes and to spines
    shape: str

    def may_replace(self, default: "Built") -> bool:
        """Whether it is as good as the default in all but switches and cost."""
        is_whole = not self.is_stranded or default.is_stranded
        return (self.is_held or not default.is_held) and self.warnings <= default.warnings and is_whole


def built(request: dict[str, Any]) -> Built | None:
    """The design of a request; None where there is none."""
    try:
        spec = parse_spec(request, CATALOG)
        sizing = size([spec], CATALOG)
        if not sizing.tiers[0]:
            return None
        fabric = fabric_of(sizing, 0, spec)
        plan = cable_plan(spec, fabric, CATALOG)
        bill = bill_of_materials(spec, fabric, plan, CATALOG)
    except EstimatorError:
        return None
    warnings = {one.code for one in findings_of(spec, sizing, 0, fabric, CATALOG) if one.severity != "info"}
    warnings |= {problem.code for problem in plan.blocked}
    unit, down, cage = fabric.unit_nodes, int(fabric.leaf_downlinks), int(sizing.asked.cage_links[0])
    rest = fabric.n_nodes % unit if unit and not fabric.wiring.last_pod_from else 0
    shape = f"{fabric.n_leaf} + {fabric.n_spine} + {fabric.n_core}, {down}:{fabric.leaf_uplinks}, unit {unit}"
    return Built(
        fabric.n_leaf + fabric.n_spine + fabric.n_core,
        bill.total_cents(*NETWORK_CATEGORIES).typical,
        frozenset(warnings),
        fabric.worst_leaf_ratio <= asked_ratio(spec.fabric, CATALOG),
        bool(rest and 2 * rest < unit),
        int(fabric.leaf_radix) - down < -(-int(fabric.leaf_uplinks) // cage) * cage,
        shape,
    )


# ------------------------------------------------------------------------------------------------ rivals: one key named


def single_keys(spec: DesignSpec) -> list[dict[str, Any]]:
    """Every value of each key that decides between structures, named alone."""
    ports, nodes = spec.fabric.leaf_radix or 0, spec.compute.nodes or 0
    names: list[dict[str, Any]] = [{"scalable_unit_nodes": n} for n in range(1, min(nodes, ports) + 1)]
    names += [{key: n} for key in ("leaf_downlinks", "leaf_uplinks", "least_spines") for n in range(1, ports + 1)]
    return names


def of_single_keys(spec: DesignSpec, tiers: int) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """(switches, cents by prices of switches and link ends, keys) of rivals of as many tiers that name one key."""
    kept = single_keys(spec)
    updates = [{**name, "tiers": tiers} for name in kept]
    specs = [spec.model_copy(update={"fabric": spec.fabric.model_copy(update=update)}) for update in updates]
    sizing = size(specs, CATALOG)
    cents = by_link_ends(sizing)
    switches = sizing.n_leaf + sizing.n_spine + sizing.n_core
    for i in np.flatnonzero((sizing.tiers > 0) & _is_whole(sizing)):
        yield int(switches[i]), int(cents[i]), kept[i]


def _is_whole(sizing: Sizing) -> BoolArray:
    """Whether the ratio holds, no unit is less than half full, and pods are alike where OpenSM wants them so."""
    asked, unit = sizing.asked, np.maximum(sizing.leaves.unit_nodes, 1)
    ports = ceil_div(sizing.leaves.fullest, asked.endpoints_a_port)
    fed = ports * asked.ratio_up * asked.port_rate_gbit_s
    is_held = (sizing.tiers == 1) | (sizing.uplinks * asked.ratio_down * asked.uplink_rate_gbit_s >= fed)
    rest = asked.nodes % unit
    is_stranded = (asked.rails_a_leaf > 0) & (rest > 0) & (2 * rest < unit) & (sizing.tiers > 1)
    is_alike = (sizing.tiers < 3) | ~asked.symmetric | (sizing.last_pod_rows == sizing.pod_rows)
    is_whole: BoolArray = is_held & ~is_stranded & is_alike
    return is_whole


def by_link_ends(sizing: Sizing) -> IntArray:
    """Switches at typical prices, and two ends of every link between them."""
    asked = sizing.asked
    links = sizing.links_leaf_spine + sizing.links_spine_core
    cents: IntArray = (
        sizing.n_leaf * asked.leaf_cents
        + sizing.n_spine * asked.spine_cents
        + sizing.n_core * asked.core_cents
        + 2 * links * asked.link_end_cents
    )
    return cents


# ------------------------------------------------------------------------------------------------ rivals: whole structures


def structures(spec: DesignSpec, tiers: int, below_cents: int) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """As ``of_single_keys``, of every even structure of so many tiers that costs less; found without estimator.fabric.sizing."""
    asked = asked_columns([spec], CATALOG)
    one = _One(**{field.name: int(getattr(asked, field.name)[0]) for field in fields(Asked)})
    for down in range(1, one.leaf_ports):
        yield from (_two(one, down, below_cents) if tiers == 2 else _three(one, down, below_cents))


class _One:
    """What one request asks for, as plain numbers under the names of ``Asked``."""

    def __init__(self, **values: int) -> None:
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> int:
        raise AttributeError(name)

    def most_nodes(self, down: int) -> int:
        """Nodes of a unit that so many ports hold, by rail."""
        return min(down * self.endpoints_a_port // self.rails_a_leaf, self.nodes)

    def fewest_uplinks(self, endpoints: int) -> int:
        """Uplinks of a leaf that holds so many endpoints."""
        ports = -(-endpoints // self.endpoints_a_port)
        return -(-ports * self.ratio_up * self.port_rate_gbit_s // (self.ratio_down * self.uplink_rate_gbit_s))

    def most_uplinks(self, down: int) -> int:
        return (self.leaf_ports - down) // self.down_a_cage * self.up_a_cage


def _leaf(one: _One, down: int) -> tuple[int, int, int, dict[str, Any]] | None:
    """(leaves of a column, columns, fewest uplinks, keys) of leaves with so many downlinks; None where they are no others."""
    if one.rails_a_leaf:
        unit = one.most_nodes(down)
        if not unit or -(-unit * one.rails_a_leaf // one.endpoints_a_port) != down:
            return None
        keys = {"scalable_unit_nodes": unit}
        if 0 < 2 * (one.nodes % unit) < unit:
            return None  # the last unit is less than half full
        return (
            -(-one.nodes // unit),
            one.endpoints_a_node // one.rails_a_leaf,
            one.fewest_uplinks(unit * one.rails_a_leaf),
            keys,
        )
    held = down * one.endpoints_a_port
    rows = -(-one.nodes * one.endpoints_a_node // held)
    return rows, 1, one.fewest_uplinks(min(held, one.nodes * one.endpoints_a_node)), {"leaf_downlinks": down}


def _two(one: _One, down: int, below_cents: int) -> Iterator[tuple[int, int, dict[str, Any]]]:
    leaf = _leaf(one, down)
    if leaf is None:
        return
    rows, columns, needed, keys = leaf
    n_leaf = rows * columns
    for links in range(1, one.spine_ports // n_leaf + 1):
        spines = -(-needed // links)
        uplinks = spines * links
        if uplinks > one.most_uplinks(down):
            continue
        cents = n_leaf * one.leaf_cents + spines * one.spine_cents + 2 * n_leaf * uplinks * one.link_end_cents
        if one.n_components * cents < below_cents:
            named = {**keys, "leaf_uplinks": uplinks, "least_spines": spines, "tiers": 2}
            yield one.n_components * (n_leaf + spines), one.n_components * cents, named


@lru_cache(maxsize=4096)
def _sets_and_cores(spines: int, spine_up: int, groups: int, core_ports: int) -> tuple[int, int]:
    """(core groups, cores of each) with the fewest cores; (0, 0) where there are none."""
    best = (0, 0)
    for sets in divisors(spines):
        least = -(-groups * (spines // sets) * spine_up // core_ports)
        cores = next((c for c in divisors(spine_up) if c >= least), 0)
        if cores and (not best[0] or sets * cores < best[0] * best[1]):
            best = sets, cores
    return best


def _rows_of(one: _One, nodes: int, down: int, keys: dict[str, Any]) -> int:
    """Leaves of a column for so many nodes."""
    if one.rails_a_leaf:
        return -(-nodes // int(keys["scalable_unit_nodes"]))
    return -(-nodes * one.endpoints_a_node // (down * one.endpoints_a_port))


def _pods(one: _One, rows: int, columns: int, down: int, keys: dict[str, Any]) -> set[tuple[int, int]]:
    """(nodes, leaves of a column) of pods: as equal as they can be, and with all leaves full."""
    found: set[tuple[int, int]] = set()
    for n_pods in range(2, one.core_ports // columns + 1):
        units = -(-rows // n_pods)
        pod = units * int(keys["scalable_unit_nodes"]) if one.rails_a_leaf else -(-one.nodes // n_pods)
        of_pod = _rows_of(one, pod, down, keys)
        found.add((pod, of_pod))
        if not one.rails_a_leaf:
            found.add((of_pod * down * one.endpoints_a_port // one.endpoints_a_node, of_pod))
    return found


def _three(one: _One, down: int, below_cents: int) -> Iterator[tuple[int, int, dict[str, Any]]]:
    leaf = _leaf(one, down)
    if leaf is None:
        return
    rows, columns, needed, keys = leaf
    ports_down = one.spine_ports * one.spine_ratio_down // (one.spine_ratio_down + one.spine_ratio_up)
    for pod, of_pod in _pods(one, rows, columns, down, keys):
        n_pods = -(-one.nodes // pod)
        if of_pod > ports_down or not 1 < n_pods <= one.core_ports // columns:
            continue
        last = _rows_of(one, one.nodes - (n_pods - 1) * pod, down, keys)
        leaves = columns * ((n_pods - 1) * of_pod + (of_pod if one.symmetric else last))
        links, spines = np.meshgrid(
            np.arange(1, ports_down // of_pod + 1), np.arange(1, one.most_uplinks(down) + 1), indexing="ij"
        )
        uplinks = links * spines
        fits = (uplinks >= needed) & (uplinks <= one.most_uplinks(down))
        links, spines, uplinks = links[fits], spines[fits], uplinks[fits]
        up = ceil_div(leaves * uplinks * one.spine_ratio_up, np.array(one.spine_ratio_down))
        least = leaves * one.leaf_cents + columns * n_pods * spines * one.spine_cents
        least = (
            least
            + ceil_div(up, np.array(one.core_ports)) * one.core_cents
            + 2 * (leaves * uplinks + up) * one.link_end_cents
        )
        for i in np.flatnonzero(one.n_components * least < below_cents):
            n_spine = int(spines[i])
            spine_up = -(-of_pod * int(links[i]) * one.spine_ratio_up // one.spine_ratio_down)
            sets, cores = _sets_and_cores(n_spine, spine_up, n_pods * columns, one.core_ports)
            if not sets:
                continue
            cents = int(least[i]) + (sets * cores - -(-int(up[i]) // one.core_ports)) * one.core_cents
            if one.n_components * cents < below_cents:
                named = {
                    **keys,
                    "leaf_uplinks": int(uplinks[i]),
                    "least_spines": n_spine,
                    "pod_nodes": pod,
                    "core_groups": sets,
                    "tiers": 3,
                }
                switches = leaves + columns * n_pods * n_spine + sets * cores
                yield one.n_components * switches, one.n_components * cents, named


# ------------------------------------------------------------------------------------------------ the comparison


@dataclass(frozen=True)
class Verdict:
    """A default design, its 1:1, and the rivals that count."""

    request: dict[str, Any]
    default: Built
    at_one_to_one: Built | None
    rivals: list[tuple[Built, dict[str, Any]]]

    @property
    def costs_more_than_one_to_one(self) -> bool:
        return self.at_one_to_one is not None and self.default.cents > self.at_one_to_one.cents

    def best(self) -> tuple[Built, dict[str, Any]] | None:
        """The rival that costs least."""
        return min(self.rivals, key=lambda one: one[0].cents, default=None)

    @property
    def cost_over_best(self) -> float:
        """Cost of the default's network ÷ that of the best rival; 1 where it is the best itself."""
        return max([1.0, *(self.default.cents / one.cents for one, _ in self.rivals if one.cents)])

    @property
    def switches_over_best(self) -> float:
        """The same in switches, among rivals that cost no more and have whole cages where the default has."""
        fewest = [
            one.switches
            for one, _ in self.rivals
            if one.cents <= self.default.cents and one.shares_cages <= self.default.shares_cages
        ]
        return max([1.0, *(self.default.switches / n for n in fewest)])


def judged(request: dict[str, Any]) -> Verdict:
    """A design of the grid with the rivals that count, billed."""
    spec = parse_spec(request, CATALOG)
    default = built(request)
    if default is None:
        raise AssertionError(f"no design: {request}")
    sizing = size([spec], CATALOG)
    tiers, cents = int(sizing.tiers[0]), int(by_link_ends(sizing)[0])
    named: list[tuple[int, int, dict[str, Any]]] = []
    if tiers > 1:
        named += [*of_single_keys(spec, tiers), *structures(spec, tiers, cents + cents // 100)]
    rivals: list[tuple[Built, dict[str, Any]]] = []
    for name in _worth_a_bill(named, default.switches):
        rival = built(with_keys(request, **name))
        if rival and rival.may_replace(default):
            rivals.append((rival, name))
    other = built(with_keys(request, oversubscription="1:1"))
    return Verdict(request, default, None if spec.fabric.oversubscription == "1:1" else other, rivals)


def _worth_a_bill(named: list[tuple[int, int, dict[str, Any]]], switches: int) -> list[dict[str, Any]]:
    """Of each kind of naming (one key, a structure) and shape: those that look cheapest, and those with fewer switches."""
    found: dict[str, dict[str, Any]] = {}
    for is_whole in (False, True):
        seen: dict[tuple[int, int], list[dict[str, Any]]] = {}
        for n, cents, name in named:
            if ("tiers" in name) == is_whole:
                seen.setdefault((n, cents), []).append(name)
        by_cost = sorted(seen, key=lambda key: (key[1], key[0]))[:BILLED]
        by_switches = sorted(key for key in seen if key[0] <= switches)[:BILLED]
        for key in (*by_cost, *by_switches):
            names = seen[key]
            found |= {json.dumps(name): name for name in (names[0], names[len(names) // 2], names[-1])}
    return list(found.values())


def words_of(verdict: Verdict) -> str:
    """One line on a design that is beaten."""
    compute, fabric, default = verdict.request["compute"], verdict.request["fabric"], verdict.default
    words = [
        f"{compute['nodes']} {compute['server']} {fabric['generation']} {fabric['layout']} {fabric['oversubscription']}"
    ]
    words.append(f"{default.switches} switches ({default.shape}), ${default.cents / 100:,.0f}")
    other, best = verdict.at_one_to_one, verdict.best()
    if other and verdict.costs_more_than_one_to_one:
        words.append(f"1:1 takes {other.switches}, ${other.cents / 100:,.0f}")
    if best and best[0].cents < default.cents:
        made, keys = best
        cages = ", cages shared" if made.shares_cages else ""
        saved = 100 * (1 - made.cents / default.cents)
        words.append(f"{made.switches} ({made.shape}{cages}) save {saved:.2f} %: {json.dumps(keys)}")
    return "; ".join(words)


def main(seed: int = 0, part: int = 0, parts: int = 1) -> None:
    """Run the grid, or one of so many parts of it, and print every design that is beaten."""
    over: list[float] = []
    counts: Counter[str] = Counter()
    for request in grid(seed)[part::parts]:
        verdict = judged(request)
        counts["at 1:1" if request["fabric"]["oversubscription"] == "1:1" else "oversubscribed"] += 1
        over.append(verdict.cost_over_best)
        is_beaten = verdict.cost_over_best > MOST or verdict.switches_over_best > MOST
        counts["more than their 1:1"] += verdict.costs_more_than_one_to_one
        counts["beaten by more than 1 %"] += is_beaten
        if is_beaten or verdict.costs_more_than_one_to_one:
            print(words_of(verdict), flush=True)
    print(dict(counts), f"worst {100 * (max(over) - 1):.2f} %, mean {100 * (sum(over) / len(over) - 1):.3f} %")


if __name__ == "__main__":
    main(*(int(number) for number in sys.argv[1:4]))
