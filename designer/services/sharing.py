"""Links that open one design to whoever has them: made, found by their secret, withdrawn."""

from __future__ import annotations

import secrets

from django.db.models import QuerySet
from django.utils import timezone

from designer.models import Design, ShareLink, hash_secret
from estimator.errors import EstimatorError, Problem

MOST_LINKS = 20  # live ones of one design
LONGEST_SECRET = 100


class TooManyLinks(EstimatorError):
    """A design has as many live links as one may have."""

    code = "too_many_share_links"


def issue(design: Design, mode: str) -> tuple[ShareLink, str]:
    """A new link and its secret. The secret is shown this once and cannot be read back.

    Raises
    ------
    TooManyLinks
        If the design has MOST_LINKS live links.
    """
    if live_links(design).count() >= MOST_LINKS:
        message = (
            f"This design has {MOST_LINKS} links, the most there can be. Withdraw one that is not needed any more."
        )
        raise TooManyLinks([Problem("mode", TooManyLinks.code, message)])
    secret = secrets.token_urlsafe(32)
    return ShareLink.objects.create(design=design, secret_hash=hash_secret(secret), mode=mode), secret


def find(secret: str) -> ShareLink | None:
    """The live link of a secret; None if it is unknown, withdrawn, or its design's owner is barred."""
    if len(secret) > LONGEST_SECRET:
        return None
    links = ShareLink.objects.filter(revoked_at=None, design__owner__is_active=True)
    return links.filter(secret_hash=hash_secret(secret)).first()


def live_links(design: Design) -> QuerySet[ShareLink]:
    """Links of a design that still open it, the newest first."""
    return design.share_links.filter(revoked_at=None)


def withdraw(design: Design, link_id: int) -> bool:
    """End a link at once, for those too who have used it. False if the design has no such live link."""
    return bool(live_links(design).filter(pk=link_id).update(revoked_at=timezone.now()))
