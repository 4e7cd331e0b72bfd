"""A hub's config.json becomes the catalog's shape; what it lacks or says wrongly is refused by key, all at once."""

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.errors import SpecError
from estimator.workloads.models.catalog import catalog_models
from estimator.workloads.models.counts import active_parameters, total_parameters
from estimator.workloads.models.named import model_of, model_or_problems
from estimator.workloads.models.shapes import Details, ModelShape

from .configs import BY_ID, DEEPSEEK_V3, GEMMA2_9B, GPT2, LLAMA, MIXTRAL, QWEN3_MOE

PUBLISHER = ("id", "name", "source", "grade", "note")


def problems_of(value: Any) -> dict[str, str]:
    with pytest.raises(SpecError) as refused:
        model_of(value)
    return {problem.field: problem.code for problem in refused.value.problems}


@pytest.mark.parametrize("id_", BY_ID)
def test_a_published_file_gives_the_catalog_shape(id_: str) -> None:
    shape, expected = model_of(BY_ID[id_]), catalog_models()[id_].shape
    assert replace(shape, **{name: getattr(expected, name) for name in PUBLISHER}) == expected
    assert shape.note == ""


def test_models_beside_the_catalog_come_out_as_published() -> None:
    assert total_parameters(model_of(GPT2)) == 124_439_808  # GPT-2 small, counted from its weights
    gemma = model_of(GEMMA2_9B)
    assert total_parameters(gemma) == 9_241_705_984  # Gemma 2 report, table 2: 918 M embedding + 8,324 M others
    assert (gemma.full_layers, gemma.window.layers, gemma.tied) == (21, 21, True)


def test_a_shape_survives_json() -> None:
    for shape in (model_of(config) for config in BY_ID.values()):
        assert ModelShape.from_json(json.loads(json.dumps(shape.as_json()))) == shape


def test_precision_is_that_of_the_file() -> None:
    def weights(**more: Any) -> str:
        return model_of(LLAMA | more).weights

    assert weights(torch_dtype="float16") == "fp16"
    assert weights(quantization_config={"quant_method": "gptq", "bits": 4}) == "int4"
    assert weights(quantization_config={"quant_algo": "NVFP4", "quant_method": "modelopt"}) == "nvfp4"
    assert model_of(DEEPSEEK_V3).weights == "fp8"


def test_every_problem_is_named_at_once() -> None:
    config = LLAMA | {"hidden_size": math.nan, "num_hidden_layers": 10**30, "vocab_size": "many"}
    del config["intermediate_size"]
    assert problems_of(config) == {
        "model.hidden_size": "wrong_type",
        "model.num_hidden_layers": "out_of_range",
        "model.vocab_size": "wrong_type",
        "model.intermediate_size": "missing",
    }
    assert problems_of({"model_type": "llama"}).keys() >= {
        f"model.{key}"
        for key in ("hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size", "intermediate_size")
    }


@pytest.mark.parametrize(
    ("key", "value"), [("num_attention_heads", 0), ("num_attention_heads", None), ("intermediate_size", -1)]
)
def test_a_wrong_key_is_one_problem(key: str, value: Any) -> None:
    """Not the heads that it does not share besides, nor the same of both places that read it."""
    shape, problems = model_or_problems({**LLAMA, key: value})
    assert shape is None
    assert [one.field for one in problems] == [f"model.{key}"]


@pytest.mark.parametrize(
    "parts", [("text_config",), ("llm_config",), ("thinker_config", "text_config"), ("text_config", "text_config")]
)
def test_the_language_model_of_a_multimodal_one_is_read(parts: tuple[str, ...]) -> None:
    config: Any = LLAMA
    for name in reversed(parts):
        config = {"model_type": "speaks-and-sees", name: config, "vision_config": {"hidden_size": 1_024}}
    shape, problems = model_or_problems(config)
    assert problems == []
    assert shape
    assert (shape.layers, shape.hidden, shape.kv_heads) == (32, 4096, 8)


def test_contradictions_are_refused() -> None:
    assert problems_of(LLAMA | {"num_key_value_heads": 5}) == {"model.num_key_value_heads": "does_not_divide"}
    assert problems_of(MIXTRAL | {"num_experts_per_tok": 9}) == {"model.num_experts_per_tok": "out_of_range"}
    assert problems_of(LLAMA | {"hidden_size": 4097}) == {"model.head_dim": "missing"}
    assert problems_of(LLAMA | {"is_encoder_decoder": True}) == {"model.is_encoder_decoder": "not_modelled"}
    assert problems_of(LLAMA | {"layer_types": ["full_attention"] * 3}) == {"model.layer_types": "wrong_length"}
    nested = {"model_type": "vlm", "text_config": LLAMA | {"vocab_size": 0}}
    assert problems_of(nested) == {"model.text_config.vocab_size": "out_of_range"}


def test_an_unknown_type_with_the_usual_keys_is_taken_with_a_note() -> None:
    shape = model_of(LLAMA | {"model_type": "novel", "architectures": ["NovelForCausalLM"]})
    assert "'novel' is not known" in shape.note
    assert total_parameters(shape) == total_parameters(model_of(LLAMA))


def test_an_unknown_type_with_unknown_blocks_is_refused_with_a_way_out() -> None:
    config = LLAMA | {"model_type": "novel", "architectures": ["Novel"], "mamba_d_state": 16, "compress_ratios": [4]}
    with pytest.raises(SpecError) as refused:
        model_of(config)
    (problem,) = refused.value.problems
    assert problem.code == "unknown_architecture"
    assert "mamba_d_state" in problem.message
    assert "plain keys" in problem.message


def test_windows_are_read_as_each_type_means_them() -> None:
    mistral = LLAMA | {"model_type": "mistral", "sliding_window": 4096}
    assert model_of(mistral).full_layers == 0
    assert model_of(mistral | {"model_type": "qwen2", "use_sliding_window": False}).window is None
    assert model_of(mistral | {"sliding_window": 131072}).window is None  # as long as the context
    pattern = model_of(mistral | {"model_type": "gemma3_text", "sliding_window_pattern": 6})
    assert (pattern.full_layers, pattern.window.layers) == (5, 27)


def test_hyper_connections_are_streams_side_by_side() -> None:
    """DeepSeek-V4's hc_mult; the catalog's models have as many as their files say."""
    assert model_of(DEEPSEEK_V3 | {"hc_mult": 4}).details.residual_streams == 4
    assert model_of(DEEPSEEK_V3).details.residual_streams == 1
    streams = {id_: model.shape.details.residual_streams for id_, model in catalog_models().items()}
    assert {id_ for id_, many in streams.items() if many > 1} == {"deepseek-v4-flash", "deepseek-v4-pro"}


def test_experts_lie_where_the_file_says() -> None:
    alternating = model_of(QWEN3_MOE | {"decoder_sparse_step": 2, "mlp_only_layers": [1]})
    assert (alternating.experts.layers, alternating.dense_layers) == (23, 25)
    listed = model_of(DEEPSEEK_V3 | {"moe_layer_freq": [0] * 11 + [1] * 50})
    assert (listed.experts.layers, listed.experts.leading_dense) == (50, 11)


@given(
    layers=st.integers(1, 200),
    heads=st.sampled_from([8, 16, 64]),
    groups=st.sampled_from([1, 2, 8]),
    head_dim=st.sampled_from([64, 128]),
    ffn=st.integers(1, 60_000),
    vocab=st.integers(1, 300_000),
)
def test_any_llama_counts_by_hand(layers: int, heads: int, groups: int, head_dim: int, ffn: int, vocab: int) -> None:
    hidden, kv_heads = heads * head_dim, heads // groups
    shape = model_of(
        LLAMA
        | {
            "num_hidden_layers": layers,
            "num_attention_heads": heads,
            "num_key_value_heads": kv_heads,
            "hidden_size": hidden,
            "intermediate_size": ffn,
            "vocab_size": vocab,
        }
    )
    attention = 2 * hidden * hidden + 2 * hidden * kv_heads * head_dim
    by_hand = layers * (attention + 3 * hidden * ffn + 2 * hidden) + 2 * vocab * hidden + hidden
    assert total_parameters(shape) == active_parameters(shape) == by_hand
    assert shape.details == Details()


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=5), st.lists, max_leaves=5), st.data())
def test_no_value_of_a_key_breaks_it(value: Any, data: st.DataObject) -> None:
    """A shape or problems, whatever stands under a key."""
    config = data.draw(st.sampled_from([LLAMA, MIXTRAL, DEEPSEEK_V3, GPT2, *BY_ID.values()]))
    key = data.draw(st.sampled_from(sorted(config)))
    shape, problems = model_or_problems(config | {key: value})
    assert (shape is None) == bool(problems)
