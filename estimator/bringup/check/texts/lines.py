"""Configurations as lines under their blocks: indented ones of EOS and NX-OS, set commands and braces of Junos."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from estimator.bringup.check.texts.tree import MOST_DEPTH, Unparsed

Words = tuple[str, ...]


class Line(NamedTuple):
    """A statement with the lines that it stands under, outermost first."""

    number: int
    text: str
    above: tuple[str, ...]

    @property
    def block(self) -> str:
        """The innermost line that it stands under."""
        return self.above[-1] if self.above else ""


def indented(text: str) -> Iterator[Line]:
    """Statements of a running configuration; ``!`` begins a comment."""
    stack: list[tuple[int, str]] = []
    for number, raw in enumerate(text.split("\n"), 1):
        body = raw.strip()
        if not body or body.startswith("!"):
            continue
        indent = len(raw) - len(raw.lstrip())
        while stack and stack[-1][0] >= indent:
            stack.pop()
        yield Line(number, " ".join(body.split()), tuple(line for _, line in stack))
        stack.append((indent, body))
        if len(stack) > MOST_DEPTH:
            raise Unparsed(number, f"it nests more than {MOST_DEPTH} levels")


_PROMPT = re.compile(
    r"^\s*(?:\{(?:master|linecard|backup|primary)[^{}]*\}|[\w.-]+@[\w.-]+(?:[>#%]| \$).*|\[edit[^\]]*\])\s*$"
)
"""What a session on the device prints around a configuration."""
_QUOTED = re.compile(r'"[^"]*"|[{};]|\[|\]|[^\s{};"\[\]]+')


def junos(text: str) -> Iterator[tuple[int, Words]]:
    """Statements as the words of set commands, of either form, without those that are inactive."""
    if re.search(r"(?m)^\s*set \S", text):
        yield from _set_lines(text)
    else:
        yield from _braced(text)


def _set_lines(text: str) -> Iterator[tuple[int, Words]]:
    """Statements of set commands, without those that ``deactivate`` names."""
    found: list[tuple[int, Words]] = []
    inactive: set[Words] = set()
    for number, raw in enumerate(text.split("\n"), 1):
        words = tuple(word.strip('"') for word in _QUOTED.findall(raw) if word not in ("[", "]"))
        if words[:1] == ("set",):
            found.append((number, words[1:]))
        elif words[:1] == ("deactivate",) and len(words) > 1:
            inactive.add(words[1:])
    depths = {len(words) for words in inactive}
    for number, words in found:
        if not any(words[:depth] in inactive for depth in depths):
            yield number, words


def _braced(text: str) -> Iterator[tuple[int, Words]]:
    stack: list[Words] = []
    words: list[str] = []
    first, in_comment = 0, False
    for number, raw in enumerate(text.split("\n"), 1):
        line = "" if _PROMPT.match(raw) else re.sub(r"/\*.*?\*/", " ", raw)
        if in_comment:
            if "*/" not in line:
                continue
            line, in_comment = line.partition("*/")[2], False
        if "/*" in line:
            line, in_comment = line.partition("/*")[0], True
        for piece in _QUOTED.findall(line.partition("##")[0] if not line.lstrip().startswith("#") else ""):
            if piece == "{":
                stack.append(tuple(words))
                if len(stack) > MOST_DEPTH:
                    raise Unparsed(number, f"it nests more than {MOST_DEPTH} levels")
                words = []
            elif piece == ";":
                path = tuple(word for level in stack for word in level)
                if words and "inactive:" not in (*path, *words):
                    yield first, (*path, *words)
                words = []
            elif piece == "}":
                if not stack:
                    raise Unparsed(number, "a brace closes that none opened")
                stack.pop()
                words = []
            elif piece not in ("[", "]"):
                first = number if not words else first
                words.append(piece.strip('"'))
