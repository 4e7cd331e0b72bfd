"""Tables of a cost with plain numbers: the cash flow for machines, and what chance does to the totals."""

from collections.abc import Iterator

from designer.exports.cost_words import FIGURE_NAMES
from designer.exports.tables import ANY, COUNT, MONEY, RANGE, Cell, Column, Table
from designer.wording.names import COST_KINDS
from designer.wording.numbers import words
from estimator.cost.result import PERCENTILES, Cost, Uncertainty

_SUMS = {
    "total_usd": "Paid in the year",
    "discounted_usd": "Paid, discounted",
    "cumulative_usd": "Paid so far",
    "cumulative_discounted_usd": "So far, discounted",
}
FLOW_COLUMNS = (
    Column("year", "Year", width=6, number_format=COUNT),
    *(
        Column(f"{kind}_usd", f"{name}, typical", "USD", 16, MONEY, path=("usd", kind))
        for kind, name in COST_KINDS.items()
    ),
    *(
        Column(f"{key}_{end}", f"{name}, {end}", "USD", 17, MONEY, path=(key, end))
        for key, name in _SUMS.items()
        for end in RANGE
    ),
)


def flow_table(cost: Cost) -> Table:
    """The cash flow, a row a year; empty for an estimate of an older model, which has none."""
    rows = cost.cash_flow or []
    return Table("Cash flow", FLOW_COLUMNS, tuple(tuple(column.value(row) for column in FLOW_COLUMNS) for row in rows))


CHANCE_COLUMNS = (
    Column("kind", "What", width=22),
    Column("label", "Figure or assumption", width=44),
    Column("at", "At", width=14, number_format=ANY),
    Column("usd", "Amount", "USD", 20, "#,##0.0000"),
)


def chance_table(cost: Cost) -> Table | None:
    """Percentiles of the draws, and what each assumption does to the total cost; None where nothing was drawn."""
    drawn = cost.uncertainty
    return Table("Uncertainty", CHANCE_COLUMNS, tuple(_chance_rows(drawn)), frozen_columns=2) if drawn else None


def _chance_rows(drawn: Uncertainty) -> Iterator[tuple[Cell, ...]]:
    yield "Draws", f"{drawn.draws:,} draws, seed {drawn.seed}", None, None
    for key, figure in drawn.figures.items():
        for name in PERCENTILES:
            reported = name if name == "mean" else f"{name[1:]} % of draws are not above"
            yield FIGURE_NAMES.get(key, words(key)), reported, name, getattr(figure, name)
    for bar in drawn.tornado:
        for at, usd in ((bar.low, bar.tco_low_usd), (bar.high, bar.tco_high_usd)):
            yield "Total cost, alone moved by", f"{bar.label} ({bar.unit})", at, usd
