"""Requests of the tests: a 70B model on 64 H100, and what they change of it."""

from typing import Any

from estimator.catalog.loader import load_catalog
from estimator.record import Json
from estimator.training_request import trained

CATALOG = load_catalog()
SYSTEM: Json = {
    "gpu": "h100-sxm",
    "gpus_per_node": 8,
    "scale_up_domain_gpus": 8,
    "nics_per_node": 8,
    "nic_gbit_s": 400,
    "fabric": "infiniband",
}
PARALLEL: Json = {
    "tp": 4,
    "pp": 4,
    "cp": 2,
    "dp": 2,
    "virtual_stages": 5,
    "micro_batch": 1,
    "global_batch": 128,
    "sequence": 8192,
}


def request(**changes: Any) -> Json:
    """A request; keys of ``parallel`` are changed there."""
    inner = {key: changes.pop(key) for key in list(changes) if key in PARALLEL or key in ("ep", "fsdp", "recompute")}
    asked = {
        "system": SYSTEM,
        "gpus": 64,
        "model": "llama3-70b",
        "precision": "bf16",
        "stack": {"framework": "dgxc-benchmarking"},
        "parallel": {**PARALLEL, **inner},
    }
    return {**asked, **changes}


def train(**changes: Any) -> Json:
    """The answer to one request."""
    answer = trained(request(**changes), CATALOG)
    assert isinstance(answer, dict)
    return answer
