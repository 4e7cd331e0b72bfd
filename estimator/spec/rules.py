"""Defaults that catalog and other keys imply, and rules over several keys; bounds of one key stand in design.py."""

from collections.abc import Iterator
from typing import TypeVar

from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import PROTOCOL_NAMES, compute_network
from estimator.catalog.rack_records import RackSystem
from estimator.catalog.records import Server
from estimator.errors import Change, Problem
from estimator.record import Json
from estimator.spec.change import SIZES
from estimator.spec.checking import unknown_part
from estimator.spec.design import Compute, DesignSpec
from estimator.spec.fabric import MAX_ENDPOINTS, UPLINK_RATES, Fabric
from estimator.spec.floor import SitePlan, plan_problems, resolved_plan
from estimator.spec.own.nics import nics_for
from estimator.spec.phases import phase_problems, resolved_phases
from estimator.spec.rates import endpoint_rate, port_rate, ports_a_cage, uplink_rate
from estimator.units import ceil_div, counted, divisors

AnyFabric = TypeVar("AnyFabric", bound=Fabric)
CUSTOM = "'custom'"  # the way out where the catalog lacks a part


def resolve(draft: DesignSpec, catalog: Catalog, found: list[Problem]) -> tuple[DesignSpec, list[Problem]]:
    """Fill in what catalog and other keys imply, and check what needs more than one key; ``found`` comes first."""
    problems = list(found)
    fabric = resolve_switches(draft.fabric, catalog, problems)
    compute = _resolve_compute(draft.compute, fabric, catalog, problems)
    site = draft.site.model_copy(
        update={
            key: catalog.default(key)
            for key in ("node_leaf_m", "leaf_spine_m", "spine_core_m")
            if getattr(draft.site, key) is None and draft.site.plan is None  # a floor plan gives what is left out
        }
    )
    if site.plan is not None:
        site = site.model_copy(update={"plan": _resolve_plan(site.plan, compute, fabric, catalog, problems)})
    size = (compute.nodes or None, compute.gpus_per_node or 1)
    problems += phase_problems(draft.phases, *size)
    phases = resolved_phases(draft.phases, *size)
    resolved = draft.model_copy(update={"compute": compute, "fabric": fabric, "site": site, "phases": phases})
    if not problems:
        problems += _count_problems(resolved, catalog)
    return resolved, problems


def _resolve_plan(
    plan: SitePlan, compute: Compute, fabric: Fabric, catalog: Catalog, problems: list[Problem]
) -> SitePlan:
    server = catalog.server(compute.server)
    resolved = resolved_plan(plan, server, fabric.layout, catalog)
    usual = catalog.generations[fabric.generation].default_switch  # a custom switch is as high as the usual one
    switches = (fabric.leaf_switch, fabric.spine_switch, fabric.core_switch, usual)
    problems += plan_problems(resolved, server, switches, catalog)
    return resolved


def _resolve_compute(compute: Compute, fabric: Fabric, catalog: Catalog, problems: list[Problem]) -> Compute:
    name = compute.server or "custom"
    server = _server(compute, name, catalog, problems)
    if compute.gpu is not None and compute.gpu not in catalog.gpus:
        problems.append(unknown_part("compute.gpu", "GPU", compute.gpu, catalog.gpus, "leave it out"))
    ports = compute_network(server) if server else None
    gpus_per_node = compute.gpus_per_node or (server.gpu_count if server else 8)
    nics = compute.nics_per_node or (ports.n_ports if ports else gpus_per_node)
    per_nic = (
        max(1, min(fabric.planes, ports.port_rate_gbit_s // endpoint_rate(fabric, ports, catalog)))
        if ports
        else fabric.planes
    )
    update = {
        "server": name,
        "gpus_per_node": gpus_per_node,
        "nics_per_node": nics,
        "gpu": compute.gpu or (server.gpu_id if server else None),
        "nic_ports_per_node": compute.nic_ports_per_node or nics * per_nic,
        "scale_up_domain_gpus": compute.scale_up_domain_gpus
        or (server.scale_up_domain_gpus if server else gpus_per_node),
        "nodes": _nodes(compute, gpus_per_node, catalog.rack_of(name)),
    }
    problems += _node_problems(compute, gpus_per_node, problems)
    problems += _rack_problems(compute, gpus_per_node, catalog)
    return compute.model_copy(update=update)


def _nodes(compute: Compute, gpus_per_node: int, rack: RackSystem | None) -> int:
    """Servers or trays, from whichever of nodes, racks and GPUs is given."""
    if compute.nodes is not None:
        return compute.nodes
    if compute.racks is not None:
        return compute.racks * (rack.n_trays if rack else 1)
    return ceil_div(compute.gpus or 0, gpus_per_node)


def _server(compute: Compute, name: str, catalog: Catalog, problems: list[Problem]) -> Server | None:
    """The server's record; None for a custom one, and for one that cannot be a node, which is then a problem."""
    usable = [key for key, server in catalog.servers.items() if server.gpu_count]
    if name in usable:
        return catalog.servers[name]
    if rack := catalog.racks.get(name):
        message = (
            f"{rack.model} is a rack, and its {rack.n_trays} compute trays are the nodes of a network. Take "
            f"{catalog.servers[rack.tray_id].model} and give the size as compute.racks."
        )
        problems.append(Problem("compute.server", "rack_not_node", message, _as_trays(rack, compute)))
    elif name != "custom":
        numbered = [one for one in catalog.numbered(name) if one in usable]
        problems.append(unknown_part("compute.server", "GPU server", name, usable, CUSTOM, numbered))
    return None


def nic_problem(compute: Compute, catalog: Catalog) -> Problem | None:
    """A NIC that the server cannot be had with."""
    if compute.nic is None:
        return None
    field = "compute.nic"
    if compute.nic not in catalog.nics:
        numbered = [one for one in catalog.numbered(compute.nic) if one in catalog.nics]
        return unknown_part(field, "NIC", compute.nic, catalog.nics, "leave it out", numbered)
    server = catalog.server(compute.server)
    if server is None:
        message = (
            "A custom server has the usual NICs of its network. Leave the NIC out, or make the server an own part."
        )
        return Problem(field, "nic_not_offered", message, {field: None})
    fits = [nic.id for nic in nics_for(server, catalog)]
    if compute.nic in fits:
        return None
    if not fits:
        why = "are part of its board, and there is no other to choose"
        return Problem(
            field, "nic_not_offered", f"The compute NICs of {server.model} {why}. Leave it out.", {field: None}
        )
    message = f"{server.model} takes {', '.join(fits)}, and '{compute.nic[:60]}' was given. Take one of these."
    return Problem(field, "nic_not_offered", message, {field: None})


def _as_trays(rack: RackSystem, compute: Compute) -> Change:
    """The rack's compute trays instead; a number of nodes meant racks."""
    change: Change = {"compute.server": rack.tray_id}
    return {**change, "compute.racks": compute.nodes} if compute.nodes else change


def _node_problems(compute: Compute, gpus_per_node: int, found: list[Problem]) -> Iterator[Problem]:
    """Nodes and GPUs: one of them is needed, and two must agree."""
    nodes, gpus = compute.nodes, compute.gpus
    if nodes is None and gpus is None and compute.racks is None:
        if not any(problem.field in SIZES for problem in found):
            yield Problem("compute.nodes", "missing", "Say how many nodes, racks or GPUs to connect.")
    elif nodes is not None and gpus is not None and nodes != ceil_div(gpus, gpus_per_node):
        message = (
            f"{nodes:,} nodes of {gpus_per_node} GPUs are {nodes * gpus_per_node:,} GPUs, and {gpus:,} were requested. "
            "Give nodes or gpus, not both."
        )
        yield Problem("compute.gpus", "contradiction", message, {"compute.nodes": nodes})


def resolve_switches(fabric: AnyFabric, catalog: Catalog, problems: list[Problem]) -> AnyFabric:
    """Switch and radix of the three tiers: each from its own key, else the tier below, else the generation's usual."""
    update: Json = {}
    generation = catalog.generations[fabric.generation]
    part_below, radix_below = generation.default_switch, None
    for tier in ("leaf", "spine", "core"):
        asked, radix = getattr(fabric, f"{tier}_switch"), getattr(fabric, f"{tier}_radix")
        rate = port_rate(fabric, catalog) if tier == "leaf" else uplink_rate(fabric, catalog)
        part = asked or part_below
        has = _ports_of(part, fabric, catalog, rate) if part in catalog.switches else None
        if asked and asked != "custom" and asked not in catalog.switches:
            numbered = [one for one in catalog.numbered(asked) if one in catalog.switches]
            problems.append(unknown_part(f"fabric.{tier}_switch", "switch", asked, catalog.switches, CUSTOM, numbered))
        elif asked and asked != "custom" and has is None:
            problems.append(_wrong_switch(f"fabric.{tier}_switch", asked, fabric, catalog, rate))
        elif asked and has is not None and radix is not None and radix > has:
            problems.append(
                Problem(
                    f"fabric.{tier}_radix",
                    "radix_over_part",
                    (
                        f"{catalog.switches[asked].model} has {has} ports at {rate} Gb/s, and "
                        f"{radix} were requested. Use {has} or fewer, or name another switch or 'custom'."
                    ),
                    {f"fabric.{tier}_radix": has},
                )
            )
        if not asked and radix is not None and (has is None or radix > has):
            part = "custom"  # no part was named, and the usual one is too small: the counts stand without a part
        elif not asked and radix is None and part == "custom":
            radix = radix_below
        radix = radix if radix is not None else has
        if radix is None and not problems:
            problems.append(
                Problem(
                    f"fabric.{tier}_radix",
                    "missing",
                    f"A custom {tier} switch needs its radix: ports at the port rate.",
                )
            )
        update |= {f"{tier}_switch": part, f"{tier}_radix": radix}
        if tier == "leaf":
            problem = _uplinks_not_offered(fabric, part, catalog)
            problems += [problem] if problem else []
            down_a_cage, up_a_cage = ports_a_cage(fabric.model_copy(update=update), catalog)
            radix = radix and radix // down_a_cage * up_a_cage  # the same box with all ports at the rate of the uplinks
        part_below, radix_below = part, radix
    return fabric.model_copy(update=update)


def _ports_of(part: str | None, fabric: Fabric, catalog: Catalog, rate_gbit_s: int) -> int | None:
    generation = catalog.generations[fabric.generation]
    if part is None or catalog.switches[part].protocol != generation.protocol:
        return None
    ports = catalog.switch_ports(part, rate_gbit_s)
    return ports.radix if ports else None


def _wrong_switch(field: str, part: str, fabric: Fabric, catalog: Catalog, rate_gbit_s: int) -> Problem:
    generation = catalog.generations[fabric.generation]
    on_sale = (key for key, switch in catalog.switches.items() if switch.status == "available")
    fits = sorted(key for key in on_sale if _ports_of(key, fabric, catalog, rate_gbit_s))
    is_own = rate_gbit_s != generation.port_rate_gbit_s
    needed_by = f"uplinks of {rate_gbit_s}G" if is_own else generation.label
    return Problem(
        field,
        "switch_does_not_fit",
        (
            f"{catalog.switches[part].model} has no {rate_gbit_s} Gb/s {PROTOCOL_NAMES[generation.protocol]} ports, which "
            f"{needed_by} {'need' if is_own else 'needs'}. These have: "
            f"{', '.join(catalog.switches[key].model for key in fits[:6])}."
        ),
        {field: None if is_own else _usual(fabric, catalog, fits), field.replace("_switch", "_radix"): None},
    )


def uplink_rates(part: str | None, fabric: Fabric, catalog: Catalog) -> list[int]:
    """Rates at which ports of a leaf switch can run as uplinks of their own, the highest first."""
    switch = catalog.switches.get(part or "")
    if switch is None:
        return []
    rates = {cage.link_rate_gbit_s for cage in switch.cages} | {mode.link_rate_gbit_s for mode in switch.breakouts}
    known = (rate for rate in rates if _ports_of(part, fabric, catalog, rate) and rate in UPLINK_RATES)
    return sorted((rate for rate in known if rate != port_rate(fabric, catalog)), reverse=True)


def _uplinks_not_offered(fabric: Fabric, part: str | None, catalog: Catalog) -> Problem | None:
    """Uplinks at a rate for which the leaf has no ports."""
    down, up = port_rate(fabric, catalog), uplink_rate(fabric, catalog)
    if down == up or part is None or part not in catalog.switches or _ports_of(part, fabric, catalog, up):
        return None
    field, model = "fabric.uplink_rate_gbit_s", catalog.switches[part].model
    fits = [
        key
        for key, switch in catalog.switches.items()
        if switch.status == "available" and all(_ports_of(key, fabric, catalog, rate) for rate in (down, up))
    ]
    own = uplink_rates(part, fabric, catalog)
    offers = (
        f"its uplinks can run at {' or '.join(str(rate) for rate in own)} Gb/s" if own else "its ports are all alike"
    )
    if not fits:
        message = (
            f"{model} has no {up} Gb/s ports for uplinks: {offers}, and no switch of the catalog has ports at {down} and "
            f"{up} Gb/s. Leave the rate out, or name one that the switch has."
        )
        return Problem(field, "uplink_rate_not_offered", message, {field: own[0] if own else None})
    names = ", ".join(catalog.switches[key].model for key in fits[:6])
    message = (
        f"{model} has no {up} Gb/s ports for uplinks: {offers}. These have ports at {down} and {up} Gb/s: {names}. Take one "
        "of them, or leave the rate out."
    )
    spines = {f"fabric.{tier}_{what}": None for tier in ("spine", "core") for what in ("switch", "radix")}
    return Problem(
        field, "uplink_rate_not_offered", message, {"fabric.leaf_switch": fits[0], "fabric.leaf_radix": None, **spines}
    )


def _usual(fabric: Fabric, catalog: Catalog, fits: list[str]) -> str:
    """The generation's usual switch if it fits, else the first that does."""
    usual = catalog.generations[fabric.generation].default_switch
    return usual if usual in fits or not fits else fits[0]


def _count_problems(spec: DesignSpec, catalog: Catalog) -> Iterator[Problem]:
    """Rules over several keys, once parts and counts are known."""
    compute, fabric = spec.compute, spec.fabric
    asked, ports = compute.nodes or 0, compute.nic_ports_per_node or 1
    nodes = max(asked, fabric.grow_to_nodes or 0)
    if nodes * ports > MAX_ENDPOINTS:
        message = (
            f"{nodes:,} nodes with {ports} ports are {nodes * ports:,} endpoints; the limit is {MAX_ENDPOINTS:,}. "
            f"Use {MAX_ENDPOINTS // ports:,} nodes or fewer."
        )
        key = "compute.nodes" if nodes == asked else "fabric.grow_to_nodes"
        yield Problem(key, "out_of_range", message, {key: MAX_ENDPOINTS // ports})
    rails = ports // fabric.planes
    if ports % fabric.planes:
        message = (
            f"{ports} NIC ports a node do not spread over {fabric.planes} planes. Use a number of planes that divides "
            f"{ports}."
        )
        planes = max(divisor for divisor in divisors(ports) if divisor < fabric.planes)
        yield Problem("fabric.planes", "planes_do_not_divide", message, {"fabric.planes": planes})
    elif fabric.layout == "rail-optimized" and rails % fabric.rails_per_leaf:
        message = (
            f"{rails} rails do not spread over leaves of {fabric.rails_per_leaf} rails each. Use a divisor of {rails}."
        )
        fits = max(divisor for divisor in divisors(rails) if divisor < fabric.rails_per_leaf)
        yield Problem("fabric.rails_per_leaf", "rails_do_not_divide", message, {"fabric.rails_per_leaf": fits})
    if fabric.grow_to_nodes is not None and fabric.grow_to_nodes < asked:
        message = (
            f"Growing to {counted(fabric.grow_to_nodes, 'node')} is fewer than the {asked:,} requested. Raise it or leave "
            "it out."
        )
        yield Problem("fabric.grow_to_nodes", "out_of_range", message, {"fabric.grow_to_nodes": None})
    if fabric.uplink_spread == "uneven" and fabric.grow_to_nodes not in (None, asked):
        message = (
            f"Growing from {asked:,} to {fabric.grow_to_nodes:,} nodes without re-cabling needs an even spread, and an "
            "uneven one was requested. Drop one of them."
        )
        yield Problem("fabric.grow_to_nodes", "contradiction", message, {"fabric.uplink_spread": "even"})
    yield from port_problems(fabric, catalog)


def port_problems(fabric: Fabric, catalog: Catalog) -> Iterator[Problem]:
    """Ports of leaf and spine against what is asked of them."""
    leaf, spine = fabric.leaf_radix or 0, fabric.spine_radix or 0
    down, up, kept = fabric.leaf_downlinks or 0, fabric.leaf_uplinks or 0, fabric.reserved.leaf_ports
    down_a_cage, up_a_cage = ports_a_cage(fabric, catalog)
    if down_a_cage != up_a_cage and ceil_div(up, up_a_cage) * down_a_cage + down + kept > leaf >= 2:
        cages = ceil_div(up, up_a_cage)
        message = (
            f"{down} downlinks and {kept} ports kept free, and {up} uplinks of {uplink_rate(fabric, catalog)}G in {cages} cages "
            f"of their own, which hold {cages * down_a_cage} other ports, are {down + kept + cages * down_a_cage} ports, and "
            f"the leaf has {leaf}. Lower one of them or take a leaf with more ports."
        )
        free: Json = {"fabric.leaf_downlinks": None, "fabric.leaf_uplinks": None}
        yield Problem("fabric.leaf_downlinks", "leaf_ports_short", message, free)
    elif down_a_cage == up_a_cage and down + up + kept > leaf:
        message = (
            f"{down} downlinks, {up} uplinks and {kept} ports kept free are {down + up + kept} ports, and the leaf has "
            f"{leaf}. Lower one of them or take a leaf with more ports."
        )
        change: Json = {"fabric.leaf_downlinks": None, "fabric.leaf_uplinks": None}
        change |= {"fabric.reserved.leaf_ports": 0} if kept >= leaf - 1 else {}
        yield Problem("fabric.leaf_downlinks", "leaf_ports_short", message, change)
    elif kept >= leaf - 1:
        message = f"Keeping {kept} of {leaf} leaf ports free leaves too few to use. Keep {leaf - 2} or fewer."
        yield Problem("fabric.reserved.leaf_ports", "leaf_ports_short", message, {"fabric.reserved.leaf_ports": 0})
    if fabric.reserved.spine_ports >= spine:
        message = (
            f"Keeping {fabric.reserved.spine_ports} of {spine} spine ports free leaves none to use. "
            f"Keep {spine - 1} or fewer."
        )
        yield Problem("fabric.reserved.spine_ports", "spine_ports_short", message, {"fabric.reserved.spine_ports": 0})


def _rack_problems(compute: Compute, gpus_per_node: int, catalog: Catalog) -> Iterator[Problem]:
    """Racks need a server that comes in them, and agree with what else says the size."""
    if compute.racks is None or compute.server in catalog.racks:
        return
    rack, server = catalog.rack_of(compute.server), catalog.server(compute.server)
    if rack is None:
        yield _no_rack(compute, compute.racks, catalog)
        return
    trays = compute.racks * rack.n_trays
    named = f"{counted(compute.racks, 'rack')} of {rack.n_trays} trays are {counted(trays, 'tray')}"
    if compute.nodes is not None and compute.nodes != trays:
        message = f"{named}, and {counted(compute.nodes, 'tray')} were requested. Give racks, nodes or gpus."
        yield Problem("compute.racks", "contradiction", message, {"compute.racks": compute.racks})
    elif compute.gpus is not None and ceil_div(compute.gpus, gpus_per_node) != trays:
        each = server.gpu_count if server else gpus_per_node
        message = (
            f"{named} with {counted(trays * each, 'GPU')}, and {counted(compute.gpus, 'GPU')} were requested. Give racks, "
            "nodes or gpus."
        )
        yield Problem("compute.racks", "contradiction", message, {"compute.racks": compute.racks})


def _no_rack(compute: Compute, racks: int, catalog: Catalog) -> Problem:
    server = catalog.server(compute.server)
    name = server.model if server else "A custom server"
    trays = ", ".join(catalog.servers[rack.tray_id].model for rack in catalog.racks.values())
    message = f"{name} is no part of a rack that is bought whole: give nodes or gpus. These come in racks: {trays}."
    change = {"compute.nodes": racks * server.per_rack} if server and server.per_rack else None
    return Problem("compute.racks", "no_rack_system", message, change)
