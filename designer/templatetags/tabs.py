"""Links between the tabs of a result: plain addresses that work without scripts, and the same by htmx where scripts run."""

from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag(takes_context=True)
def tab_link(context: dict[str, Any], tab: str, anchor: str = "result", **query: Any) -> SafeString:
    """The attributes of a link to a tab of the design's page: ``<a {% tab_link "cabling" sort="-links" %}>``.

    The fragment answers the same query as the page, and its answer says which address of the page the browser shall show.
    """
    design, job = context["design"], context["job"]
    version = context.get("version_shown")
    if version:
        query["version"] = version.number
    asked = urlencode({"tab": tab} | {key: value for key, value in query.items() if value not in (None, "")})
    page = reverse("version", args=[design.pk, version.number]) if version else reverse("design", args=[design.pk])
    fragment = reverse("estimate-tab", args=[design.pk, job.pk])
    return format_html(
        'href="{0}?{2}#{3}" hx-get="{1}?{2}" hx-target="#tabs" hx-swap="outerHTML"',
        page, fragment, asked, anchor,
    )  # fmt: skip
