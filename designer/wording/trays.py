"""Trays where a design's servers are trays: the word for one server, and texts that use it."""

import re

from estimator.catalog.loader import load_catalog
from estimator.findings.node_words import SERVER_WORD, node_word, said

_TAGS = re.compile(
    r"(<(?:script|style|textarea|code)\b.*?</(?:script|style|textarea|code)>"
    r"|<(?P<kept>tbody|td|span)\b[^>]*\btranslate=\"no\"[^>]*>.*?</(?P=kept)>|<[^>]*>)",
    re.DOTALL | re.IGNORECASE,
)
_READ_ALOUD = re.compile(r'((?:data-label|aria-label|title|alt)=")([^"]*)(")')


def word_of(server: str | None) -> str:
    """What one server of a design is called."""
    return node_word(server, load_catalog())


def said_in_markup(markup: str, word: str) -> str:
    """Markup whose texts, and labels that are read or shown, are in the word for a design's servers.

    What is marked ``translate="no"`` stays: where a figure is from speaks of the servers of others, "four nodes of H100".
    """
    if word == SERVER_WORD:
        return markup
    out, at = [], 0
    for tag in _TAGS.finditer(markup):
        out += [said(markup[at : tag.start()], word), _spoken(tag, word)]
        at = tag.end()
    return "".join([*out, said(markup[at:], word)])


def _spoken(tag: re.Match[str], word: str) -> str:
    """A tag with its labels said; what is code, or stays as it is written, whole."""
    if tag.group("kept") or tag[0][1:].lower().startswith(("script", "style", "textarea", "code")):
        return tag[0]
    return _READ_ALOUD.sub(lambda found: f"{found[1]}{said(found[2], word)}{found[3]}", tag[0])
