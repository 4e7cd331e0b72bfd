"""How many parts fail in a year, how often that stops a job that spans the cluster, and whether the spares bought will do.

Rates are rows ``afr-*`` of economics.csv, each with its range, basis and source. Parts fail independently of each other
and of age: expected counts are rate × parts (docs/failures.md).
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from estimator.bom.lines import NIC, SWITCH, BomLine
from estimator.cabling.tiers import NODE_LEAF
from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import COMPUTE
from estimator.cost.result import AnyCause, ExpectedFailures, FailingPart, JobStops
from estimator.fabric.ratios import groups_of
from estimator.fabric.sized import SizedFabric
from estimator.ranges import Range, total_of
from estimator.spec.design import DesignSpec
from estimator.units import HOURS_PER_YEAR

GPU_ROWS, HOST_ROWS, NIC_ROWS = (
    ("afr-gpu-all",),
    ("afr-psu", "afr-ssd", "afr-cpu", "afr-chassis", "afr-dram"),
    ("afr-nic",),
)
ANY_CAUSE = "afr-all-llama"
NO_PART = "afr-other-llama"
OTHER = "other"
OF_SERVERS = ("gpu", "host")  # classes that are no part of the network
_CABLE_ROWS = {
    "transceiver": "afr-optic",
    "aoc": "afr-aoc",
    "dac": "afr-dac",
    "acc": "afr-acc-aec",
    "lacc": "afr-acc-aec",
    "aec": "afr-acc-aec",
}
LEAST_EXPECTED = 1.0  # failures a year below which a class without spares is not called short


class Failing(NamedTuple):
    """One kind of part: how many there are, how many fail, how many of the failures stop a job, and its spares.

    ``n_stopping`` are the parts whose loss takes an endpoint off the network; ``spares`` is None for what no spare is
    bought of, ``spare_row`` the row of economics.csv (and key of the request) that sets how many are.
    """

    name: str
    part: str | None
    n: int
    n_stopping: int
    rows: tuple[str, ...]
    spares: int | None = None
    spare_row: str | None = None

    def rate(self, catalog: Catalog) -> Range[float]:
        """Events of one part in a year."""
        return total_of(catalog.economics[row].ends for row in self.rows)

    def answer(self, catalog: Catalog) -> FailingPart:
        """The kind as it is answered."""
        rate, rows = self.rate(catalog), [catalog.economics[row] for row in self.rows]
        due = self.n * rate.typical
        return FailingPart(
            class_=self.name,
            part=self.part,
            n=self.n,
            rate_per_year=_range(rate),
            failures_per_year=_range(rate * self.n),
            stopping_per_year=_range(rate * self.n_stopping),
            spares=self.spares,
            spares_last_years=round(self.spares / due, 2) if self.spares and due else None,
            basis=sorted({row.basis for row in rows}),
            as_of=max(row.as_of for row in rows),
            sources=sorted({catalog.sources[row.source].title for row in rows}),
            rates=list(self.rows),
        )


def _range(ends: Range[float]) -> Range[float]:
    """To six digits."""
    return ends.each(lambda end: float(f"{end:.6g}"))


def failing_parts(spec: DesignSpec, fabric: SizedFabric, lines: Iterable[BomLine], catalog: Catalog) -> list[Failing]:
    """GPUs, hosts, NICs, and every part of the bill of materials that has a rate; fibres have none and are left out."""
    lines = list(lines)
    nics = fabric.n_nodes * (spec.compute.nics_per_node or 1)
    nic_spares = sum(line.spare_quantity for line in lines if line.category == NIC)
    has_nics = any(line.category == NIC for line in lines)
    return [
        Failing("gpu", spec.compute.gpu, fabric.n_gpus, fabric.n_gpus, GPU_ROWS),
        Failing("host", spec.compute.server, fabric.n_nodes, fabric.n_nodes, HOST_ROWS),
        Failing(
            "nic", None, nics, nics, NIC_ROWS, nic_spares if has_nics else None, "spare-nics" if has_nics else None
        ),
        *_switches(lines, cutting_switches(fabric)),
        *_cabling(lines, catalog),
    ]


def cutting_switches(fabric: SizedFabric) -> dict[str, int | None]:
    """By tier, how many switches take endpoints along: leaves (None: all), and what stands alone over several of them."""
    lone = [group for group in groups_of(fabric) if group.spines == 1 and group.leaves > 1]
    cores = 1 if fabric.tiers == 3 and sum(fabric.wiring.cores) == 1 else 0
    return {
        "leaf": None,
        "spine": sum(group.n for group in lone) * fabric.n_components,
        "core": cores * fabric.n_components,
    }


def failure_row(line: BomLine, catalog: Catalog) -> str | None:
    """The row of economics.csv that says how often a part of the network fails; None for what has none."""
    if line.category == SWITCH:
        return "afr-switch"
    if line.category == NIC:
        return NIC_ROWS[0]
    cable = catalog.cables.get(line.part or "")
    return _CABLE_ROWS.get(cable.kind) if cable else None


def _switches(lines: list[BomLine], cutting: dict[str, int | None]) -> Iterator[Failing]:
    for part, mine in _by_part(line for line in lines if line.category == SWITCH):
        stopping = sum(_stopping(line.quantity, cutting.get(line.use, 0)) for line in mine if line.fabric == COMPUTE)
        yield Failing(
            "switch",
            part,
            sum(line.quantity for line in mine),
            stopping,
            ("afr-switch",),
            sum(line.spare_quantity for line in mine),
            "spare-switches" if part else None,
        )


def _stopping(quantity: int, cutting: int | None) -> int:
    return quantity if cutting is None else min(quantity, cutting)


def _cabling(lines: list[BomLine], catalog: Catalog) -> Iterator[Failing]:
    """A transceiver or cable of one part at all its lengths; a spare of another length is as good only if it is longer."""
    for part, mine in _by_part(line for line in lines if line.part in catalog.cables):
        kind = catalog.cables[part or ""].kind
        if kind in _CABLE_ROWS:
            yield Failing(
                "optic" if kind == "transceiver" else kind,
                part,
                sum(line.quantity for line in mine),
                sum(line.quantity for line in mine if line.tier == NODE_LEAF and line.fabric == COMPUTE),
                (_CABLE_ROWS[kind],),
                sum(line.spare_quantity for line in mine),
                mine[0].spare_row,
            )


def _by_part(lines: Iterable[BomLine]) -> Iterator[tuple[str | None, list[BomLine]]]:
    parts: dict[str | None, list[BomLine]] = {}
    for line in lines:
        parts.setdefault(line.part, []).append(line)
    yield from parts.items()


def expected_failures(parts: list[Failing], fabric: SizedFabric, catalog: Catalog) -> ExpectedFailures:
    """``expected`` of the Estimate's failures: parts, their sum, and the time between stops of a job on all GPUs."""
    failures, stops = (total_of(p.rate(catalog) * getattr(p, n) for p in parts) for n in ("n", "n_stopping"))
    of_network = total_of(p.rate(catalog) * p.n_stopping for p in parts if p.name not in OF_SERVERS)
    any_cause = catalog.economics[ANY_CAUSE].ends * fabric.n_gpus
    return ExpectedFailures(
        parts=[part.answer(catalog) for part in parts],
        failures_per_year=_range(failures),
        stops_per_year=_range(stops),
        network_stops_per_year=_range(of_network),
        hours_between_stops=_range(_hours_between(stops)),
        any_cause=AnyCause(
            rate=ANY_CAUSE,
            stops_per_year=_range(any_cause),
            hours_between_stops=_range(_hours_between(any_cause)),
        ),
    )


def job_stops(expected: ExpectedFailures, n_gpus: int, catalog: Catalog) -> JobStops:
    """Stops of a job that a design's own parts cause, and what software, maintenance and unknown causes add to them.

    Parameters
    ----------
    expected : of the design.
    n_gpus : of the design; a job on fewer of them has its share of the network's parts.
    """
    other = catalog.economics[NO_PART].ends
    by_cause: dict[str, float] = {}
    for part in expected.parts:
        by_cause[part.class_] = by_cause.get(part.class_, 0.0) + part.stopping_per_year.typical / n_gpus
    return JobStops(
        per_gpu_year=_range(expected.stops_per_year * (1 / n_gpus) + other),
        by_cause={**by_cause, OTHER: other.typical},
    )


def _hours_between(stops: Range[float]) -> Range[float]:
    """The low end is that of the most stops."""
    return Range(HOURS_PER_YEAR / stops.high, HOURS_PER_YEAR / stops.typical, HOURS_PER_YEAR / stops.low)


def short_of_spares(parts: Iterable[Failing], catalog: Catalog) -> dict[str, list[Failing]]:
    """Parts of which more fail in a typical year than spares are bought, by the row that sets their spares."""
    out: dict[str, list[Failing]] = {}
    for part in parts:
        due = part.n * part.rate(catalog).typical
        if part.spare_row and part.spares is not None and due >= LEAST_EXPECTED and due > part.spares:
            out.setdefault(part.spare_row, []).append(part)
    return out
