"""Charts of the performance tab and of the validation page: bands, measured points, efficiencies, designs side by side."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from designer.charts.all_reduce import efficiency_spec, limit_text
from designer.charts.vega import IS_ON, SMALLEST_DRAWN_BYTES, Chart, Spec, bandwidth, chart_of, chosen, over_sizes
from designer.wording.headlines import busbw_bounds
from designer.wording.names import COLLECTIVES
from designer.wording.numbers import count, duration_us, gb_s, gb_s_span, message_size, percent
from estimator.calibration.measured import Run, sources
from estimator.performance.result import Curves, Efficiency, Performance
from estimator.record import Given

BUSBW_OF = {  # busbw ÷ (size ÷ time)
    "all_reduce": "2(n − 1)/n",
    "all_gather": "(n − 1)/n",
    "reduce_scatter": "(n − 1)/n",
    "alltoall": "(n − 1)/n",
    "broadcast": "1",
    "reduce": "1",
    "sendrecv": "1",
}
EFFICIENCIES = {"collective": "Of the line rate", "weak": "Weak scaling", "strong": "Strong scaling"}
MEASURED = {"type": "point", "shape": "diamond", "filled": False, "size": 70, "strokeWidth": 1.75, "aria": False}
Dots = Mapping[int, Sequence[Run]]  # measured runs by GPU count


def curves_of(performance: Performance, collective: str) -> Curves | None:
    """The tables of one collective; None where it was not predicted, or one GPU has nothing to exchange."""
    return performance.curves(collective) if performance.efficiency else None


def _bounds(curves: Curves, quantity: str, at: int, size: int) -> tuple[float, float, float]:
    """(value, low, high) of one point: busbw in GB/s or time in µs."""
    if quantity == "busbw":
        return curves.busbw_gb_s[at][size], *busbw_bounds(curves, at, size)
    return curves.time_us[at][size], curves.time_us_low[at][size], curves.time_us_high[at][size]


def _text(value: float, quantity: str) -> str:
    return gb_s(value) if quantity == "busbw" else duration_us(value)


def _of_run(run: Run, at: int, quantity: str, factor: float) -> float:
    """busbw [GB/s] or time [µs] of a measured point; ``factor`` is busbw ÷ algbw."""
    return run.message_bytes[at] * factor / run.time_us[at] / 1e3 if quantity == "busbw" else run.time_us[at]


def _measured_rows(
    dots: Dots, gpus: Sequence[int], smallest: int, quantity: str, factor_of: Mapping[int, float]
) -> list[Spec]:
    return [
        {
            "series": f"s{k}",
            "message_bytes": run.message_bytes[at],
            "value": _of_run(run, at, quantity, factor_of[n]),
            "text": f"{message_size(run.message_bytes[at])}: {_text(_of_run(run, at, quantity, factor_of[n]), quantity)}",
            "run": run.name,
        }
        for k, n in enumerate(gpus)
        for run in dots.get(n, ())
        for at in range(len(run.message_bytes))
        if run.message_bytes[at] >= smallest
    ]


def _dots(y: Spec, measured: list[Spec]) -> list[Spec]:
    """What was measured, which lies on top so that it can be pointed at."""
    if not measured:
        return []
    return [
        {
            "data": {"values": measured},
            "transform": [IS_ON],
            "mark": {**MEASURED, "tooltip": {"expr": "{'Measured': datum.text, 'Run': datum.run}"}},
            "encoding": {"y": y},
        }
    ]


def y_axis(quantity: str, rows: Sequence[Given] = ()) -> Spec:
    """The axis of busbw, or of time over whole powers of ten around bands and measured points of ``rows``."""
    if quantity == "busbw":
        return {
            "field": "value",
            "type": "quantitative",
            "scale": {"zero": True},
            **bandwidth("Bus bandwidth", tickCount=6),
        }
    label = (
        "datum.value >= 1e6 ? format(datum.value / 1e6, ',') + ' s' : datum.value >= 1e3 ? "
        "format(datum.value / 1e3, ',') + ' ms' : format(datum.value, ',') + ' µs'"
    )
    values = [row[end] for row in rows for end in ("low", "value", "high") if row.get(end)]
    low = math.floor(math.log10(min(values, default=1.0)))
    high = math.ceil(math.log10(max(values, default=1e7)))
    domain = {"domain": [10.0**low, 10.0**high]} if rows else {}
    ticks = [10.0**power for power in range(low, high + 1)]
    return {
        "field": "value",
        "type": "quantitative",
        "title": "Time",
        "scale": {"type": "log", "nice": False, **domain},
        "axis": {"labelExpr": label, "values": ticks},
    }


def size_chart(curves: Curves, collective: str, quantity: str, dots: Dots) -> Chart:
    """Bandwidth or time of a collective against message size: a line and a band a GPU count, and what was measured."""
    gpus, sizes = curves.gpus, curves.message_bytes
    shown = _shown_counts(gpus, dots)
    smallest = SMALLEST_DRAWN_BYTES if quantity == "busbw" else 0
    drawn = [size for size, message_bytes in enumerate(sizes) if message_bytes >= min(smallest, sizes[-1])]
    series = [f"{count(gpus[at])} GPUs" for at in shown]
    factor_of = {gpus[at]: curves.busbw_gb_s[at][-1] * curves.time_us[at][-1] * 1e3 / sizes[-1] for at in shown}
    measured = _measured_rows(dots, [gpus[at] for at in shown], smallest, quantity, factor_of)
    rows: list[Spec] = []
    points = [{"message_bytes": sizes[size], "text": message_size(sizes[size])} for size in drawn]
    for k, at in enumerate(shown):
        for point, size in zip(points, drawn, strict=True):
            value, low, high = _bounds(curves, quantity, at, size)
            rows.append({"series": f"s{k}", "message_bytes": sizes[size], "value": value, "low": low, "high": high})
            span = _span(low, high, quantity)
            point[f"s{k}"] = f"{_text(value, quantity)} ({span}), {limit_text(curves, at, size)}"
    y, label = y_axis(quantity, [*rows, *measured]), COLLECTIVES[collective]
    spec = over_sizes([sizes[size] for size in drawn], y, series, points, _dots(y, measured))
    what = "bus bandwidth" if quantity == "busbw" else "time"
    last, _, _ = _bounds(curves, quantity, shown[-1], -1)
    description = (
        f"{label} {what} against message size from {message_size(sizes[0])} to {message_size(sizes[-1])}, for "
        f"{', '.join(series)}. The largest message: {_text(last, quantity)} on {series[-1]}."
    )
    title = f"{label}: {'bandwidth' if quantity == 'busbw' else 'time'} by message size"
    return chart_of(
        quantity + "-by-size",
        title,
        description,
        series,
        rows,
        spec,
        ["Message size", *series],
        _size_table(curves, shown, quantity),
        _size_note(collective, quantity, dots, measured),
    )


def _span(low: float, high: float, quantity: str) -> str:
    return gb_s_span(low, high) if quantity == "busbw" else f"{duration_us(low)} to {duration_us(high)}"


def _shown_counts(gpus: Sequence[int], dots: Dots) -> list[int]:
    """Positions of the GPU counts to draw; one that was measured comes before its neighbours that were not."""
    spread = chosen(gpus)
    for at in (at for at, n in enumerate(gpus) if dots.get(n) and at not in spread):
        free = [k for k in spread[1:-1] if not dots.get(gpus[k])]
        if free:
            spread[spread.index(min(free, key=lambda k: abs(k - at)))] = at
    return sorted(set(spread))


def _size_table(curves: Curves, shown: list[int], quantity: str) -> list[Spec]:
    def cell(at: int, size: int) -> dict[str, str]:
        value, low, high = _bounds(curves, quantity, at, size)
        note = f"{_span(low, high, quantity)}; {limit_text(curves, at, size)}"
        return {"text": _text(value, quantity), "note": note}

    return [
        {"head": message_size(message_bytes), "cells": [cell(at, size) for at in shown]}
        for size, message_bytes in enumerate(curves.message_bytes)
    ]


def _size_note(collective: str, quantity: str, dots: Dots, measured: list[Spec]) -> str:
    words = "A band should hold nine runs in ten. "
    if quantity == "busbw":
        words += f"Bus bandwidth as nccl-tests counts it: size ÷ time × {BUSBW_OF[collective]} on n GPUs. "
    if drawn := {row.get("run") for row in measured}:
        runs = (run for several in dots.values() for run in several if run.name in drawn)
        titles = sorted({sources()[run.source].title for run in runs})
        return words + f"Diamonds were measured and published: {'; '.join(titles)}."
    return words + "No published run of this GPU and network at these GPU counts is carried."


def efficiency_chart(efficiency: Efficiency, collective: str, at_size: int) -> Chart:
    """Efficiency against the line rate, weak and strong, over GPU counts at one message size."""
    gpus, found = efficiency.gpus, efficiency.of[collective]
    size = message_size(efficiency.message_bytes[at_size])
    reference, series = count(efficiency.reference_gpus), list(EFFICIENCIES.values())
    values = [[getattr(found, key)[at][at_size] for key in EFFICIENCIES] for at in range(len(gpus))]
    rows = [
        {"series": f"s{k}", "gpus": n, "value": values[at][k]} for k in range(len(series)) for at, n in enumerate(gpus)
    ]
    rates = [f"line rate {gb_s(found.line_rate_gb_s[at])}, {found.line_rate_of[at]}" for at in range(len(gpus))]
    points = [
        {"gpus": n, "text": f"{count(n)} GPUs; {rates[at]}"} | {f"s{k}": percent(v) for k, v in enumerate(values[at])}
        for at, n in enumerate(gpus)
    ]
    table = [
        {
            "head": count(n),
            "cells": [{"text": percent(v), "note": rates[at] if k == 0 else ""} for k, v in enumerate(values[at])],
        }
        for at, n in enumerate(gpus)
    ]
    spec = efficiency_spec(gpus, "Efficiency", series, points)
    note = (
        "Of the line rate: bus bandwidth ÷ the lower of a GPU’s scale-up links and its domain’s NICs, as printed on the "
        f"parts. Weak: the same {size} buffer on every GPU, time on {reference} GPUs ÷ time on n. Strong: {size} on "
        f"{reference} GPUs, shared out as GPUs are added, so messages shrink and latency shows."
    )
    if any(row[0] > 1 for row in values):
        note += " More than 100 %: switches that add, or trees of two domains, send fewer bytes than a ring."
    description = f"{COLLECTIVES[collective]} efficiency from {count(gpus[0])} to {count(gpus[-1])} GPUs at {size}."
    title = f"{COLLECTIVES[collective]}: efficiency by GPU count at {size}"
    return chart_of("efficiency", title, description, series, rows, spec, ["GPUs", *series], table, note)


def designs_chart(tables: Sequence[tuple[str, Curves]], collective: str) -> Chart:
    """Bandwidth of several designs, each on all of its GPUs. Names of designs are data and HTML, never part of the spec."""
    labels = [f"{name}, {count(curves.gpus[-1])} GPUs" for name, curves in tables]
    sizes = tables[0][1].message_bytes
    drawn = [size for size, message_bytes in enumerate(sizes) if message_bytes >= SMALLEST_DRAWN_BYTES]
    rows, points = [], [{"message_bytes": sizes[size], "text": message_size(sizes[size])} for size in drawn]
    for k, (_, curves) in enumerate(tables):
        for point, size in zip(points, drawn, strict=True):
            value, low, high = _bounds(curves, "busbw", -1, size)
            rows.append({"series": f"s{k}", "message_bytes": sizes[size], "value": value, "low": low, "high": high})
            point[f"s{k}"] = f"{labels[k]}: {gb_s(value)}, {limit_text(curves, -1, size)}"
    letters = [f"Design {letter}" for letter in "ABCD"[: len(tables)]]
    spec = over_sizes([sizes[size] for size in drawn], y_axis("busbw"), letters, points)
    table_rows = [
        {
            "head": message_size(message_bytes),
            "cells": [
                {"text": gb_s(curves.busbw_gb_s[-1][size]), "note": limit_text(curves, -1, size)}
                for _, curves in tables
            ],
        }
        for size, message_bytes in enumerate(sizes)
    ]
    chart = chart_of(
        "designs",
        f"{COLLECTIVES[collective]}: designs side by side",
        f"{len(tables)} designs side by side.",
        labels,
        rows,
        spec,
        ["Message size", *labels],
        table_rows,
        "Each design on all of its GPUs. A band should hold nine runs in ten.",
    )
    return replace(chart, description=f"{COLLECTIVES[collective]} bus bandwidth of {', '.join(labels)}.")


def run_chart(run: Run, sizes: Sequence[int], bounds: Sequence[tuple[float, float, float]], factor: float) -> Chart:
    """One measured run beside its prediction. ``bounds``: predicted time, its low and high, a triple a size [µs]."""

    def busbw(size: int, time_us: float) -> float:
        return size * factor / time_us / 1e3

    rows, points, table = [], [], []
    for at, size in enumerate(sizes):
        time_us, low, high = bounds[at]
        value, measured = busbw(size, time_us), busbw(size, run.time_us[at])
        rows.append(
            {"series": "s0", "message_bytes": size, "value": value, "low": busbw(size, high), "high": busbw(size, low)}
        )
        ratio = percent(time_us / run.time_us[at] - 1)
        points.append(
            {
                "message_bytes": size,
                "text": message_size(size),
                "s0": f"{gb_s(value)}, {duration_us(time_us)}",
                "s1": f"{gb_s(measured)}, {duration_us(run.time_us[at])}",
            }
        )
        table.append(
            {
                "head": message_size(size),
                "cells": [
                    {"text": gb_s(value), "note": duration_us(time_us)},
                    {"text": gb_s(measured), "note": f"{duration_us(run.time_us[at])}; predicted time {ratio} off"},
                ],
            }
        )
    measured_rows = [
        {
            "series": "s1",
            "message_bytes": size,
            "value": busbw(size, run.time_us[at]),
            "text": f"{message_size(size)}: {gb_s(busbw(size, run.time_us[at]))}",
            "run": run.name,
        }
        for at, size in enumerate(sizes)
    ]
    series = ["Predicted, with band", "Measured"]
    span = [min(sizes), max(max(sizes), 2 * min(sizes))]
    y = y_axis("busbw")
    spec = over_sizes(span, y, series, points, _dots(y, measured_rows))
    title = f"{run.name}: {COLLECTIVES[run.collective].lower()} on {count(run.gpus)} GPUs"
    return chart_of(
        "run",
        title,
        f"Predicted and measured bus bandwidth of {run.name}.",
        series,
        rows,
        spec,
        ["Message size", *series],
        table,
        "The band should hold nine runs in ten.",
    )
