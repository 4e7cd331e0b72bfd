"""A written file taken apart again: its lines beside the sources that their comments name."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from estimator.bringup.renderings.sourced import AS_ABOVE, SOURCES_COLUMNS

# as ``sourced.shown`` writes it, behind any system's mark of a comment
_SOURCE = re.compile(
    r"\s*(?:#|!|//|;|/\*)\s?(?P<key>[\w.\-/]+) = (?P<value>.*?) \[(?P<trust>A|B|C|design|own)\] ?(?P<rest>.*)"
)
_COMMENT = re.compile(r"\s*(?:#(?!!)|!|//|;|/\*)\s?(?P<words>.*)")
_OTHERS = " Others: "


class Note(NamedTuple):
    """What a comment says of a value. ``others`` is what other sources say, empty where they agree."""

    key: str
    value: str
    trust: str
    words: str
    others: str


class Block(NamedTuple):
    """Lines of a file with the notes on what they set; ``words`` are other comments before them."""

    words: tuple[str, ...]
    notes: tuple[Note, ...]
    lines: tuple[str, ...]


def blocks(text: str, most_lines: int) -> Iterator[Block]:
    """The file in blocks, in order; no more than its first ``most_lines`` lines."""
    said: dict[str, Note] = {}
    words: list[str] = []
    notes: list[Note] = []
    lines: list[str] = []
    for line in io.StringIO(text):
        most_lines -= 1
        if most_lines < 0:
            break
        line = line.rstrip("\n")
        source, comment = _SOURCE.fullmatch(line), _COMMENT.fullmatch(line)
        is_end = (source or comment) if lines else (not line and notes)
        if is_end or (comment and not source and notes):
            yield Block(tuple(words), tuple(notes), tuple(lines))
            words, notes, lines = [], [], []
        if source:
            notes.append(_note(source, said))
        elif comment:
            words.append(comment["words"])
        elif line or lines:
            lines.append(line)
    if words or notes or lines:
        yield Block(tuple(words), tuple(notes), tuple(lines))


def _note(match: re.Match[str], said: dict[str, Note]) -> Note:
    """A note; one that was said before is said again in full."""
    brief = f"{match['key']} = {match['value']} [{match['trust']}]"
    rest, _, others = match["rest"].partition(_OTHERS)
    if rest.strip() == AS_ABOVE and brief in said:
        return said[brief]
    said[brief] = Note(match["key"], match["value"], match["trust"], rest.strip(), others.strip().removesuffix("."))
    return said[brief]


class Place(NamedTuple):
    """A place in a file without comments, as RFC 6901 names it, and what is written there."""

    pointer: str
    written: str


class Placed(NamedTuple):
    """A note and the first places that it is about; ``n_places`` counts all."""

    note: Note
    places: list[Place]
    n_places: int


def by_note(sources: str, most_places: int) -> list[Placed]:
    """The rows of a file of sources, ``NAME.sources.csv``, by what they say, in order of their first row."""
    said: dict[tuple[str, ...], tuple[str, str]] = {}
    found: dict[Note, list[Place]] = {}
    counts: Counter[Note] = Counter()
    for row in csv.DictReader(io.StringIO(sources)):
        pointer, written, key, value, trust, source, why, others = (row[name] for name in SOURCES_COLUMNS)
        # reason and other sources stand on a value's first row alone
        why, others = said.setdefault((key, value, source), (why, others))
        note = Note(key, value, trust, f"{source}. {why}.", others)
        counts[note] += 1
        if counts[note] <= most_places:
            found.setdefault(note, []).append(Place(pointer, written))
    return [Placed(note, places, counts[note]) for note, places in found.items()]
