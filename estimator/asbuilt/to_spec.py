"""A dump of a real network → the nearest spec, and what no dump can tell.

Several specs are written down from the counts; the one whose sized fabric differs least from the dump is kept, and every
figure that still differs is listed.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import gcd

from estimator.asbuilt.counts import NAMES_SHOWN, DumpCounts, counts_of_networks
from estimator.asbuilt.readers.found import FoundLinks
from estimator.catalog.catalog import Catalog
from estimator.errors import Problem, SpecError, UnreadableFile
from estimator.fabric.size import size
from estimator.fabric.sized import SizedFabric, fabric_of
from estimator.record import Json
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec
from estimator.units import ceil_div, counted

_MANAGER = re.compile(r"ufm|(?:^|[^a-z])f?sm\d*(?:[^a-z]|$)|fabric[-_ ]?manager|opensm|subnet", re.I)
NAME = "Network from a dump"
GENERATION_OF_RATE = {100: "edr", 200: "hdr", 400: "ndr", 800: "xdr"}
ROCE_OF_RATE = {100: "roce-100", 200: "roce-200", 400: "roce-400", 800: "roce-800"}
ROCE_WITHOUT_RATE = "roce-400"  # where a file of Ethernet links gives no rate, as LLDP does not
RADIX_OF_GENERATION = {"edr": 36, "hdr": 40, "ndr": 64, "xdr": 144}
NEVER_REPORTED = (
    "The model of the servers, and how many GPUs each has: one GPU for each NIC is assumed.",
    "Networks whose links are not in the file, such as storage or management.",
    "Lengths and media of the cables, racks and rooms.",
    "Prices, support, energy and everything else about money.",
    "Servers that were switched off: without a link they are in no dump.",
)


@dataclass(frozen=True)
class DumpDesign:
    """``spec`` is the nearest design. ``figures`` has (name, in the dump, in the design) for every count."""

    spec: DesignSpec
    counts: DumpCounts
    figures: tuple[tuple[str, int, int], ...]
    reported: tuple[str, ...]
    unreported: tuple[str, ...]

    @property
    def differences(self) -> tuple[tuple[str, int, int], ...]:
        """Figures that the nearest design does not meet."""
        return tuple(figure for figure in self.figures if figure[1] != figure[2])


def design_of_dump(file: FoundLinks, catalog: Catalog, name: str = NAME) -> DumpDesign:
    """The design nearest to a file's network, of several that with most links; raises as ``designs_of_dump``."""
    return _nearest(counts_of_networks(file)[0], catalog, name)


def designs_of_dump(
    file: FoundLinks, catalog: Catalog, name: str = NAME, servers: Sequence[str] = ()
) -> tuple[DumpDesign, ...]:
    """The nearest design of every network of a file, that with most links first.

    Parameters
    ----------
    file : links of any reader
    servers : patterns of the names of servers, for files that do not say which devices are
    name : what the first design is called; the others have their number behind it.

    Raises
    ------
    UnreadableFile
        If the file has no servers on switches, or a first network that no spec comes near.
    """
    first, *others = counts_of_networks(file, servers)
    found, without = [_nearest(first, catalog, name)], []
    for counts in others:
        try:
            found.append(_nearest(counts, catalog, f"{name}, network {counts.number}"))
        except UnreadableFile as error:
            without.append(f"Network {counts.number} of the file: {error.words()}")
    return (replace(found[0], unreported=(*without, *found[0].unreported)), *found[1:])


def network_of(found: Sequence[DumpDesign], number: int) -> DumpDesign:
    """The design of one network of a file.

    Raises
    ------
    SpecError
        If the file has no such network, or none that a design comes near.
    """
    for one in found:
        if one.counts.number == number:
            return one
    has = ", ".join(str(one.counts.number) for one in found)
    message = f"Networks of the file that can be designs: {has}; {number} was requested. Give one of these."
    raise SpecError([Problem("network", "out_of_range", message)])


def _nearest(counts: DumpCounts, catalog: Catalog, name: str) -> DumpDesign:
    """The design nearest to the counts of a network."""
    reported: list[str] = []
    unreported: list[str] = []
    generation = _generation(counts, unreported, catalog)
    specs = [
        spec
        for planes in _planes(counts)
        for values in _candidates(counts, generation, catalog, name, planes)
        if (spec := _parsed(values, catalog)) is not None
    ]
    sizing = size(specs, catalog) if specs else None
    sized = [
        (spec, fabric_of(sizing, i, spec)) for i, spec in enumerate(specs) if sizing is not None and sizing.tiers[i]
    ]
    if not sized:
        message = (
            f"No design of {counts.n_nodes} servers with {counts.ports_mode} ports, {counts.n_leaf} leaves and "
            f"{counts.n_spine} spines could be built from this file. Start a new design and set these counts by hand."
        )
        raise UnreadableFile("no_design", message)
    spec, fabric = min(sized, key=lambda pair: _distance(_figures(counts, pair[1])))
    reported += _reported(counts, spec)
    unreported += [*_unreported(counts, spec), *NEVER_REPORTED]
    return DumpDesign(spec, counts, _figures(counts, fabric), tuple(reported), tuple(unreported))


def _are_managers(counts: DumpCounts) -> bool:
    """Whether every host with few ports is named after a manager of the fabric."""
    return bool(counts.few_ports) and all(_MANAGER.search(name) for name in counts.few_ports)


def _parsed(values: Json, catalog: Catalog) -> DesignSpec | None:
    """A candidate, where its values fit together."""
    try:
        return parse_spec(values, catalog)
    except SpecError:
        return None


def _generation(counts: DumpCounts, unreported: list[str], catalog: Catalog) -> str:
    of_rate = _of_rate(counts)
    rate = counts.node_rate_gbit_s if _has_own_uplinks(counts) else counts.rate_gbit_s
    if rate in of_rate:
        return of_rate[rate]
    shown = f"{rate} Gb/s" if rate else "no rate"
    if counts.is_ethernet:
        label = catalog.generations[ROCE_WITHOUT_RATE].label
        unreported.insert(
            0, f"The rate of the links: most show {shown}. {label} is taken; set the generation if it is another."
        )
        return ROCE_WITHOUT_RATE
    top = max(counts.leaf_top_port, counts.spine_top_port)
    nearest = next((key for key, radix in RADIX_OF_GENERATION.items() if top <= radix), "xdr")
    unreported.insert(
        0, f"The generation: most links show {shown}. {nearest.upper()} is taken, since ports go up to {top}."
    )
    return nearest


def _of_rate(counts: DumpCounts) -> dict[int, str]:
    return ROCE_OF_RATE if counts.is_ethernet else GENERATION_OF_RATE


def _has_own_uplinks(counts: DumpCounts) -> bool:
    """Whether links between switches run at a rate that split ports do not explain."""
    node, up = counts.node_rate_gbit_s, counts.rate_gbit_s
    return counts.tiers > 1 and {node, up} <= set(_of_rate(counts)) and node not in (up, up // 2)


def _candidates(counts: DumpCounts, generation: str, catalog: Catalog, name: str, planes: int) -> Iterator[Json]:
    """Requests that the counts may come from, plainest first."""
    splits = counts.node_rate_gbit_s > 0 and counts.node_rate_gbit_s * 2 == counts.rate_gbit_s
    n_nics = counts.ports_mode // planes
    compute = {"server": "custom", "nodes": counts.n_nodes, "gpus_per_node": n_nics, "nics_per_node": n_nics}
    base: Json = {"generation": generation, "tiers": counts.tiers, "splitters": splits} | _layout(counts, planes)
    if planes > 1:
        base["planes"] = planes
    if _has_own_uplinks(counts):
        base |= _own_uplinks(counts, generation, catalog)
    else:
        base |= _switches(counts, generation, catalog, 2 if splits else 1)
    if counts.n_manager_links:
        base["reserved"] = {"fabric_manager_links": counts.n_manager_links}
    rails = base.get("rails_per_leaf", 1) if base["layout"] == "rail-optimized" else n_nics
    unit = max(1, counts.leaf_down_most // rails)
    options: tuple[tuple[Json, ...], ...] = (
        _splits(counts, base["radix"], 2 if splits else 1),
        ({}, {"scalable_unit_nodes": unit}),
        ({}, {"provision": "full-unit"}),
        ({}, {"least_spines": counts.n_spine}) if counts.tiers == 2 else ({},),
        *_pods(counts),
        _radixes(counts, base),
    )
    if counts.links_spine_core and counts.links_leaf_spine > counts.links_spine_core:
        base["spine_oversubscription"] = f"{ceil_div(counts.links_leaf_spine, counts.links_spine_core)}:1"
    del base["radix"]
    for chosen in product(*options):
        fabric = dict(base)
        for part in chosen:
            fabric |= part
        yield {"name": name, "compute": compute, "fabric": fabric}


def _pods(counts: DumpCounts) -> Iterator[tuple[Json, ...]]:
    """Pods of so many servers as one part of leaves and spines has, and room for growth up to whole pods."""
    if counts.tiers != 3:
        return
    sizes = dict.fromkeys([ceil_div(counts.n_nodes, max(counts.pods, 1)), counts.pod_nodes])
    yield ({}, *({"pod_nodes": nodes} for nodes in sizes if nodes))
    whole = {
        nodes * n
        for nodes in sizes
        if nodes
        for n in (ceil_div(counts.n_nodes, nodes), ceil_div(counts.n_nodes, nodes) + 1)
    }
    yield ({}, *({"grow_to_nodes": nodes} for nodes in sorted(whole) if nodes > counts.n_nodes))


def _radixes(counts: DumpCounts, base: Json) -> tuple[Json, ...]:
    """The switches' own number of ports, or no more than any of them uses."""
    tops = {
        "leaf_radix": counts.leaf_top_port,
        "spine_radix": counts.spine_top_port,
        "core_radix": counts.core_top_port,
    }
    used = {
        key: top for key, top in tops.items() if top and base.get(key.replace("radix", "switch"), "custom") != "custom"
    }
    return ({}, used) if used and not base["splitters"] else ({},)


def _planes(counts: DumpCounts) -> tuple[int, ...]:
    """Planes that the network may have: as many as there are alike parts of switches that nothing joins, else one."""
    n = counts.components
    is_even = n > 1 and counts.tiers > 1 and counts.ports_mode % n == 0 and counts.leaves_of_a_node % n == 0
    return (n, 1) if is_even else (1,)


def _splits(counts: DumpCounts, radix: int, ends_a_port: int) -> tuple[dict[str, int], ...]:
    """How a leaf's ports may be shared out between servers and spines."""
    if counts.tiers == 1:
        return ({},)
    up, down = counts.leaf_up_mode, ceil_div(counts.leaf_down_most, ends_a_port)
    shares = [{"leaf_downlinks": down, "leaf_uplinks": up}]
    if radix - up > down:
        shares.append({"leaf_downlinks": radix - up, "leaf_uplinks": up})
    return tuple(shares)


def _layout(counts: DumpCounts, planes: int) -> Json:
    """How the ports of a server on one plane are spread over leaves."""
    leaves, ports = counts.leaves_of_a_node // planes, counts.ports_mode // planes
    if counts.tiers == 1 and counts.components > 1:
        return {"layout": "rail-only"}
    if leaves == 1 and ports > 1:
        return {"layout": "top-of-rack"}
    if ports > 1 and ports % leaves == 0:
        shared = ports // leaves
        return {"layout": "rail-optimized"} | ({"rails_per_leaf": shared} if shared > 1 else {})
    return {"layout": "top-of-rack"}


def _switches(counts: DumpCounts, generation: str, catalog: Catalog, ends_a_port: int) -> Json:
    """A switch of the catalog with ports enough for each tier, else a custom one of just so many; and the leaf's radix."""
    leaf_ports = max(ceil_div(counts.leaf_top_port, ends_a_port), counts.leaf_up_mode + 1)
    out: Json = {"radix": 0}
    for tier, least in (("leaf", leaf_ports), ("spine", counts.spine_top_port), ("core", counts.core_top_port)):
        if least == 0:
            continue
        part, radix = _switch(least, generation, catalog)
        out |= {f"{tier}_switch": part} if part else {f"{tier}_switch": "custom", f"{tier}_radix": radix}
        out["radix"] = out["radix"] or radix
    return out


def _own_uplinks(counts: DumpCounts, generation: str, catalog: Catalog) -> Json:
    """A switch that has ports of both rates, else a custom one of just so many."""
    node, up = counts.node_rate_gbit_s, counts.rate_gbit_s
    ports = {"uplink_rate_gbit_s": up, "radix": counts.leaf_down_most + counts.leaf_up_mode}
    switch = catalog.usual_switch(generation, (node, up))
    if all(catalog.switch_ports(switch.id, rate) for rate in (node, up)):
        return ports | {"leaf_switch": switch.id}
    cages = ceil_div(counts.leaf_up_mode, max(node // up, 1))
    radix = counts.leaf_down_most + cages * max(up // node, 1)
    spine = {"spine_switch": "custom", "spine_radix": max(counts.spine_top_port, 2)}
    return ports | {"leaf_switch": "custom", "leaf_radix": radix} | spine


def _switch(least: int, generation: str, catalog: Catalog) -> tuple[str | None, int]:
    """The usual switch of the generation where it is large enough, else the smallest that is, else none."""
    known = catalog.generations[generation]
    on_sale = [key for key, s in catalog.switches.items() if s.protocol == known.protocol and s.status == "available"]
    ids = [known.default_switch, *sorted(on_sale)]
    sizes = [(key, ports.radix) for key in ids if (ports := catalog.switch_ports(key, known.port_rate_gbit_s))]
    if sizes and sizes[0][1] >= least:
        return sizes[0]
    fitting = sorted((radix, key) for key, radix in sizes if radix >= least)
    return (fitting[0][1], fitting[0][0]) if fitting else (None, least)


def _figures(counts: DumpCounts, fabric: SizedFabric) -> tuple[tuple[str, int, int], ...]:
    built, links = fabric.counts, fabric.links
    return (
        ("counts.nodes", counts.n_nodes, built.nodes),
        ("counts.leaf", counts.n_leaf, built.leaf),
        ("counts.spine", counts.n_spine, built.spine),
        ("counts.core", counts.n_core, built.core),
        ("links.node_leaf", counts.links_node_leaf, links.node_leaf),
        ("links.fabric_manager", counts.n_manager_links, links.fabric_manager),
        ("links.leaf_spine", counts.links_leaf_spine, links.leaf_spine),
        ("links.spine_core", counts.links_spine_core, links.spine_core),
    )


def _distance(figures: tuple[tuple[str, int, int], ...]) -> float:
    """How far a design is from the dump: the shares by which counts differ, added up."""
    return sum(abs(found - built) / max(found, 1) for _, found, built in figures)


def _reported(counts: DumpCounts, spec: DesignSpec) -> list[str]:
    """What the file says, in words."""
    down, up = counts.links_node_leaf + counts.n_manager_links, counts.links_leaf_spine
    reported = [
        f"{counted(counts.n_nodes, 'server')} with {counted(counts.ports_mode, 'port')} each at "
        f"{f'{counts.node_rate_gbit_s} Gb/s' if counts.node_rate_gbit_s else 'a rate that the file does not give'}."
    ]
    if counts.kinds and (counts.kinds.n_hosts or counts.kinds.n_switches):
        derived = " and ".join(  # the others the file calls so: of them "no server" would be wrong
            f"{counted(n, what)} ({_shown(names, n)})"
            for what, n, names in (
                ("server", counts.kinds.n_hosts, counts.kinds.hosts),
                ("switch", counts.kinds.n_switches, counts.kinds.switches),
            )
            if n
        )
        reported.append(f"Which devices are which follows from their ports, names and links: {derived}.")
    if counts.n_managers:
        shown = _shown(counts.few_ports, counts.n_managers)
        managing = "by name a fabric manager" if counts.n_managers == 1 else "by name fabric managers"
        known = managing if _are_managers(counts) else "not of the usual kind"
        if counts.n_routers == counts.n_managers:
            known = "a gateway or router" if counts.n_managers == 1 else "gateways or routers"
        ports = " with fewer ports" if not counts.n_not_few else ""
        reported.append(
            f"{counted(counts.n_managers, 'host')}{ports} ({shown}), {known}: "
            f"{counted(counts.n_manager_links, 'port')} of leaves {'is' if counts.n_manager_links == 1 else 'are'} kept for "
            f"{'it' if counts.n_managers == 1 else 'them'}."
        )
    for what, rates in (
        ("hosts" if counts.n_managers else "servers", counts.node_rates),
        ("other switches", counts.switch_rates),
    ):
        total = sum(times for _, times in rates)
        for rate, times in rates[1:]:
            run = "runs" if times == 1 else "run"
            reported.append(f"{times:,} of {total:,} links to {what} {run} at {rate} Gb/s, most at {rates[0][0]} Gb/s.")
    if counts.n_nameless:
        taken = (
            f"By {counted(counts.ports_mode, 'port')} a server that makes "
            f"{counted(ceil_div(counts.n_nameless, counts.ports_mode), 'server')}."
        )
        if counts.nameless_fills:
            taken = f"Servers lack so many ports, which {'it is' if counts.n_nameless == 1 else 'they are'} taken for."
        reported.append(f"{counted(counts.n_nameless, 'HCA')} {_without_name(counts)}. {taken}")
    reported += [
        f"The file has a {_ordinal(number)} network, which no switch joins to this one: {counted(nodes, 'server')}, "
        f"{counted(leaves, 'leaf')} and {counted(spines, 'spine')}. It is a design of its own."
        for number, (nodes, leaves, spines) in enumerate(counts.networks, start=1)
        if number != counts.number
    ]
    if _has_own_uplinks(counts):
        reported.append(f"Links between switches run at {counts.rate_gbit_s} Gb/s.")
    if up:
        low = gcd(down, up)
        shown = f"{down // low}:{up // low}" if down // low < 100 else f"{down / up:.3f}:1"
        reported.append(f"{down:,} links into the leaves and {up:,} out of them: {shown} over all leaves.")
    n_leaves = counts.leaves_of_a_node
    spread = "Each server is on one leaf" if n_leaves == 1 else f"Servers are spread over {n_leaves} leaves each"
    reported.append(f"{spread}: {spec.fabric.layout}.")
    return reported


def _without_name(counts: DumpCounts) -> str:
    if not counts.n_shared:
        return "without the name of a host"
    shared = "with a name that others have, too"
    return shared if counts.n_shared == counts.n_nameless else f"without the name of a host or {shared}"


def _shown(names: tuple[str, ...], n: int) -> str:
    return ", ".join(names[:NAMES_SHOWN]) + (" and more" if n > NAMES_SHOWN else "")


def _of_leaves(counts: DumpCounts) -> str:
    return f" ({_shown(counts.low_leaves, counts.n_low_leaves)})" if counts.low_leaves else ""


def _ordinal(number: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(number, f"{number}th")


def _unreported(counts: DumpCounts, spec: DesignSpec) -> list[str]:
    """What in this file stays open."""
    out = []
    if counts.n_short:
        out.append(
            f"{counted(counts.n_short, 'server')} with fewer than {counts.ports_mode} links "
            f"({_shown(counts.short, counts.n_short)}), counted as whole."
        )
    if counts.is_nameless:
        out.append(
            f"How many servers there are: no HCA has the name of a host of its own, so each of the {counts.n_nodes:,} counts as "
            "a server. Correct the servers and their NICs in the design."
        )
    if counts.cut:
        n = len(counts.cut)
        out.append(
            f"{counted(n, 'device')} of the file {'is' if n == 1 else 'are'} named by others alone ({_shown(counts.cut, n)}), "
            "without a section: is the file cut off?"
        )
    open_hosts = counts.n_managers - counts.n_routers
    if open_hosts and not _are_managers(counts):
        few = " with few ports" if not counts.n_not_few else ""
        out.append(
            f"What {counted(open_hosts, 'host')}{few} could be: login, storage or management nodes, "
            f"{'or fabric managers' if few else 'fabric managers or gateways'}?"
        )
    if counts.n_deeper:
        out.append(f"{counts.n_deeper:,} switches are further up than a third tier, which no design here has.")
    if counts.n_odd_links:
        out.append(f"{counts.n_odd_links:,} links join switches of one tier, or pass over one. They are left out.")
    if counts.n_unlinked_switches:
        out.append(f"{counts.n_unlinked_switches:,} switches have no way to a server. They are left out.")
    if counts.leaf_up_least != counts.leaf_up_mode:
        out.append(
            f"Leaves have different numbers of uplinks, from {counts.leaf_up_least}; most have {counts.leaf_up_mode}, which "
            f"is taken. Is a cable down{_of_leaves(counts)}?"
        )
    if counts.components > 1 and counts.tiers > 1 and spec.fabric.planes != counts.components:
        out.append(f"The switches form {counts.components} networks that nothing joins. They are taken as one.")
    return out
