"""A comparison as sheets that compute: figures with their differences, aligned lines with their prices, totals on one scope."""

from collections.abc import Sequence

from xlsxwriter.utility import xl_col_to_name

from designer.exports.sheets.bom import FIRST
from designer.exports.tables import COUNT, MONEY, RANGE, SHARE, Cell, Column, Formula, Table
from designer.wording.comparison import LETTERS, named
from estimator.compare.result import AlignedRow, ComparedFigure, ComparisonResult, RowSide
from estimator.ranges import Range

SIDES, WORDS, FIGURES, LINES, TOTALS = "Sides", "In words", "Figures", "Lines", "Totals"
FREE = "#,##0.00##;-#,##0.00##"
GPUS = "D"  # of the sheet of sides
HALF_CENT = 0.005


def comparison_tables(result: ComparisonResult) -> list[Table]:
    """All sheets, in the order of the workbook."""
    return [words_table(result), figures_table(result), lines_table(result), totals_table(result), sides_table(result)]


def _others(result: ComparisonResult) -> list[int]:
    return [side for side in range(len(result.items)) if side != result.baseline]


def words_table(result: ComparisonResult) -> Table:
    """What differs, in sentences, and what could not be compared."""
    columns = (
        Column("side", "Design or offer", width=30),
        Column("code", "About", width=22),
        Column("words", "In words", width=110),
    )
    rows: list[tuple[Cell, ...]] = []
    for said in result.summary:
        name = named(result, said.of)
        rows.append((name, "headline", said.headline))
        rows += [(name, sentence.code, sentence.words) for sentence in said.sentences]
    rows += [("", "not compared", item.words) for item in result.not_comparable]
    return Table(WORDS, columns, tuple(rows))


def sides_table(result: ComparisonResult) -> Table:
    """What is compared, and the versions behind it."""
    keys = {
        "kind": "Kind",
        "gpus": "GPUs",
        "nodes": "Servers",
        "server": "Server",
        "generation": "Network",
        "layout": "Layout",
        "tiers": "Tiers",
        "planes": "Planes",
        "price_book": "Price book",
        "own_prices": "Your prices",
        "spec_hash": "Spec",
    }
    columns = (
        Column("side", "Side", width=6),
        Column("label", "Design or offer", width=34),
        *(
            Column(key, name, width=16, number_format=COUNT if key in ("gpus", "nodes") else "")
            for key, name in keys.items()
        ),
        Column("model", "Model", width=10),
        Column("catalog", "Catalog", width=20),
        Column("baseline", "Baseline", width=10),
        Column("notes", "Notes", width=60),
    )
    rows = []
    for side, item in enumerate(result.items):
        versions = item.versions
        rows.append(
            (
                LETTERS[side],
                item.label,
                *((item.server_name if key == "server" else None) or getattr(item, key) for key in keys),
                versions.model if versions else None,
                versions.catalog if versions else None,
                side == result.baseline,
                "; ".join(item.notes),
            )
        )
    return Table(SIDES, columns, tuple(rows), frozen_columns=2)


# ---------------------------------------------------------------- figures


def figures_table(result: ComparisonResult) -> Table:
    """A row a figure: typical values, differences from the baseline as formulas, then the ends of each range."""
    n, others = len(result.items), _others(result)
    columns = (
        Column("group", "Subject", width=20),
        Column("figure", "Figure", width=36),
        Column("unit", "Unit", width=10),
        Column("compared", "Compared", width=14),
        *(Column(f"side_{k}", named(result, k), width=20, number_format=FREE) for k in range(n)),
        *(
            column
            for k in others
            for column in (
                Column(
                    f"difference_{k}", f"{LETTERS[k]} less {LETTERS[result.baseline]}", width=18, number_format=FREE
                ),
                Column(
                    f"relative_{k}",
                    f"{LETTERS[k]} against {LETTERS[result.baseline]}",
                    width=12,
                    number_format=SHARE,
                ),
            )
        ),
        *(
            Column(f"{end}_{k}", f"{LETTERS[k]}, {end}", width=18, number_format=FREE)
            for k in range(n)
            for end in ("low", "high")
        ),
    )
    rows = tuple(_figure(result, figure, row) for row, figure in enumerate(result.figures, FIRST))
    return Table(FIGURES, columns, rows, frozen_columns=2)


def _figure(result: ComparisonResult, figure: ComparedFigure, row: int) -> tuple[Cell, ...]:
    values, baseline = figure.values, result.baseline
    cells: list[Cell] = [
        figure.group,
        figure.label,
        figure.unit,
        "a GPU" if figure.is_per_gpu else "as they are",
    ]
    cells += [value.typical if value else None for value in values]
    for side in _others(result):
        found = figure.differences[side]
        if found is None:
            cells += [None, None]
            continue
        here, base = (_compared(figure, k, row) for k in (side, baseline))
        cells.append(Formula(f"{here}-{base}", found.absolute))
        share = found.relative
        cells.append(None if share is None else Formula(f"{here}/({base})-1", share))
    cells += [end for value in values for end in ((value.low, value.high) if value else (None, None))]
    return tuple(cells)


def _compared(figure: ComparedFigure, side: int, row: int) -> str:
    """A side's typical value; for each of its GPUs where clusters differ in size."""
    cell = f"{xl_col_to_name(4 + side)}{row}"
    return f"({cell}/{SIDES}!${GPUS}${FIRST + side})" if figure.is_per_gpu else cell


# ---------------------------------------------------------------- lines

_OF_A_SIDE = ("part", "quantity", "spares", "unit", "low", "typical", "high")
_HEAD = 4  # columns before those of the sides


def _letter(side: int, key: str) -> str:
    return xl_col_to_name(_HEAD + side * len(_OF_A_SIDE) + _OF_A_SIDE.index(key))


def lines_table(result: ComparisonResult) -> Table:
    """Aligned lines: what each side has for one purpose, and what it costs; differences in price at the end."""
    titles = {
        "part": "part",
        "quantity": "pieces",
        "spares": "spares",
        "unit": "unit price (USD)",
        "low": "price, low (USD)",
        "typical": "price (USD)",
        "high": "price, high (USD)",
    }
    formats = {"part": "", "quantity": COUNT, "spares": COUNT}
    base = LETTERS[result.baseline]
    columns = (
        Column("network", "Network", width=12),
        Column("what", "What", width=32),
        Column("scope", "On the same scope", width=9),
        Column("missing", "Missing at", width=12),
        *(
            Column(
                f"{key}_{k}",
                f"{named(result, k)}: {titles[key]}",
                width=30 if key == "part" else 15,
                number_format=formats.get(key, MONEY),
            )
            for k in range(len(result.items))
            for key in _OF_A_SIDE
        ),
        *(Column(f"difference_{k}", f"{LETTERS[k]} less {base}", "USD", 17, MONEY) for k in _others(result)),
    )
    rows = tuple(_line(result, line, row) for row, line in enumerate(result.rows, FIRST))
    return Table(LINES, columns, rows, frozen_columns=2)


def _line(result: ComparisonResult, line: AlignedRow, row: int) -> tuple[Cell, ...]:
    missing = ", ".join(LETTERS[side] for side in line.missing_on)
    cells: list[Cell] = [line.fabric, line.label, int(line.is_in_scope), missing]
    for side, held in enumerate(line.sides):
        cells += _side(held, side, row) if held else [None] * len(_OF_A_SIDE)
    base = line.sides[result.baseline]
    for side in _others(result):
        ours, theirs = (held.extended_price_usd if held else None for held in (line.sides[side], base))
        formula = f"{_letter(side, 'typical')}{row}-{_letter(result.baseline, 'typical')}{row}"
        moved = round(ours.typical - theirs.typical, 2) if ours and theirs else None
        cells.append(None if moved is None else Formula(formula, moved))
    return tuple(cells)


def _side(held: RowSide, side: int, row: int) -> list[Cell]:
    unit, price = held.unit_price_usd, held.extended_price_usd
    parts = "; ".join(part.description or part.part or "" for part in held.parts)
    cells: list[Cell] = [parts, held.quantity, held.spare_quantity, unit.typical if unit else None]
    if price is None:
        return [*cells, None, None, None]
    follows = unit and abs(unit.typical * (held.quantity + held.spare_quantity) - price.typical) < HALF_CENT
    at = {key: f"{_letter(side, key)}{row}" for key in _OF_A_SIDE}
    formula = Formula(f"ROUND({at['unit']}*({at['quantity']}+{at['spares']}),2)", price.typical)
    return [*cells, price.low, formula if follows else price.typical, price.high]


# ---------------------------------------------------------------- totals


def totals_table(result: ComparisonResult) -> Table:
    """Totals of all priced lines, and of those that every side has a price for."""
    base = LETTERS[result.baseline]
    columns = (
        Column("total", "Total", width=26),
        Column("side", "Design or offer", width=34),
        Column("at_least", "At least", width=9),
        *(Column(end, end.capitalize(), "USD", 18, MONEY) for end in RANGE),
        Column("difference", f"Less {base}", "USD", 18, MONEY),
        Column("relative", f"Against {base}", width=12, number_format=SHARE),
    )
    n, last, totals = len(result.items), FIRST + len(result.rows) - 1, result.totals
    lines, scope = f"{LINES}!${{0}}${FIRST}:${{0}}${last}", f"{LINES}!$C${FIRST}:$C${last}"
    every = _totals(result, totals.all_usd, f"SUM({lines})", FIRST)
    same = _totals(result, totals.same_scope_usd, f"SUMPRODUCT({scope},{lines})", FIRST + n)
    rows = [
        *(
            ("All lines with a price", *row[:1], least, *row[1:])
            for row, least in zip(every, totals.at_least, strict=True)
        ),
        *(("On the same scope", *row[:1], False, *row[1:]) for row in same),
    ]
    return Table(TOTALS, columns, tuple(rows), frozen_columns=2)


def _totals(
    result: ComparisonResult, totals: Sequence[Range[float]], formula: str, start: int
) -> list[tuple[Cell, ...]]:
    """Each side with its total, in rows from ``start`` on; ``formula`` has the column of the lines to fill in."""
    rows = []
    base = totals[result.baseline].typical
    for side, amount in enumerate(totals):
        cells: list[Cell] = [named(result, side)]
        for end, value in zip(RANGE, amount, strict=True):
            cells.append(Formula(formula.format(_letter(side, end)), value) if result.rows else value)
        ours, theirs = f"E{start + side}", f"E{start + result.baseline}"
        moved = amount.typical - base
        cells.append(Formula(f"{ours}-{theirs}", round(moved, 2)))
        cells.append(Formula(f"{ours}/{theirs}-1", moved / base) if base else None)
        rows.append(tuple(cells))
    return rows
