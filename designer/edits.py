"""A design's edits, kept one by one: what the form held, so that nothing is lost and every step can be taken back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from django.db import transaction
from django.forms import BooleanField
from django.http import QueryDict
from django.utils.choices import flatten_choices

from designer.forms import KEPT_FIELD, DesignForm
from designer.labels import checked_name
from designer.models import Design, DesignEdit
from estimator.errors import EstimatorError, Problem

NOT_TYPED = frozenset({"csrfmiddlewaretoken", "estimated_hash", "step", "base"})
EDITS_KEPT = 500
MAX_TYPED_CHARACTERS = 2_000_000
SHOWN_CHARACTERS = 60
SEEN_CHARACTERS = 12
START = "start"  # the step of the state that a session begins with


class ChangedMeanwhile(EstimatorError):
    """Another tab or visitor has edited the design since this one last saw it."""

    code = "changed_meanwhile"

    def __init__(self) -> None:
        message = "The design was changed in another tab or by somebody else. Look at that state, or keep yours."
        super().__init__([Problem("base", self.code, message)])


def typed_of(data: QueryDict) -> dict[str, str]:
    """What a browser sent of the form: field → text, without null characters, which databases do not keep.

    Boxes that are not ticked are not sent.
    """
    return {name: texts[-1].replace("\x00", "") for name, texts in sorted(data.lists()) if name not in NOT_TYPED}


def seen_of(design: Design, edit: DesignEdit | None) -> str:
    """What a page has seen: the number of the edit in sight and, as its text may still grow, a digest of what it says."""
    if edit is None:
        return str(design.at)
    said = json.dumps(edit.typed, sort_keys=True).encode()
    return f"{design.at}-{hashlib.sha256(said).hexdigest()[:SEEN_CHARACTERS]}"


def is_seen(base: str, design: Design, edit: DesignEdit | None) -> bool:
    """Whether a page that has seen ``base`` shows the design as it is; a number alone stands for whatever that edit says."""
    return base in (seen_of(design, edit), str(design.at))


def typed_differences(there: Mapping[str, str], here: Mapping[str, str], form: DesignForm) -> list[dict[str, str]]:
    """Fields that two states say differently, each by its name on the form, with what either says."""
    names = [name for name in form.fields if there.get(name, "") != here.get(name, "")]
    rows = [{"label": str(form.fields[name].label or name), "there": _said(form, name, there), "here": _said(form, name, here)}
            for name in names if name != KEPT_FIELD]  # fmt: skip
    if KEPT_FIELD in names:
        rows.append({"label": "What the form hands through: own prices, lengths set by hand", "there": "its values",
                     "here": "other values"})  # fmt: skip
    return rows


def _said(form: DesignForm, name: str, typed: Mapping[str, str]) -> str:
    """What a state says in a field, in the words of its choices; long texts are cut."""
    text = typed.get(name, "")
    if isinstance(form.fields[name], BooleanField):
        return "yes" if text else "no"
    choices = dict(flatten_choices(getattr(form.fields[name], "choices", ())))
    shown = str(choices.get(text, text)) or "nothing"
    return shown if len(shown) <= SHOWN_CHARACTERS else f"{shown[: SHOWN_CHARACTERS - 1]}…"


def start_state(design: Design) -> dict[str, str]:
    """What the form holds for the newest revision, as a browser would send it."""
    revision = design.latest
    return DesignForm(values=revision.given, owner=design.owner).typed()


def typed_now(design: Design) -> dict[str, str] | None:
    """What the form held after the edit in sight; None where there was none."""
    edit = edit_in_sight(design)
    return edit.typed if edit else None


@transaction.atomic
def record(
    design: Design,
    typed: Mapping[str, str],
    step: str,
    figures: Mapping[str, Any] | None,
    base: str | None = None,
    start_figures: Mapping[str, Any] | None = None,
) -> DesignEdit:
    """Keep an edit and move to it. What was taken back before it can no longer be done again.

    ``step`` names the edit: another post of the edit in sight replaces it, so that typing a word is one step back. ``base``
    is the edit that the visitor's page has seen, ``start_figures`` those of the state that a session begins with.

    Raises
    ------
    ChangedMeanwhile
        If the design has moved on from ``base``.
    """
    locked = Design.objects.select_for_update().get(pk=design.pk)
    seen = locked.edits.filter(number=locked.at).first()
    # a post of the step or of the state in sight is one that was sent again, its answer lost
    if (
        base is not None
        and not is_seen(base, locked, seen)
        and not (seen and (seen.step == step or seen.typed == dict(typed)))
    ):
        raise ChangedMeanwhile
    if locked.at == 0:
        locked.edits.all().delete()
        figures_then = dict(start_figures) if start_figures else None
        DesignEdit.objects.create(design=locked, number=1, step=START, typed=start_state(locked), figures=figures_then)
        locked.at = 1
    now = locked.edits.get(number=locked.at)
    locked.edits.filter(number__gt=locked.at).delete()
    if now.typed == dict(typed):
        edit = now
        edit.figures = dict(figures) if figures else edit.figures
    elif now.step == step and step != START:
        edit = now
        edit.typed, edit.figures = dict(typed), dict(figures) if figures else None
    else:
        edit = DesignEdit(design=locked, number=now.number + 1, step=step, typed=dict(typed),
                          figures=dict(figures) if figures else None)  # fmt: skip
    edit.save()
    locked.edits.filter(number__lte=edit.number - EDITS_KEPT).delete()
    _move(locked, edit)
    design.at, design.name = locked.at, locked.name
    return edit


@transaction.atomic
def move(design: Design, by: int) -> DesignEdit | None:
    """Go back (-1) or forth (+1) by one edit; None where there is none that way."""
    locked = Design.objects.select_for_update().get(pk=design.pk)
    edit = locked.edits.filter(number=locked.at + by).first()
    if edit is not None:
        _move(locked, edit)
        design.at, design.name = locked.at, locked.name
    return edit


def _move(design: Design, edit: DesignEdit) -> None:
    """Put an edit in sight; the design is called what that edit calls it, if it does."""
    design.at = edit.number
    with suppress(EstimatorError):  # an empty name, say: the form tells what is wrong with it
        design.name = checked_name(edit.typed.get("name", ""))
    design.save(update_fields=["at", "name", "updated_at"])


def edit_in_sight(design: Design) -> DesignEdit | None:
    """The edit in sight; None where there is none since the newest revision."""
    return design.edits.filter(number=design.at).first() if design.at else None


def figures_before(edit: DesignEdit) -> dict[str, Any] | None:
    """Headline figures of the last valid state before an edit."""
    earlier = edit.design.edits.filter(number__lt=edit.number, figures__isnull=False).order_by("-number").first()
    return earlier.figures if earlier else None


def last_figures(design: Design) -> dict[str, Any] | None:
    """Headline figures of the last valid state before the one in sight."""
    edit = edit_in_sight(design)
    return figures_before(edit) if edit else None


def steps_left(design: Design) -> dict[str, bool]:
    """Whether there is an edit to take back, and one to do again."""
    if not design.at:  # its session has not begun
        return {"can_undo": False, "can_redo": False}
    numbers = set(design.edits.filter(number__in=(design.at - 1, design.at + 1)).values_list("number", flat=True))
    return {"can_undo": design.at - 1 in numbers, "can_redo": design.at + 1 in numbers}


def keep_saved(design: Design, typed: Mapping[str, str] | None = None) -> None:
    """After a revision was saved: its state is the edit in sight, if the session has any edits."""
    if design.at:
        record(design, typed if typed is not None else start_state(design), f"revision {design.latest.number}", None)
