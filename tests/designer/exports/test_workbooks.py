"""Formulas of a workbook: their values as delivered, as a few lines of Python compute them, and as LibreOffice does."""

import io
import json
import shutil
import subprocess
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from designer.exports.downloads import bom_xlsx, cost_xlsx
from designer.exports.sheets.bom import LETTER
from designer.exports.sheets.cells import CASH_SHEETS, Cash
from designer.exports.tables import RANGE
from estimator.catalog.catalog import Catalog
from estimator.pipeline import estimate
from estimator.result import PricedEstimate
from estimator.spec.parse import parse_spec
from tests.designer.sample_estimate import sample_record
from tests.designer.spreadsheet import Workbook

CREATED = datetime(2026, 11, 27, 12, 0, 0, tzinfo=UTC)
SPECS: dict[str, dict[str, Any]] = {
    "infiniband": {
        "name": "InfiniBand", "compute": {"server": "dgx-h100", "nodes": 128}, "fabric": {"generation": "ndr"},
        "other_fabrics": [{"role": "storage", "generation": "ndr", "ports_per_node": 2}],
    },
    "roce": {"name": "RoCE", "compute": {"server": "dgx-h100", "nodes": 128}, "fabric": {"generation": "roce-400"}},
    "everything requested": {
        "name": "Mixed", "compute": {"server": "dgx-h100", "nodes": 64}, "fabric": {"generation": "ndr"},
        "other_fabrics": [{"role": "storage", "generation": "ndr", "ports_per_node": 2},
                          {"role": "in-band", "generation": "roce-100", "ports_per_node": 2}],
        "economics": {"staff": True, "gpu_licences": True, "design_labour": True, "facility": "own-building", "years": 6,
                      "cloud_usd_per_gpu_hour": 3.5, "tokens_per_s_per_gpu": 500, "warranty_years": 0, "residual_value": 0.15,
                      "spares": {"switches": 0, "optics": 0}},
    },
    "nothing priced": {
        "name": "Custom", "compute": {"server": "custom", "nodes": 20, "gpus_per_node": 8, "nics_per_node": 8},
        "fabric": {"generation": "ndr", "leaf_radix": 64, "spine_radix": 64},
        "economics": {"facility": "existing", "network_licences": False, "years": 15, "price_book": "street"},
    },
}  # fmt: skip
OFFICE = shutil.which("soffice") or shutil.which("libreoffice")
CENT = 0.0051
TIE = 0.0101  # half a cent exactly may fall either way: the model counts in binary, a spreadsheet in fifteen digits
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


_MADE: dict[tuple[Any, str], bytes] = {}


def made(make: Any, real: dict[str, Any]) -> bytes:
    """A workbook of one of SPECS, made once."""
    key = make, real["spec_hash"]
    if key not in _MADE:
        _MADE[key] = make(PricedEstimate.from_json(real), CREATED).content
    return _MADE[key]


def opened(content: bytes) -> Any:
    """A workbook to be changed."""
    return openpyxl.load_workbook(io.BytesIO(content))


@cache
def read(content: bytes, data_only: bool = False) -> Any:
    """A workbook to be looked at: most tests look at the same."""
    return openpyxl.load_workbook(io.BytesIO(content), data_only=data_only)


def recomputed(book: Any, folder: Path) -> Any:
    """The workbook as LibreOffice computes it: openpyxl leaves out every value that came with a formula."""
    profile = folder / "profile" / "user"
    profile.mkdir(parents=True)
    (profile / "registrymodifications.xcu").write_text(ALWAYS_RECALCULATE)
    book.save(folder / "asked.xlsx")
    command = [
        str(OFFICE),
        f"-env:UserInstallation={profile.parent.as_uri()}",
        "--headless",
        "--convert-to",
        "xlsx",
        "--outdir",
        str(folder / "out"),
        str(folder / "asked.xlsx"),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=180)
    return openpyxl.load_workbook(folder / "out" / "asked.xlsx", data_only=True)


def assert_same(found: Any, wanted: Any, where: str) -> None:
    if isinstance(wanted, str):
        assert found == wanted, where
    else:
        assert float(found) == pytest.approx(wanted, abs=CENT if abs(wanted) > 2 else 1e-9), where


@pytest.mark.parametrize("make", [bom_xlsx, cost_xlsx])
def test_every_formula_gives_the_value_it_is_delivered_with(real: dict[str, Any], make: Any) -> None:
    content = made(make, real)
    delivered = read(content, data_only=True)
    formulas = Workbook(read(content)).formulas()
    assert len(formulas) > 3 * len(real["bom"]["lines"])
    for sheet, place, value in formulas:
        assert_same(value, delivered[sheet][place].value, f"{sheet}!{place}")


def test_formulas_of_an_awkward_bill_hold_too() -> None:
    content = bom_xlsx(sample_record(), CREATED).content
    delivered = read(content, data_only=True)
    for sheet, place, value in Workbook(read(content)).formulas():
        assert_same(value, delivered[sheet][place].value, f"{sheet}!{place}")


def test_totals_of_the_workbook_are_those_of_the_estimate(real: dict[str, Any]) -> None:
    computed = Workbook(read(made(bom_xlsx, real)))
    lines, row = real["bom"]["lines"], len(real["bom"]["lines"]) + 2
    header = list(LETTER)
    for end, total in real["bom"]["totals_usd"].items():
        column = header.index(f"extended_price_usd_{end}") + 1
        assert computed.value("Bill of materials", row, column) == pytest.approx(total, abs=CENT)
    groups = {(line["fabric"], line["category"]) for line in lines}
    book = read(made(bom_xlsx, real))
    found = {(row[0].value, row[1].value) for row in book["Totals"].iter_rows(min_row=2, max_row=len(groups) + 1)}
    assert found == groups


FIGURES = {  # of the sheet of cost, and where the estimate has the same
    "Servers": ("capex_usd", "servers"),
    "Network": ("capex_usd", "network"),
    "Racks and cooling": ("capex_usd", "facility"),
    "Purchase price": ("capex_usd", "total"),
    "One-off cost": ("one_off_usd", "total"),
    "Outlay": ("outlay_usd",),
    "Energy, kWh": ("energy_kwh_per_year",),
    "Support": ("opex_usd_per_year", "support"),
    "Licences": ("opex_usd_per_year", "licences"),
    "Staff": ("opex_usd_per_year", "staff"),
    "Repairs a year, on average": ("opex_usd_per_year", "repairs"),
    "Total cost": ("tco_usd",),
    "The same, not discounted": ("tco_undiscounted_usd",),
    "Total cost a GPU-hour in use": ("usd_per_gpu_hour",),
    "Purchase a GPU": ("usd_per_gpu",),
    "Network a GPU": ("network_usd_per_gpu",),
    "Network a Gb/s of bisection": ("usd_per_gbit_s_bisection",),
    "Total cost a million tokens": ("usd_per_million_tokens",),
    "Break-even price of a rented GPU-hour": ("rent", "break_even_usd_per_gpu_hour"),
}


def ledger(computed: Workbook, book: Any) -> dict[str, dict[str, float]]:
    """Item → its computed low, typical and high."""
    return {
        row[1].value: {
            end: computed.value("Cost", row[0].row, column) for end, column in zip(RANGE, (3, 4, 5), strict=True)
        }
        for row in book["Cost"].iter_rows(min_row=2)
        if row[1].value
    }


def test_the_cost_computed_from_parameters_is_that_of_the_estimate(real: dict[str, Any]) -> None:
    book = read(made(cost_xlsx, real))
    found, seen = ledger(Workbook(book), book), 0
    for item, path in FIGURES.items():
        wanted: Any = real["cost"]
        for key in path:
            wanted = (wanted or {}).get(key)
        if not wanted or item not in found:
            assert not wanted or not any(wanted.values()), item
            continue
        seen += 1
        for end in RANGE:
            assert found[item][end] == pytest.approx(wanted[end], abs=0.06 if "kWh" in item else TIE), f"{item}, {end}"
    assert seen >= 12


def test_every_year_of_the_cash_flow_is_computed(real: dict[str, Any]) -> None:
    computed = Workbook(read(made(cost_xlsx, real)))
    columns = list(Cash._fields)

    def at(year: int, key: str, end: str = "typical") -> float:
        return float(computed.value(CASH_SHEETS[end], year + 2, columns.index(key) + 1) or 0)

    for row in real["cost"]["cash_flow"]:
        for kind, amount in row["usd"].items():
            assert at(row["year"], kind) == pytest.approx(amount, abs=TIE), (row["year"], kind)
        for key, name in (
            ("total_usd", "paid"),
            ("cumulative_usd", "cumulative"),
            ("discounted_usd", "discounted"),
            ("cumulative_discounted_usd", "cumulative_discounted"),
        ):
            cases = [at(row["year"], name, end) for end in RANGE]
            ends = [min(cases), cases[1], max(cases)]  # the typical case in the middle, wherever the others come out
            assert ends == pytest.approx([row[key][end] for end in RANGE], abs=TIE), (row["year"], key)
    for row in real["cost"]["by_years"]:
        for end in RANGE:
            assert at(row["years"], "total", end) == pytest.approx(row["tco_usd"][end], abs=TIE)
            assert at(row["years"], "hour", end) == pytest.approx(row["usd_per_gpu_hour"][end], abs=1.1e-4)
    assert at(real["cost"]["tco_years"] + 1, "paid") == 0


@pytest.mark.parametrize(
    ("parameter", "asked"),
    [
        ("electricity-kwh", "electricity_usd_per_kwh"),
        ("pue", "pue"),
        ("discount-rate", "discount_rate"),
        ("years", "years"),
        ("residual-value", "residual_value"),
        ("warranty-years", "warranty_years"),
        ("freight-pct", "freight"),
        ("colo-kw-month", "colocation_usd_per_kw_month"),
        ("depreciation-it", "depreciation_years"),
    ],
)
def test_a_changed_parameter_gives_what_a_new_estimate_gives(parameter: str, asked: str, catalog: Catalog) -> None:
    """A buyer who types another figure into the workbook sees what the app would say."""
    value = {"years": 7, "pue": 1.9, "warranty-years": 0, "colo-kw-month": 333.0, "depreciation-it": 3}.get(
        parameter, 0.21
    )
    spec = SPECS["infiniband"]

    def estimated(**economics: Any) -> dict[str, Any]:
        found = estimate([parse_spec(spec | {"economics": economics}, catalog)], catalog)[0].as_json()
        values: dict[str, Any] = json.loads(json.dumps(found))
        return values

    before, after = estimated(), estimated(**{asked: value})
    book = opened(made(cost_xlsx, before))
    row = next(row for row in book["Parameters"].iter_rows(min_row=2) if row[0].value == parameter)
    for cell in row[3:4] if parameter == "years" else row[2:5]:
        cell.value = value
    found = ledger(Workbook(book), book)
    for end in RANGE:
        assert found["Total cost"][end] == pytest.approx(after["cost"]["tco_usd"][end], abs=CENT)
        assert found["Total cost a GPU-hour in use"][end] == pytest.approx(
            after["cost"]["usd_per_gpu_hour"][end], abs=1.1e-4
        )
    assert after["cost"]["tco_usd"] != before["cost"]["tco_usd"]


def test_sheets_of_a_workbook_are_there_and_frozen(real: dict[str, Any]) -> None:
    names = read(made(cost_xlsx, real)).sheetnames
    assert names[0] == "Cost"
    assert read(made(bom_xlsx, real)).sheetnames[0] == "Bill of materials"
    assert {
        "Cash flow",
        "Cash flow, low",
        "Cash flow, high",
        "Parameters",
        "Repairs",
        "Totals",
        "Design",
        "Sources and assumptions",
    } <= set(names)
    for sheet in read(made(cost_xlsx, real)):
        assert sheet.freeze_panes, sheet.title
        assert sheet.print_title_rows == "$1:$1", sheet.title
    assert read(made(cost_xlsx, real))["Cash flow"].freeze_panes == "B2"


def test_an_estimate_of_an_older_model_has_a_bill_without_cost_sheets() -> None:
    names = read(bom_xlsx(sample_record(), CREATED).content).sheetnames
    assert names == ["Bill of materials", "Totals", "Design", "Sources and assumptions"]


def test_another_quantity_moves_the_totals(real: dict[str, Any]) -> None:
    book = opened(made(bom_xlsx, real))
    sheet, line = book["Bill of materials"], real["bom"]["lines"][1]
    sheet[f"{LETTER['quantity']}3"] = line["quantity"] + 10
    total = Workbook(book).value("Totals", 2 + len({(x["fabric"], x["category"]) for x in real["bom"]["lines"]}), 8)
    wanted = real["bom"]["totals_usd"]["typical"] + 10 * line["unit_price_usd"]["typical"]
    assert total == pytest.approx(wanted, abs=CENT)


@pytest.mark.skipif(OFFICE is None, reason="LibreOffice is not installed: its own computation cannot be compared")
def test_libreoffice_computes_the_same_totals(real: dict[str, Any], tmp_path: Path) -> None:
    content = made(cost_xlsx, real)
    delivered, computed = read(content, data_only=True), recomputed(opened(content), tmp_path)
    for sheet, place, _ in Workbook(read(content)).formulas():
        assert_same(computed[sheet][place].value, delivered[sheet][place].value, f"{sheet}!{place}")
