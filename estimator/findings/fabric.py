"""What an architect should know about a design that was found: codes, severity and numbers."""

from collections.abc import Iterator

from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import PROTOCOL_NAMES, nic_modes, nics_named, spoken
from estimator.catalog.records import ServerNetwork
from estimator.fabric.columns import Sizing, downlinks_beside
from estimator.fabric.sized import SizedFabric, spines_by_ports
from estimator.findings.built import about_built
from estimator.findings.finding import SEVERITY_ORDER, Finding, of_problem
from estimator.findings.management import about_management
from estimator.findings.racks import about_racks
from estimator.floor.whole_racks import whole_racks
from estimator.spec.design import DesignSpec
from estimator.spec.rates import adapter_rate, asked_ratio, port_rate, uplink_rate
from estimator.spec.rules import uplink_rates
from estimator.units import ceil_div, counted, parse_ratio, ratio_text

__all__ = ["SEVERITY_ORDER", "Finding", "findings_of", "of_problem"]


def findings_of(spec: DesignSpec, sizing: Sizing, i: int, fabric: SizedFabric, catalog: Catalog) -> list[Finding]:
    """All findings about the counts of one design, warnings first."""
    found = [
        *_about_nodes(spec, fabric, catalog),
        *_about_adapters(spec, catalog),
        *_about_leaves(spec, sizing, i, fabric),
        *_about_spread(spec, sizing, i, fabric),
        *_about_tiers(spec, sizing, i, fabric, catalog),
        *_about_ratio(spec, fabric, catalog),
        *_about_uplink_rate(spec, fabric, catalog),
        *about_built(spec, fabric, catalog),
        *about_management(spec, fabric, catalog),
    ]
    return sorted(found, key=lambda finding: SEVERITY_ORDER[finding.severity])


def _about_nodes(spec: DesignSpec, fabric: SizedFabric, catalog: Catalog) -> Iterator[Finding]:
    asked = spec.compute.gpus
    if asked is not None and asked != fabric.n_gpus:
        yield Finding(
            "gpus_rounded_up",
            "info",
            "compute.gpus",
            (
                f"{counted(asked, 'GPU')} requested; whole servers of {spec.compute.gpus_per_node} make "
                f"{counted(fabric.n_nodes, 'node')} with "
                f"{counted(fabric.n_gpus, 'GPU')}."
            ),
        )
    racks = whole_racks(spec, fabric.n_nodes, catalog)
    yield from about_racks(racks) if racks else ()
    server, ports = catalog.server(spec.compute.server), catalog.compute_network(spec.compute.server)
    rate, port = (ports.port_rate_gbit_s if ports else 0), fabric.lane_rate_gbit_s
    model = server.model if server else ""
    if ports and adapter_rate(spec.fabric, ports, catalog) < min(rate, port):
        yield _about_modes(spec, model, ports, port, catalog)
    elif ports and rate < port:
        yield Finding(
            "nic_below_port_rate",
            "warning",
            "fabric.generation",
            (
                f"{model} has {rate} Gb/s ports and the fabric {port} Gb/s ports: node links run at "
                f"{rate} Gb/s, and injection, bisection and oversubscription are counted at that rate. Choose a generation of "
                "the server's rate, or split leaf ports."
            ),
        )
    if ports and rate * ports.n_ports > port * fabric.nic_ports_per_node and rate > port:
        yield Finding(
            "nic_rate_unused",
            "info",
            "compute.nic_ports_per_node",
            (
                f"{model} can send {rate * ports.n_ports:,} Gb/s and this fabric takes "
                f"{port * fabric.nic_ports_per_node:,} Gb/s of it: "
                f"{fabric.nic_ports_per_node} ports of {port} Gb/s. More planes, or a faster generation, would use "
                "the rest."
            ),
        )
    if spec.workload.in_network_reduction and catalog.generations[spec.fabric.generation].protocol != "infiniband":
        yield Finding(
            "no_in_network_reduction",
            "warning",
            "workload.in_network_reduction",
            (
                "In-network reduction (SHARP) was requested, and only InfiniBand switches have it: the prediction "
                "leaves it out."
            ),
        )


def _about_modes(spec: DesignSpec, model: str, network: ServerNetwork, port: int, catalog: Catalog) -> Finding:
    """A NIC whose ports in the protocol of the fabric are slower than the rate that its cage carries."""
    nic, own = catalog.nics[network.nic_id or ""], catalog.generations[spec.fabric.generation].protocol

    def forms(protocol: str) -> str:
        modes = sorted(nic_modes(nic, protocol), key=lambda mode: mode[1], reverse=True)
        return " or ".join(f"{n} × {rate} Gb/s" for n, rate in modes)

    others = [f"as {PROTOCOL_NAMES[protocol]} {forms(protocol)}" for protocol in nic.protocols if protocol != own]
    message = (
        f"The {nic.model} of {model} has no {port} Gb/s {PROTOCOL_NAMES[own]} port: as {PROTOCOL_NAMES[own]} it is "
        f"{forms(own)}{''.join(f', {other}' for other in others)}. Node links run at "
        f"{adapter_rate(spec.fabric, network, catalog)} Gb/s. Connect each NIC by as many ports as it has, in planes or on "
        "split leaf ports."
    )
    return Finding("nic_lacks_port_rate", "warning", "fabric.generation", message)


def _about_adapters(spec: DesignSpec, catalog: Catalog) -> Iterator[Finding]:
    server, network = catalog.server(spec.compute.server), catalog.compute_network(spec.compute.server)
    nic = catalog.nics.get((network.nic_id if network else None) or "")
    protocol = catalog.generations[spec.fabric.generation].protocol
    if server and nic and protocol not in nic.protocols:
        yield Finding(
            "nic_speaks_other_protocol",
            "warning",
            "fabric.generation",
            (
                f"{server.model} has {nics_named(nic.model)}, which support {spoken(nic.protocols)}, and "
                f"the fabric is {catalog.generations[spec.fabric.generation].label}. Counts and prices stand for a server "
                "with other NICs: "
                "choose a generation that these support, or price a custom server."
            ),
        )


def _about_leaves(spec: DesignSpec, sizing: Sizing, i: int, fabric: SizedFabric) -> Iterator[Finding]:
    asked, placed = spec.fabric.reserved.fabric_manager_links, fabric.links_fabric_manager
    if placed < asked:
        used = int(fabric.leaf_down.sum()) - placed
        has, short = used + placed, asked - placed
        yield Finding(
            "fabric_manager_ports_short",
            "warning",
            "fabric.reserved.fabric_manager_links",
            (
                f"Nodes take {used:,} of the {has:,} leaf ports that face down: "
                f"{counted(short, 'fabric-manager link')} {'has' if short == 1 else 'have'} no port. Connect one node fewer in a "
                "unit, or give leaves another port."
            ),
        )
    unit = fabric.unit_nodes
    rest = fabric.n_nodes % unit if unit and not fabric.wiring.last_pod_from else 0
    is_asked = spec.fabric.scalable_unit_nodes is not None or spec.fabric.provision == "full-unit"
    if (
        fabric.tiers > 1 and rest and (is_asked or 2 * rest < unit)
    ):  # else units share the nodes out as evenly as they can
        in_unit = _leaves_of_last_unit(fabric)
        full = (
            "ports of the missing nodes stay open"
            if spec.fabric.provision == "full-unit"
            else f"its {counted(in_unit, 'leaf')} {'is' if in_unit == 1 else 'are'} not filled"
        )
        yield Finding(
            "last_unit_partial",
            "info",
            "compute.nodes",
            (f"The last scalable unit has {fabric.n_nodes % unit:,} of {unit:,} nodes; {full}."),
        )
    spare = int(downlinks_beside(sizing.uplinks, sizing.asked)[i]) - fabric.leaf_downlinks
    if fabric.tiers > 1 and spare > 0:
        yield Finding(
            "leaf_radix_unused",
            "info",
            "fabric.leaf_radix",
            (
                f"{spare} of {fabric.leaf_radix} ports of every leaf {'is' if spare == 1 else 'are'} unused: "
                f"{fabric.leaf_downlinks} are for nodes and {fabric.leaf_uplinks} for spines."
            ),
        )
    if fabric.layout == "rail-only":
        yield Finding(
            "rails_never_meet",
            "info",
            "fabric.layout",
            (
                f"{fabric.n_components} rails and planes are separate networks: traffic between rails must cross the "
                "scale-up domain of a node."
            ),
        )
    if fabric.n_leaf == 1:
        yield Finding(
            "single_switch", "info", "fabric.tiers", "One switch joins all nodes: if it fails, the whole network does."
        )


def _leaves_of_last_unit(fabric: SizedFabric) -> int:
    wiring = fabric.wiring
    if wiring.rails_a_leaf:
        return wiring.columns * fabric.n_components
    endpoints = fabric.n_nodes % fabric.unit_nodes * wiring.endpoints_a_node
    return int(ceil_div(endpoints, wiring.capacity)) * fabric.n_components


def _about_spread(spec: DesignSpec, sizing: Sizing, i: int, fabric: SizedFabric) -> Iterator[Finding]:
    if fabric.tiers < 2:
        return
    low, high = int(fabric.spine_down.min()), int(fabric.spine_down.max())
    if spec.fabric.uplink_spread == "uneven" and (low != high or fabric.leaf_uplinks % int(sizing.group_spines[i])):
        yield Finding(
            "uplinks_not_even",
            "warning",
            "fabric.uplink_spread",
            (
                f"{fabric.leaf_uplinks} uplinks a leaf do not spread evenly over {int(sizing.group_spines[i])} "
                f"spines: they carry {low if low == high else f'{low} to {high}'} links each, of "
                f"{fabric.spine_radix} ports. OpenSM's fat-tree routing needs equal links to every spine and falls "
                "back to min-hop."
            ),
        )
    elif fabric.tiers == 2:
        per, ports = fabric.n_leaf // fabric.n_components, int(sizing.asked.spine_ports[i])
        fit, built = spines_by_ports(sizing, i, fabric), fabric.n_spine // fabric.n_components
        if built > fit and spec.fabric.grow_to_nodes in (None, spec.compute.nodes):
            yield Finding(
                "spines_for_even_spread",
                "info",
                "fabric.uplink_spread",
                (
                    f"{per:,} leaves with {fabric.leaf_uplinks} uplinks would fill {fit} spines of {ports} ports; "
                    f"{built} are built, because "
                    f"{fabric.leaf_uplinks} links do not spread evenly over {fit}."
                ),
            )
    asked = sizing.asked
    needed = int(ceil_div(fabric.spine_down * asked.spine_ratio_up[i], asked.spine_ratio_down[i]).sum())
    if fabric.tiers == 3 and spec.fabric.uplink_spread == "even" and fabric.links_spine_core > needed:
        yield Finding(
            "spine_uplinks_padded",
            "info",
            "fabric.pod_nodes",
            (
                f"Spines have {fabric.links_spine_core:,} uplinks where the ratio needs {needed:,}, so that each "
                "reaches every core of its group evenly "
                "although pods differ or leave room to grow. Pods of equal size, or an uneven spread, need fewer."
            ),
        )


def _about_tiers(spec: DesignSpec, sizing: Sizing, i: int, fabric: SizedFabric, catalog: Catalog) -> Iterator[Finding]:
    if fabric.tiers == 3 and spec.fabric.tiers == "auto":
        from estimator.designs.refusals import why_three_tiers  # for a fast start

        yield Finding("three_tiers_needed", "info", "fabric.tiers", *why_three_tiers(sizing, i, spec, catalog))


def _about_uplink_rate(spec: DesignSpec, fabric: SizedFabric, catalog: Catalog) -> Iterator[Finding]:
    """Uplinks whose number was given, at the nodes' rate, of switches that have faster ports as well."""
    rates = faster_uplinks(spec, catalog) if fabric.tiers > 1 and spec.fabric.leaf_uplinks else ()
    if rates:
        now, faster = fabric.uplink_rate_gbit_s, rates[-1]
        message = (
            f"The {counted(fabric.leaf_uplinks, 'uplink')} of a leaf run at {now} Gb/s, as the links of nodes do, and the "
            f"switches have ports of {faster} Gb/s as well: as many uplinks would carry {faster // now} times as much."
        )
        yield Finding("uplinks_can_be_faster", "info", "fabric.uplink_rate_gbit_s", message)


def faster_uplinks(spec: DesignSpec, catalog: Catalog) -> list[int]:
    """Rates above the port rate at which leaf, spine and core could all run as well, where uplinks have no rate of their own."""
    fabric, port = spec.fabric, port_rate(spec.fabric, catalog)
    if uplink_rate(fabric, catalog) != port:
        return []
    parts = {fabric.leaf_switch, fabric.spine_switch, fabric.core_switch}
    each = [set(uplink_rates(part, fabric, catalog)) for part in parts]
    return sorted(rate for rate in set.intersection(*each) if rate > port)


def _about_ratio(spec: DesignSpec, fabric: SizedFabric, catalog: Catalog) -> Iterator[Finding]:
    if fabric.tiers < 2:
        return
    asked, worst = asked_ratio(spec.fabric, catalog), fabric.worst_leaf_ratio
    if worst > asked:
        yield Finding(
            "oversubscription_above_asked",
            "warning",
            "fabric.oversubscription",
            (
                f"The fullest leaf is built at {ratio_text(worst)} ({float(worst):.3f}), above the "
                f"{ratio_text(asked)} requested."
            ),
        )
    if spec.fabric.leaf_downlinks and spec.fabric.leaf_uplinks and asked != parse_ratio(spec.fabric.oversubscription):
        yield Finding(
            "split_sets_ratio",
            "info",
            "fabric.oversubscription",
            (
                f"Downlinks and uplinks were both given, and set the ratio: {ratio_text(asked)}, not "
                f"{spec.fabric.oversubscription}."
            ),
        )
