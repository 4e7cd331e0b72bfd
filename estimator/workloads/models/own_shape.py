"""A shape given by plain keys: those of ``ModelShape``, with bounds, defaults and the rules that join them."""

from typing import Annotated, Literal

from pydantic import Field

from estimator.errors import Problem
from estimator.record import Given
from estimator.spec.checking import Section, validated
from estimator.units import counted
from estimator.workloads.models.hub_keys import BOUNDS
from estimator.workloads.models.shapes import (
    Details,
    Experts,
    LatentAttention,
    LinearLayers,
    ModelShape,
    SparseIndex,
    Window,
)

WHAT = "a model's shape"
Precision = Literal["fp32", "bf16", "fp16", "fp8", "mxfp8", "nvfp4", "mxfp4", "int8", "int4"]
Layers = Annotated[int, Field(ge=0, le=BOUNDS["layers"])]
Heads = Annotated[int, Field(ge=1, le=BOUNDS["heads"])]
Dim = Annotated[int, Field(ge=1, le=BOUNDS["head_dim"])]
Width = Annotated[int, Field(ge=0, le=BOUNDS["ffn"])]
Rank = Annotated[int, Field(ge=0, le=BOUNDS["rank"])]
Tokens = Annotated[int, Field(ge=1, le=BOUNDS["context"])]
Count = Annotated[int, Field(ge=1, le=BOUNDS["experts"])]


class OwnWindow(Section):
    """Layers that see the last tokens alone."""

    size: Tokens = Field(description="Tokens that such a layer sees.")
    layers: Layers = Field(description="Layers with the window.")


class OwnLatent(Section):
    """Multi-head latent attention."""

    q_rank: Rank = Field(0, description="Rank of the queries' projection; 0: none.")
    kv_rank: Rank = Field(description="Values of keys and values that are cached a token.")
    nope_dim: Dim = Field(description="Values a head compared without position.")
    rope_dim: Dim = Field(description="Values a head compared with position; cached once a token.")
    value_dim: Dim = Field(description="Values a head of what is added up.")


class OwnIndex(Section):
    """A scorer that picks the tokens that are attended to."""

    heads: Heads = Field(description="Heads of the scorer.")
    dim: Dim = Field(description="Values a head.")
    top_k: Tokens = Field(description="Tokens that are attended to.")
    layers: Layers | None = Field(None, description="Layers with the scorer; all that attend, where left out.")


class OwnLinear(Section):
    """Layers that keep a state instead of a cache."""

    kind: Literal["mamba2", "gated_delta", "lightning", "kimi_delta"] = Field(description="Rule of the state.")
    layers: Layers = Field(description="Layers with a state.")
    key_heads: Heads = Field(description="Heads of keys; groups of Mamba-2.")
    value_heads: Heads = Field(description="Heads of values.")
    key_dim: Dim = Field(description="Values a key; the state's size of Mamba-2.")
    value_dim: Dim = Field(description="Values a head of values.")
    conv_kernel: int = Field(4, ge=0, le=BOUNDS["factor"], description="Tokens of the short convolution; 0: none.")


class OwnExperts(Section):
    """Layers that route tokens to experts."""

    layers: Layers | None = Field(
        None, description="Layers with experts; all after the leading dense ones if left out."
    )
    count: Count = Field(description="Experts a layer.")
    top_k: Count = Field(description="Experts that one token passes through.")
    ffn: Width = Field(description="Width of one expert.")
    shared_ffn: Width = Field(0, description="Width of the experts that every token passes through, together.")
    latent: Rank = Field(0, description="Width that experts work on; 0: the hidden one.")
    leading_dense: Layers = Field(0, description="First layers, without experts.")


class OwnShape(Section):
    """A model by its sizes."""

    name: str = Field("own model", max_length=80, description="What it is called in results.")
    layers: int = Field(ge=1, le=BOUNDS["layers"], description="Layers.")
    hidden: int = Field(ge=1, le=BOUNDS["hidden"], description="Width of the residual stream.")
    heads: Heads = Field(description="Heads of queries.")
    kv_heads: Heads | None = Field(None, description="Heads of keys and values; as many as of queries if left out.")
    head_dim: Dim | None = Field(None, description="Values a head; hidden ÷ heads if left out.")
    ffn: Width = Field(0, description="Width of the feed-forward block of a dense layer.")
    gated: bool = Field(True, description="Three matrices a feed-forward block (SwiGLU) instead of two.")
    vocab: int = Field(ge=1, le=BOUNDS["vocab"], description="Tokens of the vocabulary.")
    tied: bool = Field(False, description="Embedding and head are one matrix.")
    context: Tokens = Field(131_072, description="Longest sequence.")
    weights: Precision = Field("bf16", description="Precision that weights are published in.")
    attention_layers: Layers | None = Field(None, description="Layers that attend; all without a state if left out.")
    mtp: int = Field(0, ge=0, le=BOUNDS["factor"], description="Steps of prediction beyond the next token (MTP).")
    window: OwnWindow | None = Field(None, description="Layers with a window.")
    latent: OwnLatent | None = Field(None, description="Latent attention (MLA).")
    index: OwnIndex | None = Field(None, description="Sparse attention by a scorer (DSA).")
    linear: OwnLinear | None = Field(None, description="Layers that keep a state.")
    experts: OwnExperts | None = Field(None, description="Layers with experts.")


def shape_of_keys(values: Given, field: str) -> tuple[ModelShape | None, list[Problem]]:
    """The shape that plain keys describe, or None, and every problem found; fields start with ``field``."""
    given, found = validated(OwnShape, values, WHAT)
    problems = [one.inside(field) for one in found]
    if given is None:
        return None, problems
    problems += _rules(given, field)
    return (None, problems) if problems else (_shape(given), [])


def _rules(given: OwnShape, field: str) -> list[Problem]:
    """What no key breaks by itself."""
    problems = []

    def refuse(key: str, code: str, message: str) -> None:
        problems.append(Problem(f"{field}.{key}", code, message))

    kv_heads, experts, linear = given.kv_heads or given.heads, given.experts, given.linear
    if given.heads % kv_heads:
        refuse(
            "kv_heads",
            "does_not_divide",
            f"{given.heads} heads do not share {kv_heads} key-value heads evenly. Use a divisor of {given.heads}.",
        )
    if given.head_dim is None and given.latent is None and given.hidden % given.heads:
        refuse("head_dim", "missing", f"{given.hidden} values do not split into {given.heads} heads: give head_dim.")
    n_linear = linear.layers if linear else 0
    if n_linear + (given.attention_layers or 0) > given.layers:
        refuse(
            "attention_layers",
            "too_many_layers",
            f"{given.attention_layers or 0} layers that attend and {n_linear} with a state are more than "
            f"{counted(given.layers, 'layer')}.",
        )
    n_attention = given.layers - n_linear if given.attention_layers is None else given.attention_layers
    for key, part in (("window", given.window), ("index", given.index)):
        if part and (part.layers or 0) > n_attention:
            refuse(f"{key}.layers", "too_many_layers", f"{part.layers} layers, and {n_attention} attend.")
    if experts and experts.top_k > experts.count:
        refuse("experts.top_k", "out_of_range", f"{experts.top_k} experts a token, and a layer has {experts.count}.")
    if experts and (experts.layers or 0) + experts.leading_dense > given.layers:
        refuse(
            "experts.layers",
            "too_many_layers",
            f"{experts.layers or 0} layers with experts after {experts.leading_dense} without are more than "
            f"{counted(given.layers, 'layer')}.",
        )
    n_dense = _dense_layers(given)
    if n_dense > 0 and not given.ffn:
        refuse("ffn", "missing", f"{counted(n_dense, 'layer')} without experts need the width of their block.")
    return problems


def _expert_layers(given: OwnShape) -> int:
    if not given.experts:
        return 0
    return given.layers - given.experts.leading_dense if given.experts.layers is None else given.experts.layers


def _dense_layers(given: OwnShape) -> int:
    """Layers with a dense block; none where attention, states and experts are layers of their own (a hybrid)."""
    n_linear, n_experts = (given.linear.layers if given.linear else 0), _expert_layers(given)
    if given.attention_layers is not None and given.attention_layers + n_linear < given.layers:
        return given.layers - given.attention_layers - n_linear - n_experts
    return given.layers - n_experts


def _shape(given: OwnShape) -> ModelShape:
    kv_heads = given.kv_heads or given.heads
    head_dim = given.latent.nope_dim if given.latent else given.head_dim or given.hidden // given.heads
    value_dim = given.latent.value_dim if given.latent else head_dim
    n_linear = given.linear.layers if given.linear else 0
    n_attention = given.layers - n_linear if given.attention_layers is None else given.attention_layers
    is_hybrid = n_attention + n_linear < given.layers
    window, index, experts = given.window, given.index, given.experts
    return ModelShape(
        id="own",
        name=given.name,
        layers=given.layers,
        hidden=given.hidden,
        heads=given.heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        value_dim=value_dim,
        ffn=given.ffn,
        gated=given.gated,
        vocab=given.vocab,
        tied=given.tied,
        context=given.context,
        weights=given.weights,
        attention_layers=n_attention,
        dense_layers=_dense_layers(given),
        mtp=given.mtp,
        window=Window(window.size, window.layers, kv_heads, head_dim, value_dim) if window and window.layers else None,
        latent=LatentAttention(**given.latent.model_dump()) if given.latent else None,
        index=SparseIndex(index.heads, index.dim, index.top_k, n_attention if index.layers is None else index.layers)
        if index
        else None,
        linear=LinearLayers(**given.linear.model_dump()) if given.linear and n_linear else None,
        experts=Experts(**experts.model_dump() | {"layers": _expert_layers(given)}) if experts else None,
        details=Details(norms_per_layer=1 if is_hybrid else 2),
        source="own shape",
    )
