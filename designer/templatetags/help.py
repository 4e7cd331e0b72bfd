"""The question mark beside a field or a figure: a link to its help, which a script opens as a card in place."""

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from designer.pages.reading.help import cost_key, help_key, help_texts
from designer.wording.glossary import anchors, term_anchor
from designer.wording.numbers import WORD_JOINER

register = template.Library()


@register.simple_tag
def help_mark(key: str) -> SafeString | str:
    """The mark for a key of help.csv; nothing where there is no text."""
    text = help_texts().get(key)
    if text is None:
        return ""
    return format_html(
        '<a class="help-dot" href="{}#{}" data-help="{}" aria-haspopup="dialog" aria-label="Help: {}"><span aria-hidden="true">'
        "?</span></a>",
        reverse("help"),
        key,
        reverse("help-card", args=[key]),
        text.title,
    )


@register.simple_tag
def figure_mark(key: str) -> SafeString:
    """The mark behind a figure's name in a table or a list, never on a line of its own."""
    return format_html("{}{}", WORD_JOINER, help_mark(key))


@register.simple_tag
def term(name: str, shown: str = "") -> SafeString:
    """A term of the glossary, linked, as it is written there or as ``shown``."""
    return format_html('<a class="term" href="{}#{}">{}</a>', reverse("glossary"), term_anchor(name), shown or name)


@register.simple_tag(takes_context=True)
def how_well(context: Context, page: str, document: str) -> str:
    """The address of a page of validation, or for a guest, who may not open it, that of the document that says the same."""
    user = context.get("user")
    return reverse(page) if user and user.is_authenticated else reverse("document", args=[document])


@register.simple_tag
def known_term(words: str) -> SafeString | str:
    """Words, linked to the glossary where it has them."""
    return term(words) if term_anchor(words) in anchors() else words


@register.simple_tag
def help_for_field(name: str) -> SafeString | str:
    """The mark for a form field."""
    return help_mark(help_key(name))


@register.simple_tag
def help_for_cost(figure_name: str) -> SafeString | str:
    """The mark for a head figure of the cost tab."""
    return help_mark(cost_key(figure_name))
