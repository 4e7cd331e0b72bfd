"""Random networks as files in every format, renamed and with five faults each, are imported without a map of names: each fault
is found where it was made. A few are drawn by default, a hundred of each format with TESTS_THOROUGH=1."""

import io
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from estimator.asbuilt.check import LinkCheck, check_links
from estimator.asbuilt.readers.files import read_links
from estimator.asbuilt.report import report
from estimator.cabling.links import LinkList
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError
from estimator.link_list import link_list
from estimator.spec.parse import parse_spec
from tests.estimator.asbuilt import fabric_dumps as dumps
from tests.estimator.asbuilt.fabric_dumps import Cable, End, cables_of
from tests.thorough import THOROUGH

CATALOG = load_catalog()
LEAST_LOCATED = 0.95
MOST_LINKS = 3000
SHAPES = ("plain", "pods", "planes", "growth", "split ports")
EXPECTED = {"swapped": 1, "missing": 1, "wrong_port": 1, "moved": 1, "doubled": 1}


def network(draw: random.Random, shape: str) -> LinkList:
    """A network of a shape that can be built, with two spines or more."""
    while True:
        rails = draw.choice([1, 2, 4, 8])
        generation, radix = draw.choice([("edr", 36), ("hdr", 40), ("ndr", 64)])
        nodes = draw.randint(12, 3 * radix)
        fabric: dict[str, Any] = {
            "generation": generation,
            "oversubscription": draw.choice(["1:1", "1:1", "2:1", "3:1"]),
            "layout": draw.choice(["rail-optimized", "rail-optimized", "top-of-rack"]) if rails > 1 else "top-of-rack",
        }
        if shape == "pods":
            rails, nodes = draw.choice([1, 2]), draw.randint(20, 60)
            fabric = {"generation": "hdr", "tiers": 3, "leaf_downlinks": 4, "leaf_uplinks": 4, "scalable_unit_nodes": 4}
            fabric |= {"leaf_radix": 8, "spine_radix": 8, "core_radix": 8, "pod_nodes": 4 * draw.randint(2, 4)}
        elif shape == "planes":
            fabric["planes"] = 2
        elif shape == "growth":
            fabric["grow_to_nodes"] = nodes * draw.randint(2, 4)
        elif shape == "split ports":
            fabric |= {"generation": "hdr", "splitters": True}
            nodes = draw.randint(60, 160)
        compute = {"server": "custom", "nodes": nodes, "gpus_per_node": rails, "nics_per_node": rails}
        try:
            links = link_list(parse_spec({"compute": compute, "fabric": fabric}, CATALOG), CATALOG)
        except EstimatorError:
            continue
        if links.table.devices.n["spine"] > 1 and len(links) < MOST_LINKS and _has_room(links):
            return links


def disturbed(links: LinkList, draw: random.Random) -> tuple[list[Cable], Cable]:
    """The cables with two far ends exchanged, one gone, one twice, one on a free port of its switch and one on a free port of
    another switch; and the one that is gone."""
    cables, free = cables_of(links), _free_ports(links)
    links_of = Counter(end.device for cable in cables for end in (cable.a, cable.b))
    able = [
        i for i, cable in enumerate(cables) if links_of[cable.a.device] > 1
    ]  # a server whose only link is gone is nowhere

    def others(device: str) -> list[str]:
        """Switches of the same tier that have a free port."""
        return sorted(one for one in free if one != device and one.split("-")[0] == device.split("-")[0] and free[one])

    def are_right(at: list[int]) -> bool:
        one, other, _, _, port, moved = (cables[i] for i in at)
        is_swap = one.b.device != other.b.device and one.a.device != other.a.device
        return is_swap and len(free[port.b.device]) > 1 and bool(others(moved.b.device))

    at = next(at for _ in range(10_000) if are_right(at := draw.sample(able, 6)))
    one, other, gone, twice, port, moved = at
    out = list(cables)
    dumps.swap(out, one, other)
    out[port] = replace(out[port], b=free[out[port].b.device].pop())
    out[moved] = replace(out[moved], b=free[draw.choice(others(out[moved].b.device))].pop())
    out.append(out[twice])
    lost = out.pop(gone)
    return out, lost


def _has_room(links: LinkList) -> bool:
    """Whether two switches of a tier have free ports, so that a cable can be moved from one to another."""
    n = Counter(device.split("-")[0] for device, ports in _free_ports(links).items() if len(ports) > 1)
    return max(n.values(), default=0) > 1


def _free_ports(links: LinkList) -> dict[str, list[End]]:
    """Ports of every switch that the design leaves empty."""
    devices = links.table.devices
    cables = cables_of(links)
    used = {(end.device, end.label) for cable in cables for end in (cable.a, cable.b)}
    halves = {end.device for cable in cables for end in (cable.a, cable.b) if end.counts_halves}
    out = {}
    for kind in ("leaf", "spine", "core"):
        labels = links.labels.get(kind)
        for name in devices.names[devices.of(kind)] if labels else ():
            whole = [(port, label) for port, label in enumerate(labels.ports) if (name, label) not in used]
            taken = {label.rsplit("/", 1)[0] for device, label in used if device == name}
            out[name] = [
                End(name, label, dumps.numbered(port, 0, name in halves), False, 0, name in halves)
                for port, label in whole
                if label not in taken
            ]
    return out


def sheet(header: str, cables: list[Cable]) -> str:
    """A row a link, ports as the design prints them."""
    return header + "\n" + "".join(f"{c.a.device},{c.a.label},{c.b.device},{c.b.label}\n" for c in cables)


FORMATS: dict[str, Callable[[list[Cable]], str]] = {
    "csv": lambda cables: sheet("a_device,a_port,b_device,b_port", cables),
    "UFM sheet": lambda cables: sheet("StartDevice,StartPort,EndDevice,EndPort", cables),
    "netbox": lambda cables: sheet("side_a_device,side_a_name,side_b_device,side_b_name", cables),
    "topo": lambda cables: "".join(dumps.topo(cables)),
    "ibnetdiscover": lambda cables: "".join(dumps.ibnetdiscover(cables)),
    "ports report": lambda cables: "".join(dumps.ports_report(cables)),
    "iblinkinfo": lambda cables: "".join(dumps.iblinkinfo(cables)),
}


def is_located(check: LinkCheck, lost: Cable) -> bool:
    """Every fault in its list, and the missing cable between the devices that it was taken from."""
    answer = report(check)
    found = {name: n for name, n in answer.totals.items() if n}
    if found != EXPECTED:
        return False
    devices = check.links.table.devices
    in_file = {devices.names[target]: check.file.names[i] for i, target in enumerate(check.match.design.tolist())}
    (gone,) = answer.missing
    return {in_file[gone.a.device], in_file[gone.b.device]} == {lost.a.device, lost.b.device}


def tried(file_format: str, shape: str, seed: int) -> bool:
    draw = random.Random(seed)
    links = network(draw, shape)
    cables, lost = disturbed(links, draw)
    names = links.table.devices.names
    new = dict(zip(names, [f"dev{i:05d}" for i in draw.sample(range(90_000), len(names))], strict=True))

    def end(one: End) -> End:
        return replace(one, device=new[one.device])

    renamed = [replace(cable, a=end(cable.a), b=end(cable.b)) for cable in cables]
    lost = replace(lost, a=end(lost.a), b=end(lost.b))
    file = io.BytesIO(FORMATS[file_format](renamed).encode())
    return is_located(check_links(links, read_links(file)), lost)


SAMPLE = {
    "csv": ("pods",),
    "UFM sheet": ("growth",),
    "netbox": ("plain",),
    "topo": ("split ports", "pods"),
    "ibnetdiscover": ("split ports", "planes"),
    "ports report": ("growth",),
    "iblinkinfo": ("split ports", "plain"),
}  # a shape or two of each format by default


@pytest.mark.parametrize("file_format", FORMATS)
def test_five_faults_of_random_networks_are_located_without_a_map_of_names(file_format: str) -> None:
    draws = (
        [(shape, seed) for shape in SHAPES for seed in range(20)] if THOROUGH else [(s, 0) for s in SAMPLE[file_format]]
    )
    located = [tried(file_format, *draw) for draw in draws]
    assert sum(located) >= LEAST_LOCATED * len(draws), located
