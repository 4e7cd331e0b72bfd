"""Own cables in the design form: which of the team's the design takes, as one line that the page shows as boxes to tick."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django import forms

from designer.forms.lines.owned import NOTHING
from designer.wording.context import Context
from estimator.errors import Problem
from estimator.spec.checking import near_words

OWN_CABLES = "own_parts.cables"
LABEL = "Own cables"
WORDS = "Taken before those of the catalog wherever they fit and reach."
NONE_YET = "Your team has none yet: make one on the page Parts."


class CableOffer(NamedTuple):
    """One cable that may be taken: the value that names it, its name, and what it is."""

    value: str
    name: str
    note: str


def cable_note(values: Mapping[str, Any]) -> str:
    """What a cable is, for a list: "400 Gb/s AOC, 3 to 30 m"."""
    rows = values.get("lengths_m")
    lengths = sorted(one for one in rows if isinstance(one, int | float)) if isinstance(rows, list) else []
    span = dict.fromkeys(f"{one:g}" for one in (*lengths[:1], *lengths[-1:]))
    kind = str(values.get("kind", "")).upper()
    return f"{values.get('rate_gbit_s')} Gb/s {kind}, {' to '.join(span)} m"[:120]


def cables_field(offers: Sequence[CableOffer]) -> forms.CharField:
    """The line of ids, with what may be in it."""
    widget = forms.TextInput(
        attrs={
            "autocomplete": "off",
            "data-boxes": json.dumps([list(one) for one in offers], ensure_ascii=False, separators=(",", ":")),
        }
    )
    words = f"{WORDS} Ids with commas between, or “{NOTHING}”." if offers else f"{WORDS} {NONE_YET}"
    return forms.CharField(required=False, label=LABEL, help_text=words, widget=widget)


def chosen_in(text: str) -> list[str] | None:
    """The values that a line names; None where it says nothing, so that the design keeps what it carries."""
    named = [one.strip() for one in text.split(",") if one.strip()]
    return None if not named else [] if named == [NOTHING] else list(dict.fromkeys(named))


def names_in(text: str, attrs: Mapping[str, Any]) -> str:
    """What a line names, by the names that ``attrs`` of its widget offer; "" for nothing."""
    names = {value: name for value, name, _ in json.loads(attrs.get("data-boxes", "[]"))}
    return ", ".join(names.get(one, one) for one in chosen_in(text) or ())


def line_of(carried: Any) -> str | None:
    """The line of a design's own cables; None for none."""
    rows = carried.get("cables") if isinstance(carried, Mapping) else None
    return ", ".join(str(one.get("id")) for one in rows or () if isinstance(one, Mapping)) or None


def unknown_cables(chosen: Sequence[str], known: Mapping[str, Context]) -> list[Problem]:
    """Names that are no cable of the team and none of the design."""
    out = []
    for value in chosen:
        if value not in known:
            ways = f"Near it: {near_words(value, known)}" if known else "Your team has no own cable"
            message = f"'{value[:60]}' is no cable of your own. {ways}; or leave it out."
            out.append(Problem(OWN_CABLES, "unknown_part", message))
    return out
