"""Prediction requests: how long a collective takes on a system, at each GPU count and message size.

``predict(request, catalog)`` is the one way in for the command line and the API. It finds all problems in one pass.
"""

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from estimator.catalog.catalog import Catalog
from estimator.catalog.constants import ModelConstants
from estimator.errors import Problem, SpecError
from estimator.performance.advice import Advice, advice_of
from estimator.performance.algorithms import floor_ratios
from estimator.performance.bandwidth import LIMITS, Points, SystemColumns, complete_system, gpu_facts, system_columns
from estimator.performance.collectives import COLLECTIVES, VARIANTS
from estimator.performance.system import MAX_GPUS, Algorithm, System
from estimator.performance.times import Times, algorithm_name, points_of, predict_times, protocol_name
from estimator.record import IfAny, Json, Record
from estimator.spec.calibration import Calibrated, calibrated_problems, constants_of
from estimator.spec.checking import Section, unknown_part, validated
from estimator.units import byte_s_to_gb_s, ceil_div, s_to_us

MAX_MESSAGE_BYTES = 2**40
MAX_ROWS = 10_000
WHAT = "a prediction request"

GpuCount = Annotated[int, Field(ge=1, le=MAX_GPUS)]
MessageBytes = Annotated[int, Field(ge=1, le=MAX_MESSAGE_BYTES)]


class PredictionRequest(Section):
    """One request."""

    system: System = Field(description="The machines and their network.")
    collective: str = Field("all_reduce", max_length=80, description="The collective, as nccl-tests names it.")
    gpus: list[GpuCount] = Field(min_length=1, max_length=MAX_ROWS, description="GPU counts to predict for.")
    message_bytes: list[MessageBytes] = Field(
        min_length=1, max_length=MAX_ROWS, description="Message sizes, as nccl-tests counts them."
    )
    algorithm: Algorithm | None = Field(None, description="Force one algorithm; null for the fastest.")
    protocol: Literal["ll", "ll128", "simple"] | None = Field(None, description="Force one protocol.")
    launch: Literal["process-per-gpu", "single-process", "graph", "framework"] = Field(
        "process-per-gpu", description="How the work is launched; framework: a process per GPU through PyTorch."
    )
    calibration: Calibrated | None = Field(
        None, description="A site's own constants, as a calibration found them; null for the catalog's."
    )


class PredictedTime(Record):
    """One GPU count and one message size."""

    gpus: int
    nodes: int
    message_bytes: int
    time_us: float
    time_us_low: float
    time_us_high: float
    algbw_gb_s: float
    busbw_gb_s: float
    algorithm: str | None
    protocol: str | None
    limited_by: str
    validated: bool


class Prediction(Record):
    """A row for each GPU count and message size, in the order requested, the calibration where one was given, and advice."""

    rows: list[PredictedTime]
    calibration: IfAny[Json] = None
    advice: IfAny[list[Advice]] = None
    """Settings that would be faster, and what may fall back; left out where there is nothing to say."""


def predict(request: Any, catalog: Catalog) -> Json:
    """``prediction`` as JSON, as the command line and the API answer it."""
    return prediction(request, catalog).as_json()


def prediction(request: Any, catalog: Catalog) -> Prediction:
    """Predicted times of a collective.

    Parameters
    ----------
    request : mapping, the JSON of a prediction request.
    catalog : GPUs and constants of the model.

    Returns
    -------
    One row a GPU count and message size; docs/model.md, "What a prediction says".

    Raises
    ------
    SpecError
        With every problem found: wrong types, bounds, unknown keys, an unknown GPU, a collective or algorithm that is not
        modelled, GPUs that no network joins.
    """
    asked, problems = validated(PredictionRequest, request, WHAT)
    if asked is None:
        raise SpecError(problems)
    of_calibration = calibrated_problems(asked.calibration, catalog, "calibration")
    constants = constants_of(catalog, None if of_calibration else asked.calibration)
    problems += of_calibration
    system = {key: value for key, value in asked.system.model_dump().items() if value is not None}
    problems += _more_problems(asked, system, catalog, constants)
    if problems:
        raise SpecError(problems)
    gpus, sizes = asked.gpus, asked.message_bytes
    system.setdefault("small_message_gpus", max(max(gpus), 2))  # of the same run, unless it says otherwise
    columns = system_columns([system], catalog, constants).take(np.zeros(len(gpus), dtype=np.int64))
    points = points_of(columns, np.array(gpus, dtype=np.int64), asked.launch, constants)
    message_bytes = np.array([sizes], dtype=np.float64)
    way = asked.collective, asked.algorithm, asked.protocol
    floors = floor_ratios(points, constants, *way)  # a request's time is of the collective that it is about
    times = predict_times(points, message_bytes, constants, *way, floors)
    missing = [n for n, row in zip(gpus, times.time_s, strict=True) if not np.isfinite(row).all()]
    if missing:
        raise SpecError([_no_way(asked, missing, columns)])
    used = asked.calibration.provenance() if asked.calibration else None
    is_free = asked.algorithm is None and asked.protocol is None
    advice = (
        advice_of(points, message_bytes, constants, asked.collective, (times.time_s, times.choice), floors)
        if is_free
        else []
    )
    return Prediction(rows=_rows(points, sizes, times), calibration=used, advice=advice or None)


def _rows(points: Points, sizes: list[int], times: Times) -> list[PredictedTime]:
    n_nodes = ceil_div(points.n_ranks, points.columns.gpus_per_node)
    return [
        PredictedTime(
            gpus=int(n_ranks),
            nodes=int(n_nodes[i]),
            message_bytes=size,
            time_us=float(s_to_us(times.time_s[i, j])),
            time_us_low=float(s_to_us(times.low_s[i, j])),
            time_us_high=float(s_to_us(times.high_s[i, j])),
            algbw_gb_s=float(byte_s_to_gb_s(times.algbw_byte_s[i, j])),
            busbw_gb_s=float(byte_s_to_gb_s(times.busbw_byte_s[i, j])),
            algorithm=algorithm_name(int(times.choice[i, j])),
            protocol=protocol_name(int(times.choice[i, j])),
            limited_by=LIMITS[times.limit[i, j]],
            validated=bool(times.is_validated[i, j]),
        )
        for i, n_ranks in enumerate(points.n_ranks)
        for j, size in enumerate(sizes)
    ]


def _more_problems(
    asked: PredictionRequest, system: Json, catalog: Catalog, constants: ModelConstants
) -> list[Problem]:
    """Rules that need the catalog, or more than one key."""
    problems = []
    if asked.collective not in COLLECTIVES:
        message = f"'{asked.collective}' is not modelled. Available: {', '.join(COLLECTIVES)}."
        problems.append(Problem("collective", "collective_not_modelled", message))
    n_rows = len(asked.gpus) * len(asked.message_bytes)
    if n_rows > MAX_ROWS:
        message = (
            f"{len(asked.gpus):,} GPU counts × {len(asked.message_bytes):,} sizes are {n_rows:,} rows, and "
            f"{MAX_ROWS:,} is the most in one request. Split it."
        )
        problems.append(Problem("message_bytes", "too_many_rows", message))
    record = catalog.gpus.get(asked.system.gpu)
    if record is None:
        return [*problems, unknown_part("system.gpu", "GPU", asked.system.gpu, catalog.gpus)]
    full = complete_system(system, gpu_facts(record, constants))
    return problems + _network_problems(max(asked.gpus), full)


def _network_problems(n_gpus: int, system: Json) -> list[Problem]:
    """More GPUs than a scale-up domain holds need a network."""
    domain = system["scale_up_domain_gpus"]
    has_network = system["fabric"] != "none" and system["nics_per_node"] and system["nic_gbit_s"]
    if n_gpus <= domain or has_network:
        return []
    message = (
        f"{n_gpus:,} GPUs were requested, a scale-up domain holds {domain:,}, and no network joins them (fabric "
        f"{system['fabric']}, {system['nics_per_node']} NICs of {system['nic_gbit_s']:g} Gb/s a node). Name a fabric "
        f"and its NICs, or request at most {domain:,} GPUs."
    )
    return [Problem("system.fabric", "no_network", message)]


_NEEDS = {
    "nvls": "one scale-up domain of NVLink switches that reduce, and enough GPUs in it",
    "nvls_tree": "several domains of two GPUs or more, with NVLink switches that reduce",
    "collnet_chain": "in_network_reduction and several domains",
    "collnet_direct": "in_network_reduction and several domains",
    "pat": "several domains of one GPU",
    "two_level": "several domains of two GPUs or more",
    "one_shot": "GPUs of one scale-up domain",
}


def _no_way(asked: PredictionRequest, gpus: list[int], columns: SystemColumns) -> Problem:
    """Why no time exists at these GPU counts: no NIC is left, or the forced algorithm or protocol is not there."""
    n_failed, n_nics = int(columns.failed_nics[0]), float(columns.nics_per_domain[0])
    if n_failed < n_nics or max(gpus) <= columns.domain_gpus[0]:
        return _no_such_variant(asked, gpus)
    message = (
        f"{n_failed} NICs are down, and a scale-up domain of {int(columns.domain_gpus[0])} GPUs has {n_nics:g}: nothing "
        "joins it to the others. Leave at least one NIC up."
    )
    return Problem("system.failed_nics", "no_network", message)


def _no_such_variant(asked: PredictionRequest, gpus: list[int]) -> Problem:
    """The forced algorithm or protocol does not exist on this system at these GPU counts."""
    protocols = [protocol for name, protocol in VARIANTS if name == asked.algorithm]
    if asked.algorithm and asked.protocol and asked.protocol not in protocols:
        message = f"{asked.algorithm} knows {', '.join(protocols)}, and {asked.protocol} was requested."
        return Problem("protocol", "protocol_not_available", message)
    message = (
        f"{asked.algorithm} does not exist on this system with {', '.join(f'{n:,}' for n in gpus[:5])} GPUs: it needs "
        f"{_NEEDS[str(asked.algorithm)]}. Request ring or tree, or leave the algorithm null."
    )
    return Problem("algorithm", "algorithm_not_available", message)
