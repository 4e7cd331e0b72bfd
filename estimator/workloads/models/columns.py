"""Shapes of many models as columns, for the vectorized models of training and serving."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Self

import numpy as np
import numpy.typing as npt

from estimator.workloads.models.counts import (
    active_matrix_parameters,
    attention_width,
    decode_attention_width,
    embedding_parameters,
    head_parameters,
    kv_values,
    layer_parts,
    matrix_parameters,
    mtp_parameters,
    state_flops,
    state_values,
    window_attention_width,
    window_kv_values,
)
from estimator.workloads.models.shapes import ModelShape

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class ShapeColumns:
    """One entry a model in each column, shape (n_models,). Parameters are counts of weights, ``_values`` cached values.

    What a model does not have is 0: ``experts`` of a dense one, ``window`` without window layers, ``index_top_k`` where
    every token is attended to.
    """

    layers: Ints
    block_pairs: (
        Floats  # blocks that mix tokens and feed-forward blocks, by two: layers, but half of a hybrid's single blocks
    )
    hidden: Ints
    heads: Ints
    kv_heads: Ints
    ffn: Ints  # of a dense layer
    vocab: Ints
    is_tied: Bools
    is_gated: Bools
    context: Ints
    attention_layers: Ints  # softmax attention, window layers among them
    full_layers: Ints
    window_layers: Ints
    window: Ints  # tokens
    linear_layers: Ints
    dense_layers: Ints
    leading_dense: Ints
    moe_layers: Ints
    experts: Ints
    top_k: Ints
    expert_ffn: Ints
    expert_hidden: Ints  # width that experts work on: hidden, or the latent one
    shared_ffn: Ints
    mtp: Ints
    residual_streams: Ints
    is_mla: Bools
    attention_width: Floats  # heads·(qk + v)/2 of a full layer, in training and prefill
    decode_attention_width: Floats  # the same in decode: on the latent for MLA
    window_attention_width: Floats
    entries_per_token: Floats  # cached entries a token on a full layer: below 1 where they are merged
    index_layers: Ints
    index_top_k: Ints
    index_width: Ints  # heads × dimension of the index
    attention_parameters: Ints  # of one full layer, as all below
    window_attention_parameters: Ints
    linear_parameters: Ints
    dense_parameters: Ints
    expert_parameters: Ints  # of one expert
    shared_parameters: Ints
    router_parameters: Ints
    embedding_parameters: Ints
    head_parameters: Ints
    matrix_parameters: Ints  # all layers, every expert
    active_matrix_parameters: Ints  # all layers, top_k experts
    mtp_parameters: Ints
    kv_values: Floats  # a token and full layer
    window_kv_values: Floats  # a token of the window and window layer
    index_values: Floats  # a token and index layer
    state_values: Floats  # a sequence and linear layer
    state_flops: Floats  # a token and linear layer, forward

    def take(self, index: Ints) -> Self:
        """The models at these places, shape (n_variants,) or any other."""
        return type(self)(**{field.name: getattr(self, field.name)[index] for field in fields(self)})

    def __len__(self) -> int:
        return len(self.layers)


def shape_columns(shapes: Sequence[ModelShape]) -> ShapeColumns:
    """Columns of one or more models, in their order; made once and then taken from by index."""
    rows = [_row(shape) for shape in shapes]
    return ShapeColumns(**{name: np.array([row[name] for row in rows]) for name in rows[0]})  # int64, float64, bool


def _row(shape: ModelShape) -> dict[str, int | float | bool]:
    parts, window, experts, index, linear = (
        layer_parts(shape),
        shape.window,
        shape.experts,
        shape.index,
        shape.linear,
    )
    return {
        "layers": shape.layers,
        "block_pairs": _blocks(shape) / 2,
        "hidden": shape.hidden,
        "heads": shape.heads,
        "kv_heads": shape.kv_heads,
        "ffn": shape.ffn,
        "vocab": shape.vocab,
        "is_tied": shape.tied,
        "is_gated": shape.gated,
        "context": shape.context,
        "attention_layers": shape.attention_layers,
        "full_layers": shape.full_layers,
        "window_layers": window.layers if window else 0,
        "window": window.size if window else 0,
        "linear_layers": linear.layers if linear else 0,
        "dense_layers": shape.dense_layers,
        "leading_dense": experts.leading_dense if experts else 0,
        "moe_layers": experts.layers if experts else 0,
        "experts": experts.count if experts else 0,
        "top_k": experts.top_k if experts else 0,
        "expert_ffn": experts.ffn if experts else 0,
        "expert_hidden": (experts.latent or shape.hidden) if experts else 0,
        "shared_ffn": experts.shared_ffn if experts else 0,
        "mtp": shape.mtp,
        "residual_streams": shape.details.residual_streams,
        "is_mla": shape.latent is not None,
        "attention_width": attention_width(shape),
        "decode_attention_width": decode_attention_width(shape),
        "window_attention_width": window_attention_width(shape),
        "entries_per_token": float(shape.latent.entries_per_token) if shape.latent else 1.0,
        "index_layers": index.layers if index else 0,
        "index_top_k": index.top_k if index else 0,
        "index_width": index.heads * index.dim if index else 0,
        "attention_parameters": parts.attention,
        "window_attention_parameters": parts.window_attention if window else 0,
        "linear_parameters": parts.linear_attention,
        "dense_parameters": parts.dense_ffn,
        "expert_parameters": parts.expert,
        "shared_parameters": parts.shared,
        "router_parameters": parts.router,
        "embedding_parameters": embedding_parameters(shape),
        "head_parameters": head_parameters(shape),
        "matrix_parameters": matrix_parameters(shape),
        "active_matrix_parameters": active_matrix_parameters(shape),
        "mtp_parameters": mtp_parameters(shape),
        "kv_values": kv_values(shape),
        "window_kv_values": window_kv_values(shape),
        "index_values": float(index.dim if index else 0),
        "state_values": state_values(shape),
        "state_flops": state_flops(shape),
    }


def _blocks(shape: ModelShape) -> int:
    """Blocks that each read and write the residual stream once; of a hybrid, whose layers are one block each, its layers."""
    linear = shape.linear.layers if shape.linear else 0
    experts = shape.experts.layers if shape.experts else 0
    return shape.attention_layers + linear + shape.dense_layers + experts
