"""Who may see a design and who may change it: the one place that says so for pages.

A design is its owner's. A shared link puts a right to one design into the visitor's session; the link's row is asked at every
request, so that a link that is withdrawn stops at once. REST knows owners alone.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from functools import wraps
from typing import Any, TypeVar, cast
from uuid import UUID

from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import models, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.cache import add_never_cache_headers

from designer.models import Design, ShareLink
from designer.services.designs.state import fresh
from estimator.jobs.models import EstimateJob

View = Callable[..., HttpResponse]
Row = TypeVar("Row", bound=models.Model)

SHARED = "shared"  # in a visitor's session: design's id → ids of the links that opened it
DESIGNS_REMEMBERED, LINKS_REMEMBERED = 50, 5
GONE = "designer/design/panels/share_gone.html"


class Right(IntEnum):
    """What a visitor may do with a design; each holds those before it."""

    READ = 1
    EDIT = 2
    OWN = 3


WORDS_OF_LACK = {
    Right.EDIT: "This link lets you look at the design, not change it. Ask its owner for a link that may edit.",
    Right.OWN: "Only the owner of the design may do this.",
}
OF_MODE = {ShareLink.Mode.READ.value: Right.READ, ShareLink.Mode.EDIT.value: Right.EDIT}


def owner_of(request: HttpRequest) -> User:
    """The signed-in user of a page that asks for a sign-in first."""
    return cast("User", request.user)


def owned(request: HttpRequest, rows: type[Row] | models.QuerySet[Row], pk: Any) -> Row:
    """A row of the signed-in user's by the id that an address or a form says; 404 where there is none."""
    try:
        return get_object_or_404(rows, pk=pk, owner=owner_of(request))
    except ValidationError as error:  # not the form of an id
        raise Http404("There is no such thing of yours.") from error


@contextmanager
def changing(request: HttpRequest, model: type[Row], pk: Any) -> Iterator[Row]:
    """A row of the signed-in user's as it is now, locked until the change to it is made; an error undoes all of the change."""
    with transaction.atomic():
        yield owned(request, model._default_manager.select_for_update(), pk)


def _links_held(request: HttpRequest, design_id: UUID) -> list[int]:
    held = request.session.get(SHARED)
    return list(held.get(str(design_id), [])) if isinstance(held, dict) else []


def right_to(request: HttpRequest, design: Design) -> Right | None:
    """The most that the visitor may do with a design; None where it is closed to them."""
    if request.user.is_authenticated and design.owner_id == request.user.pk:
        return Right.OWN
    held = _links_held(request, design.pk)
    live = ShareLink.objects.filter(pk__in=held, design=design, revoked_at=None, design__owner__is_active=True)
    modes = list(live.values_list("mode", flat=True)) if held else []
    return max((OF_MODE[mode] for mode in modes), default=None)


def _design(request: HttpRequest, design_id: UUID, least: Right) -> Design:
    design = get_object_or_404(Design.objects.select_related("owner"), pk=design_id)
    right = right_to(request, design)
    if right is None:
        raise Http404("There is no such design.")
    if right is not Right.OWN:
        vars(request)["visiting"] = ShareLink.Mode.EDIT.value if right is Right.EDIT else ShareLink.Mode.READ.value
    if right < least:
        raise PermissionDenied(WORDS_OF_LACK[least])
    return fresh(design)


def design_to_see(request: HttpRequest, design_id: UUID) -> Design:
    """A design that the visitor may look at; 404 for any other, so that nobody learns which there are."""
    return _design(request, design_id, Right.READ)


def design_to_change(request: HttpRequest, design_id: UUID) -> Design:
    """A design that the visitor may change."""
    return _design(request, design_id, Right.EDIT)


def design_to_own(request: HttpRequest, design_id: UUID) -> Design:
    """A design of the signed-in user: to delete, to share, to compare with others of theirs."""
    return _design(request, design_id, Right.OWN)


def job_to_see(request: HttpRequest, design: Design, job_id: UUID, defer: tuple[str, ...] = ()) -> EstimateJob:
    """An estimate of the design's owner, without the columns of ``defer``; for a visitor, one of a state of this design."""
    job = get_object_or_404(EstimateJob.objects.filter(owner_id=design.owner_id).defer(*defer), pk=job_id)
    if visiting(request) and not _is_of(design, job.spec_hash):
        raise Http404("There is no such estimate of this design.")
    return job


def _is_of(design: Design, digest: str) -> bool:
    """Whether the design has the state of a spec's hash, or had it in its session or as a version."""
    states = (design.revisions, design.edits)
    return design.spec_hash == digest or any(rows.filter(spec_hash=digest).exists() for rows in states)


def visiting(request: HttpRequest) -> str:
    """How somebody else's design was opened by this request: "read", "edit"; "" for an owner."""
    return str(getattr(request, "visiting", ""))


def name_of(request: HttpRequest) -> str:
    """Who makes an edit, as others see it: a user's name; a guest by a sign that stays with their session."""
    user = request.user
    if user.is_authenticated:
        return user.get_full_name() or user.get_username()
    if "guest" not in request.session:
        request.session["guest"] = secrets.token_hex(2).upper()
    return f"Guest {request.session['guest']}"


def visiting_context(request: HttpRequest) -> dict[str, str]:
    """For templates: ``visiting``."""
    return {"visiting": visiting(request)}


def remember(request: HttpRequest, link: ShareLink) -> None:
    """Put a link's right into the visitor's session. The oldest are forgotten where there are many."""
    held = request.session.get(SHARED)
    held = dict(held) if isinstance(held, dict) else {}
    key = str(link.design_id)
    links = [pk for pk in held.pop(key, []) if pk != link.pk]
    held[key] = [*links, link.pk][-LINKS_REMEMBERED:]
    request.session[SHARED] = dict(list(held.items())[-DESIGNS_REMEMBERED:])
    request.session.cycle_key()


def design_page(view: View) -> View:
    """``login_required`` for pages of one design: who holds a link to it comes in as well.

    The view still asks for the right that it needs. What a visitor is shown is kept by no cache and no search engine.
    """

    @wraps(view)
    def page(request: HttpRequest, design_id: UUID, *args: Any, **kwargs: Any) -> HttpResponse:
        held = _links_held(request, design_id)
        if not request.user.is_authenticated and not held:
            return redirect_to_login(request.get_full_path())
        if held and not request.user.is_authenticated:
            design = Design.objects.filter(pk=design_id).first()
            if design is None or right_to(request, design) is None:
                return close(render(request, GONE, status=404))
        answer = view(request, design_id, *args, **kwargs)
        return close(answer) if visiting(request) else answer

    return page


def close(answer: HttpResponse) -> HttpResponse:
    """An answer that no cache keeps and no search engine lists."""
    add_never_cache_headers(answer)
    answer.headers["X-Robots-Tag"] = "noindex, nofollow"
    return answer
