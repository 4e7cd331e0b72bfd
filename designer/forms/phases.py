"""Phases of a design as one line of the form: "2027-03; 2027-10: 64; 2028-06: 1,024 GPUs 2:1 Second hall"."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from designer.wording.context import Context

PHASES = "phases"
BETWEEN = ";"
_ENTRY = re.compile(
    r"(?P<date>[^\s:]+)\s*:?\s*"
    r"(?:(?P<size>[0-9][0-9,]*)(?![0-9]*:[0-9])\s*(?P<unit>gpus?|servers?|nodes?|trays?)?\b)?\s*"
    r"(?P<ratio>[0-9]+:[0-9]+)?\s*(?P<name>.*)",
    re.IGNORECASE,
)


def phases_of_text(text: str) -> list[Context]:
    """The entries of a request; what is no phase becomes a date, which spec/phases.py refuses in words."""
    return [_entry(part.strip()) for part in text.split(BETWEEN) if part.strip()]


def _entry(text: str) -> Context:
    found = _ENTRY.fullmatch(text)
    if found is None:
        return {"date": text}
    entry: Context = {"date": found["date"]}
    if found["size"]:
        unit = (found["unit"] or "").lower()
        entry["gpus" if unit.startswith("gpu") else "nodes"] = int(found["size"].replace(",", ""))
    if found["ratio"]:
        entry["oversubscription"] = found["ratio"]
    if found["name"]:
        entry["name"] = found["name"].strip()
    return entry


def text_of_phases(phases: Any) -> str:
    """The reverse; "" for what is no list of phases."""
    entries: Iterable[Any] = phases if isinstance(phases, list) else ()
    return f"{BETWEEN} ".join(_text(entry) for entry in entries if isinstance(entry, Mapping))


def _text(entry: Mapping[str, Any]) -> str:
    size = f"{entry['gpus']} GPUs" if entry.get("gpus") else str(entry.get("nodes") or "")
    more = " ".join(str(part) for part in (size, entry.get("oversubscription"), entry.get("name")) if part)
    return f"{entry.get('date')}: {more}" if more else str(entry.get("date"))
