"""Quotes as PDF with a text layer: rows, columns and page breaks as printed; pictures and damaged files are refused."""

import io

import pytest
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen import canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

from estimator.errors import UnreadableFile
from estimator.tables.file import read_table
from tests.estimator.quotes.quote_files import HEADER, report, whole_quote


def printed(repeats: int = 1) -> bytes:
    """The whole quote as a document prints it, its header on each page."""
    out = io.BytesIO()
    rows = [[f"{cell:,.2f}" if at > 2 else str(cell) for at, cell in enumerate(row)] for row in whole_quote() * repeats]
    title = Paragraph("Quotation 42. All prices in EUR, net.", getSampleStyleSheet()["Normal"])
    SimpleDocTemplate(out, pagesize=landscape(A4)).build([title, Table([HEADER, *rows], repeatRows=1)])
    return out.getvalue()


def test_a_printed_quote_has_the_lines_of_its_workbook() -> None:
    result = report(printed(), "quote.pdf")
    found = [(line["part_number"], line["quantity"], line["unit_price"], line["status"]) for line in result["lines"]]
    assert found == [(row[0], row[2], pytest.approx(row[3]), "matched") for row in whole_quote()]
    assert {line["currency"] for line in result["lines"]} == {"EUR"}
    assert any("The file is a PDF" in note for note in result["notes"])


def test_pages_are_sheets_and_their_headers_no_lines() -> None:
    table = read_table(printed(8), "quote.pdf")
    assert [sheet.title for sheet in table.sheets] == ["Page 1", "Page 2", "Page 3"]
    assert len(report(printed(8))["lines"]) == 8 * len(whole_quote())


def test_pictures_and_damaged_files_are_refused_with_the_way_out() -> None:
    out = io.BytesIO()
    page = canvas.Canvas(out)
    page.rect(10, 10, 100, 100)
    page.save()
    for data, words in ((out.getvalue(), "has no text, only pictures"), (printed()[:300], "The PDF is damaged")):
        with pytest.raises(UnreadableFile, match=words):
            read_table(data)
