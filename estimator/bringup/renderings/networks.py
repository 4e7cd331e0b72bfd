"""Storage and management networks of a design: frame, class and addresses of each, and the configurations of its switches."""

from collections.abc import Iterable, Iterator

from estimator.bringup.networks.answer import settings_of
from estimator.bringup.networks.design import other_plans
from estimator.bringup.networks.other import OtherPlan
from estimator.bringup.parts.part import part_of
from estimator.bringup.plan.plan import Plan
from estimator.bringup.renderings.switches import eos, junos, nvue, nxos, sonic
from estimator.bringup.renderings.target import File
from estimator.handoff.cells import Cell, csv_blocks

SYSTEMS = {"nvue": nvue, "sonic": sonic, "eos": eos, "nxos": nxos, "junos": junos}
SUMMARY = ("network", "setting", "value", "unit", "why", "source", "trust")
ADDRESSES = ("device", "port", "address", "gateway", "switch", "switch_port", "mtu_bytes", "class", "source")


def files(plan: Plan) -> Iterator[File]:
    """What each network is set to, a file of addresses each, and a configuration of every switch that runs Ethernet."""
    found = other_plans(plan)
    yield from _tables(found)
    for one in found:
        yield from _switches(one)


def _tables(found: list[OtherPlan]) -> Iterator[File]:
    yield File("networks.csv", "".join(csv_blocks(SUMMARY, (row for one in found for row in _summary(one)))))
    for one in found:
        yield File(f"{one.key}-addresses.csv", "".join(csv_blocks(ADDRESSES, _addresses(one))))


def names(plan: Plan) -> list[str]:
    """Names of the files, of which one switch of each kind is written."""
    found = other_plans(plan)
    out = ["networks.csv", *(f"{one.key}-addresses.csv" for one in found)]
    for one in found:
        for key, devices in one.by_system().items():
            endings: dict[str, list[str]] = {}
            for device in devices:
                kind = one.wired.kind(device)
                if kind not in endings:
                    first = _under(one, key, [device])
                    endings[kind] = [file.name.removeprefix(one.wired.name(device)) for file in first]
                out += [f"{one.key}/{one.wired.name(device)}{ending}" for ending in endings[kind]]
    return out


def file_named(plan: Plan, wanted: str) -> File | None:
    """One of the files, without the others of switches; None where there is none of this name."""
    key, is_of_switch, name = wanted.partition("/")
    if not is_of_switch:
        return next((file for file in _tables(other_plans(plan)) if file.name == wanted), None)
    one = next((one for one in other_plans(plan) if one.key == key), None)
    device = one.links.table.devices.index_of(name.partition(".")[0]) if one else None
    for system, devices in one.by_system().items() if one else ():
        if one and device in devices:
            made = (File(f"{key}/{file.name}", file.text) for file in _under(one, system, [device]))
            return next((file for file in made if file.name == wanted), None)
    return None


def _under(network: OtherPlan, system: str, devices: Iterable[int]) -> Iterator[File]:
    return SYSTEMS[system].files(part_of(network, devices))


def _switches(network: OtherPlan) -> Iterator[File]:
    """Each switch under the system that its box usually runs, in a folder of the network."""
    for key, devices in network.by_system().items():
        for file in _under(network, key, devices):
            yield File(f"{network.key}/{file.name}", file.text)


def _summary(network: OtherPlan) -> Iterator[tuple[Cell, ...]]:
    pool, prefix = network.fact("pool"), network.fact("leaf_prefix")
    yield network.key, "subnet", str(network.subnet), "", pool.why, f"{pool.value}: {pool.source}", pool.trust
    if network.is_ethernet:
        length = 32 - network.leaf_bits
        why = "The ports of hosts of one leaf; the first address is the leaf's"
        yield network.key, "subnet of a leaf", f"/{length}", "", why, prefix.source, prefix.trust
    for name, value in settings_of(network).items():
        yield network.key, name, value.value, value.unit or "", value.why, value.source, value.trust


def _addresses(network: OtherPlan) -> Iterator[tuple[Cell, ...]]:
    """A row for every port of a host, in the order of the link list; switches of the network have none here."""
    links, wired = network.links, network.wired
    pool, mtu, flow = network.fact("pool"), network.fact("host_mtu_bytes"), network.flow
    source = f"[{pool.trust}] {pool.source}; MTU [{mtu.trust}]; class [{flow.trust}]"
    names = network.names_at_switches
    for host in wired.nodes:
        for port in wired.ports(host) if not network.is_uplink(host) else ():
            kind, address = wired.kind(port.peer), network.host_link(port.link)
            yield (
                wired.name(host),
                links.labels[wired.kind(host)].port(port.port),
                address.host,
                address.switch.partition("/")[0] if network.is_ethernet else "",
                wired.name(port.peer),
                names[kind].port(port.peer_port, port.peer_lane),
                mtu.value,
                flow.value,
                source,
            )
