"""The rows of a PDF's text layer: lines as they are laid out, parted into columns where most lines have a gap.

A PDF has no cells. pypdf gives each page's text at its places on a grid of characters; a place that hardly any line of
three parts or more covers is the border of two columns. A page that is a picture has no text and is refused.
"""

import re
from collections.abc import Iterator
from typing import IO

from pypdf import PdfReader
from pypdf.errors import PyPdfError

from estimator.errors import UnreadableFile

MAX_PAGES = 200
LEAST_PARTS = 3  # of a line that shows where columns are
OFTEN = 0.05  # share of those lines that may cover a border
_PART = re.compile(r"\S+(?: \S+)*")
Part = tuple[int, int, str]


def pages_of(file: IO[bytes]) -> list[list[list[Part]]]:
    """The lines of every page as (start, end, text) on the grid.

    Raises
    ------
    UnreadableFile
        If the file is damaged, has a password, too many pages, or no text.
    """
    try:
        reader = PdfReader(file)
        if reader.is_encrypted and not reader.decrypt(""):
            raise UnreadableFile("workbook_encrypted", "The PDF has a password. Save a copy without one.")
        if len(reader.pages) > MAX_PAGES:
            message = (
                f"The PDF has {len(reader.pages):,} pages, and {MAX_PAGES} are read. Save the quote's pages alone."
            )
            raise UnreadableFile("too_many_sheets", message)
        texts = [page.extract_text(extraction_mode="layout") for page in reader.pages]
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        message = (
            "The PDF is damaged: its text cannot be read. Print it to a new PDF, or ask the vendor for XLSX or CSV."
        )
        raise UnreadableFile("not_a_table", message) from error
    pages = [
        [[(found.start(), found.end(), found[0]) for found in _PART.finditer(line)] for line in text.splitlines()]
        for text in texts
    ]
    if not any(line for page in pages for line in page):
        message = "The PDF has no text, only pictures of pages. Ask the vendor for XLSX, CSV or a PDF with text."
        raise UnreadableFile("not_a_table", message)
    return pages


def rows_of(page: list[list[Part]]) -> Iterator[list[str]]:
    """The cells of every line of a page."""
    borders = _borders([line for line in page if len(line) >= LEAST_PARTS])
    for line in page:
        cells = [""] * (len(borders) + 1)
        for start, end, text in line:
            middle = (start + end) / 2
            at = sum(middle > border for border in borders)
            cells[at] = f"{cells[at]} {text}".strip()
        yield cells


def _borders(lines: list[list[Part]]) -> list[float]:
    """The middles of the gaps between columns."""
    width = max((line[-1][1] for line in lines), default=0)
    covered = [0] * (width + 1)
    for line in lines:
        for start, end, _ in line:
            for place in range(start, end):
                covered[place] += 1
    most = OFTEN * len(lines)
    borders, gap_from = [], -1
    for place in range(width + 1):
        if covered[place] > most:
            if gap_from > 0:
                borders.append((gap_from + place - 1) / 2)
            gap_from = -1
        elif gap_from < 0:
            gap_from = place
    return borders
