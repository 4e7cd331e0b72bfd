"""The session of a design: every edit kept as it is made, steps back and forth, and the estimate that follows by itself."""

from collections.abc import Mapping
from dataclasses import replace
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest, RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from designer.drawings.overview import fabric_picture
from designer.forms.design import DesignForm
from designer.models import Design
from designer.pages.design.preview import Live, live
from designer.pages.design.state import (
    book_shown,
    current_state,
    head_context,
    held_figures,
    page_context,
    with_book_shown,
)
from designer.pages.result.job import job_of, job_part
from designer.services.access import design_page, design_to_change, design_to_see, name_of, owner_of, visiting
from designer.services.baselines import against
from designer.services.designs.beginnings import start_spec
from designer.services.designs.edits import (
    MAX_TYPED_CHARACTERS,
    ChangedMeanwhile,
    current_edit,
    move,
    record,
    start_state,
    typed_differences,
)
from designer.services.designs.figures import kept, to_keep
from designer.services.designs.merging import SentEdit, is_kept
from designer.services.designs.saving import TooManyJobs, request_draft, save_design
from designer.services.designs.state import figures_now, fresh, read
from designer.wording.headlines import Headlines, changes
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError, SpecError
from estimator.pipeline import estimate
from estimator.record import Given

CONFLICT = 409
MOST_TRIES = 5  # to merge an edit into a design that others change at the same moment
OPENED = "Design-Opened"  # the header that tells a page of an unsaved design where its design now is


@login_required
@require_POST
def edit_new(request: HttpRequest) -> HttpResponse:
    """The first edit of an unsaved design: it gets its row, in the state its page began with, then the edit.

    An edit that is sent again, because its answer was lost, finds the row that it made.
    """
    owner, sent = owner_of(request), _sent_edit(request)
    row = ("." in sent.step and owner.designs.filter(edits__step=sent.step).first()) or save_design(
        owner, start_spec(request.GET)
    )
    answer = _recorded(request, row, replace(sent, base=None))
    answer[OPENED] = reverse("design", args=[row.pk])
    return answer


@design_page
@require_POST
def edit(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """Keep what the form holds now, and answer with the figures of it."""
    return _recorded(request, design_to_change(request, design_id), _sent_edit(request))


def _sent_edit(request: HttpRequest) -> SentEdit:
    if sum(len(text) for texts in request.POST.lists() for text in texts[1]) > MAX_TYPED_CHARACTERS:
        raise RequestDataTooBig
    try:
        return SentEdit.of(request.POST)
    except SpecError as error:
        raise BadRequest(error.words()) from None


def _recorded(request: HttpRequest, row: Design, sent: SentEdit) -> HttpResponse:
    """Merge an edit into the design as it is by now; where others change it at the same moment, again."""
    for _ in range(MOST_TRIES):
        if is_kept(row, sent):  # also by a request that came in at the same moment: of the page before a reload
            return state_answer(request, row, figures_shown(request, row))
        try:
            return _merged(request, row, sent)
        except ChangedMeanwhile:
            row = fresh(Design.objects.select_related("owner").get(pk=row.pk))
    return HttpResponse("The design is being changed by too many at once. Try again in a moment.", status=503)


def _merged(request: HttpRequest, row: Design, sent: SentEdit) -> HttpResponse:
    figures_now(row)  # what the session begins with keeps its figures
    number, before = row.state_number, current_edit(row)
    head = before.typed if before else start_state(row)
    shown, others = figures_shown(request, row), changer(request, row)
    typed, disputed = sent.into(head, number, before)
    if disputed and typed == head:
        return _disputed(request, row, sent, head, disputed, others)
    allowed = with_book_shown(typed, head) if visiting(request) else typed
    (form, beside), refused = _judged(request, row, allowed, head), {}
    if allowed != typed:  # a book of the owner that a visitor may not name: the form goes back to the one there was
        refused = {"problems": _judged(request, row, typed, head)[1].problems}
    page = (sent.page, sent.number) if sent.page and not disputed else None
    spec, figures = None, None
    if beside.headlines:
        spec, figures = form.spec, to_keep(beside.headlines, beside.spec_hash)
    record(row, allowed, sent.step, spec, figures, seen=number, by=name_of(request), page=page)
    if disputed:
        return _disputed(request, row, sent, head, disputed, others)
    if refused or sent.base not in (None, number):  # what others did meanwhile is shown with it
        return state_answer(request, row, shown, refused | {"edited_by": others})
    return _live(request, row, form, beside, shown)


def _judged(
    request: HttpRequest, row: Design, typed: Mapping[str, str], head: Mapping[str, str]
) -> tuple[DesignForm, Live]:
    """The form of a text and its figures, or what stands in the way of them."""
    form = DesignForm(typed, owner=row.owner, only_book=book_shown(head) if visiting(request) else None)
    form.is_valid()
    return form, live(form, form.spec)


def _live(request: HttpRequest, row: Design, form: DesignForm, beside: Live, shown: Headlines | None) -> HttpResponse:
    """The parts of the page that an edit changes."""
    held = {} if beside.headlines else held_figures(row)
    figures = beside.headlines or figures_now(row)
    more = {
        "form": form,
        "is_live": True,
        "since_edit": changes(figures, shown),
        "estimated_hash": _estimated_hash(request),
    }
    context = beside.context | held | head_context(row) | more
    context |= {} if visiting(request) else against(row.owner, figures)
    return render(request, "designer/design/_live.html", context)


def _disputed(
    request: HttpRequest, row: Design, sent: SentEdit, head: Mapping[str, str], names: list[str], by: str
) -> HttpResponse:
    """The state as it is, and the fields that both have changed, with what either says."""
    only = book_shown(head) if visiting(request) else None
    differences = typed_differences(head, sent.fields, DesignForm(owner=row.owner, only_book=only), names)
    context = {"differences": differences, "by": by}
    return state_answer(request, row, figures_shown(request, row), context, CONFLICT)


def figures_shown(request: HttpRequest, row: Design) -> Headlines | None:
    """Headline figures that stand on the page that asks, by the hash that it sends; None where that is not known any more."""
    digest = request.POST.get("shown") or request.GET.get("shown")
    if not digest or digest == row.spec_hash:  # a page without scripts shows the state that it was answered with
        return kept(row)
    found = row.edits.filter(spec_hash=digest, figures__isnull=False).order_by("-number").first()
    return kept(found) if found else None


def _estimated_hash(request: HttpRequest) -> str | None:
    return request.POST.get("estimated_hash") or request.GET.get("estimated_hash")


@design_page
@require_POST
def undo(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """Take the current edit back."""
    return _moved(request, design_id, -1)


@design_page
@require_POST
def redo(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """Do again what was taken back."""
    return _moved(request, design_id, 1)


def _moved(request: HttpRequest, design_id: UUID, steps: int) -> HttpResponse:
    row = design_to_change(request, design_id)
    shown = figures_shown(request, row)
    move(row, steps, name_of(request))
    if not request.htmx and "Studio" not in request.headers:  # type: ignore[attr-defined]
        return redirect("design", row.pk)
    return state_answer(request, row, shown)


@design_page
@require_safe
def state(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """The current state, with its form: for a page that another one has overtaken. Nothing for one that has it (``at``)."""
    row = design_to_see(request, design_id)
    if request.GET.get("at") == str(row.state_number):
        return HttpResponse(status=204)
    return state_answer(request, row, figures_shown(request, row), {"edited_by": changer(request, row)})


def changer(request: HttpRequest, row: Design) -> str:
    """Who made the last change, as it is said to somebody who has not seen it yet."""
    is_own = row.changed_by == name_of(request)
    return f"{row.changed_by}, in another window" if is_own else row.changed_by or "somebody else"


def state_answer(
    request: HttpRequest,
    row: Design,
    shown: Headlines | None = None,
    more: Given | None = None,
    status: int = 200,
) -> HttpResponse:
    """The parts of the page that show the current state, the form among them. ``shown``: the figures on the page before."""
    form, spec = current_state(row, is_visited=bool(visiting(request)))
    context = page_context(form, spec, row) | {"is_live": True, "with_form": True, "is_state": True}
    figures = context.get("headlines")
    context |= {"since_edit": changes(figures, shown), "estimated_hash": _estimated_hash(request)}
    context |= {} if visiting(request) else against(row.owner, figures)
    return render(request, "designer/design/_live.html", context | dict(more or {}), status=status)


@design_page
@require_POST
def settle(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """Ask for the estimate of the current state; nothing where today's rules or parts refuse it.

    Where too many of the owner's estimates run, the answer says so and asks again after a while.
    """
    row = design_to_change(request, design_id)
    spec = read(row.given)
    follows = bool(request.POST.get("follow"))
    nothing = HttpResponse(status=200 if follows else 204)  # what follows a result, such as the words of a wait, goes
    if spec is None:
        return nothing
    try:
        estimate([spec], load_catalog(), parts=("counts",))
        job = request_draft(row.owner, spec)
    except TooManyJobs:
        return render(request, "designer/design/_settle_later.html", {"design": row, "follows": follows})
    except EstimatorError:  # it cannot be built, and the preview has said so
        return nothing
    return job_part(request, row, job)


@design_page
@require_safe
def result(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """The estimate of the state that holds, for a page that may not ask for one; nothing while there is none."""
    row = design_to_see(request, design_id)
    job = job_of(row, row.spec_hash)
    return HttpResponse(status=204) if job is None else job_part(request, row, job)


@design_page
@require_safe
def diagram(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """The fabric of the current state: it comes after the figures, which wait for nothing."""
    spec = read(design_to_see(request, design_id).given)
    if spec is None:
        return HttpResponse(status=204)
    try:
        result = estimate([spec], load_catalog(), parts=("counts", "cables", "bom"))[0]
    except EstimatorError:
        return HttpResponse(status=204)
    context = {"diagram": fabric_picture(result), "fabric": result.compute}
    return render(request, "designer/design/_live_diagram.html", context)
