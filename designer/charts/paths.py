"""What a GPU gets of each link of the system, from its own memory to the core of the network, and what runs over it."""

import math
from collections.abc import Sequence
from typing import Protocol

from designer.charts.cost import tooltip
from designer.charts.vega import IS_ON, Chart, Spec, bandwidth, chart_of, named_rows
from designer.wording.numbers import computed, factor_of, gb_s, message_size, percent, traffic_words
from estimator.workloads.paths.hierarchy import LinkLevel

FEW_LEVELS = 4


class Traffic(Protocol):
    """One kind of traffic of a layout on its furthest link."""

    @property
    def traffic(self) -> str: ...
    @property
    def level(self) -> str: ...
    @property
    def bytes_per_step(self) -> float: ...
    @property
    def share_of_step(self) -> float: ...
    @property
    def slowdown(self) -> float: ...
    @property
    def slowdown_most(self) -> float: ...
    @property
    def shares_with(self) -> Sequence[str]: ...


def levels_chart(levels: Sequence[LinkLevel]) -> Chart:
    """Bandwidth of each level on a logarithmic axis, the nearest first; the table has latencies too."""
    rows = [
        {"series": "s0", "text": _head(one), "gb_s": one.gb_s, "rate": _rate(one), "late": _latency(one)}
        for one in levels
    ]
    decades = [10**power for power in range(*_powers([one.gb_s * factor_of("GB/s") for one in levels]))]
    x = {
        "field": "gb_s",
        "type": "quantitative",
        **bandwidth("Each GPU, one direction", format=",~r", values=decades),
        "scale": {"type": "log", "domain": [decades[0], decades[-1]]},
    }
    tooltip = {"expr": "{'Link': datum.text, 'Each GPU': datum.rate, 'Small message': datum.late}"}
    spec = {
        "encoding": {"y": named_rows([_head(one) for one in levels], 160, has_grid=True, has_lines=True), "x": x},
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
    return chart.shaped("low" if len(levels) <= FEW_LEVELS else "")


def traffic_chart(key: str, title: str, levels: Sequence[LinkLevel], sent: Sequence[Traffic]) -> Chart:
    """The links, the nearest on top, each with a bar of what runs over it as shares of the step; the table has the bytes."""
    heads = {one.code: f"{_head(one)}, {_rate(one)}" for one in levels}
    series = list(dict.fromkeys(traffic_words(one.traffic) for one in sent))
    placed = [(one, heads.get(one.level, one.level)) for one in sent]
    rows = [
        {
            "series": f"s{series.index(traffic_words(one.traffic))}",
            "text": link,
            "share": one.share_of_step,
            "printed": percent(one.share_of_step),
            "kind": traffic_words(one.traffic),
            "bytes": message_size(one.bytes_per_step),
            "slower": slower_words(one),
        }
        for one, link in placed
    ]
    domain = list(dict.fromkeys([*heads.values(), *(link for _, link in placed)]))
    hover = {"Traffic": "kind", "Link": "text", "Share of the step": "printed", "Each GPU": "bytes", "Shared": "slower"}
    spec = {
        "transform": [IS_ON],
        "mark": {"type": "bar", "tooltip": tooltip(hover)},
        "encoding": {
            "y": named_rows(domain, 160, has_lines=True),
            "x": {
                "field": "share",
                "type": "quantitative",
                "title": "Share of the step",
                "stack": "zero",
                "axis": {"format": ".0%"},
            },
        },
    }
    table = [
        {
            "head": link,
            "cells": [
                _cell(traffic_words(one.traffic)),
                _cell(message_size(one.bytes_per_step)),
                _cell(percent(one.share_of_step)),
                _cell(slower_words(one)),
            ],
        }
        for one, link in placed
    ]
    parts = ", ".join(
        f"{traffic_words(one.traffic)} {percent(one.share_of_step)} of the step on {link}" for one, link in placed
    )
    chart = chart_of(
        key,
        title,
        f"What runs on which link: {parts or 'nothing leaves a GPU'}.",
        series,
        rows,
        spec,
        ["Link", "Traffic", "Each GPU in a step", "Share of the step", "Slower where shared"],
        table,
        "Traffic stands on the furthest link that it uses. Calls that hide behind products count too.",
    )
    return chart.shaped("low" if len(domain) <= FEW_LEVELS else "")


def slower_words(one: Traffic) -> str:
    """What sharing a link costs a kind of traffic: "1.02 times with data parallel, 2 at most"."""
    if not one.shares_with:
        return "alone on its link"
    others = " and ".join(dict.fromkeys(traffic_words(kind).lower() for kind in one.shares_with))
    return f"{computed(one.slowdown)} times with {others}, {computed(one.slowdown_most)} at most"


def _powers(values: Sequence[float]) -> tuple[int, int]:
    """From the power of ten below all values to one past that above them, as of ``range``."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1) + 1


def _head(level: LinkLevel) -> str:
    return level.name[:1].upper() + level.name[1:]


def _rate(level: LinkLevel) -> str:
    return gb_s(level.gb_s)


def _latency(level: LinkLevel) -> str:
    return "not stated" if level.latency_us is None else f"{computed(level.latency_us)} µs"


def _cell(text: str) -> Spec:
    return {"text": text, "note": ""}
