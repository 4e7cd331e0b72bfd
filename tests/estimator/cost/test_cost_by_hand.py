"""Total cost of two designs as it was worked by hand in a spreadsheet (golden/tco_by_hand.xlsx), to the cent.

The workbook's quantities follow from the sizing rules, its prices and parameters were typed from their rows, and every
sum is a formula; its values were worked out by a spreadsheet program.
"""

from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from estimator.catalog.catalog import Catalog
from estimator.pipeline import estimate
from estimator.spec.parse import parse_spec

WORKBOOK = Path(__file__).parents[2] / "golden" / "tco_by_hand.xlsx"
PRICES = {  # of one piece, by the rows of the workbook that they were typed into
    "InfiniBand NDR": {
        "dgx-h100": "servers, DGX H100",
        "nvidia-qm9700": "leaf switches, QM9700",
        "nv-mma4z00-ns": "modules in spines",
        "nv-mma4z00-ns-flt": "modules in nodes",
    },
    "RoCE 400G": {
        "hgx-h100-8u": "servers, HGX H100",
        "nvidia-sn5600": "leaf switches, SN5600",
        "nv-mma4z00-ns": "modules in spines",
        "nv-mma4z00-ns400": "modules in nodes",
    },
}
DESIGNS = {
    "InfiniBand NDR": {"compute": {"server": "dgx-h100", "gpus": 1024}, "fabric": {"generation": "ndr"}},
    "RoCE 400G": {"compute": {"server": "hgx-h100-8u", "gpus": 1024}, "fabric": {"generation": "roce-400"}},
}
PARAMETERS = {"electricity_usd_per_kwh": 0.085, "colocation_usd_per_kw_month": 195, "residual_value": 0.1}
FIGURES: dict[str, tuple[Any, ...]] = {
    "purchase": ("capex_usd", "total"),
    "freight": ("one_off_usd", "freight"),
    "contingency": ("one_off_usd", "contingency"),
    "install": ("one_off_usd", "install"),
    "one-off": ("one_off_usd", "total"),
    "outlay": ("outlay_usd",),
    "electricity": ("opex_usd_per_year", "electricity"),
    "space": ("opex_usd_per_year", "space"),
    "support": ("opex_usd_per_year", "support"),
    "licences": ("opex_usd_per_year", "licences"),
    "value left after four years": ("by_years", 3, "residual_usd"),
    "total cost": ("tco_usd",),
    "dollars a GPU": ("usd_per_gpu",),
    "dollars a GPU-hour": ("usd_per_gpu_hour",),
}


def worked(title: str, *, is_formula: bool = False) -> dict[str, Any]:
    sheet = load_workbook(WORKBOOK, data_only=not is_formula)[title]
    return {row[0]: row for row in sheet.iter_rows(min_row=4, values_only=True)}


def figure(cost: Any, path: tuple[Any, ...]) -> float:
    for key in path:
        cost = cost[key]
    return float(cost["typical"])


def typed_prices(title: str, by_hand: dict[str, Any]) -> dict[str, Any]:
    """The workbook's prices as a book of one's own, so that the arithmetic stands whatever the market does."""
    cents = {part: round(by_hand[label][3] * 100) for part, label in PRICES[title].items()}
    prices = [
        {"part": part, "low": usd, "typical": usd, "high": usd, "basis": "list", "as_of": "2026-11-27"}
        for part, usd in cents.items()
    ]
    return {"name": "Typed by hand", "prices": prices}


@pytest.mark.parametrize("title", DESIGNS)
def test_the_spreadsheet_and_the_estimate_agree_to_the_cent(title: str, catalog: Catalog) -> None:
    by_hand = worked(title)
    economics = PARAMETERS | {"prices": typed_prices(title, by_hand)}
    made = estimate([parse_spec(DESIGNS[title] | {"economics": economics}, catalog)], catalog)[0].as_json()
    for label, path in FIGURES.items():
        assert round(by_hand[label][4], 4) == figure(made["cost"], path), label
    assert by_hand["repairs in year 4"][4] == made["cost"]["cash_flow"][4]["usd"]["repairs"]
    for year in range(1, 5):
        discounted = by_hand[f"year {year}, discounted at 9 %"][4]
        assert discounted == pytest.approx(made["cost"]["cash_flow"][year]["discounted_usd"]["typical"], abs=0.005)
    parts = [row for row in by_hand.values() if isinstance(row[1], int)]
    lines = [(line["quantity"], line["extended_price_usd"]["typical"]) for line in made["bom"]["lines"]]
    assert sorted((row[1], float(row[4])) for row in parts) == sorted(lines)


@pytest.mark.parametrize("title", DESIGNS)
def test_every_sum_of_the_spreadsheet_is_a_formula(title: str) -> None:
    formulas = worked(title, is_formula=True)
    for label in (
        "purchase",
        "one-off",
        "outlay",
        "electricity",
        "support",
        "value left after four years",
        "total cost",
    ):
        assert str(formulas[label][4]).startswith("="), label
