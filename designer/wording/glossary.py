"""The glossary: terms of ``estimator/docs/glossary.md`` with an anchor each."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings

DOCS = Path(settings.BASE_DIR) / "estimator" / "docs"
_ROW = re.compile(r"\|(?P<terms>[^|]+)\|(?P<meaning>[^|]+)\|\s*$")
_ASIDE = re.compile(r"\s*\([^)]*\)")


@dataclass(frozen=True)
class Entry:
    """A row of the glossary: terms that are distinguished or mean one thing, each with its anchor, and what they mean."""

    terms: tuple[tuple[str, str], ...]
    meaning: str


def term_anchor(term: str) -> str:
    """ "scalable unit (SU)" → "scalable-unit"."""
    return re.sub(r"[^a-z0-9]+", "-", _ASIDE.sub("", term).casefold().replace("½", "half")).strip("-")


@cache
def entries() -> tuple[Entry, ...]:
    """Every row, in the file's order: the order is one of learning."""
    rows = [
        found for line in (DOCS / "glossary.md").read_text(encoding="utf-8").splitlines() if (found := _ROW.match(line))
    ]
    cells = [row.group("terms", "meaning") for row in rows[2:]]  # after the head and its rule
    pairs = [(_terms(terms), meaning.strip()) for terms, meaning in cells]
    return tuple(Entry(terms, meaning[0].upper() + meaning[1:]) for terms, meaning in pairs)


def _terms(cell: str) -> tuple[tuple[str, str], ...]:
    names = [name.strip() for name in cell.strip().split(", ")]
    return tuple((name, term_anchor(name)) for name in names)


def anchors() -> set[str]:
    """Every anchor that the page has."""
    return {anchor for entry in entries() for _, anchor in entry.terms}
