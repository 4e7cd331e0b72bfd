"""Whether a model, a batch and a number of GPUs can have a layout: every problem at once, each with a way out."""

from collections.abc import Mapping
from typing import Any

from estimator.catalog.records import Gpu
from estimator.errors import Problem
from estimator.units import divisors
from estimator.workloads.models.shapes import ModelShape
from estimator.workloads.training.columns import PRECISIONS, peak_tflops

MOST_SHOWN = 8


def precision_problem(gpu: Gpu, precision: str) -> Problem | None:
    """A precision that the GPU has no rate for."""
    if peak_tflops(gpu, precision):
        return None
    have = ", ".join(one for one in PRECISIONS if peak_tflops(gpu, one))
    message = f"{gpu.model} has no rate for {precision}. Use {have}."
    return Problem("precision", "precision_not_available", message)


def layout_problems(shape: ModelShape, layout: Mapping[str, Any], n_gpus: int | None) -> list[Problem]:
    """What is wrong with a layout (keys as in ``layout_of``) of a model, on ``n_gpus`` where that is given."""
    found = [
        _heads(shape, layout["tp"]),
        _stages(shape, layout["pp"], layout["virtual_stages"]),
        *_experts(shape, layout),
        _context(layout["sequence"], layout["cp"]),
        _batch(layout),
        _gpus(layout, n_gpus),
    ]
    return [one for one in found if one]


def _options(numbers: list[int]) -> str:
    shown = [str(one) for one in numbers[:MOST_SHOWN]]
    return ", ".join(shown) + (" …" if len(numbers) > MOST_SHOWN else "")


def _heads(shape: ModelShape, tp: int) -> Problem | None:
    if shape.heads % tp == 0:
        return None
    message = (
        f"{shape.name} has {shape.heads} attention heads, which TP {tp} does not divide. Use TP "
        f"{_options(divisors(shape.heads))}."
    )
    return Problem("parallel.tp", "heads_not_divisible", message)


def _stages(shape: ModelShape, pp: int, virtual_stages: int) -> Problem | None:
    n_chunks = pp * virtual_stages
    if n_chunks <= shape.layers + 2:  # embedding and head may count as layers
        return None
    chunks = f"PP {pp}" + (f" × {virtual_stages} virtual stages" if virtual_stages > 1 else "")
    message = (
        f"{shape.name} has {shape.layers} layers and {chunks} needs {n_chunks}, one each at least. Use at most "
        f"{shape.layers} stages in all."
    )
    return Problem("parallel.virtual_stages" if virtual_stages > 1 else "parallel.pp", "too_many_stages", message)


def _experts(shape: ModelShape, layout: Mapping[str, Any]) -> list[Problem]:
    ep = layout["ep"]
    if ep == 1:
        return []
    if shape.experts is None:
        message = f"{shape.name} has no experts, so EP {ep} has nothing to spread. Leave ep at 1."
        return [Problem("parallel.ep", "no_experts", message)]
    count = shape.experts.count
    found = []
    if ep > count or count % ep:
        what = "is more than" if ep > count else "does not divide"
        message = f"EP {ep} {what} the {count} experts of {shape.name}. Use EP {_options(divisors(count)[::-1])}."
        found.append(Problem("parallel.ep", "experts_not_divisible", message))
    ranks = layout["dp"] * layout["cp"] * layout["tp"]
    if ranks % ep:
        message = (
            f"EP {ep} does not divide the {ranks} GPUs of a pipeline stage (TP × CP × DP). Use EP "
            f"{_options([one for one in divisors(ranks)[::-1] if count % one == 0])}, or another DP."
        )
        found.append(Problem("parallel.ep", "ep_not_in_stage", message))
    return found


def _context(sequence: int, cp: int) -> Problem | None:
    if sequence % cp == 0:
        return None
    message = f"CP {cp} does not divide sequences of {sequence:,} tokens. Use a power of two, or another length."
    return Problem("parallel.cp", "sequence_not_divisible", message)


def _batch(layout: Mapping[str, Any]) -> Problem | None:
    at_once = layout["dp"] * layout["micro_batch"]
    batch = layout["global_batch"]
    if batch % at_once == 0:
        return None
    near = max(1, round(batch / at_once)) * at_once
    message = (
        f"A global batch of {batch:,} sequences does not divide into DP {layout['dp']} × micro-batches of "
        f"{layout['micro_batch']}. Use {near:,}, or another DP or micro-batch."
    )
    return Problem("parallel.global_batch", "batch_not_divisible", message)


def _gpus(layout: Mapping[str, Any], n_gpus: int | None) -> Problem | None:
    model = layout["tp"] * layout["pp"] * layout["cp"]
    if n_gpus is None or model * layout["dp"] == n_gpus:
        return None
    message = (
        f"TP {layout['tp']} × PP {layout['pp']} × CP {layout['cp']} × DP {layout['dp']} is {model * layout['dp']:,} GPUs, "
        f"and {n_gpus:,} were given."
    )
    way = f" Use DP {n_gpus // model}." if n_gpus % model == 0 else f" Use a multiple of {model} GPUs."
    return Problem("parallel.dp", "layout_is_not_the_gpus", message + way)
