"""What the pages of own parts show: the team's parts by kind, and what each revision changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from django.contrib.auth.models import User

from designer.forms.parts.choice import KIND_OF
from designer.forms.parts.part import KIND_WORDS, figures_of
from designer.models import Design, OwnPart, OwnPartRevision
from designer.services.parts.catalog import FieldChange, changes_between, newest, part_at, parts_of
from estimator.spec.change import read_path
from estimator.spec.own.part import OwnNic
from estimator.spec.own.part import OwnPart as Part


class Row(NamedTuple):
    """One part in the list."""

    row: OwnPart
    kind: str
    part: Part
    figures: str
    latest: OwnPartRevision


class HistoryRow(NamedTuple):
    """One revision, and what it changed."""

    revision: OwnPartRevision
    changes: list[FieldChange]
    is_newest: bool


class Use(NamedTuple):
    """A design that carries a part: as what, and at which revision."""

    design: Design
    uses: str
    revision: int
    is_newest: bool


MOST_USES = 100
_USES = {
    "compute.server": "servers",
    "compute.nic": "NICs",
    "fabric.leaf_switch": "leaves",
    "fabric.spine_switch": "spines",
    "fabric.core_switch": "cores",
}


def nics_of(user: User, kind: str) -> list[OwnNic]:
    """The NICs that a server of a user's team may name; none for other kinds of parts."""
    found = newest(parts_of(user).filter(kind="nics")) if kind == "servers" else []
    return [one for one in found if isinstance(one, OwnNic)]


def uses_of(user: User, row: OwnPart) -> list[Use]:
    """The user's designs that carry a part, the last changed first."""
    latest = row.latest.number
    carrying = Design.objects.filter(owner=user, given__own_parts__icontains=f'"{row.key}"').order_by("-updated_at")
    out = []
    for design in carrying[:MOST_USES]:
        rows = read_path(design.given, f"own_parts.{row.kind}")
        carried = [one for one in rows or () if isinstance(one, Mapping) and one.get("id") == row.key]
        if carried:
            revision = int(carried[0].get("revision") or 1)
            uses = ", ".join(_uses_in(design.given, row)) or "carried, and not chosen"
            out.append(Use(design, uses, revision, revision == latest))
    return out


def _uses_in(given: Mapping[str, Any], row: OwnPart) -> Iterator[str]:
    """What a part is in a design."""
    for path, kind in KIND_OF.items():
        if kind == row.kind and read_path(given, path) == row.key:
            yield _USES[path]
    if row.kind == "cables":
        yield "cables, where they fit and reach"
    servers = read_path(given, "own_parts.servers") or ()
    if row.kind == "nics" and any(
        network.get("nic") == row.key for server in servers for network in server.get("networks") or ()
    ):
        yield "NICs of its server"


def list_rows(user: User) -> list[Row]:
    """The parts that a user's team has, kind by kind."""
    out = []
    for row in OwnPart.with_latest(parts_of(user)):
        latest = row.latest
        part = part_at(row, latest)
        out.append(Row(row, KIND_WORDS[row.kind], part, figures_of(part), latest))
    return sorted(out, key=lambda one: (list(KIND_WORDS).index(one.row.kind), one.part.vendor, one.part.model))


def history_of(row: OwnPart) -> list[HistoryRow]:
    """Every revision, the newest first."""
    out: list[HistoryRow] = []
    before: Part | None = None
    for one in row.revisions.order_by("number"):
        now = part_at(row, one)
        out.append(HistoryRow(one, changes_between(before, now), False))
        before = now
    return [one._replace(is_newest=at == 0) for at, one in enumerate(reversed(out))]
