"""What a model hub's ``config.json`` leaves unsaid, by ``model_type``: norms, biases, tied embeddings, patterns of layers.

Each row says how the reference implementation of that type (Hugging Face transformers, src/transformers/models) reads its keys.
"""

from dataclasses import dataclass, replace

from estimator.workloads.models.shapes import (
    FULL_QK_NORM,
    HEAD_QK_NORM,
    LAYER,
    LAYER_WITHOUT_BIAS,
    NO_QK_NORM,
    NO_WEIGHTS,
    RMS,
)


@dataclass(frozen=True)
class Family:
    """Defaults of one ``model_type``. ``full_every``: of so many layers the last attends to all, the others to a window."""

    tied: bool = False
    gated: bool = True
    norm: str = RMS
    norms_per_layer: int = 2
    qk_norm: str = NO_QK_NORM
    qkv_bias: bool = False
    out_bias: bool = False
    ffn_bias: bool = False
    head_bias: bool = False
    has_sinks: bool = False
    has_embedding_norm: bool = False
    has_attention_gate: bool = False
    has_router_bias: bool = False
    has_expert_bias: bool = False
    has_shared_gate: bool = False
    has_learned_positions: bool = False
    extra_positions: int = 0
    ffn_factor: int = 0  # width of the feed-forward block over hidden, where no key says it
    full_every: int = 0
    windows_by_default: bool = True  # sliding_window counts unless use_sliding_window is false


LLAMA = Family()
_BIASED = Family(
    gated=False,
    norm=LAYER,
    qkv_bias=True,
    out_bias=True,
    ffn_bias=True,
    tied=True,
    ffn_factor=4,
    windows_by_default=False,
)
_QWEN2 = Family(qkv_bias=True, windows_by_default=False)
_QWEN3 = Family(qk_norm=HEAD_QK_NORM, windows_by_default=False)
_QWEN3_NEXT = replace(_QWEN3, has_attention_gate=True, has_shared_gate=True)
_DEEPSEEK = Family(windows_by_default=False)
_DEEPSEEK_V3 = replace(_DEEPSEEK, has_router_bias=True)
_GEMMA = Family(tied=True)
_GEMMA3 = Family(tied=True, norms_per_layer=4, qk_norm=HEAD_QK_NORM, full_every=6)

FAMILIES = {
    "arcee": LLAMA,
    "baichuan": LLAMA,
    "bloom": replace(_BIASED, has_embedding_norm=True),
    "cohere": Family(tied=True, norm=LAYER_WITHOUT_BIAS, norms_per_layer=1),
    "cohere2": Family(tied=True, norm=LAYER_WITHOUT_BIAS, norms_per_layer=1, full_every=4),
    "deepseek_v2": _DEEPSEEK,
    "deepseek_v3": _DEEPSEEK_V3,
    "deepseek_v32": _DEEPSEEK_V3,
    "ernie4_5": LLAMA,
    "exaone": LLAMA,
    "falcon": replace(_BIASED, qkv_bias=False, out_bias=False, ffn_bias=False),
    "gemma": _GEMMA,
    "gemma2": replace(_GEMMA, norms_per_layer=4, full_every=2),
    "gemma3": _GEMMA3,
    "gemma3_text": _GEMMA3,
    "glm": Family(qkv_bias=True),
    "glm4": Family(qkv_bias=True, norms_per_layer=4),
    "glm4_moe": Family(qkv_bias=True, has_router_bias=True, windows_by_default=False),
    "glm_moe_dsa": _DEEPSEEK_V3,
    "gpt2": replace(_BIASED, has_learned_positions=True),
    "gpt_neox": replace(_BIASED, tied=False),
    "gpt_oss": Family(
        qkv_bias=True, out_bias=True, has_sinks=True, has_router_bias=True, has_expert_bias=True, full_every=2
    ),
    "granite": LLAMA,
    "internlm2": LLAMA,
    "kimi_k2": _DEEPSEEK_V3,
    "llama": LLAMA,
    "llama4_text": LLAMA,
    "mimo": replace(_QWEN2, qkv_bias=True),
    "minimax_m2": Family(qk_norm=FULL_QK_NORM, has_router_bias=True),
    "mistral": LLAMA,
    "mistral3": LLAMA,
    "mixtral": LLAMA,
    "mpt": _BIASED,
    "nemotron": Family(gated=False, norm=LAYER),
    "nemotron_h": Family(gated=False, norms_per_layer=1, has_router_bias=True),
    "olmo": Family(norm=NO_WEIGHTS),
    "olmo2": Family(qk_norm=FULL_QK_NORM),
    "olmo3": Family(qk_norm=FULL_QK_NORM, full_every=4),
    "olmoe": Family(qk_norm=FULL_QK_NORM),
    "opt": replace(_BIASED, has_learned_positions=True, extra_positions=2),
    "phi": replace(_BIASED, tied=False, norms_per_layer=1, head_bias=True),
    "phi3": LLAMA,
    "phi4": LLAMA,
    "qwen2": _QWEN2,
    "qwen2_moe": replace(_QWEN2, has_shared_gate=True),
    "qwen3": _QWEN3,
    "qwen3_moe": _QWEN3,
    "qwen3_vl_text": _QWEN3,
    "qwen3_vl_moe_text": _QWEN3,
    "qwen3_next": _QWEN3_NEXT,
    "qwen3_5_text": _QWEN3_NEXT,
    "qwen3_5_moe_text": _QWEN3_NEXT,
    "seed_oss": Family(qkv_bias=True),
    "smollm3": Family(tied=True, windows_by_default=False),
    "stablelm": Family(norm=LAYER),
    "starcoder2": replace(_BIASED, ffn_factor=4),
    "yi": LLAMA,
}
ARCHITECTURES = {  # class of the model → model_type, where a file names the class alone
    "BloomForCausalLM": "bloom",
    "CohereForCausalLM": "cohere",
    "DeepseekV2ForCausalLM": "deepseek_v2",
    "DeepseekV3ForCausalLM": "deepseek_v3",
    "DeepseekV32ForCausalLM": "deepseek_v32",
    "FalconForCausalLM": "falcon",
    "GPT2LMHeadModel": "gpt2",
    "Gemma2ForCausalLM": "gemma2",
    "Gemma3ForCausalLM": "gemma3_text",
    "Gemma3ForConditionalGeneration": "gemma3_text",
    "Glm4MoeForCausalLM": "glm4_moe",
    "GlmMoeDsaForCausalLM": "glm_moe_dsa",
    "GptOssForCausalLM": "gpt_oss",
    "LlamaForCausalLM": "llama",
    "Llama4ForConditionalGeneration": "llama4_text",
    "MPTForCausalLM": "mpt",
    "MiniMaxM2ForCausalLM": "minimax_m2",
    "MistralForCausalLM": "mistral",
    "MixtralForCausalLM": "mixtral",
    "NemotronForCausalLM": "nemotron",
    "NemotronHForCausalLM": "nemotron_h",
    "OPTForCausalLM": "opt",
    "Olmo2ForCausalLM": "olmo2",
    "Olmo3ForCausalLM": "olmo3",
    "OlmoeForCausalLM": "olmoe",
    "Phi3ForCausalLM": "phi3",
    "Qwen2ForCausalLM": "qwen2",
    "Qwen2MoeForCausalLM": "qwen2_moe",
    "Qwen3ForCausalLM": "qwen3",
    "Qwen3MoeForCausalLM": "qwen3_moe",
    "Qwen3NextForCausalLM": "qwen3_next",
    "Starcoder2ForCausalLM": "starcoder2",
}
