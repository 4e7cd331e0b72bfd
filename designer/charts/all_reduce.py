"""An Estimate's all-reduce in charts: bus bandwidth by message size, efficiency by GPU count."""

from collections.abc import Sequence
from typing import Any

from designer.charts.vega import (
    IS_ON,
    SMALLEST_DRAWN_BYTES,
    Chart,
    Spec,
    bandwidth,
    chart_of,
    chosen,
    crosshair,
    over_sizes,
)
from designer.wording.headlines import busbw_bounds, limit_name
from designer.wording.numbers import count, duration_us, gb_s, gb_s_span, message_size, percent
from estimator.performance.result import AllReduceTable, Curves, Performance
from estimator.result import Estimate

BITS_PER_BYTE = 8
CLOSE_LABELS = 1.3


def limit_text(curves: Curves, at: int, size: int) -> str:
    """What holds one point down, and that nothing like it was measured, where that is so."""
    return limit_name(curves.limited_by[at][size]) + ("" if curves.validated[at][size] else ", extrapolated")


def _busbw_rows(all_reduce: AllReduceTable, shown: list[int], drawn: list[int]) -> tuple[list[Any], list[Any]]:
    """Rows of the lines and bands, one a series and size; rows of the tooltip, one a size."""
    rows = []
    points = [
        {"message_bytes": all_reduce.message_bytes[size], "text": message_size(all_reduce.message_bytes[size])}
        for size in drawn
    ]
    for k, at in enumerate(shown):
        for point, size in zip(points, drawn, strict=True):
            value = all_reduce.busbw_gb_s[at][size]
            low, high = busbw_bounds(all_reduce, at, size)
            rows.append(
                {
                    "series": f"s{k}",
                    "message_bytes": all_reduce.message_bytes[size],
                    "value": value,
                    "low": low,
                    "high": high,
                }
            )
            point[f"s{k}"] = f"{gb_s(value)} ({gb_s_span(low, high)}), {limit_text(all_reduce, at, size)}"
    return rows, points


def _busbw_table(all_reduce: AllReduceTable, shown: list[int]) -> list[Spec]:
    busbw, time_us = all_reduce.busbw_gb_s, all_reduce.time_us
    return [
        {
            "head": message_size(message_bytes),
            "cells": [
                {
                    "text": gb_s(busbw[at][size]),
                    "note": f"{duration_us(time_us[at][size])}; {limit_text(all_reduce, at, size)}",
                }
                for at in shown
            ],
        }
        for size, message_bytes in enumerate(all_reduce.message_bytes)
    ]


def busbw_chart(all_reduce: AllReduceTable) -> Chart:
    """All-reduce bus bandwidth against message size, one line a GPU count, with the band of nine runs in ten."""
    gpus, sizes = all_reduce.gpus, all_reduce.message_bytes
    shown = chosen(gpus)
    drawn = [size for size, message_bytes in enumerate(sizes) if message_bytes >= min(SMALLEST_DRAWN_BYTES, sizes[-1])]
    series = [f"{count(gpus[at])} GPUs" for at in shown]
    rows, points = _busbw_rows(all_reduce, shown, drawn)
    y = {
        "field": "value",
        "type": "quantitative",
        "scale": {"zero": True},
        **bandwidth("Bus bandwidth", tickCount=6),
    }
    spec = over_sizes([sizes[size] for size in drawn], y, series, points)
    description = (
        f"All-reduce bus bandwidth against message size from {message_size(sizes[0])} to {message_size(sizes[-1])}, "
        f"for {', '.join(series)}. The largest message reaches {gb_s(all_reduce.busbw_gb_s[shown[-1]][-1])} on {series[-1]}."
    )
    note = (
        "Bus bandwidth as nccl-tests counts it: message size ÷ time × 2(n − 1)/n on n GPUs, so that it compares with what the "
        "NICs of one scale-up domain carry together, or inside one domain with the links of a GPU. A band should hold nine "
        f"runs in ten. The table has every size, with time and limit; the drawing starts at {message_size(sizes[drawn[0]])}."
    )
    return chart_of(
        "busbw",
        "All-reduce by message size",
        description,
        series,
        rows,
        spec,
        ["Message size", *series],
        _busbw_table(all_reduce, shown),
        note,
    )


def _scaling_sizes(sizes: Sequence[int]) -> list[int]:
    """Positions of the sizes that tell most: about 1 MiB, 16 MiB, 256 MiB, and the largest."""
    wanted = [2**20, 2**24, 2**28, sizes[-1]]
    return sorted({min(range(len(sizes)), key=lambda k: abs(sizes[k] - size)) for size in wanted})


def _about_reference(all_reduce: AllReduceTable, nics_gb_s: float | None) -> str:
    """What 100 % stands for, and why more GPUs stay below it without any fault of the fabric."""
    reference, busbw = count(all_reduce.reference_gpus), all_reduce.busbw_gb_s[0][-1]
    words = f"Those {reference} share one scale-up domain, which reaches {gb_s(busbw)} with the largest message"
    if all_reduce.limited_by[0][-1] == "NVLink reduction":
        words += ", as its NVLink switches add for the GPUs"
    if nics_gb_s and nics_gb_s < busbw:
        words += f". The NICs of a domain carry {gb_s(nics_gb_s)} together, so several domains can keep about "
        words += f"{percent(nics_gb_s / busbw, 2)} of that: less than 100 % is normal and no fault of the fabric"
    else:
        words += ". Between domains the network sets the pace"
    if any(efficiency[-1] is not None and efficiency[-1] > 1 for efficiency in all_reduce.scaling_efficiency):
        words += ". Two domains can pass 100 %: a tree of two sends every byte once, a larger one twice"
    return words + "."


def gpu_ticks(gpus: Sequence[int]) -> list[int]:
    """GPU counts to label: all but those whose label the last one would cover."""
    return [n for n in gpus if n == gpus[-1] or n * CLOSE_LABELS < gpus[-1]]


def efficiency_spec(gpus: list[int], title: str, series: list[str], points: list[Spec]) -> Spec:
    """Shares of a whole against GPU count: a line a series, and the read-out of all at the pointer."""
    x = {
        "field": "gpus",
        "type": "quantitative",
        "title": "GPUs",
        "scale": {"type": "log", "base": 2, "nice": False, "domain": [gpus[0], max(gpus[-1], gpus[0] + 1)]},
        "axis": {"values": gpu_ticks(gpus), "format": ",", "grid": False},
    }
    y = {
        "field": "value",
        "type": "quantitative",
        "title": title,
        "scale": {"zero": True},
        "axis": {"format": ".0%", "tickCount": 6},
    }
    return {
        "encoding": {"x": x},
        "layer": [
            {
                "transform": [IS_ON],
                "mark": {"type": "line", "point": {"filled": True, "size": 36}},
                "encoding": {"y": y},
            },
            crosshair("gpus", "Cluster", series, points),
        ],
    }


def scaling_chart(all_reduce: AllReduceTable, nics_gb_s: float | None = None) -> Chart:
    """Scaling efficiency against GPU count, one line a message size."""
    gpus, sizes = all_reduce.gpus, all_reduce.message_bytes
    shown = _scaling_sizes(sizes)
    series = [message_size(sizes[size]) for size in shown]
    efficiency = all_reduce.scaling_efficiency
    rows = [
        {"series": f"s{k}", "gpus": n, "value": efficiency[at][size]}
        for k, size in enumerate(shown)
        for at, n in enumerate(gpus)
        if efficiency[at][size] is not None
    ]
    points = [
        {"gpus": n, "text": f"{count(n)} GPUs"}
        | {f"s{k}": percent(efficiency[at][size]) for k, size in enumerate(shown)}
        for at, n in enumerate(gpus)
    ]
    table = [
        {"head": count(n), "cells": [{"text": percent(efficiency[at][size]), "note": ""} for size in shown]}
        for at, n in enumerate(gpus)
    ]
    spec = efficiency_spec(gpus, "Scaling efficiency", series, points)
    reference = count(all_reduce.reference_gpus)
    description = (
        f"All-reduce scaling efficiency from {count(gpus[0])} to {count(gpus[-1])} GPUs, relative to {reference} GPUs, "
        f"for messages of {', '.join(series)}. At {count(gpus[-1])} GPUs the largest "
        f"message keeps {percent(efficiency[-1][shown[-1]])}."
    )
    note = (
        f"Bus bandwidth at each GPU count ÷ that on {reference} GPUs at the same message size. "
        f"{_about_reference(all_reduce, nics_gb_s)}"
    )
    return chart_of(
        "scaling",
        "All-reduce scaling by GPUs",
        description,
        series,
        rows,
        spec,
        ["GPUs", *series],
        table,
        note,
    )


def performance_charts(performance: Performance, nics_gb_s: float | None = None) -> list[Chart]:
    """The charts of one Estimate's all-reduce; none where it was not predicted."""
    all_reduce = performance.predicted_all_reduce
    return [busbw_chart(all_reduce), scaling_chart(all_reduce, nics_gb_s)] if all_reduce else []


def domain_nics_gb_s(estimate: Estimate) -> float | None:
    """What the NICs of one scale-up domain carry together, GB/s; None where all GPUs are in one domain or the network reduces."""
    gpus, domain = estimate.compute.counts.gpus, estimate.spec.compute.scale_up_domain_gpus
    if not domain or domain >= gpus or estimate.spec.workload.in_network_reduction:
        return None
    return estimate.compute.injection_gbit_s / BITS_PER_BYTE * domain / gpus
