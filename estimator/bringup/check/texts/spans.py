"""Numbers and port names as configurations shorten them: ``3,5-7``, ``swp1-4``, ``swp1s0-1``, ``10 kbytes``."""

import re
from itertools import islice, product

from estimator.bringup.check.texts.tree import Unparsed

MOST = 4096
_PHB = {"be": 0, "default": 0, "ef": 46, "va": 44, "nc1": 48, "nc2": 56} | {f"cs{n}": 8 * n for n in range(8)}
DSCP_NAMES = _PHB | {f"af{high}{low}": 8 * high + 2 * low for high in range(1, 5) for low in range(1, 4)}
"""DSCPs by the names of RFC 2474, 2597 and 3246, and Junos' own."""
_PORTS = re.compile(r"^(\D+)(\d{1,4})(?:-(\d{1,4}))?(?:(s)(\d{1,2})(?:-(\d{1,2}))?)?$")
UNITS = {"bytes": 1, "b": 1, "kbytes": 1000, "kb": 1000, "mbytes": 10**6, "mb": 10**6, "segments": 254, "cells": 254}


def numbers(text: str) -> tuple[int, ...]:
    """Numbers of a list with spans (``3-5``, ``3 to 5``), decimal or ``0x…``, in its order; what is no number is left out."""
    out: list[int] = []
    joined = re.sub(r"(?i)\b(\d{1,6})\s+to\s+(\d{1,6})\b", r"\1-\2", text.strip())
    for part in re.split(r"[,\s]+", joined):
        match = re.fullmatch(r"(0[xX][0-9a-fA-F]{1,4}|\d{1,6})(?:-(\d{1,6}))?", part)
        if match and len(out) < MOST:
            first = whole_number(match[1])
            last = int(match[2]) if match[2] else first
            out += range(first, min(last, first + MOST) + 1)
    return tuple(out)


def whole_number(digits: str) -> int:
    """A number as devices print it: decimal, also with zeros before it, or with ``0x``."""
    return int(digits, 16) if digits[:2].lower() == "0x" else int(digits)


def dscps(text: str) -> tuple[int, ...]:
    """DSCPs of a list with spans, as numbers or by their names."""
    named = re.sub(r"[A-Za-z]+\d*", lambda word: str(DSCP_NAMES.get(word[0].lower(), word[0])), text)
    return tuple(number for number in numbers(named) if number < 64)


def ports(text: str) -> list[str]:
    """Names of the ports of a list with spans as NVUE writes it."""
    out: list[str] = []
    last = ""
    for part in text.split(","):
        bare = part.strip()
        match = _PORTS.match(f"{last}{bare}" if bare[:1].isdecimal() else bare)
        last = match[1] if match else last
        if not match:
            out.append(part.strip())
            continue
        stem, low, high, _, first, end = match.groups()
        whole = range(int(low), min(int(high or low), int(low) + MOST) + 1)
        lanes = [f"s{lane}" for lane in range(int(first), int(end or first) + 1)] if first else [""]
        out += [f"{stem}{number}{lane}" for number, lane in product(whole, lanes)]
    return out[:MOST]


_STEM = re.compile(r"^([A-Za-z-]+)\s*(?=\d)")


def interfaces(text: str) -> list[str]:
    """Names of a list of interfaces as EOS and NX-OS take it: ``Ethernet1/1-4``, ``Et1-8/1``, ``Ethernet1/1/1-2, 1/2/1``."""
    out: list[str] = []
    stem = ""
    for part in text.split(","):
        bare = part.strip()
        named = _STEM.match(bare)
        stem = named[1] if named else stem
        places = [numbers(place) for place in bare[named.end() if named else 0 :].split("/")]
        if stem and all(places):
            out += [stem + "/".join(map(str, place)) for place in islice(product(*places), MOST_PORTS + 1)]
        if len(out) > MOST_PORTS:
            raise Unparsed(None, f"a list of interfaces names more than {MOST_PORTS:,}")
    return out


MOST_PORTS = 1_024  # of one switch
MOST_STATEMENTS = 200_000  # of all of its ports


def bounded(n_statements: int, line: int) -> None:
    """Nothing, where lists of ports have not come to more statements than any switch has.

    Raises
    ------
    Unparsed
        If they have.
    """
    if n_statements > MOST_STATEMENTS:
        raise Unparsed(line, f"lists of ports come to more than {MOST_STATEMENTS:,} statements here")


def in_bytes(number: str, unit: str) -> int | None:
    """A threshold with its unit in bytes; None where the unit is none of size."""
    factor = UNITS.get(unit.lower())
    return int(number) * factor if factor and number.isascii() and number.isdecimal() and len(number) < 11 else None
