"""Markdown of the project's own documents as HTML: headings, paragraphs, lists, tables, code and links; all else is text.

Everything is escaped first, so that a document cannot bring markup of its own.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

_HEADING = re.compile(r"(#{1,4}) (.+)$")
_ITEM = re.compile(r"( *)(?:[-*]|\d+\.) (.+)$")
_RULE = re.compile(r"\|?[\s|:-]+\|[\s|:-]*$")
_CELL = re.compile(r"(?<!\\)\|")
_CODE = re.compile(r"`([^`]+)`")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
_STRONG = re.compile(r"\*\*([^*]+)\*\*")
_EMPHASIS = re.compile(r"(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])")
_CODE_ASIDE = re.compile(r"\s*\((?:`[^`]*`[,\s]*)+\)")
_DOCUMENT = re.compile(r"\b([a-z_]+)\.md\b")
_SAFE_ADDRESS = re.compile(r"(https?://|#|/)")


def slug(heading: str) -> str:
    """The anchor of a heading, names of code in brackets aside: "Cost over years (`cost/cost.py`)" → "cost-over-years"."""
    return re.sub(r"[^a-z0-9]+", "-", _CODE_ASIDE.sub("", heading).casefold()).strip("-")


def headings(text: str) -> list[tuple[int, str, str]]:
    """(level, words, anchor) of every heading."""
    found = [_HEADING.match(line) for line in text.splitlines()]
    return [(len(one[1]), one[2].replace("`", ""), slug(one[2])) for one in found if one]


def rendered(text: str, documents: Mapping[str, str] | None = None) -> SafeString:
    """The document as HTML; names of ``documents``, such as cabling.md, become links to their addresses."""
    shown = "\n".join(_blocks(text.splitlines()))
    return mark_safe(_linked(shown, documents or {}))  # noqa: S308 - every line went through escape()


def _blocks(lines: list[str]) -> Iterator[str]:
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
        elif line.startswith("```"):
            end = next((i for i in range(at + 1, len(lines)) if lines[i].startswith("```")), len(lines))
            yield _code(lines[at + 1 : end])
            at = end + 1
        elif line.startswith("    "):
            end = _end(lines, at, lambda one: one.startswith("    "))
            yield _code([one[4:] for one in lines[at:end]])
            at = end
        elif found := _HEADING.match(line):
            level = len(found[1])
            yield f'<h{level} id="{slug(found[2])}">{_inline(found[2])}</h{level}>'
            at += 1
        elif "|" in line and at + 1 < len(lines) and _RULE.match(lines[at + 1]):
            end = _end(lines, at, lambda one: "|" in one)
            yield _table(lines[at], lines[at + 2 : end])
            at = end
        elif _ITEM.match(line):
            end = _end(lines, at, lambda one: bool(one.strip()))
            yield _list(lines[at:end])
            at = end
        else:
            end = _end(lines, at, lambda one: bool(one.strip()) and not _HEADING.match(one) and not _ITEM.match(one))
            yield f"<p>{_inline(' '.join(one.strip() for one in lines[at:end]))}</p>"
            at = end


def _end(lines: list[str], at: int, belongs: Callable[[str], bool]) -> int:
    """The first line from the next one on that does not belong."""
    return next((i for i in range(at + 1, len(lines)) if not belongs(lines[i])), len(lines))


def _code(lines: list[str]) -> str:
    return f'<pre tabindex="0"><code>{escape(chr(10).join(lines))}</code></pre>'


def _table(head: str, rows: list[str]) -> str:
    heads = "".join(f'<th scope="col">{_inline(cell)}</th>' for cell in _cells(head))
    body = "".join(f"<tr>{''.join(f'<td>{_inline(cell)}</td>' for cell in _cells(row))}</tr>" for row in rows)
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="table-scroll" tabindex="0" role="group" aria-label="Table">{table}</div>'


def _cells(row: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in _CELL.split(row.strip().strip("|"))]


def _list(lines: list[str]) -> str:
    """Items with their continued lines; items further in are further items."""
    kind = "ol" if re.match(r" *\d+\.", lines[0]) else "ul"
    items: list[str] = []
    for line in lines:
        if found := _ITEM.match(line):
            items.append(found[2])
        else:
            items[-1] += f" {line.strip()}"
    return f"<{kind}>{''.join(f'<li>{_inline(item)}</li>' for item in items)}</{kind}>"


def _inline(text: str) -> str:
    """Code, links, strong and emphasised words of a line. Code is set aside first: nothing in it is markup."""
    codes: list[str] = []

    def keep(found: re.Match[str]) -> str:
        codes.append(f"<code>{found[1]}</code>")
        return f"\0{len(codes) - 1}\0"

    shown = _CODE.sub(keep, str(escape(text.replace("\0", ""))))
    shown = _LINK.sub(_link, shown)
    shown = _EMPHASIS.sub(r"<em>\1</em>", _STRONG.sub(r"<strong>\1</strong>", shown))
    return re.sub(r"\0(\d+)\0", lambda found: codes[int(found[1])], shown)


def _link(found: re.Match[str]) -> str:
    words, address = found[1], found[2]
    return f'<a href="{address}" rel="noreferrer">{words}</a>' if _SAFE_ADDRESS.match(address) else words


def _linked(shown: str, documents: Mapping[str, str]) -> str:
    """Names of other documents in running text as links; those in code stay code."""

    def link(found: re.Match[str]) -> str:
        address = documents.get(found[1])
        return f'<a href="{address}">{found[0]}</a>' if address else found[0]

    parts = re.split(r"(<code>.*?</code>|<[^>]+>)", shown, flags=re.DOTALL)
    return "".join(part if part.startswith("<") else _DOCUMENT.sub(link, part) for part in parts)
