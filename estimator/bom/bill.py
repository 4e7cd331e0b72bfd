"""Counted parts → bill of materials: a line for each part, length and use, with spares, price range, basis and source."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from estimator.bom.facility import facility_lines, rack_system_lines
from estimator.bom.lines import (
    CABLE,
    FIBER,
    MANAGEMENT,
    MODULE,
    NIC,
    PANEL,
    SERVER,
    SWITCH,
    Billed,
    Bom,
    BomLine,
    first_number,
    parameter_line,
    part_line,
)
from estimator.bom.pricing import Pricing, UnitPrice
from estimator.cabling.runs import CablePlan, TierCabling
from estimator.cabling.tiers import FABRIC_MANAGER, LEAF_LEAF, LEAF_SPINE, NODE_LEAF, SPINE_CORE
from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import COMPUTE, compute_network
from estimator.catalog.records import Cable
from estimator.fabric.devices import n_managers
from estimator.fabric.sized import SizedFabric
from estimator.floor.whole_racks import whole_racks
from estimator.ranges import Range
from estimator.spec.design import DesignSpec
from estimator.spec.own.owned import OwnedPart
from estimator.units import ceil_div

MANAGER_SERVER = "mgmt-node"  # what a fabric manager runs on
USES = {  # of the transceivers at the upper and the lower end of a tier
    NODE_LEAF: ("leaf, to nodes", "node"),
    LEAF_SPINE: ("spine, to leaves", "leaf, to spines"),
    SPINE_CORE: ("core, to spines", "spine, to cores"),
    FABRIC_MANAGER: ("leaf, to fabric managers", "fabric manager"),
    LEAF_LEAF: ("leaf, to its pair", "leaf, to its pair"),
}


def bill_of_materials(
    spec: DesignSpec, fabric: SizedFabric, plan: CablePlan, catalog: Catalog, role: str = COMPUTE
) -> Bom:
    """The bill of one fabric; see ``bill_of_fabrics``."""
    return bill_of_fabrics([Billed(role, spec, fabric, plan)], catalog)


def bill_of_fabrics(billed: Sequence[Billed], catalog: Catalog) -> Bom:
    """Lines for servers and what their racks hold where those are bought whole, NICs, switches by role, transceivers by tier
    and side, cables by tier and length, patch panels, and racks and coolant distribution of the hall (facility.py).

    Servers and NICs stand on the compute fabric's bill of materials alone; every line names its fabric. NICs have a line only
    where the server's price does not hold them. A cable with its own ends is one piece: its second end is never billed
    again. Spares follow the rows ``spare-*`` of economics.csv, or ``economics.spares``, for each part number and length
    over all fabrics; spare servers are not bought. Custom parts have a line without a price.
    """
    lines: list[BomLine] = []
    for one in billed:
        mine = list(_servers(one.spec, one.fabric, catalog)) if one.role == COMPUTE else []
        mine += _switches(one.spec, one.fabric, catalog)
        mine += _managers(one.fabric, catalog)
        for tier in one.plan.tiers:
            mine += _tier_lines(tier, catalog)
        lines += mine if one.role == COMPUTE else [replace(line, fabric=one.role) for line in mine]
    first = billed[0]
    if first.role == COMPUTE:
        lines += facility_lines(first.spec, first.fabric, first.plan, lines, catalog)
    counted = _with_owned(_with_spares(lines, first.spec, catalog), first.spec.economics.owned, catalog)
    return Bom(_priced(counted, Pricing(first.spec.economics, catalog)), tuple(one.plan for one in billed))


def _servers(spec: DesignSpec, fabric: SizedFabric, catalog: Catalog) -> Iterator[BomLine]:
    server = catalog.server(spec.compute.server)
    if server is None:
        gpus, nic = spec.compute.gpus_per_node, catalog.default_nic(spec.fabric.generation)
        yield BomLine(SERVER, None, None, f"Custom server, {gpus} GPUs", "node", None, fabric.n_nodes, 0.0)
        quantity = fabric.n_nodes * (spec.compute.nics_per_node or 0)
        line = part_line(NIC, nic, "node", quantity, nic.typical_no_optics_w, "spare-nics")
        yield replace(line, is_assumed=True)
        return
    yield part_line(SERVER, server, "node", fabric.n_nodes, server.typical_w)
    if racks := whole_racks(spec, fabric.n_nodes, catalog):
        yield from rack_system_lines(racks)
    network = compute_network(server)
    if network and network.nic_id and not network.nic_included:
        nic = catalog.nics[network.nic_id]
        yield part_line(NIC, nic, "node", fabric.n_nodes * network.n_nics, 0.0, "spare-nics")


def _switches(spec: DesignSpec, fabric: SizedFabric, catalog: Catalog) -> Iterator[BomLine]:
    for role, part, count in fabric.switches:
        if part is None:
            radix = getattr(spec.fabric, f"{role}_radix")
            yield BomLine(SWITCH, None, None, f"Custom {role} switch, {radix} ports", role, None, count, 0.0)
            continue
        switch = catalog.switches[part]
        boxes = ceil_div(count, switch.switch_units)  # a box may hold two switches
        yield part_line(SWITCH, switch, role, boxes, switch.typical_no_optics_w, "spare-switches")


def _managers(fabric: SizedFabric, catalog: Catalog) -> Iterator[BomLine]:
    """Servers of the fabric managers, their NICs included."""
    if count := n_managers(fabric):
        server = catalog.servers[MANAGER_SERVER]
        yield part_line(MANAGEMENT, server, "fabric manager", count, server.typical_w)


def _tier_lines(tier: TierCabling, catalog: Catalog) -> Iterator[BomLine]:
    """Transceivers of both sides, cables by part and length, patch panels, and what the catalog lacks."""
    sides = zip((tier.upper, tier.lower), USES[tier.tier], strict=True)
    modules: dict[tuple[str, str], tuple[Cable, int]] = {}
    for plugs, use in ((plugs, use) for side, use in sides for plugs in side):
        if plugs.module:
            _, count = modules.get((plugs.module.id, use), (None, 0))
            modules[plugs.module.id, use] = plugs.module, count + plugs.n_modules
    for (_, use), (module, count) in modules.items():
        if count:
            yield _cable_line(MODULE, module, use, tier, count, module.a_power_w, None)
    pieces: dict[tuple[str, float], tuple[Cable, int]] = {}
    for run in tier.runs:
        if run.choice:
            cable = run.choice.cable
            _, count = pieces.get((cable.id, run.length_m), (None, 0))
            pieces[cable.id, run.length_m] = cable, count + run.n_cables
    use = tier.tier.replace("_", "-")
    for (_, length_m), (cable, count) in sorted(pieces.items(), key=lambda piece: piece[0]):
        category = FIBER if cable.kind == "fiber" else CABLE
        ends_w = cable.a_power_w + (cable.b_count or 0) * (cable.b_power_w or 0.0)
        yield _cable_line(category, cable, use, tier, count, ends_w, length_m)
    if tier.panels and tier.n_fibers:
        yield _panel_line(tier, catalog)
    for run in tier.runs:
        if run.missing:
            description = run.missing[0].upper() + run.missing[1:]
            yield BomLine(CABLE, None, None, description, use, tier.tier, run.n_links, 0.0, run.length_m)


def _panel_line(tier: TierCabling, catalog: Catalog) -> BomLine:
    """Patch panels: for each panel that a link passes, ⌈fibres ÷ ports of a panel⌉."""
    ports = int(catalog.floor_defaults["panel_ports"].value)
    quantity = tier.panels * ceil_div(tier.n_fibers, ports)
    line = parameter_line(PANEL, "patch-panel", tier.tier.replace("_", "-"), quantity, catalog)
    return replace(line, description=f"{line.description}, {ports} ports", tier=tier.tier)


def _cable_line(
    category: str, cable: Cable, use: str, tier: TierCabling, count: int, unit_w: float, length_m: float | None
) -> BomLine:
    return BomLine(
        category=category,
        part=cable.id,
        part_number=first_number(cable.part_numbers),
        description=cable.name,
        use=use,
        tier=tier.tier,
        quantity=count,
        unit_w=unit_w,
        length_m=length_m,
        spare_row="spare-optics" if cable.kind in ("transceiver", "aoc") else "spare-cables",
        is_assumed=tier.is_cage_assumed,
    )


# ---------------------------------------------------------------- prices and spares


def _priced(lines: Sequence[BomLine], pricing: Pricing) -> tuple[BomLine, ...]:
    """Every line with its price and what set it; quantity breaks count a part's pieces over all lines, spares too."""
    bought: Counter[str | None] = Counter()
    for line in lines:
        bought[line.part] += line.bought
    books = {part: pricing.by_book(part, count) for part, count in bought.items() if part}
    return tuple(
        _with_price(line, pricing.of(line.part, bought[line.part], line.length_m), books[line.part])
        if line.part
        else line
        for line in lines
    )


def _with_price(line: BomLine, price: UnitPrice | None, by_book: Mapping[str, Range[int]]) -> BomLine:
    if price is None:
        return replace(line, book_cents=by_book)
    return replace(
        line,
        book_cents=by_book,
        unit_cents=price.cents,
        price_basis=price.basis,
        price_source=price.source,
        price_note=price.note,
        is_assumed=line.is_assumed or price.is_assumed,
        price_rule=price.rule,
        price_currency=price.currency,
        own_price=price.own,
        price_rate=price.rate,
        typed=price.typed,
        price_book=price.book,
        price_as_of=price.as_of,
    )


# Least spares once a part is bought at all, as the notes of those rows ask.
_LEAST = {"spare-switches": 1, "spare-nics": 1, "spare-optics": 2, "spare-cables": 2}
_SWITCHES_WITHOUT_SPARE = 8


def _with_spares(lines: list[BomLine], spec: DesignSpec, catalog: Catalog) -> tuple[BomLine, ...]:
    """Spares of each part number and length, rounded up over all its uses, on its line with the largest quantity."""
    groups: dict[tuple[str | None, float | None], list[int]] = {}
    for index, line in enumerate(lines):
        groups.setdefault((line.part, line.length_m), []).append(index)
    out = list(lines)
    for indices in groups.values():
        row = lines[indices[0]].spare_row
        if row is None:
            continue
        quantity = sum(lines[i].quantity for i in indices)
        main = max(indices, key=lambda i: lines[i].quantity)
        out[main] = replace(out[main], spare_quantity=n_spares(row, quantity, catalog, spec))
    return tuple(out)


def _with_owned(lines: Sequence[BomLine], owned: Sequence[OwnedPart], catalog: Catalog) -> Sequence[BomLine]:
    """What is there already, shared out over the lines of its part: entries with a length first, lines in their order."""
    out = list(lines)
    for one in sorted(owned, key=lambda one: one.length_m is None):
        part, left = catalog.current_id(one.part), one.quantity
        for at, line in enumerate(out):
            if line.part == part and one.length_m in (None, line.length_m):
                taken = line.bought if left is None else min(left, line.bought)
                out[at] = replace(line, owned_quantity=line.owned_quantity + taken)
                left = None if left is None else left - taken
    return out


def n_spares(row: str, quantity: int, catalog: Catalog, spec: DesignSpec | None = None) -> int:
    """⌈share × quantity⌉, and not below the least that the row asks for; none of a switch model with up to 8 boxes.

    A share that the request gives stands as it is: no least, and 0 buys none.
    """
    share, least, without = spare_rule(row, catalog, spec)
    if quantity <= without:
        return 0
    return max(ceil_div(share.numerator * quantity, share.denominator), least)


def spare_rule(row: str, catalog: Catalog, spec: DesignSpec | None = None) -> tuple[Fraction, int, int]:
    """(share of the pieces, least spares, most pieces that have none) of ``n_spares``."""
    asked = spec.economics.in_place_of(catalog.economics[row]) if spec else None
    if asked is not None:
        return Fraction(str(asked)), 0, 0
    without = _SWITCHES_WITHOUT_SPARE if row == "spare-switches" else 0
    return Fraction(str(catalog.economics[row].typical)), _LEAST[row], without
