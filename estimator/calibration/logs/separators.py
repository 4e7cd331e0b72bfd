"""Numbers whose thousands are parted, as people and spreadsheets print them: 1,048,576, 1'048'576, 1.048.576 and 1 048 576.

A whole number with signs between groups of three digits is plain. With spaces it looks like several cells, and is put
together only where the cells then agree. A figure such as 1,234 may be a thousand or a little more than one: it is read as
the rest of its row says, and refused where nothing does.
"""

import re
from collections.abc import Callable, Iterator, Sequence

SPACES = "\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}\N{FIGURE SPACE}"
SIGNS = f",.'’_{SPACES}"
WHOLE = rf"[0-9]{{1,3}}(?:[{SIGNS}][0-9]{{3}}){{1,8}}"
MAX_CELLS = 12  # in front of a word that are looked at: a number of 2^50 has six groups
_WHOLE = re.compile(WHOLE)
_PLAIN = re.compile(r"[+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,3})?")
_EXPONENT = r"(?:[eE][+-]?[0-9]{1,3})?"
_AS_POINT = re.compile(rf"[+-]?(?:[0-9]+|[0-9]{{1,3}}(?:[,'’_{SPACES}][0-9]{{3}}){{1,8}})(?:\.[0-9]*)?{_EXPONENT}")
_AS_COMMA = re.compile(rf"[+-]?(?:[0-9]+|[0-9]{{1,3}}(?:[.'’_{SPACES}][0-9]{{3}}){{1,8}})(?:,[0-9]*)?{_EXPONENT}")
_BETWEEN = re.compile(rf"[{SIGNS}]")
_FIRST_GROUP = re.compile(r"[1-9][0-9]{0,2}")
_GROUPS = str.maketrans("", "", f"'’_{SPACES}")


def plain_whole(text: str) -> str:
    """Digits of a whole number without what parts its thousands; any other text as it is."""
    return _BETWEEN.sub("", text) if _WHOLE.fullmatch(text) else text


def has_separators(words: Sequence[str]) -> bool:
    """Whether a figure among words is printed otherwise than float() takes it: with a comma, an apostrophe or two points."""
    return any(is_figure(word) and not _PLAIN.fullmatch(word) for word in words)


def is_figure(word: str) -> bool:
    """Whether a word is a number in some way of printing."""
    return bool(_AS_POINT.fullmatch(word) or _AS_COMMA.fullmatch(word))


def readings(words: Sequence[str]) -> Iterator[list[str]]:
    """The words with figures as float() takes them: with a point before the fraction, then with a comma, as far as they fit.

    Words that are no figures stay. Both ways that read alike are one.
    """
    seen = []
    for pattern, thousands, decimal in ((_AS_POINT, ",", "."), (_AS_COMMA, ".", ",")):
        if all(pattern.fullmatch(word) for word in words if is_figure(word)):
            out = [
                word.translate(_GROUPS).replace(thousands, "").replace(decimal, ".")
                if pattern.fullmatch(word)
                else word
                for word in words
            ]
            if out not in seen:
                seen.append(out)
                yield out


def joined(cells: Sequence[str], agree: Callable[[int, int], bool]) -> tuple[int, str, str] | None:
    """The last two whole numbers of a list of cells, whose thousands spaces may part.

    Returns
    -------
    (how many cells they take, digits of both): two cells where these agree, or nothing there looks like a group. None where
    something does, and no way to put it together agrees, or several do.
    """
    first, second = cells[-2:]
    is_led = len(cells) > 2 and len(cells[-3]) <= 3
    looks_parted = is_led and 3 in (len(first), len(second))
    has_zero = any(len(cell) == 3 and cell[0] == "0" for cell in (first, second))
    if not has_zero and (not looks_parted or agree(int(first), int(second))):
        return 2, first, second
    found = [
        (taken, "".join(part[:cut]), "".join(part[cut:]))
        for taken in range(3, min(len(cells), MAX_CELLS) + 1)
        for part in [cells[-taken:]]
        for cut in range(1, taken)
        if _is_number(part[:cut]) and _is_number(part[cut:])
    ]
    agreed = [one for one in found if agree(int(one[1]), int(one[2]))]
    return agreed[0] if len(agreed) == 1 else None


def _is_number(groups: Sequence[str]) -> bool:
    """Whether cells are a number of their own, or groups of one."""
    is_led = bool(_FIRST_GROUP.fullmatch(groups[0]))
    return (len(groups) == 1 and groups[0][0] != "0") or (is_led and all(len(group) == 3 for group in groups[1:]))
