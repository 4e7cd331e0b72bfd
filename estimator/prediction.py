"""Prediction requests: how long a collective takes on a system, at each GPU count and message size.

``predict(request, catalog)`` is the one way in for the command line and the API. It finds all problems in one pass.
"""

import difflib
import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from estimator.bandwidth import LIMITS, complete_system, gpu_facts, system_columns
from estimator.collectives import ALGORITHMS, BUS_FACTORS, VARIANTS
from estimator.errors import Problem, SpecError
from estimator.model_constants import ModelConstants
from estimator.performance import LAUNCHES, algorithm_name, points_of, predict_times, protocol_name
from estimator.units import byte_s_to_gb_s, parse_ratio, s_to_us

MAX_GPUS = 1_048_576
MAX_MESSAGE_BYTES = 2**40
MAX_ROWS = 10_000
MAX_RATIO_SIDE = 1_024


def _checked_ratio(text: str) -> str:
    ratio: Fraction = parse_ratio(text)
    if max(ratio.numerator, ratio.denominator) > MAX_RATIO_SIDE:
        raise ValueError(f"{text!r} is finer than 1:{MAX_RATIO_SIDE}; use smaller integers")
    return text.strip()


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class System(_Section):
    """The machines and their network. What is left out, or null, takes the GPU's usual value."""

    gpu: str = Field(max_length=80, description="The accelerator, by its catalog id.")
    gpus_per_node: int | None = Field(None, ge=1, le=256, description="GPUs in one server.")
    scale_up_domain_gpus: int | None = Field(None, ge=1, le=4096, description="GPUs joined without the network.")
    nics_per_node: int | None = Field(None, ge=0, le=256, description="Network adapters in one server.")
    nic_gbit_s: float | None = Field(None, ge=0, le=100_000, description="Rate of one adapter, one direction.")
    fabric: Literal["infiniband", "roce", "efa", "slingshot", "none"] | None = Field(None, description="Kind of network.")
    in_network_reduction: bool | None = Field(None, description="Switches of the network add (SHARP).")
    scale_up_reduction: bool | None = Field(None, description="Switches of the scale-up domain add (NVLS).")
    oversubscription: Annotated[str, AfterValidator(_checked_ratio)] | None = Field(
        None, description="Bandwidth of a leaf towards servers over its bandwidth towards spines.")
    nodes_per_leaf: int | None = Field(None, ge=1, le=MAX_GPUS, description="Servers that share a leaf.")
    placement: Literal["ordered", "random"] | None = Field(None, description="Whether ranks follow the cabling.")
    load_balancing: Literal["adaptive", "ecmp", "spray"] | None = Field(None, description="How uplinks share the load.")
    gpudirect: bool | None = Field(None, description="NICs read and write GPU memory without the host in between.")


class PredictionRequest(_Section):
    """One request."""

    system: System
    collective: str = Field("all_reduce", max_length=80)
    gpus: list[Annotated[int, Field(ge=1, le=MAX_GPUS)]] = Field(min_length=1, max_length=MAX_ROWS)
    message_bytes: list[Annotated[int, Field(ge=1, le=MAX_MESSAGE_BYTES)]] = Field(min_length=1, max_length=MAX_ROWS)
    algorithm: Literal["ring", "tree", "nvls", "nvls_tree", "collnet_chain", "collnet_direct", "pat", "two_level",
                       "one_shot"] | None = None
    protocol: Literal["ll", "ll128", "simple"] | None = None
    launch: Literal["process-per-gpu", "single-process", "graph"] = "process-per-gpu"


def predict(request: Any, catalog: Any) -> dict[str, list[dict[str, Any]]]:
    """Predicted times of a collective.

    Parameters
    ----------
    request : mapping, the JSON of a prediction request.
    catalog : GPUs and constants of the model.

    Returns
    -------
    ``{"rows": […]}``, one row a GPU count and message size, ordered by both; docs/model.md, "A prediction's rows".

    Raises
    ------
    SpecError
        With every problem found: wrong types, bounds, unknown keys, an unknown GPU, a collective or algorithm that is not
        modelled, GPUs that no network joins.
    """
    asked, problems = _validated(request)
    if asked is None:
        raise SpecError(problems)
    system = {key: value for key, value in asked.system.model_dump().items() if value is not None}
    problems = _model_problems(asked, system, catalog)
    if problems:
        raise SpecError(problems)
    gpus, sizes = sorted(asked.gpus), sorted(asked.message_bytes)
    constants = ModelConstants(catalog)
    columns = system_columns([system], catalog, constants).take(np.zeros(len(gpus), dtype=np.int64))
    points = points_of(columns, np.array(gpus, dtype=np.int64), asked.launch, constants)
    times = predict_times(points, np.array([sizes], dtype=np.float64), asked.launch, constants, asked.algorithm, asked.protocol)
    missing = [n for n, row in zip(gpus, times.time_s, strict=True) if not np.isfinite(row).all()]
    if missing:
        raise SpecError([_no_such_algorithm(asked, missing)])
    nodes = -(-points.n_ranks // points.columns.gpus_per_node)
    return {"rows": [
        {"gpus": n, "nodes": int(nodes[i]), "message_bytes": size, "time_us": float(s_to_us(times.time_s[i, j])),
         "time_us_low": float(s_to_us(times.low_s[i, j])), "time_us_high": float(s_to_us(times.high_s[i, j])),
         "algbw_gb_s": float(byte_s_to_gb_s(times.algbw_byte_s[i, j])),
         "busbw_gb_s": float(byte_s_to_gb_s(times.busbw_byte_s[i, j])),
         "algorithm": algorithm_name(int(times.choice[i, j])), "protocol": protocol_name(int(times.choice[i, j])),
         "limited_by": LIMITS[times.limit[i, j]], "validated": bool(times.is_validated[i, j])}
        for i, n in enumerate(gpus) for j, size in enumerate(sizes)]}


def _validated(request: Any) -> tuple[PredictionRequest | None, list[Problem]]:
    """Types, bounds and keys."""
    if not isinstance(request, Mapping):
        return None, [Problem("", "wrong_type", f"A prediction request is a JSON object, and this is {_kind_of(request)}.")]
    try:
        return PredictionRequest.model_validate(dict(request)), []
    except ValidationError as error:
        return None, [_problem_of(item) for item in error.errors(include_url=False)]


def _model_problems(asked: PredictionRequest, system: dict[str, Any], catalog: Any) -> list[Problem]:
    """Rules that need the catalog, or more than one key."""
    problems = []
    if asked.collective not in BUS_FACTORS:
        problems.append(Problem("collective", "collective_not_modelled", (
            f"{asked.collective!r} is not modelled yet. Available: {', '.join(BUS_FACTORS)}.")))
    if asked.algorithm is not None and asked.algorithm not in ALGORITHMS:
        problems.append(Problem("algorithm", "algorithm_not_modelled", (
            f"{asked.algorithm!r} is not modelled for {asked.collective}. Available: {', '.join(ALGORITHMS)}, or null for the "
            "fastest.")))
    n_rows = len(asked.gpus) * len(asked.message_bytes)
    if n_rows > MAX_ROWS:
        problems.append(Problem("message_bytes", "too_many_rows", (
            f"{len(asked.gpus):,} GPU counts × {len(asked.message_bytes):,} sizes are {n_rows:,} rows, and {MAX_ROWS:,} is the "
            "most in one request. Split it.")))
    if asked.system.gpu not in catalog.gpus:
        near = difflib.get_close_matches(asked.system.gpu, list(catalog.gpus), 3, 0.4) or sorted(catalog.gpus)[:5]
        problems.append(Problem("system.gpu", "unknown_part", (
            f"The catalog has no GPU {asked.system.gpu!r}. Near it: {', '.join(near)}.")))
        return problems
    full = complete_system(system, gpu_facts(catalog.gpus[asked.system.gpu], ModelConstants(catalog)))
    domain = full["scale_up_domain_gpus"]
    if max(asked.gpus) > domain and (full["fabric"] == "none" or not full["nics_per_node"] or not full["nic_gbit_s"]):
        problems.append(Problem("system.fabric", "no_network", (
            f"{max(asked.gpus):,} GPUs were asked for, a scale-up domain holds {domain:,}, and no network joins them "
            f"(fabric {full['fabric']}, {full['nics_per_node']} NICs of {full['nic_gbit_s']:g} Gb/s a node). Name a fabric and its "
            f"NICs, or ask for at most {domain:,} GPUs.")))
    return problems


def _no_such_algorithm(asked: PredictionRequest, gpus: list[int]) -> Problem:
    """The forced algorithm does not exist on this system at these GPU counts."""
    needs = {"nvls": "one scale-up domain of NVLink switches that reduce, and enough GPUs in it",
             "nvls_tree": "several domains of two GPUs or more, with NVLink switches that reduce",
             "collnet_chain": "in_network_reduction and several domains",
             "collnet_direct": "in_network_reduction and several domains"}
    kinds = [protocol for name, protocol in VARIANTS if name == asked.algorithm]
    name = asked.algorithm or "an algorithm"
    if asked.algorithm and asked.protocol and asked.protocol not in kinds:
        return Problem("protocol", "algorithm_not_available", (
            f"{name} knows the protocols {', '.join(kinds)}, and {asked.protocol} was asked for."))
    return Problem("algorithm", "algorithm_not_available", (
        f"{name} does not exist on this system with {', '.join(f'{n:,}' for n in gpus[:5])} GPUs: it needs "
        f"{needs.get(name, 'more than one GPU')}. Ask for ring or tree, or leave the algorithm null."))


def _kind_of(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number"}
    return "empty" if value is None else names.get(type(value), type(value).__name__)


def _known_keys(location: tuple[Any, ...]) -> list[str]:
    return list((System if location[:-1] == ("system",) else PredictionRequest).model_fields)


def _problem_of(item: Any) -> Problem:
    """One pydantic error as a Problem in plain words."""
    location, kind, context = item["loc"], item["type"], item.get("ctx", {})
    field = ".".join(str(part) for part in location)
    shown = json.dumps(item.get("input"), default=str)[:60]
    if kind == "extra_forbidden":
        known = _known_keys(location)
        near = difflib.get_close_matches(str(location[-1]), known, 1)
        hint = f"Did you mean {near[0]!r}?" if near else f"Known keys here: {', '.join(known)}."
        return Problem(field, "unknown_key", f"{str(location[-1])[:80]!r} is not a key of a prediction request. {hint}")
    if kind == "missing":
        return Problem(field, "missing", f"{location[-1]!r} is needed and was left out.")
    limits = {"greater_than_equal": ("at least", "ge"), "less_than_equal": ("at most", "le")}
    if kind in limits:
        word, key = limits[kind]
        return Problem(field, "out_of_range", f"Must be {word} {context[key]:,}, and {shown} was asked for.")
    if kind in ("too_long", "too_short"):
        return Problem(field, "out_of_range", f"Must have 1 to {MAX_ROWS:,} entries, and has {context['actual_length']:,}.")
    if kind == "literal_error":
        return Problem(field, "not_a_choice", f"Must be one of {context['expected']}, and {shown} was given.")
    if kind == "value_error":
        return Problem(field, "not_a_ratio", f"{context['error']}.")
    return Problem(field, "wrong_type", f"{item['msg']}, and {shown} ({_kind_of(item.get('input'))}) was given.")
