"""Pages of the catalog: parts of a kind, and one part with the grade of each of its figures."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from designer.pages.catalog.page import GRADE_WORDS, KINDS, catalog_table, part_page
from designer.services.access import owner_of
from designer.services.parts.catalog import parts_of
from designer.wording.query import one_of
from estimator.catalog.loader import load_catalog
from estimator.spec.own.part import is_own


@login_required
@require_safe
def catalog(request: HttpRequest) -> HttpResponse:
    """Parts of a kind, with their status and how well their figures are founded."""
    kind = one_of(request.GET.get("kind"), list(KINDS))
    search = request.GET.get("q", "")[:100]
    context = {"kind": kind, "kinds": KINDS, "q": search, "grades": GRADE_WORDS.values(), "section": "catalog"}
    return render(request, "designer/catalog/list.html", context | catalog_table(kind, search, owner_of(request)))


@login_required
@require_safe
def catalog_part(request: HttpRequest, part: str) -> HttpResponse:
    """One part; a former id leads to it too, and that of a part of the team to its page."""
    if is_own(part) and (own := parts_of(owner_of(request)).filter(key=part).first()):
        return redirect("own-part", own.pk)
    page = part_page(part, load_catalog())
    if page is None:
        raise Http404("The catalog has no such part.")
    return render(request, "designer/catalog/part.html", page | {"section": "catalog"})
