"""Links between the tabs of a result: plain addresses that work without scripts, and the same by htmx where scripts run."""

from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from designer.services.shown_page import shown_page
from designer.wording.context import Context
from estimator.record import Given

register = template.Library()


@register.simple_tag(takes_context=True)
def tab_link(context: Context, tab: str, anchor: str = "result", **query: Any) -> SafeString:
    """The attributes of a link to a tab of the design's page: ``<a {% tab_link "cabling" sort="-links" %}>``.

    The fragment answers the same query as the page, and its answer says which address of the page the browser shall show.
    """
    asked = {"tab": tab} | {key: value for key, value in query.items() if value not in (None, "")}
    return result_link(context, asked, anchor)


def result_link(context: Context, query: Given, anchor: str) -> SafeString:
    """The attributes of a link to another view of the same result, on the page that shows it."""
    page = shown_page(context)
    fragment = reverse("estimate-tab", args=[page.design_id, context["job"].pk])
    return format_html(
        'href="{}" hx-get="{}?{}" hx-target="#tabs" hx-swap="outerHTML"',
        page.link(query, anchor),
        fragment,
        urlencode({**query, **page.query}),
    )


@register.simple_tag(takes_context=True)
def page_address(context: Context) -> str:
    """The address of the page that shows this state: the design's, or that of its version."""
    return shown_page(context).address


@register.simple_tag(takes_context=True)
def of_version(context: Context, mark: str = "?") -> str:
    """What an address of a fragment ends with on a version's page, so that its answer is of that page."""
    query = shown_page(context).query
    return f"{mark}{urlencode(query)}" if query else ""


@register.simple_tag(takes_context=True)
def version_field(context: Context) -> SafeString | str:
    """The same for a form."""
    version = shown_page(context).version
    return "" if version is None else format_html('<input type="hidden" name="version" value="{}">', version)
