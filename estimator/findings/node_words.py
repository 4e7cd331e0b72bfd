"""What the servers of a design are called: texts speak of nodes and servers, and compute trays are called trays.

Texts of findings, pages and reports are written once, for servers. Where the servers of a design are the trays of a rack
(``Server.node_word``), ``said`` puts the word in their place. It leaves alone what is not a word of the text: keys
(``compute.nodes``), names of devices and of tiers (``node-0001``, ``node-leaf``), what stands in quotation marks, and
servers and nodes of another kind.
"""

import re
from collections.abc import Callable

from estimator.catalog.catalog import Catalog

SERVER_WORD = "server"
_OF_ANOTHER_KIND = ("storage", "management", "manager", "managers’", "login", "custom", "other")
_PLAIN = re.compile(
    r"(?P<kept>“[^”]*”)|"
    + "".join(f"(?<!{kind} )" for kind in _OF_ANOTHER_KIND)
    + r"(?<![\w.\-/`])(?P<word>nodes?|servers?)(?!\w|-\w|\.\w|/)",
    re.IGNORECASE,
)


def node_word(server_id: str | None, catalog: Catalog) -> str:
    """ "server" or "tray": what one server of a design is called; a custom one is a server."""
    server = catalog.server(server_id)
    return server.node_word if server else SERVER_WORD


def said(text: str, word: str) -> str:
    """A text that speaks of nodes or servers, in the word for those of a design."""
    return text if word == SERVER_WORD else _PLAIN.sub(_in_word(word), text)


def _in_word(word: str) -> Callable[[re.Match[str]], str]:
    def replace(match: re.Match[str]) -> str:
        found = match["word"]
        if not found:
            return match[0]
        plural = f"{word}s" if found[-1] in "sS" else word
        return plural.capitalize() if found[0].isupper() else plural

    return replace
