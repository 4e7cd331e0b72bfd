"""Own parts in the design form: those of the team and those that the design carries, beside the catalog's."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from django import forms
from django.contrib.auth.models import User

from designer.forms.keys import field_name
from designer.models import OwnPart
from designer.wording.context import Context
from estimator.catalog.loader import load_catalog
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
        rows = (
            OwnPart.with_latest(OwnPart.of(self._owner).filter(kind__in=set(KIND_OF.values()))) if self._owner else ()
        )
        return {row.key: row for row in rows}

    def _of_kind(self, kind: str) -> dict[str, Mapping[str, Any]]:
        rows = self._carried.get(kind)
        listed = rows if isinstance(rows, list) else []
        return {str(one.get("id")): one for one in listed if isinstance(one, Mapping)}

    def _options(self, kind: str) -> list[tuple[str, str]]:
        carried = self._of_kind(kind)
        out = [(key, f"{_name(one)}, as in this design") for key, one in carried.items()]
        for key, row in self._live.items():
            if row.kind != kind:
                continue
            latest = row.latest
            if key not in carried:
                out.append((key, _name(latest.values)))
            elif carried[key].get("revision") != latest.number:
                out.append((f"{key}{NEWEST}{latest.number}", f"{_name(latest.values)}, revision {latest.number}"))
        return out

    def offer(self, fields: Mapping[str, Any]) -> None:
        """Put the options into the fields' lists, before "custom"."""
        for path, kind in KIND_OF.items():
            options = self._options(kind)
            widget = fields[field_name(path)].widget
            if options and isinstance(widget, forms.Select):
                choices = list(widget.choices)
                at = next((i for i, one in enumerate(choices) if one[0] == "custom"), len(choices))
                widget.choices = [*choices[:at], (GROUP, options), *choices[at:]]
                if kind == "switches":  # the page's script narrows these lists to the network's generation
                    vars(widget).update(fits={**getattr(widget, "fits", {}), **self._fits()})

    def _fits(self) -> dict[str, str]:
        """Generations of a network that each own switch has ports for, by the values of the options."""
        known = load_catalog().generations.items()
        newest = {key: row.latest.values for key, row in self._live.items() if row.kind == "switches"}
        out = {f"{key}{NEWEST}{one.get('revision')}": one for key, one in newest.items()}
        out |= newest | self._of_kind("switches")
        return {
            value: " ".join(
                key
                for key, generation in known
                if generation.protocol == one.get("protocol") and generation.port_rate_gbit_s in _rates(one)
            )
            for value, one in out.items()
        }

    def taken(self, values: Context) -> Context | None:
        """``own_parts`` of a request whose fields name parts; ids with a newer revision lose its number."""
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
        return {kind: rows for kind, rows in out.items() if rows} or (dict(self._carried) or None)

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


def _rates(values: Mapping[str, Any]) -> set[Any]:
    splits = values.get("splits")
    rows = splits if isinstance(splits, list) else []
    return {values.get("port_rate_gbit_s"), *(one.get("port_rate_gbit_s") for one in rows if isinstance(one, Mapping))}


def _name(values: Mapping[str, Any]) -> str:
    return f"{values.get('vendor', '')} {values.get('model', '')}".strip()[:120]
