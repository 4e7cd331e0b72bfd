"""Files whose every value carries its source: as a comment before it, or beside the file where it takes no comments.

A comment names the value's key once in full, with source, trust, reason and what other sources say; after that by key,
value and trust alone, as ``mtu.host_bytes = 9000 B [A] as above``. An empty line ends what a comment covers.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from estimator.bringup.plan.plan import Plan
from estimator.bringup.plan.value import TRUSTS, Scalar, Value
from estimator.bringup.renderings.target import File
from estimator.handoff.cells import Cell, csv_blocks, guarded
from estimator.handoff.stamp import comments
from estimator.record import Json

TRUST_WORDS = "Trust: " + "; ".join(f"[{mark}] {words}" for mark, words in TRUSTS.items()) + "."
AS_ABOVE = "as above"


def shown(value: Value) -> str:
    """Key, value, unit and trust."""
    unit = f" {value.unit}" if value.unit else ""
    return f"{value.key} = {value.value}{unit} [{value.trust}]"


def others(value: Value) -> str:
    """What other sources say; empty where they agree."""
    return "; ".join(
        f"{one.value} [{one.trust}] {one.source}" + (f" ({one.applies})" if one.applies else "")
        for one in value.alternatives
    )


class Page:
    """A text file of lines, with comments that start with ``mark``.

    ``head`` are the first comment lines after title and origin; ``first`` is what must stand before all, as ``#!/bin/sh``.
    """

    def __init__(self, plan: Plan, *head: str, mark: str = "# ", first: str = "") -> None:
        self._mark = mark
        self._said: set[str] = set()
        self._covered: list[Value] = []
        chosen = [f"Choices: {key} {word}." for key, word in plan.choices.of_devices.items()]
        self._parts = [f"{first}\n" if first else "", comments(plan.links, *head, *chosen, TRUST_WORDS, mark=mark)]

    def say(self, *lines: str) -> None:
        """Comment lines, after an empty one: the start of a part."""
        self._parts += ["\n", *(f"{self._mark}{line}".rstrip() + "\n" for line in lines)]
        self._covered = []

    def put(self, values: Value | Sequence[Value], *lines: str) -> None:
        """Lines, after comments on the values that they write (or that they begin or end a block of)."""
        wanted = [values] if isinstance(values, Value) else list(values)
        if wanted != self._covered:
            self._parts += [f"{self._mark}{self._source(value)}\n" for value in wanted]
            self._covered = wanted
        self._parts += [f"{line}\n" for line in lines]

    def file(self, name: str) -> File:
        """The file as written so far."""
        return File(name, "".join(self._parts))

    def _source(self, value: Value) -> str:
        brief = shown(value)
        text = f"{brief} {value.source}. {value.why}."
        if value.alternatives:
            text += f" Others: {others(value)}."
        if text in self._said:
            return f"{brief} {AS_ABOVE}"
        self._said.add(text)
        return text


class Leaf(NamedTuple):
    """A value of a file without comments, as it is written, with what it rests on."""

    written: Scalar | bool
    value: Value


SOURCES_COLUMNS = ("pointer", "written", "key", "value", "trust", "source", "why", "others")


def json_files(name: str, tree: Json) -> Iterator[File]:
    """A JSON file of nested objects and lists, whose ends are ``Leaf``, and its sources as ``NAME.sources.csv``."""
    yield File(name, json.dumps(_plain(tree), indent=2, ensure_ascii=False) + "\n")
    yield File(f"{name}.sources.csv", "".join(csv_blocks(SOURCES_COLUMNS, _rows(tree))))


def _rows(tree: Json) -> Iterator[tuple[Cell, ...]]:
    """A row for each end of a tree; what speaks for a value, and what others say, stands on its first row alone."""
    said: set[int] = set()
    for pointer, (written, one) in _leaves("", tree):
        rest = ("", "") if id(one) in said else (one.why, others(one))
        said.add(id(one))
        yield tuple(map(guarded, (pointer, str(written), one.key, str(one.value), one.trust, one.source, *rest)))


def _plain(tree: Any) -> Any:
    match tree:
        case Leaf():
            return tree.written
        case dict():
            return {key: _plain(one) for key, one in tree.items()}
        case list():
            return [_plain(one) for one in tree]
    raise TypeError(f"{tree!r} has no source")


def _leaves(pointer: str, tree: Any) -> Iterator[tuple[str, Leaf]]:
    """Ends with their JSON pointers (RFC 6901)."""
    match tree:
        case Leaf():
            yield pointer, tree
        case dict():
            for key, one in tree.items():
                yield from _leaves(f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}", one)
        case list():
            for number, one in enumerate(tree):
                yield from _leaves(f"{pointer}/{number}", one)
