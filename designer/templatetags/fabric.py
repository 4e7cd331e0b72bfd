"""Links between the pictures of a fabric, and what its tables print."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from designer.drawings.query import ANCHOR
from designer.drawings.words import percent_words
from designer.templatetags.tabs import result_link
from designer.wording.context import Context

register = template.Library()


@register.simple_tag(takes_context=True)
def fabric_link(context: Context, query: Mapping[str, str]) -> SafeString:
    """The attributes of a link to a picture: a plain address, and the same by htmx where scripts run."""
    return result_link(context, query, ANCHOR)


@register.simple_tag(takes_context=True)
def fabric_link_to(context: Context, at: str) -> SafeString:
    """The attributes of a link to a part or device of the fabric that is shown."""
    return fabric_link(context, context["asked"].query(at=at))


@register.simple_tag(takes_context=True)
def fabric_file(context: Context) -> str:
    """The address of the picture as a file."""
    address = reverse("estimate-fabric-view", args=[context["design"].pk, context["job"].pk])
    return f"{address}?{urlencode(context['asked'].query())}"


@register.filter
def share(value: Any) -> str:
    """A share or load → "94 %"; a small loss is never rounded away."""
    return "–" if value is None else percent_words(float(value))


@register.filter
def parts_of(value: Any) -> str:
    """A fraction → "15 of 16"; "all" and "none" at the ends."""
    if value is None:
        return "–"
    if value == 1:
        return "all"
    return "none" if value == 0 else f"{value.numerator:,} of {value.denominator:,}"
