"""Racks of a bill of materials: what whole ones bring beside compute trays, rack cabinets with PDUs, and coolant distribution."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from estimator.bom.lines import COOLING, MANAGEMENT, RACK, RACK_SYSTEM, SWITCH, BomLine, first_number, parameter_line
from estimator.catalog.rack_records import FRAME, NVLINK_SWITCH, POWER_SHELF, SCALE_UP_SWITCH
from estimator.floor.whole_racks import SWITCH_TRAYS, WholeRacks, whole_racks
from estimator.units import W_PER_KW, ceil_div

if TYPE_CHECKING:
    from estimator.cabling.runs import CablePlan
    from estimator.catalog.catalog import Catalog
    from estimator.catalog.records import Server
    from estimator.fabric.sized import SizedFabric
    from estimator.spec.design import DesignSpec
    from estimator.spec.site import Site

RACK_ROW, COOLING_ROW = "rack-cost", "cdu-kw"
_RACK_USES = {
    NVLINK_SWITCH: "scale-up switch",
    SCALE_UP_SWITCH: "scale-up switch",
    POWER_SHELF: "power",
    FRAME: RACK,
}  # is_rack counts frames


def facility_lines(
    spec: DesignSpec, fabric: SizedFabric, plan: CablePlan, lines: Sequence[BomLine], catalog: Catalog
) -> Iterator[BomLine]:
    """Racks and coolant distribution of a design; ``lines`` are those of all its fabrics.

    Racks are those of the floor plan, or without one: nodes ÷ nodes a rack, and boxes of switches and managers by height
    and by how many a rack takes. Compute trays bring racks of their own. Coolant distribution is bought by the kilowatt
    of heat that liquid takes from servers, or whole racks, at most.
    """
    server, whole = catalog.server(spec.compute.server), whole_racks(spec, fabric.n_nodes, catalog)
    n_racks = plan.floor.n_racks if plan.floor else _n_racks(spec, fabric, server, lines, catalog)
    if n_bought := n_racks - (whole.n_racks if whole else 0):
        yield parameter_line(RACK, RACK_ROW, "rack", n_bought, catalog)
    if server and server.cooling == "liquid":
        watts = whole.liquid_w if whole else fabric.n_nodes * server.max_w * server.liquid_heat_share
        yield parameter_line(COOLING, COOLING_ROW, "kW of liquid heat", ceil_div(round(watts), W_PER_KW), catalog)


def rack_system_lines(racks: WholeRacks) -> Iterator[BomLine]:
    """What racks that are bought whole bring beside compute trays; the draw of all of it stands with the switch trays."""
    system, own = racks.system, racks.own
    drawing = next((part for part in system.own_parts if part.holds in SWITCH_TRAYS), system.parts[-1])
    for part in system.own_parts:
        watts = own.typical_w / drawing.quantity if part is drawing else 0.0
        name = f"{system.vendor} {system.model}: {part.model}"
        numbers = system.part_numbers if part.holds == FRAME else ()
        yield BomLine(
            RACK_SYSTEM,
            part.id,
            first_number(numbers),
            name,
            _RACK_USES[part.holds],
            None,
            part.quantity * racks.n_racks,
            watts,
        )


def _n_racks(
    spec: DesignSpec, fabric: SizedFabric, server: Server | None, lines: Iterable[BomLine], catalog: Catalog
) -> int:
    """Racks of a design without a floor plan."""
    return ceil_div(fabric.n_nodes, nodes_per_rack(server, catalog)) + _network_racks(spec.site, lines, catalog)


def nodes_per_rack(server: Server | None, catalog: Catalog) -> int:
    """Nodes of one rack: the trays of a whole one, the server's own figure, or what is supposed of a custom one."""
    rack = catalog.rack_of(server.id) if server else None
    if rack:
        return rack.n_trays
    return (server.per_rack if server else None) or int(catalog.floor_defaults["custom_nodes_per_rack"].value)


def _network_racks(site: Site, lines: Iterable[BomLine], catalog: Catalog) -> int:
    """Racks for switches and managers: as their height asks for, and no more boxes than a rack takes."""
    boxes = [(line.quantity, _units(line, catalog)) for line in lines if line.category in (SWITCH, MANAGEMENT)]
    defaults = catalog.floor_defaults
    room = int(defaults["rack_units"].value) - int(defaults["reserved_units"].value)
    by_height = ceil_div(sum(n * units for n, units in boxes), room)
    return max(by_height, ceil_div(sum(n for n, _ in boxes), int(defaults["switches_per_rack"].value)))


def _units(line: BomLine, catalog: Catalog) -> int:
    """Height of one box; a custom switch is as high as a small one."""
    record = catalog.switches.get(line.part or "") or catalog.servers.get(line.part or "")
    return record.rack_units if record else 1
