"""The list of designs: one row a design, with the main figures of its current state."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.contrib.auth.models import User

from designer.models import Design
from designer.services.designs.shelves import Shelf, Shelved, shelved
from designer.services.designs.state import figures_now, refresh_states
from designer.wording.headlines import Headlines, is_floor
from designer.wording.names import own_models
from designer.wording.numbers import words
from designer.wording.query import column_heads
from estimator.catalog.loader import load_catalog
from estimator.catalog.records import Server
from estimator.ranges import Range
from estimator.record import Json, Record


class DesignRow(NamedTuple):
    """One design of the list; without figures where it cannot be built."""

    id: UUID
    name: str
    updated_at: datetime
    figures: Headlines | None
    server: str
    generation: str
    layout: str
    planes: int
    price: Range[float] | None
    """P5, P50 and P95, as the next one."""
    usd_per_gpu: Range[float] | None
    at_least: bool
    tags: list[str]
    is_archived: bool


class _Compute(Record):
    server: str


class _Fabric(Record):
    generation: str
    layout: str
    planes: int


class _Stated(Record):
    """What the list says of a request, of whatever model it is; the rest of it is not read."""

    compute: _Compute
    fabric: _Fabric


def _figure(key: str) -> Callable[[DesignRow], Any]:
    return lambda row: getattr(row.figures, key, None)


ORDERS: dict[str, Callable[[DesignRow], Any]] = {
    "name": lambda row: row.name.casefold(),
    "gpus": _figure("gpus"),
    "fabric": lambda row: row.generation,
    "switches": _figure("switches"),
    "price": _figure("capex_usd"),
    "cost": _figure("usd_per_gpu"),
    "ratio": _figure("built_ratio"),
    "all_reduce": _figure("busbw_gb_s"),
    "all_to_all": _figure("all_to_all_gb_s"),
    "changed": lambda row: row.updated_at,
}
DEFAULT_ORDER = "-changed"


def design_rows(owner: User, shelf: Shelf | None = None) -> list[DesignRow]:
    """The owner's designs of a shelf, with the figures that their pages show; those not archived where none is given."""
    return listed(owner, shelf or Shelf())[0]


def listed(owner: User, shelf: Shelf) -> tuple[list[DesignRow], Shelved]:
    """The same, and what the list says of all the owner's designs."""
    refresh_states(owner)
    servers, found = load_catalog().servers, shelved(owner, shelf)
    return [_row(design, servers) for design in found.designs], found


def _row(design: Design, servers: Mapping[str, Server]) -> DesignRow:
    stated, figures = _Stated.from_json(design.spec), figures_now(design)
    server, own = servers.get(stated.compute.server), own_models(design.spec)
    return DesignRow(
        id=design.pk,
        name=design.name,
        updated_at=design.updated_at,
        figures=figures,
        server=server.model if server else own.get(stated.compute.server) or words(stated.compute.server),
        generation=stated.fabric.generation,
        layout=stated.fabric.layout,
        planes=stated.fabric.planes,
        price=_range(figures.capex_usd_low, figures.capex_usd, figures.capex_usd_high) if figures else None,
        usd_per_gpu=_range(figures.usd_per_gpu_low, figures.usd_per_gpu, figures.usd_per_gpu_high) if figures else None,
        at_least=figures is not None and is_floor(figures, "capex_usd"),
        tags=design.tag_list,
        is_archived=design.archived_at is not None,
    )


def _range(low: float | None, typical: float | None, high: float | None) -> Range[float] | None:
    return None if low is None or typical is None or high is None else Range(low, typical, high)


def sorted_rows(rows: list[DesignRow], order: str | None) -> Json:
    """Rows by ``order`` ("-cost": highest first), last change first where none is requested; unknown values come last.

    ``order`` is "" where the order is the usual one."""
    key = (order or "").removeprefix("-")
    if key not in ORDERS:
        order, key = DEFAULT_ORDER, DEFAULT_ORDER.removeprefix("-")
    descending = str(order).startswith("-")
    known = [row for row in rows if ORDERS[key](row) is not None]
    rest = [row for row in rows if ORDERS[key](row) is None]
    known.sort(key=ORDERS[key], reverse=descending)
    heads = column_heads(list(ORDERS), key, descending)
    return {"rows": known + rest, "heads": heads, "order": "" if order == DEFAULT_ORDER else order}
