"""Search from anywhere: the matches of the command palette as JSON, and the same as a page for browsers without scripts."""

from itertools import groupby

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from designer.models import Design
from designer.pages.shell.entries import entries_beside, entries_of, fixed_entries
from designer.pages.shell.finding import Found, ranked
from designer.services.access import owned, owner_of
from designer.wording.query import LONGEST_SEARCH, words_of

MOST, MOST_OF_KIND = 24, 6
MOST_ON_PAGE, MOST_OF_KIND_ON_PAGE = 120, 40
RECENT, FIRST_ACTIONS = 5, 6  # what is offered before a word is typed


@login_required
@require_safe
def find_matches(request: HttpRequest) -> HttpResponse:
    """What the palette shows for a search: of the signed-in owner, ranked, MOST at most. Without words: the newest designs,
    what can be done with the design that is open (``design``), and actions."""
    search = request.GET.get("q", "")
    if len(search) > LONGEST_SEARCH:
        message = (
            f"A search has at most {LONGEST_SEARCH} characters, and this one has {len(search):,}. Leave some words out."
        )
        problem = {"field": "q", "code": "out_of_range", "message": message}
        return JsonResponse({"code": "out_of_range", "problems": [problem]}, status=400)
    asked = request.GET.get("design")
    beside = owned(request, Design, asked) if asked else None
    found = _found(request, words_of(search), beside)
    matches = [
        {"kind": one.kind, "title": one.title, "note": one.note[:160], "address": one.address} for one in found.entries
    ]
    answer = JsonResponse({"matches": matches, "n_more": found.n_more})
    answer.headers["Cache-Control"] = "private, no-store"
    return answer


def _found(request: HttpRequest, words: list[str], beside: Design | None) -> Found:
    own = list(entries_of(owner_of(request), words))
    of_design = list(entries_beside(beside)) if beside else []
    fixed = fixed_entries()
    if words:
        return ranked([*of_design, *own, *fixed], words, MOST, MOST_OF_KIND)
    return ranked([*of_design, *own[:RECENT], *fixed[:FIRST_ACTIONS]], [], MOST, MOST_OF_KIND)


@login_required
@require_safe
def find(request: HttpRequest) -> HttpResponse:
    """The same as a page, in groups, with more of each kind."""
    search = request.GET.get("q", "")[:LONGEST_SEARCH]
    words = words_of(search)
    entries = [*entries_of(owner_of(request), words), *fixed_entries()] if words else []
    found = ranked(entries, words, MOST_ON_PAGE, MOST_OF_KIND_ON_PAGE)
    order = list(dict.fromkeys(entry.kind for entry in found.entries))
    sorted_by_kind = sorted(found.entries, key=lambda entry: order.index(entry.kind))
    groups = [(kind, list(members)) for kind, members in groupby(sorted_by_kind, key=lambda entry: entry.kind)]
    context = {"q": search, "longest": LONGEST_SEARCH, "groups": groups, "n_more": found.n_more, "section": "find"}
    return render(request, "designer/shell/find.html", context)
