"""A design's edits, kept one by one: what the form held, so that nothing is lost and every step can be taken back."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping
from contextlib import suppress

from django.db import transaction
from django.forms import BooleanField
from django.http import QueryDict
from django.utils.choices import flatten_choices

from designer.forms.design import KEPT_FIELD, DesignForm, carrying, with_parts_named
from designer.models import Design, DesignEdit, EditingPage
from designer.services.designs.state import COLUMNS, fresh, given_of, hold, hold_edit
from designer.services.labels import checked_name
from designer.wording.headlines import Headlines
from estimator.errors import EstimatorError, Problem
from estimator.spec.design import DesignSpec, spec_hash

NOT_TYPED = frozenset(
    {"csrfmiddlewaretoken", "estimated_hash", "shown", "step", "base", "page", "number", "fields", "was"}
)
EDITS_KEPT = 500
MAX_TYPED_CHARACTERS = 2_000_000
SHOWN_CHARACTERS = 60
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


def typed_differences(
    there: Mapping[str, str], here: Mapping[str, str], form: DesignForm, among: Collection[str]
) -> list[dict[str, str]]:
    """Fields that two states say differently, each by its name on the form, with what either says."""
    names = [name for name in form.fields if name in among and there.get(name, "") != here.get(name, "")]
    rows = [
        {
            "name": name,
            "text": here.get(name, ""),
            "label": str(form.fields[name].label or name),
            "there": _said(form, name, there),
            "here": _said(form, name, here),
        }
        for name in names
        if name != KEPT_FIELD
    ]
    if KEPT_FIELD in names:
        rows.append(
            {
                "name": KEPT_FIELD,
                "text": here.get(KEPT_FIELD, ""),
                "there": "its values",
                "here": "other values",
                "label": "What the form hands through: your prices, lengths set manually",
            }
        )
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
    """What the form holds for the current state, as a browser would send it."""
    return DesignForm(values=design.given, owner=design.owner).typed()


def typed_now(design: Design) -> dict[str, str] | None:
    """What the form held after the current edit; None where there was none."""
    edit = current_edit(design)
    return edit.typed if edit else None


@transaction.atomic
def record(
    design: Design,
    typed: Mapping[str, str],
    step: str,
    spec: DesignSpec | None,
    figures: Headlines | None = None,
    *,
    seen: int | None = None,
    by: str = "",
    page: tuple[str, int] | None = None,
    is_whole: bool = False,
) -> DesignEdit:
    """Keep an edit and move to it: the design is what it says, where that can be built (``spec``), else what it was.

    What was taken back before it can no longer be done again. ``step`` names the edit: another one of the current step
    replaces it, so that typing a word is one step back. ``figures`` are the headline figures of ``spec``; ``seen`` is the
    number of the state that the edit was made in, ``page`` the key of the page that sent it and the edit's number there.
    ``is_whole`` of a request that takes the place of all that was said.

    Raises
    ------
    ChangedMeanwhile
        If the design has moved on from ``seen``.
    """
    locked = fresh(Design.objects.select_for_update().get(pk=design.pk))
    typed = with_parts_named(typed if spec is None else carrying(typed, spec))
    if seen is not None and seen != locked.state_number:
        raise ChangedMeanwhile
    if locked.at == 0:
        _begin(locked)
    now = locked.edits.get(number=locked.at)
    locked.edits.filter(number__gt=locked.at).delete()
    is_same = with_parts_named(now.typed) == typed
    edit = now if is_same or (now.step == step and step != START) else DesignEdit(design=locked, number=now.number + 1)
    if not is_same:
        edit.step, edit.typed, edit.by = step, typed, by
    if spec is not None and is_same:  # your price book may have changed; the same text of a form says nothing new
        is_same = locked.given == given_of(spec) if is_whole else locked.spec_hash == spec_hash(spec)
    if spec is not None and not is_same:
        hold(locked, spec, figures)
    elif spec is not None and figures is not None:
        locked.figures = figures.as_json()
    if spec is not None or not is_same:
        edit.is_valid = spec is not None
    _keep_state(edit, locked)
    edit.save()
    locked.edits.filter(number__lte=edit.number - EDITS_KEPT).delete()
    if page is not None:
        EditingPage.objects.update_or_create(design=locked, key=page[0], defaults={"last": page[1]})
    _move(locked, edit, by, is_same=is_same)
    _take_over(design, locked)
    return edit


def _begin(locked: Design) -> None:
    """The row of the state that a session begins with."""
    locked.edits.all().delete()
    edit = DesignEdit(design=locked, number=1, step=START, typed=with_parts_named(start_state(locked)))
    _keep_state(edit, locked)
    edit.save()
    locked.at = 1


def _keep_state(edit: DesignEdit, design: Design) -> None:
    """With an edit, the state that it leaves."""
    edit.given, edit.spec_hash, edit.figures = design.given, design.spec_hash, design.figures


def _take_over(design: Design, locked: Design) -> None:
    """What was written, on the row that the caller has."""
    for name in ("at", "name", *COLUMNS):
        setattr(design, name, getattr(locked, name))


@transaction.atomic
def move(design: Design, steps: int, by: str = "") -> DesignEdit | None:
    """Go back (-1) or forth (+1) by one edit, on behalf of somebody; None where there is none that way."""
    locked = Design.objects.select_for_update().get(pk=design.pk)
    edit = locked.edits.filter(number=locked.at + steps).first()
    if edit is not None:
        hold_edit(locked, edit)
        _move(locked, edit, by)
        _take_over(design, locked)
    return edit


def _move(design: Design, edit: DesignEdit, by: str, *, is_same: bool = False) -> None:
    """Put an edit as the current one; the design is called what that edit calls it, if it does."""
    design.at = edit.number
    if not is_same:
        design.state_number, design.changed_by = design.state_number + 1, by
    with suppress(EstimatorError):  # an empty name, say: the form tells what is wrong with it
        design.name = checked_name(edit.typed.get("name", ""))
    design.save(update_fields=["at", "name", "updated_at", *COLUMNS])


def current_edit(design: Design) -> DesignEdit | None:
    """The current edit; None before the session has begun."""
    return design.edits.filter(number=design.at).first() if design.at else None


def is_held(design: Design, spec: DesignSpec) -> bool:
    """Whether the design says what a request says, and its form as well."""
    edit = current_edit(design)
    return design.now.given == given_of(spec) and (edit is None or edit.is_valid)


def take_over(design: Design, spec: DesignSpec, figures: Headlines | None = None, by: str = "") -> DesignEdit:
    """Make a whole request the design, as one edit that can be taken back."""
    form = DesignForm(values=given_of(spec), owner=design.owner)
    return record(design, form.typed(), f"whole.{uuid.uuid4().hex}", spec, figures, by=by, is_whole=True)


def steps_left(design: Design) -> dict[str, bool]:
    """Whether there is an edit to take back, and one to do again."""
    if not design.at:  # its session has not begun
        return {"can_undo": False, "can_redo": False}
    numbers = set(design.edits.filter(number__in=(design.at - 1, design.at + 1)).values_list("number", flat=True))
    return {"can_undo": design.at - 1 in numbers, "can_redo": design.at + 1 in numbers}
