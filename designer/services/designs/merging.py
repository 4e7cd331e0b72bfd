"""Edits as pages send them: which fields, from what to what; merged into what the form holds by now, field by field."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.http import QueryDict

from designer.models import Design, DesignEdit
from designer.services.designs.edits import typed_of
from estimator.digits import is_whole_number
from estimator.errors import Problem, SpecError

MAX_STEP, MAX_KEY, MAX_DIGITS = 64, 40, 9
MAX_FIELDS = 1_000
Texts = Mapping[str, str]


class Merged(NamedTuple):
    """What the form holds with an edit, and the fields that somebody else has changed as well, which stay as they are."""

    typed: dict[str, str]
    disputed: list[str]


@dataclass(frozen=True)
class SentEdit:
    """One edit of a page.

    ``fields`` are the changed ones with their new text, ``was`` what each held on the page before; a page without scripts
    sends its whole form, and ``was`` is None. ``base`` is the number of the state that the page showed. ``page`` and
    ``number`` name the edit, so that one that is sent again is known.
    """

    step: str
    fields: dict[str, str]
    was: dict[str, str] | None = None
    base: int | None = None
    page: str = ""
    number: int = 0

    @classmethod
    def of(cls, data: QueryDict) -> SentEdit:
        """The edit that was posted.

        Raises
        ------
        SpecError
            If its fields are no JSON object of texts.
        """
        fields, was = _texts(data, "fields"), _texts(data, "was")
        base, number = data.get("base", "").split("-")[0], data.get("number", "")
        return cls(
            step=data.get("step", "")[:MAX_STEP],
            fields=typed_of(data) if fields is None else fields,
            was=None if fields is None else was or {},
            base=int(base) if is_whole_number(base, MAX_DIGITS) else None,
            page=data.get("page", "")[:MAX_KEY],
            number=int(number) if is_whole_number(number, MAX_DIGITS) else 0,
        )

    def into(self, head: Texts, state_number: int, edit: DesignEdit | None) -> Merged:
        """The form with this edit, where it held ``head`` at the state of a number, after ``edit``."""
        is_seen = self.base is None or self.base == state_number
        if self.was is None:
            if is_seen or (edit is not None and edit.step == self.step):
                return Merged(dict(self.fields), [])
            differ = [name for name in {**head, **self.fields} if head.get(name, "") != self.fields.get(name, "")]
            return Merged(dict(head), sorted(differ))
        disputed = [] if is_seen else [name for name in self.fields if self._is_disputed(name, head)]
        mine = {name: text for name, text in self.fields.items() if name not in disputed}
        merged = {name: text for name, text in {**head, **mine}.items() if text or name not in mine}
        return Merged(merged, disputed)

    def _is_disputed(self, name: str, head: Texts) -> bool:
        there = head.get(name, "")
        return there not in (self.fields[name], (self.was or {}).get(name, ""))


def _texts(data: QueryDict, key: str) -> dict[str, str] | None:
    """A JSON object of texts, without null characters, which databases do not keep; None where there is none."""
    if key not in data:
        return None
    try:
        values: Any = json.loads(data.get(key, ""))
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict) or len(values) > MAX_FIELDS or not all(isinstance(v, str) for v in values.values()):
        raise SpecError([Problem(key, "wrong_type", "An edit names its fields in a JSON object of texts.")])
    return {str(name): text.replace("\x00", "") for name, text in values.items()}


def is_kept(design: Design, sent: SentEdit) -> bool:
    """Whether this edit of its page, or a later one, has been kept already."""
    return bool(sent.page) and design.editing_pages.filter(key=sent.page, last__gte=sent.number).exists()
