"""What a site's logs give, as it is answered and stored: fitted constants, what was read, errors, likely faults, curves."""

from collections.abc import Mapping
from typing import Annotated, Literal

from estimator.errors import Part, Problem
from estimator.record import Given, IfAny, Newer, Record

Confidence = Literal["low", "medium", "high"]
Systems = Annotated[Given | None, {"oneOf": [{"$ref": "#/components/schemas/System"}, {"type": "null"}]}]


class Bounds(Record):
    """How far a constant may go."""

    from_: float
    to: float


class OfPaths(Record):
    """The figures of single paths behind a constant."""

    figures: int
    """Figures of files."""
    measurements: int
    """Single measurements in these figures: copies, pairs, tests."""
    low: float
    """The least measured one as a share of the healthy figure; of a latency what it takes beyond the healthy time."""
    high: float
    """The most."""
    unit: Literal["1", "us"]


class Parameter(Record):
    """One constant as logs or paths say it.

    Of logs low to high holds it nine times in ten. Of paths it is the catalog's range times that of healthy paths and of the
    figures: what bands of predictions hold at least, and no probability.
    """

    value: float
    low: float
    high: float
    at_bound: bool
    """The fit wanted to go further than it may: do not trust the value."""
    unit: str
    before: float
    """Where the fit started."""
    bounds: Bounds
    paths: Newer[OfPaths | None] = None
    """What stands behind it where paths set it; null where logs were fitted."""


class LogLine(Record):
    """A line that was not used, and why."""

    line: int
    why: str


class Log(Record):
    """What was read of one log."""

    file: str
    rows: int
    dropped: list[LogLine]
    n_dropped: int
    """All of them; the list ends at 200."""
    collective: str | None
    gpus: int | None
    nodes: int | None
    launch: str
    gpu_names: list[str]
    library: str | None
    system: Systems
    """The system it was taken to be of; null where that is not known."""
    assumed: list[str]
    """Keys of the system that nobody gave."""
    problems: list[Problem]
    """What to give."""
    is_fitted: bool
    judged_as: Newer[str | None]
    """The GPU that stood in for one that is not known, where only the network was judged."""


class ErrorBySize(Record):
    """Median of |ln(predicted ÷ measured)|; null where no size is of the class."""

    large: float | None
    """64 MiB and more."""
    mid: float | None
    """1 to 64 MiB."""
    small: float | None
    """Below 1 MiB."""


class FitErrors(Record):
    before: ErrorBySize
    after: ErrorBySize


class Fault(Record):
    """A likely fault, the likeliest first; nothing_wrong where there is none."""

    code: str
    title: str
    evidence: str
    advice: str
    confidence: Confidence
    score: float
    category: str
    file: str
    """The log that shows it best."""
    files: Newer[list[str]]
    """All that show it."""
    numbers: Mapping[str, float]
    evidence_parts: IfAny[tuple[Part, ...]] = None
    """The evidence in parts, where it has figures that a page prints in its reader's unit."""
    advice_parts: IfAny[tuple[Part, ...]] = None
    """Likewise the advice, where it names keys of a request."""


class Curve(Record):
    """Measured and predicted times of one log, by size."""

    file: str
    collective: str
    gpus: int
    message_bytes: list[int]
    measured_us: list[float]
    before_us: list[float]
    after_us: list[float]


class PathResult(Record):
    """A figure of a tool that measures one path, and what became of it."""

    file: str
    line: int
    what: str
    """Tool, test and size."""
    value: float
    unit: Literal["Gb/s", "GB/s", "us"]
    low: float
    """The least in the file, of pairs or GPUs."""
    high: float
    expected: float | None
    """What a healthy path gives, in the same unit; null where it is not known."""
    constants: list[str]
    """Constants that follow it; none where it is not used."""
    note: str
    """What was assumed, or why it is not used."""
    note_parts: IfAny[tuple[Part, ...]] = None
    """The note in parts, where it names keys of a request or has figures."""


class SiteFit(Record):
    """All that the logs of a site give."""

    parameters: Mapping[str, Parameter]
    logs: list[Log]
    error: FitErrors
    diagnosis: list[Fault]
    curves: list[Curve]
    paths: Newer[list[PathResult]]
    """Figures of single paths, by file and line."""
