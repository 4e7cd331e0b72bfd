"""Pages to read: help to every field and figure, the glossary, and the documents behind the numbers.

They are the same for everybody and hold nothing of anybody, so that whoever follows a shared link can read them too.
"""

from functools import cache
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from designer.pages.reading.help import help_groups, help_texts
from designer.pages.reading.markdown import headings, rendered
from designer.wording.glossary import DOCS, entries
from designer.wording.query import LONGEST_SEARCH, words_of

FIRST = (
    "sizing",
    "cabling",
    "cost",
    "model",
    "validation",
    "glossary",
    "changes",
)  # the order of the list; the rest follows


@require_safe
def help_page(request: HttpRequest) -> HttpResponse:
    """Everything that fields and figures say of themselves, or what of it has the words of a search."""
    q = request.GET.get("q", "")[:LONGEST_SEARCH].strip()
    groups = list(help_groups(words_of(q)))
    context = {"section": "help", "groups": groups, "q": q, "longest": LONGEST_SEARCH}
    return render(request, "designer/reading/help.html", context)


@require_safe
def help_card(request: HttpRequest, key: str) -> HttpResponse:
    """One of them, for the card beside the field."""
    text = help_texts().get(key)
    if text is None:
        raise Http404("There is no help of this name.")
    answer = render(request, "designer/reading/_help_card.html", {"text": text, "is_card": True})
    answer.headers["Cache-Control"] = "private, max-age=3600"
    return answer


@require_safe
def glossary(request: HttpRequest) -> HttpResponse:
    """Terms and what they mean, with the fields that use them."""
    uses: dict[str, list[Any]] = {}
    for text in help_texts().values():
        for _, anchor in text.term_links:
            uses.setdefault(anchor, []).append(text)
    rows = [
        {
            "terms": entry.terms,
            "meaning": entry.meaning,
            "uses": list(dict.fromkeys(text for _, anchor in entry.terms for text in uses.get(anchor, []))),
        }
        for entry in entries()
    ]
    return render(request, "designer/reading/glossary.html", {"section": "help", "rows": rows})


@require_safe
def document(request: HttpRequest, name: str) -> HttpResponse:
    """One document of the estimator."""
    if name not in documents():
        raise Http404("There is no document of this name.")
    text = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    addresses = {other: reverse("document", args=[other]) for other in documents() if other != name}
    parts = [(words, anchor) for level, words, anchor in headings(text) if level == 2]
    context = {
        "section": "help",
        "name": name,
        "title": documents()[name],
        "body": rendered(text, addresses),
        "parts": parts,
        "documents": documents(),
    }
    return render(request, "designer/reading/document.html", context)


@cache
def documents() -> dict[str, str]:
    """Name and title of every document, those read most often first."""
    names = sorted((path.stem for path in DOCS.glob("*.md")), key=lambda name: (_place(name), name))
    return {name: headings((DOCS / f"{name}.md").read_text(encoding="utf-8"))[0][1] for name in names}


def _place(name: str) -> int:
    return FIRST.index(name) if name in FIRST else len(FIRST)
