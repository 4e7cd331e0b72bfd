"""Spreadsheets read by a bounded process: hostile ones are refused in words, damaged ones too, and none holds up its reader."""

import io
import random
from typing import Any

import pytest

from estimator.asbuilt.readers.files import read_links
from estimator.errors import UnreadableFile
from estimator.tables import process as workbook_reader
from estimator.tables import workbook as readers_workbook
from estimator.tables.file import read_table
from tests.estimator.quotes.quote_files import sheet_xml, with_parts, workbook
from tests.yardstick import yardsticks

HEADER = ["a_device", "a_port", "b_device", "b_port"]
ROW = ["node-1", "1", "leaf-1", "1/1"]
PLAIN = workbook([HEADER, ROW])
SHEET = "xl__worksheets__sheet1_dot_xml"


def sheet(content: bytes) -> bytes:
    return with_parts(PLAIN, **{SHEET: b"<worksheet><sheetData>" + content})


def as_quote(data: bytes) -> Any:
    return read_table(data)


def as_links(data: bytes) -> Any:
    return read_links(io.BytesIO(data), "xlsx")


def refusal(read: Any, data: bytes) -> str:
    with pytest.raises(UnreadableFile) as refused:
        read(data)
    (problem,) = refused.value.problems
    return problem.code


@pytest.mark.parametrize("read", [as_quote, as_links])
@pytest.mark.parametrize(
    ("start", "repeated", "times", "end", "code"),
    [
        (b'<row a="', b"x", 60_000_000, b'"/>', "not_a_workbook"),
        (b"<!--", b"x", 60_000_000, b"-->", "not_a_workbook"),
        (b"", b"<a>", 30_000_000, b"", "workbook_too_large"),
    ],
    ids=["attribute", "comment", "depth"],
)
def test_a_shape_that_costs_more_than_its_size_is_refused(
    read: Any, start: bytes, repeated: bytes, times: int, end: bytes, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        workbook_reader, "WALL_S", {"quote": 600, "links": 600}
    )  # how busy the machine is tells nothing
    monkeypatch.setattr(workbook_reader, "MEMORY_BYTES", 200_000_000)  # soon used up
    data = sheet(start + repeated * times + end)
    assert len(data) < 200_000
    codes: list[str] = []
    took = yardsticks(lambda: codes.append(refusal(read, data)))
    assert codes == [code]
    assert took < 10  # of the process that serves pages


@pytest.mark.parametrize("read", [as_quote, as_links])
def test_one_that_takes_too_long_is_refused(read: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    data = sheet(b"<row>" + b"<c><v>1</v></c>" * 9_000_000 + b"</row></sheetData></worksheet>")
    monkeypatch.setattr(workbook_reader, "CPU_S", {"quote": 1, "links": 1})
    assert refusal(read, data) == "workbook_too_slow"
    monkeypatch.setattr(workbook_reader, "CPU_S", {"quote": 600, "links": 600})
    monkeypatch.setattr(workbook_reader, "WALL_S", {"quote": 0.5, "links": 0.5})
    assert refusal(read, data) == "workbook_too_slow"  # by the clock, then: it would be read within the processor time


def test_no_more_than_two_are_read_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook_reader, "WAIT_S", 0.05)
    file = io.BytesIO(PLAIN)
    with workbook_reader.Pages(file, "quote"), workbook_reader.Pages(file, "links"):
        assert refusal(as_quote, PLAIN) == "workbook_busy"
    assert as_quote(PLAIN).n_rows == 2


def test_leaving_early_ends_the_process() -> None:
    with workbook_reader.Pages(io.BytesIO(sheet(b"<row><c><v>1</v></c></row>" * 200_000)), "quote") as pages:
        _, rows = next(pages.sheets())
        assert next(rows)[1] == ["1"]
    assert pages._child.returncode is not None


def test_rows_that_are_not_taken_are_passed_over() -> None:
    data = workbook([HEADER, ROW], lambda book: book.create_sheet("two"))
    with workbook_reader.Pages(io.BytesIO(data), "links") as pages:
        assert [title for title, _ in pages.sheets()] == ["Sheet", "two"]


def test_a_process_that_fails_is_logged(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(workbook_reader, "CPU_S", {"quote": "no number"})
    assert refusal(as_quote, PLAIN) == "not_a_workbook"
    assert "no number" in caplog.text


def damaged(seed: int) -> bytes:
    """A workbook with some bytes changed, most of them in the directory at its end or in the heads of its parts."""
    dice = random.Random(seed)
    data = bytearray(PLAIN)
    directory = data.index(b"PK\x01\x02")
    for _ in range(dice.randint(1, 6)):
        place = dice.randrange(directory, len(data)) if dice.random() < 0.7 else dice.randrange(len(data))
        data[place] = dice.choice((0, 1, 0x7F, 0x80, 0xFF, dice.randrange(256)))
    return bytes(data[: dice.randrange(directory, len(data))] if dice.random() < 0.1 else data)


def test_a_damaged_workbook_is_refused_or_read_and_never_an_error_of_ours() -> None:
    outcomes = set()
    for seed in range(800):
        file = io.BytesIO(damaged(seed))
        try:
            readers_workbook.remark(file)
            for _, rows in readers_workbook.sheets(file):
                list(rows)
            outcomes.add("read")
        except UnreadableFile as error:
            outcomes.add(error.problems[0].code)
    assert {"read", "not_a_workbook"} <= outcomes


def test_sheets_of_the_usual_kind_are_read_alike() -> None:
    table = as_quote(with_parts(PLAIN, **{SHEET: sheet_xml('<row r="3"><c r="B3"><f>1+1</f><v>2.0</v></c></row>')}))
    (row,) = table.sheets[0].rows
    assert (row.number, row.cells, row.numbers, row.formulas) == (3, ["", "2"], 2, {1: "=1+1"})
