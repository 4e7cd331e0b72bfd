"""Pages of own parts: the team's list, a new one, one that is revised, with its history."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from designer.forms.parts.part import KIND_WORDS, OwnPartForm
from designer.models import OwnPart
from designer.pages.deleting import delete_or_ask
from designer.pages.parts.page import history_of, list_rows, nics_of, uses_of
from designer.services.access import owner_of
from designer.services.parts.catalog import create_part, part_at, parts_of, revise_part

SECTION = {"section": "parts"}


@login_required
@require_safe
def own_parts(request: HttpRequest) -> HttpResponse:
    """The parts of the reader's team."""
    context = {"title": "Parts", "rows": list_rows(owner_of(request)), "kinds": KIND_WORDS.items()}
    return render(request, "designer/parts/list.html", SECTION | context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def own_part_new(request: HttpRequest, kind: str) -> HttpResponse:
    """The form of a new part of a kind; what is posted makes it."""
    if kind not in KIND_WORDS:
        raise Http404("There is no such kind of part.")
    is_sent = request.method == "POST"
    form = OwnPartForm(kind, request.POST if is_sent else None, {"id": "own-"}, nics_of(owner_of(request), kind))
    if is_sent:
        with form.refusing():
            row = create_part(owner_of(request), kind, form.part(), form.text("reason"))
            messages.success(request, f"“{row}” is in your team’s catalog. Designs can take it now.")
            return redirect("own-part", row.pk)
    context = {"title": f"New {KIND_WORDS[kind]}", "form": form}
    return render(request, "designer/parts/part.html", SECTION | context, status=422 if is_sent else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def own_part(request: HttpRequest, pk: UUID) -> HttpResponse:
    """One part, its figures to change, and its history; what is posted is its next revision."""
    row = _row(request, pk)
    is_sent = request.method == "POST"
    values, nics = part_at(row).model_dump(mode="json"), nics_of(owner_of(request), row.kind)
    form = OwnPartForm(row.kind, request.POST if is_sent else None, values, nics)
    if is_sent:
        with form.refusing():
            before = row.latest.number
            saved = revise_part(owner_of(request), row, form.part(), form.text("reason"), form.text("number"))
            said = f"Revision {saved.number} is saved. Designs keep the one that they were made with."
            messages.success(
                request, said if saved.number != before else "Nothing was changed: the part says that already."
            )
            return redirect("own-part", row.pk)
        form.data = request.POST.copy()
        form.data["number"] = str(row.latest.number)
    context = {"title": part_at(row).model, "row": row, "form": form, "history": history_of(row)}
    context |= {"uses": uses_of(owner_of(request), row), "kind_words": KIND_WORDS[row.kind]}
    return render(request, "designer/parts/part.html", SECTION | context, status=422 if is_sent else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def own_part_delete(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Ask once, then delete a part."""
    words = "The part and its history are deleted and cannot be restored. Designs that were made with it keep it."
    return delete_or_ask(request, _row(request, pk), "parts", "own-part", words)


def _row(request: HttpRequest, pk: UUID) -> OwnPart:
    return get_object_or_404(parts_of(owner_of(request)), pk=pk)
