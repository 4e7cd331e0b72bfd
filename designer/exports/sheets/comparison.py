"""A comparison as sheets that compute: figures with their differences, aligned lines with their prices, totals on one scope."""

from collections.abc import Mapping
from typing import Any

from xlsxwriter.utility import xl_col_to_name

from designer.exports.sheets.bom import FIRST
from designer.exports.tables import COUNT, MONEY, RANGE, SHARE, Cell, Column, Formula, Table

Json = Mapping[str, Any]
LETTERS = "ABCDEFGH"
SIDES, WORDS, FIGURES, LINES, TOTALS = "Sides", "In words", "Figures", "Lines", "Totals"
FREE = "#,##0.00##;-#,##0.00##"
GPUS = "D"  # of the sheet of sides
HALF_CENT = 0.005


def comparison_tables(result: Json) -> list[Table]:
    """All sheets, in the order of the workbook."""
    return [words_table(result), figures_table(result), lines_table(result), totals_table(result), sides_table(result)]


def _named(result: Json, side: int) -> str:
    return f"{LETTERS[side]}: {result['items'][side]['label']}"


def _others(result: Json) -> list[int]:
    return [side for side in range(len(result["items"])) if side != result["baseline"]]


def words_table(result: Json) -> Table:
    """What differs, in sentences, and what could not be compared."""
    columns = (
        Column("side", "Design or offer", width=30),
        Column("code", "About", width=22),
        Column("words", "In words", width=110),
    )
    rows: list[tuple[Cell, ...]] = []
    for said in result["summary"]:
        name = _named(result, said["of"])
        rows.append((name, "headline", said["headline"]))
        rows += [(name, sentence["code"], sentence["words"]) for sentence in said["sentences"]]
    rows += [("", "not compared", item["words"]) for item in result["not_comparable"]]
    return Table(WORDS, columns, tuple(rows))


def sides_table(result: Json) -> Table:
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
    for side, item in enumerate(result["items"]):
        versions = item["versions"] or {}
        rows.append(
            (
                LETTERS[side],
                item["label"],
                *(item[key] for key in keys),
                versions.get("model"),
                versions.get("catalog"),
                side == result["baseline"],
                "; ".join(item["notes"]),
            )
        )
    return Table(SIDES, columns, tuple(rows), frozen_columns=2)


# ---------------------------------------------------------------- figures


def figures_table(result: Json) -> Table:
    """A row a figure: typical values, differences from the baseline as formulas, then the ends of each range."""
    n, others = len(result["items"]), _others(result)
    columns = (
        Column("group", "Subject", width=20),
        Column("figure", "Figure", width=36),
        Column("unit", "Unit", width=10),
        Column("compared", "Compared", width=14),
        *(Column(f"side_{k}", _named(result, k), width=20, number_format=FREE) for k in range(n)),
        *(
            column
            for k in others
            for column in (
                Column(
                    f"difference_{k}", f"{LETTERS[k]} less {LETTERS[result['baseline']]}", width=18, number_format=FREE
                ),
                Column(
                    f"relative_{k}",
                    f"{LETTERS[k]} against {LETTERS[result['baseline']]}",
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
    rows = tuple(_figure(result, figure, row) for row, figure in enumerate(result["figures"], FIRST))
    return Table(FIGURES, columns, rows, frozen_columns=2)


def _figure(result: Json, figure: Json, row: int) -> tuple[Cell, ...]:
    values, baseline = figure["values"], result["baseline"]
    cells: list[Cell] = [
        figure["group"],
        figure["label"],
        figure["unit"],
        "a GPU" if figure["is_per_gpu"] else "as they are",
    ]
    cells += [value["typical"] if value else None for value in values]
    for side in _others(result):
        found = figure["differences"][side]
        if found is None:
            cells += [None, None]
            continue
        here, base = (_compared(figure, k, row) for k in (side, baseline))
        cells.append(Formula(f"{here}-{base}", found["absolute"]))
        share = found["relative"]
        cells.append(None if share is None else Formula(f"{here}/({base})-1", share))
    cells += [value[end] if value else None for value in values for end in ("low", "high")]
    return tuple(cells)


def _compared(figure: Json, side: int, row: int) -> str:
    """A side's typical value; for each of its GPUs where clusters differ in size."""
    cell = f"{xl_col_to_name(4 + side)}{row}"
    return f"({cell}/{SIDES}!${GPUS}${FIRST + side})" if figure["is_per_gpu"] else cell


# ---------------------------------------------------------------- lines

_OF_A_SIDE = ("part", "quantity", "spares", "unit", "low", "typical", "high")
_HEAD = 4  # columns before those of the sides


def _letter(side: int, key: str) -> str:
    return xl_col_to_name(_HEAD + side * len(_OF_A_SIDE) + _OF_A_SIDE.index(key))


def lines_table(result: Json) -> Table:
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
    base = LETTERS[result["baseline"]]
    columns = (
        Column("network", "Network", width=12),
        Column("what", "What", width=32),
        Column("scope", "On the same scope", width=9),
        Column("missing", "Missing at", width=12),
        *(
            Column(
                f"{key}_{k}",
                f"{_named(result, k)}: {titles[key]}",
                width=30 if key == "part" else 15,
                number_format=formats.get(key, MONEY),
            )
            for k in range(len(result["items"]))
            for key in _OF_A_SIDE
        ),
        *(Column(f"difference_{k}", f"{LETTERS[k]} less {base}", "USD", 17, MONEY) for k in _others(result)),
    )
    rows = tuple(_line(result, line, row) for row, line in enumerate(result["rows"], FIRST))
    return Table(LINES, columns, rows, frozen_columns=2)


def _line(result: Json, line: Json, row: int) -> tuple[Cell, ...]:
    missing = ", ".join(LETTERS[side] for side in line["missing_on"])
    cells: list[Cell] = [line["fabric"], line["label"], int(line["is_in_scope"]), missing]
    for side, held in enumerate(line["sides"]):
        cells += _side(held, side, row) if held else [None] * len(_OF_A_SIDE)
    base = line["sides"][result["baseline"]]
    for side in _others(result):
        ours, theirs = ((held or {}).get("extended_price_usd") for held in (line["sides"][side], base))
        formula = f"{_letter(side, 'typical')}{row}-{_letter(result['baseline'], 'typical')}{row}"
        moved = round(ours["typical"] - theirs["typical"], 2) if ours and theirs else None
        cells.append(None if moved is None else Formula(formula, moved))
    return tuple(cells)


def _side(held: Json, side: int, row: int) -> list[Cell]:
    unit, price = held["unit_price_usd"] or {}, held["extended_price_usd"]
    parts = "; ".join(part["description"] or part["part"] or "" for part in held["parts"])
    cells: list[Cell] = [parts, held["quantity"], held["spare_quantity"], unit.get("typical")]
    for end in RANGE:
        if price is None:
            cells.append(None)
            continue
        pieces = held["quantity"] + (held["spare_quantity"] or 0)
        follows = end == "typical" and unit and abs(unit["typical"] * pieces - price[end]) < HALF_CENT
        at = {key: f"{_letter(side, key)}{row}" for key in _OF_A_SIDE}
        formula = Formula(f"ROUND({at['unit']}*({at['quantity']}+{at['spares']}),2)", price[end])
        cells.append(formula if follows else price[end])
    return cells


# ---------------------------------------------------------------- totals


def totals_table(result: Json) -> Table:
    """Totals of all priced lines, and of those that every side has a price for."""
    base = LETTERS[result["baseline"]]
    columns = (
        Column("total", "Total", width=26),
        Column("side", "Design or offer", width=34),
        Column("at_least", "At least", width=9),
        *(Column(end, end.capitalize(), "USD", 18, MONEY) for end in RANGE),
        Column("difference", f"Less {base}", "USD", 18, MONEY),
        Column("relative", f"Against {base}", width=12, number_format=SHARE),
    )
    n, last, totals = len(result["items"]), FIRST + len(result["rows"]) - 1, result["totals"]
    rows: list[tuple[Cell, ...]] = []
    for start, key, label in (
        (FIRST, "all_usd", "All lines with a price"),
        (FIRST + n, "same_scope_usd", "On the same scope"),
    ):
        for side, amount in enumerate(totals[key]):
            cells: list[Cell] = [label, _named(result, side), key == "all_usd" and totals["at_least"][side]]
            for end in RANGE:
                letter = _letter(side, end)
                lines = f"{LINES}!${letter}${FIRST}:${letter}${last}"
                scope = f"{LINES}!$C${FIRST}:$C${last}"
                text = f"SUM({lines})" if key == "all_usd" else f"SUMPRODUCT({scope},{lines})"
                cells.append(Formula(text, amount[end]) if result["rows"] else amount[end])
            row, held_against = start + side, totals[key][result["baseline"]]["typical"]
            ours, theirs = f"E{row}", f"E{start + result['baseline']}"
            moved = amount["typical"] - held_against
            cells.append(Formula(f"{ours}-{theirs}", round(moved, 2)))
            cells.append(Formula(f"{ours}/{theirs}-1", moved / held_against) if held_against else None)
            rows.append(tuple(cells))
    return Table(TOTALS, columns, tuple(rows), frozen_columns=2)
