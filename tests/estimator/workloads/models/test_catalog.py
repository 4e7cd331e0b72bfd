"""The catalog of architectures: sources, and counts held to what publishers print."""

import pytest

from estimator.workloads.models.catalog import CatalogModel, catalog_models, ids_by_name
from estimator.workloads.models.counts import (
    active_parameters,
    decode_attention_width,
    forward_flops,
    kv_bytes_per_token,
    sequence_bytes,
    total_parameters,
    training_flops,
)
from estimator.workloads.models.shapes import LINEAR_KINDS, ModelShape

MODELS = catalog_models()
GRADES = ("vendor-doc", "secondary", "recalled")
IDS = [
    "llama2-70b",
    "llama2-7b",
    "llama3-8b",
    "llama3-70b",
    "llama3-405b",
    "gpt3-175b",
    "gpt3-175b-ms",
    "nemotron4-15b",
    "nemotron4-340b",
    "mpt-125m",
    "mpt-350m",
    "mpt-760m",
    "mpt-1b",
    "mpt-3b",
    "mpt-7b",
    "mpt-13b",
    "mpt-30b",
    "mpt-70b",
    "qwen3-32b",
    "qwen3-30b-a3b",
    "qwen3-235b-a22b",
    "gpt-oss-120b",
    "gpt-oss-20b",
    "mixtral-8x7b",
    "grok1",
    "minimax-m2.5",
    "llama4-maverick",
    "deepseek-v3",
    "kimi-k2",
    "glm-5",
    "deepseek-v4-flash",
    "qwen3.5-397b-a17b",
    "nemotron3-nano",
    "nemotron3-super",
    "nemotron3-ultra",
    "gpt-1.7B",
    "gpt-3.6B",
    "gpt-7.5B",
    "gpt-18.4B",
    "gpt-39.1B",
    "gpt-76.1B",
    "gpt-145.6B",
    "gpt-174.6B",
    "gpt-310.1B",
    "gpt-529.6B",
    "gpt-1008.0B",
    "gpt-22B",
]


def shape_of(id_: str) -> ModelShape:
    return MODELS[id_].shape


def test_models_that_requests_name_are_there() -> None:
    assert set(IDS) <= set(MODELS)


@pytest.mark.parametrize("model", MODELS.values(), ids=list(MODELS))
def test_computed_counts_are_those_printed(model: CatalogModel) -> None:
    assert (model.published_params_b is None) == (model.published_source == "")
    if model.published_params_b is not None:
        computed = total_parameters(model.shape) / 1e9
        assert computed == pytest.approx(model.published_params_b, abs=model.params_slack_b)
    if model.published_active_b is not None:
        computed = active_parameters(model.shape, model.active_counts_embedding) / 1e9
        assert computed == pytest.approx(model.published_active_b, abs=model.active_slack_b)


@pytest.mark.parametrize("model", MODELS.values(), ids=list(MODELS))
def test_layers_add_up_and_sources_are_given(model: CatalogModel) -> None:
    shape = model.shape
    n_linear = shape.linear.layers if shape.linear else 0
    n_experts = shape.experts.layers if shape.experts else 0
    mixers, ffns = shape.attention_layers + n_linear, shape.dense_layers + n_experts
    assert shape.layers in (mixers + ffns, mixers)
    assert ffns <= shape.layers
    assert shape.full_layers >= 0
    assert shape.heads % shape.kv_heads == 0
    assert shape.source
    assert shape.grade in GRADES
    assert shape.linear is None or shape.linear.kind in LINEAR_KINDS
    assert shape.experts is None or shape.experts.top_k <= shape.experts.count


def test_a_name_means_one_model() -> None:
    names = [name.casefold() for id_, model in MODELS.items() for name in (id_, *model.aliases)]
    assert len(names) == len(set(names))
    assert ids_by_name()["deepseek-ai/deepseek-r1"] == "deepseek-v3"


def test_caches_are_those_of_the_published_shapes() -> None:
    assert kv_bytes_per_token(shape_of("llama3-70b"), 2) == 80 * 2 * 8 * 128 * 2
    assert kv_bytes_per_token(shape_of("deepseek-v3"), 1) == 61 * 576
    oss = shape_of("gpt-oss-120b")  # half of the layers keep 128 tokens at most
    assert sequence_bytes(oss, 1128, 2) == 18 * 1024 * 2 * (1128 + 128)
    nano = shape_of("nemotron3-nano")
    state = sequence_bytes(nano, 0, 2)
    assert state == 23 * 4 * (64 * 64 * 128 + 3 * (64 * 64 + 2 * 8 * 128))
    assert sequence_bytes(nano, 1000, 2) == state + 1000 * 6 * 2 * 2 * 128 * 2


def test_operations_are_those_that_the_papers_count() -> None:
    """Megatron 2021, equation (3) without recomputation: 72·B·s·l·h²·(1 + s/6h + V/12lh) for the whole step."""
    shape, s = shape_of("gpt3-175b"), 2048
    h, layers, vocab = shape.hidden, shape.layers, shape.vocab
    paper = 72 * layers * h * h * (1 + s / (6 * h) + vocab / (12 * layers * h))
    causal = 12 * layers * h * s / 2 * 1  # the paper counts attention in full, this by half: 12·l·h·s ÷ 2 less
    assert training_flops(shape, s) == pytest.approx(paper - causal, rel=1e-9)
    assert forward_flops(shape, 0) == pytest.approx(paper / 3 - 4 * layers * h * s, rel=1e-9)


def test_latent_attention_compares_with_the_cache_in_decode() -> None:
    assert decode_attention_width(shape_of("deepseek-v3")) == 128 * (512 + 64 + 512) / 2
    assert decode_attention_width(shape_of("llama3-8b")) == 32 * 128
