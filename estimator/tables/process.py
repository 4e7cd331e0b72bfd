"""Spreadsheets that somebody sends, read by a process of their own, which is bounded in processor time, memory and time.

A workbook is an archive of XML, and both have shapes that cost a reader far more than their size. Whatever a file holds, the
process that serves pages only waits, and for no longer than WALL_S.
"""

import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from estimator.errors import UnreadableFile
from estimator.record import Json
from estimator.tables.child import OUT_OF_MEMORY

logger = logging.getLogger(__name__)

CPU_S = {"quote": 20, "pdf": 20, "links": 40}
WALL_S = {"quote": 30, "pdf": 30, "links": 60}
MEMORY_BYTES = 1_000_000_000  # address space of the whole process, its libraries with it
AT_ONCE = 2  # spreadsheets that one process has read at the same time
WAIT_S = 5.0
CHILD = Path(__file__).with_name("child.py")
_places = threading.BoundedSemaphore(AT_ONCE)


class Pages:
    """The sheets of a workbook as they come from the process that reads it. Leave the ``with`` block to end it.

    ``remarks`` is what the file says beside its rows; it is whole once the sheets were gone through.

    Raises
    ------
    UnreadableFile
        If this is no workbook that is read, or it takes more time or memory than one may.
    """

    def __init__(self, file: IO[bytes], kind: str) -> None:
        self.remarks: Json = {}
        self._kind = kind
        self._is_late = False
        self._held: list[Any] | None = None
        self._spool = _spooled(file)
        if not _places.acquire(timeout=WAIT_S):
            self._spool.close()
            raise UnreadableFile(
                "workbook_busy",
                f"{AT_ONCE} spreadsheets are being read, and no more are at a time. Send it again in a minute.",
            )
        try:
            self._child = _started(self._spool, kind)
        except OSError:
            _places.release()
            raise
        self._lines: IO[bytes] = self._child.stdout  # type: ignore[assignment] # a pipe was asked for
        self._timer = threading.Timer(WALL_S[kind], self._stop)
        self._timer.daemon = True
        self._timer.start()

    def __enter__(self) -> "Pages":
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._child.kill()
        self._child.wait()
        for stream in (self._child.stdout, self._child.stderr, self._spool):
            if stream is not None:
                stream.close()
        _places.release()

    def _stop(self) -> None:
        self._is_late = True
        self._child.kill()

    def remark(self) -> str:
        """What a workbook of links says of itself, before its sheets are looked at."""
        self._held = self._next()
        return str(self._held[1]["remark"])

    def sheets(self) -> Iterator[tuple[str, Iterator[Any]]]:
        """(title, rows) of every worksheet, in order; rows that were not taken are passed over."""
        while piece := self._next():
            if piece[0] == "sheet":
                yield piece[1], self._rows()
            else:
                self.remarks |= piece[1]
                if piece[0] == "end":
                    return

    def _rows(self) -> Iterator[Any]:
        while piece := self._next():
            if piece[0] != "rows":
                self._held = piece
                return
            yield from piece[1]

    def _next(self) -> list[Any]:
        """The next piece: there is always one, as a workbook that was read says that it has ended."""
        if self._held is not None:
            held, self._held = self._held, None
            return held
        line = self._lines.readline()
        if not line.endswith(b"\n"):
            raise self._failure()
        piece: list[Any] = json.loads(line)
        if piece[0] == "refused":
            raise UnreadableFile(piece[1], piece[2])
        return piece

    def _failure(self) -> UnreadableFile:
        """Why the process ended without a word."""
        code = self._child.wait()
        if self._is_late or code in (-signal.SIGXCPU, -signal.SIGKILL):
            return UnreadableFile(
                "workbook_too_slow",
                f"The workbook takes more than {CPU_S[self._kind]} s to read, and no more is spent on one. Save the sheet that "
                "matters alone, or save it as CSV.",
            )
        if code == OUT_OF_MEMORY or code == -signal.SIGSEGV:
            return UnreadableFile(
                "workbook_too_large",
                f"The workbook takes more than {MEMORY_BYTES:,} bytes of memory to read. Save the sheet that matters alone, or "
                "save it as CSV.",
            )
        said = self._child.stderr.read().decode(errors="replace") if self._child.stderr is not None else ""
        logger.error("A workbook could not be read, exit code %d:\n%s", code, said[-4000:])
        return UnreadableFile(
            "not_a_workbook",
            "The workbook is damaged: it cannot be unpacked. Open it and save it again, or save it as CSV.",
        )


def _spooled(file: IO[bytes]) -> IO[bytes]:
    """The file from its start, in a file that a process can be given."""
    spool = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the pages
    file.seek(0)
    shutil.copyfileobj(file, spool)
    spool.seek(0)
    return spool


def _started(spool: IO[bytes], kind: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-I", str(CHILD), kind, str(CPU_S[kind]), str(MEMORY_BYTES)]
    kept = {name: os.environ[name] for name in ("PATH", "TMPDIR", "LANG", "LC_ALL") if name in os.environ}
    return subprocess.Popen(
        command,
        stdin=spool,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**kept, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        start_new_session=True,
    )
