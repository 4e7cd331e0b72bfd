"""A downloaded file, read again, holds what the estimate holds."""

import csv
import io
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import openpyxl
import pytest

from designer.exports.csv import csv_bytes
from designer.exports.downloads import BOM_FILES, bom_csv, bom_xlsx, file_name
from designer.exports.tables import BOM_COLUMNS, RANGE, bom_table, flattened, provenance
from designer.wording.numbers import basis_name
from estimator.handoff.cells import guarded
from estimator.result import PricedEstimate
from tests.designer.sample_estimate import NAME, sample_estimate, sample_record

CREATED = datetime(2026, 11, 27, 12, 0, 0, tzinfo=UTC)
MONEY_KEYS = [f"{kind}_price_usd_{bound}" for kind in ("unit", "extended") for bound in ("low", "typical", "high")]


def read_csv(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8"), newline=""), strict=True))


def workbook(content: bytes, data_only: bool = False) -> Any:
    return openpyxl.load_workbook(io.BytesIO(content), data_only=data_only)


def unguarded(text: str) -> str:
    return text.removeprefix("'")


def test_csv_has_a_row_a_line_and_its_keys_first() -> None:
    estimate = sample_estimate()
    rows = read_csv(bom_csv(PricedEstimate.from_json(estimate), CREATED).content)
    assert list(rows[0])[: len(BOM_COLUMNS)] == [column.key for column in BOM_COLUMNS]
    assert list(rows[0])[len(BOM_COLUMNS) :] == ["design", "spec_hash", "model_version", "catalog_version"]
    assert len(rows) == len(estimate["bom"]["lines"])
    for row, line in zip(rows, estimate["bom"]["lines"], strict=True):
        for key in (
            "line",
            "category",
            "part",
            "part_number",
            "description",
            "quantity",
            "spare_quantity",
            "owned_quantity",
            "fabric",
            "length_m",
        ):
            assert unguarded(row[key]) == ("" if line[key] is None else str(line[key]))
        for key in MONEY_KEYS:
            name, _, bound = key.rpartition("_")
            price = line[name]
            assert row[key] == ("" if price is None else str(price[bound]))
        assert row["spec_hash"] == estimate["spec_hash"]
        assert row["catalog_version"] == estimate["versions"]["catalog"]


def test_csv_has_no_byte_order_mark_and_ends_lines_as_rfc_4180_says() -> None:
    content = bom_csv(sample_record(), CREATED).content
    assert content.startswith(b"line,")
    assert content.endswith(b"\r\n")
    assert content.count(b"\r\n") == content.count(b"\n") == 4


@pytest.mark.parametrize(
    "text", ["=1+1", "+44 20", "-MQM", "@SUM(A1)", "\tx", "\rx", "\n=1", "＝1+1", " =1+1", NAME, "-1-1", "+", "--"]
)
def test_text_that_a_spreadsheet_would_run_is_defused(text: str) -> None:
    assert guarded(text) == f"'{text}"


@pytest.mark.parametrize("cell", [-5, -12.5, 30.0, "-5", "-12.5", "+7", "", "a=b", "QM9700-X", None, 0, "'quoted"])
def test_numbers_and_harmless_text_stay_as_they_are(cell: Any) -> None:
    assert guarded(cell) == cell


def test_no_cell_of_the_csv_begins_a_formula() -> None:
    for row in read_csv(bom_csv(sample_record(), CREATED).content):
        for key, cell in row.items():
            assert not cell.startswith(("=", "+", "@", "\t", "\r")), key
            assert not cell.startswith("-") or float(cell) < 0, key
        assert row["design"] == f"'{NAME}"


def test_workbook_has_the_lines_and_the_totals_of_the_json() -> None:
    estimate = sample_estimate()
    sheet = workbook(bom_xlsx(PricedEstimate.from_json(estimate), CREATED).content, data_only=True)["Bill of materials"]
    header = [cell.value for cell in sheet[1]]
    assert header == [*(column.title for column in BOM_COLUMNS), "Failure rate"]
    rows = list(
        sheet.iter_rows(min_row=2, max_col=len(BOM_COLUMNS), values_only=True)
    )  # as delivered: every formula with its value
    table = bom_table(PricedEstimate.from_json(estimate))
    assert table.totals is not None
    at = [column.key for column in BOM_COLUMNS].index("price_basis")
    named = [(*row[:at], row[at] and basis_name(row[at]), *row[at + 1 :]) for row in table.rows]
    assert rows == [*named, table.totals]
    assert [row[at] for row in rows if row[at]] == ["list price", "quotation"], "in words, as people read them"
    total = dict(zip([column.key for column in BOM_COLUMNS], rows[-1], strict=True))
    assert {bound: total[f"extended_price_usd_{bound}"] for bound in RANGE} == estimate["bom"]["totals_usd"]
    assert total["power_w"] == sum(line["power_w"] or 0 for line in estimate["bom"]["lines"]) > 0
    assert sheet.freeze_panes == "A2"
    assert sheet.cell(2, header.index("Price, typical (USD)") + 1).number_format == "#,##0.00"


def test_totals_say_at_least_only_when_a_price_is_missing() -> None:
    estimate = sample_estimate()
    assert "at least" in str(bom_table(PricedEstimate.from_json(estimate)).totals)
    estimate["bom"] |= {"lines": estimate["bom"]["lines"][:2], "at_least": False}
    assert "at least" not in str(bom_table(PricedEstimate.from_json(estimate)).totals)


FORMULA_WORDS = re.compile(r"[A-Z][A-Z]+(?=\()|'[^']+'!|\$?[A-Z]{1,3}\$?\d+|[-+*/^(),:=<>]|\d+(\.\d+)?|\"[^\"]*\"")


def test_workbook_holds_text_only_as_text() -> None:
    content = bom_xlsx(sample_record(), CREATED).content
    book = workbook(content)
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row if cell.value is not None]
    assert not [cell.coordinate for cell in cells if cell.hyperlink]
    assert NAME in [cell.value for cell in cells if cell.data_type == "s"]
    for cell in cells:
        if cell.data_type == "f":
            assert FORMULA_WORDS.sub("", cell.value) == "", cell.value
            assert not [word for word in ("cmd", "calc", "MQM", "trade") if word in cell.value]


def test_second_sheet_names_the_design_its_versions_counts_and_spec() -> None:
    estimate = sample_estimate()
    sheet = workbook(bom_xlsx(PricedEstimate.from_json(estimate), CREATED).content)["Design"]
    rows = {(section, key): value for section, key, value in sheet.iter_rows(min_row=2, values_only=True)}
    assert rows["Estimate", "Hash of the spec"] == estimate["spec_hash"]
    assert rows["Estimate", "Version of the catalog"] == estimate["versions"]["catalog"]
    assert rows["Network compute", "counts.spine"] == 4
    assert rows["Spec", "fabric.generation"] == "ndr"
    assert {key.partition(".")[0] for section, key in rows if section == "Cost"} == set(estimate["cost"]) - {
        "assumptions"
    }
    assert {key.partition(".")[0] for section, key in rows if section == "Power"} == set(estimate["power"])
    assert rows["Finding", "spine_ports_open"].startswith("info: ")


def test_third_sheet_names_the_source_of_every_price() -> None:
    estimate = sample_estimate()
    sheet = workbook(bom_xlsx(PricedEstimate.from_json(estimate), CREATED).content)["Sources and assumptions"]
    header = [cell.value for cell in sheet[1]]
    cells = [dict(zip(header, row, strict=True)) for row in sheet.iter_rows(min_row=2, values_only=True)]
    rows = {row["Part or assumption"]: row for row in cells}
    for line in estimate["bom"]["lines"]:
        assert rows[line["description"]]["Source"] == line["price_source"]
        assert rows[line["description"]]["Unit"] == "USD each"
    assert rows["Own server"]["Basis"] == "no price"
    assert rows["Own server"]["Value"] is None
    pue = rows["Facility power ÷ IT power"]
    assert (pue["Low"], pue["Value"], pue["High"], pue["Unit"], pue["As of"]) == (1.1, 1.3, 1.54, "ratio", "2026-01-19")
    assert rows["ring_efficiency [hopper]"]["Note"] == "=363 of 450 GB/s"


@pytest.mark.parametrize("form", BOM_FILES)
def test_the_same_estimate_gives_the_same_bytes(form: str) -> None:
    first = BOM_FILES[form](sample_record(), CREATED)
    assert first == BOM_FILES[form](sample_record(), CREATED)
    assert first.content


def test_workbook_says_when_its_estimate_was_made() -> None:
    later = CREATED + timedelta(hours=1, microseconds=5)
    assert workbook(bom_xlsx(sample_record(), later).content).properties.created == datetime(2026, 11, 27, 13, 0, 0)


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("DGX H100, 4 scalable units", "dgx-h100-4-scalable-units-bom-00ff00ff"),
        (NAME, "cmd-c-calca0-bom-00ff00ff"),
        ('../../etc/"x"\r\nSet-Cookie: a', "etcx-set-cookie-a-bom-00ff00ff"),
        ("设计", "design-bom-00ff00ff"),
        ("x" * 200, "x" * 80 + "-bom-00ff00ff"),
    ],
)
def test_file_names_are_slugs(name: str, start: str) -> None:
    assert file_name(sample_record(spec=sample_estimate()["spec"] | {"name": name}), "csv") == f"{start}.csv"


def test_an_empty_bill_still_has_its_header() -> None:
    nothing = {"low": 0.0, "typical": 0.0, "high": 0.0}
    estimate = sample_record(bom={"lines": [], "totals_usd": nothing, "at_least": False})
    content = csv_bytes(bom_table(estimate), provenance(estimate))
    assert content.decode().splitlines()[0].startswith("line,fabric,category")
    assert len(content.decode().splitlines()) == 1


def test_nested_values_become_dotted_keys() -> None:
    assert list(flattened({"a": {"b": [1, {"c": None}]}, "d": [], "e": {}})) == [
        ("a.b.1", 1),
        ("a.b.2.c", None),
        ("d", None),
        ("e", None),
    ]
