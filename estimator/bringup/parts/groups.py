"""Groups of ports of all switches as columns: what each leads to, at which rate, how many there are, the longest cable.

A switch of a hundred thousand GPUs' fabric has sixty ports, and there are thousands of them: groups are made from the link
table, and the plan is asked for one switch of each kind of group alone.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from estimator.bringup.parts.part import part_of
from estimator.bringup.plan.answer import answered
from estimator.bringup.plan.plan import Group, Plan, port_group_of
from estimator.bringup.plan.records import BringupPlan, PortGroup
from estimator.bringup.plan.systems import labels_under, usual_system
from estimator.fabric.devices import KINDS, LEAF
from estimator.units import Column, FloatArray, IntArray


@dataclass(frozen=True)
class PortGroups:
    """Groups in order of switch and of their first port. Columns have shape (n_groups,).

    ``towards`` is an index of KINDS, ``longest_m`` the longest cable of a group, ``metres`` the same rounded up, as systems
    take it. ``like`` is the first group that needs the same headroom: of the same kind of switch, at the same rate, towards
    the same kind of device, as long.
    """

    plan: Plan
    device: IntArray
    towards: IntArray
    rate_gbit_s: IntArray
    n_ports: IntArray
    longest_m: FloatArray
    ports: tuple[IntArray, IntArray, IntArray]
    """(start of each group, port, lane) of all ports, group after group; starts have one entry more."""

    def __len__(self) -> int:
        return len(self.device)

    @cached_property
    def kinds(self) -> IntArray:
        """Kind of each group's switch, as an index of KINDS."""
        return _kinds(self.plan, self.device)

    @cached_property
    def metres(self) -> IntArray:
        return np.ceil(self.longest_m).astype(np.int64)

    @cached_property
    def like(self) -> IntArray:
        keys = np.stack([self.kinds, self.towards, self.rate_gbit_s, self.metres])
        _, first, inverse = np.unique(keys, axis=1, return_index=True, return_inverse=True)
        return np.asarray(first[inverse.reshape(-1)], dtype=np.int64)

    @cached_property
    def firsts(self) -> list[int]:
        """One group of each kind of group, in order."""
        return sorted({int(one) for one in self.like})

    @cached_property
    def planned(self) -> dict[int, Group]:
        """The plan's group of each of ``firsts``."""
        plan, out = self.plan, {}
        for index in self.firsts:
            device = int(self.device[index])
            part = plan.links.switches[plan.wired.kind(device)]
            (switch,) = plan.switches(usual_system(part), [device])
            at = (self.towards_of(index), int(self.rate_gbit_s[index]))
            out[index] = next(one for one in switch.groups if (one.towards, one.speed_gbit_s) == at)
        return out

    def towards_of(self, index: int) -> str:
        """Kind of device that a group leads to."""
        return KINDS[int(self.towards[index])]

    def port_names(self, index: int) -> list[str]:
        """Names of a group's ports under the system that the switch usually runs."""
        kind = self.plan.wired.kind(int(self.device[index]))
        labels = self._labels[kind]
        start, ports, lanes = self.ports
        own = slice(int(start[index]), int(start[index + 1]))
        return [labels[lane][port] for port, lane in zip(ports[own].tolist(), lanes[own].tolist(), strict=True)]

    @cached_property
    def _labels(self) -> dict[str, list[list[str]]]:
        """Names by kind of switch, lane and port."""
        links = self.plan.links
        return {kind: labels_under(links, usual_system(part))[kind].lanes for kind, part in links.switches.items()}

    def answers(self, indexes: Iterable[int] | None = None) -> Iterator[PortGroup]:
        """Groups as the plan answers them; of all switches, or some by index."""
        for index in range(len(self)) if indexes is None else indexes:
            yield port_group_of(
                self.plan.wired.name(int(self.device[index])),
                self.port_names(index),
                self.towards_of(index),
                int(self.rate_gbit_s[index]),
                float(self.longest_m[index]),
                self.planned[int(self.like[index])].headroom,
            )


def port_groups(plan: Plan) -> PortGroups:
    """The groups of all switches."""
    table, length = plan.links.table, plan.links.cabling.length_m
    none = np.zeros(len(table), dtype=np.int64)
    ends = (
        (table.a_device, table.b_device),
        (table.a_port, table.b_port),
        (none, table.b_lane),
        (table.b_device, table.a_device),
        (table.rate_gbit_s, table.rate_gbit_s),
    )
    device, port, lane, peer, rate = (np.concatenate(pair) for pair in ends)
    metres = np.concatenate([length, length])
    rows = np.flatnonzero(device >= table.devices.first[LEAF])
    rows = rows[np.lexsort((lane[rows], port[rows], device[rows]))]
    towards = _kinds(plan, peer[rows])
    keys = np.stack([device[rows], towards, rate[rows]]).astype(np.int64)
    _, first, group = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))  # in order of their first port
    group = rank[group.reshape(-1)]
    order = np.argsort(group, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(group, minlength=len(first)))])
    by_group = rows[order]
    one = by_group[starts[:-1]]
    return PortGroups(
        plan,
        device=device[one].astype(np.int64),
        towards=_kinds(plan, peer[one]),
        rate_gbit_s=rate[one].astype(np.int64),
        n_ports=np.diff(starts),
        longest_m=np.maximum.reduceat(metres[by_group], starts[:-1]) if len(one) else metres[:0],
        ports=(starts, port[by_group].astype(np.int64), lane[by_group].astype(np.int64)),
    )


def answer_of(plan: Plan, targets: list[str], groups: PortGroups | None = None) -> BringupPlan:
    """The typed plan, as ``answered`` makes it, of which the plan is asked for a few switches alone.

    Parameters
    ----------
    targets : names of those that the design has.
    """
    found = groups or port_groups(plan)
    few = part_of(plan, {int(found.device[index]) for index in found.firsts})
    return answered(few, targets).but(ports=list(found.answers()))


def _kinds(plan: Plan, devices: Column) -> IntArray:
    """Kind of each device, as an index of KINDS."""
    starts = [plan.links.table.devices.first[kind] for kind in KINDS]
    return np.asarray(np.searchsorted(starts, devices, side="right") - 1, dtype=np.int64)
