"""Headroom of a group of ports: the formula that its silicon has, with inputs and result in words."""

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from math import ceil
from typing import NamedTuple

from estimator.bringup.plan.facts import TRUST_ORDER, chosen
from estimator.bringup.plan.headroom import Silicon, mlx5e_xoff_bytes, sonic_headroom
from estimator.bringup.plan.value import Trust, Value, worked_out
from estimator.catalog.records import Switch

SONIC_SOURCE = "sonic-net/sonic-swss, cfgmgr/buffer_headroom_mellanox.lua, commit 18913fa35726"
LANES_OF_800 = 8
NVIDIA = "NVIDIA"


class Headroom(NamedTuple):
    """What a group of ports keeps free, and how that is known. None where no pause is sent."""

    xoff_bytes: int | None
    xon_bytes: int | None
    size_bytes: int | None
    cable_m: int
    """The longest cable, rounded up to whole metres, as systems take it."""
    formula: str
    source: str
    trust: Trust
    why: str

    def value(self, key: str, figure: int | None) -> Value:
        """One of the figures as a value with its source."""
        shown = 0 if figure is None else figure
        return worked_out(key, shown, f"{self.source}: {self.formula}", self.why, "B").but(trust=self.trust)


def switch_headroom(cable_m: float, speed_gbit_s: int, part: Switch | None, holds: Mapping[str, str]) -> Headroom:
    """Headroom of ports of a switch; ``holds`` says what facts about it depend on."""
    return _switch_headroom(ceil(cable_m), speed_gbit_s, lanes_of(part, speed_gbit_s), tuple(sorted(holds.items())))


@cache
def _switch_headroom(cable_m: int, speed_gbit_s: int, lanes: int, holds: tuple[tuple[str, str], ...]) -> Headroom:
    at = dict(holds)
    cell, pipeline, delay = (
        chosen(f"asic.{name}", **at) for name in ("cell_bytes", "pipeline_latency_kib", "mac_phy_delay_kib")
    )
    mtu, packet = chosen("mtu.switch_bytes", **at), chosen("lossless.packet_bytes", **at)
    small = chosen("lossless.small_packet_percent", **at)
    silicon = Silicon(int(cell.value), Fraction(str(pipeline.value)), Fraction(str(delay.value)))
    room = sonic_headroom(
        silicon, cable_m, speed_gbit_s, int(mtu.value), int(packet.value), int(small.value), lanes=lanes
    )
    inputs = (cell, pipeline, delay)
    least = max((one.trust for one in inputs), key=TRUST_ORDER.index)
    known = "; ".join(dict.fromkeys(f"{one.key.removeprefix('asic.')} {one.value}: {one.source}" for one in inputs))
    why = (
        f"{cable_m} m, {speed_gbit_s} Gb/s, MTU {mtu.value} B, packets of {packet.value} B, {small.value} % small, "
        f"{lanes} lanes; {known}"
    )
    return Headroom(
        room.xoff_bytes, room.xon_bytes, room.size_bytes, cable_m, "sonic-mellanox", SONIC_SOURCE, least, why
    )


@cache
def nic_headroom(cable_m: float, speed_gbit_s: int, vendor: str | None = NVIDIA) -> Headroom:
    """What a NIC keeps in its receive buffer; a ConnectX's driver works it out from the length that it is given."""
    length = ceil(cable_m)
    if vendor != NVIDIA:
        why = f"What NICs of {vendor or 'a vendor that is not known'} keep was not found"
        return Headroom(None, None, None, length, "not published", "Assumption", "own", why)
    formula, mtu = chosen("nic.headroom_formula"), int(chosen("mtu.host_bytes").value)
    xoff = mlx5e_xoff_bytes(length, speed_gbit_s, mtu)
    why = f"{length} m, {speed_gbit_s} Gb/s, MTU {mtu} B"
    return Headroom(xoff, None, None, length, str(formula.value), formula.source, formula.trust, why)


def lanes_of(part: Switch | None, speed_gbit_s: int) -> int:
    """Electrical lanes of a port at a rate."""
    for cages in part.cages if part else ():
        if cages.link_rate_gbit_s == speed_gbit_s:
            return cages.lanes // cages.links_per_cage
    if part and part.cages:
        biggest = max(part.cages, key=lambda cages: cages.cage_rate_gbit_s)
        return max(biggest.lanes * speed_gbit_s // biggest.cage_rate_gbit_s, 1)
    return LANES_OF_800 if speed_gbit_s >= 800 else LANES_OF_800 // 2
