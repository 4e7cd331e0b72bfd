"""What a GPU gets of each link of the system, from its own memory to the core of the network."""

from collections.abc import Sequence

from designer.charts.vega import IS_ON, Spec, chart_of, shaped
from designer.wording.numbers import computed
from estimator.workloads.paths.hierarchy import LinkLevel

FEW_LEVELS = 4


def levels_chart(levels: Sequence[LinkLevel]) -> Spec:
    """Bandwidth of each level on a logarithmic axis, the nearest first; the table has latencies too."""
    rows = [
        {"series": "s0", "text": _head(one), "gb_s": one.gb_s, "rate": _rate(one), "late": _latency(one)}
        for one in levels
    ]
    y = {
        "field": "text",
        "type": "nominal",
        "title": None,
        "sort": None,
        "scale": {"domain": [row["text"] for row in rows]},
        "axis": {"ticks": False, "domain": False, "grid": True, "labelLimit": 260},
    }
    x = {
        "field": "gb_s",
        "type": "quantitative",
        "title": "Each GPU, one direction, GB/s (logarithmic)",
        "scale": {"type": "log", "nice": True},
        "axis": {"format": ",~r", "tickCount": 6},
    }
    tooltip = {"expr": "{'Link': datum.text, 'Each GPU': datum.rate, 'Small message': datum.late}"}
    spec = {
        "encoding": {"y": y, "x": x},
        "layer": [
            {"transform": [IS_ON], "mark": {"type": "point", "filled": True, "size": 120, "tooltip": tooltip}},
            {
                "transform": [IS_ON],
                "mark": {"type": "text", "align": "left", "dx": 10, "aria": False},
                "encoding": {"text": {"field": "rate"}, "color": {"value": "var(--text)"}},
            },
        ],
    }
    table = [{"head": _head(one), "cells": [_cell(_rate(one)), _cell(_latency(one))]} for one in levels]
    description = "Bandwidth that one GPU gets of each link: " + ", ".join(
        f"{_head(one)} {_rate(one)}" for one in levels
    )
    chart = chart_of(
        "link-levels",
        "Bandwidth from GPU memory to the core",
        f"{description}.",
        [],
        rows,
        spec,
        ["Link", "Each GPU", "Small message"],
        table,
        "Each step to the right of the network has a tenth of the one before, or less: what runs most often belongs on top.",
    )
    return shaped(chart, "low" if len(levels) <= FEW_LEVELS else "")


def _head(level: LinkLevel) -> str:
    return level.name[:1].upper() + level.name[1:]


def _rate(level: LinkLevel) -> str:
    return f"{computed(level.gb_s)} GB/s"


def _latency(level: LinkLevel) -> str:
    return "not stated" if level.latency_us is None else f"{computed(level.latency_us)} µs"


def _cell(text: str) -> Spec:
    return {"text": text, "note": ""}
