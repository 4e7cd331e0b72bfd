"""Times of single batches: mode ``batch`` of a request."""

from collections.abc import Mapping

import numpy as np

from estimator.catalog.catalog import Catalog
from estimator.errors import Problem, SpecError
from estimator.record import Json
from estimator.serving_request.request import Layout, ServingRequest
from estimator.spec.checking import validated
from estimator.units import MILLI, FloatArray
from estimator.workloads.models.columns import shape_columns
from estimator.workloads.models.shapes import ModelShape
from estimator.workloads.paths.inside import NVLINK
from estimator.workloads.serving.answer import BatchRow
from estimator.workloads.serving.batch import Batches, batches_of, decode_s, prefill_s, stage_s
from estimator.workloads.serving.check import layout_problems
from estimator.workloads.serving.constants import serving_constants


def batch_answer(asked: ServingRequest, shape: ModelShape | None, problems: list[Problem], catalog: Catalog) -> Json:
    """Times of single batches."""
    layout = {"tp": 1, "pp": 1}
    given, of_layout = validated(Layout, asked.layout or {}, "a layout")
    problems += [one.inside("layout") for one in of_layout]
    if given is not None and shape is not None:
        layout = given.full(False)
        problems += layout_problems(shape, layout, "layout")
    if asked.batch is None:
        problems.append(Problem("batch", "missing", "Give batch: the number of sequences, or a list of numbers."))
    if asked.context is None and asked.prompt is None:
        problems.append(
            Problem("prompt", "missing", "Give prompt for the time of prefill, context for that of decode.")
        )
    if shape is not None and shape.is_moe:
        message = f"{shape.name} has experts, and single batches are modelled of dense models alone. Use aggregated."
        problems.append(Problem("mode", "not_modelled", message))
    if problems or shape is None:
        raise SpecError(problems)
    constants = serving_constants()
    prefill = decode = stage = None
    if asked.prompt is not None:
        prefill = prefill_s(_batches(asked, shape, layout, asked.prompt, catalog), constants)
    if asked.context is not None:
        of_context = _batches(asked, shape, layout, asked.context, catalog)
        decode = decode_s(of_context, constants)
        stage = stage_s(of_context, constants) if layout["pp"] > 1 else None
    rows = [
        BatchRow(batch=size, prefill_ms=_ms(prefill, i), decode_ms=_ms(decode, i), decode_stage_ms=_ms(stage, i))
        for i, size in enumerate(asked.batch or [])
    ]
    return {"rows": [row.as_json() for row in rows]}


def _batches(
    asked: ServingRequest, shape: ModelShape, layout: Mapping[str, int], tokens: float, catalog: Catalog
) -> Batches:
    sizes = asked.batch or []
    count = len(sizes)
    return batches_of(
        shape_columns([shape]).take(np.zeros(count, dtype=np.int64)),
        [catalog.gpus[asked.system.gpu]] * count,
        [asked.path or NVLINK] * count,
        [asked.stack.features] * count,
        tp=np.full(count, float(layout["tp"])),
        pp=np.full(count, float(layout["pp"])),
        batch=np.array(sizes, dtype=np.float64),
        tokens=np.full(count, float(tokens)),
    )


def _ms(time_s: FloatArray | None, at: int) -> float | None:
    return None if time_s is None else float(time_s[at]) / MILLI
