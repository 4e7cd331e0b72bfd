"""Files of a price book: all its prices and rates as CSV, XLSX or JSON, in the form in which they are read back."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal, cast

from designer.exports.downloads import XLSX_TYPE, Download
from designer.exports.file_names import safe_name
from designer.exports.tables import ANY, COUNT, Column, Table
from designer.exports.xlsx import xlsx_bytes
from designer.wording.names import part_name
from estimator.bom.price_file import COLUMNS, PART_NAME, RATE_COLUMNS
from estimator.catalog.catalog import Catalog
from estimator.catalog.currency import MINOR_DIGITS, USD
from estimator.catalog.loader import load_catalog
from estimator.catalog.price_records import Price
from estimator.handoff.cells import guarded
from estimator.spec.price_book import MAX_TEXT, OwnPrice, OwnPrices, OwnRate

FORMATS = ("json", "csv", "xlsx")
FILE_COLUMNS = (*COLUMNS, PART_NAME)
_WIDTHS = {"part": 26, "source": 40, "note": 40, PART_NAME: 44}
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
    PART_NAME: "Part name",
    "usd": "USD",
}
_OWN_BASIS = {"seed": "assumption"}  # a planning price is nobody's offer


def template() -> OwnPrices:
    """A book to be filled in, with one example."""
    example = OwnPrice(
        part="nvidia-qm9700",
        low=3_100_000,
        typical=3_287_000,
        high=3_600_000,
        basis="listing",
        as_of="2026-07-04",
        source="An example: delete this row",
    )
    return OwnPrices(name="template", prices=[example])


def columns_of(names: Iterable[str]) -> tuple[Column, ...]:
    """The columns of a table of prices or rates."""
    return tuple(
        Column(name, _TITLES[name], width=_WIDTHS.get(name, 12), number_format=_FORMATS.get(name, "")) for name in names
    )


def price_row(entry: OwnPrice) -> tuple[Any, ...]:
    """A price with its amounts in whole units of the currency, and the name of its part, as FILE_COLUMNS."""
    scale = 10 ** MINOR_DIGITS[entry.currency]
    cells = (getattr(entry, name) / scale if name in _AMOUNTS else getattr(entry, name) for name in COLUMNS)
    known = load_catalog().part(entry.part)
    return (*cells, part_name(known[1]) if known else None)


def price_csv(name: str, prices: Iterable[OwnPrice]) -> Download:
    """The prices for machines and for editing; the header is FILE_COLUMNS."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(FILE_COLUMNS)
    for entry in prices:
        digits = MINOR_DIGITS[entry.currency]
        cells = dict(zip(FILE_COLUMNS, price_row(entry), strict=True))
        cells |= {key: f"{cells[key]:.{digits}f}" for key in _AMOUNTS}
        writer.writerow([guarded(cell) for cell in cells.values()])
    return Download(_file_name(name, "csv"), "text/csv; charset=utf-8", text.getvalue().encode())


def price_xlsx(book: OwnPrices, created: datetime) -> Download:
    """Two sheets, prices and exchange rates; both are read back."""
    tables = [
        Table("Prices", columns_of(FILE_COLUMNS), tuple(price_row(entry) for entry in book.prices)),
        Table(
            "Exchange rates",
            columns_of(RATE_COLUMNS),
            tuple(tuple(getattr(rate, key) for key in RATE_COLUMNS) for rate in book.rates),
        ),
    ]
    return Download(_file_name(book.name, "xlsx"), XLSX_TYPE, xlsx_bytes(tables, book.name, created))


def price_json(book: OwnPrices) -> Download:
    """The book as a design takes it."""
    content = json.dumps(book.model_dump(mode="json"), ensure_ascii=False, indent=1).encode()
    return Download(_file_name(book.name, "json"), "application/json", content)


def book_file(form: str, book: OwnPrices, created: datetime) -> Download:
    """One of FORMATS of a book."""
    if form == "json":
        return price_json(book)
    return price_csv(book.name, book.prices) if form == "csv" else price_xlsx(book, created)


def catalog_contents(book: str, title: str, catalog: Catalog) -> OwnPrices:
    """A book of the catalog in the form of yours, without the parts that it lacks."""
    prices = [_own_price(price, catalog) for part in catalog.part_ids() for price in catalog.prices_of(part, book)]
    rates = [
        OwnRate(currency=rate.currency, usd=rate.usd, as_of=rate.as_of, source=rate.source[:MAX_TEXT])
        for rate in catalog.exchange_rates
    ]
    return OwnPrices(name=title, prices=prices, rates=rates)


def _own_price(price: Price, catalog: Catalog) -> OwnPrice:
    return OwnPrice(
        part=price.part_id,
        per=cast("Literal['piece', 'metre']", price.per),
        low=price.low_cents,
        typical=price.typical_cents,
        high=price.high_cents,
        currency=USD,
        basis=cast("Any", _OWN_BASIS.get(price.basis, price.basis)),
        as_of=_day(price.as_of),
        source=catalog.sources[price.source].title[:MAX_TEXT],
        region=price.region,
        min_quantity=price.min_quantity,
        valid_from=price.valid_from,
        valid_to=price.valid_to,
        note=(price.note or price.rule or "")[:MAX_TEXT],
    )


def _day(as_of: str) -> str:
    """A date of the catalog, of a year or a month too, as a day: the first."""
    return (as_of + "-01-01")[:10] if len(as_of) < 8 else as_of


def _file_name(name: str, extension: str) -> str:
    return f"{safe_name(name, 'prices')}-prices.{extension}"
