"""A request as a page's address holds it: the request of a search or a sweep, and the design that it begins at."""

import json
from collections.abc import Callable
from typing import NamedTuple
from uuid import UUID

from django.http import Http404, HttpRequest, QueryDict
from django.shortcuts import get_object_or_404
from django.utils.http import urlencode

from designer.models import Design
from designer.services.access import owner_of
from designer.services.bounded_json import json_object
from estimator.errors import Problem
from estimator.record import Json

MOST_BYTES = 3_000  # of a request in an address: servers and proxies cut longer lines off


class Asked(NamedTuple):
    """A request with the design that it begins at."""

    request: Json
    design: Design | None

    @property
    def address(self) -> str:
        """The query of pages and files about it."""
        held = {"design": str(self.design.pk)} if self.design else {}
        return urlencode(held | {"ask": json.dumps(self.request, separators=(",", ":"))})


def asked_of(request: HttpRequest, query: QueryDict, usual: Callable[[Design | None], Json]) -> Asked:
    """What an address or a form says; the usual request where it says none.

    Raises
    ------
    EstimatorError
        If what it says is no JSON object.
    """
    design = design_of(request, query.get("design") or "")
    text = query.get("ask")
    return Asked(json_object(text.encode(), "request") if text else usual(design), design)


def design_of(request: HttpRequest, text: str) -> Design | None:
    """The owner's design that an address names; 404 for any other."""
    if not text:
        return None
    try:
        key = UUID(text)
    except ValueError:
        raise Http404("There is no such design of yours.") from None
    return get_object_or_404(Design, pk=key, owner=owner_of(request))


def too_long(asked: Asked, call: str) -> Problem | None:
    """Why an address cannot hold a request; None where it can. ``call`` is the one that takes any length."""
    if len(asked.address) <= MOST_BYTES:
        return None
    message = (
        f"The request takes {len(asked.address):,} characters of an address, and {MOST_BYTES:,} is the most here. Choose fewer "
        f"values in lists or make a field free, or send the request to {call}, which has no such limit."
    )
    return Problem("", "out_of_range", message)
