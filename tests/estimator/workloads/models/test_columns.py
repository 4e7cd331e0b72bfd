"""Columns say of each model what the counts of its shape say."""

import numpy as np

from estimator.workloads.models.catalog import catalog_models
from estimator.workloads.models.columns import shape_columns
from estimator.workloads.models.counts import active_matrix_parameters, matrix_parameters

SHAPES = [model.shape for model in catalog_models().values()]


def test_columns_are_the_counts() -> None:
    columns = shape_columns(SHAPES)
    assert len(columns) == len(SHAPES)
    for at, shape in enumerate(SHAPES):
        assert columns.matrix_parameters[at] == matrix_parameters(shape)
        assert columns.layers[at] == shape.layers


def test_parts_of_layers_make_the_whole() -> None:
    c = shape_columns(SHAPES)
    mixers = (
        c.full_layers * c.attention_parameters
        + c.window_layers * c.window_attention_parameters
        + c.linear_layers * c.linear_parameters
    )
    routed = c.shared_parameters + c.router_parameters
    dense = c.dense_layers * c.dense_parameters
    every = mixers + dense + c.moe_layers * (c.experts * c.expert_parameters + routed)
    active = mixers + dense + c.moe_layers * (c.top_k * c.expert_parameters + routed)
    assert every.tolist() == [matrix_parameters(shape) for shape in SHAPES] == c.matrix_parameters.tolist()
    assert active.tolist() == [active_matrix_parameters(shape) for shape in SHAPES]


def test_models_are_taken_by_index() -> None:
    columns = shape_columns(SHAPES)
    index = np.array([[3, 0], [1, 1]])
    taken = columns.take(index)
    assert taken.hidden.shape == (2, 2)
    assert taken.kv_values.tolist() == columns.kv_values[index].tolist()
    assert taken.is_tied.dtype == bool


def test_layers_of_one_block_each_are_half_a_pair() -> None:
    """A transformer's layer is a pair of blocks; Nemotron 3 Nano's 52 layers are 23 scans, 6 attentions and 23 of experts."""
    pairs = dict(zip([shape.id for shape in SHAPES], shape_columns(SHAPES).block_pairs, strict=True))
    assert (pairs["llama3-70b"], pairs["deepseek-v3"], pairs["qwen3.5-397b-a17b"]) == (80, 61, 60)
    assert pairs["nemotron3-nano"] == 26
