"""The part of a comparison's page in which one model is trained and one is served on every design."""

from django.utils.http import urlencode

from designer.models import Comparison
from designer.services.workloads.offered import offer_models
from designer.services.workloads.side_by_side import SERVING, TRAINING, compared_forms, compared_workloads
from designer.wording.comparison import FigureGroup, figure_row
from designer.wording.context import Context
from estimator.errors import EstimatorError
from estimator.record import Given

ASKED = ("train_model", "serve_model")


def workloads_context(row: Comparison, query: Given) -> Context:
    """The forms, and the figures where the address asks for them: two searches a design are not made unasked."""
    forms = compared_forms(row, query)
    offer_models(query, forms[0].fields["train_model"], forms[1].fields["serve_model"])
    context: Context = {"workload_forms": [(TRAINING, forms[0]), (SERVING, forms[1])]}
    if not any(query.get(name) for name in ASKED):
        return context
    both = {name: text for form in forms for name, text in form.data.items() if text}
    context["workload_query"] = urlencode(both)
    training, serving = forms
    try:
        shown = compared_workloads(row, training, serving)
    except EstimatorError as error:
        training.refuse(one for one in error.problems if one.field in training.fields)
        serving.refuse(one for one in error.problems if one.field not in training.fields)
        return context
    rows = [figure_row(figure, shown.baseline) for figure in shown.figures]
    groups = [FigureGroup(name, [one for one in rows if one.group == name]) for name in (TRAINING, SERVING)]
    return context | {"workloads": shown, "workload_groups": [group for group in groups if group.rows]}
