"""A request that becomes a design of whoever sends the page."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from designer.services.access import owner_of
from designer.services.designs.saving import request_estimate, save_design
from estimator.errors import EstimatorError
from estimator.spec.design import DesignSpec


def kept_as_design(request: HttpRequest, spec: DesignSpec) -> HttpResponse:
    """The spec as a design of the owner, with its estimate requested; the answer leads to its page."""
    design = save_design(owner_of(request), spec)
    try:
        request_estimate(owner_of(request), spec)
    except EstimatorError as error:  # the design is kept: its page has the button
        messages.warning(request, error.words())
    messages.success(request, f"“{design.name}” is a design of yours now.")
    return redirect("design", design.pk)
