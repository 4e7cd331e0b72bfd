"""What the page of a design shows: the form as it was last left, and the figures of the current state."""

from collections.abc import Mapping
from functools import partial

from django.http import QueryDict

from designer.drawings.overview import fabric_picture
from designer.forms.books import BASE_KEY, OWN
from designer.forms.design import DesignForm
from designer.forms.keys import field_name
from designer.models import Design
from designer.pages.design.preview import Live, live
from designer.services.designs.edits import current_edit, start_state, steps_left, typed_now
from designer.services.designs.figures import LIVE_PARTS
from designer.services.designs.state import figures_now, read
from designer.services.people.comments import open_as_json
from designer.wording.context import Context
from designer.wording.findings import worst_first
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError
from estimator.pipeline import estimate
from estimator.result import PricedEstimate
from estimator.spec.design import DesignSpec


def book_shown(typed: Mapping[str, str] | None) -> str:
    """The one of the owner's price books that a visitor may see: the book that the current state names, or none."""
    named = (typed or {}).get(field_name(BASE_KEY), "")
    return named if named.startswith(OWN) else ""


def with_book_shown(typed: dict[str, str], before: Mapping[str, str] | None) -> dict[str, str]:
    """What a visitor sent; your price book that the state before did not name stays as it was."""
    name = field_name(BASE_KEY)
    if typed.get(name, "").startswith(OWN) and typed[name] != book_shown(before):
        return typed | {name: (before or {}).get(name, "")}
    return typed


def current_state(row: Design, *, is_visited: bool = False) -> tuple[DesignForm, DesignSpec | None]:
    """The form of the current state, and its request; None where that cannot be built, reported beside its fields.

    A visitor's form (``is_visited``) offers none of the owner's other price books.
    """
    edit = current_edit(row)
    typed = edit.typed if edit else None
    only = book_shown(typed) if is_visited else None
    spec = read(row.given)
    if edit is None and spec is not None:
        return DesignForm(values=row.given, resolved=row.spec, owner=row.owner, only_book=only), spec
    form = DesignForm(typed or start_state(row), resolved=row.spec, owner=row.owner, only_book=only)
    form.full_clean()
    is_said = edit is None or edit.is_valid  # although a catalog of since may refuse it
    return form, spec if is_said else form.spec


def bound(form: DesignForm, row: Design, only_book: str | None = None) -> DesignForm:
    """The same form with its values as if they were sent, so that problems can stand beside them."""
    form = DesignForm(form.typed(), resolved=row.spec, owner=row.owner, only_book=only_book)
    form.full_clean()
    return form


def sent_form(data: QueryDict, row: Design, *, is_visited: bool) -> DesignForm:
    """The form of a design as it was sent."""
    only = book_shown(typed_now(row)) if is_visited else None
    return DesignForm(data, owner=row.owner, only_book=only)


def head_context(row: Design) -> Context:
    """The head of the page: the design, its newest version, and where the session stands."""
    shown = {
        "design": row,
        "version": row.revisions.order_by("-number").first(),
        "at": row.at,
        "seen": row.state_number,
        "open_comments": partial(open_as_json, row),  # asked only where the head is written
    }
    return shown | steps_left(row)


def page_context(
    form: DesignForm, spec: DesignSpec | None, row: Design | None = None, known: PricedEstimate | None = None
) -> Context:
    """The form and the figures beside it. ``known``: the estimate of ``spec``, where there is one.

    Beside a form that cannot be built stand the figures of the state that holds, the last one that could.
    """
    beside = live(form, spec, known)
    form.show_computed(beside.computed)
    head = head_context(row) if row else {"design": None}
    return (
        {"form": form}
        | head
        | beside.context
        | (drawn(beside) if beside.estimate or row is None else held_figures(row) | held_notes(row))
    )


def drawn(beside: Live) -> Context:
    """The picture of the fabric beside a form, where its request has figures."""
    return {"diagram": fabric_picture(beside.estimate)} if beside.estimate else {}


def held_figures(row: Design) -> Context:
    """Figures and hash of the state that holds while the form cannot be built."""
    return {"headlines": figures_now(row), "spec_hash": row.spec_hash}


def held_notes(row: Design) -> Context:
    """The estimate that figures of the state that holds have their notes from, and its findings; nothing without one."""
    spec = read(row.given)
    if spec is None:
        return {}
    try:
        made = PricedEstimate.of(estimate([spec], load_catalog(), parts=LIVE_PARTS)[0])
    except EstimatorError:
        return {}
    return {"estimate_held": made, "findings": worst_first(made.findings)}
