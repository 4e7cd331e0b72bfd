"""What addresses and numbers of several devices show together: subnets, ends of links, loopbacks, BGP numbers, ARP."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from ipaddress import AddressValueError, IPv4Interface, IPv4Network, NetmaskValueError

from estimator.bringup.check.expected import Expected
from estimator.bringup.check.observation import ALL, Observation, Reading
from estimator.bringup.check.rules.fault import Fault
from estimator.fabric.devices import LEAF

RAIL_PREFIX = 24  # of subnets a rail that show no mask
LINK_PREFIXES = (30, 31)
ARP_KEYS = {"arp_announce": ("1 or 2", (1, 2)), "arp_ignore": ("1 or 2", (1, 2)), "rp_filter": ("0 or 2", (0, 2))}


def faults(readings: Sequence[Reading], expected: Expected) -> Iterator[Fault]:
    """All of them."""
    yield from subnets(readings, expected)
    yield from _other_ports(readings, expected)
    yield from _loopbacks(readings, expected)
    yield from _numbers(readings, expected)
    yield from _arp(readings, expected)
    if expected.plan.has_leaf_subnets:
        yield from _gateways(readings, expected)


def subnets(readings: Iterable[Reading], expected: Expected) -> Iterator[Fault]:
    """Subnets that two ports of switches, two pools or two NICs of a node have."""
    taken: dict[tuple[str, IPv4Network], tuple[Reading, Observation]] = {}
    for reading in readings:
        for one in (*reading.all("address"), *reading.all("pool")):
            network = _network(str(one.value))
            if network is None or network.prefixlen == 32:
                continue
            if one.setting == "pool":
                network = next((pool for kind, pool in taken if kind == "pool" and pool.overlaps(network)), network)
            first = taken.setdefault((one.setting, network), (reading, one))
            if first[1] is one or (first[0].device == reading.device and first[1].place == one.place):
                continue
            if first[0].device == reading.device and first[0].kind != reading.kind:
                continue  # one switch under two systems, as bring-up writes them
            if _is_link(first, (reading, one), network, expected):
                continue
            wrong, other = (reading, one), first
            if _as_planned(reading, one, expected) and not _as_planned(*first, expected):
                wrong, other = first, (reading, one)
            where = f"{other[0].device} {other[1].place}".strip()
            yield Fault(
                "rail_subnet_doubled",
                wrong[0],
                wrong[1].line,
                _planned(wrong[0], wrong[1], expected) or "a subnet of its own",
                f"{network}, which {where} has",
                wrong[1].place,
            )
    for reading in readings:
        yield from _of_host(reading, expected)


Found = tuple[Reading, Observation]


def _is_link(first: Found, other: Found, network: IPv4Network, expected: Expected) -> bool:
    """Whether both addresses are the ends of one link between two switches, as numbered links have them."""
    if network.prefixlen not in LINK_PREFIXES or str(first[1].value) == str(other[1].value):
        return False
    ports = [
        expected.switch(reading.device, reading.kind) for reading, _ in (first, other) if expected_systems(reading)
    ]
    if len(ports) < 2 or not all(device.is_known for device in ports):
        return first[0].device != other[0].device
    mine = ports[0].ports.get(first[1].place)
    return mine is None or mine.peer == ports[1].name


def _network(text: str) -> IPv4Network | None:
    try:
        return IPv4Interface(text).network
    except (AddressValueError, NetmaskValueError, ValueError):
        return None


def _planned(reading: Reading, one: Observation, expected: Expected) -> str | None:
    if reading.kind not in expected_systems(reading):
        return None
    port = expected.switch(reading.device, reading.kind).ports.get(one.place)
    return port.address if port else None


def expected_systems(reading: Reading) -> tuple[str, ...]:
    """The system of a reading of a switch, none of another's."""
    return (reading.kind,) if reading.kind in ("nvue", "sonic", "eos", "nxos", "junos") else ()


def _as_planned(reading: Reading, one: Observation, expected: Expected) -> bool:
    return _planned(reading, one, expected) == str(one.value)


def _of_host(reading: Reading, expected: Expected) -> Iterator[Fault]:
    """NICs of one node by show_gids: as planned, or a subnet each."""
    own = [one for one in reading.all("nic_address") if one.place in expected.nics]
    planned = expected.host(reading.device).ports
    if own and any(_is_planned(one, planned[one.place].address) for one in own if one.place in planned):
        for one in own:
            wanted = planned[one.place].address if one.place in planned else None
            others = {str(other.value): other.place for other in own if other is not one}
            if wanted and not _is_planned(one, wanted) and _pair(str(one.value)) in map(_pair, others):
                found = f"{one.value}, in the subnet of {others.get(str(one.value)) or _partner(one, own)}"
                yield Fault("rail_subnet_doubled", reading, one.line, wanted, found, one.place)
        return
    rails = Counter(_rail(str(one.value)) for one in own)
    if len(own) > 2 and len(own) > len(rails) >= len(own) / 2:
        seen: dict[str, str] = {}
        for one in own:
            rail = _rail(str(one.value))
            if rail in seen:
                found = f"{one.value}, in the subnet of {seen[rail]}"
                yield Fault("rail_subnet_doubled", reading, one.line, "a subnet of its own", found, one.place)
            seen.setdefault(rail, one.place)


def _other_ports(readings: Iterable[Reading], expected: Expected) -> Iterator[Fault]:
    """Ports whose address is planned for another port: of cables or files that were taken for one another."""
    for reading in readings:
        is_switch = bool(expected_systems(reading))
        device = expected.switch(reading.device, reading.kind) if is_switch else expected.host(reading.device)
        planned = {port.address: name for name, port in device.ports.items() if port.address}
        if not is_switch:
            planned = {address.partition("/")[0]: name for address, name in planned.items()}
        setting = "address" if is_switch else "nic_address"
        for one in reading.all(setting):
            other = planned.get(str(one.value), one.place)
            own, there = device.ports.get(one.place), reading.first(setting, other)
            is_doubled = there is not None and there.value == one.value
            if other != one.place and own and own.address and not is_doubled:
                found = f"{one.value}, which is planned for {other}"
                yield Fault("address_of_other_port", reading, one.line, own.address, found, one.place)


def _loopbacks(readings: Iterable[Reading], expected: Expected) -> Iterator[Fault]:
    """Loopbacks and router numbers that two switches have."""
    for setting in ("loopback", "router_id"):
        by_address: dict[str, list[Found]] = defaultdict(list)
        for reading in readings:
            for one in reading.all(setting) if expected_systems(reading) else ():
                by_address[str(one.value).partition("/")[0]].append((reading, one))
        for address, found in by_address.items():
            named = {expected.name_of(reading.device): (reading, one) for reading, one in found}
            if len(named) < 2:
                continue
            plans = {name: _loopback_of(name, reading, expected) for name, (reading, _) in named.items()}
            wrong = [name for name, plan in plans.items() if plan and plan != address]
            for name in wrong if 0 < len(wrong) < len(named) else list(named)[1:]:
                reading, one = named[name]
                others = ", ".join(other for other in named if other != name)
                yield Fault(
                    "loopback_doubled",
                    reading,
                    one.line,
                    plans[name] or "an address of its own",
                    f"{address}, which {others} has",
                    one.place,
                )


def _loopback_of(name: str, reading: Reading, expected: Expected) -> str | None:
    plan = expected.switch_plan(name, reading.kind)
    return plan.loopback if plan else None


def _numbers(readings: Iterable[Reading], expected: Expected) -> Iterator[Fault]:
    """BGP numbers that two leaves have, or that a leaf has in common with what is above it."""
    found: dict[str, Found] = {}
    for reading in readings:
        one = reading.first("asn", ALL) if expected_systems(reading) else None
        if one and not reading.first("repeats_asn", ALL):
            found[expected.name_of(reading.device)] = (reading, one)
    plans = {name: expected.switch_plan(name, reading.kind) for name, (reading, _) in found.items()}
    alike = {str(one.value) for _, one in found.values()}
    is_planned = any(plan and str(plan.asn) in alike for plan in plans.values())
    if (
        len(found) > 1
        and len(alike) == 1
        and not is_planned
        and len({plan.kind for plan in plans.values() if plan}) > 1
    ):
        return  # one number for all: routes inside of one system
    by_number: dict[str, list[str]] = defaultdict(list)
    for name, (_, one) in found.items():
        by_number[str(one.value)].append(name)
    for number, names in by_number.items():
        kinds = {name: plan.kind for name in names if (plan := plans[name])}
        if len(names) < 2 or (
            len({kinds.get(name, "") for name in names} - {LEAF}) == 1 and LEAF not in kinds.values()
        ):
            continue  # spines of a group share theirs
        planned = [name for name in names if (plan := plans[name]) and str(plan.asn) == number]
        wrong = [name for name in names if name not in planned] if planned else names[1:]
        for name in wrong:
            reading, one = found[name]
            plan = plans[name]
            yield Fault(
                "asn_doubled",
                reading,
                one.line,
                str(plan.asn) if plan else "a number of its own",
                f"{number}, which {', '.join(other for other in names if other != name)} has",
            )


def _gateways(readings: Iterable[Reading], expected: Expected) -> Iterator[Fault]:
    """Subnets of leaves that another leaf has, where all node ports of a leaf are one."""
    by_network: dict[IPv4Network, list[Found]] = defaultdict(list)
    for reading in readings:
        for one in reading.all("svi") if expected_systems(reading) else ():
            network = _network(str(one.value))
            if network is not None:
                by_network[network].append((reading, one))
    for network, found in by_network.items():
        for reading, one in found:
            plan = expected.switch_plan(reading.device, reading.kind)
            others = [other.device for other, _ in found if other.device != reading.device]
            if others and plan and plan.gateway and plan.gateway != str(one.value):
                said = f"{network}, which {others[0]} has"
                yield Fault("rail_subnet_doubled", reading, one.line, plan.gateway, said, one.place)


def _arp(readings: Sequence[Reading], expected: Expected) -> Iterator[Fault]:
    """ARP of hosts with several ports in one subnet: each port has to answer for itself."""
    tables = {reading.device: reading for reading in readings if next(reading.all("nic_address"), None)}
    for reading in readings:
        shared = expected.shared_subnet(reading.device) or _shares(tables.get(reading.device))
        for key, (wanted, values) in ARP_KEYS.items() if shared else ():
            one = reading.first(f"net.ipv4.conf.all.{key}", ALL)
            if one and one.value not in values:
                yield Fault("arp_flux", reading, one.line, f"{key} {wanted}", f"{key} {one.value}", severity="warning")


def _shares(table: Reading | None) -> bool:
    """Whether GIDs show several NICs in what is a subnet by the usual mask."""
    rails = Counter(_rail(str(one.value)) for one in table.all("nic_address")) if table else Counter()
    pairs = Counter(_pair(str(one.value)) for one in table.all("nic_address")) if table else Counter()
    return bool(rails) and max(rails.values()) > 1 and len(pairs) < sum(pairs.values())


def _is_planned(one: Observation, wanted: str | None) -> bool:
    return wanted is not None and str(one.value) == wanted.partition("/")[0]


def _pair(address: str) -> str:
    """The /31 of an address."""
    network = _network(f"{address}/31")
    return str(network)


def _partner(one: Observation, own: list[Observation]) -> str:
    return next(other.place for other in own if other is not one and _pair(str(other.value)) == _pair(str(one.value)))


def _rail(address: str) -> str:
    return str(_network(f"{address}/{RAIL_PREFIX}"))
