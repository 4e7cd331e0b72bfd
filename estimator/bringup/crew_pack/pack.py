"""The files of a crew pack, made one after the other; large designs leave out what would take minutes, and say so."""

import csv
import io
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from estimator.bom.facility import nodes_per_rack
from estimator.bom.lines import CABLE, FIBER, MODULE, RACK_SYSTEM, is_rack
from estimator.bom.result import BomLine
from estimator.bringup.checklist.places import Places, places_of
from estimator.bringup.crew_pack.cables import CrewCable, crew_cables, order_number, racks_of
from estimator.bringup.crew_pack.elevations import RACKS_A_FILE, drawn, svg_of
from estimator.cabling.bundles import bundles_of, numbers_of
from estimator.cabling.links import LinkList
from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import COMPUTE
from estimator.errors import Problem, SpecError
from estimator.fabric.devices import NODE
from estimator.floor.plan import FloorPlan
from estimator.handoff.cells import Cell, guarded
from estimator.handoff.xlsx_p2p import tool_ports
from estimator.link_list import link_lists
from estimator.pipeline import estimate
from estimator.spec.design import DesignSpec
from estimator.units import M_PER_FOOT
from estimator.version import MODEL_VERSION

MOST_LINKS = 400_000
MOST_RACKS = 4_000  # in elevations: a page a rack row of four
MOST_SHEET_LABELS, MOST_ROLL_LABELS = 60_000, 10_000  # as PDF: more come as CSV alone
PARTS = ("counts", "links", "cables", "bom")
ORDERED = (CABLE, FIBER, MODULE)
INFINIBAND = "infiniband"
END_COLUMNS = ("rack", "unit", "device", "cage", "port")
CABLE_COLUMNS = (
    *("label", "identifier", "network", "tier", "part", "order_number", "medium", "length_m", "needed_m"),
    *(f"near_{name}" for name in END_COLUMNS),
    *(f"far_{name}" for name in END_COLUMNS),
    *("further_near", "further_far", "part_name"),
)
ORDER_COLUMNS = (
    *("category", "part", "order_number", "description", "length_m", "quantity", "spares", "already_owned", "total"),
    *("unit_price_usd_low", "unit_price_usd_typical", "unit_price_usd_high", "price_basis", "price_source", "assumed"),
)
RACK_COLUMNS = ("rack", "unit", "device", "cage", "port", "label", "identifier", "to", "length_m", "order_number")
BUNDLE_COLUMNS = (
    *("bundle", "network", "tier", "switch", "position", "label", "identifier", "length_m", "order_number"),
    *("cables_in_bundle", "longest_m"),
)
LABEL_COLUMNS = ("label", "end", "line_1", "line_2", "line_3", "line_4")


class Crew(NamedTuple):
    """What the files are made of."""

    name: str
    spec_hash: str
    catalog: Catalog
    networks: tuple[LinkList, ...]
    places: Places
    cables: tuple[CrewCable, ...]
    bom: tuple[BomLine, ...]
    floor: FloorPlan | None
    in_feet: bool = False
    """Whether lengths on printed labels are in feet; tables have metres."""

    @property
    def foot(self) -> str:
        """Which design the papers are of."""
        return f"spec {self.spec_hash} · model {MODEL_VERSION} · catalog {self.catalog.version[:12]}"


def crew_of(spec: DesignSpec, catalog: Catalog, most_links: int = MOST_LINKS) -> Crew:
    """Everything that a crew pack is made of.

    Raises
    ------
    InfeasibleDesign
        If the design cannot be built.
    SpecError
        If it has more than ``most_links`` links.
    """
    (made,) = estimate([spec], catalog, PARTS)
    n_links = sum(network.links.total for network in made.fabrics.values())
    if n_links > most_links:
        way_out = (
            "Make one of each pod" if most_links == MOST_LINKS else "Take the command line, or make one of each pod"
        )
        message = f"A crew pack is of {most_links:,} links at most, and this design has {n_links:,}. {way_out}."
        raise SpecError([Problem("compute.nodes", "too_many_links", message)])
    networks = link_lists(spec, catalog)
    catalog = networks[0].catalog  # the design's own parts are in it
    bom = tuple(made.bom.lines if made.bom else ())
    racks = [line for line in bom if is_rack(line.category, line.use)]
    places = places_of(
        networks,
        max(sum(line.quantity for line in racks), 1),
        sum(line.quantity for line in racks if line.category == RACK_SYSTEM),
        nodes_per_rack(catalog.server(spec.compute.server), catalog),
    )
    cables = tuple(cable for links in networks for cable in crew_cables(links, places))
    floor = networks[0].plan.floor
    return Crew(spec.name, networks[0].spec_hash, catalog, networks, places, cables, bom, floor)


@dataclass(frozen=True, slots=True)
class CrewFile:
    """One file of the pack; ``why_not`` says why a design has none, "" where it has."""

    name: str
    purpose: str
    content_type: str
    write: Callable[[Crew], Iterator[bytes]]
    why_not: Callable[[Crew], str] = lambda crew: ""


# ---------------------------------------------------------------- lists


def _cables(crew: Crew) -> Iterator[bytes]:
    return _csv(CABLE_COLUMNS, (_cable(one) for one in crew.cables))


def _cable(one: CrewCable) -> tuple[Cell, ...]:
    near, far = one.near[0], one.far[0]
    further = (" ".join(end.identifier for end in ends[1:]) or None for ends in (one.near, one.far))
    what = (one.part, one.order_number, one.medium, one.length_m, one.measured_m)
    return (one.label, one.identifier, one.network, one.tier, *what, *near, *far, *further, one.part_name)


def _orders(crew: Crew) -> Iterator[bytes]:
    return _csv(ORDER_COLUMNS, map(tuple, order_rows(crew)))


def order_rows(crew: Crew) -> list[tuple[Cell, ...]]:
    """A line a part and length, however many uses it has; ``total`` is to be bought, at this price, which is from there."""
    lines: dict[tuple[str, str | None, str, float | None], list[BomLine]] = {}
    for line in crew.bom:
        if line.category in ORDERED:
            lines.setdefault((line.category, line.part, line.description, line.length_m), []).append(line)
    return [_order(own, crew.catalog) for own in lines.values()]


def _order(own: Sequence[BomLine], catalog: Catalog) -> tuple[Cell, ...]:
    line = own[0]
    record = catalog.cables.get(line.part or "")
    number = order_number(record, line.length_m) if record and line.length_m is not None else line.part_number
    pieces, spares = sum(one.quantity for one in own), sum(one.spare_quantity for one in own)
    owned, total = sum(one.owned_quantity or 0 for one in own), sum(one.bought for one in own)
    what = (line.category, line.part, number, line.description, line.length_m, pieces, spares, owned, total)
    price: tuple[Cell, ...] = tuple(line.unit_price_usd) if line.unit_price_usd else (None, None, None)
    return (*what, *price, line.price_basis, line.price_source, line.assumption)


def _by_rack(crew: Crew) -> Iterator[bytes]:
    def rows() -> Iterator[tuple[Cell, ...]]:
        for rack, ends in racks_of(crew.cables).items():
            for end, cable in ends:
                far = cable.far[0] if end in cable.near else cable.near[0]
                where = (rack, end.unit, end.device, end.cage, end.port)
                yield (*where, cable.label, cable.identifier, far.identifier, cable.length_m, cable.order_number)

    return _csv(RACK_COLUMNS, rows())


def _by_bundle(crew: Crew) -> Iterator[bytes]:
    by_number = {(cable.network, cable.number): cable for cable in crew.cables}

    def rows() -> Iterator[tuple[Cell, ...]]:
        for links in crew.networks:
            for n, bundle in enumerate(bundles_of(links), start=1):
                name = f"B{n:04d}" if links.role == COMPUTE else f"{links.role}-B{n:04d}"
                head = (name, bundle.role, bundle.tier, bundle.device)
                for position, number in enumerate(numbers_of(bundle.labels), start=1):
                    cable = by_number[links.role, number]
                    what = (cable.label, cable.identifier, cable.length_m, cable.order_number)
                    yield (*head, position, *what, bundle.n_cables, bundle.longest_m)

    return _csv(BUNDLE_COLUMNS, rows())


def _hca_map(crew: Crew) -> Iterator[bytes]:
    """Port of a host, as the point-to-point sheet numbers it → name of its RDMA device."""
    links = crew.networks[0]
    labels = links.labels[NODE]
    pairs = dict.fromkeys(zip(tool_ports(links, NODE)[0], labels.ports, strict=True))
    yield ("port,hca-name\n" + "".join(f"{port},{name}\n" for port, name in pairs)).encode()


def _no_hca_map(crew: Crew) -> str:
    return _no_hca_map_of(crew.networks[0].spec, crew.catalog)


def _no_hca_map_of(spec: DesignSpec, catalog: Catalog) -> str:
    if catalog.generations[spec.fabric.generation].protocol != INFINIBAND:
        return "The HCA map is for InfiniBand, and the compute network is Ethernet: the tool names its ports rail1, rail2 …"
    return ""


# ---------------------------------------------------------------- labels


def labels_of(crew: Crew, *, in_feet: bool = False) -> Iterator[tuple[str, str, str, str, str, str]]:
    """Two labels a cable and one more for each further end: number, this end, far end, length with order number."""
    for cable in crew.cables:
        for side, ends, other in (("near", cable.near, cable.far[0]), ("far", cable.far, cable.near[0])):
            for end in ends:
                stock = f"{_length(cable.length_m, in_feet)} {cable.order_number}".strip()
                yield (cable.label, side, cable.label, end.identifier, f"to {other.identifier}", stock)


def _length(length_m: float, in_feet: bool) -> str:
    return f"{length_m / M_PER_FOOT:.3g} ft" if in_feet else f"{length_m:g} m"


def n_labels(crew: Crew) -> int:
    """Labels of all ends."""
    return sum(len(cable.near) + len(cable.far) for cable in crew.cables)


def _label_csv(crew: Crew) -> Iterator[bytes]:
    return _csv(LABEL_COLUMNS, labels_of(crew))


def _label_pdf(sheet: str) -> Callable[[Crew], Iterator[bytes]]:
    def write(crew: Crew) -> Iterator[bytes]:
        from estimator.bringup.crew_pack.printed import SHEETS, labels_pdf  # start-up time: reportlab

        yield labels_pdf(
            (one[2:] for one in labels_of(crew, in_feet=crew.in_feet)), SHEETS[sheet], f"Labels: {crew.name}"
        )

    return write


def _too_many_labels(most: int) -> Callable[[Crew], str]:
    def why(crew: Crew) -> str:
        n = n_labels(crew)
        return f"{n:,} labels, and a PDF has {most:,} at most: labels.csv has all of them." if n > most else ""

    return why


# ---------------------------------------------------------------- racks


def _elevations_pdf(crew: Crew) -> Iterator[bytes]:
    from estimator.bringup.crew_pack.printed import elevations_pdf  # start-up time: reportlab

    yield elevations_pdf(_floor(crew), f"Rack elevations: {crew.name}", crew.foot)


def svg_files(crew: Crew) -> Iterator[tuple[str, bytes]]:
    """Elevations of all racks, RACKS_A_FILE a file."""
    plan = _floor(crew)
    for n, first in enumerate(range(0, plan.n_racks, RACKS_A_FILE), start=1):
        numbers = range(first, min(first + RACKS_A_FILE, plan.n_racks))
        title = f"{crew.name}: racks {plan.names[numbers[0]]} to {plan.names[numbers[-1]]}"
        yield f"elevations-{n:03d}.svg", "".join(svg_of(drawn(plan, numbers), title)).encode()


def _floor(crew: Crew) -> FloorPlan:
    if crew.floor is None:
        raise SpecError([Problem("site.plan", "missing", NO_FLOOR)])
    return crew.floor


NEEDS_FLOOR = "Elevations need a floor plan, and this design has none."
NO_FLOOR = f"{NEEDS_FLOOR} Give site.plan, which may be empty: {{}}."


def _no_elevations(crew: Crew) -> str:
    if crew.floor is None:
        return NO_FLOOR
    if crew.floor.n_racks > MOST_RACKS:
        return f"{crew.floor.n_racks:,} racks, and elevations are drawn of {MOST_RACKS:,} at most. Make a pack of each pod."
    return ""


CSV_TYPE, PDF_TYPE = "text/csv; charset=utf-8", "application/pdf"
CREW_FILES = {
    one.name: one
    for one in (
        CrewFile("cables.csv", "every cable: both ends, part, order number, length", CSV_TYPE, _cables),
        CrewFile("orders.csv", "cables and transceivers to order, by number and length", CSV_TYPE, _orders),
        CrewFile("cables-by-rack.csv", "what ends in each rack, from the top down", CSV_TYPE, _by_rack),
        CrewFile("cables-by-bundle.csv", "bundles in the order in which they are pulled", CSV_TYPE, _by_bundle),
        CrewFile("labels.csv", "a line a label, for label printers", CSV_TYPE, _label_csv),
        CrewFile(
            "labels-a4-65.pdf",
            "A4 sheets of 65 labels, 38.1 × 21.2 mm",
            PDF_TYPE,
            _label_pdf("a4-65"),
            _too_many_labels(MOST_SHEET_LABELS),
        ),
        CrewFile(
            "labels-a4-24.pdf",
            "A4 sheets of 24 labels, 70 × 37 mm",
            PDF_TYPE,
            _label_pdf("a4-24"),
            _too_many_labels(MOST_SHEET_LABELS),
        ),
        CrewFile(
            "labels-roll.pdf",
            "a label a page, 50.8 × 25.4 mm, for roll printers",
            PDF_TYPE,
            _label_pdf("roll"),
            _too_many_labels(MOST_ROLL_LABELS),
        ),
        CrewFile("elevations.pdf", "fronts of all racks, four a page", PDF_TYPE, _elevations_pdf, _no_elevations),
        CrewFile(
            "hca-mapping.csv",
            "port numbers of hosts to HCA names, for NVIDIA’s Cable Validation Tool",
            CSV_TYPE,
            _hca_map,
            _no_hca_map,
        ),
    )
}


def crew_file(name: str) -> CrewFile:
    """A file by its name.

    Raises
    ------
    SpecError
        For a name that is none of CREW_FILES.
    """
    if name not in CREW_FILES:
        message = f"Files of a crew pack are {', '.join(CREW_FILES)}, and {name[:40]!r} was requested."
        raise SpecError([Problem("file", "not_a_choice", message)])
    return CREW_FILES[name]


def left_out(spec: DesignSpec, catalog: Catalog) -> dict[str, str]:
    """Files that a pack of this design has not, as far as the request says it, with the reason: nothing is sized."""
    reasons = {
        "hca-mapping.csv": _no_hca_map_of(spec, catalog),
        "elevations.pdf": "" if spec.site.plan is not None else NEEDS_FLOOR,
    }
    return {name: reason for name, reason in reasons.items() if reason}


def written(crew: Crew, name: str) -> Iterator[bytes]:
    """One file.

    Raises
    ------
    SpecError
        Where the design has none, with the reason.
    """
    file = crew_file(name)
    if reason := file.why_not(crew):
        raise SpecError([Problem("file", "no_such_file", reason)])
    return file.write(crew)


def archive(crew: Crew) -> Iterator[bytes]:
    """A zip of all files, each written when it is made; ``left-out.txt`` says which the design has not, and why."""
    missing = []
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as files:
        for name, file in CREW_FILES.items():
            if reason := file.why_not(crew):
                missing.append(f"{name}: {reason}\n")
                continue
            with files.open(_entry(name), "w") as target:
                for piece in file.write(crew):
                    target.write(piece)
        if not _no_elevations(crew):
            for name, content in svg_files(crew):
                files.writestr(_entry(name), content)
        files.writestr(_entry("left-out.txt"), "".join(missing) or "Nothing is left out.\n")
    yield out.getvalue()


def _entry(name: str) -> zipfile.ZipInfo:
    """Without a date of its own, which would make two archives of one design differ."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _csv(header: Sequence[str], rows: Iterator[tuple[Cell, ...]]) -> Iterator[bytes]:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(header)
    for n, row in enumerate(rows, start=1):
        writer.writerow([guarded(cell) for cell in row])
        if n % 4096 == 0:
            yield text.getvalue().encode()
            text.seek(0)
            text.truncate()
    yield text.getvalue().encode()
