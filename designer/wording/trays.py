"""Trays where a design's servers are trays: the word for one server, and texts that use it."""

import re

from estimator.catalog.loader import load_catalog
from estimator.findings.node_words import SERVER_WORD, node_word, said

_TAGS = re.compile(
    r"(<(?:script|style|textarea|code)\b.*?</(?:script|style|textarea|code)>|<[^>]*>)", re.DOTALL | re.IGNORECASE
)
_READ_ALOUD = re.compile(r'((?:data-label|aria-label|title|alt)=")([^"]*)(")')


def word_of(server: str | None) -> str:
    """What one server of a design is called."""
    return node_word(server, load_catalog())


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
