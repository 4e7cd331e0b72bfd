"""The process that reads one spreadsheet and nothing else: within bounds of processor time and memory that it sets itself.

Run as a program by process.py. The file comes on standard input, rows go to standard output, a line of JSON for
each piece: of links ``["start", {…}]``, then ``["sheet", title]``, ``["rows", [row, …]]``, at last ``["end", {…}]``; or
``["refused", code, message]``.
"""

import json
import os
import resource
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import IO, Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from estimator.errors import UnreadableFile
from estimator.tables import workbook
from estimator.tables.stored_values import Workbook

ROWS_A_PIECE = 500
NICENESS = 5  # pages go first
Piece = list[Any]


def link_pieces(file: IO[bytes]) -> Iterator[Piece]:
    """A list of links: its rows, and what the workbook says of itself."""
    yield ["start", {"remark": workbook.remark(file)}]
    for title, rows in workbook.sheets(file):
        yield ["sheet", title]
        while piece := list(islice(rows, ROWS_A_PIECE)):
            yield ["rows", piece]
    yield ["end", {}]


def quote_pieces(file: IO[bytes]) -> Iterator[Piece]:
    """A quote or a price sheet: its rows with what is behind the cells, and what was left alone in the workbook."""
    book = Workbook(file)
    for title, rows in book.sheets():
        yield ["sheet", title]
        while piece := list(islice(rows, ROWS_A_PIECE)):
            yield ["rows", [[*row[:3], list(row.formulas.items()), list(row.formats.items())] for row in piece]]
    yield ["end", {"macros": book.has_macros, "links": book.has_links, "wide": book.has_wide_rows}]


def pdf_pieces(file: IO[bytes]) -> Iterator[Piece]:
    """The text layer of a PDF: a sheet a page, all cells as text."""
    from estimator.tables import pdf  # for a fast start: pypdf takes long to load

    for number, page in enumerate(pdf.pages_of(file), start=1):
        yield ["sheet", f"Page {number}"]
        yield ["rows", [[at, cells, 0] for at, cells in enumerate(pdf.rows_of(page), start=1)]]
    yield ["end", {}]


PIECES = {"links": link_pieces, "quote": quote_pieces, "pdf": pdf_pieces}


def set_bounds(cpu_s: int, memory_bytes: int) -> None:
    """Processor time ends the process, memory ends an allocation; both beyond what it has used so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s + int(used.ru_utime + used.ru_stime),) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(ValueError, OSError):  # macOS has no bound of this kind
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    os.nice(NICENESS)


def main(kind: str, cpu_s: str, memory_bytes: str) -> int:
    """Read standard input as ``kind``. 0: read, or refused in words; any other code: out of bounds, or damaged."""
    set_bounds(int(cpu_s), int(memory_bytes))
    write = sys.stdout.write
    try:
        for piece in PIECES[kind](sys.stdin.buffer):
            write(json.dumps(piece))
            write("\n")
    except UnreadableFile as error:
        (problem,) = error.problems
        write(json.dumps(["refused", problem.code, problem.message]) + "\n")
    except MemoryError:
        return OUT_OF_MEMORY
    sys.stdout.flush()
    return 0


OUT_OF_MEMORY = 77

if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
