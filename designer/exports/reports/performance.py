"""Predicted collectives in a report: bandwidth against message size, scaling, and the figures behind both."""

import math
from collections.abc import Sequence

from reportlab.graphics.shapes import Drawing
from reportlab.platypus import Flowable, KeepTogether, Paragraph, Spacer

from designer.charts.all_reduce import limit_text
from designer.charts.vega import SMALLEST_DRAWN_BYTES, chosen
from designer.exports.pdf.charts import Series, legend, line_chart
from designer.wording.headlines import busbw_bounds, headline
from designer.wording.numbers import chosen as units_chosen
from designer.wording.numbers import count, duration_us, gb_s, message_size, percent, significant
from estimator.pdf.grid import Field, Grid, Row, Text
from estimator.pdf.page import headed, heading, section
from estimator.pdf.style import BODY, PORTRAIT, SMALL, text_width
from estimator.pdf.text import markup
from estimator.performance.result import AllReduceTable, Performance
from estimator.units import BITS_PER_BYTE

TABLE_SIZES = (2**20, 2**26, 2**33)
CHART_HEIGHT = 160.0


def performance(predicted: Performance) -> list[Flowable]:
    """The predicted all-reduce; a sentence where there is none."""
    out: list[Flowable] = [*section("Performance")]
    top, all_reduce = headline(predicted), predicted.predicted_all_reduce
    if top is None or all_reduce is None:
        return [*out, Paragraph(markup(predicted.missing or "One GPU has nothing to exchange."), BODY)]
    measured = "" if top.validated else " Nothing like it was measured: the figure is extrapolated."
    text = (
        f"All-reduce of {message_size(top.message_bytes)} on {count(top.gpus)} GPUs: bus bandwidth "
        f"{gb_s(top.busbw_gb_s)}, nine runs in ten between {gb_s(top.low)} and {gb_s(top.high)}; "
        f"{duration_us(top.time_us)} a call. {top.limit_in_words}{measured}"
    )
    return [*out, Paragraph(markup(text), BODY), *_busbw(all_reduce), *_scaling(all_reduce), *_table(all_reduce)]


def bandwidth_chart(series: Sequence[Series], wide: float, high: float) -> Drawing:
    """Bus bandwidth over message sizes, of points in GB/s whose x is log2 of the bytes."""
    unit, factor = ("Gb/s", float(BITS_PER_BYTE)) if units_chosen().in_bits else ("GB/s", 1.0)
    series = [
        Series(
            one.name, [(x, y * factor) for x, y in one.points], [(low * factor, top * factor) for low, top in one.band]
        )
        for one in series
    ]
    powers = [x for one in series for x, _ in one.points]
    ticks = [float(power) for power in range(math.ceil(min(powers)), math.floor(max(powers)) + 1, 4)]
    return line_chart(
        series,
        wide,
        high,
        "Message size, each GPU's buffer",
        f"Bus bandwidth, {unit}",
        lambda power: message_size(2 ** int(power)),
        significant,
        ticks,
    )


def _busbw(all_reduce: AllReduceTable) -> list[Flowable]:
    room, sizes = text_width(PORTRAIT), all_reduce.message_bytes
    drawn = [k for k, size in enumerate(sizes) if size >= min(SMALLEST_DRAWN_BYTES, sizes[-1])]
    if len(drawn) < 2:
        return []
    series = [
        Series(
            f"{count(all_reduce.gpus[at])} GPUs",
            [(math.log2(sizes[k]), all_reduce.busbw_gb_s[at][k]) for k in drawn],
            [busbw_bounds(all_reduce, at, k) for k in drawn],
        )
        for at in chosen(all_reduce.gpus)
    ]
    chart = bandwidth_chart(series, room, CHART_HEIGHT)
    note = "Bus bandwidth as nccl-tests counts it. A band should hold nine runs in ten."
    parts = [legend([one.name for one in series], room), chart, Paragraph(markup(note), SMALL)]
    return [KeepTogether([heading("Bandwidth against message size"), *parts])]


def _scaling(all_reduce: AllReduceTable) -> list[Flowable]:
    room, gpus, sizes = text_width(PORTRAIT), all_reduce.gpus, all_reduce.message_bytes
    if len(gpus) < 2:
        return []
    shown = sorted({_nearest(sizes, size) for size in TABLE_SIZES})
    rows = all_reduce.scaling_efficiency
    series = [
        Series(message_size(sizes[k]), [(math.log2(n), row[k]) for n, row in zip(gpus, rows, strict=True)])
        for k in shown
    ]
    ticks = [math.log2(gpus[at]) for at in chosen(gpus, 8)]
    chart = line_chart(
        series,
        room,
        CHART_HEIGHT,
        "GPUs",
        f"Bus bandwidth against that on {count(all_reduce.reference_gpus)} GPUs",
        lambda power: count(round(2**power)),
        lambda share: percent(share, 2),
        ticks,
    )
    return [KeepTogether([heading("Scaling"), legend([one.name for one in series], room), chart, Spacer(1, 4)])]


def _nearest(sizes: list[int], wanted: int) -> int:
    return min(range(len(sizes)), key=lambda k: abs(sizes[k] - wanted))


def _table(all_reduce: AllReduceTable) -> list[Flowable]:
    sizes = all_reduce.message_bytes
    shown = sorted({_nearest(sizes, size) for size in TABLE_SIZES})
    fields = [Field("GPUs", 0.1, is_number=True), *(Field(message_size(sizes[k]), 0.3) for k in shown)]
    rows = []
    for at, n_gpus in enumerate(all_reduce.gpus):
        cells = [Text(count(n_gpus))]
        for k in shown:
            low, high = busbw_bounds(all_reduce, at, k)
            words = f"{gb_s(all_reduce.busbw_gb_s[at][k])} ({gb_s(low)} to {gb_s(high)})"
            cells.append(Text(words, f"{duration_us(all_reduce.time_us[at][k])}; {limit_text(all_reduce, at, k)}"))
        rows.append(Row(cells))
    return headed("All-reduce by GPUs and message size", Grid(fields, rows))
