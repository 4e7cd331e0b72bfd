"""What must hold of rack systems: their trays, parts, layouts and shares of the price agree."""

from collections.abc import Iterator

from estimator.catalog.catalog import Catalog
from estimator.catalog.rack_records import FRAME, NEEDED_FIGURES, PER_MILLE, TRAY, RackSystem
from estimator.catalog.tables import Tables, column_place
from estimator.errors import CatalogError

_Fault = tuple[str, int | None, str, str]  # table, row, column, what is wrong


def check_racks(tables: Tables, catalog: Catalog) -> None:
    """Raise CatalogError at the first rack system that contradicts itself."""
    for fault in _faults(tables, catalog):
        table, row, column, message = fault
        raise CatalogError(f"{table}.csv", row, column, message)


def _faults(tables: Tables, catalog: Catalog) -> Iterator[_Fault]:
    yield from _blocks(tables)
    yield from _ids(tables, catalog)
    for row, values in tables["rack_systems"]:
        yield from _of_rack(row, catalog.racks[values[0]], tables, catalog)
    parts = {part.id for rack in catalog.racks.values() for part in rack.parts}
    for row, values in tables["prices"]:
        if values[0] in parts:
            message = f"the price of {values[0]} follows from that of its rack system: give the rack's"
            yield "prices", row, "part_id", message


def _blocks(tables: Tables) -> Iterator[_Fault]:
    """The blocks of a rack stand on each other."""
    top: dict[str, int] = {}
    for row, (rack, _, first, height, *_) in tables["rack_layouts"]:
        if first <= top.get(rack, 0):
            yield "rack_layouts", row, "first_unit", f"unit {first} is taken: the block below ends at {top[rack]}"
        top[rack] = first + height - 1


def _ids(tables: Tables, catalog: Catalog) -> Iterator[_Fault]:
    """A tray belongs to one rack system and has its own record; what else a rack holds has no other."""
    trays: dict[str, str] = {}
    for row, values in tables["rack_systems"]:
        rack, tray = values[0], values[column_place("rack_systems", "tray_id")]
        if catalog.servers[tray].role != "gpu_tray":
            yield "rack_systems", row, "tray_id", f"{tray} is no gpu_tray"
        if trays.setdefault(tray, rack) != rack:
            yield "rack_systems", row, "tray_id", f"{tray} comes in {trays[tray]} already"
    for row, values in tables["rack_parts"]:
        is_tray = values[column_place("rack_parts", "holds")] == TRAY
        of_rack = trays.get(values[0]) == values[column_place("rack_parts", "rack_id")]
        if is_tray and not of_rack:
            yield "rack_parts", row, "id", f"{values[0]} is not the tray of that rack"
        if not is_tray and catalog.part(values[0], but=("rack_parts",)):
            yield "rack_parts", row, "id", f"{values[0]} is a part of another kind"


def _of_rack(row: int, rack: RackSystem, tables: Tables, catalog: Catalog) -> Iterator[_Fault]:
    missing = [name for name in NEEDED_FIGURES if rack.figure(name) is None]
    if missing:
        yield "rack_systems", row, "id", f"{rack.id} needs its {missing[0]} in rack_figures.csv"
        return
    kinds = [part.holds for part in rack.parts]
    shares = sum(part.price_per_mille for part in rack.parts)
    is_whole = kinds[:1] == [TRAY] and kinds[-1:] == [FRAME] and kinds.count(TRAY) == kinds.count(FRAME) == 1
    at = {values[0]: number for number, values in tables["rack_parts"]}
    if not is_whole or rack.parts[-1].quantity != 1 or rack.parts[0].id != rack.tray_id:
        first = at[rack.parts[0].id] if rack.parts else None
        yield "rack_parts", first, "holds", f"the parts of {rack.id} are its trays first, one frame last"
    elif shares != PER_MILLE:
        message = f"the parts of {rack.id} have {shares} thousandths of its price"
        yield "rack_parts", at[rack.parts[0].id], "price_per_mille", message
    elif rack.needed("typical_w") > rack.needed("max_w"):
        yield "rack_systems", row, "id", f"{rack.id} draws more typically than at most"
    for part in rack.parts[:-1] if is_whole else ():
        placed = sum(block.n_units for block in rack.blocks if block.holds == part.holds)
        if placed != part.quantity * part.rack_units:
            message = (
                f"{placed} U of {rack.id} hold {part.holds}, and {part.quantity} of {part.rack_units} U do not fit"
            )
            yield "rack_parts", at[part.id], "quantity", message
