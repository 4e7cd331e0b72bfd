"""A file of links against a design: every fault by name, whatever the format, the names or the style of the ports."""

import csv
import io
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from estimator.asbuilt.check import check_links
from estimator.asbuilt.readers.files import read_links
from estimator.asbuilt.report import DIFFERENCES, LIST_BOUND, report
from estimator.cabling.links import LinkList
from estimator.catalog.catalog import Catalog
from estimator.catalog.loader import load_catalog
from estimator.errors import SpecError
from estimator.handoff.formats import FORMATS
from estimator.link_list import link_list
from estimator.spec.parse import parse_spec
from tests.estimator.asbuilt import fabric_dumps as dumps
from tests.estimator.asbuilt.fabric_dumps import Cable, cables_of
from tests.estimator.verbs import run

Json = dict[str, Any]
ROOT = Path(__file__).parents[3]
NDR = {
    "compute": {"server": "dgx-h100", "nodes": 40},
    "fabric": {"generation": "ndr", "scalable_unit_nodes": 32, "reserved": {"fabric_manager_links": 4}},
}
DESIGNS: dict[str, Json] = {
    "ndr with fabric managers": NDR,
    "hdr": {"compute": {"server": "dgx-a100-640", "nodes": 30}, "fabric": {"generation": "hdr"}},
    "xdr": {"compute": {"server": "dgx-b300", "nodes": 20}, "fabric": {"generation": "xdr"}},
    "rail only": {
        "compute": {"server": "dgx-h100", "nodes": 24},
        "fabric": {"generation": "ndr", "layout": "rail-only"},
    },
    "three tiers": {
        "compute": {"server": "dgx-h100", "nodes": 96},
        "fabric": {"generation": "ndr", "tiers": 3, "pod_nodes": 32, "scalable_unit_nodes": 32},
    },
    "split leaf ports": {
        "compute": {"server": "dgx-h100", "nodes": 24},
        "fabric": {"generation": "ndr", "splitters": True},
    },
    "planes": {
        "compute": {"server": "custom", "nodes": 32, "gpus_per_node": 8, "nics_per_node": 8, "nic_ports_per_node": 16},
        "fabric": {"generation": "roce-400", "planes": 2},
    },
}


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


@pytest.fixture(scope="module")
def ndr(catalog: Catalog) -> LinkList:
    return links_of(NDR, catalog)


def links_of(spec: Json, catalog: Catalog) -> LinkList:
    return link_list(parse_spec(spec, catalog), catalog)


def compared(links: LinkList, data: bytes | str, mapping: dict[str, str] | None = None, kind: str = "auto") -> Json:
    file = io.BytesIO(data.encode() if isinstance(data, str) else data)
    return report(check_links(links, read_links(file, kind), mapping)).as_json()


def totals(out: Json) -> Json:
    return {key: n for key, n in out["totals"].items() if n}


def dump(cables: list[Cable], **names: Callable[[str], str]) -> str:
    return "".join(dumps.ibnetdiscover(cables, **names))


def exported(links: LinkList, file_format: str) -> bytes:
    return b"".join(FORMATS[file_format].write(links))


def sheet(cables: list[Cable], port: Callable[[dumps.End], str] = lambda end: end.label) -> str:
    lines = (f"{c.a.device},{port(c.a)},{c.b.device},{port(c.b)}\n" for c in cables)
    return "a_device,a_port,b_device,b_port\n" + "".join(lines)


def words(cable: Cable, named: Callable[[str], str] = str) -> str:
    return f"{named(cable.a.device)} {cable.a.label} – {named(cable.b.device)} {cable.b.label}"


# ---------------------------------------------------------------- what is right is right


@pytest.mark.parametrize("spec", DESIGNS.values(), ids=DESIGNS)
def test_a_design_equals_what_a_fabric_says_of_it(spec: Json, catalog: Catalog) -> None:
    links = links_of(spec, catalog)
    for data in (sheet(cables_of(links)), "".join(dumps.topo(cables_of(links))) if "roce" not in str(spec) else None):
        if data and not (spec["fabric"].get("splitters") and "->" in data):
            out = compared(links, data)
            assert (totals(out), out["matched"]) == ({}, len(links)), out["summary"]
            assert out["built"]["oversubscription"]["found"] == out["built"]["oversubscription"]["design"]


@pytest.mark.parametrize("spec", DESIGNS.values(), ids=DESIGNS)
@pytest.mark.parametrize("file_format", ["csv", "xlsx-p2p", "topo", "netbox-csv", "netbox-csv-profiles"])
def test_our_own_files_come_back_as_they_were(file_format: str, spec: Json, catalog: Catalog) -> None:
    links = links_of(spec, catalog)
    if file_format == "topo" and "roce" in spec["fabric"]["generation"]:
        pytest.skip("topology files are for InfiniBand")
    out = compared(links, exported(links, file_format))
    assert (totals(out), out["matched"], out["read"]["dropped_total"]) == ({}, len(links), 0), out["summary"]
    assert out["summary"].startswith(f"All {len(links):,} links are as designed.")
    assert out["file_spec_hash"] == links.spec_hash


@pytest.mark.parametrize("role", ["storage", "in-band", "out-of-band"])
@pytest.mark.parametrize("file_format", ["csv", "xlsx-p2p", "netbox-csv"])
def test_other_networks_come_back_too(role: str, file_format: str, catalog: Catalog) -> None:
    """Out of band, hosts of several sorts print one name on different ports."""
    spec = NDR | {"other_fabrics": [{"role": "storage"}, {"role": "in-band"}, {"role": "out-of-band"}]}
    links = link_list(parse_spec(spec, catalog), catalog, role)
    out = compared(links, exported(links, file_format))
    assert (totals(out), out["matched"], out["fabric"]) == ({}, len(links), role), out["summary"]
    lost = cables_of(links)[-1]
    (gone,) = compared(links, sheet(cables_of(links)[:-1]))["missing"]
    assert gone["message"] == f"{words(lost)} is missing."


def test_the_file_names_the_design_that_it_was_written_from(ndr: LinkList, catalog: Catalog) -> None:
    assert compared(ndr, exported(ndr, "csv"))["file_spec_hash"] == ndr.spec_hash
    other = links_of({**NDR, "compute": {"server": "dgx-h100", "nodes": 39}}, catalog)
    assert "another design" in compared(other, exported(ndr, "csv"))["summary"]


# ---------------------------------------------------------------- the faults of the issue, in every format


FAULTS = (3, 290, 17, 205)


def faulty(rows: list[Any], has_upper_end: Callable[[Any, Any], tuple[Any, Any]]) -> tuple[list[Any], tuple[int, ...]]:
    """Rows with the far ends of two exchanged, one gone and one twice."""
    rows = list(rows)
    one, other, gone, twice = FAULTS
    rows[one], rows[other] = has_upper_end(rows[one], rows[other])
    return [*rows[:gone], *rows[gone + 1 :], rows[twice]], FAULTS


def check_the_three_faults(
    out: Json, cables: list[Cable], places: tuple[int, ...], named: Callable[[str], str] = str
) -> None:
    one, other, gone, twice = (words(cables[i], named) for i in places)
    assert totals(out) == {"swapped": 1, "missing": 1, "doubled": 1}, out["summary"]
    assert out["swapped"][0]["message"] == f"{one} and {other} are swapped."
    assert out["missing"][0]["message"] == f"{gone} is missing."
    assert out["doubled"][0]["message"] == f"{twice} is listed 2 times."
    assert out["matched"] == len(cables) - 3
    assert "links are as designed; 1 swapped pair, 1 missing, 1 doubled." in out["summary"]


def exchange(*columns: int) -> Callable[[Any, Any], tuple[Any, Any]]:
    def far_ends(one: list[Any], other: list[Any]) -> tuple[list[Any], list[Any]]:
        one, other = list(one), list(other)
        for column in columns:
            one[column], other[column] = other[column], one[column]
        return one, other

    return far_ends


@pytest.mark.parametrize(
    ("file_format", "columns"),
    [("csv", ("b_device", "b_cage", "b_port")), ("netbox-csv", ("side_b_device", "side_b_name"))],
)
def test_faults_put_into_a_csv_file_are_found(file_format: str, columns: tuple[str, ...], ndr: LinkList) -> None:
    rows = list(csv.reader(io.StringIO(exported(ndr, file_format).decode())))
    start = next(i for i, row in enumerate(rows) if columns[0] in row)
    places = [rows[start].index(name) for name in columns]
    changed, at = faulty(rows[start + 1 :], exchange(*places))
    text = io.StringIO()
    csv.writer(text).writerows([*rows[: start + 1], *changed])
    check_the_three_faults(compared(ndr, text.getvalue()), cables_of(ndr), at)


def test_faults_put_into_a_point_to_point_sheet_are_found(ndr: LinkList) -> None:
    """The sheet has a worksheet for a part of the fabric; rows are found by their ends and changed in place."""
    cables = cables_of(ndr)
    book = openpyxl.load_workbook(io.BytesIO(exported(ndr, "xlsx-p2p")))
    place: dict[tuple[str, str, str, str], Any] = {}
    for page in book.worksheets:
        header = next((row for row in page.iter_rows() if sum("Port" in str(cell.value) for cell in row) >= 2), None)
        if header is None:
            continue
        names = [cell.column for cell in header if "Name" in str(cell.value)]
        ports = [cell.column for cell in header if "Port" in str(cell.value)]
        for row in page.iter_rows(min_row=header[0].row + 1):
            cells = [page.cell(row[0].row, column) for pair in zip(names, ports, strict=True) for column in pair]
            place.setdefault((page.title, *(cell.value for cell in cells[:3])), []).append(cells)
    rows = [cells for same in place.values() for cells in same]
    by_devices = {(str(cells[0].value), str(cells[2].value)): cells for cells in rows}
    chosen = []
    for i in FAULTS:
        alike = [c for c in cables if (c.a.device, c.b.device) == (cables[i].a.device, cables[i].b.device)]
        chosen.append((cables.index(alike[-1]), by_devices[cables[i].a.device, cables[i].b.device]))
    (_, one), (_, other), (_, gone), (_, twice) = chosen
    for column in (2, 3):
        one[column].value, other[column].value = other[column].value, one[column].value
    page = twice[0].parent
    page.append({cell.column: cell.value for cell in twice})
    gone[0].parent.delete_rows(gone[0].row)
    out = io.BytesIO()
    book.save(out)
    check_the_three_faults(compared(ndr, out.getvalue()), cables, tuple(i for i, _ in chosen))


def test_faults_put_into_a_topology_file_are_found(ndr: LinkList) -> None:
    """Our own file, line by line: far ends are the last three words of a line."""
    cables = cables_of(ndr)
    lines = exported(ndr, "topo").decode().splitlines()
    places = [i for i, line in enumerate(lines) if "->" in line and any(f" {c.a.device} " in line for c in cables)]
    at = [
        next(i for i in places if lines[i].endswith(f" {c.a.device} {c.a.label}/P1"))
        for c in (cables[j] for j in FAULTS)
    ]
    one, other, gone, twice = at
    heads, tails = zip(*(lines[i].split("-> ") for i in (one, other)), strict=True)
    lines[one], lines[other] = f"{heads[0]}-> {tails[1]}", f"{heads[1]}-> {tails[0]}"
    lines.insert(twice, lines[twice])
    del lines[gone + (twice < gone)]
    check_the_three_faults(compared(ndr, "\n".join(lines)), cables, FAULTS)


def faulty_cables(cables: list[Cable]) -> tuple[list[Cable], tuple[int, ...]]:
    return faulty(cables, lambda one, other: (replace(one, b=other.b), replace(other, b=one.b)))


def test_faults_of_a_fabric_are_found_in_its_dump(ndr: LinkList) -> None:
    cables = cables_of(ndr)
    changed, places = faulty_cables(cables)
    for text in (dump(changed), "".join(dumps.ports_report(changed))):
        out = compared(ndr, text)
        check_the_three_faults(out, cables, places)
        assert out["port_names"]["leaf"] == "numbers from 1"
    assert out["read"]["devices"] == len(ndr.table.devices)


def test_a_dump_counts_guids_not_lines(ndr: LinkList) -> None:
    read = compared(ndr, dump(cables_of(ndr)))["read"]
    fabric = ndr.fabric
    assert read["switches"] == fabric.n_leaf + fabric.n_spine
    assert read["adapters"] == fabric.n_endpoints + fabric.links_fabric_manager
    assert (read["links"], read["listings"]) == (len(ndr), 2 * len(ndr))
    assert read["dropped_by_reason"] == {"aggregation_node": read["switches"]}


# ---------------------------------------------------------------- other faults


def test_a_ring_of_three_is_one_entry(ndr: LinkList) -> None:
    cables = cables_of(ndr)
    i, j, k = 0, 8, 16
    changed = list(cables)
    changed[i], changed[j], changed[k] = (replace(cables[x], b=cables[y].b) for x, y in ((i, j), (j, k), (k, i)))
    out = compared(ndr, sheet(changed))
    assert totals(out) == {"swapped": 1}
    assert [link["link"] for link in out["swapped"][0]["planned"]] == [1, 9, 17] or out["swapped"][0]["links"] == 3
    assert "mixed up in a ring of 3" in out["swapped"][0]["message"]


def test_a_swap_between_the_same_two_switches_is_said_to_be_harmless(ndr: LinkList) -> None:
    cables = cables_of(ndr)
    first = next(i for i, c in enumerate(cables) if c.b.device.startswith("spine"))
    assert cables[first + 1].b.device == cables[first].b.device
    dumps.swap(cables, first, first + 1)
    (swap,) = compared(ndr, sheet(cables))["swapped"]
    assert swap["same_devices"]
    assert "between the same two devices" in swap["message"]


def test_a_wrong_port_a_wrong_device_and_a_stranger_are_distinguished(ndr: LinkList) -> None:
    cables = cables_of(ndr)
    free = replace(cables[0].b, label="1/20/2", number=40)  # 40 nodes: unit 2 has 8, its leaves' port 40 is open
    assert cables[-1].b.device.startswith("spine")
    leaf = next(c for c in cables if c.a.device == "node-0040")
    i = cables.index(leaf)
    other_leaf = next(c.b.device for c in cables if c.a.device == "node-0040" and c.b.device != leaf.b.device)
    for place, kind in (
        (replace(free, device=leaf.b.device), "wrong_port"),
        (replace(free, device=other_leaf), "moved"),
        (replace(free, device="leaf-x"), "moved"),
    ):
        out = compared(ndr, sheet([*cables[:i], replace(leaf, b=place), *cables[i + 1 :]]))
        assert {key: n for key, n in totals(out).items() if key in DIFFERENCES} == {kind: 1}, out["summary"]
        assert out[kind][0]["planned"]["link"] == i + 1
        assert out[kind][0]["found"]["b"]["device"] == place.device
        assert f"it should be {words(leaf)}, and is {words(replace(leaf, b=place))}." in out[kind][0]["message"]


def test_both_ends_on_other_ports_of_the_same_devices_is_a_wrong_port(ndr: LinkList) -> None:
    cables = cables_of(ndr)
    last = cables[-1]
    cables[-1] = replace(last, a=replace(last.a, label="1/40/1"), b=replace(last.b, label="1/41/1"))
    assert totals(compared(ndr, sheet(cables))) == {"wrong_port": 1}


def test_a_port_that_two_cables_claim_is_doubled(ndr: LinkList) -> None:
    cables = cables_of(ndr)
    extra = Cable(replace(cables[0].a, device="node-x"), cables[5].b)
    out = compared(ndr, sheet([*cables, extra]))
    assert totals(out) == {"doubled": 1, "unknown_devices": 1}
    assert out["doubled"][0]["reason"] == "port_used_twice"
    assert words(cables[5]) in out["doubled"][0]["message"]
    assert out["unknown_devices"] == [{"device": "node-x", "links": 1}]
    assert out["matched"] == len(ndr)


def test_a_link_beside_the_design_is_extra_and_an_absent_node_is_named(ndr: LinkList) -> None:
    cables = [cable for cable in cables_of(ndr) if cable.a.device != "node-0007"]
    stray = Cable(replace(cables[0].a, device="node-x"), replace(cables[0].b, device="leaf-x"))
    out = compared(ndr, sheet([*cables, stray]))
    assert totals(out) == {"missing": 8, "extra": 1, "unknown_devices": 2, "absent_devices": 1}
    assert out["absent_devices"] == [{"device": "node-0007", "links": 8}]
    assert out["extra"][0]["message"] == f"node-x {stray.a.label} – leaf-x {stray.b.label} is not in the design."


def test_a_slow_link_is_a_speed_mismatch(ndr: LinkList) -> None:
    cables = cables_of(ndr)
    cables[9] = replace(cables[9], rate_gbit_s=200)
    (slow,) = compared(ndr, dump(cables))["speed_mismatch"]
    assert (slow["link"], slow["rate_gbit_s"], slow["found_gbit_s"]) == (10, 400, 200)


def test_lists_end_at_a_bound_and_totals_do_not(ndr: LinkList) -> None:
    out = compared(ndr, sheet(cables_of(ndr)[:1]))
    assert out["totals"]["missing"] == len(ndr) - 1 > LIST_BOUND == out["list_bound"] == len(out["missing"])


def test_every_link_is_in_one_place(ndr: LinkList) -> None:
    """Whatever is shuffled: planned = matched + swapped + wrong + moved + missing; found likewise."""
    for seed in range(12):
        order = random.Random(seed)
        cables = cables_of(ndr)
        ends = [cable.b for cable in cables]
        some = order.sample(range(len(cables)), 60)
        for i, j in zip(some, order.sample(some, 60), strict=True):
            cables[i] = replace(cables[i], b=ends[j])
        del cables[some[0]], cables[-5:]
        out = check_links(ndr, read_links(io.BytesIO(sheet(cables).encode())))
        pairing = out.pairing
        planned = [*pairing.matched[0].tolist(), *pairing.missing, *(i for s in pairing.swaps for i in s[0])]
        planned += [i for i, _ in pairing.wrong_port + pairing.moved]
        found = [
            *pairing.matched[1].tolist(),
            *pairing.extra,
            *pairing.taken,
            *(i for s in pairing.swaps for i in s[1]),
        ]
        found += [i for _, i in pairing.wrong_port + pairing.moved]
        assert sorted(planned) == list(range(len(ndr)))
        assert sorted(found) == list(range(len(out.found.low)))
        for one, other in pairing.swaps:
            assert len(one) == len(other) >= 2


# ---------------------------------------------------------------- what the network amounts to


def test_the_ratio_and_the_links_of_each_spine_are_counted_from_the_file(ndr: LinkList) -> None:
    """Four of 32 uplinks of one leaf unplugged: 32 down over 28 up is 8:7, and their spines have that many less."""
    cables = cables_of(ndr)
    gone = [c for c in cables if c.a.device == "leaf-r1-001" and c.b.device.startswith("spine")][:4]
    kept = [cable for cable in cables if cable not in gone]
    built = compared(ndr, sheet(kept))["built"]
    down = sum(c.b.device == "leaf-r1-001" for c in cables)
    assert (down, built["oversubscription"]["found"]["worst_leaf"]) == (32, "8:7")
    lost = {spine: sum(c.b.device == spine for c in gone) for spine in {c.b.device for c in gone}}
    each = sum(c.b.device == "spine-001" for c in cables)
    assert built["spine_links"]["differ"] == [
        {"device": spine, "design": each, "found": each - n} for spine, n in sorted(lost.items())
    ]


def test_a_link_at_a_wrong_speed_is_not_as_designed(ndr: LinkList) -> None:
    cables = cables_of(ndr)
    slow = [replace(cable, rate_gbit_s=200) if i in (5, 9) else cable for i, cable in enumerate(cables)]
    out = compared(ndr, dump(slow[1:]))
    assert (out["matched"], out["as_designed"], out["without_rate"]) == (len(cables) - 1, len(cables) - 3, 0)
    n = len(cables)
    assert out["summary"].startswith(f"{n - 3:,} of {n:,} links are as designed; 1 missing, 2 at a wrong speed.")


def test_speeds_that_the_file_does_not_give_are_not_called_right(ndr: LinkList) -> None:
    cables = cables_of(ndr)
    out = compared(ndr, sheet(cables))
    assert out["without_rate"] == len(cables)
    assert "The file gives no rates, so that speeds are not compared." in out["summary"]
    rows = sheet(cables).splitlines()
    some = "\n".join([f"{rows[0]},rate", *(f"{row},{'' if i < 3 else 400}" for i, row in enumerate(rows[1:]))])
    out = compared(ndr, some)
    assert (out["without_rate"], out["as_designed"]) == (3, len(cables))
    assert "The file gives no rate for 3 of these links, whose speed is not compared." in out["summary"]


# ---------------------------------------------------------------- names


def test_names_may_differ_in_case_domain_and_zeros(ndr: LinkList) -> None:
    def like(name: str) -> str:
        kind, _, number = name.rpartition("-")
        return f"{kind.upper().replace('-', '_')}_{int(number)}.ib.example.org"

    out = compared(ndr, dump(cables_of(ndr), switch_name=like, host_name=like))
    assert totals(out) == {}
    assert out["names"]["told_by"] == {"like-name": len(ndr.table.devices)}
    assert not out["names"]["is_automatic"]


def strange(name: str) -> str:
    return "x" + dumps.guid(name)[-8:]


@pytest.mark.parametrize("spec", DESIGNS.values(), ids=DESIGNS)
def test_devices_with_other_names_are_identified_by_their_cabling(spec: Json, catalog: Catalog) -> None:
    links = links_of(spec, catalog)
    cables = [
        replace(c, a=replace(c.a, device=strange(c.a.device)), b=replace(c.b, device=strange(c.b.device)))
        for c in cables_of(links)
    ]
    out = compared(links, sheet(cables))
    assert totals(out) == {}, out["summary"]
    names = out["names"]
    assert (names["is_automatic"], names["confidence"], names["automatic_total"]) == (
        True,
        1.0,
        len(links.table.devices),
    )
    assert "of other names in the file were identified by their cabling; 100 % of their links fit" in out["summary"]
    if spec["fabric"].get("planes", 1) == 1:  # planes are interchangeable: any one may be the first
        assert all(strange(pair["in_design"]) == pair["in_file"] for pair in names["automatic"])


@pytest.mark.parametrize("by_map", [True, False])
def test_a_device_goes_by_both_names_however_it_was_identified(by_map: bool, ndr: LinkList) -> None:
    def like(name: str) -> str:
        return strange(name) if by_map else f"{name.upper()}.ib.example.org"

    cables = cables_of(ndr)
    at = next(i for i, cable in enumerate(cables) if cable.b.device.startswith("spine"))
    lost = cables.pop(at)
    mapping = {like(name): name for name in ndr.table.devices.names} if by_map else None
    out = compared(ndr, dump(cables, switch_name=like, host_name=like), mapping)
    (spine,) = out["built"]["spine_links"]["differ"]
    assert (spine["device"], spine["device_in_file"]) == (lost.b.device, like(lost.b.device))
    assert out["missing"][0]["message"] == f"{words(lost, lambda name: f'{name} ({like(name)})')} is missing."


def test_faults_are_found_under_other_names_too(ndr: LinkList) -> None:
    cables = cables_of(ndr)
    changed, places = faulty_cables(cables)
    out = compared(ndr, dump(changed, switch_name=strange, host_name=strange))
    check_the_three_faults(out, cables, places, named=lambda name: f"{name} ({strange(name)})")
    assert out["names"]["is_automatic"]
    assert f" {out['names']['confidence'] * 100:.1f} % of their links fit." in out["summary"]
    assert out["names"]["confidence"] == round(out["matched"] / out["planned"], 4) < 1
    assert out["swapped"][0]["found"][0]["a"]["device_in_file"] == strange(cables[places[0]].a.device)


def test_a_spare_server_is_identified_by_its_cabling_and_a_stranger_on_one_port_is_not(ndr: LinkList) -> None:
    def at(name: str, cable: Cable) -> Cable:
        return replace(cable, a=replace(cable.a, device=name)) if cable.a.device == "node-0007" else cable

    cables = cables_of(ndr)
    out = compared(ndr, dump([at("spare-3", cable) for cable in cables]))
    assert totals(out) == {}
    assert [(pair["in_file"], pair["in_design"]) for pair in out["names"]["automatic"]] == [("spare-3", "node-0007")]
    first = next(cable for cable in cables if cable.a.device == "node-0007")
    others = [cable for cable in cables if cable.a.device != "node-0007"]
    out = compared(ndr, dump([*others, at("nas-1", first)]))
    assert totals(out) == {"missing": 7, "moved": 1, "unknown_devices": 1, "absent_devices": 1}
    assert out["unknown_devices"] == [{"device": "nas-1", "links": 1}]


def test_a_map_of_names_is_taken_at_its_word(ndr: LinkList) -> None:
    """The map says that two nodes stand in each other's place: all their links are at a wrong device."""
    cables = cables_of(ndr)
    names = ndr.table.devices.names
    mapping = {strange(name): name for name in names}
    mapping[strange("node-0001")], mapping[strange("node-0002")] = "node-0002", "node-0001"
    out = compared(ndr, dump(cables, switch_name=strange, host_name=strange), mapping)
    assert totals(out) == {"swapped": 8}
    assert out["names"]["told_by"] == {"map": len(names)}
    with pytest.raises(SpecError, match="The design has no device leaf-999"):
        compared(ndr, dump(cables), {"leaf-r1-001": "leaf-999"})


# ---------------------------------------------------------------- styles of port names


def number(end: dumps.End) -> int:
    return end.number


STYLES: dict[str, Callable[[dumps.End], str]] = {
    "1/3/1": lambda end: f"1/{(end.number + 1) // 2}/{(end.number - 1) % 2 + 1}",
    "3/1": lambda end: f"{(end.number + 1) // 2}/{(end.number - 1) % 2 + 1}",
    "5": lambda end: str(end.number),
    "P5": lambda end: f"P{end.number}",
    "1/5": lambda end: f"1/{end.number}",
    "swp3s0": lambda end: f"swp{(end.number + 1) // 2}s{(end.number - 1) % 2}",
    "Ethernet4": lambda end: f"Ethernet{4 * (end.number - 1)}",
    "sw3p1": lambda end: f"sw{(end.number + 1) // 2}p{(end.number - 1) % 2 + 1}",
    "split mode": lambda end: str(2 * end.number - 1),
}


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_the_same_port_in_another_style_is_the_same_port(style: Callable[[dumps.End], str], ndr: LinkList) -> None:
    text = sheet(cables_of(ndr), lambda end: end.label if end.is_host else style(end))
    assert totals(compared(ndr, text)) == {}


@pytest.mark.parametrize(
    "name",
    [
        lambda n: f"mlx5_{n}",
        lambda n: f"HCA-{n + 1}",
        lambda n: str(n + 1),
        lambda n: f"ibp{24 + 16 * n}s0",
        lambda n: f"U1/P{n + 1}",
    ],
)
def test_adapters_in_another_style_are_the_same_adapters(name: Callable[[int], str], ndr: LinkList) -> None:
    cables = cables_of(ndr)
    text = sheet(cables, lambda end: name(end.number - 1) if end.is_host else end.label)
    assert totals(compared(ndr, text)) == {}
    changed, places = faulty_cables(cables)
    text = sheet(changed, lambda end: name(end.number - 1) if end.is_host else end.label)

    def with_both(end: dumps.End) -> dumps.End:
        """A NIC under the file's name, too, where that is another: who goes to the server looks for that one."""
        own = name(end.number - 1)
        return end if own in (end.label, str(end.number)) else replace(end, label=f"{end.label} ({own})")

    shown = [replace(cable, a=with_both(cable.a)) if cable.a.is_host else cable for cable in cables]
    check_the_three_faults(compared(ndr, text), shown, places)


def test_a_list_that_names_every_link_from_both_ends_doubles_none(ndr: LinkList) -> None:
    cables = cables_of(ndr)
    both = [*cables, *(Cable(c.b, c.a) for c in cables)]
    assert totals(compared(ndr, sheet(both))) == {}


# ---------------------------------------------------------------- command line


def test_the_command_line_compares_a_file_with_a_design(ndr: LinkList, tmp_path: Path) -> None:
    spec, links, names = tmp_path / "spec.json", tmp_path / "fabric.txt", tmp_path / "names.csv"
    spec.write_text(json.dumps(NDR))
    cables = cables_of(ndr)
    changed, places = faulty_cables(cables)
    links.write_text(dump(changed))
    done = run("compare-links", spec, links)
    assert (done.returncode, done.stderr) == (0, "")
    check_the_three_faults(json.loads(done.stdout), cables, places)
    links.write_text(dump(cables, switch_name=strange, host_name=strange))
    names.write_text("".join(f"{strange(name)},{name}\n" for name in ndr.table.devices.names))
    told_by = json.loads(run("compare-links", spec, links, "--names", names, "--format", "ibnetdiscover").stdout)[
        "names"
    ]["told_by"]
    assert told_by == {"map": len(ndr.table.devices)}


def test_the_command_line_makes_a_design_of_each_network_of_a_dump(ndr: LinkList, tmp_path: Path) -> None:
    links, cables = tmp_path / "fabric.txt", cables_of(ndr)
    storage = [replace(cable, rate_gbit_s=100) for cable in dumps.prefixed(cables[:20], "st-")]
    links.write_text(dump([*cables, *storage]))
    networks = json.loads(run("dump", links).stdout)["networks"]
    spec = json.loads(run("dump", links, "--network", 2).stdout)
    assert spec == networks[1]["spec"]
    assert spec["fabric"]["generation"] == "edr"
    assert json.loads(run("dump", links, "--network", 3).stderr)["problems"][0]["code"] == "out_of_range"


def test_the_command_line_refuses_what_it_cannot_read(tmp_path: Path) -> None:
    spec, links = tmp_path / "spec.json", tmp_path / "links.txt"
    spec.write_text(json.dumps(NDR))
    links.write_text("hello\n")
    for arguments, code in (
        ((spec, links), "no_header"),
        ((spec, links, "--format", "dot"), "not_a_choice"),
        ((spec, tmp_path / "none"), "cannot_read"),
        ((spec, links, "--names", tmp_path / "none"), "cannot_read"),
    ):
        done = run("compare-links", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert json.loads(done.stderr)["problems"][0]["code"] == code
    links.write_bytes(bytes(range(256)) * 1000)  # longer than what is read before it is refused
    assert len(run("compare-links", spec, links).stderr.splitlines()) == 1


# ---------------------------------------------------------------- size


def rows_of(links: LinkList) -> Iterator[str]:
    yield "a_device,a_port,b_device,b_port\n"
    for row in links.rows():
        yield f"{row[5]},{row[7]},{row[8]},{row[10]}\n"


def test_what_differs_everywhere_is_still_answered(catalog: Catalog) -> None:
    """16,384 links on the wrong leaf each: time grows with the links, not with their square."""
    links = links_of({"compute": {"server": "dgx-h100", "nodes": 512}, "fabric": {"generation": "ndr"}}, catalog)
    cables = cables_of(links)
    ends = [cable.b for cable in cables]
    random.Random(5).shuffle(ends)
    out = compared(links, sheet([replace(c, b=b) for c, b in zip(cables, ends, strict=True)]))
    assert out["planned"] == len(links)
    assert out["totals"]["swapped"] > 0
