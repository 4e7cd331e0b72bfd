"""Hosts that are no usual servers, and dumps that are not whole: DPUs, gateways, routers, shared names, files cut off."""

import io

import pytest

from estimator.asbuilt.check import check_links
from estimator.asbuilt.readers.files import read_links
from estimator.asbuilt.report import report
from estimator.asbuilt.to_spec import DumpDesign, design_of_dump
from estimator.cabling.links import LinkList
from estimator.catalog.loader import load_catalog
from estimator.link_list import link_list
from estimator.spec.parse import parse_spec
from tests.estimator.asbuilt.fabric_dumps import Cable, End, cables_of, guid, ibnetdiscover

CATALOG = load_catalog()
SPEC = {
    "compute": {"server": "custom", "nodes": 24, "gpus_per_node": 2, "nics_per_node": 2},
    "fabric": {"generation": "hdr", "leaf_downlinks": 12, "leaf_uplinks": 12},
}


@pytest.fixture(scope="module")
def links() -> LinkList:
    return link_list(parse_spec(SPEC, CATALOG), CATALOG)


def designed(text: str) -> DumpDesign:
    return design_of_dump(read_links(io.BytesIO(text.encode())), CATALOG)


def dump(cables: list[Cable], **names: object) -> str:
    return "".join(ibnetdiscover(cables, **names))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ('"node-0001 mlx5_1"', '"node-0001-bf3 mlx5_0"'),
        ('"node-0001 mlx5_1"', '"node-0001-bf3 BlueField-3 mlx5_0"'),
        ('"node-0001 mlx5_1"', '"node-0001-dpu mlx5_0"'),
        (' mlx5_1"', ' MT41692 BlueField3   Mellanox Technologies mlx5_1"'),
        ('"node-0002 mlx5_1"', '"localhost mlx5_0"'),
    ],
)
def test_a_dpu_is_a_nic_of_its_host(was: str, now: str, links: LinkList) -> None:
    found = designed(dump(cables_of(links)).replace(was, now))
    assert (found.counts.n_nodes, found.counts.ports_mode, found.differences) == (24, 2, ())


@pytest.mark.parametrize("name", ["skyway-gw1", "lnet-gateway"])
def test_a_gateway_is_no_server(name: str, links: LinkList) -> None:
    cables = cables_of(links)
    leaves = sorted({cable.b.device for cable in cables if cable.a.is_host})
    gateway = [Cable(End(name, f"mlx5_{k}", 1, True), End(leaves[k % 4], "", 30 + k, False), 200) for k in range(8)]
    found = designed(dump([*cables, *gateway]))
    assert (found.counts.n_nodes, found.counts.n_managers, found.counts.n_manager_links) == (24, 1, 8)
    assert found.differences == ()
    assert any(
        f"1 host ({name}), a gateway or router: 8 ports of leaves are kept for it." in line for line in found.reported
    )


def test_a_host_of_many_ports_is_asked_about(links: LinkList) -> None:
    cables = cables_of(links)
    leaves = sorted({cable.b.device for cable in cables if cable.a.is_host})
    wide = [Cable(End("x17", f"mlx5_{k}", 1, True), End(leaves[k % 4], "", 30 + k, False), 200) for k in range(8)]
    found = designed(dump([*cables, *wide]))
    assert (found.counts.n_nodes, found.counts.n_managers) == (24, 1)
    assert any("What 1 host could be: login, storage" in line and "gateways?" in line for line in found.unreported)


def test_a_router_between_subnets_is_no_server(links: LinkList) -> None:
    cables = cables_of(links)
    leaf = next(cable.b.device for cable in cables if cable.a.is_host)
    section = (
        '\nvendid=0x2c9\nrtguid=0xa088c2000000ffff\nRt\t2 "R-a088c2000000ffff"\t\t# "r1"\n'
        f'[1](a088c2000000fffe) \t"S-{guid(leaf)}"[31]\t\t# lid 77 lmc 0 "MF0;{leaf}:MQM9700/U1" lid 1 4xHDR\n'
    )
    found = designed(dump(cables) + section)
    assert (found.counts.n_nodes, found.counts.n_routers, found.differences) == (24, 1, ())


def test_two_servers_of_one_name_are_counted_by_their_ports(links: LinkList) -> None:
    text = dump(cables_of(links), host_name=lambda name: "node-0001" if name == "node-0002" else name)
    found = designed(text)
    assert (found.counts.n_nodes, found.differences) == (24, ())
    assert any("4 HCAs with a name that others have, too." in line for line in found.reported)


def test_servers_that_all_have_one_name_are_said_to_be_open(links: LinkList) -> None:
    found = designed(dump(cables_of(links), host_name=lambda _: "compute"))
    assert any(
        "no HCA has the name of a host of its own, so each of the 48 counts" in line for line in found.unreported
    )


def test_a_dump_that_is_cut_off_says_so(links: LinkList) -> None:
    text = dump(cables_of(links))
    half = text[: len(text) // 2]
    assert any("is the file cut off?" in line for line in designed(half).unreported)
    found = read_links(io.BytesIO(half.encode()))
    assert "named by others alone: is it cut off?" in report(check_links(links, found)).summary
    whole = read_links(io.BytesIO(text.encode()))
    assert whole.cut == ()
    assert "cut off" not in report(check_links(links, whole)).summary
    sections = text.split("\n\n")
    switches_alone = "\n\n".join(section for section in sections if "switchguid" in section)
    assert read_links(io.BytesIO(switches_alone.encode())).cut == ()
