"""Models that are not in the catalog, as the address of a tab holds them: their keys, only those that count, packed.

A pasted ``config.json`` has many keys that say nothing of a model's shape (paths, tokens, initializers, lists of what is not
quantized). Those are left out, and the rest fits into an address: a reload, a link to a colleague and every file have it.
"""

import base64
import binascii
import json
import zlib
from collections.abc import Mapping
from functools import lru_cache
from typing import cast

from designer.services.bounded_json import UnsoundJson, json_object
from estimator.errors import Problem, SpecError
from estimator.record import Given, Json
from estimator.workloads.models.named import model_of
from estimator.workloads.models.shapes import ModelShape

OWN = "own-"
MOST_PASTED_BYTES = 65_536
MOST_PACKED = 1_200  # characters: two models and the rest of a tab's state stay below what servers take as an address
MOST_UNPACKED_BYTES = 16_384
MODELS_KEPT = 64


def packed(pasted: str, field: str) -> str:
    """A text of JSON that somebody pasted, a hub's ``config.json`` or plain keys, as the value of a model's field.

    Raises
    ------
    SpecError
        Under ``field``, where it is too long, no JSON object, or describes no model that is known.
    """
    data = pasted.encode()
    if len(data) > MOST_PASTED_BYTES:
        message = (
            f"A config.json may have {MOST_PASTED_BYTES // 1024} KiB, and {len(data):,} bytes were pasted. Paste the "
            "model's config.json alone, or fill in the plain fields."
        )
        raise SpecError([Problem(field, "too_large", message)])
    try:
        return packed_keys(json_object(data, "config.json"), field)
    except (UnsoundJson, SpecError) as error:
        raise SpecError([_with_key(one, field) for one in error.problems]) from None


def _with_key(problem: Problem, field: str) -> Problem:
    """A problem of a key of the text, which its message names."""
    key = problem.field.removeprefix(field).lstrip(".")
    return Problem(field, problem.code, f"{key}: {problem.message}" if key else problem.message)


def packed_keys(values: Given, field: str) -> str:
    """The same of keys that were read already; problems of a key have its name behind that of the field."""
    shape = model_of(values, field)
    text = json.dumps(_needed(values, shape), separators=(",", ":"), sort_keys=True)
    made = OWN + base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")
    if len(made) > MOST_PACKED:
        message = (
            f"What counts of this model takes {len(made):,} characters, and an address has room for {MOST_PACKED:,}. Fill in "
            "the plain fields instead."
        )
        raise SpecError([Problem(field, "too_large", message)])
    return made


@lru_cache(maxsize=MODELS_KEPT)
def model_named(value: str, field: str) -> str | Json:
    """The ``model`` of a request that a field's value means: an id of the catalog, or the keys that were packed.

    Raises
    ------
    SpecError
        Where the value is not what ``packed`` made.
    """
    if not value.startswith(OWN):
        return value
    try:
        code = value.removeprefix(OWN)
        reader = zlib.decompressobj()
        data = reader.decompress(base64.b64decode(code + "=" * (-len(code) % 4), "-_", True), MOST_UNPACKED_BYTES)
        if not reader.eof:
            raise zlib.error("longer than any that is packed here")
        return json_object(data, "model")
    except (binascii.Error, zlib.error, UnsoundJson, ValueError) as error:
        message = (
            "This address has a model of its own that cannot be read: part of it is missing. Give the model again."
        )
        raise SpecError([Problem(field, "unreadable_model", message)]) from error


def shape_named(value: str, field: str) -> ModelShape:
    """The shape of a field's value.

    Raises
    ------
    SpecError
        Of an unknown id, or of keys that describe no model.
    """
    return model_of(model_named(value, field), field)


def _needed(values: Given, shape: ModelShape) -> Json:
    """The keys without which the shape would be another."""
    kept = dict(values)
    for key, value in values.items():
        if _is_shape({name: one for name, one in kept.items() if name != key}, shape):
            del kept[key]
        elif isinstance(value, Mapping):
            kept[key] = _needed_inside(kept, key, shape)
    return kept


def _needed_inside(kept: Json, key: str, shape: ModelShape) -> Json:
    inner = cast(Json, dict(kept[key]))
    for name in list(inner):
        fewer = {other: one for other, one in inner.items() if other != name}
        if _is_shape({**kept, key: fewer}, shape):
            inner = fewer
    return inner


def _is_shape(values: Given, shape: ModelShape) -> bool:
    try:
        return model_of(values) == shape
    except SpecError:
        return False
