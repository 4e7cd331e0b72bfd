"""Which run a log is of: GPU, GPUs, nodes and launch as the log says them, the rest as the caller does.

What neither says is taken as usual for the GPU and named in ``assumed``; what cannot be taken so is requested by a Problem.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import log as log_ratio
from statistics import median
from typing import Any, Literal

from pydantic import Field

from estimator.calibration.logs.read import ParsedLog
from estimator.calibration.logs.system_words import collective_word, labelled, network_words
from estimator.calibration.logs.transport import transport_of
from estimator.calibration.measured import OnSystem
from estimator.catalog.catalog import Catalog
from estimator.catalog.constants import ModelConstants
from estimator.errors import Problem, SpecError
from estimator.performance.bandwidth import complete_system, gpu_facts
from estimator.performance.collectives import COLLECTIVES
from estimator.performance.library import library_number
from estimator.performance.system import MAX_GPUS, Algorithm, Fabric, System
from estimator.record import Json
from estimator.sentences import by_reader, said
from estimator.spec.checking import unknown_part, validated
from estimator.units import ceil_div

MAX_SIZES = 256  # of one log that are fitted: a sweep has 40
LARGEST_NODE = 8  # GPUs of a domain that is one server; larger ones are racks
NIC_KEYS = ("nics_per_node", "nic_gbit_s")
NETWORK_KEYS = ("fabric", *NIC_KEYS)
_RUN_KEYS = ("collective", "gpus", "nodes", "launch", "algorithm", "protocol", "fit_faulty")
_ALGORITHMS = {
    "ring": "ring",
    "tree": "tree",
    "nvls": "nvls",
    "nvlstree": "nvls_tree",
    "collnetdirect": "collnet_direct",
    "collnetchain": "collnet_chain",
    "pat": "pat",
}
_FORMS = ("pcie", "nvl", "sxm")


class LogSystem(System):
    """The machines that logs ran on, where the logs do not say."""

    gpu: str | None = Field(None, max_length=80, description="The accelerator, by its catalog id; else the log's.")  # type: ignore[assignment]
    collective: str | None = Field(None, max_length=80, description="The collective, where a log does not name it.")
    gpus: int | None = Field(None, ge=1, le=MAX_GPUS, description="GPUs of the run, where a log does not say.")
    nodes: int | None = Field(None, ge=1, le=MAX_GPUS, description="Servers of the run, where a log does not say.")
    launch: Literal["process-per-gpu", "single-process", "graph", "framework"] | None = Field(
        None, description="How it was launched."
    )
    algorithm: Algorithm | None = Field(None, description="The algorithm that was forced.")
    protocol: Literal["ll", "ll128", "simple"] | None = Field(None, description="The protocol that was forced.")
    fabric: Fabric | None = Field(None, description="Kind of network.")
    fit_faulty: bool | None = Field(None, description="Fit logs that look faulty too, beside sound ones.")


@dataclass(frozen=True)
class LoggedRun(OnSystem):
    """One collective on one system, as a log has it; ``message_bytes`` rise and line up with ``time_us``."""

    name: str
    collective: str
    gpus: int
    system: Json
    launch: str
    algorithm: str | None
    protocol: str | None
    message_bytes: tuple[int, ...]
    time_us: tuple[float, ...]
    messages: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    assumed: tuple[str, ...] = ()
    n_disturbed: int = 0  # sizes left out because they took much longer than both neighbours
    version: str | None = None  # of the library
    wrong_bytes: tuple[int, ...] = ()  # sizes at which the test's own check found wrong values
    n_failed: int = 0  # values out of bounds, by the line behind the table
    stand_in: str | None = None  # the GPU that stands for one that is not known: such a run is judged, and not fitted


def log_system(values: Any) -> LogSystem:
    """The caller's keys: those of a prediction request's ``system``, flat or under ``system``, and of the run.

    Raises
    ------
    SpecError
        With every problem found.
    """
    if isinstance(values, Mapping) and isinstance(values.get("system"), Mapping):
        values = {key: value for key, value in values.items() if key != "system"} | dict(values["system"])
    asked, problems = validated(LogSystem, values, "the system of a log")
    if asked is None or problems:
        raise SpecError(problems)
    return asked


def gpu_named(text: str, catalog: Catalog) -> str | None:
    """Catalog id of a GPU as a driver or a file name has it: ``NVIDIA A100-SXM4-40GB`` → ``a100-40-sxm``.

    Of several of one model, the form and the memory decide; where the text has neither, the first in the catalog.
    """
    words = set(re.split(r"[^a-z0-9]+", text.lower()))
    words |= {match[0] for word in words if (match := re.match(r"[a-z]+\d+[a-z]?", word))}
    found = [
        gpu for gpu in catalog.gpus if gpu.split("-")[0] in words and (gpu.split("-")[0] != "rtx" or "6000" in words)
    ]
    memory = next((int(word[:-2]) for word in words if re.fullmatch(r"\d+gb", word)), None)
    form = next((form for form in _FORMS if any(word.startswith(form) for word in words)), "sxm")

    def fits(gpu: str) -> tuple[bool, bool]:
        return form in gpu.split("-"), bool(memory) and str(memory) in gpu.split("-")

    return max(found, key=fits, default=None)


def run_of(log: ParsedLog, asked: LogSystem, catalog: Catalog) -> tuple[LoggedRun | None, list[Problem]]:
    """(the run, problems). Without GPU, GPU count or collective there is no run; the problems say what to give."""
    if log.problems:
        return None, list(log.problems)
    collective, gpus = asked.collective or log.collective, asked.gpus or log.gpus
    gpu, assumed = _gpu(log, asked, catalog)
    problems = []
    if gpu is None:
        names = ", ".join(log.gpu_names) or "none"
        message = said(
            f"{log.file} names no GPU of the catalog (it has: {names}), so it is not fitted. Give ",
            labelled("gpu"),
            by_reader(", by its catalog id"),
            "; with ",
            labelled("nic_gbit_s"),
            " alone the network between nodes is judged all the same.",
        )
        problems.append(Problem.saying("system.gpu", "missing", message))
    elif gpu not in catalog.gpus:
        problems.append(unknown_part("system.gpu", "GPU", gpu, catalog.gpus))
    if gpus is None:
        message = said(f"{log.file} does not say how many GPUs ran. Give ", labelled("gpus"), ".")
        problems.append(Problem.saying("system.gpus", "missing", message))
    if collective not in COLLECTIVES:
        ran = f"ran {collective}, which the model does not have" if collective else "does not say which collective ran"
        known = [said(", " if at else "", collective_word(key)) for at, key in enumerate(COLLECTIVES)]
        message = said(f"{log.file} {ran}. Give ", labelled("collective"), ": ", said(*known), ".")
        problems.append(Problem.saying("system.collective", "missing", message))
    if problems or gpu is None or gpus is None or collective is None:
        return None, problems
    system, more = _system(log, asked, gpu, gpus, catalog)
    sizes, times = _medians(log)
    algorithm = asked.algorithm or _ALGORITHMS.get(log.settings.get("NCCL_ALGO", "").lower())
    protocol = asked.protocol or _protocol(log.settings.get("NCCL_PROTO", ""))
    run = LoggedRun(
        log.file,
        collective,
        gpus,
        system,
        asked.launch or log.launch,
        algorithm,
        protocol,
        sizes,
        times,
        log.messages,
        log.settings,
        (*assumed, *more),
        log.n_disturbed,
        log.version,
        tuple(dict.fromkeys(row.message_bytes for row in log.rows if row.n_wrong)),
        log.n_failed,
    )
    return run, _asked_for(run, log)


def stand_in_run(log: ParsedLog, asked: LogSystem, catalog: Catalog) -> LoggedRun | None:
    """A run on GPUs that are not known as one on GPUs that are usual with its NICs, so that the network can be judged.

    None where the rate of the NICs is not given, or everything ran inside one domain: there the GPU's links decide.
    """
    rate = asked.nic_gbit_s
    if rate is None or asked.fabric == "none" or (asked.gpu or _gpu(log, asked, catalog)[0]) in catalog.gpus:
        return None
    usual = {
        key: abs(log_ratio(gpu.default_scale_out_gbit_s / rate))
        for key, gpu in catalog.gpus.items()
        if gpu.form_factor.startswith("SXM") and gpu.status == "available"
    }
    gpu = min(usual, key=lambda key: usual[key])
    known = asked.model_copy(update={"gpu": gpu, "scale_up_reduction": False})
    run, _ = run_of(log, known, catalog)
    if run is None or run.gpus <= run.scale_up_domain_gpus:
        return None
    return replace(run, stand_in=gpu)


def _protocol(text: str) -> str | None:
    return text.lower() if text.lower() in ("ll", "ll128", "simple") else None


def _gpu(log: ParsedLog, asked: LogSystem, catalog: Catalog) -> tuple[str | None, tuple[str, ...]]:
    if asked.gpu:
        return asked.gpu, ()
    named = next((gpu for name in log.gpu_names if (gpu := gpu_named(name, catalog))), None)
    if named:
        return named, ()
    by_file = gpu_named(log.file, catalog)
    return by_file, ("gpu",) if by_file else ()


def _system(log: ParsedLog, asked: LogSystem, gpu: str, gpus: int, catalog: Catalog) -> tuple[Json, tuple[str, ...]]:
    """(the system in the keys of a prediction request, keys that nobody gave)."""
    system = {key: value for key, value in asked.model_dump().items() if value is not None and key not in _RUN_KEYS}
    facts = gpu_facts(catalog.gpus[gpu], ModelConstants(catalog))
    usual = complete_system({"gpu": gpu}, facts)
    nodes, assumed = asked.nodes or log.nodes, []
    if "gpus_per_node" not in system:
        system["gpus_per_node"] = ceil_div(gpus, nodes) if nodes else min(gpus, usual["gpus_per_node"])
        assumed += [] if nodes else ["gpus_per_node"]
    per_node = system["gpus_per_node"]
    rack = facts.domain_gpus if facts.domain_gpus > LARGEST_NODE else per_node
    system.setdefault("scale_up_domain_gpus", max(rack, 1))
    if log.version and library_number(log.version):
        system.setdefault("library", log.version)
    if log.settings.get("NCCL_NVLS_ENABLE") == "0":
        system.setdefault("scale_up_reduction", False)
    if gpus <= system["scale_up_domain_gpus"]:
        system.setdefault("fabric", "none")
        return {"gpu": gpu} | system, tuple(assumed)
    said = transport_of(log.messages)
    system |= {"fabric": said.fabric} if said.fabric else {}
    if said.n_nics:
        system.setdefault("nics_per_node", said.n_nics)
    if said.nic_gbit_s:
        system.setdefault("nic_gbit_s", said.nic_gbit_s)
    for key, value in (
        ("fabric", "infiniband"),
        ("nics_per_node", per_node),
        ("nic_gbit_s", facts.default_nic_gbit_s),
    ):
        if key not in system:
            system[key] = value
            assumed.append(key)
    return {"gpu": gpu} | system, tuple(assumed)


def _asked_for(run: LoggedRun, log: ParsedLog) -> list[Problem]:
    """What the caller should say, because the prediction rests on a guess."""
    network = [key for key in run.assumed if key in NETWORK_KEYS]
    problems = []
    if network:
        message = said(
            f"{log.file} ran on several scale-up domains and does not say over which network. Taken: "
            f"{network_words(run.system, network)}; the network is not judged by that. Give ",
            labelled(*network),
            ".",
        )
        problems.append(Problem.saying(f"system.{network[0]}", "assumed", message))
    for key in ("gpu", "gpus_per_node"):
        if key in run.assumed:
            taken = f": {run.system[key]} was taken. Give another if that is wrong."
            message = said(f"{log.file} does not say ", labelled(key), taken)
            problems.append(Problem.saying(f"system.{key}", "assumed", message))
    has_network = run.fabric != "none" and run.system.get("nics_per_node") and run.system.get("nic_gbit_s")
    if run.gpus > run.scale_up_domain_gpus and not has_network:
        message = said(
            f"{log.file} has {run.gpus:,} GPUs, a scale-up domain holds {run.scale_up_domain_gpus:,}, and no "
            "network joins them. Give ",
            labelled(*NETWORK_KEYS),
            ".",
        )
        problems.append(Problem.saying("system.fabric", "no_network", message))
    return problems


def _medians(log: ParsedLog) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Sizes in rising order, each with the median of its times; evenly thinned where there are too many."""
    by_size: dict[int, list[float]] = {}
    for row in log.rows:
        by_size.setdefault(row.message_bytes, []).append(row.time_us)
    sizes = sorted(by_size)
    if len(sizes) > MAX_SIZES:
        sizes = [sizes[i * (len(sizes) - 1) // (MAX_SIZES - 1)] for i in range(MAX_SIZES)]
    return tuple(sizes), tuple(median(by_size[size]) for size in sizes)
