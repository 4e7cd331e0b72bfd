"""Uploaded files: bounded before anything is read, named, without secrets, and handed to the reader that knows them."""

import json
import re
from collections.abc import Iterable, Iterator
from types import ModuleType

from estimator.bringup.check.observation import Notes, Reading
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
from estimator.bringup.check.texts.secrets import Cleaned, cleaned, masked
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
_BINARY = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
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
    for number, (name, data) in enumerate(files, 1):
        n_bytes += len(data)
        if number > MAX_FILES:
            message = f"{MAX_FILES:,} files are the most at once. Check some devices at a time."
            raise SpecError([Problem("files", "too_many_logs", message)])
        if n_bytes > MAX_ALL_BYTES:
            message = f"{MAX_ALL_BYTES // 10**6} MB are the most at once. Check some devices at a time."
            raise SpecError([Problem("files", "too_large", message)])
        reading = _read(name, data, unread)
        if reading:
            yield reading


def _read(name: str, data: bytes, unread: list[Unread]) -> Reading | None:
    owner, file = named(name)
    text = _text(data)
    if isinstance(text, Unparsed):
        unread.append(Unread(file=file, line=text.line, why=text.why))
        return None
    clean = Cleaned(text, ()) if _is_json(text) else cleaned(text)  # a tree hides its secrets key by key
    reader = next((one for one in READERS if one.is_mine(clean.text)), None)
    if reader is None:
        why = f"It is none of the kinds that are read: {', '.join(one.KIND for one in READERS)}."
        unread.append(Unread(file=file, line=None, why=why))
        return None
    notes = Notes()
    hidden = dict.fromkeys(clean.lines, "A secret stood here. It was neither kept nor shown.")
    try:
        reader.read(clean.text, notes)
    except Unparsed as error:
        unread.append(Unread(file=file, line=error.line, why=f"{reader.KIND}: {error.why}"))
    except ValueError:  # a value that its reader took for a number: the other files are still read
        why = f"{reader.KIND}: it could not be read to its end, a value in it has a form that is not known."
        unread.append(Unread(file=file, line=None, why=why))
    for line, why in sorted([*hidden.items(), *notes.unclear], key=lambda one: one[0] or 0)[:MOST_UNREAD]:
        unread.append(Unread(file=file, line=line, why=why))
    device = owner or notes.device[:63] or _stem(file)
    if not notes.seen:
        unread.append(Unread(file=file, line=None, why=f"{reader.KIND}: no setting that is known stands in it."))
        return None
    return Reading(file, masked(device), reader.SYSTEM, tuple(notes.seen))


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
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.count("\n") > MAX_LINES:
        return Unparsed(None, f"It has over {MAX_LINES:,} lines. Give one device's file.")
    long = next((number for number, line in enumerate(text.split("\n"), 1) if len(line) > MAX_LINE), None)
    if long is not None and not _is_json(text):
        return Unparsed(long, f"This line has over {MAX_LINE:,} characters.")
    if not text.strip():
        return Unparsed(None, "It is empty.")
    return text
