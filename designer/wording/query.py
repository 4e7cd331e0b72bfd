"""What an address asks of a result: one of some words, a page of rows. Nonsense reads as the first of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from estimator.digits import is_whole_number
from estimator.units import ceil_div

ROWS_A_PAGE = 64
MAX_DIGITS = 9
LONGEST_SEARCH = 100  # characters
Word = TypeVar("Word", bound=str)


def one_of(asked: Any, words: Iterable[Word]) -> Word:
    """The word that is requested, or the first one."""
    known = list(words)
    return next((word for word in known if word == asked), known[0])


def words_of(search: str) -> list[str]:
    """The words that a search consists of; a NUL parts words, as no database takes it in a text."""
    return search.replace("\0", " ").casefold().split()


def has_all(words: Iterable[str], *texts: str) -> bool:
    """Whether texts together have every word of a search."""
    whole = "\n".join(texts).casefold()
    return all(word in whole for word in words)


@dataclass(frozen=True)
class Page:
    """Some of many rows: ``number`` counts from 1; ``previous`` and ``next`` are None at the ends."""

    rows: Sequence[Any]
    number: int
    n_pages: int
    n_rows: int
    size: int = ROWS_A_PAGE

    @property
    def first(self) -> int:
        """Number of the first row on this page, from 1."""
        return (self.number - 1) * self.size + 1

    @property
    def last(self) -> int:
        """Number of the last row on this page."""
        return self.first + len(self.rows) - 1

    @property
    def previous(self) -> int | None:
        """The page before."""
        return self.number - 1 if self.number > 1 else None

    @property
    def next(self) -> int | None:
        """The page after."""
        return self.number + 1 if self.number < self.n_pages else None


def page_number(asked: Any, n_rows: int, size: int = ROWS_A_PAGE) -> tuple[int, int]:
    """(page, pages): the page requested, within what there is; the first where none or nonsense was requested."""
    n_pages = max(int(ceil_div(n_rows, size)), 1)
    text = str(asked or "")
    number = int(text) if is_whole_number(text, MAX_DIGITS) else 1
    return min(max(number, 1), n_pages), n_pages


def rows_on(number: int, n_rows: int, size: int = ROWS_A_PAGE) -> range:
    """Positions of a page's rows, from 0."""
    return range((number - 1) * size, min(number * size, n_rows))


def column_heads(keys: list[str], sorted_by: str, descending: bool) -> dict[str, dict[str, str]]:
    """For each sortable column: what its link asks for next, and its aria-sort."""
    heads = {}
    for key in keys:
        is_current = key == sorted_by
        state = ("descending" if descending else "ascending") if is_current else "none"
        heads[key] = {"next": f"-{key}" if is_current and not descending else key, "aria": state}
    return heads
