"""Sweeps of the page: what one begins with, its answer, and a point of it as a design."""

from django.contrib.auth.models import User

from designer.forms.sweep import BASE_PATHS
from designer.models import Design
from designer.services.designs.beginnings import NEW_DESIGN
from designer.services.designs.saving import save_design
from designer.services.searches.asking import name_found, over_design, with_shown
from estimator.catalog.loader import load_catalog
from estimator.jobs.tasks import VERBS
from estimator.pipeline import estimate
from estimator.record import Given, Json
from estimator.search.request import AT_ONCE
from estimator.search.result import Sweep
from estimator.search.sweep import sweep, without_sizes
from estimator.spec.change import SIZES, apply_change
from estimator.spec.parse import parse_spec

USUAL_SPAN = {"field": "compute.gpus", "values": {"from": 64, "to": 16_384, "factor": 2}}
USUAL_FIGURES = ["network_usd", "switches", "all_to_all_gb_s"]
SHOWN = (*BASE_PATHS, *SIZES)


def first_sweep(design: Design | None) -> Json:
    """What the page begins with: how price, switches and bandwidth go with the number of GPUs."""
    base = with_shown(design.given, SHOWN) if design else NEW_DESIGN
    return {"base": base, "x": USUAL_SPAN, "figures": USUAL_FIGURES}


def whole_sweep(asked: Given, design: Design | None) -> Json:
    """The request with all of a design that the form does not show."""
    return dict(asked) if design is None else {**asked, "base": over_design(design, asked.get("base"), SHOWN)}


def swept(asked: Given, design: Design | None) -> Sweep:
    """The answer, within what one waits for.

    Raises
    ------
    EstimatorError
        With what is wrong with the request.
    """
    return sweep(whole_sweep(asked, design), load_catalog(), estimate, AT_ONCE, VERBS)


def open_point(owner: User, asked: Given, design: Design | None, values: Given) -> Design:
    """Keep a point of a sweep as a design of its own; a variant where the sweep began at one.

    Raises
    ------
    SpecError
        If its request is wrong.
    """
    base = without_sizes(whole_sweep(asked, design).get("base", {}), tuple(values))
    spec = parse_spec({**apply_change(base, values), **name_found(design)}, load_catalog())
    row = save_design(owner, spec)
    if design is not None:
        row.parent = design
        row.save(update_fields=["parent"])
    return row
