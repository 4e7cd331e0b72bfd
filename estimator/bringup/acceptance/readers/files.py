"""A file of results → what it measured and where, by whichever tool printed it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from estimator.bringup.acceptance.readers import nvbandwidth, perftest, rocm
from estimator.bringup.acceptance.readers.reading import Measured, Place, Places
from estimator.bringup.acceptance.readers.upload import MAX_FILE_BYTES
from estimator.calibration.logs.read import ParsedLog, read_logs
from estimator.errors import EstimatorError, Problem, SpecError
from estimator.performance.collectives import BUS_FACTORS

_WRONG = re.compile(r"Out of bounds values\s*:\s*[1-9]")
_MOST_HEAD = 4_000_000  # of a file of perftest, nvbandwidth or TransferBench: they print a few kB
_BINARY = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


@dataclass(frozen=True)
class Reading:
    """One figure of one file."""

    file: str
    place: Place
    measured: Measured


def readings_of(name: str, data: bytes, places: Places) -> Iterator[Reading]:
    """Figures of one file.

    Raises
    ------
    SpecError
        If no tool's reader finds any in it.
    """
    if len(data) > MAX_FILE_BYTES:
        message = f"{name} has over {MAX_FILE_BYTES // 10**6} MB. Cut it to the table of results."
        raise SpecError([Problem("results", "file_too_large", message)])
    text = data[:_MOST_HEAD].decode("utf-8", errors="replace")
    if not data.startswith((b"\xff\xfe", b"\xfe\xff")) and _BINARY.search(text[:2000]):
        message = f"{name} is binary. Give the text that the gate's command printed, or its JSON."
        raise SpecError([Problem("results", "not_a_log", message)])
    if perftest.is_perftest(text):
        yield Reading(name, places.of(name), perftest.read(name, text))
    elif rocm.is_rocm(text):
        yield Reading(name, places.of(name), rocm.read(name, text))
    elif nvbandwidth.is_nvbandwidth(text):
        for measured in nvbandwidth.read(name, text):
            yield Reading(name, places.of(name), measured)
    else:
        says_wrong = bool(_WRONG.search(text))
        for log in read_logs(name, data):
            is_wrong = says_wrong or any(row.n_wrong for row in log.rows)  # JSON has no line that says so
            yield Reading(log.file, places.of(name, log.hosts), _of_log(log, is_wrong))


def _of_log(log: ParsedLog, is_wrong: bool) -> Measured:
    """Bus bandwidth of the largest messages [GB/s]; of several rows of that size the middle one."""
    if log.problems:
        raise SpecError([Problem("results", one.code, one.message) for one in log.problems])
    if log.gpus is None or log.gpus < 2 or log.collective not in BUS_FACTORS:
        message = (
            f"{log.file} does not say which collective ran on how many GPUs. Give the whole of what the test printed."
        )
        raise SpecError([Problem("results", "no_rows", message)])
    largest = max(row.message_bytes for row in log.rows)
    time_us = median(row.time_us for row in log.rows if row.message_bytes == largest)
    factor = float(BUS_FACTORS[log.collective](log.gpus))
    return Measured("collective", largest / time_us / 1e3 * factor, largest, log=log, is_wrong=is_wrong)


def why_unread(error: EstimatorError) -> str:
    """The reason in one line."""
    return error.words()[:400]
