"""Uploaded files: bounded before anything is read, named, without secrets, and handed to the reader that knows them."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType

from estimator.bringup.check.observation import Notes, Reading, Unclear
from estimator.bringup.check.readers import kubernetes, nccl
from estimator.bringup.check.readers.hosts import (
    cmdline,
    gids,
    ibstat,
    ibv_devinfo,
    limits,
    mlnx_qos,
    mlxconfig,
    pci,
    sysctl,
)
from estimator.bringup.check.readers.infiniband import opensm, partitions, ufm
from estimator.bringup.check.readers.switches import eos, junos, nvue, nxos, sonic
from estimator.bringup.check.result import Unread
from estimator.bringup.check.texts.archives import unpacked
from estimator.bringup.check.texts.hosts import pieces
from estimator.bringup.check.texts.secrets import cleaned, cleaned_json, masked
from estimator.bringup.check.texts.tree import Unparsed
from estimator.errors import Problem, SpecError

MAX_FILES = 2_000
MAX_FILE_BYTES = 4_000_000
MAX_ALL_BYTES = 200_000_000
MAX_LINES = 200_000
MAX_LINE = 20_000  # characters
MOST_UNREAD = 100  # of one file
READERS: tuple[ModuleType, ...] = (  # in this order: the first that knows a file reads it
    kubernetes,
    nvue,
    sonic,
    mlnx_qos,
    ibv_devinfo,
    ibstat,
    mlxconfig,
    gids,
    pci,
    nccl,
    junos,
    nxos,
    eos,
    ufm,
    cmdline,
    limits,
    sysctl,
    opensm,
    partitions,
)
COMMANDS = (mlnx_qos, ibv_devinfo, ibstat, mlxconfig, gids, pci, cmdline, limits, sysctl)
"""What is printed on a host, and may stand in one file behind one another."""
HIDDEN = "A secret stood here. It was neither kept nor shown."
_BINARY = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_CONTROL = re.compile(
    r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][0-9A-Za-z]|[\x1b\x7f-\x84\x86-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]"
)
"""Colours of a terminal, and marks that are not seen or turn a line around."""
_OWNER = re.compile(  # neither a drive of Windows nor an address of the web
    r"(?![A-Za-z]:[\\/])([A-Za-z0-9][A-Za-z0-9._-]{0,62}):(?!//)(.+)", re.DOTALL
)
_TAIL = re.compile(
    r"(?i)[._-](?:nv|nvue|config[_-]?db|running(?:-?config)?|mlnx_?qos|qos|ibv?_?devinfo|ibstat|mlxconfig|"
    r"show_?gids|gids|sysctl|nccl|lspci|pci|eos|nxos|junos|sonic|set|conf|cfg|config|json|ya?ml|txt|log|out|env)$"
)


def owned(name: str, is_file: bool = False) -> tuple[str, str]:
    """Device and file of ``leaf-1-1:nv.json``; the device is empty where none stands before the file."""
    match = None if is_file else _OWNER.fullmatch(name)
    return (match[1], match[2]) if match else ("", name)


def named(name: str) -> tuple[str, str]:
    """Device and file as they are shown: the file without its folders."""
    owner, file = owned(name)
    shown = re.sub(r"[^\w .,()+=@-]", "_", re.split(r"[\\/]", file)[-1])[:120]
    return owner, masked(shown) or "file"


def read_all(files: Iterable[tuple[str, bytes]], unread: list[Unread]) -> Iterator[Reading]:
    """Every file that a reader knows; what was not read is added to ``unread``.

    Raises
    ------
    SpecError
        If there are more than MAX_FILES, or all have more than MAX_ALL_BYTES.
    """
    n_bytes = 0
    refused: list[tuple[str, Unparsed]] = []
    for number, (name, data) in enumerate(unpacked(files, MAX_FILE_BYTES, refused), 1):
        n_bytes += len(data)
        if number > MAX_FILES:
            message = f"{MAX_FILES:,} files are the most at once. Check some devices at a time."
            raise SpecError([Problem("files", "too_many_logs", message)])
        if n_bytes > MAX_ALL_BYTES:
            message = f"{MAX_ALL_BYTES // 10**6} MB are the most at once. Check some devices at a time."
            raise SpecError([Problem("files", "too_large", message)])
        yield from _read(name, data, unread)
    unread += [Unread(file=named(name)[1], line=one.line, why=one.why) for name, one in refused]


def _other_names(name: str) -> tuple[str, ...]:
    """Names of devices that a file may be of, by its folders and the parts of its own name: the likeliest first."""
    path = [part for part in re.split(r"[\\/]", owned(name)[1][-MOST_NAME:]) if part]
    words = re.split(r"([._\s+@=-]+)", path[-1])[:MOST_WORDS] if path else []
    spans = [
        "".join(words[first:last])
        for first in range(0, len(words), 2)
        for last in range(len(words), first, -1)
        if last % 2
    ]
    longest_first = sorted(spans, key=len, reverse=True)
    return tuple(dict.fromkeys(one for one in (*longest_first, *reversed(path[:-1])) if one))


MOST_NAME, MOST_WORDS = 400, 25


@dataclass(frozen=True)
class _Part:
    """What is read in one go: a text without secrets, whose it is, and the lines of the file that it has."""

    file: str
    device: str
    also: tuple[str, ...]
    text: str
    lines: Sequence[int] | None = None
    """None where they are those of the file."""

    def line(self, number: int) -> int:
        """The line of the file."""
        return number if self.lines is None else self.lines[number - 1]


def _read(name: str, data: bytes, unread: list[Unread]) -> Iterator[Reading]:
    owner, file = named(name)
    text = _text(data)
    if isinstance(text, Unparsed):
        unread.append(Unread(file=file, line=text.line, why=text.why))
        return
    clean = cleaned_json(text) if _is_json(text) else cleaned(text)
    also = () if owner else _other_names(name)
    several = [_Part(file, masked(one.host), (), "\n".join(one.lines), one.numbers) for one in pieces(clean.text)]
    parts = [(part, found) for part in several if (found := _readers(part.text))]
    if not parts:
        whole = _Part(file, owner, also, clean.text)
        parts = [(whole, _readers(whole.text))]
    hidden = dict.fromkeys(clean.lines, HIDDEN)
    unclear: list[Unclear] = [Unclear(line, why) for line, why in hidden.items()]
    for part, readers in parts:
        if not readers:
            why = f"It is none of the kinds that are read: {', '.join(one.KIND for one in READERS)}."
            unread.append(Unread(file=file, line=None, why=why))
        for reader in readers:
            yield from _of_reader(reader, part, len(readers) > 1, unclear, unread)
    ordered = sorted(
        {one for one in unclear if one.line not in hidden or one.why == HIDDEN}, key=lambda one: one.line or 0
    )
    unread += [Unread(file=file, line=line, why=why) for line, why in ordered[:MOST_UNREAD]]


def _readers(text: str) -> list[ModuleType]:
    """The first that knows a text; all that know it where commands of a host stand behind one another."""
    first = next((one for one in READERS if one.is_mine(text)), None)
    if first is None:
        return []
    beside = COMMANDS if first in COMMANDS else (nccl,) if first is kubernetes else ()
    return [first, *(one for one in beside if one is not first and one.is_mine(text))]


def _of_reader(
    reader: ModuleType, part: _Part, is_one_of_several: bool, unclear: list[Unclear], unread: list[Unread]
) -> Iterator[Reading]:
    notes = Notes()
    try:
        reader.read(part.text, notes)
    except Unparsed as error:
        line = part.line(error.line) if error.line else None
        unread.append(Unread(file=part.file, line=line, why=f"{reader.KIND}: {error.why}"))
    except ValueError:  # a value that its reader took for a number: the other files are still read
        why = f"{reader.KIND}: it could not be read to its end, a value in it has a form that is not known."
        unread.append(Unread(file=part.file, line=None, why=why))
    if not is_one_of_several:  # else lines of the other commands
        unclear += [Unclear(part.line(one.line) if one.line else None, one.why) for one in notes.unclear]
    device = part.device or notes.device[:63] or _stem(part.file)
    if notes.seen:
        seen = tuple(one._replace(line=part.line(one.line)) for one in notes.seen)
        yield Reading(part.file, masked(device), reader.SYSTEM, seen, part.also)
    elif not is_one_of_several:
        unread.append(Unread(file=part.file, line=None, why=f"{reader.KIND}: no setting that is known stands in it."))


def _is_json(text: str) -> bool:
    """Whether it is JSON to its end: sections in brackets and ranks before lines of a log begin like it."""
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _stem(file: str) -> str:
    stem = file
    while (shorter := _TAIL.sub("", stem)) != stem:
        stem = shorter
    return stem


def _text(data: bytes) -> str | Unparsed:
    """The text of a file, or why it is none."""
    if len(data) > MAX_FILE_BYTES:
        return Unparsed(None, f"It has over {MAX_FILE_BYTES // 10**6} MB. Give one device's file.")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16", errors="replace")
    else:
        text = data.decode("utf-8-sig", errors="replace")
    if _BINARY.search(text[:100_000]) or text[:2000].count("\ufffd") > 20:
        return Unparsed(None, "It is binary. Give the text that the command printed.")
    text = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    if text.count("\n") > MAX_LINES:
        return Unparsed(None, f"It has over {MAX_LINES:,} lines. Give one device's file.")
    long = next((number for number, line in enumerate(text.split("\n"), 1) if len(line) > MAX_LINE), None)
    if long is not None and not _is_json(text):
        return Unparsed(long, f"This line has over {MAX_LINE:,} characters.")
    if not text.strip():
        return Unparsed(None, "It is empty.")
    return text
