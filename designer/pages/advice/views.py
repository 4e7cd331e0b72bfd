"""InfiniBand or RoCE: a page of its own, and a panel beside a design."""

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from designer.charts.advice import advice_charts, generations_chart
from designer.models import Design
from designer.pages.advice.page import (
    DEFAULT_GPUS,
    DEFAULT_RATE,
    DEFAULT_SERVER,
    PRIORITY_LABELS,
    RATES,
    advised,
    asked_values,
    budget_of,
    servers_of,
)
from designer.services.access import design_page, design_to_see, owner_of
from designer.services.shown_page import version_asked
from designer.wording.context import Context
from designer.wording.query import one_of
from estimator.catalog.loader import load_catalog
from estimator.compare.advice import generation_steps
from estimator.errors import EstimatorError

DESIGNS_OFFERED = 100


@login_required
@require_safe
def advice(request: HttpRequest) -> HttpResponse:
    """Which family suits a design or a size, why, what speaks against it and what would change it."""
    query, catalog = request.GET, load_catalog()
    steps, priority = generation_steps(catalog), one_of(query.get("priority"), PRIORITY_LABELS)
    offered = list(owner_of(request).designs.order_by("-updated_at").only("pk", "name")[:DESIGNS_OFFERED])
    drawn = [generations_chart(steps)]
    context: Context = {
        "section": "start",
        "offered": offered,
        "servers": servers_of(catalog),
        "rates": list(RATES),
        "priorities": PRIORITY_LABELS,
        "priority": priority,
        "asked": {
            "gpus": query.get("gpus") or DEFAULT_GPUS,
            "server": query.get("server") or DEFAULT_SERVER,
            "rate": query.get("rate") or DEFAULT_RATE,
            "budget": query.get("budget", ""),
        },
        "generations": steps,
        "charts": drawn,
    }
    try:
        design = _design_of(request)
        values = design.given if design else asked_values(query, catalog)
        found = advised(values, priority, budget_of(query.get("budget")))
        charts = [*advice_charts(found.advice, found.pair, catalog), *drawn]
        context |= vars(found) | {"design": design, "charts": charts}
    except EstimatorError as error:
        return render(request, "designer/advice/advice.html", context | {"problems": error.problems}, status=422)
    return render(request, "designer/advice/advice.html", context)


def _design_of(request: HttpRequest) -> Design | None:
    """The owner's design that the address names, or None where it names none."""
    text = request.GET.get("design")
    if not text:
        return None
    try:
        key = UUID(text)
    except ValueError:
        key = UUID(int=0)
    return get_object_or_404(Design, pk=key, owner=owner_of(request))


@design_page
@require_safe
def advice_panel(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """The conclusion alone, for the page of a design or of its version."""
    design = design_to_see(request, design_id)
    context: Context = {"design": design} | version_asked(request, design)
    shown = context.get("version_shown", design)
    try:
        context |= vars(advised(shown.given, "balanced", None))
    except EstimatorError as error:
        context |= {"problems": error.problems}
    return render(request, "designer/advice/_panel.html", context)
