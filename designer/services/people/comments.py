"""Comments on a design and on its figures: of its owner, and of whoever holds a link that lets them edit it."""

from __future__ import annotations

import json
from collections import Counter

from django.db import transaction
from django.utils import timezone

from designer.models import Comment, Design
from estimator.errors import Problem, SpecError

LONGEST = 2000  # characters of a comment
MOST = 500  # comments of a design
_MAY_BE_IN = "\n\t"  # beside what can be printed


def say(design: Design, text: str, figure: str, by: str) -> Comment:
    """Keep a comment; ``figure`` is the key of the figure's help, "" for the design as a whole.

    Raises
    ------
    SpecError
        If it is empty, too long or has control characters, and where the design has MOST comments.
    """
    said = text.replace("\r\n", "\n").strip()
    if not 0 < len(said) <= LONGEST or not all(sign.isprintable() or sign in _MAY_BE_IN for sign in said):
        message = f"A comment has 1 to {LONGEST:,} printable characters, and this one has {len(said):,}. Shorten it, or make two."
        raise SpecError([Problem("text", "out_of_range", message)])
    with transaction.atomic():
        locked = Design.objects.select_for_update().get(pk=design.pk)
        if locked.comments.count() >= MOST:
            message = f"This design has {MOST} comments, the most there can be. Delete resolved ones first."
            raise SpecError([Problem("text", "out_of_range", message)])
        return Comment.objects.create(design=locked, figure=figure, text=said, by=by[:200])


def resolve(comment: Comment, by: str, *, is_resolved: bool) -> None:
    """Mark a comment as settled, or open it again."""
    comment.resolved_at = timezone.now() if is_resolved else None
    comment.resolved_by = by[:200] if is_resolved else ""
    comment.save(update_fields=["resolved_at", "resolved_by"])


def open_of(design: Design) -> Counter[str]:
    """How many comments of each figure are not resolved, by its key."""
    return Counter(design.comments.filter(resolved_at=None).values_list("figure", flat=True))


def open_as_json(design: Design) -> str:
    """The same as JSON, for the script that puts a number at each figure."""
    return json.dumps({key: n for key, n in open_of(design).items() if key}, separators=(",", ":"))
