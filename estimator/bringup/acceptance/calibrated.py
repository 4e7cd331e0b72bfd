"""What the results say of the model's constants, so that predictions and placements follow the paths as measured.

The gates measure one path each, so each sets what it measures: bandwidth inside a domain by the gates of nodes and domains,
over the network by pairs and rails, between leaves by leaf pairs. A constant is the catalog's times the middle share of the
healthy expectation that its gates show, whatever the reason: a slow path is followed, and named among the stragglers.
"""

from collections.abc import Iterable, Sequence
from statistics import median

from estimator.bringup.acceptance.gates import Contract
from estimator.bringup.acceptance.matching import Matched
from estimator.bringup.acceptance.result import SiteCalibration
from estimator.calibration.diagnosis import diagnosis
from estimator.calibration.logged_run import LoggedRun, log_system, run_of
from estimator.calibration.result import Fault
from estimator.catalog.catalog import Catalog
from estimator.performance.bandwidth import gpu_facts
from estimator.spec.calibration import parameter_name

MAX_DIAGNOSED = 50
INSIDE = ("node", "domain")
OVER = ("pair_all_reduce", "pair_all_gather", "rack", "rail")
INSIDE_CONSTANTS = ("ring_efficiency", "nvls_efficiency")
PAIRS_INSIDE, PAIRS_OVER = ("pair_efficiency", "domain"), ("pair_efficiency", "network")
SEND_INSIDE = ("send_efficiency", "domain")


def calibration_of(
    found: Sequence[Matched], contract: Contract, catalog: Catalog
) -> tuple[SiteCalibration | None, list[Fault]]:
    """(constants as measured, likely faults); None and nothing where no collective was run."""
    runs = [one for one in found if one.reading.measured.log and not one.shows_tree]
    if not runs:
        return None, []
    given = contract.expectations.constants
    facts = gpu_facts(catalog.gpus[contract.site.system["gpu"]], given)
    fabric = str(contract.site.system["fabric"])
    parameters: dict[str, float] = {}

    def set_to(share: float | None, keys: Iterable[tuple[str, str]]) -> None:
        for name, index in keys:
            if share is None or (key := given.key(name, index)) is None:
                continue
            row = given.row(*key)
            value = given.given(*key)
            parameters[parameter_name(key)] = float(f"{share * (float(row.value) if value is None else value):.5g}")

    inside = _share(runs, INSIDE)
    set_to(inside, [*((name, facts.generation) for name in INSIDE_CONSTANTS), PAIRS_INSIDE, SEND_INSIDE])
    over = _share(runs, OVER)
    set_to(over, [("network_efficiency", f"{fabric}.{facts.generation}"), PAIRS_OVER])
    uplinks = _share(runs, ("leaf_pair",))
    if uplinks is not None:
        balancing = str(contract.site.system.get("load_balancing") or "adaptive")
        if given.has("uplink_share", balancing):
            set_to(min(uplinks / (over or 1.0), 1.0), [("uplink_share", balancing)])
    name = f"acceptance of {contract.site.name}"[:200]
    made = SiteCalibration(name=name, parameters=parameters) if parameters else None
    return made, _faults(runs, contract, catalog)


def _share(runs: Sequence[Matched], gates: Sequence[str]) -> float | None:
    """Middle share of the expectation over the gates; None where none was run, or what ran did not use the path."""
    shares = [
        one.share for one in runs if one.path.code in gates and one.reading.measured.value <= one.judged_band.ceiling
    ]
    return median(shares) if shares else None


def _faults(runs: Sequence[Matched], contract: Contract, catalog: Catalog) -> list[Fault]:
    """Likely faults of the runs of whole nodes, each gate's slowest ones."""
    slowest = sorted((one for one in runs if one.path.part and not one.path.part.system), key=lambda one: one.share)
    system = {key: value for key, value in contract.site.system.items() if key not in ("gpu",)}
    logged: list[LoggedRun] = []
    for one in slowest[:MAX_DIAGNOSED]:
        log, part = one.reading.measured.log, one.path.part
        if log is None or part is None:
            continue
        asked = log_system({**system, "gpu": contract.site.system["gpu"], "algorithm": part.algorithm})
        run, problems = run_of(log, asked, catalog)
        if run is not None and not any(problem.code == "no_network" for problem in problems):
            logged.append(run)
    return diagnosis(logged, catalog) if logged else []
