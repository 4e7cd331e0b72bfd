"""Prices of files: tolerant headers, amounts and dates as vendors write them, and for what is refused its row and reason."""

import io
import zipfile
from decimal import Decimal
from typing import Any

import pytest
import xlsxwriter

from estimator.bom.price_file import (
    MAX_FILE_BYTES,
    MAX_ROWS,
    Defaults,
    PriceSheet,
    entry_of,
    less_discount,
    read_price_sheet,
)
from estimator.catalog.catalog import Catalog
from estimator.errors import UnreadableFile

DEFAULTS = Defaults(as_of="2026-11-28", source="file")


def read(catalog: Catalog, text: str | bytes, name: str = "prices.csv") -> PriceSheet:
    return read_price_sheet(text.encode() if isinstance(text, str) else text, name, catalog, DEFAULTS)


def amounts(sheet: PriceSheet) -> list[tuple[int, int, int]]:
    return [(entry.low, entry.typical, entry.high) for _, entry in sheet.entries]


def test_every_column_of_the_template_is_read(catalog: Catalog) -> None:
    sheet = read(
        catalog,
        "part,per,low,typical,high,currency,basis,as_of,source,region,min_quantity,length_m,valid_from,valid_to,note\n"
        'nvidia-qm9700,piece,30000,31000.50,32000,EUR,quote,2026-11-02,Offer 7,EU,10,,2026-11-01,2026-12-31,"net, no VAT"\n'
        "fib-mfp7e10,metre,2.5,3,3.5,USD,list price,2026-11-02,,,,,,,\n",
    )
    assert sheet.refused == []
    (row, entry), (_, metre) = sheet.entries
    assert row == 2
    assert entry.model_dump() == {
        "part": "nvidia-qm9700",
        "per": "piece",
        "low": 3_000_000,
        "typical": 3_100_050,
        "high": 3_200_000,
        "currency": "EUR",
        "basis": "quote",
        "as_of": "2026-11-02",
        "source": "Offer 7",
        "region": "EU",
        "min_quantity": 10,
        "length_m": None,
        "valid_from": "2026-11-01",
        "valid_to": "2026-12-31",
        "note": "net, no VAT",
    }
    assert (metre.per, metre.basis, metre.typical, metre.source) == ("metre", "list", 300, "file")


@pytest.mark.parametrize(
    ("column", "cell", "expected", "names"),
    [
        ("source", "Offer 7", "Offer 7", ("Source", "Offer number", "Quote", "Vendor", "Supplier", "Reference")),
        ("region", "EU", "EU", ("Region", "Country")),
        ("note", "net", "net", ("Note", "Remarks", "Comment")),
        ("min_quantity", "10", 10, ("Min. quantity", "MOQ", "Qty")),
        ("length_m", "3 m", 3.0, ("Length (m)", "Cable length")),
        ("valid_from", "2026-11-01", "2026-11-01", ("Valid from", "Starts")),
        ("valid_to", "2026-12-31", "2026-12-31", ("Valid until", "Expires")),
        ("as_of", "2026-11-02", "2026-11-02", ("Date", "Quote date")),
        ("basis", "list", "list", ("Basis", "Price type")),
        ("per", "metre", "metre", ("Per", "UoM")),
    ],
)
def test_an_optional_column_is_read_under_each_of_its_names(
    catalog: Catalog, column: str, cell: str, expected: Any, names: tuple[str, ...]
) -> None:
    """As CSV and as a workbook; what it says is in no header that was not understood."""
    for name in names:
        text = f"Part,Unit price,{name}\nfib-mfp7e10,3,{cell}\n"
        for data, file_name in (
            (text, "prices.csv"),
            (workbook([line.split(",") for line in text.splitlines()]), "prices.xlsx"),
        ):
            sheet = read(catalog, data, file_name)
            ((_, entry),) = sheet.entries
            assert (getattr(entry, column), sheet.ignored) == (expected, []), (name, file_name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Part No.;Unit price (EUR);Qty\nMQM9700-NS2F;31.000,50;1\n", (3_100_050, "EUR")),
        ("SKU\tNet price\nmqm9700-ns2f\t€ 31'000.50\n", (3_100_050, "EUR")),
        ('Vendor X\n\nArticle,Price\nMQM9700-NS2R,"$31,000.50"\n', (3_100_050, "USD")),
        ("Artikelnummer;Einzelpreis EUR;Bezeichnung\nMQM9700-NS2F;31.000,50;Switch\n", (3_100_050, "EUR")),
        ("Artikel-Nr.;Bezeichnung;Preis;Währung\nMQM9700-NS2F;Switch;31.000,50;CHF\n", (3_100_050, "CHF")),
        ("Code article;Désignation;Prix unitaire HT;Devise\nMQM9700-NS2F;Switch;31 000,50;EUR\n", (3_100_050, "EUR")),
        ("Part number;Price in CHF\nMQM9700-NS2F;31'000.50\n", (3_100_050, "CHF")),
        ("part,price,currency\nnvidia-qm9700,31000,JPY\n", (31_000, "JPY")),
        ("part,price,currency\nnvidia-qm9700,31000.125,KWD\n", (31_000_125, "KWD")),
    ],
)
def test_headers_numbers_and_currencies_of_vendors(catalog: Catalog, text: str, expected: tuple[int, str]) -> None:
    sheet = read(catalog, text)
    assert [(row.column, row.message) for row in sheet.refused] == []
    ((_, entry),) = sheet.entries
    assert entry.part == "nvidia-qm9700"
    assert (entry.typical, entry.currency) == expected
    assert entry.low == entry.high == entry.typical
    assert entry.as_of == "2026-11-28"


@pytest.mark.parametrize(
    ("cells", "part", "length_m"),
    [
        ("MFP7E10-N030,140,", "fib-mfp7e10", 30.0),
        ("MFP7E10-N030,140,20", "fib-mfp7e10", 20.0),
        ("MFP7E10-N030,3,,metre", "fib-mfp7e10", None),
        ("MFP7E10-N003..N050,140,", "fib-mfp7e10", None),
        ("MFP7E10-N051,140,", None, None),
        ("MFP7E10-N30,140,", "fib-mfp7e10", 30.0),
        ("MFP7E10-,140,", None, None),
    ],
)
def test_a_part_number_of_a_length_is_the_cable_of_that_length(
    catalog: Catalog, cells: str, part: str | None, length_m: float | None
) -> None:
    sheet = read(catalog, f"part,price,length,per\n{cells}\nnvidia-sn5600,1\n")
    assert [(one.part, one.length_m) for _, one in sheet.entries[:-1]] == ([(part, length_m)] if part else [])
    assert len(sheet.refused) == (part is None)


@pytest.mark.parametrize(
    ("text", "typical", "note"),
    [
        ("part,price,discount\nnvidia-qm9700,38500,30%\n", 2_695_000, "less 30% discount"),
        ("part,list price,discount (%),note\nnvidia-qm9700,100.01,0.5,spot\n", 9_951, "spot; less 0.5% discount"),
        ("part;price;rabatt\nnvidia-qm9700;38.500,00;0,3\n", 2_695_000, "less 30% discount"),
        ("part,list price,discount,net price\nnvidia-qm9700,38500,30%,26950\n", 2_695_000, ""),
        ("part,price,discount\nnvidia-qm9700,38500,0%\n", 3_850_000, ""),
        ("part,price,discount\nnvidia-qm9700,100,-10%\n", 9_000, "less 10% discount"),
    ],
)
def test_a_discount_comes_off_the_price_of_its_row(catalog: Catalog, text: str, typical: int, note: str) -> None:
    sheet = read(catalog, text)
    assert [(row.column, row.message) for row in sheet.refused] == []
    ((_, entry),) = sheet.entries
    assert (entry.low, entry.typical, entry.high, entry.note) == (typical, typical, typical, note)


@pytest.mark.parametrize(
    "lines",
    [
        ["All prices less 30% discount", "Part,Description,List price", "dgx-h100,server,300000"],
        ["Part,Description,List price", "dgx-h100,server,300000", ",Discount 30%,"],
        ["Part,Description,List price", "dgx-h100,server,300000", "Discount 30% on all,,"],
        ["Part,List price,Discount 30%", "dgx-h100,300000,30%"],
        ["Part,List price,Net after 30 % discount", "dgx-h100,300000,210000"],
        ["Projektrabatt 30 %,,", "Artikelnummer,Bezeichnung,Listenpreis", "dgx-h100,server,300000"],
        ["Mengenrabatt,,30 %", "Part,Description,List price", "dgx-h100,server,300000"],
        ["Teile mit 30 % Rabatt,,", "Part,Description,List price", "dgx-h100,server,300000"],
    ],
)
def test_a_discount_of_the_whole_list_is_named_and_its_row_is_no_price(catalog: Catalog, lines: list[str]) -> None:
    sheet = read(catalog, "\n".join(lines))
    ((_, entry),) = sheet.entries
    assert (entry.typical, sheet.refused) == (30_000_000, [])
    (stated,) = sheet.discounts
    assert stated.percent == 30
    less = less_discount(entry, stated.percent, stated.words())
    assert (less.low, less.typical, less.high) == (21_000_000, 21_000_000, 21_000_000)
    assert less.note == f"$300,000 less 30% discount of the whole list, row {stated.row}"


@pytest.mark.parametrize("row", ["dgx-h100,300000,30% off", "no-such-part,300000,30% off"])
def test_a_discount_beside_one_price_is_of_that_price_alone(catalog: Catalog, row: str) -> None:
    sheet = read(catalog, f"Part,Price,Terms\nnvidia-qm9700,100,\n{row}\n")
    assert sheet.discounts == []
    (note,) = sheet.notes
    assert "is not taken off" in note
    assert len(sheet.entries) + len(sheet.refused) == 2


def test_a_discount_of_a_workbook_may_be_a_share_in_a_cell_of_its_own(catalog: Catalog) -> None:
    book = io.BytesIO()
    with xlsxwriter.Workbook(book) as made:
        sheet = made.add_worksheet()
        sheet.write_row(0, 0, ["Projektrabatt", ""])
        sheet.write_number(0, 2, 0.125, made.add_format({"num_format": "0.0%"}))
        sheet.write_row(2, 0, ["Part", "Price", "Currency"])
        sheet.write_row(3, 0, ["nvidia-qm9700", 20001, "EUR"])
    (stated,) = (read_sheet := read(catalog, book.getvalue(), "prices.xlsx")).discounts
    assert (stated.row, stated.text, stated.percent) == (1, "Projektrabatt 12.5%", Decimal("12.5"))
    ((_, entry),) = read_sheet.entries
    assert less_discount(entry, Decimal("12.5")).typical == 1_750_088  # 17,500.875, half up


def test_columns_of_a_german_list_are_read(catalog: Catalog) -> None:
    sheet = read(
        catalog,
        "Teilenummer;Einheit;Listenpreis;Rabatt;Währung;Ab Menge;Gültig ab;Gültig bis;Länge (m);Bemerkung\n"
        "MFP7E10-N030;Stück;140,10;10 %;EUR;100;01.11.2026;31.12.2026;30;netto\n"
        "MFP7E10-N030;lfm;2,50;;EUR;;;;;\n",
    )
    assert (sheet.refused, sheet.ignored) == ([], [])
    (_, piece), (_, metre) = sheet.entries
    assert (piece.per, piece.typical, piece.min_quantity, piece.length_m) == ("piece", 12_609, 100, 30)
    assert (piece.valid_from, piece.valid_to) == ("2026-11-01", "2026-12-31")
    assert (metre.per, metre.typical) == ("metre", 250)


def test_an_empty_currency_takes_the_one_above_it_and_that_is_said(catalog: Catalog) -> None:
    sheet = read(catalog, "part,price,currency\nnvidia-qm9700,3,\ndgx-h100,3,EUR\nnvidia-sn5600,3,\nMMA4Z00-NS,3,CHF\n")
    assert [entry.currency for _, entry in sheet.entries] == ["USD", "EUR", "EUR", "CHF"]
    assert sheet.notes == ["1 row has no currency beside others that do: the one above is taken."]
    first = read(catalog, "part,price,currency\nnvidia-qm9700,3,\ndgx-h100,3,EUR\n")
    assert [entry.currency for _, entry in first.entries] == ["EUR", "EUR"]
    of_header = read(catalog, "part,price (CHF),currency\ndgx-h100,3,EUR\nnvidia-sn5600,3,\n")
    assert [entry.currency for _, entry in of_header.entries] == ["EUR", "CHF"]


@pytest.mark.parametrize(
    ("above", "currency"),
    [("All prices in CHF", "CHF"), ("Preisliste 2027 (EUR)", "EUR"), ("Contoso Inc, valid in 2027", "USD")],
)
def test_a_currency_above_the_header_holds_where_nothing_else_names_one(
    catalog: Catalog, above: str, currency: str
) -> None:
    sheet = read(catalog, f"{above}\npart,price,currency\nnvidia-qm9700,3,\ndgx-h100,3,JPY\nMMA4Z00-NS,3,GBP\n")
    assert [entry.currency for _, entry in sheet.entries] == [currency, "JPY", "GBP"]
    assert len(sheet.notes) == (currency != "USD")


@pytest.mark.parametrize(
    ("text", "quantity"), [("1-9", 1), ("10+", 10), (">= 25", 25), ("ab 1.000", 1000), ("10 – 99", 10)]
)
def test_a_break_is_read_as_lists_write_it(catalog: Catalog, text: str, quantity: int) -> None:
    ((_, entry),) = read(catalog, f"part;price;from quantity\nnvidia-qm9700;30,5;{text}\n").entries
    assert entry.min_quantity == quantity


def test_prices_that_are_net_already_are_known_by_their_rows(catalog: Catalog) -> None:
    sheet = read(catalog, "Discount 30%\npart,price,discount\nnvidia-qm9700,100,10%\ndgx-h100,200,\n")
    assert (len(sheet.discounts), sheet.discounted_rows) == (1, {3})


def test_a_note_is_cut_where_the_discount_would_make_it_too_long(catalog: Catalog) -> None:
    sheet = read(catalog, f"part,price,discount,note\nnvidia-qm9700,100,10%,{'n' * 300}\n")
    ((_, entry),) = sheet.entries
    assert len(entry.note) == 300
    assert entry.note.endswith("…; less 10% discount")


def test_a_note_or_a_description_is_no_discount(catalog: Catalog) -> None:
    sheet = read(catalog, "Part,Description,Price,Note\ndgx-h100,98 % efficient,300000,less 10% discount\n")
    assert sheet.notes == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-02", "2026-11-02"),
        ("02.11.2026", "2026-11-02"),
        ("2 Nov 2026", "2026-11-02"),
        ("46328", "2026-11-02"),
        ("13/11/2026", "2026-11-13"),
        ("11/13/2026", "2026-11-13"),
        ("2/2/2026", "2026-02-02"),
        ("2026-11-02T09:30:00", "2026-11-02"),
    ],
)
def test_dates_as_people_and_spreadsheets_write_them(catalog: Catalog, text: str, expected: str) -> None:
    ((_, entry),) = read(catalog, f"part,price,date\nnvidia-qm9700,1,{text}\n").entries
    assert entry.as_of == expected


@pytest.mark.parametrize(
    ("cells", "column", "words"),
    [
        ("nvidia-qm97,1", "part", "Near it: nvidia-qm9"),
        (",1", "part", "names no part"),
        ("nvidia-qm9700,", "typical", "no typical price"),
        ("nvidia-qm9700,dear", "typical", "no price of 0 or more"),
        ("nvidia-qm9700,-5", "typical", "no price of 0 or more"),
        ("nvidia-qm9700,1.005", "typical", "more decimals than USD"),
        ("nvidia-qm9700,=1+1", "typical", "formula without a stored value"),
        ("nvidia-qm9700,99999999999999", "typical", "above the largest price"),
        ("nvidia-qm9700,1,XYZ", "currency", "no currency known here"),
        ("nvidia-qm9700,1,,2026-02-30", "as_of", "no day of the calendar"),
        ("nvidia-qm9700,1,,02/03/2026", "as_of", "may be two days"),
        ("nvidia-qm9700,1,,,rumour", "basis", "is not one of quote, list"),
        ("nvidia-qm9700,1,,,,0", "min_quantity", "no whole number"),
        ("nvidia-qm9700,1,,,,,2", "low", "must ascend"),
    ],
)
def test_a_row_is_refused_with_its_column_and_reason(catalog: Catalog, cells: str, column: str, words: str) -> None:
    sheet = read(catalog, f"part,price,currency,as of,basis,moq,low\nnvidia-sn5600,67000\n{cells}\n")
    assert len(sheet.entries) == 1
    (refused,) = sheet.refused
    assert refused.row == 3
    assert refused.column == column or (refused.column, column) == ("typical", "low")
    assert words in refused.message


def workbook(rows: list[list[Any]], rates: list[list[Any]] | None = None) -> bytes:
    buffer = io.BytesIO()
    book = xlsxwriter.Workbook(buffer)
    for name, values in (("Prices", rows), ("Rates", rates or [])):
        sheet = book.add_worksheet(name)
        for number, row in enumerate(values):
            sheet.write_row(number, 0, row)
    book.close()
    return buffer.getvalue()


def test_a_workbook_with_rates_and_formulas(catalog: Catalog) -> None:
    data = workbook(
        [
            ["Offer of Vendor A"],
            [],
            ["Part number", "Price", "Currency", "Date", "Colour"],
            ["MQM9700-NS2F", 31_000.1, "EUR", 46_328, "black"],
            ["MQM9700-NS2R", "=2*15000", "EUR", 46_328, ""],
        ],
        [["Currency", "USD", "Date", "Source"], ["EUR", 1.08, "2026-11-02", "Bank"], ["XXX", 1, "2026-11-02", ""]],
    )
    sheet = read(catalog, data, "prices.xlsx")
    assert amounts(sheet)[0] == (3_100_010, 3_100_010, 3_100_010)
    assert sheet.ignored == ["Colour"]
    rate = {"currency": "EUR", "usd": 1.08, "as_of": "2026-11-02", "source": "Bank"}
    assert [one.model_dump() for one in sheet.rates] == [rate]
    assert any(row.column == "currency" and "XXX" in row.message for row in sheet.refused)


def zip_bomb() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", b" " * 200_000_000)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: b"", "empty_file"),
        (lambda: b"part,price\n" + b"x" * MAX_FILE_BYTES, "file_too_large"),
        (lambda: b"part,price\n" + b"nvidia-qm9700,1\n" * MAX_ROWS, "too_many_rows"),
        (lambda: b"name,colour\nswitch,red\n", "no_header"),
        (lambda: b"%PDF-1.7", "not_a_table"),
        (lambda: b"\xd0\xcf\x11\xe0 old", "old_workbook"),
        (lambda: b"PK\x03\x04 broken", "not_a_workbook"),
        (zip_bomb, "workbook_too_large"),
    ],
)
def test_a_file_is_refused_early_with_the_reason(catalog: Catalog, make: Any, code: str) -> None:
    with pytest.raises(UnreadableFile) as refused:
        read(catalog, make(), "prices")
    assert [problem.code for problem in refused.value.problems] == [code]


def test_typed_fields_are_read_as_a_row_and_all_that_is_wrong_is_reported(catalog: Catalog) -> None:
    entry, problems = entry_of({"part": "nvidia-qm9700", "typical": "31.000,50", "currency": "EUR"}, catalog, DEFAULTS)
    assert problems == []
    assert entry is not None
    assert (entry.typical, entry.per, entry.basis) == (3_100_050, "piece", "quote")
    entry, problems = entry_of({"part": "x", "typical": "y", "as_of": "z", "min_quantity": "0"}, catalog, DEFAULTS)
    assert entry is None
    assert [problem.field for problem in problems] == ["part", "typical", "as_of", "min_quantity"]
