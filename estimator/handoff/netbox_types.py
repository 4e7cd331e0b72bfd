"""Device types of a fabric as YAML, a document a type, in the form of NetBox's device-type library.

Interfaces are every port that the design may cable at its port rate, the lanes of split ports, the ports and cages as
they are before a split (for breakouts of netbox_profiles.py), and the out-of-band port.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from estimator.catalog.ports import compute_network
from estimator.catalog.records import Server, Switch
from estimator.devices import KINDS, MANAGER, NODE
from estimator.handoff.stamp import comments, slug
from estimator.link_list import LinkList
from estimator.port_names import BMC_PORT, management_port

CUSTOM_MAKER = "Custom"
AIRFLOWS = {"front-to-rear": "front-to-rear", "rear-to-front": "rear-to-front", "psu-to-port": "rear-to-front",
            "port-to-psu": "front-to-rear"}  # fmt: skip
ETHERNET_TYPES = {
    ("QSFP28", 100): "100gbase-x-qsfp28", ("QSFP28", 50): "50gbase-x-sfp28", ("QSFP56", 200): "200gbase-x-qsfp56",
    ("QSFP-DD", 100): "100gbase-x-qsfpdd", ("QSFP-DD", 200): "200gbase-x-qsfpdd", ("QSFP-DD", 400): "400gbase-x-qsfpdd",
    ("QSFP112", 400): "400gbase-x-qsfp112", ("OSFP", 400): "400gbase-x-osfp", ("OSFP", 800): "800gbase-x-osfp",
    ("OSFP", 1600): "1.6tbase-x-osfp1600", ("SFP28", 25): "25gbase-x-sfp28", ("RJ45", 1): "1000base-t",
    ("RJ45", 10): "10gbase-t",
}  # fmt: skip
OTHER = "other"
MANAGEMENT_TYPE = "1000base-t"


@dataclass(frozen=True)
class DeviceType:
    """One type: what it is, and its interfaces as (name, NetBox type, whether out-of-band)."""

    manufacturer: str
    model: str
    part_number: str | None
    rack_units: int
    weight_kg: float | None
    airflow: str | None
    interfaces: dict[str, tuple[str, bool]]

    def as_yaml(self) -> str:
        """A YAML document; scalars are written as JSON, which YAML reads."""
        values: dict[str, Any] = {
            "manufacturer": self.manufacturer, "model": self.model,
            "slug": slug(f"{self.manufacturer} {self.model}", longest=100), "part_number": self.part_number,
            "u_height": self.rack_units, "is_full_depth": True, "airflow": self.airflow, "weight": self.weight_kg,
            "weight_unit": "kg" if self.weight_kg else None,
        }  # fmt: skip
        lines = [
            f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in values.items() if value is not None
        ]
        lines.append("interfaces:")
        for name, (kind, is_management) in self.interfaces.items():
            lines += [f"  - name: {json.dumps(name, ensure_ascii=False)}", f"    type: {kind}"]
            lines += ["    mgmt_only: true"] * is_management
        return "\n".join(lines) + "\n"


def write(links: LinkList) -> Iterator[str]:
    """A document a type; kinds of device that are the same part share one."""
    merged: dict[tuple[str, str], DeviceType] = {}
    for made in device_types(links).values():
        key = made.manufacturer, made.model
        if key in merged:
            merged[key].interfaces.update(made.interfaces)
        else:
            merged[key] = made
    yield comments(links, "NetBox device types: import these first, then devices, then cables.")
    for made in merged.values():
        yield "---\n" + made.as_yaml()


def device_types(links: LinkList) -> dict[str, DeviceType]:
    """The type of every kind of device that the fabric has."""
    return {kind: _device_type(links, kind) for kind in KINDS if links.table.devices.n[kind]}


def _device_type(links: LinkList, kind: str) -> DeviceType:
    interfaces = _interfaces(links, kind)
    if kind == MANAGER:
        return DeviceType(CUSTOM_MAKER, "Fabric manager server", None, 1, None, None, interfaces)
    part: Server | Switch | None = links.server if kind == NODE else links.switches[kind]
    if part is None:
        model = f"Custom {kind}, {len(links.labels[kind].ports)} ports"
        return DeviceType(CUSTOM_MAKER, model, None, 1, None, None, interfaces)
    number = part.part_numbers[0] if part.part_numbers else None
    flows = (part.airflow,) if isinstance(part, Server) else part.airflow
    airflow = AIRFLOWS.get(flows[0]) if len(flows) == 1 else None
    return DeviceType(part.vendor, part.model, number, part.rack_units, part.weight_kg, airflow, interfaces)


def _interfaces(links: LinkList, kind: str) -> dict[str, tuple[str, bool]]:
    labels, fabric = links.labels[kind], links.fabric
    lanes = len(labels.lanes) - 1
    rate = fabric.endpoint_rate_gbit_s if kind == NODE else fabric.port_rate_gbit_s
    cage, per_cage = _cage(links, kind), getattr(links.table.panels, kind)
    names = {
        name: (_type(links, cage, rate * per_cage), False) for name in labels.cage_ports if kind not in (NODE, MANAGER)
    }
    names |= {name: (_type(links, cage, rate), False) for name in labels.ports}
    for column in labels.lanes[1:]:
        names |= {name: (_type(links, cage, rate // lanes), False) for name in column}
    if kind in (NODE, MANAGER):
        return names | {BMC_PORT: (MANAGEMENT_TYPE, True)}
    out_of_band = management_port(links.switches[kind], links.catalog)
    return names | ({out_of_band: (MANAGEMENT_TYPE, True)} if out_of_band else {})


def _cage(links: LinkList, kind: str) -> str:
    """Name of the cage that the fabric's ports come out of."""
    if kind in (NODE, MANAGER):
        network = compute_network(links.server) if links.server and kind == NODE else None
        return network.cage if network else links.catalog.default_nic(links.spec.fabric.generation).ports[0].cage
    switch = links.switches[kind] or links.catalog.default_switch(links.spec.fabric.generation)
    return max(switch.cages, key=lambda cages: cages.n_cages * cages.cage_rate_gbit_s).cage


def _type(links: LinkList, cage: str, rate_gbit_s: int) -> str:
    """NetBox's interface type: the InfiniBand generation, or the cage's form at a rate of Ethernet."""
    generation = links.catalog.generations[links.spec.fabric.generation]
    if generation.protocol == "infiniband":
        return f"infiniband-{generation.id}"
    form = next((form for form, _ in ETHERNET_TYPES if cage.startswith(form)), "")
    return ETHERNET_TYPES.get((form, rate_gbit_s), OTHER)
