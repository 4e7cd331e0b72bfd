"""Which page shows a state of a design: the design's own or that of a named version. Its links, forms and pictures stay on it."""

from __future__ import annotations

from typing import NamedTuple
from uuid import UUID

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.http import urlencode

from designer.models import Design
from designer.services.access import design_to_change, visiting
from designer.wording.query import MAX_DIGITS
from estimator.digits import is_whole_number
from estimator.record import Given, Json


class ShownPage(NamedTuple):
    """The page of a design, or of one of its named versions."""

    design_id: UUID
    version: int | None = None

    @property
    def address(self) -> str:
        """Where it is."""
        if self.version is None:
            return reverse("design", args=[self.design_id])
        return reverse("version", args=[self.design_id, self.version])

    @property
    def query(self) -> dict[str, str]:
        """What its fragments are asked with, so that their links lead back to it."""
        return {} if self.version is None else {"version": str(self.version)}

    def link(self, query: Given, anchor: str) -> str:
        """An address on it."""
        return f"{self.address}?{urlencode({**query, **self.query})}#{anchor}"


def shown_page(context: Given) -> ShownPage:
    """The page that a template is part of."""
    version = context.get("version_shown")
    return ShownPage(context["design"].pk, version.number if version else None)


def version_context(request: HttpRequest, row: Design, number: int) -> Json:
    """What templates know of a version that is shown: nothing there changes the design, and its owner's files stay open."""
    one = get_object_or_404(row.revisions, number=number)
    return {"version_shown": one, "visiting": "read", "owns": not visiting(request)}


def version_asked(request: HttpRequest, row: Design) -> Json:
    """The same for a fragment of a version's page, which names it ("version"); nothing for one of the design's own page."""
    number = request.POST.get("version") or request.GET.get("version", "")
    if not is_whole_number(number, MAX_DIGITS):
        return {}
    design_to_change(request, row.pk)  # as the version's page asks
    return version_context(request, row, int(number))
