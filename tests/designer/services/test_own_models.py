"""Models of a reader's own in an address: packed small, read back as the same shape, refused early where they are wrong."""

import base64
import json
import zlib
from typing import Any

import pytest

from designer.services.workloads.own_models import (
    MOST_PACKED,
    MOST_PASTED_BYTES,
    OWN,
    model_named,
    packed,
    packed_keys,
    shape_named,
)
from estimator.errors import SpecError
from estimator.workloads.models.named import model_of
from tests.estimator.workloads.models import configs

CONFIGS = {
    name: value
    for name, value in vars(configs).items()
    if name.isupper() and isinstance(value, dict) and name != "BY_ID"
}
KEYS: dict[str, Any] = {"layers": 32, "hidden": 4096, "heads": 32, "kv_heads": 8, "ffn": 14336, "vocab": 128_256}


@pytest.mark.parametrize("name", CONFIGS)
def test_a_config_comes_back_as_the_same_shape(name: str) -> None:
    value = packed(json.dumps(CONFIGS[name]), "own_config")
    assert shape_named(value, "train_model") == model_of(CONFIGS[name])
    assert len(value) < MOST_PACKED / 2


def test_what_does_not_count_is_left_out() -> None:
    noise = {f"noise_{at}": "x" * 50 for at in range(500)} | {
        "modules_to_not_convert": [f"layer.{at}" for at in range(900)]
    }
    noisy, plain = packed(json.dumps(CONFIGS["LLAMA"] | noise), "f"), packed(json.dumps(CONFIGS["LLAMA"]), "f")
    assert noisy == plain


def test_plain_keys_are_kept_as_they_are() -> None:
    value = packed_keys(KEYS | {"name": "ours"}, "own")
    assert shape_named(value, "train_model") == model_of(KEYS | {"name": "ours"})
    assert model_named("llama3-8b", "train_model") == "llama3-8b"


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("{" + " " * MOST_PASTED_BYTES + "}", "too_large", "64 KiB"),
        ("[1]", "not_an_object", "must be a JSON object"),
        ('{"model_type": "llama", ', "malformed_json", "is not JSON"),
        ('{"model_type": "llama", "hidden_size": NaN}', "malformed_json", "NaN"),
        (json.dumps(CONFIGS["LLAMA"] | {"num_hidden_layers": -3}), "out_of_range", "num_hidden_layers: "),
        (json.dumps(CONFIGS["LLAMA"] | {"num_hidden_layers": 10**9}), "out_of_range", "num_hidden_layers: "),
        ('{"model_type": "rwkv", "hidden_size": 4096, "rwkv_version": 7}', "unknown_architecture", "rwkv"),
    ],
)
def test_a_text_that_is_no_model_is_refused(text: str, code: str, words: str) -> None:
    with pytest.raises(SpecError) as refused:
        packed(text, "own_config")
    found = [(one.field, one.code) for one in refused.value.problems]
    assert ("own_config", code) in found
    assert words in refused.value.words()


@pytest.mark.parametrize("value", [OWN, OWN + "x", OWN + "é", "own-AAAA", packed_keys(KEYS, "own")[:-9]])
def test_a_value_that_was_cut_off_is_refused(value: str) -> None:
    with pytest.raises(SpecError) as refused:
        shape_named(value, "train_model")
    assert [(one.field, one.code) for one in refused.value.problems] == [("train_model", "unreadable_model")]


def test_a_value_that_unpacks_to_much_is_not_unpacked() -> None:

    bomb = OWN + base64.urlsafe_b64encode(zlib.compress(b"{" + b" " * 10**7 + b"}")).decode()
    with pytest.raises(SpecError):
        model_named(bomb, "train_model")
