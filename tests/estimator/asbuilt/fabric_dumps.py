"""Files as the real tools write them, made from a design's link list: what a fabric would say of itself."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from estimator.cabling.links import LinkList
from estimator.fabric.devices import MANAGER, NODE

SPEEDS = {50: "1xHDR", 100: "4xEDR", 200: "4xHDR", 400: "4xNDR", 800: "4xXDR"}


@dataclass(frozen=True)
class End:
    """One end of a cable: device, its label in the design, and its number from 1 as the subnet manager counts.

    ``part`` is the half of a split port, from 1; 0 for a whole one. A switch in split mode has two numbers a port.
    """

    device: str
    label: str
    number: int
    is_host: bool
    part: int = 0
    counts_halves: bool = False

    @property
    def topo(self) -> str:
        """The port as ibdiagnet writes it: P5, and of a split port P5/2."""
        port = (self.number + 1) // 2 if self.counts_halves else self.number
        return f"P{port}/{self.part}" if self.part else f"P{port}"


@dataclass(frozen=True)
class Cable:
    """What is plugged between two ends."""

    a: End
    b: End
    rate_gbit_s: int = 400


def cables_of(links: LinkList) -> list[Cable]:
    """Every link of the design as a cable."""
    devices, table = links.table.devices, links.table
    first_switch = devices.n[NODE] + devices.n[MANAGER]
    split = {name for name, lane in zip(table.b_device.tolist(), table.b_lane.tolist(), strict=True) if lane}
    out = []
    for i, row in enumerate(links.rows()):
        a_device, b_device, lane = int(table.a_device[i]), int(table.b_device[i]), int(table.b_lane[i])
        a_port, b_port = int(table.a_port[i]), int(table.b_port[i])
        a = End(row[5], row[7], numbered(a_port, 0, a_device in split), a_device < first_switch, 0, a_device in split)
        b = End(row[8], row[10], numbered(b_port, lane, b_device in split), False, lane, b_device in split)
        out.append(Cable(a, b, row[11]))
    return out


def numbered(port: int, part: int, counts_halves: bool) -> int:
    """A port (from 0) as the subnet manager counts it, from 1."""
    return 2 * port + max(part, 1) if counts_halves else port + 1


def swap(cables: list[Cable], i: int, j: int) -> None:
    """Exchange the upper ends of two cables."""
    cables[i], cables[j] = replace(cables[i], b=cables[j].b), replace(cables[j], b=cables[i].b)


def prefixed(cables: list[Cable], prefix: str) -> list[Cable]:
    """The cables of a network of its own, every device of it renamed."""

    def end(one: End) -> End:
        return replace(one, device=prefix + one.device)

    return [replace(cable, a=end(cable.a), b=end(cable.b)) for cable in cables]


def guid(text: str) -> str:
    """16 hex digits that belong to a name."""
    return "a088c2" + hashlib.sha256(text.encode()).hexdigest()[:10]


def _managed(name: str) -> str:
    return f"MF0;{name}:MQM9700/U1"


def ibnetdiscover(
    cables: list[Cable], switch_name: Callable[[str], str] = _managed, host_name: Callable[[str], str] = str
) -> Iterator[str]:
    """A dump in the layout of ibnetdiscover(8): a section a switch or NIC, a line a port, an aggregation node each."""
    sections: dict[tuple[str, str], list[tuple[End, End, int]]] = defaultdict(list)
    for cable in cables:
        for here, far in ((cable.a, cable.b), (cable.b, cable.a)):
            sections[here.device, here.label if here.is_host else ""].append((here, far, cable.rate_gbit_s))

    def description(end: End) -> str:
        return f"{host_name(end.device)} {end.label}" if end.is_host else switch_name(end.device)

    def node(end: End) -> tuple[str, int]:
        return ("H-" + guid(end.device + end.label), 1) if end.is_host else ("S-" + guid(end.device), end.number)

    yield "#\n# Topology file: generated on Sat Nov 28 10:00:00 2026\n#\n"
    yield "# Initiated from node a088c20300ab0000 port a088c20300ab0001\n"
    for lid, ports in enumerate(sections.values(), start=1):
        here = ports[0][0]
        name, _ = node(here)
        bare = name[2:]
        yield f"\nvendid=0x2c9\ndevid=0x{'1021' if here.is_host else 'd2f2'}\nsysimgguid=0x{bare}\n"
        if here.is_host:
            yield f'caguid=0x{bare}\nCa\t1 "{name}"\t\t# "{description(here)}"\n'
        else:
            yield f'switchguid=0x{bare}({bare})\nSwitch\t65 "{name}"\t\t# "{description(here)}" enhanced port 0 lid {lid} lmc 0\n'
        for end, far, rate in sorted(ports, key=lambda port: node(port[0])[1]):
            far_name, far_port = node(far)
            far_guid = f"({far_name[2:]}) " if far.is_host else ""
            if end.is_host:
                yield f'[1]({bare}) \t"{far_name}"[{far_port}]\t\t# lid {lid} lmc 0 "{description(far)}" lid 7 {SPEEDS[rate]}\n'
            else:
                yield f'[{node(end)[1]}]\t"{far_name}"[{far_port}]{far_guid}\t\t# "{description(far)}" lid 7 {SPEEDS[rate]}\n'
        if not here.is_host:
            own = guid(here.device + "sharp")
            yield f'[65]\t"H-{own}"[1]({own}) \t\t# "Mellanox Technologies Aggregation Node" lid 9 4xHDR\n'


def ports_report(cables: list[Cable]) -> Iterator[str]:
    """The report of ``ibnetdiscover -p``."""

    def side(end: End) -> tuple[str, str]:
        kind, number = ("CA", 1) if end.is_host else ("SW", end.number)
        name = f"{end.device} {end.label}" if end.is_host else end.device
        return f"{kind} {7:5d} {number:2d} 0x{guid(end.device + end.label if end.is_host else end.device)}", name

    for cable in cables:
        width, speed = SPEEDS[cable.rate_gbit_s].split("x")
        for here, far in ((cable.a, cable.b), (cable.b, cable.a)):
            (text, name), (far_text, far_name) = side(here), side(far)
            yield f"{text} {width}x {speed} - {far_text} ( '{name}' - '{far_name}' )\n"
    yield "SW     7 64 0xa088c2ffffffffff 4x  SDR                                         'leaf-x'\n"


def topo(cables: list[Cable]) -> Iterator[str]:
    """What ibdiagnet writes: a section a switch, its cables with width and lane rate."""
    sections: dict[str, list[tuple[End, End, int]]] = defaultdict(list)
    for cable in cables:
        for here, far in ((cable.a, cable.b), (cable.b, cable.a)):
            if not here.is_host:
                sections[here.device].append((here, far, cable.rate_gbit_s))
    for device, ports in sections.items():
        yield f"MQM9700 {device}\n"
        for here, far, rate in ports:
            where = f"HCA_mlx5_3 {far.device} {far.label}/P1" if far.is_host else f"MQM9700 {far.device} {far.topo}"
            lanes = 2 if here.part or far.part else 4
            yield f"    {here.topo} -{lanes}x-{rate // lanes}G-> {where}\n"
        yield "\n"


def iblinkinfo(cables: list[Cable]) -> Iterator[str]:
    """The report of iblinkinfo(8): a block a switch or NIC, a line a port."""
    blocks: dict[tuple[str, str], list[tuple[End, End, int]]] = defaultdict(list)
    for cable in cables:
        for here, far in ((cable.a, cable.b), (cable.b, cable.a)):
            blocks[here.device, here.label if here.is_host else ""].append((here, far, cable.rate_gbit_s))
    lid = {key: number for number, key in enumerate(blocks, start=1)}
    for key, ports in blocks.items():
        first = ports[0][0]
        own = f"0x{guid(first.device + first.label if first.is_host else first.device)}"
        name = f"{first.device} {first.label}" if first.is_host else _managed(first.device)
        yield f"CA: {name}:\n" if first.is_host else f"Switch: {own} {name}:\n"
        for here, far, rate in ports:
            width, speed = SPEEDS[rate].split("x")
            lane = {"HDR": "53.125", "EDR": "25.78125", "NDR": "106.25", "XDR": "212.5"}[speed]
            at = (lid[far.device, far.label if far.is_host else ""], 1 if far.is_host else far.number)
            far_name = f"{far.device} {far.label}" if far.is_host else _managed(far.device)
            port = 1 if here.is_host else here.number
            before = f"{own if here.is_host else ''} {lid[key]:>8}"
            yield (
                f"{before} {port:>4}[  ] ==( {width}X {lane} Gbps Active/  LinkUp)==> "
                f'{at[0]:>7} {at[1]:>4}[  ] "{far_name}" ( )\n'
            )


def lldp(
    cables: list[Cable],
    reports: Callable[[str], bool],
    name: Callable[[str], str] = str,
    alias: Callable[[int], str] | None = None,
    host_port: Callable[[str], str] = str,
    domain: str = "",
) -> str:
    """Tables of neighbours as SONiC prints them, of the devices that ``reports`` is true of, ports of switches by their lanes.

    ``alias`` names a switch's port to its neighbours, ``domain`` stands behind the names of neighbours.
    """

    def own(end: End) -> str:
        return host_port(end.label) if end.is_host else f"Ethernet{4 * (end.number - 1)}"

    rows: dict[str, list[tuple[End, End]]] = defaultdict(list)
    for cable in cables:
        rows[cable.a.device].append((cable.a, cable.b))
        rows[cable.b.device].append((cable.b, cable.a))
    out = []
    for device in (device for device in rows if reports(device)):
        out.append(f"admin@{name(device)}:~$ show lldp table\nCapability codes: (R) Router, (B) Bridge, (O) Other\n")
        out.append(
            f"{'LocalPort':<14}{'RemoteDevice':<34}{'RemotePortID':<20}{'Capability':<12}RemotePortDescr\n{'-' * 40}\n"
        )
        if not rows[device][0][0].is_host:
            out.append(f"{'eth0':<14}{'oob-sw1':<34}{'Ethernet7':<20}{'BR':<12}rack 4\n")
        for here, far in rows[device]:
            far_port = alias(far.number) if alias and not far.is_host else own(far)
            kind = "" if far.is_host else "BR"
            out.append(f"{own(here):<14}{name(far.device) + domain:<34}{far_port:<20}{kind:<12}to the fabric\n")
        out.append("Total entries displayed:  3\n")
    return "".join(out)
