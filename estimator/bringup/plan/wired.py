"""Every switch of a fabric with its ports: what each leads to, at which rate, over how long a cable."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from estimator.cabling.links import LinkList
from estimator.fabric.devices import LEAF, MANAGER, NODE
from estimator.units import Column, IntArray


class Port(NamedTuple):
    """One port that has a cable. ``link`` counts from 0 over the whole list; ``is_lower`` says that the peer is above."""

    port: int
    lane: int
    peer: int
    peer_port: int
    peer_lane: int
    tier: int
    rail: int
    rate_gbit_s: int
    length_m: float
    link: int
    is_lower: bool


@dataclass(frozen=True)
class Wired:
    """Ports by device, in order of port: both ends of every link, sorted once."""

    links: LinkList

    @cached_property
    def _columns(self) -> dict[str, Column]:
        table, cabling = self.links.table, self.links.cabling
        n = len(table)
        no_lane = np.zeros(n, dtype=np.int64)
        both = {
            "device": (table.a_device, table.b_device),
            "port": (table.a_port, table.b_port),
            "lane": (no_lane, table.b_lane),
            "peer": (table.b_device, table.a_device),
            "peer_port": (table.b_port, table.a_port),
            "peer_lane": (table.b_lane, no_lane),
            "tier": (table.tier, table.tier),
            "rail": (table.rail, table.rail),
            "rate_gbit_s": (table.rate_gbit_s, table.rate_gbit_s),
            "length_m": (cabling.length_m, cabling.length_m),
            "link": (np.arange(n), np.arange(n)),
            "is_lower": (np.ones(n, dtype=bool), np.zeros(n, dtype=bool)),
        }
        columns = {name: np.concatenate(ends) for name, ends in both.items()}
        order = np.lexsort((columns["lane"], columns["port"], columns["device"]))
        return {name: column[order] for name, column in columns.items()}

    @cached_property
    def _starts(self) -> IntArray:
        n_devices = len(self.links.table.devices)
        return np.asarray(np.searchsorted(self._columns["device"], np.arange(n_devices + 1)), dtype=np.int64)

    def ports(self, device: int) -> Iterator[Port]:
        """Ports of a device."""
        rows = slice(int(self._starts[device]), int(self._starts[device + 1]))
        return map(Port._make, zip(*(self._columns[name][rows].tolist() for name in Port._fields), strict=True))

    @property
    def switches(self) -> range:
        """Indexes of all switches: leaves, spines, cores."""
        devices = self.links.table.devices
        return range(devices.first[LEAF], len(devices))

    @property
    def nodes(self) -> range:
        """Indexes of all nodes."""
        devices = self.links.table.devices
        return range(devices.first[NODE], devices.first[MANAGER])

    def name(self, device: int) -> str:
        """Name of a device."""
        return self.links.table.devices.names[device]

    def kind(self, device: int) -> str:
        """Kind of a device: node, manager, leaf, spine, core."""
        return self.links.table.devices.kind(device)
