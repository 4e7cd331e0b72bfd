"""What decides the work of a language model: its layers, their widths and kinds, and where that was read.

A ``ModelShape`` holds counts of layers by kind rather than their order: ``attention_layers`` attend by softmax (of these
``window.layers`` within a window), ``linear.layers`` keep a state instead, ``dense_layers`` have one feed-forward block and
``experts.layers`` a routed one. A usual decoder has ``attention_layers == dense_layers == layers``; in a hybrid whose blocks
are of one kind each (Nemotron-H) all kinds together make ``layers``.
"""

from dataclasses import dataclass, replace

from estimator.record import IfAny, Shape

RMS, LAYER, LAYER_WITHOUT_BIAS, NO_WEIGHTS = "rms", "layer", "layer_without_bias", "no_weights"
NORM_VECTORS = {RMS: 1, LAYER: 2, LAYER_WITHOUT_BIAS: 1, NO_WEIGHTS: 0}  # weight vectors of one normalization
MAMBA, GATED_DELTA, LIGHTNING, KIMI_DELTA = "mamba2", "gated_delta", "lightning", "kimi_delta"
LINEAR_KINDS = (MAMBA, GATED_DELTA, LIGHTNING, KIMI_DELTA)
NO_QK_NORM, HEAD_QK_NORM, FULL_QK_NORM = "none", "head", "full"


@dataclass(frozen=True)
class Window(Shape):
    """Layers that see the last ``size`` tokens alone; their heads, where they differ from those of the other layers."""

    size: int
    layers: int
    kv_heads: int
    head_dim: int
    value_dim: int
    shares_kv: bool = False  # one projection gives keys and values


@dataclass(frozen=True)
class LatentAttention(Shape):
    """Multi-head latent attention: what is cached is ``kv_rank + rope_dim`` values a token, whatever the heads.

    ``q_rank`` 0: queries are not compressed. ``is_direct``: the cached entry is key and value as it is (DeepSeek-V4), with no
    projection up to heads; ``entries_per_token`` below 1 then says how far entries are merged, averaged over the layers.
    """

    q_rank: int
    kv_rank: int
    nope_dim: int
    rope_dim: int
    value_dim: int
    out_rank: int = 0  # of the output projection, for each of out_groups; 0: one full projection
    out_groups: int = 0
    is_direct: bool = False
    entries_per_token: float = 1.0


@dataclass(frozen=True)
class SparseIndex(Shape):
    """A light scorer that picks the ``top_k`` entries that each query attends to (DSA), on ``layers`` layers."""

    heads: int
    dim: int
    top_k: int
    layers: int


@dataclass(frozen=True)
class LinearLayers(Shape):
    """Layers with a state of ``value_heads × key_dim × value_dim`` a sequence instead of a cache.

    Of Mamba-2: ``key_heads`` groups, ``key_dim`` the state size, ``value_heads`` heads of ``value_dim``.
    """

    kind: str
    layers: int
    key_heads: int
    value_heads: int
    key_dim: int
    value_dim: int
    conv_kernel: int = 0


@dataclass(frozen=True)
class Experts(Shape):
    """Layers whose feed-forward part is routed: ``top_k`` of ``count`` experts a token, and ``shared_ffn`` always.

    ``shared_ffn`` is the width of all shared experts together. ``latent`` is the width that tokens are projected to before the
    experts and back from after them; 0: experts work on ``hidden``. The first ``leading_dense`` layers have no experts.
    """

    layers: int
    count: int
    top_k: int
    ffn: int
    shared_ffn: int = 0
    latent: int = 0
    leading_dense: int = 0
    has_bias: bool = False  # each expert's matrices have biases
    has_router_bias: bool = False
    has_shared_gate: bool = False  # a learned gate of the shared expert


@dataclass(frozen=True)
class Details(Shape):
    """What adds little to the work and is needed to count every parameter."""

    norm: str = RMS
    norms_per_layer: int = 2
    qk_norm: str = NO_QK_NORM
    qkv_bias: bool = False
    out_bias: bool = False
    ffn_bias: bool = False
    head_bias: bool = False
    positions: int = 0  # learned embeddings of positions
    has_embedding_norm: bool = False
    has_attention_gate: bool = False  # queries come with a gate as wide as themselves
    has_sinks: bool = False  # one learned value a head beside the keys
    shares_kv: bool = False  # one projection gives keys and values
    embedding_dim: int = 0  # where tokens are embedded narrower and projected (OPT-350M)
    residual_streams: int = 1  # hidden states side by side that layers read and write (hyper-connections)
    other_params: int = 0  # counted by the publisher, and by no other field: the note says what


@dataclass(frozen=True)
class ModelShape(Shape):
    """One architecture. Widths and ranks in values, ``context`` in tokens, ``weights`` the precision that is published."""

    id: str
    name: str
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    value_dim: int
    ffn: int  # of a dense layer; 0 where there is none
    gated: bool  # three matrices in a feed-forward block (SwiGLU, GeGLU) instead of two
    vocab: int
    tied: bool  # embedding and head are one matrix
    context: int
    weights: str
    attention_layers: int
    dense_layers: int
    mtp: int = 0  # modules that predict further tokens
    window: IfAny[Window] = None
    latent: IfAny[LatentAttention] = None
    index: IfAny[SparseIndex] = None
    linear: IfAny[LinearLayers] = None
    experts: IfAny[Experts] = None
    details: Details = Details()
    source: str = ""
    grade: str = "own"
    note: str = ""

    @property
    def attention(self) -> str:
        """Kind of the layers that attend: ``mla``, ``mha``, ``mqa`` or ``gqa``."""
        if self.latent is not None:
            return "mla"
        if self.kv_heads == self.heads:
            return "mha"
        return "mqa" if self.kv_heads == 1 else "gqa"

    @property
    def own_note(self) -> str:
        """Of a shape of the user's own: what is to be known of how it was read; empty where nothing is."""
        return self.note if self.id == "own" else ""

    @property
    def is_moe(self) -> bool:
        """Whether any layer routes tokens to experts."""
        return self.experts is not None

    @property
    def full_layers(self) -> int:
        """Layers that attend to all tokens before."""
        return self.attention_layers - (self.window.layers if self.window else 0)


def with_layers(shape: ModelShape, layers: int) -> ModelShape:
    """The shape cut down or stretched to ``layers`` layers, kinds in the same proportions; leading dense layers stay.

    Raises
    ------
    ValueError
        Below 1 layer.
    """
    if layers < 1:
        raise ValueError(f"{layers} layers")
    experts, window, linear, index = shape.experts, shape.window, shape.linear, shape.index
    leading = min(experts.leading_dense, layers) if experts else 0
    mixers = [shape.full_layers, window.layers if window else 0, linear.layers if linear else 0]
    blocks = [shape.dense_layers - (experts.leading_dense if experts else 0), experts.layers if experts else 0]
    if sum(mixers) + sum(blocks) == shape.layers and leading == 0 and sum(mixers) < shape.layers:
        n_full, n_window, n_linear, n_dense, n_sparse = _shares([*mixers, *blocks], layers)
    else:
        n_full, n_window, n_linear = _shares(mixers, layers)
        n_dense, n_sparse = _shares(blocks, layers - leading)
    n_index = round(index.layers * n_full / max(1, shape.full_layers)) if index else 0
    return replace(
        shape,
        layers=layers,
        attention_layers=n_full + n_window,
        dense_layers=n_dense + leading,
        window=replace(window, layers=n_window) if window else None,
        linear=replace(linear, layers=n_linear) if linear else None,
        index=replace(index, layers=n_index) if index else None,
        experts=replace(experts, layers=n_sparse, leading_dense=leading) if experts else None,
    )


def _shares(counts: list[int], total: int) -> list[int]:
    """``total`` in the proportions of the counts, by largest remainders."""
    whole = sum(counts)
    parts = [count * total // whole for count in counts]
    by_remainder = sorted(range(len(counts)), key=lambda at: counts[at] * total % whole, reverse=True)
    for at in by_remainder[: total - sum(parts)]:
        parts[at] += 1
    return parts
