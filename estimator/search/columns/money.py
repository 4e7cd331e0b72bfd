"""Bills of materials, power and cost of candidates with the same parts, in columns.

Lines are those of the first candidate's bill of materials, by the ordinary way; the others differ in quantities, and in the
prices that follow from them. Money over years is cost/model.py's own, with a column for each candidate and end of price.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from estimator.bom.bill import USES, bill_of_fabrics, spare_rule
from estimator.bom.facility import nodes_per_rack
from estimator.bom.lines import (
    COOLING,
    FACILITY,
    MODULE,
    NIC,
    RACK,
    RACK_SYSTEM,
    SERVER,
    SERVERS,
    SWITCH,
    Billed,
    BomLine,
    is_rack,
)
from estimator.bom.pricing import Pricing
from estimator.cabling.plan import cable_plan
from estimator.catalog.catalog import Catalog, fallbacks
from estimator.catalog.ports import COMPUTE
from estimator.cost.inputs import CostFacts, cost_facts, parameter
from estimator.cost.model import HALF_UP, money
from estimator.cost.power import Watts, design_power, pue_of
from estimator.floor.whole_racks import WholeRacks, whole_racks
from estimator.search.columns.cables import Cabled, node_watts, switch_watts
from estimator.search.columns.parts import PartFacts, part_facts
from estimator.spec.design import DesignSpec
from estimator.units import CENTS_PER_USD, W_PER_KW, FloatArray, IntArray, ceil_div

ENDS = 3  # low, typical, high
TYPICAL = 1


@dataclass(frozen=True)
class Priced:
    """Money and power of candidates; amounts of money have shape (n, 3): low, typical, high. [cents, W]

    ``at_least`` is True where a part has no price or a draw that is not known, ``power_at_least`` where a draw is not: one
    answer for all, as parts are the same.
    """

    network: FloatArray
    servers: FloatArray
    facility: FloatArray
    total_cost: FloatArray
    gpu_hour: FloatArray
    network_w: FloatArray
    it_w: FloatArray
    facility_w: FloatArray
    racks: IntArray
    rack_units: IntArray
    parts: PartFacts
    at_least: bool
    power_at_least: bool

    @property
    def purchase(self) -> FloatArray:
        """The whole bill of materials."""
        return self.network + self.servers + self.facility


def priced(found: Cabled, catalog: Catalog) -> Priced:
    """Bill of materials, power and cost of candidates with the same parts."""
    spec, fabric = found.of.spec, found.of.fabric
    plan = cable_plan(spec, fabric, catalog)
    bare = spec.model_copy(update={"economics": spec.economics.model_copy(update={"owned": []})})
    bill = bill_of_fabrics(
        [Billed(COMPUTE, bare, fabric, plan)], catalog
    )  # what is owned is taken off by quantity below
    all_owned = {catalog.current_id(one.part) for one in spec.economics.owned if one.quantity is None}
    counts = _Counts(found, catalog)
    lines = [(line, counts.of(line)) for line in bill.lines]
    parts = _parts([(line, n) for line, n in lines if line.unit_cents is not None], spec, catalog)
    power = design_power(spec, fabric, plan, catalog)
    it_max, network_w, it_w = _watts(found, counts, catalog)
    facts = cost_facts(spec, fabric, bill, power, catalog)
    made = _money(facts, lines, parts, counts, it_max, spec, catalog)
    boxes = [(catalog.switches[line.part].rack_units, n) for line, n in lines if line.part and line.category == SWITCH]
    rack_units = sum((height * n for height, n in boxes), np.zeros(counts.n, np.int64))
    racks = sum((n for line, n in lines if is_rack(line.category, line.use)), np.zeros(counts.n, np.int64))
    return Priced(
        network=_sum(parts, lambda line: line.category not in (*SERVERS, *FACILITY), counts.n),
        servers=_sum(parts, lambda line: line.category in SERVERS, counts.n),
        facility=_sum(parts, lambda line: line.category in FACILITY, counts.n),
        total_cost=made[0],
        gpu_hour=made[1],
        network_w=network_w,
        it_w=it_w,
        facility_w=it_w * pue_of(spec, catalog),
        racks=racks,
        rack_units=rack_units,
        parts=part_facts(bill.lines, catalog),
        at_least=any(line.part not in all_owned for line in bill.unpriced) or power.is_at_least,
        power_at_least=power.is_at_least,
    )


# ---------------------------------------------------------------- pieces


class _Counts:
    """Pieces of each line of the bill of materials, shape (n,)."""

    def __init__(self, found: Cabled, catalog: Catalog) -> None:
        self._found, self._catalog = found, catalog
        self.n = len(found.of)
        self.nodes: IntArray = found.of.sizing.asked.nodes
        self.gpus: IntArray = found.of.sizing.asked.gpus
        sizing = found.of.sizing
        self.switches = {"leaf": sizing.n_leaf, "spine": sizing.n_spine, "core": sizing.n_core}
        self.cables: IntArray = np.sum([tier.cables for tier in found.tiers], axis=0)
        self.whole: WholeRacks | None = whole_racks(found.of.spec, 1, catalog)
        per_rack = nodes_per_rack(catalog.server(found.of.spec.compute.server), catalog)
        self.whole_racks: IntArray = ceil_div(self.nodes, per_rack) if self.whole else np.zeros(self.n, np.int64)
        self._n_racks = ceil_div(self.nodes, per_rack) + self._network_racks()

    def of(self, line: BomLine) -> IntArray:
        """Pieces of one line."""
        fabric = self._found.of.fabric
        if line.category in (SERVER, NIC):
            return line.quantity // fabric.n_nodes * self.nodes
        if line.category == RACK_SYSTEM:
            return line.quantity // int(self.whole_racks[0]) * self.whole_racks
        if line.category == SWITCH:
            return self._boxes(line.use, line.part)
        if line.category == RACK:
            return self._n_racks - self.whole_racks
        if line.category == COOLING:
            return self._cooling_kw()
        tier = next(one for one in self._found.tiers if one.ends.tier == line.tier)
        if line.category == MODULE:
            return tier.upper if line.use == USES[tier.ends.tier][0] else tier.lower
        return tier.cables

    def _boxes(self, role: str, part: str | None) -> IntArray:
        units = self._catalog.switches[part].switch_units if part else 1
        boxes: IntArray = ceil_div(self.switches[role], units)
        return boxes

    def _network_racks(self) -> IntArray:
        """Racks of switches, as high as they are and of no more boxes than a rack takes (bom/facility.py)."""
        defaults = self._catalog.floor_defaults
        height, boxes = np.zeros(self.n, np.int64), np.zeros(self.n, np.int64)
        for role, part, _ in self._found.of.fabric.switches:
            n = self._boxes(role, part)
            switch = self._catalog.switches.get(part or "")
            height, boxes = height + n * (switch.rack_units if switch else 1), boxes + n
        room = int(defaults["rack_units"].value) - int(defaults["reserved_units"].value)
        racks: IntArray = np.maximum(ceil_div(height, room), ceil_div(boxes, int(defaults["switches_per_rack"].value)))
        return racks

    def _cooling_kw(self) -> IntArray:
        server = self._catalog.server(self._found.of.spec.compute.server)
        if server is None:
            return np.zeros(self.n, np.int64)
        watts: FloatArray
        if self.whole:
            both = self.nodes.astype(np.float64) * self.whole.tray.max_w + self.whole_racks * self.whole.own.max_w
            watts = both * self.whole.system.needed("liquid_heat_share")
        else:
            watts = self.nodes.astype(np.float64) * server.max_w * server.liquid_heat_share
        kw: IntArray = ceil_div(np.rint(watts).astype(np.int64), W_PER_KW)
        return kw


# ---------------------------------------------------------------- prices


_Group = tuple[str | None, float | None, str]  # part, length, what it is where it is no part


@dataclass(frozen=True)
class _Part:
    """Lines of one part and length: pieces installed and spare, and what one costs, shape (n, 3). [cents]"""

    line: BomLine
    installed: IntArray
    spare: IntArray
    owned: IntArray
    cents: FloatArray

    @property
    def held(self) -> IntArray:
        """Spares too."""
        return self.installed + self.spare

    @property
    def bought(self) -> IntArray:
        """Spares too, less what is there already."""
        return self.held - self.owned


def _parts(lines: Sequence[tuple[BomLine, IntArray]], spec: DesignSpec, catalog: Catalog) -> list[_Part]:
    """Priced parts; spares are of each part and length over all its uses, quantity breaks of each part over all lengths."""
    groups: dict[_Group, tuple[BomLine, IntArray]] = {}
    for line, n in lines:
        key = (line.part, line.length_m, "" if line.part else line.description)
        groups[key] = (line, groups[key][1] + n if key in groups else n)
    spares = {key: _spares(line, n, spec, catalog) for key, (line, n) in groups.items()}
    owned = _owned({key: (line, n + spares[key]) for key, (line, n) in groups.items()}, spec, catalog)
    bought: dict[str, IntArray] = {}
    for key, (line, n) in groups.items():
        if line.part:
            bought[line.part] = bought.get(line.part, 0) + n + spares[key] - owned[key]
    pricing = Pricing(spec.economics, catalog)
    out = []
    for key, (line, n) in groups.items():
        cents = _fixed(line, len(n)) if line.part is None else _cents(line, bought[line.part], pricing, spec, catalog)
        out.append(_Part(line, n, spares[key], owned[key], cents))
    return out


def _owned(
    held: Mapping[_Group, tuple[BomLine, IntArray]], spec: DesignSpec, catalog: Catalog
) -> dict[_Group, IntArray]:
    """As bom/bill.py ``_with_owned``, of many quantities."""
    out = {key: np.zeros_like(n) for key, (_, n) in held.items()}
    for one in sorted(spec.economics.owned, key=lambda one: one.length_m is None):
        part = catalog.current_id(one.part)
        mine = [key for key, (line, _) in held.items() if line.part == part and one.length_m in (None, line.length_m)]
        left: IntArray | None = None
        for key in mine:
            open_ = held[key][1] - out[key]
            if left is None:
                left = np.full_like(open_, np.iinfo(np.int64).max if one.quantity is None else one.quantity)
            taken = np.minimum(left, open_)
            out[key], left = out[key] + taken, left - taken
    return out


def _spares(line: BomLine, n: IntArray, spec: DesignSpec, catalog: Catalog) -> IntArray:
    """As bom/bill.py ``n_spares``, of many quantities."""
    if line.spare_row is None:
        return np.zeros_like(n)
    share, least, without = spare_rule(line.spare_row, catalog, spec)
    wanted = np.maximum(ceil_div(share.numerator * n, share.denominator), least)
    return np.where(n <= without, 0, wanted)


def _fixed(line: BomLine, n: int) -> FloatArray:
    """Of a line that a parameter of the catalog prices."""
    ends = np.array([*(line.unit_cents or (0, 0, 0))], dtype=np.float64)
    return np.broadcast_to(ends, (n, ENDS))


def _cents(line: BomLine, bought: IntArray, pricing: Pricing, spec: DesignSpec, catalog: Catalog) -> FloatArray:
    """Price of a piece where so many are bought: one for each quantity from which a price of any book holds."""
    part = line.part or ""
    listed = [
        row.min_quantity
        for book in fallbacks(spec.economics.price_book)
        for row in catalog.prices_of(catalog.current_id(part), book)
    ]
    own = (
        [row.min_quantity for row in spec.economics.prices.prices if row.part == part] if spec.economics.prices else []
    )
    breaks = np.array(sorted({0, *listed, *own}), dtype=np.int64)
    step = np.searchsorted(breaks, bought, side="right") - 1
    out = np.zeros((len(bought), ENDS))
    for at in np.unique(step).tolist():
        price = pricing.of(part, int(breaks[at]), line.length_m)
        if price is not None:
            out[step == at] = np.array([*price.cents], dtype=np.float64)
    return out


def _sum(parts: Iterable[_Part], is_wanted: Callable[[BomLine], bool], n: int) -> FloatArray:
    chosen = [part.bought[:, None] * part.cents for part in parts if is_wanted(part.line)]
    return np.sum(chosen, axis=0) if chosen else np.zeros((n, ENDS))


# ---------------------------------------------------------------- power


def _watts(found: Cabled, counts: _Counts, catalog: Catalog) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(largest IT power, typical network power, typical IT power), shape (n,) each [W]; cost/power.py."""
    typical, largest = switch_watts(found, catalog)
    plugged = node_watts(found)
    server = catalog.server(found.of.spec.compute.server)
    nodes, racks = counts.nodes, counts.whole_racks
    nics = servers = Watts(0.0, 0.0)
    n_nics = 0
    if server is None:
        nic, n_nics = catalog.default_nic(found.of.spec.fabric.generation), found.of.spec.compute.nics_per_node or 0
        nics = Watts(nic.typical_no_optics_w, nic.max_w)
    else:
        servers = Watts(server.typical_w, server.max_w)
    own = counts.whole.own if counts.whole else None
    in_racks = Watts(own.typical_w, own.max_w) if own else Watts(0.0, 0.0)
    network = typical + plugged + nics.typical * (nodes * n_nics)
    network_max = largest + plugged + nics.max * (nodes * n_nics)
    it = network + servers.typical * nodes + in_racks.typical * racks
    return network_max + servers.max * nodes + in_racks.max * racks, network, it


# ---------------------------------------------------------------- cost over years


def _money(
    first: CostFacts,
    lines: Sequence[tuple[BomLine, IntArray]],
    parts: Sequence[_Part],
    counts: _Counts,
    it_max_w: FloatArray,
    spec: DesignSpec,
    catalog: Catalog,
) -> tuple[FloatArray, FloatArray]:
    """(total cost over the years, cost of a GPU-hour), shape (n, 3) [cents].

    The facts of cost/inputs.py with an entry for each candidate and end; lines that the formulas treat alike are one.
    """
    facts, unit_cents = _facts(first, lines, parts, counts, it_max_w)
    given = {name: parameter(name, spec, catalog) for name in first.parameter_names}
    made = money(facts, unit_cents, {name: np.tile(one.cheap_first, counts.n) for name, one in given.items()})
    years = facts.years
    return made.total[years - 1].reshape(-1, ENDS), made.per_gpu_hour()[years - 1].reshape(-1, ENDS)


def _facts(
    first: CostFacts,
    lines: Sequence[tuple[BomLine, IntArray]],
    parts: Sequence[_Part],
    counts: _Counts,
    it_max_w: FloatArray,
) -> tuple[CostFacts, FloatArray]:
    """Facts whose tables of weights pick from sums of money that are already made, and those sums."""
    at = {(line.part, line.length_m, "" if line.part else line.description): i for i, line in enumerate(first.lines)}
    place = [at[part.line.part, part.line.length_m, "" if part.line.part else part.line.description] for part in parts]

    def money_of(table: FloatArray, pieces: str) -> list[FloatArray]:
        rows = [[i for i, line in enumerate(place) if table[row, line] > 0] for row in range(len(table))]
        return [_total([parts[i] for i in mine], pieces, counts.n) for mine in rows]

    def pieces_of(pieces: str) -> FloatArray:
        nobody = np.zeros(counts.n, np.int64)
        rows = [[getattr(parts[i], pieces) for i, line in enumerate(place) if row[line] > 0] for row in first.replaced]
        return np.stack([_spread(sum(mine, nobody)) for mine in rows])

    tables = (first.capital, first.supported, first.replaced)
    sums = [
        one
        for table, pieces in zip(tables, ("bought", "installed", "held"), strict=True)
        for one in money_of(table, pieces)
    ]
    picks, start = [], 0
    for table in tables:
        picks.append(np.eye(len(sums))[start : start + len(table)])
        start += len(table)
    n_ethernet = np.zeros(counts.n, np.int64)
    if first.n_ethernet_switches:
        n_ethernet = np.sum([n for line, n in lines if line.category == SWITCH], axis=0)
    racks = np.sum(
        [n for line, n in lines if is_rack(line.category, line.use)] or [np.zeros(counts.n, np.int64)], axis=0
    )
    gpus: IntArray = counts.gpus
    facts = replace(
        first,
        capital=picks[0],
        supported=picks[1],
        replaced=picks[2],
        n_failing=pieces_of("installed"),
        n_spares=pieces_of("spare"),
        n_gpus=_spread(gpus),
        n_nodes=_spread(counts.nodes),
        n_cables=_spread(counts.cables),
        n_racks=_spread(racks),
        n_fabric_manager_nodes=_spread(counts.nodes) if first.n_fabric_manager_nodes else 0,
        n_ethernet_switches=_spread(n_ethernet),
        it_max_kw=_spread(it_max_w / W_PER_KW),
    )
    return facts, np.stack([one.reshape(-1) for one in sums])


def _total(parts: Sequence[_Part], pieces: str, n: int) -> FloatArray:
    amounts = [getattr(part, pieces)[:, None] * part.cents for part in parts]
    return np.sum(amounts, axis=0) if amounts else np.zeros((n, ENDS))


def _spread(amounts: IntArray | FloatArray) -> FloatArray:
    """One entry for each candidate and end."""
    return np.repeat(amounts.astype(np.float64), ENDS)


def per(cents: FloatArray, count: FloatArray | IntArray) -> FloatArray:
    """Cents of each of so many, whole cents; NaN where there is none. [cents]"""
    counts = np.where(count > 0, count, np.nan)
    return np.floor(cents / (counts[:, None] if cents.ndim > 1 else counts) + HALF_UP)


def usd(cents: FloatArray) -> FloatArray:
    """US cents → US dollars."""
    return cents / CENTS_PER_USD
