"""Pages of comparisons: the list, what to compare, one comparison, and its other baselines."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from designer.charts.comparison import comparison_charts
from designer.exports.comparisons import COMPARISON_FILES, board_pdf
from designer.forms.comparisons import BoardForm, ChangeForm, PickForm
from designer.models import Comparison, Design, PriceBook
from designer.pages.comparisons.page import list_rows, page_context
from designer.pages.comparisons.workloads import workloads_context
from designer.pages.deleting import delete_or_ask
from designer.pages.keeping import kept_as_design
from designer.pages.limiting import heavy_job
from designer.services.access import changing, design_to_own, owned, owner_of
from designer.services.comparison_sides import resolved_items
from designer.services.comparisons import create_comparison, rebase, refresh, remove_side, result_of, sources_of
from designer.services.designs.listing import design_rows
from designer.services.labels import MAX_NAME, checked_name
from designer.wording.context import Context
from designer.wording.names import BOOKS
from estimator.catalog.loader import load_catalog
from estimator.compare.request import LEAST, MOST
from estimator.digits import is_whole_number
from estimator.errors import EstimatorError, Problem, SpecError
from estimator.spec.parse import parse_spec

SECTION = {"section": "comparisons"}


class BookChoice(NamedTuple):
    """A price book that sides may be priced by: one of the catalog's, or one's own by its id."""

    key: str
    name: str


@login_required
@require_safe
def comparisons(request: HttpRequest) -> HttpResponse:
    """Every comparison of the owner."""
    rows = list_rows(Comparison.objects.filter(owner=owner_of(request)).defer("specs"))
    return render(request, "designer/comparisons/list.html", SECTION | {"title": "Comparisons", "rows": rows})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@heavy_job
def comparison_new(request: HttpRequest) -> HttpResponse:
    """Ask which designs or books to compare; with an answer, compare them."""
    owner = owner_of(request)
    if request.method != "POST":
        form = PickForm(initial={"design": request.GET.getlist("design")})
        return render(request, "designer/comparisons/new.html", _form_context(request, form))
    form = PickForm(request.POST)
    try:
        items, baseline = form.items()
        row = create_comparison(owner, resolved_items(owner, items), baseline)
    except EstimatorError as error:
        context = _form_context(request, form) | {"problems": _reported(error, form.ticked, request)}
        return render(request, "designer/comparisons/new.html", context, status=422)
    return redirect("comparison", row.pk)


def _reported(error: EstimatorError, ticked: Sequence[str], request: HttpRequest) -> list[str]:
    """Problems in words, with the design that each is about."""
    names = dict(Design.objects.filter(owner=owner_of(request)).values_list("pk", "name"))
    by_id = {str(pk): name for pk, name in names.items()}
    out = []
    for problem in error.problems:
        at = problem.field.removeprefix("items[").partition("]")[0]
        name = by_id.get(ticked[int(at)], "") if is_whole_number(at, 4) and int(at) < len(ticked) else ""
        out.append(f"{name}: {problem.message}" if name else problem.message)
    return list(dict.fromkeys(out))


def _form_context(request: HttpRequest, form: PickForm) -> Context:
    owner = owner_of(request)
    books = [BookChoice(key, name) for key, name in BOOKS.items()]
    books += [BookChoice(str(book.pk), book.name) for book in PriceBook.objects.filter(owner=owner)]
    return SECTION | {
        "designs": design_rows(owner),
        "ticked": set(form.ticked),
        "one": form["one"].value() or next(iter(form.ticked), ""),
        "baseline": form["baseline"].value(),
        "books": books,
        "least": LEAST,
        "most": MOST,
        "ticked_books": set(form["book"].value() or [book.key for book in books[:2]]),
    }


@login_required
@require_POST
@heavy_job
def comparison_families(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """A design beside the same cluster on the other family of network."""
    design = design_to_own(request, design_id)
    try:
        sides = resolved_items(owner_of(request), [{"design": str(design.pk)}, {"sibling": 0}])
        row = create_comparison(owner_of(request), sides)
    except EstimatorError as error:
        words = error.words()
        messages.error(request, f"This could not be compared with the other family: {words}")
        return redirect("design", design.pk)
    return redirect("comparison", row.pk)


@login_required
@require_safe
def comparison(request: HttpRequest, pk: UUID) -> HttpResponse:
    """One comparison: in words, its figures, its charts, its lines."""
    return render(request, "designer/comparisons/comparison.html", _page(request, owned(request, Comparison, pk)))


def _page(request: HttpRequest, row: Comparison) -> Context:
    result = result_of(row)
    context = SECTION | page_context(row, result, request.GET) | {"max_name": MAX_NAME}
    context |= workloads_context(row, request.GET)
    files = [form for form in COMPARISON_FILES if form != "csv"]
    return context | {"charts": comparison_charts(result), "file_forms": files}


@login_required
@require_POST
@heavy_job
def comparison_change(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Another baseline, a side less, another name, or the whole made again."""
    form = ChangeForm(request.POST)
    try:
        with changing(request, Comparison, pk) as row:
            done = _changed(row, form)
    except EstimatorError as error:
        messages.error(request, f"Nothing was changed: {error.words()}")
        if form.text("do") == "rename":  # the name that was typed stays
            context = _page(request, owned(request, Comparison, pk)) | {"typed_name": form.text("name")}
            return render(request, "designer/comparisons/comparison.html", context, status=422)
    else:
        messages.success(request, done)
    return redirect("comparison", pk)


def _changed(row: Comparison, form: ChangeForm) -> str:
    """Do what the form asks; what was done, in words."""
    labels = [side.label or "" for side in sources_of(row)]
    match form.text("do"):
        case "baseline":
            rebase(row, at := _side(form, labels))
            return f"Differences are now from “{labels[at]}”."
        case "remove":
            remove_side(row, at := _side(form, labels))
            return f"“{labels[at]}” was taken out."
        case "refresh":
            refresh(row)
            return "Made again with the designs as they are now, today’s model, catalog and price books."
        case "rename":
            row.name = checked_name(form.text("name"))
            row.save(update_fields=["name"])
            return f"Renamed to “{row.name}”."
    raise Http404("There is no such change.")


def _side(form: ChangeForm, labels: Sequence[str]) -> int:
    """The place of the side that the form is about, if that side is still there.

    Raises
    ------
    SpecError
        If another side has moved there since the form was shown.
    """
    place = form.text("side")
    at = int(place) if is_whole_number(place, 4) else len(labels)
    if at >= len(labels):
        raise Http404("There is no such side.")
    if form.text("label") not in ("", labels[at]):
        message = "The sides of this comparison have changed meanwhile. Look at them again."
        raise SpecError([Problem("side", "changed_meanwhile", message)])
    return at


@login_required
@require_POST
@heavy_job
def comparison_open(request: HttpRequest, pk: UUID) -> HttpResponse:
    """A side as a new design, as it was compared: the other family of a design, or a state that has no page of its own."""
    row, form = owned(request, Comparison, pk), ChangeForm(request.POST)
    try:
        side = sources_of(row)[_side(form, [one.label or "" for one in sources_of(row)])]
        if side.spec is None:
            raise Http404("An offer has no design.")
        return kept_as_design(request, parse_spec({**side.spec, "name": side.label}, load_catalog()))
    except EstimatorError as error:
        messages.error(request, f"This side could not be opened as a design: {error.words()}")
    return redirect("comparison", pk)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def comparison_delete(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Ask once, then delete a comparison."""
    words = "The comparison is deleted and cannot be restored; the designs in it stay."
    return delete_or_ask(request, owned(request, Comparison, pk), "comparisons", "comparison", words)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@heavy_job
def board_pack(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Ask what a paper for a board says of itself; with an answer, the paper. Nothing of it is kept."""
    row = owned(request, Comparison, pk)
    result = result_of(row)
    labels = [item.label for item in result.items]
    form = BoardForm(labels, request.POST or None, request.FILES or None, initial={"title": row.name})
    problems: list[str] = []
    if request.method == "POST" and form.is_valid():
        logo = form.cleaned_data.get("logo")
        keys = ("subtitle", "recommended", "reason")
        more = {key: form.cleaned_data.get(key) for key in keys} | {"logo": logo.read() if logo else b""}
        try:
            file = board_pdf(row, str(form.cleaned_data.get("title") or ""), more)
        except EstimatorError as error:
            problems = [problem.message for problem in error.problems]
        else:
            headers = {"Content-Disposition": f'attachment; filename="{file.name}"'}
            return HttpResponse(file.content, content_type=file.content_type, headers=headers)
    context = SECTION | {"comparison": row, "form": form, "n_sides": len(labels), "problems": problems}
    status = 422 if request.method == "POST" else 200
    return render(request, "designer/comparisons/board.html", context, status=status)
