"""Systems → bandwidths: what links, NICs, hosts and the fabric leave to one collective. Columns over variants, B/s.

docs/model.md, "Bandwidths": links inside the scale-up domain, then the network as NICs, PCIe and host path allow it, then
what oversubscription and load balancing leave of that for each pattern of traffic.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from estimator.catalog.constants import DEFAULT, ModelConstants
from estimator.performance.library import GROUPED_BEFORE, UNKNOWN, index_at, library_number
from estimator.performance.shares import PATH_MTUS, balance_share, header_share, of_worst_leaf
from estimator.record import Json
from estimator.units import GIGA, BoolArray, FloatArray, IntArray, ceil_div, gbit_s_to_byte_s, parse_ratio, us_to_s

Code = TypeVar("Code", str, int)

LIMITS = (
    "launch and latency",
    "pipeline fill",
    "NVLink",
    "NVLink reduction",
    "Infinity Fabric",
    "scale-up links",
    "PCIe",
    "NIC",
    "loss without flow control",
    "leaf oversubscription",
    "spine oversubscription",
    "load balancing",
    "rack network channels",
    "in-network reduction",
    "channels of a pair",
    "one GPU: nothing to exchange",
)
(
    LATENCY,
    FILL,
    NVLINK,
    NVLINK_REDUCTION,
    INFINITY_FABRIC,
    SCALE_UP,
    PCIE,
    NIC,
    LOSS,
    LEAF,
    SPINE,
    BALANCING,
    RACK,
    IN_NETWORK,
    CHANNELS,
    ALONE,
) = range(len(LIMITS))
ANY_NUMBER = 2**31
ONE_PROCESS = "single-process"  # a launch: the host loops over the GPUs of a node
FRAMEWORK = "framework"  # a launch: a process per GPU, whose every collective goes through PyTorch
EVERYBODY = 0.0  # pattern of traffic: each domain sends alike to all others
MESHES = ("full mesh", "all-to-all on baseboard")  # topologies with a link from each GPU to each other one
SYSTEM_DEFAULTS: Json = {
    "in_network_reduction": False,
    "scale_up_reduction": True,
    "oversubscription": "1:1",
    "nodes_per_leaf": 32,
    "spine_oversubscription": "1:1",
    "nodes_per_pod": ANY_NUMBER,
    "last_pod_from": ANY_NUMBER,
    "last_pod_nodes": ANY_NUMBER,
    "last_pod_oversubscription": "1:1",
    "placement": "ordered",
    "load_balancing": "adaptive",
    "gpudirect": True,
    "pxn": True,
    "planes": 1,
    "flows_per_nic": 1,
    "uplink_gbit_s": None,  # as a NIC's port
    "mtu_bytes": 4096,
    "nics_per_pcie_root": 1,
    "remote_nics": False,
    "lossless": True,
    "failed_nics": 0,
    "failed_uplinks": 0.0,
    "stack": None,  # unknown: floors of sites differ, and the band says by how much
    "small_message_us": None,
    "small_message_gpus": None,
    "library": None,
}


class GpuFacts(NamedTuple):
    """What the model takes from the catalog's record of a GPU."""

    generation: str
    link_byte_s: float  # scale-up links of one GPU, one direction
    link_limit: int  # index into LIMITS
    link_reach_gpus: int  # GPUs that links can join: a bridge joins what it was made for, a switch or a mesh any number
    mesh_gpus: int  # GPUs in a full mesh, whose links to absent GPUs lie idle; 1 where links are switched
    domain_gpus: int  # the catalog's scale-up domain
    has_switch_reduction: bool  # switches that add, and a library that uses them
    is_superchip: bool  # NICs hang on the CPU side, so the GPU's own PCIe link is not in the way
    pcie_index: str  # which row of pcie_x16
    pcie_byte_s: float
    default_nic_gbit_s: float


def gpu_facts(record: Any, constants: ModelConstants) -> GpuFacts:
    """The catalog's record of a GPU → the facts used here."""
    topology, link = record.scale_up_topology.lower(), record.scale_up_link.lower()
    one_way_byte_s = record.scale_up_both_ways_gb_s * GIGA / 2
    generation = constants.generation(record.architecture) if one_way_byte_s else DEFAULT
    reach = 1 if not one_way_byte_s else record.scale_up_domain_gpus if "bridge" in topology else ANY_NUMBER
    return GpuFacts(
        generation=generation,
        link_byte_s=one_way_byte_s,
        link_limit=NVLINK if "nvlink" in link else INFINITY_FABRIC if "infinity" in link else SCALE_UP,
        link_reach_gpus=reach,
        mesh_gpus=record.scale_up_domain_gpus if topology.startswith(MESHES) else 1,
        domain_gpus=max(record.scale_up_domain_gpus, 1),
        has_switch_reduction="nv" in topology and "switch" in topology and constants.has("nvls_efficiency", generation),
        is_superchip="superchip" in record.form_factor.lower(),
        pcie_index=f"gen{record.pcie_gen}",
        pcie_byte_s=constants.value("pcie_x16", f"gen{record.pcie_gen}"),
        default_nic_gbit_s=float(record.default_scale_out_gbit_s),
    )


def complete_system(system: Json, facts: GpuFacts) -> Json:
    """``system`` with every default filled in, in the units of the request."""
    done = SYSTEM_DEFAULTS | {key: value for key, value in system.items() if value is not None}
    done.setdefault("gpus_per_node", 4 if facts.is_superchip else 8)
    done.setdefault("scale_up_domain_gpus", facts.domain_gpus)
    done.setdefault("nics_per_node", done["gpus_per_node"])
    done.setdefault("nic_gbit_s", facts.default_nic_gbit_s)
    done.setdefault("fabric", "infiniband")
    return done


def small_message_of(system: Json) -> tuple[float, int]:
    """(measured time of a short message [s], GPUs that it was measured on) of a complete system; not a number if unknown.

    Without a number of GPUs it is that of one domain.
    """
    measured_us = system["small_message_us"]
    ranks = int(system["small_message_gpus"] or max(int(system["scale_up_domain_gpus"]), 2))
    return float("nan") if measured_us is None else us_to_s(float(measured_us)), ranks


@dataclass(frozen=True, slots=True)
class SystemColumns:
    """Systems as columns; every array has shape (n_variants,), or that of the index it was taken at."""

    generations: tuple[str, ...]  # what generation_code indexes
    fabrics: tuple[str, ...]
    labels: tuple[frozenset[str], ...]  # indices of constants that are this variant's own
    libraries: tuple[int, ...]  # versions as numbers, what library_code indexes
    slots: tuple[str, ...]  # indices of pcie_x16, what slot_code indexes
    generation_code: IntArray
    fabric_code: IntArray
    library_code: IntArray
    slot_code: IntArray
    gpus_per_node: IntArray
    domain_gpus: IntArray
    nics_per_node: FloatArray
    nic_byte_s: FloatArray
    pcie_byte_s: FloatArray
    link_byte_s: FloatArray
    link_limit: IntArray
    link_reach_gpus: IntArray
    mesh_gpus: IntArray
    is_superchip: BoolArray
    has_scale_up_reduction: BoolArray
    has_in_network_reduction: BoolArray
    has_gpudirect: BoolArray
    oversubscription: FloatArray
    nodes_per_leaf: FloatArray
    spine_oversubscription: FloatArray
    nodes_per_pod: FloatArray
    last_pod_from: FloatArray  # nodes before a last pod that is smaller than the others
    last_pod_nodes: FloatArray
    last_pod_oversubscription: FloatArray  # its nodes over its links to the core
    is_random: BoolArray
    has_pxn: BoolArray
    header_share: FloatArray  # payload rate ÷ that at a path MTU of 4096, which efficiencies hold
    nics_per_pcie_root: FloatArray
    has_remote_nics: BoolArray
    is_lossless: BoolArray
    failed_nics: FloatArray  # of the worst node
    failed_uplinks: FloatArray  # share of the worst leaf's
    balance_share: FloatArray  # share of their rate that uplinks carry before the hottest is full
    small_message_s: FloatArray  # as measured on small_message_ranks; not a number where it was not
    small_message_ranks: IntArray
    stack_factor: FloatArray  # of a stack that is known by its floors; not a number where none is

    def take(self, index: IntArray) -> "SystemColumns":
        """The columns at ``index``: (n_variants,) → index.shape."""
        return replace(
            self,
            **{
                f.name: getattr(self, f.name)[index]
                for f in fields(self)
                if f.name not in ("generations", "fabrics", "labels", "libraries", "slots")
            },
        )

    def with_slots(self, constants: ModelConstants) -> "SystemColumns":
        """The columns with the rates of x16 slots that these constants have."""
        return replace(self, pcie_byte_s=constants.column("pcie_x16", self.slots)[self.slot_code])

    @property
    def library(self) -> IntArray:
        """Version of the collective library as a number; UNKNOWN where nothing says it."""
        return np.array(self.libraries, dtype=np.int64)[self.library_code]

    @property
    def has_known_floor(self) -> BoolArray:
        """True where a measured time or a stack says what short messages take."""
        return np.isfinite(self.small_message_s) | np.isfinite(self.stack_factor)

    @property
    def nics_per_domain(self) -> FloatArray:
        """NICs of one scale-up domain: it owns those of its GPUs, so half a node has half of them."""
        return self.nics_per_node * self.domain_gpus / self.gpus_per_node

    @property
    def is_as_measured(self) -> BoolArray:
        """Nothing about the network that no published run has: faults, loss, small packets, shared or remote slots."""
        faults = (self.failed_nics > 0) | (self.failed_uplinks > 0) | ~self.is_lossless | self.has_remote_nics
        return ~faults & (self.header_share == 1.0) & (self.nics_per_pcie_root == 1)

    def constant(self, constants: ModelConstants, name: str, of: str = "") -> FloatArray:
        """A constant kept by GPU generation (and before that by what ``of`` says), as a column."""
        start = f"{of}." if of else ""
        return constants.column(name, [start + generation for generation in self.generations])[self.generation_code]

    def by_library(self, constants: ModelConstants, name: str, of: str) -> FloatArray:
        """A constant that versions of the library have changed, kept by ``of``; the newest where the version is unknown."""
        indices = constants.indices(name)
        return constants.column(name, [index_at(indices, of, number) for number in self.libraries])[self.library_code]

    def by_generation_and_library(self, constants: ModelConstants, name: str, otherwise: float) -> FloatArray:
        """The same kept by GPU generation; ``otherwise`` for a generation without a row."""
        indices = constants.indices(name)
        table = np.array(
            [
                [constants.get(name, index_at(indices, generation, number), otherwise) for number in self.libraries]
                for generation in self.generations
            ]
        )
        return table[self.generation_code, self.library_code]

    def launch_share(self, constants: ModelConstants, of: str) -> FloatArray:
        """Launch of one collective over an all-reduce's by launch, collective and generation, 1 where no row says so."""
        shares = [constants.get("launch_share", f"{of}.{generation}", 1.0) for generation in self.generations]
        return np.array(shares)[self.generation_code]

    def network_constant(self, constants: ModelConstants, name: str, of: str = "") -> FloatArray:
        """A constant kept by fabric, or by fabric and generation (and before that by ``of``), as a column."""
        start = f"{of}." if of else ""
        table = np.array(
            [
                [constants.value(name, f"{start}{fabric}.{generation}") for generation in self.generations]
                for fabric in self.fabrics
            ]
        )
        return table[self.fabric_code, self.generation_code]


def _codes(values: Sequence[Code]) -> tuple[tuple[Code, ...], IntArray]:
    names = tuple(dict.fromkeys(values))
    code = {name: i for i, name in enumerate(names)}
    return names, np.array([code[value] for value in values], dtype=np.int64)


def system_columns(systems: Sequence[Json], catalog: Any, constants: ModelConstants) -> SystemColumns:
    """Requests' systems (keys may be left out) → columns, one entry a system. The GPU must be in the catalog."""
    facts_of = {gpu: gpu_facts(catalog.gpus[gpu], constants) for gpu in {system["gpu"] for system in systems}}
    facts = [facts_of[system["gpu"]] for system in systems]
    full = [complete_system(system, fact) for system, fact in zip(systems, facts, strict=True)]
    ratios = [float(parse_ratio(system["oversubscription"])) for system in full]
    generations, generation_code = _codes([fact.generation for fact in facts])
    fabrics, fabric_code = _codes([system["fabric"] for system in full])
    libraries, library_code = _codes([library_number(system["library"]) for system in full])
    slots, slot_code = _codes([fact.pcie_index for fact in facts])

    def integers(key: str) -> IntArray:
        return np.array([system[key] for system in full], dtype=np.int64)

    def flags(key: str) -> BoolArray:
        return np.array([bool(system[key]) for system in full])

    floors = [small_message_of(system) for system in full]

    def of_gpu(name: str) -> Any:
        return np.array([getattr(fact, name) for fact in facts])

    return SystemColumns(
        generations=generations,
        fabrics=fabrics,
        labels=tuple(
            frozenset((fact.generation, system["fabric"], system["load_balancing"], fact.pcie_index))
            for fact, system in zip(facts, full, strict=True)
        ),
        libraries=libraries,
        slots=slots,
        generation_code=generation_code,
        fabric_code=fabric_code,
        library_code=library_code,
        slot_code=slot_code,
        gpus_per_node=integers("gpus_per_node"),
        domain_gpus=integers("scale_up_domain_gpus"),
        nics_per_node=integers("nics_per_node").astype(np.float64),
        nic_byte_s=gbit_s_to_byte_s(np.array([float(system["nic_gbit_s"]) for system in full])),
        pcie_byte_s=of_gpu("pcie_byte_s"),
        link_byte_s=of_gpu("link_byte_s"),
        link_limit=of_gpu("link_limit"),
        link_reach_gpus=of_gpu("link_reach_gpus"),
        mesh_gpus=of_gpu("mesh_gpus"),
        is_superchip=of_gpu("is_superchip"),
        has_scale_up_reduction=flags("scale_up_reduction") & of_gpu("has_switch_reduction"),
        has_in_network_reduction=flags("in_network_reduction"),
        has_gpudirect=flags("gpudirect"),
        oversubscription=np.array(ratios),
        nodes_per_leaf=integers("nodes_per_leaf").astype(np.float64),
        spine_oversubscription=np.array([float(parse_ratio(system["spine_oversubscription"])) for system in full]),
        nodes_per_pod=integers("nodes_per_pod").astype(np.float64),
        last_pod_from=integers("last_pod_from").astype(np.float64),
        last_pod_nodes=integers("last_pod_nodes").astype(np.float64),
        last_pod_oversubscription=np.array(
            [float(parse_ratio(system["last_pod_oversubscription"])) for system in full]
        ),
        is_random=np.array([system["placement"] == "random" for system in full]),
        has_pxn=flags("pxn"),
        header_share=np.array([header_share(system["fabric"], system["mtu_bytes"], constants) for system in full]),
        nics_per_pcie_root=integers("nics_per_pcie_root").astype(np.float64),
        has_remote_nics=flags("remote_nics"),
        is_lossless=flags("lossless") | np.array([system["fabric"] != "roce" for system in full]),
        failed_nics=integers("failed_nics").astype(np.float64),
        failed_uplinks=np.array([float(system["failed_uplinks"]) for system in full]),
        balance_share=np.array(
            [balance_share(system, ratio, constants) for system, ratio in zip(full, ratios, strict=True)]
        ),
        small_message_s=np.array([time_s for time_s, _ in floors]),
        small_message_ranks=np.array([ranks for _, ranks in floors], dtype=np.int64),
        stack_factor=np.array(
            [constants.value("stack_factor", system["stack"]) if system["stack"] else np.nan for system in full]
        ),
    )


def domain_ring_bandwidth(columns: SystemColumns, domain_ranks: IntArray, constants: ModelConstants) -> tuple[Any, Any]:
    """Ring bandwidth inside one domain [B/s], and what limits it: beyond the reach of the links, or without any, PCIe."""
    links = columns.link_byte_s * columns.constant(constants, "ring_efficiency")
    links = links * np.minimum(1.0, (domain_ranks - 1) / np.maximum(columns.mesh_gpus - 1, 1))
    over_pcie = domain_ranks > columns.link_reach_gpus
    by_pcie = columns.pcie_byte_s * constants.value("pcie_ring_efficiency")
    return np.where(over_pcie, by_pcie, links), np.where(over_pcie, PCIE, columns.link_limit)


def host_network_bandwidth(
    columns: SystemColumns, constants: ModelConstants, *, in_pairs: bool = False
) -> tuple[FloatArray, IntArray]:
    """What the NICs and hosts of one domain send and receive at once [B/s], and its limit; the fabric is not yet in it.

    Each NIC: its rate, or its x16 slot. Each GPU: its own x16 link, as no other path leads from it to the NICs, unless the
    NICs hang on the CPU of a superchip. A domain of several nodes: the channels that rings and trees open between racks;
    ``in_pairs`` each GPU sends by its own NIC, and none hold it up.
    """
    slot = columns.pcie_byte_s / columns.nics_per_pcie_root
    slot = np.where(columns.has_remote_nics, np.minimum(slot, constants.value("remote_nic_rate")), slot)
    nic = np.minimum(columns.nic_byte_s, slot)
    working = np.maximum(columns.nics_per_domain - columns.failed_nics, 0.0)  # the slowest domain holds up all
    nics = working * nic
    gpus = np.where(columns.is_superchip, np.inf, columns.domain_gpus * columns.pcie_byte_s)
    limit = np.where((nic < columns.nic_byte_s) | (gpus < nics), PCIE, NIC)
    staged = np.where(
        columns.is_superchip,
        constants.value("no_gpudirect_share", "superchip"),
        constants.value("no_gpudirect_share", "host"),
    )
    rate = np.minimum(nics, gpus) * np.where(columns.has_gpudirect, 1.0, staged)
    rate = rate * columns.network_constant(constants, "network_efficiency") * columns.header_share
    has_channels = (columns.domain_gpus > columns.gpus_per_node) & (not in_pairs)
    rack = np.where(has_channels, constants.value("rack_network_cap"), np.inf)
    limit = np.where(rack < rate, RACK, limit)
    calm, congested = loss_shares(columns, constants)
    return np.minimum(rate, rack) * np.sqrt(calm * congested), np.where(columns.is_lossless, limit, LOSS)


def loss_shares(columns: SystemColumns, constants: ModelConstants) -> tuple[FloatArray, FloatArray]:
    """Goodput ÷ rate of Ethernet that drops packets: (calm, congested); 1 where nothing is dropped.

    Go-back-N sends again what was in flight: 1/(1 + p·W), W packets a round trip. A point between the two means little:
    predictions say the range.
    """
    packets = columns.nic_byte_s * constants.value("loaded_round_trip") / PATH_MTUS[-1]
    calm, congested = (1.0 / (1.0 + constants.value("drop_rate", name) * packets) for name in ("calm", "congested"))
    return np.where(columns.is_lossless, 1.0, calm), np.where(columns.is_lossless, 1.0, congested)


def uplink_bandwidth(
    columns: SystemColumns, n_domains: IntArray, domain_crossings: float, constants: ModelConstants
) -> tuple[FloatArray, IntArray]:
    """Rate at which one domain can send a pattern, as leaf and spine uplinks allow it [B/s], and what limits that.

    A leaf's uplinks have the rate of its nodes' NICs ÷ oversubscription, less what balancing loses; a pod's, over its
    spines, that ÷ the spine oversubscription. A job under one leaf, or in one pod, sends none up: its rate is infinite. Of a
    smaller last pod more of the bytes leave, by fewer links.
    """
    nics = columns.nics_per_domain * columns.nic_byte_s * columns.network_constant(constants, "network_efficiency")
    leaf = columns.oversubscription * _crossing(columns, columns.nodes_per_leaf, n_domains, domain_crossings)
    pod = columns.oversubscription * columns.spine_oversubscription
    pod = pod * _crossing(columns, columns.nodes_per_pod, n_domains, domain_crossings)
    pod = np.maximum(pod, _last_pod(columns, n_domains, domain_crossings))
    load = np.maximum(leaf / np.maximum(1.0 - columns.failed_uplinks, 1e-9), pod)
    nics = nics * columns.header_share
    rate = np.where(load > 0, nics * columns.balance_share / np.where(load > 0, load, 1.0), np.inf)
    return rate, np.where(load <= 1.0, BALANCING, np.where(pod > leaf, SPINE, LEAF))


def _last_pod(columns: SystemColumns, n_domains: IntArray, domain_crossings: float) -> FloatArray:
    """Load of the links to the core of a smaller last pod, of jobs that reach it, over their rate."""
    nodes = n_domains * columns.domain_gpus / columns.gpus_per_node - columns.last_pod_from
    reach = nodes > 0
    if not reach.any():
        return np.zeros(n_domains.shape)
    nodes = np.clip(nodes, 1.0, columns.last_pod_nodes)
    crossing = _crossing(columns, nodes, n_domains, domain_crossings)
    return np.where(reach, columns.last_pod_oversubscription * nodes / columns.last_pod_nodes * crossing, 0.0)


def _crossing(
    columns: SystemColumns, nodes_below: FloatArray, n_domains: IntArray, domain_crossings: float
) -> FloatArray:
    """Share of a pattern's bytes that leaves the ``nodes_below`` under one leaf, or in one pod.

    ``domain_crossings`` is how many times a ring (1) or a tree (2) of ordered ranks does; with L domains below, that over L
    of the bytes go up. Random placement, and EVERYBODY in any: all but (L − 1)/(k − 1). Where NICs are on rails and no
    GPU passes on what is meant for another rail (PXN), what changes rails goes up as well: (g − 1)/g.
    """
    below = np.maximum(nodes_below * columns.gpus_per_node / columns.domain_gpus, 1.0)
    ordered = np.minimum(1.0, domain_crossings / below)
    spread = np.maximum(1.0 - (below - 1.0) / np.maximum(n_domains - 1, 1), 0.0)
    if domain_crossings == EVERYBODY:
        changes_rail = (columns.domain_gpus - 1) / columns.domain_gpus
        share = np.where(columns.has_pxn, spread, np.maximum(spread, changes_rail))
    else:
        share = np.where(columns.is_random, of_worst_leaf(below, n_domains, spread), ordered)
    return np.where(n_domains > below, share, 0.0)


class Paths(NamedTuple):
    """Bandwidths and latencies that several algorithms and collectives share; arrays of shape (n_points,).

    Over the network a bandwidth is that of hosts and uplinks, beside what limits it: of rings, of trees, and of GPUs that
    send in pairs, each by its own NIC, to the next one or to all others.
    """

    ring_domain_byte_s: FloatArray
    domain_limit: IntArray
    ring: tuple[FloatArray, IntArray]
    tree: tuple[FloatArray, IntArray]
    next_pair: tuple[FloatArray, IntArray]
    all_pairs: tuple[FloatArray, IntArray]
    network_extra_s: FloatArray  # added to each step over the network


def _paths(columns: SystemColumns, n_domains: IntArray, domain_ranks: IntArray, constants: ModelConstants) -> Paths:
    inside, domain_limit = domain_ring_bandwidth(columns, domain_ranks, constants)
    hosts, pairs = (host_network_bandwidth(columns, constants, in_pairs=in_pairs) for in_pairs in (False, True))
    once, twice, everybody = (
        uplink_bandwidth(columns, n_domains, crossings, constants) for crossings in (1.0, 2.0, EVERYBODY)
    )
    extra = columns.network_constant(constants, "fabric_latency")
    extra = extra + np.where(columns.has_gpudirect, 0.0, constants.value("no_gpudirect_latency"))
    over_network = slower(hosts, once), slower(hosts, twice), slower(pairs, once), slower(pairs, everybody)
    return Paths(inside, domain_limit, *over_network, extra)


@dataclass(frozen=True, slots=True)
class Points:
    """Systems with GPU counts; every array has shape (n_points,)."""

    columns: SystemColumns
    n_ranks: IntArray
    n_domains: IntArray
    domain_ranks: IntArray
    launch: str
    launch_s: FloatArray  # before the device starts; of old libraries with the loop of one process over its GPUs
    host_s: FloatArray  # of one process that launches on each of its GPUs in turn, beside the kernels; 0 elsewhere
    paths: Paths


def points_of(columns: SystemColumns, n_ranks: IntArray, launch: str, constants: ModelConstants) -> Points:
    """Points from columns already repeated once a GPU count."""
    n_domains, domain_ranks = ceil_div(n_ranks, columns.domain_gpus), np.minimum(n_ranks, columns.domain_gpus)
    launch_s = np.full(n_ranks.shape, constants.value("launch", launch))
    host_s = np.zeros_like(launch_s)
    if launch == FRAMEWORK:
        host_s, launch_s = launch_s, np.full(n_ranks.shape, constants.value("launch", "graph"))
    elif launch == ONE_PROCESS:
        in_turn = np.minimum(n_ranks, columns.gpus_per_node)
        host_s = launch_s + constants.value("launch_per_gpu", launch) * in_turn
        launch_s = np.full(n_ranks.shape, constants.value("launch", "graph"))
        is_grouped = (columns.library != UNKNOWN) & (columns.library < GROUPED_BEFORE)
        if is_grouped.any():
            launch_s = launch_s + np.where(is_grouped, constants.value("launch_per_gpu", "grouped") * in_turn, 0.0)
            host_s = np.where(is_grouped, 0.0, host_s)
    paths = _paths(columns, n_domains, domain_ranks, constants)
    return Points(columns, n_ranks, n_domains, domain_ranks, launch, launch_s, host_s, paths)


def slower(first: tuple[Any, Any], second: tuple[Any, Any]) -> tuple[Any, Any]:
    """The lower of two (bandwidth, limit) pairs, point by point."""
    return np.minimum(first[0], second[0]), np.where(second[0] < first[0], second[1], first[1])
