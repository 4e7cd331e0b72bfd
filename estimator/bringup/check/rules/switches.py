"""Switches: ports, flow control, classes and marking against the plan."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from estimator.bringup.check.expected import Classes, Device, Port
from estimator.bringup.check.observation import ALL, Observation, Reading
from estimator.bringup.check.rules.fault import Fault

FAR = 10  # times beyond the published thresholds: sources themselves are that far apart
STRICT = ("strict", "strict-high", "strict-priority")


@dataclass(frozen=True)
class Switch:
    """One configuration beside what is expected of its device; ``paused`` says which other devices pause which ports."""

    reading: Reading
    device: Device
    classes: Classes
    rate_gbit_s: int
    balances: bool
    is_balanced_elsewhere: bool
    """Whether another switch of the same system in these files balances by load."""
    trims: bool
    """Whether the plan has it trim packets."""
    peer_pauses: Callable[[str, str], bool | None]

    @property
    def is_whole(self) -> bool:
        """Whether it is a whole configuration, so that what does not stand in it is not set."""
        return self.reading.first("whole", ALL) is not None

    def at(self, setting: str, port: str) -> Observation | None:
        """A setting of a port, or the one of the whole device."""
        return self.reading.first(setting, port, ALL)

    @cached_property
    def ports(self) -> list[Port]:
        """Ports of the fabric that the file has; of a device that the design does not have, all."""
        seen = {one.place: one.line for one in self.reading.all("port")}
        if self.device.is_known:
            return [port for name, port in self.device.ports.items() if name in seen]
        return [Port(name, "", "", False, self.rate_gbit_s, 0, None, None) for name in seen]

    def line_of(self, port: str) -> int:
        """Where a port begins."""
        one = self.reading.first("port", port)
        return one.line if one else 1

    @cached_property
    def lossless(self) -> set[int]:
        """Priorities that any port pauses."""
        out: set[int] = set()
        for port in self.ports:
            found = self.at("pfc", port.name)
            out |= set(found.value) if found and isinstance(found.value, tuple) else set()
        return out

    def priority_of(self, dscp: int) -> tuple[int | None, Observation | None]:
        """Priority of a DSCP and the line that maps it; None where it has none."""
        mapped = self.reading.first("dscp_class", dscp)
        if mapped is None:
            return None, self.reading.first("dscp_map", ALL)
        own = self.reading.first("class_priority", mapped.value)
        if own is not None:
            return int(str(own.value)), mapped
        return (int(mapped.value), mapped) if isinstance(mapped.value, int) else (None, mapped)

    def queue_of(self, dscp: int) -> str:
        """Queue of a DSCP: that of its class, else the class's own number."""
        mapped = self.reading.first("dscp_class", dscp)
        label = ALL if mapped is None else str(mapped.value)
        queue = self.reading.first("class_queue", label)
        return str(queue.value) if queue else label


def queue_of_data(switch: Switch) -> str:
    """Queue of the data's priority, also where the data's DSCP is mapped to another."""
    priority = str(switch.classes.data_priority)
    label = next((one.place for one in switch.reading.all("class_priority") if str(one.value) == priority), None)
    if label is None:
        mapped = switch.reading.first("dscp_class", switch.classes.data_dscp)
        label = str(mapped.value) if mapped and not isinstance(mapped.value, int) else priority
    queue = switch.reading.first("class_queue", label)
    return str(queue.value) if queue else label


def faults(switch: Switch) -> Iterator[Fault]:
    """All of one configuration."""
    for port in switch.ports:
        yield from _state(switch, port)
        yield from _port(switch, port)
        yield from _pause(switch, port)
        yield from _room(switch, port)
        yield from _marking(switch, port)
    yield from _data(switch)
    yield from _cnp(switch)
    yield from _thresholds(switch)
    yield from _queues(switch)
    yield from _balancing(switch)
    lldp = switch.reading.first("lldp", ALL)
    is_silent = not any(one.value for one in switch.reading.all("lldp"))
    if lldp and not lldp.value:
        yield Fault("lldp_off", switch.reading, lldp.line, "on", "off", severity="warning")
    elif lldp is None and is_silent and switch.is_whole and switch.reading.kind in NO_LLDP:
        yield Fault("lldp_off", switch.reading, 1, "on", "no line turns it on", severity="warning")


def faults_of_ports(switch: Switch) -> Iterator[Fault]:
    """Those of a switch without traffic classes: whether its ports are on, fast enough and take the hosts' frames."""
    for port in switch.ports:
        yield from _state(switch, port)
        yield from _frames(switch, port)


NO_LLDP = ("nxos", "junos")  # systems that do not speak LLDP unless a line says so
RS_FEC_GBIT_S = 200  # PAM4 lanes, which need Reed-Solomon
NO_RS = ("none", "off", "fc", "fcfec", "firecode", "baser", "fec74", "disable", "disabled", "nofec")


def _state(switch: Switch, port: Port) -> Iterator[Fault]:
    """Whether a port is on, shows its neighbour, and corrects errors as its rate needs."""
    reading = switch.reading
    admin, lldp, fec = (reading.first(setting, port.name) for setting in ("admin", "lldp", "fec"))
    if not switch.device.is_known:
        return
    if admin and not admin.value:
        change = (("failed_nics", 1),) if not port.is_to_switch else ()
        yield Fault("link_down", reading, admin.line, "up", "shut down", port.name, change=change)
    if lldp and not lldp.value:
        yield Fault("lldp_off", reading, lldp.line, "on", "off", port.name, "warning")
    if fec and re.sub(r"[^a-z0-9]", "", str(fec.value).lower()) in NO_RS and port.speed_gbit_s >= RS_FEC_GBIT_S:
        yield Fault("fec_wrong", reading, fec.line, "Reed-Solomon, or auto", str(fec.value), port.name)


def _port(switch: Switch, port: Port) -> Iterator[Fault]:
    reading, classes = switch.reading, switch.classes
    yield from _frames(switch, port)
    trust = switch.at("trust", port.name)
    if trust and trust.value != "dscp":
        yield Fault("trust_not_dscp", reading, trust.line, "dscp", str(trust.value), port.name, change=_DROPS)

    data_mtu = reading.first("class_mtu", f"c-8q-nq{queue_of_data(switch)}", "c-8q-nq-default")
    if data_mtu and port is switch.ports[0] and int(str(data_mtu.value)) < classes.host_mtu_bytes:
        expected = f"{classes.mtu_bytes} B"
        yield Fault("mtu_small", reading, data_mtu.line, expected, f"{data_mtu.value} B", "the data class")


def _frames(switch: Switch, port: Port) -> Iterator[Fault]:
    """Largest frame and rate of a port."""
    reading, classes = switch.reading, switch.classes
    mtu, speed = (switch.at(setting, port.name) for setting in ("mtu", "speed"))
    if mtu and int(str(mtu.value)) < classes.host_mtu_bytes:
        yield Fault(
            "mtu_small",
            reading,
            mtu.line,
            f"{classes.mtu_bytes} B",
            f"{mtu.value} B",
            port.name,
            more=f"Hosts send {classes.host_mtu_bytes} B.",
            change=(("mtu_bytes", int(str(mtu.value))),),
        )
    if speed and int(str(speed.value)) < port.speed_gbit_s:
        found = int(str(speed.value))
        slow = (("nic_gbit_s", found),) if not port.is_to_switch and switch.device.is_known else ()
        expected = f"{port.speed_gbit_s} Gb/s"
        yield Fault("port_rate_low", reading, speed.line, expected, f"{found} Gb/s", port.name, change=slow)


_DROPS = (("lossless", False),)


def _pause(switch: Switch, port: Port) -> Iterator[Fault]:
    reading, classes = switch.reading, switch.classes
    pfc, paused = switch.at("pfc", port.name), switch.at("global_pause", port.name)
    if paused and paused.value is True:
        yield Fault("global_pause_on", reading, paused.line, "off", "on", port.name)
    priorities = pfc.value if pfc and isinstance(pfc.value, tuple) else None
    off = reading.first("pfc_all_off", ALL)
    if off:
        pfc, priorities = off, ()
    if pfc is None or priorities is None:
        return
    if not classes.is_lossless:
        if classes.data_priority in priorities:
            expected = f"no PFC on priority {classes.data_priority}"
            yield Fault("pfc_on", reading, pfc.line, expected, f"PFC on {', '.join(map(str, priorities))}", port.name)
        return
    points = reading.first("pfc_dscp", port.name)
    priority, mapped = switch.priority_of(classes.data_dscp)
    others = points is not None and isinstance(points.value, tuple) and classes.data_dscp not in points.value
    if classes.data_priority in priorities and points and others and priority == classes.data_priority:
        pfc, priorities = points, ()  # the class pauses for other code points
    elif classes.data_priority not in priorities and priority in priorities and mapped and own_priority(switch, mapped):
        return  # it pauses the data under another priority, which is said once for the class
    if classes.data_priority not in priorities:
        peer = switch.peer_pauses(port.peer, switch.device.name) if port.peer else None
        yield Fault(
            "pfc_one_side" if peer else "pfc_off",
            reading,
            pfc.line,
            f"PFC on priority {classes.data_priority}",
            f"PFC on {', '.join(map(str, priorities))}" if priorities else "PFC off",
            port.name,
            more=f"{port.peer} pauses." if peer else "",
            change=_DROPS,
        )
        return
    watch = switch.at("watchdog", port.name)
    if watch is None or not watch.value:
        others = any(one.value for one in reading.all("watchdog") if one.place)
        line = watch.line if watch else switch.line_of(port.name) if others else pfc.line
        yield Fault("pfc_watchdog_off", reading, line, "on", "off", port.name, "warning")


def own_priority(switch: Switch, mapped: Observation) -> bool:
    """Whether the class that a DSCP is in has a priority of its own statement."""
    return switch.reading.first("class_priority", mapped.value) is not None


def _room(switch: Switch, port: Port) -> Iterator[Fault]:
    if not switch.device.is_known or not switch.classes.is_lossless:
        return
    length = switch.at("cable_m", port.name)
    if length and int(str(length.value)) < port.cable_m:
        expected, found = f"{port.cable_m} m", f"{length.value} m"
        yield Fault("headroom_small", switch.reading, length.line, expected, found, port.name, change=_DROPS)
    group = f"{port.name}|{switch.classes.data_priority}"
    lossy = switch.reading.first("lossy_group", group)
    pfc = switch.at("pfc", port.name)
    if lossy and pfc and isinstance(pfc.value, tuple) and switch.classes.data_priority in pfc.value and port.xoff_bytes:
        expected, found = f"{port.xoff_bytes:,} B for {port.cable_m} m", f"none: {lossy.value} has no xoff"
        yield Fault("headroom_small", switch.reading, lossy.line, expected, found, port.name, change=_DROPS)
    xoff = switch.reading.first("xoff_bytes", group, port.name, ALL)
    if xoff and port.xoff_bytes and int(str(xoff.value)) < port.xoff_bytes:
        yield Fault(
            "headroom_small",
            switch.reading,
            xoff.line,
            f"{port.xoff_bytes:,} B for {port.cable_m} m",
            f"{int(str(xoff.value)):,} B",
            port.name,
            change=_DROPS,
        )


def _marking(switch: Switch, port: Port) -> Iterator[Fault]:
    queue = queue_of_data(switch)
    if shares_queue(switch):
        return  # which is said once: its marks are those of the other queue
    found = switch.reading.first("ecn", f"{port.name}|{queue}", queue)
    if found is not None and found.value:
        return
    if found is None:
        found = (
            switch.at("marks_here", port.name) or switch.reading.first("queue_at", queue) or switch.at("pfc", port.name)
        )
    line = found.line if found else switch.line_of(port.name)
    yield Fault("ecn_off", switch.reading, line, f"ECN on queue {queue or 'of the data'}", "none", port.name)


def _data(switch: Switch) -> Iterator[Fault]:
    lossless, classes = switch.lossless, switch.classes
    priority, mapped = switch.priority_of(classes.data_dscp)
    if not classes.is_lossless:
        yield from _trimming(switch)
    yield from _data_of_ports(switch, lossless)
    if not lossless or mapped is None or priority == classes.data_priority:
        return
    own = switch.reading.first("class_priority", mapped.value)
    named = isinstance(mapped.value, str) and not any(
        one.value == classes.data_priority for one in switch.reading.all("class_priority")
    )
    if own and (named or mapped.value == classes.data_priority):
        mapped = own  # the class is right, and what it becomes is not
    is_lossy = priority not in lossless
    label = "a lossy class" if priority is None else f"priority {priority}"
    yield Fault(
        "data_dscp_lossy" if is_lossy else "data_priority_differs",
        switch.reading,
        mapped.line,
        f"DSCP {classes.data_dscp} in priority {classes.data_priority}",
        f"DSCP {classes.data_dscp} in {label}" + (", which is lossy" if is_lossy and priority is not None else ""),
        change=_DROPS,
    )


def _trimming(switch: Switch) -> Iterator[Fault]:
    """Of a plan with trimming: whether full queues of the data trim, and the data is in the class that does."""
    reading, classes = switch.reading, switch.classes
    priority, mapped = switch.priority_of(classes.data_dscp)
    if switch.trims and mapped and priority not in (None, classes.data_priority):
        expected = f"DSCP {classes.data_dscp} in priority {classes.data_priority}"
        found = f"DSCP {classes.data_dscp} in priority {priority}"
        yield Fault("data_not_trimmed", reading, mapped.line, expected, found)
    trims = reading.first("trims", ALL)
    if switch.trims and (trims is None or not trims.value):
        first = next(iter(reading.all("port")), None)
        line = trims.line if trims else first.line if first else 1
        yield Fault("trimming_off", reading, line, "packet trimming on", "off")


def _data_of_ports(switch: Switch, lossless: set[int]) -> Iterator[Fault]:
    """Ports with a map of their own that puts the data elsewhere."""
    wanted = switch.classes.data_dscp
    for one in switch.reading.all("port_class") if lossless else ():
        port, _, dscp = one.place.rpartition("|")
        if dscp == str(wanted) and one.value != switch.classes.data_priority:
            expected = f"DSCP {wanted} in priority {switch.classes.data_priority}"
            found = f"DSCP {dscp} in class {one.value}"
            yield Fault("data_dscp_lossy", switch.reading, one.line, expected, found, port, change=_DROPS)


def _cnp(switch: Switch) -> Iterator[Fault]:
    classes = switch.classes
    priority, mapped = switch.priority_of(classes.cnp_dscp)
    if mapped is None:
        return
    expected = f"DSCP {classes.cnp_dscp} in a lossy strict queue"
    own = {priority, mapped.value} & switch.lossless  # SONiC pauses the class by its own number, too
    if own:
        wrong, line = int(str(next(iter(own)))), mapped.line
        if wrong != classes.data_priority:
            paused = (switch.at("pfc", port.name) for port in switch.ports)
            line = next(
                (one.line for one in paused if one and isinstance(one.value, tuple) and wrong in one.value), line
            )
        found = f"DSCP {classes.cnp_dscp} in priority {wrong}, which is lossless"
        yield Fault("cnp_lossless", switch.reading, line, expected, found)
        return
    cnp_queue, rest = switch.queue_of(classes.cnp_dscp), switch.queue_of(0)
    if cnp_queue and cnp_queue == rest:
        own_queue = switch.reading.first("class_queue", mapped.value)
        line = own_queue.line if own_queue and own_queue.line != mapped.line and _is_moved(own_queue) else mapped.line
        found = f"DSCP {classes.cnp_dscp} in queue {cnp_queue}, with everything else"
        yield Fault("cnp_not_strict", switch.reading, line, expected, found, severity="warning")
        return
    scheduler = switch.reading.first("scheduler", cnp_queue)
    if scheduler and scheduler.value not in STRICT:
        found = f"queue {scheduler.place} is {scheduler.value}"
        yield Fault("cnp_not_strict", switch.reading, scheduler.line, expected, found, severity="warning")


def _thresholds(switch: Switch) -> Iterator[Fault]:
    queue, reading = queue_of_data(switch), switch.reading
    for unit, suffix in (("B", ""), ("%", "_percent")):
        low, high = (reading.first(f"ecn_{end}{suffix}", queue) for end in ("min", "max"))
        if not low or not high:
            continue
        least, most = int(str(low.value)), int(str(high.value))
        found = f"from {least:,} to {most:,} {unit}"
        if least > most:
            yield Fault("ecn_swapped", reading, low.line, "the lower threshold first", found)
            continue
        published = switch.classes.ecn_min_bytes if not suffix else ()
        if published and (least > FAR * max(published) or most < min(published) / FAR):
            expected = f"{min(published):,} to {max(published):,} B, as is published for the system"
            yield Fault("ecn_far", reading, low.line, expected, found, severity="warning")
    mark = reading.first("ecn_mark", queue)
    if mark and mark.value == 0:
        yield Fault("ecn_off", reading, mark.line, "packets marked", "0 % marked")


def _is_moved(queue: Observation) -> bool:
    """Whether a class goes to a queue of another number."""
    return str(queue.value) != queue.place


def shares_queue(switch: Switch) -> Observation | None:
    """The line that puts the data into the queue of another class; None where it has its own."""
    reading, priority = switch.reading, switch.classes.data_priority
    mapped = reading.first("class_queue", priority)
    if mapped is None or not _is_moved(mapped):
        return None
    others = {number for number in range(8) if number != priority}
    queues = {str(one.value) if (one := reading.first("class_queue", number)) else str(number) for number in others}
    return mapped if str(mapped.value) in queues | {switch.queue_of(0)} else None


def _queues(switch: Switch) -> Iterator[Fault]:
    """The queue of the data: its own, with a share of the port, and stopped by the priority's pause."""
    reading, classes = switch.reading, switch.classes
    queue = queue_of_data(switch)
    mapped = shares_queue(switch)
    if mapped:
        expected, found = (
            f"a queue of its own for priority {classes.data_priority}",
            f"queue {queue}, with everything else",
        )
        yield Fault("queue_shared", reading, mapped.line, expected, found, change=_DROPS)
    zeros = [one for one in reading.all("weight") if one.place.rpartition("|")[2] == queue and one.value == 0]
    for one in zeros:
        found = f"0 for queue {queue}"
        yield Fault("ets_weight_zero", reading, one.line, "a share of the port", found, one.place.rpartition("|")[0])
    stopped = reading.first("pfc_queue", classes.data_priority)
    if stopped and not mapped and switch.lossless and str(stopped.value) != queue:
        found = f"priority {classes.data_priority} stops queue {stopped.value}"
        yield Fault("queue_shared", reading, stopped.line, f"it stops queue {queue}", found, change=_DROPS)


SILENT = ("eos", "nxos", "junos")  # of whose configurations a part may be all that was given


def _balancing(switch: Switch) -> Iterator[Fault]:
    uplinks = [port for port in switch.ports if port.is_to_switch]
    if not switch.balances or (switch.device.is_known and not uplinks):
        return
    whole = switch.reading.first("balancing", ALL)
    change = (("load_balancing", "ecmp"),)
    is_part = switch.reading.kind in SILENT and not switch.is_whole
    if whole is None and is_part and not switch.is_balanced_elsewhere:
        return
    if whole is None or not whole.value:
        line = whole.line if whole else 1
        yield Fault("adaptive_routing_off", switch.reading, line, "on", "off", change=change)
        return
    found = {port.name: switch.reading.first("balancing", port.name) for port in uplinks}
    some = any(one and one.value for one in found.values())
    for name, own in found.items():
        if (own and not own.value) or (own is None and some):
            line = own.line if own else switch.line_of(name)
            yield Fault("adaptive_routing_off", switch.reading, line, "on", "off", name, change=change)
