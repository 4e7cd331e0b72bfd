"""The same cluster on the other family of network: InfiniBand as RoCE, RoCE as InfiniBand, at the same port rate.

Servers, GPUs, NICs and their ports stay; switches become the other family's usual ones, and what the other family does
not have is dropped with a note.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from estimator.bom.pricing import Pricing
from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import COMPUTE
from estimator.catalog.records import Nic, ServerNetwork
from estimator.designs.adapters import ports_of_adapters
from estimator.designs.parts import catalog_of
from estimator.errors import Problem, SpecError
from estimator.ranges import Range
from estimator.spec.change import apply_change
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec
from estimator.spec.rates import adapter_rate, asked_ratio, lane_rate
from estimator.units import cents_to_usd, ratio_text
from estimator.wording import whole_dollars

ALTERNATIVES = {"edr": "roce-100", "hdr": "roce-200", "ndr": "roce-400", "xdr": "roce-800"}
ALTERNATIVES |= {roce: infiniband for infiniband, roce in ALTERNATIVES.items()}
ETHERNET, INFINIBAND = "ethernet", "infiniband"
_FAMILY = {ETHERNET: "RoCE", INFINIBAND: "InfiniBand"}
Values = dict[str, Any]  # a request as it was given, or values by dotted key
_TIERS = ("leaf", "spine", "core")
_PLACED = ("scalable_unit_nodes", "pod_nodes", "core_groups")  # they follow from ports of the switches that go


@dataclass(frozen=True)
class Note:
    """Something that a reader must know of the alternative; ``code`` is stable."""

    code: str
    words: str


@dataclass(frozen=True)
class Swap:
    """NICs of a node: those that are there, those on the other side, and the prices of one of each in cents."""

    old: str
    new: str
    n_adapters: int
    old_cents: Range[int] | None
    new_cents: Range[int] | None
    is_needed: bool  # the old ones do not speak the other protocol
    is_billed: bool  # NICs are lines of the bill of materials, so that totals hold the change


@dataclass(frozen=True)
class Alternative:
    """A request for the same cluster on the other family, and what changed on the way."""

    values: Values
    notes: tuple[Note, ...]
    swap: Swap | None

    @property
    def name(self) -> str:
        """What the request is called."""
        return str(self.values["name"])


def other_family(generation: str, catalog: Catalog) -> str:
    """The other family by name: "RoCE" for an InfiniBand generation."""
    return _FAMILY[ETHERNET if catalog.generations[generation].protocol == INFINIBAND else INFINIBAND]


def alternative_spec(values: Values, catalog: Catalog) -> Alternative:
    """The request ``values`` for the other family at the same port rate.

    Raises
    ------
    SpecError
        If the request is wrong itself, or if no NIC could join these servers to the other family.
    """
    spec = parse_spec(values, catalog)
    catalog = catalog_of(spec, catalog)
    generation, ports = _ports_there(spec, ALTERNATIVES[spec.fabric.generation], catalog)
    protocol, label = catalog.generations[generation].protocol, catalog.generations[generation].label
    swap = _swap(spec, generation, catalog)
    change, notes = _changes(spec, generation, catalog)
    found = apply_change(values, {"fabric.generation": generation, **change, **ports})
    is_unnamed = spec.name == _own_name(values, catalog)
    found["name"] = _own_name(found, catalog) if is_unnamed else _name(spec.name, label)
    if ports:
        notes = [Note("ports_split", _ports_words(ports, generation, catalog)), *notes]
    notes = [*_adapter_notes(swap, spec, protocol, catalog), *notes]
    parse_spec(found, catalog)
    return Alternative(found, tuple(notes), swap)


def _ports_there(spec: DesignSpec, generation: str, catalog: Catalog) -> tuple[str, Values]:
    """The generation of the other family, and the ports of a server there.

    NICs that have no single port of the rate in the other protocol take a slower generation with all the ports that they
    have: a ConnectX-8 is one XDR port of 800G, and two of 400GbE.
    """
    network = catalog.compute_network(spec.compute.server)
    there = spec.model_copy(update={"fabric": spec.fabric.model_copy(update={"generation": generation})})
    if network is None or adapter_rate(there.fabric, network, catalog) >= min(
        network.port_rate_gbit_s, lane_rate(there.fabric, catalog)
    ):
        return generation, {}
    for change in ports_of_adapters(there, catalog):
        if "fabric.generation" in change:
            own = ("fabric.planes", "compute.nic_ports_per_node", "fabric.splitters")
            return str(change["fabric.generation"]), {key: change[key] for key in own if key in change}
    return generation, {}


def _ports_words(ports: Values, generation: str, catalog: Catalog) -> str:
    known = catalog.generations[generation]
    return (
        f"The NICs have no port of the same rate there: each has more ports of {known.port_rate_gbit_s} Gb/s, "
        f"{ports['compute.nic_ports_per_node']} a server in {ports['fabric.planes']} planes of {known.label}."
    )


def _own_name(values: Values, catalog: Catalog) -> str:
    """What the request is called where nobody names it."""
    return parse_spec({key: value for key, value in values.items() if key != "name"}, catalog).name


def _name(name: str, label: str) -> str:
    """The design's name with the family behind it, and not both families, where it is an alternative of an alternative."""
    stem, _, behind = name.removesuffix(")").rpartition(" (")
    is_alternative = stem and behind.startswith(tuple(_FAMILY.values())) and name.endswith(")")
    return f"{(stem if is_alternative else name)[:180]} ({label})"


# ---------------------------------------------------------------- NICs


def _swap(spec: DesignSpec, generation: str, catalog: Catalog) -> Swap | None:
    """Which NIC stands in for which; None where the server's own stay and no other card is made for the purpose."""
    new, protocol = catalog.default_nic(generation), catalog.generations[generation].protocol
    server = catalog.server(spec.compute.server)
    network = catalog.compute_network(spec.compute.server)
    nodes = spec.compute.nodes or 0
    if server is None:
        old, n_adapters = catalog.default_nic(spec.fabric.generation), nodes * (spec.compute.nics_per_node or 0)
        return _priced(old, new, n_adapters, spec, catalog, is_needed=True, is_billed=True)
    if network is None or network.nic_id is None:
        if protocol == INFINIBAND:
            message = (
                f"The ports of {server.model} are the accelerators' own and run Ethernet, so there is no InfiniBand "
                "version of this cluster. Compare with another server."
            )
            raise SpecError([Problem("compute.server", "no_sibling", message)])
        return None
    old = catalog.nics[network.nic_id]
    n_adapters = nodes * network.n_nics
    if protocol in old.protocols:
        return _card_of_purpose(old, new, n_adapters, network, spec, catalog)
    return _priced(old, new, n_adapters, spec, catalog, is_needed=True, is_billed=not network.nic_included)


def _card_of_purpose(
    old: Nic, new: Nic, n_adapters: int, network: ServerNetwork, spec: DesignSpec, catalog: Catalog
) -> Swap | None:
    """A card of the other family in place of a card that speaks both; not where the NIC is part of a board."""
    is_card = (
        "module" not in old.model.lower() and "board" not in old.form_factor.lower() and "on-board" not in old.model
    )
    if not is_card or new.id == old.id or new.total_rate_gbit_s != old.total_rate_gbit_s:
        return None
    return _priced(old, new, n_adapters, spec, catalog, is_needed=False, is_billed=not network.nic_included)


def _priced(
    old: Nic, new: Nic, n_adapters: int, spec: DesignSpec, catalog: Catalog, *, is_needed: bool, is_billed: bool
) -> Swap:
    pricing = Pricing(spec.economics, catalog)
    before, after = (pricing.of(nic.id, n_adapters) for nic in (old, new))
    return Swap(
        old.id,
        new.id,
        n_adapters,
        before.cents if before else None,
        after.cents if after else None,
        is_needed,
        is_billed,
    )


def _adapter_notes(swap: Swap | None, spec: DesignSpec, protocol: str, catalog: Catalog) -> Iterator[Note]:
    family = _FAMILY[protocol]
    network = catalog.compute_network(spec.compute.server)
    own = catalog.nics.get((network.nic_id if network else None) or "")
    if swap is None:
        if own:
            yield Note("adapters_kept", f"The servers keep their NICs, {own.model}, which support both protocols.")
        return
    old, new = catalog.nics[swap.old], catalog.nics[swap.new]
    prices = f"{new.model} at {_price(swap.new_cents)} a piece instead of {old.model} at {_price(swap.old_cents)}"
    where = (
        "The totals hold the change."
        if swap.is_billed
        else ("Totals do not hold the change, as the servers' price includes their NICs.")
    )
    if swap.is_needed:
        yield Note("adapters_swapped", f"{swap.n_adapters:,} NICs are swapped: {prices}. {where}")
        return
    yield Note(
        "adapters_kept",
        f"The servers keep their NICs, {old.model}, which support both protocols. Cards for {family} would be {prices}, where "
        "the server is sold with them.",
    )


def _price(cents: Range[int] | None) -> str:
    if cents is None:
        return "a price that no book has"
    low, high = (whole_dollars(cents_to_usd(end)) for end in (cents.low, cents.high))
    return low if low == high else f"{low} to {high}"


# ---------------------------------------------------------------- what else changes


def _changes(spec: DesignSpec, generation: str, catalog: Catalog) -> tuple[Values, list[Note]]:
    """Keys that take another value, and notes on those that the architect had set."""
    change: Values = {}
    notes: list[Note] = []
    for some, more in (
        _switches(spec, generation, catalog),
        _shape(spec, catalog),
        _family_features(spec, generation, catalog),
        _beside(spec),
    ):
        change |= some
        notes += more
    return change, notes


def _switches(spec: DesignSpec, generation: str, catalog: Catalog) -> tuple[Values, list[Note]]:
    change = {f"fabric.{tier}_{what}": None for tier in _TIERS for what in ("switch", "radix")}
    usual = catalog.generations[spec.fabric.generation].default_switch
    own = {part for tier in _TIERS if (part := getattr(spec.fabric, f"{tier}_switch")) not in (None, usual)}
    new = catalog.default_switch(generation)
    names = [catalog.switches[part].model if part in catalog.switches else "custom switches" for part in sorted(own)]
    note = Note(
        "switches_automatic", f"{' and '.join(names)} give way to the usual switch of the other side, {new.model}."
    )
    return change, [note] if names else []


def _shape(spec: DesignSpec, catalog: Catalog) -> tuple[Values, list[Note]]:
    """Tiers, splits and units that were counted in the ports of the old switches."""
    fabric = spec.fabric
    change: Values = {"fabric.leaf_downlinks": None, "fabric.leaf_uplinks": None, "fabric.tiers": "auto"}
    change |= {"fabric.uplink_rate_gbit_s": None} if fabric.uplink_rate_gbit_s else {}
    change |= {f"fabric.{key}": None for key in _PLACED}
    notes = []
    if fabric.leaf_downlinks and fabric.leaf_uplinks:
        ratio = ratio_text(asked_ratio(fabric, catalog))
        change["fabric.oversubscription"] = ratio
        words = f"{fabric.leaf_downlinks} downlinks and {fabric.leaf_uplinks} uplinks a leaf are kept as their ratio, {ratio}."
        notes.append(Note("split_as_ratio", words))
    elif fabric.leaf_downlinks or fabric.leaf_uplinks:
        notes.append(Note("split_dropped", "The number of leaf ports that was set follows from the ratio again."))
    dropped = [key.replace("_", " ") for key in _PLACED if getattr(fabric, key)]
    if fabric.uplink_rate_gbit_s:
        dropped.append("the uplinks' own rate")
    if fabric.tiers != "auto":
        dropped.append(f"{fabric.tiers} tiers")
    if dropped:
        words = f"Sizes that fitted the other switches are automatic again: {', '.join(dropped)}."
        notes.append(Note("sizes_automatic", words))
    return change, notes


def _family_features(spec: DesignSpec, generation: str, catalog: Catalog) -> tuple[Values, list[Note]]:
    """What only one family has: in-network reduction, fabric managers."""
    change: Values = {}
    notes = []
    if catalog.generations[generation].protocol == INFINIBAND:
        words = "InfiniBand could also reduce in the network (SHARP) and have fabric managers (UFM); neither is in this design."
        return {}, [Note("could_add", words)]
    if spec.workload.in_network_reduction:
        change["workload.in_network_reduction"] = False
        notes.append(Note("no_sharp", "In-network reduction (SHARP) is dropped: Ethernet switches do not have it."))
    if links := spec.fabric.reserved.fabric_manager_links:
        change["fabric.reserved.fabric_manager_links"] = 0
        words = f"{links} links of fabric managers (UFM) are dropped: Ethernet has no subnet to manage."
        notes.append(Note("no_fabric_manager", words))
    return change, notes


def _beside(spec: DesignSpec) -> tuple[Values, list[Note]]:
    """Other networks stay what they are; lengths by device name and calibrations belong to the old network."""
    change: Values = {f"other_fabrics.{i}.generation": entry.generation for i, entry in enumerate(spec.other_fabrics)}
    notes = []
    if change:
        notes.append(Note("other_networks_kept", "Storage and management networks stay as they are."))
    kept = [length for length in spec.site.set_lengths if length.fabric != COMPUTE]
    if n_dropped := len(spec.site.set_lengths) - len(kept):
        change["site.set_lengths"] = [length.model_dump(mode="json") for length in kept]
        words = f"{n_dropped:,} lengths set manually are dropped: they name devices of the other network."
        notes.append(Note("lengths_dropped", words))
    if spec.workload.calibration:
        words = f"The calibration “{spec.workload.calibration.name}” is kept, but its logs are of the other network."
        notes.append(Note("calibration_kept", words))
    return change, notes
