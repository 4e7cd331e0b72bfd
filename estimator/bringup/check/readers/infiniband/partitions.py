"""Partitions: ``partitions.conf``. Its form: linux-rdma/opensm, doc/partition-config.txt."""

import re
from collections.abc import Iterator

from estimator.bringup.check.observation import Notes

KIND, SYSTEM = "partitions.conf", "opensm"
_HEAD = re.compile(r"^\s*([A-Za-z_][\w.-]*)?\s*=\s*(0x[0-9a-fA-F]{1,4}|\d{1,5})\s*([^:;]*):", re.MULTILINE)
_EVERY = ("ALL", "ALL_CAS")


def is_mine(text: str) -> bool:
    """Whether it defines partitions."""
    return _HEAD.search(_uncommented(text)) is not None and ";" in text


def _uncommented(text: str) -> str:
    return re.sub(r"#[^\n]*", "", text)


def read(text: str, notes: Notes) -> None:
    """Members of every partition, with their membership and line; ``ALL`` and ``ALL_CAS`` as they stand."""
    for name, key, default, body, first in _definitions(_uncommented(text)):
        notes.see("partition", name or key, int(key, 16 if key.startswith("0x") else 10) & 0x7FFF, first)
        for member, how, line in _members(body, default, first):
            notes.see("member", f"{name or key}|{member}", how, line)


def _definitions(text: str) -> Iterator[tuple[str, str, str, str, int]]:
    """(name, key, membership by default, members, line) of each definition, up to its semicolon."""
    at = 0
    while match := _HEAD.search(text, at):
        end = text.find(";", match.end())
        end = len(text) if end < 0 else end
        default = re.search(r"defmember\s*=\s*(full|limited|both)", match[3])
        line = text.count("\n", 0, match.start(2)) + 1
        yield match[1] or "", match[2], default[1] if default else "limited", text[match.end() : end], line
        at = end + 1


def _members(body: str, default: str, first: int) -> Iterator[tuple[str, str, int]]:
    line = first
    for part in re.split(r"(,|\n)", body):
        if part == "\n":
            line += 1
        words = part.strip()
        if not words or words == ",":
            continue
        member, _, how = (piece.strip() for piece in words.partition("="))
        upper = member.upper()
        if upper in (*_EVERY, "ALL_SWITCHES", "ALL_ROUTERS", "SELF"):
            yield upper, how.lower() or default, line
        elif re.fullmatch(r"0x[0-9a-fA-F]{1,16}", member):
            yield f"{int(member, 16):#018x}", how.lower() or default, line
