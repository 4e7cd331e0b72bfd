"""Searches of the page: a request over a saved design, what it begins with, and what becomes of a design that it found."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User

from designer.forms.explore import PATHS
from designer.forms.keys import SIZE_KEYS
from designer.models import Design
from designer.services.designs.beginnings import NEW_DESIGN
from designer.services.designs.saving import save_design
from designer.services.labels import MAX_NAME
from estimator.catalog.loader import load_catalog
from estimator.jobs.tasks import VERBS
from estimator.pipeline import estimate
from estimator.record import Given, Json
from estimator.search.candidates import Template, with_values
from estimator.search.request import AT_ONCE
from estimator.search.result import Search
from estimator.search.search import search
from estimator.search.values import axes_of
from estimator.spec.change import apply_change
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec

RATIOS = ["1:1", "4:3", "3:2", "2:1", "3:1", "4:1"]
FRONT = ["network_usd", "all_to_all_gb_s"]
USUAL = {"objective": FRONT[0], "pareto": FRONT, "top": 50}
SHOWN = (*PATHS, *SIZE_KEYS.values())


def first_request(design: Design | None) -> Json:
    """What the page begins with: the design's own fields, and left open what leaves its servers and its size as they are."""
    catalog = load_catalog()
    given: Given = design.given if design else NEW_DESIGN
    base = with_shown(given)
    opened = {"fabric.oversubscription": RATIOS}
    free = ["fabric.leaf_switch", "fabric.layout"]
    if not Template(0, parse_spec(given, catalog)).is_plain(catalog):
        free = ["fabric.layout"]  # each candidate is estimated by itself: few at once
    return {"base": apply_change(base, opened), "free": free, **USUAL}


def with_shown(given: Given, shown: Sequence[str] = SHOWN) -> Json:
    """A request's fields that a form shows."""
    out: Json = {}
    for path in shown:
        section, _, key = path.partition(".")
        held = given.get(section)
        if isinstance(held, Mapping) and held.get(key) is not None:
            out.setdefault(section, {})[key] = held[key]
    return out


def whole_request(asked: Given, design: Design | None) -> Json:
    """The request with all of a design that the form does not show, and the design to measure by."""
    if design is None:
        return dict(asked)
    return {**asked, "base": over_design(design, asked.get("base")), "present": dict(design.given)}


def over_design(design: Design, base: Any, shown: Sequence[str] = SHOWN) -> Any:
    """A base as a form has it over what the form does not show of a design."""
    return _over(apply_change(design.given, dict.fromkeys(shown)), base)


def _over(rest: Given, base: Any) -> Any:
    """Sections of a base over those of a design."""
    if not isinstance(base, Mapping):
        return base
    over = {key: _over(rest.get(key) or {}, value) if _is_section(value) else value for key, value in base.items()}
    return {**rest, **over}


def _is_section(value: Any) -> bool:
    return isinstance(value, Mapping) and not set(value) <= {"from", "to", "step", "factor"}


def found(asked: Given, design: Design | None) -> Search:
    """The answer, within what one waits for.

    Raises
    ------
    EstimatorError
        With what is wrong with the request.
    """
    return search(whole_request(asked, design), load_catalog(), estimate, AT_ONCE, VERBS)


def spec_found(asked: Given, design: Design | None, values: Given) -> DesignSpec:
    """The design of a search whose open fields have some values.

    Raises
    ------
    SpecError
        If it is none that can stand by itself.
    """
    whole, catalog = whole_request(asked, design), load_catalog()
    fixed, _ = axes_of(whole.get("base", {}), whole.get("free", ()), catalog)
    return parse_spec({**with_values(fixed, values), **name_found(design)}, catalog)


def name_found(design: Design | None) -> Json:
    """The name of what was found from a design; without one it is named by what it is."""
    return {"name": f"{design.name[: MAX_NAME - 16]}, found"} if design else {}


def open_found(owner: User, asked: Given, design: Design | None, values: Given) -> Design:
    """Keep a found design as a design of its own; a variant where the search began at one."""
    row = save_design(owner, spec_found(asked, design, values))
    if design is not None:
        row.parent = design
        row.save(update_fields=["parent"])
    return row
