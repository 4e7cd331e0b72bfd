"""What a request's model may be: a name, plain keys, a config.json."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.errors import SpecError
from estimator.workloads.models.catalog import catalog_models
from estimator.workloads.models.counts import (
    active_parameters,
    forward_flops,
    kv_bytes_per_token,
    sequence_bytes,
    total_parameters,
    training_flops,
)
from estimator.workloads.models.named import model_of
from estimator.workloads.models.shapes import with_layers

PLAIN = {"layers": 32, "hidden": 4096, "heads": 32, "kv_heads": 8, "ffn": 14336, "vocab": 128256}
MOE = PLAIN | {"experts": {"count": 64, "top_k": 4, "ffn": 1024, "leading_dense": 2}}


def problems_of(value: Any) -> dict[str, str]:
    with pytest.raises(SpecError) as refused:
        model_of(value, "model")
    return {problem.field: problem.code for problem in refused.value.problems}


def test_ids_and_aliases_in_any_case() -> None:
    assert model_of("llama3-70b").layers == 80
    assert model_of("DeepSeek-R1").id == "deepseek-v3"
    assert model_of("meta-llama/Llama-3.3-70B-Instruct").id == "llama3-70b"


def test_an_unknown_name_names_those_near_it() -> None:
    with pytest.raises(SpecError) as refused:
        model_of("lama3-70")
    (problem,) = refused.value.problems
    assert (problem.field, problem.code) == ("model", "unknown_model")
    assert "llama3-70b" in problem.message
    assert problems_of("x" * 100_000) == {"model": "unknown_model"}


@pytest.mark.parametrize("value", [None, 3, True, ["llama3-8b"], 1.5])
def test_other_kinds_are_refused(value: Any) -> None:
    assert problems_of(value) == {"model": "wrong_type"}


def test_plain_keys_are_a_shape() -> None:
    assert total_parameters(model_of(PLAIN)) == total_parameters(model_of("llama3-8b"))
    shape = model_of(MOE)
    assert (shape.experts.layers, shape.dense_layers) == (30, 2)
    hybrid = model_of(
        {"layers": 10, "hidden": 1024, "heads": 8, "vocab": 1000, "attention_layers": 2}
        | {
            "linear": {
                "kind": "mamba2",
                "layers": 4,
                "key_heads": 8,
                "value_heads": 32,
                "key_dim": 128,
                "value_dim": 64,
            }
        }
        | {"experts": {"layers": 4, "count": 16, "top_k": 2, "ffn": 512}}
    )
    assert (hybrid.attention_layers, hybrid.linear.layers, hybrid.experts.layers, hybrid.dense_layers) == (2, 4, 4, 0)


def test_plain_keys_are_checked_all_at_once() -> None:
    assert problems_of({"layers": 0, "hidden": float("nan"), "heads": "8", "vocab": 1, "widht": 3}).keys() == {
        "model.layers",
        "model.hidden",
        "model.heads",
        "model.widht",
    }
    assert problems_of(
        PLAIN | {"kv_heads": 5, "ffn": 0, "experts": {"count": 4, "top_k": 8, "ffn": 1, "layers": 40}}
    ) == {
        "model.kv_heads": "does_not_divide",
        "model.experts.top_k": "out_of_range",
        "model.experts.layers": "too_many_layers",
    }
    assert problems_of(PLAIN | {"ffn": 0}) == {"model.ffn": "missing"}
    window = {"size": 128, "layers": 33}
    assert problems_of(PLAIN | {"window": window}) == {"model.window.layers": "too_many_layers"}
    assert problems_of({str(at): 1 for at in range(2_000)}) == {"model": "too_deep"}


@given(layers=st.integers(1, 99), more=st.integers(1, 50), context=st.integers(0, 10**6))
def test_counts_grow_with_layers_and_context(layers: int, more: int, context: int) -> None:
    for given_ in (PLAIN, MOE | {"experts": MOE["experts"] | {"leading_dense": 0}}):
        small, large = model_of(given_ | {"layers": layers}), model_of(given_ | {"layers": layers + more})
        for count in (total_parameters, active_parameters, lambda shape: kv_bytes_per_token(shape, 2)):
            assert count(small) < count(large)
        assert active_parameters(small) <= total_parameters(small)
        assert forward_flops(small, context) < forward_flops(large, context)
        assert forward_flops(small, context) < forward_flops(small, context + 1)
        assert training_flops(small, 4096) < training_flops(small, 8192)
        assert sequence_bytes(small, context, 1) <= sequence_bytes(small, context, 2)


@given(id_=st.sampled_from(sorted(catalog_models())), layers=st.integers(1, 160))
def test_a_shape_with_other_layers_keeps_its_kinds(id_: str, layers: int) -> None:
    shape = model_of(id_)
    cut = with_layers(shape, layers)
    assert cut.layers == layers
    assert min(cut.full_layers, cut.dense_layers, cut.experts.layers if cut.experts else 0) >= 0
    mixers = cut.attention_layers + (cut.linear.layers if cut.linear else 0)
    ffns = cut.dense_layers + (cut.experts.layers if cut.experts else 0)
    assert layers in (mixers, mixers + ffns)
    assert with_layers(shape, shape.layers) == shape
