"""Words that forms, charts and pages share: what collectives and parts of the catalog are called."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from estimator.catalog.loader import load_catalog
from estimator.performance.system import FABRIC_NAMES
from estimator.record import Given

COLLECTIVES = {
    "all_reduce": "All-reduce",
    "all_gather": "All-gather",
    "reduce_scatter": "Reduce-scatter",
    "alltoall": "All-to-all",
    "broadcast": "Broadcast",
    "reduce": "Reduce",
    "sendrecv": "Send-receive",
}
NETWORKS = FABRIC_NAMES
TIERS = {1: "one tier", 2: "two tiers", 3: "three tiers"}
BOOKS = {
    "street": "Street prices",
    "anchors": "Planning anchors",
    "dealer": "Dealers alone",
    "branded": "Branded resellers alone",
}
BOUGHT = {"servers": "Servers", "network": "Network", "facility": "Racks and cooling"}
RUNNING = {
    "electricity": "Electricity",
    "space": "Space",
    "support": "Support",
    "licences": "Licences",
    "staff": "Staff",
    "repairs": "Repairs",
}
COST_KINDS = {**BOUGHT, "one_off": "One-off cost", **RUNNING, "residual": "Value left"}  # in the order of files
SPENT = {
    "servers": "Servers",
    "switches": "Switches",
    "cabling": "Transceivers, cables, NICs",
    "rest": "Racks and the rest",
    "once": "Paid once",
    "running": "Running it",
}
SPEND = SPENT | {"rest": "Rest of the purchase", "running": "Running cost"}  # the same in reports


@cache
def part_labels(version: str) -> dict[str, tuple[str, str, str]]:
    """(kind, name, part numbers) of every part. ``version`` is the key under which they are kept."""
    catalog = load_catalog()
    out: dict[str, tuple[str, str, str]] = {}
    for part_id in catalog.part_ids():
        kind, record = catalog.part(part_id) or ("", None)
        name = str(getattr(record, "model", None) or getattr(record, "description", part_id))
        vendor = str(getattr(record, "vendor", ""))
        label = name if name.startswith(vendor) else f"{vendor} {name}"
        out[part_id] = (kind, label, " ".join(getattr(record, "part_numbers", ())))
    return out | {old: out[now] for old, now in catalog.aliases.items()}


def own_models(spec: Given) -> dict[str, str]:
    """Id → model of the parts of its own that a request carries, of whatever model version it is."""
    kinds = spec.get("own_parts")
    rows = [row for kind in kinds.values() for row in kind] if isinstance(kinds, Mapping) else []
    return {str(row.get("id")): str(row.get("model") or row.get("id")) for row in rows if isinstance(row, Mapping)}


PRECISIONS = {"bf16": "BF16", "fp8": "FP8", "mxfp8": "MXFP8", "nvfp4": "NVFP4"}
TASKS = {"pretrain": "Pre-training", "sft": "Fine-tuning of all weights", "lora": "LoRA"}
SERVED_PRECISIONS = {"bf16": "BF16", "fp8": "FP8", "nvfp4": "NVFP4"}
LEFT_OUT = {
    "memory": "do not fit into memory",
    "batch_not_divisible": "do not divide the batch",
    "too_many_stages": "have more stages than there are layers",
    "ep_not_in_stage": "have more expert parallelism than a stage has GPUs",
}


def part_name(record: Any) -> str:
    """Vendor and model, or what a cable is."""
    name, vendor = str(getattr(record, "model", None) or record.description), str(getattr(record, "vendor", ""))
    return name if name.startswith(vendor) or vendor == "Generic" else f"{vendor} {name}"
