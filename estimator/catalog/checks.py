"""What must hold across the rows of the catalog; each check names the file, row and column it found wrong."""

from collections.abc import Iterable, Iterator, Mapping
from operator import itemgetter
from typing import Any

from estimator.catalog.catalog import Catalog
from estimator.catalog.grades import GRADED_KINDS
from estimator.catalog.ports import switch_ports
from estimator.catalog.price_evidence import CONTRADICTION, contradiction
from estimator.catalog.price_records import ANCHORS
from estimator.catalog.rack_checks import check_racks
from estimator.catalog.tables import COLUMNS, Tables, column_place
from estimator.errors import CatalogError
from estimator.units import CENTS_PER_USD

_PARTS = ("switches", "nics", "gpus", "servers", "cables", "rack_systems")
_KEYS: Mapping[str, tuple[str, ...]] = {
    "aliases": ("old_id",), "open_questions": ("record_id", "question"),
    "sources": ("id",), "record_sources": ("record_id", "source_id"), "switches": ("id",),
    "switch_cages": ("switch_id", "position"), "switch_breakouts": ("switch_id", "name"),
    "switch_aux_ports": ("switch_id", "name"), "nics": ("id",), "nic_ports": ("nic_id", "position"),
    "nic_modes": ("nic_id", "protocol", "port_rate_gbit_s"),
    "pcie_limits": ("pcie_gen", "pcie_lanes"), "gpus": ("id",), "servers": ("id",),
    "server_networks": ("server_id", "position"), "cables": ("id",), "connector_fit": ("cage_class",),
    "generations": ("id",), "rate_history": ("id",),
    "vendor_units": ("server_id", "generation", "planes"), "default_lengths": ("tier",), "floor_defaults": ("name",),
    "fabric_defaults": ("name",), "rack_systems": ("id",), "rack_figures": ("rack_id", "name"), "rack_parts": ("id",),
    "rack_layouts": ("rack_id", "position"),
    "prices": ("part_id", "book", "per", "region", "min_quantity", "basis", "as_of"),
    "price_rules": ("part_id",), "price_methods": ("part_id",), "exchange_rates": ("currency", "as_of"),
    "port_naming": ("switch_id",), "rdma_names": ("vendor",), "server_ports": ("server_id", "rail"),
    "economics": ("id",), "model_constants": ("name", "index"), "diagnosis": ("name",),
}  # fmt: skip
_RANGES = {
    "prices": ("low_cents", "typical_cents", "high_cents"),
    "price_evidence": ("low_cents", "typical_cents", "high_cents"),
    "economics": ("low", "typical", "high"),
    "model_constants": ("low", "value", "high"),
}
_POWERS = {
    "switches": ("typical_no_optics_w", "max_w"),
    "nics": ("typical_no_optics_w", "max_w"),
    "servers": ("typical_w", "max_w"),
}
_CHILDREN = {"switches": ("cages", "breakouts", "aux_ports"), "nics": ("ports", "modes"), "servers": ("networks",)}
_NAMES = {"breakouts": "name", "networks": "role"}  # children that have a grade each, and what names them


def check(tables: Tables, catalog: Catalog) -> None:
    """Raise CatalogError at the first thing that does not hold."""
    for table, key in _KEYS.items():
        _unique(tables, table, key)
    _parts_differ(tables)
    _aliases(tables)
    for table, columns in (_RANGES | _POWERS).items():
        _ascending(tables, table, columns)
    _references(tables, catalog)
    _grades(tables, catalog)
    _cages(tables, catalog)
    _port_names(tables, catalog)
    _cables(tables, catalog)
    _generations(tables, catalog)
    _rates(tables, catalog)
    _request_keys(tables)
    _failure_rates(tables)
    _prices(tables, catalog)
    _evidence(tables)
    _floor(tables, catalog)
    check_racks(tables, catalog)
    _fabric_defaults(tables, catalog)
    if len(catalog.default_lengths) != 5:
        raise CatalogError("default_lengths.csv", None, "tier", "each of the five tiers needs its row")
    _price_evidence(tables, catalog)


def _fail(table: str, row: int, column: str, message: str) -> CatalogError:
    return CatalogError(f"{table}.csv", row, column, message)


def _unique(tables: Tables, table: str, key: tuple[str, ...]) -> None:
    places = [column_place(table, column) for column in key]
    seen: dict[Any, int] = {}
    for row, values in tables[table]:
        name = tuple(values[place] for place in places)
        if (first := seen.setdefault(name, row)) != row:
            raise _fail(table, row, key[0], f"{' '.join(map(str, name))} stands on row {first} already")


def _parts_differ(tables: Tables) -> None:
    """One id names one part, whatever its kind: prices know only the id."""
    seen: dict[str, str] = {}
    for table in _PARTS:
        for row, values in tables[table]:
            if seen.setdefault(values[0], table) != table:
                raise _fail(table, row, "id", f"{values[0]} is an id of {seen[values[0]]}.csv already")


def _aliases(tables: Tables) -> None:
    """A former id is no part's id today, and leads to a part."""
    parts = {values[0] for table in _PARTS for _, values in tables[table]}
    for row, (old, now, *_) in tables["aliases"]:
        if old in parts:
            raise _fail("aliases", row, "old_id", f"{old} is the id of a part today")
        if now not in parts:
            raise _fail("aliases", row, "part_id", f"no part has the id {now}")


def _ascending(tables: Tables, table: str, columns: tuple[str, ...]) -> None:
    places = [column_place(table, column) for column in columns]
    for row, values in tables[table]:
        for lower, upper, column in zip(places, places[1:], columns[1:], strict=False):
            if values[lower] > values[upper]:
                below = list(COLUMNS[table])[lower]
                raise _fail(table, row, column, f"{values[upper]} is below the {below} of {values[lower]}")


def _references(tables: Tables, catalog: Catalog) -> None:
    parts = {values[0] for table in (*_PARTS, "rack_parts") for _, values in tables[table]}
    tables_of_figures = (
        "prices",
        "exchange_rates",
        "economics",
        "pcie_limits",
        "rate_history",
        "default_lengths",
        "floor_defaults",
        "fabric_defaults",
        "rack_figures",
        "rack_parts",
        "rack_layouts",
        "vendor_units",
    )
    cited = [(table, "source", catalog.sources) for table in tables_of_figures]
    known: list[tuple[str, str, Iterable[str]]] = [
        *cited,
        *((table, "source", catalog.sources) for table in ("grades", "open_questions", "port_naming", "nic_modes")),
        *((table, "source", catalog.sources) for table in ("rdma_names", "server_ports")),
        ("record_sources", "source_id", catalog.sources),
        ("record_sources", "record_id", parts | set(catalog.economics)),
        ("open_questions", "record_id", parts),
        ("prices", "part_id", parts),
        ("price_evidence", "part_id", parts),
        ("price_rules", "part_id", parts),
        ("price_methods", "part_id", parts),
        ("price_rules", "optics_part", catalog.cables),
        ("price_rules", "anchor", catalog.economics),
        ("switch_cages", "switch_id", catalog.switches),
        ("switch_breakouts", "switch_id", catalog.switches),
        ("switch_aux_ports", "switch_id", catalog.switches),
        ("nic_ports", "nic_id", catalog.nics),
        ("nic_modes", "nic_id", catalog.nics),
        ("port_naming", "switch_id", catalog.switches),
        ("server_ports", "server_id", catalog.servers),
        ("servers", "gpu_id", catalog.gpus),
        ("rack_layouts", "rack_id", catalog.racks),
        ("rack_figures", "rack_id", catalog.racks),
        ("rack_parts", "rack_id", catalog.racks),
        ("rack_systems", "tray_id", catalog.servers),
        ("server_networks", "server_id", catalog.servers),
        ("server_networks", "nic_id", catalog.nics),
        ("generations", "default_switch", catalog.switches),
        ("generations", "default_nic", catalog.nics),
        ("rate_history", "generation", catalog.generations),
        ("rate_history", "switch_id", catalog.switches),
        ("vendor_units", "server_id", catalog.servers),
        ("vendor_units", "generation", catalog.generations),
    ]
    for table, column, ids in known:
        place = column_place(table, column)
        for row, values in tables[table]:
            if values[place] is not None and values[place] not in ids:
                raise _fail(table, row, column, f"no record has the id {values[place]}")
    for table in ("switch_cages", "nic_ports", "server_networks"):
        _connectors(tables, table, "cage_classes", catalog)


def _connectors(tables: Tables, table: str, column: str, catalog: Catalog) -> None:
    place = column_place(table, column)
    for row, values in tables[table]:
        unknown = set(values[place]) - set(catalog.connector_fit)
        if unknown or not values[place]:
            names = ", ".join(sorted(unknown)) or "nothing"
            raise _fail(table, row, column, f"{names} is no class of connector_fit.csv")


def _prices(tables: Tables, catalog: Catalog) -> None:
    """A switch or NIC with a price has a rule; what a planning price rules has no row of its own in the anchors' book."""
    for row, values in tables["prices"]:
        starts, ends = values[-2:]
        if starts and ends and starts > ends:
            raise _fail("prices", row, "valid_to", f"{ends} is before the valid_from of {starts}")
        rule = catalog.price_rules.get(values[0])
        if values[1] == ANCHORS and rule and rule.anchor:
            message = (
                f"{values[0]} costs {rule.units} × {rule.anchor} there (price_rules.csv), so that it has no row here"
            )
            raise _fail("prices", row, "book", message)
    for table in ("switches", "nics"):
        for row, values in tables[table]:
            if values[0] not in catalog.price_rules and catalog.price(values[0]) is not None:
                message = (
                    f"{values[0]} has a price and no row in price_rules.csv: name the planning price that rules it there, or "
                    "say in the note why none does"
                )
                raise _fail(table, row, "id", message)
    for row, (part, anchor, *_, note) in tables["price_rules"]:
        if anchor is None and not note:
            raise _fail("price_rules", row, "note", f"must say why no planning price rules {part}")


def _price_evidence(tables: Tables, catalog: Catalog) -> None:
    """Methods lead to a price, and no default lies further from its own evidence than CONTRADICTION."""
    known = {values[0] for table in _PARTS for _, values in tables[table]}
    for row, values in tables["price_methods"]:
        for part in values[2]:
            if part not in known:
                raise _fail("price_methods", row, "parts", f"no record has the id {part}")
        if catalog.evidence.range_of(values[0]) is None:
            raise _fail("price_methods", row, "method", f"no price that counts stands behind {values[0]}")
    first_rows = {evidence[0]: number for number, evidence in reversed(tables["price_evidence"]) if evidence[0]}
    for part, number in sorted(first_rows.items(), key=itemgetter(1)):
        price = catalog.price(part)
        seen = [catalog.evidence.cents(row).typical for row in catalog.evidence.counted(part)]
        if price and (ratio := contradiction(price.typical_cents, seen)):
            message = (
                f"the default of {part}, ${price.typical_cents / CENTS_PER_USD:,.0f}, lies {ratio:.2f} × from the median of its "
                f"{len(seen)} prices that count; {float(CONTRADICTION):g} is the most. Fix it or say why a row is left out"
            )
            raise _fail("price_evidence", number, "typical_cents", message)


def _grades(tables: Tables, catalog: Catalog) -> None:
    """Every part has a grade; a row names fields of its part, each once, and claims no more than its source gives."""
    for kind in GRADED_KINDS:
        for row, values in tables[kind]:
            if values[0] not in catalog.grades:
                raise CatalogError(f"{kind}.csv", row, "id", f"{values[0]} has no row of its own in grades.csv")
    known = {kind: {"", *COLUMNS[kind], *_CHILDREN.get(kind, ())} for kind in GRADED_KINDS}
    seen: set[tuple[str, str]] = set()
    for row, (record, fields, grade, source, _) in tables["grades"]:
        found = catalog.part(record)
        if found is None or found[0] not in GRADED_KINDS:
            raise CatalogError("grades.csv", row, "record_id", f"no part has the id {record}")
        for field in fields or ("",):
            if field not in known[found[0]] and field not in _named_children(*found):
                raise CatalogError("grades.csv", row, "fields", f"{field} is no field of {record}")
            if (record, field) in seen:
                raise CatalogError(
                    "grades.csv", row, "fields", f"{field or 'the record'} of {record} has a grade already"
                )
            seen.add((record, field))
        if (catalog.sources[source].access in ("none", "planning")) != (grade == "assumption"):
            message = f"{source} gives {'an assumption' if grade != 'assumption' else 'more than an assumption'}"
            if grade != "assumption" or catalog.sources[source].access != "recalled":
                raise CatalogError("grades.csv", row, "grade", message)


def _named_children(kind: str, record: Any) -> Iterator[str]:
    """ "networks.compute": a child that has a grade of its own."""
    for child in _CHILDREN.get(kind, ()):
        if child in _NAMES:
            yield from (f"{child}.{getattr(one, _NAMES[child])}" for one in getattr(record, child))


def _cages(tables: Tables, catalog: Catalog) -> None:
    rate, links, link = (
        column_place("switch_cages", c) for c in ("cage_rate_gbit_s", "links_per_cage", "link_rate_gbit_s")
    )
    for row, v in tables["switch_cages"]:
        if v[links] * v[link] != v[rate]:
            raise _fail("switch_cages", row, "cage_rate_gbit_s", f"{v[rate]} is not {v[links]} links of {v[link]} Gb/s")
    for row, v in tables["switch_breakouts"]:
        biggest = max((c.cage_rate_gbit_s for c in catalog.switches[v[0]].cages), default=0)
        if v[2] * v[3] > biggest:
            message = f"{v[2]} × {v[3]} Gb/s is more than a cage of {biggest}"
            raise _fail("switch_breakouts", row, "link_rate_gbit_s", message)
    for row, v in tables["switches"]:
        switch = catalog.switches[v[0]]
        ports = {c.n_cages * c.links_per_cage // switch.switch_units for c in switch.cages}
        if switch.radix not in ports:
            raise _fail("switches", row, "radix", f"{switch.radix} is no count of ports of its cages {sorted(ports)}")
    total, known = column_place("nics", "total_rate_gbit_s"), {v[0]: v for _, v in tables["nics"]}
    for row, (nic, protocol, n_ports, port_rate, *_) in tables["nic_modes"]:
        if n_ports * port_rate > known[nic][total]:
            message = f"{n_ports} × {port_rate} Gb/s is more than the {known[nic][total]} of {nic}"
            raise _fail("nic_modes", row, "port_rate_gbit_s", message)
        if protocol not in catalog.nics[nic].protocols:
            raise _fail("nic_modes", row, "protocol", f"{nic} does not run {protocol}")
    for table in ("nics", "servers"):
        children = {"nics": "nic_ports", "servers": "server_networks"}[table]
        have = {values[0] for _, values in tables[children]}
        for row, values in tables[table]:
            if values[0] not in have:
                raise _fail(table, row, "id", f"{values[0]} has no row in {children}.csv")


def _port_names(tables: Tables, catalog: Catalog) -> None:
    """Every switch says how its ports are named, every NIC's vendor how its devices are; rails count up from 1."""
    for row, values in tables["switches"]:
        if values[0] not in catalog.port_naming:
            raise _fail("switches", row, "id", f"{values[0]} has no row in port_naming.csv")
    for row, values in tables["nics"]:
        if values[column_place("nics", "vendor")] not in catalog.rdma_names:
            raise _fail("nics", row, "vendor", f"{values[column_place('nics', 'vendor')]} has no row in rdma_names.csv")
    for server_id, ports in catalog.server_ports.items():
        if [port.rail for port in ports] != list(range(1, len(ports) + 1)):
            row = next(row for row, values in tables["server_ports"] if values[0] == server_id)
            raise _fail("server_ports", row, "rail", f"the rails of {server_id} do not count up from 1")


def _cables(tables: Tables, catalog: Catalog) -> None:
    for row, values in tables["cables"]:
        cable = catalog.cables[values[0]]
        if (cable.kind == "transceiver") != (cable.b_class is None):
            raise _fail("cables", row, "b_class", "a transceiver has no far end, and everything else has one")
        if cable.kind == "transceiver" and not (cable.connectors_per_module and cable.aggregate_gbit_s and cable.optic):
            raise _fail(
                "cables", row, "connectors_per_module", "a transceiver needs its rate, optic and fibre connectors"
            )
        if cable.reach_min_m > cable.reach_max_m:
            message = f"{cable.reach_max_m} is below the least reach of {cable.reach_min_m}"
            raise _fail("cables", row, "reach_max_m", message)
        ends = ((cable.a_count, cable.a_rate_gbit_s), (cable.b_count or 1, cable.b_rate_gbit_s))
        if cable.b_rate_gbit_s and ends[0][0] * (ends[0][1] or 0) != ends[1][0] * cable.b_rate_gbit_s:
            raise _fail("cables", row, "b_rate_gbit_s", "the two ends carry different rates")
        for fiber in cable.matching_fiber_ids:
            other = catalog.cables.get(fiber)
            if other is None or other.kind != "fiber":
                raise _fail("cables", row, "matching_fiber_ids", f"no fibre has the id {fiber}")
            if (other.medium, other.fiber_connector, other.polish) != (
                cable.medium,
                cable.fiber_connector,
                cable.polish,
            ):
                raise _fail("cables", row, "matching_fiber_ids", f"{fiber} has another medium, connector or polish")


def _rates(tables: Tables, catalog: Catalog) -> None:
    """A port carries what its lanes do, every generation of a request has its step, and what is sold says since when."""
    for row, values in tables["rate_history"]:
        step = catalog.rate_history[values[0]]
        if step.lanes * step.lane_gbit_s != step.port_rate_gbit_s:
            message = f"{step.port_rate_gbit_s} is not {step.lanes} lanes of {step.lane_gbit_s} Gb/s"
            raise _fail("rate_history", row, "port_rate_gbit_s", message)
        if (step.status == "available") != (step.since is not None and step.generation is not None):
            raise _fail(
                "rate_history", row, "status", "what is available has a year and a generation, and nothing else has"
            )


def _generations(tables: Tables, catalog: Catalog) -> None:
    for row, values in tables["generations"]:
        generation = catalog.generations[values[0]]
        if switch_ports(catalog.switches[generation.default_switch], generation.port_rate_gbit_s) is None:
            raise _fail(
                "generations",
                row,
                "default_switch",
                f"{generation.default_switch} has no ports of {generation.port_rate_gbit_s} Gb/s",
            )


FABRIC_NAMES = (
    "storage_ports_per_node",
    "inband_ports_per_node",
    "converged_ports_per_node",
    "oob_ports_per_node",
    "oob_uplinks_per_leaf",
    "oob_uplink_gbit_s",
    "pdus_per_rack",
    "pdus_per_network_rack",
    "network_rack_switch_units",
    "nodes_per_rack",
    "manager_inband_ports",
    "inband_ratio_down",
    "inband_ratio_up",
    "pair_peer_links",
)


def _fabric_defaults(tables: Tables, catalog: Catalog) -> None:
    """Every figure that storage and management networks need is there."""
    for name in FABRIC_NAMES:
        if name not in catalog.fabric_defaults:
            raise CatalogError("fabric_defaults.csv", None, "name", f"{name} needs its row")
    for row, values in tables["fabric_defaults"]:
        if values[0] not in FABRIC_NAMES:
            raise _fail("fabric_defaults", row, "name", f"{values[0]} is no figure of a network")


FLOOR_NAMES = (
    "rack_units",
    "reserved_units",
    "rack_weight_kg",
    "racks_per_row_least",
    "racks_per_row_most",
    "rack_pitch_m",
    "row_pitch_m",
    "tray_height_m",
    "slack_m",
    "slack_share",
    "switches_per_rack",
    "unit_racks_least",
    "panel_extra_m",
    "panel_ports",
    "custom_node_rack_units",
    "custom_nodes_per_rack",
)


def _floor(tables: Tables, catalog: Catalog) -> None:
    """Every figure that a floor plan needs is there, and nothing else is."""
    for name in FLOOR_NAMES:
        if name not in catalog.floor_defaults:
            raise CatalogError("floor_defaults.csv", None, "name", f"{name} needs its row")
    for row, values in tables["floor_defaults"]:
        if values[0] not in FLOOR_NAMES:
            raise _fail("floor_defaults", row, "name", f"{values[0]} is no figure of a floor plan")


def _evidence(tables: Tables) -> None:
    """A model constant that is no assumption says where it comes from."""
    basis, source = column_place("model_constants", "basis"), column_place("model_constants", "source")
    for row, values in tables["model_constants"]:
        if values[basis] != "assumption" and values[source] is None:
            raise _fail("model_constants", row, "source", f"is empty, and the basis is {values[basis]}")


def _request_keys(tables: Tables) -> None:
    """A key of a request replaces one row: that it is a key of ``economics`` is checked by tests, as spec/ lies above."""
    place, seen = column_place("economics", "request_key"), set()
    for row, values in tables["economics"]:
        if values[place] in seen:
            raise _fail("economics", row, "request_key", f"{values[place]} replaces another row already")
        seen |= {values[place]} - {None}


def _failure_rates(tables: Tables) -> None:
    """A rate counted from events must follow from them: events ÷ units ÷ days × 365."""
    places = [column_place("economics", c) for c in ("typical", "events", "event_units", "event_days")]
    for row, values in tables["economics"]:
        typical, events, units, days = (values[place] for place in places)
        if events is not None and abs(events * 365 / (days or 1) / (units or 1) - typical) > 1e-4:
            raise _fail("economics", row, "typical", f"{typical} is not what {events} events give")
