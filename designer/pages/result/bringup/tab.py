"""The tab of bring-up: the order of work in a few figures, and the ways to the checklist and to acceptance."""

from designer.models import Design
from designer.pages.result.bringup.checklist import progress_of
from designer.services.bringup.checklists import checklist_for, with_ticks
from designer.services.shown_page import ShownPage
from designer.wording.context import Context
from estimator.errors import EstimatorError
from estimator.jobs.models import EstimateJob
from estimator.result import PricedEstimate


def bringup_context(job: EstimateJob, estimate: PricedEstimate, page: ShownPage) -> Context:
    """Phases and crews of the state that is shown, with what is ticked of it."""
    try:
        made = checklist_for(estimate.spec, job.spec_hash)
    except EstimatorError as error:
        return {"checklist_problems": error.problems}
    ticked = with_ticks(Design.objects.get(pk=page.design_id), made.items)
    return {"checklist": made, **progress_of(made, ticked)}
