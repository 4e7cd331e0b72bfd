"""Own parts in the design form: those of the team and those that the design carries, beside the catalog's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

from django import forms
from django.contrib.auth.models import User

from designer.forms.keys import field_name
from designer.forms.parts.cables import OWN_CABLES, CableOffer, cable_note, cables_field, chosen_in, unknown_cables
from designer.forms.parts.servers import NicSelect, OfferedParts
from designer.models import OwnPart
from designer.wording.context import Context
from estimator.catalog.loader import load_catalog
from estimator.errors import Problem
from estimator.spec.change import read_path
from estimator.spec.own.part import OWN_KINDS, is_own

OWN_PARTS = "own_parts"
NEWEST = "@"  # between an id and the number of the team's newest revision, where the design carries an older one
KIND_OF = {
    "compute.server": "servers",
    "compute.nic": "nics",
    "fabric.leaf_switch": "switches",
    "fabric.spine_switch": "switches",
    "fabric.core_switch": "switches",
}
CABLES = "cables"
GROUP = "Your own parts"


class OwnChoice:
    """What the fields of parts offer beside the catalog's, and what a choice brings into the design.

    ``carried`` is ``own_parts`` of the design: it keeps the revisions that it was made with, until a newer one is chosen.
    """

    def __init__(self, owner: User | None, carried: Any) -> None:
        self._owner = owner
        self._carried = carried if isinstance(carried, Mapping) else {}

    @cached_property
    def _live(self) -> dict[str, OwnPart]:
        rows = OwnPart.with_latest(OwnPart.of(self._owner)) if self._owner else ()
        return {row.key: row for row in rows}

    def _of_kind(self, kind: str) -> dict[str, Mapping[str, Any]]:
        rows = self._carried.get(kind)
        listed = rows if isinstance(rows, list) else []
        return {str(one.get("id")): one for one in listed if isinstance(one, Mapping)}

    def _offered(self, kind: str) -> dict[str, tuple[str, Mapping[str, Any]]]:
        """(name in a list, what the part says) of each option of a kind, by its value."""
        carried = self._of_kind(kind)
        out = {key: (f"{_name(one)}, as in this design", one) for key, one in carried.items()}
        for key, row in self._live.items():
            if row.kind != kind:
                continue
            latest = row.latest
            if key not in carried:
                out[key] = _name(latest.values), latest.values
            elif carried[key].get("revision") != latest.number:
                named = f"{_name(latest.values)}, revision {latest.number}"
                out[f"{key}{NEWEST}{latest.number}"] = named, latest.values
        return out

    def offer(self, fields: dict[str, Any], chosen: Callable[[str], str] = lambda name: "") -> None:
        """Put the options into the fields' lists, before "custom", and a line for own cables beside them.

        ``chosen`` says what a field holds: where its part has been changed since, the field says so.
        """
        for path, kind in KIND_OF.items():
            options = [(value, name) for value, (name, _) in self._offered(kind).items()]
            widget = fields[field_name(path)].widget
            if options and isinstance(widget, forms.Select):
                choices = list(widget.choices)
                at = next((i for i, one in enumerate(choices) if one[0] == "custom"), len(choices))
                widget.choices = [*choices[:at], (GROUP, options), *choices[at:]]
                if kind == "switches":  # the page's script narrows these lists to the network's generation
                    vars(widget).update(fits={**getattr(widget, "fits", {}), **self._fits()})
            field = fields[field_name(path)]
            field.help_text += self._newer_words([chosen(field_name(path))], "choose it in the list")
        cables = fields[field_name(OWN_CABLES)] = cables_field(
            [CableOffer(value, name, cable_note(one)) for value, (name, one) in self._offered(CABLES).items()]
        )
        cables.help_text += self._newer_words(self._of_kind(CABLES), "tick it")
        cards = fields[field_name("compute.nic")].widget
        if isinstance(cards, NicSelect):
            cards.own = self._parts_offered

    def _newer_words(self, keys: Iterable[str], way: str) -> str:
        """What stands beside a field of parts that the design has at an older revision than the team."""
        out = ""
        for key in keys:
            row = self._live.get(key) if is_own(key) else None
            carried = self._of_kind(row.kind).get(key) if row else None
            if row and carried and carried.get("revision") != (number := row.latest.number):
                out += f" {_name(carried)} has been changed since: {way} as revision {number} to take its figures."
        return out

    def _parts_offered(self) -> OfferedParts:
        """What own servers and NICs say, by the values of their options."""
        return OfferedParts(
            *({value: one for value, (_, one) in self._offered(kind).items()} for kind in ("servers", "nics"))
        )

    def _fits(self) -> dict[str, str]:
        """Generations of a network that each own switch has ports for, by the values of the options."""
        known = load_catalog().generations.items()
        return {
            value: " ".join(
                key
                for key, generation in known
                if generation.protocol == one.get("protocol") and generation.port_rate_gbit_s in _rates(one)
            )
            for value, (_, one) in self._offered("switches").items()
        }

    def taken(self, values: Context, cables: str = "") -> Context | None:
        """``own_parts`` of a request whose fields name parts; ids with a newer revision lose its number.

        ``cables`` is the line of own cables.
        """
        out: Context = {kind: list(rows) for kind in OWN_KINDS if isinstance(rows := self._carried.get(kind), list)}
        for path, kind in KIND_OF.items():
            typed = read_path(values, path)
            key, mark, _ = str(typed or "").partition(NEWEST)
            row = self._live.get(key) if is_own(key) else None
            if mark and row:
                section, _, name = path.partition(".")
                values[section][name] = key
            if row and row.kind == kind and (mark or key not in self._of_kind(kind)):
                self._put(out, row)
        chosen = chosen_in(cables)
        if chosen is not None:
            known = self._offered(CABLES)
            out[CABLES] = [known[value][1] for value in chosen if value in known]
        kept = {} if chosen == [] else dict(self._carried)
        return {kind: rows for kind, rows in out.items() if rows} or kept or None

    def cable_problems(self, cables: str) -> list[Problem]:
        """Names in the line of own cables that stand for none."""
        return unknown_cables(chosen_in(cables) or (), {value: {} for value in self._offered(CABLES)})

    def _put(self, out: Context, row: OwnPart) -> None:
        """A part's newest revision in the place of the one that is carried, with the NICs that a server names."""
        values = row.latest.values
        rows = out.setdefault(row.kind, [])
        at = next((i for i, one in enumerate(rows) if isinstance(one, Mapping) and one.get("id") == row.key), len(rows))
        rows[at : at + 1] = [values]
        for network in values.get("networks") or ():
            nic = self._live.get(str(network.get("nic") or ""))
            if nic and nic.key not in {one.get("id") for one in out.get("nics", ()) if isinstance(one, Mapping)}:
                self._put(out, nic)


def without_revisions(typed: Mapping[str, str]) -> dict[str, str]:
    """What a form holds, with own parts by their ids alone: the design carries them at the revision that was chosen."""
    cables, out = field_name(OWN_CABLES), dict(typed)
    for name in (*map(field_name, KIND_OF), cables):
        named = [one.strip() for one in out.get(name, "").split(",")]
        if any(is_own(one) and NEWEST in one for one in named):
            out[name] = ", ".join(one.partition(NEWEST)[0] for one in named)
    return out


def _rates(values: Mapping[str, Any]) -> set[Any]:
    splits = values.get("splits")
    rows = splits if isinstance(splits, list) else []
    return {values.get("port_rate_gbit_s"), *(one.get("port_rate_gbit_s") for one in rows if isinstance(one, Mapping))}


def _name(values: Mapping[str, Any]) -> str:
    return f"{values.get('vendor', '')} {values.get('model', '')}".strip()[:120]
