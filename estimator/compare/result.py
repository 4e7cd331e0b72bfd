"""A comparison as it answers. Lists named ``sides``, ``values`` and ``differences`` have an entry for each side."""

from typing import Literal

from estimator.ranges import Range
from estimator.record import IfAny, Newer, Record
from estimator.result import Versions

Better = Literal["low", "high"]  # which end of a figure is the better one
Kind = Literal["design", "offer"]
Tone = Literal["better", "worse", "same", "other"]


class Change(Record):
    """A difference from the baseline; ``relative`` is null where there is nothing to divide by."""

    absolute: float
    relative: float | None


class JudgedChange(Change):
    is_about_same: bool
    """Within the predicted band, or too small to say anything."""
    is_better: bool | None
    """Null where neither is better."""
    ranges_overlap: bool
    """Either may turn out the larger."""
    is_undecided: Newer[bool]
    """A price of another technology, of which these prices can't show whether it is lower."""


class ComparedFigure(Record):
    """One row of the table of figures."""

    key: str
    label: str
    unit: str
    """count, usd, usd_hour, w, gbit_s, gb_s, ratio or per_year; of workloads tokens_s, s, ms or days."""
    group: str
    better: Better | None
    values: list[Range[float] | None]
    """Without a range: three times the same."""
    texts: list[str | None]
    at_least: list[bool]
    is_per_gpu: bool
    """Differences are for each GPU, as clusters differ in size."""
    per_gpu: list[Range[float] | None] | None
    differences: list[JudgedChange | None]
    best: list[int]
    """Sides with the best value; empty where all are alike."""


class ComparedPart(Record):
    part: str | None
    part_number: str | None
    description: str


class RowSide(Record):
    """One side of a row."""

    quantity: int
    spare_quantity: int
    unit_price_usd: Range[float] | None
    unit_is_mean: bool
    """Several parts: the mean over the pieces."""
    extended_price_usd: Range[float] | None
    power_w: float | None
    parts: list[ComparedPart]
    lines: list[int]
    """Lines of the side's bill of materials."""
    price_basis: list[str]
    owned_quantity: Newer[int]
    """Pieces that are there already, and not in the price."""


class RowPerGpu(Record):
    """Relative differences for each GPU, where clusters differ in size."""

    quantity: float | None
    extended_price_usd: float | None


class RowDifference(Record):
    quantity: Change
    unit_price_usd: Change | None
    extended_price_usd: Change | None
    extended_range_usd: Range[float] | None
    """Parts that both sides buy at one price cancel."""
    power_w: Change | None
    per_gpu: IfAny[RowPerGpu] = None


class PartRow(Record):
    """One part of a row that has several."""

    label: str
    length_m: float | None
    sides: list[RowSide | None]
    differences: list[RowDifference]
    missing_on: list[int]
    is_same: bool


class AlignedRow(Record):
    """What serves one purpose, on every side; each line of a bill of materials is in one row."""

    key: str
    fabric: str
    function: str
    role: str
    tier: str | None
    label: str
    is_grouped: bool
    is_in_scope: bool
    """Part of the totals on the same scope."""
    sides: list[RowSide | None]
    differences: list[RowDifference]
    missing_on: list[int]
    is_same: bool
    parts: list[PartRow]


class LeftOut(Record):
    key: str
    label: str
    reason: str


class ComparedTotals(Record):
    all_usd: list[Range[float]]
    at_least: list[bool]
    same_scope_usd: list[Range[float]]
    """Without the rows that are left out."""
    differences: list[Change]
    difference_ranges_usd: list[Range[float]]
    left_out: list[LeftOut]


class Sentence(Record):
    code: str
    """The figure that it is about."""
    phrase: str
    words: str
    tone: Tone
    weight: float


class ComparisonSummary(Record):
    """One side against the baseline in words, the weightiest first."""

    of: int
    against: int
    headline: str
    phrases: list[str]
    sentences: list[Sentence]
    about_the_same: list[str]


class NotComparable(Record):
    code: Literal["left_out", "books", "versions", "figure"]
    words: str


class ComparedItem(Record):
    """A side of the result."""

    label: str
    kind: Kind
    gpus: int | None
    nodes: int | None
    server: str | None
    generation: str | None
    layout: str | None
    tiers: int | None
    planes: int | None
    spec_hash: str | None
    versions: Versions | None
    price_book: str | None
    own_prices: str | None
    """Name of your price book."""
    notes: list[str]
    n_errors: int
    n_warnings: int
    server_name: Newer[str | None] = None
    """What the bill of materials calls its servers."""


class ComparedCurve(Record):
    """One side's; ``low`` and ``high`` bound nine runs in ten."""

    gpus: int
    message_bytes: list[int]
    low_gb_s: list[float]
    busbw_gb_s: list[float]
    high_gb_s: list[float]
    limited_by: str
    algorithm: str | None


class SpendParts(Record):
    """What is not known is null."""

    servers: Range[float] | None
    switches: Range[float] | None
    cabling: Range[float] | None
    rest: Range[float] | None
    once: Range[float] | None
    running: Range[float] | None

    def typical(self, part: str) -> float:
        """The typical amount of a part; 0 where it is not known."""
        price: Range[float] | None = getattr(self, part)
        return price.typical if price else 0.0


class Spend(Record):
    """Where the money of one side goes."""

    parts_usd: SpendParts
    years: int | None


class ComparedCurves(Record):
    """Predicted all-reduce on all GPUs against message size."""

    message_bytes: list[int]
    sides: list[ComparedCurve | None]


class CommonVersions(Record):
    """Null where sides differ."""

    model: str | None
    catalog: str | None


class ComparisonHead(Record):
    """Of a result, what a list says of it."""

    versions: CommonVersions
    items: list[ComparedItem]
    summary: list[ComparisonSummary]


class ComparisonResult(Record):
    """Two to eight sides against a baseline."""

    versions: CommonVersions
    baseline: int
    items: list[ComparedItem]
    is_per_gpu: bool
    summary: list[ComparisonSummary]
    not_comparable: list[NotComparable]
    figures: list[ComparedFigure]
    rows: list[AlignedRow]
    totals: ComparedTotals
    spend: list[Spend]
    busbw: ComparedCurves
