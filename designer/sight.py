"""The state of a design that its page shows: the edit in sight, or the newest revision where there is none."""

from collections.abc import Mapping
from typing import Any

from django.http import QueryDict

from designer.book_choice import BASE_KEY, OWN
from designer.diagrams import fabric_svg
from designer.edits import edit_in_sight, last_figures, seen_of, steps_left, typed_now
from designer.forms import DesignForm
from designer.headlines import changes
from designer.live import live_context
from designer.models import Design
from designer.spec_keys import field_name
from estimator.catalog.loader import load_catalog
from estimator.errors import SpecError
from estimator.spec import DesignSpec, parse_spec, spec_hash

REVISIONS_SHOWN = 12


def book_shown(typed: Mapping[str, str] | None) -> str:
    """The one of the owner's price books that a visitor may see: the book that the state in sight names, or none."""
    named = (typed or {}).get(field_name(BASE_KEY), "")
    return named if named.startswith(OWN) else ""


def with_book_shown(typed: dict[str, str], before: Mapping[str, str] | None) -> dict[str, str]:
    """What a visitor sent; an own price book that the state before did not name stays as it was."""
    name = field_name(BASE_KEY)
    if typed.get(name, "").startswith(OWN) and typed[name] != book_shown(before):
        return typed | {name: (before or {}).get(name, "")}
    return typed


def state_in_sight(row: Design, *, is_visited: bool = False) -> tuple[DesignForm, DesignSpec | None]:
    """The form of the state in sight, and its request; None where that breaks a rule, told beside its fields.

    A visitor's form (``is_visited``) offers none of the owner's other price books.
    """
    revision, typed = row.latest, typed_now(row)
    only = book_shown(typed) if is_visited else None
    if typed is not None:
        form = DesignForm(typed, resolved=revision.spec, owner=row.owner, only_book=only)
        form.full_clean()
        return form, form.spec
    form = DesignForm(values=revision.given, resolved=revision.spec, owner=row.owner, only_book=only)
    try:
        return form, parse_spec(revision.given, load_catalog())
    except SpecError:  # saved before the catalog changed
        return bound(form, row, only), None


def bound(form: DesignForm, row: Design, only_book: str | None = None) -> DesignForm:
    """The same form with its values as if they were sent, so that problems can stand beside them."""
    form = DesignForm(form.typed(), resolved=row.latest.spec, owner=row.owner, only_book=only_book)
    form.full_clean()
    return form


def sent_form(data: QueryDict, row: Design, *, is_visited: bool) -> DesignForm:
    """The form of a design as it was sent."""
    only = book_shown(typed_now(row)) if is_visited else None
    return DesignForm(data, owner=row.owner, only_book=only)


def given_in_sight(row: Design) -> tuple[dict[str, Any], str]:
    """What the owner said in the state in sight, and the hash of its request; of the newest revision where it is invalid."""
    _, spec = state_in_sight(row)
    revision = row.latest
    if spec is None:
        return revision.given, revision.spec_hash
    return spec.as_given() | {"name": spec.name}, spec_hash(spec)


def head_context(row: Design) -> dict[str, Any]:
    """The head of the page: the design, its newest revisions, where the session stands, and whether it is pinned.

    ``is_pinned`` asks when a template does; a page that has read the pins knows it and says so itself.
    """
    revisions = list(row.revisions.order_by("-number")[:REVISIONS_SHOWN])
    seen = seen_of(row, edit_in_sight(row))
    shown = {"design": row, "revision": revisions[0], "revisions": revisions, "at": row.at, "seen": seen}
    return shown | steps_left(row) | {"is_pinned": row.pins.exists}


def page_context(
    form: DesignForm, spec: DesignSpec | None, row: Design | None = None, known: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The form and the figures beside it. ``known``: the estimate of ``spec``, where there is one.

    Beside a state that cannot be built stand the figures of the last one that could.
    """
    figures = live_context(form, spec, known)
    form.show_computed(figures.get("computed", {}))
    head = head_context(row) if row else {"design": None}
    if "estimate" in figures:
        figures["diagram"] = fabric_svg(figures["estimate"])
    return {"form": form} | head | (_since_last_edit(row, figures) if row else {}) | figures


def _since_last_edit(row: Design, figures: dict[str, Any]) -> dict[str, Any]:
    before = last_figures(row)
    if "headlines" in figures:
        return {"since_edit": changes(figures["headlines"], before)}
    return {"headlines": before} if before else {}


def digest_to_show(row: Design, spec: DesignSpec | None) -> str:
    """The hash of the state whose estimate stands on the page: the one in sight, or the last one that could be built."""
    if spec is not None:
        return spec_hash(spec)
    return str((last_figures(row) or {}).get("spec_hash") or row.latest.spec_hash)
