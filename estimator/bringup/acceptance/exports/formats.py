"""The files that a contract is written as; each module has ``write(…)``, which yields the file piece by piece."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from estimator.bringup.acceptance.exports import aicr, azure_nhc, nvcre, script
from estimator.bringup.acceptance.gates import Contract
from estimator.bringup.acceptance.result import Acceptance
from estimator.errors import one_of_formats


class Write(Protocol):
    """What writes a file. ``in_bits``: a paper's figures are in Gb/s; what programs read is in the units of the commands."""

    def __call__(self, contract: Contract, answer: Acceptance, *, in_bits: bool = False) -> Iterator[bytes]: ...


@dataclass(frozen=True, slots=True)
class AcceptanceFormat:
    """One kind of file; ``purpose`` says what reads it."""

    label: str
    purpose: str
    file: str
    content_type: str
    write: Write
    is_for_nvidia: bool = False


def _json(contract: Contract, answer: Acceptance, *, in_bits: bool = False) -> Iterator[bytes]:
    yield (json.dumps(answer.as_json(), ensure_ascii=False, allow_nan=False) + "\n").encode()


def _text(write: Callable[[Contract], Iterator[str]]) -> Write:
    """The file of a module that writes gates alone."""

    def written(contract: Contract, answer: Acceptance, *, in_bits: bool = False) -> Iterator[bytes]:
        return (piece.encode() for piece in write(contract))

    return written


def _pdf(contract: Contract, answer: Acceptance, *, in_bits: bool = False) -> Iterator[bytes]:
    from estimator.bringup.acceptance.exports import signed  # start-up time: reportlab

    yield signed.write(contract, datetime.now(UTC), in_bits=in_bits)


ACCEPTANCE_FORMATS = {
    "json": AcceptanceFormat(
        "JSON", "programs: gates, verdicts, stragglers", "acceptance.json", "application/json", _json
    ),
    "script": AcceptanceFormat(
        "Script", "bash on a head node: runs every gate", "accept.sh", "text/x-shellscript", _text(script.write)
    ),
    "pdf": AcceptanceFormat(
        "PDF", "the purchase contract: gates, lines, chances, signatures", "acceptance.pdf", "application/pdf", _pdf
    ),
    "nvcre": AcceptanceFormat(
        "NVCRE",
        "NVIDIA's Cluster Readiness Engine: a Certification",
        "nvcre.yaml",
        "application/yaml",
        _text(nvcre.write),
        is_for_nvidia=True,
    ),
    "aicr": AcceptanceFormat(
        "AICR",
        "NVIDIA's AI Cluster Runtime: constraints of a recipe",
        "aicr.yaml",
        "application/yaml",
        _text(aicr.write),
        is_for_nvidia=True,
    ),
    "azure-nhc": AcceptanceFormat(
        "Azure NHC", "Node Health Check with Azure's checks", "azure-nhc.conf", "text/plain", _text(azure_nhc.write)
    ),
}


def acceptance_format(name: str) -> AcceptanceFormat:
    """One of ACCEPTANCE_FORMATS.

    Raises
    ------
    SpecError
        For a name that is none of them.
    """
    return one_of_formats(name, ACCEPTANCE_FORMATS)
