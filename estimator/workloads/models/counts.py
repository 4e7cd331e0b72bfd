"""Parameters, floating-point operations and cached bytes of a model, from its shape.

A matrix of ``a × b`` weights costs ``2ab`` operations a token forward and twice that backward; norms, biases and activations
are left out of operations and counted as parameters. Attention by softmax costs ``2·(qk + v)`` operations a head and attended
token (Kaplan et al., 2020, section 2.1; Narayanan et al., SC 2021, appendix; Korthikanti et al., 2022, appendix A).
"""

from dataclasses import dataclass

from estimator.workloads.models.shapes import (
    FULL_QK_NORM,
    GATED_DELTA,
    HEAD_QK_NORM,
    KIMI_DELTA,
    LIGHTNING,
    MAMBA,
    NORM_VECTORS,
    LinearLayers,
    ModelShape,
)

FORWARD_AND_BACKWARD = 3  # one pass forward; backward has a product for the inputs and one for the weights
_STATE_STEPS = {MAMBA: 4, GATED_DELTA: 6, KIMI_DELTA: 6, LIGHTNING: 4}  # operations a value of the state and token


@dataclass(frozen=True)
class LayerParts:
    """Matrix weights of one layer of each kind; 0 for kinds that the model does not have.

    ``attention`` is a layer that attends to all tokens (its index included), ``expert`` one routed expert, ``shared`` what
    every token passes through on a routed layer beside the router: shared experts, projections to a latent width.
    """

    attention: int
    window_attention: int
    linear_attention: int
    dense_ffn: int
    expert: int
    shared: int
    router: int


def layer_parts(shape: ModelShape) -> LayerParts:
    """Matrix weights of one layer of each kind. [parameters]"""
    matrices = 3 if shape.gated else 2
    window, experts = shape.window, shape.experts
    expert = shared = router = 0
    if experts:
        width = experts.latent or shape.hidden
        expert = matrices * width * experts.ffn
        shared = matrices * shape.hidden * experts.shared_ffn + 2 * shape.hidden * experts.latent
        shared += shape.hidden if experts.has_shared_gate else 0
        router = shape.hidden * experts.count
    return LayerParts(
        attention=_attention(shape) + _index(shape),
        window_attention=_grouped(shape, window.kv_heads, window.head_dim, window.value_dim, window.shares_kv)
        if window and not shape.latent
        else _attention(shape),
        linear_attention=_linear(shape.hidden, shape.linear) if shape.linear else 0,
        dense_ffn=matrices * shape.hidden * shape.ffn,
        expert=expert,
        shared=shared,
        router=router,
    )


def _attention(shape: ModelShape) -> int:
    if not shape.latent:
        return _grouped(shape, shape.kv_heads, shape.head_dim, shape.value_dim, shape.details.shares_kv)
    mla, hidden, heads = shape.latent, shape.hidden, shape.heads
    qk = mla.nope_dim + mla.rope_dim
    queries = hidden * mla.q_rank + mla.q_rank * heads * qk if mla.q_rank else hidden * heads * qk
    cached = hidden * (mla.kv_rank + mla.rope_dim)
    up = 0 if mla.is_direct else mla.kv_rank * heads * (mla.nope_dim + mla.value_dim)
    wide = heads * mla.value_dim
    out = wide * mla.out_rank + mla.out_groups * mla.out_rank * hidden if mla.out_rank else wide * hidden
    return queries + cached + up + out + (hidden * wide if shape.details.has_attention_gate else 0)


def _grouped(shape: ModelShape, kv_heads: int, head_dim: int, value_dim: int, shares_kv: bool) -> int:
    queries = shape.heads * head_dim * (2 if shape.details.has_attention_gate else 1)
    return shape.hidden * (queries + kv_heads * (head_dim + (0 if shares_kv else value_dim)) + shape.heads * value_dim)


def _index(shape: ModelShape) -> int:
    """The scorer of sparse attention: queries from their latent, one key a token, a weight a head."""
    if not shape.index or not shape.full_layers:
        return 0
    index, source = shape.index, (shape.latent.q_rank if shape.latent else 0) or shape.hidden
    one = source * index.heads * index.dim + shape.hidden * (index.dim + index.heads)
    return one * index.layers // shape.full_layers


def _linear(hidden: int, linear: LinearLayers) -> int:
    """Projections and convolution of one layer; of Mamba-2 and Gated DeltaNet as their reference code has them."""
    keys, values = linear.key_heads * linear.key_dim, linear.value_heads * linear.value_dim
    conv = (2 * keys + values) * linear.conv_kernel
    if linear.kind == MAMBA:  # z, x, B, C, dt
        return hidden * (2 * values + 2 * keys + linear.value_heads) + conv + values * hidden
    if linear.kind == GATED_DELTA:  # q, k, v, z, beta, alpha
        return hidden * (2 * keys + 2 * values + 2 * linear.value_heads) + conv + values * hidden
    if linear.kind == KIMI_DELTA:  # q, k, v, beta, a low-rank decay, and an output gate as wide as the values
        return (
            hidden * (2 * keys + 2 * values + linear.value_heads + linear.key_dim)
            + linear.key_dim * keys
            + (conv + values * hidden)
        )
    return hidden * (2 * keys + 2 * values) + values * hidden  # q, k, v, gate


# ---------------------------------------------------------------- parameters


def embedding_parameters(shape: ModelShape) -> int:
    """The table of tokens, and of positions where they are learned."""
    details = shape.details
    width = details.embedding_dim or shape.hidden
    projections = 2 * width * shape.hidden if details.embedding_dim else 0
    norm = NORM_VECTORS[details.norm] * shape.hidden if details.has_embedding_norm else 0
    return shape.vocab * width + details.positions * shape.hidden + projections + norm


def head_parameters(shape: ModelShape) -> int:
    """Weights of the product that gives the logits, whether they are the embedding's or their own."""
    return shape.vocab * (shape.details.embedding_dim or shape.hidden)


def matrix_parameters(shape: ModelShape) -> int:
    """Matrices of all layers, every expert counted; without embedding, head, norms and biases."""
    return _all_layers(shape, shape.experts.count if shape.experts else 0)


def active_matrix_parameters(shape: ModelShape) -> int:
    """Matrices that one token passes through: of the routed experts, ``top_k`` a layer."""
    return _all_layers(shape, shape.experts.top_k if shape.experts else 0)


def _all_layers(shape: ModelShape, n_experts: int) -> int:
    parts = layer_parts(shape)
    total = shape.full_layers * parts.attention + shape.dense_layers * parts.dense_ffn
    if shape.window:
        total += shape.window.layers * parts.window_attention
    if shape.linear:
        total += shape.linear.layers * parts.linear_attention
    if shape.experts:
        total += shape.experts.layers * (n_experts * parts.expert + parts.shared + parts.router)
    return total


def vector_parameters(shape: ModelShape, n_experts: int) -> int:
    """Norms, biases and other vectors of all layers and the last norm, with ``n_experts`` routed experts a layer."""
    details, hidden = shape.details, shape.hidden
    norm = NORM_VECTORS[details.norm]
    total = norm * hidden * (shape.layers * details.norms_per_layer + 1)
    window_layers = shape.window.layers if shape.window else 0
    for layers, kv_heads, head_dim, value_dim in (
        (shape.full_layers, shape.kv_heads, shape.head_dim, shape.value_dim),
        (
            window_layers,
            *((shape.window.kv_heads, shape.window.head_dim, shape.window.value_dim) if shape.window else (0, 0, 0)),
        ),
    ):
        total += layers * _attention_vectors(shape, kv_heads, head_dim, value_dim)
    if shape.linear:
        linear = shape.linear
        total += linear.layers * _linear_vectors(linear)
    if shape.index:
        total += shape.index.layers * 2 * shape.index.dim
    matrices = 2 if shape.gated else 1
    if details.ffn_bias:
        total += shape.dense_layers * (matrices * shape.ffn + hidden)
    if shape.experts:
        experts = shape.experts
        routed = n_experts * (matrices * experts.ffn + hidden) if experts.has_bias else 0
        total += experts.layers * (routed + (experts.count if experts.has_router_bias else 0))
    return total + (shape.vocab if details.head_bias else 0) + details.other_params


def _attention_vectors(shape: ModelShape, kv_heads: int, head_dim: int, value_dim: int) -> int:
    details = shape.details
    total = shape.heads if details.has_sinks else 0
    if shape.latent:
        return total + shape.latent.q_rank + shape.latent.kv_rank
    queries, keys, values = shape.heads * head_dim, kv_heads * head_dim, kv_heads * value_dim
    total += (queries + keys + values) if details.qkv_bias else 0
    total += shape.hidden if details.out_bias else 0
    scale = max(1, NORM_VECTORS[details.norm])
    total += {HEAD_QK_NORM: 2 * head_dim, FULL_QK_NORM: scale * (queries + keys)}.get(details.qk_norm, 0)
    return total


def _linear_vectors(linear: LinearLayers) -> int:
    keys, values = linear.key_heads * linear.key_dim, linear.value_heads * linear.value_dim
    if linear.kind == MAMBA:  # A, D, dt bias; bias of the convolution; the gated norm
        return 3 * linear.value_heads + (2 * keys + values) + values
    if linear.kind == LIGHTNING:
        return values
    return 2 * linear.value_heads + linear.value_dim


def mtp_parameters(shape: ModelShape) -> int:
    """Further-token modules: each one layer of the last kind, a projection of two inputs and three norms.

    Embedding and head are the model's own (DeepSeek-V3 report, section 2.2).
    """
    parts, hidden = layer_parts(shape), shape.hidden
    ffn = shape.experts.count * parts.expert + parts.shared + parts.router if shape.experts else parts.dense_ffn
    return shape.mtp * (parts.attention + ffn + 2 * hidden * hidden + 5 * hidden)


def total_parameters(shape: ModelShape, with_mtp: bool = False) -> int:
    """Every parameter, as publishers count them: embedding, head (once where they are tied), matrices, norms, biases."""
    n_experts = shape.experts.count if shape.experts else 0
    total = embedding_parameters(shape) + matrix_parameters(shape) + vector_parameters(shape, n_experts)
    total += 0 if shape.tied else head_parameters(shape)
    return total + (mtp_parameters(shape) if with_mtp else 0)


def active_parameters(shape: ModelShape, with_embedding: bool = True) -> int:
    """Parameters that one token passes through; some publishers leave the embedding's table out, which is only looked up."""
    n_experts = shape.experts.top_k if shape.experts else 0
    total = active_matrix_parameters(shape) + vector_parameters(shape, n_experts) + head_parameters(shape)
    return total + (embedding_parameters(shape) if with_embedding and not shape.tied else 0)


# ---------------------------------------------------------------- operations


def attention_width(shape: ModelShape) -> float:
    """Half of what heads compare and add, ``heads·(qk + v)/2``, on layers that attend to all tokens; keys not absorbed."""
    if shape.latent:
        return shape.heads * (shape.latent.nope_dim + shape.latent.rope_dim + shape.latent.value_dim) / 2
    return shape.heads * (shape.head_dim + shape.value_dim) / 2


def decode_attention_width(shape: ModelShape) -> float:
    """The same while tokens are generated: MLA then compares with the cached latent itself, ``heads·(2·rank + rope)/2``."""
    if shape.latent and not shape.latent.is_direct:
        return shape.heads * (2 * shape.latent.kv_rank + shape.latent.rope_dim) / 2
    return attention_width(shape)


def window_attention_width(shape: ModelShape) -> float:
    """``heads·(qk + v)/2`` of the layers with a window; 0 where there are none."""
    if not shape.window:
        return 0.0
    if shape.latent:
        return attention_width(shape)
    return shape.heads * (shape.window.head_dim + shape.window.value_dim) / 2


def attended(shape: ModelShape, context: float) -> float:
    """Entries that a query with ``context`` tokens before it attends to, on layers without a window."""
    entries = context * (shape.latent.entries_per_token if shape.latent else 1.0)
    if shape.index and shape.full_layers:
        share = shape.index.layers / shape.full_layers
        entries = share * min(entries, shape.index.top_k) + (1 - share) * entries
    return entries


def state_flops(shape: ModelShape) -> float:
    """Operations a token on the states of one linear layer: decay and update, correction where there is one, reading."""
    if not shape.linear:
        return 0.0
    linear = shape.linear
    return float(_STATE_STEPS[linear.kind] * linear.value_heads * linear.key_dim * linear.value_dim)


def attention_flops(shape: ModelShape, context: float) -> float:
    """Operations of one token forward that attends to ``context`` tokens: heads, index and states, all layers."""
    full = 4 * attention_width(shape) * attended(shape, context) * shape.full_layers
    window = shape.window
    near = 4 * window_attention_width(shape) * min(context, window.size) * window.layers if window else 0.0
    index = 2 * shape.index.heads * shape.index.dim * context * shape.index.layers if shape.index else 0.0
    return full + near + index + (shape.linear.layers * state_flops(shape) if shape.linear else 0.0)


def forward_flops(shape: ModelShape, context: float, with_head: bool = True) -> float:
    """Operations of one token forward with ``context`` tokens before it, 2 a weight that it passes through."""
    weights = active_matrix_parameters(shape) + (head_parameters(shape) if with_head else 0)
    return 2.0 * weights + attention_flops(shape, context)


def mean_context(sequence: float, window: float | None = None) -> float:
    """Mean number of tokens that a token of a causal sequence attends to: ``s/2``, or with a window of w ``w − w²/2s``."""
    if window is None or window >= sequence:
        return sequence / 2
    return window - window * window / (2 * sequence)


def training_flops(shape: ModelShape, sequence: int) -> float:
    """Operations of one token of a training step on sequences of ``sequence`` tokens, forward and backward.

    Causal attention is counted by half, further-token modules as one more layer and head each, nothing is recomputed.
    """
    window = shape.window
    near = 4 * window_attention_width(shape) * mean_context(sequence, window.size) * window.layers if window else 0.0
    without_window = attention_flops(shape, sequence / 2)
    if window:
        without_window -= 4 * window_attention_width(shape) * min(sequence / 2, window.size) * window.layers
    one = 2.0 * (active_matrix_parameters(shape) + head_parameters(shape)) + without_window + near
    return FORWARD_AND_BACKWARD * (one + _mtp_flops(shape, sequence / 2))


def _mtp_flops(shape: ModelShape, context: float) -> float:
    if not shape.mtp:
        return 0.0
    parts = layer_parts(shape)
    ffn = shape.experts.top_k * parts.expert + parts.shared + parts.router if shape.experts else parts.dense_ffn
    weights = parts.attention + ffn + 2 * shape.hidden * shape.hidden + head_parameters(shape)
    return shape.mtp * (2.0 * weights + 4 * attention_width(shape) * attended(shape, context))


# ---------------------------------------------------------------- what a sequence keeps


def kv_values(shape: ModelShape) -> float:
    """Values cached a token on one layer that attends to all tokens: keys and values of its heads, or MLA's latent."""
    if shape.latent:
        return (shape.latent.kv_rank + shape.latent.rope_dim) * shape.latent.entries_per_token
    return float(shape.kv_heads * (shape.head_dim + shape.value_dim))


def window_kv_values(shape: ModelShape) -> float:
    """Values cached a token of the window on one layer that has one."""
    if not shape.window:
        return 0.0
    if shape.latent:
        return float(shape.latent.kv_rank + shape.latent.rope_dim)
    return float(shape.window.kv_heads * (shape.window.head_dim + shape.window.value_dim))


def state_values(shape: ModelShape) -> float:
    """Values that one linear layer keeps a sequence: its state and the inputs of its convolution."""
    if not shape.linear:
        return 0.0
    linear = shape.linear
    inputs = 2 * linear.key_heads * linear.key_dim + linear.value_heads * linear.value_dim
    return float(linear.value_heads * linear.key_dim * linear.value_dim + inputs * max(0, linear.conv_kernel - 1))


def kv_bytes_per_token(shape: ModelShape, value_bytes: float) -> float:
    """Bytes by which a sequence's cache grows a token once it is longer than any window; index keys are a byte a value."""
    index = shape.index.layers * shape.index.dim if shape.index else 0
    return shape.full_layers * kv_values(shape) * value_bytes + index


def sequence_bytes(shape: ModelShape, context: float, value_bytes: float, state_value_bytes: float = 4.0) -> float:
    """Bytes that one sequence of ``context`` tokens keeps: caches of full and window layers, states of linear ones."""
    window = shape.window
    near = window.layers * min(context, window.size) * window_kv_values(shape) * value_bytes if window else 0.0
    states = shape.linear.layers * state_values(shape) * state_value_bytes if shape.linear else 0.0
    return context * kv_bytes_per_token(shape, value_bytes) + near + states
