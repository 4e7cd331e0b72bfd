"""Links by length and medium, as a chart."""

import json
from collections.abc import Sequence

from designer.charts.vega import IS_ON, Chart, chart_of
from designer.wording.numbers import count, medium_name, metres
from estimator.cabling.result import CablingRow

FEW_BARS, MANY_BARS, BAR_PX = 3, 14, 20


def length_chart(rows: Sequence[CablingRow]) -> Chart | None:
    """Links of each length, stacked by medium. ``rows`` are those of the cabling table; None where none has a medium."""
    links: dict[tuple[str, float], int] = {}
    for row in rows:
        if row.medium:
            key = row.medium, row.length_m
            links[key] = links.get(key, 0) + row.links
    if not links:
        return None
    media, lengths = (sorted(set(names)) for names in zip(*links, strict=True))
    bars = [
        {"series": f"s{media.index(medium)}", "text": metres(length), "links": n, "reported": count(n)}
        for (medium, length), n in links.items()
    ]
    series = [medium_name(medium) for medium in media]
    table = [
        {
            "head": metres(length),
            "cells": [{"text": count(links.get((medium, length), 0)), "note": ""} for medium in media],
        }
        for length in lengths
    ]
    words = "{" + ", ".join(["'Length': datum.text", "'Medium': " + _word_of(series), "'Links': datum.reported"]) + "}"
    spec = {
        "transform": [IS_ON],
        "mark": {
            "type": "bar",
            "tooltip": {"expr": words},
            "cornerRadiusEnd": 3,
            "height": {"band": 0.7} if len(lengths) > FEW_BARS else BAR_PX,
        },
        "encoding": {
            "y": {
                "field": "text",
                "type": "nominal",
                "title": None,
                "sort": None,
                "scale": {"domain": [metres(length) for length in lengths]},
                "axis": {"ticks": False, "domain": False},
            },
            "x": {
                "field": "links",
                "type": "quantitative",
                "title": "Links",
                "axis": {"tickCount": 8, "tickMinStep": 1, "format": ",d"},
            },
            "order": {"field": "series"},
        },
    }
    total = sum(links.values())
    span = f"from {metres(lengths[0])} to {metres(lengths[-1])}"
    description = f"{count(total)} links by length, {span}, over {', '.join(series)}."
    note = "Lengths are those to order: the run with its slack, rounded up to what is stocked. A colour is a medium."
    chart = chart_of("lengths", "Links by length", description, series, bars, spec, ["Length", *series], table, note)
    return chart.shaped("slim" if len(lengths) <= FEW_BARS else "tall" if len(lengths) > MANY_BARS else "")


def _word_of(series: Sequence[str]) -> str:
    """An expression for the series' name of a datum: names come from the catalog, as quoted constants."""
    words = json.dumps("")
    for k, label in reversed(list(enumerate(series))):
        words = f"datum.series === 's{k}' ? {json.dumps(label)} : {words}"
    return words
