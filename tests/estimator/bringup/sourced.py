"""Reads rendered files and names every value that stands there without a source; it knows the files alone, not their makers."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

MARKS = {"eos": "! ", "nxos": "! "}  # by end of a file's name; others have "# "
STATED = re.compile(r"^(\S+) = .* \[(A|B|C|design|own)\] (\S.*)$")
SCAFFOLD = re.compile(r"(?<![$\w{:])\d")  # a number: what stands without a source has none
TRUSTS = ("[A]", "[B]", "[C]", "[design]", "[own]")


def unsourced(files: Iterable[tuple[str, str]]) -> list[str]:
    """Places without a source, of (path in the archive, text)."""
    held = dict(files)
    return [place for path, text in held.items() for place in _unsourced(path, text, held)]


def _unsourced(path: str, text: str, held: dict[str, str]) -> Iterator[str]:
    if path.endswith(".json"):
        yield from _of_json(path, json.loads(text), held.get(f"{path}.sources.csv"))
    elif path.endswith(".csv"):
        yield from _of_csv(path, text)
    else:
        yield from _of_lines(path, text, MARKS.get(path.rpartition(".")[2], "# "))


def _of_json(path: str, tree: Any, sources: str | None) -> Iterator[str]:
    rows = {row["pointer"]: row for row in csv.DictReader(io.StringIO(sources or ""))}
    for pointer, leaf in _leaves("", tree):
        row = rows.get(pointer)
        if row is None or not row["source"] or row["trust"] not in {mark[1:-1] for mark in TRUSTS}:
            yield f"{path}{pointer}"
        elif row["written"].lstrip("'") != str(leaf):
            yield f"{path}{pointer}: {leaf} is written, {row['written']} has a source"


def _leaves(pointer: str, tree: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(tree, dict):
        for key, one in tree.items():
            yield from _leaves(f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}", one)
    elif isinstance(tree, list):
        for number, one in enumerate(tree):
            yield from _leaves(f"{pointer}/{number}", one)
    else:
        yield pointer, tree


def _of_csv(path: str, text: str) -> Iterator[str]:
    for number, row in enumerate(csv.DictReader(io.StringIO(text)), 2):
        is_marked = row.get("trust") in {mark[1:-1] for mark in TRUSTS} or any(
            mark in row.get("source", "") for mark in TRUSTS
        )
        if not row.get("source") or not is_marked:
            yield f"{path}:{number}"


def _of_lines(path: str, text: str, mark: str) -> Iterator[str]:
    """A comment on a value covers the lines after it, up to an empty line; 'as above' has a full one before it."""
    known: set[str] = set()
    is_covered = False
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped:
            is_covered = False
        elif stripped.startswith(mark.strip()):
            found = STATED.match(stripped.removeprefix(mark.strip()).strip())
            if found and found[3] == "as above" and found[1] not in known:
                yield f"{path}:{number}: nothing above says what {found[1]} is"
            elif found:
                known.add(found[1])
                is_covered = True
        elif not is_covered and SCAFFOLD.search(stripped):
            yield f"{path}:{number}: {stripped}"
