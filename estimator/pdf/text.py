"""Text on a page: which font shows which letter, how wide it is, and where it breaks.

Bitstream Vera comes with reportlab and is embedded. What it lacks (Greek, Cyrillic, Chinese, Japanese) is shown in a font
that every PDF reader supplies itself; what no font shows loses its accents, or becomes a question mark.
"""

import os
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple
from xml.sax.saxutils import escape

import reportlab
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont

from estimator.catalog.loader import load_catalog
from estimator.findings.node_words import SERVER_WORD, node_word, said
from estimator.spec.design import DesignSpec

REGULAR, BOLD, ITALIC = "Vera", "VeraBd", "VeraIt"
SUPPLIED = "STSong-Light"  # by the reader: ISO 32000 names it among those for Chinese, with Greek and Cyrillic in it
UNKNOWN = "?"
MAX_CHARACTERS = 2_000  # of one cell
_SPOKEN: ContextVar[tuple[str, str]] = ContextVar("spoken", default=(SERVER_WORD, ""))  # its word, the design's name
CACHED = 16_384  # words and cells that a long bill of materials repeats
_ALIKE = {"→": "›", "←": "‹", "‑": "-", "\u2009": "\u00a0", "Δ": "∆", "μ": "µ", "′": "'", "″": '"'}
_TABLE_OF_ALIKE = str.maketrans(_ALIKE)


class Run(NamedTuple):
    """Letters in one font."""

    font: str
    text: str


@lru_cache(maxsize=1)
def _faces() -> dict[str, frozenset[int]]:
    """Registers the fonts, once; gives the letters that each of the embedded ones has."""
    folder = os.path.join(os.path.dirname(reportlab.__file__), "fonts")
    for name in (REGULAR, BOLD, ITALIC):
        pdfmetrics.registerFont(TTFont(name, os.path.join(folder, f"{name}.ttf")))
    pdfmetrics.registerFontFamily(REGULAR, normal=REGULAR, bold=BOLD, italic=ITALIC, boldItalic=BOLD)
    pdfmetrics.registerFont(UnicodeCIDFont(SUPPLIED))
    return {name: frozenset(pdfmetrics.getFont(name).face.charToGlyph) for name in (REGULAR, BOLD, ITALIC)}


def register_fonts() -> None:
    """Make the fonts known to reportlab; more than once does no harm."""
    _faces()


def _is_supplied(letter: str) -> bool:
    try:
        letter.encode("gb2312")
    except UnicodeEncodeError:
        return unicodedata.category(letter) == "Lo" and "CJK" in unicodedata.name(letter, "")
    return True


@contextmanager
def speaking_of(spec: DesignSpec) -> Iterator[None]:
    """Within, texts say trays where the design's servers are trays; the design's own name stays as it is."""
    token = _SPOKEN.set((node_word(spec.compute.server, load_catalog()), spec.name))
    try:
        yield
    finally:
        _SPOKEN.reset(token)


def printable(text: object, font: str = REGULAR) -> str:
    """The text in the word for the design's servers and in letters that some font shows, without control characters."""
    word, name = _SPOKEN.get()
    words = str(text)
    return _printable(words if words == name else said(words, word), font)


@lru_cache(maxsize=CACHED)
def _printable(text: str, font: str) -> str:
    own = _faces()[font]
    letters = text[:MAX_CHARACTERS].translate(_TABLE_OF_ALIKE)
    if own.issuperset(map(ord, letters)) and letters.isprintable():
        return letters
    return "".join(_shown(letter, own) for letter in letters)


def _shown(letter: str, own: frozenset[int]) -> str:
    if letter in "\t\n\r":
        return " "
    category = unicodedata.category(letter)
    if category in ("Cc", "Cf", "Cs", "Co", "Cn", "Mn"):
        return ""
    if ord(letter) in own or _is_supplied(letter):
        return letter
    plain = "".join(c for c in unicodedata.normalize("NFKD", letter) if ord(c) in own)
    return plain or UNKNOWN


@lru_cache(maxsize=CACHED)
def runs(text: str, font: str = REGULAR) -> tuple[Run, ...]:
    """Printable text as runs of one font each."""
    own = _faces()[font]
    if own.issuperset(map(ord, text)):
        return (Run(font, text),)
    grouped = groupby(text, lambda letter: ord(letter) in own)
    return tuple(Run(font if is_own else SUPPLIED, "".join(letters)) for is_own, letters in grouped)


def markup(text: object, font: str = REGULAR) -> str:
    """Text as the inside of a reportlab paragraph: nothing in it is taken for a tag."""
    return "".join(
        escape(run.text) if run.font == font else f'<font name="{run.font}">{escape(run.text)}</font>'
        for run in runs(printable(text, font), font)
    )


@lru_cache(maxsize=CACHED)
def _of_size_one(text: str, font: str) -> float:
    return sum(float(pdfmetrics.stringWidth(run.text, run.font, 1)) for run in runs(text, font))


def width(text: str, font: str, size: float) -> float:
    """Width of printable text in points."""
    return _of_size_one(text, font) * size


def wrapped(text: str, font: str, size: float, room: float, most: int = 0) -> list[str]:
    """Lines no wider than ``room``; a word that is wider breaks where it must. At most ``most`` lines, if that is above 0."""
    return _wrapped(printable(text, font), font, size, room, most)


@lru_cache(maxsize=CACHED)
def _wrapped(words: str, font: str, size: float, room: float, most: int) -> list[str]:
    if width(words, font, size) <= room:
        return [words]
    space = width(" ", font, size)
    lines: list[str] = []
    line, used = "", 0.0
    for word in _pieces(words, font, size, room):
        wide = width(word, font, size)
        if line and used + space + wide > room:
            lines.append(line)
            line, used = word, wide
        else:
            line, used = (f"{line} {word}", used + space + wide) if line else (word, wide)
    lines.append(line)
    if most and len(lines) > most:
        return [*lines[: most - 1], shortened(f"{lines[most - 1]}…", font, size, room)]
    return lines


def _pieces(words: str, font: str, size: float, room: float) -> Iterator[str]:
    """Words; those wider than ``room`` in pieces that fit."""
    for word in words.split(" "):
        piece = word
        while width(piece, font, size) > room:
            n = max(1, int(len(piece) * room / width(piece, font, size)))
            while n > 1 and width(piece[:n], font, size) > room:
                n -= 1
            yield piece[:n]
            piece = piece[n:]
        if piece:
            yield piece


def shortened(text: str, font: str, size: float, room: float) -> str:
    """The text, cut and ended by "…" where it is wider than ``room``."""
    if width(text, font, size) <= room:
        return text
    kept = text.rstrip("…")
    while kept and width(f"{kept}…", font, size) > room:
        kept = kept[:-1]
    return f"{kept.rstrip()}…"
