"""An ibdm topology file: what ibdiagnet compares a fabric with, and the Cable Validation Tool loads.

A section a switch, with every cabled port of it: ``P62 -4x-50G-> MQM8700 leaf-001 P40``. Hosts stand only at far ends, as
``HCA_mlx5_8 node-0001 mlx5_0/P1``: a host that has NICs up to ``mlx5_7``. Port numbers run through the switch,
cage by cage; a split port is ``P5/1``, ``P5/2``. Every link between switches stands in both sections.
"""

import re
from collections.abc import Iterator

import numpy as np

from estimator.cabling.links import LinkList
from estimator.errors import Problem, SpecError
from estimator.fabric.devices import KINDS, MANAGER, NODE, SWITCH_KINDS
from estimator.fabric.sized import SizedFabric
from estimator.handoff.stamp import comments
from estimator.units import IntArray

INFINIBAND = "infiniband"
LANES = 4  # of a whole port
LANE_SPEEDS = {100: "25G", 200: "50G", 400: "100G", 800: "200G"}  # by port rate [Gb/s]
_NUMBER = re.compile(r"_(\d+)(?:/(\d+))?$")


def write(links: LinkList) -> Iterator[str]:
    """Comment lines, then a section a switch.

    Raises
    ------
    SpecError
        For an Ethernet fabric, which the tools that read this format do not know.
    """
    protocol = links.catalog.generations[links.spec.fabric.generation].protocol
    if protocol != INFINIBAND:
        message = (
            f"Topology files are for InfiniBand, and the {links.role} fabric is Ethernet. The Cable Validation Tool reads "
            "dot or xlsx-p2p for it."
        )
        raise SpecError([Problem("format", "not_for_ethernet", message)])
    return _pieces(links)


def _pieces(links: LinkList) -> Iterator[str]:
    table, devices = links.table, links.table.devices
    types, ports = _system_types(links), _port_texts(links)
    head = [f"{types[kind]} {name}" for kind in KINDS for name in devices.names[devices.of(kind)]]
    kind_of = np.repeat(np.arange(len(KINDS)), [devices.n[kind] for kind in KINDS])
    arrows, n_nodes, first_switch = _arrows(table.fabric), devices.n[NODE], devices.first[SWITCH_KINDS[0]]
    yield comments(links)
    near, link, is_lower = _listings(links)
    starts = np.searchsorted(near, np.arange(devices.first[SWITCH_KINDS[0]], len(devices) + 1))
    for number, (start, stop) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
        lines = [head[devices.first[SWITCH_KINDS[0]] + number]]
        rows, lower = link[start:stop], is_lower[start:stop]
        a = zip(table.a_device[rows].tolist(), table.a_port[rows].tolist(), [0] * len(rows), strict=True)
        b = zip(*(column[rows].tolist() for column in (table.b_device, table.b_port, table.b_lane)), strict=True)
        for low, up, stands_low in zip(a, b, lower.tolist(), strict=True):
            own, far = (low, up) if stands_low else (up, low)
            arrow = arrows[(low[0] < first_switch) + (low[0] < n_nodes)][up[2] > 0]
            lines.append(
                f"   {ports[kind_of[own[0]]][own[2]][own[1]]} {arrow} {head[far[0]]} "
                f"{ports[kind_of[far[0]]][far[2]][far[1]]}"
            )
        yield "\n".join(lines) + "\n\n"


def _arrows(fabric: SizedFabric) -> tuple[tuple[str, str], ...]:
    """Width and lane speed of a link at a whole port and at a split one: between switches, of managers, and of nodes."""
    split = max(LANES // fabric.endpoints_per_port, 1)
    of_ports = (
        fabric.uplink_rate_gbit_s,
        fabric.port_rate_gbit_s,
        fabric.endpoint_rate_gbit_s * fabric.endpoints_per_port,
    )
    speeds = [LANE_SPEEDS.get(rate, f"{rate // LANES}G") for rate in of_ports]
    return tuple((f"-{LANES}x-{speed}->", f"-{split}x-{speed}->") for speed in speeds)


def _listings(links: LinkList) -> tuple[IntArray, IntArray, IntArray]:
    """(switch, link, 1 if the switch is its lower end) of every cabled switch port, by switch, port and lane."""
    table = links.table
    row = np.arange(len(table))
    up = row[table.a_device >= table.devices.first[SWITCH_KINDS[0]]]
    near = np.concatenate([table.b_device, table.a_device[up]]).astype(np.int64)
    port = np.concatenate([table.b_port, table.a_port[up]])
    lane = np.concatenate([table.b_lane, np.zeros(len(up), table.b_lane.dtype)])
    link = np.concatenate([row, up])
    is_lower = np.concatenate([np.zeros(len(row), np.int64), np.ones(len(up), np.int64)])
    order = np.lexsort((lane, port, near))
    return near[order], link[order], is_lower[order]


def _system_types(links: LinkList) -> dict[str, str]:
    """System type of every kind of device; a custom switch has one of its own, for which ibdm needs a definition."""
    types = {kind: _host_type(links.labels[kind].ports) for kind in (NODE, MANAGER)}
    for kind in SWITCH_KINDS:
        part = links.switches[kind]
        naming = links.catalog.port_naming[part.id] if part else None
        types[kind] = (naming.topo_type if naming else None) or f"CUSTOM_{len(links.labels[kind].ports)}"
    return types


def _host_type(ports: list[str]) -> str:
    """``HCA_mlx5_8``: a host with NICs mlx5_0 to mlx5_7."""
    numbers = [_NUMBER.search(port) for port in ports]
    highest = max((int(found[1]) for found in numbers if found), default=len(ports) - 1)
    return f"HCA_mlx5_{highest + 1}"


def _port_texts(links: LinkList) -> list[list[list[str]]]:
    """Names of ports by kind of device (in order of KINDS), lane and port."""
    return [_host_ports(links, kind) if kind in (NODE, MANAGER) else _switch_ports(links, kind) for kind in KINDS]


def _host_ports(links: LinkList, kind: str) -> list[list[str]]:
    found = ((label, _NUMBER.search(label)) for label in links.labels[kind].ports)
    return [[f"{label.partition('/')[0]}/P{(number and number[2]) or 1}" for label, number in found]]


def _switch_ports(links: LinkList, kind: str) -> list[list[str]]:
    labels = links.labels[kind]
    whole = [f"P{port + 1}" for port in range(len(labels.ports))]
    return [whole, *([f"{port}/{lane}" for port in whole] for lane in range(1, len(labels.lanes)))]
