"""What the pages of calibrations show: logs, lines left out, fitted constants, errors, likely faults, designs that use them."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db.models import F

from designer.charts.calibration import fit_charts
from designer.forms.calibration import FABRICS, LABELS, LAUNCH_WORDS
from designer.models import Calibration, Design
from designer.services.calibrations import calibrated_of, fit_of
from designer.services.designs.state import refresh_states
from designer.wording.context import Context
from designer.wording.names import COLLECTIVES, NETWORKS
from designer.wording.numbers import (
    NO_BREAK_SPACE,
    count,
    duration_us,
    gbit_s,
    message_size,
    percent,
    rounded,
    words,
)
from designer.wording.query import one_of
from estimator.calibration.faults import NOTHING
from estimator.calibration.measured import SIZE_CLASSES
from estimator.calibration.report import CLASS_LABELS
from estimator.calibration.result import Curve, Fault, FitErrors, Log, LogLine, Parameter
from estimator.catalog.catalog import Catalog
from estimator.catalog.loader import load_catalog
from estimator.performance.result import Performance
from estimator.record import Given
from estimator.spec.calibration import Calibrated
from estimator.version import MODEL_VERSION

TITLES = {
    "launch": "Launch of an operation",
    "launch_per_gpu": "Launch, for each GPU of the process",
    "ring_efficiency": "Share of its links that a ring uses",
    "nvls_efficiency": "Share of its links that NVLS uses",
    "network_efficiency": "Share of the NICs’ rate that gets through",
    "pair_efficiency": "Share of the rate in all-to-all",
    "send_efficiency": "Share of the links in send-receive",
    "send_share": "Share of the NICs in send-receive",
    "collnet_share": "Share of the NICs with in-network reduction",
    "pcie_ring_efficiency": "Share of PCIe that a ring uses",
    "fabric_latency": "Latency of the network, each step",
    "latency_factor": "Factor on the latency of steps",
    "ring_fill": "Filling the pipeline of a ring, each step",
    "tree_fill": "Filling the pipeline of a tree, each step",
    "nvls_fill": "Filling the pipeline of NVLS",
    "pair_fill": "Filling the pipeline of pairs",
    "channel_start": "Opening the channels",
    "half_fill_bytes": "Message that pays half of the fill",
}
SHARES = ("efficiency", "share")
INDEX_NAMES = {
    **NETWORKS,
    "none": "no network",
    "domain": "inside a domain",
    "network": "between domains",
    "tree_network": "trees between domains",
    "ring_network": "rings between domains",
    "volta": "Volta",
    "ampere": "Ampere",
    "hopper": "Hopper",
    "blackwell": "Blackwell",
    "rubin": "Rubin",
    "cdna-3": "CDNA 3",
    "cdna-4": "CDNA 4",
    "default": "others",
    "pair": "pairs",
    "alltoall": "all-to-all",
    "sendrecv": "send-receive",
    **LAUNCH_WORDS,
}
TONES = {"high": "error", "medium": "warning", "low": "info"}
LARGE_ERROR = 0.10  # median |ln| after the fit, at 64 MiB and more, above which the fit explains little
STRIP_PX, STRIP_EDGE_PX = 168, 6
LINES_SHOWN = 12


def detail(calibration: Calibration, asked_log: str | None) -> Context:
    """All that the page of one calibration shows."""
    catalog = load_catalog()
    fit = fit_of(calibration)
    logs, curves = [log_row(log, catalog) for log in fit.logs], fit.curves
    number = int(one_of(asked_log, [str(k) for k in range(1, len(curves) + 1)])) if curves else 0
    parameters = [parameter_row(name, one) for name, one in fit.parameters.items()]
    is_old = (calibration.model_version, calibration.catalog_version) != (MODEL_VERSION, catalog.version)
    return {
        "calibration": calibration,
        "hash": calibrated_of(calibration).hash,
        "logs": logs,
        "n_rows": sum(log.rows for log in fit.logs),
        "n_dropped": sum(log.n_dropped for log in fit.logs),
        "parameters": parameters,
        "at_bound": [row for row in parameters if row["at_bound"]],
        "errors": error_rows(fit.error),
        "explains_little": (fit.error.after.large or 0) > LARGE_ERROR,
        "charts": fit_charts(curves[number - 1]) if curves else [],
        "curve_number": number,
        "curve_names": [(k, _curve_name(curve)) for k, curve in enumerate(curves, 1)],
        "is_old": is_old,
        **faults_context(fit.diagnosis),
        **suspects(fit.diagnosis, [log.file for log in fit.logs if log.is_fitted]),
    }


def suspects(diagnosis: Iterable[Fault], fitted: Sequence[str]) -> Context:
    """Fitted logs that look faulty, as the constants rest on them too; whether all do."""
    named = {
        name
        for fault in diagnosis
        if fault.code != NOTHING and fault.confidence != "low"
        for name in fault.files or [fault.file]
    }
    faulty = [name for name in fitted if name in named]
    return {"faulty": faulty, "n_fitted": len(fitted), "is_suspect": bool(faulty) and len(faulty) == len(fitted)}


def faults_context(diagnosis: Iterable[Fault]) -> Context:
    """Likely faults, the likeliest first, or that none was found and what is left to gain."""
    faults = list(diagnosis)
    nothing = next((fault for fault in faults if fault.code == NOTHING), None)
    found = [{"fault": fault, "tone": TONES[fault.confidence]} for fault in faults if fault.code != NOTHING]
    return {"faults": found, "nothing_wrong": nothing}


def _curve_name(curve: Curve) -> str:
    return f"{curve.file}: {COLLECTIVES[curve.collective].lower()}, {count(curve.gpus)} GPUs"


# ---------------------------------------------------------------- logs


def log_row(log: Log, catalog: Catalog) -> Context:
    """One log of a stored answer, with its system in words and its lines left out by reason."""
    return {
        "log": log,
        "collective_name": COLLECTIVES.get(log.collective or "", "not known"),
        "launch_name": LAUNCH_WORDS.get(log.launch, words(log.launch)),
        "system_words": system_words(log.system, catalog) if log.system else "",
        "assumed_words": ", ".join(LABELS[name] for name in log.assumed),
        "problems": [problem for problem in log.problems if problem.code != "assumed"],
        "by_reason": by_reason(log.dropped),
        "n_hidden": log.n_dropped - len(log.dropped),
    }


def by_reason(dropped: Iterable[LogLine]) -> list[Context]:
    """Lines that were left out, grouped by the reason without its figures; most frequent first."""
    groups: dict[str, list[LogLine]] = {}
    for item in dropped:
        groups.setdefault(re.split(r":\s|\s\(", item.why, maxsplit=1)[0], []).append(item)
    rows = [
        {
            "reason": reason,
            "total": len(items),
            "items": items[:LINES_SHOWN],
            "n_more": max(len(items) - LINES_SHOWN, 0),
            "has_figures": any(item.why != reason for item in items),
        }
        for reason, items in groups.items()
    ]
    return sorted(rows, key=lambda row: -row["total"])


def system_words(system: Given, catalog: Catalog) -> str:
    """ "H100 80GB SXM5, 8 a node, InfiniBand, 8 × 400 Gb/s"."""
    gpu = catalog.gpus.get(system["gpu"])
    parts = [gpu.model if gpu else str(system["gpu"]), f"{count(system['gpus_per_node'])} a node"]
    if system.get("fabric") not in (None, "none"):
        name = str(system["fabric"])
        parts.append(FABRICS.get(name, name).split(" (")[0])
        if system.get("nics_per_node") and system.get("nic_gbit_s"):
            parts.append(
                f"{count(system['nics_per_node'])} × {gbit_s(system['nic_gbit_s'])}".replace(" ", NO_BREAK_SPACE)
            )
    if system.get("in_network_reduction"):
        parts.append("in-network reduction")
    return ", ".join(parts)


# ---------------------------------------------------------------- constants and errors


def parameter_row(name: str, constant: Parameter) -> Context:
    """A fitted constant in words, its figures printed, and where they lie between the bounds."""
    first, _, index = name.partition(".")
    low, high = constant.bounds.from_, constant.bounds.to

    def printed(value: float) -> str:
        return amount(value, constant.unit, first)

    def place(value: float) -> str:
        share = min(max((value - low) / (high - low), 0.0), 1.0) if high > low else 0.5
        return f"{STRIP_EDGE_PX + share * (STRIP_PX - 2 * STRIP_EDGE_PX):.1f}"

    is_upper = abs(constant.value - high) < abs(constant.value - low)
    return {
        "name": name,
        "title": TITLES.get(first, words(first)),
        "index": _index_words(index),
        "value": printed(constant.value),
        "spread": f"{printed(constant.low)} to {printed(constant.high)}",
        "before": printed(constant.before),
        "bounds": f"{printed(low)} to {printed(high)}",
        "at_bound": constant.at_bound,
        "which": "upper" if is_upper else "lower",
        "x": {
            **{key: place(getattr(constant, key)) for key in ("value", "low", "high", "before")},
            "from": place(low),
            "to": place(high),
        },
    }


def _index_words(index: str) -> str:
    return ", ".join(INDEX_NAMES.get(part, words(part)) for part in index.split(".") if part)


def amount(value: float, unit: str, name: str = "") -> str:
    """A constant with its unit; shares as a percentage."""
    if unit == "us":
        return duration_us(value)
    if unit == "B":
        return message_size(value)
    if unit == "1":
        return percent(value) if name.endswith(SHARES) else rounded(value)
    return f"{rounded(value)} {unit}"


def error_rows(error: FitErrors) -> list[Context]:
    """Before and after by size class; a class of no size says so."""
    rows = []
    for name in SIZE_CLASSES:
        before, after = getattr(error.before, name), getattr(error.after, name)
        is_better = before is not None and after is not None and after < before
        rows.append(
            {
                "label": CLASS_LABELS[name],
                "before": before,
                "after": after,
                "is_better": is_better,
                "is_large": after is not None and after > LARGE_ERROR,
            }
        )
    return rows


# ---------------------------------------------------------------- the list, and who uses what


def designs_of(owner: User) -> list[Any]:
    """The owner's designs, the last changed first, each with ``used``: the calibration's part of its state."""
    refresh_states(owner)
    return list(owner.designs.annotate(used=F("spec__workload__calibration")))


def users_by_hash(designs: Iterable[Any]) -> dict[str, list[Design]]:
    """Designs by the hash of the calibration that they use."""
    out: dict[str, list[Design]] = {}
    for design in designs:
        if design.used:
            out.setdefault(Calibrated(**design.used).hash, []).append(design)
    return out


def list_rows(owner: User) -> list[Context]:
    """Every calibration of the owner, newest first, with what it is of and who uses it."""
    catalog, users = load_catalog(), users_by_hash(designs_of(owner))
    rows = []
    for calibration in owner.calibrations.defer("curves"):
        fit = fit_of(calibration, has_curves=False)
        systems = [log.system for log in fit.logs if log.system]
        faults = faults_context(fit.diagnosis)["faults"]
        rows.append(
            {
                "calibration": calibration,
                "system_words": system_words(widest(systems), catalog) if systems else "",
                "n_logs": len(fit.logs),
                "gpus": sorted({log.gpus for log in fit.logs if log.gpus}),
                "errors": error_rows(fit.error),
                "verdict": faults[0]["fault"].title if faults else "No fault found",
                "tone": faults[0]["tone"] if faults else "good",
                "designs": users.get(calibrated_of(calibration).hash, []),
            }
        )
    return rows


def widest(systems: Sequence[Given]) -> Given:
    """The first system with a network, else the first."""
    return next((system for system in systems if system.get("fabric") not in (None, "none")), systems[0])


def used_context(performance: Performance, owner_id: int | None) -> Context:
    """What a design's result says of the calibration behind its numbers, and where that is found if it still is."""
    used, system = performance.calibration, performance.system
    if not used or not system:
        return {}
    rows = Calibration.objects.filter(owner_id=owner_id).only("pk", "name", "parameters", "logs")
    kept = next((row for row in rows if calibrated_of(row).hash == used.hash), None)
    other = made_on(kept.logs, system.gpu, system.fabric, load_catalog()) if kept else ""
    return {"calibration_used": {**used.as_json(), "kept": kept, "made_on": other}}


def made_on(logs: Iterable[Given], gpu: str | None, fabric: str, catalog: Catalog) -> str:
    """GPU and network of a calibration's logs in words, where the design has others; "" where they are the same."""
    systems = [log["system"] for log in logs if log["system"]]
    gpus = dict.fromkeys(str(of_log["gpu"]) for of_log in systems)
    fabrics = dict.fromkeys(
        str(of_log.get("fabric")) for of_log in systems if of_log.get("fabric") not in (None, "none")
    )
    is_other_fabric = bool(fabrics) and fabric not in ("none", *fabrics)
    if gpu in gpus and not is_other_fabric:
        return ""
    models = " and ".join(catalog.gpus[gpu].model if gpu in catalog.gpus else gpu for gpu in gpus)
    names = " and ".join(FABRICS.get(name, name).split(" (")[0] for name in fabrics)
    return f"{models} over {names}" if names else models
