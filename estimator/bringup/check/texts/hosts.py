"""Output of one command on several hosts, as parallel shells join it, taken apart again with the lines of the file.

``pdsh`` puts a host before each line, ``clush -b`` and ``dshbak`` above its lines, Ansible before what it ran, and NCCL
writes the host, process and thread of each line.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

MOST_HOSTS = 2_000
LEAST_SHARE = 0.9  # of the lines that begin with a host, from which on they are taken for such
_NAME = r"[A-Za-z][A-Za-z0-9_.-]{0,62}"
_PREFIX = re.compile(rf"^({_NAME}): ?(.*)$")
_RULE = re.compile(r"^-{4,}$")
_RULED = re.compile(rf"^({_NAME})(?: \(\d+\))?$")
_ANSIBLE = re.compile(rf"^({_NAME}) \| (?:CHANGED|SUCCESS|FAILED)(?: \| rc=\d+)? >>$")
_PROCESS = re.compile(rf"(?:^|[\s>\]:])({_NAME}):\d+:\d+ \[\d+\] NCCL ")


class Piece(NamedTuple):
    """Lines of one host; ``numbers`` are theirs in the file."""

    host: str
    lines: list[str]
    numbers: list[int]


def pieces(text: str) -> list[Piece]:
    """The parts of a text by host; none where it is of one."""
    lines = text.split("\n")
    for of in (_prefixed, _headed, _logged):
        found: dict[str, Piece] = {}
        for host, line, number in of(lines):
            piece = found.setdefault(host, Piece(host, [], []))
            piece.lines.append(line)
            piece.numbers.append(number)
            if len(found) > MOST_HOSTS:
                return []
        if found and (len(found) > 1 or of is not _logged):
            return list(found.values())
    return []


Part = tuple[str, str, int]


def _prefixed(lines: Sequence[str]) -> Iterator[Part]:
    """Lines that nearly all begin with few names."""
    matches = [(number, _PREFIX.match(line)) for number, line in enumerate(lines, 1) if line.strip()]
    named = [(number, match) for number, match in matches if match]
    names = {match[1] for _, match in named}
    if len(matches) < 3 or len(named) < LEAST_SHARE * len(matches) or 3 * len(names) > len(named):
        return
    if not all(_is_host_like(name) for name in names):
        return
    for number, match in named:
        yield match[1], match[2], number


def _is_host_like(name: str) -> bool:
    """Names of machines have a digit: keys before a colon mostly have none."""
    return any(letter.isdecimal() for letter in name)


def _headed(lines: Sequence[str]) -> Iterator[Part]:
    """Lines below a host's name, between rules or in Ansible's words."""
    host = ""
    for number, line in enumerate(lines, 1):
        ansible = _ANSIBLE.match(line)
        before, after = lines[number - 2] if number > 1 else "", lines[number] if number < len(lines) else ""
        ruled = _RULED.match(line) if _RULE.match(before) and _RULE.match(after) else None
        named = ansible or ruled
        if named:
            host = named[1]
        elif host and not (_RULE.match(line) and (_RULED.match(before) or _RULED.match(after))):
            yield host, line, number


def _logged(lines: Sequence[str]) -> Iterator[Part]:
    """Lines of NCCL's log; those without a host are of all, and so of none."""
    for number, line in enumerate(lines, 1):
        process = _PROCESS.search(line)
        if process:
            yield process[1], line, number
