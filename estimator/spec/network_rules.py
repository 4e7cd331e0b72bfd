"""Rules of ``other_fabrics``: what a role, the server and the other networks imply, and what contradicts itself."""

from collections.abc import Iterator
from dataclasses import replace

from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import COMPUTE, CONVERGED, IN_BAND, OUT_OF_BAND, STORAGE, switch_ports, uplink_cages
from estimator.errors import Problem
from estimator.record import Json
from estimator.spec.design import DesignSpec
from estimator.spec.fabric import MAX_ENDPOINTS, OtherFabric, Reserved
from estimator.spec.network_defaults import MANAGEMENT, ports_together, usual_pairs, usual_rate
from estimator.spec.rates import lane_rate, port_rate
from estimator.spec.rules import port_problems, resolve_switches
from estimator.units import ceil_div, counted

_PORTS_ROW = {STORAGE: "storage", IN_BAND: "inband", CONVERGED: "converged", OUT_OF_BAND: "oob"}
_ONLY_OUT_OF_BAND = ("uplinks_into", "racks", "network_racks", "pdus_per_rack", "pdus_per_network_rack")


def resolve_others(spec: DesignSpec, catalog: Catalog) -> tuple[DesignSpec, list[Problem]]:
    """Fill in what is implied for every entry of ``other_fabrics``, and check it; the rest of ``spec`` is resolved."""
    found: list[list[Problem]] = [[] for _ in spec.other_fabrics]
    entries = [_resolve_one(entry, spec, catalog, own) for entry, own in zip(spec.other_fabrics, found, strict=True)]
    resolved = spec.model_copy(update={"other_fabrics": entries})
    problems = [
        in_entry(problem, index)
        for index, (entry, own) in enumerate(zip(entries, found, strict=True))
        for problem in (*own, *_entry_problems(entry, resolved, catalog))
    ]
    return resolved, problems


def other_keys(spec: DesignSpec) -> list[str]:
    """Key of every entry in the Estimate: its role, and a number where a role comes again."""
    roles = [entry.role for entry in spec.other_fabrics]
    seen = [roles[: number + 1].count(role) for number, role in enumerate(roles)]
    return [role if n == 1 else f"{role}-{n}" for role, n in zip(roles, seen, strict=True)]


def set_length_problems(spec: DesignSpec) -> Iterator[Problem]:
    """Lengths set manually for a network that the request has not: the first of each name."""
    keys, reported = [COMPUTE, *other_keys(spec)], set()
    for number, entry in enumerate(spec.site.set_lengths):
        if entry.fabric not in keys and entry.fabric not in reported:
            reported.add(entry.fabric)
            message = (
                f"The design's networks are {', '.join(keys)}, and a length was set for one called '{entry.fabric}'."
            )
            yield Problem(f"site.set_lengths[{number}].fabric", "no_such_fabric", message)


def in_entry(problem: Problem, index: int) -> Problem:
    """A problem of a network's keys, named as those of an entry: ``fabric.tiers`` → ``other_fabrics[0].tiers``."""
    changes = problem.change and {
        f"other_fabrics.{index}.{key.removeprefix('fabric.')}": value for key, value in problem.change.items()
    }
    return replace(problem, field=entry_field(problem.field, index), change=changes)


def entry_field(field: str, index: int) -> str:
    """``fabric.tiers`` → ``other_fabrics[0].tiers``; a size of the cluster becomes the ports that a node has."""
    key = {"compute.nodes": "ports_per_node", "compute.gpus": "ports_per_node"}.get(field, field)
    return f"other_fabrics[{index}].{key.removeprefix('fabric.')}"


def uplink_rate_gbit_s(entry: OtherFabric, catalog: Catalog) -> int | None:
    """Rate of uplinks that leave from cages of their own; None where uplinks take ports like all others. [Gb/s]"""
    switch, rate = catalog.switches.get(entry.leaf_switch or ""), port_rate(entry, catalog)
    if switch is None:
        return catalog.fabric_defaults["oob_uplink_gbit_s"].value if entry.generation == "ethernet-1" else None
    cages = uplink_cages(switch, rate)
    return cages.link_rate_gbit_s if cages else None


def _resolve_one(entry: OtherFabric, spec: DesignSpec, catalog: Catalog, problems: list[Problem]) -> OtherFabric:
    network = catalog.network(spec.compute.server, entry.role)
    if entry.generation is None:
        entry = entry.model_copy(update=usual_rate(entry, spec, catalog))
    entry = _with_switches(entry, catalog, problems)
    n_sharing = sum(catalog.network(spec.compute.server, other.role) == network for other in spec.other_fabrics)
    shared = network.n_ports // n_sharing if network and n_sharing else 0
    is_management = entry.role in (*MANAGEMENT, OUT_OF_BAND)
    update: Json = {
        "ports_per_node": entry.ports_per_node
        or max(shared, 1 if network else catalog.fabric_defaults[f"{_PORTS_ROW[entry.role]}_ports_per_node"].value),
        "extra_endpoints": entry.extra_endpoints or 0,
        "count_devices": is_management and entry.extra_endpoints is None
        if entry.count_devices is None
        else entry.count_devices,
        "endpoints_per_port": entry.endpoints_a_port,
    }
    entry = entry.model_copy(update=update)
    entry = entry.model_copy(update=usual_pairs(entry, spec, catalog))
    if entry.role == OUT_OF_BAND:
        entry = _with_racks(entry, spec, catalog)
    return entry


def _with_switches(entry: OtherFabric, catalog: Catalog, problems: list[Problem]) -> OtherFabric:
    """Switch and radix of the tiers; a leaf with uplink cages of their own has spines of the uplinks' rate."""
    own = {"spine_switch": None, "core_switch": None, "spine_radix": None, "core_radix": None}
    found: list[Problem] = []
    leaf_alone = resolve_switches(entry.model_copy(update=own | {"uplink_rate_gbit_s": None}), catalog, found)
    rate = None if found else uplink_rate_gbit_s(leaf_alone, catalog)
    if rate is None:
        return resolve_switches(entry, catalog, problems)
    if entry.uplink_rate_gbit_s not in (None, rate):
        field = "fabric.uplink_rate_gbit_s"
        message = (
            f"Uplinks of this leaf have cages of their own, at {rate} Gb/s. Leave the rate out, or take another switch."
        )
        problems.append(Problem(field, "uplink_rate_not_offered", message, {field: None}))
    entry = entry.model_copy(update={"uplink_rate_gbit_s": None})
    generation = next(
        key for key, g in catalog.generations.items() if g.protocol == "ethernet" and g.port_rate_gbit_s >= rate
    )
    above = entry.model_copy(
        update={"generation": generation, "leaf_switch": entry.spine_switch, "leaf_radix": entry.spine_radix}
    )
    spines = resolve_switches(above, catalog, found)
    problems += [replace(p, field=p.field.replace("leaf_", "spine_")) for p in found]
    uplinks = entry.leaf_uplinks or catalog.fabric_defaults["oob_uplinks_per_leaf"].value
    down = (leaf_alone.leaf_radix or 0) - entry.reserved.leaf_ports
    return entry.model_copy(
        update={
            "leaf_switch": leaf_alone.leaf_switch,
            "leaf_radix": leaf_alone.leaf_radix,
            "leaf_uplinks": uplinks,
            "leaf_downlinks": entry.leaf_downlinks or max(down, 1),
            "spine_switch": spines.leaf_switch,
            "spine_radix": spines.leaf_radix,
            "core_switch": spines.leaf_switch,
            "core_radix": spines.leaf_radix,
        }
    )


def _with_racks(entry: OtherFabric, spec: DesignSpec, catalog: Catalog) -> OtherFabric:
    """Racks and PDUs that out-of-band ports are counted for, and where uplinks lead."""
    server, figures = catalog.server(spec.compute.server), catalog.fabric_defaults
    plan = spec.site.plan
    whole = catalog.rack_of(spec.compute.server)
    per_rack = (
        (whole.n_trays if whole else None)
        or (plan.nodes_per_rack if plan else None)
        or (server.per_rack if server else None)
        or figures["nodes_per_rack"].value
    )
    joins = any(other.role in MANAGEMENT for other in spec.other_fabrics)
    asked = {
        "uplinks_into": "in-band" if joins else "spines",
        "racks": ceil_div(spec.compute.nodes or 0, per_rack),
        "pdus_per_rack": figures["pdus_per_rack"].value,
        "pdus_per_network_rack": figures["pdus_per_network_rack"].value,
    }
    update: Json = {key: value for key, value in asked.items() if getattr(entry, key) is None}
    if (entry.uplinks_into or update["uplinks_into"]) != "spines" and entry.leaf_uplinks is None:
        update["leaf_uplinks"] = figures["oob_uplinks_per_leaf"].value
    return entry.model_copy(update=update)


# ---------------------------------------------------------------- what contradicts itself


def _entry_problems(entry: OtherFabric, spec: DesignSpec, catalog: Catalog) -> Iterator[Problem]:
    yield from _role_problems(entry, spec)
    yield from _uplink_problems(entry, spec, catalog)
    yield from _pair_problems(entry)
    yield from _grouping_problems(entry)
    yield from _split_problems(entry, catalog)
    nodes, ports, extra = spec.compute.nodes or 0, entry.ports_per_node or 1, entry.extra_endpoints or 0
    if max(nodes, entry.grow_to_nodes or 0) * ports + extra > MAX_ENDPOINTS:
        message = (
            f"{nodes:,} nodes with {ports} ports and {extra:,} other endpoints are {nodes * ports + extra:,}; the limit is "
            f"{MAX_ENDPOINTS:,}. Use fewer."
        )
        yield Problem("fabric.extra_endpoints", "out_of_range", message)
    if entry.grow_to_nodes is not None and entry.grow_to_nodes < nodes:
        message = (
            f"Growing to {counted(entry.grow_to_nodes, 'node')} is fewer than the {nodes:,} there are. Raise it or leave it "
            "out."
        )
        yield Problem("fabric.grow_to_nodes", "out_of_range", message)
    if not (entry.leaf_radix and entry.spine_radix):
        return  # a switch is unknown, which is said already
    if uplink_rate_gbit_s(entry, catalog) is None:
        kept = Reserved(
            leaf_ports=min(entry.reserved.leaf_ports + (entry.peer_links or 0), 2_048),
            spine_ports=entry.reserved.spine_ports,
        )
        yield from port_problems(entry.model_copy(update={"reserved": kept}), catalog)
    else:
        yield from _own_uplink_problems(entry, catalog)


def _role_problems(entry: OtherFabric, spec: DesignSpec) -> Iterator[Problem]:
    if entry.role != OUT_OF_BAND:
        for key in (key for key in _ONLY_OUT_OF_BAND if getattr(entry, key) is not None):
            message = f"Only an out-of-band network has {key}, and this one is {entry.role}. Leave it out."
            yield Problem(f"fabric.{key}", "not_for_role", message)
    if entry.role == STORAGE and entry.count_devices:
        message = "A storage network has no devices to count: give their ports as extra_endpoints."
        yield Problem("fabric.count_devices", "not_for_role", message)
    target = next((other for role in MANAGEMENT for other in spec.other_fabrics if other.role == role), None)
    if entry.uplinks_into == "in-band" and target is None:
        message = (
            "Uplinks lead into the in-band network, and the request has none. Add one, or say 'spines' or 'outside'."
        )
        yield Problem("fabric.uplinks_into", "no_such_fabric", message)
    if entry.uplinks_into in ("in-band", "outside") and entry.tiers in (2, 3):
        message = (
            f"{entry.tiers} tiers have spines of their own, and uplinks lead {entry.uplinks_into}. Say 'spines', or leave "
            "tiers out."
        )
        yield Problem("fabric.tiers", "contradiction", message)
    if entry.uplinks_into == "in-band" and target and target.dual_homed and (entry.leaf_uplinks or 0) % 2:
        message = (
            f"{counted(entry.leaf_uplinks or 0, 'uplink')} a leaf do not reach both leaves of a pair of the in-band network. "
            "Use an even number."
        )
        yield Problem("fabric.leaf_uplinks", "ports_do_not_divide", message)


def _uplink_problems(entry: OtherFabric, spec: DesignSpec, catalog: Catalog) -> Iterator[Problem]:
    """Uplinks into ports of a rate that the leaf below has not."""
    target = next((other for role in MANAGEMENT for other in spec.other_fabrics if other.role == role), None)
    leaf = catalog.switches.get(entry.leaf_switch or "")
    if entry.uplinks_into != "in-band" or target is None or leaf is None:
        return
    rate, ends_at = uplink_rate_gbit_s(entry, catalog) or port_rate(entry, catalog), lane_rate(target, catalog)
    has = {one.link_rate_gbit_s for one in (*leaf.cages, *leaf.breakouts)}
    if ends_at < rate and ends_at not in has:
        message = (
            f"Uplinks of {leaf.model} would end in ports of {ends_at} Gb/s of the {target.role} network, and it has ports of "
            f"{' and '.join(str(one) for one in sorted(has))} Gb/s. Give that network whole ports, or say 'spines' or 'outside'."
        )
        yield Problem("fabric.uplinks_into", "uplink_rate_not_offered", message, {"fabric.uplinks_into": "spines"})


def _pair_problems(entry: OtherFabric) -> Iterator[Problem]:
    """Ports come in whole attachments: pairs, one a plane, or all rails of a node."""
    together, ports, extra = ports_together(entry), entry.ports_per_node or 1, entry.extra_endpoints or 0
    if entry.dual_homed and (entry.planes > 1 or entry.layout != "top-of-rack"):
        message = (
            f"Dual-homed leaves are pairs of one plane, filled in node order; {entry.planes} planes and the "
            f"{entry.layout} layout were requested. Use one plane and top-of-rack, or drop dual_homed."
        )
        yield Problem("fabric.dual_homed", "contradiction", message)
        return
    if entry.peer_links and not entry.dual_homed:
        message = f"{counted(entry.peer_links, 'link')} within a pair need pairs of leaves. Set dual_homed, or leave them out."
        yield Problem("fabric.peer_links", "contradiction", message)
    where = "both leaves of a pair" if entry.dual_homed else f"{entry.planes} planes"
    if ports % (2 if entry.dual_homed else entry.planes):
        message = f"{counted(ports, 'port')} a node do not spread over {where}. Use a multiple."
        change: Json = {"fabric.ports_per_node": ceil_div(ports, entry.planes) * entry.planes}
        if entry.dual_homed:
            message = f"{message[:-1]}, or connect every node to one leaf."
            change = {"fabric.dual_homed": False} | ({"fabric.peer_links": None} if entry.peer_links else {})
        yield Problem("fabric.ports_per_node", "ports_do_not_divide", message, change)
    elif extra % together:
        message = (
            f"{extra:,} other endpoints do not come in groups of {together}: each of these devices has a port "
            f"{'on ' + where if entry.layout == 'top-of-rack' else 'on every rail'}. Use a multiple of {together}."
        )
        yield Problem("fabric.extra_endpoints", "ports_do_not_divide", message)
    elif together > 2 and entry.role in MANAGEMENT and entry.count_devices:
        message = (
            f"Devices are counted with two ports, and attachments here have {together}. Set count_devices to false."
        )
        yield Problem("fabric.count_devices", "ports_do_not_divide", message)
    elif entry.layout == "rail-optimized" and ports // entry.planes % entry.rails_per_leaf:
        rails = ports // entry.planes
        message = (
            f"{rails} rails do not spread over leaves of {entry.rails_per_leaf} rails each. Use a divisor of {rails}."
        )
        yield Problem("fabric.rails_per_leaf", "rails_do_not_divide", message)


def _grouping_problems(entry: OtherFabric) -> Iterator[Problem]:
    """Sharing out over a number of leaves goes with leaves that are filled in node order, and with nothing else."""
    keys = [key for key in ("least_leaves", "nodes_per_leaf") if getattr(entry, key) not in (None, 1)]
    others = [key for key in ("scalable_unit_nodes", "pod_nodes", "grow_to_nodes") if getattr(entry, key) is not None]
    if entry.dual_homed:
        others.append("dual_homed")
    if entry.layout != "top-of-rack" or entry.planes > 1:
        others.append("layout" if entry.layout != "top-of-rack" else "planes")
    if keys and others:
        message = f"{' and '.join(keys)} shares endpoints out over leaves, and {' and '.join(others)} says otherwise. Drop one."
        yield Problem(f"fabric.{keys[0]}", "contradiction", message)


def _split_problems(entry: OtherFabric, catalog: Catalog) -> Iterator[Problem]:
    share, rate = entry.endpoints_a_port, port_rate(entry, catalog)
    if entry.splitters and share != 2:
        message = f"splitters says two endpoints a port, and endpoints_per_port says {share}. Give one of them."
        yield Problem("fabric.endpoints_per_port", "contradiction", message)
        return
    switch = catalog.switches.get(entry.leaf_switch or "")
    if share == 1 or (switch is None and rate % share == 0):
        return
    modes = {m.link_rate_gbit_s for m in switch.breakouts if m.link_rate_gbit_s < rate} if switch else set()
    native = switch_ports(switch, rate) if switch else None
    fits = native is not None and any(
        mode.link_rate_gbit_s * share == rate and mode.links_per_cage == native.links_per_cage * share
        for mode in (switch.breakouts if switch else ())
    )
    if rate % share or not fits:
        name = switch.id if switch else "the leaf"
        shares = sorted(rate // mode for mode in modes if rate % mode == 0)
        known = " or ".join(str(n) for n in shares) or "1"
        message = f"{name} does not split a {rate} Gb/s port into {share}. Use {known}, or another switch."
        yield Problem("fabric.endpoints_per_port", "split_not_offered", message)


def _own_uplink_problems(entry: OtherFabric, catalog: Catalog) -> Iterator[Problem]:
    """A leaf whose uplinks have cages of their own: what they and the other ports hold."""
    switch, radix = catalog.switches.get(entry.leaf_switch or ""), entry.leaf_radix or 0
    cages = uplink_cages(switch, port_rate(entry, catalog)) if switch else None
    has, uplinks = (cages.n_cages * cages.links_per_cage if cages else 2_048), entry.leaf_uplinks or 0
    if uplinks > has:
        message = f"{entry.leaf_switch} has {has} ports for uplinks, and {uplinks} were requested. Use {has} or fewer."
        yield Problem("fabric.leaf_uplinks", "leaf_ports_short", message)
    if entry.peer_links:
        message = "Leaves with uplink ports of their own are joined by what is above them. Leave peer_links out."
        yield Problem("fabric.peer_links", "contradiction", message)
    down, kept = entry.leaf_downlinks or 0, entry.reserved.leaf_ports
    if down + kept > radix:
        message = (
            f"{down} downlinks and {kept} ports kept for other use are {down + kept} ports, and the leaf has {radix}. Lower "
            "one of them."
        )
        yield Problem("fabric.leaf_downlinks", "leaf_ports_short", message)
    if entry.tiers == 3:
        message = "Leaves with uplink ports of their own stand below one tier of spines. Use 1, 2 or auto."
        yield Problem("fabric.tiers", "out_of_range", message)
    if entry.reserved.spine_ports >= (entry.spine_radix or 0):
        message = f"Keeping {entry.reserved.spine_ports} of {entry.spine_radix} spine ports free leaves none to use. Keep fewer."
        yield Problem("fabric.reserved.spine_ports", "spine_ports_short", message)
