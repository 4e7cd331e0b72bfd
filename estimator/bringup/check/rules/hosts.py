"""Hosts: NICs, their ports, firmware, PCIe and kernel against the plan."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from estimator.bringup.check.expected import Classes, Device
from estimator.bringup.check.observation import ALL, Observation, Reading, Seen
from estimator.bringup.check.readers.hosts.limits import UNLIMITED
from estimator.bringup.check.rules.fault import Fault

KIND = "host"
ETHERNET, INFINIBAND = "Ethernet", "InfiniBand"
_DROPS = (("lossless", False),)


@dataclass(frozen=True)
class Host:
    """One file of a host beside what is expected of it."""

    reading: Reading
    device: Device
    nics: tuple[str, ...]
    """Ports of the fabric on every node."""
    classes: Classes
    rate_gbit_s: int
    is_ethernet: bool
    read_request_bytes: int
    switch_pauses: Callable[[str], bool | None]
    is_virtual: bool
    """Whether it is a virtual machine, by its PCIe devices."""
    keeps_acs: bool
    lacks_ats: bool
    """Whether the design's machines need PCIe access control."""

    def is_ours(self, place: str) -> bool:
        """Whether a NIC is in this fabric: by its name, where the file has names of the design."""
        return place in self.nics


def wrong(host: Host, setting: str, is_good: Callable[[Seen], bool]) -> list[Observation]:
    """NICs whose setting is not good, without those of other networks.

    By name where names are the design's; else none where as many as the fabric has are good, as the others are not in it.
    """
    found = list(host.reading.all(setting))
    if any(host.is_ours(one.place) for one in found):
        return [one for one in found if host.is_ours(one.place) and not is_good(one.value)]
    bad = [one for one in found if not is_good(one.value)]
    return [] if len(found) - len(bad) >= len(host.nics) else bad


def faults(host: Host) -> Iterator[Fault]:
    """All of one file."""
    if host.is_ethernet:
        yield from _classes(host)
        yield from _congestion(host)
    yield from _ports(host)
    yield from _firmware(host)
    yield from _kernel(host)


def _classes(host: Host) -> Iterator[Fault]:
    reading, classes = host.reading, host.classes
    lossless: set[int] = set()
    for trust in reading.all("trust"):
        if trust.value != "dscp":
            yield Fault("trust_not_dscp", reading, trust.line, "dscp", str(trust.value), trust.place, change=_DROPS)
    for pfc in reading.all("pfc"):
        priorities = pfc.value if isinstance(pfc.value, tuple) else ()
        lossless |= set(priorities)
        if not classes.is_lossless:
            if classes.data_priority in priorities:
                expected = f"no PFC on priority {classes.data_priority}"
                found = f"PFC on {', '.join(map(str, priorities))}"
                yield Fault("pfc_on", reading, pfc.line, expected, found, pfc.place)
            continue
        if classes.data_priority not in priorities:
            peer = host.switch_pauses(host.device.name)
            yield Fault(
                "pfc_one_side" if peer else "pfc_off",
                reading,
                pfc.line,
                f"PFC on priority {classes.data_priority}",
                f"PFC on {', '.join(map(str, priorities))}" if priorities else "PFC off",
                pfc.place,
                more="Its leaf pauses." if peer else "",
                change=_DROPS,
            )
    for paused in reading.all("global_pause"):
        if paused.value:
            yield Fault("global_pause_on", reading, paused.line, "off", "on", paused.place)
    shortest = min((port.cable_m for port in host.device.ports.values()), default=0)
    for length in reading.all("cable_m") if classes.is_lossless else ():
        own = host.device.ports.get(length.place)
        needed = own.cable_m if own else shortest
        if int(str(length.value)) < needed:
            expected, found = f"{needed} m", f"{length.value} m"
            yield Fault("headroom_small", reading, length.line, expected, found, length.place, change=_DROPS)
    yield from _maps(host, lossless)


def _maps(host: Host, lossless: set[int]) -> Iterator[Fault]:
    reading, classes = host.reading, host.classes
    for mapped in reading.all("dscp_class"):
        port, _, dscp = mapped.place.rpartition("|")
        priority = int(str(mapped.value))
        if dscp == str(classes.data_dscp) and priority != classes.data_priority and classes.is_lossless:
            is_lossy = priority not in lossless
            yield Fault(
                "data_dscp_lossy" if is_lossy else "data_priority_differs",
                reading,
                mapped.line,
                f"DSCP {dscp} in priority {classes.data_priority}",
                f"DSCP {dscp} in priority {priority}" + (", which is lossy" if is_lossy else ""),
                port,
                change=_DROPS,
            )
        if dscp == str(classes.cnp_dscp) and priority in lossless:
            shared = priority == classes.data_priority
            pfc = reading.first("pfc", port)
            line = mapped.line if shared or pfc is None else pfc.line
            found = f"DSCP {dscp} in priority {priority}, which is lossless"
            yield Fault("cnp_lossless", reading, line, f"DSCP {dscp} in a lossy strict queue", found, port)
        elif dscp == str(classes.cnp_dscp):
            queue = reading.first("class_queue", f"{port}|{priority}")
            scheduler = reading.first("scheduler", f"{port}|{queue.value}") if queue else None
            if scheduler and scheduler.value == "ets":
                found = f"queue {scheduler.place.rpartition('|')[2]} is ets"
                expected = f"DSCP {dscp} in a lossy strict queue"
                yield Fault("cnp_not_strict", reading, scheduler.line, expected, found, port, "warning")


def _congestion(host: Host) -> Iterator[Fault]:
    """Congestion control in the firmware, as mlxconfig and manifests have it."""
    reading, classes = host.reading, host.classes
    for one in wrong(host, "cnp_dscp", lambda dscp: dscp == classes.cnp_dscp):
        yield Fault("cnp_dscp_differs", reading, one.line, f"{classes.cnp_dscp}", str(one.value), one.place)
    for one in wrong(host, "cnp_priority", lambda priority: priority == classes.cnp_priority):
        yield Fault(
            "cnp_dscp_differs", reading, one.line, f"priority {classes.cnp_priority}", str(one.value), one.place
        )
    for one in wrong(host, "cc_mask", lambda mask: bool(int(str(mask)) >> classes.data_priority & 1)):
        expected = f"congestion control on priority {classes.data_priority}"
        yield Fault("dcqcn_off", reading, one.line, expected, f"mask {one.value}", one.place)
    for one in reading.all("profile"):
        name, _, profile = one.place.rpartition("|")
        if (
            profile == "roceOptimized"
            and not one.value
            and classes.is_lossless
            and not _has(reading, name, "spectrumXOptimized")
        ):
            expected = f"PFC on priority {classes.data_priority}"
            yield Fault("pfc_off", reading, one.line, expected, "roceOptimized is off", name, change=_DROPS)
        if profile == "roceOptimized" and one.value and _has(reading, name, "spectrumXOptimized"):
            found = "roceOptimized and spectrumXOptimized"
            yield Fault("profiles_exclude", reading, one.line, "one of the two", found, name)
    for one in reading.all("weight"):
        port, _, queue = one.place.rpartition("|")
        own = reading.first("class_queue", f"{port}|{classes.data_priority}")
        if own and str(own.value) == queue and one.value == 0:
            found = f"0 % for the class of priority {classes.data_priority}"
            yield Fault("ets_weight_zero", reading, one.line, "a share of the port", found, port)
    for one in reading.all("mtu"):
        if int(str(one.value)) < classes.host_mtu_bytes:
            expected, found = f"{classes.host_mtu_bytes} B", f"{one.value} B"
            change = (("mtu_bytes", int(str(one.value))),)
            yield Fault("mtu_small", reading, one.line, expected, found, one.place, change=change)


def _has(reading: Reading, name: str, profile: str) -> bool:
    found = reading.first("profile", f"{name}|{profile}")
    return bool(found and found.value)


def _ports(host: Host) -> Iterator[Fault]:
    """Ports as ibstat and ibv_devinfo print them: those of the fabric by name."""
    reading = host.reading
    layer = ETHERNET if host.is_ethernet else INFINIBAND
    for one in reading.all("link_layer"):
        if host.is_ours(one.place) and one.value != layer:
            yield Fault("link_type_wrong", reading, one.line, layer, str(one.value), one.place)
    for one in wrong(host, "link_type", lambda found: found == layer):
        yield Fault("link_type_wrong", reading, one.line, layer, str(one.value), one.place)
    for one in reading.all("state"):
        if host.is_ours(one.place) and one.value != "active":
            yield Fault(
                "link_down", reading, one.line, "active", str(one.value), one.place, change=(("failed_nics", 1),)
            )
    listed = [one for one in reading.all("state") if host.is_ours(one.place)]
    gone = [nic for nic in host.nics if nic not in {one.place for one in listed}]
    if gone and len(listed) > 1 and 2 * len(listed) >= len(host.nics):  # less is a command on some of them
        for nic in gone:
            yield Fault("link_down", reading, listed[0].line, "active", "not there", nic, change=(("failed_nics", 1),))
    for one in reading.all("rate"):
        rate = _rate_of(host, one)
        if host.is_ours(one.place) and int(str(one.value)) < rate and _is_up(reading, one.place):
            expected, found = f"{rate} Gb/s", f"{one.value} Gb/s"
            change = (("nic_gbit_s", int(str(one.value))),)
            yield Fault("port_rate_low", reading, one.line, expected, found, one.place, change=change)
    for one in reading.all("active_mtu"):
        if host.is_ours(one.place) and int(str(one.value)) < host.classes.rdma_mtu_bytes and _is_up(reading, one.place):
            expected, found = f"{host.classes.rdma_mtu_bytes} B", f"{one.value} B"
            change = (("mtu_bytes", int(str(one.value))),)
            yield Fault("mtu_small", reading, one.line, expected, found, one.place, change=change)


def _rate_of(host: Host, one: Observation) -> int:
    own = host.device.ports.get(one.place)
    return own.speed_gbit_s if own else host.rate_gbit_s


def _is_up(reading: Reading, place: str) -> bool:
    state = reading.first("state", place)
    return state is None or state.value == "active"


def _firmware(host: Host) -> Iterator[Fault]:
    reading = host.reading
    wants = host.is_virtual and not host.lacks_ats
    for one in wrong(host, "ats", lambda is_on: bool(is_on) == wants):
        if wants:
            yield Fault("ats_off", reading, one.line, "on in a virtual machine", "off", one.place, "warning")
        else:
            where = "off with this CPU" if host.lacks_ats else "off on bare metal"
            yield Fault("ats_on", reading, one.line, where, "on", one.place, "warning")
    for one in wrong(host, "max_read_request", lambda size: int(str(size)) >= host.read_request_bytes):
        expected, found = f"{host.read_request_bytes} B", f"{one.value} B"
        yield Fault("read_request_small", reading, one.line, expected, found, one.place)
    for one in wrong(host, "link_whole", bool):
        yield Fault("pcie_link_low", reading, one.line, "the rate and width of the device", "downgraded", one.place)
    for one in reading.all("profile"):
        name, _, profile = one.place.rpartition("|")
        if profile == "pciPerformanceOptimized" and not one.value:
            expected, found = f"{host.read_request_bytes} B", "the device's own"
            yield Fault("read_request_small", reading, one.line, expected, found, name)
    for one in reading.all("rdma"):
        if not one.value:
            yield Fault("rdma_off", reading, one.line, "isRdma: true", "isRdma: false", one.place)
    for one in reading.all("acs") if not host.is_virtual and not host.keeps_acs else ():
        if one.value:
            yield Fault(
                "acs_on", reading, one.line, "off on bare metal", "on", one.place, change=(("gpudirect", False),)
            )


def _kernel(host: Host) -> Iterator[Fault]:
    numa = host.reading.first("kernel.numa_balancing", ALL)
    if numa and numa.value != 0:
        yield Fault("numa_balancing_on", host.reading, numa.line, "0", str(numa.value), severity="warning")
    for limit in host.reading.all("memlock"):
        if limit.value not in UNLIMITED:
            found = f"{limit.value} kB"
            yield Fault("memlock_limited", host.reading, limit.line, "unlimited", found, limit.place)
    iommu = host.reading.first("kernel", "intel_iommu", "amd_iommu")
    passes = any(
        (one := host.reading.first("kernel", name)) is not None and one.value in values
        for name, values in PASSTHROUGH.items()
    )
    if iommu and iommu.value in ("on", "force") and not passes:
        found = f"{iommu.place}={iommu.value} alone"
        yield Fault("iommu_translates", host.reading, iommu.line, "iommu=pt beside it", found)


PASSTHROUGH = {"iommu": ("pt",), "iommu.passthrough": ("1", "y")}
