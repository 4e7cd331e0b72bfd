"""What a reader wants of a plan at once: headroom by kind of group, and everything but the ports of each switch."""

from dataclasses import dataclass

import numpy as np

from estimator.bringup.parts.groups import PortGroups, port_groups
from estimator.bringup.parts.part import part_of
from estimator.bringup.plan.answer import answered
from estimator.bringup.plan.plan import Plan
from estimator.bringup.plan.records import BringupPlan
from estimator.bringup.plan.value import Trust, Value


@dataclass(frozen=True)
class HeadroomRow:
    """Groups of ports that need the same headroom: of one kind of switch, towards one kind of device, at a rate and length."""

    switches: str
    towards: str
    speed_gbit_s: int
    cable_m: int
    """The longest cable, rounded up."""
    n_switches: int
    n_ports: int
    first: str
    """Name of the first switch."""
    headroom_bytes: int | None
    size_bytes: int | None
    formula: str
    source: str
    trust: Trust
    why: str


@dataclass(frozen=True)
class Overview:
    """A plan without the ports of each switch (``plan.ports`` is empty), and rows that stand for them."""

    plan: BringupPlan
    n_switches: int
    headroom: list[HeadroomRow]

    def values_of(self, *starts: str) -> list[Value]:
        """Values whose keys begin so."""
        return [one for one in self.plan.values if one.key.startswith(starts)]


def overview(plan: Plan, targets: list[str], groups: PortGroups | None = None) -> Overview:
    """The overview of a plan.

    Parameters
    ----------
    targets : names of those that the design has.
    """
    found = groups or port_groups(plan)
    few = part_of(plan, {int(found.device[index]) for index in found.firsts})
    return Overview(answered(few, targets).but(ports=[]), len(plan.wired.switches), _rows(found))


def _rows(groups: PortGroups) -> list[HeadroomRow]:
    """One for each kind of group, by kind of switch, device and rate, the longest cable first."""
    out = []
    for index in groups.firsts:
        alike = np.flatnonzero(groups.like == index)
        room = groups.planned[index].headroom
        device = int(groups.device[index])
        out.append(
            HeadroomRow(
                switches=groups.plan.wired.kind(device),
                towards=groups.towards_of(index),
                speed_gbit_s=int(groups.rate_gbit_s[index]),
                cable_m=int(groups.metres[index]),
                n_switches=len(np.unique(groups.device[alike])),
                n_ports=int(groups.n_ports[alike].sum()),
                first=groups.plan.wired.name(device),
                headroom_bytes=room.xoff_bytes,
                size_bytes=room.size_bytes,
                formula=room.formula,
                source=room.source,
                trust=room.trust,
                why=room.why,
            )
        )
    order = {kind: number for number, kind in enumerate(groups.plan.links.switches)}
    return sorted(out, key=lambda row: (order[row.switches], row.towards, row.speed_gbit_s, -row.cable_m))
