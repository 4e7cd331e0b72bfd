"""Changing a saved design from a page, or branching one off: the next revision and its estimate, told in a message."""

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from designer.edits import keep_saved
from designer.models import Design
from designer.services import request_estimate, save_design
from designer.variants import branch
from estimator.catalog.loader import load_catalog
from estimator.changes import Change, apply_change
from estimator.errors import EstimatorError
from estimator.pipeline import estimate
from estimator.spec import parse_spec


def tab_page(row: Design, tab: str) -> str:
    """Address of one tab of a design's result."""
    return f"{reverse('design', args=[row.pk])}?tab={tab}#result"


def revise(
    request: HttpRequest, row: Design, given: Mapping[str, Any], change: Mapping[str, Any], tab: str
) -> HttpResponse:
    """Save ``given`` with ``change`` as the next revision and queue its estimate; what cannot be built is only told."""
    before = row.latest.number
    try:
        spec = parse_spec(apply_change(given, change), load_catalog())
        estimate([spec], load_catalog(), parts=("counts",))
        with transaction.atomic():
            saved = save_design(row.owner, spec, row)
            keep_saved(saved)
            request_estimate(row.owner, spec)
    except EstimatorError as error:
        words = error.words()
        messages.error(request, f"Nothing was changed, as this could not be built: {words}")
        return redirect(tab_page(row, tab))
    number = saved.latest.number
    if number == before:
        messages.success(request, f"Nothing was changed: revision {number} says that already.")
    else:
        messages.success(request, f"Saved as revision {number}. Revision {before} is kept: you can go back to it.")
    return redirect(tab_page(row, tab))


def branch_off(
    request: HttpRequest, row: Design, said: Callable[[Design], str], back: str, change: Change | None = None
) -> HttpResponse:
    """Branch a variant off a design, ask for its estimate and open it.

    ``said`` tells of the variant; where none can be made, the visitor goes ``back``.
    """
    try:
        made = branch(row.owner, row, change)
    except EstimatorError as error:
        messages.error(request, f"No variant was made: {error.words()}")
        return redirect(back)
    try:
        request_estimate(row.owner, parse_spec(made.latest.given, load_catalog()))
    except EstimatorError as error:  # the variant is there: its page asks again
        messages.warning(request, error.words())
    messages.success(request, said(made))
    return redirect("design", made.pk)
