"""Units, port splits, spines, pods and core groups that a request leaves open: the fewest switches, then the least cost.

Candidates are variants of the request along one axis, sized by the rules of sizing.py, so that a design which is chosen
here is the one that the same values, named, would give. Every value that the request names stays as it is. docs/sizing.md
has the order of what counts, and why.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from estimator.fabric.columns import (
    Asked,
    Leaves,
    downlinks_beside,
    downlinks_for,
    spine_downlinks,
    uplinks_beside,
    uplinks_for,
)
from estimator.fabric.even_spread import BoolArray
from estimator.fabric.sizing import (
    ThreeTiers,
    fits_one_tier,
    leaf_is_impossible,
    leaf_layer,
    leaf_rows,
    pods_of,
    spines_as_bought,
    three_tiers,
    two_tiers,
)
from estimator.units import Columns, IntArray, ceil_div, column_names

_EXACT, _WHOLE_CAGES, _WHOLE_NODES = range(3)  # how the downlinks of a leaf are rounded up
_PODS_FIRST, _PODS_AT_ONCE = 96, 512  # those that look best first: most often they rule out all others
_SPINES_AT_ONCE = 128  # candidates of three tiers that are sized together
_STRANDED_SHARE = 100  # a last unit that is not half full is worth one switch in so many
_NEAR_SHARE = 100  # one switch more in so many, or a shared cage, must save more than one dollar in so many
_NO_LIMIT = np.iinfo(np.int64).max // 2


@dataclass(frozen=True)
class Candidates:
    """Variants of requests: ``of`` is the request that each belongs to; ``kept`` ports of a leaf wait for managers."""

    asked: Asked
    of: IntArray
    kept: IntArray
    shares: BoolArray  # the last downlink and the first uplink of a leaf may share a cage

    def __len__(self) -> int:
        return len(self.of)


@dataclass(frozen=True)
class Built(Columns):
    """What candidates come to; columns. ``switches`` of all components."""

    fits: BoolArray
    is_held: BoolArray  # the ratio, on the fullest leaf, with its fabric managers
    uplinks: IntArray
    spines: IntArray  # of a group
    core_groups: IntArray
    switches: IntArray
    managers_left_out: IntArray
    cost_cents: IntArray
    is_stranded: BoolArray  # the last unit is less than half full


def settled(asked: Asked) -> Asked:
    """The request with everything that it leaves open chosen; unchanged where nothing was found, or one leaf holds all."""
    leaves = leaf_layer(asked)
    alone = fits_one_tier(asked, leaves.grown_nodes) & (asked.tiers < 2)
    open_rows = np.flatnonzero(~alone & (asked.tiers != 1))
    if not len(open_rows):
        return asked
    chosen = asked.copy()
    flat = open_rows[asked.tiers[open_rows] != 3]
    # a spine has a port for each leaf, or no split needs a look: more leaves than the fullest that may be make it worse
    least = leaf_rows(leaves.grown_nodes, asked, leaves) * leaves.columns
    flat = flat[(asked.uneven | (least <= asked.spine_ports))[flat]]
    done = _settle_two_tiers(asked, leaves, flat, chosen) if len(flat) else flat
    for row in np.setdiff1d(open_rows[asked.tiers[open_rows] != 2], done):
        _settle_three_tiers(asked, int(row), chosen)
    return chosen


# ---------------------------------------------------------------- candidates of two tiers


def _settle_two_tiers(asked: Asked, base: Leaves, rows: IntArray, chosen: Asked) -> IntArray:
    """Choose for these requests where two tiers will do; those are returned."""
    candidates = _two_tier_candidates(asked.take(rows), base.take(rows))
    leaves = _leaves(candidates)
    found = two_tiers(candidates.asked, leaves, leaves.grown_nodes)
    built = _built(candidates, leaves, found.group_spines, found.uplinks)
    best = _best(candidates, built, len(rows))
    _write(chosen, rows, candidates, built, best, tiers=2)
    return rows[best >= 0]


def _two_tier_candidates(asked: Asked, base: Leaves) -> Candidates:
    """Leaves of a column from the fewest on, as long as more of them could still save a spine each."""
    least = leaf_rows(base.grown_nodes, asked, base)
    is_open = _is_open(asked)
    units = np.where(_fills_units(asked), ceil_div(base.grown_nodes, np.maximum(asked.unit_nodes, 1)), 1)
    spines = np.maximum(uplinks_beside(base.downlinks, asked), asked.up)  # one link to each: as many as there may be
    more = np.minimum(spines // (base.columns * units), np.maximum(asked.spine_ports // base.columns - least, 0))
    more = np.where(is_open & (more > 0), more, 0)
    of = np.repeat(np.arange(len(least)), more + 1)
    offset = np.arange(len(of)) - np.repeat(np.cumsum(more + 1) - (more + 1), more + 1)
    of_unit = ceil_div(
        asked.unit_nodes * asked.endpoints_a_node, np.maximum(base.capacity, 1)
    )  # the last may have fewer
    rows = np.where(units > 1, of_unit, least)[of] + offset
    asked, units = asked.take(of), units[of]
    block = np.where(
        asked.rails_a_leaf > 0, base.grown_nodes[of], np.where(units > 1, asked.unit_nodes, base.grown_nodes[of])
    )
    return _rounded(asked, of, rows, block, is_open[of], base.downlinks[of])


def _is_open(asked: Asked) -> BoolArray:
    """Whether unit (by rail) or downlinks (in node order) are to be chosen."""
    by_rail = asked.rails_a_leaf > 0
    return np.where(by_rail, (asked.unit_nodes == 0) & ~asked.full_unit, (asked.down == 0) & ~asked.full_unit)


def _fills_units(asked: Asked) -> BoolArray:
    return (asked.rails_a_leaf == 0) & (asked.unit_nodes > 0)


def _rounded(
    asked: Asked,
    of: IntArray,
    rows: IntArray,
    block: IntArray,
    is_open: BoolArray,
    most_down: IntArray,
) -> Candidates:
    """Blocks of so many nodes over so many leaves of a column: exactly, in whole cages, in whole nodes; with and without
    ports for fabric managers."""
    by_rail, share = asked.rails_a_leaf > 0, asked.endpoints_a_port
    rails = np.maximum(asked.rails_a_leaf, 1)
    on_leaf = np.where(by_rail, rails, asked.endpoints_a_node)  # endpoints of a node on its leaves
    parts: list[Candidates] = []
    for rounding in (_EXACT, _WHOLE_CAGES, _WHOLE_NODES):
        step = np.ones_like(share)
        if rounding == _WHOLE_CAGES:
            step = asked.cage_links
        elif rounding == _WHOLE_NODES:
            step = np.where(by_rail | (on_leaf % share > 0), 1, on_leaf // share)
        shared = np.where(by_rail, ceil_div(block, rows) * rails, ceil_div(block * on_leaf, rows))
        ports = ceil_div(ceil_div(shared, share), step) * step
        unit = np.where(by_rail, np.minimum(ports * share // rails, block), asked.unit_nodes)
        is_new = (step > 1) | (rounding == _EXACT)
        fits = np.where(is_open, (ports <= most_down) & is_new, rounding == _EXACT)
        chosen = asked.but(
            unit_nodes=np.where(is_open & by_rail, unit, asked.unit_nodes),
            down=np.where(is_open & ~by_rail, ports, asked.down),
        )
        keep = np.flatnonzero(fits)
        parts.append(_plain(chosen, of, keep))
        if rounding == _EXACT:
            odd = fits & is_open & (ports % asked.cage_links > 0) & (asked.up == 0) & ~asked.down_named
            parts.append(_plain(chosen, of, np.flatnonzero(odd), shares=True))
        waiting = np.flatnonzero(fits & (asked.manager_links > 0) & (asked.up == 0))
        if len(waiting):
            with_ports = _plain(chosen, of, waiting)
            parts.append(replace(with_ports, kept=_manager_ports(with_ports.asked)))
    return _all_of(parts)


def _plain(asked: Asked, of: IntArray, rows: IntArray, shares: bool = False) -> Candidates:
    """Candidates of some rows that keep no ports for managers."""
    return Candidates(
        asked.take(rows), of[rows], np.zeros(len(rows), dtype=np.int64), np.full(len(rows), shares, dtype=np.bool_)
    )


def _manager_ports(asked: Asked) -> IntArray:
    """Ports of the fullest leaf that fabric managers take once leaves that are less full have none left."""
    leaves = leaf_layer(asked)
    rows = leaf_rows(leaves.grown_nodes, asked, leaves)
    n_leaves = rows * leaves.columns * asked.n_components
    spare = n_leaves * ceil_div(leaves.fullest, asked.endpoints_a_port) - ceil_div(
        leaves.grown_nodes * asked.ports_a_node, asked.endpoints_a_port
    )
    return np.maximum(ceil_div(asked.manager_links - np.maximum(spare, 0), n_leaves), 0)


# ---------------------------------------------------------------- candidates of three tiers


def _settle_three_tiers(asked: Asked, row: int, chosen: Asked) -> None:
    """Choose for one request: pods, leaves of a pod, and spines of a group; those first that could need fewest switches."""
    one = asked.take(np.array([row]))
    for is_symmetric in (True, False) if one.symmetric[0] else (False,):
        built, candidates = _searched(one, is_symmetric)
        best = _best(candidates, built, 1)
        if best[0] >= 0:
            _write(chosen, np.array([row]), candidates, built, best, tiers=3)
            return


@dataclass(frozen=True)
class _Pods:
    """Ways to fill the pods of ``one`` request, as columns; ``bound`` is of their switches, from below."""

    one: Asked
    down: IntArray
    unit: IntArray
    pod: IntArray
    last_even: BoolArray
    kept: IntArray
    bound: IntArray

    def at(self, rows: IntArray) -> Candidates:
        """Candidates of some rows."""
        nobody = np.zeros(len(rows), dtype=np.int64)
        some = self.one.take(nobody).but(
            down=self.down[rows],
            unit_nodes=self.unit[rows],
            pod_nodes=self.pod[rows],
            last_pod_even=self.last_even[rows],
        )
        return replace(_plain(some, nobody, np.arange(len(rows))), kept=self.kept[rows])


def _searched(one: Asked, is_symmetric: bool) -> tuple[Built, Candidates]:
    """Candidates in the order of a bound from below, until none that is left could win."""
    pods = _pods(one, is_symmetric)
    order = np.argsort(
        pods.bound * (pods.pod.max(initial=0) + 1) - pods.pod, kind="stable"
    )  # of equal ones the largest pods: more paths between their leaves
    fewest = _NO_LIMIT
    found: list[tuple[Built, Candidates]] = []
    for part in np.split(order, range(_PODS_FIRST, len(order), _PODS_AT_ONCE)):
        part = part[pods.bound[part] <= _near(fewest)]
        if not len(part):
            break
        some = pods.at(part)
        found.append(_with_spines(some, _near(fewest) + 1, is_symmetric))
        if one.pod_nodes[0] and not is_symmetric:  # a last pod of its own size may need fewer spines
            found.append((_sized(some, _leaves(some)), some))
        fewest = min(fewest, *(_fewest(*one) for one in found[-2:]))
    return _joined(found) if found else (_nothing_built(), _plain(one, one.nodes[:0], one.nodes[:0]))


def _pods(one: Asked, is_symmetric: bool) -> _Pods:
    """Every way to fill pods with leaves, by what a leaf holds and how many of them a pod has.

    Nodes fill one pod after the other. So each structure of a few nodes more is among those of this request too, as bought
    and without the nodes that it does not have: more nodes never need fewer switches, nor as many for less.
    """
    down, unit, pod = _pod_values(one)
    asked = one.but(down=down, unit_nodes=unit, pod_nodes=pod)  # what all share stays a column of one row
    leaves = leaf_layer(asked)
    asked = asked.but(last_pod_even=_last_pod_even(asked, leaves) & (one.pod_nodes == 0))
    found = _bounded(one, asked, leaves, np.zeros_like(pod), is_symmetric)
    if not one.manager_links[0] or one.up[0]:
        return found
    waiting = _bounded(one, asked, leaves, _manager_ports(asked), is_symmetric)
    columns = [name for name in column_names(_Pods) if name != "one"]
    return _Pods(one, **{name: np.concatenate([getattr(found, name), getattr(waiting, name)]) for name in columns})


def _bounded(one: Asked, asked: Asked, layer: Leaves, kept: IntArray, is_symmetric: bool) -> _Pods:
    """Those that can be built, with the switches that they need if all ports of spines and cores are in use."""
    leaves = _with_waiting(Candidates(asked, np.zeros_like(kept), kept, np.zeros(len(kept), dtype=np.bool_)), layer)
    needed, ports_down = leaves.uplinks_needed, np.maximum(spine_downlinks(asked), 1)
    pods = pods_of(leaves.grown_nodes, asked, leaves, ports_down)
    n_leaf = leaves.columns * ((pods.n_pods - 1) * pods.rows + pods.last_rows)
    groups = leaves.columns * pods.n_pods
    links, spines = groups * pods.rows * needed, groups * ceil_div(pods.rows * needed, ports_down)
    if one.pod_nodes[0] or one.uneven[0]:  # the last pod may have spines of its own
        links, spines = n_leaf * needed, n_leaf * needed // ports_down
    cores = links * asked.spine_ratio_up // asked.spine_ratio_down // np.maximum(asked.core_ports, 1)
    bound = asked.n_components * (n_leaf + spines + cores)
    fits = (pods.rows <= ports_down) & (groups <= asked.core_ports) & (needed <= leaves.uplinks_most)
    fits &= ~leaf_is_impossible(asked, leaves, np.full(len(kept), 3))
    if is_symmetric:
        fits &= pods.rows == pods.last_rows
    return _Pods(
        one,
        down=asked.down[fits],
        unit=asked.unit_nodes[fits],
        pod=asked.pod_nodes[fits],
        last_even=asked.last_pod_even[fits],
        kept=kept[fits],
        bound=bound[fits],
    )


def _pod_values(one: Asked) -> tuple[IntArray, IntArray, IntArray]:
    """(downlinks of a leaf, 0: by the ratio; nodes of a unit; nodes of a pod): everything that the request leaves open."""
    base = leaf_layer(one)
    nodes, unit, pod = int(base.grown_nodes[0]), int(base.unit_nodes[0]), int(one.pod_nodes[0])
    is_open, rails, most_down = bool(_is_open(one)[0]), int(one.rails_a_leaf[0]), int(base.downlinks[0])
    rows = np.arange(1, int(spine_downlinks(one)[0]) + 1, dtype=np.int64)
    if rails:
        most = min(int(base.capacity[0]) // rails, nodes)
        units = np.arange(1, most + 1, dtype=np.int64) if is_open else np.array([unit])
        down, in_pod = np.full_like(units, one.down[0]), units[:, None] * rows
    else:
        ports = np.arange(1, most_down + 1, dtype=np.int64) if is_open else np.array([most_down])
        down = ports if is_open else one.down
        units = np.full_like(ports, unit)
        full = ports[:, None] * one.endpoints_a_port * rows // one.endpoints_a_node
        equal = ceil_div(nodes, ceil_div(nodes, np.maximum(full, 1)))
        in_pod = units[:, None] * rows if unit else np.concatenate([full, equal], axis=1)
    if pod:
        in_pod = np.full((len(down), 1), pod)
    of_use = (in_pod > 0) & (in_pod < nodes + np.maximum(units, 1)[:, None]) | (pod > 0)
    of_use &= ceil_div(nodes, np.maximum(in_pod, 1)) * base.columns <= one.core_ports
    at, column = np.nonzero(of_use)
    _, first = np.unique(at * (int(in_pod.max(initial=0)) + 1) + in_pod[at, column], return_index=True)
    at, column = at[first], column[first]
    return down[at], units[at], in_pod[at, column]


def _last_pod_even(asked: Asked, leaves: Leaves) -> BoolArray:
    """Where a last pod may share its nodes out, each of its leaves with some: for OpenSM over as many leaves as the others
    have, else over those that it needs, if the last of them would not be half full.

    Not in a design that grows, nor in what it grows to: nodes placed so would move.
    """
    nodes, pod = leaves.grown_nodes, np.maximum(asked.pod_nodes, 1)
    by_rail = asked.rails_a_leaf > 0
    rows = leaf_rows(pod, asked, leaves)
    rest = nodes - (ceil_div(nodes, pod) - 1) * pod
    units = rest * np.where(by_rail, 1, asked.endpoints_a_node)
    last_rows = leaf_rows(rest, asked, leaves)
    is_short = asked.symmetric & (last_rows < rows)
    in_unit = nodes % np.maximum(leaves.unit_nodes, 1)
    is_stranded = by_rail & (in_unit > 0) & (2 * in_unit < leaves.unit_nodes)
    is_free = ~asked.full_unit & ~asked.grows & (asked.endpoints_a_port == 1) & ~asked.uneven
    is_free = is_free & (by_rail | (asked.unit_nodes == 0)) & (nodes > pod)
    even: BoolArray = (
        is_free & (is_short | (is_stranded & (last_rows > 1))) & (units >= np.where(asked.symmetric, rows, last_rows))
    )
    return even


def _with_spines(pods: Candidates, best: int, is_symmetric: bool) -> tuple[Built, Candidates]:
    """Every number of spines that the leaves of a group can be spread over, below what was found before."""
    asked, leaves = pods.asked, _leaves(pods)
    ports_down = spine_downlinks(asked)
    of_pods = pods_of(leaves.grown_nodes, asked, leaves, ports_down)
    widest = max(int(leaves.uplinks_most.max(initial=1)), 1)
    spines = np.arange(1, widest + 1, dtype=np.int64)[None, :]
    links = ceil_div(leaves.uplinks_needed[:, None], spines)
    fits = (links * spines <= leaves.uplinks_most[:, None]) & (of_pods.rows[:, None] * links <= ports_down[:, None])
    fits &= (spines >= asked.least_spines[:, None]) & (links > 0)
    if is_symmetric:
        fits &= (of_pods.rows == of_pods.last_rows)[:, None]
    fits &= ~asked.uneven[:, None] | (spines == asked.least_spines[:, None])
    groups = asked.n_components * leaves.columns * of_pods.n_pods
    n_leaf = asked.n_components * leaves.columns * ((of_pods.n_pods - 1) * of_pods.rows + of_pods.last_rows)
    up = ceil_div(
        (groups * of_pods.rows)[:, None] * links * spines * asked.spine_ratio_up[:, None],
        asked.spine_ratio_down[:, None],
    )
    bound = n_leaf[:, None] + groups[:, None] * spines + ceil_div(up, np.maximum(asked.core_ports, 1)[:, None])
    at, column = np.nonzero(fits & ((bound < best) | asked.uneven[:, None]))
    order = np.argsort(bound[at, column], kind="stable")
    at, column = at[order], column[order]
    if not len(at):
        return _nothing_built(), _pick(pods, at)
    found: list[tuple[Built, Candidates]] = []
    for start in range(0, len(at), _SPINES_AT_ONCE):
        part = slice(start, start + _SPINES_AT_ONCE)
        if found and bound[at[part], column[part]].min() > best:
            break
        chosen = _pick(pods, at[part])
        chosen = replace(
            chosen,
            asked=chosen.asked.but(least_spines=spines[0, column[part]], pods_alike=~chosen.asked.uneven),
        )
        found.append((_sized(chosen, leaves.take(at[part])), chosen))
        best = min(best, _near(_fewest(*found[-1])))
    return _joined(found)


def _nothing_built() -> Built:
    flags = ("fits", "is_held", "is_stranded")
    return Built(**{name: np.zeros(0, dtype=np.bool_ if name in flags else np.int64) for name in column_names(Built)})


def _fewest(built: Built, candidates: Candidates) -> int:
    fits = built.fits & built.is_held & ~candidates.shares
    return int(_weighed(built)[fits].min(initial=_NO_LIMIT))


def _weighed(built: Built) -> IntArray:
    """Switches, a last unit that is less than half full among them."""
    weighed: IntArray = built.switches + np.where(built.is_stranded, built.switches // _STRANDED_SHARE, 0)
    return weighed


def _near(fewest: Any) -> Any:
    """Switches above which a candidate is not taken, however little it costs."""
    return fewest + fewest // _NEAR_SHARE


def _sized(candidates: Candidates, leaves: Leaves) -> Built:
    wanted = np.ones(len(candidates), dtype=np.bool_)
    found = three_tiers(candidates.asked, leaves, leaves.grown_nodes, wanted, may_pad=False)
    return _built(candidates, leaves, found.group_spines, found.uplinks, found)


# ---------------------------------------------------------------- what candidates come to


def _leaves(candidates: Candidates) -> Leaves:
    """The leaf layer of candidates."""
    return _with_waiting(candidates, leaf_layer(candidates.asked))


def _with_waiting(candidates: Candidates, leaves: Leaves) -> Leaves:
    """A leaf layer with ports that wait for fabric managers, and uplinks that begin in a cage of their own."""
    asked = candidates.asked
    used = ceil_div(leaves.fullest, asked.endpoints_a_port) + candidates.kept
    needed = np.where(candidates.kept > 0, uplinks_for(used, asked), leaves.uplinks_needed)
    facing = np.where((asked.rails_a_leaf > 0) & (asked.down == 0), used, np.maximum(leaves.downlinks, used))
    cages = np.where(
        asked.down_named | candidates.shares, facing, ceil_div(facing, asked.cage_links) * asked.cage_links
    )
    most = np.where(asked.up > 0, asked.up, uplinks_beside(cages, asked))
    return leaves.but(uplinks_needed=np.where(asked.up > 0, asked.up, needed), uplinks_most=most)


def _built(
    candidates: Candidates, leaves: Leaves, spines: IntArray, uplinks: IntArray, three: ThreeTiers | None = None
) -> Built:
    asked = candidates.asked
    grown = leaves.grown_nodes
    rows = leaf_rows(grown, asked, leaves)
    groups = asked.n_components * (leaves.columns if three else 1)
    n_spine, n_core, core_links, core_groups = groups * spines, 0 * spines, 0 * spines, 0 * spines
    if three:
        pods, cores = three.grown, three.cores
        rows = (pods.n_pods - 1) * pods.rows + pods.last_rows
        last = np.where(asked.pods_alike | (cores.last_spines == 0), spines, cores.last_spines)
        n_spine = groups * ((pods.n_pods - 1) * spines + last)
        n_core, core_groups = asked.n_components * cores.n_cores, cores.core_groups
        core_links = spines_as_bought(asked, leaves, pods, uplinks, spines, last, cores)[2]
    n_leaf = asked.n_components * leaves.columns * rows
    links = n_leaf * uplinks
    used = ceil_div(leaves.fullest, asked.endpoints_a_port)
    left_out, is_held = _managers(candidates, leaves, n_leaf, used, uplinks)
    unit = np.maximum(leaves.unit_nodes, 1)
    rest = grown % unit
    stranded = (asked.rails_a_leaf > 0) & (rest > 0) & (2 * rest < unit) & (grown > unit) & ~asked.last_pod_even
    cage = asked.cage_links
    half_empty = np.where(candidates.shares, -(uplinks + used) % cage, -uplinks % cage + -used % cage) * n_leaf
    cost = (
        n_leaf * asked.leaf_cents
        + n_spine * asked.spine_cents
        + n_core * asked.core_cents
        + (2 * (links + core_links) + half_empty) * asked.link_end_cents
    )
    fits = (spines > 0) & ~leaf_is_impossible(asked, leaves, np.full(len(candidates), 3 if three else 2))
    return Built(
        fits=fits,
        is_held=is_held,
        uplinks=uplinks,
        spines=spines,
        core_groups=core_groups,
        switches=n_leaf + n_spine + n_core,
        managers_left_out=left_out,
        cost_cents=cost,
        is_stranded=stranded,
    )


def _managers(
    candidates: Candidates, leaves: Leaves, n_leaf: IntArray, used: IntArray, uplinks: IntArray
) -> tuple[IntArray, BoolArray]:
    """Links of fabric managers that find no port; and whether the fullest leaf holds its ratio with those that do."""
    asked = candidates.asked
    facing = downlinks_beside(uplinks, asked)
    free = facing - used
    nodes = ceil_div(leaves.grown_nodes * asked.ports_a_node, asked.endpoints_a_port)
    room = n_leaf * np.maximum(facing, 0) - nodes
    over = np.maximum(asked.manager_links - np.maximum(n_leaf * used - nodes, 0), 0)
    fed = used + np.minimum(ceil_div(over, np.maximum(n_leaf, 1)), np.maximum(free, 0))
    is_held = asked.up_named | (uplinks_for(fed, asked) <= uplinks)
    return np.maximum(asked.manager_links - np.maximum(room, 0), 0), is_held


def _best(candidates: Candidates, built: Built, n: int) -> IntArray:
    """Of each of n requests (−1: none fits): fewest switches, managers, least cost; then exceptions where they pay."""
    if not len(candidates):
        return np.full(n, -1, dtype=np.int64)
    switches = _weighed(built)
    keys = (built.cost_cents, built.managers_left_out, switches, candidates.shares, ~built.is_held, ~built.fits)
    best = _first_of_each(candidates.of, keys, n)
    best = np.where(built.fits[best] & (best >= 0), best, -1)
    most = _near(switches[best])
    for may_share in (False, True):
        chosen = best[candidates.of]
        pays = (chosen >= 0) & built.fits & (built.is_held | ~built.is_held[chosen]) & (may_share | ~candidates.shares)
        pays &= (switches <= most[candidates.of]) & (built.managers_left_out <= built.managers_left_out[chosen])
        pays &= (built.cost_cents[chosen] - built.cost_cents) * _NEAR_SHARE > built.cost_cents[chosen]
        rows = np.flatnonzero(pays)
        cheaper = _first_of_each(candidates.of[rows], (switches[rows], built.cost_cents[rows]), n)
        best = np.where(cheaper >= 0, np.append(rows, -1)[cheaper], best)
    return best


def _first_of_each(of: IntArray, keys: tuple[Any, ...], n: int) -> IntArray:
    """The first row of each of n requests in the order of keys, the last of them counting most; −1 where it has none."""
    order = np.lexsort((*keys, of))
    best = np.full(n, -1, dtype=np.int64)
    best[of[order[::-1]]] = order[::-1]  # the first is written last
    return best


def _write(chosen: Asked, rows: IntArray, candidates: Candidates, built: Built, best: IntArray, tiers: int) -> None:
    """Name what was chosen in the columns of the requests; downlinks are all that the uplinks chosen can feed."""
    rows, kept = rows[best >= 0], best[best >= 0]
    asked, uplinks = candidates.asked.take(kept), built.uplinks[kept]
    leaves = leaf_layer(asked)
    by_rail = asked.rails_a_leaf > 0
    used = ceil_div(leaves.fullest, asked.endpoints_a_port)
    of_one_rate = asked.up_a_cage == asked.down_a_cage
    in_cages = np.where(of_one_rate, ceil_div(uplinks, asked.cage_links) * asked.cage_links, uplinks)
    beside = downlinks_beside(in_cages, asked) // asked.cage_links * asked.cage_links
    fed = np.minimum(beside, downlinks_for(uplinks, asked))
    of_unit = ceil_div(leaves.unit_nodes * asked.rails_a_leaf, asked.endpoints_a_port)
    down = np.where(by_rail & ~asked.down_named, np.maximum(np.maximum(fed, used), of_unit), leaves.downlinks)
    chosen.tiers[rows] = tiers
    chosen.unit_nodes[rows] = leaves.unit_nodes
    chosen.down[rows] = down
    chosen.up[rows] = uplinks
    if tiers == 3:
        chosen.pod_nodes[rows] = asked.pod_nodes
        chosen.least_spines[rows] = np.where(asked.pods_alike, built.spines[kept], asked.least_spines)
        chosen.core_groups[rows] = built.core_groups[kept]
        chosen.pods_alike[rows] = asked.pods_alike
        chosen.last_pod_even[rows] = asked.last_pod_even


# ---------------------------------------------------------------- columns


def _pick(candidates: Candidates, rows: IntArray) -> Candidates:
    return Candidates(candidates.asked.take(rows), candidates.of[rows], candidates.kept[rows], candidates.shares[rows])


def _all_of(parts: list[Candidates]) -> Candidates:
    return Candidates(
        Asked.joined([c.asked for c in parts]),
        of=np.concatenate([c.of for c in parts]),
        kept=np.concatenate([c.kept for c in parts]),
        shares=np.concatenate([c.shares for c in parts]),
    )


def _joined(found: list[tuple[Built, Candidates]]) -> tuple[Built, Candidates]:
    return Built.joined([built for built, _ in found]), _all_of([candidates for _, candidates in found])
