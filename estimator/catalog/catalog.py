"""Everything the estimator knows about parts and prices, made from the tables of the catalog."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from estimator.catalog.aliases import Parts
from estimator.catalog.currency import USD, Rate, half_up
from estimator.catalog.grades import GRADED_KINDS, Grade, Grades
from estimator.catalog.ports import COMPUTE, SwitchPorts, network_of, switch_ports
from estimator.catalog.price_choice import chosen_price
from estimator.catalog.price_evidence import EvidenceBook
from estimator.catalog.price_records import (
    ANCHORS,
    BOOKS,
    BRANDED,
    DEALER,
    STREET,
    Price,
    PriceEvidence,
    PriceMethod,
    PriceRule,
)
from estimator.catalog.rack_records import RackBlock, RackFigure, RackPart, RackSystem, part_prices
from estimator.catalog.records import (
    AuxPort,
    Breakout,
    Cable,
    DefaultLength,
    DiagnosisConstant,
    Economic,
    FabricDefault,
    FloorDefault,
    Generation,
    Gpu,
    ModelConstant,
    Nic,
    NicMode,
    NicPort,
    OpenQuestion,
    PcieLimit,
    PortNaming,
    RateStep,
    RdmaName,
    Server,
    ServerNetwork,
    ServerPort,
    Source,
    Switch,
    SwitchCage,
    VendorUnit,
)
from estimator.ranges import NOTHING
from estimator.record import Given, Json
from estimator.units import CENTS_PER_USD

if TYPE_CHECKING:
    from estimator.catalog.tables import Tables

PriceKey = tuple[str, str, str]  # part, book, piece or metre
PART_KINDS = ("switches", "nics", "gpus", "servers", "cables", "racks", "rack_parts")
KINDS = (*PART_KINDS, "economics", "generations", "constants", "sources")


@dataclass
class PartRecords:
    """Parts beside those of the files: of one's own, or a part of the catalog otherwise equipped."""

    switches: dict[str, Switch] = field(default_factory=dict)
    nics: dict[str, Nic] = field(default_factory=dict)
    servers: dict[str, Server] = field(default_factory=dict)
    cables: dict[str, Cable] = field(default_factory=dict)
    naming: dict[str, PortNaming] = field(default_factory=dict)
    prices: list[Price] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)
    grades: dict[str, Grade] = field(default_factory=dict)


class Catalog:
    """Everything the estimator knows about parts and prices.

    ``switches``, ``nics``, ``gpus``, ``servers``, ``cables``, ``economics``, ``generations`` and ``sources`` map an id
    to its record, ``constants`` a name (``"name"`` or ``"name[index]"``) to its ModelConstant. ``version`` changes
    when any file does.
    """

    def __init__(self, tables: Tables) -> None:
        self.version = tables.version
        self._of_files: Catalog | None = None
        self.aliases: dict[str, str] = {v[0]: v[1] for _, v in tables["aliases"]}
        self.sources: dict[str, Source] = _by_id(tables, "sources", Source)
        self.switches: Parts[Switch] = self._parts(
            tables,
            "switches",
            Switch,
            ("switch_cages", SwitchCage),
            ("switch_breakouts", Breakout),
            ("switch_aux_ports", AuxPort),
        )
        self.nics: Parts[Nic] = self._parts(tables, "nics", Nic, ("nic_ports", NicPort), ("nic_modes", NicMode))
        self.gpus: Parts[Gpu] = self._parts(tables, "gpus", Gpu)
        self.servers: Parts[Server] = self._parts(tables, "servers", Server, ("server_networks", ServerNetwork))
        self.cables: Parts[Cable] = self._parts(tables, "cables", Cable)
        self.economics: dict[str, Economic] = _by_id(tables, "economics", Economic)
        self.generations: dict[str, Generation] = _by_id(tables, "generations", Generation)
        self.constants = {constant_key(v[0], v[1]): ModelConstant(*v) for _, v in tables["model_constants"]}
        self.diagnosis: dict[str, DiagnosisConstant] = {v[0]: DiagnosisConstant(*v) for _, v in tables["diagnosis"]}
        self.connector_fit: dict[str, tuple[str, ...]] = {v[0]: v[1] for _, v in tables["connector_fit"]}
        self.connector_lanes: dict[str, int] = {v[0]: v[2] for _, v in tables["connector_fit"]}
        self.rate_history: dict[str, RateStep] = {v[0]: RateStep(*v) for _, v in tables["rate_history"]}
        self.default_lengths: dict[str, DefaultLength] = {v[0]: DefaultLength(*v) for _, v in tables["default_lengths"]}
        self.fabric_defaults = {v[0]: FabricDefault(*v) for _, v in tables["fabric_defaults"]}
        self.floor_defaults: dict[str, FloorDefault] = {v[0]: FloorDefault(*v) for _, v in tables["floor_defaults"]}
        self.racks, self.rack_parts = _racks(tables)
        self._rack_of_tray = {rack.tray_id: rack for rack in self.racks.values()}
        self._rack_of_part = {part.id: (rack, part) for rack in self.racks.values() for part in rack.parts}
        self.port_naming: dict[str, PortNaming] = {v[0]: PortNaming(*v) for _, v in tables["port_naming"]}
        self.vendor_units = {(v[0], v[1], v[2]): VendorUnit(*v) for _, v in tables["vendor_units"]}
        self.rdma_names: dict[str, RdmaName] = {v[0]: RdmaName(*v) for _, v in tables["rdma_names"]}
        self.server_ports: dict[str, tuple[ServerPort, ...]] = {}
        for _, (server_id, *port) in tables["server_ports"]:
            self.server_ports[server_id] = (*self.server_ports.get(server_id, ()), ServerPort(*port))
        self.pcie_limits = {(v[0], v[1]): PcieLimit(*v) for _, v in tables["pcie_limits"]}
        self.exchange_rates = tuple(
            Rate(currency, usd, as_of, basis, self._source_line(source))
            for _, (currency, usd, as_of, basis, source, _note) in tables["exchange_rates"]
        )
        self.price_rules: dict[str, PriceRule] = {v[0]: PriceRule(*v) for _, v in tables["price_rules"]}
        self.price_methods: dict[str, PriceMethod] = {v[0]: PriceMethod(*v) for _, v in tables["price_methods"]}
        self.price_evidence = tuple(PriceEvidence(*v) for _, v in tables["price_evidence"])
        listed = [Price(*v) for _, v in tables["prices"]]
        self.priced_on: str = max([price.as_of for price in listed] + [row.date for row in self.price_evidence])
        self.evidence = EvidenceBook(
            self.price_evidence,
            self.price_methods,
            self.exchange_rates,
            self.priced_on,
            self.kind_of,
            self._port_gbit_s(),
        )
        self._price_rows: dict[PriceKey, tuple[Price, ...]] = {}
        for price in listed:
            self._add_price(price)
        for price in self.evidence.prices():
            if (price.part_id, price.book, price.per) not in self._price_rows:
                self._add_price(price)
        self._price_rack_parts()
        self._prices = {key: chosen for key in self._price_rows if (chosen := self._chosen(key, 1))}
        for price in _planning_prices(self):
            self._add_price(price)
            self._prices[price.part_id, price.book, price.per] = price
        self.grades = Grades(tables["grades"])
        self._questions = [OpenQuestion(*v) for _, v in tables["open_questions"]]
        self._source_ids: dict[str, list[str]] = {}
        for _, (record_id, source_id) in tables["record_sources"]:
            self._source_ids.setdefault(record_id, []).append(source_id)

    @property
    def of_files(self) -> Catalog:
        """The one without them, of a catalog with more parts in it (``with_records``)."""
        return self._of_files or self

    def _price_rack_parts(self) -> None:
        """What a rack's price says of its parts: prices.csv has none of their own (checks.py)."""
        of_racks = [(key[0], row) for key, rows in self._price_rows.items() if key[0] in self.racks for row in rows]
        for rack_id, row in of_racks:
            for price in part_prices(self.racks[rack_id], row):
                self._add_price(price)

    def _add_price(self, price: Price) -> None:
        key = price.part_id, price.book, price.per
        self._price_rows[key] = (*self._price_rows.get(key, ()), price)

    def _port_gbit_s(self) -> dict[str, int]:
        """The sum of each switch's ports, one direction."""
        return {
            key: sum(cage.n_cages * cage.cage_rate_gbit_s for cage in switch.cages)
            for key, switch in self.switches.items()
        }

    def _parts(self, *args: Any) -> Parts[Any]:
        return Parts(_by_id(*args), self.aliases)

    def current_id(self, part_id: str) -> str:
        """Today's id of a part; an id that was never renamed is its own."""
        return self.aliases.get(part_id, part_id)

    def kind_of(self, part_id: str) -> str | None:
        """Which kind of part an id names."""
        return next((kind for kind in PART_KINDS if part_id in getattr(self, kind)), None)

    def price(self, part_id: str, book: str = STREET, per: str = "piece") -> Price | None:
        """Price of a part, or None where the catalog has none.

        ``book`` is one of BOOKS: ``"street"`` (evidence), ``"anchors"`` (planning prices), ``"dealer"`` or ``"branded"`` (one
        channel). A part that a book lacks takes the price of the next (``fallbacks``), and the Price says in ``book`` which
        it is. ``per`` is ``"piece"`` or ``"metre"``: a cable of a given length costs a piece plus its metres.
        """
        if book not in BOOKS:
            raise ValueError(f"price book {book!r} is none of {', '.join(BOOKS)}")
        part_id = self.current_id(part_id)
        return next((found for one in fallbacks(book) if (found := self._prices.get((part_id, one, per)))), None)

    def price_for(self, part_id: str, book: str, per: str, quantity: int, region: str | None = None) -> Price | None:
        """As ``price``, of so many pieces for a buyer of a region: by quantity breaks and regions (price_choice.py)."""
        part_id = self.current_id(part_id)
        for one in fallbacks(book):
            key = part_id, one, per
            rows = self._price_rows.get(key, ())
            chosen = self._prices.get(key) if len(rows) < 2 and region is None else self._chosen(key, quantity, region)
            if chosen:
                return chosen
        return None

    def _chosen(self, key: PriceKey, quantity: int, region: str | None = None) -> Price | None:
        return chosen_price(self._price_rows.get(key, ()), quantity, region, self.priced_on)

    def prices_of(self, part_id: str, book: str) -> tuple[Price, ...]:
        """Every price that a book of the catalog has of a part, as the file lists them."""
        return tuple(p for per in ("piece", "metre") for p in self._price_rows.get((part_id, book, per), ()))

    def questions_of(self, part_id: str) -> tuple[OpenQuestion, ...]:
        """What sources leave open about a part."""
        return tuple(q for q in self._questions if q.record_id == self.current_id(part_id))

    def evidence_of(self, part_id: str) -> tuple[PriceEvidence, ...]:
        """Prices of a part that were seen somewhere, those that do not count included."""
        return tuple(row for row in self.price_evidence if row.part_id == part_id)

    def part(self, part_id: str, but: Iterable[str] = ()) -> tuple[str, Any] | None:
        """(kind, record) of a part, or None; ``but`` names kinds that are left out."""
        kinds = (kind for kind in PART_KINDS if kind not in but and part_id in getattr(self, kind))
        return next(((kind, getattr(self, kind)[part_id]) for kind in kinds), None)

    def part_ids(self) -> list[str]:
        """Ids of every part that can have a price, kind by kind."""
        return [part_id for kind in PART_KINDS for part_id in getattr(self, kind)]

    def numbered(self, part_number: str) -> list[str]:
        """Ids of the parts that vendors give this number, in capitals or not."""
        number = part_number.casefold()
        parts = ((part_id, part) for kind in PART_KINDS for part_id, part in getattr(self, kind).items())
        return [i for i, part in parts if number in map(str.casefold, getattr(part, "part_numbers", None) or ())]

    def sources_of(self, record_id: str) -> tuple[Source, ...]:
        """The sources that a record cites."""
        return tuple(self.sources[s] for s in self._source_ids.get(record_id, ()))

    def records(self, kind: str) -> list[Json]:
        """JSON-ready records of one of KINDS; parts carry their prices, with basis, source and date."""
        if kind not in KINDS:
            raise ValueError(f"no kind {kind!r}; kinds are {', '.join(KINDS)}")
        table: Given = getattr(self, kind)
        return [self._as_json(kind, key, record) for key, record in table.items()]

    def _as_json(self, kind: str, key: str, record: Any) -> Json:
        out: Json = {"id": key} | _plain(record)
        if kind in GRADED_KINDS:
            out |= self._grades_as_json(key, record)
        if kind in PART_KINDS:
            out["prices"] = [
                _plain(p) | {"source": self._source_line(p.source)} for book in BOOKS for p in self.prices_of(key, book)
            ]
            out["price_evidence"] = [
                _plain(row) | {"counts": self.evidence.counts(row)} for row in self.evidence_of(key)
            ]
        if kind == "economics":
            out["source"] = self._source_line(record.source)
        if kind in (*PART_KINDS, "economics"):
            out["sources"] = [_plain(s) for s in self.sources_of(key)]
        return out

    def _grades_as_json(self, part_id: str, record: Any) -> Json:
        def plain(grade: Grade) -> Json:
            line = self._source_line(grade.source) if grade.source else None
            return {"grade": grade.grade, "source": line, "as_of": grade.as_of}

        of_fields = self.grades.of_fields(part_id, record)
        return {
            "grade": plain(self.grades.of_record(part_id)),
            "field_grades": {field: plain(grade) for field, grade in sorted(of_fields.items())},
            "open_questions": [question.question for question in self.questions_of(part_id)],
        }

    def _source_line(self, source_id: str) -> str:
        source = self.sources[source_id]
        return f"{source.title} ({source.date})" if source.date else source.title

    def source_text(self, source_id: str, as_of: str) -> str:
        """A source as a bill of materials prints it: title and date."""
        return f"{self.sources[source_id].title}, {as_of}"

    def server(self, server_id: str | None) -> Server | None:
        """The server of a design; None for a custom one."""
        return self.servers.get(server_id or "")

    def rack_of(self, server_id: str | None) -> RackSystem | None:
        """The rack system that a server is a compute tray of; None for a server that stands by itself."""
        return self._rack_of_tray.get(server_id or "")

    def rack_part(self, part_id: str) -> tuple[RackSystem, RackPart] | None:
        """The rack system that a part comes in, and its row there; None for what is bought by itself."""
        return self._rack_of_part.get(part_id)

    def compute_network(self, server_id: str | None) -> ServerNetwork | None:
        """A server's network for GPU traffic; None for a custom server, or one that has none."""
        return self.network(server_id, COMPUTE)

    def network(self, server_id: str | None, role: str) -> ServerNetwork | None:
        """A server's network for the fabric of a role; None for a custom server, or one that has none."""
        server = self.server(server_id)
        return network_of(server, role) if server else None

    def switch_ports(self, switch_id: str, port_rate_gbit_s: int) -> SwitchPorts | None:
        """Ports of a switch at a port rate, and how many share a cage; None if it has no such mode (see ports.py)."""
        return switch_ports(self.switches[switch_id], port_rate_gbit_s)

    def default(self, site_key: str) -> float:
        """Cable length of a key of the site, such as ``"node_leaf_m"``, when the request says nothing. [m]"""
        return self.default_lengths[site_key.removesuffix("_m")].length_m

    def default_switch(self, generation: str) -> Switch:
        """The switch taken for a fabric generation when none is named; ``generations.csv`` says why."""
        return self.switches[self.generations[generation].default_switch]

    def usual_switch(self, generation: str, rates_gbit_s: tuple[int, ...]) -> Switch:
        """The generation's default switch, or where that lacks one of these port rates the first available one that has all."""
        default = self.default_switch(generation)
        usable = [s for s in self.switches.values() if s.protocol == default.protocol and s.status == "available"]
        having = (s for s in (default, *usable) if all(switch_ports(s, rate) for rate in rates_gbit_s))
        return next(having, default)

    def default_nic(self, generation: str) -> Nic:
        """The NIC taken for a custom server of a fabric generation."""
        return self.nics[self.generations[generation].default_nic]


def with_records(catalog: Catalog, records: PartRecords) -> Catalog:
    """The catalog with more parts in it, and the prices of those given in the place of what it had; itself stays as it is.

    Its version too stays: what else an answer rests on is in the request, which brings these parts.
    """
    other = copy.copy(catalog)
    other._of_files = catalog.of_files
    for kind in ("switches", "nics", "servers", "cables"):
        setattr(other, kind, Parts({**getattr(catalog, kind), **getattr(records, kind)}, catalog.aliases))
    other.port_naming = catalog.port_naming | records.naming
    other.sources = catalog.sources | records.sources
    other.grades = catalog.grades.with_rows(records.grades)
    other.rdma_names = catalog.rdma_names | {
        nic.vendor: _any_vendor(catalog, nic.vendor)
        for nic in records.nics.values()
        if nic.vendor not in catalog.rdma_names
    }
    replaced = {price.part_id for price in records.prices}
    other._price_rows = {key: rows for key, rows in catalog._price_rows.items() if key[0] not in replaced}
    other._prices = {key: price for key, price in catalog._prices.items() if key[0] not in replaced}
    for price in records.prices:
        other._add_price(price)
    keys = dict.fromkeys((price.part_id, price.book, price.per) for price in records.prices)
    other._prices |= {key: chosen for key in keys if (chosen := other._chosen(key, 1))}
    other._source_ids = catalog._source_ids | {part_id: [part_id] for part_id in records.sources}
    return other


def _any_vendor(catalog: Catalog, vendor: str) -> RdmaName:
    """Names of RDMA devices of a vendor that the catalog does not know: the ones most NICs have."""
    usual = next(iter(catalog.rdma_names.values()))
    return usual._replace(vendor=vendor, basis="assumption")


def _planning_prices(catalog: Catalog) -> Iterator[Price]:
    """A price of the anchors book for each part that a planning price rules."""
    for rule in catalog.price_rules.values():
        if rule.anchor and rule.anchor in catalog.economics:
            yield _planned(rule, catalog.economics[rule.anchor], catalog)


def _planned(rule: PriceRule, anchor: Economic, catalog: Catalog) -> Price:
    """So many units of the anchor; optics that are inside at the price of the same book."""
    optics = catalog.price(rule.optics_part, ANCHORS) if rule.optics_part else None
    inside = optics.cents if optics else NOTHING
    low, typical, high = (
        half_up(Fraction(str(usd)) * rule.units * CENTS_PER_USD) + rule.n_optics * module
        for usd, module in zip(anchor.ends, inside, strict=True)
    )
    return Price(
        part_id=rule.part_id,
        book=ANCHORS,
        per="piece",
        low_cents=low,
        typical_cents=typical,
        high_cents=high,
        currency=USD,
        basis="seed",
        source=anchor.source,
        as_of=anchor.as_of,
        note=rule.note,
        region=None,
        min_quantity=1,
        valid_from=None,
        valid_to=None,
    )


def fallbacks(book: str) -> tuple[str, ...]:
    """The books that are searched, in order: planning prices lack what no seed rules, a channel what it never sold."""
    if book == ANCHORS:
        return ANCHORS, STREET
    return (book, STREET, ANCHORS) if book in (DEALER, BRANDED) else (STREET, ANCHORS)


def constant_key(name: str, index: str | None) -> str:
    """Key of a model constant: ``"name"``, or ``"name[index]"``."""
    return f"{name}[{index}]" if index else name


def _by_id(tables: Tables, name: str, record: Callable[..., Any], *children: tuple[str, Callable[..., Any]]) -> Any:
    """Records of a table by id, each with its rows of the child tables as tuples."""
    groups: list[dict[str, list[Any]]] = []
    for table, child in children:
        group: dict[str, list[Any]] = {}
        for _, values in tables[table]:
            group.setdefault(values[0], []).append(child(*values[1:]))
        groups.append(group)
    return {v[0]: record(*v, *(tuple(group.get(v[0], ())) for group in groups)) for _, v in tables[name]}


def _racks(tables: Tables) -> tuple[dict[str, RackSystem], dict[str, RackPart]]:
    """Rack systems by id, and what they hold beside their trays by id."""
    parts: dict[str, list[RackPart]] = {}
    for _, values in tables["rack_parts"]:
        part = RackPart(*values)
        parts.setdefault(part.rack_id, []).append(part)
    racks: dict[str, RackSystem] = _by_id(
        tables, "rack_systems", RackSystem, ("rack_figures", RackFigure), ("rack_layouts", RackBlock)
    )
    racks = {key: rack._replace(parts=tuple(parts.get(key, ()))) for key, rack in racks.items()}
    return racks, {part.id: part for rack in racks.values() for part in rack.own_parts}


def _plain(values: Any) -> Any:
    """Records become objects and tuples lists, as in JSON."""
    if hasattr(values, "_asdict"):
        values = values._asdict()
    if isinstance(values, dict):
        return {key: _plain(value) for key, value in values.items()}
    if isinstance(values, Iterable) and not isinstance(values, str):
        return [_plain(value) for value in values]
    return values
