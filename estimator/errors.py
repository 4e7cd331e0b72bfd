"""What a caller is shown: problems with a limit, a value and a way out, and the exceptions that carry them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from estimator.record import Given, IfAny, Json, Shape

F = TypeVar("F")
Change = Given  # {dotted key: value}, such as {"fabric.tiers": 3}; spec/change.py applies it

WORDS_SHOWN = 5  # messages that one line of words holds
FigureUnit = Literal["GB/s"]


@dataclass(frozen=True, slots=True)
class Part(Shape):
    """A piece of a sentence that programs and pages read otherwise (sentences.py)."""

    text: str
    """As programs read it."""
    page: IfAny[str] = None
    """What a page says in its place; "" for nothing."""
    value: IfAny[float] = None
    """A figure, which a page prints in its reader's unit."""
    unit: IfAny[FigureUnit] = None
    """The unit of the figure."""

    @property
    def is_plain(self) -> bool:
        """The same for everybody."""
        return self.page is None and self.value is None


Sentence = tuple[Part, ...]


def plain(sentence: Iterable[Part]) -> str:
    """What programs read."""
    return "".join(part.text for part in sentence)


def special(sentence: Sentence) -> Sentence | None:
    """The parts where a page prints any of them otherwise, else None: the plain text says all."""
    return None if all(part.is_plain for part in sentence) else sentence


@dataclass(frozen=True, slots=True)
class Problem(Shape):
    """One thing wrong with a request.

    ``field`` is the dotted key it is about ("" for the whole), ``code`` is stable and part of the API, ``message`` tells
    what was given, which bound it breaks and what to do instead. ``change`` does that, by dotted key (spec/change.py); None
    where no change is known to.
    """

    field: str
    code: str
    message: str
    change: IfAny[Change] = None
    parts: IfAny[tuple[Part, ...]] = None
    """The message in parts, where a page prints some of them otherwise: figures in its reader's unit, keys by their labels."""

    @classmethod
    def saying(cls, field: str, code: str, sentence: Sentence) -> "Problem":
        """A problem whose message a page may print otherwise."""
        return cls(field, code, plain(sentence), parts=special(sentence))

    def for_programs(self) -> Json:
        """As a refusal gives it: ``parts`` are for pages alone, and its text is in the message."""
        return Problem(self.field, self.code, self.message, self.change).as_json()

    def named(self, field: str) -> "Problem":
        """The same of another field. A change is of the request that it was found in, and does not fit there."""
        return Problem(field, self.code, self.message, parts=self.parts)

    def inside(self, place: str) -> "Problem":
        """The same of a request that is part of another, at ``place``."""
        return self.named(f"{place}.{self.field}" if self.field else place)


class EstimatorError(Exception):
    """A request that cannot be answered, with every problem found in it."""

    code = "refused"

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(f"{p.field or 'request'}: {p.message}" for p in self.problems))

    def words(self) -> str:
        """What is wrong in one line, each message once and the first WORDS_SHOWN of them."""
        return " ".join([*dict.fromkeys(problem.message for problem in self.problems)][:WORDS_SHOWN])

    def as_json(self) -> Json:
        """``{"code", "problems": [{"field", "code", "message"}]}``."""
        return {"code": self.code, "problems": [p.for_programs() for p in self.problems]}


class SpecError(EstimatorError):
    """The request itself is wrong: a type, a bound, an unknown key, values that contradict each other."""

    code = "invalid_spec"


def one_of_formats(name: str, formats: Mapping[str, F]) -> F:
    """A file format by its name.

    Raises
    ------
    SpecError
        For a name that is none of ``formats``.
    """
    if name not in formats:
        message = f"Formats are {', '.join(formats)}, and {name[:40]} was requested."
        raise SpecError([Problem("format", "not_a_choice", message)])
    return formats[name]


class UnreadableFile(SpecError):
    """A file that no reader takes: too big, of another format, or not what it says it is."""

    code = "unreadable_file"

    def __init__(self, code: str, message: str) -> None:
        super().__init__([Problem("file", code, message)])


class InfeasibleDesign(EstimatorError):
    """The request is well formed, but no fabric of these parts meets it."""

    code = "infeasible_design"


class CatalogError(EstimatorError):
    """A catalog file is broken; names the file, the row (1 is the header) and the column."""

    code = "broken_catalog"

    def __init__(self, file: str | Path, row: int | None, column: str | None, message: str) -> None:
        self.file, self.row, self.column = str(file), row, column
        place = ", ".join(
            [self.file] + [f"row {row}"] * (row is not None) + [f"column {column}"] * (column is not None)
        )
        super().__init__([Problem(field=place, code="broken_catalog", message=message)])
