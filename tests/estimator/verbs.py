"""The command line in the process of the tests: a process of its own takes half a second before it begins."""

from __future__ import annotations

import io
import json
import sys
from subprocess import CompletedProcess
from typing import Any
from unittest.mock import patch

from estimator.__main__ import main


def run(*arguments: object, text: Any = None) -> CompletedProcess[str]:
    """``python -m estimator …`` with ``text`` (or its JSON) on standard input: exit code and what it wrote."""
    given = text if isinstance(text, str) else json.dumps(text)
    words = [str(word) for word in arguments]
    taken, written, complained = (io.TextIOWrapper(io.BytesIO(data), "utf-8") for data in (given.encode(), b"", b""))
    with patch.multiple(sys, stdin=taken, stdout=written, stderr=complained):
        code = main(words)
        written.flush()
        complained.flush()
    return CompletedProcess(words, code, written.buffer.getvalue().decode(), complained.buffer.getvalue().decode())
