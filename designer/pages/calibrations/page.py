"""What the pages of calibrations show: logs, lines left out, fitted constants, errors, likely faults, designs that use them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import expm1
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db.models import F

from designer.charts.calibration import fit_charts
from designer.forms.calibration import FABRICS, LABELS, LAUNCH_WORDS
from designer.models import Calibration, Design
from designer.services.calibrations import calibrated_of, fit_of
from designer.services.designs.state import refresh_states
from designer.wording.context import Context
from designer.wording.findings import on_page, problem_words
from designer.wording.names import COLLECTIVES, NETWORKS
from designer.wording.numbers import (
    NO_BREAK_SPACE,
    count,
    duration_us,
    gb_s,
    gbit_s,
    message_size,
    percent,
    rounded,
    words,
)
from designer.wording.query import one_of
from estimator.calibration.faults import NO_FAULT, NOT_JUDGED
from estimator.calibration.measured import CLASS_LABELS, SIZE_CLASSES
from estimator.calibration.result import Curve, Fault, FitErrors, Log, LogLine, OfPaths, Parameter, PathResult
from estimator.catalog.catalog import Catalog
from estimator.catalog.loader import load_catalog
from estimator.performance.library import library_words
from estimator.performance.result import Performance
from estimator.record import Newer, Record
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
    "pcie_x16": "Rate of a GPU’s PCIe slot, one way",
    "latency_factor": "Factor on the latency of steps",
    "ring_fill": "Start-up time of a ring, each step",
    "tree_fill": "Start-up time of a tree, each step",
    "nvls_fill": "Start-up time of NVLS",
    "pair_fill": "Start-up time of pairs",
    "channel_start": "Opening the channels",
    "half_fill_bytes": "Message that pays half of the start-up time",
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
    **{f"gen{n}": f"PCIe {n}.0" for n in (3, 4, 5, 6)},
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
        "n_rows_used": sum(log.rows for log in fit.logs if log.is_fitted),
        "n_dropped": sum(log.n_dropped for log in fit.logs),
        "parameters": parameters,
        "at_bound": [row for row in parameters if row.at_bound],
        "errors": error_rows(fit.error),
        "explains_little": (fit.error.after.large or 0) > LARGE_ERROR,
        "charts": fit_charts(curves[number - 1]) if curves else [],
        "paths": [path_row(one) for one in fit.paths or ()],
        "n_paths_used": sum(bool(one.constants) for one in fit.paths or ()),
        "curve_number": number,
        "curve_names": [(k, _curve_name(curve)) for k, curve in enumerate(curves, 1)],
        "is_old": is_old,
        **faults_context(fit.diagnosis),
        "left_out": [log.file for log in fit.logs if any(one.code == "faulty_log" for one in log.problems)],
        **suspects(fit.diagnosis, [log.file for log in fit.logs if log.is_fitted]),
    }


class FoundFault(NamedTuple):
    """A likely fault, the tone in which the page says it, and its sentences in the reader's units."""

    fault: Fault
    tone: str
    evidence: str
    advice: str


def found_faults(diagnosis: Iterable[Fault]) -> list[FoundFault]:
    """Likely faults, the likeliest first; none where none was found."""
    return [found_fault(fault) for fault in diagnosis if fault.code not in NO_FAULT]


def found_fault(fault: Fault) -> FoundFault:
    """A fault as a page says it."""
    evidence = on_page(fault.evidence, fault.evidence_parts)
    return FoundFault(fault, TONES[fault.confidence], evidence, on_page(fault.advice, fault.advice_parts))


def suspects(diagnosis: Iterable[Fault], fitted: Sequence[str]) -> Context:
    """Fitted logs that look faulty, as the constants rest on them too; whether all do."""
    named = {
        name
        for fault in diagnosis
        if fault.code not in NO_FAULT and fault.confidence != "low"
        for name in fault.files or [fault.file]
    }
    faulty = [name for name in fitted if name in named]
    return {"faulty": faulty, "n_fitted": len(fitted), "is_suspect": bool(faulty) and len(faulty) == len(fitted)}


def faults_context(diagnosis: Iterable[Fault]) -> Context:
    """Likely faults, the likeliest first; or that none was found and what is left to gain, or that none was looked for."""
    faults = list(diagnosis)
    without = next((fault for fault in faults if fault.code in NO_FAULT), None)
    no_fault = found_fault(without) if without else None
    return {"faults": found_faults(faults), "no_fault": no_fault, "no_fault_tone": _tone_without(without)}


def _tone_without(fault: Fault | None) -> str:
    return "info" if fault and fault.code == NOT_JUDGED else "good"


def _curve_name(curve: Curve) -> str:
    return f"{curve.file}: {COLLECTIVES[curve.collective].lower()}, {count(curve.gpus)} GPUs"


# ---------------------------------------------------------------- logs


def log_row(log: Log, catalog: Catalog) -> Context:
    """One log of a stored answer, with its system in words and its lines left out by reason."""
    return {
        "log": log,
        "n_used": log.rows if log.is_fitted else 0,
        "collective_name": COLLECTIVES.get(log.collective or "", "not known"),
        "library_name": library_words(log.library, _gpu_text(log)) if log.library else "",
        "launch_name": LAUNCH_WORDS.get(log.launch, words(log.launch)),
        "system_words": ", ".join(system_words(one, catalog) for one in machines_of([log])),
        "assumed_words": ", ".join(LABELS[name] for name in log.assumed),
        "problems": [problem_words(problem) for problem in log.problems if problem.code != "assumed"],
        "by_reason": by_reason(log.dropped),
        "n_hidden": log.n_dropped - len(log.dropped),
    }


def _gpu_text(log: Log) -> str:
    return str(log.system["gpu"]) if log.system else " ".join(log.gpu_names)


def path_row(one: PathResult) -> Context:
    """A figure of one path with its unit, what is healthy, and the constants that follow it."""

    def printed(value: float) -> str:
        return measured(value, one.unit)

    titles = (parameter_title(name) for name in one.constants)
    return {
        "path": one,
        "value": printed(one.value),
        "spread": f"{printed(one.low)} to {printed(one.high)}" if one.low < one.high else "",
        "expected": printed(one.expected) if one.expected is not None else "",
        "note": on_page(one.note, one.note_parts),
        "titles": "; ".join(titles),
    }


def measured(value: float, unit: str) -> str:
    """A figure of one path: a time, the rate of a link as NICs are named, or a bandwidth in the reader's unit."""
    if unit == "us":
        return duration_us(value)
    return gb_s(value) if unit == "GB/s" else f"{rounded(value)}{NO_BREAK_SPACE}{unit}"


def parameter_title(name: str) -> str:
    """A constant in words: "Share of the NICs’ rate that gets through, InfiniBand"."""
    first, _, index = name.partition(".")
    words_of_index = _index_words(index)
    return TITLES.get(first, words(first)) + (f", {words_of_index}" if words_of_index else "")


def by_reason(dropped: Iterable[LogLine]) -> list[Context]:
    """Lines that were left out, grouped by the reason without its figures; most frequent first."""
    groups: dict[str, list[LogLine]] = {}
    for item in dropped:
        groups.setdefault(re.split(r":\s|\s\(", item.why, maxsplit=1)[0], []).append(item)
    return [
        {
            "reason": reason,
            "total": len(items),
            "items": items[:LINES_SHOWN],
            "n_more": max(len(items) - LINES_SHOWN, 0),
            "has_figures": any(item.why != reason for item in items),
        }
        for reason, items in sorted(groups.items(), key=lambda group: -len(group[1]))
    ]


def fitted_logs(logs: Iterable[Log]) -> list[Log]:
    """The logs that the constants rest on."""
    return [log for log in logs if log.is_fitted]


class Machines(Record):
    """What a log's system says of its machines."""

    gpu: str
    gpus_per_node: int
    fabric: Newer[str | None]
    nics_per_node: Newer[int | None]
    nic_gbit_s: Newer[float | None]
    in_network_reduction: Newer[bool | None]

    @property
    def network(self) -> str:
        """Kind of network, "" for none."""
        return "" if self.fabric in (None, "none") else str(self.fabric)


def machines_of(logs: Iterable[Log]) -> list[Machines]:
    """The machines of the logs whose system is known."""
    return [Machines.from_json(log.system) for log in logs if log.system]


def system_words(machines: Machines, catalog: Catalog) -> str:
    """ "H100 80GB SXM5, 8 a node, InfiniBand, 8 × 400 Gb/s"."""
    gpu = catalog.gpus.get(machines.gpu)
    parts = [gpu.model if gpu else machines.gpu, f"{count(machines.gpus_per_node)} a node"]
    if machines.network:
        parts.append(_network_name(machines.network))
        if machines.nics_per_node and machines.nic_gbit_s:
            nics = f"{count(machines.nics_per_node)} × {gbit_s(machines.nic_gbit_s)}"
            parts.append(nics.replace(" ", NO_BREAK_SPACE))
    if machines.in_network_reduction:
        parts.append("in-network reduction")
    return ", ".join(parts)


def _network_name(fabric: str) -> str:
    return FABRICS.get(fabric, fabric).split(" (")[0]


# ---------------------------------------------------------------- constants and errors


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterRow:
    """A fitted constant in words, its figures printed; ``x`` are places on the strip between its bounds [px]."""

    name: str
    title: str
    index: str
    value: str
    spread: str
    behind: str
    before: str
    bounds: str
    at_bound: bool
    which: str
    x: Mapping[str, str]


def parameter_row(name: str, constant: Parameter) -> ParameterRow:
    """A fitted constant in words, its figures printed, and where they lie between the bounds."""
    first, _, index = name.partition(".")
    low, high = constant.bounds.from_, constant.bounds.to

    def printed(value: float) -> str:
        return amount(value, constant.unit, first)

    def place(value: float) -> str:
        share = min(max((value - low) / (high - low), 0.0), 1.0) if high > low else 0.5
        return f"{STRIP_EDGE_PX + share * (STRIP_PX - 2 * STRIP_EDGE_PX):.1f}"

    is_upper = abs(constant.value - high) < abs(constant.value - low)
    return ParameterRow(
        name=name,
        title=TITLES.get(first, words(first)),
        index=_index_words(index),
        value=printed(constant.value),
        spread=f"{printed(constant.low)} to {printed(constant.high)}",
        behind=_behind(constant.paths),
        before=printed(constant.before),
        bounds=f"{printed(low)} to {printed(high)}",
        at_bound=constant.at_bound,
        which="upper" if is_upper else "lower",
        x={
            **{key: place(getattr(constant, key)) for key in ("value", "low", "high", "before")},
            "from": place(low),
            "to": place(high),
        },
    )


def _behind(paths: OfPaths | None) -> str:
    """What a constant's range is: a chance where logs were fitted, and what was measured where paths set it."""
    if paths is None:
        return "nine times in ten"
    many = f"{paths.measurements:,} measurement{'' if paths.measurements == 1 else 's'}"
    if paths.unit == "us":
        low, high = (f"{value:+.3g}" for value in (paths.low, paths.high))
        ends = f"{low} µs" if low == high else f"{low} to {high} µs"
        return f"{many}, {ends} beyond a healthy path; no probability"
    low, high = (f"{value:.1%}".replace("%", " %") for value in (paths.low, paths.high))
    return f"{many}, {low if low == high else f'{low} to {high}'} of a healthy path; no probability"


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
    return gb_s(value) if unit == "GB/s" else f"{rounded(value)} {unit}"


def error_rows(error: FitErrors) -> list[Context]:
    """Before and after by size class; a class of no size says so."""
    rows = []
    for name in SIZE_CLASSES:
        before, after = getattr(error.before, name), getattr(error.after, name)
        before, after = (None if value is None else expm1(value) for value in (before, after))
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
        fitted = fitted_logs(fit.logs)
        machines = machines_of(fitted or fit.logs)
        first = fit.diagnosis[0] if fit.diagnosis else None
        is_fault = first is not None and first.code not in NO_FAULT
        rows.append(
            {
                "calibration": calibration,
                "system_words": system_words(widest(machines), catalog) if machines else "",
                "n_logs": len(fit.logs),
                "n_fitted": len(fitted),
                "gpus": sorted({log.gpus for log in fitted or fit.logs if log.gpus}),
                "errors": error_rows(fit.error),
                "verdict": first.title if first else "No log could be judged",
                "tone": TONES[first.confidence] if first and is_fault else _tone_without(first),
                "designs": users.get(calibrated_of(calibration).hash, []),
            }
        )
    return rows


def widest(machines: Sequence[Machines]) -> Machines:
    """The first ones with a network, else the first."""
    return next((one for one in machines if one.network), machines[0])


def used_context(performance: Performance, owner_id: int | None) -> Context:
    """What a design's result says of the calibration behind its numbers, and where that is found if it still is."""
    used, system = performance.calibration, performance.system
    if not used or not system:
        return {}
    rows = Calibration.objects.filter(owner_id=owner_id).only("pk", "name", "parameters", "logs")
    kept = next((row for row in rows if calibrated_of(row).hash == used.hash), None)
    other = made_on(map(Log.from_json, kept.logs), system.gpu, system.fabric, load_catalog()) if kept else ""
    return {"calibration_used": {**used.as_json(), "kept": kept, "made_on": other}}


def made_on(logs: Iterable[Log], gpu: str | None, fabric: str, catalog: Catalog) -> str:
    """GPU and network of a calibration's fitted logs in words, where the design has others; "" where they are the same."""
    logs = list(logs)
    machines = machines_of(fitted_logs(logs) or logs)
    gpus = dict.fromkeys(one.gpu for one in machines)
    fabrics = dict.fromkeys(one.network for one in machines if one.network)
    is_other_fabric = bool(fabrics) and fabric not in ("none", *fabrics)
    if gpu in gpus and not is_other_fabric:
        return ""
    models = " and ".join(catalog.gpus[gpu].model if gpu in catalog.gpus else gpu for gpu in gpus)
    names = " and ".join(map(_network_name, fabrics))
    return f"{models} over {names}" if names else models
