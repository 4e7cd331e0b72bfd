"""What only several devices together show: subnets, and the subnet manager of InfiniBand."""

from collections import Counter
from collections.abc import Iterable, Iterator
from ipaddress import AddressValueError, IPv4Interface, IPv4Network, NetmaskValueError

from estimator.bringup.check.expected import Expected
from estimator.bringup.check.observation import ALL, Observation, Reading
from estimator.bringup.check.rules.fault import Fault

KIND = "opensm"
RAIL_PREFIX = 24  # of subnets a rail that show no mask
NOT_FOR_CLOS = ("minhop", "dor", "lash", "torus-2qos", "file", "sssp", "ar_dor", "ar_torus", "(null)", "null", "none")
SHARP_OFF = ("0", "false", "(null)", "no")


def subnets(readings: Iterable[Reading], expected: Expected) -> Iterator[Fault]:
    """Subnets that two ports of switches, two pools or two NICs of a node have."""
    taken: dict[IPv4Network, tuple[Reading, Observation]] = {}
    for reading in readings:
        for one in (*reading.all("address"), *reading.all("pool")):
            network = _network(str(one.value))
            if network is None or network.prefixlen == 32:
                continue
            first = taken.setdefault(network, (reading, one))
            if first[1] is one or (first[0].device == reading.device and first[1].place == one.place):
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


def subnet_manager(reading: Reading, expected: Expected, reduces: bool) -> Iterator[Fault]:
    """Options of opensm.conf."""
    engine = reading.first("routing_engine", ALL)
    first = str(engine.value).split(",")[0].strip().lower() if engine else ""
    if engine and expected.n_tiers > 1 and (first in NOT_FOR_CLOS or not first):
        change = (("load_balancing", "ecmp"),)
        yield Fault(
            "routing_engine_wrong",
            reading,
            engine.line,
            "ftree or updn, for leaves and spines",
            str(engine.value),
            change=change,
        )
    sharp = reading.first("sharp_enabled", ALL)
    if sharp and reduces and str(sharp.value).lower() in SHARP_OFF:
        yield Fault("sharp_off", reading, sharp.line, "on", str(sharp.value), change=(("in_network_reduction", False),))
