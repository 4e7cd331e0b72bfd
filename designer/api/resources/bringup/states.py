"""The state of a design that a call of bring-up is about."""

from uuid import UUID

from django.shortcuts import get_object_or_404
from rest_framework.request import Request

from designer.api.resources.designs import designs_of
from designer.services.bringup.choosing import choices_asked
from designer.services.bringup.plans import State, state_of_design
from estimator.record import Given


def state_asked(request: Request, pk: UUID, revision: int | None, query: Given) -> State:
    """A state of the caller's design: a named version, or as it is now, with the choices of a query."""
    design = get_object_or_404(designs_of(request), pk=pk)
    if revision is not None:
        get_object_or_404(design.revisions, number=revision)
    return state_of_design(design, revision, choices_asked(query))
