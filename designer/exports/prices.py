"""Files of a price book: all its prices and rates as CSV, XLSX or JSON, in the form in which they are read back."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from designer.exports.downloads import XLSX_TYPE, Download
from designer.exports.file_names import safe_name
from designer.exports.tables import ANY, COUNT, Column, Table
from designer.exports.xlsx import xlsx_bytes
from estimator.bom.price_file import COLUMNS, RATE_COLUMNS
from estimator.catalog.catalog import Catalog
from estimator.catalog.currency import MINOR_DIGITS, USD
from estimator.handoff.cells import guarded
from estimator.record import Given, Json

FORMATS = ("json", "csv", "xlsx")
_WIDTHS = {"part": 26, "source": 40, "note": 40}
_AMOUNTS = ("low", "typical", "high")
_FORMATS = {"min_quantity": COUNT, "length_m": ANY} | dict.fromkeys(_AMOUNTS, "#,##0.00##")
_TITLES = {
    "part": "Part",
    "per": "Per",
    "low": "Low",
    "typical": "Typical",
    "high": "High",
    "currency": "Currency",
    "basis": "Basis",
    "as_of": "Date",
    "source": "Source",
    "region": "Region",
    "min_quantity": "Min quantity",
    "length_m": "Length m",
    "valid_from": "Valid from",
    "valid_to": "Valid to",
    "note": "Note",
    "usd": "USD",
}
TEMPLATE_ENTRIES: tuple[Given, ...] = (
    {
        "part": "nvidia-qm9700",
        "per": "piece",
        "low": 3_100_000,
        "typical": 3_287_000,
        "high": 3_600_000,
        "currency": "USD",
        "basis": "listing",
        "as_of": "2026-07-04",
        "source": "An example: delete this row",
        "region": None,
        "min_quantity": 1,
        "length_m": None,
        "valid_from": None,
        "valid_to": None,
        "note": "",
    },
)


def columns_of(names: Iterable[str]) -> tuple[Column, ...]:
    """The columns of a table of prices or rates."""
    return tuple(
        Column(name, _TITLES[name], width=_WIDTHS.get(name, 12), number_format=_FORMATS.get(name, "")) for name in names
    )


def price_row(entry: Given) -> tuple[Any, ...]:
    """A price with its amounts in whole units of the currency."""
    scale = 10 ** MINOR_DIGITS[entry["currency"]]
    return tuple(entry[name] / scale if name in _AMOUNTS else entry.get(name) for name in COLUMNS)


def price_csv(name: str, prices: Iterable[Given]) -> Download:
    """The prices for machines and for editing; the header is COLUMNS."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for entry in prices:
        digits = MINOR_DIGITS[entry["currency"]]
        cells = dict(zip(COLUMNS, price_row(entry), strict=True))
        cells |= {key: f"{cells[key]:.{digits}f}" for key in _AMOUNTS}
        writer.writerow([guarded(cell) for cell in cells.values()])
    return Download(_file_name(name, "csv"), "text/csv; charset=utf-8", text.getvalue().encode())


def price_xlsx(name: str, prices: Iterable[Given], rates: Iterable[Given], created: datetime) -> Download:
    """Two sheets, prices and exchange rates; both are read back."""
    tables = [
        Table("Prices", columns_of(COLUMNS), tuple(price_row(entry) for entry in prices)),
        Table(
            "Exchange rates",
            columns_of(RATE_COLUMNS),
            tuple(tuple(rate[key] for key in RATE_COLUMNS) for rate in rates),
        ),
    ]
    return Download(_file_name(name, "xlsx"), XLSX_TYPE, xlsx_bytes(tables, name, created))


def price_json(name: str, values: Given) -> Download:
    """The book as a design takes it."""
    content = json.dumps(values, ensure_ascii=False, indent=1).encode()
    return Download(_file_name(name, "json"), "application/json", content)


def book_file(form: str, values: Given, created: datetime) -> Download:
    """One of FORMATS of a book: ``values`` are those of OwnPrices."""
    name = str(values["name"])
    if form == "json":
        return price_json(name, values)
    if form == "csv":
        return price_csv(name, values["prices"])
    return price_xlsx(name, values["prices"], values["rates"], created)


def catalog_values(book: str, title: str, catalog: Catalog) -> Json:
    """A book of the catalog in the form of yours, without the parts that it lacks."""
    prices = [
        {
            "part": price.part_id,
            "per": price.per,
            "low": price.low_cents,
            "typical": price.typical_cents,
            "high": price.high_cents,
            "currency": USD,
            "basis": _OWN_BASIS.get(price.basis, price.basis),
            "as_of": _day(price.as_of),
            "source": catalog.sources[price.source].title[:300],
            "region": price.region,
            "min_quantity": price.min_quantity,
            "length_m": None,
            "valid_from": price.valid_from,
            "valid_to": price.valid_to,
            "note": (price.note or price.rule or "")[:300],
        }
        for part in catalog.part_ids()
        for price in catalog.prices_of(part, book)
    ]
    rates = [
        {"currency": rate.currency, "usd": rate.usd, "as_of": rate.as_of, "source": rate.source[:300]}
        for rate in catalog.exchange_rates
    ]
    return {"name": title, "prices": prices, "rates": rates, "region": None, "priced_on": None, "book": None}


_OWN_BASIS = {"seed": "assumption"}  # a planning price is nobody's offer


def _day(as_of: str) -> str:
    """A date of the catalog, of a year or a month too, as a day: the first."""
    return (as_of + "-01-01")[:10] if len(as_of) < 8 else as_of


def _file_name(name: str, extension: str) -> str:
    return f"{safe_name(name, 'prices')}-prices.{extension}"
