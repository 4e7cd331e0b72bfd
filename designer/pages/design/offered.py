"""Parts that may be named as owned already: those of the design's bill of materials first, then the rest of its catalog."""

from __future__ import annotations

from typing import NamedTuple
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from designer.services.access import design_page, design_to_see
from designer.services.designs.state import read
from designer.wording.names import part_labels
from designer.wording.numbers import count
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError
from estimator.pipeline import estimate
from estimator.spec.design import DesignSpec


class Offered(NamedTuple):
    """What is typed for a part, its name, and how many of it the design needs."""

    part: str
    name: str
    note: str = ""


@login_required
@require_safe
def parts_of_new(request: HttpRequest) -> HttpResponse:
    """The parts of the catalog, for a design that is not saved yet."""
    return _answer(None)


@design_page
@require_safe
def parts_of_design(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """The parts that the design needs, then all others that it may name."""
    return _answer(read(design_to_see(request, design_id).given))


def _answer(spec: DesignSpec | None) -> HttpResponse:
    needed = _needed(spec) if spec else {}
    labels = part_labels(load_catalog().version)
    current = load_catalog().part_ids()
    own = (
        [(part.id, f"{part.vendor} {part.model}") for _, _, part in spec.own_parts.all()]
        if spec and spec.own_parts
        else []
    )
    others = [*own, *((part, labels[part][1]) for part in current)]
    rows = [*needed.values(), *(Offered(part, name) for part, name in others if part not in needed)]
    return JsonResponse({"parts": [row._asdict() for row in rows]})


def _needed(spec: DesignSpec) -> dict[str, Offered]:
    """Parts of the bill of materials, spares with them; of a cable each length is one of its own."""
    try:
        bill = estimate([spec], load_catalog(), parts=("bom",))[0].bom
    except EstimatorError:  # what the design says cannot be built, and its page says why
        return {}
    pieces: dict[str, int] = {}
    names: dict[str, str] = {}
    for line in bill.lines if bill else ():
        if line.part:
            key = line.part if line.length_m is None else f"{line.part} {line.length_m:g} m"
            pieces[key] = pieces.get(key, 0) + line.quantity + line.spare_quantity
            names[key] = line.description
    return {key: Offered(key, names[key], f"{count(n)} in this design") for key, n in pieces.items()}
