"""A sweep as a form: a design in a few fields, one or two fields that vary, and the figures that are drawn."""

import re
from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib.auth.models import User

from designer.forms.asking import ask, number_of
from designer.forms.design import DesignForm
from designer.forms.explore import SIZES, fixed_of, size_path
from designer.forms.keys import ALL_KEYS, SIZE, SIZE_UNIT, field_name, write_path
from designer.forms.workloads import WORK_CONTROLS, work_asked, work_fields, work_initial
from designer.wording.numbers import message_size
from estimator.record import Given, Json
from estimator.search.figures import FIGURES
from estimator.search.request import DEFAULT_BYTES, MOST_FIGURES

BASE_PATHS = (
    "compute.server",
    "fabric.generation",
    "fabric.layout",
    "fabric.oversubscription",
    "fabric.leaf_switch",
    "fabric.tiers",
)
SWEPT = (
    "compute.gpus",
    "compute.nodes",
    "fabric.oversubscription",
    "fabric.generation",
    "fabric.layout",
    "fabric.planes",
    "fabric.tiers",
    "fabric.leaf_switch",
    "fabric.least_spines",
    "fabric.spine_oversubscription",
    "fabric.rails_per_leaf",
    "site.node_leaf_m",
    "site.leaf_spine_m",
    "site.spine_core_m",
    "economics.years",
    "economics.utilization",
    "economics.electricity_usd_per_kwh",
    "economics.pue",
    "economics.volume_discount",
    "economics.discount_rate",
)
N_FIGURES = 3
HINT = "A list such as 1:1, 2:1, or a range such as 64 to 16384 ×2, or 1 to 10 step 1."
_RANGE = re.compile(r"^(\S+)\s+to\s+(\S+)(?:\s+(?:step|by)\s+(\S+)|\s*[×x*]\s*(\S+))?$", re.IGNORECASE)
_FIGURE_NAME = re.compile(r"figure\d{1,2}")
_BETWEEN = re.compile(r"[,;\s]+")


class SweepForm(forms.Form):
    """What is drawn; ``values`` is a sweep's request that it begins with, ``data`` what a browser sends."""

    def __init__(self, data: Any = None, *, values: Given | None = None, owner: User | None = None) -> None:
        values = values or {}
        base = values.get("base")
        design = DesignForm(values=fixed_of(base if isinstance(base, Mapping) else {}), owner=owner)
        names = (*map(field_name, BASE_PATHS), SIZE, SIZE_UNIT)
        initial = {name: value for name, value in design.initial.items() if name in names}
        super().__init__(data, initial={**initial, **_initial_of(values)}, use_required_attribute=False)
        for name in names:
            self.fields[name] = design.fields[name]
        swept = [(path, str(ALL_KEYS[path].info.title)) for path in SWEPT]
        figures = [(name, figure.title) for name, figure in FIGURES.items()]
        sizes = [(str(size), message_size(size)) for size in SIZES]
        asks: dict[str, forms.Field] = {
            "x": ask("Along", choices=swept),
            "x_values": ask("Values", HINT, autocomplete="off"),
            "y": ask("and", choices=[("", "nothing else"), *swept]),
            "y_values": ask("Values of the second", autocomplete="off"),
            "at_bytes": ask("Message size", choices=sizes),
        }
        self.n_figures = _n_figures(data or {}, values)
        for at in range(self.n_figures):
            asks[f"figure{at}"] = ask(f"Figure {at + 1}", choices=[("", "none")] * bool(at) + figures)
        self.fields.update(asks | work_fields())

    def design_fields(self) -> list[forms.BoundField]:
        """Fields of the design."""
        return [self[name] for name in (*map(field_name, BASE_PATHS[:1]), SIZE, *map(field_name, BASE_PATHS[1:]))]

    def figures(self) -> list[forms.BoundField]:
        """Which figures are drawn."""
        return [self[f"figure{at}"] for at in range(self.n_figures)]

    def work_controls(self) -> list[forms.BoundField]:
        """What runs on the design."""
        return [self[name] for name in WORK_CONTROLS]

    def asked(self) -> Json:
        """The request of a sweep, as it was typed and before any rule."""
        self.is_valid()
        given = self.cleaned_data
        base: Json = {}
        swept = [given.get("x"), given.get("y")]
        for path in BASE_PATHS:
            typed = given.get(field_name(path))
            if typed and path not in swept:
                value = ALL_KEYS[path].parse(typed)
                write_path(base, path, None if value == ALL_KEYS[path].info.default else value)
        if given.get(SIZE):
            at = size_path(given.get(SIZE_UNIT))
            write_path(base, at, ALL_KEYS[at].parse(given[SIZE]))
        spans = {name: _span(given.get(name), given.get(f"{name}_values")) for name in ("x", "y")}
        figures = [given[f"figure{at}"] for at in range(self.n_figures) if given.get(f"figure{at}")]
        asked: Json = {"base": {key: section for key, section in base.items() if section}, **spans}
        asked |= {"figures": list(dict.fromkeys(figures)), "at_bytes": number_of(given.get("at_bytes"))}
        asked |= {"workload": work_asked(given)}
        return {key: value for key, value in asked.items() if value is not None}


def _n_figures(data: Given, values: Given) -> int:
    """Figures that the form has room for: all that are given, and N_FIGURES at least."""
    held = values.get("figures")
    sent = [int(name.removeprefix("figure")) + 1 for name in data if _FIGURE_NAME.fullmatch(name)]
    return min(max([N_FIGURES, len(held) if isinstance(held, list) else 0, *sent]), MOST_FIGURES)


def _span(field: str | None, typed: str | None) -> Json | None:
    """A field that varies with its values; None where none does."""
    return {"field": field, "values": _values(field, typed or "")} if field else None


def _values(path: str, text: str) -> Any:
    """A list or a range, as it was typed."""
    plain = text.strip().replace("\N{NO-BREAK SPACE}", " ")
    if found := _RANGE.match(plain):
        ends = dict(zip(("from", "to", "step", "factor"), found.groups(), strict=True))
        return {key: number_of(end) for key, end in ends.items() if end is not None}
    key = ALL_KEYS.get(path)
    return [key.parse(one) if key else one for one in _BETWEEN.split(plain) if one]


def text_of_values(values: Any) -> str:
    """A list or a range as one types it."""
    if isinstance(values, list):
        return ", ".join(str(one) for one in values)
    if not isinstance(values, Mapping):
        return ""
    ends = f"{values.get('from')} to {values.get('to')}"
    by = {" ×": values.get("factor"), " step ": values.get("step")}
    return ends + "".join(f"{word}{amount}" for word, amount in by.items() if amount is not None)


def _initial_of(values: Given) -> Json:
    out: Json = {"at_bytes": values.get("at_bytes") or DEFAULT_BYTES}
    for name in ("x", "y"):
        span = values.get(name)
        if isinstance(span, Mapping):
            out |= {name: span.get("field"), f"{name}_values": text_of_values(span.get("values"))}
    figures = values.get("figures")
    out |= work_initial(values)
    out |= {f"figure{at}": name for at, name in enumerate(figures if isinstance(figures, list) else [])}
    return out
