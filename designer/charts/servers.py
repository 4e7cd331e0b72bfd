"""Dollars a million tokens of one model on servers with their scale-up domains, with the ends of prices and bands."""

from collections.abc import Sequence

from designer.charts.cost import tooltip
from designer.charts.vega import IS_ON, POINT, Chart, chart_of, in_chosen_unit, in_money, named_rows
from designer.wording.numbers import chosen, computed, count, usd_small, usd_small_range
from estimator.catalog.currency import USD
from estimator.workloads.servers import ServerRow

FEW_SERVERS = 4


def servers_chart(servers: Sequence[ServerRow], key: str) -> Chart | None:
    """A line a server from the low end to the high one, with the typical figure on it; None where none has a price.

    ``key`` tells charts of one page apart.
    """
    priced = [(one, one.usd_per_million_tokens) for one in servers if one.usd_per_million_tokens is not None]
    if not priced:
        return None
    rows = [
        {
            "series": "s0",
            "text": server_words(one),
            "low": usd.low,
            "typical": usd.typical,
            "high": usd.high,
            "printed": usd_small(usd.typical),
            "ends": usd_small_range(usd),
            "rate": _rate(one),
        }
        for one, usd in priced
    ]
    hover = {"Server": "text", "A million tokens": "printed", "From, to": "ends", "Each GPU": "rate"}
    money = "Dollars" if chosen().currency == USD else chosen().currency
    x = {
        "field": "low",
        "type": "quantitative",
        "title": f"{money} a million tokens (logarithmic)",
        **in_chosen_unit(USD),
    }
    label = in_money("'$' + format(datum.value, ',~r')")
    spec = {
        "encoding": {
            "y": named_rows([server_words(one) for one, _ in priced], 180, has_grid=True, has_lines=True),
        },
        "layer": [
            {
                "transform": [IS_ON],
                "mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.4, "aria": False},
                "encoding": {
                    "x": {**x, "scale": {"type": "log", "nice": True}, "axis": {"labelExpr": label, "tickCount": 6}},
                    "x2": {"field": "high"},
                },
            },
            {
                "transform": [IS_ON],
                "mark": POINT | {"size": 110, "tooltip": tooltip(hover)},
                "encoding": {"x": {**x, "field": "typical"}},
            },
        ],
    }
    table = [
        {
            "head": server_words(one),
            "cells": [
                {"text": usd_small(usd.typical), "note": usd_small_range(usd)},
                {"text": _rate(one), "note": ""},
                {"text": count(one.gpus), "note": ""},
            ],
        }
        for one, usd in priced
    ]
    best = min(priced, key=lambda pair: pair[1].typical)
    chart = chart_of(
        f"{key}-usd",
        "A million tokens on servers with their scale-up domains",
        f"{money} a million tokens of {len(rows)} servers; {server_words(best[0])} costs least, {usd_small(best[1].typical)}.",
        [],
        rows,
        spec,
        ["Server and domain", "A million tokens", "Each GPU", "GPUs"],
        table,
        "Ends are those of prices, running cost and the band of the rate. What all servers have in common is in them too.",
    )
    return chart.shaped("low" if len(priced) <= FEW_SERVERS else "")


def server_words(one: ServerRow) -> str:
    """ "HGX B200, domain of 8"."""
    return f"{one.name}, domain of {one.scale_up_domain_gpus}"


def _rate(one: ServerRow) -> str:
    return f"{computed(one.tokens_per_s_per_gpu)} tokens/s"
