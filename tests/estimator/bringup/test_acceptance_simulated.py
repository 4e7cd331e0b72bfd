"""Sites drawn by chance: 10 % lost at one rail or leaf is found and located, and healthy sites pass."""

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from estimator.bringup.acceptance.gates import Contract, Path
from estimator.bringup.acceptance.judge import verdicts
from estimator.bringup.acceptance.lines import spread_of_band
from estimator.bringup.acceptance.matching import Judged, Matched, matched
from estimator.bringup.acceptance.readers.files import Reading
from estimator.bringup.acceptance.readers.reading import Measured, Place
from estimator.bringup.acceptance.stragglers import stragglers_of
from estimator.calibration.logs.read import ParsedLog
from tests.estimator.bringup.sites import four_units

N_SITES = 200
LOSS = 0.10
RUN_SPREAD = 0.01
UNITS, RAILS = 4, 8
INSIDE, NETWORK = ("node",), ("pair_all_gather", "rack", "rail", "leaf_pair", "cluster_all_reduce", "cluster_alltoall")


@dataclass(frozen=True)
class Fault:
    """What is 10 % down: a rail, or the leaf of a unit on it; nothing where the rail is 0."""

    rail: int = 0
    unit: int = 0

    def slows(self, rail: int | None, units: tuple[int, ...]) -> bool:
        """Whether a run on this rail (None: all of them) and these units is held up."""
        on_rail = self.rail and rail in (None, self.rail)
        return bool(on_rail and (not self.unit or not units or self.unit in units))


def runs(contract: Contract) -> Iterator[tuple[Path, Place, int | None, tuple[int, ...]]]:
    """(gate, place, rail, units) of every run of a site: 1 in 4 of the pairs, all of the rest."""
    site = contract.site

    def path(code: str) -> Path:
        return next(one for one in contract.paths if one.code == code)

    for node in range(0, 128, 4):
        yield path("node"), Place(nodes=(site.nodes[node],)), 0, ()
        unit = node // 32 + 1
        yield path("pair_all_gather"), Place(nodes=site.nodes[node : node + 2]), None, (unit,)
        yield path("rack"), Place(rack=site.racks[node // 4]), None, (unit,)
    for rail in range(1, RAILS + 1):
        yield path("rail"), Place(rail=rail), rail, ()
        for unit in range(1, UNITS + 1):
            beside = unit % UNITS + 1
            leaves = (f"leaf-r{rail}-{unit:03d}", f"leaf-r{rail}-{beside:03d}")
            yield path("leaf_pair"), Place(leaves=leaves, rail=rail), rail, (unit, beside)
    for collective in ("all_reduce", "alltoall"):
        yield path(f"cluster_{collective}"), Place(other="all"), None, ()


def site_drawn(contract: Contract, draw: random.Random, fault: Fault) -> list[Judged]:
    """Verdicts of one site: the model errs alike for all of a family, and each run for itself; a healthy path fills the wire."""
    errors = {code: error for family in (INSIDE, NETWORK) for error in [draw.gauss(0, 1)] for code in family}
    found: list[Matched] = []
    for path, place, rail, units in runs(contract):
        band, part = path.band, path.part
        healthy = band.expected * math.exp(errors[path.code] * spread_of_band(band.expected, band.low))
        lost = LOSS if fault.slows(rail, units) else 0.0
        value = min(healthy, band.ceiling) * (1 - lost) * math.exp(draw.gauss(0, RUN_SPREAD))
        assert part is not None
        log = ParsedLog("made", part.collective, part.n_gpus, path.n_nodes, "process-per-gpu", (), None, (), (), 0)
        measured = Measured("collective", value, path.sizes.judged, log=log)
        placed = Place(path.code, place.nodes, place.rail, place.leaves, place.rack, place.other)
        found.append(matched(Reading(f"{path.code} {placed.words}", placed, measured), contract))
    return verdicts(found, contract)


def test_healthy_sites_pass() -> None:
    contract, draw = four_units(), random.Random(14)
    alarms = sum(any(path.verdict == "fail" for path in site_drawn(contract, draw, Fault())) for _ in range(N_SITES))
    assert alarms <= 0.02 * N_SITES


@pytest.mark.parametrize("kind", ["rail", "leaf"])
def test_a_tenth_lost_at_one_rail_or_leaf_is_caught(kind: str) -> None:
    contract, draw = four_units(), random.Random(13)
    caught = 0
    for _ in range(N_SITES):
        rail, unit = draw.randint(1, RAILS), draw.randint(1, UNITS)
        fault = Fault(rail, unit if kind == "leaf" else 0)
        paths = site_drawn(contract, draw, fault)
        name = str(rail) if kind == "rail" else f"leaf-r{rail}-{unit:03d}"
        found = stragglers_of(paths, contract)
        caught += bool(found) and (found[0].kind, found[0].name) == (kind, name)
    assert caught >= 0.95 * N_SITES
