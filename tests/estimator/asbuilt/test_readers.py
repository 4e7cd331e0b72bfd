"""Readers of dumps, topologies, sheets and cable exports: what they take, and which lines they leave out and why."""

import contextlib
import io
import struct
import zipfile
from collections.abc import Callable, Sequence

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.asbuilt.readers import files
from estimator.asbuilt.readers.files import read_links
from estimator.asbuilt.readers.found import FoundLinks
from estimator.asbuilt.readers.name_map import read_name_map
from estimator.errors import SpecError, UnreadableFile
from estimator.tables import workbook
from tests.thorough import n_examples

# In the layout of ibnetdiscover(8) and of dumps that sites have published: an own NIC a host, an aggregation node on
# the last port of the switch, a CA section of its own, a port that is reported from both ends.
DUMP = """#
# Topology file: generated on Fri Jul 19 02:49:25 2024
#
# Initiated from node a088c20300ab0000 port a088c20300ab0001

vendid=0x2c9
devid=0xd2f2
sysimgguid=0x9c0591030000a000
switchguid=0x9c0591030000a000(9c0591030000a000)
Switch\t65 "S-9c0591030000a000"\t\t# "MF0;leaf-001:MQM9700/U1" enhanced port 0 lid 1 lmc 0
[1]\t"H-b83fd2030000b001"[1](b83fd2030000b001) \t\t# "node-0001 mlx5_0" lid 22 4xNDR
[2]\t"H-b83fd2030000b002"[1](b83fd2030000b002) \t\t# "node-0001 mlx5_3" lid 27 2xNDR
[33]\t"S-9c0591030000a001"[1]\t\t# "MF0;spine-001:MQM9700/U1" lid 2 4xNDR
[65]\t"H-9c0591030000a008"[1](9c0591030000a008) \t\t# "Mellanox Technologies Aggregation Node" lid 14 4xHDR

vendid=0x2c9
devid=0xd2f2
sysimgguid=0x9c0591030000a001
switchguid=0x9c0591030000a001(9c0591030000a001)
Switch\t65 "S-9c0591030000a001"\t\t# "MF0;spine-001:MQM9700/U1" enhanced port 0 lid 2 lmc 0
[1]\t"S-9c0591030000a000"[33]\t\t# "MF0;leaf-001:MQM9700/U1" lid 1 4xNDR

vendid=0x2c9
devid=0x1021
sysimgguid=0xb83fd2030000b001
caguid=0xb83fd2030000b001
Ca\t1 "H-b83fd2030000b001"\t\t# "node-0001 mlx5_0"
[1](b83fd2030000b001) \t"S-9c0591030000a000"[1]\t\t# lid 22 lmc 0 "MF0;leaf-001:MQM9700/U1" lid 1 4xNDR
"""
# The example of NVIDIA's Cable Validation Tool, "Topo File", with this project's names
TOPO = """# spec_hash 0123456789abcdef
MQM8700 sw-hdr01
    P2 -4x-50G-> HCA_mlx5_3 host-04 mlx5_0/P1
    P3 -4x-50G-> HCA_mlx5_3 host-04 mlx5_1/P1
    P40 -4x-50G-> MQM9700 sw-ndr05 P62

MQM9700 sw-ndr05
    P62 -4x-50G-> MQM8700 sw-hdr01 P40
    P61 -4x-50G-> MQM8700
"""
ROWS_OF_NETBOX = 'Device A,Termination A,Device B,Termination B\nn1,"e1,e2",leaf,"1/1,1/2"\nn2,e1,leaf,1/3\n'
# ibdm-topo-file(1): the older form
OLD_TOPO = "MTS2400 S-1\n  P1 -> MT23108 H-1 P1\n  P2 -> MT23108 H-1 P2\n  P24 -> MT23108 H-2 P1\n\n"


def read(data: str | bytes, file_format: str = "auto") -> FoundLinks:
    return read_links(io.BytesIO(data.encode() if isinstance(data, str) else data), file_format)


def links(found: FoundLinks) -> list[tuple[str, str, str, str, int]]:
    columns = (found.a_device, found.a_port, found.b_device, found.b_port, found.rate_gbit_s)
    return [
        (found.names[a], found.ports[a_port], found.names[b], found.ports[b_port], int(rate))
        for a, a_port, b, b_port, rate in zip(*columns, strict=True)
    ]


def drops(found: FoundLinks) -> list[tuple[int, str]]:
    return [(drop.line, drop.code) for drop in found.drops]


def book(*sheets: Sequence[Sequence[object]]) -> bytes:
    out, work = io.BytesIO(), openpyxl.Workbook()
    work.remove(work.active)
    for number, rows in enumerate(sheets):
        sheet = work.create_sheet(f"SU {number + 1}")
        for row in rows:
            sheet.append(row)
    work.save(out)
    return out.getvalue()


# ---------------------------------------------------------------- ibnetdiscover


def test_a_dump_gives_devices_by_guid_and_ports_by_adapter() -> None:
    found = read(DUMP)
    assert (found.format, found.both_sides) == ("ibnetdiscover", True)
    assert links(found) == [
        ("leaf-001", "1", "node-0001", "mlx5_0", 400),
        ("leaf-001", "2", "node-0001", "mlx5_3", 200),
        ("leaf-001", "33", "spine-001", "1", 400),
        ("spine-001", "1", "leaf-001", "33", 400),
        ("node-0001", "mlx5_0", "leaf-001", "1", 400),
    ]
    assert (sorted(found.names), found.adapters) == (["leaf-001", "node-0001", "spine-001"], 2)
    assert [found.kinds[found.names.index(name)] for name in ("leaf-001", "node-0001")] == ["switch", "host"]
    assert drops(found) == [(14, "aggregation_node")]


def test_switches_are_counted_by_guid_not_by_port_lines() -> None:
    """A switch of 64 ports has 64 lines; unnamed switches share one description and stay apart."""
    section = 'Switch\t65 "S-{0:016x}"\t\t# "Quantum Mellanox Technologies" base port 0 lid 1 lmc 0\n'
    other = {1: 2, 2: 1}
    lines = "".join(
        section.format(n)
        + "".join(
            f'[{port}]\t"S-{other[n]:016x}"[{port}]\t\t# "Quantum Mellanox Technologies" lid 2 4xHDR\n'
            for port in range(1, 65)
        )
        for n in other
    )
    found = read(lines)
    assert len(found) == 128
    assert found.names == [f"Quantum Mellanox Technologies (0x{n:016x})" for n in other]


def test_a_host_without_adapter_names_keeps_its_adapters_apart() -> None:
    lines = 'Switch\t65 "S-00000000000000aa"\t\t# "leaf" base port 0 lid 1 lmc 0\n' + "".join(
        f'[{port}]\t"H-00000000000000b{port}"[1](b{port})\t\t# "gpu007" lid 5 4xNDR\n' for port in (1, 2)
    )
    found = read(lines)
    assert found.names == ["leaf", "gpu007"]
    assert {port for _, _, _, port, _ in links(found)} == {"0x00000000000000b1", "0x00000000000000b2"}


def test_the_ports_report_is_read_too() -> None:
    found = read(
        "CA   134  1 0x7cfe9003003b4bde 4x EDR - SW  1719 10 0x7cfe9003009ce5b0 ( 'o0001 HCA-1' - 'ib-i1l1s01' )\n"
        "SW  1719 10 0x7cfe9003009ce5b0 4x EDR - CA   134  1 0x7cfe9003003b4bde ( 'ib-i1l1s01' - 'o0001 HCA-1' )\n"
        "SW  1719 11 0x7cfe9003009ce5b0 4x SDR                                    'ib-i1l1s01'\n"
    )
    assert links(found) == [("o0001", "HCA-1", "ib-i1l1s01", "10", 100), ("ib-i1l1s01", "10", "o0001", "HCA-1", 100)]
    assert drops(found) == [(3, "not_connected")]


def test_lines_that_are_no_links_are_dropped_with_their_number() -> None:
    found = read('[7]\t"S-1"[1] # too early\n' + DUMP.replace("[2]\t", "[2] broken "))
    assert (1, "link_outside_device") in drops(found)
    assert (13, "not_a_link") in drops(found)
    with pytest.raises(UnreadableFile, match="No line of the file is a port"):
        read("vendid=0x2c9\nswitchguid=0x1(1)\n", "ibnetdiscover")


# ---------------------------------------------------------------- topo


def test_a_topology_file_gives_links_with_rates_and_its_hash() -> None:
    found = read(TOPO)
    assert (found.format, found.spec_hash) == ("topo", "0123456789abcdef")
    assert links(found) == [
        ("sw-hdr01", "P2", "host-04", "mlx5_0/P1", 200),
        ("sw-hdr01", "P3", "host-04", "mlx5_1/P1", 200),
        ("sw-hdr01", "P40", "sw-ndr05", "P62", 200),
        ("sw-ndr05", "P62", "sw-hdr01", "P40", 200),
    ]
    assert found.kinds == ["switch", "host", "switch"]
    assert drops(found) == [(9, "not_a_link")]


def test_the_older_topology_form_has_no_rates() -> None:
    assert links(read(OLD_TOPO)) == [
        ("S-1", "P1", "H-1", "P1", 0),
        ("S-1", "P2", "H-1", "P2", 0),
        ("S-1", "P24", "H-2", "P1", 0),
    ]


# ---------------------------------------------------------------- sheets

HEADERS = [
    ["A-Node Name", "A-Type", "A-Port", "Z-Node Name", "Z-Type", "Z-Port"],
    ["Rack", "U", "Name", "HCA/Port", "Rack", "U", "Name", "Port"],
    ["Source Device", "Source Port", "Destination Device", "Destination Port", "Speed"],
    ["from device", "from port", "to device", "to port"],
    ["Local Host", "Local Interface", "Remote Host", "Remote Interface"],
]
ROWS = [
    ["node-0001", "Host", "1", "leaf-001", "Switch", "1/3"],
    ["316", "22", "node-0001", "1", "R113", "22", "leaf-001", "1/3"],
    ["node-0001", "1", "leaf-001", "1/3", "400G"],
    ["node-0001", "1", "leaf-001", "1/3"],
    ["node-0001", "1", "leaf-001", "1/3"],
]


@pytest.mark.parametrize(("header", "row"), list(zip(HEADERS, ROWS, strict=True)))
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_headers_of_many_tools_are_understood(header: list[str], row: list[str], separator: str) -> None:
    text = "\n".join(["Cabling of hall 2", separator.join(header), separator.join(row)])
    (link,) = links(read(text, "csv"))
    assert link == ("node-0001", "1", "leaf-001", "1/3", 400 if "Speed" in header else 0)


def test_rows_without_a_link_are_dropped_with_their_reason() -> None:
    found = read(
        "a_device,a_port,b_device,b_port\n"
        "n1,1,leaf,1\n,2,leaf,2\nn3,,leaf,3\nn4,4\nn5,5,leaf,03-Jan\nn6,6,n6,6\n\n# a remark\n"
        + "x" * 300
        + ",7,leaf,7\n"
    )
    assert len(found) == 1
    assert drops(found) == [
        (3, "no_device"),
        (4, "no_port"),
        (5, "too_few_cells"),
        (6, "date_for_port"),
        (7, "same_port"),
        (10, "name_too_long"),
    ]
    assert found.drops[3].as_json()["reason"].startswith("a spreadsheet has made a date of a port name")


def test_a_sheet_without_a_header_is_refused_with_one_that_would_do() -> None:
    with pytest.raises(UnreadableFile, match="A-Node Name, A-Port, Z-Node Name, Z-Port"):
        read("n1,1,leaf,1\nn2,1,leaf,2\n", "csv")


def test_text_may_be_utf_16_and_lines_may_be_broken() -> None:
    text = "a_device,a_port,b_device,b_port\nn1,1,leaf,1\n"
    assert len(read(text.encode("utf-16"), "csv")) == 1
    broken = read((text + "y" * 100_000 + "\nn2,1,leaf,2\n\0,,,\n").encode() + b"\xff\xfe,1,leaf,3\n", "csv")
    assert [link[0] for link in links(broken)][:2] == ["n1", "n2"]


def test_a_workbook_gives_its_sheets_and_no_formula_is_evaluated() -> None:
    header = ["A-Node Name", "A-Port", "Z-Node Name", "Z-Port"]
    data = book(
        [header, ["node-0001", 1, "leaf-001", "1/1"], ["node-0002", 1, '=CMD("x")', "1/2"]],
        [["Legend"], ["red", "storage"]],
        [["SU 2", None, None, None], header, ["node-0033", 2.0, "leaf-009", 45660]],
    )
    found = read(data)
    assert found.format == "xlsx"
    assert links(found) == [("node-0001", "1", "leaf-001", "1/1", 0)]
    assert sorted(reason for _, reason in drops(found)) == ["date_for_port", "no_device", "no_header"]


# ---------------------------------------------------------------- unsafe workbooks


def repacked(data: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return out.getvalue()


PLAIN = book([["a_device", "a_port", "b_device", "b_port"], ["n1", "1", "leaf", "1"]])


def test_a_workbook_that_unpacks_too_far_is_refused_before_it_is_read() -> None:
    bomb = repacked(PLAIN, lambda name, data: data + b" " * 60_000_000 if "sheet1" in name else data)
    assert len(bomb) < 1_000_000
    with pytest.raises(UnreadableFile, match="unpack to 60"):
        next(iter(workbook.sheets(io.BytesIO(bomb), max_unpacked_bytes=50_000_000)))


def test_a_part_that_lies_about_its_size_ends_at_what_it_declares() -> None:
    """The directory says 40 bytes: reading stops there, and the XML is broken instead of endless."""
    data = bytearray(repacked(PLAIN, lambda name, part: part))
    place = data.index(b"PK\x01\x02", data.rindex(b"xl/worksheets/sheet1.xml") - 46)
    struct.pack_into("<L", data, place + 24, 40)
    with pytest.raises(UnreadableFile):
        read(bytes(data), "xlsx")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_document_types_and_entities_are_refused(encoding: str) -> None:
    laughs = '<?xml version="1.0"?><!DOCTYPE w [<!ENTITY a "haha"><!ENTITY b "&a;&a;&a;">]><worksheet>&b;</worksheet>'
    data = repacked(PLAIN, lambda name, part: laughs.encode(encoding) if "sheet1.xml" in name else part)
    with pytest.raises(UnreadableFile, match="declares a document type") as refused:
        read(data, "xlsx")
    assert refused.value.problems[0].code == "workbook_has_dtd"


@pytest.mark.parametrize("data", [b"PK\x03\x04 no zip at all", PLAIN[:-200], b"\xd0\xcf\x11\xe0 an old .xls"])
def test_what_is_no_workbook_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableFile) as refused:
        read(data, "xlsx")
    assert refused.value.problems[0].code == "not_a_workbook"


def test_a_workbook_without_its_sheets_is_refused() -> None:
    data = repacked(PLAIN, lambda name, part: b"<broken" if name == "xl/workbook.xml" else part)
    with pytest.raises(UnreadableFile, match=r"xl/workbook\.xml is broken XML"):
        read(data)


# ---------------------------------------------------------------- NetBox


def test_netbox_import_and_export_columns_are_read() -> None:
    imported = (
        "side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name,type,status\n"
        "node-0001,dcim.interface,mlx5_0,leaf-001,dcim.interface,1/1/1,mmf,connected\n"
    )
    exported = (
        "ID,Label,Device A,Termination A,Device B,Termination B,Status\n"
        "7,L7,node-0001,mlx5_0,leaf-001,1/1/1,Connected\n"
        "8,L8,leaf-001,Ethernet1/1,node-0002,\n"
    )
    assert read(imported).format == "netbox"
    assert links(read(imported)) == links(read(exported)) == [("node-0001", "mlx5_0", "leaf-001", "1/1/1", 0)]
    assert drops(read(exported)) == [(3, "no_port")]


def test_a_breakout_cable_is_a_link_for_each_of_its_ends() -> None:
    """netbox #21131: four servers on the lanes of one cage; names of one cell of the table come in no order of their own."""
    found = read(
        "Termination A,Device A,Termination B,Device B\n"
        '"swp1s2,swp1s0,swp1s1,swp1s3",leaf-001,"eth0,eth0,eth0,eth0","n3,n1,n2,n4"\n'
        '"swp2s0,swp2s1",leaf-001,eth1,n1\n'
        '"swp3s0,swp3s1,swp3s2",leaf-001,"eth1,eth2",n2\n'
    )
    assert [(a_port, b) for _, a_port, b, _, _ in links(found)] == [
        ("swp1s0", "n1"),
        ("swp1s1", "n2"),
        ("swp1s2", "n3"),
        ("swp1s3", "n4"),
        ("swp2s0", "n1"),
        ("swp2s1", "n1"),
    ]
    assert drops(found) == [(4, "several_ends")]
    ordered = read(
        "side_a_device,side_a_name,side_b_device,side_b_name,profile\n"
        'leaf-001,1/3,"n2,n1","mlx5_0,mlx5_0",breakout-1c2p-2c1p\n'
    )
    assert links(ordered) == [
        ("leaf-001", "1/3 lane 1", "n2", "mlx5_0", 0),
        ("leaf-001", "1/3 lane 2", "n1", "mlx5_0", 0),
    ]


def test_an_export_without_devices_says_how_to_get_them() -> None:
    with pytest.raises(UnreadableFile, match=r"lacks device a, device b.*All data"):
        read("ID,Label,Termination A,Termination B,Status\n7,L7,mlx5_0,1/1/1,Connected\n")


# ---------------------------------------------------------------- any file


@pytest.mark.parametrize(
    ("data", "file_format"),
    [
        (DUMP, "ibnetdiscover"),
        (TOPO, "topo"),
        (OLD_TOPO, "topo"),
        ("a_device,a_port,b_device,b_port\nn,1,l,1\n", "csv"),
        ("# spec_hash aa\nside_a_device,side_a_name,side_b_device,side_b_name\nn,1,l,1\n", "netbox"),
    ],
)
def test_formats_are_identified_by_content(data: str, file_format: str) -> None:
    assert read(data).format == file_format


def test_files_are_bounded_and_formats_named() -> None:
    with pytest.raises(UnreadableFile, match="has 100 bytes, and 99 are read"):
        read_links(io.BytesIO(b"x" * 100), max_bytes=99)
    with pytest.raises(UnreadableFile, match="empty"):
        read(b" \n ")
    with pytest.raises(
        SpecError,
        match="Formats are auto, ibnetdiscover, iblinkinfo, lldp, topo, csv, xlsx, netbox, and dot was requested",
    ):
        read(DUMP, "dot")


def test_links_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("estimator.asbuilt.readers.found.MAX_LINKS", 3)
    with pytest.raises(UnreadableFile, match="more than 3 links"):
        read("a_device,a_port,b_device,b_port\n" + "".join(f"n{i},1,l,{i}\n" for i in range(4)))


def test_reading_is_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """No reader asks for the whole of a text file."""

    class Stream(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            assert size is not None
            assert 0 < size <= files.HEAD_BYTES
            return super().read(size)

    for data in (DUMP, TOPO, "a_device,a_port,b_device,b_port\nn,1,l,1\n"):
        assert len(read_links(Stream(data.encode() * 50)))


@settings(max_examples=n_examples(150), deadline=None)
@given(
    st.sampled_from([DUMP, TOPO, OLD_TOPO, "a_device,a_port,b_device,b_port\nn,1,l,1\n", ROWS_OF_NETBOX]),
    st.lists(
        st.tuples(
            st.integers(0, 3000), st.sampled_from([*list('"[]()#,;->\t\n\x00{}\x0b\u2028'), "S-", "[1]", "->", "é"])
        ),
        max_size=20,
    ),
    st.sampled_from(["auto", *files.FORMATS]),
)
def test_no_damage_to_a_file_breaks_a_reader(text: str, damage: list[tuple[int, str]], file_format: str) -> None:
    for place, sign in damage:
        at = place % (len(text) + 1)
        text = text[:at] + sign + text[at + 1 :]
    try:
        found = read(text, file_format)
    except UnreadableFile:
        return
    assert len(found.line) == len(found.b_port)
    assert all(name and port for a, a_port, b, b_port, _ in links(found) for name, port in ((a, a_port), (b, b_port)))


def test_numbers_beyond_reason_are_no_numbers() -> None:
    huge = "9" * 6000
    topology = read(f"MQM9700 leaf\n P1 -4x-{huge}G-> MQM9700 spine P1\n P2 -4x-100G-> MQM9700 spine P2\n")
    assert (links(topology), drops(topology)) == ([("leaf", "P2", "spine", "P2", 400)], [(2, "not_a_link")])
    assert links(read(f"a_device,a_port,b_device,b_port,rate\nn,1,l,1,{huge}\n"))[0][4] == 0
    rows = repacked(PLAIN, lambda name, part: part.replace(b'<row r="2"', f'<row r="{huge}"'.encode()))
    assert [int(line) for line in read(rows).line] == [2]


@settings(max_examples=n_examples(60), deadline=None)
@given(st.binary(max_size=400), st.sampled_from(["auto", *files.FORMATS]))
def test_any_bytes_are_read_or_refused(data: bytes, file_format: str) -> None:
    with contextlib.suppress(UnreadableFile):
        read(b"\xff\xfe", file_format)  # a mark of byte order, and nothing after it
    with contextlib.suppress(UnreadableFile):
        read(b"PK" + data if file_format == "xlsx" else data, file_format)


# ---------------------------------------------------------------- maps of names


def test_a_map_of_names_has_two_columns() -> None:
    assert read_name_map(b"\xef\xbb\xbfold,new\n# remark\ngpu-a , node-0001\n\n") == {"gpu-a": "node-0001"}
    for wrong in (b"a,b\nc\n", b"a,b\na,c\n", b"a,b\nc,b\n"):
        with pytest.raises(UnreadableFile) as refused:
            read_name_map(wrong)
        assert refused.value.problems[0].code == "name_map_wrong"
