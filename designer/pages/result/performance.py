"""The performance tab: a collective against size and GPU count, beside measured runs, other designs and steps more."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

from designer.charts.scaling import curves_of, designs_chart, efficiency_chart, size_chart
from designer.charts.vega import chosen
from designer.models import Calibration, Design
from designer.services.designs.results import result_of
from designer.services.designs.state import fresh
from designer.services.link_lists import is_outdated, refuse_outdated
from designer.wording.context import Context
from designer.wording.headlines import limit_name
from designer.wording.names import COLLECTIVES
from designer.wording.numbers import count, message_size, percent
from designer.wording.query import one_of
from estimator.calibration.held_out import Coverage, coverage
from estimator.calibration.measured import CLASS_LABELS, Run, measured_runs
from estimator.catalog.loader import load_catalog
from estimator.compare.sensitivity import Sensitivity, sensitivity
from estimator.errors import EstimatorError
from estimator.jobs.models import EstimateJob
from estimator.performance.result import BuiltSystem, Curves, Performance
from estimator.record import Given
from estimator.result import PricedEstimate
from estimator.spec.parse import parse_spec
from estimator.version import MODEL_VERSION

REACH = {"one": "on one scale-up domain", "several": "over several domains"}
MOST_BESIDE = 3
DESIGNS_OFFERED = 100
KEPT = 32


def performance_context(job: EstimateJob, estimate: PricedEstimate, design_id: UUID, query: Given) -> Context:
    """Charts, figures by GPU count, and what was requested beside them."""
    performance = estimate.performance
    collective = one_of(query.get("collective"), COLLECTIVES)
    curves, efficiency, system = curves_of(performance, collective), performance.efficiency, performance.system
    if curves is None or efficiency is None or system is None:
        why = performance.missing or _why_none(performance)
        return {"is_predicted": False, "why": why, "lacks_gpu": performance.missing is not None}
    sizes = [str(size) for size in efficiency.message_bytes]
    size = one_of(query.get("size"), sizes[::-1])
    dots = measured_beside(system, collective, curves.gpus)
    others = offered(job.owner_id, design_id)
    beside = _beside(job, dict(others), query, collective)
    shown = [(estimate.spec.name, curves), *((one.name, one.curves) for one in beside if one.curves)]
    return {
        "is_predicted": True,
        "collective": collective,
        "collectives": COLLECTIVES,
        "collective_name": COLLECTIVES[collective],
        "size": size,
        "sizes": [(value, message_size(int(value))) for value in sizes],
        "charts": [
            size_chart(curves, collective, "busbw", dots),
            size_chart(curves, collective, "time", dots),
            efficiency_chart(efficiency, collective, sizes.index(size)),
            *([designs_chart(shown, collective)] if len(shown) > 1 else []),
        ],
        "by_count": by_count(performance, curves, collective),
        "held": band_record(performance, collective, curves.gpus),
        "offered": others,
        "with": [*(one.pk for one in beside), ""][:MOST_BESIDE],
        "without_table": [one.name for one in beside if not one.curves],
        "random": performance.all_reduce and performance.all_reduce.both_placements,
        "calibrations_offered": list(Calibration.objects.filter(owner_id=job.owner_id).only("pk", "name")),
        "steps": _steps(job) if query.get("steps") else None,
    }


def _why_none(performance: Performance) -> str:
    if performance.predicted_all_reduce and not performance.efficiency:
        return "This estimate was made before all collectives were predicted. A new one follows by itself."
    return "One GPU has nothing to exchange."


class ByCount(NamedTuple):
    """What the largest message reaches on so many GPUs, what limits it, and the size at half of the plateau."""

    gpus: int
    busbw_gb_s: float
    limited_by: str
    algorithm: str | None
    validated: bool
    line_rate_gb_s: float
    line_rate_of: str
    share: float
    half_bytes: int
    small_us: float
    held: str | None
    """How often bands of this kind held; None where no record is kept."""


def by_count(performance: Performance, curves: Curves, collective: str) -> list[ByCount]:
    """A row for each of a few GPU counts; none where efficiencies were not predicted."""
    if not performance.efficiency or not performance.half_bandwidth_bytes:
        return []
    found, half = performance.efficiency.of[collective], performance.half_bandwidth_bytes.of[collective]
    return [
        ByCount(
            gpus=curves.gpus[at],
            busbw_gb_s=curves.busbw_gb_s[at][-1],
            limited_by=limit_name(curves.limited_by[at][-1]),
            algorithm=curves.algorithm[at][-1],
            validated=curves.validated[at][-1],
            line_rate_gb_s=found.line_rate_gb_s[at],
            line_rate_of=found.line_rate_of[at],
            share=found.collective[at][-1],
            half_bytes=half[at],
            small_us=curves.time_us[at][0],
            held=held_words(performance, collective, curves.gpus[at]),
        )
        for at in chosen(curves.gpus, 8)
    ]


def _record(performance: Performance, collective: str, domains: str) -> list[Coverage]:
    """How bands of large, middle and small messages held; none of a calibrated design, or of links that are not NVLink."""
    system = performance.system
    gpu = load_catalog().gpus.get(system.gpu or "") if system else None
    if performance.calibration or gpu is None or "nvlink" not in gpu.scale_up_link.lower():
        return []
    return [one for one in coverage() if (one.collective, one.domains) == (collective, domains)]


def _domains(performance: Performance, gpus: int) -> str:
    domain = performance.system.scale_up_domain_gpus if performance.system else None
    return "one" if gpus <= (domain or 1) else "several"


def held_words(performance: Performance, collective: str, gpus: int) -> str | None:
    """How often bands of large messages held at sites that the fit had not seen, on how many sites."""
    record = _record(performance, collective, _domains(performance, gpus))
    return _held(record[0]) if record else None


def _held(one: Coverage) -> str:
    if one.inside is None:
        return "no site to compare with" if one.sites == 0 else "one site alone"
    sites = f"{count(one.sites)} site{'s' if one.sites > 1 else ''}"
    return f"held {percent(one.inside, 2)} of {count(one.points)} points, {sites}"


def band_record(performance: Performance, collective: str, gpus: Sequence[int]) -> list[str]:
    """The same of every size class, for each reach that the GPU counts have: "over several domains: ≥ 64 MiB held …"."""
    out = []
    for domains in dict.fromkeys(_domains(performance, n) for n in gpus if n > 1):
        record = _record(performance, collective, domains)
        if record:
            out.append(
                f"{REACH[domains]}: " + "; ".join(f"{CLASS_LABELS[one.size_class]} {_held(one)}" for one in record)
            )
    return out


def measured_beside(system: BuiltSystem, collective: str, gpus: Sequence[int]) -> dict[int, list[Run]]:
    """Healthy runs of the library's own choice on the same GPUs, and beyond one domain on the same network, by GPU count."""
    out: dict[int, list[Run]] = {}
    for run in measured_runs():
        is_plain = (
            run.health == "healthy" and not run.algorithm and not run.protocol and run.launch == "process-per-gpu"
        )
        if run.collective == collective and run.gpus in gpus and is_plain and _is_like(run, system):
            out.setdefault(run.gpus, []).append(run)
    return out


def _is_like(run: Run, system: BuiltSystem) -> bool:
    keys = ["gpu"]
    if run.n_domains > 1:
        keys += ["fabric", "nic_gbit_s", "nics_per_node", "in_network_reduction"]
    domain = system.scale_up_domain_gpus or run.scale_up_domain_gpus
    return domain == run.scale_up_domain_gpus and all(run.system[key] == getattr(system, key) for key in keys)


def offered(owner_id: Any, design_id: UUID) -> list[tuple[str, str]]:
    """The owner's other designs, the last changed first, as (id, name)."""
    rows = Design.objects.filter(owner_id=owner_id).exclude(pk=design_id).values_list("pk", "name")
    return [(str(pk), name) for pk, name in rows[:DESIGNS_OFFERED]]


class Beside(NamedTuple):
    """Another design beside this one; no curves where it has no present estimate with a prediction."""

    pk: str
    name: str
    curves: Curves | None


def _beside(job: EstimateJob, known: Mapping[str, str], query: Given, collective: str) -> list[Beside]:
    """The designs of ``known`` (id → name) that are requested beside this one, with the tables of their latest estimates."""
    asked = query.getlist("with") if hasattr(query, "getlist") else query.get("with", [])
    wanted = [pk for pk in dict.fromkeys(asked) if pk in known][:MOST_BESIDE]
    return [Beside(pk, known[pk], _curves_of(job, pk, collective)) for pk in wanted]


def _curves_of(job: EstimateJob, pk: str, collective: str) -> Curves | None:
    digest = fresh(Design.objects.get(pk=pk)).spec_hash
    rows = EstimateJob.objects.filter(owner_id=job.owner_id, spec_hash=digest, state=EstimateJob.State.SUCCEEDED)
    found = rows.order_by("-created_at").first()
    estimate = result_of(found) if found and not is_outdated(found) else None
    return curves_of(estimate.performance, collective) if estimate else None


def _steps(job: EstimateJob) -> Sensitivity | Context:
    try:
        return sensitivity_of(job)
    except EstimatorError as error:
        return {"cannot": [problem.message for problem in error.problems]}


def sensitivity_of(job: EstimateJob) -> Sensitivity:
    """What one step more would cost and bring a finished estimate's design.

    Raises
    ------
    OutdatedEstimate
        If model or catalog have changed since.
    """
    refuse_outdated(job)
    return _sensitivity_of(job.pk, MODEL_VERSION, job.catalog_version)


@lru_cache(maxsize=KEPT)
def _sensitivity_of(job_id: UUID, model: str, catalog_version: str) -> Sensitivity:
    """Kept, as a finished estimate never changes; versions are part of the key."""
    catalog = load_catalog()
    spec = parse_spec(EstimateJob.objects.defer("result").get(pk=job_id).spec, catalog)
    return sensitivity(spec, catalog)
