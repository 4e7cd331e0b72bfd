"""The cash flow of one end of a cost, year by year, as a sheet that computes; beside it what other lives would cost."""

from xlsxwriter.utility import xl_col_to_name

from designer.exports.sheets.basis import YEARS, Basis
from designer.exports.sheets.bom import FIRST
from designer.exports.sheets.cells import CASH, CASH_SHEETS, REPAIRS, Cash, Ledger, cents, parameter_cell
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
assert tuple(column.key for column in CASH_COLUMNS) == Cash._fields  # noqa: S101 - two lists that must agree


def cash_values(ledger: Ledger, basis: Basis, so_far: list[float], end: str) -> list[Cash[float]]:
    """The numbers of the sheet, a row a year from 0."""
    rate = basis.end("discount-rate", end)
    rows: list[Cash[float]] = []
    paid_so_far = discounted_so_far = used = 0.0
    for year in range(LAST_YEAR + 1):
        factor = 1 / (1 + rate) ** year
        repair = cents(so_far[year] - so_far[year - 1]) if year else 0.0
        running = ledger.value("yearly", end) + repair if year else 0.0
        worth = _worth(ledger, basis, year, end) if year else 0.0
        used += running * factor
        total = cents(ledger.value("outlay", end) + used - worth * factor) if year else 0.0
        hours = basis.end("gpus", end) * HOURS_PER_YEAR * basis.end("gpu-utilization", end) * year
        paid_for = _paid_for(ledger, basis, year, end, repair, worth)
        paid = sum(paid_for.values())
        paid_so_far += paid
        discounted_so_far += paid * factor
        rows.append(
            Cash(
                year=year,
                **paid_for,
                paid=paid,
                cumulative=paid_so_far,
                factor=factor,
                discounted=cents(paid * factor),
                cumulative_discounted=discounted_so_far,
                running=running,
                so_far=so_far[year],
                repair=repair,
                worth=worth,
                total=total,
                hour=round(total / hours, 4) if year else 0.0,
            )
        )
    return rows


def _paid_for(ledger: Ledger, basis: Basis, year: int, end: str, repair: float, worth: float) -> dict[str, float]:
    """What is paid in a year by kind; nothing once the cluster is out of use."""
    years = int(basis.facts[YEARS].value)
    paid = dict.fromkeys(COST_KINDS, 0.0)
    if year == 0:
        return paid | {kind: ledger.value(kind, end) for kind in ONCE}
    if year <= years:
        paid |= {kind: ledger.value(kind, end) for kind in YEARLY} | {"repairs": repair}
    return paid | {"residual": -worth if year == years else 0.0}


def _worth(ledger: Ledger, basis: Basis, year: int, end: str) -> float:
    lost = (1 - basis.end("residual-value", end)) * min(year / basis.end("depreciation-it", end), 1)
    building = 0.0
    if basis.has("dc-depreciation"):
        building = ledger.value("building", end) * (1 - min(year / basis.end("dc-depreciation", end), 1))
    return cents(ledger.value("purchase", end) * (1 - lost) + building)


def cash_table(ledger: Ledger, basis: Basis, values: list[Cash[float]], end: str, n_classes: int) -> Table:
    """The sheet of one end; ``n_classes`` is the number of rows of the sheet of repairs."""
    rows = []
    for year, numbers in enumerate(values):
        formulas = _formulas(ledger, basis, year, end, n_classes)
        cells: list[Cell] = [
            Formula(formula, number) if formula else None for formula, number in zip(formulas, numbers, strict=True)
        ]
        rows.append((year, *cells[1:]))
    note = f"The {end} end. At the left the years of use, at the right what a life of so many years would cost."
    return Table(CASH_SHEETS[end], CASH_COLUMNS, tuple(rows), note=note, frozen_columns=1)


NO_FORMULAS = Cash(*[""] * len(CASH))


def _formulas(ledger: Ledger, basis: Basis, year: int, end: str, n_classes: int) -> Cash[str]:
    """Formulas of one row by column; "" for a column that is empty there."""
    row, before = FIRST + year, FIRST + year - 1
    at = Cash(*(f"{letter}{row}" for letter in CASH))
    out = NO_FORMULAS._replace(
        paid=f"SUM({CASH.servers}{row}:{CASH.residual}{row})", discounted=f"ROUND({at.paid}*{at.factor},2)"
    )
    if year == 0:
        once = {kind: ledger.cell(kind, end) for kind in ONCE}
        return out._replace(**once, cumulative=at.paid, factor="1", cumulative_discounted=at.paid)

    def given(name: str) -> str:
        return parameter_cell(basis, name, end)

    years = given("years")
    yearly = {kind: f"IF({at.year}<={years},{ledger.cell(kind, end)},0)" for kind in YEARLY if ledger.has(kind)}
    used = f"SUMPRODUCT({CASH.running}${FIRST + 1}:{CASH.running}{row},{CASH.factor}${FIRST + 1}:{CASH.factor}{row})"
    hours = f"{given('gpus')}*{HOURS_PER_YEAR}*{given('gpu-utilization')}*{at.year}"
    return out._replace(
        **yearly,
        repairs=f"IF({at.year}<={years},{at.repair},0)",
        residual=f"IF({at.year}={years},-{at.worth},0)",
        cumulative=f"{CASH.cumulative}{before}+{at.paid}",
        factor=f"1/(1+{given('discount-rate')})^{at.year}",
        cumulative_discounted=f"{CASH.cumulative_discounted}{before}+{at.paid}*{at.factor}",
        running=f"{ledger.cell('yearly', end)}+{at.repair}",
        so_far=_replaced(given("warranty-years"), at.year, end, n_classes),
        repair=f"ROUND({at.so_far}-{CASH.so_far}{before},2)",
        worth=_worth_formula(ledger, basis, at.year, end),
        total=f"ROUND({ledger.cell('outlay', end)}+{used}-{at.worth}*{at.factor},2)",
        hour=f"ROUND({at.total}/({hours}),4)",
    )


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
