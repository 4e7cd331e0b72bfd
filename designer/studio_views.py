"""The session of a design: every edit kept as it is made, steps back and forth, and the estimate that follows by itself."""

from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from designer.access import design_page, design_to_change, design_to_see, owner_of, visiting
from designer.diagrams import fabric_svg
from designer.edits import (
    MAX_TYPED_CHARACTERS,
    ChangedMeanwhile,
    edit_in_sight,
    figures_before,
    move,
    record,
    seen_of,
    typed_differences,
    typed_now,
    typed_of,
)
from designer.forms import DesignForm
from designer.headlines import changes
from designer.job_page import job_part
from designer.kept_figures import to_keep
from designer.live import live_context
from designer.models import Design, DesignEdit
from designer.services import TooManyJobs, request_draft, save_design
from designer.sight import book_shown, head_context, page_context, sent_form, state_in_sight, with_book_shown
from designer.start_specs import start_spec
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError
from estimator.pipeline import estimate

CONFLICT = 409
MAX_STEP = 64
OPENED = "Design-Opened"  # the header that tells a page of an unsaved design where its design now is


@login_required
@require_POST
def edit_new(request: HttpRequest) -> HttpResponse:
    """The first edit of an unsaved design: it gets its row, in the state its page began with, then the edit.

    An edit that is sent again, because its answer was lost, finds the row that it made.
    """
    owner, step = owner_of(request), step_of(request)
    row = ("." in step and owner.designs.filter(edits__step=step).first()) or save_design(
        owner, start_spec(request.GET)
    )
    answer = _recorded(request, row, None)
    answer[OPENED] = reverse("design", args=[row.pk])
    return answer


@design_page
@require_POST
def edit(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """Keep what the form holds now, and answer with the figures of it."""
    row = design_to_change(request, design_id)
    try:
        return _recorded(request, row, request.POST.get("base") or None)
    except ChangedMeanwhile:
        there = Design.objects.get(pk=row.pk)
        now = edit_in_sight(there)
        form = DesignForm(
            owner=row.owner, only_book=book_shown(now.typed if now else None) if visiting(request) else None
        )
        differences = typed_differences(now.typed if now else {}, typed_of(request.POST), form)
        context = {"design": row, "seen": seen_of(there, now), "differences": differences}
        return render(request, "designer/_studio_conflict.html", context, status=CONFLICT)


def step_of(request: HttpRequest) -> str:
    """The name that a page gave an edit."""
    return request.POST.get("step", "")[:MAX_STEP]


def _recorded(request: HttpRequest, row: Design, base: str | None) -> HttpResponse:
    typed = typed_of(request.POST)
    if sum(len(text) for text in typed.values()) > MAX_TYPED_CHARACTERS:
        raise RequestDataTooBig
    if visiting(request):
        typed = with_book_shown(typed, typed_now(row))
    start = None
    if row.at == 0:
        start = to_keep(live_context(*state_in_sight(row)))
    form = sent_form(request.POST, row, is_visited=bool(visiting(request)))
    form.is_valid()
    live = live_context(form, form.spec)
    kept = record(row, typed, step_of(request), to_keep(live), base, start)
    return _live(request, row, kept, live | {"estimated_hash": request.POST.get("estimated_hash")})


def _live(request: HttpRequest, row: Design, kept: DesignEdit, live: dict[str, Any]) -> HttpResponse:
    """The parts of the page that an edit changes."""
    moved = changes(live.get("headlines"), figures_before(kept))
    context = live | head_context(row) | {"is_live": True, "since_edit": moved}
    return render(request, "designer/_live.html", context)


@design_page
@require_POST
def undo(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """Take the edit in sight back."""
    return _moved(request, design_id, -1)


@design_page
@require_POST
def redo(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """Do again what was taken back."""
    return _moved(request, design_id, 1)


def _moved(request: HttpRequest, design_id: UUID, by: int) -> HttpResponse:
    row = design_to_change(request, design_id)
    left = edit_in_sight(row)
    move(row, by)
    if not request.htmx and "Studio" not in request.headers:  # type: ignore[attr-defined]
        return redirect("design", row.pk)
    return state_answer(request, row, left)


@design_page
@require_safe
def state(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """The state in sight, with its form: for a page that another one has overtaken. Nothing for one that has it (``at``)."""
    row = design_to_see(request, design_id)
    if request.GET.get("at") == seen_of(row, edit_in_sight(row)):
        return HttpResponse(status=204)
    return state_answer(request, row)


def state_answer(request: HttpRequest, row: Design, left: DesignEdit | None = None) -> HttpResponse:
    """The parts of the page that show the state in sight, the form among them. ``left``: the edit that was in sight before."""
    form, spec = state_in_sight(row, is_visited=bool(visiting(request)))
    context = page_context(form, spec, row) | {"is_live": True, "with_form": True}
    if left and "estimate" in context:
        context["since_edit"] = changes(context["headlines"], left.figures or figures_before(left))
    context["estimated_hash"] = request.POST.get("estimated_hash") or request.GET.get("estimated_hash")
    return render(request, "designer/_live.html", context)


@design_page
@require_POST
def settle(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """Ask for the estimate of the state in sight, without saving a revision; nothing where it is invalid.

    Where too many of the owner's estimates run, the answer says so and asks again after a while.
    """
    row = design_to_change(request, design_id)
    _, spec = state_in_sight(row)
    follows = bool(request.POST.get("follow"))
    nothing = HttpResponse(status=200 if follows else 204)  # what follows a result, such as the words of a wait, goes
    if spec is None:
        return nothing
    try:
        estimate([spec], load_catalog(), parts=("counts",))
        job = request_draft(row.owner, spec)
    except TooManyJobs:
        return render(request, "designer/_settle_later.html", {"design": row, "follows": follows})
    except EstimatorError:  # it cannot be built, and the preview has said so
        return nothing
    return job_part(request, row, job)


@design_page
@require_safe
def diagram(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """The fabric of the state in sight: it comes after the figures, which wait for nothing."""
    _, spec = state_in_sight(design_to_see(request, design_id))
    if spec is None:
        return HttpResponse(status=204)
    try:
        result = estimate([spec], load_catalog(), parts=("counts", "cables"))[0].as_json()
    except EstimatorError:
        return HttpResponse(status=204)
    context = {"diagram": fabric_svg(result), "fabric": result["fabrics"]["compute"]}
    return render(request, "designer/_live_diagram.html", context)
