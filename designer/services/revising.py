"""Changing a design from a page, or branching one off: the edit and its estimate, reported in a message."""

from collections.abc import Callable

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse

from designer.models import Design
from designer.services.access import name_of
from designer.services.designs.saving import request_estimate, save_design
from designer.services.designs.state import fresh, spec_of
from designer.services.designs.variants import branch
from estimator.catalog.loader import load_catalog
from estimator.errors import Change, EstimatorError
from estimator.pipeline import estimate
from estimator.record import Given
from estimator.spec.change import apply_change
from estimator.spec.parse import parse_spec


def tab_page(row: Design, tab: str) -> str:
    """Address of one tab of a design's result."""
    return f"{reverse('design', args=[row.pk])}?tab={tab}#result"


def revise(request: HttpRequest, row: Design, change: Given, tab: str, given: Given | None = None) -> HttpResponse:
    """Change the design as it is by now, as one edit, and queue its estimate; what cannot be built is only reported.

    With ``given``, that takes the place of what the design says.
    """
    try:
        with transaction.atomic():
            row = fresh(get_object_or_404(Design.objects.select_for_update(), pk=row.pk))
            before = row.spec_hash, row.given
            spec = parse_spec(apply_change(row.given if given is None else given, change), load_catalog())
            estimate([spec], load_catalog(), parts=("counts",))
            save_design(row.owner, spec, row, by=name_of(request))
            request_estimate(row.owner, spec)
    except EstimatorError as error:
        words = error.words()
        messages.error(request, f"Nothing was changed, as this could not be built: {words}")
        return redirect(tab_page(row, tab))
    if (row.spec_hash, row.given) == before:
        messages.success(request, "Nothing was changed: the design says that already.")
    else:
        messages.success(request, "The design was changed. Undo reverts it.")
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
        request_estimate(row.owner, spec_of(made))
    except EstimatorError as error:  # the variant is there: its page asks again
        messages.warning(request, error.words())
    messages.success(request, said(made))
    return redirect("design", made.pk)
