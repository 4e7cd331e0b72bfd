"""The list of designs: one row a design, with the main figures of its current state."""

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib.auth.models import User

from designer.models import Design
from designer.services.designs.state import figures_now, refresh_states
from designer.wording.headlines import is_floor
from designer.wording.numbers import words
from designer.wording.query import column_heads
from estimator.catalog.loader import load_catalog

ORDERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "name": lambda row: row["name"].casefold(),
    "gpus": lambda row: row["figures"].get("gpus"),
    "fabric": lambda row: row["generation"],
    "switches": lambda row: row["figures"].get("switches"),
    "price": lambda row: row["figures"].get("capex_usd"),
    "cost": lambda row: row["figures"].get("usd_per_gpu"),
    "ratio": lambda row: row["figures"].get("built_ratio"),
    "all_reduce": lambda row: row["figures"].get("busbw_gb_s"),
    "all_to_all": lambda row: row["figures"].get("all_to_all_gb_s"),
    "changed": lambda row: row["updated_at"],
}
DEFAULT_ORDER = "-changed"


def design_rows(owner: User) -> list[dict[str, Any]]:
    """Every design of the owner as a row of plain values, with the figures that its page shows."""
    refresh_states(owner)
    servers = load_catalog().servers
    return [_row(design, servers) for design in owner.designs.all()]


def _row(design: Design, servers: Mapping[str, Any]) -> dict[str, Any]:
    spec, figures = design.spec, figures_now(design) or {}
    server = servers.get(spec["compute"]["server"])
    return {
        "id": design.pk,
        "name": design.name,
        "updated_at": design.updated_at,
        "figures": figures,
        "server": server.model if server else words(spec["compute"]["server"]),
        "generation": spec["fabric"]["generation"],
        "layout": spec["fabric"]["layout"],
        "planes": spec["fabric"]["planes"],
        "price": _range(figures, "capex_usd"),
        "usd_per_gpu": _range(figures, "usd_per_gpu"),
        "at_least": is_floor(figures, "capex_usd"),
    }


def _range(figures: Mapping[str, Any], key: str) -> dict[str, float]:
    """Both ends of a figure for the filter that prints a range; nothing where it is not known."""
    ends = {end: figures.get(f"{key}_{end}") for end in ("low", "high")}
    return {end: value for end, value in ends.items() if value is not None}


def sorted_rows(rows: list[dict[str, Any]], order: str | None) -> dict[str, Any]:
    """Rows by ``order`` ("-cost": highest first), last change first where none is requested; unknown values come last."""
    key = (order or "").removeprefix("-")
    if key not in ORDERS:
        order, key = DEFAULT_ORDER, DEFAULT_ORDER.removeprefix("-")
    descending = str(order).startswith("-")
    known = [row for row in rows if ORDERS[key](row) is not None]
    rest = [row for row in rows if ORDERS[key](row) is None]
    known.sort(key=ORDERS[key], reverse=descending)
    return {"rows": known + rest, "heads": column_heads(list(ORDERS), key, descending)}
