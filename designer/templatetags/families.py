"""The two families of network, in words."""

from typing import Any

from django import template

from estimator.catalog.loader import load_catalog
from estimator.compare.other_family import ALTERNATIVES, other_family

register = template.Library()


@register.filter
def other_family_name(generation: Any) -> str:
    """The other family of a generation: "ndr" → "RoCE"; nothing for one that has none."""
    return other_family(generation, load_catalog()) if generation in ALTERNATIVES else ""
