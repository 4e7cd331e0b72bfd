"""Switches of the networks beside the compute fabric: each against the plan of its own network.

A storage network that carries RDMA is checked as the fabric is; of the others ports and addresses are, as they have no classes.
Nothing of them has a cost, as the performance model is of the compute fabric.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

from estimator.bringup.check.expected import Expected
from estimator.bringup.check.observation import Reading
from estimator.bringup.check.rules import addresses, switches
from estimator.bringup.check.rules.fault import Fault
from estimator.bringup.networks.other import OtherPlan
from estimator.bringup.plan.plan import Plan
from estimator.bringup.plan.systems import SYSTEMS


@dataclass(frozen=True)
class Network:
    """One network with the configurations of its switches."""

    plan: OtherPlan
    expected: Expected
    readings: list[Reading]

    def has(self, name: str) -> bool:
        """Whether a switch of this name is one of its own; its hosts may be switches of other networks."""
        return self.expected.index(name) in self._switches

    @cached_property
    def _switches(self) -> set[int]:
        return set(self.plan.wired.switches)

    def faults(self) -> Iterator[Fault]:
        """All of them, without a cost."""
        found = chain.from_iterable(self._of(reading) for reading in self.readings)
        for fault in chain(found, addresses.faults(self.readings, self.expected)):
            yield replace(fault, change=())

    def _of(self, reading: Reading) -> Iterator[Fault]:
        classes = self.expected.classes(reading.kind)
        switch = switches.Switch(
            reading=reading,
            device=self.expected.switch(reading.device, reading.kind),
            classes=replace(classes, host_mtu_bytes=int(self.plan.fact("host_mtu_bytes").value)),
            rate_gbit_s=0,  # of a device that the network does not have, which none here is
            balances=False,
            is_balanced_elsewhere=False,
            trims=self.plan.has_classes and self.expected.trims(reading.device, reading.kind),
            peer_pauses=_nobody_knows,
        )
        return switches.faults(switch) if self.plan.has_classes else switches.faults_of_ports(switch)


def _nobody_knows(_device: str, _towards: str) -> None:
    """Whether the other end pauses: hosts of these networks are not read."""


def parted(
    readings: Sequence[Reading], expected: Expected, plans_of: Callable[[Plan], list[OtherPlan]]
) -> tuple[list[Reading], list[Network]]:
    """Readings of the compute fabric, by the names that the design has, and the other networks with theirs.

    ``plans_of`` makes the plans of the other networks; it is called where a switch is none of the fabric's.
    """
    networks: list[Network] = []
    if any(reading.kind in SYSTEMS and expected.index(reading.device) is None for reading in readings):
        made = plans_of(expected.plan) if expected.plan.links.spec.other_fabrics else []
        networks = [Network(one, Expected(one, None), []) for one in made if one.is_ethernet]  # others have no files
    own: list[Reading] = []
    for reading in readings:
        known = _known(reading, expected, networks if reading.kind in SYSTEMS else [])
        named, network = known or (reading.device, None)
        (own if network is None else network.readings).append(replace(reading, device=named))
    return own, networks


def _known(reading: Reading, expected: Expected, networks: Sequence[Network]) -> tuple[str, Network | None] | None:
    """The first of a reading's names that a device has, and its network, None for the fabric.

    Its own name goes before those of its file and folders: ``storage-leaf-001`` is no ``leaf-001``.
    """
    for name in (reading.device, *reading.also):
        if expected.index(name) is not None:
            return name, None
        found = next((network for network in networks if network.has(name)), None)
        if found:
            return name, found
    return None
