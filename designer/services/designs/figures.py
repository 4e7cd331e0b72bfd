"""Headline figures of states that are not on the page: of versions and of other designs. Made once, then kept in the cache."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeGuard

from django.core.cache import cache

from designer.models import Baseline, Design, DesignEdit
from designer.wording.headlines import Headlines, headlines
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError
from estimator.pipeline import estimate
from estimator.record import Given, Json
from estimator.result import PricedEstimate
from estimator.spec.design import DesignSpec, spec_hash
from estimator.spec.parse import parse_spec
from estimator.version import MODEL_VERSION

logger = logging.getLogger(__name__)

KEPT_S = 7 * 86_400
# What the strip and the findings need, and no more: growth would size three designs at each key, and changes a dozen.
LIVE_PARTS = ("counts", "cables", "bom", "cost", "percentiles", "all_reduce", "spares")


def versions() -> list[str]:
    """Model and catalog that figures of today are made by."""
    return [MODEL_VERSION, load_catalog().version]


def to_keep(figures: Headlines, digest: str) -> Headlines:
    """Headline figures with what they are of and made by."""
    return figures.but(spec_hash=digest, versions=versions())


def kept(row: Design | DesignEdit | Baseline) -> Headlines | None:
    """The headline figures that a row keeps, whatever model made them; None where it has none."""
    return Headlines.from_json(row.figures) if row.figures else None


def is_of_today(figures: Headlines | None) -> TypeGuard[Headlines]:
    """Whether kept figures are what an estimate would say now."""
    return figures is not None and figures.versions == versions()


def figures_of_spec(spec: DesignSpec) -> Headlines | None:
    """Headline figures of a request, with what they are of and made by; None where no fabric of its parts meets it."""
    try:
        made = PricedEstimate.of(estimate([spec], load_catalog(), parts=LIVE_PARTS)[0])
    except EstimatorError:
        return None
    return to_keep(headlines(made), spec_hash(spec))


def figures_of(values: Given, digest: str) -> Headlines | None:
    """As ``figures_of_spec``, of a stored request and its hash; None where today's rules refuse it."""

    def make() -> Json | None:
        try:
            made = figures_of_spec(parse_spec(values, load_catalog()))
        except EstimatorError:
            return None
        return made.as_json() if made else None

    found = cached(f"figures:{digest}", make)
    return Headlines.from_json(found) if found else None


def cached(name: str, make: Callable[[], Any]) -> Any:
    """What is kept under a name for today's model and catalog; made where there is none, or the cache does not answer."""
    model, catalog = versions()
    key = f"{name}:{model}:{catalog[:16]}"
    found = _asked(lambda: cache.get(key))
    if found is None:
        found = {"is": make()}
        _asked(lambda: cache.set(key, found, KEPT_S))
    return found["is"]


def _asked(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Exception:  # each cache has its own errors, and what it keeps can be made again
        logger.warning("The cache does not answer; figures are made again", exc_info=True)
        return None
