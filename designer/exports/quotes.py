"""The report of a quote as a file: JSON whole, CSV with a row for every line, missing part and row left out."""

from collections.abc import Iterator

from django.core.serializers.json import DjangoJSONEncoder

from designer.exports.downloads import CSV_TYPE, Download
from designer.exports.file_names import safe_name
from designer.models import Quote
from estimator.handoff.cells import Cell, csv_blocks, guarded
from estimator.quotes.result import QuoteReport
from estimator.record import Given, Json

FORMATS = ("csv", "json")
COLUMNS = (
    "list", "sheet", "row", "part_number", "description", "quantity", "counted", "currency", "unit_price", "extended_price",
    "unit_price_usd", "extended_price_usd", "status", "matched_to", "part", "category", "bom_lines", "confidence", "reason",
    "problems", "why",
)  # fmt: skip


def quote_file(quote: Quote, form: str) -> Download:
    """The report in one of FORMATS; cells that a spreadsheet would run are guarded."""
    name = f"{safe_name(quote.name, 'quote')}-report.{form}"
    if form == "csv":
        rows = _rows(QuoteReport.from_json(quote.result))
        text = "".join(csv_blocks(COLUMNS, ([guarded(cell) for cell in row] for row in rows)))
        return Download(name, CSV_TYPE, text.encode())
    return Download(name, "application/json", DjangoJSONEncoder(ensure_ascii=False).encode(report_json(quote)).encode())


def report_json(quote: Quote) -> Json:
    """The report with what it is of."""
    return {
        "quote": {
            "id": str(quote.pk),
            "name": quote.name,
            "vendor": quote.vendor,
            "file_name": quote.file_name,
            "file_sha256": quote.file_sha256,
        },
        "versions": {"model": quote.model_version, "catalog": quote.catalog_version},
        "columns": [one.as_json() for one in quote.columns],
        "matches": quote.matches,
        **quote.result,
    }


def _rows(report: QuoteReport) -> Iterator[list[Cell]]:
    for name, lines in (("lines", report.lines), ("surplus", report.surplus)):
        for line in lines:
            numbers, words = " ".join(map(str, line.bom_lines)), " ".join(line.messages)
            yield _cells(name, vars(line) | {"bom_lines": numbers, "problems": words})
    for item in report.missing:
        prices = {"unit_price_usd": item.unit_price_usd, "extended_price_usd": item.price_usd}
        typical = {key: price.typical if price else None for key, price in prices.items()}
        numbers = " ".join(map(str, item.bom_lines))
        yield _cells("missing", vars(item) | typical | {"quantity": item.missing_quantity, "bom_lines": numbers})
    for row in report.left_out:
        yield _cells("left_out", vars(row) | {"description": row.text, "extended_price": row.amount})


def _cells(name: str, values: Given) -> list[Cell]:
    return [name, *(values.get(column) for column in COLUMNS[1:])]
