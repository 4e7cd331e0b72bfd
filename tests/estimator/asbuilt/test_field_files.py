"""Network files as sites bring them: other tools, default names, lost tabs, two networks, wiring that tells who is who.

The forms are those of public files, whose names are replaced here: the manual pages ibnetdiscover(8) and iblinkinfo(8) of
infiniband-diags, SONiC's Command Reference ("LLDP"), the link tables of sonic-mgmt test beds, lldpd's lldpctl(8), UFM's Cable
Validation Tool, and the reports on clusters with ConnectX, Connect-IB and InfiniHost adapters found with them.
"""

import io
import random
from dataclasses import replace
from typing import Any

import pytest

from estimator.asbuilt.check import check_links
from estimator.asbuilt.dump import read_dump
from estimator.asbuilt.readers.files import read_links
from estimator.asbuilt.readers.found import HOST, SWITCH, FoundLinks
from estimator.asbuilt.report import report
from estimator.asbuilt.to_spec import DumpDesign, design_of_dump, designs_of_dump
from estimator.cabling.links import LinkList
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError, UnreadableFile
from estimator.handoff.formats import format_named
from estimator.link_list import link_list
from estimator.spec.parse import parse_spec
from tests.estimator.asbuilt.fabric_dumps import Cable, End, cables_of, iblinkinfo, ibnetdiscover, prefixed

CATALOG = load_catalog()


def read(text: str) -> FoundLinks:
    return read_links(io.BytesIO(text.encode()))


def made(compute: dict[str, Any], **fabric: Any) -> LinkList:
    return link_list(parse_spec({"compute": {"server": "custom"} | compute, "fabric": fabric}, CATALOG), CATALOG)


def designed(text: str) -> DumpDesign:
    return design_of_dump(read(text), CATALOG)


def ends(found: FoundLinks) -> set[tuple[str, str, str, str, int]]:
    rows = zip(found.a_device, found.a_port, found.b_device, found.b_port, found.rate_gbit_s, strict=True)
    return {(found.names[a], found.ports[p], found.names[b], found.ports[q], int(rate)) for a, p, b, q, rate in rows}


# ---------------------------------------------------------------- iblinkinfo
def up(
    lid: int, port: int, far_lid: int, far_port: int, far: str, speed: str = "4X      25.78125 Gbps Active/  LinkUp"
) -> str:
    return f'{lid:>12} {port:>4}[  ] ==( {speed})==> {far_lid:>7} {far_port:>4}[  ] "{far}" ( )\n'


FDR10 = "4X  10.0 Gbps (FDR10) Active/  LinkUp"
SWITCH_BLOCK = (
    "Switch: 0x506b4b0300820910 MF0;sw-a:MSB7700/U1:\n"
    '           2    1[  ] ==(                Down/ Polling)==>             [  ] "" ( )\n'
    + up(2, 17, 4, 1, "n02 HCA-1")
    + up(2, 36, 3, 1, "mgt mlx5_0", FDR10)
)
CA_BLOCKS = (
    "CA: n02 HCA-1:\n      0xec0d9a03003d62be"
    + up(4, 1, 2, 17, "MF0;sw-a:MSB7700/U1")
    + "CA: mgt mlx5_0:\n      0x248a070300928186"
    + up(3, 1, 2, 36, "MF0;sw-a:MSB7700/U1", FDR10)
)


@pytest.mark.parametrize("text", [SWITCH_BLOCK + CA_BLOCKS, CA_BLOCKS + SWITCH_BLOCK, SWITCH_BLOCK])
def test_blocks_of_iblinkinfo_give_hosts_on_their_switch_in_any_order(text: str) -> None:
    found = read(text)
    assert (found.format, dict(zip(found.names, found.kinds, strict=True))) == (
        "iblinkinfo",
        {"n02": HOST, "mgt": HOST, "sw-a": SWITCH},
    )
    assert {("sw-a", "17", "n02", "HCA-1", 100), ("sw-a", "36", "mgt", "mlx5_0", 40)} <= ends(found)
    assert found.drop_counts == {"not_connected": 1}


WHOLE = SWITCH_BLOCK + CA_BLOCKS
LINKS_ALONE = "".join(line for line in WHOLE.splitlines(keepends=True) if "LinkUp" in line)


@pytest.mark.parametrize(
    "text",
    [
        LINKS_ALONE,
        "".join(f"{n}:{line}" for n, line in enumerate(LINKS_ALONE.splitlines(keepends=True), 1)),
        "".join(f"> {line}" for line in WHOLE.splitlines(keepends=True)),
        "".join(f"[ufm-0] {line}" for line in WHOLE.splitlines(keepends=True)),
        WHOLE.replace("Switch:", "\x1b[1mSwitch:\x1b[0m").replace("LinkUp", "\x1b[32mLinkUp\x1b[0m"),
        WHOLE.replace('[  ] "" ( )', '"Port not available"'),
        WHOLE.replace("LinkUp)", "LinkUp) (HOQ:18 VL_Stall:7)"),
    ],
    ids=["grep", "grep -n", "quoted", "tagged", "coloured", "port not available", "-p"],
)
def test_iblinkinfo_is_read_as_people_keep_it(text: str) -> None:
    found = read(text)
    assert dict(zip(found.names, found.kinds, strict=True)) == {"n02": HOST, "mgt": HOST, "sw-a": SWITCH}
    assert {("sw-a", "17", "n02", "HCA-1", 100), ("sw-a", "36", "mgt", "mlx5_0", 40)} <= ends(found)
    assert set(found.drop_counts) <= {"not_connected"}


def test_what_differs_between_two_networks_is_no_network() -> None:
    lines = SWITCH_BLOCK.splitlines(keepends=True)
    text = lines[0] + "".join(f"{side} {line}" for line in lines[2:] for side in "<>")
    with pytest.raises(EstimatorError, match="--diff"):
        read(text)


def test_one_line_a_link_tells_switches_by_their_ports() -> None:
    text = "".join(
        f'0x0000000000200002 "               su1-leaf-r1"      4 {port:>4}[  ] ==( 4X 106.25 Gbps Active/  LinkUp)==>  '
        f'0x00000000001000{port:02}  {port + 4:>5}    1[  ] "gpu{port:02} mlx5_0" ( )\n'
        for port in range(1, 6)
    )
    found = read(text)
    assert {name for name, kind in zip(found.names, found.kinds, strict=True) if kind == SWITCH} == {"su1-leaf-r1"}
    assert ("su1-leaf-r1", "5", "gpu05", "mlx5_0", 400) in ends(found)
    assert designed(text).counts.n_nodes == 5


def link_line(guid: int, name: str, lid: int, port: int, far: tuple[int, int, int, str]) -> str:
    return (
        f'0x{guid:016x} "{name:>32}" {lid:>6} {port:>4}[  ] ==( 4X 106.25 Gbps Active/  LinkUp)==>  '
        f'0x{far[0]:016x} {far[1]:>6} {far[2]:>4}[  ] "{far[3]}" ( )\n'
    )


@pytest.mark.parametrize("both_ends", [True, False])
@pytest.mark.parametrize("own_guid", [True, False], ids=["a GUID a port", "a GUID a node"])
@pytest.mark.parametrize("adapter", [" HCA-1", ""])
def test_two_ports_of_an_adapter_are_one_server(both_ends: bool, own_guid: bool, adapter: str) -> None:
    text, leaf = "", "MF0;leaf-a:MQM9700/U1"
    for host, port in ((host, port) for host in range(1, 9) for port in (1, 2)):
        name, lid, guid = f"gpu{host:02}{adapter}", 100 + 2 * host + port, 0x1000 + 16 * host + own_guid * port
        text += link_line(0x900, leaf, 1, 2 * host + port - 2, (guid, lid, port, name))
        text += link_line(guid, name, lid, port, (0x900, 1, 2 * host + port - 2, leaf)) if both_ends else ""
    found = designed(text)
    assert (found.counts.n_nodes, found.counts.ports_mode, found.differences) == (8, 2, ())
    if adapter:
        assert {"HCA-1", "HCA-1/P2"} <= set(read(text).ports)
        assert read(text).adapters == 8


def test_two_ports_of_an_adapter_without_a_block_are_one_server() -> None:
    """With --switches-only LIDs alone tell far ends apart, and each port has its own."""
    head = SWITCH_BLOCK.splitlines(keepends=True)[0]
    text = head + "".join(up(2, 2 * i + p, 10 + 2 * i + p, p, f"n{i:02} HCA-1") for i in range(6) for p in (1, 2))
    assert (designed(text).counts.n_nodes, designed(text).counts.ports_mode) == (6, 2)


def test_two_subnets_in_one_report_keep_their_own_lids() -> None:
    """Each subnet manager counts LIDs from 1, so that both reports have the same ones."""
    second = made(
        {"nodes": 10, "gpus_per_node": 1, "nics_per_node": 1}, generation="edr", leaf_downlinks=18, leaf_uplinks=18
    )
    text = "".join(iblinkinfo(cables_of(HDR))) + "".join(iblinkinfo(prefixed(cables_of(second), "st-")))
    found = designs_of_dump(read(text), CATALOG)
    assert [(one.counts.n_nodes, one.counts.n_leaf, one.differences) for one in found] == [(24, 4, ()), (10, 1, ())]


def test_a_report_that_is_cut_off_says_so_and_makes_no_hosts_of_spines() -> None:
    text = "".join(iblinkinfo(cables_of(HDR)))
    half = designed(text[: len(text) // 2])
    assert half.counts.n_spine == HDR.table.devices.n["spine"]
    assert any("is the file cut off?" in line for line in half.unreported)
    assert not read(text).cut


def test_two_hosts_of_one_name_stay_two() -> None:
    head = SWITCH_BLOCK.splitlines(keepends=True)[0]
    text = head + "".join(up(2, i, 10 + i, 1, "localnode HCA-1") for i in range(1, 5))
    assert designed(text).counts.n_nodes == 4


def test_two_adapters_joined_without_a_switch_are_refused_with_the_reason() -> None:
    text = "CA: m01 HCA-3:\n      0x0000000000000123" + up(2, 1, 1, 1, "m02 HCA-1")
    with pytest.raises(EstimatorError) as refused:
        designed(text)
    assert refused.value.problems[0].code == "no_servers"


@pytest.mark.parametrize(
    ("speed", "rate"),
    [
        ("4X 53.125 Gbps Active/  LinkUp", 200),
        ("2X 106.25 Gbps Active/  LinkUp", 200),
        ("4X 212.5 Gbps Active/  LinkUp", 800),
        ("4X 14.0625 Gbps Active/  LinkUp", 56),
        ("4X 25 Gbps Active/LinkUp", 100),
        ("4X 50 Gbps Active/LinkUp", 200),
        ("4X 400 Gbps Active/LinkUp", 400),
        ("4X 800 Gb/s Active/LinkUp", 800),
        ("400 Gbps Active/LinkUp", 400),
        ("100.0 Gbit/s Active/LinkUp", 100),
        ("Active/LinkUp", 0),
    ],
)
def test_the_rate_of_a_link_is_its_lanes_or_what_is_written_of_the_whole(speed: str, rate: int) -> None:
    found = read(SWITCH_BLOCK.splitlines(keepends=True)[0] + up(2, 17, 4, 1, "n02 HCA-1", speed))
    assert ends(found) == {("sw-a", "17", "n02", "HCA-1", rate)}


@pytest.mark.parametrize(
    ("speed", "words"),
    [
        ("4X 100 Gbps Active/LinkUp", "may be 400 Gb/s, of a lane, or 100 Gb/s, of the whole link"),
        ("4X 200 Gbps Active/LinkUp", "may be 800 Gb/s, of a lane, or 200 Gb/s"),
        ("4X 37 Gbps Active/LinkUp", "no link of 4 lanes has it"),
        ("333 Gbps Active/LinkUp", "no link of 4 lanes has it"),
    ],
)
def test_a_rate_that_no_link_has_or_that_may_be_two_is_refused_with_its_line(speed: str, words: str) -> None:
    with pytest.raises(UnreadableFile) as refused:
        read(SWITCH_BLOCK.splitlines(keepends=True)[0] + up(2, 17, 4, 1, "n02 HCA-1", speed))
    (problem,) = refused.value.problems
    assert problem.code == "unknown_rate"
    assert "Line 2" in problem.message
    assert words in problem.message
    assert "ibnetdiscover" in problem.message


# ---------------------------------------------------------------- LLDP
TABLE = """Capability codes: (R) Router, (B) Bridge, (O) Other
LocalPort    RemoteDevice    RemotePortID    Capability    RemotePortDescr
-----------  --------------  --------------  ------------  -----------------
Ethernet0    leaf01          etp0            BR            Ethernet0
Ethernet8    leaf02          etp1            BR            Ethernet8
--------------------------------------------------
Total entries displayed:  2
"""
LLDPCLI = """-------------------------------------------------------------------------------
Interface:    swp1, via: LLDP, RID: 1, Time: 0 day, 01:02:03
  Chassis:
    ChassisID:    mac 00:00:5e:00:53:01
    SysName:      leaf01
  Port:
    PortID:       ifname swp51
"""
KEYVALUE = """lldp.eth0.via=LLDP
lldp.eth0.chassis.name=leaf01
lldp.eth0.port.ifname=swp51
lldp.eth1.chassis.name=leaf02
lldp.eth1.port.ifname=swp7
"""


ONE_IN_JSON = """{
  "lldp": {
    "interface": {
      "swp1": {
        "via": "LLDP",
        "chassis": {"leaf01": {"id": {"type": "mac", "value": "00:00:5e:00:53:01"}, "descr": "{ [a] 9\\" }"}},
        "port": {"id": {"type": "ifname", "value": "swp51"}, "descr": "to spine"}
      }
    }
  }
}
"""
SEVERAL_IN_JSON = """{
  "lldp": {
    "interface": [
      {"swp1": {
        "chassis": {"id": {"type": "mac", "value": "00:00:5e:00:53:07"}},
        "port": {"id": {"type": "ifname", "value": "eth7"}}
      }},
      {"swp2": {
        "chassis": {"n02": {"id": {"type": "mac", "value": "00:00:5e:00:53:02"}}},
        "port": {"id": {"type": "mac", "value": "00:00:5e:00:53:02"}, "descr": "ens1f0"}
      }}
    ]
  }
}
"""
JSON0 = """{"lldp": [{"interface": [{"name": "eth0",
  "chassis": [{"id": [{"type": "mac", "value": "00:00:5e:00:53:01"}], "name": [{"value": "leaf01"}]}],
  "port": [{"id": [{"type": "ifname", "value": "swp3"}], "descr": [{"value": "x"}]}]}]}]}
"""


@pytest.mark.parametrize(
    ("text", "link", "n", "line"),
    [
        ("### n1\n" + ONE_IN_JSON, ("n1", "swp1", "leaf01", "swp51", 0), 1, 5),
        ("root@n1:~# lldpcli show neighbors -f json\n" + ONE_IN_JSON, ("n1", "swp1", "leaf01", "swp51", 0), 1, 5),
        (
            "".join(f"n1: {line}\n" for line in ONE_IN_JSON.splitlines()),
            ("n1", "swp1", "leaf01", "swp51", 0),
            1,
            4,
        ),
        ("=== s1 ===\n" + SEVERAL_IN_JSON, ("s1", "swp2", "n02", "ens1f0", 0), 1, 9),
        ("=== n9 ===\n" + JSON0, ("n9", "eth0", "leaf01", "swp3", 0), 1, 2),
        ("### a\n" + ONE_IN_JSON + "### b\n" + ONE_IN_JSON, ("b", "swp1", "leaf01", "swp51", 0), 2, 5),
    ],
)
def test_neighbours_are_read_of_json_of_lldpcli(text: str, link: tuple[Any, ...], n: int, line: int) -> None:
    found = read(text)
    assert found.format == "lldp"
    assert link in ends(found)
    assert (len(found), int(found.line[0])) == (n, line)
    unnamed = '"id": {"type": "mac", "value": "00:00:5e:00:53:07"}}' in text
    assert found.drop_counts == ({"no_device": 1} if unnamed else {})


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        (ONE_IN_JSON, "no_local_device", "### leaf01"),
        ("### n1\n" + ONE_IN_JSON[:-4], "broken_json", "ends inside JSON"),
        ("### n1\n" + ONE_IN_JSON.replace('"via": ', '"via" '), "broken_json", "begins on line 2"),
        ('### n1\n{"lldp": {}}\n', "no_links", "lldpcli"),
        ('<?xml version="1.0"?>\n<lldp label="LLDP neighbors">\n</lldp>\n', "is_xml", "-f json"),
        ('### n1\n{"lldp": "' + "x" * 100 + '"}\n' + '{"lldp": {' + " " * 20_000 + "}}\n", "line_too_long", "20,000"),
    ],
)
def test_answers_of_lldpcli_that_cannot_be_read_say_why(text: str, code: str, words: str) -> None:
    with pytest.raises(UnreadableFile) as refused:
        read(text)
    (problem,) = refused.value.problems
    assert problem.code == code
    assert words in problem.message


@pytest.mark.parametrize(
    ("text", "link", "n"),
    [
        ("admin@spine01:~$ show lldp table\n" + TABLE, ("spine01", "Ethernet0", "leaf01", "etp0", 0), 2),
        ("spine01# show lldp table\n" + TABLE, ("spine01", "Ethernet8", "leaf02", "etp1", 0), 2),
        (
            "".join(f"spine01: {line}\n" for line in TABLE.splitlines()),
            ("spine01", "Ethernet0", "leaf01", "etp0", 0),
            2,
        ),
        ("### a1\n" + TABLE + "### a2\n" + TABLE, ("a2", "Ethernet8", "leaf02", "etp1", 0), 4),
        ("=== n1 ===\n" + LLDPCLI, ("n1", "swp1", "leaf01", "swp51", 0), 1),
        ("root@n1:~# lldpctl -f keyvalue\n" + KEYVALUE, ("n1", "eth1", "leaf02", "swp7", 0), 2),
    ],
)
def test_neighbours_are_read_where_their_table_says_whose_it_is(text: str, link: tuple[Any, ...], n: int) -> None:
    found = read(text)
    assert found.format == "lldp"
    assert link in ends(found)
    assert len(found) == n


@pytest.mark.parametrize(
    "above",
    ["leaf07 | CHANGED | rc=0 >>", "==> out/leaf07.txt <==", "[leaf07]", "hostname: leaf07", "-----\nleaf07\n-----"],
)
def test_a_line_above_a_table_says_whose_it_is(above: str) -> None:
    found = read(f"{above}\n{TABLE}")
    assert {found.names[at] for at in found.a_device} == {"leaf07"}
    assert len(found) == 2


def test_a_name_before_each_line_makes_no_rows_of_headers() -> None:
    text = "".join(
        f"{name}: {line}\n" for name in ("leaf07", "leaf08") for line in f"Capability codes: (R)\n{TABLE}".splitlines()
    )
    found = read(text)
    assert (len(found), {found.names[at] for at in found.a_device}) == (4, {"leaf07", "leaf08"})


OTHER_TABLES = {
    "EOS": "leaf1#show lldp neighbors\nPort     Neighbor Device ID   Neighbor Port ID   TTL\n"
    "-------- -------------------- ------------------ ---\nEt1/1    spine1               Ethernet3/1        120\n",
    "NX-OS": "leaf1# show lldp neighbors\nCapability codes:\n  (R) Router, (B) Bridge\n"
    "Device ID       Local Intf      Hold-time  Capability  Port ID\n"
    "spine1          Eth1/1          120        BR          Ethernet3/1\n"
    "Total entries displayed: 1\n",
    "Cumulus": "cumulus@leaf1:~$ net show lldp\nLocalPort  Speed  Mode     RemoteHost  RemotePort\n"
    "---------  -----  -------  ----------  -----------\nEthernet1/1  400G   Default  spine1      Ethernet3/1\n",
    "Junos": "admin@leaf1> show lldp neighbors\nLocal Interface    Parent Interface  Chassis Id     Port info   System Name\n"
    "Ethernet1/1        -                   aa:bb:cc:00:00:01   Ethernet3/1   spine1\n",
}


@pytest.mark.parametrize("maker", OTHER_TABLES)
def test_tables_of_other_switches_are_read(maker: str) -> None:
    rate = 400 if maker == "Cumulus" else 0
    assert ends(read(OTHER_TABLES[maker])) == {("leaf1", "Ethernet1/1", "spine1", "Ethernet3/1", rate)}


@pytest.mark.parametrize(
    "before",
    ["[ufm-0] ", "ufm01: ", "12:", "2026-11-01T10:00:00Z ", "> "],
    ids=["tag", "pdsh", "grep -n", "time", "quote"],
)
def test_what_a_log_puts_before_a_dump_is_left_out(before: str) -> None:
    lines = IBNETDISCOVER.splitlines()
    assert ends(read("".join(f"{before}{line}\n" for line in lines))) == ends(read(IBNETDISCOVER))


IBNETDISCOVER = """vendid=0x2c9
switchguid=0xe8ebd30000000100(e8ebd30000000100)
Switch\t65 "S-e8ebd30000000100"\t\t# "MF0;leaf-01:MQM9700/U1" enhanced port 0 lid 10 lmc 0
[1]\t"H-b8cef60300000000"[1](b8cef60300000000) \t\t# "node-01 mlx5_0" lid 100 4xNDR
[2]\t"H-b8cef60300000010"[1](b8cef60300000010) \t\t# "node-02 mlx5_0" lid 101 4xNDR

caguid=0xb8cef60300000000
Ca\t1 "H-b8cef60300000000"\t\t# "node-01 mlx5_0"
[1](b8cef60300000000) \t"S-e8ebd30000000100"[1]\t\t# lid 100 lmc 0 "MF0;leaf-01:MQM9700/U1" lid 10 4xNDR
"""


def test_one_port_and_one_leaf_are_said_as_one() -> None:
    reported = " ".join(designed(IBNETDISCOVER).reported)
    assert "2 servers with 1 port each at 400 Gb/s." in reported
    assert "Each server is on one leaf: " in reported


@pytest.mark.parametrize(
    "header",
    [
        "Device 1,Port 1,Device 2,Port 2",
        "node1,port1,node2,port2",
        "Near End Device,Near End Port,Far End Device,Far End Port",
        "A Side Device,A Side Port,B Side Device,B Side Port",
        "A End,A End Port,B End,B End Port",
        "Device A Name,Device A Port,Device B Name,Device B Port",
        "Server,NIC,Switch,Switch Port",
        "Host,HCA,Leaf,Leaf Port",
        "Device A|Port A|Device B|Port B",
    ],
)
def test_headers_of_two_sides_are_told_by_number_end_or_kind(header: str) -> None:
    between = "|" if "|" in header else ","
    found = read(f"{header}\n{between.join(('node-01', 'mlx5_0', 'leaf-01', '3'))}\n")
    assert ends(found) == {("node-01", "mlx5_0", "leaf-01", "3", 0)}


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("400GbE", 400),
        ("NDR", 400),
        ("4xNDR", 400),
        ("2x HDR", 100),
        ("HDR100", 100),
        ("NDR200", 200),
        ("FDR10", 40),
        ("0.4T", 400),
    ],
)
def test_rates_of_sheets_are_read_in_words_of_the_field(text: str, rate: int) -> None:
    found = read(f"Device A,Port A,Device B,Port B,Speed\nn1,1,l1,1,{text}\n")
    assert found.rate_gbit_s.tolist() == [rate]


def test_chips_of_adapters_and_switches_are_told_apart_in_topo_files() -> None:
    found = read("MT54000 leaf-01\n  P1 -4x-50G-> MT4123 node-01 P1\n  P2 -4x-50G-> MT41686 node-02 P1\n")
    assert dict(zip(found.names, found.kinds, strict=True)) == {"leaf-01": SWITCH, "node-01": HOST, "node-02": HOST}


def test_a_table_of_nobody_is_refused_with_the_way_out() -> None:
    with pytest.raises(EstimatorError) as refused:
        read(TABLE)
    (problem,) = refused.value.problems
    assert problem.code == "no_local_device"
    assert "admin@leaf01:~$ show lldp table" in problem.message


# ---------------------------------------------------------------- sheets
@pytest.mark.parametrize(
    "header",
    ["StartDevice,StartPort,EndDevice,EndPort,BandWidth", "start_device,start_port,end_device,end_port,bandwidth"],
)
def test_start_and_end_are_sides_and_large_rates_are_megabits(header: str) -> None:
    assert ends(read(f"{header}\nleaf01,Ethernet0,spine01,Ethernet1,40000\n")) == {
        ("leaf01", "Ethernet0", "spine01", "Ethernet1", 40)
    }


def test_a_sheet_without_kinds_tells_servers_by_the_names_of_their_ports() -> None:
    table = format_named("csv").write(made({"nodes": 16, "gpus_per_node": 4, "nics_per_node": 4}, generation="ndr"))
    rows = [line.split(",") for line in b"".join(table).decode().splitlines() if line and not line.startswith("#")]
    place = [rows[0].index(name) for name in ("a_device", "a_port", "b_device", "b_port")]
    text = "StartDevice,StartPort,EndDevice,EndPort\n" + "".join(
        ",".join(row[i] for i in place) + "\n" for row in rows[1:]
    )
    assert designed(text).counts.n_nodes == 16


# ---------------------------------------------------------------- dumps
HDR = made({"nodes": 24, "gpus_per_node": 2, "nics_per_node": 2}, generation="hdr", leaf_downlinks=12, leaf_uplinks=12)


def dump_of(cables: list[Cable], renamed: dict[str, str] | None = None) -> str:
    """A dump in which the adapters of some hosts have a default description, and GUIDs of a server stand side by side."""
    text = "".join(ibnetdiscover(cables))
    for cable in cables:
        if cable.a.is_host:
            own = next(
                line
                for line in text.splitlines()
                if line.startswith("Ca") and f'"{cable.a.device} {cable.a.label}"' in line
            )
            number = int(cable.a.device.rpartition("-")[2]) * 16 + 4 * int(cable.a.label[-1])
            text = text.replace(own.split('"H-')[1][:16], f"0c42a103{number:08x}")
    for old, new in (renamed or {}).items():
        text = text.replace(f'"{old}"', f'"{new}"')
    return text


def test_adapters_with_a_default_description_are_hosts_by_guids_as_of_named_ones() -> None:
    names = {
        f"node-{i:04d} mlx5_{port}": "MT4129 ConnectX7   Mellanox Technologies" for i in (3, 7, 8) for port in (0, 1)
    }
    found = designed(dump_of(cables_of(HDR), names))
    assert (found.counts.n_nodes, found.counts.n_managers, found.counts.n_nameless) == (24, 0, 0)
    assert found.differences == ()


def test_adapters_without_a_name_whose_guids_tell_nothing_are_counted_and_said() -> None:
    names = {f"node-{i:04d} mlx5_{port}": "localhost HCA-1" for i in (3, 7, 8) for port in (0, 1)}
    text = "".join(ibnetdiscover(cables_of(HDR)))
    for old, new in names.items():
        text = text.replace(f'"{old}"', f'"{new}"')
    found = designed(text)
    assert (found.counts.n_nodes, found.counts.n_nameless) == (24, 6)
    assert any(
        "6 HCAs without the name of a host. By 2 ports a server that makes 3 servers." in line
        for line in found.reported
    )


def test_a_leaf_with_one_host_is_a_leaf() -> None:
    links = made(
        {"nodes": 37, "gpus_per_node": 1, "nics_per_node": 1}, generation="hdr", leaf_downlinks=12, leaf_uplinks=12
    )
    counts = designed("".join(ibnetdiscover(cables_of(links)))).counts
    assert (counts.n_leaf, counts.n_spine, counts.n_core) == (4, links.table.devices.n["spine"], 0)


def test_links_of_another_rate_are_counted() -> None:
    cables = cables_of(HDR)
    slow = [
        replace(cable, rate_gbit_s=100) if cable.a.device in ("node-0001", "node-0002") else cable for cable in cables
    ]
    assert (
        "4 of 48 links to servers run at 100 Gb/s, most at 200 Gb/s." in designed("".join(ibnetdiscover(slow))).reported
    )


def test_hosts_with_few_ports_are_asked_about_unless_they_are_managers_by_name() -> None:
    wide = made(
        {"nodes": 12, "gpus_per_node": 4, "nics_per_node": 4}, generation="hdr", leaf_downlinks=20, leaf_uplinks=20
    )
    cables = cables_of(wide)
    leaf = next(cable.b for cable in cables if cable.a.is_host)
    for name, is_asked in (("login-01", True), ("ufm-01", False)):
        more = Cable(End(name, "mlx5_0", 1, True), End(leaf.device, "", 19, False), 200)
        found = designed("".join(ibnetdiscover([*cables, more])))
        assert found.counts.n_managers == 1
        assert any("login, storage or management nodes" in line for line in found.unreported) == is_asked
        assert not any("taken for fabric managers" in line for line in found.reported)


@pytest.mark.parametrize("change", [("\t", " "), ("\t", ""), ("\n", "\n> "), ("\n", "\n    ")])
def test_a_dump_that_lost_its_tabs_or_was_quoted_is_read(change: tuple[str, str]) -> None:
    text = "".join(ibnetdiscover(cables_of(HDR)))
    assert designed(text.replace(*change)).figures == designed(text).figures


def test_two_networks_in_one_dump_are_parted() -> None:
    storage = made(
        {"nodes": 10, "gpus_per_node": 1, "nics_per_node": 1}, generation="edr", leaf_downlinks=18, leaf_uplinks=18
    )
    other = [
        replace(
            cable, a=replace(cable.a, device=f"st-{cable.a.device}"), b=replace(cable.b, device=f"st-{cable.b.device}")
        )
        for cable in cables_of(storage)
    ]
    text = "".join(ibnetdiscover([*cables_of(HDR), *other]))
    answer = read_dump(io.BytesIO(text.encode()), CATALOG)
    compute, second = answer.networks
    assert (compute.differences, compute.spec["compute"]["nodes"], compute.spec["fabric"]["generation"]) == (
        0,
        24,
        "hdr",
    )
    assert (second.differences, second.spec["compute"]["nodes"], second.spec["fabric"]["generation"]) == (0, 10, "edr")
    (line,) = [line for line in compute.reported if "second network" in line]
    assert "10 servers, 1 leaf and 1 spine" in line
    assert any("first network" in line for line in second.reported)
    assert read_dump(io.BytesIO(text.encode()), CATALOG, network=2).networks == [second]
    with pytest.raises(EstimatorError) as refused:
        read_dump(io.BytesIO(text.encode()), CATALOG, network=3)
    assert refused.value.problems[0].field == "network"


@pytest.mark.parametrize("on_the_same_servers", [True, False])
def test_two_networks_of_one_rate_are_parted_by_their_servers(on_the_same_servers: bool) -> None:
    storage = made(
        {"nodes": 16, "gpus_per_node": 2, "nics_per_node": 2}, generation="hdr", leaf_downlinks=20, leaf_uplinks=20
    )

    def host(end: End) -> End:
        label = f"mlx5_{int(end.label[-1]) + 2}"
        return replace(end, label=label, device=end.device if on_the_same_servers else f"st-{end.device}")

    def switch(end: End) -> End:
        return replace(end, device=f"st-{end.device}")

    other = [
        replace(cable, a=host(cable.a) if cable.a.is_host else switch(cable.a), b=switch(cable.b))
        for cable in cables_of(storage)
    ]
    found = designs_of_dump(read("".join(ibnetdiscover([*cables_of(HDR), *other]))), CATALOG)
    assert [(one.counts.n_nodes, one.counts.ports_mode, one.differences) for one in found] == [(24, 2, ()), (16, 2, ())]


def test_the_example_of_the_manual_page_is_read() -> None:
    text = """#
# Topology file: generated on Tue Jun  5 14:15:10 2007
#
Non-Chassis Nodes

vendid=0x8f1
devid=0x5a06
switchguid=0x5442ba00003080(5442ba00003080)
Switch  24 "S-005442ba00003080"         # "ISR9024 Voltaire" base port 0 lid 6 lmc 0
[22]    "H-0008f10403961354"[1](8f10403961355)         # "MT23108 InfiniHost Mellanox Technologies" lid 4 4xSDR
[10]    "S-0008f10400410015"[1]         # "SW-6IB4 Voltaire" lid 3 4xSDR
[8]     "H-0008f10403960558"[2](8f1040396055a)         # "MT23108 InfiniHost Mellanox Technologies" lid 14 4xSDR
[12]    "H-0008f10403960558"[1](8f10403960559)         # "MT23108 InfiniHost Mellanox Technologies" lid 10 4xSDR
"""
    found = read(text)
    assert (sorted(found.kinds), len(found), len(found.nameless)) == ([HOST, HOST, SWITCH, SWITCH], 4, 2)


# ---------------------------------------------------------------- a design's own .topo
OWN = {
    "pods and growth": made(
        {"nodes": 20, "gpus_per_node": 2, "nics_per_node": 2},
        generation="hdr",
        leaf_radix=8,
        spine_radix=8,
        core_radix=8,
        scalable_unit_nodes=4,
        pod_nodes=12,
        tiers=3,
        leaf_downlinks=4,
        leaf_uplinks=4,
        grow_to_nodes=24,
    ),
    "split ports": made({"nodes": 300, "gpus_per_node": 4, "nics_per_node": 4}, generation="hdr", splitters=True),
    "planes": made({"nodes": 64, "gpus_per_node": 8, "nics_per_node": 8}, generation="ndr", planes=2),
    "growth": made({"nodes": 40, "gpus_per_node": 8, "nics_per_node": 8}, generation="ndr", grow_to_nodes=120),
}


@pytest.mark.parametrize("name", OWN)
def test_a_designs_own_topo_comes_back_as_that_design(name: str) -> None:
    links = OWN[name]
    found = designed(b"".join(format_named("topo").write(links)).decode())
    assert found.differences == ()
    assert found.spec.fabric.planes == (2 if name == "planes" else 1)
    assert found.spec.fabric.splitters == (name == "split ports")
    n = links.table.devices.n
    assert (found.counts.n_leaf, found.counts.n_spine, found.counts.n_core) == (n["leaf"], n["spine"], n["core"])


# ---------------------------------------------------------------- who is who by wiring alone
def test_wiring_tells_who_is_who_where_names_and_ports_are_others() -> None:
    links = made(
        {"nodes": 16, "gpus_per_node": 8, "nics_per_node": 8}, generation="hdr", leaf_downlinks=20, leaf_uplinks=20
    )
    draw = random.Random(5)
    cables = cables_of(links)
    switches = sorted(
        {cable.b.device for cable in cables} | {cable.a.device for cable in cables if not cable.a.is_host}
    )
    ports = {device: draw.sample(range(1, 65), 64) for device in switches}
    name = {device: f"sw-{i:03d}" for i, device in enumerate(draw.sample(switches, len(switches)))}

    def end(one: End) -> str:
        return (
            f"x{one.device},{one.label}" if one.is_host else f"{name[one.device]},1/{ports[one.device][one.number - 1]}"
        )

    text = "a_device,a_port,b_device,b_port\n" + "".join(f"{end(cable.a)},{end(cable.b)}\n" for cable in cables)
    answer = report(check_links(links, read(text)))
    assert answer.names.told_by == {"wiring": len(links.table.devices)}
    assert answer.matched + answer.totals["wrong_port"] == answer.planned
    assert (answer.names.confidence or 0) > 0.99
