"""Cost of ownership as sheets that compute: change a parameter, a count or a price of the BOM, and every total follows.

The sheets hold the formulas of estimator/cost/model.py, each cell with the value that it has as delivered. Tests compute
them in two other ways and compare.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from designer.exports.sheets.basis import YEARS, Basis, basis_of, failure_row
from designer.exports.sheets.bom import FIRST, bill_column
from designer.exports.sheets.cash import LAST_YEAR, cash_table, cash_values
from designer.exports.sheets.cells import CASH, CASH_SHEETS, PARAMETERS, REPAIRS, Cash, Ledger, cents, parameter_cell
from designer.exports.tables import ANY, COUNT, MONEY, RANGE, Cell, Column, Formula, Shown, Table
from designer.wording.numbers import basis_name
from estimator.bom.lines import FACILITY, NETWORK_CATEGORIES, SERVERS
from estimator.bom.result import BomLine
from estimator.cost.inputs import FAILURE_ROWS, SUPPORT_ROWS
from estimator.result import PricedEstimate
from estimator.units import HOURS_PER_YEAR

ONE_OFF_SHARES = (("freight", "freight-pct"), ("contingency", "contingency-pct"), ("tax", "sales-tax"))
INSTALLED = (("install-node", "nodes"), ("install-cable", "cables"), ("install-rack", "racks"))
LICENCES = (("ufm-node-year", "managed"), ("eth-nos-license-switch", "ethernet"), ("nvaie-gpu-year", "gpus"))
RATE = "#,##0.0000"
MILLIONS_AN_HOUR = 0.0036  # of tokens, for one a second
NOTE = "Change a yellow cell of Parameters, or a price or quantity of the bill of materials: every figure follows."


def cost_sheets(estimate: PricedEstimate) -> dict[str, Table]:
    """The sheets by title; none for an estimate of an older model, which has no cash flow."""
    if not estimate.cost.cash_flow:
        return {}
    basis, ledger = basis_of(estimate), Ledger()
    repairs = _Repairs(basis, estimate)
    _purchase(ledger, basis)
    _one_off(ledger, basis)
    _yearly(ledger, basis)
    cash = {end: cash_values(ledger, basis, repairs.so_far(end), end) for end in RANGE}
    _totals(ledger, basis, cash)
    tables = [
        ledger.table(NOTE),
        *(cash_table(ledger, basis, cash[end], end, len(repairs.rows)) for end in ("typical", "low", "high")),
    ]
    tables += [parameters_table(basis), repairs.table()]
    return {table.title: table for table in tables}


# ---------------------------------------------------------------- parameters

PARAMETER_COLUMNS = (
    Column("name", "Parameter", width=24),
    Column("label", "What it is", width=38),
    *(Column(end, end.capitalize(), width=14, number_format=ANY) for end in RANGE),
    Column("unit", "Unit", width=22),
    Column("basis", "Basis", width=16),
    Column("as_of", "As of", width=12),
    Column("source", "Source", width=60),
)


def parameters_table(basis: Basis) -> Table:
    """Parameters with both ends, then counts, which have one value; yellow cells are there to be changed."""
    rows: list[tuple[Cell, ...]] = [
        (
            name,
            item.label,
            *(Shown(end, is_input=True) for end in (item.low, item.value, item.high)),
            item.unit,
            basis_name(item.basis),
            item.as_of,
            item.source,
        )
        for name, item in basis.parameters.items()
    ]
    for row, fact in enumerate(basis.facts.values(), FIRST + len(rows)):
        same = Formula(f"D{row}", fact.value)
        rows.append(
            (fact.name, fact.label, same, Shown(fact.value, is_input=True), same, fact.unit, "the design", None, None)
        )
    note = "Low and high are the ends of a parameter; the cost's low end takes the one that makes it cheap."
    return Table(PARAMETERS, PARAMETER_COLUMNS, tuple(rows), note=f"{NOTE} {note}", frozen_columns=2)


# ---------------------------------------------------------------- what is paid once


def _amount(basis: Basis, categories: Iterable[str], end: str, with_spares: bool = True) -> tuple[str, float]:
    """Formula and value of what lines of some categories cost at one end; without spares, as installed."""
    n, wanted = len(basis.lines), list(categories)
    is_wanted = "+".join(f'({bill_column("category", n)}="{category}")' for category in wanted)
    price = bill_column(f"unit_price_usd_{end}", n)
    pieces = bill_column("quantity", n)
    if with_spares:
        pieces = f"({pieces}+{bill_column('spare_quantity', n)}-{bill_column('owned_quantity', n)})"
    value = sum(
        getattr(line.unit_price_usd, end) * (line.bought if with_spares else line.quantity)
        for line in basis.lines
        if line.category in wanted and line.unit_price_usd
    )
    return (f"ROUND(SUMPRODUCT(({is_wanted})*{price}*{pieces}),2)", round(value, 2)) if n else ("0", 0.0)


def _purchase(ledger: Ledger, basis: Basis) -> None:
    parts = {
        "servers": ("Servers", SERVERS),
        "network": ("Network", NETWORK_CATEGORIES),
        "facility": ("Racks and cooling", FACILITY),
    }
    for key, (label, categories) in parts.items():
        amounts = {end: _amount(basis, categories, end) for end in RANGE}
        ledger.add(key, "Purchase", label, _first(amounts), _second(amounts), "Σ unit price × pieces bought of the BOM")
    _sum(ledger, "purchase", "Purchase", "Purchase price", list(parts))


def _first(pairs: Mapping[str, tuple[str, float]]) -> Any:
    return lambda end: pairs[end][0]


def _second(pairs: Mapping[str, tuple[str, float]]) -> Any:
    return lambda end: pairs[end][1]


def _sum(ledger: Ledger, key: str, group: str, label: str, parts: list[str], how: str = "") -> None:
    there = [part for part in parts if ledger.has(part)]
    ledger.add(
        key,
        group,
        label,
        lambda end: "+".join(ledger.cell(part, end) for part in there) or "0",
        lambda end: round(sum(ledger.value(part, end) for part in there), 2),
        how,
        is_strong=True,
    )


def _product(
    ledger: Ledger, basis: Basis, key: str, group: str, label: str, factors: list[str], how: str, times: float = 1
) -> None:
    """An item that is a product of parameters and counts, rounded to a cent."""

    def formula(end: str) -> str:
        return f"ROUND({'*'.join(parameter_cell(basis, name, end) for name in factors)}*{times:g},2)"

    def value(end: str) -> float:
        product = times
        for name in factors:
            product *= basis.end(name, end)
        return cents(product)

    ledger.add(key, group, label, formula, value, how)


def _one_off(ledger: Ledger, basis: Basis) -> None:
    group = "One-off"
    for key, row in ONE_OFF_SHARES:
        _share(ledger, basis, key, group, row, "purchase", f"purchase × {row}")
    for row, count in INSTALLED:
        label = basis.label(row)
        _product(ledger, basis, row, group, label, [row, count], f"{row} × {basis.facts[count].label.lower()}")
    if basis.has("design-labour"):
        label = basis.label("design-labour")
        _product(ledger, basis, "design", group, label, ["design-labour"], "once")
    if basis.has("dc-capex-mw"):
        label = basis.label("dc-capex-mw")
        _product(
            ledger, basis, "building", group, label, ["dc-capex-mw", "it-max"], "dc-capex-mw × largest power", 0.001
        )
    parts = [*(key for key, _ in ONE_OFF_SHARES), *(row for row, _ in INSTALLED), "design", "building"]
    _sum(ledger, "one_off", group, "One-off cost", parts)
    _sum(ledger, "outlay", "Year 0", "Outlay", ["purchase", "one_off"])


def _share(ledger: Ledger, basis: Basis, key: str, group: str, row: str, of: str, how: str) -> None:
    ledger.add(
        key,
        group,
        basis.label(row),
        lambda end: f"ROUND({ledger.cell(of, end)}*{parameter_cell(basis, row, end)},2)",
        lambda end: cents(ledger.value(of, end) * basis.end(row, end)),
        how,
    )


# ---------------------------------------------------------------- what every year costs


def _yearly(ledger: Ledger, basis: Basis) -> None:
    group = "Every year"
    energy = ["it-max", "load-factor", "pue"]
    ledger.add(
        "energy",
        group,
        "Energy, kWh",
        lambda end: "*".join(parameter_cell(basis, name, end) for name in energy) + f"*{HOURS_PER_YEAR}",
        lambda end: basis.end(energy[0], end) * basis.end(energy[1], end) * basis.end(energy[2], end) * HOURS_PER_YEAR,
        "largest power × load factor × PUE × 8,760 h",
        COUNT,
    )
    _share(ledger, basis, "electricity", group, "electricity-kwh", "energy", "energy × price of a kWh")
    if basis.has("colo-kw-month"):
        label = basis.label("colo-kw-month")
        _product(ledger, basis, "space", group, label, ["colo-kw-month", "it-max"], "rent × largest power × 12", 12)
    for row, categories in SUPPORT_ROWS.items():
        if basis.has(row):
            _support(ledger, basis, row, categories)
    _sum(ledger, "support", group, "Support", list(SUPPORT_ROWS))
    for row, count in LICENCES:
        if basis.has(row):
            label = basis.label(row)
            _product(ledger, basis, row, group, label, [row, count], f"{row} × {basis.facts[count].label.lower()}")
    _sum(ledger, "licences", group, "Licences", [row for row, _ in LICENCES])
    if basis.has("ops-staff-fte"):
        factors = ["ops-staff-fte", "gpus", "ops-staff-cost"]
        _product(ledger, basis, "staff", group, "Staff", factors, "engineers a 1,000 GPUs × GPUs × cost of one", 0.001)
    parts = ["electricity", "space", "support", "licences", "staff"]
    _sum(
        ledger,
        "yearly",
        group,
        "Running cost a year, without repairs",
        parts,
        "repairs differ by year: see the cash flow",
    )


def _support(ledger: Ledger, basis: Basis, row: str, categories: tuple[str, ...]) -> None:
    amounts = {end: _amount(basis, categories, end, with_spares=False) for end in RANGE}
    ledger.add(
        row,
        "Every year",
        basis.label(row),
        lambda end: f"ROUND({amounts[end][0]}*{parameter_cell(basis, row, end)},2)",
        lambda end: cents(amounts[end][1] * basis.end(row, end)),
        "price of what is installed × share",
    )


# ---------------------------------------------------------------- repairs

REPAIR_COLUMNS = (
    Column("row", "Failure rate", width=14),
    Column("label", "What fails", width=34),
    Column("installed", "Installed", width=12, number_format=COUNT),
    Column("spares", "Spares", width=10, number_format=COUNT),
    *(Column(f"rate_{end}", f"Failures of one a year, {end}", width=16, number_format=ANY) for end in RANGE),
    *(Column(f"price_{end}", f"Mean price, {end}", "USD", 16, MONEY) for end in RANGE),
)


class _Repairs:
    """Classes of parts that fail: how many there are, how often one fails, and what one costs on average."""

    def __init__(self, basis: Basis, estimate: PricedEstimate) -> None:
        self._basis = basis
        by_row: dict[str, list[BomLine]] = {}
        for line in basis.lines:
            row = failure_row(line, estimate)
            if row and basis.has(row):
                by_row.setdefault(row, []).append(line)
        self.rows = {row: by_row[row] for row in FAILURE_ROWS if row in by_row}

    def _installed(self, row: str) -> int:
        return sum(line.quantity for line in self.rows[row])

    def _spares(self, row: str) -> int:
        return sum(line.spare_quantity for line in self.rows[row])

    def _price(self, row: str, end: str) -> float:
        bought = sum(
            getattr(line.unit_price_usd, end) * (line.quantity + line.spare_quantity) for line in self.rows[row]
        )
        return float(bought / (self._installed(row) + self._spares(row)))

    def so_far(self, end: str) -> list[float]:
        """What replacements have cost up to each year, from year 0."""
        out = []
        for year in range(LAST_YEAR + 1):
            time = max(year - self._basis.end("warranty-years", end), 0)
            beyond = {
                row: self._installed(row) * self._basis.end(row, end) * time - self._spares(row) for row in self.rows
            }
            out.append(sum(max(number, 0) * self._price(row, end) for row, number in beyond.items()))
        return out

    def table(self) -> Table:
        """A row a class; the cash flows multiply its columns."""
        n = len(self._basis.lines)
        rows: list[tuple[Cell, ...]] = []
        for number, row in enumerate(self.rows, FIRST):
            mine = f"({bill_column('fails_as', n)}=$A{number})"
            prices = [
                Formula(
                    f"SUMPRODUCT({mine}*{bill_column(f'unit_price_usd_{end}', n)}"
                    f"*({bill_column('quantity', n)}+{bill_column('spare_quantity', n)}))/(C{number}+D{number})",
                    self._price(row, end),
                )
                for end in RANGE
            ]
            rows.append(
                (
                    row,
                    self._basis.label(row),
                    Formula(f"SUMPRODUCT({mine}*{bill_column('quantity', n)})", self._installed(row)),
                    Formula(f"SUMPRODUCT({mine}*{bill_column('spare_quantity', n)})", self._spares(row)),
                    *(Formula(parameter_cell(self._basis, row, end), self._basis.end(row, end)) for end in RANGE),
                    *prices,
                )
            )
        note = "Failures after the warranty, beyond the spares, are replaced at the mean price of the class."
        return Table(REPAIRS, REPAIR_COLUMNS, tuple(rows), note=note, frozen_columns=2)


# ---------------------------------------------------------------- totals


def _cash_column(key: str, end: str, first: int = 1) -> str:
    """Years ``first`` and later of one column of a cash flow."""
    letter = getattr(CASH, key)
    return f"'{CASH_SHEETS[end]}'!${letter}${FIRST + first}:${letter}${FIRST + LAST_YEAR}"


def _totals(ledger: Ledger, basis: Basis, cash: Mapping[str, list[Cash[float]]]) -> None:
    years = int(basis.facts[YEARS].value)
    group = "Total"

    def in_last_year(key: str) -> Any:
        at_years = f"={parameter_cell(basis, 'years', 'typical')}"
        return lambda end: f"SUMPRODUCT(({_cash_column('year', end)}{at_years})*{_cash_column(key, end)})"

    def last(key: str) -> Any:
        return lambda end: getattr(cash[end][years], key)

    ledger.add(
        "tco",
        group,
        "Total cost",
        in_last_year("total"),
        last("total"),
        "outlay + Σ running cost ÷ (1 + r)^y − value left ÷ (1 + r)^years",
        is_strong=True,
    )
    ledger.add(
        "undiscounted",
        group,
        "The same, not discounted",
        lambda end: f"SUM({_cash_column('paid', end, 0)})",
        lambda end: round(sum(row.paid for row in cash[end]), 2),
        "all that is paid, less the value left",
    )
    ledger.add(
        "repairs",
        group,
        "Repairs a year, on average",
        lambda end: f"ROUND(SUM({_cash_column('repairs', end)})/{parameter_cell(basis, 'years', end)},2)",
        lambda end: cents(sum(row.repairs for row in cash[end]) / years),
    )
    ledger.add(
        "hour",
        group,
        "Total cost a GPU-hour in use",
        in_last_year("hour"),
        last("hour"),
        "total ÷ (GPUs × 8,760 h × years × utilization)",
        RATE,
    )
    _per(ledger, basis, "per_gpu", "Purchase a GPU", "purchase", "gpus")
    _per(ledger, basis, "network_per_gpu", "Network a GPU", "network", "gpus")
    if basis.has("bisection"):
        _per(ledger, basis, "per_bisection", "Network a Gb/s of bisection", "network", "bisection")
    _against_rent(ledger, basis, cash)
    if basis.has("tokens"):
        _per_tokens(ledger, basis, years)


def _against_rent(ledger: Ledger, basis: Basis, cash: Mapping[str, list[Cash[float]]]) -> None:
    years, in_use = int(basis.facts[YEARS].value), parameter_cell(basis, "years", "typical")

    def annuity(end: str) -> str:
        return f"SUMPRODUCT(({_cash_column('year', end)}<={in_use})*{_cash_column('factor', end)})"

    def value(end: str) -> float:
        factors = sum(row.factor for row in cash[end][1 : years + 1])
        return round(ledger.value("tco", end) / (_hours_value(basis, end) * factors), 4)

    ledger.add(
        "break_even",
        "Total",
        "Break-even price of a rented GPU-hour",
        lambda end: f"ROUND({ledger.cell('tco', end)}/({_hours(basis, end)}*{annuity(end)}),4)",
        value,
        "total ÷ (GPU-hours a year × Σ 1 ÷ (1 + r)^y)",
        RATE,
    )


def _per_tokens(ledger: Ledger, basis: Basis, years: int) -> None:
    def formula(end: str) -> str:
        in_use, tokens = (parameter_cell(basis, name, end) for name in ("years", "tokens"))
        return f"ROUND({ledger.cell('tco', end)}/({_hours(basis, end)}*{in_use}*{tokens}*{MILLIONS_AN_HOUR}),4)"

    def value(end: str) -> float:
        millions = _hours_value(basis, end) * years * basis.end("tokens", end) * MILLIONS_AN_HOUR
        return round(ledger.value("tco", end) / millions, 4)

    ledger.add("per_tokens", "Total", "Total cost a million tokens", formula, value, "total ÷ tokens", RATE)


def _per(ledger: Ledger, basis: Basis, key: str, label: str, of: str, count: str) -> None:
    ledger.add(
        key,
        "Total",
        label,
        lambda end: f"ROUND({ledger.cell(of, end)}/{parameter_cell(basis, count, end)},2)",
        lambda end: cents(ledger.value(of, end) / basis.end(count, end)),
        f"{of} ÷ {basis.facts[count].label}",
    )


def _hours(basis: Basis, end: str) -> str:
    """GPU-hours in use in a year."""
    return f"{parameter_cell(basis, 'gpus', end)}*{HOURS_PER_YEAR}*{parameter_cell(basis, 'gpu-utilization', end)}"


def _hours_value(basis: Basis, end: str) -> float:
    return basis.end("gpus", end) * HOURS_PER_YEAR * basis.end("gpu-utilization", end)
