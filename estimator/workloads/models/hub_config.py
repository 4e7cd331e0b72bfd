"""A model hub's ``config.json`` → a shape. Known types are read as their reference code does; others by the usual keys.

A type that is not known is taken for a Llama-like decoder, and the shape's note says so, unless a key hints at a block that
this does not describe: then the refusal names the key.
"""

from dataclasses import replace

from estimator.errors import Problem
from estimator.record import Given
from estimator.workloads.models.hub_families import ARCHITECTURES, FAMILIES, LLAMA, Family
from estimator.workloads.models.hub_keys import Keys
from estimator.workloads.models.shapes import (
    GATED_DELTA,
    HEAD_QK_NORM,
    LAYER,
    LAYER_WITHOUT_BIAS,
    MAMBA,
    Details,
    Experts,
    LatentAttention,
    LinearLayers,
    ModelShape,
    SparseIndex,
    Window,
)

MARKS = (  # a config.json has at least one of these; an own shape has none
    "architectures",
    "model_type",
    "hidden_size",
    "num_hidden_layers",
    "text_config",
    "n_embd",
    "n_embed",
    "d_model",
    "n_layer",
    "n_layers",
    "transformers_version",
)
TEXT_PARTS = ("text_config", "llm_config", "language_config", "thinker_config")
MOST_PARTS = 3  # inside one another: Qwen's Omni models have the text's inside the thinker's
FULL, WINDOW, LINEAR, NO_MIXER = "full", "window", "linear", "none"
DENSE, SPARSE = "dense", "sparse"
_LAYERS = "num_hidden_layers|n_layer|n_layers|num_layers"
_HIDDEN = "hidden_size|n_embd|n_embed|d_model"
_HEADS = "num_attention_heads|n_head|n_heads"
_EXPERTS = "num_experts|num_local_experts|n_routed_experts|moe_num_experts"
_TOP_K = "num_experts_per_tok|num_experts_per_token|experts_per_token|top_k_experts|moe_top_k|moe_k"
_CONTEXT = "max_position_embeddings|n_positions|max_seq_len|seq_length|n_ctx"
_UNKNOWN_BLOCKS = (  # keys whose value, on a type that is not known, hints at a block that no field describes
    "block_configs", "ssm_cfg", "state_size", "ssm_state_size", "mamba_d_state", "mamba_num_heads", "linear_attn_config",
    "linear_num_value_heads", "full_attention_interval", "hybrid_override_pattern", "layers_block_type", "rwkv_version",
    "conv_kernel", "conv_L_cache", "cross_attention_layers", "compress_ratios", "hc_mult", "altup_num_inputs",
    "index_topk", "hidden_size_per_layer_input", "attn_type_list", "hybrid_layer_pattern", "lru_width", "encoder_layers",
    "sparse_attention_config", "moe_latent_size", "num_kv_shared_layers", "attention_k_eq_v", "enable_moe_block",
)  # fmt: skip


def shape_of_config(config: Given, field: str) -> tuple[ModelShape | None, list[Problem]]:
    """The shape that a pasted ``config.json`` describes, or None, and every problem found; fields start with ``field``."""
    text, outer, at = _text_part(config, field)
    keys = Keys(text, at)
    kind, family, is_known = _family(text, outer)
    if text.get("is_encoder_decoder") is True:
        keys.refuse(
            "is_encoder_decoder",
            "not_modelled",
            "Encoder-decoder models are not modelled. Give a decoder's config.json.",
        )
    hints = [] if is_known else keys.present(_UNKNOWN_BLOCKS)
    if hints:
        keys.refuse(
            "model_type",
            "unknown_architecture",
            f"'{kind}' is not known, and {', '.join(hints)} hint at layers that its usual keys do not describe. Give the "
            "shape by plain keys (layers, hidden, heads, kv_heads, ffn, vocab, experts, linear, …).",
        )
    shape = _shape(keys, kind, family, outer)
    if keys.problems:
        return None, keys.problems
    note = "" if is_known else f"Architecture '{kind}' is not known: read by its usual keys, as a decoder like Llama."
    return replace(shape, note=note), []


def _text_part(config: Given, field: str) -> tuple[Given, Given, str]:
    """The part that describes the language model, the whole file, and where the part is."""
    text, place = config, field
    for _ in range(MOST_PARTS):
        name = next((one for one in TEXT_PARTS if isinstance(text.get(one), dict)), None)
        if name is None:
            break
        text, place = text[name], f"{place}.{name}"
    return text, config, place


def _family(text: Given, outer: Given) -> tuple[str, Family, bool]:
    """The type that a file names, how it is read, and whether it is known."""
    named = [part.get("model_type") for part in (text, outer)]
    classes = text.get("architectures") or outer.get("architectures") or []
    first = classes[0] if isinstance(classes, list) and classes else None
    for kind in (named[0], ARCHITECTURES.get(first) if isinstance(first, str) else None, named[1]):
        if isinstance(kind, str) and kind.casefold() in FAMILIES:
            return kind.casefold(), FAMILIES[kind.casefold()], True
    kind = next((one for one in (*named, first) if isinstance(one, str)), "no model_type")[:60]
    return kind, LLAMA, False


def _shape(keys: Keys, kind: str, family: Family, outer: Given) -> ModelShape:
    """What the keys describe; meaningless where they have problems."""
    hidden = keys.needed(_HIDDEN, "hidden")
    pattern = _blocks(keys)
    layers = len(pattern) if pattern else keys.needed(_LAYERS, "layers")
    n_problems = len(keys.problems)
    heads = keys.needed(_HEADS, "heads")
    are_heads_read = len(keys.problems) == n_problems
    vocab = keys.needed("vocab_size|padded_vocab_size", "vocab")
    latent = _latent(keys)
    kv_heads = _kv_heads(keys, heads, kind)
    head_dim = latent.nope_dim if latent else _head_dim(keys, hidden, heads)
    if heads % kv_heads and are_heads_read:
        keys.refuse(
            "num_key_value_heads",
            "does_not_divide",
            f"{heads} heads do not share {kv_heads} key-value heads evenly. Use a divisor of {heads}.",
        )
    mixers = [_MIXER_OF[block] for block in pattern] if pattern else _mixers(keys, family, layers)
    experts = _experts(keys, family, layers, hidden, pattern)
    n_sparse = experts.layers if experts else 0
    n_dense = pattern.count("-") if pattern else layers - n_sparse
    ffn = _ffn(keys, family, hidden, n_dense, kind)
    name = str(keys.config.get("_name_or_path") or outer.get("_name_or_path") or kind)[:80]
    return ModelShape(
        id="own",
        name=name,
        source="config.json",
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        value_dim=keys.whole("v_head_dim", "head_dim") or head_dim,
        ffn=ffn,
        gated=_is_gated(keys, family),
        vocab=vocab,
        tied=keys.flag("tie_word_embeddings", outer.get("tie_word_embeddings", family.tied) is True),
        context=keys.whole(_CONTEXT, "context") or 2_048,
        weights=_weights(outer, keys.config),
        attention_layers=mixers.count(FULL) + mixers.count(WINDOW),
        dense_layers=n_dense,
        mtp=_mtp(keys),
        window=_window(keys, mixers, kv_heads, head_dim, family),
        latent=latent,
        index=_index(keys, mixers),
        linear=_linear(keys, mixers),
        experts=experts,
        details=_details(keys, family, kind),
    )


# ---------------------------------------------------------------- attention


def _kv_heads(keys: Keys, heads: int, kind: str) -> int:
    if kind == "falcon" and not keys.flag("new_decoder_architecture"):
        return 1 if keys.flag("multi_query", True) else heads
    own = keys.whole("num_key_value_heads|num_kv_heads|multi_query_group_num", "kv_heads")
    return own or keys.inner("attn_config").whole("kv_n_heads", "kv_heads") or heads


def _head_dim(keys: Keys, hidden: int, heads: int) -> int:
    own = keys.whole("head_dim|attention_head_dim|d_kv", "head_dim")
    if own:
        return own
    if hidden % heads and not keys.problems:
        keys.refuse(
            "head_dim",
            "missing",
            f"{hidden} values do not split into {heads} heads, and 'head_dim' was left out. Give it, or other heads.",
        )
    return max(1, hidden // heads)


def _latent(keys: Keys) -> LatentAttention | None:
    if keys.first("kv_lora_rank")[0] is None:
        return None
    return LatentAttention(
        q_rank=keys.whole("q_lora_rank", "rank", 0) or 0,
        kv_rank=keys.needed("kv_lora_rank", "rank"),
        nope_dim=keys.needed("qk_nope_head_dim", "head_dim"),
        rope_dim=keys.needed("qk_rope_head_dim", "head_dim"),
        value_dim=keys.needed("v_head_dim", "head_dim"),
    )


def _mixers(keys: Keys, family: Family, layers: int) -> list[str]:
    """What mixes tokens on each layer: attention to all, to a window, or a state."""
    named = keys.kinds("layer_types", layers)
    if named:
        return _mixers_named(keys, named)
    every = keys.whole("full_attention_interval", "layers")
    if every:
        return [FULL if (at + 1) % every == 0 else LINEAR for at in range(layers)]
    if keys.first("attention_chunk_size")[0]:
        return [FULL if (at + 1) % 4 == 0 else WINDOW for at in range(layers)]  # Llama 4: three in four by chunk
    size = keys.whole("sliding_window", "context", 0) or 0
    is_used = keys.flag("use_sliding_window", family.windows_by_default)
    if not is_used or not 0 < size < (keys.whole(_CONTEXT, "context") or size + 1):
        return [FULL] * layers  # a window as long as the context is none (Phi-3)
    every = keys.whole("sliding_window_pattern|_sliding_window_pattern", "layers") or family.full_every
    if every:
        return [FULL if (at + 1) % every == 0 else WINDOW for at in range(layers)]
    first = keys.whole("max_window_layers", "layers", 0)  # layers below it attend to all (Qwen2)
    return [WINDOW if first is None or at >= first else FULL for at in range(layers)]


def _mixers_named(keys: Keys, named: list[str]) -> list[str]:
    unknown = sorted(set(named) - set(_MIXERS_BY_NAME))
    if unknown:
        keys.refuse(
            "layer_types",
            "unknown_architecture",
            f"Layers of kind {', '.join(unknown)[:120]} are not modelled; {', '.join(_MIXERS_BY_NAME)} are. Give the shape by "
            "plain keys.",
        )
    return [_MIXERS_BY_NAME.get(name, FULL) for name in named]


_MIXERS_BY_NAME = {
    "full_attention": FULL,
    "attention": FULL,
    "deepseek_sparse_attention": FULL,
    "sliding_attention": WINDOW,
    "chunked_attention": WINDOW,
    "linear_attention": LINEAR,
}


def _window(keys: Keys, mixers: list[str], kv_heads: int, head_dim: int, family: Family) -> Window | None:
    if WINDOW not in mixers:
        return None
    size = keys.needed("sliding_window|attention_chunk_size", "context")
    return Window(size, mixers.count(WINDOW), kv_heads, head_dim, keys.whole("v_head_dim", "head_dim") or head_dim)


def _index(keys: Keys, mixers: list[str]) -> SparseIndex | None:
    top_k = keys.whole("index_topk", "context")
    if top_k is None:
        return None
    return SparseIndex(
        heads=keys.needed("index_n_heads", "heads"),
        dim=keys.needed("index_head_dim", "head_dim"),
        top_k=top_k,
        layers=mixers.count(FULL),
    )


# ---------------------------------------------------------------- states

_MIXER_OF = {"*": FULL, "M": LINEAR, "E": NO_MIXER, "-": NO_MIXER}
_BLOCK_OF = {"attention": "*", "mamba": "M", "moe": "E", "mlp": "-"}


def _blocks(keys: Keys) -> str:
    """Kinds of blocks of a hybrid whose layers do one thing each, a letter a layer; empty for every other model."""
    pattern = keys.config.get("hybrid_override_pattern")
    listed = keys.config.get("layers_block_type")
    if isinstance(listed, list) and listed and len(listed) <= 1_000:
        pattern = "".join(_BLOCK_OF.get(str(one), "?") for one in listed)
    if not isinstance(pattern, str) or not pattern or len(pattern) > 1_000:
        return ""
    if set(pattern) - set(_MIXER_OF):
        keys.refuse(
            "hybrid_override_pattern",
            "unknown_architecture",
            "Blocks are M (Mamba-2), * (attention), E (experts) and - (dense). Give the shape by plain keys.",
        )
        return ""
    return pattern


def _linear(keys: Keys, mixers: list[str]) -> LinearLayers | None:
    n_layers = mixers.count(LINEAR)
    if not n_layers:
        return None
    if keys.first("mamba_num_heads")[0]:
        return LinearLayers(
            MAMBA,
            n_layers,
            key_heads=keys.needed("n_groups", "heads"),
            value_heads=keys.needed("mamba_num_heads", "heads"),
            key_dim=keys.needed("ssm_state_size", "head_dim"),
            value_dim=keys.needed("mamba_head_dim", "head_dim"),
            conv_kernel=keys.whole("conv_kernel", "factor", 0) or 0,
        )
    return LinearLayers(
        GATED_DELTA,
        n_layers,
        key_heads=keys.needed("linear_num_key_heads", "heads"),
        value_heads=keys.needed("linear_num_value_heads", "heads"),
        key_dim=keys.needed("linear_key_head_dim", "head_dim"),
        value_dim=keys.needed("linear_value_head_dim", "head_dim"),
        conv_kernel=keys.whole("linear_conv_kernel_dim", "factor", 0) or 0,
    )


# ---------------------------------------------------------------- feed-forward blocks


def _ffn(keys: Keys, family: Family, hidden: int, n_dense: int, kind: str) -> int:
    if not n_dense:
        return 0
    names = "intermediate_size|n_inner|ffn_dim|ffn_hidden_size|d_ff"
    if kind == "llama4_text":
        names = "intermediate_size_mlp|" + names
    factor = keys.whole("expansion_ratio", "factor") or family.ffn_factor
    return keys.whole(names, "ffn") or factor * hidden if factor else keys.needed(names, "ffn")


def _is_gated(keys: Keys, family: Family) -> bool:
    name, value = keys.first("is_gated_act|use_gated_mlp")
    return value is True if name else family.gated


def _experts(keys: Keys, family: Family, layers: int, hidden: int, pattern: str) -> Experts | None:
    count = keys.whole(_EXPERTS, "experts", 0)
    if not count or count == 1 or (pattern and "E" not in pattern):
        return None
    top_k = keys.needed(_TOP_K, "experts")
    if top_k > count:
        keys.refuse("num_experts_per_tok", "out_of_range", f"{top_k:,} experts a token, and the model has {count:,}.")
    width = keys.needed("moe_intermediate_size|expert_intermediate_size|intermediate_size", "ffn")
    sparse = [SPARSE] * pattern.count("E") if pattern else _sparse(keys, layers)
    n_sparse = sparse.count(SPARSE)
    leading = layers - n_sparse if not pattern and DENSE not in sparse[layers - n_sparse :] else 0
    shared = keys.whole("n_shared_experts|num_shared_experts|moe_num_shared_experts", "experts", 0) or 0
    own = keys.whole(
        "moe_shared_expert_intermediate_size|shared_expert_intermediate_size|share_expert_dim|shared_intermediate_size",
        "ffn",
        0,
    )
    if own is None:
        own = width * shared
    if keys.config.get("model_type") == "llama4_text":
        own = width
    return Experts(
        layers=n_sparse,
        count=count,
        top_k=top_k,
        ffn=width,
        shared_ffn=own,
        latent=keys.whole("moe_latent_size|routed_expert_hidden_size", "hidden", 0) or 0,
        leading_dense=leading,
        has_bias=family.has_expert_bias,
        has_router_bias=family.has_router_bias or keys.flag("use_routing_bias"),
        has_shared_gate=family.has_shared_gate and own > 0,
    )


def _sparse(keys: Keys, layers: int) -> list[str]:
    """Which layers have experts."""
    named = keys.kinds("mlp_layer_types", layers)
    if named:
        return [SPARSE if one == "sparse" else DENSE for one in named]
    numbered = keys.kinds("moe_layer_freq", layers)
    if numbered:
        return [DENSE if one == "0" else SPARSE for one in numbered]
    leading = keys.whole("first_k_dense_replace", "layers", 0) or 0
    every = keys.whole("moe_layer_freq|decoder_sparse_step|interleave_moe_layer_step", "layers", 0) or 1
    offset = 0 if keys.first("moe_layer_freq")[0] else 1  # DeepSeek counts from layer 0, Qwen and Llama 4 from 1
    dense = keys.config.get("mlp_only_layers")
    never = {one for one in dense if isinstance(one, int)} if isinstance(dense, list) else set()
    return [
        SPARSE if at >= leading and (at + offset) % every == 0 and at not in never else DENSE for at in range(layers)
    ]


def _mtp(keys: Keys) -> int:
    names = "num_nextn_predict_layers|mtp_num_hidden_layers|num_mtp_modules"
    return keys.whole(names, "factor", 0) or 0


# ---------------------------------------------------------------- the rest


def _details(keys: Keys, family: Family, kind: str) -> Details:
    attention_bias = keys.flag("attention_bias|qkv_bias", family.qkv_bias)
    norms, has_bias = family.norms_per_layer, not keys.flag("no_bias")
    if kind == "falcon":
        norms = 2 if keys.flag("new_decoder_architecture") or not keys.flag("parallel_attn", True) else 1
    norm, has_positions = family.norm, family.has_learned_positions
    if kind == "mpt":
        norm = LAYER if has_bias else LAYER_WITHOUT_BIAS
        attention = keys.inner("attn_config")
        has_positions = keys.flag("learned_pos_emb", True) and not (attention.flag("alibi") or attention.flag("rope"))
    width = keys.whole("word_embed_proj_dim", "hidden") or 0
    own_qk = keys.flag("use_qk_norm") if kind in ("glm4_moe", "cohere", "minimax_m2") else False
    qk_norm = family.qk_norm if not own_qk or family.qk_norm != "none" else HEAD_QK_NORM
    return Details(
        norm=norm,
        norms_per_layer=norms,
        qk_norm=qk_norm,
        qkv_bias=attention_bias and has_bias,
        out_bias=(family.out_bias or (attention_bias and family is LLAMA)) and has_bias,
        ffn_bias=(family.ffn_bias or keys.flag("mlp_bias")) and has_bias,
        head_bias=family.head_bias,
        positions=(keys.whole("n_positions|max_position_embeddings|max_seq_len", "context") or 0)
        + family.extra_positions
        if has_positions
        else 0,
        has_embedding_norm=family.has_embedding_norm,
        has_attention_gate=keys.flag("attn_output_gate", family.has_attention_gate),
        has_sinks=family.has_sinks,
        residual_streams=keys.whole("hc_mult", "factor") or 1,
        embedding_dim=width if width and width != keys.config.get("hidden_size") else 0,
    )


def _weights(outer: Given, text: Given) -> str:
    """The precision that weights come in, by the quantization or the type of the file."""
    quantized = outer.get("quantization_config") or text.get("quantization_config")
    if isinstance(quantized, dict):
        named = repr(quantized)[:4_000].casefold()
        return next((precision for word, precision in _PRECISIONS if word in named), "bf16")
    named = str(text.get("torch_dtype") or text.get("dtype") or outer.get("torch_dtype") or outer.get("dtype") or "")
    return {"float16": "fp16", "float32": "fp32"}.get(named, "bf16")


_PRECISIONS = (  # what a quantization is called by the tools that write it → the precision
    ("nvfp4", "nvfp4"),
    ("mxfp4", "mxfp4"),
    ("mxfp8", "mxfp8"),
    ("fp8", "fp8"),
    ("e4m3", "fp8"),
    ("'type': 'float', 'num_bits': 4", "nvfp4"),
    ("'num_bits': 8, 'type': 'float'", "fp8"),
    ("'bits': 4", "int4"),
    ("'num_bits': 4", "int4"),
    ("'w_bit': 4", "int4"),
    ("'load_in_4bit': true", "int4"),
    ("'bits': 8", "int8"),
    ("'num_bits': 8", "int8"),
    ("'load_in_8bit': true", "int8"),
)
