"""Who may see a design and who may change it: the one place that says so for pages."""

from typing import cast
from uuid import UUID

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from designer.models import Design


def owner_of(request: HttpRequest) -> User:
    """The signed-in user of a page that asks for a sign-in first."""
    return cast("User", request.user)


def design_to_see(request: HttpRequest, design_id: UUID) -> Design:
    """A design that the visitor may look at; 404 for any other, so that nobody learns which there are."""
    return get_object_or_404(Design, pk=design_id, owner=owner_of(request))


def design_to_change(request: HttpRequest, design_id: UUID) -> Design:
    """A design that the visitor may change."""
    return get_object_or_404(Design, pk=design_id, owner=owner_of(request))
