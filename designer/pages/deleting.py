"""Deleting a thing of one's own: asked once, with what goes and what stays."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from designer.models import Design
from estimator.units import counted


def delete_or_ask(request: HttpRequest, row: Any, section: str, page: str, words: str) -> HttpResponse:
    """Ask whether a row shall go, and delete it once that is said. ``page`` is the name of its page; the list's has an s.

    ``words`` tell what goes with it and what stays.
    """
    if request.method != "POST":
        context = {"section": section, "row": row, "page": page, "words": words}
        return render(request, "designer/delete.html", context)
    row.delete()
    messages.success(request, f"“{row}” was deleted.")
    return redirect(f"{page}s")


def kept_words(users: Sequence[Design], what: str) -> str:
    """Which designs use a row and keep ``what`` they took of it; "" where none does."""
    if not users:
        return ""
    use, keep = ("uses", "keeps") if len(users) == 1 else ("use", "keep")
    names = ", ".join(design.name for design in users)
    return f" {counted(len(users), 'design')} {use} it and {keep} {what}: {names}."
