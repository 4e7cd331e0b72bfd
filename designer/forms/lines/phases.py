"""Phases of a design as one line of the form: "2027-03; 2027-10: 64; 2028-06: 1,024 GPUs 2:1 Second hall"."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from estimator.record import Json

PHASES = "phases"
BETWEEN = ";"
EXAMPLE = "Such as 2027-03; 2027-10: 64; 2028-06: 1,024 GPUs XDR (where NICs reach it)."
_ENTRY = re.compile(
    r"(?P<date>[^\s:]+)\s*:?\s*"
    r"(?:(?P<size>[0-9][0-9,]*)(?![0-9]*:[0-9])\s*(?P<unit>gpus?|servers?|nodes?|trays?)?\b)?\s*"
    r"(?P<ratio>[0-9]+:[0-9]+)?\s*(?:(?P<generation>[efhnx]dr|roce-[0-9]+)\b)?\s*(?P<name>.*)",
    re.IGNORECASE,
)


def phases_of_text(text: str) -> list[Json]:
    """The entries of a request; what is no phase becomes a date, which spec/phases.py refuses in words."""
    return [_entry(part.strip()) for part in text.split(BETWEEN) if part.strip()]


def _entry(text: str) -> Json:
    found = _ENTRY.fullmatch(text)
    if found is None:
        return {"date": text}
    date, size, unit, ratio, generation, name = found.groups()
    counts = "gpus" if (unit or "").lower().startswith("gpu") else "nodes"
    given = {
        counts: int(size.replace(",", "")) if size else None,
        "oversubscription": ratio,
        "generation": (generation or "").lower(),
        "name": name.strip(),
    }
    return {"date": date} | {key: value for key, value in given.items() if value}


def text_of_phases(phases: Any) -> str:
    """The reverse; "" for what is no list of phases."""
    entries: Iterable[Any] = phases if isinstance(phases, list) else ()
    return f"{BETWEEN} ".join(_text(entry) for entry in entries if isinstance(entry, Mapping))


def _text(entry: Mapping[str, Any]) -> str:
    size = f"{entry.get('gpus')} GPUs" if entry.get("gpus") else str(entry.get("nodes") or "")
    generation = str(entry.get("generation") or "").upper().replace("ROCE", "RoCE")
    more = " ".join(str(part) for part in (size, entry.get("oversubscription"), generation, entry.get("name")) if part)
    return f"{entry.get('date')}: {more}" if more else str(entry.get("date"))
