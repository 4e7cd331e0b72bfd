"""Ranking of what can be found: an entry has every word of a search, the better the nearer to the start of its title."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from designer.pages.shell.entries import Entry

_WHOLE, _START, _WORD, _PART, _ELSEWHERE = 16, 8, 5, 2, 1


class Found(NamedTuple):
    """The best entries, and how many more there are."""

    entries: list[Entry]
    n_more: int


def ranked(entries: Iterable[Entry], words: list[str], most: int, most_of_kind: int) -> Found:
    """Entries that have all words, the best first; those of one rank stay in their order, and no kind fills the list."""
    scored = [(score(entry, words), entry) for entry in entries]
    fitting = sorted(((points, entry) for points, entry in scored if points), key=lambda pair: -pair[0])
    seen: Counter[str] = Counter()
    kept: list[Entry] = []
    for _, entry in fitting:
        seen[entry.kind] += 1
        if seen[entry.kind] <= most_of_kind and len(kept) < most:
            kept.append(entry)
    return Found(kept, len(fitting) - len(kept))


def score(entry: Entry, words: list[str]) -> int:
    """0 where a word is missing; 1 where there is no word to look for."""
    title = entry.title.casefold()
    rest = f"{entry.kind} {entry.note} {entry.text}".casefold()
    points = [_points(word, title, rest) for word in words]
    whole = _WHOLE if title == " ".join(words) else 0
    return 0 if 0 in points else sum(points) + whole if words else 1


def _points(word: str, title: str, rest: str) -> int:
    if title.startswith(word):
        return _START
    if re.search(rf"\b{re.escape(word)}", title):
        return _WORD
    return _PART if word in title else _ELSEWHERE if word in rest else 0
