"""Headline figures of states that are not on the page: of versions and of other designs. Made once, then kept in the cache."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, TypeGuard

from django.core.cache import cache

from designer.wording.headlines import headlines
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError
from estimator.pipeline import estimate
from estimator.result import PricedEstimate
from estimator.spec.design import DesignSpec, spec_hash
from estimator.spec.parse import parse_spec
from estimator.version import MODEL_VERSION

logger = logging.getLogger(__name__)

KEPT_S = 7 * 86_400
Figures = dict[str, Any]
# What the strip and the findings need, and no more: growth would size three designs at each key.
LIVE_PARTS = ("counts", "cables", "bom", "cost", "percentiles", "all_reduce", "spares")


def versions() -> list[str]:
    """Model and catalog that figures of today are made by."""
    return [MODEL_VERSION, load_catalog().version]


def to_keep(live: Mapping[str, Any]) -> Figures | None:
    """Headline figures of a live answer, with what they are of and made by; None where it has problems."""
    found = live.get("headlines")
    return dict(found) | {"spec_hash": live["spec_hash"], "versions": versions()} if found else None


def is_of_today(figures: Mapping[str, Any] | None) -> TypeGuard[Mapping[str, Any]]:
    """Whether kept figures are what an estimate would say now."""
    return bool(figures) and (figures or {}).get("versions") == versions()


def figures_of_spec(spec: DesignSpec) -> Figures | None:
    """Headline figures of a request, with what they are of and made by; None where no fabric of its parts meets it."""
    try:
        made = PricedEstimate.of(estimate([spec], load_catalog(), parts=LIVE_PARTS)[0])
    except EstimatorError:
        return None
    return headlines(made) | {"spec_hash": spec_hash(spec), "versions": versions()}


def figures_of(values: Mapping[str, Any], digest: str) -> Figures | None:
    """As ``figures_of_spec``, of a stored request and its hash; None where today's rules refuse it."""

    def make() -> Figures | None:
        try:
            return figures_of_spec(parse_spec(values, load_catalog()))
        except EstimatorError:
            return None

    return cached(f"figures:{digest}", make)


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
