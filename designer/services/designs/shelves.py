"""Tags of designs and the archive: which designs the list shows, and what is done to several of them at once.

Neither is part of a design's state: they change no figure, no version and no time of last change, and REST lists all designs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.http import urlencode

from designer.models import Design
from designer.services.labels import checked_label
from designer.wording.query import one_of
from estimator.errors import Problem, SpecError
from estimator.record import Given

LONGEST_TAG, MOST_TAGS = 30, 6  # of a design
MOST_AT_ONCE = 200
ARCHIVED, ALL = "archived", "all"


@dataclass(frozen=True)
class Shelf:
    """Which designs a list is to show: whose name has all words, with a tag, archived (or all), in the words of an address."""

    words: str = ""
    tag: str = ""
    of: str = ""

    @classmethod
    def asked(cls, query: Given) -> Shelf:
        """What an address asks for."""
        words, tag = str(query.get("q") or "")[:100].strip(), str(query.get("tag") or "")[:LONGEST_TAG].strip()
        return cls(words, tag, one_of(query.get("of"), ("", ARCHIVED, ALL)))

    @property
    def query(self) -> str:
        """As an address says it; "" for the usual shelf."""
        return urlencode(
            {key: value for key, value in (("q", self.words), ("tag", self.tag), ("of", self.of)) if value}
        )

    def has(self, row: Design) -> bool:
        """Whether a design is on it."""
        name, is_archived = row.name.casefold(), row.archived_at is not None
        return (
            (self.of == ALL or is_archived == (self.of == ARCHIVED))
            and all(word in name for word in self.words.casefold().split())
            and (not self.tag or self.tag in row.tag_list)
        )

    @property
    def kept(self) -> str:
        """What an address that asks for an order ends with, so that the shelf stays."""
        return f"&{self.query}" if self.query else ""


class Shelved(NamedTuple):
    """The designs of a shelf, last change first, and what is said of all that their owner has."""

    designs: list[Design]
    tags: list[str]
    """By name."""
    n_archived: int
    has_designs: bool


def shelved(owner: User, shelf: Shelf) -> Shelved:
    """The owner's designs that a shelf has."""
    rows = list(owner.designs.all())
    return Shelved(
        [row for row in rows if shelf.has(row)],
        sorted({tag for row in rows for tag in row.tag_list}, key=str.casefold),
        sum(row.archived_at is not None for row in rows),
        bool(rows),
    )


def put(owner: User, ids: list[str], do: str, tag: str = "") -> str:
    """Do one thing to several designs; what was done, in words.

    Raises
    ------
    SpecError
        If no design of the owner's is ticked or too many are, for a tag that none can have, and for one too many.
    """
    with transaction.atomic():
        rows = _ticked(owner, ids)
        count = "1 design" if len(rows) == 1 else f"{len(rows)} designs"
        match do:
            case "archive":
                _write(rows, archived_at=timezone.now())
                return f"{count} archived: out of the list, and otherwise as before."
            case "restore":
                _write(rows, archived_at=None)
                return f"{count} back in the list."
            case "tag":
                named = checked_tag(tag)
                for row in rows:
                    _write([row], tags=_with(row, named))
                return f"{count} tagged “{named}”."
            case "untag":
                named = checked_tag(tag)
                for row in rows:
                    _write([row], tags=", ".join(one for one in row.tag_list if one != named))
                return f"“{named}” taken off {count}."
    raise _refusal("do", "not_a_choice", f"{do[:40]!r} is nothing that the list does: tag, untag, archive or restore.")


def checked_tag(text: str) -> str:
    """A tag without blanks around it.

    Raises
    ------
    SpecError
        If it is empty or too long, or has a comma.
    """
    tag = checked_label("tag", text, LONGEST_TAG, 1)
    if "," in tag:
        raise _refusal("tag", "out_of_range", f"A tag has no comma, and this one is {tag!r}. Add two tags one by one.")
    return tag


def _with(row: Design, tag: str) -> str:
    tags = list(dict.fromkeys([*row.tag_list, tag]))
    if len(tags) > MOST_TAGS:
        message = f"“{row.name}” has {MOST_TAGS} tags, the most a design can have. Remove one of them first."
        raise _refusal("tag", "out_of_range", message)
    return ", ".join(tags)


def _ticked(owner: User, ids: list[str]) -> list[Design]:
    known = [pk for one in ids[: MOST_AT_ONCE + 1] if (pk := _id(one))]
    rows = list(owner.designs.select_for_update().filter(pk__in=known))
    if not rows or len(ids) > MOST_AT_ONCE:
        raise _refusal("design", "out_of_range", f"Tick 1 to {MOST_AT_ONCE} designs first; {len(rows)} are ticked.")
    return rows


def _id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _write(rows: list[Design], **columns: object) -> None:
    """Written past ``save``, which would move the time of the last change."""
    Design.objects.filter(pk__in=[row.pk for row in rows]).update(**columns)


def _refusal(field: str, code: str, message: str) -> SpecError:
    return SpecError([Problem(field, code, message)])
