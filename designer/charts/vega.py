"""What all charts share: Vega-Lite specs (plain dicts) of numbers of an Estimate, and the table that says the same.

Series are named s0, s1 …: what a reader sees of them stands in the HTML legend, so that no text of a user ever becomes a
field name or an expression. Colours are CSS variables: the page turns dark without a redraw.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from designer.wording.glossary import Entry, entries_in
from designer.wording.numbers import chosen as chosen_units
from designer.wording.numbers import factor_of

Spec = dict[str, Any]  # a part of a Vega-Lite specification, or the data of a mark or of a row of a table

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
MAX_SERIES = 5
PLOT_HEIGHTS_PX = {"": 320, "slim": 150, "short": 152, "low": 240, "tall": 500}  # figures.css gives the plots as much
SMALLEST_DRAWN_BYTES = 4096  # below it every line lies on the axis; the table has those sizes
FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'
SIZE_LABEL = (
    "datum.value >= 1073741824 ? format(datum.value / 1073741824, ',') + ' GiB' : datum.value >= 1048576 ? "
    "format(datum.value / 1048576, ',') + ' MiB' : datum.value >= 1024 ? format(datum.value / 1024, ',') + ' KiB' : "
    "format(datum.value, ',') + ' B'"
)
DOLLARS = (
    "datum.value >= 1e9 ? '$' + format(datum.value / 1e9, ',.3~f') + ' bn' : datum.value >= 1e6 ? '$' + "
    "format(datum.value / 1e6, ',.3~f') + ' M' : '$' + format(datum.value, ',')"
)
IS_ON = {"filter": "indexof(off, datum.series) < 0"}
AT_HOVER = {"condition": {"param": "hover", "empty": False, "value": 1}, "value": 0}
POINT = {"type": "point", "filled": True, "size": 50, "aria": False}
PADDING = {"left": 4, "right": 20, "top": 8, "bottom": 4}
FACTOR = "factor"  # of a channel, until its values are in the unit of the reader
HIDDEN_SERIES = {"name": "off", "value": []}
CONFIG = {
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": "var(--muted)",
        "titleColor": "var(--muted)",
        "gridColor": "var(--line)",
        "domainColor": "var(--line-strong)",
        "tickColor": "var(--line-strong)",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": 500,
        "titlePadding": 10,
        "labelPadding": 6,
        "labelOverlap": "parity",
        "labelSeparation": 8,
        "labelFlush": False,
    },
    "line": {"strokeWidth": 2, "strokeJoin": "round"},
}


def in_money(label: str) -> str:
    """A label of an axis of US dollars, with the sign of the currency that whoever reads the page has chosen."""
    return label.replace("'$'", f"'{chosen_units().sign}'")


def in_chosen_unit(unit: str) -> Spec:
    """Marks a channel of values in USD, GB/s or m: ``chart_of`` turns them into the unit that the reader has chosen.

    Its scale is in that unit (``factor_of``), so that ticks are round there.
    """
    factor = factor_of(unit)
    return {} if factor == 1 else {FACTOR: factor}


def bandwidth(what: str, **axis: Any) -> Spec:
    """Title and axis of values in GB/s, in Gb/s for who reads in bits."""
    unit = "Gb/s" if chosen_units().in_bits else "GB/s"
    return {"title": f"{what}, {unit}", "axis": axis, **in_chosen_unit("GB/s")}


def named_rows(names: Sequence[str], limit_px: int, has_grid: bool = False, has_lines: bool = False) -> Spec:
    """The y axis of a chart with a row a name (field ``text``), in their order; names end after ``limit_px``.

    ``has_lines`` puts each part of a name on a line of its own: "Host memory, from GPU to GPU, 23.8 GB/s" takes three.
    """
    by_part = {
        "labelExpr": "split(datum.label, ', ')",
        "labelLineHeight": 12,
        "labelFontSize": 11,
        "labelOverlap": False,
    }
    lines = by_part if has_lines else {}
    return {
        "field": "text",
        "type": "nominal",
        "title": None,
        "sort": None,
        "scale": {"domain": list(names)},
        "axis": {"ticks": False, "domain": False, "labelLimit": limit_px, **lines}
        | ({"grid": True} if has_grid else {}),
    }


def chosen(values: Sequence[Any], limit: int = MAX_SERIES) -> list[int]:
    """Positions of at most ``limit`` of the values, spread evenly, first and last among them."""
    if len(values) <= limit:
        return list(range(len(values)))
    return sorted({round(k * (len(values) - 1) / (limit - 1)) for k in range(limit)})


@dataclass(frozen=True, slots=True)
class LegendItem:
    """A series: its key in the spec, its name, and the number of its colour."""

    key: str
    label: str
    number: int


@dataclass(frozen=True, slots=True)
class Switch:
    """A parameter of a spec that the reader turns on and off."""

    key: str
    label: str


@dataclass(frozen=True, slots=True)
class ChartTable:
    """What a chart says, as a table."""

    columns: Sequence[str]
    rows: Sequence[Spec]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart as its template takes it; ``shape`` names the height of its plot."""

    key: str
    title: str
    description: str
    legend: Sequence[LegendItem]
    note: str
    table: ChartTable
    spec: Spec
    shape: str = ""
    switches: Sequence[Switch] = ()

    @property
    def script_id(self) -> str:
        """Of the element that holds the spec."""
        return f"chart-{self.key}"

    @property
    def terms(self) -> list[Entry]:
        """Of the glossary, what its title, axes, legend, table and note use: a picture cannot hold links."""
        rows = (str(row.get("head")) for row in self.table.rows)
        heads = (self.title, self.note, *_axis_titles(self.spec), *self.table.columns, *rows)
        labels = (*(item.label for item in self.legend), *(switch.label for switch in self.switches))
        return entries_in((*heads, *labels))

    def shaped(self, shape: str) -> "Chart":
        """With a plot of another height: "slim", "short", "low" or "tall"."""
        return replace(self, shape=shape).with_spec(height=PLOT_HEIGHTS_PX[shape])

    def with_spec(self, **changes: Any) -> "Chart":
        """With other values under keys of its specification."""
        return replace(self, spec=self.spec | changes)


def chart_of(
    key: str,
    title: str,
    description: str,
    series: list[str],
    rows: list[Spec],
    spec: Spec,
    columns: list[str],
    table: list[Spec],
    note: str,
    numbers: Sequence[int] | None = None,
) -> Chart:
    """A chart of series, in these colours of the palette, or in those of their positions."""
    colours = numbers or range(1, len(series) + 1)
    legend = [LegendItem(f"s{k}", label, number) for k, (label, number) in enumerate(zip(series, colours, strict=True))]
    scale = {"domain": [item.key for item in legend], "range": [f"var(--chart-{item.number})" for item in legend]}
    return Chart(
        key,
        title,
        description,
        legend,
        note,
        ChartTable(columns, table),
        {
            "$schema": SCHEMA,
            "description": description,
            "background": None,
            "width": "container",
            "height": PLOT_HEIGHTS_PX[""],
            "autosize": {"type": "fit", "contains": "padding"},
            "padding": PADDING,
            "params": [HIDDEN_SERIES],
            **_turned({"data": {"name": "rows", "values": rows}, **_with_colours(spec, scale if legend else None)}),
            "config": CONFIG,
        },
    )


def _axis_titles(part: Any) -> Iterator[str]:
    """What the axes of a specification say."""
    if isinstance(part, list):
        for one in part:
            yield from _axis_titles(one)
    elif isinstance(part, dict):
        for key, value in part.items():
            if key == "title" and isinstance(value, str):
                yield value
            elif key != "data":
                yield from _axis_titles(value)


def _turned(spec: Spec) -> Spec:
    """A spec with the values of marked channels in the units that the reader has chosen, and without the marks."""
    factors = dict(_marked(spec))
    turned: Spec = _in_units(spec, factors)
    return turned


def _marked(part: Any) -> Iterator[tuple[str, float]]:
    """The fields of marked channels, those of the other ends of their marks too, with their factors."""
    if isinstance(part, list):
        for one in part:
            yield from _marked(one)
    elif isinstance(part, dict):
        for channel, drawn in part.items():
            if isinstance(drawn, dict) and FACTOR in drawn:
                fields = (one.get("field") for one in (drawn, part.get(f"{channel}2", {})))
                yield from ((field, drawn[FACTOR]) for field in fields if field)
            yield from _marked(drawn)


def _in_units(part: Any, factors: Mapping[str, float]) -> Any:
    """Any part of a spec, the fields of its data multiplied."""
    if isinstance(part, list):
        return [_in_units(one, factors) for one in part]
    if not isinstance(part, dict):
        return part
    return {
        key: _rows_in_units(value, factors) if key == "data" else _in_units(value, factors)
        for key, value in part.items()
        if key != FACTOR
    }


def _rows_in_units(data: Spec, factors: Mapping[str, float]) -> Spec:
    rows = [
        {key: value * factors[key] if key in factors else value for key, value in row.items()}
        for row in data.get("values", ())
    ]
    return data | {"values": rows}


def _with_colours(spec: Spec, colours: Spec | None) -> Spec:
    """A spec with the colours of its series, or the first one where all is of one kind: of an empty scale nothing is drawn."""
    by_series = {"field": "series", "type": "nominal", "scale": colours, "legend": None}
    encoding = spec["encoding"] | {"color": by_series if colours else {"value": "var(--chart-1)"}}
    return spec | {"encoding": encoding}


def crosshair(x_field: str, x_title: str, series: list[str], points: list[Spec]) -> Spec:
    """A rule at the nearest x, with every series' value in its tooltip.

    ``points`` has one row an x: the x itself, its ``text``, and what the tooltip prints of s0, s1 … there. The tooltip is an
    expression because the library's own field list reads texts from the wrong place under ``nearest``.
    """
    row = "(datum.datum ? datum.datum : datum)"
    parts = [f"{json.dumps(x_title)}: {row}.text"]
    parts += [
        f"{json.dumps(label)}: indexof(off, 's{k}') < 0 ? {row}.s{k} : 'hidden'" for k, label in enumerate(series)
    ]
    return {
        "data": {"values": points},
        "mark": {"type": "rule", "strokeWidth": 1, "aria": False, "tooltip": {"expr": "{" + ", ".join(parts) + "}"}},
        "encoding": {
            "color": {"value": "var(--muted)"},
            "opacity": AT_HOVER,
        },
        "params": [
            {
                "name": "hover",
                "select": {
                    "type": "point",
                    "fields": [x_field],
                    "nearest": True,
                    "on": "pointermove",
                    "clear": "pointerout",
                },
            }
        ],
    }


def _size_ticks(sizes: Sequence[int]) -> list[int]:
    """Powers of two to label, about eight over the range."""
    low, high = max(min(sizes), 1).bit_length() - 1, max(sizes).bit_length() - 1
    step = max(1, -(-(high - low) // 8))
    return [2**power for power in range(high, low - 1, -step)][::-1]


def size_axis(sizes: Sequence[int]) -> Spec:
    ticks = _size_ticks(sizes)
    return {
        "field": "message_bytes",
        "type": "quantitative",
        "title": "Message size, each GPU's buffer",
        "scale": {"type": "log", "base": 2, "nice": False, "domain": [min(sizes), max(sizes)]},
        "axis": {
            "values": ticks,
            "labelExpr": SIZE_LABEL,
            "grid": False,
            "labelOverlap": "parity",
            "labelSeparation": 6,
        },
    }


def band(y: Spec) -> Spec:
    """The layer between ``low`` and ``high`` of each series."""
    return {
        "transform": [IS_ON],
        "mark": {"type": "area", "opacity": 0.13, "aria": False},
        "encoding": {"y": {**y, "field": "low"}, "y2": {"field": "high"}},
    }


def over_sizes(
    sizes: Sequence[int], y: Spec, series: list[str], points: list[Spec], more: Sequence[Spec] = (), bands: bool = True
) -> Spec:
    """Lines over message sizes with their bands, the points under the pointer and their values; ``more`` lies on top."""
    return {
        "encoding": {"x": size_axis(sizes)},
        "layer": [
            *([band(y)] if bands else []),
            {"transform": [IS_ON], "mark": {"type": "line"}, "encoding": {"y": y}},
            {"transform": [IS_ON], "mark": POINT, "encoding": {"y": y, "opacity": AT_HOVER}},
            crosshair("message_bytes", "Message size", series, points),
            *more,
        ],
    }
