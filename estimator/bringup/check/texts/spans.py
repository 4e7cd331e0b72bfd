"""Numbers and port names as configurations shorten them: ``3,5-7``, ``swp1-4``, ``swp1s0-1``, ``10 kbytes``."""

import re
from itertools import product

MOST = 4096
_PORTS = re.compile(r"^(\D+)(\d{1,4})(?:-(\d{1,4}))?(?:(s)(\d{1,2})(?:-(\d{1,2}))?)?$")
UNITS = {"bytes": 1, "b": 1, "kbytes": 1000, "kb": 1000, "mbytes": 10**6, "mb": 10**6, "segments": 254, "cells": 254}


def numbers(text: str) -> tuple[int, ...]:
    """Numbers of a list with spans, in its order; what is no number is left out."""
    out: list[int] = []
    for part in re.split(r"[,\s]+", text.strip()):
        match = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", part)
        if match and len(out) < MOST:
            first, last = int(match[1]), int(match[2] or match[1])
            out += range(first, min(last, first + MOST) + 1)
    return tuple(out)


def ports(text: str) -> list[str]:
    """Names of the ports of a list with spans as NVUE writes it."""
    out: list[str] = []
    for part in text.split(","):
        match = _PORTS.match(part.strip())
        if not match:
            out.append(part.strip())
            continue
        stem, low, high, _, first, last = match.groups()
        whole = range(int(low), min(int(high or low), int(low) + MOST) + 1)
        lanes = [f"s{lane}" for lane in range(int(first), int(last or first) + 1)] if first else [""]
        out += [f"{stem}{number}{lane}" for number, lane in product(whole, lanes)]
    return out[:MOST]


def in_bytes(number: str, unit: str) -> int | None:
    """A threshold with its unit in bytes; None where the unit is none of size."""
    factor = UNITS.get(unit.lower())
    return int(number) * factor if factor and number.isascii() and number.isdecimal() and len(number) < 11 else None
