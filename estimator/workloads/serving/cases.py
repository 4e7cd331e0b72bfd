"""Cases of serving as columns: a model on GPUs at a precision, its layout, its load and its software.

Every column has one entry a case, shape (n_cases,), or a single one that holds for all, shape (1,): a search looks at
100,000 layouts of one model on one GPU.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from estimator.catalog.records import Gpu
from estimator.units import GIGA, BoolArray, FloatArray
from estimator.workloads.models.columns import ShapeColumns
from estimator.workloads.serving.constants import Constants, Picked

TERA = 1e12
BF16_BYTES, FP8_BYTES, FP4_BYTES = 2.0, 1.0, 0.5625  # four bits and a scale of eight for sixteen weights
BF16, FP8, FP4 = "bf16", "fp8", "fp4"
PRECISIONS = {  # name in a request: what weights are stored in, what they are multiplied in
    "bf16": (BF16, BF16),
    "fp16": (BF16, BF16),
    "fp8": (FP8, FP8),
    "fp8_block": (FP8, FP8),
    "mxfp8": (FP8, FP8),
    "int8": (FP8, FP8),
    "nvfp4": (FP4, FP4),
    "mxfp4": (FP4, FP4),
    "fp4": (FP4, FP4),
    "int4": (FP4, BF16),
    "int4_wo": (FP4, BF16),
}
BYTES = {BF16: BF16_BYTES, FP8: FP8_BYTES, FP4: FP4_BYTES}
FAMILIES = {
    "Ampere": "ampere",
    "Hopper": "hopper",
    "Blackwell": "blackwell",
    "Blackwell Ultra": "blackwell",
    "CDNA 3": "cdna3",
    "CDNA 4": "cdna4",
}
FRAMEWORKS = ("trtllm", "sglang", "vllm")
_FRAMEWORK_NAMES = {
    "tensorrt-llm": "trtllm",
    "tensorrtllm": "trtllm",
    "trt-llm": "trtllm",
    "dynamo-trtllm": "trtllm",
    "dynamo-sglang": "sglang",
    "dynamo-vllm": "vllm",
}
OTHER = "other"


@dataclass(frozen=True)
class GpuColumns:
    """GPUs, in SI units: memory, its bandwidth, and the peak that a model's parts are multiplied at."""

    memory_bytes: FloatArray
    memory_byte_s: FloatArray
    bf16_flop_s: FloatArray
    dense_flop_s: FloatArray
    expert_flop_s: FloatArray


@dataclass(frozen=True)
class Precisions:
    """Bytes a weight and a cached value, and whether experts and the rest are stored in four bits."""

    dense_bytes: FloatArray
    expert_bytes: FloatArray
    kv_bytes: FloatArray


NAMES = ("tp", "pp", "attention_dp", "moe_tp", "ep")  # of the columns of Layouts


@dataclass(frozen=True)
class Layouts:
    """Parallelism of one worker; whole numbers, kept as floats as all formulas divide by them."""

    tp: FloatArray
    pp: FloatArray
    attention_dp: FloatArray
    moe_tp: FloatArray
    ep: FloatArray

    @property
    def gpus(self) -> FloatArray:
        """GPUs of a worker."""
        return self.tp * self.pp * self.attention_dp

    @property
    def expert_ranks(self) -> FloatArray:
        """GPUs that the experts of a layer are spread over."""
        return self.moe_tp * self.ep


@dataclass(frozen=True)
class Load:
    """Requests in flight on one worker, and their lengths."""

    concurrency: FloatArray
    input_tokens: FloatArray
    output_tokens: FloatArray
    accepted_tokens: FloatArray  # a step and sequence, 1 without speculative decoding
    queue_spread: FloatArray = field(default_factory=lambda: np.ones(1))  # 1 + variance of prompts over their mean²


@dataclass(frozen=True)
class Software:
    """What a request says of its stack: names for the constants, and features."""

    gpu: str
    precision: str
    framework: str
    release: str = ""
    features: tuple[str, ...] = ()
    accepted_tokens: float | None = None
    kv_precision: str | None = None


@dataclass(frozen=True)
class Cases:
    """One batch of cases."""

    shapes: ShapeColumns
    gpus: GpuColumns
    precisions: Precisions
    layouts: Layouts
    load: Load
    constants: Picked

    @property
    def is_moe(self) -> BoolArray:
        """Whether the model has routed experts."""
        return self.shapes.moe_layers > 0

    @property
    def accepted_tokens(self) -> FloatArray:
        """Tokens that a sequence gains a step: as the request says, or as its release is known to."""
        return self.load.accepted_tokens * self.constants.of("usual_accepted_tokens")

    def with_load(self, load: Load) -> "Cases":
        """The same placements under another load."""
        return replace(self, load=load)

    def with_layouts(self, layouts: Layouts) -> "Cases":
        """The same model, GPU and software in other layouts."""
        return replace(self, layouts=layouts)

    def with_constants(self, constants: Picked) -> "Cases":
        """The same cases with other values of the constants."""
        return replace(self, constants=constants)


def framework_named(name: str | None) -> str:
    """The framework that constants have, ``other`` for one that was not measured."""
    short = (name or "").strip().lower()
    short = _FRAMEWORK_NAMES.get(short, short)
    return short if short in FRAMEWORKS else OTHER


def family_of(gpu: Gpu) -> str:
    """The family of GPUs whose constants hold for one."""
    return FAMILIES.get(gpu.architecture, OTHER)


def columns_of(
    shapes: ShapeColumns,
    gpus: Sequence[Gpu],
    software: Sequence[Software],
    layouts: Layouts,
    load: Load,
    constants: Constants,
) -> Cases:
    """Cases of as many GPUs and stacks as models: one for all, or one each.

    Parameters
    ----------
    shapes, gpus, software : the same number of each, n_cases or 1.
    layouts, load : (n_cases,) or (1,) columns. Attention data parallelism that experts imply is filled in.
    constants : values to take columns of.
    """
    moe = shapes.moe_layers > 0
    kinds = [_kinds(gpu, one, bool(is_moe)) for gpu, one, is_moe in zip(gpus, software, moe, strict=True)]
    implied = np.where(moe, np.floor_divide(layouts.moe_tp * layouts.ep, layouts.tp), 1.0)
    layouts = replace(layouts, attention_dp=np.maximum(layouts.attention_dp, implied))
    accepted = [1.0 if one.accepted_tokens is None else one.accepted_tokens for one in software]
    return Cases(
        shapes=shapes,
        gpus=GpuColumns(
            memory_bytes=np.array([gpu.memory_gb * GIGA for gpu in gpus]),
            memory_byte_s=np.array([gpu.memory_tb_s * TERA for gpu in gpus]),
            bf16_flop_s=np.array([gpu.bf16_dense_tflops * TERA for gpu in gpus]),
            dense_flop_s=np.array([_peak(gpu, kind.dense_math) for gpu, kind in zip(gpus, kinds, strict=True)]),
            expert_flop_s=np.array([_peak(gpu, kind.expert_math) for gpu, kind in zip(gpus, kinds, strict=True)]),
        ),
        precisions=Precisions(
            dense_bytes=np.array([BYTES[kind.dense] for kind in kinds]),
            expert_bytes=np.array([BYTES[kind.expert] for kind in kinds]),
            kv_bytes=np.array([BYTES[kind.kv] for kind in kinds]),
        ),
        layouts=layouts,
        load=replace(load, accepted_tokens=load.accepted_tokens * np.array(accepted)),
        constants=constants.picked(_indices(gpus, software, kinds, [bool(mtp) for mtp in shapes.mtp])),
    )


@dataclass(frozen=True)
class _Kinds:
    """What dense weights, experts and the cache are stored in, and what weights are multiplied in."""

    dense: str
    expert: str
    kv: str
    dense_math: str
    expert_math: str


def _kinds(gpu: Gpu, software: Software, is_moe: bool) -> _Kinds:
    """Four-bit checkpoints of models with experts keep all but the experts in BF16, as their publishers do."""
    stored, math = PRECISIONS[software.precision]
    if math == FP4 and not gpu.fp4_dense_tflops:
        math = BF16  # weights are expanded on the way in
    if math == FP8 and not gpu.fp8_dense_tflops:
        math = BF16
    only_experts = is_moe and stored == FP4
    kv = (
        PRECISIONS[software.kv_precision][0]
        if software.kv_precision
        else (BF16 if "int4" in software.precision else "")
    )
    kv = kv or (BF16 if stored == BF16 else FP8)
    return _Kinds(BF16 if only_experts else stored, stored, kv, BF16 if only_experts else math, math)


def _peak(gpu: Gpu, math: str) -> float:
    return (
        TERA
        * {
            BF16: gpu.bf16_dense_tflops,
            FP8: gpu.fp8_dense_tflops or gpu.bf16_dense_tflops,
            FP4: gpu.fp4_dense_tflops or gpu.bf16_dense_tflops,
        }[math]
    )


def _indices(
    gpus: Sequence[Gpu], software: Sequence[Software], kinds: Sequence[_Kinds], has_mtp: Sequence[bool]
) -> dict[str, list[str]]:
    """The index of every constant that the model takes, by what it depends on."""
    families = [family_of(gpu) for gpu in gpus]
    frameworks = [framework_named(one.framework) for one in software]
    both = [f"{framework}.{family}" for framework, family in zip(frameworks, families, strict=True)]
    swapped = [f"{family}.{framework}" for framework, family in zip(frameworks, families, strict=True)]
    releases = [
        f"{framework}.{family}.{one.release}" if "tuned_experts" not in one.features else OTHER
        for framework, family, one in zip(frameworks, families, software, strict=True)
    ]
    dense = [f"{family}.{kind.dense_math}" for family, kind in zip(families, kinds, strict=True)]
    expert = [f"{family}.{kind.expert_math}" for family, kind in zip(families, kinds, strict=True)]
    stored_dense = [f"{family}.{kind.dense}" for family, kind in zip(families, kinds, strict=True)]
    stored_expert = [f"{family}.{kind.expert}" for family, kind in zip(families, kinds, strict=True)]
    drafting = [  # a release may draft without saying so, where the model brings the layers for it
        f"{framework}.{one.release}" if mtp and one.accepted_tokens is None else OTHER
        for framework, one, mtp in zip(frameworks, software, has_mtp, strict=True)
    ]
    eager = ["eager" if "eager" in one.features else "graphs" for one in software]
    return {
        "memory_efficiency_dense": stored_dense,
        "memory_efficiency_expert": stored_expert,
        "decode_efficiency_dense": dense,
        "decode_efficiency_expert": expert,
        "prefill_efficiency_dense": dense,
        "prefill_efficiency_expert": expert,
        "prefill_size_dense": families,
        "prefill_size_expert": families,
        "attention_efficiency": families,
        "kv_efficiency": families,
        "layer_s": families,
        "moe_layer_s": families,
        "host_layer_s": eager,
        "block_scale_layer_s": expert,
        "step_s": frameworks,
        "sequence_s": frameworks,
        "request_s": frameworks,
        "prefill_layer_s": families,
        "overlap_power": families,
        "prefill_share": frameworks,
        "all_reduce_wait": families,
        "expert_wait": families,
        "expert_imbalance": families,
        "untuned_experts": releases,
        "usual_accepted_tokens": drafting,
        "stack": both,
        "first_token_s": frameworks,
        "first_token_layer_s": families,
        "queue_share": frameworks,
        "burst_share": frameworks,
        "disaggregated_first_token_s": frameworks,
        "disaggregated_stack": both,
        "pool_prefill_share": both,
        "pool_exchange_share": both,
        "one_shot_s": swapped,
        "one_shot_rank_s": swapped,
        "one_shot_byte_s": swapped,
        "two_shot_s": swapped,
        "two_shot_byte_s": swapped,
        "dispatch_s": families,
        "dispatch_byte_s": families,
        "nic_efficiency": families,
    }
