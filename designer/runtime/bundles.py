"""One file of a script or stylesheet and all that it imports, so that a page asks for one of each.

A page names an entry (``static/designer/*/entry/``): an ordinary ES module or stylesheet that imports its parts. A browser
reads it as it is, and so it does under DESIGNER_DEBUG; otherwise ``collectstatic`` links it (``designer.config.static_files``).
Both give the same: parts in the order of the imports, a module once and in a scope of its own.

This reads what our own files write of the two languages, and refuses the rest by its file and line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

IMPORT = re.compile(r'^import (?:\{(\s*\w+(?:,\s*\w+)*,?\s*)\} from )?"(\.[^"]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:(?:async )?function|const) (\w+))", re.MULTILINE)
STYLE_IMPORT = re.compile(r'^@import url\("([^"]+)"\)( print)?;\n', re.MULTILINE)
UNREAD = re.compile(r"""^(?:[ \t]*(?:import\b(?!\()|export\b|@import\b).*|.*\bimport\(["'`]\..*)""", re.MULTILINE)


class CannotLink(Exception):
    """A file says what is not read here; the text says where."""


def linked(path: Path) -> str:
    """A script or stylesheet with all that it imports in it."""
    return "".join(_modules(path.resolve(), {}, ())) if path.suffix == ".js" else _style(path)


def _modules(path: Path, numbers: dict[Path, int], above: tuple[Path, ...]) -> Iterator[str]:
    """A module after those that it imports: a function that is called once, and its exports as a constant of the bundle."""
    if path in above:
        raise CannotLink(f"{path} imports itself by way of {', '.join(one.name for one in above)}")
    if path in numbers:
        return
    text, taken = path.read_text(), ""
    for names, name in IMPORT.findall(text):
        imported = (path.parent / name).resolve()
        yield from _modules(imported, numbers, (*above, path))
        taken += f"const {{{names}}} = m{numbers[imported]};\n" if names else ""
    numbers[path] = len(numbers)
    exports = ", ".join(EXPORT.findall(text))
    body = _all_read(path, EXPORT.sub("", IMPORT.sub("", text)))
    yield f"// {path.parent.name}/{path.name}\nconst m{numbers[path]} = (() => {{\n{taken}{body}return {{ {exports} }};\n}})();\n"


def _style(path: Path) -> str:
    """A stylesheet with the rules of others where it imports them, those for paper in a block of their own."""

    def rules(found: re.Match[str]) -> str:
        imported = _style(path.parent / found[1])
        return f"@media print {{\n{imported}}}\n" if found[2] else imported

    text = path.read_text()
    _all_read(path, STYLE_IMPORT.sub("", text))
    return STYLE_IMPORT.sub(rules, text)


def _all_read(path: Path, rest: str) -> str:
    if unread := UNREAD.search(rest):
        raise CannotLink(
            f"{path} has “{unread[0].strip()}”, which bundles do not read: see designer/runtime/bundles.py"
        )
    return rest
