"""The crew pack: every end has its label, orders are those of the bill of materials, and each file opens."""

from __future__ import annotations

import csv
import io
import math
import re
import zipfile
from collections import Counter
from typing import Any
from xml.etree import ElementTree

import pytest
from pypdf import PdfReader

from estimator.bringup.crew_pack import pack
from estimator.bringup.crew_pack.cables import order_number
from estimator.bringup.crew_pack.pack import CREW_FILES, archive, crew_of, left_out, n_labels, written
from estimator.catalog.loader import load_catalog
from estimator.errors import SpecError
from estimator.link_list import link_list
from estimator.pipeline import estimate
from estimator.spec.parse import parse_spec
from tests.estimator.verbs import run

CATALOG = load_catalog()
PLANNED: dict[str, Any] = {
    "name": "Hall",
    "compute": {"server": "dgx-h100", "nodes": 16},
    "fabric": {"generation": "ndr"},
    "site": {"plan": {}},
    "other_fabrics": [{"role": "storage"}],
}
BARE: dict[str, Any] = {
    "name": "Bare",
    "compute": {"server": "smc-8125gs-mi300x", "nodes": 4},
    "fabric": {"generation": "roce-400"},
}
SPLIT: dict[str, Any] = {
    "compute": {"server": "custom", "nodes": 8, "gpus_per_node": 4, "nics_per_node": 4},
    "fabric": {"generation": "hdr", "splitters": True},
}


@pytest.fixture(scope="module")
def planned() -> pack.Crew:
    return crew_of(parse_spec(PLANNED, CATALOG), CATALOG)


@pytest.fixture(scope="module")
def files(planned: pack.Crew) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(b"".join(archive(planned)))) as found:
        return {name: found.read(name) for name in found.namelist()}


def rows(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode())))


def test_an_archive_has_every_file_and_says_that_nothing_is_left_out(files: dict[str, bytes]) -> None:
    assert set(CREW_FILES) <= set(files)
    assert files["left-out.txt"] == b"Nothing is left out.\n"


def test_each_cable_of_the_link_list_is_there_once_with_both_ends(planned: pack.Crew, files: dict[str, bytes]) -> None:
    """Second route: ends and numbers of the link list's rows."""
    found = {row["label"]: row for row in rows(files["cables.csv"])}
    assert len(found) == len(planned.cables)
    links = link_list(parse_spec(PLANNED, CATALOG), CATALOG)
    for row in links.rows():
        cable = found[f"C{row.cable:05d}"]
        assert (cable["near_device"], cable["far_device"]) == (row.a_device, row.b_device)
        assert float(cable["length_m"]) >= row.length_m - 0.01
        seen = f"{row.a_cage}/{row.a_port}" if row.a_port.startswith("mlx5") else row.a_port
        assert cable["identifier"].split(" / ")[0].endswith(f":{seen}")
        assert (cable["near_cage"], cable["far_port"]) == (row.a_cage, row.b_port)
        assert cable["part_name"] == CATALOG.cables[cable["part"]].name
    assert {row["network"] for row in found.values()} == {"compute", "storage"}
    assert all(
        re.fullmatch(r"R\d\d-\d\d\.U\d\d:\S+ / R\d\d-\d\d\.U\d\d:\S+", row["identifier"]) for row in found.values()
    )
    assert len({row["identifier"] for row in found.values()}) == len(found)


def test_what_is_there_already_is_not_ordered() -> None:
    owned = {"economics": {"owned": [{"part": "fib-mfp7e10", "quantity": 20}]}}
    had = pack.order_rows(crew_of(parse_spec(PLANNED | owned, CATALOG), CATALOG))
    place, pieces, spares, own = (
        pack.ORDER_COLUMNS.index(one) for one in ("total", "quantity", "spares", "already_owned")
    )
    assert sum(int(row[own] or 0) for row in had) == 20
    assert all(row[place] == int(row[pieces] or 0) + int(row[spares] or 0) - int(row[own] or 0) for row in had)


def test_orders_are_the_cables_of_the_bill_of_materials(planned: pack.Crew, files: dict[str, bytes]) -> None:
    (made,) = estimate([parse_spec(PLANNED, CATALOG)], CATALOG, ("bom",))
    assert made.bom
    expected: Counter[tuple[str, float | None]] = Counter()
    for line in made.bom.lines:
        if line.category in ("cable", "fiber", "transceiver"):
            expected[str(line.part), line.length_m] += line.quantity + line.spare_quantity
    orders = rows(files["orders.csv"])
    assert {
        (one["part"], float(one["length_m"]) if one["length_m"] else None): int(one["total"]) for one in orders
    } == expected
    laid = Counter((cable.part, cable.length_m) for cable in planned.cables)
    ordered = {(one["part"], float(one["length_m"])): int(one["quantity"]) for one in orders if one["length_m"]}
    assert ordered == laid
    assert all(one["price_basis"] and one["price_source"] for one in orders)
    assert {one["order_number"] for one in orders if one["part"] == "fib-mfp7e10"} == {
        f"MFP7E10-N{int(float(one['length_m'])):03d}" for one in orders if one["part"] == "fib-mfp7e10"
    }


def test_an_order_number_follows_from_the_length_or_is_left_to_the_vendor() -> None:
    fibre = CATALOG.cables["fib-mfp7e10"]
    assert order_number(fibre, 30.0) == "MFP7E10-N030"
    assert order_number(fibre, 7.0) == "MFP7E10-N007"
    assert order_number(fibre, 2.5) == fibre.part_numbers[0]


def test_racks_and_bundles_have_every_end_and_every_cable(planned: pack.Crew, files: dict[str, bytes]) -> None:
    by_rack = rows(files["cables-by-rack.csv"])
    assert len(by_rack) == n_labels(planned) == sum(len(one.near) + len(one.far) for one in planned.cables)
    by_bundle = rows(files["cables-by-bundle.csv"])
    assert Counter(row["label"] for row in by_bundle) == Counter(cable.label for cable in planned.cables)
    for name in {row["bundle"] for row in by_bundle}:
        own = [row for row in by_bundle if row["bundle"] == name]
        assert len({row["switch"] for row in own}) == 1
        assert {int(row["cables_in_bundle"]) for row in own} == {len(own)}


def test_labels_are_two_a_cable_on_every_kind_of_sheet(planned: pack.Crew, files: dict[str, bytes]) -> None:
    labels = rows(files["labels.csv"])
    assert len(labels) == n_labels(planned)
    for name, a_page in (("labels-a4-65.pdf", 65), ("labels-a4-24.pdf", 24), ("labels-roll.pdf", 1)):
        pages = PdfReader(io.BytesIO(files[name])).pages
        assert len(pages) == math.ceil(len(labels) / a_page), name
        text = pages[0].extract_text()
        for label in labels[:a_page]:
            assert label["line_2"] in text
            assert label["line_3"] in text
    wide, high = (
        float(side) * 25.4 / 72 for side in PdfReader(io.BytesIO(files["labels-roll.pdf"])).pages[0].mediabox[2:]
    )
    assert (round(wide, 1), round(high, 1)) == (50.8, 25.4)


def test_printed_labels_have_feet_where_they_are_chosen_and_tables_have_metres(planned: pack.Crew) -> None:
    metric, feet = next(pack.labels_of(planned))[5], next(pack.labels_of(planned, in_feet=True))[5]
    length = float(metric.split(" m")[0])
    assert feet == metric.replace(f"{length:g} m", f"{length / 0.3048:.3g} ft")
    chosen = planned._replace(in_feet=True)
    page = PdfReader(io.BytesIO(b"".join(pack.written(chosen, "labels-a4-24.pdf")))).pages[0].extract_text()
    assert feet in page.replace("\N{NO-BREAK SPACE}", " ")
    assert b"".join(pack.written(chosen, "labels.csv")) == b"".join(pack.written(planned, "labels.csv"))


def test_elevations_show_every_rack_and_device(planned: pack.Crew, files: dict[str, bytes]) -> None:
    floor = planned.floor
    assert floor
    text = " ".join(page.extract_text() for page in PdfReader(io.BytesIO(files["elevations.pdf"])).pages)
    svg = "".join(ElementTree.fromstring(files["elevations-001.svg"]).itertext())
    for rack in range(floor.n_racks):
        for name in (floor.names[rack], *(device.name for device in floor.devices_in(rack))):
            assert name in text
            assert name in svg
    assert b"<script" not in files["elevations-001.svg"]


def test_the_hca_map_numbers_ports_as_the_point_to_point_sheet_does(files: dict[str, bytes]) -> None:
    """The tool's default is 1 for mlx5_0; a DGX H100 has its compute ports on 0, 3, 4, 5, 6, 9, 10, 11."""
    assert files["hca-mapping.csv"].decode().splitlines() == [
        "port,hca-name",
        *(f"{n + 1},mlx5_{n}" for n in (0, 3, 4, 5, 6, 9, 10, 11)),
    ]


def test_what_a_design_has_not_is_said() -> None:
    crew = crew_of(parse_spec(BARE, CATALOG), CATALOG)
    with zipfile.ZipFile(io.BytesIO(b"".join(archive(crew)))) as found:
        missing = found.read("left-out.txt").decode()
        assert not {"elevations.pdf", "hca-mapping.csv"} & set(found.namelist())
        assert len(list(csv.DictReader(io.StringIO(found.read("cables.csv").decode())))) == len(crew.cables)
    assert "Give site.plan" in missing
    assert "Ethernet" in missing
    with pytest.raises(SpecError, match="floor plan"):
        written(crew, "elevations.pdf")


def test_a_splitter_has_a_label_for_each_of_its_ends() -> None:
    crew = crew_of(parse_spec(SPLIT, CATALOG), CATALOG)
    fans = [cable for cable in crew.cables if cable.tier == "node-leaf"]
    assert fans
    assert sum(len(cable.near) for cable in fans) == 32
    assert max(len(cable.near) for cable in fans) == 2


def test_too_many_links_are_refused_with_the_number() -> None:
    with pytest.raises(SpecError) as refused:
        crew_of(parse_spec(PLANNED, CATALOG), CATALOG, 100)
    assert refused.value.problems[0].code == "too_many_links"
    assert "100 links at most" in refused.value.problems[0].message


def test_more_labels_than_a_paper_holds_come_as_csv(planned: pack.Crew, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "labels.csv has all" in pack._too_many_labels(10)(planned)
    assert pack._too_many_labels(n_labels(planned))(planned) == ""


def test_the_command_line_writes_one_file_or_lists_them() -> None:
    answer = run("crew-pack", "-", "--file", "labels.csv", text=BARE)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.startswith("label,end,line_1")
    wrong = run("crew-pack", "-", "--file", "nothing.pdf", text=BARE)
    assert wrong.returncode == 2
    assert "labels-a4-65.pdf" in wrong.stderr


@pytest.mark.parametrize("generation", ["ndr", "roce-400"])
@pytest.mark.parametrize("site", [{}, {"plan": {}}])
def test_what_is_said_to_be_left_out_is_refused_and_the_rest_is_written(generation: str, site: Any) -> None:
    values = {"compute": {"server": "dgx-h100", "nodes": 8}, "fabric": {"generation": generation}, "site": site}
    spec = parse_spec(values, CATALOG)
    missing, crew = left_out(spec, CATALOG), crew_of(spec, CATALOG)
    assert set(missing) == {name for name, file in CREW_FILES.items() if file.why_not(crew)}
    assert all(file.why_not(crew).startswith(missing.get(name, "")) for name, file in CREW_FILES.items())
