"""Arguments of Megatron-LM and overrides of Megatron Bridge for a training run.

Sources: megatron/training/arguments.py and config/ of Megatron-LM (commit d98e8a6), the order of ranks in
megatron/training/initialize.py; ConfigContainer of Megatron Bridge 0.3.1. Both refuse FSDP with another checkpoint format
than fsdp_dtensor, or with CUDA_DEVICE_MAX_CONNECTIONS=1. Data-parallel size is not given: both take it from the ranks that
are left.

Layers that do not divide into the stages are spread as the step is computed (``workloads/training/stages.py``): a shorter last
stage, embedding and head in place of a layer each, or, where virtual stages do not divide a stage, every stage by name. Rules:
``TransformerConfig.__post_init__`` in megatron/core/transformer/transformer_config.py and pipeline_parallel_layer_layout.py,
beside it. ``--decoder-first-pipeline-num-layers`` is not needed, as the first stage is never the only shorter one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from estimator.handoff.launch.job import Job, refuse
from estimator.handoff.launch.shell import PROGRAM
from estimator.handoff.stamp import comments
from estimator.workloads.placement.request import PIPELINES_CLOSE, Parallel
from estimator.workloads.training.stages import layers_of_chunks

SHARDED = {1: "optim", 2: "optim_grads", 3: "optim_grads_params"}


def write(job: Job) -> Iterator[str]:
    """A file to source: two arrays."""
    _, degrees = job.training("Megatron")
    _check(degrees)
    is_close = job.placed.order == PIPELINES_CLOSE
    yield PROGRAM
    yield comments(
        job.links,
        f'Order of ranks: {job.placed.order}. Source this file, then: torchrun … pretrain_gpt.py "${{MEGATRON_ARGUMENTS[@]}}" …',
    )
    yield "# shellcheck shell=bash disable=SC2034\n"
    yield "MEGATRON_ARGUMENTS=(\n" + "".join(f"  {one}\n" for one in arguments(degrees, is_close)) + ")\n"
    if is_close and _sharding_stage(degrees) > 1:
        yield "# no overrides for Megatron Bridge, which refuses this order of ranks with Megatron FSDP\n"
        return
    yield "BRIDGE_OVERRIDES=(\n" + "".join(f"  {one}\n" for one in overrides(degrees, is_close)) + ")\n"


def _check(degrees: Parallel) -> None:
    """Megatron's own rules, which it would fail by once every rank has started."""
    if degrees.global_batch and degrees.micro_batch and degrees.global_batch % (degrees.micro_batch * degrees.dp):
        message = (
            f"Megatron takes a global batch that is a multiple of micro_batch × dp = {degrees.micro_batch * degrees.dp}, and "
            f"{degrees.global_batch} was requested."
        )
        raise refuse(message, "not_for_layout")


def arguments(degrees: Parallel, is_close: bool) -> list[str]:
    """Megatron-LM's arguments."""
    out = [
        f"--tensor-model-parallel-size {degrees.tp}",
        f"--pipeline-model-parallel-size {degrees.pp}",
        f"--context-parallel-size {degrees.cp}",
    ]
    if degrees.ep > 1:
        out.append(f"--expert-model-parallel-size {degrees.ep}")
        out.append(f"--expert-tensor-parallel-size {degrees.experts_tp}")
    out += _stages(degrees)
    out += ["--sequence-parallel"] * (degrees.sequence_parallel and degrees.tp > 1)
    out += ["--use-tp-pp-dp-mapping"] * is_close
    for name, value in (
        ("micro-batch-size", degrees.micro_batch),
        ("global-batch-size", degrees.global_batch),
        ("seq-length", degrees.sequence),
    ):
        out += [f"--{name} {value}"] * (value is not None)
    out += _recompute(degrees)
    stage = _sharding_stage(degrees)
    if stage == 1:
        out.append("--use-distributed-optimizer")
    elif stage > 1:
        out += [
            "--use-megatron-fsdp",
            f"--data-parallel-sharding-strategy {SHARDED[stage]}",
            "--use-distributed-optimizer",
            "--ckpt-format fsdp_dtensor",
        ]
    return out


@dataclass(frozen=True)
class _Spread:
    """Layers over stages in Megatron's words; all unset where they divide, or where their number is not known."""

    last_layers: int | None = None
    counts_ends: bool = False
    by_name: str | None = None  # every virtual stage, in the model's order


def _spread(degrees: Parallel) -> _Spread:
    n_chunks, v = degrees.pp * degrees.virtual_stages, degrees.virtual_stages
    if degrees.layers is None or degrees.layers % n_chunks == 0:
        return _Spread()
    chunks = layers_of_chunks(degrees.layers, degrees.pp, v)
    if chunks[0] == chunks[-1] == chunks[1] - 1:
        return _Spread(counts_ends=True)
    last = sum(chunks[degrees.pp - 1 :: degrees.pp])
    if len(set(chunks[:-1])) == 1 and last and last % v == 0:
        return _Spread(last_layers=last)
    return _Spread(by_name=_by_name(chunks))


def _by_name(chunks: list[int]) -> str:
    """Megatron's string of stages: E and L for the ends, t for a layer, | between stages, ()* and * for repeats."""
    runs = [(layers, len(list(of_run))) for layers, of_run in groupby(chunks[1:-1])]
    middle = "".join(f"({_named(layers)}|)*{n}" for layers, n in runs)
    return f"E{_named(chunks[0])}|{middle}{_named(chunks[-1])}L"


def _named(layers: int) -> str:
    return f"t*{layers}" if layers else ""


def _stages(degrees: Parallel) -> list[str]:
    """Virtual stages, and layers where they do not divide: Megatron reads the former from the string where there is one."""
    spread = _spread(degrees)
    if spread.by_name is not None:
        return [f"--pipeline-model-parallel-layout '{spread.by_name}'"]
    out = [f"--num-virtual-stages-per-pipeline-rank {degrees.virtual_stages}"] * (degrees.virtual_stages > 1)
    if spread.last_layers is not None:
        out.append(f"--decoder-last-pipeline-num-layers {spread.last_layers}")
    if spread.counts_ends:
        out += ["--account-for-embedding-in-pipeline-split", "--account-for-loss-in-pipeline-split"]
    return out


def _sharding_stage(degrees: Parallel) -> int:
    """ZeRO's stage: 1 shards the optimizer, 2 gradients too, 3 parameters too."""
    return degrees.zero_stage if degrees.zero_stage is not None else 3 * degrees.fsdp


def _recompute(degrees: Parallel) -> list[str]:
    if degrees.recompute == "full":
        return ["--recompute-granularity full", "--recompute-method uniform", "--recompute-num-layers 1"]
    return ["--recompute-granularity selective"] * (degrees.recompute == "selective")


def overrides(degrees: Parallel, is_close: bool) -> list[str]:
    """Megatron Bridge's overrides, for a recipe's ConfigContainer."""
    stage, spread = _sharding_stage(degrees), _spread(degrees)
    values = {
        "model.tensor_model_parallel_size": degrees.tp,
        "model.pipeline_model_parallel_size": degrees.pp,
        "model.context_parallel_size": degrees.cp,
        "model.expert_model_parallel_size": degrees.ep if degrees.ep > 1 else None,
        "model.expert_tensor_parallel_size": degrees.experts_tp if degrees.ep > 1 else None,
        "model.virtual_pipeline_model_parallel_size": degrees.virtual_stages if degrees.virtual_stages > 1 else None,
        "model.num_layers_in_last_pipeline_stage": spread.last_layers,
        "model.account_for_embedding_in_pipeline_split": "true" if spread.counts_ends else None,
        "model.account_for_loss_in_pipeline_split": "true" if spread.counts_ends else None,
        # quotes of the shell around those of the overrides' grammar, which reads | and ( as its own
        "model.pipeline_model_parallel_layout": spread.by_name and f"\"'{spread.by_name}'\"",
        "model.sequence_parallel": "true" if degrees.sequence_parallel and degrees.tp > 1 else None,
        "model.seq_length": degrees.sequence,
        "model.recompute_granularity": degrees.recompute if degrees.recompute != "none" else None,
        "model.recompute_method": "uniform" if degrees.recompute == "full" else None,
        "model.recompute_num_layers": 1 if degrees.recompute == "full" else None,
        "train.micro_batch_size": degrees.micro_batch,
        "train.global_batch_size": degrees.global_batch,
        "dist.use_tp_pp_dp_mapping": "true" if is_close else None,
        "ddp.use_distributed_optimizer": "true" if stage else None,
        "ddp.use_megatron_fsdp": "true" if stage > 1 else None,
        "ddp.data_parallel_sharding_strategy": SHARDED[stage] if stage > 1 else None,
        "checkpoint.ckpt_format": "fsdp_dtensor" if stage > 1 else None,
    }
    return [f"{key}={value}" for key, value in values.items() if value is not None]
