"""Files that build and check a fabric, each read back by a parser of its format and held against the link list.

Designs: odd sizes, 3:1, three tiers, planes, rail-only, splitters, EDR to XDR, RoCE on every vendor's switches.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import openpyxl
import pydot
import pytest
import yaml

from estimator.asbuilt.check import check_links
from estimator.asbuilt.readers.files import read_links
from estimator.cabling.links import COLUMNS, LinkList
from estimator.catalog.loader import load_catalog
from estimator.errors import SpecError
from estimator.handoff.formats import FORMATS, format_named
from estimator.handoff.xlsx_stream import Sheet, workbook
from estimator.link_list import link_list
from estimator.spec.parse import parse_spec

CATALOG = load_catalog()
End = tuple[str, str]
CUSTOM = {"server": "custom", "gpus_per_node": 4, "nics_per_node": 4, "nic_ports_per_node": 4}
SHORT = {"node_leaf_m": 2, "leaf_spine_m": 2}


def asked(server: str | dict[str, Any], nodes: int, generation: str, site: Any = None, **fabric: Any) -> dict[str, Any]:
    compute = {"server": server} if isinstance(server, str) else server
    return {
        "name": 'Test, "quoted" -- hall',
        "compute": {**compute, "nodes": nodes},
        "fabric": {"generation": generation, **fabric},
        "site": site or {},
    }


def custom(radix: int, **more: Any) -> dict[str, Any]:
    parts = ("leaf", "spine", "core")
    return {f"{part}_switch": "custom" for part in parts} | {f"{part}_radix": radix for part in parts} | more


MANAGERS = {"fabric_manager_links": 4}
SPECS: dict[str, dict[str, Any]] = {
    "edr": asked("hgx-h100-8u", 13, "edr"),
    "hdr": asked("dgx-a100-640", 21, "hdr", reserved=MANAGERS),
    "hdr-splitters": asked("dgx-a100-640", 33, "hdr", SHORT, splitters=True),
    "ndr-managers": asked("dgx-h100", 31, "ndr", reserved=MANAGERS),
    "ndr-twin-copper": asked("hgx-h100-8u", 33, "ndr", SHORT),
    "ndr-splitters": asked("hgx-h100-8u", 37, "ndr", SHORT, splitters=True),
    "ndr-3-to-1": asked("dgx-h100", 45, "ndr", oversubscription="3:1"),
    "ndr-node-order": asked("dgx-h100", 40, "ndr", SHORT, layout="top-of-rack"),
    "xdr": asked("dgx-b300", 75, "xdr"),
    "three-tiers": asked(CUSTOM, 29, "ndr", **custom(8, tiers=3)),
    "rail-only": asked("dgx-h100", 70, "ndr", layout="rail-only"),
    "planes": asked("dgx-b300", 40, "roce-400", planes=2),
    "cumulus": asked("hgx-h100-8u", 70, "roce-400", SHORT),
    "arista": asked(
        "smc-8125gs-mi300x", 70, "roce-400", leaf_switch="arista-7060x6-64pe", spine_switch="arista-7808r4"
    ),
    "cisco": asked("hgx-h100-8u", 70, "roce-400", leaf_switch="cisco-n9364e-sg2", spine_switch="cisco-9364d-gx2a"),
    "juniper": asked(
        "mi350x-8u-air", 70, "roce-400", leaf_switch="juniper-qfx5240-64od", spine_switch="juniper-ptx10008"
    ),
    "sonic": asked("gaudi3-8u", 25, "roce-200", leaf_switch="celestica-ds5000", spine_switch="edgecore-as9817-64o"),
    "roce-800": asked("hgx-b300-9u", 40, "roce-800"),
    "one-tier": asked("dgx-h100", 3, "ndr", tiers=1),
}
INFINIBAND = [name for name, spec in SPECS.items() if not spec["fabric"]["generation"].startswith("roce")]


@cache
def links_of(name: str) -> LinkList:
    return link_list(parse_spec(SPECS[name], CATALOG), CATALOG)


@cache
def file_of(name: str, form: str) -> bytes:
    return b"".join(format_named(form).write(links_of(name)))


@cache
def wired(name: str) -> list[tuple[End, End]]:
    """Both ends of every link, as the list has them."""
    return [((row[5], row[7]), (row[8], row[10])) for row in links_of(name).rows()]


def rows_of(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode(), newline=""), strict=True))


def unordered(pairs: Any) -> Counter[frozenset[End]]:
    return Counter(frozenset(pair) for pair in pairs)


each_design = pytest.mark.parametrize("name", SPECS)


@each_design
def test_every_port_of_every_device_is_named_once(name: str) -> None:
    ends = Counter(end for pair in wired(name) for end in pair)
    assert len(ends) == 2 * len(links_of(name))


@each_design
@pytest.mark.parametrize(
    "form",
    ["csv", "xlsx-p2p", "dot", "netbox-csv", "netbox-csv-profiles", "netbox-devices-csv", "netbox-device-types"],
)
def test_every_file_carries_the_hash_and_the_same_bytes_each_time(name: str, form: str) -> None:
    content = file_of(name, form)
    again = b"".join(format_named(form).write(links_of(name)))
    assert content == again
    expected = {"spec_hash": links_of(name).spec_hash, **links_of(name).versions}
    if form == "xlsx-p2p":
        properties = openpyxl.load_workbook(io.BytesIO(content), read_only=True).custom_doc_props
        assert {item.name.removesuffix("_version"): item.value for item in properties.props} == expected
    else:
        assert all(text.encode() in content for text in expected.values())


# ---------------------------------------------------------------- CSV


@each_design
def test_the_csv_is_the_link_list(name: str) -> None:
    read = rows_of(file_of(name, "csv"))
    assert list(read[0])[: len(COLUMNS)] == list(COLUMNS)
    expected = [["" if cell is None else str(cell) for cell in row] for row in links_of(name).rows()]
    assert [[row[column] for column in COLUMNS] for row in read] == expected
    assert read[0]["spec_hash"] == links_of(name).spec_hash
    assert {row["spec_hash"] for row in read[1:]} <= {""}


def test_the_first_piece_of_a_csv_is_its_header_and_one_row() -> None:
    first = next(iter(format_named("csv").write(links_of("xdr"))))
    assert first.count(b"\r\n") == 2


def test_a_label_that_a_spreadsheet_would_run_is_guarded() -> None:
    links = link_list(parse_spec(SPECS["one-tier"], CATALOG), CATALOG)
    for column in (links.labels["node"].ports, *links.labels["node"].lanes):
        column[0] = "=cmd"
    read = rows_of(b"".join(FORMATS["csv"].write(links)))
    assert {row["a_port"] for row in read if row["rail"] == "1" or row["link"] == "1"} == {"'=cmd"}


# ---------------------------------------------------------------- DOT


EDGE = re.compile(r'^  "([^"]+)":"([^"]+)" -- "([^"]+)":"([^"]+)"$', re.MULTILINE)


@each_design
def test_the_dot_file_has_a_quoted_line_for_every_link(name: str) -> None:
    read = EDGE.findall(file_of(name, "dot").decode())
    assert [((a, a_port), (b, b_port)) for a, a_port, b, b_port in read] == wired(name)


@pytest.mark.parametrize("name", ["hdr-splitters", "xdr", "three-tiers", "planes", "arista", "juniper", "one-tier"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_graphviz_reads_the_same_network(name: str) -> None:
    """Fewer nodes of the same kind: the parser takes milliseconds an edge."""
    few = SPECS[name]["compute"] | {"nodes": min(SPECS[name]["compute"]["nodes"], 9)}
    links = link_list(parse_spec(SPECS[name] | {"compute": few}, CATALOG), CATALOG)
    (graph,) = pydot.graph_from_dot_data(b"".join(format_named("dot").write(links)).decode()) or []
    devices = links.table.devices
    assert {node.get_name() for node in graph.get_nodes()} == {f'"{device}"' for device in devices.names}
    ends = ((edge.get_source(), edge.get_destination()) for edge in graph.get_edges())
    read = ([tuple(part.strip('"') for part in end.split('":"')) for end in pair] for pair in ends)
    assert unordered(read) == unordered(((row[5], row[7]), (row[8], row[10])) for row in links.rows())
    assert graph.get("spec_hash") == f'"{links.spec_hash}"'
    roles = Counter(node.get("role").strip('"') for node in graph.get_nodes())
    n = devices.n
    assert roles == +Counter(host=n["node"] + n["manager"], leaf=n["leaf"], spine=n["spine"], super_spine=n["core"])


# ---------------------------------------------------------------- ibdiagnet topology

SECTION = re.compile(r"^(\S+) (\S+)$")
LISTED = re.compile(r"^\s+(\S+) -(\d+)x-(\d+G)-> (\S+) (\S+) (\S+)$")


def read_topo(text: str) -> Iterator[tuple[tuple[str, str, str], tuple[str, str, str], str]]:
    """((type, device, port), (type, device, port), width and speed) of every listing: the grammar of ibdm-topo-file(1)."""
    system: tuple[str, str] | None = None
    for line in text.splitlines():
        if line.startswith("#") or not line.strip():
            system = system if line.startswith("#") else None
        elif found := LISTED.match(line):
            assert system
            port, width, speed, kind, device, far = found.groups()
            yield (*system, port), (kind, device, far), f"{width}x{speed}"
        else:
            section = SECTION.match(line)
            assert section, line
            system = section[1], section[2]


def topo_ports(links: LinkList) -> list[tuple[End, End]]:
    """Both ends of every link under the numbers of a topology file, from the columns of the link table."""
    table = links.table
    out = []
    for row, a_port, b_port, lane in zip(links.rows(), table.a_port, table.b_port, table.b_lane, strict=True):
        is_host = row[5].startswith(("node", "manager"))
        a = f"{row[7]}/P1" if is_host else f"P{a_port + 1}"
        out.append(((row[5], a), (row[8], f"P{b_port + 1}" + (f"/{lane}" if lane else ""))))
    return out


@pytest.mark.parametrize("name", INFINIBAND)
def test_the_topology_file_lists_every_cabled_port_of_every_switch(name: str) -> None:
    links = links_of(name)
    text = file_of(name, "topo").decode()
    read = list(read_topo(text))
    seen = Counter((near[1:], far[1:]) for near, far, _ in read)
    expected: Counter[tuple[End, End]] = Counter()
    for a, b in topo_ports(links):
        expected[b, a] += 1
        if not a[0].startswith(("node", "manager")):
            expected[a, b] += 1
    assert seen == expected
    assert links.spec_hash in text
    types = {end[1]: end[0] for near, far, _ in read for end in (near, far)}
    assert {kind for device, kind in types.items() if device.startswith("node")} <= {types[device] for device in types}


@pytest.mark.parametrize(
    ("name", "leaf", "host", "speeds"),
    [
        ("edr", "MSB7800", "HCA_mlx5_8", {"4x25G"}),
        ("hdr", "MQM8700", "HCA_mlx5_10", {"4x50G"}),
        ("hdr-splitters", "MQM8700", "HCA_mlx5_10", {"2x50G", "4x50G"}),
        ("ndr-managers", "MQM9700", "HCA_mlx5_12", {"4x100G"}),
        ("xdr", "Q3400", "HCA_mlx5_8", {"4x200G"}),
        ("three-tiers", "CUSTOM_8", "HCA_mlx5_4", {"4x100G"}),
    ],
)
def test_systems_of_a_topology_file_have_their_type_and_speed(
    name: str, leaf: str, host: str, speeds: set[str]
) -> None:
    read = list(read_topo(file_of(name, "topo").decode()))
    assert {near[0] for near, _, _ in read if near[1].startswith("leaf")} == {leaf}
    assert {far[0] for _, far, _ in read if far[1].startswith("node")} == {host}
    assert {speed for _, _, speed in read} == speeds


def test_an_ethernet_fabric_has_no_topology_file() -> None:
    with pytest.raises(SpecError) as caught:
        list(format_named("topo").write(links_of("cumulus")))
    assert [problem.code for problem in caught.value.problems] == ["not_for_ethernet"]
    assert "xlsx-p2p" in caught.value.problems[0].message


@pytest.mark.parametrize("name", list(SPECS)[::6])
def test_every_id_of_a_part_has_its_name_beside_it(name: str) -> None:
    """In the CSV and in the point-to-point sheet, as the bill of materials has it; what has no part has no name."""
    known = links_of(name).catalog.cables
    in_sheet = [row for rows in sheets(name).values() for row in rows]
    for row, cells in zip(rows_of(file_of(name, "csv")), in_sheet, strict=True):
        for key, at, titled in (
            ("part", "part_name", "Part Description"),
            ("a_transceiver", "a_transceiver_name", "A-Transceiver Description"),
            ("b_transceiver", "b_transceiver_name", "Z-Transceiver Description"),
        ):
            wanted = f"{known[row[key]].vendor} {known[row[key]].description}" if row[key] else ""
            assert (row[at], cells[titled] or "") == (wanted, wanted)


# ---------------------------------------------------------------- point-to-point sheet


def sheets(name: str) -> dict[str, list[dict[str, Any]]]:
    book = openpyxl.load_workbook(io.BytesIO(file_of(name, "xlsx-p2p")), read_only=True)
    out = {}
    for sheet in book:
        header, *rows = sheet.iter_rows(values_only=True)
        out[sheet.title] = [dict(zip(header, row, strict=True)) for row in rows]
    return out


@each_design
def test_the_sheet_has_every_link_on_the_sheet_of_its_tier(name: str) -> None:
    read = sheets(name)
    listed = [row for rows in read.values() for row in rows]
    pairs = [((r["A-Node Name"], r["A-Interface"]), (r["Z-Node Name"], r["Z-Interface"])) for r in listed]
    assert pairs == wired(name)
    assert [row["Link"] for row in listed] == list(range(1, len(listed) + 1))
    tiers = Counter(row[2] for row in links_of(name).rows())
    assert {title: len(rows) for title, rows in read.items()} == dict(tiers)
    tool = Counter((row[f"{side}-Node Name"], row[f"{side}-Port"]) for row in listed for side in "AZ")
    assert max(tool.values()) == 1  # the tool's names tell every port apart as well
    assert {row["A-Type"] for row in read["node-leaf"]} == {"Host"}
    assert {row["Z-Type"] for row in listed} == {"Switch"}


@pytest.mark.parametrize(
    ("name", "sheet", "a_port", "z_port"),
    [
        ("ndr-managers", "node-leaf", "1", "1"),
        ("hdr-splitters", "node-leaf", "1", "1/1"),
        ("xdr", "node-leaf", "1", "sw1p1"),
        ("ndr-managers", "leaf-spine", "33", "1"),
        ("cumulus", "node-leaf", "mlx5_0", "swp1s0"),
        ("arista", "node-leaf", "bnxt_re0", "Ethernet1/1"),
        ("juniper", "node-leaf", "ionic_0", "et-0/0/0:0"),
    ],
)
def test_ports_of_the_sheet_are_as_the_validation_tool_takes_them(
    name: str, sheet: str, a_port: str, z_port: str
) -> None:
    """The tool's manual: plain numbers or split ports such as 1/2, sw1p1 under NVOS, swp1s0 on Ethernet; 1 is mlx5_0."""
    first = sheets(name)[sheet][0]
    assert (first["A-Port"], first["Z-Port"]) == (a_port, z_port)


def test_adapter_numbers_of_the_sheet_follow_the_tools_default_mapping() -> None:
    rows = [row for row in sheets("ndr-managers")["node-leaf"] if row["A-Node Name"] == "node-0001"]
    assert [(row["A-Interface"], row["A-Port"]) for row in rows][:3] == [
        ("mlx5_0", "1"),
        ("mlx5_3", "4"),
        ("mlx5_4", "5"),
    ]


# ---------------------------------------------------------------- NetBox


class NetBox:
    """What NetBox would hold after importing a design's files, with the checks of its forms."""

    def __init__(self, *networks: LinkList) -> None:
        self.interfaces: dict[str, dict[str, str]] = {}
        self.connected: Counter[End] = Counter()
        types: dict[tuple[str, str], dict[str, Any]] = {}
        for links in networks:
            text = b"".join(format_named("netbox-device-types").write(links)).decode()
            for made in yaml.safe_load_all(text):
                types.setdefault((made["manufacturer"], made["model"]), made)
        assert len({made["slug"] for made in types.values()}) == len(types)
        for links in networks:
            self._add_devices(rows_of(b"".join(format_named("netbox-devices-csv").write(links))), types)

    def _add_devices(self, rows: list[dict[str, str]], types: dict[tuple[str, str], dict[str, Any]]) -> None:
        for row in rows:
            made = types[row["manufacturer"], row["device_type"]]
            assert row["name"] not in self.interfaces
            assert row["status"] == "planned"
            ports = [port["name"] for port in made["interfaces"]]
            assert len(set(ports)) == len(ports)
            self.interfaces[row["name"]] = {port["name"]: port["type"] for port in made["interfaces"]}

    def side(self, row: dict[str, str], side: str) -> list[End]:
        """The terminations of a side, as NetBox 4.7 reads them: one device for all, or one for each."""
        assert row[f"side_{side}_type"] == "dcim.interface"
        devices, ports = row[f"side_{side}_device"].split(","), row[f"side_{side}_name"].split(",")
        devices = devices * len(ports) if len(devices) == 1 else devices
        ends = list(zip(devices, ports, strict=True))
        for device, port in ends:
            assert port in self.interfaces[device], (device, port)
            self.connected[device, port] += 1
            assert self.connected[device, port] == 1
        return ends


@each_design
def test_netbox_has_every_device_and_the_classic_import_every_link(name: str) -> None:
    box = NetBox(links_of(name))
    assert list(box.interfaces) == links_of(name).table.devices.names
    read = rows_of(file_of(name, "netbox-csv"))
    pairs = [(*box.side(row, "a"), *box.side(row, "b")) for row in read]
    assert pairs == wired(name)
    assert [int(row["label"]) for row in read] == [row[1] for row in links_of(name).rows()]
    assert {len(row["description"]) <= 200 for row in read} == {True}
    assert {row["length_unit"] for row in read} == {"m"}


@each_design
def test_with_profiles_a_row_is_a_physical_cable(name: str) -> None:
    box = NetBox(links_of(name))
    read = rows_of(file_of(name, "netbox-csv-profiles"))
    cables: dict[int, list[tuple[End, End]]] = {}
    for link, pair in zip(links_of(name).rows(), wired(name), strict=True):
        cables.setdefault(link[1], []).append(pair)
    assert sorted(int(row["label"]) for row in read) == sorted(cables)
    for row in read:
        a, b = box.side(row, "a"), box.side(row, "b")
        links, profile = cables[int(row["label"])], row["profile"]
        connectors = [int(n) for n in re.findall(r"(\d+)c", profile)]
        assert len(a) <= connectors[0]
        assert len(b) <= connectors[-1]
        if profile.startswith("breakout"):
            assert {a[0][0]} == {upper[0] for _, upper in links}
            assert Counter(b) == Counter(lower for lower, _ in links)
            by_lane = sorted(links, key=lambda pair: [int(n) for n in re.findall(r"\d+", pair[1][1])])
            assert b == [lower for lower, _ in by_lane]
        else:
            assert Counter(zip(a, b, strict=True)) == Counter(links)


SITE = SPECS["ndr-managers"] | {
    "other_fabrics": [{"role": "storage", "extra_endpoints": 8}, {"role": "in-band"}, {"role": "out-of-band"}],
    "site": {"plan": {}},
}
NETWORKS = ("compute", "storage", "in-band", "out-of-band")


@cache
def network(role: str) -> LinkList:
    return link_list(parse_spec(SITE, CATALOG), CATALOG, role)


def test_netbox_takes_all_networks_of_a_site_one_after_the_other() -> None:
    """Devices come once, in the file of the network that brings them, and every cable finds its free interfaces."""
    box = NetBox(*map(network, NETWORKS))
    assert set(box.interfaces) == {name for role in NETWORKS for name in network(role).table.devices.names}
    for role in NETWORKS:
        for row in rows_of(b"".join(format_named("netbox-csv").write(network(role)))):
            box.side(row, "a")
            box.side(row, "b")
    assert sum(box.connected.values()) == 2 * sum(len(network(role)) for role in NETWORKS)


def test_devices_beside_nodes_are_no_nodes() -> None:
    rows = {
        row["name"]: row
        for role in NETWORKS
        for row in rows_of(b"".join(format_named("netbox-devices-csv").write(network(role))))
    }
    assert [rows[name]["role"] for name in ("node-0001", "storage-0001", "pdu-0001", "inband-leaf-001")] == [
        "GPU node",
        "Server",
        "PDU",
        "Leaf switch",
    ]
    assert (rows["storage-0001"]["manufacturer"], rows["pdu-0001"]["position"]) == ("Generic", "")


def test_every_rack_that_a_device_stands_in_is_imported_before() -> None:
    racks = [row["name"] for row in rows_of(b"".join(format_named("netbox-racks-csv").write(network("compute"))))]
    devices = [
        row for role in NETWORKS for row in rows_of(b"".join(format_named("netbox-devices-csv").write(network(role))))
    ]
    assert len(set(racks)) == len(racks)
    assert {row["rack"] for row in devices} <= set(racks)
    taken = Counter((row["rack"], row["position"]) for row in devices if row["position"])
    assert max(taken.values()) == 1
    assert rows_of(file_of("edr", "netbox-racks-csv")) == []


@pytest.mark.parametrize("role", NETWORKS)
def test_racks_and_units_are_those_of_the_floor_plan(role: str) -> None:
    links = network(role)
    floor = links.plan.floor
    assert floor
    content = b"".join(format_named("xlsx-p2p").write(links))
    for sheet in openpyxl.load_workbook(io.BytesIO(content), read_only=True):
        header, *rows = sheet.iter_rows(values_only=True)
        for row in rows:
            cells = dict(zip(header, row, strict=True))
            for name, rack, unit in (("A-Node Name", "A-Rack", "A-U"), ("Z-Node Name", "Z-Rack", "Z-RU")):
                index = floor.devices.index_of(str(cells[name]))
                assert index is not None
                assert cells[rack] == floor.names[floor.rack[index]]
                assert (cells[unit] or 0) == floor.bottom_unit[index]


def test_switches_on_another_network_are_switches_there_too() -> None:
    content = b"".join(format_named("xlsx-p2p").write(network("in-band")))
    _, *rows = openpyxl.load_workbook(io.BytesIO(content), read_only=True).worksheets[0].iter_rows(values_only=True)
    types = {str(row[2]).partition("-")[0]: row[3] for row in rows}
    assert types == {"node": "Host", "manager": "Host", "oob": "Switch"}
    dot = b"".join(format_named("dot").write(network("in-band"))).decode()
    assert '"oob-leaf-001" [label="oob-leaf-001" role="switch"' in dot


@pytest.mark.parametrize(
    ("name", "profiles"),
    [
        ("ndr-managers", {"single-1c1p"}),
        ("hdr-splitters", {"breakout-1c2p-2c1p", "single-1c1p"}),
        ("ndr-twin-copper", {"breakout-1c2p-2c1p", "trunk-2c1p"}),
    ],
)
def test_profiles_of_a_design(name: str, profiles: set[str]) -> None:
    assert {row["profile"] for row in rows_of(file_of(name, "netbox-csv-profiles"))} == profiles


def test_a_lane_without_a_server_stays_free() -> None:
    """33 nodes, two a leaf port: the 17th splitter of each leaf has one far end, and a position to spare."""
    rows = [
        row for row in rows_of(file_of("hdr-splitters", "netbox-csv-profiles")) if row["profile"].startswith("breakout")
    ]
    ends = [len(row["side_b_name"].split(",")) for row in rows if row["side_a_device"] == "leaf-r1-001"]
    assert ends == [2] * 16 + [1]


@each_design
@pytest.mark.parametrize("form", ["csv", "xlsx-p2p", "topo", "netbox-csv", "netbox-csv-profiles"])
def test_a_design_finds_no_fault_in_its_own_file(name: str, form: str) -> None:
    if form == "topo" and name not in INFINIBAND:
        pytest.skip("topology files are for InfiniBand")
    links = links_of(name)
    pairing = check_links(links, read_links(io.BytesIO(file_of(name, form)))).pairing
    faults = (pairing.swaps, pairing.wrong_port, pairing.moved, pairing.missing, pairing.extra, pairing.taken)
    assert [len(found) for found in faults] == [0] * len(faults)


def test_types_have_netbox_interface_types() -> None:
    made = {kind["model"]: kind for kind in yaml.safe_load_all(file_of("cumulus", "netbox-device-types").decode())}
    ports = {port["name"]: port for port in made["SN5600"]["interfaces"]}
    assert (ports["swp1"]["type"], ports["swp1s0"]["type"], ports["eth0"]["mgmt_only"]) == (
        "800gbase-x-osfp",
        "400gbase-x-osfp",
        True,
    )
    infiniband = {kind["model"]: kind for kind in yaml.safe_load_all(file_of("hdr", "netbox-device-types").decode())}
    assert {port["type"] for port in infiniband["QM8700"]["interfaces"]} == {"infiniband-hdr", "1000base-t"}


def test_a_name_that_a_spreadsheet_would_run_is_guarded_in_netbox_files() -> None:
    spec = {**SPECS["one-tier"], "name": "=HYPERLINK(1)"}
    links = link_list(parse_spec(spec, CATALOG), CATALOG)
    read = rows_of(b"".join(FORMATS["netbox-devices-csv"].write(links)))
    assert {row["site"] for row in read} == {"'=HYPERLINK(1)"}


# ---------------------------------------------------------------- the streamed workbook


def test_a_streamed_workbook_keeps_every_text_as_text() -> None:
    texts = ["=1+1", "a & b <c>", " led, trailed ", "bell \x07", "grün ✓", '"quoted"']
    sheet = Sheet('Über & "all"', ("T", "N"), (8, 8), len(texts), [(text, number) for number, text in enumerate(texts)])
    content = b"".join(workbook([sheet], "A & B", "<said>", {"key": "a & b"}))
    book = openpyxl.load_workbook(io.BytesIO(content))
    assert book.sheetnames == ['Über & "all"']
    read = [tuple(cell.value for cell in row) for row in book.worksheets[0].iter_rows(min_row=2)]
    assert read == [(text.replace("\x07", " "), number) for number, text in enumerate(texts)]
    assert {cell.data_type for cell in book.worksheets[0]["A"]} == {"s"}
    assert (book.properties.title, book.properties.description) == ("A & B", "<said>")
    assert book.worksheets[0].freeze_panes == "A2"
    assert book.worksheets[0]["A1"].font.b


def test_a_sheet_comes_before_its_last_row_is_made() -> None:
    made: list[int] = []

    def rows() -> Iterator[tuple[int]]:
        for number in range(100_000):
            made.append(number)
            yield (number,)

    pieces = workbook([Sheet("s", ("N",), (8,), 100_000, rows())], "t", "c", {})
    assert next(pieces).startswith(b"PK")
    next(pieces)
    next(pieces)
    assert len(made) < 10_000
    assert sum(map(len, pieces)) > 0
    assert len(made) == 100_000
