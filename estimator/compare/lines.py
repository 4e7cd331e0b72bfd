"""Bills of several designs or offers, aligned by what a part is for: one row a fabric, function, role and tier.

A row holds every line that serves one purpose, whatever part each side has for it, so that a line stands in one row only
and rows add up to the totals. Money is US cents until it is printed. docs/comparison.md tells the rules.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from estimator.bom.lines import (
    CABLE,
    CATEGORIES,
    COOLING,
    FIBER,
    MANAGEMENT,
    MODULE,
    NIC,
    PANEL,
    RACK,
    RACK_SYSTEM,
    SERVER,
    SWITCH,
)
from estimator.catalog.ports import COMPUTE
from estimator.compare.kept import KeptLine
from estimator.compare.request import OfferLine, OfferPrice
from estimator.compare.result import AlignedRow, Change, ComparedPart, Kind, PartRow, RowDifference, RowPerGpu, RowSide
from estimator.ranges import NOTHING, Range, in_usd, total_of
from estimator.units import CENTS_PER_USD

DESIGN: Kind = "design"
OFFER: Kind = "offer"
FUNCTION_OF = {FIBER: CABLE}  # fibre and finished cables do the same: they join two ends
FUNCTIONS = tuple(dict.fromkeys(FUNCTION_OF.get(category, category) for category in CATEGORIES))
SCOPE_OF = {RACK_SYSTEM: SERVER, MODULE: "cabling", CABLE: "cabling", PANEL: "cabling", RACK: "racks", COOLING: "racks"}
SCOPE_WORDS = {
    SERVER: "servers",
    NIC: "NICs",
    SWITCH: "switches",
    MANAGEMENT: "fabric managers",
    "cabling": "transceivers and cables",
    "racks": "racks and cooling",
}
_FUNCTION_WORDS = {
    SERVER: "Servers",
    RACK_SYSTEM: "Rack parts",
    NIC: "NICs",
    SWITCH: "switches",
    MANAGEMENT: "Fabric managers",
    MODULE: "Transceivers",
    CABLE: "Cables",
    PANEL: "Patch panels",
    RACK: "Racks",
    COOLING: "Cooling",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of one side's bill of materials; ``cents`` is its extended price, None where it has no price."""

    number: int
    fabric: str
    category: str
    use: str | None
    tier: str | None
    part: str | None
    part_number: str | None
    description: str
    length_m: float | None
    quantity: int
    spare_quantity: int
    owned_quantity: int
    unit_cents: Range[int] | None
    cents: Range[int] | None
    power_w: float | None
    price_basis: str | None

    @property
    def function(self) -> str:
        """What the part does: its category, with fibre counted among cables."""
        return FUNCTION_OF.get(self.category, self.category)

    @property
    def bought(self) -> int:
        """Pieces with spares, less what is there already."""
        return self.quantity + self.spare_quantity - self.owned_quantity


Key = tuple[str, str, str, str]  # fabric, function, role, tier


def scope_key(key: Key) -> tuple[str, str, str]:
    """(network, kind of goods, place): what is offered as a whole or not at all. A tier of cables comes with its transceivers."""
    fabric, function, role, tier = key
    kind = SCOPE_OF.get(function, function)
    return fabric, kind, role if function == SWITCH else tier if kind == "cabling" else ""


def cents_of(usd: Range[float] | OfferPrice | None) -> Range[int] | None:
    """A price in dollars → whole cents; None where there is no price."""
    if usd is None:
        return None
    return Range(usd.low, usd.typical, usd.high).each(lambda end: round(end * CENTS_PER_USD))


def lines_of(lines: Sequence[KeptLine | OfferLine]) -> tuple[Line, ...]:
    """The lines of a bill of materials or of an offer; what an offer leaves out is None or 0."""
    return tuple(_line(line, number) for number, line in enumerate(lines, start=1))


def _line(line: KeptLine | OfferLine, number: int) -> Line:
    unit, extended = cents_of(line.unit_price_usd), cents_of(line.extended_price_usd)
    owned = line.owned_quantity or 0 if isinstance(line, KeptLine) else 0
    if extended is None and unit is not None:
        extended = unit * (line.quantity + line.spare_quantity - owned)
    return Line(
        line.line or number,
        line.fabric or COMPUTE,
        line.category,
        line.use,
        line.tier,
        line.part,
        line.part_number,
        line.description or line.part or "",
        line.length_m,
        line.quantity,
        line.spare_quantity,
        owned,
        unit,
        extended,
        line.power_w,
        line.price_basis,
    )


# ---------------------------------------------------------------- alignment


def aligned(sides: Sequence[Sequence[Line]]) -> dict[Key, list[list[Line]]]:
    """Rows in the order of a bill of materials: key → the lines of every side.

    A line without a use (an offer may not say) stands for every role that its part has on another side: those rows become
    one. Without such a part it stands for all roles of its function where its side says nothing else of that function, and
    has a row of its own under its description otherwise.
    """
    known = [line for lines in sides for line in lines if line.use is not None]
    merged = _Merged(_key(line) for line in known)
    places = [
        [_key(line) if line.use is not None else _place(line, lines, known, merged) for line in lines]
        for lines in sides
    ]
    rows: dict[Key, list[list[Line]]] = {}
    for i, (lines, keys) in enumerate(zip(sides, places, strict=True)):
        for line, key in zip(lines, keys, strict=True):
            rows.setdefault(merged.key_of(key), [[] for _ in sides])[i].append(line)
    position = {key: at for at, key in enumerate(rows)}
    fabrics = list(dict.fromkeys(key[0] for key in rows))
    return dict(sorted(rows.items(), key=lambda row: (fabrics.index(row[0][0]), _rank(row[0][1]), position[row[0]])))


class _Merged:
    """Rows that are one because a line stands for all of them."""

    def __init__(self, keys: Iterable[Key]) -> None:
        self._groups: dict[Key, list[Key]] = {key: [key] for key in dict.fromkeys(keys)}

    def merge(self, keys: Iterable[Key]) -> Key:
        """Make these rows one; the first of them."""
        group: list[Key] = []
        for key in keys:
            group += [one for one in self._groups[key] if one not in group]
        for key in group:
            self._groups[key] = group
        return group[0]

    def key_of(self, key: Key) -> Key:
        """The key of the row that a key belongs to."""
        group = self._groups.get(key, [key])
        fabric, function, _, _ = group[0]
        roles, tiers = (list(dict.fromkeys(one[at] for one in group)) for at in (2, 3))
        return fabric, function, " and ".join(roles), tiers[0] if len(tiers) == 1 else ""


def _rank(function: str) -> int:
    return FUNCTIONS.index(function) if function in FUNCTIONS else len(FUNCTIONS)


def _key(line: Line) -> Key:
    return line.fabric, line.function, line.use or "", line.tier or ""


def _place(line: Line, mine: Sequence[Line], known: Sequence[Line], merged: _Merged) -> Key:
    """The row of a line without a use; rows that it stands for become one."""
    same = [other for other in known if _is_same_part(line, other)]
    same = [other for other in same if other.length_m == line.length_m] or same
    here = [other for other in same if other.fabric == line.fabric] or same
    if not here and not any(other.use is not None and other.function == line.function for other in mine):
        here = [other for other in known if (other.fabric, other.function) == (line.fabric, line.function)]
    if here:
        of_one = [other for other in here if _key(other)[:2] == _key(here[0])[:2]]
        return merged.merge(dict.fromkeys(_key(other) for other in of_one))
    return line.fabric, line.function, line.description, ""


def _is_same_part(line: Line, other: Line) -> bool:
    by_id = line.part is not None and line.part == other.part
    return by_id or (line.part_number is not None and line.part_number == other.part_number)


def parts_of(row: Sequence[Sequence[Line]]) -> list[list[list[Line]]]:
    """The parts of a row, each with its lines by side: paired by length where every side has one part of it, else by part."""
    lengths: dict[float | None, set[tuple[int, str]]] = {}
    for i, lines in enumerate(row):
        for line in lines:
            lengths.setdefault(line.length_m, set()).add((i, _name(line)))
    single = {length for length, names in lengths.items() if len({i for i, _ in names}) == len(names)}
    parts: dict[tuple[float | None, str], list[list[Line]]] = {}
    for i, lines in enumerate(row):
        for line in lines:
            name = "" if line.length_m in single else _name(line)
            parts.setdefault((line.length_m, name), [[] for _ in row])[i].append(line)
    return [parts[key] for key in sorted(parts, key=lambda key: (key[0] is not None, key[0] or 0.0))]


def _name(line: Line) -> str:
    return line.part or line.description


# ---------------------------------------------------------------- sums and differences


def total_cents(lines: Iterable[Line]) -> Range[int]:
    """Sum of the prices that are known."""
    return total_of(line.cents for line in lines)


def is_unpriced(lines: Iterable[Line]) -> bool:
    """Whether a line with pieces has no price."""
    return any(line.cents is None and line.bought for line in lines)


def difference_cents(lines: Iterable[Line], base: Iterable[Line]) -> Range[int]:
    """Range of a price difference. A part that both sides buy at one price cancels; what is left may move each its own way."""
    pieces: dict[tuple[str, float | None, Range[int], bool], int] = {}
    for sign, some in ((1, lines), (-1, base)):
        for line in some:
            if line.cents is None:
                continue
            at_unit = line.unit_cents is not None and line.cents == line.unit_cents * line.bought
            price = line.unit_cents if line.unit_cents is not None and at_unit else line.cents
            key = (_name(line), line.length_m, price, at_unit)
            pieces[key] = pieces.get(key, 0) + sign * (line.bought if at_unit else 1)
    return total_of((price * count).ordered() for (_, _, price, _), count in pieces.items())


def relative(value: float, base: float) -> float | None:
    """value ÷ base − 1; None where there is nothing to divide by, 0 where both are nothing."""
    if base == 0:
        return 0.0 if value == 0 else None
    return value / base - 1


def change(value: float, base: float) -> Change:
    """The difference of two numbers."""
    return Change(absolute=round(value - base, 4), relative=relative(value, base))


def _change_if_known(value: float | None, base: float | None) -> Change | None:
    return None if value is None or base is None else change(value, base)


def cell(lines: Sequence[Line]) -> RowSide | None:
    """One side of a row: quantity, price, power and the parts behind them; None where the side has no such line."""
    if not lines:
        return None
    unit, is_mean = _unit_price(lines)
    watts = _watts(lines)
    parts = dict.fromkeys((line.part, line.part_number, line.description) for line in lines)
    return RowSide(
        quantity=sum(line.quantity for line in lines),
        spare_quantity=sum(line.spare_quantity for line in lines),
        unit_price_usd=in_usd(unit),
        unit_is_mean=is_mean,
        extended_price_usd=None if is_unpriced(lines) else total_cents(lines).in_usd(),
        power_w=None if watts is None else round(watts, 3),
        parts=[ComparedPart(part=part, part_number=number, description=words) for part, number, words in parts],
        lines=[line.number for line in lines],
        price_basis=sorted({line.price_basis for line in lines if line.price_basis}),
        owned_quantity=sum(line.owned_quantity for line in lines),
    )


def _unit_price(lines: Sequence[Line]) -> tuple[Range[int] | None, bool]:
    """(what a piece costs in cents, whether that is a mean over several parts)."""
    bought, is_known = sum(line.bought for line in lines), not is_unpriced(lines)
    units = {line.unit_cents for line in lines}
    if len(units) == 1 and not (None in units and bought > 0 and is_known):
        return units.pop(), False
    return total_cents(lines).each(lambda end: round(end / bought)) if is_known and bought else None, True


@dataclass(frozen=True, slots=True)
class Basis:
    """What differences are taken by: the baseline, the GPUs of sides where they differ, whether pieces count spares.

    An offer says how many pieces it delivers and not which of them are spares, so that beside one all sides count them.
    """

    baseline: int
    gpus: tuple[int | None, ...] = ()
    with_spares: bool = False

    def quantity(self, lines: Iterable[Line]) -> int:
        """Pieces of some lines."""
        return sum(line.bought if self.with_spares else line.quantity for line in lines)


def differences(row: Sequence[Sequence[Line]], basis: Basis) -> list[RowDifference]:
    """Each side of a row less the baseline; a side without such a line counts as none of it."""
    base = row[basis.baseline]
    return [_difference(lines, base, i, basis) for i, lines in enumerate(row)]


def _difference(lines: Sequence[Line], base: Sequence[Line], side: int, basis: Basis) -> RowDifference:
    is_known = not is_unpriced(lines) and not is_unpriced(base)
    ours, theirs = total_cents(lines).typical, total_cents(base).typical
    mine, other = basis.quantity(lines), basis.quantity(base)
    per_gpu = None
    if basis.gpus:
        gpus, base_gpus = basis.gpus[side], basis.gpus[basis.baseline]
        per_gpu = RowPerGpu(
            quantity=_share(mine, other, gpus, base_gpus),
            extended_price_usd=_share(ours, theirs, gpus, base_gpus) if is_known else None,
        )
    return RowDifference(
        quantity=change(mine, other),
        unit_price_usd=_change_if_known(_unit(lines), _unit(base)) if lines and base and is_known else None,
        extended_price_usd=change(ours / CENTS_PER_USD, theirs / CENTS_PER_USD) if is_known else None,
        extended_range_usd=difference_cents(lines, base).in_usd() if is_known else None,
        power_w=_change_if_known(_watts(lines), _watts(base)),
        per_gpu=per_gpu,
    )


def _share(ours: float, theirs: float, gpus: int | None, base_gpus: int | None) -> float | None:
    """Relative difference of two amounts for each GPU."""
    return relative(ours / gpus, theirs / base_gpus) if gpus and base_gpus else None


def _watts(lines: Iterable[Line]) -> float | None:
    watts = [line.power_w for line in lines]
    return None if None in watts else sum(w or 0.0 for w in watts)


def _unit(lines: Sequence[Line]) -> float | None:
    bought, cents = sum(line.bought for line in lines), total_cents(lines).typical
    return round(cents / bought) / CENTS_PER_USD if bought else None


# ---------------------------------------------------------------- rows


def row_of(key: Key, row: Sequence[Sequence[Line]], basis: Basis, is_in_scope: bool) -> AlignedRow:
    """One aligned row."""
    parts = parts_of(row)
    is_grouped = len(parts) > 1
    fabric, function, role, tier = key
    return AlignedRow(
        key=".".join(part for part in key if part),
        fabric=fabric,
        function=function,
        role=role,
        tier=tier or None,
        label=label_of(key),
        is_grouped=is_grouped,
        is_in_scope=is_in_scope,
        sides=[cell(lines) for lines in row],
        differences=differences(row, basis),
        missing_on=_missing_on(row),
        is_same=_is_same(row, basis),
        parts=[_part_row(part, basis) for part in parts] if is_grouped else [],
    )


def _part_row(part: Sequence[Sequence[Line]], basis: Basis) -> PartRow:
    return PartRow(
        label=_part_label(part),
        length_m=next(line.length_m for lines in part for line in lines),
        sides=[cell(lines) for lines in part],
        differences=differences(part, basis),
        missing_on=_missing_on(part),
        is_same=_is_same(part, basis),
    )


def _missing_on(row: Sequence[Sequence[Line]]) -> list[int]:
    return [i for i, lines in enumerate(row) if not lines]


def _is_same(row: Sequence[Sequence[Line]], basis: Basis) -> bool:
    contents = [_content(lines, basis) for lines in row]
    return all(content == contents[0] for content in contents)


def _content(lines: Iterable[Line], basis: Basis) -> dict[tuple[str, float | None], tuple[int, Range[int]]]:
    """Pieces and price of each part and length; an offer may have one line where a bill of materials has two."""
    found: dict[tuple[str, float | None], tuple[int, Range[int]]] = {}
    for line in lines:
        name = (_name(line), line.length_m)
        pieces, cents = found.get(name, (0, NOTHING))
        found[name] = pieces + basis.quantity([line]), cents + (line.cents or NOTHING)
    return found


def label_of(key: Key) -> str:
    """A row's function and role in words: "Leaf switches", "Transceivers: leaf, to nodes", "Cables: node-leaf (storage)"."""
    fabric, function, role, _ = key
    words = _FUNCTION_WORDS.get(function, function.replace("_", " ").capitalize())
    if function == SWITCH:
        words = f"{role.capitalize()} switches" if role else "Switches"
    elif function in (MODULE, CABLE, PANEL) and role:
        words = f"{words}: {'in nodes' if role == 'node' else role}"
    return words if fabric == COMPUTE else f"{words} ({fabric})"


def _part_label(part: Sequence[Sequence[Line]]) -> str:
    names = list(dict.fromkeys(line.description for lines in part for line in lines))
    length = next(line.length_m for lines in part for line in lines)
    return f"{length:g} m" if length is not None else names[0] if len(names) == 1 else " or ".join(names[:3])
