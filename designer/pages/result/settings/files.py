"""The settings files of a design: listed by target, each beside its sources, alone or as one archive; the plan as JSON."""

from typing import cast
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from designer.exports.file_names import design_file_stem
from designer.exports.links import archive_answer
from designer.pages.result.job import job_or_404, result_or_404
from designer.pages.sending import attachment
from designer.services.access import design_page
from designer.services.bringup.archives import asked_archive
from designer.services.bringup.choosing import choices_asked, kind_of
from designer.services.bringup.plans import State, names_for, overview_for, plan_for, state_of_job
from designer.services.shown_page import version_asked
from designer.wording.context import Context
from designer.wording.query import Page, one_of, page_number, rows_on
from estimator.bringup.plan.value import TRUSTS
from estimator.bringup.renderings.annotated import blocks, by_note
from estimator.bringup.renderings.target import File
from estimator.bringup.renderings.targets import TARGETS, archive, file_of, plan_answer
from estimator.errors import EstimatorError

PAGE, ARCHIVE = "designer/result/bringup/settings.html", "designer/result/bringup/archive.html"
MOST_LINES, MOST_PLACES = 1_500, 4  # of a file, and of a value in it, on the page; the file itself has all
SOURCES = ".sources.csv"
LONGEST_SEARCH = 80


@design_page
@require_safe
def settings_files(request: HttpRequest, design_id: UUID, job_id: UUID) -> HttpResponse:
    """The files of a target; with ``file`` one of them, shown beside its sources or sent."""
    row, job = job_or_404(request, design_id, job_id)
    result_or_404(job)
    context: Context = {"design": row, "job": job, "trusts": TRUSTS} | version_asked(request, row)
    try:
        chosen = choices_asked(request.GET)
        context |= {"choices": chosen}
        state = state_of_job(job, chosen)
        targets = overview_for(state).plan.targets
        target = one_of(request.GET.get("target"), targets)
        context |= {"targets": [(key, TARGETS[key]) for key in targets], "target": target, "label": TARGETS[target]}
        if name := request.GET.get("file"):
            file = file_of(plan_for(state), target, name)
            if request.GET.get("format") == "file":
                return attachment(file.text, file.content_type, file.name.replace("/", "-"))
            return render(request, PAGE, context | {"file": file} | _taken_apart(state, target, file))
        context |= _listed(state, target, request.GET.get("find", "")[:LONGEST_SEARCH], request.GET.get("page"))
    except EstimatorError as error:
        return render(request, PAGE, context | {"problems": error.problems}, status=422)
    return render(request, PAGE, context)


def _listed(state: State, target: str, find: str, asked: str | None) -> Context:
    """A page of the names, of those with a part of it."""
    names = [name for name in names_for(state, target) if find.lower() in name.lower()]
    number, n_pages = page_number(asked, len(names))
    rows = [names[index] for index in rows_on(number, len(names))]
    return {"find": find, "page": Page(rows, number, n_pages, len(names))}


def _taken_apart(state: State, target: str, file: File) -> Context:
    """The file in blocks beside their notes, or of one without comments its values."""
    n_lines = file.text.count("\n")
    if file.name + SOURCES in names_for(state, target):
        return {"values": by_note(file_of(plan_for(state), target, file.name + SOURCES).text, MOST_PLACES)}
    return {"blocks": list(blocks(file.text, MOST_LINES)), "n_hidden": max(n_lines - MOST_LINES, 0)}


@design_page
@require_safe
def settings_archive(request: HttpRequest, design_id: UUID, job_id: UUID) -> HttpResponse:
    """All files of a target, or of all targets that the design has, as they are written; the way to a worker if they are many."""
    row, job = job_or_404(request, design_id, job_id)
    result_or_404(job)
    target = request.GET.get("target") or None
    context: Context = {"design": row, "job": job} | version_asked(request, row)
    try:
        chosen = choices_asked(request.GET)
        state = state_of_job(job, chosen)
        size, is_large = asked_archive(state, target)
        if is_large:
            context |= {"choices": chosen, "target": target or "", "label": TARGETS.get(target or ""), "size": size}
            return render(request, ARCHIVE, context)
        pieces = archive(plan_for(state), target)
        answer = archive_answer(pieces, job.name, job.spec_hash, kind_of(chosen, target or "settings"))
        return cast("HttpResponse", answer)  # pages are typed as answers that are whole
    except EstimatorError as error:
        return render(request, PAGE, context | {"problems": error.problems}, status=422)


@design_page
@require_safe
def settings_plan(request: HttpRequest, design_id: UUID, job_id: UUID) -> HttpResponse:
    """The typed plan as a JSON file."""
    _, job = job_or_404(request, design_id, job_id)
    result_or_404(job)
    try:
        chosen = choices_asked(request.GET)
        answer = plan_answer(plan_for(state_of_job(job, chosen)))
    except EstimatorError as error:
        raise Http404(error.words()) from None
    name = f"{design_file_stem(job.name, job.spec_hash, kind_of(chosen, 'plan'))}.json"
    return JsonResponse(answer.as_json(), headers={"Content-Disposition": f'attachment; filename="{name}"'})
