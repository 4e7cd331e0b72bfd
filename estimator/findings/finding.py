"""One finding: what an architect should know about a design, as code, severity, key, words and a change that ends it."""

from dataclasses import dataclass, replace
from typing import Any

from estimator.errors import Change, Problem
from estimator.findings.node_words import said

SEVERITY_ORDER = {"error": 0, "warning": 1, "info": 2}


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several changes that would end a finding, with what a button says."""

    label: str
    change: Change

    def as_json(self) -> dict[str, Any]:
        """The choice under the names of the Estimate."""
        return {"label": self.label, "change": dict(self.change)}


@dataclass(frozen=True, slots=True)
class Finding:
    """``code`` is part of the API; ``severity`` is info, warning or error; ``field`` the key it is about.

    ``change`` is what would end it, by dotted key (spec/change.py), and None where no change of the request does. Where several
    would and the reader has to choose, ``choices`` has each with its name, and ``change`` is the first of them.
    """

    code: str
    severity: str
    field: str
    message: str
    change: Change | None = None
    choices: tuple[Choice, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The finding under the names of the Estimate."""
        return {
            "code": self.code,
            "severity": self.severity,
            "field": self.field,
            "message": self.message,
            "change": None if self.change is None else dict(self.change),
            "choices": [choice.as_json() for choice in self.choices],
        }


def in_word(finding: Finding, word: str) -> Finding:
    """The finding in the word for the design's servers (node_words.py)."""
    return replace(finding, message=said(finding.message, word))


def of_problem(problem: Problem, severity: str = "warning") -> Finding:
    """A problem that does not stop the estimate, as a finding."""
    return Finding(problem.code, severity, problem.field, problem.message, problem.change)
