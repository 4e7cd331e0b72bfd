"""What an architect should know about storage and management networks; fields name the entry of ``other_fabrics``."""

from collections.abc import Iterator
from dataclasses import replace

from estimator.cabling.runs import CablePlan
from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import CONVERGED, IN_BAND, STORAGE, nics_named, spoken
from estimator.errors import Change, Problem
from estimator.fabric.hosts import PDU
from estimator.findings.fabric import SEVERITY_ORDER, Finding, findings_of, of_problem
from estimator.findings.finding import Severity
from estimator.findings.management import managed_switches
from estimator.networks.sized import OtherSized
from estimator.networks.sizing import is_leaf_only
from estimator.spec.network_rules import in_entry
from estimator.spec.rates import adapter_rate
from estimator.units import counted

# findings of the compute network that mean the same for attachments as for nodes
_ALIKE = frozenset(
    {
        "fabric_manager_ports_short",
        "leaf_radix_unused",
        "single_switch",
        "uplinks_not_even",
        "spines_for_even_spread",
        "spine_uplinks_padded",
        "three_tiers_needed",
        "no_subnet_manager",
        "oversubscription_above_asked",
        "split_sets_ratio",
    }
)
_OF_SPINES = frozenset({"single_switch", "leaf_radix_unused", "split_sets_ratio", "oversubscription_above_asked"})


def other_findings(one: OtherSized, catalog: Catalog) -> list[Finding]:
    """All findings about one network, warnings first."""
    found = [
        *_about_ports(one, catalog),
        *_about_sharing(one, catalog),
        *_about_hosts(one, catalog),
        *(_of_entry(f, one, catalog) for f in _of_counts(one, catalog)),
    ]
    return sorted(found, key=lambda finding: SEVERITY_ORDER[finding.severity])


def cabling_findings(one: OtherSized, plan: CablePlan) -> list[Finding]:
    """What cannot be cabled, and what no part of the catalog joins."""
    severities: tuple[tuple[tuple[Problem, ...], Severity], ...] = (
        (plan.blocked, "error"),
        (plan.problems, "error"),
        (plan.hints, "info"),
    )
    return [
        of_problem(
            replace(problem, field=f"other_fabrics[{one.index}]", message=_named(one, problem.message), change=None),
            severity,
        )
        for problems, severity in severities
        for problem in problems
    ]


def _of_counts(one: OtherSized, catalog: Catalog) -> Iterator[Finding]:
    if is_leaf_only(one.entry):
        return  # what stands above belongs to another network
    for finding in findings_of(one.spec, one.sizing, one.position, one.fabric, catalog):
        is_own_ratio = finding.code in _OF_SPINES and one.fabric.uplink_rate_gbit_s != one.fabric.port_rate_gbit_s
        if finding.code in _ALIKE and not is_own_ratio:
            yield finding


def _of_entry(finding: Finding, one: OtherSized, catalog: Catalog) -> Finding:
    """The finding under the entry's name. Of its changes only one that moves no count needs no second sizing."""
    change = managed_switches(one.spec, catalog) or None if finding.code == "no_subnet_manager" else None
    named = in_entry(Problem(finding.field, finding.code, finding.message, change), one.index)
    return replace(finding, field=named.field, message=_named(one, finding.message), change=named.change)


def _named(one: OtherSized, message: str) -> str:
    return f"{one.key.capitalize()} network: {message}"


def _about_ports(one: OtherSized, catalog: Catalog) -> Iterator[Finding]:
    entry, server = one.entry, catalog.server(one.spec.compute.server)
    network = catalog.network(one.spec.compute.server, entry.role)
    if server is None:
        return
    if network is None:
        message = (
            f"The catalog knows no {entry.role} port of {server.model}: {counted(entry.ports_per_node or 0, 'port')} a node "
            "are assumed."
        )
        yield Finding("ports_assumed", "info", f"other_fabrics[{one.index}].ports_per_node", message)
        return
    rate, port = adapter_rate(entry, network, catalog), one.fabric.lane_rate_gbit_s
    if rate < port:
        message = (
            f"{server.model} has {rate} Gb/s ports for {entry.role} and this network {port} Gb/s ports: links to nodes run at "
            f"{rate} Gb/s. Choose a generation of the server's rate, or let endpoints share leaf ports."
        )
        yield Finding("nic_below_port_rate", "warning", f"other_fabrics[{one.index}].generation", message)
    nic, protocol = catalog.nics.get(network.nic_id or ""), catalog.generations[entry.generation or ""].protocol
    if nic and protocol not in nic.protocols:
        message = (
            f"{server.model} has {nics_named(nic.model)} for {entry.role}, which support {spoken(nic.protocols)}, and "
            f"the network is {catalog.generations[entry.generation or ''].label}. Choose a generation that these support."
        )
        yield Finding("nic_speaks_other_protocol", "warning", f"other_fabrics[{one.index}].generation", message)
    if (entry.ports_per_node or 0) > network.n_ports:
        message = (
            f"{server.model} has {counted(network.n_ports, 'port')} for {entry.role}, and {entry.ports_per_node} were requested "
            "for. Counts stand for a server with more NICs."
        )
        yield Finding("ports_beyond_server", "warning", f"other_fabrics[{one.index}].ports_per_node", message)


def _about_sharing(one: OtherSized, catalog: Catalog) -> Iterator[Finding]:
    """Storage and in-band that halve the ports of one NIC, so that neither has a port on a second leaf."""
    design, server = one.spec, catalog.server(one.spec.compute.server)
    rivals = [entry for entry in design.other_fabrics if entry.role in (STORAGE, IN_BAND)]
    network = catalog.network(design.compute.server, STORAGE)
    if server is None or network is None or network != catalog.network(design.compute.server, IN_BAND):
        return
    if one.entry.role != IN_BAND or len({entry.role for entry in rivals}) < 2:
        return
    if any((entry.ports_per_node or 1) % 2 == 0 for entry in rivals):
        return
    others = [entry.model_dump(mode="json") for entry in design.other_fabrics if entry.role not in (STORAGE, IN_BAND)]
    ends = sum(entry.extra_endpoints or 0 for entry in rivals)
    together = {"role": CONVERGED, "extra_endpoints": ends + ends % 2} if ends else {"role": CONVERGED}
    message = (
        f"Storage and in-band share the {counted(network.n_ports, 'port')} of {server.model}: with one port in each, a leaf "
        "that fails cuts nodes off. One converged network has both ports of a node, on the two leaves of a pair."
    )
    yield Finding(
        "ports_shared_by_networks",
        "warning",
        f"other_fabrics[{one.index}].role",
        message,
        {"other_fabrics": [together, *others]},
    )


def _about_hosts(one: OtherSized, catalog: Catalog) -> Iterator[Finding]:
    entry, hosts, at = one.entry, one.hosts, f"other_fabrics[{one.index}]"
    ports = hosts.ports_per_node
    if hosts.together == 1 and ports > 1:
        change: Change | None = {f"other_fabrics.{one.index}.dual_homed": True} if ports % 2 == 0 else None
        message = (
            f"The {ports} ports of a node share a leaf of the {entry.role} network: if it fails, the node is cut off. Pairs of "
            "leaves (dual_homed) keep it reachable."
        )
        yield Finding("ports_share_leaf", "info", f"{at}.dual_homed", message, change)
    if entry.dual_homed and one.fabric.tiers == 1 and not entry.peer_links:
        message = (
            "Two leaves hold all endpoints, and nothing joins them: traffic between them has to cross a node. Links within "
            "the pair (peer_links) join them."
        )
        yield Finding(
            "pair_not_joined", "info", f"{at}.peer_links", message, {f"other_fabrics.{one.index}.peer_links": 2}
        )
    if entry.role == STORAGE and not hosts.n_other_ports:
        message = "No port of a storage node is counted: give them as extra_endpoints."
        yield Finding("no_storage_endpoints", "info", f"{at}.extra_endpoints", message)
    pdus = next((group.n_devices for group in hosts.attached if group.kind == PDU), 0)
    if pdus:
        per_rack = entry.racks, entry.pdus_per_rack
        rest = pdus - (entry.racks or 0) * (entry.pdus_per_rack or 0)
        message = (
            f"{pdus:,} PDUs are counted: {per_rack[0]:,} racks of nodes with {per_rack[1]} each, and {rest:,} in network "
            "racks. Racks and PDUs follow the server's record and the catalog's figures where the request says nothing."
        )
        yield Finding("pdus_counted", "info", f"{at}.pdus_per_rack", message)
