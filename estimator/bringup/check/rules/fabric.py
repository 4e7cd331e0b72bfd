"""InfiniBand as a whole: subnet managers, routing, SHARP, partitions."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from estimator.bringup.check.expected import Expected
from estimator.bringup.check.observation import ALL, Observation, Reading
from estimator.bringup.check.rules.fault import Fault

KIND = "opensm"
NOT_FOR_CLOS = ("minhop", "dor", "lash", "torus-2qos", "file", "sssp", "ar_dor", "ar_torus", "(null)", "null", "none")
FAT_TREE = ("ftree", "ar_ftree")
UP_DOWN = (*FAT_TREE, "updn", "dnup", "ar_updn")  # which never go up again
DOWN_AND_UP = "dfsssp"
SHARP_OFF = ("0", "1", "false", "(null)", "no")  # 0 leaves switches as they are, 1 disables it in them, 2 enables it
SPEEDS = {
    "force_link_speed": ("0", "15"),
    "force_link_speed_ext": ("0", "31"),
}  # values that force nothing: osm_subnet.c
ALL_HOSTS = ("ALL", "ALL_CAS")
FULL = ("full", "both")


def faults(readings: Sequence[Reading], expected: Expected, reduces: bool) -> Iterator[Fault]:
    """All of them."""
    managers = [reading for reading in readings if reading.kind == KIND]
    for reading in managers:
        yield from _manager(reading, expected, reduces)
        yield from _partitions(reading, readings, expected)
    yield from _masters(managers)


def _manager(reading: Reading, expected: Expected, reduces: bool) -> Iterator[Fault]:
    """Options of opensm.conf and gv.cfg."""
    engine = reading.first("routing_engine", ALL)
    first = str(engine.value).split(",")[0].strip().lower() if engine else ""
    if engine and expected.n_tiers > 1:
        planned = expected.routing_engine
        refuses = first in FAT_TREE and not str(planned.value).startswith("ftree")
        refuses |= planned.value == DOWN_AND_UP and first in UP_DOWN
        if first in NOT_FOR_CLOS or not first or refuses:
            yield Fault(
                "routing_engine_wrong",
                reading,
                engine.line,
                str(planned.value),
                str(engine.value),
                more=f"{planned.why}.",
                change=(("load_balancing", "ecmp"),),
            )
    dump = reading.first("dump", ALL)
    if engine is None and dump and expected.n_tiers > 1:
        planned, found = expected.routing_engine, "no line, which is minhop"
        yield Fault(
            "routing_engine_wrong",
            reading,
            dump.line,
            str(planned.value),
            found,
            more=f"{planned.why}.",
            change=(("load_balancing", "ecmp"),),
        )
    sharp = reading.first("sharp_enabled", ALL)
    if sharp and reduces and str(sharp.value).lower() in SHARP_OFF:
        yield Fault("sharp_off", reading, sharp.line, "on", "off", change=(("in_network_reduction", False),))
    for key, free in SPEEDS.items():
        forced = reading.first(key, ALL)
        if forced and _plain(str(forced.value)) not in free:
            found = f"{key} {forced.value}"
            yield Fault("link_speed_forced", reading, forced.line, f"{key} {free[-1]}", found)


def _plain(text: str) -> str:
    """A number as it is without ``0x``."""
    return str(int(text, 16)) if re.fullmatch(r"0[xX][0-9a-fA-F]{1,8}", text) else text


def _masters(managers: Sequence[Reading]) -> Iterator[Fault]:
    """Managers of several hosts that have the same priority."""
    by_priority: dict[str, list[tuple[Reading, Observation]]] = defaultdict(list)
    hosts = {reading.device for reading in managers if reading.first("routing_engine", ALL) or _priority(reading)}
    for reading in managers:
        one = _priority(reading)
        if one and len(hosts) > 1:
            by_priority[str(one.value)].append((reading, one))
    for value, found in by_priority.items():
        devices = dict.fromkeys(reading.device for reading, _ in found)
        for reading, one in found[1:] if len(devices) > 1 else ():
            said = f"{value}, as on {next(device for device in devices if device != reading.device)}"
            yield Fault("sm_priority_same", reading, one.line, "lower than the master's", said, severity="warning")


def _priority(reading: Reading) -> Observation | None:
    return reading.first("sm_priority", ALL)


def _partitions(reading: Reading, readings: Iterable[Reading], expected: Expected) -> Iterator[Fault]:
    """Ports of nodes that no partition has as a full member."""
    members = list(reading.all("member"))
    if not members:
        return
    full = {one.place.rpartition("|")[2] for one in members if one.value in FULL}
    if full & set(ALL_HOSTS):
        return
    guids = [one for one in members if one.place.rpartition("|")[2].startswith("0x")]
    limited = [one for one in members if one.place.rpartition("|")[2] in ALL_HOSTS]
    whole = [one for one in limited if one.place.rpartition("|")[0] in _without_full(members)]
    if limited and (whole or not guids):
        limited = whole or limited
        yield Fault("partition_limited", reading, limited[0].line, "full members", "all hosts are limited members")
        return
    known = [one for other in readings for one in other.all("port_guid") if one.place in expected.nics]
    gone = [one for one in known if str(one.value) not in full]
    for one in gone:
        line = next((guid.line for guid in guids if guid.place.endswith(str(one.value))), members[0].line)
        yield Fault("partition_missing", reading, line, f"{one.value} as a full member", "not one", one.place)
    n_full = len({guid.place.rpartition("|")[2] for guid in guids} & full)
    n_ports = expected.n_node_ports
    if not gone and guids and n_ports * SHARE_OF_ALL <= n_full < n_ports:
        found = f"{n_full:,} of {n_ports:,} ports"
        yield Fault("partition_missing", reading, members[0].line, f"all {n_ports:,} ports of nodes", found)


def _without_full(members: Iterable[Observation]) -> set[str]:
    """The default partition where no host is a full member of it."""
    held = [one for one in members if one.place.startswith(DEFAULT)]
    hosts = [one for one in held if (who := one.place.rpartition("|")[2]) in ALL_HOSTS or who.startswith("0x")]
    return set() if any(one.value in FULL for one in hosts) else {one.place.rpartition("|")[0] for one in held}


DEFAULT = ("Default|", "0x7fff|", "0xffff|")
SHARE_OF_ALL = 0.75  # of the ports, from which on a partition is meant to hold all
