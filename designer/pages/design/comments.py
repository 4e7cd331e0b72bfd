"""The panel of comments of a design, as a panel and as a page of its own."""

from typing import NamedTuple
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from designer.models import Comment, Design
from designer.pages.reading.help import titles
from designer.services.access import Right, design_page, design_to_change, name_of, right_to
from designer.services.people.comments import LONGEST, open_as_json, open_of, resolve, say
from designer.wording.context import Context
from designer.wording.figures import RESULT_PARTS, RESULT_TITLES
from designer.wording.query import Page, page_number, rows_on
from designer.wording.strip import NAMES
from estimator.errors import EstimatorError

COMMENTS_A_PAGE = 20
PANEL = "designer/design/panels/_comments.html"


class Said(NamedTuple):
    """A comment under what it is about."""

    comment: Comment
    about: str


class Subject(NamedTuple):
    """What can be commented on: a key of help, its title, and how many comments of it are open."""

    key: str
    title: str
    n_open: int


@design_page
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def comments(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """Comments, of one figure where the address names it; one more, by POST."""
    row = design_to_change(request, design_id)
    about = _known(request.POST.get("figure") or request.GET.get("figure", ""))
    if request.method != "POST":
        return _shown(request, row, about)
    try:
        say(row, request.POST.get("text", ""), about, name_of(request))
    except EstimatorError as error:
        return _shown(request, row, about, {"problems": error.problems, "typed": request.POST.get("text", "")}, 422)
    return _answered(request, row, about)


@design_page
@require_POST
def comment_change(request: HttpRequest, design_id: UUID, pk: int) -> HttpResponse:
    """Resolve a comment, open it again, or delete it: the last is its owner's of the design, and its author's."""
    row = design_to_change(request, design_id)
    one = get_object_or_404(row.comments, pk=pk)
    match request.POST.get("do"):
        case "delete" if right_to(request, row) is Right.OWN or one.by == name_of(request):
            one.delete()
        case "resolve" | "reopen" as what:
            resolve(one, name_of(request), is_resolved=what == "resolve")
    return _answered(request, row, _known(request.POST.get("figure", "")))


def subject_titles() -> dict[str, str]:
    """What can be commented on: every figure that has a help, and every chart and section of a result."""
    return titles() | RESULT_PARTS


def _known(figure: str) -> str:
    return figure if figure in subject_titles() else ""


def _answered(request: HttpRequest, row: Design, about: str) -> HttpResponse:
    if getattr(request, "htmx", None):
        return _shown(request, row, about)
    query = f"?{urlencode({'figure': about})}" if about else ""
    return redirect(reverse("comments", args=[row.pk]) + query)


def _shown(
    request: HttpRequest, row: Design, about: str, more: Context | None = None, status: int = 200
) -> HttpResponse:
    found = row.comments.filter(figure=about) if about else row.comments.all()
    n_rows = found.count()
    number, n_pages = page_number(request.GET.get("page"), n_rows, COMMENTS_A_PAGE)
    at = rows_on(number, n_rows, COMMENTS_A_PAGE)
    names, n_open = subject_titles(), open_of(row)
    said = [Said(one, names.get(one.figure, "")) for one in found[at.start : at.stop]]
    keys = dict.fromkeys([*NAMES, *RESULT_TITLES, *sorted(key for key in n_open if key), about])
    context: Context = {
        "section": "designs",
        "design": row,
        "panel": PANEL,
        "said": said,
        "pages": Page(said, number, n_pages, n_rows, COMMENTS_A_PAGE),
        "subjects": [Subject(key, names[key], n_open[key]) for key in keys if key in names],
        "about": about,
        "about_title": names.get(about, ""),
        "n_open": n_open.total(),
        "open_comments": open_as_json(row),
        "longest": LONGEST,
        "me": name_of(request),
        "is_own": right_to(request, row) is Right.OWN,
    }
    is_part = bool(getattr(request, "htmx", None))
    template = PANEL if is_part else "designer/design/panels/panel.html"
    return render(request, template, context | (more or {}), status=200 if is_part else status)
