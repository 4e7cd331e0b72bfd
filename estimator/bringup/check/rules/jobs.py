"""NCCL's environment and log against the plan and the GIDs of the hosts."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from estimator.bringup.check.expected import Classes
from estimator.bringup.check.observation import ALL, Observation, Reading
from estimator.bringup.check.rules.fault import Fault
from estimator.digits import is_whole_number

KIND = "job"
FIRST_DIGITS = 6
OFF_LEVELS = ("LOC", "0")
V1 = "v1"


@dataclass(frozen=True)
class Job:
    """One environment or log beside what is expected of a job on this design."""

    reading: Reading
    classes: Classes
    nics: tuple[str, ...]
    is_ethernet: bool
    reduces: bool
    """Whether the switches of the design add (SHARP)."""
    adapts: bool
    fabric: Mapping[str, str]
    """What follows from the design's fabric, by variable."""
    gids: tuple[Reading, ...]
    """What show_gids printed: of the same host where there is one, else of all."""
    is_set_beside: bool
    """Whether another host of the same log states the traffic class, which not every process prints."""

    def value(self, name: str) -> Observation | None:
        """A variable."""
        return self.reading.first("variable", name)

    def number(self, name: str) -> tuple[int | None, Observation | None]:
        """A variable as a number."""
        found = self.value(name)
        return number_of(found), found


def number_of(found: Observation | None) -> int | None:
    """The value of a variable as NCCL reads it: decimal or with ``0x``."""
    text = "" if found is None else str(found.value)
    if re.fullmatch(r"0[xX][0-9a-fA-F]{1,8}", text):
        return int(text, 16)
    return int(text) if is_whole_number(text, FIRST_DIGITS) else None


def faults(job: Job) -> Iterator[Fault]:
    """All of one file."""
    if job.is_ethernet:
        yield from _class(job)
        yield from _gid(job)
    yield from _switched_off(job)
    yield from _nics(job)
    yield from _gpudirect(job)
    yield from _paths(job)


def _class(job: Job) -> Iterator[Fault]:
    for name in ("NCCL_IB_TC", "UCX_IB_TRAFFIC_CLASS"):
        number, found = job.number(name)
        if found and (number is None or number >> 2 != job.classes.data_dscp):
            is_dscp = "" if number is None else f", which is DSCP {number >> 2}"
            expected = f"{job.classes.tos}, which is DSCP {job.classes.data_dscp}"
            yield Fault(
                "tc_not_dscp", job.reading, found.line, expected, f"{found.value}{is_dscp}", name, change=_DROPS
            )
    networked = next((one for one in job.reading.all("variable") if one.place.startswith("NCCL_IB_")), None)
    if networked and not job.value("NCCL_IB_TC") and not job.is_set_beside:
        expected = f"{job.classes.tos}, which is DSCP {job.classes.data_dscp}"
        yield Fault(
            "tc_not_dscp", job.reading, networked.line, expected, "none, which is DSCP 0", "NCCL_IB_TC", change=_DROPS
        )


_DROPS = (("lossless", False),)


def _gid(job: Job) -> Iterator[Fault]:
    number, version = job.number("NCCL_IB_ROCE_VERSION_NUM")
    if version and number == 1:
        yield Fault("gid_of_roce_v1", job.reading, version.line, "2", "1", version.place)
    for name in ("NCCL_IB_GID_INDEX", "UCX_IB_GID_INDEX"):
        index, found = job.number(name)
        if found is None or index is None:
            continue
        known = [
            one
            for reading in job.gids
            for one in reading.all("gid_version")
            if one.place.partition("|")[0] in job.nics and one.place.rpartition("|")[2] == str(index)
        ]
        old = next((one for one in known if one.value == V1), None)
        is_old = old is not None or (not known and index in (0, 2))
        if is_old:
            how = f"{old.place.partition('|')[0]} has RoCE v1 there" if old else "RoCE v1, as the kernel numbers them"
            yield Fault(
                "gid_of_roce_v1", job.reading, found.line, "the index of RoCE v2, usually 3", f"{index}: {how}", name
            )
            continue
        local = [
            one
            for reading in job.gids
            for one in reading.all("gid_is_local")
            if one.place.partition("|")[0] in job.nics and one.place.rpartition("|")[2] == str(index)
        ]
        if any(one.value for one in local) or (not known and not job.gids and index == 1):
            found_there = f"{index}: a link-local address"
            yield Fault(
                "gid_link_local",
                job.reading,
                found.line,
                "the index of RoCE v2 over IPv4, usually 3",
                found_there,
                name,
            )
        elif job.gids and not known and index >= 0:
            yield Fault(
                "gid_missing", job.reading, found.line, "an index that NICs have", f"{index}: no NIC has it", name
            )


def _switched_off(job: Job) -> Iterator[Fault]:
    reading = job.reading
    number, found = job.number("NCCL_IB_DISABLE")
    if found and number:
        yield Fault("rdma_off", reading, found.line, "0", "1", found.place)
    net = job.value("NCCL_NET")
    if net and str(net.value).lower() == "socket":
        yield Fault("rdma_off", reading, net.line, "unset, or IB", str(net.value), net.place)
    for sockets in reading.all("over_sockets"):
        if sockets.value:
            yield Fault("rdma_off", reading, sockets.line, "NET/IB", "NET/Socket")
    collnet, found = job.number("NCCL_COLLNET_ENABLE")
    if found and collnet == 0 and job.reduces:
        yield Fault("sharp_off", reading, found.line, "1", "0", found.place, change=_NO_SHARP)
    key, found = job.number("NCCL_IB_PKEY")
    if found and key != 0:
        yield Fault(
            "pkey_wrong", reading, found.line, "0, the index of the default partition", str(found.value), found.place
        )
    adaptive, found = job.number("NCCL_IB_ADAPTIVE_ROUTING")
    if found and adaptive == 0 and job.adapts:
        change = (("load_balancing", "ecmp"),)
        yield Fault("adaptive_routing_off", reading, found.line, "1", "0", found.place, change=change)
    level, found = job.number("NCCL_IB_SL")
    if found and level != 0 and not job.is_ethernet:
        yield Fault("service_level_wrong", reading, found.line, "0", str(found.value), found.place, "warning")
    state, found = job.number("NCCL_P2P_DISABLE")
    if found and state == 1:
        yield Fault("nvlink_off", reading, found.line, "0", "1", found.place, "warning")
    state, found = job.number("NCCL_NVLS_ENABLE")
    if found and state == 0:
        change_of_switches = (("scale_up_reduction", False),)
        yield Fault(
            "nvlink_off", reading, found.line, "1, or unset", "0", found.place, "warning", change=change_of_switches
        )


_NO_SHARP = (("in_network_reduction", False),)


def _nics(job: Job) -> Iterator[Fault]:
    found = job.value("NCCL_IB_HCA")
    if found and str(found.value):
        used = [nic for nic in job.nics if _is_chosen(nic, str(found.value))]
        yield from _missing(job, used, found)
    listed = list(job.reading.all("used_nic"))
    if listed:
        names = {one.place.partition(":")[0] for one in listed}
        yield from _missing(job, [nic for nic in job.nics if nic in names], listed[0])


def _missing(job: Job, used: list[str], found: Observation) -> Iterator[Fault]:
    gone = [nic for nic in job.nics if nic not in used]
    if gone:
        named = ", ".join(gone)
        share = (("failed_nics", len(gone)),)
        expected = f"all of {','.join(job.nics)}"
        yield Fault("hca_missing_rail", job.reading, found.line, expected, f"without {named}", change=share)


def _is_chosen(nic: str, text: str) -> bool:
    """As NCCL reads NCCL_IB_HCA: ``^`` leaves out, ``=`` is the whole name, ports stand after a colon."""
    leaves_out = text.startswith("^")
    rest = text.removeprefix("^")
    is_exact = rest.startswith("=")
    names = [part.partition(":")[0].strip() for part in rest.removeprefix("=").split(",") if part.strip()]
    fits = any(nic == name if is_exact else re.match(re.escape(name), nic) is not None for name in names)
    return fits != leaves_out


def _gpudirect(job: Job) -> Iterator[Fault]:
    change = (("gpudirect", False),)
    level = job.value("NCCL_NET_GDR_LEVEL")
    if level and str(level.value).upper() in OFF_LEVELS:
        yield Fault(
            "gpudirect_off", job.reading, level.line, "unset, PHB or SYS", str(level.value), level.place, change=change
        )
    reads, found = job.number("NCCL_NET_GDR_READ")
    if found and reads == 0:
        yield Fault("gpudirect_off", job.reading, found.line, "unset, or 1", "0", found.place, "warning")
    for one in job.reading.all("gpudirect"):
        if not one.value:
            yield Fault("gpudirect_off", job.reading, one.line, "enabled", "disabled", one.place or ALL, change=change)
            return


SHORTEST_TIMEOUT = 18  # NCCL's default before 2.23; 4.096 us times 2^18 is about a second
FEWEST_CHANNELS = 8


def _paths(job: Job) -> Iterator[Fault]:
    """What keeps NCCL off paths, or gives them up too soon."""
    reading = job.reading
    for name, wanted in job.fabric.items():
        found = job.value(name)
        if name == "NCCL_CROSS_NIC" and found and wanted == "0" and str(found.value) != wanted:
            yield Fault("cross_nic_wrong", reading, found.line, wanted, str(found.value), name)
    number, found = job.number("NCCL_PXN_DISABLE")
    if found and number == 1:
        yield Fault("pxn_off", reading, found.line, "0, or unset", "1", found.place, "warning")
    number, found = job.number("NCCL_IB_TIMEOUT")
    if found and number is not None and number < SHORTEST_TIMEOUT:
        yield Fault("timeout_short", reading, found.line, "20, or unset", str(number), found.place, "warning")
    number, found = job.number("NCCL_IB_RETRY_CNT")
    if found and number == 0:
        yield Fault("timeout_short", reading, found.line, "7, or unset", "0", found.place, "warning")
    for name in ("NCCL_MAX_NCHANNELS", "NCCL_MAX_CTAS", "NCCL_MAX_NRINGS"):
        number, found = job.number(name)
        if found and number is not None and 0 < number < FEWEST_CHANNELS:
            yield Fault("channels_few", reading, found.line, "unset", str(number), name, "warning")
    found = job.value("NCCL_SOCKET_IFNAME")
    if found and str(found.value).lstrip("=") in ("lo", "docker0"):
        yield Fault("bootstrap_wrong", reading, found.line, "the in-band interface", str(found.value), found.place)


def dscp_of(reading: Reading) -> int | None:
    """DSCP of the packets of a job; None where its environment does not say."""
    number = number_of(reading.first("variable", "NCCL_IB_TC"))
    return None if number is None else number >> 2 & 63
