"""Files of quotes: every encoding and separator gives the same rows; what is hostile is refused or defused with the reason."""

import contextlib
import io
import zipfile
from typing import Any

import pytest
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.errors import SpecError
from estimator.quotes.check import read_quote
from estimator.quotes.columns import guess_columns
from estimator.quotes.lines import read_lines
from estimator.tables.file import MAX_FILE_BYTES, MAX_ROWS, read_table, table_of
from tests.estimator.quotes.quote_files import HEADER, report, rows_of, sheet_xml, with_parts, workbook
from tests.thorough import n_examples
from tests.yardstick import taken_s

ROW = ["MQM9700-NS2F", "Quantum-2 switch, “managed”", 13, 30000.5, 390006.5]


def refusal(data: bytes, name: str = "quote.xlsx") -> str:
    """The code by which a file is refused."""

    def read() -> None:
        table = read_table(data, name)
        read_lines(table, guess_columns(table))

    with pytest.raises(SpecError) as caught:
        read()
    (problem,) = caught.value.problems
    assert len(problem.message) > 40  # it says what to do instead
    return problem.code


def lines(data: bytes, name: str = "quote.csv") -> list[tuple[str, int, int | None]]:
    quote = read_quote(data, name)
    return [(line.part_number, line.quantity, line.unit_minor) for line in read_lines(quote.table, quote.columns).lines]


# ---------------------------------------------------------------- forms


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_encodings_and_separators_give_the_same_line(encoding: str, separator: str) -> None:
    price = "30.000,50 €" if separator == ";" else '"30,000.50 €"'
    text = separator.join(["Part number", "Description", "Qty", "Unit price"]) + "\r\n"
    text += separator.join(["MQM9700-NS2F", "Switch “managed”, für Glas", "13", price]) + "\r\n"
    if separator == ",":
        text = text.replace("Switch “managed”, für Glas", "Switch “managed” für Glas")
    assert lines(text.encode(encoding)) == [("MQM9700-NS2F", 13, 3_000_050)]


def test_a_separator_line_of_excel_is_obeyed() -> None:
    assert lines(b"sep=;\nPart number;Description;Qty;Unit price\nABC-1;x, y, z;2;1,50\n") == [("ABC-1", 2, 150)]


def test_text_in_quotes_may_hold_line_ends() -> None:
    assert lines(b'Part number,Description,Qty,Unit price\nA-1,"two\nlines",2,3.00\n') == [("A-1", 2, 300)]


def test_a_workbook_gives_stored_numbers_whatever_the_language() -> None:
    assert lines(workbook([HEADER, ROW]), "q.xlsx") == [("MQM9700-NS2F", 13, 3_000_050)]


def test_the_header_may_stand_anywhere_in_sixty_rows() -> None:
    title = [["Quotation"], ["", "Valid until 2026-12-31"]] + [[f"Term {n}"] for n in range(50)]
    data = workbook([*title, HEADER, ROW], lambda book: book.active.merge_cells("A1:E1"))
    assert lines(data, "q.xlsx") == [("MQM9700-NS2F", 13, 3_000_050)]


def test_numbers_formatted_as_a_currency_are_in_it() -> None:
    def formatted(book: Any) -> None:
        book.active["D2"].number_format = "#,##0.00 [$€-407]"

    quote = read_quote(workbook([HEADER, ROW], formatted), "q.xlsx")
    assert read_lines(quote.table, quote.columns).lines[0].currency == "EUR"


def test_a_table_that_is_kept_is_the_same_again() -> None:
    quote = read_quote(workbook([["All in EUR"], HEADER, ROW, []]), "q.xlsx")
    again = table_of(quote.table.as_json())
    assert again == quote.table


# ---------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty_file"),
        (b" \r\n\0\0", "empty_file"),
        (b"%PDF-1.7\n1 0 obj", "not_a_table"),
        (b"<!DOCTYPE html><table><tr><td>MQM9700</td></tr></table>", "not_a_table"),
        (b"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "not_a_table"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "old_workbook"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "workbook_encrypted"),
        (b"PK\x03\x04 broken", "not_a_workbook"),
        (b"Part number,Qty,Unit price\nA\0B,1,2\n", "binary_file"),
        (b'Part number,Qty,Unit price\nA-1,"1,2\n' + b"B-1,1,2\n" * 80, "broken_quotes"),
        (b"x" * (MAX_FILE_BYTES + 1), "file_too_large"),
        (b"one,two\nthree,four\n", "no_lines"),
        (b"\xff\xfe" + b"A", "bad_encoding"),
    ],
)
def test_a_file_that_is_no_quote_is_refused(data: bytes, code: str) -> None:
    assert refusal(data) == code


def test_other_archives_are_refused() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("xl/workbook.bin", b"x")
    assert refusal(out.getvalue()) == "not_a_workbook"


def test_a_zip_bomb_is_refused_before_it_is_unpacked() -> None:
    bomb = with_parts(workbook([HEADER, ROW]), xl__worksheets__sheet9_dot_xml=b"\0" * 200_000_000)
    assert taken_s(lambda: refusal(bomb)) < taken_s(lambda: unpacked(bomb)) / 4
    assert refusal(bomb) == "workbook_too_large"


def unpacked(book: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(book)) as archive:
        for name in archive.namelist():
            archive.read(name)


def test_a_million_rows_are_refused_early_in_a_workbook_and_in_text() -> None:
    row = '<row><c t="inlineStr"><is><t>a</t></is></c></row>'
    many = with_parts(workbook([HEADER, ROW]), xl__worksheets__sheet1_dot_xml=sheet_xml(row * 1_000_000))
    assert refusal(many) == "too_many_rows"
    assert refusal(b"a,b,1,2\n" * 1_000_000) == "too_many_rows"


def test_a_document_type_is_refused() -> None:
    evil = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><worksheet>&b;</worksheet>'
    data = with_parts(workbook([HEADER, ROW]), xl__worksheets__sheet1_dot_xml=evil)
    assert refusal(data) == "workbook_has_dtd"


# ---------------------------------------------------------------- defused


def test_macros_are_not_run_and_said_so() -> None:
    quote = read_quote(with_parts(workbook([HEADER, ROW]), xl__vbaProject_dot_bin=b"Sub Auto_Open()"), "q.xlsm")
    assert any("macros" in note for note in quote.table.notes)
    assert len(read_lines(quote.table, quote.columns).lines) == 1


def test_links_to_other_files_are_not_opened_and_said_so() -> None:
    data = with_parts(workbook([HEADER, ROW]), xl__externalLinks__externalLink1_dot_xml=b"<externalLink/>")
    assert any("links to other files" in note for note in read_table(data).notes)


def test_a_wrong_ending_is_said() -> None:
    assert any("ends in .csv" in note for note in read_table(workbook([HEADER, ROW]), "q.csv").notes)
    assert any("ends in .xlsx" in note for note in read_table(b"a,b\n1,2\n", "q.xlsx").notes)


def test_columns_beyond_the_bound_are_left_and_said_so() -> None:
    data = workbook([HEADER, [*ROW, *range(10_000)]])
    table = read_table(data)
    assert max(len(row.cells) for row in table.sheets[0].rows) <= 200
    assert any("200 columns" in note for note in table.notes)
    wide = ",".join(HEADER) + "\n" + ",".join(["A-1", "x", "1", "2", "2", *map(str, range(10_000))]) + "\n"
    assert lines(wide.encode()) == [("A-1", 1, 200)]


def formula_book(rows: list[list[Any]]) -> bytes:
    """Cells ("=…", value) are formulas with a stored value, None for none."""
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out)
    sheet = book.add_worksheet()
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            if isinstance(cell, tuple):
                sheet.write_formula(y, x, cell[0], None, cell[1])
            else:
                sheet.write(y, x, cell)
    book.close()
    return out.getvalue()


def test_the_stored_value_of_a_formula_is_taken_and_flagged() -> None:
    quote = read_quote(formula_book([HEADER, ["A-1", "x", 3, 10, ("=C2*D2", 30)]]), "q.xlsx")
    (line,) = read_lines(quote.table, quote.columns).lines
    assert line.extended_minor == 3000
    assert [code for code, _ in line.remarks] == ["formula"]


def test_a_quantity_without_a_stored_value_is_left_out_with_the_reason() -> None:
    data = formula_book([HEADER, ["A-1", "x", 3, 10, 30], ["B-1", "y", ("=1+1", ""), 10, 20]])
    result = report(data)
    (row,) = [row for row in result["left_out"] if row["row"] == 3]
    assert row["code"] == "formula_without_value"
    assert "save" in row["why"]


def test_a_price_that_follows_from_the_others_survives_a_formula_without_value() -> None:
    quote = read_quote(formula_book([HEADER, ["A-1", "x", 3, 10, ("=C2*D2", "")]]), "q.xlsx")
    (line,) = read_lines(quote.table, quote.columns).lines
    assert (line.unit_minor, line.extended_minor) == (1000, 3000)
    assert "without a stored value" in line.remarks[0][1]


@pytest.mark.parametrize("evil", ["=cmd|' /C calc'!A0", '=HYPERLINK("http://x","y")', "@SUM(1)|x", "+cmd|' /C'!A1"])
def test_formulas_in_text_are_never_computed(evil: str) -> None:
    text = f'Part number,Description,Qty,Unit price\nA-1,"{evil.replace(chr(34), chr(34) * 2)}",2,3\nB-1,ok,"={evil[1:8]}",3\n'
    quote = read_quote(text.encode(), "q.csv")
    reading = read_lines(quote.table, quote.columns)
    assert reading.lines[0].description == evil
    assert [code for code, _ in reading.lines[0].remarks] == ["formula"]
    assert reading.left_out[-1].code == "formula_without_value"


def test_text_of_excel_in_formula_dress_is_text() -> None:
    assert lines(b'Part number,Description,Qty,Unit price\n="00123-A",x,2,3\n') == [("00123-A", 2, 300)]


# ---------------------------------------------------------------- nothing is lost

cells = st.one_of(
    st.none(),
    st.integers(-5, 5000),
    st.floats(-1e6, 1e6, allow_nan=False),
    st.text(max_size=12),
    st.sampled_from(
        ["MQM9700-NS2F", "Total", "Subtotal", "Freight", "Option", "12 pcs", "1.234,50 €", "TBD", "=A1", *HEADER]
    ),
)


@settings(max_examples=n_examples(60), deadline=None)
@given(rows=st.lists(st.lists(cells, min_size=1, max_size=6), max_size=12))
def test_every_row_is_in_exactly_one_list(rows: list[list[Any]]) -> None:
    everything: list[list[Any]] = [HEADER, ["MQM9700-NS2F", "switch", 13, 30000, 390000], *rows]
    texts = [
        ["" if cell is None else str(cell).replace('"', "").replace("\0", "") for cell in row] for row in everything
    ]
    text = "\n".join(",".join(f'"{cell}"' for cell in row) for row in texts).encode("utf-8", "replace").decode()
    table = read_table(text.encode(), "q.csv")
    result = report(text.encode(), "q.csv", {"header_row": 1})
    assert rows_of(result) == [("", row.number) for row in table.sheets[0].rows]


@settings(max_examples=n_examples(150), deadline=None)
@given(data=st.one_of(st.binary(max_size=400), st.binary(max_size=200).map(lambda tail: b"PK\x03\x04" + tail)))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with contextlib.suppress(SpecError):  # nothing else gets out
        quote = read_quote(data, "q.csv")
        read_lines(quote.table, quote.columns)


def test_the_bound_on_rows_is_above_a_large_quote() -> None:
    data = (",".join(HEADER) + "\n" + "A-1,x,1,2,2\n" * 5000 + "\n" * 20_000).encode()
    table = read_table(data)
    assert MAX_ROWS > table.n_rows > 20_000
    assert rows_of(report(data, "q.csv")) == [("", number) for number in range(1, table.n_rows + 1)]
