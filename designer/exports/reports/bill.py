"""The bill of materials in a report: by category, with subtotals; every line with the basis and source of its price."""

from collections.abc import Iterator, Sequence

from reportlab.platypus import Flowable, Paragraph

from designer.wording.numbers import (
    MINUS,
    basis_name,
    book_name,
    category_name,
    chosen,
    count,
    is_assumption,
    metres,
    percent,
    typed_price,
    watts,
    words,
)
from estimator.bom.result import BomLine
from estimator.pdf.grid import Field, Grid, Row, Text
from estimator.pdf.page import WIDE, section
from estimator.pdf.style import BODY, SMALL
from estimator.pdf.text import markup
from estimator.ranges import Range
from estimator.result import PricedEstimate

MAX_LINES = 1_000  # a report of more is no longer read; the workbook and the CSV have them all


def _fields() -> tuple[Field, ...]:
    return (
        Field("Line", 0.035, is_number=True),
        Field("Part", 0.33),
        Field("Quantity", 0.065, is_number=True),
        Field(f"Unit price, {chosen().currency}", 0.12, is_number=True),
        Field(f"Price, {chosen().currency}", 0.135, is_number=True),
        Field("Power", 0.065, is_number=True),
        Field("Basis and source of the price", 0.25, most_lines=6),
    )


def money(value: float | None) -> str:
    """Dollars in the chosen currency, to the cent where there are cents, without its sign: 24,000 or 24,000.25."""
    if value is None:
        return "–"
    text = f"{abs(value) * chosen().per_usd:,.2f}".removesuffix(".00")
    return MINUS + text if value < 0 else text


def money_range(amount: Range[float]) -> str:
    """Both ends; empty where they are one."""
    return "" if amount.low == amount.high else f"{money(amount.low)} to {money(amount.high)}"


def bill(estimate: PricedEstimate) -> list[Flowable]:
    """All lines, or the first MAX_LINES with a note where the others are."""
    book = estimate.cost.price_book
    intro = (f"Price book: {book_name(book)}. " if book else "") + (
        "Before tax, freight and installation; spares are in the price. A price that is an assumption is marked; the range "
        "from low to high stands below each figure."
    )
    rows = list(_rows(estimate, estimate.bom.lines[:MAX_LINES]))
    out: list[Flowable] = [*section("Bill of materials", WIDE), Paragraph(markup(intro), BODY), Grid(_fields(), rows)]
    left = len(estimate.bom.lines) - MAX_LINES
    if left > 0:
        note = f"{left:,} more lines are in the workbook and the CSV file; subtotals and totals hold them."
        out.append(Paragraph(markup(note), SMALL))
    return out


def _rows(estimate: PricedEstimate, lines: list[BomLine]) -> Iterator[Row]:
    bom, has_networks = estimate.bom, len(estimate.fabrics) > 1
    by_category: dict[str, list[BomLine]] = {}
    for line in lines:
        by_category.setdefault(line.category, []).append(line)
    whole = bom.totals_usd.typical
    for category, members in by_category.items():
        yield Row([Text(category_name(category))], "group")
        for line in members:
            yield Row(_cells(line, has_networks))
        amount = bom.totals_by_category.get(category)
        share = f"{percent(amount.typical / whole)} of the total" if amount and whole else ""
        yield _sum_row(category_name(category), amount, share, "subtotal")
    title = "Total, at least: lines without a price are not in it" if bom.at_least else "Total"
    watt = watts(sum(line.power_w or 0 for line in bom.lines))
    yield _sum_row(title, bom.totals_usd, "", "total", watt, "≥ " if bom.at_least else "")


def _sum_row(name: str, amount: Range[float] | None, note: str, kind: str, power: str = "", exact: str = "") -> Row:
    price = Text(exact + money(amount.typical), money_range(amount)) if amount else Text("no price")
    return Row(["", Text(name), "", "", price, power, Text("", note)], kind)


def _cells(line: BomLine, has_networks: bool) -> list[Text | str]:
    unit, extended = line.unit_price_usd, line.extended_price_usd
    length = metres(line.length_m) if line.length_m else ""
    network = f"{words(line.fabric)} network" if has_networks else ""
    below = ", ".join(part for part in (line.part_number, network, line.use, length) if part)
    pieces = [f"+ {count(line.spare_quantity)} spare"] if line.spare_quantity else []
    pieces += [f"{count(line.owned_quantity)} already owned"] if line.owned_quantity else []
    return [
        str(line.line),
        Text(line.description or line.part or "", below),
        Text(count(line.quantity), ", ".join(pieces)),
        Text(money(unit.typical), "; ".join(filter(None, (typed_price(line), money_range(unit)))))
        if unit
        else "no price",
        Text(money(extended.typical), money_range(extended)) if extended else "no price",
        watts(line.power_w) if line.power_w else "–",
        _basis(line),
    ]


def _basis(line: BomLine) -> Text:
    whence = ". ".join(part.rstrip(".") for part in (line.price_rule, line.price_source, line.price_note) if part)
    return basis_of([line], whence)


def basis_of(lines: Sequence[BomLine], below: str = "") -> Text:
    """What prices of lines rest on; marked where that is an assumption, in whole or in part."""
    bases = list(dict.fromkeys(line.price_basis for line in lines if line.price_basis))
    names = ", ".join(map(basis_name, bases))
    if bases and all(map(is_assumption, bases)):
        return Text("", below, mark=names)
    return Text(names, below, mark="partly assumed" if any(line.assumption for line in lines) else "")
