"""What every page says about itself: the versions its numbers depend on."""

from collections.abc import Sequence
from typing import Any

from django import template
from django.core.serializers.json import DjangoJSONEncoder
from django.utils.html import json_script
from django.utils.safestring import SafeString

from designer.wording.numbers import short_hash
from estimator.catalog.loader import load_catalog
from estimator.record import Given
from estimator.version import MODEL_VERSION

register = template.Library()
SLIPS = ("wrong_type", "out_of_range", "not_a_ratio", "not_a_choice", "missing", "unknown_key", "unknown_part")


class _Dense(DjangoJSONEncoder):
    """JSON without spaces between its parts: a chart has thousands of them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options | {"separators": (",", ":")})


@register.filter
def dense_script(value: Any, element_id: str) -> SafeString:
    """A value as JSON in a script element, as ``json_script`` writes it."""
    return json_script(value, element_id, encoder=_Dense)


@register.filter
def are_slips(problems: Sequence[Given]) -> bool:
    """Whether all problems are of how values were given, so that nothing is said of what could be built."""
    return all(problem["code"] in SLIPS for problem in problems)


@register.simple_tag
def model_version() -> str:
    """The version of the rules and formulas."""
    return MODEL_VERSION


@register.simple_tag
def catalog_version() -> str:
    """The start of the hash of the catalog's content; empty only if there is none."""
    return short_hash(load_catalog().version)
