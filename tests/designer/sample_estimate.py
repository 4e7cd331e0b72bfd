"""A small Estimate in the shape that pages, API and files read, with everything awkward in it that one can have."""

import copy
from typing import Any

from estimator.result import PricedEstimate
from estimator.version import MODEL_VERSION

NAME = "=cmd|' /C calc'!A0"

_ESTIMATE: dict[str, Any] = {
    "spec": {
        "spec_version": 1,
        "name": NAME,
        "compute": {"server": "dgx-h100", "nodes": 31, "gpus_per_node": 8, "scale_up_domain_gpus": 8},
        "fabric": {"generation": "ndr", "leaf_switch": "nvidia-qm9700", "oversubscription": "1:1", "rails_per_leaf": 1},
        "other_fabrics": [],
    },
    "versions": {"model": MODEL_VERSION, "catalog": "0123abcd"},
    "spec_hash": "00ff00ff00ff00ff",
    "fabrics": {
        "compute": {
            "tiers": 2, "planes": 1, "layout": "rail-optimized",
            "counts": {"nodes": 31, "gpus": 248, "endpoints": 248, "leaf": 8, "spine": 4, "core": 0, "switches": 12},
            "links": {"node_leaf": 248, "fabric_manager": 4, "leaf_spine": 256, "spine_core": 0},
            "ports": {"leaf_down_used": 252, "leaf_down_open": 4, "leaf_up": 256, "spine_down": 256, "spine_open": 0},
            "cables": {"node_leaf": 252, "leaf_spine": 128, "spine_core": 0, "fabric_manager": 0},
            "transceivers": {"node": 124, "switch": 128, "fabric_manager": 4},
            "oversubscription": {"asked": "1:1", "built": "1:1", "built_ratio": 1.0, "worst_leaf": "1:1"},
            "injection_gbit_s": 99200, "bisection_gbit_s": 49600, "port_rate_gbit_s": 400, "endpoint_rate_gbit_s": 400,
            "uplink_rate_gbit_s": 400,
            "switches": {"leaf": {"part": "nvidia-qm9700", "radix": 64}, "spine": {"part": "nvidia-qm9700", "radix": 64}},
            "split": {"leaf_downlinks": 32, "leaf_uplinks": 32, "scalable_unit_nodes": 32, "nodes_per_leaf": 32, "pods": 1,
                      "components": 1},
        }
    },
    "findings": [{"code": "spine_ports_open", "severity": "info", "field": "fabric", "message": "-5 dB, @home, +1"}],
    "bom": {
        "lines": [
            {
                "line": 1, "category": "switch", "part": "nvidia-qm9700", "part_number": "-MQM9700",
                "description": "@SUM(A1:A9) Quantum-2, “64 × NDR”", "quantity": 12, "spare_quantity": 1, "owned_quantity": 0,
                "unit_price_usd": {"low": 16000.0, "typical": 24000.25, "high": 32000.0},
                "extended_price_usd": {"low": 208000.0, "typical": 312003.25, "high": 416000.0},
                "price_basis": "list", "price_source": "A reseller, 2026-07", "price_note": None, "assumption": False,
                "power_w": 8964.0, "fabric": "compute", "use": "leaf", "tier": None, "length_m": None,
            },
            {
                "line": 2, "category": "credit", "part": "trade-in", "part_number": "\t=1+1", "description": "-12.5",
                "quantity": 1, "spare_quantity": 0, "owned_quantity": 0,
                "unit_price_usd": {"low": -1500.5, "typical": -1000.0, "high": -500.0},
                "extended_price_usd": {"low": -1500.5, "typical": -1000.0, "high": -500.0},
                "price_basis": "quote", "price_source": "+44 20 7946 0000", "price_note": "-", "assumption": True,
                "power_w": 0.0, "fabric": "compute", "use": "node-leaf", "tier": "node_leaf", "length_m": 30.0,
            },
            {
                "line": 3, "category": "server", "part": None, "part_number": None, "description": "Own server",
                "quantity": 31, "spare_quantity": 0, "owned_quantity": 0, "unit_price_usd": None, "extended_price_usd": None,
                "price_basis": None, "price_source": "no price in the catalog", "price_note": None, "assumption": False,
                "power_w": 0.0, "fabric": "compute", "use": "node", "tier": None, "length_m": None,
            },
        ],
        "totals_usd": {"low": 206499.5, "typical": 311003.25, "high": 415500.0},
        "totals_by_category": {"server": None}, "at_least": True, "unpriced_lines": [3],
    },
    "cost": {
        "capex_usd": {"network": {"low": 206499.5, "typical": 311003.25, "high": 415500.0}, "servers": None,
                      "total": {"low": 206499.5, "typical": 311003.25, "high": 415500.0}},
        "opex_usd_per_year": {"total": {"low": 90000.0, "typical": 100000.0, "high": 120000.0}},
        "tco_usd": {"low": 500000.0, "typical": 700000.0, "high": 900000.0}, "tco_years": 4, "usd_per_gpu": None,
        "usd_per_gpu_hour": {"low": 0.1, "typical": 0.2, "high": 0.3},
        "network_share": None, "at_least": True,
        "assumptions": [
            {
                "name": "pue", "label": "Facility power ÷ IT power", "value": 1.3, "low": 1.1, "high": 1.54, "unit": "ratio",
                "basis": "analyst", "source": "A survey", "as_of": "2026-01-19",
            }
        ],
    },
    "power": {"network_w": {"typical": 8964.0, "max": 20604.0}, "it_w": {"typical": 8964.0, "max": 20604.0},
              "facility_w": {"typical": 11653.2, "max": 26785.2}},
    "performance": {
        "all_reduce": {
            "gpus": [8], "message_bytes": [8], "busbw_gb_s": [[1.0]], "scaling_efficiency": [[1.0]], "reference_gpus": 8,
            "time_us": [[12.0]], "time_us_low": [[10.0]], "time_us_high": [[15.0]], "algorithm": [["ring"]],
            "protocol": [["ll"]], "limited_by": [["launch and latency"]], "validated": [[True]],
            "constants": [
                {
                    "name": "ring_efficiency", "index": "hopper", "value": 0.8, "low": 0.7, "high": 0.9, "unit": "1",
                    "basis": "measured", "source": "Published runs", "evidence": "=363 of 450 GB/s",
                }
            ],
        }
    },
}  # fmt: skip


def sample_estimate(**changes: Any) -> dict[str, Any]:
    """A fresh copy, so that no test sees another's changes."""
    return {**copy.deepcopy(_ESTIMATE), **changes}


def sample_record(**changes: Any) -> PricedEstimate:
    """The same as pages and files read it."""
    return PricedEstimate.from_json(sample_estimate(**changes))
