"""Servers and switches of files that do not say which devices are which: LLDP tables and sheets become designs all the same."""

import hashlib
import io
import re
from collections.abc import Callable
from typing import Any

import pytest

from estimator.asbuilt.check import check_links
from estimator.asbuilt.dump import read_dump
from estimator.asbuilt.readers.files import read_links
from estimator.asbuilt.readers.found import FoundLinks
from estimator.asbuilt.report import report
from estimator.asbuilt.to_spec import designs_of_dump
from estimator.cabling.links import LinkList
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError
from estimator.handoff.formats import format_named
from estimator.link_list import link_list
from estimator.spec.parse import parse_spec
from tests.estimator.asbuilt.fabric_dumps import cables_of, lldp

CATALOG = load_catalog()


def made(nodes: int, nics: int = 8, generation: str = "roce-400", **fabric: Any) -> LinkList:
    compute = {"server": "custom", "nodes": nodes, "gpus_per_node": nics, "nics_per_node": nics}
    return link_list(parse_spec({"compute": compute, "fabric": {"generation": generation} | fabric}, CATALOG), CATALOG)


def read(text: str) -> FoundLinks:
    return read_links(io.BytesIO(text.encode()))


def anonymous(name: str) -> str:
    return "x" + hashlib.sha256(name.encode()).hexdigest()[:6]


def is_switch(name: str) -> bool:
    return not name.startswith("node")


NETWORKS = {
    "eight NICs": made(64),
    "one leaf": made(8),
    "one NIC": made(32, 1, layout="top-of-rack", leaf_downlinks=16, leaf_uplinks=8),
    "three tiers": made(64, 2, leaf_radix=16, spine_radix=16, core_radix=16, tiers=3, leaf_downlinks=8, leaf_uplinks=8),
}
WHO: dict[str, Callable[[str], bool]] = {
    "switches": is_switch,
    "leaves": lambda name: name.startswith("leaf"),
    "all": lambda _: True,
}


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("hides", [(), ("names",), ("names", "ports")], ids=["plain", "no names", "no names, no ports"])
def test_tables_of_neighbours_become_the_design(network: str, who: str, hides: tuple[str, ...]) -> None:
    links = NETWORKS[network]
    has_cores = bool(links.table.devices.n["core"])
    if who == "leaves" and has_cores:
        pytest.skip("nobody has listed the links of cores")
    text = lldp(
        cables_of(links),
        WHO[who],
        anonymous if "names" in hides else str,
        host_port=(lambda label: f"Port{label[-1]}") if "ports" in hides else str,
    )
    if "ports" in hides:
        text = text.replace("Ethernet", "Frontage")
    found = read(text)
    (one,) = designs_of_dump(found, CATALOG)
    n = links.table.devices.n
    assert (one.counts.n_nodes, one.counts.n_leaf, one.counts.n_spine, one.counts.n_core) == (
        n["node"],
        n["leaf"],
        n["spine"],
        n["core"],
    )
    assert one.differences == ()
    assert one.spec.fabric.generation == "roce-400"
    assert any(f"{n['node']} servers (" in line for line in one.reported)
    assert any("RoCE 400G is taken" in line for line in one.unreported)
    answer = report(check_links(links, found))
    assert (answer.as_designed, answer.planned) == (len(links), len(links)), answer.summary


@pytest.mark.parametrize("who", WHO)
def test_aliases_of_ports_domains_and_management_ports_make_no_second_link(who: str) -> None:
    """A leaf and its spine each have the other's port under an alias that the other's own table does not use."""
    links = NETWORKS["eight NICs"]
    found = read(lldp(cables_of(links), WHO[who], alias=lambda number: f"etp{number}", domain=".dc.example.org"))
    n_switches = sum(map(WHO[who], {name for name in links.table.devices.names if is_switch(name)}))
    assert found.drop_counts == {"management_port": n_switches}
    (one,) = designs_of_dump(found, CATALOG)
    assert (one.counts.links_node_leaf, one.counts.links_leaf_spine) == (512, 512)
    answer = report(check_links(links, found))
    assert (answer.as_designed, answer.totals["unknown_devices"]) == (len(links), 0), answer.summary
    assert "gave no link" not in answer.summary


def test_two_hosts_of_one_name_in_two_domains_stay_two() -> None:
    rows = ("Ethernet0  node1.a.example  eth1  O  x", "Ethernet4  node1.b.example  eth1  O  x")
    text = "### leaf1\nLocalPort  RemoteDevice  RemotePortID  Capability  RemotePortDescr\n" + "\n".join(rows) + "\n"
    found = read(text)
    assert set(found.names) == {"leaf1", "node1.a.example", "node1.b.example"}
    assert found.kinds.count("host") == 2, "neither bridge nor router"


@pytest.mark.parametrize("name", ["ens{0}f0np0", "mlx5_{0}", "gpu{0}_eth", "to the fabric"])
def test_mac_addresses_are_in_no_order(name: str) -> None:
    """lldpd of a server sends its NIC's MAC address as the port and the interface as its description."""
    links = made(16)

    def as_lldpd(row: re.Match[str]) -> str:
        tail = hashlib.sha256(f"{row[2]} {row[3]}".encode()).hexdigest()
        mac = ":".join(("00", "00", "5e", tail[:2], tail[2:4], tail[4:6]))
        return f"{row[1]}{mac:<20}{'O':<12}{name.format(row[3])}"

    text = re.sub(r"((node-\d+) +)mlx5_(\d) +to the fabric", as_lldpd, lldp(cables_of(links), WHO["switches"]))
    assert text.count("00:00:5e") == 128
    answer = report(check_links(links, read(text)))
    assert (answer.as_designed, answer.planned) == (len(links), len(links)), answer.summary
    first, second = (re.search(rf"{node} +(00:\S+)", text) for node in ("node-0001", "node-0002"))
    assert first
    assert second
    rows = {first[0]: second[0], second[0]: first[0]}
    answer = report(check_links(links, read(re.sub("|".join(rows), lambda row: rows[row[0]], text))))
    assert (answer.as_designed, answer.totals["swapped"]) == (len(links) - 2, 1), answer.summary


def test_servers_that_the_file_calls_so_are_not_said_to_be_none() -> None:
    """SONiC says of neighbours whether they are bridges: only what the file leaves open is derived, and said so."""
    head = "LocalPort  RemoteDevice  RemotePortID  Capability  RemotePortDescr\n"
    rows = "".join(f"Ethernet{8 * i}  h{i}  00:00:5e:00:53:0{i}  O  x\n" for i in range(4))
    found = read(f"### leaf1\n{head}{rows}")
    assert found.kinds.count("host") == 4
    (one,) = designs_of_dump(found, CATALOG)
    assert one.reported[:2] == (
        "4 servers with 1 port each at a rate that the file does not give.",
        "Which devices are which follows from their ports, names and links: 1 switch (leaf1).",
    )


def test_the_same_link_by_a_mac_address_and_by_a_name_is_one() -> None:
    head = "LocalPort  RemoteDevice  RemotePortID  Capability  RemotePortDescr\n"
    text = (
        f"### leaf1\n{head}Ethernet0  n1  00:00:5e:00:53:01  O  x\nEthernet4  n2  00:00:5e:00:53:02  O  x\n"
        "### n1\n" + head + "ens1f0  leaf1  Ethernet0  BR  x\n"
    )
    (one,) = designs_of_dump(read(text), CATALOG)
    assert (one.counts.n_nodes, one.counts.links_node_leaf) == (2, 2)


@pytest.mark.parametrize("generation", ["roce-100", "roce-400", "roce-800", "ndr"])
@pytest.mark.parametrize("form", ["csv", "xlsx-p2p", "netbox-csv"])
def test_a_sheet_of_ethernet_links_is_no_infiniband(form: str, generation: str) -> None:
    links = made(64, generation=generation)
    (one,) = designs_of_dump(read_links(io.BytesIO(b"".join(format_named(form).write(links)))), CATALOG)
    assert one.differences == ()
    wanted = "roce-400" if form == "netbox-csv" and generation != "ndr" else generation  # NetBox has no rates
    assert one.spec.fabric.generation == wanted


AMBIGUOUS = "a_device,a_port,b_device,b_port\n" + "".join(
    f"x{a},p{b},y{b},p{a}\n" for a in range(1, 5) for b in range(1, 5)
)


def test_what_nothing_tells_is_refused_and_can_be_said() -> None:
    with pytest.raises(EstimatorError) as refused:
        read_dump(io.BytesIO(AMBIGUOUS.encode()), CATALOG)
    (problem,) = refused.value.problems
    assert problem.code == "no_kinds"
    assert "Name the servers, with a pattern such as gpu*" in problem.message
    found = read_dump(io.BytesIO(AMBIGUOUS.encode()), CATALOG, servers=("x*",))
    assert found.networks[0].spec["compute"]["nodes"] == 4
    with pytest.raises(EstimatorError) as wrong:
        read_dump(io.BytesIO(AMBIGUOUS.encode()), CATALOG, servers=("gpu*",))
    assert [(one.field, one.code) for one in wrong.value.problems] == [("servers", "no_such_device")]


def test_a_file_without_links_of_servers_is_compared() -> None:
    links = NETWORKS["eight NICs"]
    cables = [cable for cable in cables_of(links) if not cable.a.is_host]
    answer = report(check_links(links, read(lldp(cables, is_switch))))
    assert (answer.as_designed, answer.totals["missing"]) == (512, 512)
    assert answer.built.oversubscription.found.built is None
