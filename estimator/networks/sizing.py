"""Storage and management networks: each entry of ``other_fabrics`` is sized as a design of its own, by the same rules.

A network joins *attachments*: one port, or the ports of a device that belong together (fabric/hosts.py). For sizing, an
attachment is a node. Pairs of leaves are two rails over shared spines, or two planes where one leaf holds all. What a
network joins depends on the others: out-of-band leaves have uplinks into the in-band network, and every switch has an
out-of-band port; sizes are taken in turn until nothing changes. docs/other_fabrics.md has the rules and their evidence.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from estimator.catalog.catalog import Catalog
from estimator.errors import InfeasibleDesign, Problem
from estimator.fabric.columns import Sizing
from estimator.fabric.hosts import Hosts
from estimator.fabric.result import CountedNetwork, Uplinks
from estimator.fabric.size import size
from estimator.fabric.sized import SizedFabric, fabric_of
from estimator.networks.attached import Joined, hosts_of
from estimator.networks.sized import OtherSized
from estimator.record import Json
from estimator.spec.design import DesignSpec
from estimator.spec.fabric import OtherFabric
from estimator.spec.network_rules import in_entry, other_keys, uplink_rate_gbit_s
from estimator.spec.rates import endpoint_rate, ports_a_cage
from estimator.units import IntArray, ceil_div

_ANY_PORTS = 2**30  # of what stands above leaves whose uplinks another network takes
_MAX_PASSES = 12
WhyNot = Callable[[Sizing, int, DesignSpec, Catalog], Iterable[Problem]]  # problems of a design whose tiers are 0


@dataclass(frozen=True)
class _Job:
    """An entry of a design that is to be sized."""

    design: int
    index: int
    key: str
    spec: DesignSpec
    entry: OtherFabric
    uplink_rate_gbit_s: int | None  # where uplinks have cages of their own


def size_others(
    specs: Sequence[DesignSpec], fabrics: Sequence[SizedFabric], catalog: Catalog, why_not: WhyNot
) -> list[tuple[OtherSized, ...]]:
    """The other networks of every design, beside its compute network.

    ``why_not`` explains an entry that cannot be built; ``designs.networks.sized_others`` hands in that of the refusals.

    Raises
    ------
    InfeasibleDesign
        With the problems of every entry that no fabric of its parts can meet.
    """
    jobs = [
        _Job(number, index, key, spec, entry, uplink_rate_gbit_s(entry, catalog))
        for number, spec in enumerate(specs)
        for index, (key, entry) in enumerate(zip(other_keys(spec), spec.other_fabrics, strict=True))
    ]
    sized: dict[int, OtherSized] = {}
    hosts: dict[int, Hosts] = {}
    for _ in range(_MAX_PASSES):
        changed = []
        for n, job in enumerate(jobs):
            mates = [
                Joined(jobs[m].key, jobs[m].entry, one.fabric)
                for m, one in sized.items()
                if jobs[m].design == job.design
            ]
            wanted = hosts_of(job.key, job.entry, job.spec, fabrics[job.design], mates, hosts.get(n), catalog)
            if wanted != hosts.get(n):
                hosts[n] = wanted
                changed.append(n)
        if not changed:
            break
        sized |= dict(zip(changed, _size_jobs([(jobs[n], hosts[n]) for n in changed], catalog, why_not), strict=True))
    return [tuple(sized[n] for n, job in enumerate(jobs) if job.design == number) for number in range(len(specs))]


def _size_jobs(asked: Sequence[tuple[_Job, Hosts]], catalog: Catalog, why_not: WhyNot) -> list[OtherSized]:
    """The first of each job's variants that can be built; then those shared out over more leaves."""
    variants = {n: _variants(job, hosts, catalog) for n, (job, hosts) in enumerate(asked)}
    found = _first_that_fits(asked, variants, catalog, why_not)
    more = {n: changes for n, one in found.items() if (changes := _shared_out(*asked[n], one))}
    found |= _first_that_fits(asked, more, catalog, why_not)
    return [_finished(*asked[n], found[n], catalog) for n in range(len(asked))]


_Found = tuple[DesignSpec, Sizing, int]


def _first_that_fits(
    asked: Sequence[tuple[_Job, Hosts]], variants: Mapping[int, Sequence[Json]], catalog: Catalog, why_not: WhyNot
) -> dict[int, _Found]:
    """The first variant of each job that can be built. First ones are sized in a batch, then the next of those that have none:
    looking for three tiers takes longest, and few networks need them.
    """
    found: dict[int, _Found] = {}
    last: dict[int, _Found] = {}
    for place in count():
        left = [n for n, changes in variants.items() if n not in found and place < len(changes)]
        if not left:
            break
        specs = [_attachments(*asked[n], variants[n][place]) for n in left]
        sizing = size(specs, catalog)
        last |= {n: (spec, sizing, k) for k, (n, spec) in enumerate(zip(left, specs, strict=True))}
        found |= {n: last[n] for k, n in enumerate(left) if sizing.tiers[k]}
    problems = [
        problem
        for n, (spec, sizing, k) in last.items()
        if n not in found
        for problem in _said_of_entry(why_not(sizing, k, spec, catalog), *asked[n])
    ]
    if problems:
        raise InfeasibleDesign(problems)
    return found


def _said_of_entry(problems: Iterable[Problem], job: _Job, hosts: Hosts) -> Iterator[Problem]:
    """Why an entry has no fabric; its attachments are the nodes of the message."""
    each = "a port" if hosts.together == 1 else f"{hosts.together} ports that belong together"
    for problem in problems:
        text = f"{problem.message} A node here is {each} of the {job.entry.role} network."
        yield replace(in_entry(problem, job.index), message=text, change=None)


# ---------------------------------------------------------------- a network as a design of its attachments


def _variants(job: _Job, hosts: Hosts, catalog: Catalog) -> list[Json]:
    """Changes of the entry's keys under which it is sized, the best first."""
    entry = job.entry
    if is_leaf_only(entry):
        own = job.uplink_rate_gbit_s is not None
        radix, uplinks = entry.leaf_radix or 0, entry.leaf_uplinks or 0
        down_a_cage, up_a_cage = ports_a_cage(entry, catalog)
        taken = 0 if own else ceil_div(uplinks, up_a_cage) * down_a_cage
        down = radix - taken - entry.reserved.leaf_ports - (entry.peer_links or 0)
        ports = {
            "leaf_radix": radix + uplinks if own else radix,
            "leaf_downlinks": entry.leaf_downlinks or max(down, 1),
        }
        above = {"spine_radix": _ANY_PORTS, "core_radix": _ANY_PORTS, "tiers": 2, "least_spines": 1}
        return [ports | above]
    base: Json = {}
    if job.uplink_rate_gbit_s is not None:
        base = {"leaf_radix": (entry.leaf_radix or 0) + (entry.leaf_uplinks or 0)}
    unit = entry.scalable_unit_nodes and entry.scalable_unit_nodes * hosts.ports_per_node // hosts.together
    tiers: tuple[int | str, ...] = (entry.tiers,)
    if entry.tiers == "auto" and (entry.dual_homed or (unit and hosts.n_attachments > unit)):
        tiers = (2, 3) if unit and hosts.n_attachments > unit else (1, 2, 3)  # one leaf, or pair, holds one unit
    pairs = {"layout": "rail-optimized", "rails_per_leaf": 1}
    return [base | {"tiers": n} | (({"planes": 2} if n == 1 else pairs) if entry.dual_homed else {}) for n in tiers]


def is_leaf_only(entry: OtherFabric) -> bool:
    """True where another network, or the site's, stands above the leaves."""
    return entry.uplinks_into in ("in-band", "outside")


def _attachments(job: _Job, hosts: Hosts, change: Json) -> DesignSpec:
    """The design whose nodes are the attachments of an entry; ``nodes`` in ``change`` fills the leaves to the last seat."""
    change = dict(change)
    filled = change.pop("nodes", None)
    entry, per_node = job.entry, hosts.ports_per_node // hosts.together
    others = hosts.n_other_ports // hosts.together
    taken = (
        entry.reserved.leaf_ports + (entry.peer_links or 0) if job.uplink_rate_gbit_s is None else 0
    )  # else by downlinks
    kept = entry.reserved.model_copy(update={"leaf_ports": taken})
    blocks = {
        key: getattr(entry, key) and getattr(entry, key) * per_node for key in ("scalable_unit_nodes", "pod_nodes")
    }
    grown = entry.grow_to_nodes and entry.grow_to_nodes * per_node + others
    fabric = entry.model_copy(update={"reserved": kept, **blocks, "grow_to_nodes": grown, **change})
    n_nodes = filled or hosts.n_attachments
    compute = job.spec.compute.model_copy(update={"nodes": n_nodes, "nic_ports_per_node": hosts.together})
    return job.spec.model_copy(update={"compute": compute, "fabric": fabric})


def _shared_out(job: _Job, hosts: Hosts, found: _Found) -> list[Json]:
    """Changes that bring an entry to the leaves requested at least; none where it has them."""
    entry, (_, sizing, i) = job.entry, found
    rows = int(sizing.rows[i]) if sizing.tiers[i] > 1 else 1
    by_nodes = ceil_div(hosts.n_nodes, entry.nodes_per_leaf) if entry.nodes_per_leaf else 1
    leaves = min(max(rows, by_nodes, entry.least_leaves), hosts.n_attachments)
    if leaves == rows:
        return []
    seats = ceil_div(hosts.n_attachments, leaves)
    ports = ceil_div(seats, entry.endpoints_a_port)
    change: Json = {"nodes": leaves * ports * entry.endpoints_a_port, "leaf_downlinks": ports}
    fabric = found[0].fabric
    if is_leaf_only(entry):
        return [
            {
                "leaf_radix": fabric.leaf_radix,
                "spine_radix": _ANY_PORTS,
                "core_radix": _ANY_PORTS,
                "tiers": 2,
                "least_spines": 1,
            }
            | change
        ]
    tiers = (2, 3) if entry.tiers == "auto" else (entry.tiers,)
    return [{"leaf_radix": fabric.leaf_radix, "tiers": n} | change for n in tiers]


# ---------------------------------------------------------------- back to the network


def _finished(job: _Job, hosts: Hosts, found: _Found, catalog: Catalog) -> OtherSized:
    entry, (spec, sizing, i) = job.entry, found
    wired = fabric_of(sizing, i, spec)
    ports = catalog.network(spec.compute.server, entry.role)  # other endpoints are taken to have the nodes' ports
    update: Json = {
        "endpoint_rate_gbit_s": endpoint_rate(entry, ports, catalog),
        "role": job.key,
        "hosts": hosts,
        "uplink_rate_gbit_s": job.uplink_rate_gbit_s or wired.uplink_rate_gbit_s,
        "links_leaf_leaf": wired.n_leaf // 2 * (entry.peer_links or 0),
    }
    if job.uplink_rate_gbit_s is not None:
        update["leaf_radix"] = (entry.leaf_radix or 0) + wired.leaf_uplinks  # one leaf alone has no uplinks
    if is_leaf_only(entry):
        none = np.zeros(0, dtype=np.int64)
        update |= {
            "tiers": 1,
            "n_spine": 0,
            "links_leaf_spine": 0,
            "spine_down": none,
            "spine_up": none,
            "group_spines": (),
            "spine_switch": None,
            "spine_radix": 0,
            "core_radix": 0,
            "core_switch": None,
        }
    wired = replace(wired, **update)
    fabric = wired if wired.n_nodes == hosts.n_attachments else _with_empty_seats(wired, hosts, entry)
    return OtherSized(job.key, job.index, entry, spec, fabric, wired, sizing, i)


def _with_empty_seats(wired: SizedFabric, hosts: Hosts, entry: OtherFabric) -> SizedFabric:
    """The network with its endpoints shared out evenly over leaves that were wired as if all were full."""
    share = wired.endpoints_per_port
    endpoints = _levelled(wired.leaf_endpoints, hosts.n_ports)
    managers = wired.leaf_down - ceil_div(wired.leaf_endpoints, share)
    return replace(
        wired,
        n_nodes=hosts.n_attachments,
        n_endpoints=hosts.n_ports,
        links_node_leaf=hosts.n_ports,
        leaf_endpoints=endpoints,
        leaf_positions=endpoints,
        leaf_down=ceil_div(endpoints, share) + managers,
        leaf_downlinks=entry.leaf_downlinks or wired.leaf_downlinks,
    )


def _levelled(seats: IntArray, n_ports: int) -> IntArray:
    """Endpoints of leaves with so many seats each: as even as seats allow, as a last pod's leaves may have fewer."""
    levels = np.arange(int(seats.max(initial=0)) + 1)
    level = int(np.argmax(np.minimum(seats[None, :], levels[:, None]).sum(axis=1) >= n_ports))
    endpoints: IntArray = np.minimum(seats, level)
    last = np.flatnonzero(endpoints == level)[::-1][: int(endpoints.sum()) - n_ports]
    endpoints[last] -= 1
    return endpoints


def answer_of(one: OtherSized) -> CountedNetwork:
    """One network of the Estimate: as the compute network, in nodes, with what else it joins."""
    hosts, entry, fabric = one.hosts, one.entry, one.fabric
    made = fabric.answer()
    per_node = max(hosts.ports_per_node // hosts.together, 1)
    leaf = made.switches.get("leaf")
    return made.but(
        planes=entry.planes,
        layout=entry.layout,
        counts=made.counts.but(
            nodes=hosts.n_nodes,
            gpus=hosts.n_nodes * (one.spec.compute.gpus_per_node or 0),
            other_endpoints=hosts.n_other_ports,
        ),
        links=made.links.but(leaf_leaf=fabric.links_leaf_leaf),
        switches=made.switches | ({"leaf": leaf.but(radix=entry.leaf_radix)} if leaf else {}),
        split=made.split.but(
            scalable_unit_nodes=ceil_div(made.split.scalable_unit_nodes, per_node),
            nodes_per_leaf=ceil_div(made.split.nodes_per_leaf, per_node),
            nodes_per_pod=ceil_div(made.split.nodes_per_pod, per_node),
        ),
        uplinks=_uplinks(fabric, entry.uplinks_into) if is_leaf_only(entry) else None,
        role=entry.role,
        generation=entry.generation,
        dual_homed=entry.dual_homed,
        ports_per_node=hosts.ports_per_node,
        attached=[group.answer() for group in hosts.attached],
    )


def _uplinks(fabric: SizedFabric, into: str | None) -> Uplinks:
    return Uplinks(
        per_leaf=fabric.leaf_uplinks,
        links=int(fabric.leaf_up.sum()),
        rate_gbit_s=fabric.uplink_rate_gbit_s,
        into=into,
    )
