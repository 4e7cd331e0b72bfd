"""Random networks as files in every format, renamed and with five faults each, are imported without a map of names: each fault
is found where it was made. A few are drawn by default, a hundred with TESTS_THOROUGH=1."""

import io
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

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
EXPECTED = {"swapped": 1, "missing": 1, "wrong_port": 1, "moved": 1, "doubled": 1}


def network(draw: random.Random) -> LinkList:
    """A network of two or three tiers that can be built."""
    while True:
        rails = draw.choice([1, 2, 4, 8])
        generation, radix = draw.choice([("edr", 36), ("hdr", 40), ("ndr", 64)])
        fabric = {
            "generation": generation,
            "oversubscription": draw.choice(["1:1", "1:1", "2:1", "3:1"]),
            "layout": draw.choice(["rail-optimized", "rail-optimized", "top-of-rack"]) if rails > 1 else "top-of-rack",
        }
        compute = {
            "server": "custom",
            "nodes": draw.randint(12, 3 * radix),
            "gpus_per_node": rails,
            "nics_per_node": rails,
        }
        try:
            links = link_list(parse_spec({"compute": compute, "fabric": fabric}, CATALOG), CATALOG)
        except EstimatorError:
            continue
        if links.table.devices.n["spine"] > 1:
            return links


def disturbed(cables: list[Cable], draw: random.Random) -> tuple[list[Cable], Cable]:
    """The cables with two far ends exchanged, one gone, one twice, one on a free port of its switch and one on a free port of
    another switch; and the one that is gone."""
    free: dict[str, set[int]] = {}
    for end in (end for cable in cables for end in (cable.a, cable.b) if not end.is_host):
        free.setdefault(end.device, set()).add(end.number)
    links_of = Counter(end.device for cable in cables for end in (cable.a, cable.b))
    able = [
        i for i, cable in enumerate(cables) if links_of[cable.a.device] > 1
    ]  # a server whose only link is gone is nowhere
    at = draw.sample(able, 6)
    while cables[at[0]].b.device == cables[at[1]].b.device or cables[at[0]].a.device == cables[at[1]].a.device:
        at = draw.sample(able, 6)
    one, other, gone, twice, port, moved = at
    out = list(cables)
    dumps.swap(out, one, other)

    def spare(device: str) -> End:
        number = max(free[device]) + 1
        free[device].add(number)
        return End(device, f"P{number}", number, False)

    out[port] = replace(out[port], b=spare(out[port].b.device))
    here = out[moved].b.device
    like = sorted(device for device in free if device != here and device.split("-")[0] == here.split("-")[0])
    elsewhere = draw.choice(like)
    out[moved] = replace(out[moved], b=spare(elsewhere))
    out.append(out[twice])
    lost = out.pop(gone)
    return out, lost


def sheet(cables: list[Cable]) -> str:
    rows = (f"{c.a.device},{c.a.label if c.a.is_host else c.a.number},{c.b.device},{c.b.number}\n" for c in cables)
    return "StartDevice,StartPort,EndDevice,EndPort\n" + "".join(rows)


FORMATS: dict[str, Callable[[list[Cable]], str]] = {
    "csv": sheet,
    "topo": lambda cables: "".join(dumps.topo(cables)),
    "ibnetdiscover": lambda cables: "".join(dumps.ibnetdiscover(cables)),
    "ports report": lambda cables: "".join(dumps.ports_report(cables)),
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


def tried(file_format: str, seed: int) -> bool:
    draw = random.Random(seed)
    links = network(draw)
    cables, lost = disturbed(cables_of(links), draw)
    names = links.table.devices.names
    new = dict(zip(names, [f"dev{i:05d}" for i in draw.sample(range(90_000), len(names))], strict=True))

    def end(one: End) -> End:
        return replace(one, device=new[one.device])

    renamed = [replace(cable, a=end(cable.a), b=end(cable.b)) for cable in cables]
    lost = replace(lost, a=end(lost.a), b=end(lost.b))
    file = io.BytesIO(FORMATS[file_format](renamed).encode())
    return is_located(check_links(links, read_links(file)), lost)


@pytest.mark.parametrize("file_format", FORMATS)
def test_five_faults_of_random_networks_are_located_without_a_map_of_names(file_format: str) -> None:
    n = 25 if THOROUGH else 2
    located = [tried(file_format, seed) for seed in range(n)]
    assert sum(located) >= LEAST_LOCATED * n, located
