"""Formulas of a workbook: their values as delivered, as a few lines of Python compute them, and as LibreOffice does."""

import io
import json
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from designer.exports.bom_sheets import LETTER
from designer.exports.downloads import bom_xlsx
from estimator.catalog.loader import Catalog
from estimator.pipeline import estimate
from estimator.spec import parse_spec
from tests.designer.sample_estimate import sample_estimate
from tests.designer.spreadsheet import Workbook

CREATED = datetime(2026, 11, 27, 12, 0, 0, tzinfo=UTC)
SPECS: dict[str, dict[str, Any]] = {
    "infiniband": {
        "name": "InfiniBand", "compute": {"server": "dgx-h100", "nodes": 128}, "fabric": {"generation": "ndr"},
        "other_fabrics": [{"role": "storage", "generation": "ndr", "ports_per_node": 2}],
    },
    "roce": {"name": "RoCE", "compute": {"server": "dgx-h100", "nodes": 128}, "fabric": {"generation": "roce-400"}},
}  # fmt: skip
OFFICE = shutil.which("soffice") or shutil.which("libreoffice")
CENT = 0.0051
ALWAYS_RECALCULATE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value>
</prop></item>
</oor:items>
"""


@pytest.fixture(scope="module", params=list(SPECS))
def real(request: pytest.FixtureRequest, catalog: Catalog) -> dict[str, Any]:
    spec = parse_spec(SPECS[request.param], catalog)
    values: dict[str, Any] = json.loads(json.dumps(estimate([spec], catalog)[0].as_json()))
    return values


def read(content: bytes, data_only: bool = False) -> Any:
    return openpyxl.load_workbook(io.BytesIO(content), data_only=data_only)


def recomputed(book: Any, folder: Path) -> Any:
    """The workbook as LibreOffice computes it: openpyxl leaves out every value that came with a formula."""
    profile = folder / "profile" / "user"
    profile.mkdir(parents=True)
    (profile / "registrymodifications.xcu").write_text(ALWAYS_RECALCULATE)
    book.save(folder / "asked.xlsx")
    command = [str(OFFICE), f"-env:UserInstallation={profile.parent.as_uri()}", "--headless", "--convert-to", "xlsx",
               "--outdir", str(folder / "out"), str(folder / "asked.xlsx")]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True, timeout=180)
    return openpyxl.load_workbook(folder / "out" / "asked.xlsx", data_only=True)


def assert_same(found: Any, wanted: Any, where: str) -> None:
    if isinstance(wanted, str):
        assert found == wanted, where
    else:
        assert float(found) == pytest.approx(wanted, abs=CENT if abs(wanted) > 2 else 1e-9), where


@pytest.mark.parametrize("make", [bom_xlsx])
def test_every_formula_gives_the_value_it_is_delivered_with(real: dict[str, Any], make: Any) -> None:
    content = make(real, CREATED).content
    delivered = read(content, data_only=True)
    formulas = Workbook(read(content)).formulas()
    assert len(formulas) > 3 * len(real["bom"]["lines"])
    for sheet, place, value in formulas:
        assert_same(value, delivered[sheet][place].value, f"{sheet}!{place}")


def test_formulas_of_an_awkward_bill_hold_too() -> None:
    content = bom_xlsx(sample_estimate(), CREATED).content
    delivered = read(content, data_only=True)
    for sheet, place, value in Workbook(read(content)).formulas():
        assert_same(value, delivered[sheet][place].value, f"{sheet}!{place}")


def test_totals_of_the_workbook_are_those_of_the_estimate(real: dict[str, Any]) -> None:
    computed = Workbook(read(bom_xlsx(real, CREATED).content))
    lines, row = real["bom"]["lines"], len(real["bom"]["lines"]) + 2
    header = list(LETTER)
    for end, total in real["bom"]["totals_usd"].items():
        column = header.index(f"extended_price_usd_{end}") + 1
        assert computed.value("Bill of materials", row, column) == pytest.approx(total, abs=CENT)
    groups = {(line["fabric"], line["category"]) for line in lines}
    book = read(bom_xlsx(real, CREATED).content)
    found = {(row[0].value, row[1].value) for row in book["Totals"].iter_rows(min_row=2, max_row=len(groups) + 1)}
    assert found == groups


def test_another_quantity_moves_the_totals(real: dict[str, Any]) -> None:
    book = read(bom_xlsx(real, CREATED).content)
    sheet, line = book["Bill of materials"], real["bom"]["lines"][1]
    sheet[f"{LETTER['quantity']}3"] = line["quantity"] + 10
    total = Workbook(book).value("Totals", 2 + len({(x["fabric"], x["category"]) for x in real["bom"]["lines"]}), 8)
    wanted = real["bom"]["totals_usd"]["typical"] + 10 * line["unit_price_usd"]["typical"]
    assert total == pytest.approx(wanted, abs=CENT)


@pytest.mark.skipif(OFFICE is None, reason="LibreOffice is not installed: its own computation cannot be compared")
@pytest.mark.parametrize("make", [bom_xlsx])
def test_libreoffice_computes_the_same_totals(real: dict[str, Any], make: Any, tmp_path: Path) -> None:
    content = make(real, CREATED).content
    delivered, computed = read(content, data_only=True), recomputed(read(content), tmp_path)
    for sheet, place, _ in Workbook(read(content)).formulas():
        assert_same(computed[sheet][place].value, delivered[sheet][place].value, f"{sheet}!{place}")
