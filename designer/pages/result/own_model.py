"""A model of the reader's own for the workloads tab: read, packed into its address, or refused beside the fields."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST
from django_htmx.http import HttpResponseClientRedirect

from designer.forms.workloads import OwnModelForm, PlacementForm, ServingForm, TrainingForm
from designer.pages.result.job import job_or_404, result_or_404
from designer.services.access import design_page
from designer.services.shown_page import shown_page, version_asked
from designer.services.workloads.own_models import packed, packed_keys
from estimator.errors import Problem, SpecError

BOTH = ("train_model", "serve_model")
FIELDS = {"train": BOTH[:1], "serve": BOTH[1:], "both": BOTH}


@design_page
@require_POST
def own_model(request: HttpRequest, design_id: UUID, job_id: UUID) -> HttpResponse:
    """The tab with a model of the reader's own, in its address; what is refused stands beside the fields."""
    row, job = job_or_404(request, design_id, job_id)
    result_or_404(job)
    of_version = version_asked(request, row)
    page = shown_page({"design": row} | of_version)
    form = OwnModelForm(request.POST)
    names = [name for one in (TrainingForm, ServingForm, PlacementForm) for name in one.base_fields]
    carried = {name: request.POST[name] for name in names if request.POST.get(name)}
    changed = {}
    with form.refusing():
        changed = dict.fromkeys(FIELDS.get(form.text("own_use"), BOTH), _packed(form))
    address = page.link({"tab": "workloads", **carried, **changed}, "result")
    if changed:
        return HttpResponseClientRedirect(address) if request.htmx else redirect(address)  # type: ignore[attr-defined]
    if request.htmx:  # type: ignore[attr-defined]
        context = {"own_form": form, "carried": list(carried.items()), "design": row, "job": job, **of_version}
        return render(request, "designer/result/workloads/_own_model.html", context)
    for errors in form.errors.values():
        messages.error(request, " ".join(map(str, errors)))
    return redirect(address)


def _packed(form: OwnModelForm) -> str:
    """What was pasted or typed, as the value of a model's field."""
    text, keys = form.text("own_config").strip(), form.keys()
    if text and keys:
        message = "A config.json and plain fields were both given. Clear one of the two."
        raise SpecError([Problem("own_config", "contradiction", message)])
    return packed(text, "own_config") if text else packed_keys(keys, "own")
