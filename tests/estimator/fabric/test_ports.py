"""Cage and port names, against the vendors' own examples and files; every part of the catalog, every way to split it."""

import pytest

from estimator.catalog.loader import load_catalog
from estimator.catalog.ports import nics_named, switch_ports
from estimator.catalog.records import PortNaming, RdmaName, ServerPort
from estimator.fabric.ports import Labels, management_port, node_labels, port_system, switch_labels

CATALOG = load_catalog()


def labels(switch: str, rate: int, lanes: int = 1) -> Labels:
    ports = switch_ports(CATALOG.switches[switch], rate)
    assert ports is not None
    return switch_labels(CATALOG.switches[switch], ports.radix, ports.links_per_cage, lanes, rate, CATALOG)


# Printed examples: MLNX-OS manual (1/5, 1/5/1, 1/3/1, 1/3/2), NVOS (sw1p1, sw1p1s1), Cumulus (swp1s0), port_config.ini of
# Edgecore AS9736-64D (Ethernet0, 8, 16 …), Hedgehog's DS5000 profile (offsets 0 and 4; 0, 2, 4, 6; 0 to 7), EOS manual
# (eight lanes: Ethernet1/1 to 1/8), NX-OS (Ethernet1/1/1), Junos (et-fpc/pic/port:channel).
@pytest.mark.parametrize(
    ("switch", "rate", "lanes", "port", "lane", "name"),
    [
        ("nvidia-sb7800", 100, 1, 35, 0, "1/36"),
        ("nvidia-qm8700", 200, 1, 4, 0, "1/5"),
        ("nvidia-qm8700", 200, 2, 4, 1, "1/5/1"),
        ("nvidia-qm8700", 200, 2, 4, 2, "1/5/2"),
        ("nvidia-qm8700", 100, 1, 8, 0, "1/5/1"),
        ("nvidia-qm8700", 100, 1, 9, 0, "1/5/2"),
        ("nvidia-qm9700", 400, 1, 4, 0, "1/3/1"),
        ("nvidia-qm9700", 400, 1, 5, 0, "1/3/2"),
        ("nvidia-qm9700", 400, 1, 0, 0, "1/1/1"),
        ("nvidia-qm9700", 400, 1, 63, 0, "1/32/2"),
        ("nvidia-qm9700", 400, 2, 4, 1, "1/3/1/1"),
        ("nvidia-qm9700", 400, 2, 5, 2, "1/3/2/2"),
        ("nvidia-qm9700", 200, 1, 8, 0, "1/3/1/1"),
        ("nvidia-qm9700", 200, 1, 11, 0, "1/3/2/2"),
        ("nvidia-cs8500", 200, 1, 0, 0, "1/1/1"),
        ("nvidia-cs8500", 200, 1, 799, 0, "40/1/20"),
        ("nvidia-q3400-ra", 800, 1, 0, 0, "sw1p1"),
        ("nvidia-q3400-ra", 800, 1, 1, 0, "sw1p2"),
        ("nvidia-q3400-ra", 800, 1, 143, 0, "sw72p2"),
        ("nvidia-q3400-ra", 800, 2, 0, 1, "sw1p1s1"),
        ("nvidia-q3400-ra", 400, 1, 3, 0, "sw1p2s2"),
        ("nvidia-q3450-ld", 800, 1, 143, 0, "sw144p1"),
        ("nvidia-sn5600", 800, 1, 0, 0, "swp1"),
        ("nvidia-sn5600", 400, 1, 0, 0, "swp1s0"),
        ("nvidia-sn5600", 400, 1, 127, 0, "swp64s1"),
        ("nvidia-sn5600", 200, 1, 3, 0, "swp1s3"),
        ("nvidia-sn5600", 400, 2, 1, 1, "swp1s2"),
        ("nvidia-sn4600c", 100, 1, 63, 0, "swp64"),
        ("edgecore-as9736-64d", 400, 1, 0, 0, "Ethernet0"),
        ("edgecore-as9736-64d", 400, 1, 7, 0, "Ethernet56"),
        ("edgecore-as9736-64d", 200, 1, 1, 0, "Ethernet4"),
        ("celestica-ds5000", 800, 1, 63, 0, "Ethernet504"),
        ("celestica-ds5000", 400, 1, 1, 0, "Ethernet4"),
        ("celestica-ds5000", 400, 1, 2, 0, "Ethernet8"),
        ("celestica-ds5000", 200, 1, 3, 0, "Ethernet6"),
        ("celestica-ds5000", 100, 1, 7, 0, "Ethernet7"),
        ("arista-7060x6-64pe", 800, 1, 1, 0, "Ethernet2/1"),
        ("arista-7060x6-64pe", 400, 1, 0, 0, "Ethernet1/1"),
        ("arista-7060x6-64pe", 400, 1, 1, 0, "Ethernet1/5"),
        ("arista-7060x6-64pe", 200, 1, 3, 0, "Ethernet1/7"),
        ("arista-7808r4", 400, 1, 0, 0, "Ethernet3/1/1"),
        ("arista-7808r4", 400, 1, 575, 0, "Ethernet10/36/5"),
        ("cisco-9332d-gx2b", 400, 1, 0, 0, "Ethernet1/1"),
        ("cisco-9332d-gx2b", 100, 1, 127, 0, "Ethernet1/32/4"),
        ("cisco-n9364e-sg2", 400, 1, 0, 0, "Ethernet1/1/1"),
        ("cisco-8122-64eh", 400, 1, 1, 0, "Ethernet4"),
        ("juniper-qfx5230-64cd", 400, 1, 0, 0, "et-0/0/0"),
        ("juniper-qfx5240-64od", 400, 1, 1, 0, "et-0/0/0:1"),
        ("juniper-ptx10008", 400, 1, 287, 0, "et-7/0/35"),
        ("generic-1g-oob", 1, 1, 47, 0, "48"),
    ],
)
def test_names_are_those_that_the_platform_prints(
    switch: str, rate: int, lanes: int, port: int, lane: int, name: str
) -> None:
    assert labels(switch, rate, lanes).port(port, lane) == name


def test_qm9700_has_64_names_in_32_cages() -> None:
    made = labels("nvidia-qm9700", 400)
    assert made.ports == [f"1/{cage}/{port}" for cage in range(1, 33) for port in (1, 2)]
    assert made.cages == [str(cage) for cage in range(1, 33) for _ in range(2)]
    assert made.cage_ports[4:6] == ["1/3", "1/3"]


MODES = [
    (part, rate, lanes)
    for part, switch in CATALOG.switches.items()
    for rate in sorted({c.link_rate_gbit_s for c in switch.cages} | {m.link_rate_gbit_s for m in switch.breakouts})
    for lanes in (1, 2, 4)
    if switch_ports(switch, rate)
]


@pytest.mark.parametrize(("part", "rate", "lanes"), MODES)
def test_no_name_is_given_twice(part: str, rate: int, lanes: int) -> None:
    made = labels(part, rate, lanes)
    ports = switch_ports(CATALOG.switches[part], rate)
    assert ports is not None
    n = ports.radix
    assert {len(column) for column in (made.cages, made.cage_ports, *made.lanes)} == {n}
    assert len(set(made.ports)) == n
    split = [name for column in made.lanes[1:] for name in column]
    assert len(set(split)) == len(split) == (n * lanes if lanes > 1 else 0)
    cage_of = dict(zip(made.ports, made.cages, strict=True))
    shared = [(name, cage) for column in made.lanes[1:] for name, cage in zip(column, made.cages, strict=True)]
    assert all(cage_of.get(name, cage) == cage for name, cage in shared)  # only inside a cage, which splits as a whole
    sizes = [made.cages.count(cage) for cage in dict.fromkeys(made.cages)]
    assert set(sizes[:-1]) <= {ports.links_per_cage}
    assert made.ports[0].split()[0] == made.ports[0]


def test_uplinks_of_a_48_port_box_follow_its_copper_ports() -> None:
    box = CATALOG.switches["nvidia-sn2201"]
    down, up = (switch_labels(box, n, 1, 1, rate, CATALOG) for n, rate in ((48, 1), (4, 100)))
    assert (down.ports[0], down.ports[-1], up.ports) == ("swp1", "swp48", ["swp49", "swp50", "swp51", "swp52"])


def test_a_custom_switch_has_plain_numbers() -> None:
    made = switch_labels(None, 6, 2, 2, 400, CATALOG)
    assert made.ports == ["1", "2", "3", "4", "5", "6"]
    assert made.lanes[2] == ["1/2", "2/2", "3/2", "4/2", "5/2", "6/2"]
    assert made.cages == ["1", "1", "2", "2", "3", "3"]
    assert port_system(None, CATALOG) == "any"


def node(server: str | None, n_links: int, per_cage: int = 1, role: str = "compute", **more: bool) -> Labels:
    return node_labels(CATALOG.server(server), n_links, per_cage, role, CATALOG, "ndr", **more)


def test_dgx_h100_adapters_are_in_rail_order_with_the_cages_of_the_user_guide() -> None:
    """User guide, table 6: GPU 0 is OSFP4P2 mlx5_0 … GPU 7 is OSFP1P1 mlx5_11; 1, 2, 7 and 8 are other NICs."""
    made = node("dgx-h100", 8, 2)
    assert made.ports == ["mlx5_0", "mlx5_3", "mlx5_4", "mlx5_5", "mlx5_6", "mlx5_9", "mlx5_10", "mlx5_11"]
    assert made.cages == ["OSFP4", "OSFP3", "OSFP3", "OSFP4", "OSFP1", "OSFP2", "OSFP2", "OSFP1"]


def test_in_cage_order_the_two_ports_of_a_cage_are_neighbours() -> None:
    made = node("dgx-h100", 8, 2, in_cage_order=True)
    assert made.cages == ["OSFP1", "OSFP1", "OSFP2", "OSFP2", "OSFP3", "OSFP3", "OSFP4", "OSFP4"]
    assert made.ports[:2] == ["mlx5_11", "mlx5_6"]
    assert sorted(made.ports) == sorted(node("dgx-h100", 8, 2).ports)


@pytest.mark.parametrize(
    ("server", "n_links", "first", "last"),
    [
        ("dgx-a100-640", 8, "mlx5_0", "mlx5_9"),
        ("dgx-b200", 8, "mlx5_4", "mlx5_15"),
        ("gb200-tray", 4, "mlx5_0", "mlx5_5"),
        ("hgx-h100-8u", 8, "mlx5_0", "mlx5_7"),
        ("smc-8125gs-mi300x", 8, "bnxt_re0", "bnxt_re7"),
        ("mi350x-8u-air", 8, "ionic_0", "ionic_7"),
        ("gaudi3-8u", 24, "port0", "port23"),
        (None, 4, "mlx5_0", "mlx5_3"),
        ("dgx-b300", 16, "mlx5_0", "mlx5_15"),
        ("dgx-h100", 4, "mlx5_0", "mlx5_5"),
        ("dgx-h100", 16, "mlx5_0/1", "mlx5_11/2"),
    ],
)
def test_adapters_of_a_server(server: str | None, n_links: int, first: str, last: str) -> None:
    made = node(server, n_links)
    assert (made.ports[0], made.ports[-1], len(set(made.ports))) == (first, last, n_links)


@pytest.mark.parametrize("server", CATALOG.servers)
def test_every_server_names_all_links_once(server: str) -> None:
    for n_links in (1, 3, 8, 16, 24):
        for in_order in (False, True):
            made = node(server, n_links, 2, in_cage_order=in_order)
            assert len(set(made.ports)) == len(made.cages) == len(made.ports) == n_links


def test_a_custom_server_has_the_usual_adapters_names() -> None:
    assert node_labels(None, 2, 1, "compute", CATALOG, "roce-200").ports == ["bnxt_re0", "bnxt_re1"]
    assert node("dgx-h100", 2, role="storage").ports == ["storage1", "storage2"]
    assert node("dgx-h100", 2, role="storage-2").ports == ["storage-2-1", "storage-2-2"]
    assert node("dgx-h100", 1, role="out-of-band").ports == ["bmc"]


@pytest.mark.parametrize(
    ("switch", "name"),
    [
        ("nvidia-qm9700", "mgmt0"),
        ("nvidia-qm9790", None),
        ("nvidia-q3400-ra", "eth0"),
        ("nvidia-sn5600", "eth0"),
        ("arista-7060x6-64pe", "Management1"),
        ("cisco-9332d-gx2b", "mgmt0"),
        ("juniper-qfx5240-64od", "re0:mgmt-0"),
    ],
)
def test_out_of_band_ports(switch: str, name: str | None) -> None:
    assert management_port(CATALOG.switches[switch], CATALOG) == name
    assert management_port(None, CATALOG) == "mgmt0"


def test_every_name_says_what_it_rests_on() -> None:
    rows: list[PortNaming | RdmaName | ServerPort] = [*CATALOG.port_naming.values(), *CATALOG.rdma_names.values()]
    for row in (*rows, *(port for ports in CATALOG.server_ports.values() for port in ports)):
        access = CATALOG.sources[row.source].access
        assert (row.basis == "assumption") == (access == "none"), row
        assert (row.basis == "secondary") <= (access in ("read", "secondary")), row


def test_the_noun_of_nics_is_said_once() -> None:
    assert nics_named("ConnectX-7 VPI") == "ConnectX-7 VPI NICs"
    assert nics_named("Pensando Pollara 400 AI NIC") == "Pensando Pollara 400 AI NICs"
    assert nics_named("ConnectX-7 Cedar module (4 NICs)") == "ConnectX-7 Cedar module (4 NICs)"
