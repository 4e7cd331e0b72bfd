"""What would end a finding: candidates for its change, and the first of them that does when the design is sized again.

No change is proposed on trust. Every candidate is applied to the normalized request, sized with all others in one
batch, and its own findings are looked at: the finding must be gone, with no error and, where possible, no warning that was
not there before. Links that the catalog cannot cable are the last way out.
"""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from estimator.designs.adapters import generation_changes, ports_of_adapters, protocol_of_adapters, rate_of_adapters
from estimator.designs.networks import sized_others
from estimator.designs.refusals import faults_of
from estimator.designs.subject import Subject
from estimator.errors import Change, InfeasibleDesign, SpecError
from estimator.fabric.size import size
from estimator.fabric.sized import fabric_of
from estimator.findings.built import slot_gbit_s
from estimator.findings.fabric import faster_uplinks, findings_of
from estimator.findings.finding import SEVERITY_ORDER, Choice, Finding
from estimator.findings.management import usual_networks, ways_to_manage
from estimator.floor.whole_racks import whole_racks
from estimator.proposals.even_spread import CODE as EVEN_SPREAD
from estimator.proposals.even_spread import with_spines_price
from estimator.proposals.partial_unit import CODE as PARTIAL_UNIT
from estimator.proposals.partial_unit import even_units, with_price
from estimator.spec.change import apply_change
from estimator.spec.parse import parse_spec
from estimator.spec.rates import port_rate
from estimator.units import ceil_div, counted

_MOST_CANDIDATES = 6  # of one finding
_Cost = tuple[bool, bool]  # of a change: links without cables, warnings that were not there before
_NONE: _Cost = (False, False)


# findings that say in their words what their change comes to, or what they cost
IN_WORDS: Mapping[str, Callable[[Finding, Subject], Finding]] = {
    PARTIAL_UNIT: with_price,
    EVEN_SPREAD: with_spines_price,
}


def with_changes(found: Sequence[Finding], subject: Subject, codes: Container[str] | None = None) -> list[Finding]:
    """The findings of a design, each with the change that ends it where one does; ``codes``: of these findings alone."""
    tries = [
        (n, change)
        for n, finding in enumerate(found)
        if codes is None or finding.code in codes
        for change in _candidates(finding, subject)
    ]
    specs, kept = [], []
    values = subject.spec.as_json()
    for n, change in tries:
        try:
            specs.append(parse_spec(apply_change(values, change), subject.catalog))
            kept.append((n, change))
        except SpecError:
            continue  # breaks a rule: not a way out
    if not specs:
        return _in_words(found, subject)
    sizing = size(specs, subject.catalog)
    before = {finding.code for finding in found}
    faults = faults_of(subject.spec, subject.fabric, subject.catalog)
    chosen: dict[int, tuple[_Cost, Change]] = {}
    offered: dict[int, list[Change]] = {}
    for k, (n, change) in enumerate(kept):
        is_choice = found[n].code in CHOICES
        if not sizing.tiers[k] or (n in chosen and chosen[n][0] == _NONE and not is_choice):
            continue
        fabric = fabric_of(sizing, k, specs[k])
        after = findings_of(specs[k], sizing, k, fabric, subject.catalog)
        new = {finding.severity for finding in after if finding.code not in before}
        if found[n].code not in {finding.code for finding in after} and "error" not in new:
            cost = not faults_of(specs[k], fabric, subject.catalog) <= faults, "warning" in new
            if cost != _NONE and found[n].severity == "info":
                continue  # worse than what it would end
            offered.setdefault(n, []).append(change)
            if n not in chosen or (cost < chosen[n][0] and not is_choice):
                chosen[n] = cost, change
    proposed = [
        _with_change(finding, chosen[n][1], offered[n], subject) if n in chosen else finding
        for n, finding in enumerate(found)
    ]
    return _in_words(proposed, subject)


def _in_words(found: Sequence[Finding], subject: Subject) -> list[Finding]:
    """The findings with what their change comes to, or what they cost, the worst first."""
    return _worst_first(
        [IN_WORDS[finding.code](finding, subject) if finding.code in IN_WORDS else finding for finding in found]
    )


def _worst_first(found: Sequence[Finding]) -> list[Finding]:
    return sorted(found, key=lambda finding: SEVERITY_ORDER[finding.severity])


def _with_change(finding: Finding, change: Change, offered: Sequence[Change], subject: Subject) -> Finding:
    """The finding with its change, and with all that end it where the reader has to choose between them."""
    if finding.code not in CHOICES or len(offered) < 2:
        return replace(finding, change=change)
    choices = tuple(Choice(CHOICES[finding.code](one, subject), one) for one in offered)
    return replace(finding, change=change, choices=choices)


def _candidates(finding: Finding, subject: Subject) -> Iterator[Change]:
    if finding.change is None and finding.code in _WAYS:
        yield from islice(_WAYS[finding.code](subject), _MOST_CANDIDATES)


# ---------------------------------------------------------------- nodes and NICs


def _whole_servers(subject: Subject) -> Iterator[Change]:
    yield {"compute.gpus": subject.fabric.n_gpus}


def _rate_of_server(subject: Subject) -> Iterator[Change]:
    """A generation of the same protocol at the NICs' rate, or split ports."""
    yield from rate_of_adapters(subject.spec, subject.catalog)


def _ports_of_server(subject: Subject) -> Iterator[Change]:
    """All ports that the NICs have as this protocol."""
    yield from ports_of_adapters(subject.spec, subject.catalog)


def _faster_uplinks(subject: Subject) -> Iterator[Change]:
    for rate in reversed(faster_uplinks(subject.spec, subject.catalog)):
        yield {"fabric.uplink_rate_gbit_s": rate, "fabric.spine_radix": None, "fabric.core_radix": None}


def _generations(subject: Subject, rate_gbit_s: int, other_protocol: bool = False) -> Iterator[Change]:
    yield from generation_changes(subject.spec, subject.catalog, rate_gbit_s, other_protocol)


def _more_planes(subject: Subject) -> Iterator[Change]:
    network = subject.catalog.compute_network(subject.spec.compute.server)
    if network:
        nics = subject.spec.compute.nics_per_node or 1
        planes = network.n_ports * network.port_rate_gbit_s // (nics * subject.fabric.endpoint_rate_gbit_s)
        yield {"fabric.planes": planes, "compute.nic_ports_per_node": nics * planes}
        yield from _generations(subject, network.port_rate_gbit_s)


def _other_protocol(subject: Subject) -> Iterator[Change]:
    yield from protocol_of_adapters(subject.spec, subject.catalog)
    yield from _generations(subject, port_rate(subject.spec.fabric, subject.catalog), other_protocol=True)


def _no_reduction(_: Subject) -> Iterator[Change]:
    yield {"workload.in_network_reduction": False}


def _rate_of_slot(subject: Subject) -> Iterator[Change]:
    network, limit = (
        subject.catalog.compute_network(subject.spec.compute.server),
        slot_gbit_s(subject.spec, subject.catalog),
    )
    rates = sorted({g.port_rate_gbit_s for g in subject.catalog.generations.values()}, reverse=True)
    for rate in rates if network and limit else ():
        if network and limit and rate * network.ports_per_nic <= limit:
            yield from _generations(subject, rate)


# ---------------------------------------------------------------- what runs the network


def _other_networks(subject: Subject) -> Iterator[Change]:
    """The usual networks, if they can be built beside this one."""
    change = {"other_fabrics": usual_networks(subject.spec, subject.catalog)}
    try:
        spec = parse_spec(apply_change(subject.spec.as_json(), change), subject.catalog)
        sized_others([spec], [subject.fabric], subject.catalog)
    except (SpecError, InfeasibleDesign):
        return
    yield change


def _a_manager(subject: Subject) -> Iterator[Change]:
    yield from ways_to_manage(subject.spec, subject.fabric, subject.catalog)


# ---------------------------------------------------------------- racks


def _whole_racks(subject: Subject) -> Iterator[Change]:
    """The next larger number of whole racks, and the next smaller one; room to grow to fewer is taken away."""
    racks = whole_racks(subject.spec, subject.fabric.n_nodes, subject.catalog)
    for n in (racks.n_racks, racks.n_full) if racks else ():
        grows_to = subject.spec.fabric.grow_to_nodes
        too_few = grows_to is not None and racks is not None and grows_to < n * racks.system.n_trays
        if n:
            yield {"compute.racks": n, **({"fabric.grow_to_nodes": None} if too_few else {})}


def _rack_words(change: Change, subject: Subject) -> str:
    """ "8 racks (576 GPUs)"."""
    rack, n = subject.catalog.rack_of(subject.spec.compute.server), int(change["compute.racks"])
    trays = n * (rack.n_trays if rack else 1)
    return f"{counted(n, 'rack')} ({counted(trays * (subject.spec.compute.gpus_per_node or 0), 'GPU')})"


# ---------------------------------------------------------------- leaves


def _room_for_managers(subject: Subject) -> Iterator[Change]:
    """Ports kept free first; then as many nodes fewer as the links need; then only the links that fit."""
    spec, fabric = subject.spec, subject.fabric
    if spec.fabric.reserved.leaf_ports:
        yield {"fabric.reserved.leaf_ports": 0}
    short = spec.fabric.reserved.fabric_manager_links - fabric.links_fabric_manager
    fewer = ceil_div(short * fabric.endpoints_per_port, fabric.nic_ports_per_node)
    for nodes in (fabric.n_nodes - fewer, fabric.n_nodes - fewer - 1):
        if nodes > 0:
            yield {"compute.nodes": nodes}
    yield {"fabric.reserved.fabric_manager_links": fabric.links_fabric_manager}


def _fuller_units(subject: Subject) -> Iterator[Change]:
    """Units that divide the nodes evenly and take no more switches, the fewest first; then as many nodes as fill the last."""
    for unit in even_units(subject):
        yield {"fabric.scalable_unit_nodes": unit.nodes}
    yield from _whole_units(subject)


def _whole_units(subject: Subject) -> Iterator[Change]:
    unit, nodes = subject.fabric.unit_nodes, subject.fabric.n_nodes
    whole = ceil_div(nodes, unit) * unit
    grow = {"fabric.grow_to_nodes": None} if (subject.spec.fabric.grow_to_nodes or whole) < whole else {}
    yield {"compute.nodes": whole, **grow}


def _free_split(subject: Subject) -> Iterator[Change]:
    yield {"fabric.leaf_downlinks": None, "fabric.leaf_uplinks": None}
    yield {"fabric.leaf_downlinks": None, "fabric.leaf_uplinks": None, "fabric.scalable_unit_nodes": None}


def _rails_meet(_: Subject) -> Iterator[Change]:
    yield {"fabric.layout": "rail-optimized"}


def _rails_apart(_: Subject) -> Iterator[Change]:
    yield {"fabric.layout": "rail-optimized", "fabric.rails_per_leaf": 1}


def _two_tiers(_: Subject) -> Iterator[Change]:
    yield {"fabric.tiers": 2}
    yield {"fabric.tiers": 2, "fabric.least_spines": 2}


def _as_bought(_: Subject) -> Iterator[Change]:
    yield {"fabric.provision": "as-bought"}


def _no_reserve(_: Subject) -> Iterator[Change]:
    yield {"fabric.reserved.leaf_ports": 0}


def _whole_ports(_: Subject) -> Iterator[Change]:
    yield {"fabric.splitters": False}


# ---------------------------------------------------------------- spines and ratios


def _even(subject: Subject) -> Iterator[Change]:
    """An even spread of the same switches; with free tiers; with pods of equal size."""
    if subject.spec.fabric.uplink_spread == "uneven":
        yield {"fabric.uplink_spread": "even"}
        yield {"fabric.uplink_spread": "even", "fabric.leaf_uplinks": None}
        yield {"fabric.uplink_spread": "even", "fabric.tiers": "auto"}
    yield from _equal_pods(subject)


def _equal_pods(subject: Subject) -> Iterator[Change]:
    if subject.fabric.tiers == 3:
        from estimator.designs.refusals import equal_pods  # for a fast start

        spread = {"fabric.uplink_spread": "even"} if subject.spec.fabric.uplink_spread == "uneven" else {}
        for nodes in equal_pods(subject.sizing, subject.i):
            yield {"fabric.pod_nodes": nodes, **spread}


def _second_spine(subject: Subject) -> Iterator[Change]:
    """Two spines at least, with as many uplinks as that takes; two cores, by ports of cores that stay unused."""
    if min(subject.fabric.group_spines) < 2:
        yield {"fabric.least_spines": 2}
        yield {"fabric.least_spines": 2, "fabric.leaf_uplinks": None}
        yield {"fabric.least_spines": 2, "fabric.leaf_uplinks": 2}
    yield {"fabric.core_radix": ceil_div(int(subject.fabric.core_down.max(initial=0)), 2)}


def _next_leaf(subject: Subject) -> Iterator[Change]:
    """The next larger switch of the generation that the catalog has; then one uplink more a leaf; then fewer managers."""
    yield from _larger_leaves(subject)
    yield {"fabric.leaf_uplinks": subject.fabric.leaf_uplinks + 1}
    yield {"fabric.reserved.fabric_manager_links": 0}


def _larger_leaves(subject: Subject) -> Iterator[Change]:
    """Leaf switches of the generation with more ports, the smallest first; the other switches stay as they are."""
    from estimator.designs.refusals import switch_sizes  # for a fast start

    fabric = subject.spec.fabric
    others = {
        f"fabric.{tier}_{what}": getattr(fabric, f"{tier}_{what}")
        for tier in ("spine", "core")
        for what in ("switch", "radix")
    }
    for radix, key in switch_sizes(subject.spec, subject.catalog, is_leaf=True).items():
        if radix > (fabric.leaf_radix or 0):
            yield {"fabric.leaf_switch": key, "fabric.leaf_radix": radix, **others}


def _ratio_of_split(subject: Subject) -> Iterator[Change]:
    fabric = subject.spec.fabric
    if fabric.leaf_downlinks and fabric.leaf_uplinks:
        yield {"fabric.oversubscription": f"{fabric.leaf_downlinks}:{fabric.leaf_uplinks}"}


def _nearest_ratio(subject: Subject) -> Iterator[Change]:
    """The whole ratio below the one that is built."""
    whole = int(subject.fabric.worst_leaf_ratio)
    yield {"fabric.oversubscription": f"{whole}:1", "fabric.leaf_downlinks": None, "fabric.leaf_uplinks": None}
    yield {
        "fabric.oversubscription": f"{whole}:1",
        "fabric.leaf_downlinks": None,
        "fabric.leaf_uplinks": None,
        "fabric.scalable_unit_nodes": None,
    }


def _smaller_spines(subject: Subject) -> Iterator[Change]:
    """Spines of the catalog with fewer ports, the largest first."""
    from estimator.designs.refusals import switch_sizes  # for a fast start

    fabric = subject.spec.fabric
    for radix, key in reversed(switch_sizes(subject.spec, subject.catalog).items()):
        if radix < subject.fabric.spine_radix:
            yield {
                "fabric.spine_switch": key,
                "fabric.spine_radix": radix,
                "fabric.core_switch": fabric.core_switch,
                "fabric.core_radix": fabric.core_radix,
            }


CHOICES: dict[str, Callable[[Change, Subject], str]] = {"rack_partial": _rack_words}  # all changes are offered by name
_WAYS: dict[str, Callable[[Subject], Iterator[Change]]] = {
    "gpus_rounded_up": _whole_servers, "rack_partial": _whole_racks, "nic_below_port_rate": _rate_of_server,
    "uplinks_can_be_faster": _faster_uplinks, "nic_lacks_port_rate": _ports_of_server, "nic_rate_unused": _more_planes,
    "nic_speaks_other_protocol": _other_protocol, "no_in_network_reduction": _no_reduction,
    "pcie_below_nic_rate": _rate_of_slot, "fabric_manager_ports_short": _room_for_managers, "reserve_conflict": _no_reserve,
    "last_unit_partial": _fuller_units, "leaf_radix_unused": _free_split, "rails_never_meet": _rails_meet,
    "nodes_on_one_leaf": _rails_apart, "single_switch": _two_tiers, "idle_switches": _as_bought, "mixed_rates": _whole_ports,
    "uplinks_not_even": _even, "opensm_fat_tree_asymmetric": _even, "no_path_up_and_down": _even,
    "spine_uplinks_padded": _equal_pods, "single_point_of_failure": _second_spine,
    "oversubscription_above_asked": _next_leaf, "split_sets_ratio": _ratio_of_split, "ratio_not_whole": _nearest_ratio,
    "spine_radix_unused": _smaller_spines, "other_networks_left_out": _other_networks,
    "no_subnet_manager": _a_manager, "no_port_for_fabric_manager": _a_manager,
}  # fmt: skip
