"""Parts that are owned already as one line of the form: "nvidia-qm9700: 16; nvidia-mcp4y10-n002 2 m: 40; dgx-h100"."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from estimator.record import Json

OWNED = "economics.owned"
BETWEEN = ";"
NOTHING = "none"  # typed where a list that the design has carried is to be empty: a blank says nothing
_ENTRY = re.compile(
    r"(?P<part>[^\s:]+)(?:\s+(?P<length>[0-9][0-9.,e-]*)\s*m)?(?:\s*:\s*(?P<quantity>.*))?", re.IGNORECASE
)


def owned_of_text(text: str) -> list[Json]:
    """The entries of a request; what is none becomes the id of a part, which spec/own/owned.py refuses in words."""
    if text.strip().lower() == NOTHING:
        return []
    return [_entry(one.strip()) for one in text.split(BETWEEN) if one.strip()]


def _entry(text: str) -> Json:
    found = _ENTRY.fullmatch(text)
    if found is None:
        return {"part": text}
    part, length, quantity = found.groups()
    given = {"quantity": _number(quantity, int) if quantity else None, "length_m": _number(length, float)}
    return {"part": part} | {key: value for key, value in given.items() if value is not None}


def _number(text: str | None, kind: type[int] | type[float]) -> Any:
    """A number as it was typed; text that is none stays, and the rules say what is wrong."""
    plain = (text or "").replace(",", "").replace(" ", "")
    try:
        return kind(plain) if plain else None
    except ValueError:
        return text


def text_of_owned(owned: Any) -> str:
    """The reverse; "" for what is no list of parts."""
    entries: Iterable[Any] = owned if isinstance(owned, list) else ()
    return f"{BETWEEN} ".join(_text(entry) for entry in entries if isinstance(entry, Mapping))


def _text(entry: Mapping[str, Any]) -> str:
    length, quantity = entry.get("length_m"), entry.get("quantity")
    text = f"{entry.get('part')}" + (f" {_plain(length)} m" if length is not None else "")
    return text if quantity is None else f"{text}: {_plain(quantity)}"


def _plain(number: Any) -> str:
    """Every digit of a number, and no ".0"."""
    return str(int(number)) if isinstance(number, float) and number.is_integer() else str(number)
