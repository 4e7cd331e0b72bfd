"""The state of a design that its page shows: the edit in sight, or the newest revision where there is none."""

from typing import Any

from designer.edits import steps_left, typed_now
from designer.forms import DesignForm
from designer.live import live_context
from designer.models import Design
from estimator.catalog.loader import load_catalog
from estimator.errors import SpecError
from estimator.spec import DesignSpec, parse_spec, spec_hash

REVISIONS_SHOWN = 12


def state_in_sight(row: Design) -> tuple[DesignForm, DesignSpec | None]:
    """The form of the state in sight, and its request; None where that breaks a rule, told beside its fields."""
    revision, typed = row.latest, typed_now(row)
    if typed is not None:
        form = DesignForm(typed, resolved=revision.spec, owner=row.owner)
        form.full_clean()
        return form, form.spec
    form = DesignForm(values=revision.given, resolved=revision.spec, owner=row.owner)
    try:
        return form, parse_spec(revision.given, load_catalog())
    except SpecError:  # saved before the catalog changed
        form = bound(form, row)
        return form, None


def bound(form: DesignForm, row: Design) -> DesignForm:
    """The same form with its values as if they were sent, so that problems can stand beside them."""
    form = DesignForm(form.typed(), resolved=row.latest.spec, owner=row.owner)
    form.full_clean()
    return form


def given_in_sight(row: Design) -> tuple[dict[str, Any], str]:
    """What the owner said in the state in sight, and the hash of its request; of the newest revision where it is invalid."""
    _, spec = state_in_sight(row)
    revision = row.latest
    if spec is None:
        return revision.given, revision.spec_hash
    return spec.as_given() | {"name": spec.name}, spec_hash(spec)


def head_context(row: Design) -> dict[str, Any]:
    """The head of the page: the design, its newest revisions, and where the session stands."""
    revisions = list(row.revisions.order_by("-number")[:REVISIONS_SHOWN])
    return {"design": row, "revision": revisions[0], "revisions": revisions, "at": row.at} | steps_left(row)


def page_context(
    form: DesignForm, spec: DesignSpec | None, row: Design | None = None, known: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The form and the figures beside it. ``known``: the estimate of ``spec``, where there is one."""
    figures = live_context(form, spec, known)
    form.show_computed(figures.get("computed", {}))
    head = head_context(row) if row else {"design": None}
    return {"form": form} | head | figures
