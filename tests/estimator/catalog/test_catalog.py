"""The catalog loads whole, names what is broken, and answers what the other parts ask."""

import csv
import json
import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from estimator.catalog.catalog import KINDS, Catalog
from estimator.catalog.loader import HERE, load_catalog
from estimator.catalog.ports import (
    compute_network,
    links_per_node_cage,
    nic_modes,
    switch_ports,
)
from estimator.catalog.tables import COLUMNS
from estimator.errors import CatalogError
from estimator.ranges import Range

Cells = list[list[str]]
Edit = Callable[[Cells], None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the catalog that a test may break."""
    copy = tmp_path / "catalog"
    shutil.copytree(HERE, copy, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    return copy


def edit(folder: Path, table: str, change: Edit) -> None:
    path = folder / f"{table}.csv"
    with path.open(newline="") as file:
        cells = list(csv.reader(file))
    change(cells)
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(cells)


def put(row: int, column: str, value: str) -> Edit:
    """Write a cell; ``row`` counts the header as 1, as errors do."""

    def change(cells: Cells) -> None:
        cells[row - 1][cells[0].index(column)] = value

    return change


def drop_column(column: str) -> Edit:
    def change(cells: Cells) -> None:
        place = cells[0].index(column)
        for row in cells:
            del row[place]

    return change


def add_column(cells: Cells) -> None:
    for row in cells:
        row.append("colour")


def repeat_column(cells: Cells) -> None:
    for row in cells:
        row.append(row[0])


def repeat_row(cells: Cells) -> None:
    cells.insert(2, cells[1])


def cut_row(cells: Cells) -> None:
    del cells[3][-1]


def claim_without_source(cells: Cells) -> None:
    put(2, "basis", "measured")(cells)
    put(2, "source", "")(cells)


def drop_last_row(cells: Cells) -> None:
    del cells[-1]


BROKEN: list[tuple[str, Edit, int | None, str | None]] = [
    ("prices", put(2, "typical_cents", "-1"), 2, "typical_cents"),
    ("prices", put(5, "low_cents", "12.5"), 5, "low_cents"),
    ("prices", put(5, "low_cents", "99999999999"), 5, "typical_cents"),
    ("prices", put(3, "part_id", "no-such-part"), 3, "part_id"),
    ("prices", put(3, "source", "hearsay"), 3, "source"),
    ("prices", put(3, "source", ""), 3, "source"),
    ("economics", put(2, "source", ""), 2, "source"),
    ("prices", put(3, "as_of", "last week"), 3, "as_of"),
    ("prices", put(3, "basis", "rumour"), 3, "basis"),
    ("prices", put(3, "currency", "EUR"), 3, "currency"),
    ("prices", drop_column("basis"), 1, "basis"),
    ("prices", add_column, 1, "colour"),
    ("prices", repeat_column, 1, "part_id"),
    ("prices", repeat_row, 3, "part_id"),
    ("prices", cut_row, 4, None),
    ("switches", put(4, "radix", "many"), 4, "radix"),
    ("switches", put(4, "radix", "0"), 4, "radix"),
    ("switches", put(4, "radix", "41"), 4, "radix"),
    ("switches", put(4, "max_w", "1"), 4, "max_w"),
    ("switches", put(4, "managed", "maybe"), 4, "managed"),
    ("switches", put(4, "id", "nvidia-sb7800"), 4, "id"),
    ("switches", put(4, "id", "Not An Id"), 4, "id"),
    ("switch_cages", put(2, "link_rate_gbit_s", "99"), 2, "cage_rate_gbit_s"),
    ("switch_cages", put(2, "cage_classes", "QSFP999"), 2, "cage_classes"),
    ("switch_cages", put(2, "cage_classes", ""), 2, "cage_classes"),
    ("switch_breakouts", put(2, "link_rate_gbit_s", "400"), 2, "link_rate_gbit_s"),
    ("servers", put(3, "gpu_id", "h101"), 3, "gpu_id"),
    ("server_networks", put(2, "nic_id", "no-nic"), 2, "nic_id"),
    ("server_networks", put(2, "server_id", "no-server"), 2, "server_id"),
    ("nics", put(2, "id", "nvidia-qm9700"), 2, "id"),
    ("nic_modes", put(2, "nic_id", "no-nic"), 2, "nic_id"),
    ("nic_modes", put(2, "n_ports", "5"), 2, "port_rate_gbit_s"),
    ("nic_modes", put(8, "protocol", "infiniband"), 8, "protocol"),
    ("cables", put(2, "b_rate_gbit_s", "50"), 2, "b_rate_gbit_s"),
    ("cables", put(4, "matching_fiber_ids", "no-fibre"), 4, "matching_fiber_ids"),
    ("cables", put(4, "matching_fiber_ids", "fib-lc-os2"), 4, "matching_fiber_ids"),
    ("cables", put(4, "connectors_per_module", ""), 4, "connectors_per_module"),
    ("cables", put(4, "b_class", "QSFP28"), 4, "b_class"),
    ("cables", put(2, "reach_min_m", "nan"), 2, "reach_min_m"),
    ("generations", put(4, "default_switch", "nvidia-sb7800"), 4, "default_switch"),
    ("generations", put(4, "default_nic", "no-nic"), 4, "default_nic"),
    ("economics", put(2, "low", "1e99"), 2, "typical"),
    ("economics", put(2, "request_key", "pue"), 10, "request_key"),
    ("record_sources", put(2, "source_id", "nowhere"), 2, "source_id"),
    ("model_constants", put(2, "value", "fast"), 2, "value"),
    ("model_constants", claim_without_source, 2, "source"),
    ("diagnosis", put(2, "unit", "miles"), 2, "unit"),
    ("diagnosis", put(3, "name", "sound.slow"), 3, "name"),
    ("diagnosis", put(3, "evidence", ""), 3, "evidence"),
    ("default_lengths", drop_last_row, None, "tier"),
    ("port_naming", put(2, "style", "smoke-signals"), 2, "style"),
    ("port_naming", put(2, "switch_id", "no-switch"), 2, "switch_id"),
    ("port_naming", put(2, "source", "hearsay"), 2, "source"),
    ("rdma_names", put(2, "basis", "rumour"), 2, "basis"),
    ("server_ports", put(2, "server_id", "no-server"), 2, "server_id"),
    ("server_ports", put(4, "rail", "9"), 2, "rail"),
    ("fabric_defaults", drop_last_row, None, "name"),
    ("fabric_defaults", put(3, "name", "oob_port"), None, "name"),
    ("fabric_defaults", put(3, "value", "two"), 3, "value"),
    ("fabric_defaults", put(3, "source", "hearsay"), 3, "source"),
    ("floor_defaults", drop_last_row, None, "name"),
    ("floor_defaults", put(3, "name", "rack_unitz"), None, "name"),
    ("floor_defaults", put(3, "value", "-2"), 3, "value"),
    ("floor_defaults", put(3, "source", "hearsay"), 3, "source"),
    ("rack_layouts", put(3, "rack_id", "no-rack"), 3, "rack_id"),
    ("rack_layouts", put(3, "first_unit", "4"), 3, "first_unit"),
    ("rack_layouts", put(3, "holds", "wine"), 3, "holds"),
    ("rack_systems", put(2, "tray_id", "dgx-h100"), 2, "tray_id"),
    ("rack_systems", put(3, "tray_id", "gb200-tray"), 3, "tray_id"),
    ("rack_systems", put(2, "tray_id", "no-tray"), 2, "tray_id"),
    ("rack_figures", put(2, "name", "colour"), 2, "name"),
    ("rack_figures", put(2, "basis", "rumour"), 2, "basis"),
    ("rack_figures", put(2, "source", "hearsay"), 2, "source"),
    ("rack_parts", put(3, "quantity", "8"), 3, "quantity"),
    ("rack_parts", put(3, "price_per_mille", "46"), 2, "price_per_mille"),
    ("rack_parts", put(2, "id", "dgx-h100"), 2, "id"),
    ("rack_parts", put(5, "quantity", "2"), 2, "holds"),
    ("rack_parts", put(3, "rack_id", "no-rack"), 3, "rack_id"),
]


def short_name(value: object) -> str:
    """The name of a parameter, the same in every process: the text of a function has its address in it."""
    return str(getattr(value, "__name__", value))[:30]


@pytest.mark.parametrize(("table", "change", "row", "column"), BROKEN, ids=short_name)
def test_a_broken_file_names_file_row_and_column(
    folder: Path, table: str, change: Edit, row: int | None, column: str | None
) -> None:
    edit(folder, table, change)
    with pytest.raises(CatalogError) as caught:
        load_catalog(folder)
    assert (caught.value.file, caught.value.row, caught.value.column) == (f"{table}.csv", row, column)
    assert caught.value.problems[0].message


@pytest.mark.parametrize(
    ("table", "change", "found"),
    [
        (
            "rack_layouts",
            put(4, "n_units", "8"),
            ("rack_parts.csv", 3, "quantity"),
        ),  # eight places for nine switch trays
        ("rack_figures", put(7, "name", "peak_w"), ("rack_systems.csv", 2, "id")),  # no typical draw is left
        ("rack_figures", put(7, "value", "140000"), ("rack_systems.csv", 2, "id")),  # more typically than at most
    ],
)
def test_a_rack_that_contradicts_itself_is_refused(
    folder: Path, table: str, change: Edit, found: tuple[str, int, str]
) -> None:
    edit(folder, table, change)
    with pytest.raises(CatalogError) as caught:
        load_catalog(folder)
    assert (caught.value.file, caught.value.row, caught.value.column) == found


def test_a_part_of_a_rack_has_no_price_beside_the_racks(folder: Path) -> None:
    with (folder / "prices.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    number = next(i for i, row in enumerate(rows, start=2) if row["part_id"] == "mgmt-node")
    edit(folder, "prices", put(number, "part_id", "gb300-tray"))
    with pytest.raises(CatalogError, match="follows from that of its rack system") as caught:
        load_catalog(folder)
    assert (caught.value.file, caught.value.row, caught.value.column) == ("prices.csv", number, "part_id")


def test_a_failure_rate_that_its_events_do_not_give_is_refused(folder: Path) -> None:
    with (folder / "economics.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    number = next(i for i, row in enumerate(rows, start=2) if row["events"])
    edit(folder, "economics", put(number, "events", "7777"))
    with pytest.raises(CatalogError) as caught:
        load_catalog(folder)
    assert (caught.value.row, caught.value.column) == (number, "typical")


def test_a_missing_file_and_a_file_that_is_no_text_are_named(folder: Path) -> None:
    (folder / "gpus.csv").unlink()
    with pytest.raises(CatalogError, match=r"gpus\.csv"):
        load_catalog(folder)
    shutil.copy(HERE / "gpus.csv", folder / "gpus.csv")
    (folder / "sources.csv").write_bytes(b"id,title\n\xff\xfe")
    with pytest.raises(CatalogError, match=r"sources\.csv.*UTF-8"):
        load_catalog(folder)


def test_every_record_of_the_collection_is_there(catalog: Catalog) -> None:
    counts = {kind: len(catalog.records(kind)) for kind in KINDS}
    least = {
        "switches": 40,
        "nics": 24,
        "gpus": 21,
        "servers": 21,
        "racks": 4,
        "rack_parts": 11,
        "cables": 78,
        "economics": 74,
    }
    assert {kind: counts[kind] for kind in least if counts[kind] < least[kind]} == {}
    assert counts["generations"] == 9
    assert counts["constants"] > 0


def test_the_version_is_that_of_the_content(folder: Path, tmp_path: Path) -> None:
    same, changed = tmp_path / "same", tmp_path / "changed"
    shutil.copytree(folder, same)
    shutil.copytree(folder, changed)
    edit(changed, "prices", put(3, "high_cents", "2400001"))
    assert load_catalog(folder).version == load_catalog(same).version != load_catalog(changed).version
    assert load_catalog(folder) is load_catalog(folder)


def test_every_column_has_its_unit_and_meaning() -> None:
    with (HERE / "columns.csv").open(newline="") as file:
        described = [(row["file"], row["column"]) for row in csv.DictReader(file) if row["meaning"]]
    assert described == [(f"{table}.csv", column) for table, columns in COLUMNS.items() for column in columns]
    assert {path.stem for path in HERE.glob("*.csv")} == {*COLUMNS, "columns"}


def test_no_part_says_a_word_twice_in_a_row(catalog: Catalog) -> None:
    """Vendor and model stand beside each other on every page: not "OEM HGX HGX H200"."""
    titles = [f"{server.vendor} {server.model}" for server in catalog.servers.values()]
    titles += [f"{switch.vendor} {switch.model}" for switch in catalog.switches.values()]
    titles += [f"{nic.vendor} {nic.model}" for nic in catalog.nics.values()]
    words = [title.replace(",", "").lower().split() for title in titles]
    assert not [" ".join(title) for title in words if any(one == two for one, two in pairwise(title))]


def test_every_part_has_a_source(catalog: Catalog) -> None:
    for kind in ("switches", "nics", "gpus", "servers", "cables"):
        for part in getattr(catalog, kind):
            assert catalog.sources_of(part), part


def test_a_price_that_claims_a_listing_cites_one(catalog: Catalog) -> None:
    records = [
        price
        for kind in ("switches", "nics", "gpus", "servers", "cables")
        for record in catalog.records(kind)
        for price in record["prices"]
    ]
    assert {price["basis"] for price in records} == {"list", "listing", "analyst", "seed", "assumption"}
    for kind in ("switches", "cables", "servers", "nics"):
        for part in getattr(catalog, kind):
            price = catalog.price(part)
            if price is None:
                continue
            access = catalog.sources[price.source].access
            expected = {"seed": {"planning"}, "assumption": {"none"}}.get(
                price.basis, {"read", "secondary", "recalled"}
            )
            assert access in expected, part


def test_a_book_falls_back_on_another_and_says_so(catalog: Catalog) -> None:
    anchor, street = catalog.price("nvidia-qm9700", "anchors"), catalog.price("nvidia-qm9700")
    assert anchor is not None
    assert street is not None
    assert anchor.cents == Range(3_200_000, 4_800_000, 6_400_000)
    assert (street.typical_cents, street.basis, street.book) == (3_464_800, "listing", "street")
    planned, chassis = catalog.price("dgx-h100", "anchors"), catalog.price("nvidia-cs8500")
    assert planned is not None
    assert chassis is not None
    assert (planned.book, chassis.book, chassis.basis) == ("street", "anchors", "seed")  # nobody quotes the chassis
    assert catalog.price("no-such-part") is None
    with pytest.raises(ValueError, match="price book"):
        catalog.price("dgx-h100", "wishes")


@pytest.mark.parametrize(
    ("switch", "rate", "expected"),
    [
        ("nvidia-sb7800", 100, (36, 1)),
        ("nvidia-qm8700", 200, (40, 1)),
        ("nvidia-qm8700", 100, (80, 2)),
        ("nvidia-qm9700", 400, (64, 2)),
        ("nvidia-qm9700", 200, (128, 4)),
        ("nvidia-q3400-ra", 800, (144, 2)),
        ("nvidia-q3200-ra", 800, (36, 2)),
        ("nvidia-q3450-ld", 800, (144, 1)),
        ("nvidia-sn5600", 400, (128, 2)),
        ("nvidia-sn5600", 800, (64, 1)),
        ("nvidia-sn4600c", 100, (64, 1)),
        ("nvidia-qm9700", 800, None),
        ("nvidia-sb7800", 25, None),
    ],
)
def test_ports_of_a_switch_at_a_rate(
    catalog: Catalog, switch: str, rate: int, expected: tuple[int, int] | None
) -> None:
    ports = switch_ports(catalog.switches[switch], rate)
    assert (ports and (ports.radix, ports.links_per_cage)) == expected
    assert catalog.switch_ports(switch, rate) == ports


def test_every_generation_has_a_switch_and_an_adapter_that_fit(catalog: Catalog) -> None:
    radix = {}
    for name, generation in catalog.generations.items():
        ports = switch_ports(catalog.default_switch(name), generation.port_rate_gbit_s)
        assert ports is not None
        radix[name] = ports.radix
        assert catalog.default_switch(name).protocol == generation.protocol
        assert generation.protocol in catalog.default_nic(name).protocols
        assert catalog.default_nic(name).ports[0].cage_rate_gbit_s >= generation.port_rate_gbit_s
    assert radix == {
        "edr": 36,
        "hdr": 40,
        "ndr": 64,
        "xdr": 144,
        "roce-100": 64,
        "roce-200": 64,
        "roce-400": 128,
        "roce-800": 64,
        "ethernet-1": 48,
    }


@pytest.mark.parametrize(
    ("server", "expected"),
    [
        ("dgx-h100", (8, 400, 4)),
        ("dgx-b300", (8, 800, 8)),
        ("hgx-h100-8u", (8, 400, 8)),
        ("gaudi3-8u", (24, 200, 6)),
        ("storage-node-nvme", None),
    ],
)
def test_ports_of_a_server(catalog: Catalog, server: str, expected: tuple[int, int, int] | None) -> None:
    ports = compute_network(catalog.servers[server])
    assert (ports and (ports.n_ports, ports.port_rate_gbit_s, ports.n_cages)) == expected


def test_a_box_of_two_switches_gives_the_ports_of_one_however_they_are_split(catalog: Catalog) -> None:
    box = catalog.switches["nvidia-q3200-ra"]
    ports = [switch_ports(box, rate) for rate in (800, 400)]
    assert [p and (p.radix, p.links_per_cage) for p in ports] == [(36, 2), (72, 4)]


def test_links_that_a_node_cage_carries(catalog: Catalog) -> None:
    dgx_h100, dgx_b300 = catalog.servers["dgx-h100"].networks[0], catalog.servers["dgx-b300"].networks[0]
    assert links_per_node_cage(dgx_h100, 8) == 2
    assert links_per_node_cage(dgx_h100, 4) == 2  # two ports share a cage, whichever are used
    assert links_per_node_cage(dgx_b300, 8) == 1
    assert links_per_node_cage(dgx_b300, 16) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_records_are_json_as_they_stand(catalog: Catalog, kind: str) -> None:
    records = catalog.records(kind)
    assert json.loads(json.dumps(records, allow_nan=False)) == records
    assert len({record["id"] for record in records}) == len(records)


def test_a_part_shows_its_prices_with_basis_source_and_date(catalog: Catalog) -> None:
    record = next(r for r in catalog.records("cables") if r["id"] == "fib-mfp7e10")
    prices = {price["per"]: price for price in record["prices"]}
    assert (prices["piece"]["typical_cents"], prices["metre"]["typical_cents"]) == (9_000, 250)
    assert all(price["basis"] and price["source"] and price["as_of"] for price in record["prices"])
    with pytest.raises(ValueError, match="no kind"):
        catalog.records("spoons")


@pytest.mark.parametrize(
    ("nic", "infiniband", "ethernet"),
    [
        ("nvidia-cx8-onboard", [(1, 800)], [(2, 400)]),
        ("nvidia-cx8-c8180", [(1, 800)], [(2, 400)]),
        ("nvidia-cx7-ndr-osfp", [(1, 400)], [(1, 400)]),  # as its cages carry
        ("nvidia-cx7-cedar", [(4, 400)], [(4, 400)]),
        ("amd-pollara-400", [], [(1, 400), (2, 200), (4, 100)]),
    ],
)
def test_modes_of_an_adapter_by_protocol(
    catalog: Catalog, nic: str, infiniband: list[tuple[int, int]], ethernet: list[tuple[int, int]]
) -> None:
    assert nic_modes(catalog.nics[nic], "infiniband") == infiniband
    assert nic_modes(catalog.nics[nic], "ethernet") == ethernet
