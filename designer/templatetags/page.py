"""What every page says about itself: the versions its numbers depend on."""

from django import template

from designer.templatetags.units import short_hash
from estimator.catalog.loader import load_catalog
from estimator.version import MODEL_VERSION

register = template.Library()


@register.simple_tag
def model_version() -> str:
    """The version of the rules and formulas."""
    return MODEL_VERSION


@register.simple_tag
def catalog_version() -> str:
    """The start of the hash of the catalog's content; empty only if there is none."""
    return short_hash(load_catalog().version)
