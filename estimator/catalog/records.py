"""Catalog records: frozen, one class for each kind of row. Rates are one direction in Gb/s; powers are watts."""

from typing import NamedTuple

from estimator.ranges import Range


class Source(NamedTuple):
    """Where a figure comes from; ``access`` says whether the page itself was read."""

    id: str
    title: str
    url: str | None
    date: str | None
    access: str


class OpenQuestion(NamedTuple):
    """What sources leave open about a part; ``matters`` is ``"order"`` where what is bought depends on it."""

    record_id: str
    matters: str
    question: str
    source: str
    as_of: str


class SwitchCage(NamedTuple):
    """A group of like cages of a switch at their native rate."""

    position: int
    n_cages: int
    cage: str
    cage_classes: tuple[str, ...]
    cage_rate_gbit_s: int
    lanes: int
    links_per_cage: int
    link_rate_gbit_s: int
    top: str | None


class Breakout(NamedTuple):
    """Another way to use the cages: more links a cage at a lower rate, up to ``max_ports`` a box."""

    name: str
    links_per_cage: int
    link_rate_gbit_s: int
    max_ports: int
    note: str | None


class AuxPort(NamedTuple):
    """Ports beside the fabric's, such as one for the fabric manager."""

    name: str
    n_cages: int
    cage: str
    rate_gbit_s: int | None
    purpose: str | None


GENERIC = "Generic"  # stands for any vendor


def maker_of(vendor: str) -> str:
    """A vendor's name without what it belongs to: "NVIDIA (Mellanox)" → "NVIDIA"."""
    return vendor.split(" (")[0]


class Switch(NamedTuple):
    """A switch box; ``radix`` is ports of one switch in it at native rate, ``switch_units`` how many it holds."""

    id: str
    vendor: str
    model: str
    part_numbers: tuple[str, ...]
    generation: str
    protocol: str
    status: str
    form: str
    managed: bool
    roles: tuple[str, ...]
    asic: str
    n_asics: int
    bandwidth_gbit_s: int
    radix: int
    switch_units: int
    max_ports: int
    rack_units: int
    weight_kg: float | None
    weight_basis: str | None
    airflow: tuple[str, ...]
    cooling: str
    psu_count: int | None
    psu_rating_w: int | None
    psu_inlet: str | None
    typical_no_optics_w: float
    max_w: float
    max_optic_cage_w: float
    power_basis: str
    latency_ns: int | None
    note: str | None
    cages: tuple[SwitchCage, ...] = ()
    breakouts: tuple[Breakout, ...] = ()
    aux_ports: tuple[AuxPort, ...] = ()


class NicPort(NamedTuple):
    """A group of like cages of a NIC."""

    position: int
    n_cages: int
    cage: str
    cage_classes: tuple[str, ...]
    cage_rate_gbit_s: int
    top: str | None


class NicMode(NamedTuple):
    """What a NIC is as a protocol: so many ports of a rate. NICs without rows are what their cages carry."""

    protocol: str
    n_ports: int
    port_rate_gbit_s: int
    basis: str
    source: str
    as_of: str
    note: str | None


class Nic(NamedTuple):
    """A NIC, SuperNIC or DPU; ``total_rate_gbit_s`` is the sum over its ports."""

    id: str
    vendor: str
    model: str
    part_numbers: tuple[str, ...]
    generation: str
    protocols: tuple[str, ...]
    status: str
    total_rate_gbit_s: int
    pcie_gen: int
    pcie_lanes: int
    pcie_extension: str | None
    form_factor: str
    is_dpu: bool
    typical_no_optics_w: float
    max_w: float
    power_basis: str
    note: str | None
    ports: tuple[NicPort, ...] = ()
    modes: tuple[NicMode, ...] = ()


class Gpu(NamedTuple):
    """An accelerator; TFLOPS are dense, ``scale_up_both_ways_gb_s`` counts both directions."""

    id: str
    vendor: str
    model: str
    architecture: str
    form_factor: str
    status: str
    released: str | None
    bf16_dense_tflops: float
    fp8_dense_tflops: float | None
    fp4_dense_tflops: float | None
    achievable_bf16_tflops: float | None
    achievable_fp8_tflops: float | None
    memory_gb: float
    memory_type: str
    memory_tb_s: float
    scale_up_link: str
    scale_up_both_ways_gb_s: float
    scale_up_topology: str
    scale_up_domain_gpus: int
    pcie_gen: int
    tdp_w: float
    default_scale_out_gbit_s: int
    cooling: str
    note: str | None


class ServerNetwork(NamedTuple):
    """One network of a server: NICs, their ports, and the cages in which the ports come out."""

    position: int
    role: str
    nic_id: str | None
    n_nics: int
    ports_per_nic: int
    port_rate_gbit_s: int
    cage: str
    cage_classes: tuple[str, ...]
    n_cages: int
    top: str | None
    nic_included: bool
    shares_nic_with: str | None

    @property
    def n_ports(self) -> int:
        """Ports a node has on this network."""
        return self.n_nics * self.ports_per_nic


class Server(NamedTuple):
    """A server or tray; power is at the supply input, NICs included, external transceivers not."""

    id: str
    vendor: str
    model: str
    part_numbers: tuple[str, ...]
    role: str
    status: str
    gpu_id: str | None
    gpu_count: int
    scale_up_domain_gpus: int
    rack_units: int
    weight_kg: float | None
    weight_basis: str | None
    cpu: str
    memory_gb: int
    typical_w: float
    max_w: float
    power_basis: str
    psu_count: int | None
    psu_rating_w: int | None
    cooling: str
    liquid_heat_share: float
    airflow: str
    per_rack: int | None
    note: str | None
    networks: tuple[ServerNetwork, ...] = ()

    @property
    def node_word(self) -> str:
        """What one of them is called: a tray where it comes in a rack, else a server."""
        return "tray" if self.role == "gpu_tray" else "server"


class Cable(NamedTuple):
    """A cable, transceiver or fibre. A transceiver has no b end; it needs ``connectors_per_module`` fibre connections."""

    id: str
    vendor: str
    part_numbers: tuple[str, ...]
    description: str
    kind: str
    optic: str | None
    protocols: tuple[str, ...]
    generation: str
    status: str
    aggregate_gbit_s: int | None
    a_connector: str
    a_class: str
    a_count: int
    a_rate_gbit_s: int | None
    a_top: str | None
    b_connector: str | None
    b_class: str | None
    b_count: int | None
    b_rate_gbit_s: int | None
    b_top: str | None
    lengths_m: tuple[float, ...]
    reach_min_m: float
    reach_max_m: float
    reach_om3_m: float | None
    medium: str
    fiber_grade: str | None
    fiber_connector: str | None
    connectors_per_module: int | None
    fibers_per_connector: int | None
    polish: str | None
    matching_fiber_ids: tuple[str, ...]
    a_power_w: float
    b_power_w: float | None
    power_basis: str
    latency_ns_per_m: float
    note: str | None

    @property
    def name(self) -> str:
        """Vendor and what it is, as bills of materials print it."""
        return f"{self.vendor} {self.description}"


class Economic(NamedTuple):
    """An economic parameter with its range, in ``unit``; failure rates carry the events they were counted from.

    ``request_key`` is the key below a request's ``economics`` that replaces it, or None.
    """

    id: str
    category: str
    label: str
    unit: str
    low: float
    typical: float
    high: float
    request_key: str | None
    basis: str
    source: str
    as_of: str
    events: int | None
    event_units: int | None
    event_days: int | None
    note: str | None

    @property
    def ends(self) -> Range[float]:
        """Low, typical and high."""
        return Range(self.low, self.typical, self.high)


class Generation(NamedTuple):
    """What a fabric generation means: protocol, port rate, and the switch and NIC taken when none is named."""

    id: str
    label: str
    protocol: str
    port_rate_gbit_s: int
    standard: str
    default_switch: str
    default_nic: str
    note: str


class RateStep(NamedTuple):
    """A step in the rates of a family: what one port carries over how many lanes, since when, or that it is announced."""

    id: str
    family: str
    name: str
    generation: str | None
    port_rate_gbit_s: int
    lanes: int
    lane_gbit_s: int
    signalling: str | None
    since: int | None
    status: str
    switch_id: str | None
    source: str
    as_of: str
    basis: str
    note: str


class DefaultLength(NamedTuple):
    """Cable length of a tier when the site says nothing."""

    tier: str
    length_m: float
    basis: str
    source: str
    as_of: str
    note: str | None


class FloorDefault(NamedTuple):
    """A figure of racks, rows or cable routes when the site's floor plan says nothing."""

    name: str
    value: float
    unit: str
    basis: str
    source: str
    as_of: str
    note: str | None


class FabricDefault(NamedTuple):
    """A figure of storage and management networks when the request says nothing."""

    name: str
    value: int
    unit: str
    basis: str
    source: str
    as_of: str
    note: str | None


class PcieLimit(NamedTuple):
    """What a host interface carries, one direction."""

    pcie_gen: int
    pcie_lanes: int
    usable_gbit_s: int
    basis: str
    source: str
    as_of: str


class DiagnosisConstant(NamedTuple):
    """A threshold or a score by which faults are found in logs; ``name`` is the fault and the figure, with a dot between."""

    name: str
    value: float
    unit: str
    basis: str
    source: str
    evidence: str
    as_of: str


class ModelConstant(NamedTuple):
    """A constant of the performance model with its range and evidence; ``index`` is a generation, fabric or empty."""

    name: str
    index: str | None  # type: ignore[assignment]  # in place of tuple.index
    value: float
    low: float
    high: float
    unit: str
    basis: str
    source: str | None
    evidence: str | None
    as_of: str


class PortNaming(NamedTuple):
    """How the system of a switch names its ports; line cards only where the box has them."""

    switch_id: str
    style: str
    system: str
    cages_per_card: int | None
    first_card: int | None
    management_port: str | None
    topo_type: str | None
    basis: str
    source: str
    as_of: str
    note: str | None


class VendorUnit(NamedTuple):
    """Nodes of one set of leaves in a vendor's published design of a server's network."""

    server_id: str
    generation: str
    planes: int
    unit_nodes: int
    owner: str
    basis: str
    source: str
    as_of: str
    note: str | None


class RdmaName(NamedTuple):
    """RDMA device names of a vendor's NICs: the prefix before the number."""

    vendor: str
    prefix: str
    basis: str
    source: str
    as_of: str
    note: str | None


class ServerPort(NamedTuple):
    """A compute port of a server: its rail, RDMA device, and the cage (and port of the cage) that brings it out."""

    rail: int
    name: str
    cage: str | None
    cage_port: int | None
    basis: str
    source: str
    as_of: str
    note: str | None
