"""A request: its keys, defaults and rules; ``parse_spec`` makes a checked DesignSpec of JSON."""

from estimator.spec.parse import (
    SECTIONS,
    DesignSpec,
    adapter_rate,
    asked_ratio,
    endpoint_rate,
    lane_rate,
    parse_spec,
    port_rate,
    ports_a_cage,
    spec_hash,
    spec_json_schema,
    uplink_rate,
)

__all__ = [
    "SECTIONS",
    "DesignSpec",
    "adapter_rate",
    "asked_ratio",
    "endpoint_rate",
    "lane_rate",
    "parse_spec",
    "port_rate",
    "ports_a_cage",
    "spec_hash",
    "spec_json_schema",
    "uplink_rate",
]
