"""The performance tab: a collective against size and GPU count, beside measured runs, other designs and steps more."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any
from uuid import UUID

from designer.charts.scaling import designs_chart, efficiency_chart, size_chart, table_of
from designer.charts.vega import chosen
from designer.models import Calibration, Design
from designer.services.designs.state import fresh
from designer.services.link_lists import is_outdated, refuse_outdated
from designer.wording.names import COLLECTIVES
from designer.wording.numbers import message_size
from designer.wording.query import one_of
from estimator.calibration.measured import Run, measured_runs
from estimator.catalog.loader import load_catalog
from estimator.compare.sensitivity import sensitivity
from estimator.errors import EstimatorError
from estimator.jobs.models import EstimateJob
from estimator.spec.parse import parse_spec
from estimator.version import MODEL_VERSION

MOST_BESIDE = 3
DESIGNS_OFFERED = 100
KEPT = 32


def performance_context(job: EstimateJob, design_id: UUID, query: Mapping[str, Any]) -> dict[str, Any]:
    """Charts, figures by GPU count, and what was requested beside them."""
    performance = (job.result or {}).get("performance") or {}
    collective = one_of(query.get("collective"), COLLECTIVES)
    table = table_of(performance, collective)
    if table is None:
        return {"table": None, "why": performance.get("missing") or _why_none(performance)}
    efficiency = performance["efficiency"]
    sizes = [str(size) for size in efficiency["message_bytes"]]
    size = one_of(query.get("size"), sizes[::-1])
    dots = measured_beside(performance["system"], collective, table["gpus"])
    others = offered(job.owner_id, design_id)
    beside = _beside(job, dict(others), query, collective)
    shown = [(str(job.spec.get("name", "")), table), *((row["name"], row["table"]) for row in beside if row["table"])]
    return {
        "table": table,
        "collective": collective,
        "collectives": COLLECTIVES,
        "collective_name": COLLECTIVES[collective],
        "size": size,
        "sizes": [(value, message_size(int(value))) for value in sizes],
        "charts": [
            size_chart(table, collective, "busbw", dots),
            size_chart(table, collective, "time", dots),
            efficiency_chart(efficiency, collective, sizes.index(size)),
            *([designs_chart(shown, collective)] if len(shown) > 1 else []),
        ],
        "by_count": by_count(performance, table, collective),
        "offered": others,
        "with": [*(str(row["pk"]) for row in beside), ""][:MOST_BESIDE],
        "without_table": [row["name"] for row in beside if not row["table"]],
        "random": performance["all_reduce"]["both_placements"],
        "calibrations_offered": list(Calibration.objects.filter(owner_id=job.owner_id).only("pk", "name")),
        "steps": _steps(job) if query.get("steps") else None,
    }


def _why_none(performance: Mapping[str, Any]) -> str:
    if "all_reduce" in performance and "efficiency" not in performance:
        return "This estimate was made before all collectives were predicted. A new one follows by itself."
    return "One GPU has nothing to exchange."


def by_count(performance: Mapping[str, Any], table: Mapping[str, Any], collective: str) -> list[dict[str, Any]]:
    """For a few GPU counts: what the largest message reaches, what limits it, and the size at half of the plateau."""
    found = performance["efficiency"]["of"][collective]
    half = performance["half_bandwidth_bytes"]["of"][collective]
    return [
        {
            "gpus": table["gpus"][at],
            "busbw_gb_s": table["busbw_gb_s"][at][-1],
            "time_us": table["time_us"][at][-1],
            "limited_by": table["limited_by"][at][-1],
            "algorithm": table["algorithm"][at][-1],
            "validated": table["validated"][at][-1],
            "line_rate_gb_s": found["line_rate_gb_s"][at],
            "line_rate_of": found["line_rate_of"][at],
            "share": found["collective"][at][-1],
            "half_bytes": half[at],
            "small_us": table["time_us"][at][0],
        }
        for at in chosen(table["gpus"], 8)
    ]


def measured_beside(system: Mapping[str, Any], collective: str, gpus: Sequence[int]) -> dict[int, list[Run]]:
    """Healthy runs of the library's own choice on the same GPUs, and beyond one domain on the same network, by GPU count."""
    out: dict[int, list[Run]] = {}
    for run in measured_runs():
        is_plain = (
            run.health == "healthy" and not run.algorithm and not run.protocol and run.launch == "process-per-gpu"
        )
        if run.collective == collective and run.gpus in gpus and is_plain and _is_like(run, system):
            out.setdefault(run.gpus, []).append(run)
    return out


def _is_like(run: Run, system: Mapping[str, Any]) -> bool:
    keys = ["gpu"]
    if run.n_domains > 1:
        keys += ["fabric", "nic_gbit_s", "nics_per_node", "in_network_reduction"]
    domain = system.get("scale_up_domain_gpus") or run.system["scale_up_domain_gpus"]
    return domain == run.system["scale_up_domain_gpus"] and all(run.system[key] == system.get(key) for key in keys)


def offered(owner_id: Any, design_id: UUID) -> list[tuple[str, str]]:
    """The owner's other designs, the last changed first, as (id, name)."""
    rows = Design.objects.filter(owner_id=owner_id).exclude(pk=design_id).values_list("pk", "name")
    return [(str(pk), name) for pk, name in rows[:DESIGNS_OFFERED]]


def _beside(
    job: EstimateJob, known: Mapping[str, str], query: Mapping[str, Any], collective: str
) -> list[dict[str, Any]]:
    """The designs of ``known`` (id → name) that are requested beside this one, with the tables of their latest estimates."""
    asked = query.getlist("with") if hasattr(query, "getlist") else query.get("with", [])
    wanted = [pk for pk in dict.fromkeys(asked) if pk in known][:MOST_BESIDE]
    return [{"pk": pk, "name": known[pk], "table": table_of(_performance_of(job, pk), collective)} for pk in wanted]


def _performance_of(job: EstimateJob, pk: str) -> dict[str, Any] | None:
    digest = fresh(Design.objects.get(pk=pk)).spec_hash
    rows = EstimateJob.objects.filter(owner_id=job.owner_id, spec_hash=digest, state=EstimateJob.State.SUCCEEDED)
    found = rows.order_by("-created_at").first()
    return (found.result or {}).get("performance") if found and not is_outdated(found) else None


def _steps(job: EstimateJob) -> dict[str, Any]:
    try:
        found = sensitivity_of(job)
    except EstimatorError as error:
        return {"cannot": [problem.message for problem in error.problems]}
    return found | {"variants": [row | {"remark": _remark(row["findings"])} for row in found["variants"]]}


def _remark(findings: Sequence[Mapping[str, Any]]) -> str:
    """The one finding of a step that matters most: a part that is missing, as no price is known then; else the first."""
    ranked = sorted(findings, key=lambda finding: (finding["severity"] != "error", finding["code"] != "no_part_fits"))
    return str(ranked[0]["message"]) if ranked else ""


def sensitivity_of(job: EstimateJob) -> dict[str, Any]:
    """What one step more would cost and bring a finished estimate's design.

    Raises
    ------
    OutdatedEstimate
        If model or catalog have changed since.
    """
    refuse_outdated(job)
    return _sensitivity_of(job.pk, MODEL_VERSION, job.catalog_version)


@lru_cache(maxsize=KEPT)
def _sensitivity_of(job_id: UUID, model: str, catalog_version: str) -> dict[str, Any]:
    """Kept, as a finished estimate never changes; versions are part of the key."""
    catalog = load_catalog()
    return sensitivity(parse_spec(EstimateJob.objects.defer("result").get(pk=job_id).spec, catalog), catalog)
