"""Prices with what they rest on, assumptions with their sources, versions."""

from collections.abc import Sequence
from datetime import datetime

from reportlab.platypus import Flowable, Paragraph

from designer.exports.reports.bill import basis_of
from designer.exports.reports.board.sides import of_sides
from designer.wording.comparison import LETTERS
from designer.wording.numbers import (
    basis_name,
    category_name,
    is_assumption,
    range_in_unit,
    typed_price,
    usd,
    usd_span,
)
from estimator.compare.result import ComparisonResult
from estimator.cost.result import Assumption
from estimator.pdf.grid import Field, Grid, Row, Text
from estimator.pdf.page import UPRIGHT, headed, section
from estimator.pdf.style import BODY
from estimator.pdf.text import markup
from estimator.result import PricedEstimate
from estimator.wording import date_and_time

PRICE_FIELDS = (
    Field("Category", 0.16),
    Field("Price", 0.2, is_number=True),
    Field("Basis", 0.16),
    Field("Source, date", 0.48, most_lines=6),
)
ASSUMED_FIELDS = (
    Field("Assumption", 0.26),
    Field("Value", 0.2, is_number=True),
    Field("Basis", 0.14),
    Field("Source", 0.4, most_lines=4),
)


def appendix(result: ComparisonResult, options: Sequence[PricedEstimate | None], made: datetime) -> list[Flowable]:
    """Prices by category with what they rest on, assumptions with their sources, versions."""
    out: list[Flowable] = [*section("Appendix: prices, assumptions, versions", UPRIGHT)]
    for name, option in of_sides(result, options):
        if option is None:
            continue
        rows = []
        for category, total in option.bom.totals_by_category.items():
            own = [line for line in option.bom.lines if line.category == category]
            sources = "; ".join(dict.fromkeys(line.price_source for line in own if line.price_source))
            typed = "; ".join(dict.fromkeys(filter(None, map(typed_price, own))))
            price = Text(usd(total.typical), usd_span(total)) if total else Text("no price")
            rows.append(Row([Text(category_name(category)), price, basis_of(own), Text(sources, typed)]))
        out += headed(f"{name}: prices", Grid(PRICE_FIELDS, rows))
    if rows := _assumed(options):
        out += headed("Assumptions of running cost and purchase", Grid(ASSUMED_FIELDS, rows))
    rows = [
        Row(
            [
                LETTERS[k],
                Text(item.label),
                Text(item.spec_hash or "–"),
                Text(item.versions.model if item.versions else "–"),
            ]
        )
        for k, item in enumerate(result.items)
    ]
    fields = [Field("", 0.06), Field("Option", 0.44), Field("Spec", 0.3), Field("Model", 0.2)]
    text = f"These fix every number of this paper. Its date, {date_and_time(made)}, is that of the comparison."
    return [*out, *headed("Versions", Paragraph(markup(text), BODY), Grid(fields, rows))]


def _assumed(options: Sequence[PricedEstimate | None]) -> list[Row]:
    """Every figure besides prices once, with the options that it is of where it is not of all."""
    found: dict[tuple[str, float, float, float], tuple[Assumption, str]] = {}
    for letter, option in zip(LETTERS, options, strict=False):
        for one in option.cost.assumptions if option else ():
            key = one.name, one.value, one.low, one.high
            found[key] = one, found.get(key, (one, ""))[1] + letter
    every = "".join(letter for letter, option in zip(LETTERS, options, strict=False) if option)
    return [
        Row(
            [
                Text(one.label, "" if letters == every else f"of {', '.join(letters)}"),
                Text(
                    range_in_unit(one.value, one.value, one.unit),
                    range_in_unit(one.low, one.high, one.unit) if one.low != one.high else "",
                ),
                Text("", mark=basis_name(one.basis)) if is_assumption(one.basis) else basis_name(one.basis),
                Text(one.source, one.as_of or ""),
            ]
        )
        for one, letters in found.values()
    ]
