"""The files that a contract is written as; each module has ``write(…)``, which yields the file piece by piece."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from estimator.bringup.acceptance.exports import script
from estimator.bringup.acceptance.gates import Contract
from estimator.bringup.acceptance.result import Acceptance
from estimator.errors import one_of_formats


@dataclass(frozen=True, slots=True)
class AcceptanceFormat:
    """One kind of file; ``purpose`` says what reads it."""

    label: str
    purpose: str
    file: str
    content_type: str
    write: Callable[[Contract, Acceptance], Iterator[str]]


def _json(contract: Contract, answer: Acceptance) -> Iterator[str]:
    yield json.dumps(answer.as_json(), ensure_ascii=False, allow_nan=False) + "\n"


def _script(contract: Contract, answer: Acceptance) -> Iterator[str]:
    return script.write(contract)


ACCEPTANCE_FORMATS = {
    "json": AcceptanceFormat(
        "JSON", "programs: gates, verdicts, stragglers", "acceptance.json", "application/json", _json
    ),
    "script": AcceptanceFormat(
        "Script", "bash on a head node: runs every gate", "accept.sh", "text/x-shellscript", _script
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
