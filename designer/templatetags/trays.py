"""``{% in_words_of job.spec %}…{% end_in_words %}``: what stands between says trays where a design's servers are trays."""

import re
from collections.abc import Mapping
from typing import Any

from django import template
from django.template.base import FilterExpression, NodeList, Parser, Token
from django.utils.safestring import SafeString, mark_safe

from estimator.catalog.loader import load_catalog
from estimator.node_words import SERVER_WORD, node_word, said

register = template.Library()

_TAGS = re.compile(
    r"(<(?:script|style|textarea|code)\b.*?</(?:script|style|textarea|code)>|<[^>]*>)", re.DOTALL | re.IGNORECASE
)
_READ_ALOUD = re.compile(r'((?:data-label|aria-label|title|alt)=")([^"]*)(")')


def word_of(spec: Mapping[str, Any] | None) -> str:
    """What one server of a design is called; ``spec`` is a normalized request."""
    compute = (spec or {}).get("compute") or {}
    return node_word(compute.get("server"), load_catalog())


def said_in_markup(markup: str, word: str) -> str:
    """Markup whose texts, and labels that are read or shown, are in the word for a design's servers."""
    if word == SERVER_WORD:
        return markup
    parts = _TAGS.split(markup)
    for place, part in enumerate(parts):
        if place % 2 == 0:
            parts[place] = said(part, word)
        elif not part[1:].lower().startswith(("script", "style", "textarea", "code")):
            parts[place] = _READ_ALOUD.sub(lambda found: f"{found[1]}{said(found[2], word)}{found[3]}", part)
    return "".join(parts)


class _InWords(template.Node):
    def __init__(self, spec: FilterExpression, nodelist: NodeList) -> None:
        self.spec, self.nodelist = spec, nodelist

    def render(self, context: template.Context) -> SafeString:
        """What stands between, said in the word for the design's servers."""
        inside = self.nodelist.render(context)
        spec = self.spec.resolve(context, ignore_failures=True)
        return mark_safe(said_in_markup(inside, word_of(spec)))  # noqa: S308 - words of escaped markup, no markup of its own


@register.tag("in_words_of")
def in_words_of(parser: Parser, token: Token) -> _InWords:
    """The block tag."""
    _, spec = token.split_contents()
    inside = parser.parse(("end_in_words",))
    parser.delete_first_token()
    return _InWords(parser.compile_filter(spec), inside)
