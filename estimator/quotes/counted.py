"""What a quantity counts: pieces, metres, pairs or packs. All become pieces of what the design needs."""

import math
import re
from collections.abc import Sequence
from fractions import Fraction

from estimator.bom.lines import CABLE, FIBER, MODULE
from estimator.catalog.currency import half_up
from estimator.quotes.items import Item
from estimator.quotes.lines import QuoteLine
from estimator.quotes.match import Match
from estimator.quotes.words import plain_words
from estimator.units import ceil_div

_BY_METRE = re.compile(
    r"\b(?:per|by the|each|pro|je|par|al)\s+(?:linear |running |laufende[rnm]? )?(?:m|met(?:er|re)|mètre|metro)s?\b|"
    r"(?:price|usd|eur|chf|gbp|[$€£])\s?/\s?m\b|\blfm\b|\bmeterware\b|\bau mètre\b",
    re.I,
)
_METRE = re.compile(r"(?:per )?(?:m|mtrs?|lm|lfm|ml|met(?:er|re)s?|mètres?|metros?|metri|meter)")
_PACKAGE = (
    r"(?:packs?|pk|pkg|package|box(?:es)?|set|bag|carton|bundle|case|vpe|karton|pack(?:ung|age)|paquet|lot|boîte|caja|"
    r"confezione|doos)"
)
_OF = r"(?:of|à|a|de|da|von|van|mit|with|zu)?"
_PACKS = re.compile(
    rf"\b{_PACKAGE}[ -]?{_OF}[ -]?([1-9]\d{{0,3}})\b(?! ?(?:m|mm|cm|gb|g|w|u|port))|"
    rf"\b([1-9]\d{{0,3}})(?:er)?[ -]?(?:pcs? ?|pieces? ?|stk ?|ea ?)?(?:per |a |/ ?)?[ -]?{_PACKAGE}\b",
    re.I,
)
_PAIR = re.compile(r"pairs?|prs?|paare?|paires?|pares?|paia|paar", re.I)
_PER_PAIR = re.compile(
    r"\b(?:price[sd]?|sold|supplied)?\s?(?:per|as|in|je|pro|par|la)\s(?:a\s)?(?:pairs?|paare?n?|paire)\b|\((?:pair|paar|paire)\)",
    re.I,
)
PAIR_PIECES = 2
IN_BULK = (MODULE, CABLE, FIBER)


def is_by_metre(line: QuoteLine) -> bool:
    """Whether a line's words, or its column of units, say that it is counted and priced by the metre."""
    return bool(_BY_METRE.search(line.description) or _METRE.fullmatch(plain_words(line.counted_in)))


def pack_of(line: QuoteLine) -> tuple[int, bool]:
    """Pieces of one of what a line counts, and whether its column of units says so; 1 where nothing does."""
    unit = plain_words(line.counted_in)
    if unit:
        if _PAIR.fullmatch(unit):
            return PAIR_PIECES, True
        if found := _PACKS.fullmatch(unit):
            return int(found[1] or found[2]), True
    if _PER_PAIR.search(line.description):
        return PAIR_PIECES, False
    found = _PACKS.search(line.description)
    return (int(found[1] or found[2]), False) if found else (1, False)


def to_pieces(lines: Sequence[QuoteLine], matches: Sequence[Match], items: Sequence[Item]) -> None:
    """Turn metres, pairs and packs into pieces, in place."""
    by_key = {item.key: item for item in items}
    for line, match in zip(lines, matches, strict=True):
        if not line.quantity:
            continue
        own = [by_key[key] for key in match.keys]
        if is_by_metre(line):
            _metres_to_pieces(line, [item for item in own if item.length_m])
        elif own:
            in_bulk = all(item.category in IN_BULK for item in own)
            _packs_to_pieces(line, sum(item.whole for item in own), in_bulk=in_bulk)


def _metres_to_pieces(line: QuoteLine, wanted: Sequence[Item]) -> None:
    """A line that matches no length keeps its metres, and says so."""
    if not wanted:
        words = f"It is priced by the metre: {line.quantity:,} m. Which lengths are cut from it is not said."
        line.remarks.append(("by_metre", words))
        return
    metres, left, pieces = line.quantity, float(line.quantity), 0
    for item in wanted:
        length_m = item.length_m or 1.0
        whole = int(left / length_m + 1e-6)
        taken = whole if item is wanted[-1] else min(item.whole, whole)
        pieces, left = pieces + taken, left - taken * length_m
    lengths = " and ".join(f"{item.length_m:g} m" for item in wanted)
    line.remarks.append(("by_metre", f"{metres:,} m priced by the metre are {pieces:,} pieces of {lengths}."))
    if pieces:
        line.quantity = pieces
        if line.extended_minor is not None:
            line.unit_minor = half_up(Fraction(line.extended_minor, pieces))


def _packs_to_pieces(line: QuoteLine, needed: int, *, in_bulk: bool) -> None:
    """Words alone may tell how pieces are packed: packs are counted where they are as many as hold what is needed, or nearer.

    Of what is not sold in bulk words tell what is in it: a server with a set of 8 GPUs is one server.
    """
    size, is_stated = pack_of(line)
    packs = line.quantity
    if size == 1 or not (is_stated or (in_bulk and _is_by_pack(packs, size, needed))):
        return
    what = "pairs" if size == PAIR_PIECES else f"packs of {size:,}"
    line.remarks.append(("by_pack", f"{packs:,} {what} are {packs * size:,} pieces; the price of one is divided."))
    line.quantity, line.pack = packs * size, size
    if line.unit_minor is not None:
        line.unit_minor = half_up(Fraction(line.unit_minor, size))


def _is_by_pack(packs: int, size: int, needed: int) -> bool:
    return packs != needed and (packs == ceil_div(needed, size) or _is_nearer(packs * size, packs, needed))


def _is_nearer(one: int, other: int, needed: int) -> bool:
    return abs(math.log(one / max(needed, 1))) < abs(math.log(other / max(needed, 1)))
