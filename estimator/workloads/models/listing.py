"""The catalog's models as records: their shape, where it was read, and the counts that follow from it."""

import hashlib
from functools import cache

from estimator.record import Json
from estimator.workloads.models.catalog import DATA, CatalogModel, catalog_models
from estimator.workloads.models.counts import (
    active_parameters,
    forward_flops,
    kv_bytes_per_token,
    sequence_bytes,
    total_parameters,
    training_flops,
)

KIND = "models"
VALUE_BYTES = {"bf16": 2.0, "fp8": 1.0}
SEQUENCE = 8_192  # tokens of the sequence that example figures are for


def model_records() -> list[Json]:
    """JSON-ready records, in the order of the file; counts in parameters, operations and bytes."""
    return [_record(id_, model) for id_, model in catalog_models().items()]


@cache
def models_version() -> str:
    """Hash of what the file of models holds."""
    return hashlib.sha256(DATA.read_bytes()).hexdigest()[:16]


def _record(id_: str, model: CatalogModel) -> Json:
    shape = model.shape
    return {
        "id": id_,
        "name": shape.name,
        "aliases": list(model.aliases),
        "total_parameters": total_parameters(shape),
        "active_parameters": active_parameters(shape),
        "attention": shape.attention,
        "is_moe": shape.is_moe,
        "sequence_tokens": SEQUENCE,
        "forward_flops_per_token": forward_flops(shape, SEQUENCE / 2),
        "training_flops_per_token": training_flops(shape, SEQUENCE),
        "kv_bytes_per_token": {name: kv_bytes_per_token(shape, size) for name, size in VALUE_BYTES.items()},
        "sequence_bytes": {name: sequence_bytes(shape, SEQUENCE, size) for name, size in VALUE_BYTES.items()},
        "published_params_b": model.published_params_b,
        "published_active_b": model.published_active_b,
        "published_source": model.published_source,
    } | {key: value for key, value in shape.as_json().items() if key not in ("id", "name")}
