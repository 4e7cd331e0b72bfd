"""What the sliders of the cost tab ask for: the cost with figures moved, and those figures put into the design."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from designer.models import Design
from designer.pages.result.cost.sliders import change_of
from designer.pages.result.cost.tab import is_complete, what_if_context
from designer.services.access import design_page, design_to_change, design_to_see, job_to_see
from designer.services.designs.what_if import kept_cost
from designer.services.revising import revise, tab_page
from designer.services.shown_page import version_asked
from estimator.cost.result import Cost
from estimator.jobs.models import EstimateJob

TAB = "cost"


def _asked(request: HttpRequest, design_id: UUID, job_id: UUID) -> tuple[Design, EstimateJob, Cost]:
    """The design, the job without its result, and the cost of that."""
    row = design_to_see(request, design_id)
    job = job_to_see(request, row, job_id, defer=("result",))
    cost = kept_cost(job)
    if not is_complete(cost):
        raise Http404("This estimate has no cost to move.")
    return row, job, cost


@design_page
@require_POST
def cost_what_if(request: HttpRequest, design_id: UUID, job_id: UUID) -> HttpResponse:
    """The figures with what was moved; nothing is stored."""
    row, job, cost = _asked(request, design_id, job_id)
    context = {
        "design": row,
        "job": job,
        "cost": cost,
        "is_answer": True,
        **what_if_context(job, cost, request.POST),
        **version_asked(request, row),
    }
    return render(request, "designer/result/cost/_what_if.html", context)


@design_page
@require_POST
def cost_apply(request: HttpRequest, design_id: UUID, job_id: UUID) -> HttpResponse:
    """Change the design to what was moved, and ask for its estimate."""
    design_to_change(request, design_id)
    row, job, cost = _asked(request, design_id, job_id)
    if row.spec_hash != job.spec_hash:
        messages.error(request, "The design has changed since this estimate. Move the figures on its new estimate.")
        return redirect(tab_page(row, TAB))
    return revise(request, row, change_of(request.POST, cost, job.spec), TAB)
