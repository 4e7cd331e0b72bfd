"""What a step is computed from, as columns: the model, the GPU, the layout and the software of many steps at once."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np

from estimator.catalog.records import Gpu
from estimator.units import GIGA, BoolArray, FloatArray, IntArray, gbit_s_to_byte_s
from estimator.workloads.models.columns import ShapeColumns
from estimator.workloads.paths.host_memory import HOST_MEMORY
from estimator.workloads.training.constants import Constants
from estimator.workloads.training.stack import (
    EAGER,
    EP_OVERLAP,
    FIXED_CAPACITY,
    FULL_GRAPHS,
    FUSED_EXPERTS,
    GRAPHS,
    NODE_DISPATCH,
    UNFUSED_ATTENTION,
    family_of,
    stack_key,
)

BF16, FP8, MXFP8, NVFP4 = "bf16", "fp8", "mxfp8", "nvfp4"
PRECISIONS = (BF16, FP8, MXFP8, NVFP4)
TERA = 10**12
STATE_BYTES = 12.0  # FP32 weights and two moments
EAGER_STATE_BYTES = 4.0  # two moments in BF16, and weights that are updated in place
OF_STACKS = (  # constants that a framework can have its own of
    "host_layer",
    "host_recompute",
    "host_call",
    "tp_exposed",
    "dp_exposed",
    "overlap_window",
    "bucket_bytes",
    "fsdp_exposed",
    "optimizer_bytes",
    "step_seconds",
    "layer_bytes",
)


class _Columns:
    """Arrays of one length, taken from by index."""

    def take(self, index: Any) -> Self:
        """Entries at these places."""
        return type(self)(**{one.name: getattr(self, one.name)[index] for one in fields(self)})  # type: ignore[arg-type]


@dataclass(frozen=True)
class Layouts(_Columns):
    """How a model is spread over GPUs, and its batch; one entry a layout, shape (n,)."""

    tp: IntArray
    pp: IntArray
    cp: IntArray
    ep: IntArray
    dp: IntArray
    virtual_stages: IntArray
    micro_batch: IntArray
    global_batch: IntArray
    sequence: IntArray
    zero_stage: IntArray  # 0 nothing is sharded over dp, 1 optimizer, 2 gradients too, 3 weights too (FSDP)
    shard_gpus: IntArray  # GPUs that share one copy of what is sharded; dp·cp, or fewer (HSDP)
    sequence_parallel: BoolArray
    recompute: IntArray  # 0 none, 1 selective, 2 full
    zero_bubble: BoolArray

    @property
    def n_gpus(self) -> IntArray:
        """GPUs of the job."""
        return np.asarray(self.tp * self.pp * self.cp * self.dp)

    @property
    def micro_batches(self) -> IntArray:
        """Micro-batches a step and pipeline."""
        return np.asarray(-(-self.global_batch // (self.dp * self.micro_batch)))

    @property
    def tokens(self) -> FloatArray:
        """Tokens of a micro-batch on one rank of context parallelism."""
        return np.asarray(self.micro_batch * self.sequence / self.cp)


@dataclass(frozen=True)
class Machines(_Columns):
    """The GPU and software of each step, shape (n,); places are rows of constants."""

    peak_flops: FloatArray  # of the precision
    bf16_flops: FloatArray
    memory_byte_s: FloatArray
    memory_bytes: FloatArray
    domain_gpus: IntArray
    nic_byte_s: FloatArray  # of one GPU
    weight_bytes: FloatArray  # a parameter travels as this
    state_bytes: FloatArray  # of the optimizer, a parameter
    is_low_precision: BoolArray
    is_lora: BoolArray
    has_expert_bias: BoolArray
    graphs: BoolArray
    full_graphs: BoolArray
    fused_experts: BoolArray
    node_dispatch: BoolArray
    ep_overlap: BoolArray
    unfused_attention: BoolArray
    over_host: BoolArray  # GPUs of a domain reach each other through host memory
    factor: FloatArray  # a calibration's, 1 without one
    gemm: IntArray
    bf16_gemm: IntArray
    attention: IntArray
    attention_stack: IntArray
    power: IntArray
    stack: IntArray
    host_layer: IntArray
    host_recompute: IntArray
    host_call: IntArray
    tp_exposed: IntArray
    dp_exposed: IntArray
    overlap_window: IntArray
    bucket_bytes: IntArray
    fsdp_exposed: IntArray
    optimizer_bytes: IntArray
    step_seconds: IntArray
    layer_bytes: IntArray


@dataclass(frozen=True)
class Steps:
    """Models, layouts and machines of the same length, or of length 1 where all steps share one."""

    shapes: ShapeColumns
    layouts: Layouts
    machines: Machines

    def take(self, index: Any) -> Self:
        """Steps at these places."""
        return replace(
            self, shapes=self.shapes.take(index), layouts=self.layouts.take(index), machines=self.machines.take(index)
        )


@dataclass(frozen=True)
class Machine:
    """One GPU, its links and its software, before it becomes a row of ``Machines``."""

    gpu: Gpu
    domain_gpus: int
    nic_gbit_s: float  # of one GPU
    precision: str
    is_lora: bool
    has_experts: bool
    has_expert_bias: bool
    framework: str | None
    features: frozenset[str]
    factor: float = 1.0
    over_host: bool = False  # GPUs of a node reach each other through host memory


def peak_tflops(gpu: Gpu, precision: str) -> float | None:
    """Dense rate of a precision; None where the GPU does not have it."""
    if precision == BF16:
        return gpu.bf16_dense_tflops
    return gpu.fp4_dense_tflops if precision == NVFP4 else gpu.fp8_dense_tflops


def architecture(gpu: Gpu) -> str:
    """The index of constants: ``Blackwell Ultra`` → ``blackwell``, ``CDNA 3`` → ``cdna3``."""
    return gpu.architecture.lower().replace(" ultra", "").replace(" ", "")


def machine_columns(machines: Sequence[Machine], constants: Constants) -> Machines:
    """Machines as columns; the precision is one that the GPU has."""

    def column(values: Any) -> Any:
        return np.array(list(values))

    places = [_places(one, constants) for one in machines]
    return Machines(
        peak_flops=column((peak_tflops(one.gpu, one.precision) or 0.0) * TERA for one in machines),
        bf16_flops=column((one.gpu.bf16_dense_tflops or 0.0) * TERA for one in machines),
        memory_byte_s=column(float(one.gpu.memory_tb_s or 0) * TERA for one in machines),
        memory_bytes=column(float(one.gpu.memory_gb or 0) * GIGA for one in machines),
        domain_gpus=column(one.domain_gpus for one in machines),
        nic_byte_s=column(float(gbit_s_to_byte_s(one.nic_gbit_s)) for one in machines),
        weight_bytes=np.full(len(machines), 2.0),
        state_bytes=column(EAGER_STATE_BYTES if stack_key(one.framework) == EAGER else STATE_BYTES for one in machines),
        is_low_precision=column(one.precision != BF16 for one in machines),
        is_lora=column(one.is_lora for one in machines),
        has_expert_bias=column(one.has_expert_bias for one in machines),
        graphs=column(bool(one.features & {GRAPHS, FIXED_CAPACITY, FULL_GRAPHS}) for one in machines),
        full_graphs=column(FULL_GRAPHS in one.features for one in machines),
        fused_experts=column(FUSED_EXPERTS in one.features for one in machines),
        node_dispatch=column(NODE_DISPATCH in one.features for one in machines),
        ep_overlap=column(EP_OVERLAP in one.features for one in machines),
        unfused_attention=column(UNFUSED_ATTENTION in one.features for one in machines),
        over_host=column(one.over_host for one in machines),
        factor=column(one.factor for one in machines),
        **{name: column(place[name] for place in places) for name in places[0]},
    )


def _places(one: Machine, constants: Constants) -> dict[str, int]:
    kind, framework = architecture(one.gpu), stack_key(one.framework)
    low = FP8 if one.precision == MXFP8 else BF16
    moe = [f"{framework}.moe"] if one.has_experts else []
    over_host = [f"{framework}.{HOST_MEMORY}"] if one.over_host else []
    return {
        "gemm": constants.place(
            "gemm_efficiency", f"{kind}.{one.precision}", f"{kind}.{low}", f"default.{one.precision}"
        ),
        "bf16_gemm": constants.place("gemm_efficiency", f"{kind}.bf16", "default.bf16"),
        "attention": constants.place("attention_efficiency", kind),
        "attention_stack": constants.place("attention_stack", framework),
        "power": constants.place("power_factor", one.gpu.id),
        "stack": constants.place("stack_factor", *moe, framework, family_of(framework)),
        **{name: constants.place(name, *over_host, framework, "") for name in OF_STACKS},
    }
