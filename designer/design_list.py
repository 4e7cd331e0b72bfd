"""The list of designs: one row a design, with the main figures of its newest finished estimate."""

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db.models import OuterRef, Subquery

from designer.bom_table import column_heads
from designer.models import DesignRevision
from designer.templatetags.units import words
from estimator.catalog.loader import load_catalog
from estimator.jobs.models import EstimateJob

ORDERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "name": lambda row: row["name"].casefold(),
    "gpus": lambda row: row["counts"].get("gpus"),
    "fabric": lambda row: row["generation"],
    "switches": lambda row: row["counts"].get("switches"),
    "price": lambda row: row["price"].get("typical"),
    "cost": lambda row: row["usd_per_gpu"].get("typical"),
    "changed": lambda row: row["updated_at"],
}
DEFAULT_ORDER = "-changed"


def design_rows(owner: User) -> list[dict[str, Any]]:
    """Every design of the owner as a row of plain values. Two queries, however many there are."""
    newest = DesignRevision.objects.filter(design=OuterRef("pk")).order_by("-number")
    designs = list(owner.designs.annotate(
        spec=Subquery(newest.values("spec")[:1]), spec_hash=Subquery(newest.values("spec_hash")[:1])))  # fmt: skip
    jobs = EstimateJob.objects.filter(owner=owner, spec_hash__in=[design.spec_hash for design in designs]).order_by(
        "created_at"
    )
    figures = {
        job["spec_hash"]: job
        for job in jobs.values(
            "spec_hash",
            "state",
            "result__fabrics__compute__counts",
            "result__fabrics__compute__tiers",
            "result__cost__usd_per_gpu",
            "result__cost__capex_usd__total",
            "result__cost__at_least",
        )
    }
    servers = load_catalog().servers
    return [_row(design, dict(figures.get(design.spec_hash) or {}), servers) for design in designs]


def _row(design: Any, job: dict[str, Any], servers: Mapping[str, Any]) -> dict[str, Any]:
    spec = design.spec
    server = servers.get(spec["compute"]["server"])
    return {
        "id": design.pk, "name": design.name, "updated_at": design.updated_at, "state": job.get("state"),
        "server": server.model if server else words(spec["compute"]["server"]),
        "generation": spec["fabric"]["generation"], "layout": spec["fabric"]["layout"],
        "planes": spec["fabric"]["planes"], "tiers": job.get("result__fabrics__compute__tiers"),
        "counts": job.get("result__fabrics__compute__counts") or {}, "usd_per_gpu": job.get("result__cost__usd_per_gpu") or {},
        "price": job.get("result__cost__capex_usd__total") or {}, "at_least": job.get("result__cost__at_least"),
    }  # fmt: skip


def sorted_rows(rows: list[dict[str, Any]], order: str | None) -> dict[str, Any]:
    """Rows by ``order`` ("-cost": highest first), last change first where none is asked for; unknown values come last."""
    key = (order or "").removeprefix("-")
    if key not in ORDERS:
        order, key = DEFAULT_ORDER, DEFAULT_ORDER.removeprefix("-")
    descending = str(order).startswith("-")
    known = [row for row in rows if ORDERS[key](row) is not None]
    rest = [row for row in rows if ORDERS[key](row) is None]
    known.sort(key=ORDERS[key], reverse=descending)
    return {"rows": known + rest, "heads": column_heads(list(ORDERS), key, descending)}
