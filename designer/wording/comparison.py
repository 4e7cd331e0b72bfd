"""A comparison in words: cells of figures and of aligned lines. Numbers become text here, once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
    rounded,
    usd,
    usd_exact,
    usd_range,
    watts,
)
from estimator.compare.lines import OFFER

Json = Mapping[str, Any]
LETTERS = "ABCDEFGH"
BETTER, WORSE, SAME = "better", "worse", "same"
MARKS = {BETTER: "✓", WORSE: "✗", SAME: "≈", "": ""}
TONE_WORDS = {BETTER: "better", WORSE: "worse", SAME: "about the same", "": ""}


def figure_groups(result: Json, order: str) -> list[dict[str, Any]]:
    """The table's rows under the names of their groups, or in one group by the size of their differences."""
    rows = [figure_row(figure, result["baseline"]) | {"group": figure["group"]} for figure in result["figures"]]
    if order == "weight":
        rows.sort(key=lambda row: -row["size"])
        return [{"name": "Largest difference first", "rows": rows}]
    names = list(dict.fromkeys(row["group"] for row in rows))
    return [{"name": name, "rows": [row for row in rows if row["group"] == name]} for name in names]


def figure_row(figure: Json, baseline: int) -> dict[str, Any]:
    """One figure: its value, range and difference on every side."""
    differences = figure["differences"]
    reported = [found for found in differences if found and _tone(found) != SAME]
    sizes = [abs(found["relative"] or 0) for found in reported]
    return {
        "label": figure["label"],
        "key": figure["key"],
        "is_per_gpu": figure["is_per_gpu"],
        "size": max(sizes, default=0.0),
        "is_same": all(found is not None and found["is_about_same"] for found in differences),
        "cells": [_figure_cell(figure, i, is_baseline=i == baseline) for i in range(len(differences))],
    }


def _figure_cell(figure: Json, side: int, is_baseline: bool) -> dict[str, Any]:
    value, unit, difference = figure["values"][side], figure["unit"], figure["differences"][side]
    tone = "" if is_baseline else _tone(difference)
    return {
        "text": MISSING if value is None else _value_text(value["typical"], unit, figure["texts"][side]),
        "at_least": figure["at_least"][side],
        "range": "" if value is None or value["low"] == value["high"] else _range_text(value, unit),
        "difference": "" if is_baseline else _difference_text(figure, difference, value),
        "tone": tone,
        "mark": MARKS[tone],
        "tone_words": TONE_WORDS[tone],
        "is_baseline": is_baseline,
        "is_best": side in figure["best"],
    }


def _tone(difference: Json | None) -> str:
    if difference is None:
        return ""
    if difference["is_about_same"] or difference.get("is_undecided"):
        return SAME
    return "" if difference["is_better"] is None else BETTER if difference["is_better"] else WORSE


def _value_text(value: float, unit: str, text: str | None = None) -> str:
    match unit:
        case "count":
            return count(value)
        case "usd":
            return usd(value)
        case "usd_hour":
            return f"${rounded(value)}"
        case "w":
            return watts(value)
        case "gbit_s":
            return gbit_s(value)
        case "gb_s":
            return gb_s(value)
        case "ratio":
            return text if text and text.endswith(":1") else f"{decimal(value)}:1"
    return computed(value)


def _range_text(value: Json, unit: str) -> str:
    low, high = (_value_text(value[end], unit) for end in ("low", "high"))
    return low if low == high else f"{low} to {high}"


def _difference_text(figure: Json, difference: Json | None, value: Json | None) -> str:
    """The signed difference, and its share: "−24 (−50.0 %)". Where clusters differ in size, the share for each GPU."""
    if difference is None:
        return "" if value is None else "not compared"
    share, absolute = difference["relative"], difference["absolute"]
    if absolute == 0:
        return "the same"
    relative = "" if share is None else f"{'+' if share > 0 else ''}{percent(share, 2)}"
    if figure["is_per_gpu"]:
        return f"{relative} a GPU" if relative else ""
    if figure["unit"] == "count":
        return f"{change(absolute)} ({relative})" if relative else change(absolute)
    if figure["unit"] == "usd":
        return f"{change_usd(absolute)} ({relative})" if relative else change_usd(absolute)
    return relative


def line_rows(result: Json, order: str) -> list[dict[str, Any]]:
    """Aligned rows, each with its parts below it where it has several."""
    rows = [_line_row(row, result) for row in result["rows"]]
    if order == "weight":
        rows.sort(key=lambda row: -row["size"])
    return rows


def _line_row(row: Json, result: Json) -> dict[str, Any]:
    moved = [
        abs(found["extended_price_usd"]["absolute"]) for found in row["differences"] if found["extended_price_usd"]
    ]
    return {
        "key": row["key"],
        "label": row["label"],
        "is_same": row["is_same"],
        "is_in_scope": row["is_in_scope"],
        "size": max(moved, default=0.0),
        "cells": _line_cells(row, result),
        "parts": [
            {"label": part["label"], "is_same": part["is_same"], "cells": _line_cells(part, result)}
            for part in row["parts"]
        ],
    }


def _line_cells(row: Json, result: Json) -> list[dict[str, Any]]:
    baseline, has_base = result["baseline"], row["sides"][result["baseline"]] is not None
    return [
        _line_cell(cell, difference, i == baseline, result["items"][i]["kind"] == OFFER, has_base)
        for i, (cell, difference) in enumerate(zip(row["sides"], row["differences"], strict=True))
    ]


def _line_cell(
    cell: Json | None, difference: Json, is_baseline: bool, is_offer: bool, has_base: bool
) -> dict[str, Any]:
    if cell is None:
        reported = "" if is_baseline or not has_base else _line_difference(difference, has_base)
        return {
            "is_missing": True,
            "words": "not offered" if is_offer else "none",
            "is_baseline": is_baseline,
            "difference": "" if is_offer else reported,
        }
    unit, price = cell["unit_price_usd"], cell["extended_price_usd"]
    names = [part["description"] or part["part"] or "" for part in cell["parts"]]
    price_change = difference["extended_price_usd"]
    moved = price_change["absolute"] if price_change else 0
    tone = "" if is_baseline or not moved else WORSE if moved > 0 else BETTER
    return {
        "is_missing": False,
        "is_baseline": is_baseline,
        "part": names[0] if len(names) == 1 else f"{len(names)} parts",
        "quantity": count(cell["quantity"]),
        "spares": count(cell["spare_quantity"]) if cell["spare_quantity"] else "",
        "unit": "" if unit is None else ("mean " if cell["unit_is_mean"] else "") + usd_exact(unit["typical"]),
        "price": "no price" if price is None else usd(price["typical"]),
        "range": usd_range(price) if price and price["low"] != price["high"] else "",
        "power": watts(cell["power_w"]) if cell["power_w"] else "",
        "difference": "" if is_baseline else _line_difference(difference, has_base),
        "tone": tone,
        "mark": MARKS[tone],
        "tone_words": {BETTER: "lower", WORSE: "higher"}.get(tone, ""),
    }


def _line_difference(difference: Json, has_base: bool) -> str:
    """Change in quantity and in price; for each GPU where clusters differ in size."""
    if not has_base:
        return "only here"
    if "per_gpu" in difference:
        share = difference["per_gpu"]["extended_price_usd"]
        if share is None:
            share = difference["per_gpu"]["quantity"]
        return "" if share is None else "the same a GPU" if abs(share) < 0.0005 else f"{_signed_percent(share)} a GPU"
    n, price = difference["quantity"]["absolute"], difference["extended_price_usd"]
    reported = [change(n)] if n else []
    if price and price["absolute"]:
        reported.append(change_usd(price["absolute"]))
    return ", ".join(reported) or "the same"


def _signed_percent(share: float) -> str:
    return f"{'+' if share > 0 else ''}{percent(share, 2)}"


def total_rows(result: Json) -> list[dict[str, Any]]:
    """Totals of all priced lines and, where they hold not the same, on the same scope."""
    totals, baseline = result["totals"], result["baseline"]
    every = [
        {
            "text": usd(value["typical"]),
            "range": usd_range(value),
            "at_least": totals["at_least"][i],
            "difference": "",
            "tone": "",
            "is_baseline": i == baseline,
        }
        for i, value in enumerate(totals["all_usd"])
    ]
    same = [_total_cell(totals, i, baseline, result["is_per_gpu"]) for i in range(len(every))]
    if not totals["left_out"]:
        return [{"label": "Total", "cells": same}]
    return [{"label": "All lines with a price", "cells": every}, {"label": "Total on the same scope", "cells": same}]


def _total_cell(totals: Json, side: int, baseline: int, is_per_gpu: bool) -> dict[str, Any]:
    value, difference = totals["same_scope_usd"][side], totals["differences"][side]
    moved = difference["absolute"]
    is_compared = side != baseline and not is_per_gpu
    share = "" if difference["relative"] is None else f" ({_signed_percent(difference['relative'])})"
    tone = "" if not is_compared or not moved else WORSE if moved > 0 else BETTER
    reported = "the same" if not moved else f"{change_usd(moved)}{share}"
    return {
        "text": usd(value["typical"]),
        "range": usd_range(value),
        "at_least": False,
        "tone": tone,
        "mark": MARKS[tone],
        "tone_words": {BETTER: "lower", WORSE: "higher"}.get(tone, ""),
        "is_baseline": side == baseline,
        "difference": reported if is_compared else "",
    }
