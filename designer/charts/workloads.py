"""Where the seconds of a step go, layout by layout."""

from collections.abc import Mapping, Sequence

from designer.charts.cost import tooltip
from designer.charts.vega import IS_ON, Spec, chart_of, shaped
from designer.wording.numbers import duration_us, percent
from estimator.workloads.training.answer import StepAnswer

KINDS: Mapping[str, tuple[str, ...]] = {
    "Matrix products, attention, memory": ("compute", "attention", "memory"),
    "Traffic between GPUs": ("tp", "cp", "ep", "pp_p2p", "dp_exposed"),
    "Pipeline bubble": ("pp_bubble",),
    "Optimizer and launches": ("optimizer", "host"),
}


def parts_chart(layouts: Sequence[StepAnswer]) -> Spec:
    """A bar a layout, the best on top, stacked by what its step waits for."""
    heads = [layout_words(one) for one in layouts]
    rows = [
        {
            "series": f"s{k}",
            "text": head,
            "seconds": seconds(one, kind),
            "printed": duration_us(seconds(one, kind) * 1e6),
            "kind": kind,
            "at": k,
        }
        for head, one in zip(heads, layouts, strict=True)
        for k, kind in enumerate(KINDS)
    ]
    spec = {
        "transform": [IS_ON],
        "mark": {"type": "bar", "tooltip": tooltip({"Layout": "text", "Part": "kind", "Time": "printed"})},
        "encoding": {
            "y": {
                "field": "text",
                "type": "nominal",
                "title": None,
                "sort": None,
                "scale": {"domain": heads},
                "axis": {"ticks": False, "domain": False, "labelLimit": 220},
            },
            "x": {"field": "seconds", "type": "quantitative", "title": "Time of a step, s", "stack": "zero"},
            "order": {"field": "at"},
        },
    }
    table = [
        {"head": head, "cells": [_cell(one, kind) for kind in KINDS]} for head, one in zip(heads, layouts, strict=True)
    ]
    best = layouts[0]
    description = f"Where the time of a step goes; the best layout, {heads[0]}, takes {duration_us(best.step_s * 1e6)}."
    chart = chart_of(
        "step-parts",
        "Where the time of a step goes",
        description,
        list(KINDS),
        rows,
        spec,
        ["Layout", *KINDS],
        table,
        "Traffic that hides behind matrix products is not in the bars; it stands in the table of links.",
    )
    return shaped(chart, "low")


def seconds(layout: StepAnswer, kind: str) -> float:
    """Of one layout's step, the seconds of a kind of part."""
    return float(sum(getattr(layout.parts_s, name) for name in KINDS[kind]))


def layout_words(layout: StepAnswer) -> str:
    """ "TP 8 · PP 4 · DP 32": what is more than one of."""
    parallel = layout.parallel or {}
    names = {"tp": "TP", "pp": "PP", "cp": "CP", "ep": "EP", "dp": "DP"}
    parts = [f"{name} {parallel[key]}" for key, name in names.items() if parallel.get(key, 1) > 1]
    return " · ".join(parts) or "one GPU"


def _cell(layout: StepAnswer, kind: str) -> Spec:
    taken = seconds(layout, kind)
    return {"text": duration_us(taken * 1e6), "note": percent(taken / layout.step_s)}
