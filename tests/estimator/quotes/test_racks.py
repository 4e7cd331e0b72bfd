"""Quotes of racks that are bought whole: offered as racks, or piece by piece."""

from typing import Any

import pytest

from estimator.catalog.loader import load_catalog
from estimator.pipeline import estimate
from estimator.quotes.check import read_quote, report_of
from estimator.spec.parse import parse_spec

CATALOG = load_catalog()
BILL = estimate(
    [parse_spec({"compute": {"server": "gb300-tray", "racks": 8}, "fabric": {"generation": "xdr"}}, CATALOG)],
    CATALOG,
    ("counts", "cables", "bom"),
)[0].bom
assert BILL
LINES = BILL.lines


def report(*rows: tuple[str, int, int]) -> dict[str, Any]:
    text = "Description,Qty,Unit price USD,Total USD\n" + "\n".join(
        f'"{words}",{quantity},{price},{quantity * price}' for words, quantity, price in rows
    )
    return report_of(read_quote(text.encode()), LINES, CATALOG).as_json()


@pytest.mark.parametrize(
    "words", ["NVIDIA GB300 NVL72 rack", "GB300 NVL72, 72 GPUs, liquid-cooled", "Supermicro GB300-NVL72"]
)
def test_an_offer_of_racks_serves_trays_and_rack_parts_together(words: str) -> None:
    found = report((words, 8, 3_800_000))
    (line,) = found["lines"]
    assert (line["status"], line["part"], line["quantity"]) == ("matched", "gb300-nvl72", 8)
    item = next(one for one in found["items"] if one["key"] == "gb300-nvl72")
    assert item["quantity"] == 8
    assert item["bom_lines"] == [line.line for line in LINES if line.category in ("server", "rack-system")]
    assert not {one["key"] for one in found["items"]} & {"gb300-tray", "gb300-nvl72-frame"}
    assert not [one for one in found["missing"] if one["key"] == "gb300-nvl72"]


def test_an_offer_piece_by_piece_keeps_the_pieces() -> None:
    found = report(
        ("NVIDIA GB300 NVL72 compute tray", 144, 200_000),
        ("NVLink switch tray for GB300 NVL72", 72, 17_000),
        ("33 kW power shelf", 64, 7_000),
    )
    assert {line["part"]: line["quantity"] for line in found["lines"]} == {
        "gb300-tray": 144,
        "gb300-nvl72-switch-tray": 72,
        "gb300-nvl72-power-shelf": 64,
    }


def test_what_is_for_a_rack_is_no_rack() -> None:
    found = report(("Installation of GB300 NVL72", 8, 20_000), ("Support for GB300 NVL72 rack, 3 years", 8, 90_000))
    assert not found["lines"]
    assert "gb300-tray" in {one["key"] for one in found["items"]}
