"""Charts of a calibration: what a log measured, beside the prediction before and after the fit."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from designer.charts.scaling import BUSBW_OF, MEASURED, y_axis
from designer.charts.vega import (
    AT_HOVER,
    IS_ON,
    POINT,
    SMALLEST_DRAWN_BYTES,
    Chart,
    Spec,
    chart_of,
    crosshair,
    size_axis,
)
from designer.wording.names import COLLECTIVES
from designer.wording.numbers import change_share, count, duration_us, gb_s, message_size
from estimator.calibration.result import Curve
from estimator.performance.collectives import BUS_FACTORS

SERIES = ["Measured", "Predicted by the catalog", "Predicted after the fit"]
KEYS = ("measured_us", "before_us", "after_us")
TITLES = {"busbw": "bandwidth by message size", "time": "time by message size"}
DASHES = {"condition": {"test": "datum.series === 's1'", "value": [5, 4]}, "value": [1, 0]}
MEASURED_SERIES = "s0"


def fit_charts(curve: Curve) -> list[Chart]:
    """Bus bandwidth and time of one log. The file's name is data and HTML, never part of a spec."""
    return [_chart(curve, quantity) for quantity in TITLES]


def _chart(curve: Curve, quantity: str) -> Chart:
    sizes = curve.message_bytes
    factor = float(BUS_FACTORS[curve.collective](np.array(curve.gpus)))
    text = gb_s if quantity == "busbw" else duration_us

    def value(at: int, key: str) -> float:
        time_us = float(getattr(curve, key)[at])
        return sizes[at] * factor / time_us / 1e3 if quantity == "busbw" else time_us

    least = min(SMALLEST_DRAWN_BYTES, sizes[-1]) if quantity == "busbw" else 0
    drawn = [at for at, size in enumerate(sizes) if size >= least]
    rows = [
        {"series": f"s{k}", "message_bytes": sizes[at], "value": value(at, key)}
        for k, key in enumerate(KEYS)
        for at in drawn
    ]
    points = [
        {"message_bytes": sizes[at], "text": message_size(sizes[at])}
        | {f"s{k}": text(value(at, key)) + _off(curve, at, key) for k, key in enumerate(KEYS)}
        for at in drawn
    ]
    table = [
        {
            "head": message_size(size),
            "cells": [{"text": text(value(at, key)), "note": _off(curve, at, key).removeprefix(", ")} for key in KEYS],
        }
        for at, size in enumerate(sizes)
    ]
    values = [value(at, key) for key in KEYS for at in drawn]
    span = {"low": min(values), "high": max(values)}
    lowest, highest = sizes[drawn[0]], sizes[drawn[-1]]
    spec = {
        "encoding": {"x": size_axis([lowest, max(highest, 2 * lowest)])},
        "layer": _layers(quantity, points, span, is_single=len(drawn) == 1),
    }
    label, gpus = COLLECTIVES[curve.collective], count(curve.gpus)
    what = f"{label} on {gpus} GPUs: {TITLES[quantity]}"
    chart = chart_of(
        f"fit-{quantity}",
        what,
        f"{what}, measured and predicted.",
        SERIES,
        rows,
        spec,
        ["Message size", *SERIES],
        table,
        _note(curve.collective, quantity),
    )
    return replace(chart, description=f"{what}, as {curve.file} measured it and as it is predicted before and after.")


def _off(curve: Curve, at: int, key: str) -> str:
    """How far a predicted time is from the measured one; nothing for the measured one itself."""
    if key == KEYS[0]:
        return ""
    return f", time {change_share(getattr(curve, key)[at] / curve.measured_us[at])}".replace("no change", "as measured")


def _layers(quantity: str, points: list[Spec], span: Mapping[str, float], is_single: bool) -> list[Spec]:
    """Predicted lines, what was measured as diamonds on top. A single size has no line, so it shows its points."""
    y = y_axis(quantity, [span])
    is_predicted = {"filter": f"datum.series !== '{MEASURED_SERIES}'"}
    is_measured = {"filter": f"datum.series === '{MEASURED_SERIES}'"}
    return [
        {"transform": [IS_ON, is_predicted], "mark": {"type": "line"}, "encoding": {"y": y, "strokeDash": DASHES}},
        {
            "transform": [IS_ON, is_predicted],
            "mark": POINT,
            "encoding": {"y": y, "opacity": {"value": 1} if is_single else AT_HOVER},
        },
        {"transform": [IS_ON, is_measured], "mark": MEASURED, "encoding": {"y": y}},
        crosshair("message_bytes", "Message size", SERIES, points),
    ]


def _note(collective: str, quantity: str) -> str:
    words = "Diamonds were measured, the dashed line is the catalog’s prediction, the full line the fitted one."
    if quantity == "busbw":
        words += f" Bus bandwidth as nccl-tests counts it: size ÷ time × {BUSBW_OF[collective]} on n GPUs."
    return words
