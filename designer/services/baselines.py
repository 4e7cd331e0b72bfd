"""Baselines: up to six states of an owner's designs, marked by name and frozen, that the open design is measured against."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from designer.models import Baseline, Comparison, Design
from designer.services.comparison_sides import resolved_items
from designer.services.comparisons import create_comparison
from designer.services.designs.figures import figures_of, kept
from designer.services.designs.state import figures_now
from designer.services.labels import MAX_NAME, checked_name
from designer.wording.headlines import Headlines, changes
from designer.wording.strip import FIGURES, summary_cells
from estimator.errors import EstimatorError, Problem
from estimator.record import Json

MOST_BASELINES = 6


class NoBaseline(EstimatorError):
    """There is no baseline to compare with, or no state that could be one."""

    code = "no_baseline"


class TooManyBaselines(EstimatorError):
    """An owner has as many baselines as one may have."""

    code = "too_many_baselines"


@transaction.atomic
def mark(owner: User, design: Design, name: str = "") -> Baseline:
    """Freeze the current state of a design, with its figures, as a baseline; without a name under the design's own.

    Raises
    ------
    TooManyBaselines
        If the owner has MOST_BASELINES.
    NoBaseline
        If the state cannot be built.
    SpecError
        For a name that is too long or cannot be printed.
    """
    if Baseline.objects.select_for_update().filter(owner=owner).count() >= MOST_BASELINES:
        message = f"There are {MOST_BASELINES} baselines, the most there can be. Remove one of them first."
        raise TooManyBaselines([Problem("", TooManyBaselines.code, message)])
    figures = figures_now(design)
    if figures is None:
        message = "This design cannot be built as it stands, and so it has no figures to measure against."
        raise NoBaseline([Problem("", NoBaseline.code, message)])
    named = checked_name(name) if name.strip() else design.name[:MAX_NAME]
    state = {"given": design.given, "spec_hash": design.spec_hash, "figures": figures.as_json()}
    return Baseline.objects.create(owner=owner, design=design, name=named, **state)


def baselines_of(owner: User) -> list[Baseline]:
    """The owner's baselines, the newest first, each with its figures: those of the day on which it was marked."""
    found = list(Baseline.objects.filter(owner=owner).select_related("design"))
    for one in found:
        if one.figures is None:  # it was a pin
            made = figures_of(one.given, one.spec_hash)
            one.figures = made.as_json() if made else None
            Baseline.objects.filter(pk=one.pk).update(figures=one.figures)
    return found


def against(owner: User, headlines: Headlines | None) -> Json:
    """The newest baseline, and by how much the figures of a page differ from it; nothing where there is none."""
    return _against(baselines_of(owner), headlines)


def strip(owner: User, design: Design) -> Json:
    """The baselines beside the open design: figures of each, and by how much the design differs from them."""
    return _strip(baselines_of(owner), design)


def strip_and_against(owner: User, design: Design, headlines: Headlines | None) -> Json:
    """What `strip` and `against` give, of baselines that are read once."""
    found = baselines_of(owner)
    return _strip(found, design) | _against(found, headlines)


def _against(found: list[Baseline], headlines: Headlines | None) -> Json:
    return {"baseline": found[0], "against": changes(headlines, kept(found[0]))} if found else {}


def _strip(found: list[Baseline], design: Design) -> Json:
    live = figures_now(design) if found else None
    rows = [
        {"baseline": one, "cells": summary_cells(figures, changes(live, figures)) if (figures := kept(one)) else []}
        for one in found
    ]
    return {"baselines": rows, "baseline_heads": [figure.name for figure in FIGURES]}


def compare_with_baselines(owner: User, design: Design) -> Comparison:
    """A comparison of the baselines, the newest of them first, with the open design as it stands.

    Raises
    ------
    EstimatorError
        If there is no baseline, or one side cannot be built.
    """
    found = baselines_of(owner)
    if not found:
        message = "There is no baseline to compare with. Mark a state as one first."
        raise NoBaseline([Problem("", NoBaseline.code, message)])
    items = [{"spec": one.given, "label": one.name} for one in found]
    return create_comparison(owner, resolved_items(owner, [*items, {"design": str(design.pk)}]))
