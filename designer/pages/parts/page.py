"""What the pages of own parts show: the team's parts by kind, and what each revision changed."""

from __future__ import annotations

from typing import NamedTuple

from django.contrib.auth.models import User

from designer.forms.parts.part import KIND_WORDS, figures_of
from designer.models import OwnPart, OwnPartRevision
from designer.services.parts.catalog import FieldChange, changes_between, part_at, parts_of
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
