"""What the page of a comparison shows: words, the table of figures, aligned lines. Numbers become text here, once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from designer.models import Comparison, Design
from designer.services.comparisons import is_outdated
from designer.services.shown_page import ShownPage
from designer.wording.comparison import LETTERS, Json, figure_groups, line_rows, total_rows
from designer.wording.numbers import (
    count,
    generation_name,
    words,
)
from designer.wording.query import one_of
from estimator.catalog.loader import load_catalog
from estimator.compare.lines import OFFER
from estimator.compare.request import LEAST

FIGURE_ORDERS = ("group", "weight")  # as in the table of contents; the largest relative difference first
LINE_ORDERS = ("bill", "weight")  # as in a bill of materials; the largest difference in price first


def page_context(row: Comparison, query: Mapping[str, Any]) -> dict[str, Any]:
    """All that the page shows of a comparison."""
    result = row.result
    figures, lines = one_of(query.get("figures"), FIGURE_ORDERS), one_of(query.get("lines"), LINE_ORDERS)
    return {
        "comparison": row,
        "result": result,
        "sides": side_heads(row),
        "baseline_label": result["items"][row.baseline]["label"],
        "summaries": _summaries(result),
        "figure_groups": figure_groups(result, figures),
        "figure_order": figures,
        "line_rows": line_rows(result, lines),
        "line_order": lines,
        "totals": total_rows(result),
        "n_same": sum(one["is_same"] for one in result["rows"]),
        "is_outdated": is_outdated(row),
        "can_remove": len(row.specs) > LEAST,
        "notes": [
            {"letter": LETTERS[i], "label": item["label"], "notes": item["notes"]}
            for i, item in enumerate(result["items"])
            if item["notes"]
        ],
    }


def side_heads(row: Comparison) -> list[dict[str, Any]]:
    """The head of each column: letter, name, what it is."""
    servers = load_catalog().servers
    named = [side["design"] for side in row.specs if side["design"]]
    designs = {str(one.pk): one for one in Design.objects.filter(owner_id=row.owner_id, pk__in=named)}
    heads = []
    for i, (item, side) in enumerate(zip(row.result["items"], row.specs, strict=True)):
        server = servers.get(item["server"] or "")
        about = [f"{count(item['gpus'])} GPUs"] if item["gpus"] else []
        if item["kind"] == OFFER:
            about.append("offer")
        else:
            about += [server.model if server else words(item["server"]), generation_name(item["generation"])]
            if item["own_prices"] or item["price_book"] != "anchors":
                about.append(f"prices: {item['own_prices'] or item['price_book']}")
        heads.append(
            {
                "number": i,
                "letter": LETTERS[i],
                "label": item["label"],
                "about": ", ".join(about),
                **_way_to(side, designs.get(side["design"] or "")),
                "is_baseline": i == row.baseline,
                "n_errors": item["n_errors"],
                "n_warnings": item["n_warnings"],
            }
        )
    return heads


def _way_to(side: Json, design: Design | None) -> Json:
    """The page of the state that a side shows; that of its design, and whether it is another state by now, where it has none."""
    if design is None:
        return {"address": "", "has_moved_on": False}
    version = (
        side["revision"] if "state" in side else None
    )  # before there were states it was the newest one of any kind
    if version is not None and design.revisions.filter(number=version).exists():
        return {"address": ShownPage(design.pk, version).address, "has_moved_on": False}
    has_moved_on = side.get("state") != design.spec_hash or bool(side["price_book"])
    return {"address": ShownPage(design.pk).address, "has_moved_on": has_moved_on}


def _summaries(result: Json) -> list[dict[str, Any]]:
    return [
        dict(said)
        | {
            "letter": LETTERS[said["of"]],
            "label": result["items"][said["of"]]["label"],
            "start": said["headline"].partition(": ")[0],
            "phrases": said["phrases"],
        }
        for said in result["summary"]
    ]


# ---------------------------------------------------------------- lists


def list_rows(rows: Iterable[Comparison]) -> list[dict[str, Any]]:
    """The list of comparisons: name, sides, the first headline."""
    return [
        {
            "pk": row.pk,
            "name": row.name,
            "created_at": row.created_at,
            "labels": [item["label"] for item in row.result["items"]],
            "baseline": row.result["items"][row.baseline]["label"],
            "headline": row.result["summary"][0]["headline"],
            "n_more": len(row.result["summary"]) - 1,
        }
        for row in rows
    ]
