"""A team's own parts: made, changed with a reason and a name, taken into designs as they are on that day.

A team is a group of users (`manage.py team`); who is in none is a team of one. Each of its members sees, uses and changes its
parts, and every change stays in the history with who made it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import models, transaction
from pydantic.fields import FieldInfo

from designer.models import OwnPart, OwnPartRevision
from designer.services.labels import checked_label
from estimator.catalog.loader import load_catalog
from estimator.errors import Problem, SpecError
from estimator.spec.checking import validated
from estimator.spec.own.checks import part_problems
from estimator.spec.own.part import OWN_KINDS, OwnNic, OwnParts, OwnServer
from estimator.spec.own.part import OwnPart as Part

MAX_PARTS = 500  # that one user sees
MAX_REASON = 300
KIND_CHOICES = tuple(OWN_KINDS)
MADE = "Made"


class FullCatalog(SpecError):
    """A team has as many parts as it may have."""

    code = "too_many_own_parts"


def parts_of(user: User) -> models.QuerySet[OwnPart]:
    """The parts of a user's teams."""
    return OwnPart.of(user)


def part_at(part: OwnPart, revision: OwnPartRevision | None = None) -> Part:
    """What a revision says of a part, the newest unless one is given; of an older version, what it means today."""
    one = revision or part.latest
    return OWN_KINDS[part.kind].model_validate(one.values, extra="ignore")


def checked_part(user: User, kind: str, values: Any) -> Part:
    """A part by the rules of a request, with every default filled in; an own server may name own NICs of the team.

    Raises
    ------
    SpecError
        With every problem found; fields are those of the part, such as ``networks[0].nic``.
    """
    if kind not in OWN_KINDS:
        message = f"Kinds are {', '.join(KIND_CHOICES)}, and {str(kind)[:40]!r} was given."
        raise SpecError([Problem("kind", "not_a_choice", message)])
    part, problems = validated(OWN_KINDS[kind], values, "a part")
    if part is not None and not problems:
        named = [one.nic for one in part.networks if one.nic] if isinstance(part, OwnServer) else []
        known = OwnParts(
            nics=[one for one in newest(parts_of(user).filter(kind="nics", key__in=named)) if isinstance(one, OwnNic)]
        )
        problems = [one.named(one.field.removeprefix(".")) for one in part_problems(part, known, load_catalog(), "")]
    if part is None or problems:
        raise SpecError(problems)
    return part


def newest(parts: models.QuerySet[OwnPart]) -> list[Part]:
    """What the newest revision of each part says."""
    return [part_at(part) for part in OwnPart.with_latest(parts)]


@transaction.atomic
def create_part(user: User, kind: str, values: Any, reason: str = "") -> OwnPart:
    """A new part with its first revision.

    Raises
    ------
    SpecError
        With what is wrong with it, or if the team has a part of this id, or MAX_PARTS.
    """
    reason = checked_label("reason", reason, MAX_REASON) or MADE
    _take_turn(user)
    part = checked_part(user, kind, _numbered(values, 1))
    visible = parts_of(user)
    if visible.count() >= MAX_PARTS:
        message = f"{MAX_PARTS:,} own parts are the most. Delete one first."
        raise FullCatalog([Problem("", "too_many_own_parts", message)])
    if visible.filter(key=part.id).exists():
        message = f"Your team has a part '{part.id}' already. Change that one, or give this one another id."
        raise SpecError([Problem("id", "id_taken", message)])
    row = OwnPart.objects.create(owner=user, kind=kind, key=part.id)
    _add_revision(row, part, reason, user)
    return row


def _take_turn(user: User) -> None:
    """Makers of parts in one team go one after the other, so that two of them do not give one id or exceed MAX_PARTS."""
    list(user.groups.order_by("pk").select_for_update(of=("self",)))
    User.objects.select_for_update().get(pk=user.pk)


@transaction.atomic
def revise_part(user: User, row: OwnPart, values: Any, reason: str, seen: str | None = None) -> OwnPartRevision:
    """The part's next revision; the newest one as it is where nothing changes. ``seen`` is the number that its author saw.

    Raises
    ------
    SpecError
        With what is wrong with it, if it has another id, if no reason is given, or if there is a newer one than was seen.
    """
    locked = OwnPart.objects.select_for_update().get(pk=row.pk)
    reason = checked_label("reason", reason, MAX_REASON, 1)
    latest = locked.latest
    if seen is not None and seen != str(latest.number):
        message = (
            f"The part has been changed meanwhile (revision {latest.number}). Your figures are kept here: look at the history "
            "and save again."
        )
        raise SpecError([Problem("", "changed_meanwhile", message)])
    part = checked_part(user, locked.kind, _numbered(values, latest.number + 1))
    if part.id != locked.key:
        message = f"A part keeps its id, {locked.key}, as designs name it. Make a new part for another id."
        raise SpecError([Problem("id", "contradiction", message)])
    if part.model_copy(update={"revision": latest.number}) == part_at(locked, latest):
        return latest
    locked.save(update_fields=["updated_at"])
    return _add_revision(locked, part, reason, user)


def _numbered(values: Any, number: int) -> Any:
    """The values with the number of the revision that they become, whatever number they came with."""
    return {**values, "revision": number} if isinstance(values, Mapping) else values


def _add_revision(row: OwnPart, part: Part, reason: str, user: User) -> OwnPartRevision:
    values = part.model_dump(mode="json")
    return OwnPartRevision.objects.create(
        part=row, number=part.revision, values=values, reason=reason, by=user.get_username()
    )


class FieldChange(NamedTuple):
    """One figure that a revision changed, in words."""

    title: str
    was: str
    now: str


def changes_between(before: Part | None, after: Part) -> list[FieldChange]:
    """What a revision says otherwise than the one before it; of the first one nothing."""
    if before is None:
        return []
    old, new = before.model_dump(mode="json"), after.model_dump(mode="json")
    fields = type(after).model_fields
    return [
        FieldChange(
            fields[name].title or name, _with_unit(old.get(name), fields[name]), _with_unit(value, fields[name])
        )
        for name, value in new.items()
        if name != "revision" and old.get(name) != value
    ]


def _with_unit(value: Any, field: FieldInfo) -> str:
    """A figure with its unit, such as "38,000 USD"."""
    extra = field.json_schema_extra
    unit = str(extra.get("unit", "")) if isinstance(extra, dict) else ""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{_shown(value)} {unit}" if unit and is_number else _shown(value)


def _shown(value: Any) -> str:
    if value is None or value == "":
        return "nothing"
    if isinstance(value, list):
        return ", ".join(_shown(one) for one in value) or "nothing"
    if isinstance(value, Mapping):
        return " ".join(f"{name} {_shown(one)}" for name, one in value.items() if one not in (None, ""))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int | float) else str(value)
