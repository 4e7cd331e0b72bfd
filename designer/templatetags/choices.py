"""The choices of a settings plan in links and forms: a page that has them leads to pages that have them."""

from urllib.parse import urlencode

from django import template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from designer.services.shown_page import shown_page
from designer.wording.context import Context
from estimator.bringup.plan.choices import USUAL, Choices

register = template.Library()
WEEKS = "weeks"


def _chosen(context: Context) -> Choices:
    chosen: Choices = context.get("choices", USUAL)
    return chosen


@register.simple_tag(takes_context=True)
def of_choices(context: Context, mark: str = "?") -> str:
    """What an address ends with, so that its page has the choices of this one."""
    return _ending(_chosen(context).unusual, mark)


@register.simple_tag(takes_context=True)
def of_plan(context: Context, mark: str = "?") -> str:
    """The same with the version that is shown."""
    return _ending(shown_page(context).query | _chosen(context).unusual, mark)


@register.simple_tag(takes_context=True)
def of_weeks(context: Context, mark: str = "?") -> str:
    """The same of the weeks alone, which are all that a checklist depends on."""
    return _ending({key: word for key, word in _chosen(context).unusual.items() if key == WEEKS}, mark)


def _ending(query: dict[str, str], mark: str) -> str:
    return mark + urlencode(query) if query else ""


@register.simple_tag(takes_context=True)
def choice_fields(context: Context) -> SafeString:
    """The choices for a form."""
    return format_html_join("", '<input type="hidden" name="{}" value="{}">', _chosen(context).unusual.items())
