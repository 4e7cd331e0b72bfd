"""Where the seconds of a training step go, and what placements of a served model give under load."""

from collections.abc import Mapping, Sequence

from designer.charts.cost import tooltip
from designer.charts.vega import IS_ON, MAX_SERIES, POINT, Chart, Spec, chart_of, chosen, named_rows
from designer.wording.layouts import layout_words, placement_words
from designer.wording.numbers import computed, count, duration_us, percent
from estimator.workloads.serving.answer import Placement
from estimator.workloads.training.answer import StepAnswer

KINDS: Mapping[str, tuple[str, ...]] = {
    "Matrix products, attention, memory": ("compute", "attention", "memory"),
    "Traffic between GPUs": ("tp", "cp", "ep", "pp_p2p", "dp_exposed"),
    "Pipeline bubble": ("pp_bubble",),
    "Optimizer and launches": ("optimizer", "host"),
}


LAYOUTS_DRAWN = 5


def parts_chart(found: Sequence[StepAnswer]) -> Chart:
    """A bar a layout, the best on top, stacked by what its step waits for; of the same degrees the fastest alone."""
    by_head: dict[str, StepAnswer] = {}
    for one in found:
        by_head.setdefault(layout_words(one.parallel), one)
    heads, layouts = list(by_head)[:LAYOUTS_DRAWN], list(by_head.values())[:LAYOUTS_DRAWN]
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
            "y": named_rows(heads, 220),
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
        "Of layouts that differ in micro-batch, virtual stages or recompute alone, the fastest is drawn. Traffic that hides "
        "behind matrix products is not in the bars; it stands in the table of links.",
    )
    return chart.shaped("low")


def seconds(layout: StepAnswer, kind: str) -> float:
    """Of one layout's step, the seconds of a kind of part."""
    return float(sum(getattr(layout.parts_s, name) for name in KINDS[kind]))


def _cell(layout: StepAnswer, kind: str) -> Spec:
    taken = seconds(layout, kind)
    return {"text": duration_us(taken * 1e6), "note": percent(taken / layout.step_s)}


# --- Serving -----------------------------------------------------------------------------------------------------
def serving_chart(front: Sequence[Placement]) -> Chart:
    """Tokens a second a GPU against time per token: a line a placement of the front, a point a load."""
    shown = [(placement_words(front[at].layout), front[at]) for at in chosen(front, MAX_SERIES)]
    rows = [
        {
            "series": f"s{k}",
            "placement": words,
            "tpot": row.tpot_ms,
            "a_gpu": row.tokens_per_s_per_gpu,
            "load": count(row.concurrency),
            "tpot_text": f"{computed(row.tpot_ms)} ms",
            "a_gpu_text": f"{computed(row.tokens_per_s_per_gpu)} tokens/s",
        }
        for k, (words, placement) in enumerate(shown)
        for row in placement.rows
    ]
    hover = tooltip(
        {"Placement": "placement", "Concurrency": "load", "Time per token": "tpot_text", "Each GPU": "a_gpu_text"}
    )
    spec = {
        "encoding": {
            "x": {"field": "tpot", "type": "quantitative", "title": "Time per token, ms", "scale": {"zero": True}},
            "y": {"field": "a_gpu", "type": "quantitative", "title": "Tokens/s of each GPU", "scale": {"zero": True}},
        },
        "layer": [
            {
                "transform": [IS_ON],
                "mark": {"type": "line"},
                "encoding": {"order": {"field": "a_gpu", "type": "quantitative"}},
            },
            {"transform": [IS_ON], "mark": POINT | {"size": 90, "tooltip": hover}},
        ],
    }
    table = [
        {
            "head": f"{words}, {count(row.concurrency)} at once",
            "cells": [
                {
                    "text": f"{computed(row.tpot_ms)} ms",
                    "note": f"{computed(row.tpot_ms_low)} to {computed(row.tpot_ms_high)}",
                },
                {
                    "text": f"{computed(row.ttft_ms)} ms",
                    "note": f"{computed(row.ttft_ms_low)} to {computed(row.ttft_ms_high)}",
                },
                {"text": computed(row.tokens_per_s_per_gpu), "note": ""},
            ],
        }
        for words, placement in shown
        for row in placement.rows
    ]
    names = [words for words, _ in shown]
    return chart_of(
        "serving-front",
        "Speed for one reader against tokens for all",
        f"Tokens a second of each GPU against time per token of {', '.join(names)}, from few requests at once to many.",
        names,
        rows,
        spec,
        ["Placement and load", "Time per token", "Time to first token", "Tokens/s of each GPU"],
        table,
        "Up is more tokens a dollar, left is faster for a reader. Each line goes from one request at once to the load requested.",
    )
