"""A nested document with the line of every key, from JSON or YAML: bounded in size and depth, nothing executed."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from estimator.bringup.check.texts.secrets import JSON_TOKEN, MASK, is_secret

MOST_DEPTH = 40
MOST_NODES = 400_000
Path = tuple[str, ...]
Scalar = str | int | float | bool | None


class Unparsed(Exception):
    """A document that is none; says where and why."""

    def __init__(self, line: int | None, why: str) -> None:
        self.line, self.why = line, why
        super().__init__(why)


class Node(NamedTuple):
    """A key's value, None for what holds others, and its line."""

    value: Scalar
    line: int


@dataclass
class Tree:
    """Nodes by path; items of a list are keyed by their number."""

    nodes: dict[Path, Node] = field(default_factory=dict)
    keys: dict[Path, list[str]] = field(default_factory=dict)
    secrets: list[int] = field(default_factory=list)

    def add(self, path: Path, value: Scalar, line: int) -> None:
        """Put a node in; a secret is hidden at once."""
        if len(self.nodes) >= MOST_NODES:
            raise Unparsed(line, f"it has more than {MOST_NODES:,} keys")
        if value is not None and any(is_secret(part) for part in path[-2:]) and not isinstance(value, bool):
            self.secrets.append(line)
            value = MASK
        if path not in self.nodes:
            self.keys.setdefault(path[:-1], []).append(path[-1])
        self.nodes[path] = Node(value, line)

    def under(self, *path: str) -> list[str]:
        """Keys of an object or numbers of a list, none where it is neither."""
        return self.keys.get(path, [])

    def get(self, *path: str) -> Node | None:
        """The node at a path."""
        return self.nodes.get(path)

    def text(self, *path: str) -> str:
        """The value at a path as text, empty where there is none."""
        node = self.nodes.get(path)
        return "" if node is None or node.value is None else str(node.value)

    def line(self, *path: str) -> int:
        """The line of a path or of the nearest that holds it."""
        while path and path not in self.nodes:
            path = path[:-1]
        return self.nodes[path].line if path else 1

    def walk(self) -> Iterator[tuple[Path, Node]]:
        """All nodes in the order of the document."""
        return iter(self.nodes.items())


def json_tree(text: str) -> Tree:
    """The tree of a JSON document.

    Raises
    ------
    Unparsed
        If it is no JSON, too deep or too large.
    """
    try:
        json.loads(text)
    except RecursionError:
        raise Unparsed(None, f"it nests more than {MOST_DEPTH} levels") from None
    except json.JSONDecodeError as error:
        raise Unparsed(error.lineno, f"it is no JSON from here on: {error.msg}") from None
    except ValueError:
        raise Unparsed(None, "it has a number of thousands of digits") from None
    tree, line, at = Tree(), 1, 0
    stack: list[tuple[Path, int]] = []  # what is open: its path, and the number of the next item, -1 for objects
    key: str | None = None
    for match in JSON_TOKEN.finditer(text):
        line, at = line + text.count("\n", at, match.start(1)), match.start(1)
        piece = match[1]
        if piece in ("]", "}"):
            stack.pop()
        elif piece not in (",", ":"):
            if stack and stack[-1][1] == -1 and key is None:
                key = str(json.loads(piece))
                continue
            path = _next_path(stack, key)
            key = None
            is_open = piece in ("{", "[")
            if path:
                tree.add(path, None if is_open else json.loads(piece), line)
            if is_open:
                stack.append((path, -1 if piece == "{" else 0))
                if len(stack) > MOST_DEPTH:
                    raise Unparsed(line, f"it nests more than {MOST_DEPTH} levels")
    return tree


def _next_path(stack: list[tuple[Path, int]], key: str | None) -> Path:
    if not stack:
        return ()
    path, number = stack[-1]
    if number == -1:
        return (*path, str(key))
    stack[-1] = (path, number + 1)
    return (*path, str(number))


_KEY = re.compile(r"""^(?P<key>"[^"]*"|'[^']*'|[^\s#'"\[\]{}&*!|>%@`,][^#]*?)\s*:(?:\s+(?P<value>.*))?$""")


def yaml_tree(text: str) -> Tree:
    """The tree of the YAML that manifests are written in: blocks, lists, plain and quoted scalars, flat ``[…]`` and ``{…}``.

    Several documents are numbered from 0. Anchors, aliases and tags are refused, so that nothing grows as it is read.

    Raises
    ------
    Unparsed
        If a line is none of that, or it is too deep or too large.
    """
    tree = Tree()
    stack: list[tuple[int, Path]] = []
    counts: dict[Path, int] = {}
    document, scalar_from = 0, -1
    tree.add(("0",), None, 1)
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.rstrip()
        indent = len(line) - len(line.lstrip(" "))
        body = line[indent:]
        if not body or body.startswith("#") or (number == 1 and body.startswith("%YAML")):
            continue
        if body in ("---", "..."):
            if body == "---" and tree.under(str(document)):
                document += 1
                tree.add((str(document),), None, number)
            stack, scalar_from = [], -1
            continue
        if scalar_from >= 0:
            if indent > scalar_from:
                continue  # lines of a block of text
            scalar_from = -1
        if "\t" in raw[: indent + 1]:
            raise Unparsed(number, "a tab indents it, which YAML does not have")
        while body.startswith("- ") or body == "-":
            while stack and stack[-1][0] > indent:
                stack.pop()
            if stack and stack[-1][0] == indent and stack[-1][1][-1].startswith("-"):
                stack.pop()
            parent = stack[-1][1] if stack else (str(document),)
            counts[parent] = counts.get(parent, -1) + 1
            path = (*parent, f"-{counts[parent]}")
            tree.add(path, None, number)
            stack.append((indent, path))
            rest = body[1:].lstrip(" ")
            indent += len(body) - len(rest)
            body = rest
        if not body:
            continue
        match = _KEY.match(body)
        if not match:
            if stack and stack[-1][1][-1].startswith("-"):
                tree.add(stack[-1][1], _scalar(body, number), number)
                continue
            raise Unparsed(number, "it is neither a key with a value nor an item of a list")
        while stack and (stack[-1][0] > indent or (stack[-1][0] == indent and not stack[-1][1][-1].startswith("-"))):
            stack.pop()
        if stack and stack[-1][0] == indent:
            stack.pop()
        parent = stack[-1][1] if stack else (str(document),)
        path = (*parent, match["key"].strip("'\""))
        if len(path) > MOST_DEPTH:
            raise Unparsed(number, f"it nests more than {MOST_DEPTH} levels")
        value = (match["value"] or "").strip()
        if value[:1] in ("|", ">"):
            scalar_from, value = indent, ""
        flat = re.fullmatch(r"\{([^{}\[\]]+)\}\s*(?:#.*)?", value)
        tree.add(path, None if flat or not value or value.startswith("#") else _scalar(value, number), number)
        for part in flat[1].split(",") if flat else ():
            key, _, inner = part.partition(":")
            tree.add((*path, key.strip().strip("'\"")), _scalar(inner.strip(), number), number)
        stack.append((indent, path))
    return tree


def _scalar(text: str, line: int) -> Scalar:
    if text[:1] in ("&", "*", "!"):
        raise Unparsed(line, "it has an anchor, an alias or a tag, and those are not followed")
    if text[:1] in ("'", '"'):
        return text[1 : text.rfind(text[0])] if text.rfind(text[0]) > 0 else text[1:]
    text = text.partition(" #")[0].strip()
    if text in ("true", "false"):
        return text == "true"
    return text
