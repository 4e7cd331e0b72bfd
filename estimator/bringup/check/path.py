"""One packet of the data class, followed from device to device over the links of the design."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from estimator.bringup.check.expected import Expected
from estimator.bringup.check.observation import Observation, Reading
from estimator.bringup.check.result import Hop
from estimator.bringup.check.rules.switches import Switch

MOST_HOPS = 2_000


@dataclass(frozen=True)
class Ends:
    """What the files say of flow control: switches by name, and readings of NICs by node."""

    switches: Mapping[str, Switch]
    hosts: Mapping[str, Reading]

    def pauses(self, device: str, towards: str, priority: int) -> bool | None:
        """Whether a device pauses a priority at its ports that lead to another; None where nobody knows."""
        found: list[Observation | None] = []
        if device in self.switches:
            switch = self.switches[device]
            found = [switch.at("pfc", port.name) for port in switch.ports if port.peer == towards]
        elif device in self.hosts:
            found = list(self.hosts[device].all("pfc"))
        said = [priority in one.value for one in found if one and isinstance(one.value, tuple)]
        return all(said) if said else None

    def priority(self, device: str, dscp: int) -> int | None:
        """Priority of a DSCP on a device; None where nobody knows."""
        if device in self.switches:
            return self.switches[device].priority_of(dscp)[0]
        if device in self.hosts:
            found = next(
                (one for one in self.hosts[device].all("dscp_class") if one.place.rpartition("|")[2] == str(dscp)), None
            )
            return int(str(found.value)) if found else None
        return None


def hops(ends: Ends, expected: Expected, dscp: int) -> Iterator[Hop]:
    """A hop for every pair of joined devices of which one was uploaded: both where there are such, else one neighbour."""
    seen: set[frozenset[str]] = set()
    for device in (*ends.hosts, *ends.switches):
        for peer in _peers(device, ends, expected):
            pair = frozenset((device, peer))
            if pair not in seen and len(seen) < MOST_HOPS:
                seen.add(pair)
                yield _hop(ends, device, peer, dscp)


def _peers(device: str, ends: Ends, expected: Expected) -> list[str]:
    ports = ends.switches[device].ports if device in ends.switches else expected.host(device).ports.values()
    peers = list(dict.fromkeys(port.peer for port in ports if port.peer))
    return [peer for peer in peers if peer in ends.switches or peer in ends.hosts] or peers[:1]


def _hop(ends: Ends, a: str, b: str, dscp: int) -> Hop:
    """Where one end is known to be lossy the hop is; where one is not known and the other pauses, nobody knows."""
    here, there = ends.priority(a, dscp), ends.priority(b, dscp)
    priority = here if here is not None else there
    pauses = [None if priority is None else ends.pauses(*way, priority) for way in ((a, b), (b, a))]
    if here is not None and there is not None and here != there:
        pauses.append(False)
    lossless = False if False in pauses else None if None in pauses else True
    return Hop(from_=a, to=b, dscp=dscp, priority=priority, lossless=lossless)
