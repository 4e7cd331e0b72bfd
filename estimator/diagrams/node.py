"""The inside of a server as far as the catalog knows it: processors, GPUs, what joins them, NICs, and their ports.

The catalog holds how many of each there are and what joins the GPUs. Which GPU shares a PCIe switch with which NIC, and
which socket both hang on, it does not hold: those are drawn in order, and ``assumed`` says so.
"""

import re
from dataclasses import dataclass

from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import COMPUTE, network_of
from estimator.catalog.records import Gpu, Nic, Server
from estimator.diagrams.ports import Port
from estimator.spec.design import DesignSpec
from estimator.units import ceil_div

SWITCH, IN_NIC, CPU = "switch", "nic", "cpu"  # what a GPU and its NIC meet in


@dataclass(frozen=True)
class Adapter:
    """One NIC with its ports; ``gpus`` are those beside it, by number from 0, ``cpu`` its socket."""

    number: int
    ports: tuple[Port, ...]
    gpus: tuple[int, ...]
    cpu: int


@dataclass(frozen=True)
class OtherPorts:
    """Ports of a server on a network that the picture is not of."""

    role: str
    n_ports: int
    rate_gbit_s: int
    adapter: str | None


@dataclass(frozen=True)
class ServerInside:
    """What is in one server; names are None where the catalog knows none."""

    server: str | None
    n_gpus: int
    gpu: str | None
    scale_up: str | None
    scale_up_gb_s: float | None
    scale_up_group: int
    domain_gpus: int
    cpu: str | None
    n_cpus: int
    adapters: tuple[Adapter, ...]
    adapter: str | None
    pcie: str | None
    meeting: str
    others: tuple[OtherPorts, ...]
    assumed: tuple[str, ...]


def inside_of(spec: DesignSpec, ports: tuple[Port, ...], catalog: Catalog) -> ServerInside:
    """The inside of the design's server, with the links of one of them at its ports."""
    compute = spec.compute
    server = catalog.server(compute.server)
    gpu = catalog.gpus.get(compute.gpu) if compute.gpu else None
    network = network_of(server, COMPUTE) if server else None
    nic = catalog.nics[network.nic_id] if network and network.nic_id else None
    n_gpus = compute.gpus_per_node or 0
    cpu, n_cpus, cpu_words = _cpus(server, n_gpus)
    meeting, meeting_words = _meeting(gpu, nic, server)
    n_nics = max(min(compute.nics_per_node or 1, len(ports) or 1), 1)
    return ServerInside(
        server=f"{server.vendor} {server.model}" if server else None,
        n_gpus=n_gpus,
        gpu=gpu.model if gpu else None,
        scale_up=_scale_up(gpu),
        scale_up_gb_s=float(gpu.scale_up_both_ways_gb_s) if gpu and gpu.scale_up_both_ways_gb_s else None,
        scale_up_group=_group(gpu, n_gpus),
        domain_gpus=compute.scale_up_domain_gpus or n_gpus,
        cpu=cpu,
        n_cpus=n_cpus,
        adapters=_adapters(ports, n_nics, n_gpus, n_cpus),
        adapter=nic.model if nic else None,
        pcie=f"PCIe {nic.pcie_gen}.0 ×{nic.pcie_lanes}" if nic else None,
        meeting=meeting,
        others=_others(server),
        assumed=tuple(word for word in (*cpu_words, *meeting_words) if word),
    )


def _adapters(ports: tuple[Port, ...], n_nics: int, n_gpus: int, n_cpus: int) -> tuple[Adapter, ...]:
    """Ports shared out over NICs in order, GPUs over NICs, NICs over sockets."""
    each = int(ceil_div(max(len(ports), 1), n_nics))
    out = []
    for number in range(n_nics):
        own = ports[number * each : (number + 1) * each]
        gpus = tuple(gpu for gpu in range(n_gpus) if gpu * n_nics // max(n_gpus, 1) == number)
        out.append(Adapter(number, own, gpus, number * n_cpus // n_nics))
    return tuple(out)


def _cpus(server: Server | None, n_gpus: int) -> tuple[str | None, int, list[str]]:
    """(name, how many, what is assumed)."""
    found = re.fullmatch(r"(\d+)x (.+)", server.cpu) if server else None
    if found:
        n = int(found[1])
        words = "Which GPUs and NICs hang on which processor is not in the catalog: they are shared out in order."
        return found[2], n, [words] if n > 1 else []
    n = 2 if n_gpus > 4 else 1
    reported = f"{n} processors are" if n > 1 else "One processor is"
    return None, n, [f"{reported} assumed: the catalog does not know this server’s."]


def _meeting(gpu: Gpu | None, nic: Nic | None, server: Server | None) -> tuple[str, list[str]]:
    """Where a GPU and its NIC meet, and what is assumed about it."""
    if gpu and "superchip" in gpu.form_factor.lower():
        return CPU, ["That NICs hang on the processor beside their GPUs is assumed."]
    if nic and nic.pcie_extension and "integrated PCIe switch" in nic.pcie_extension:
        return IN_NIC, ["That each GPU is on the PCIe switch of the NIC of its number is assumed."]
    if server and server.networks and nic is None and gpu:
        return IN_NIC, ["That accelerators have their network ports in order is assumed."]
    return SWITCH, ["PCIe switches are not in the catalog: one for each NIC and its GPUs is assumed."]


def _scale_up(gpu: Gpu | None) -> str | None:
    if gpu is None or not gpu.scale_up_both_ways_gb_s:
        return None
    return f"{gpu.scale_up_topology}, {gpu.scale_up_link}"


def _group(gpu: Gpu | None, n_gpus: int) -> int:
    """GPUs of one bar: those of a bridge, else all of the server."""
    if gpu is None or not gpu.scale_up_both_ways_gb_s:
        return 0
    return min(gpu.scale_up_domain_gpus, n_gpus) if "bridge" in gpu.scale_up_topology.lower() else n_gpus


def _others(server: Server | None) -> tuple[OtherPorts, ...]:
    if server is None:
        return ()
    return tuple(
        OtherPorts(one.role, one.n_ports, one.port_rate_gbit_s, one.nic_id)
        for one in server.networks
        if one.role != COMPUTE
    )
