"""The current state of a design: the one thing that pages, lists, comparisons, quotes, files and REST read of it.

It changes by what the form holds (``edits``), by a whole request at once (``saving``), and by a step back or forth.
"""

from __future__ import annotations

import itertools

from django.contrib.auth.models import User

from designer.forms.design import DesignForm
from designer.models import Design, DesignEdit
from designer.services.designs.figures import figures_of, figures_of_spec, is_of_today, kept, versions
from designer.wording.headlines import Headlines
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError
from estimator.record import Given, Json
from estimator.spec.design import DesignSpec, spec_hash
from estimator.spec.parse import parse_spec

COLUMNS = ("given", "spec", "spec_hash", "figures", "versions", "state_number", "changed_by")


def rules() -> str:
    """Model and catalog of today, as designs note by what their request was read."""
    return " ".join(versions())


def given_of(spec: DesignSpec) -> Json:
    """What was said; a name is there where somebody has given one."""
    return spec.as_given()


def hold(design: Design, spec: DesignSpec, figures: Headlines | None = None) -> None:
    """Make a request the current state of a design; the row is not saved. Without a name it is called by what it is."""
    design.given, design.spec, design.spec_hash = given_of(spec), spec.as_json(), spec_hash(spec)
    design.name = spec.name if "name" in design.given else _free_name(design, spec.name)
    design.figures = figures.as_json() if figures else None
    design.versions = rules()


def _free_name(design: Design, name: str) -> str:
    """A name that no other design of the owner has: "1,024 × H100, NDR (2)" beside one without a number."""
    others = Design.objects.filter(owner=design.owner, name__startswith=name).exclude(pk=design.pk)
    taken = set(others.values_list("name", flat=True))
    numbered = (f"{name} ({number})" for number in itertools.count(2))
    return next(one for one in itertools.chain([name], numbered) if one not in taken)


def hold_edit(design: Design, edit: DesignEdit) -> None:
    """Make the state that held at an edit the current one; the row is not saved."""
    given = held_at(edit)
    spec = read(given)
    if spec is not None:
        hold(design, spec, kept(edit))
    else:  # today's rules refuse it, and the page says why
        design.given, design.spec_hash, design.figures, design.versions = given, edit.spec_hash, None, rules()


def held_at(edit: DesignEdit) -> Json:
    """What was said in the state that held at an edit.

    Rows of before states were kept have none: theirs is read from what the form held then, or in the edits before.
    """
    if edit.given is not None:
        return dict(edit.given)
    earlier = edit.design.edits.filter(number__lte=edit.number, figures__isnull=False).order_by("-number")
    for row in earlier.iterator(chunk_size=8):
        form = DesignForm(row.typed, owner=edit.design.owner)
        if form.is_valid() and form.spec is not None:
            return given_of(form.spec)
    return dict(edit.design.given)


def read(given: Given) -> DesignSpec | None:
    """A stored request by today's rules; None where they refuse it."""
    try:
        return parse_spec(given, load_catalog())
    except EstimatorError:
        return None


def fresh(design: Design) -> Design:
    """The same design, its state read by today's model and catalog: a new default in either changes what it comes to."""
    if design.versions == rules():
        return design
    edit = design.edits.filter(number=design.at).first() if design.at else None
    spec = read(design.given if design.versions or edit is None else held_at(edit))
    if edit is not None and not edit.is_valid:
        spec = _became_buildable(edit) or spec
    if spec is not None:
        known = kept(design)
        hold(design, spec, known if is_of_today(known) else None)
    design.versions = rules()
    values = {name: getattr(design, name) for name in COLUMNS}
    Design.objects.filter(pk=design.pk, state_number=design.state_number).update(**values)
    return design


def _became_buildable(edit: DesignEdit) -> DesignSpec | None:
    """What the form holds, where model and catalog of since can build it."""
    form = DesignForm(edit.typed, owner=edit.design.owner)
    if not form.is_valid() or form.spec is None or figures_of_spec(form.spec) is None:
        return None
    DesignEdit.objects.filter(pk=edit.pk).update(
        is_valid=True, given=given_of(form.spec), spec_hash=spec_hash(form.spec), figures=None
    )
    return form.spec


def refresh_states(owner: User) -> None:
    """Bring all designs of an owner up to today's model and catalog; one query where they are."""
    for design in owner.designs.exclude(versions=rules()):
        fresh(design)


def spec_of(design: Design) -> DesignSpec:
    """The current state as a request.

    Raises
    ------
    SpecError
        If today's rules refuse it.
    """
    return parse_spec(design.given, load_catalog())


def figures_now(design: Design) -> Headlines | None:
    """Headline figures of the current state, kept in its row; None where it cannot be built."""
    fresh(design)
    known = kept(design)
    if is_of_today(known) and known.spec_hash == design.spec_hash:
        return known
    made = figures_of(design.given, design.spec_hash)
    if made is not None:
        design.figures = made.as_json()
        Design.objects.filter(pk=design.pk, spec_hash=design.spec_hash).update(figures=design.figures)
    return made
