"""The cash flow of one end of a cost, year by year, as a sheet that computes; beside it what other lives would cost."""

from xlsxwriter.utility import xl_col_to_name

from designer.exports.sheets.basis import Basis
from designer.exports.sheets.bom import FIRST
from designer.exports.sheets.cells import CASH, CASH_SHEETS, REPAIRS, Ledger, cents, parameter_cell
from designer.exports.tables import COUNT, MONEY, RANGE, Cell, Column, Formula, Table
from designer.wording.names import COST_KINDS
from estimator.units import HOURS_PER_YEAR

LAST_YEAR = 15  # as many as a request may ask for
AMOUNT = '#,##0.00;-#,##0.00;"–"'
ONCE = ("servers", "network", "facility", "one_off")
YEARLY = ("electricity", "space", "support", "licences", "staff")
CASH_COLUMNS = (
    Column("year", "Year", width=6, number_format=COUNT),
    *(Column(kind, name, "USD", 16, AMOUNT) for kind, name in COST_KINDS.items()),
    Column("paid", "Paid in the year", "USD", 17, AMOUNT),
    Column("cumulative", "Paid so far", "USD", 17, MONEY),
    Column("factor", "Discount factor", width=12, number_format="0.000000"),
    Column("discounted", "Paid, discounted", "USD", 17, AMOUNT),
    Column("cumulative_discounted", "So far, discounted", "USD", 17, MONEY),
    Column("running", "Running cost if still in use", "USD", 17, AMOUNT),
    Column("so_far", "Replacements so far", "USD", 16, AMOUNT),
    Column("repair", "Repairs if still in use", "USD", 16, AMOUNT),
    Column("worth", "Value left if used so long", "USD", 17, AMOUNT),
    Column("total", "Total cost if used so long", "USD", 18, AMOUNT),
    Column("hour", "A GPU-hour if used so long", "USD", 14, '0.0000;-0.0000;"–"'),
)
assert [column.key for column in CASH_COLUMNS] == list(CASH)  # noqa: S101 - two lists that must agree


def cash_values(ledger: Ledger, basis: Basis, so_far: list[float], end: str) -> list[dict[str, float]]:
    """The numbers of the sheet, a row a year from 0."""
    years, rate = int(basis.facts["years"].value), basis.end("discount-rate", end)
    rows: list[dict[str, float]] = []
    paid_so_far = discounted_so_far = used = 0.0
    for year in range(LAST_YEAR + 1):
        row = dict.fromkeys(CASH, 0.0) | {"year": year, "so_far": so_far[year], "factor": 1 / (1 + rate) ** year}
        if year == 0:
            row |= {kind: ledger.value(kind, end) for kind in ONCE}
        else:
            row["repair"] = cents(so_far[year] - so_far[year - 1])
            row["running"] = ledger.value("yearly", end) + row["repair"]
            row["worth"] = _worth(ledger, basis, year, end)
            used += row["running"] * row["factor"]
            row["total"] = cents(ledger.value("outlay", end) + used - row["worth"] * row["factor"])
            hours = basis.end("gpus", end) * HOURS_PER_YEAR * basis.end("gpu-utilization", end) * year
            row["hour"] = round(row["total"] / hours, 4)
            if year <= years:
                row |= {kind: ledger.value(kind, end) for kind in YEARLY} | {"repairs": row["repair"]}
            row["residual"] = -row["worth"] if year == years else 0.0
        row["paid"] = sum(row[kind] for kind in COST_KINDS)
        paid_so_far += row["paid"]
        discounted_so_far += row["paid"] * row["factor"]
        row |= {
            "cumulative": paid_so_far,
            "discounted": cents(row["paid"] * row["factor"]),
            "cumulative_discounted": discounted_so_far,
        }
        rows.append(row)
    return rows


def _worth(ledger: Ledger, basis: Basis, year: int, end: str) -> float:
    lost = (1 - basis.end("residual-value", end)) * min(year / basis.end("depreciation-it", end), 1)
    building = 0.0
    if basis.has("dc-depreciation"):
        building = ledger.value("building", end) * (1 - min(year / basis.end("dc-depreciation", end), 1))
    return cents(ledger.value("purchase", end) * (1 - lost) + building)


def cash_table(ledger: Ledger, basis: Basis, values: list[dict[str, float]], end: str, n_classes: int) -> Table:
    """The sheet of one end; ``n_classes`` is the number of rows of the sheet of repairs."""
    rows = []
    for year, numbers in enumerate(values):
        formulas = _formulas(ledger, basis, year, end, n_classes)
        cells: list[Cell] = [
            Formula(formulas[key], numbers[key]) if key in formulas else (year if key == "year" else None)
            for key in CASH
        ]
        rows.append(tuple(cells))
    note = f"The {end} end. At the left the years of use, at the right what a life of so many years would cost."
    return Table(CASH_SHEETS[end], CASH_COLUMNS, tuple(rows), note=note, frozen_columns=1)


def _formulas(ledger: Ledger, basis: Basis, year: int, end: str, n_classes: int) -> dict[str, str]:
    """Formulas of one row by column; a column that has none there is empty."""
    row, before = FIRST + year, FIRST + year - 1
    at = {key: f"{letter}{row}" for key, letter in CASH.items()}
    kinds = f"{CASH['servers']}{row}:{CASH['residual']}{row}"
    out = {"paid": f"SUM({kinds})", "discounted": f"ROUND({at['paid']}*{at['factor']},2)"}
    if year == 0:
        out |= {kind: ledger.cell(kind, end) for kind in ONCE}
        return out | {"cumulative": at["paid"], "factor": "1", "cumulative_discounted": at["paid"]}

    def given(name: str) -> str:
        return parameter_cell(basis, name, end)

    years = given("years")
    out |= {kind: f"IF({at['year']}<={years},{ledger.cell(kind, end)},0)" for kind in YEARLY if ledger.has(kind)}
    out |= {
        "repairs": f"IF({at['year']}<={years},{at['repair']},0)",
        "residual": f"IF({at['year']}={years},-{at['worth']},0)",
        "cumulative": f"{CASH['cumulative']}{before}+{at['paid']}",
        "factor": f"1/(1+{given('discount-rate')})^{at['year']}",
        "cumulative_discounted": f"{CASH['cumulative_discounted']}{before}+{at['paid']}*{at['factor']}",
        "running": f"{ledger.cell('yearly', end)}+{at['repair']}",
        "so_far": _replaced(given("warranty-years"), at["year"], end, n_classes),
        "repair": f"ROUND({at['so_far']}-{CASH['so_far']}{before},2)",
        "worth": _worth_formula(ledger, basis, at["year"], end),
    }
    running, factor = (f"{CASH[key]}${FIRST + 1}:{CASH[key]}{row}" for key in ("running", "factor"))
    used = f"SUMPRODUCT({running},{factor})"
    out["total"] = f"ROUND({ledger.cell('outlay', end)}+{used}-{at['worth']}*{at['factor']},2)"
    hours = f"{given('gpus')}*{HOURS_PER_YEAR}*{given('gpu-utilization')}*{at['year']}"
    return out | {"hour": f"ROUND({at['total']}/({hours}),4)"}


def _replaced(warranty: str, year: str, end: str, n_classes: int) -> str:
    """Σ over classes of (failures since the warranty ended − spares, if above 0) × mean price."""
    if not n_classes:
        return "0"

    def column(letter: str) -> str:
        return f"{REPAIRS}!${letter}${FIRST}:${letter}${FIRST + n_classes - 1}"

    at = RANGE.index(end)
    beyond = f"{column('C')}*{column(xl_col_to_name(4 + at))}*MAX({year}-{warranty},0)-{column('D')}"
    return f"SUMPRODUCT((({beyond})>0)*({beyond})*{column(xl_col_to_name(7 + at))})"


def _worth_formula(ledger: Ledger, basis: Basis, year: str, end: str) -> str:
    life, left = (parameter_cell(basis, name, end) for name in ("depreciation-it", "residual-value"))
    worth = f"{ledger.cell('purchase', end)}*(1-(1-{left})*MIN({year}/{life},1))"
    if basis.has("dc-depreciation"):
        worth += f"+{ledger.cell('building', end)}*(1-MIN({year}/{parameter_cell(basis, 'dc-depreciation', end)},1))"
    return f"ROUND({worth},2)"
