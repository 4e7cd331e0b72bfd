"""A comparison's workbook and report, read back: formulas give the comparison's numbers, text stays text, bytes repeat."""

import csv
import io
from datetime import UTC, datetime
from typing import Any

import openpyxl
import pytest
from pypdf import PdfReader

from designer.exports.comparisons import COMPARISON_FILES, COMPARISON_FORMATS
from estimator.catalog.catalog import Catalog
from estimator.compare.comparison import compare_request
from estimator.compare.result import ComparisonResult
from estimator.handoff.cells import guarded
from tests.designer.spreadsheet import Workbook
from tests.yardstick import another_second

MADE = datetime(2026, 11, 27, 12, 0, 0, tzinfo=UTC)
NAME = "=cmd|' /C calc'!A0"
OFFER = {
    "gpus": 1024,
    "lines": [
        {
            "category": "switch",
            "part": "nvidia-qm9790",
            "description": "@SUM(A1)",
            "use": "leaf",
            "quantity": 40,
            "unit_price_usd": {"low": 30000, "typical": 31000.55, "high": 32000},
        },
        {"category": "server", "description": "-1+1", "quantity": 128},
    ],
}


def spec(generation: str, nodes: int) -> dict[str, Any]:
    return {"name": generation, "compute": {"server": "dgx-h100", "nodes": nodes}, "fabric": {"generation": generation}}


REQUESTS: dict[str, dict[str, Any]] = {
    "with an offer": {
        "items": [
            {"label": NAME, "spec": spec("ndr", 128)},
            {"label": "RoCE", "spec": spec("roce-400", 128)},
            {"label": "+Offer", "offer": OFFER, "notes": ["=1+1"]},
        ],
    },
    "of different sizes": {"items": [{"spec": spec("ndr", 64)}, {"spec": spec("ndr", 128)}], "baseline": 1},
    "of eight": {"items": [{"label": f"side {k}", "spec": spec("ndr", 16 * k)} for k in range(1, 9)], "baseline": 3},
}


@pytest.fixture(scope="module", params=list(REQUESTS))
def result(request: pytest.FixtureRequest, catalog: Catalog) -> ComparisonResult:
    return compare_request(REQUESTS[request.param], catalog)


def content(form: str, result: ComparisonResult) -> bytes:
    return COMPARISON_FILES[form](NAME, result, MADE).content


def book(result: ComparisonResult, data_only: bool = False) -> Any:
    return openpyxl.load_workbook(io.BytesIO(content("xlsx", result)), data_only=data_only)


def text_of(result: ComparisonResult) -> str:
    pages = PdfReader(io.BytesIO(content("pdf", result))).pages
    return " ".join(" ".join(page.extract_text() for page in pages).replace("\u00a0", " ").split())


def test_every_form_is_there() -> None:
    assert COMPARISON_FORMATS == ("json", "csv", "xlsx", "pdf")


def test_every_part_of_the_csv_has_its_name(result: ComparisonResult) -> None:
    names = {part.part: part.description for row in result.rows for side in row.sides if side for part in side.parts}
    rows = [row for row in csv.DictReader(io.StringIO(content("csv", result).decode("utf-8-sig"))) if row["part"]]
    assert rows
    for row in rows:
        wanted = "; ".join(names.get(part, part) for part in row["part"].split("; "))
        assert row["part_name"] == guarded(wanted)


def test_formulas_give_the_numbers_of_the_comparison(result: ComparisonResult) -> None:
    delivered, computed = book(result, data_only=True), Workbook(book(result))
    formulas = computed.formulas()
    assert len(formulas) > len(result.rows)
    for sheet, place, value in formulas:
        wanted = delivered[sheet][place].value
        assert float(value) == pytest.approx(wanted, rel=1e-6, abs=0.0051 if abs(wanted) > 2 else 2e-6), (
            f"{sheet}!{place}"
        )


def test_totals_of_the_workbook_are_those_of_the_comparison(result: ComparisonResult) -> None:
    made = book(result)
    computed, n = Workbook(made), len(result.items)
    for start, totals in ((2, result.totals.all_usd), (2 + n, result.totals.same_scope_usd)):
        for side, amount in enumerate(totals):
            found = [float(computed.value("Totals", start + side, column)) for column in (4, 5, 6)]
            assert found == pytest.approx(list(amount), abs=0.0051)


def test_the_workbook_holds_text_as_text_and_frozen_heads(result: ComparisonResult) -> None:
    made = book(result)
    assert made.sheetnames == ["In words", "Figures", "Lines", "Totals", "Sides"]
    for sheet in made:
        assert sheet.freeze_panes
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type == "f":
                    assert "cmd" not in cell.value
                    assert "Offer" not in cell.value
    said = [cell.value for cell in made["In words"]["C"]]
    assert all(one.headline in said for one in result.summary)


def test_the_report_says_it_in_words_and_figures(result: ComparisonResult) -> None:
    text = text_of(result)
    assert NAME in text
    for said in result.summary:
        assert " ".join(said.headline.replace("\u00a0", " ").split())[:60] in text
    for item in result.items:
        assert (item.spec_hash or "") in text
    assert "27 November 2026, 12:00 UTC" in text
    for figure in result.figures:
        assert figure.label.split(",")[0].split()[0] in text


@pytest.mark.parametrize("form", list(COMPARISON_FILES))
def test_the_same_comparison_gives_the_same_bytes(result: ComparisonResult, form: str) -> None:
    first = content(form, result)
    another_second()
    assert content(form, result) == first
