"""Variants, designs that begin as another one stands and remember which, and copies of a shared design, which do not."""

import itertools

from django.contrib.auth.models import User
from django.db import transaction

from designer.models import Design
from designer.services.designs.saving import save_design
from designer.services.labels import MAX_NAME
from estimator.catalog.loader import load_catalog
from estimator.errors import Change
from estimator.pipeline import estimate
from estimator.spec.change import apply_change
from estimator.spec.parse import parse_spec


@transaction.atomic
def branch(owner: User, origin: Design, change: Change | None = None) -> Design:
    """A new design of ``owner`` out of the current state of ``origin``.

    ``change`` is made in the new one, which then has to be one that can be built.

    Raises
    ------
    SpecError
        If today's rules refuse that state, or what the change makes of it.
    EstimatorError
        If no fabric of its parts meets the change.
    """
    catalog = load_catalog()
    spec = parse_spec(apply_change({**origin.given, "name": variant_name(origin)}, change or {}), catalog)
    if change:
        estimate([spec], catalog, parts=("counts",))
    variant = save_design(owner, spec)
    variant.parent = origin
    variant.save(update_fields=["parent"])
    return variant


def copy_of(owner: User, shared: Design) -> Design:
    """A design of ``owner`` that begins as somebody else's stands; neither knows of the other.

    Raises
    ------
    SpecError
        If today's rules refuse that state.
    """
    name = copy_name(owner, shared.name)
    return save_design(owner, parse_spec({**shared.given, "name": name}, load_catalog()))


def copy_name(owner: User, name: str) -> str:
    """The design's own name, or "Hall 3 (2)" where ``owner`` has one of that name; a long name is cut to make room."""
    taken = set(owner.designs.values_list("name", flat=True))
    endings = itertools.chain([""], (f" ({number})" for number in itertools.count(2)))
    return next(one for ending in endings if (one := f"{name[: MAX_NAME - len(ending)]}{ending}") not in taken)


def variant_name(origin: Design) -> str:
    """ "Hall 3" → "Hall 3, variant 2" where it has one variant already; a long name is cut to make room."""
    taken = set(origin.variants.values_list("name", flat=True))
    number = len(taken) + 1
    while True:
        ending = f", variant {number}"
        name = f"{origin.name[: MAX_NAME - len(ending)]}{ending}"
        if name not in taken:
            return name
        number += 1
