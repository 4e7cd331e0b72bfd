"""The last pages of a report: assumptions with their sources, constants of the model, the request, and the versions."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from reportlab.platypus import Flowable, Paragraph, Spacer

from designer.exports.tables import flattened
from designer.exports.versions import versions_of
from designer.wording.numbers import basis_name, decimal, in_unit, is_assumption, unit_name, words
from estimator.cost.result import Assumption, Cost
from estimator.pdf.grid import Field, Grid, Row, Text
from estimator.pdf.page import headed, section
from estimator.pdf.style import BODY, SMALL
from estimator.pdf.text import markup
from estimator.performance.result import ModelConstant, Performance
from estimator.result import PricedEstimate
from estimator.spec.design import DesignSpec
from estimator.wording import date_and_time

MAX_CONSTANTS, MAX_KEYS = 400, 400
UNITS = {"1": "", "us": "µs"}
NOT_PRINTED = {  # parts of a request that are files of their own, and what is reported of them instead
    ("site", "plan"): "floor plan",
    ("site", "set_lengths"): "lengths set manually",
    ("economics", "prices"): "your prices",
    ("workload", "calibration"): "calibration",
}


def _basis(basis: str) -> Text:
    return Text("", mark=basis_name(basis)) if is_assumption(basis) else Text(basis_name(basis))


def assumptions(cost: Cost) -> list[Flowable]:
    """Every figure that the cost rests on, with its range, basis and source."""
    items = cost.assumptions
    n_assumed = sum(is_assumption(item.basis) for item in items)
    intro = (
        f"The cost rests on {len(items)} figures besides prices; {n_assumed} of them are assumptions, which are marked. "
        "Sources of prices stand beside each line of the bill of materials."
    )
    fields = (
        Field("Figure", 0.25),
        Field("Value", 0.1, is_number=True),
        Field("Low to high", 0.15, is_number=True),
        Field("Unit", 0.14),
        Field("Basis", 0.13),
        Field("Source", 0.23),
    )
    rows = [
        Row(
            [
                item.label,
                in_unit(item.value, item.unit),
                _span(item),
                unit_name(item.unit),
                _basis(item.basis),
                Text(item.source or "", item.as_of or ""),
            ]
        )
        for item in items
    ]
    return [*section("Assumptions and sources"), Paragraph(markup(intro), BODY), Grid(fields, rows)]


def _span(item: Assumption) -> str:
    if item.low == item.high:
        return "–"
    return f"{in_unit(item.low, item.unit)} to {in_unit(item.high, item.unit)}"


def constants(predicted: Performance) -> list[Flowable]:
    """Constants of the performance model with their evidence; nothing where nothing was predicted."""
    items = (predicted.all_reduce.constants if predicted.all_reduce else None) or []
    if not items:
        return []
    fields = (
        Field("Constant", 0.18),
        Field("For", 0.14),
        Field("Value", 0.1, is_number=True),
        Field("Low to high", 0.14, is_number=True),
        Field("Basis", 0.12),
        Field("Evidence", 0.32),
    )
    rows = [_constant(item) for item in items[:MAX_CONSTANTS]]
    return headed(f"Performance: {len(items)} constants of the model", Grid(fields, rows))


def _constant(item: ModelConstant) -> Row:
    value = Text(decimal(item.value), UNITS.get(item.unit, item.unit))
    span = f"{decimal(item.low)} to {decimal(item.high)}" if item.low != item.high else "–"
    index = words(item.index) if item.index else ""
    evidence = Text(item.source or "", item.evidence or "")
    return Row([words(item.name), index, value, span, _basis(item.basis), evidence])


def request(spec: DesignSpec) -> list[Flowable]:
    """The normalized request, a key a row: what was requested and what was left at its default."""
    own = {part.id: f"{part.vendor} {part.model}" for _, _, part in spec.own_parts.all()} if spec.own_parts else {}
    rows = [
        Row([Text(key), Text(_plain(value), own.get(value, "") if isinstance(value, str) else "")])
        for key, value in _keys(spec)
        if value is not None
    ]
    intro = "What was requested, and defaults for the rest. Keys that are not printed take the catalog's figure."
    grid = Grid([Field("Key", 0.42), Field("Value", 0.58, most_lines=8)], rows[:MAX_KEYS])
    out = headed("The request", Paragraph(markup(intro), SMALL), grid)
    if len(rows) > MAX_KEYS:
        out.append(Paragraph(f"{len(rows) - MAX_KEYS:,} more keys are in the estimate's JSON.", SMALL))
    return out


def _keys(spec: DesignSpec) -> Iterator[tuple[str, Any]]:
    for part, values in spec.as_json().items():
        if not isinstance(values, Mapping):
            yield from flattened(values, part)
            continue
        for key, value in values.items():
            name = NOT_PRINTED.get((part, key))
            if name and value:
                yield f"{part}.{key}", f"{name}, in the estimate's JSON"
            else:
                yield from flattened(value, f"{part}.{key}")


def _plain(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case _:
            return str(value)


def versions(estimate: PricedEstimate, made: datetime) -> list[Flowable]:
    """What fixes the numbers, and room to sign for them."""
    fields = (Field("Rests on", 0.16), Field("Version or hash", 0.4), Field("What it covers", 0.44))
    rows = [Row([Text(name), Text(value), Text(what)]) for name, value, what in versions_of(estimate)]
    text = (
        "These fix every number of this report. The same request, model, catalog and prices give the same report to the byte, "
        f"whoever makes it and whenever: its date, {date_and_time(made)}, is that of the estimate."
    )
    sign = [Row([Text(who, " "), "", "", ""]) for who in ("Prepared by", "Checked by", "Approved by")]
    return [
        *section("Signatures of versions"),
        Paragraph(markup(text), BODY),
        Grid(fields, rows),
        Spacer(1, 18),
        *headed(
            "Sign-off",
            Grid([Field("", 0.18), Field("Name", 0.32), Field("Date", 0.16), Field("Signature", 0.34)], sign),
        ),
    ]
