"""One finding: what an architect should know about a design, as code, severity, key, words and a change that ends it."""

from dataclasses import dataclass, replace
from typing import Literal

from estimator.errors import Change, Problem
from estimator.findings.node_words import said
from estimator.record import Shape

Severity = Literal["info", "warning", "error"]
SEVERITY_ORDER = {"error": 0, "warning": 1, "info": 2}


@dataclass(frozen=True, slots=True)
class Choice(Shape):
    """One of several changes that would end a finding."""

    label: str
    """What a button says, such as “8 racks (576 GPUs)”."""
    change: Change
    """As the change of a finding."""


@dataclass(frozen=True, slots=True)
class Finding(Shape):
    """What an architect should know about a design."""

    code: str
    """Part of the API; docs/findings.md lists them."""
    severity: Severity
    field: str
    """Dotted key of the spec that it is about."""
    message: str
    change: Change | None = None
    """What would end it, the first of the choices where there are several: values by dotted key; null takes one away."""
    choices: tuple[Choice, ...] = ()
    """Where several changes would end it and you have to choose: each by its name."""


def in_word(finding: Finding, word: str) -> Finding:
    """The finding in the word for the design's servers (node_words.py)."""
    return replace(finding, message=said(finding.message, word))


def of_problem(problem: Problem, severity: Severity = "warning") -> Finding:
    """A problem that does not stop the estimate, as a finding."""
    return Finding(problem.code, severity, problem.field, problem.message, problem.change)
