"""A comparison in words: cells of figures and of aligned lines. Numbers become text here, once."""

from collections.abc import Sequence
from typing import NamedTuple

from designer.wording.numbers import (
    MISSING,
    change,
    change_usd,
    computed,
    count,
    decimal,
    gb_s,
    gbit_s,
    percent,
    usd,
    usd_exact,
    usd_range,
    usd_rounded,
    watts,
)
from estimator.compare.figures import SAME_SHARE
from estimator.compare.lines import OFFER
from estimator.compare.result import (
    AlignedRow,
    Change,
    ComparedFigure,
    ComparedTotals,
    ComparisonResult,
    JudgedChange,
    PartRow,
    RowDifference,
    RowSide,
)
from estimator.ranges import Range

LETTERS = "ABCDEFGH"
BETTER, WORSE, SAME = "better", "worse", "same"
MARKS = {BETTER: "✓", WORSE: "✗", SAME: "≈", "": ""}
TONE_WORDS = {BETTER: "better", WORSE: "worse", SAME: "about the same", "": ""}
PRICE_WORDS = {BETTER: "lower", WORSE: "higher", SAME: "about the same"}


def named(result: ComparisonResult, side: int) -> str:
    """A side by its letter and name."""
    return f"{LETTERS[side]}: {result.items[side].label}"


class FigureCell(NamedTuple):
    """One side of a figure."""

    text: str
    at_least: bool
    range: str
    difference: str
    tone: str
    is_baseline: bool
    is_best: bool

    @property
    def mark(self) -> str:
        """The tone as a sign."""
        return MARKS[self.tone]

    @property
    def tone_words(self) -> str:
        """The tone for who does not see the sign."""
        return TONE_WORDS[self.tone]


class FigureRow(NamedTuple):
    """One figure; ``size`` is its largest relative difference."""

    key: str
    label: str
    group: str
    size: float
    is_same: bool
    cells: list[FigureCell]


class FigureGroup(NamedTuple):
    name: str
    rows: list[FigureRow]


class PriceCell(NamedTuple):
    """One side of an aligned line or of a total; ``words`` in place of all else where the side has no such line."""

    is_baseline: bool
    difference: str
    words: str = ""
    text: str = ""
    range: str = ""
    at_least: bool = False
    tone: str = ""
    part: str = ""
    quantity: str = ""
    spares: str = ""
    owned: str = ""
    unit: str = ""
    power: str = ""

    @property
    def is_missing(self) -> bool:
        """Whether the side has no such line."""
        return bool(self.words)

    @property
    def mark(self) -> str:
        """The tone as a sign."""
        return MARKS[self.tone]

    @property
    def tone_words(self) -> str:
        """The tone for who does not see the sign."""
        return PRICE_WORDS.get(self.tone, "")


class PartLine(NamedTuple):
    """One part of a line."""

    label: str
    is_same: bool
    cells: list[PriceCell]


class LineRow(NamedTuple):
    """One aligned line, with its parts where it has several; ``size`` is its largest difference in dollars."""

    key: str
    label: str
    is_same: bool
    is_in_scope: bool
    size: float
    cells: list[PriceCell]
    parts: list[PartLine]


class TotalRow(NamedTuple):
    label: str
    cells: list[PriceCell]


def figure_groups(result: ComparisonResult, order: str) -> list[FigureGroup]:
    """The table's rows under the names of their groups, or in one group by the size of their differences."""
    rows = [figure_row(figure, result.baseline) for figure in result.figures]
    if order == "weight":
        return [FigureGroup("Largest difference first", sorted(rows, key=lambda row: -row.size))]
    names = dict.fromkeys(row.group for row in rows)
    return [FigureGroup(name, [row for row in rows if row.group == name]) for name in names]


def main_figures(result: ComparisonResult, keys: Sequence[str]) -> FigureGroup:
    """Some of the table's rows, in the order of their keys, as a group without a name."""
    known = {figure.key: figure for figure in result.figures}
    return FigureGroup("", [figure_row(known[key], result.baseline) for key in keys if key in known])


def figure_row(figure: ComparedFigure, baseline: int) -> FigureRow:
    """One figure: its value, range and difference on every side."""
    reported = [found for found in figure.differences if found and _tone(found) != SAME]
    return FigureRow(
        key=figure.key,
        label=figure.label,
        group=figure.group,
        size=max((abs(found.relative or 0) for found in reported), default=0.0),
        is_same=all(found is not None and found.is_about_same for found in figure.differences),
        cells=[_figure_cell(figure, i, is_baseline=i == baseline) for i in range(len(figure.differences))],
    )


def _figure_cell(figure: ComparedFigure, side: int, is_baseline: bool) -> FigureCell:
    value, unit, difference = figure.values[side], figure.unit, figure.differences[side]
    return FigureCell(
        text=MISSING if value is None else _value_text(value.typical, unit, figure.texts[side]),
        at_least=figure.at_least[side],
        range="" if value is None or value.low == value.high else _range_text(value, unit),
        difference="" if is_baseline else _difference_text(figure, difference, is_known=value is not None),
        tone="" if is_baseline else _tone(difference),
        is_baseline=is_baseline,
        is_best=side in figure.best,
    )


def _tone(difference: JudgedChange | None) -> str:
    if difference is None:
        return ""
    if difference.is_about_same or difference.is_undecided:
        return SAME
    return "" if difference.is_better is None else BETTER if difference.is_better else WORSE


def _value_text(value: float, unit: str, text: str | None = None) -> str:
    match unit:
        case "count":
            return count(value)
        case "usd":
            return usd(value)
        case "usd_hour":
            return usd_rounded(value)
        case "w":
            return watts(value)
        case "gbit_s":
            return gbit_s(value)
        case "gb_s":
            return gb_s(value)
        case "ratio":
            return text if text and text.endswith(":1") else f"{decimal(value)}:1"
    return computed(value)


def _range_text(value: Range[float], unit: str) -> str:
    low, high = _value_text(value.low, unit), _value_text(value.high, unit)
    return low if low == high else f"{low} to {high}"


def _difference_text(figure: ComparedFigure, difference: JudgedChange | None, is_known: bool) -> str:
    """The signed difference, and its share: "−24 (−50.0 %)". Where clusters differ in size, the share for each GPU."""
    if difference is None:
        return "not compared" if is_known else ""
    share, absolute = difference.relative, difference.absolute
    if absolute == 0:
        return "the same"
    relative = "" if share is None else _signed_percent(share)
    if figure.is_per_gpu:
        return f"{relative} a GPU" if relative else ""
    if figure.unit == "count":
        return f"{change(absolute)} ({relative})" if relative else change(absolute)
    if figure.unit == "usd":
        return f"{change_usd(absolute)} ({relative})" if relative else change_usd(absolute)
    return relative


def line_rows(result: ComparisonResult, order: str) -> list[LineRow]:
    """Aligned rows, each with its parts below it where it has several."""
    rows = [_line_row(row, result) for row in result.rows]
    return sorted(rows, key=lambda row: -row.size) if order == "weight" else rows


def _line_row(row: AlignedRow, result: ComparisonResult) -> LineRow:
    moved = [abs(found.extended_price_usd.absolute) for found in row.differences if found.extended_price_usd]
    return LineRow(
        key=row.key,
        label=row.label,
        is_same=row.is_same,
        is_in_scope=row.is_in_scope,
        size=max(moved, default=0.0),
        cells=_line_cells(row, result),
        parts=[PartLine(part.label, part.is_same, _line_cells(part, result)) for part in row.parts],
    )


def _line_cells(row: AlignedRow | PartRow, result: ComparisonResult) -> list[PriceCell]:
    has_base = row.sides[result.baseline] is not None
    return [
        _missing_cell(difference, i == result.baseline, result.items[i].kind == OFFER, has_base)
        if side is None
        else _line_cell(side, difference, i == result.baseline, has_base)
        for i, (side, difference) in enumerate(zip(row.sides, row.differences, strict=True))
    ]


def _missing_cell(difference: RowDifference, is_baseline: bool, is_offer: bool, has_base: bool) -> PriceCell:
    is_said = has_base and not is_baseline and not is_offer
    reported = _line_difference(difference, has_base) if is_said else ""
    return PriceCell(is_baseline, reported, words="not offered" if is_offer else "none")


def _line_cell(side: RowSide, difference: RowDifference, is_baseline: bool, has_base: bool) -> PriceCell:
    unit, price = side.unit_price_usd, side.extended_price_usd
    names = [part.description or part.part or "" for part in side.parts]
    moved = difference.extended_price_usd.absolute if difference.extended_price_usd else 0
    return PriceCell(
        is_baseline,
        "" if is_baseline else _line_difference(difference, has_base),
        part=names[0] if len(names) == 1 else f"{len(names)} parts",
        quantity=count(side.quantity),
        spares=count(side.spare_quantity) if side.spare_quantity else "",
        owned=count(side.owned_quantity) if side.owned_quantity else "",
        unit="" if unit is None else ("mean " if side.unit_is_mean else "") + usd_exact(unit.typical),
        text="no price" if price is None else usd(price.typical),
        range=usd_range(price) if price and price.low != price.high else "",
        power=watts(side.power_w) if side.power_w else "",
        tone="" if is_baseline else _price_tone(moved),
    )


def _price_tone(moved: float) -> str:
    return "" if not moved else WORSE if moved > 0 else BETTER


def _line_difference(difference: RowDifference, has_base: bool) -> str:
    """Change in quantity and in price; for each GPU where clusters differ in size."""
    if not has_base:
        return "only here"
    if a_gpu := difference.per_gpu:
        share = a_gpu.quantity if a_gpu.extended_price_usd is None else a_gpu.extended_price_usd
        return "" if share is None else "the same a GPU" if abs(share) < 0.0005 else f"{_signed_percent(share)} a GPU"
    n, price = difference.quantity.absolute, difference.extended_price_usd
    reported = [change(n)] if n else []
    if price and price.absolute:
        reported.append(change_usd(price.absolute))
    return ", ".join(reported) or "the same"


def _signed_percent(share: float) -> str:
    return f"{'+' if share > 0 else ''}{percent(share, 2)}"


def total_rows(result: ComparisonResult) -> list[TotalRow]:
    """Totals of all priced lines and, where they hold not the same, on the same scope."""
    totals, baseline = result.totals, result.baseline
    same = [_total_cell(totals, i, baseline, result.is_per_gpu) for i in range(len(result.items))]
    if not totals.left_out:
        return [TotalRow("Total", same)]
    every = [
        PriceCell(i == baseline, "", text=usd(value.typical), range=usd_range(value), at_least=totals.at_least[i])
        for i, value in enumerate(totals.all_usd)
    ]
    return [TotalRow("All lines with a price", every), TotalRow("Total on the same scope", same)]


def _total_cell(totals: ComparedTotals, side: int, baseline: int, is_per_gpu: bool) -> PriceCell:
    value, difference = totals.same_scope_usd[side], totals.differences[side]
    moved = difference.absolute
    is_compared = side != baseline and not is_per_gpu
    share = "" if difference.relative is None else f" ({_signed_percent(difference.relative)})"
    reported = "the same" if not moved else f"{change_usd(moved)}{share}"
    return PriceCell(
        side == baseline,
        reported if is_compared else "",
        text=usd(value.typical),
        range=usd_range(value),
        tone=_total_tone(difference) if is_compared else "",
    )


def _total_tone(difference: Change) -> str:
    is_same = difference.relative is not None and 0 < abs(difference.relative) <= SAME_SHARE
    return SAME if is_same else _price_tone(difference.absolute)
