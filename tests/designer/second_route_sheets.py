"""CSV files and workbooks of an Estimate, read back by openpyxl and the standard library, and held against it cell by cell.

Nothing here knows how the files are written: sums are added up afresh from the Estimate's lines in whole cents, and every
other cell has to be the figure of the Estimate that its header names.
"""

import csv
import io
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import openpyxl

from tests.designer.spreadsheet import Workbook

Json = Mapping[str, Any]
Cells = dict[str, list[tuple[Any, ...]]]  # rows of a sheet by its title
RANGE = ("low", "typical", "high")
ORIGIN = {
    "design": ("spec", "name"),
    "spec_hash": ("spec_hash",),
    "model_version": ("versions", "model"),
    "catalog_version": ("versions", "catalog"),
}
BILL = {  # header of the workbook's bill → where its line has the same; the CSV has the same columns by key
    "Line": "line",
    "Network": "fabric",
    "Category": "category",
    "Use": "use",
    "Part": "part",
    "Part number": "part_number",
    "Description": "description",
    "Length (m)": "length_m",
    "Quantity": "quantity",
    "Spares": "spare_quantity",
    "Already owned": "owned_quantity",
    **{f"Unit price, {end} (USD)": f"unit_price_usd.{end}" for end in RANGE},
    **{f"Price, {end} (USD)": f"extended_price_usd.{end}" for end in RANGE},
    "Basis of price": "price_basis",
    "Assumed": "assumption",
    "What set the price": "price_rule",
    "Source of price": "price_source",
    "Note on price": "price_note",
    "Power (W)": "power_w",
}
BASES = {
    "list": "list price",
    "quote": "quotation",
    "seed": "planning anchor",
    "request": "set in the design",
}  # others: the key
LEDGER = {  # item of the sheet of cost → where the Estimate has the same
    "Servers": "capex_usd.servers",
    "Network": "capex_usd.network",
    "Racks and cooling": "capex_usd.facility",
    "Purchase price": "capex_usd.total",
    "One-off cost": "one_off_usd.total",
    "Outlay": "outlay_usd",
    "Energy, kWh": "energy_kwh_per_year",
    "Support": "opex_usd_per_year.support",
    "Licences": "opex_usd_per_year.licences",
    "Staff": "opex_usd_per_year.staff",
    "Repairs a year, on average": "opex_usd_per_year.repairs",
    "Total cost": "tco_usd",
    "The same, not discounted": "tco_undiscounted_usd",
    "Total cost a GPU-hour in use": "usd_per_gpu_hour",
    "Purchase a GPU": "usd_per_gpu",
    "Network a GPU": "network_usd_per_gpu",
    "Network a Gb/s of bisection": "usd_per_gbit_s_bisection",
    "Total cost a million tokens": "usd_per_million_tokens",
    "Break-even price of a rented GPU-hour": "rent.break_even_usd_per_gpu_hour",
}
KINDS = {  # kind of a year's cost → its name in the workbook
    "servers": "Servers",
    "network": "Network",
    "facility": "Racks and cooling",
    "one_off": "One-off cost",
    "electricity": "Electricity",
    "space": "Space",
    "support": "Support",
    "licences": "Licences",
    "staff": "Staff",
    "repairs": "Repairs",
    "residual": "Value left",
}
YEAR_SUMS = {
    "total_usd": "Paid in the year (USD)",
    "discounted_usd": "Paid, discounted (USD)",
    "cumulative_usd": "Paid so far (USD)",
    "cumulative_discounted_usd": "So far, discounted (USD)",
}
CASH = {"low": "Cash flow, low", "typical": "Cash flow", "high": "Cash flow, high"}
POINT_TO_POINT = {  # header of the sheet for UFM's Cable Validation Tool → column of the link list
    "A-Node Name": "a_device",
    "A-Cage": "a_cage",
    "A-Interface": "a_port",
    "Z-Node Name": "b_device",
    "Z-Cage": "b_cage",
    "Z-Interface": "b_port",
    "Rail": "rail",
    "Plane": "plane",
    "Rate (Gb/s)": "rate_gbit_s",
    "Media": "media",
    "Length (m)": "length_m",
    "Part": "part",
    "Part Description": "part_name",
    "A-Transceiver Description": "a_transceiver_name",
    "Z-Transceiver Description": "b_transceiver_name",
}
CENT, OF_A_RATE, HALF_A_KWH = 0.0051, 1.1e-4, 0.06
TIE = 0.0101  # half a cent exactly may fall either way: the model counts in binary, a spreadsheet in fifteen digits
_SERVER_WORD = re.compile(r"(?i)(?<![\w.])(?:node|server|tray)(s?)(?![\w-])")


def at(values: Any, path: str) -> Any:
    """What stands at a dotted path; None where the path ends early."""
    for key in path.split("."):
        values = values.get(key) if isinstance(values, Mapping) else None
    return values


def in_one_word(text: str) -> str:
    """Text in which servers, nodes and trays are one word: files say trays where the servers are trays of a rack."""
    return _SERVER_WORD.sub(r"node\1", text).lower()


def cents(usd: float) -> int:
    """Dollars to whole cents."""
    return round(usd * 100)


def is_near(found: Any, said: Any, within: float) -> bool:
    """Whether a cell holds a figure; an empty cell holds nothing, which is 0."""
    return math.isclose(float(found or 0), float(said or 0), rel_tol=0, abs_tol=within)


# ---------------------------------------------------------------- CSV


def csv_differences(estimate: Json, bill: bytes, cost: bytes) -> Iterator[str]:
    """Bill and cash flow as CSV."""
    lines, years = estimate["bom"]["lines"], estimate["cost"]["cash_flow"]
    bill_keys = [path.replace(".", "_") for path in BILL.values()]
    sums = [f"{key}_{end}" for key in YEAR_SUMS for end in RANGE]
    yield from _csv(estimate, bill, "bill", lines, dict(zip(bill_keys, BILL.values(), strict=True)))
    cost_paths = {f"{kind}_usd": f"usd.{kind}" for kind in KINDS} | {key: ".".join(key.rsplit("_", 1)) for key in sums}
    yield from _csv(estimate, cost, "cost", years, {"year": "year", **cost_paths})


def _csv(estimate: Json, content: bytes, name: str, wanted: Sequence[Json], paths: Mapping[str, str]) -> Iterator[str]:
    rows = list(csv.DictReader(io.StringIO(content.decode(), newline=""), strict=True))
    if len(rows) != len(wanted):
        yield f"{name}, CSV: {len(rows)} rows for {len(wanted)}"
        return
    if rows and list(rows[0]) != [*paths, *ORIGIN]:
        yield f"{name}, CSV: columns {list(rows[0])}"
        return
    origin = {key: at(estimate, ".".join(path)) for key, path in ORIGIN.items()}
    for number, (row, said) in enumerate(zip(rows, wanted, strict=True), 1):
        for key, cell in row.items():
            value = origin[key] if key in origin else at(said, paths[key])
            if not _is_text_of(cell, value):
                yield f"{name}, CSV: row {number} has {cell!r} as {key}, the estimate {value!r}"


def _is_text_of(cell: str, value: Any) -> bool:
    if isinstance(value, bool):
        return cell == str(value).lower()
    if isinstance(value, (int, float)):
        return bool(cell) and float(cell) == value
    return cell.removeprefix("'") == (value or "").removeprefix("'")


# ---------------------------------------------------------------- workbooks


def cells_of(content: bytes) -> Cells:
    """Every sheet's rows with the values that came with the file."""
    book = openpyxl.load_workbook(io.BytesIO(content), data_only=True, read_only=True)
    try:
        return {sheet.title: [tuple(row) for row in sheet.iter_rows(values_only=True)] for sheet in book}
    finally:
        book.close()


def workbook_differences(estimate: Json, cells: Cells) -> Iterator[str]:
    """The workbook with bill, totals, cost, cash flow, chances, and the design's own figures."""
    yield from _bill(estimate, cells["Bill of materials"])
    yield from _totals(estimate, cells["Totals"])
    yield from _ledger(estimate["cost"], cells["Cost"])
    yield from _cash(estimate["cost"], cells)
    yield from _chance(estimate["cost"], cells)
    yield from _design(estimate, cells["Design"])


def formula_differences(content: bytes, cells: Cells) -> Iterator[str]:
    """Every formula, computed afresh, gives the value that came with it."""
    book = openpyxl.load_workbook(io.BytesIO(content))
    formulas = Workbook(book).formulas()
    if not formulas:
        yield "workbook: no formula in it"
    for sheet, place, value in formulas:
        row, column = openpyxl.utils.cell.coordinate_to_tuple(place)
        held = cells[sheet][row - 1][column - 1]
        is_same = value == held if isinstance(held, str) else is_near(value, held, CENT if abs(held) > 2 else 1e-9)
        if not is_same:
            yield f"workbook: {sheet}!{place} comes to {value}, and {held} came with it"


def _is_cell(found: Any, said: Any) -> bool:
    if isinstance(said, str) or isinstance(found, str):
        return in_one_word(str(found or "")) == in_one_word(str(said or ""))
    if isinstance(found, float) and isinstance(said, float):
        return math.isclose(found, said, rel_tol=1e-14)  # a workbook keeps sixteen digits
    return bool(found == said)


def _bill(estimate: Json, rows: Sequence[tuple[Any, ...]]) -> Iterator[str]:
    lines, header = estimate["bom"]["lines"], rows[0]
    if list(header) != [*BILL, "Failure rate"]:
        yield f"bill, workbook: columns {header}"
        return
    if len(rows) != len(lines) + 2:
        yield f"bill, workbook: {len(rows) - 2} rows for {len(lines)} lines"
        return
    sums: Counter[str] = Counter()
    for line, row in zip(lines, rows[1:], strict=False):
        found = dict(zip(header, row, strict=True))
        for title, path in BILL.items():
            said = at(line, path)
            if path == "price_basis" and said:
                said = BASES.get(said, said.replace("_", " "))
            if not _is_cell(found[title], said):
                yield f"bill, workbook: line {line['line']} has {found[title]!r} as {title}, not {said!r}"
        for end in RANGE:
            if found[f"Unit price, {end} (USD)"] is not None:
                pieces = found["Quantity"] + found["Spares"] - found["Already owned"]
                sums[f"Price, {end} (USD)"] += cents(found[f"Unit price, {end} (USD)"]) * pieces
    last = dict(zip(header, rows[-1], strict=True))
    for title, amount in sums.items():
        if cents(last[title] or 0) != amount:
            yield f"bill, workbook: {title} adds up to {amount} cents, its last row is {last[title]}"
    if not is_near(last["Power (W)"], sum(line["power_w"] or 0 for line in lines), 0.001):
        yield f"bill, workbook: power adds up to {last['Power (W)']}"
    if ("at least" in last["Description"]) != any(line["unit_price_usd"] is None for line in lines):
        yield f"bill, workbook: its last row is called {last['Description']}"


def _totals(estimate: Json, rows: Sequence[tuple[Any, ...]]) -> Iterator[str]:
    """Network and category: lines, pieces, spares, low, typical and high amount in cents."""
    wanted: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0] * 6)
    for line in estimate["bom"]["lines"]:
        pieces, price = line["quantity"] + line["spare_quantity"], line["unit_price_usd"]
        amounts = [cents(price[end]) * (pieces - line["owned_quantity"]) if price else 0 for end in RANGE]
        group = wanted[line["fabric"], line["category"]]
        group[:] = [a + b for a, b in zip(group, (1, pieces, line["spare_quantity"], *amounts), strict=True)]
    whole = [sum(group[i] for group in wanted.values()) for i in range(6)]
    body, last = rows[1 : len(wanted) + 1], rows[len(wanted) + 1]

    def counted(row: tuple[Any, ...]) -> list[int]:
        return [*(int(cell) for cell in row[3:6]), *(cents(cell) for cell in row[6:9])]

    if (found := {(row[0], row[1]): counted(row) for row in body}) != dict(wanted):
        yield f"totals, workbook: {found}, by lines {dict(wanted)}"
    if last[2] != "Total" or counted(last) != whole:
        yield f"totals, workbook: {last}, by lines {whole}"
    for row in body:
        if not is_near(row[9], wanted[row[0], row[1]][4] / whole[4] if whole[4] else 0, 1e-9):
            yield f"totals, workbook: {row[1]} of {row[0]} is {row[9]} of the whole"


def _ledger(cost: Json, rows: Sequence[tuple[Any, ...]]) -> Iterator[str]:
    found = {in_one_word(row[1]): row[2:5] for row in rows[1:] if row[1]}
    for item, path in LEDGER.items():
        said, key = at(cost, path), in_one_word(item)
        if key not in found:
            if said and any(said.values()):
                yield f"cost, workbook: {item} is missing"
            continue
        within = HALF_A_KWH if "kWh" in item else OF_A_RATE if "GPU-hour" in item or "tokens" in item else TIE
        for end, cell in zip(RANGE, found[key], strict=True):
            if not is_near(cell, (said or {}).get(end), within):
                yield f"cost, workbook: {item}, {end}, is {cell}, in the estimate {said}"


def _cash(cost: Json, cells: Cells) -> Iterator[str]:
    kinds = [f"{title} (USD)" for title in KINDS.values()]  # in words for servers; the header may say trays
    header = ["Year", *kinds, *cells[CASH["typical"]][0][len(KINDS) + 1 :]]
    if [in_one_word(str(title)) for title in cells[CASH["typical"]][0]] != [in_one_word(title) for title in header]:
        yield f"cash flow, workbook: columns {cells[CASH['typical']][0]}"
        return
    sheets = {end: [dict(zip(header, row, strict=True)) for row in cells[title][1:17]] for end, title in CASH.items()}
    for row in cost["cash_flow"]:
        year, here = row["year"], {end: rows[row["year"]] for end, rows in sheets.items()}
        for kind, title in KINDS.items():
            cell, said = here["typical"][f"{title} (USD)"], row["usd"].get(kind)
            if not is_near(cell, said, TIE):
                yield f"cash flow, workbook: {title} of year {year} is {cell}, not {said}"
        for key, title in YEAR_SUMS.items():
            ends = [float(here[end][title] or 0) for end in RANGE]
            found = [min(ends), ends[1], max(ends)]  # of the three cases, which may come out in another order
            if not all(is_near(cell, row[key][end], TIE) for cell, end in zip(found, RANGE, strict=True)):
                yield f"cash flow, workbook: {title} of year {year} is {found}, not {row[key]}"
    after = cost["tco_years"] + 1
    if any(row["Paid in the year (USD)"] for rows in sheets.values() for row in rows[after:]):
        yield "cash flow, workbook: something is paid after the last year"
    for row in cost["by_years"]:
        for end in RANGE:
            here_ = sheets[end][row["years"]]
            total, hour = here_["Total cost if used so long (USD)"], here_["A GPU-hour if used so long (USD)"]
            if not (
                is_near(total, row["tco_usd"][end], TIE) and is_near(hour, row["usd_per_gpu_hour"][end], OF_A_RATE)
            ):
                yield f"cash flow, workbook: {row['years']} years come to {total} and {hour} an hour, {end}, not {row}"


def _chance(cost: Json, cells: Cells) -> Iterator[str]:
    drawn = cost.get("uncertainty")
    if bool(drawn) != ("Uncertainty" in cells):
        yield "chance, workbook: draws without a sheet, or a sheet without draws"
    if not drawn:
        return
    names = {"capex_usd": "Purchase", "tco_usd": "Total cost", "usd_per_gpu_hour": "Total cost a GPU-hour"}
    found = {(row[0], row[2]): row[3] for row in cells["Uncertainty"][1:]}
    wanted = {(names[key], name): value for key, figure in drawn["figures"].items() for name, value in figure.items()}
    for bar in drawn["tornado"]:
        wanted |= {("Total cost, alone moved by", bar[end]): None for end in ("low", "high")}
    for key, value in wanted.items():
        if key not in found or (value is not None and found[key] != value):
            yield f"chance, workbook: {key} is {found.get(key)}, in the estimate {value}"


def _design(estimate: Json, rows: Sequence[tuple[Any, ...]]) -> Iterator[str]:
    """Counts, cost and power a row each, the cells of nested figures by dotted names."""
    found = {(row[0], row[1]): row[2] for row in rows[1:]}
    parts = {f"Network {role}": fabric for role, fabric in estimate["fabrics"].items()}
    parts["Power"] = {key: value for key, value in estimate["power"].items() if key != "assumptions"}
    parts["Cost"] = {key: value for key, value in estimate["cost"].items() if key != "assumptions"}
    parts["Spec"] = estimate["spec"]
    for section, values in parts.items():
        for key, value in _leaves(values, ""):
            if (section, key) not in found or not _is_cell(found[section, key], value):
                yield f"design, workbook: {section}, {key} is {found.get((section, key))!r}, in the estimate {value!r}"


def _leaves(values: Any, path: str) -> Iterator[tuple[str, Any]]:
    items = values.items() if isinstance(values, Mapping) else enumerate(values, 1) if isinstance(values, list) else ()
    if not items and isinstance(values, (Mapping, list)):
        yield path, None
    elif not isinstance(values, (Mapping, list)):
        yield path, values
    for key, value in items:
        yield from _leaves(value, f"{path}.{key}" if path else str(key))


# ---------------------------------------------------------------- link lists


def link_sheet_differences(listed: Sequence[Mapping[str, str]], content: bytes) -> Iterator[str]:
    """The point-to-point sheets of one network against its list as CSV, a row a link."""
    rows = [dict(zip(sheet[0], row, strict=True)) for sheet in cells_of(content).values() for row in sheet[1:]]
    found = {str(row["Link"]): row for row in rows}
    if len(rows) != len(listed) or set(found) != {row["link"] for row in listed}:
        yield f"links, workbook: {len(rows)} rows for {len(listed)} links"
        return
    for link in listed:
        row = found[link["link"]]
        for title, key in POINT_TO_POINT.items():
            if not _is_list_cell(row[title], link[key]):
                yield f"links, workbook: {link['link']} has {row[title]!r} as {title}, the list {link[key]!r}"
        cables = " ".join(part for part in (link["cable"], link["further_cables"]) if part)
        if str("" if row["Cable"] is None else row["Cable"]) != cables:
            yield f"links, workbook: {link['link']} goes by {row['Cable']}, in the list by {cables}"


def _is_list_cell(found: Any, listed: str) -> bool:
    return float(listed) == found if isinstance(found, (int, float)) else (found or "") == listed
