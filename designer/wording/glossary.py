"""The glossary: terms of ``estimator/docs/glossary.md`` with an anchor each."""

import re
from collections.abc import Iterable, Iterator
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

    @property
    def head(self) -> str:
        """The first term, which leads to the row."""
        return self.terms[0][0]

    @property
    def shown(self) -> str:
        """All of its terms, as the glossary lists them."""
        return ", ".join(term for term, _ in self.terms)


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


# Words that every reader of a chart knows, or that mean something else in most sentences.
EVERYDAY = frozenset(
    (
        "node",
        "gpu",
        "rank",
        "endpoint",
        "link",
        "cable",
        "transceiver",
        "leaf",
        "spine",
        "core",
        "radix",
        "component",
        "plane",
        "rail",
        "pod",
        "window",
        "state",
        "run",
        "lane",
        "cage",
        "plug",
        "change",
        "side",
        "baseline",
        "phase",
        "basis",
        "anchor",
        "street",
        "listing",
        "pair",
        "attachment",
        "slack",
        "tray",
        "total",
        "dense",
        "expert",
        "storage",
        "in-band",
        "group",
        "shape",
        "even",
        "weak",
        "at-least",
        "bandwidth",
        "injection",
        "automatic-choice",
    )
)
ALIASES = {  # how charts write a term, by its anchor
    "pp": ("tensor parallel", "context parallel", "expert parallel", "data parallel", "pipeline stage"),
}


@cache
def _linked() -> tuple[tuple[re.Pattern[str], Entry], ...]:
    """Entries that are linked out of texts, each with what it is recognized by."""
    return tuple((_pattern(names), entry) for entry in entries() if (names := list(_written(entry))))


def _written(entry: Entry) -> Iterator[str]:
    """Every way in which a term of an entry is written; a name in brackets is one: "time per token (TPOT)"."""
    for term, anchor in entry.terms:
        if anchor not in EVERYDAY:
            yield _ASIDE.sub("", term)
            yield from (aside for aside in re.findall(r"\(([^)]*)\)", term) if aside.isupper())
            yield from ALIASES.get(anchor, ())


def _pattern(names: Iterable[str]) -> re.Pattern[str]:
    """Whole words, in any case but for abbreviations: "LL" is a protocol and no end of "all"."""
    exact = "|".join(re.escape(name) for name in names if name.isupper())
    words = "|".join(re.escape(name) for name in names if not name.isupper())
    parts = [part for part in (exact, f"(?i:{words})s?" if words else "") if part]
    return re.compile(rf"(?<![\w-])(?:{'|'.join(parts)})(?![\w-])")


def entries_in(texts: Iterable[str]) -> list[Entry]:
    """Entries with a term that one of the texts uses and that not everybody knows, in the glossary's order."""
    words = "\n".join(texts)
    return [entry for pattern, entry in _linked() if pattern.search(words)]


@cache
def anchors() -> frozenset[str]:
    """Every anchor that the page has."""
    return frozenset(anchor for entry in entries() for _, anchor in entry.terms)
