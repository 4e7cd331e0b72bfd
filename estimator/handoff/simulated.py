"""A fabric as network simulators see it: GPUs and switches numbered from 0, and one link between any two of them.

ns-3 backends keep one interface for each pair of neighbours, so that of several parallel links all but the last would stay
idle: they are one link of their summed rate here. docs/handoff.md, "Simulators", has what else is simplified.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from estimator.cabling.links import LOWER_KINDS, UPPER_KINDS, LinkList
from estimator.catalog.constants import ModelConstants
from estimator.fabric.devices import KINDS, LEAF, NODE, SWITCH_KINDS
from estimator.fabric.topology import FABRIC_MANAGER, NODE_LEAF
from estimator.units import BITS_PER_BYTE, GIGA, FloatArray, IntArray, ceil_div

NS = 1e-9
BLOCK_LINES = 4096


@dataclass(frozen=True)
class SimulatedLinks:
    """Links by their two ends, with rates and delays. Arrays have shape (n_links,)."""

    source: IntArray
    target: IntArray
    rate_gbit_s: FloatArray
    delay_ns: FloatArray

    def __len__(self) -> int:
        return len(self.source)

    def lines(self, error_rate: str = "0") -> Iterator[str]:
        """``source target rate delay error``, in the units of the simulators' own files."""
        for first in range(0, len(self), BLOCK_LINES):
            block = slice(first, first + BLOCK_LINES)
            columns = (self.source[block], self.target[block], self.rate_gbit_s[block], self.delay_ns[block])
            yield "".join(
                f"{source} {target} {rate:.10g}Gbps {_ms(delay)}ms {error_rate}\n"
                for source, target, rate, delay in zip(*(column.tolist() for column in columns), strict=True)
            )


@dataclass(frozen=True)
class Simulated:
    """One fabric in a simulator. Order of numbers: GPUs, scale-up switches (unless ``scale_up_last``), leaves, spines,
    cores, shared NICs."""

    links: LinkList
    scale_up_last: bool

    @cached_property
    def gpus_a_node(self) -> int:
        """GPUs of a node."""
        return self.links.spec.compute.gpus_per_node or 1

    @cached_property
    def n_gpus(self) -> int:
        """GPUs, numbered node by node."""
        return self.links.fabric.n_nodes * self.gpus_a_node

    @cached_property
    def domain_gpus(self) -> int:
        """GPUs behind one scale-up switch; 1 where there is none."""
        return min(self.links.spec.compute.scale_up_domain_gpus or 1, self.n_gpus)

    @cached_property
    def n_scale_up(self) -> int:
        """Scale-up switches: one for each domain, however many chips it has."""
        return int(ceil_div(self.n_gpus, self.domain_gpus)) if self.domain_gpus > 1 else 0

    @cached_property
    def n_shared_adapters(self) -> int:
        """Switches that stand for NICs of which each serves several GPUs."""
        ports = self.links.fabric.nic_ports_per_node
        return self.links.fabric.n_nodes * ports if ports < self.gpus_a_node else 0

    @cached_property
    def n_fabric(self) -> int:
        """Leaves, spines and cores."""
        return sum(self.links.table.devices.n[kind] for kind in SWITCH_KINDS)

    @property
    def n_switches(self) -> int:
        """Switches of the network: of the fabric, and shared NICs."""
        return self.n_fabric + self.n_shared_adapters

    @property
    def n_all(self) -> int:
        """GPUs and switches of every kind."""
        return self.n_gpus + self.n_scale_up + self.n_switches

    @property
    def first_switch(self) -> int:
        """Number of the first leaf."""
        return self.n_gpus + (0 if self.scale_up_last else self.n_scale_up)

    @property
    def first_scale_up(self) -> int:
        """Number of the first scale-up switch."""
        return self.n_gpus + (self.n_switches if self.scale_up_last else 0)

    @cached_property
    def constants(self) -> ModelConstants:
        """Figures for what the catalog does not have."""
        return ModelConstants(self.links.catalog)

    @cached_property
    def scale_up_gbit_s(self) -> float:
        """Rate of one GPU into its scale-up switch, one direction."""
        gpu = self.links.catalog.gpus.get(self.links.spec.compute.gpu or "")
        if gpu:
            return gpu.scale_up_both_ways_gb_s / 2 * BITS_PER_BYTE
        return self.constants.value("simulator_scale_up") / GIGA * BITS_PER_BYTE

    @cached_property
    def made(self) -> SimulatedLinks:
        """All links, in order of source and target."""
        parts = [self._scale_up(), self._adapters(), self._fabric()]
        source, target, rate, delay = (np.concatenate(column) for column in zip(*parts, strict=True))
        pairs, inverse = np.unique(source * self.n_all + target, return_inverse=True)
        longest = np.zeros(len(pairs))
        np.maximum.at(longest, inverse, delay)
        summed: FloatArray = np.bincount(inverse, rate, len(pairs)).astype(np.float64)
        return SimulatedLinks(pairs // self.n_all, pairs % self.n_all, summed, longest)

    @property
    def n_design_links(self) -> int:
        """Links of the design that the network's lines stand for: all but those of fabric managers."""
        return len(self.links) - self.links.fabric.links_fabric_manager

    @cached_property
    def idle(self) -> list[str]:
        """Switches of the design without any link."""
        table, devices = self.links.table, self.links.table.devices
        n_links = np.bincount(np.concatenate([table.a_device, table.b_device]), minlength=len(devices))
        return [devices.names[index] for index in np.flatnonzero(n_links == 0) if index >= devices.first[LEAF]]

    def _scale_up(self) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
        gpus = np.arange(self.n_gpus if self.n_scale_up else 0)
        delay_ns = self.constants.value("simulator_latency", "scale_up") / NS
        return (
            gpus,
            self.first_scale_up + gpus // self.domain_gpus,
            np.full(len(gpus), self.scale_up_gbit_s),
            np.full(len(gpus), delay_ns),
        )

    def _adapters(self) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
        """Links of GPUs to NICs that they share, each at the NIC's full rate: the NIC's own link limits them."""
        gpus = np.arange(self.n_gpus if self.n_shared_adapters else 0)
        node, gpu = np.divmod(gpus, self.gpus_a_node)
        ports = self.links.fabric.nic_ports_per_node
        adapters = self.first_switch + self.n_fabric + node * ports + gpu * ports // self.gpus_a_node
        rate = float(self.links.fabric.endpoint_rate_gbit_s)
        delay_ns = self.constants.value("simulator_latency", "scale_up") / NS
        return gpus, adapters, np.full(len(gpus), rate), np.full(len(gpus), delay_ns)

    def _fabric(self) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
        """Links of the design but for those of fabric managers."""
        table = self.links.table
        kept = table.tier != FABRIC_MANAGER
        of_switch = self.first_switch - table.devices.first[LEAF]
        source = table.a_device.astype(np.int64) + of_switch
        rows = table.rows(NODE_LEAF)
        node, port = table.a_device[rows].astype(np.int64), table.a_port[rows]
        ports = self.links.fabric.nic_ports_per_node
        if self.n_shared_adapters:
            source[rows] = self.first_switch + self.n_fabric + node * ports + port
        else:
            source[rows] = node * self.gpus_a_node + port.astype(np.int64) * self.gpus_a_node // ports
        target = table.b_device.astype(np.int64) + of_switch
        return source[kept], target[kept], table.rate_gbit_s[kept].astype(np.float64), self.delays_ns[kept]

    @cached_property
    def delays_ns(self) -> FloatArray:
        """Delay of every link: its cable's, and half of the latency of the switch at each end; else the simulators' own."""
        table, cabling = self.links.table, self.links.cabling
        cables = [run.choice.cable.latency_ns_per_m if run.choice else np.nan for run in self.links.plan.runs]
        half = {kind: self._half_latency_ns(kind) for kind in KINDS}
        of_tier = np.array([half[a] + half[b] for a, b in zip(LOWER_KINDS, UPPER_KINDS, strict=True)])
        delay: FloatArray = cabling.length_m * np.array(cables)[cabling.run] + of_tier[table.tier]
        return np.where(np.isnan(delay), self.constants.value("simulator_latency", "link") / NS, delay)

    def _half_latency_ns(self, kind: str) -> float:
        """Every switch on a path has two of its links, so that the path has the switch's latency once."""
        if kind not in SWITCH_KINDS:
            return 0.0
        switch = self.links.switches[kind]
        return switch.latency_ns / 2 if switch and switch.latency_ns is not None else float("nan")

    def notes(self) -> list[str]:
        """What the numbers stand for, and how far the file is the design."""
        made, devices = self.made, self.links.table.devices
        network = len(made) - (self.n_gpus if self.n_scale_up else 0) - (self.n_gpus if self.n_shared_adapters else 0)
        names = [devices.names[devices.first[kind]] for kind in SWITCH_KINDS if devices.n[kind]]
        firsts = [
            self.first_switch + devices.first[kind] - devices.first[LEAF] for kind in SWITCH_KINDS if devices.n[kind]
        ]
        out = [
            f"0 is the first GPU of {devices.names[devices.first[NODE]]}; GPUs count node by node, then port by port."
        ]
        out += [f"{number} is {name}; the others follow in order." for number, name in zip(firsts, names, strict=True)]
        if self.n_scale_up:
            out.append(
                f"{self.first_scale_up} is the first scale-up switch: one for {self.domain_gpus} GPUs, not its chips."
            )
        if self.n_shared_adapters:
            out.append(
                f"{self.first_switch + self.n_fabric} is the first NIC, a switch here, as several GPUs share it."
            )
        out.append(
            f"{network} lines are {self.n_design_links} links of the design: parallel links are one line of their sum."
        )
        rates = ", ".join(f"{rate * GIGA:.0f}" for rate in np.unique(made.rate_gbit_s))
        out.append(f"KMAX_MAP, KMIN_MAP and PMAX_MAP of the simulator's configuration need the rates {rates}.")
        out += [f"Idle, without a link in the design: {', '.join(self.idle)}."] * bool(self.idle)
        return out


def _ms(delay_ns: float) -> str:
    """Nanoseconds as milliseconds, to a tenth of a nanosecond."""
    return f"{delay_ns / 1e6:.7f}".rstrip("0").rstrip(".")
