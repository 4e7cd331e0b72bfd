"""Pinned designs: up to six of an owner's, kept in sight beside whichever one is open."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max

from designer.comparison_items import resolved_items
from designer.comparisons import create_comparison
from designer.current_state import figures_now
from designer.headlines import changes
from designer.models import Comparison, Design, Pin
from designer.summary import FIGURES, summary_cells
from estimator.errors import EstimatorError, Problem

MOST_PINS = 6


class NothingPinned(EstimatorError):
    """There is no other pinned design to compare with."""

    code = "nothing_pinned"


class TooManyPins(EstimatorError):
    """An owner has as many designs pinned as one may have."""

    code = "too_many_pins"


@transaction.atomic
def pin(owner: User, design: Design) -> Pin:
    """Keep a design in sight, behind those that are pinned already.

    Raises
    ------
    TooManyPins
        If the owner has MOST_PINS designs pinned.
    """
    pins = Pin.objects.select_for_update().filter(owner=owner)
    if (found := pins.filter(design=design).first()) is not None:
        return found
    if pins.count() >= MOST_PINS:
        message = f"{MOST_PINS} designs are pinned, the most there can be. Unpin one of them first."
        raise TooManyPins([Problem("", TooManyPins.code, message)])
    position = (pins.aggregate(Max("position"))["position__max"] or 0) + 1
    return Pin.objects.create(owner=owner, design=design, position=position)


def unpin(owner: User, design: Design) -> None:
    """Keep a design in sight no longer."""
    Pin.objects.filter(owner=owner, design=design).delete()


def pinned(owner: User) -> list[Design]:
    """The owner's pinned designs, in the order in which they were pinned."""
    pins = Pin.objects.filter(owner=owner).select_related("design__owner").order_by("position")
    return [one.design for one in pins]


def strip(owner: User, design: Design) -> dict[str, Any]:
    """The pinned designs beside the open one: figures of each, and how far they are from the live ones."""
    others = pinned(owner)
    if not others:
        return {"pins": [], "is_pinned": False}
    live = figures_now(design)
    rows = []
    for other in others:
        is_open = other.pk == design.pk
        figures = live if is_open else figures_now(other)
        cells = summary_cells(figures, changes(figures, live)) if figures else []
        rows.append({"design": other, "cells": cells, "is_open": is_open})
    heads = [figure.name for figure in FIGURES]
    return {"pins": rows, "pin_heads": heads, "is_pinned": any(row["is_open"] for row in rows)}


def compare_pinned(owner: User, design: Design) -> Comparison:
    """A comparison of the open design, which is the baseline, with the pinned ones, each as it stands.

    Raises
    ------
    EstimatorError
        If there is none to compare with, or one of them cannot be built.
    """
    others = [other for other in pinned(owner) if other.pk != design.pk]
    if not others:
        message = "No other design is pinned. Pin the ones to compare with first."
        raise NothingPinned([Problem("", NothingPinned.code, message)])
    return create_comparison(owner, resolved_items(owner, [{"design": str(one.pk)} for one in (design, *others)]))
