"""What TransferBench's preset p2p and rocm-bandwidth-test -a print of AMD GPUs: copies between hosts and GPUs.

Source of the forms: ROCm/TransferBench (p2p), ROCm/rocm_bandwidth_test (2.6: matrix D/D, list of devices), AMD's acceptance
guide for MI300X. TransferBench names who copies: a processor's own stores show 42 GB/s where the slot gives 55, so that only
cells whose copy a GPU ran are of the slot. A GPU is as fast as to the nearest of its hosts.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from estimator.bringup.acceptance.readers.reading import Measured
from estimator.calibration.paths.tables import figure
from estimator.digits import is_whole_number
from estimator.errors import Problem, SpecError

MATRIX = "directional copy peak bandwidth GB/s"
MAX_DEVICES = 256
_DEVICE = re.compile(r"^\s*Device:\s*(\d{1,4}),(.*)")
_NAMED = re.compile(r"\b(CPU|GPU)\s+(\d{1,4})\b")


class Device(NamedTuple):
    """A host or a GPU, by its number among its kind."""

    is_gpu: bool
    number: int


class Copy(NamedTuple):
    """One copy; ``by_gpu`` says that a GPU or its copy engine ran it."""

    from_: Device
    to: Device
    gb_s: float
    by_gpu: bool


def is_rocm(text: str) -> bool:
    """Whether a text looks like either's."""
    return MATRIX in text


def read(name: str, text: str) -> Measured:
    """The slowest copy of a GPU with its nearest host, in either direction. [GB/s]

    Raises
    ------
    SpecError
        If it holds none.
    """
    best: dict[tuple[int, str], float] = {}
    for copy in _copies(text):
        if copy.by_gpu and copy.from_.is_gpu != copy.to.is_gpu:
            direction = "GPU to host" if copy.from_.is_gpu else "host to GPU"
            key = (copy.from_ if copy.from_.is_gpu else copy.to).number, direction
            best[key] = max(best.get(key, 0.0), copy.gb_s)
    if not best:
        message = f"{name}: no copy between a host and a GPU that a GPU ran. Run TransferBench p2p, or rocm-bandwidth-test -a."
        raise SpecError([Problem("results", "no_rows", message)])
    (gpu, direction), value = min(best.items(), key=lambda item: item[1])
    return Measured("pcie", value, detail=f"GPU {gpu}, {direction}")


def _copies(text: str) -> Iterator[Copy]:
    """Copies of the matrix for one direction."""
    devices = _listed(text)
    for head, rows in _matrices(text):
        if named := _NAMED.findall(head):
            columns = [Device(kind == "GPU", int(number)) for kind, number in named[:MAX_DEVICES]]
            yield from _of_transfer_bench(rows, columns, is_pulled="EXE+DST" in head)
        elif head.split()[:1] == ["D/D"]:
            numbers = [int(word) for word in head.split()[1:MAX_DEVICES] if is_whole_number(word, 4)]
            yield from _of_bandwidth_test(rows, [devices[n] for n in numbers if n in devices], devices)


def _matrices(text: str) -> Iterator[tuple[str, list[str]]]:
    """(head, lines below it) of every matrix for one direction; TransferBench's CSV is read as its table."""
    lines = [line.replace(",", " ") if "Device:" not in line else line for line in text.splitlines()]
    starts = [i for i, line in enumerate(lines) if MATRIX in line]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        below = [line for line in lines[start + 1 : end] if line.strip()]
        if "uni" in lines[start].lower() and below:
            yield below[0], below[1:]


def _listed(text: str) -> dict[int, Device]:
    """Devices of rocm-bandwidth-test by number; those with an address on the bus are GPUs, counted from 0."""
    out: dict[int, Device] = {}
    n_gpus = 0
    for found in map(_DEVICE.match, text.splitlines()):
        if found and int(found[1]) not in out and len(out) < MAX_DEVICES:
            is_gpu = bool(re.search(r"[0-9a-fA-F]+:[0-9a-fA-F]+\.[0-9a-fA-F]+\s*$", found[2]))
            out[int(found[1])] = Device(is_gpu, n_gpus if is_gpu else len(out) - n_gpus)
            n_gpus += is_gpu
    return out


def _of_transfer_bench(rows: Iterable[str], columns: list[Device], *, is_pulled: bool) -> Iterator[Copy]:
    for row in rows:
        label, arrow, cells = row.partition("->")
        if arrow and (named := _NAMED.search(label)):
            source = Device(named[1] == "GPU", int(named[2]))
            for to, cell in zip(columns, cells.split(), strict=False):
                if (value := figure(cell)) is not None:
                    yield Copy(source, to, value, by_gpu=(to if is_pulled else source).is_gpu)


def _of_bandwidth_test(rows: Iterable[str], columns: list[Device], devices: dict[int, Device]) -> Iterator[Copy]:
    for row in rows:
        words = row.split()
        if len(words) == len(columns) + 1 and is_whole_number(words[0], 4) and int(words[0]) in devices:
            for to, cell in zip(columns, words[1:], strict=True):
                if (value := figure(cell)) is not None:
                    yield Copy(devices[int(words[0])], to, value, by_gpu=True)
