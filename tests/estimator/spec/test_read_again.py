"""Whatever number a request is accepted with, it is accepted with when it is read again: at every bound and beside it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import get_args

from pydantic import BaseModel

from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError
from estimator.performance.system import System
from estimator.spec.change import apply_change
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec

BASE = {"name": "x", "compute": {"server": "dgx-h100", "nodes": 64}, "fabric": {"generation": "ndr"}}
ENDS = ("ge", "gt", "le", "lt")
Numeric = tuple[str, bool, dict[str, float]]


def numeric_fields(model: type[BaseModel], prefix: str = "") -> Iterator[Numeric]:
    """(path, whether it takes fractions, bounds) of every number, those of lists aside."""
    for name, field in model.model_fields.items():
        kinds = [one for one in (*get_args(field.annotation), field.annotation) if isinstance(one, type)]
        section = next((one for one in kinds if issubclass(one, BaseModel)), None)
        if section is not None:
            yield from numeric_fields(section, f"{prefix}{name}.")
        elif int in kinds or float in kinds:
            bounds = {
                end: value for one in field.metadata for end in ENDS if (value := getattr(one, end, None)) is not None
            }
            yield f"{prefix}{name}", float in kinds, bounds


def beside(is_fraction: bool, bounds: dict[str, float]) -> set[float]:
    """Each bound, what lies next to it on either side, and fractions that no decimal holds."""
    if not is_fraction:
        return {int(value) + step for value in bounds.values() for step in (-1, 0, 1)}
    next_to = {math.nextafter(value, way) for value in bounds.values() for way in (-math.inf, math.inf)}
    return {float(one) for one in {*bounds.values(), *next_to, 0.1 + 0.2, 1e-4 / 3}}


FIELDS = list(numeric_fields(DesignSpec))


def test_a_number_that_is_accepted_is_accepted_again() -> None:
    catalog, accepted = load_catalog(), 0
    for path, is_fraction, bounds in FIELDS:
        for value in beside(is_fraction, bounds):
            try:
                spec = parse_spec(apply_change(BASE, {path: value}), catalog)
            except EstimatorError:
                continue
            accepted += 1
            for stored in (spec.as_json(), spec.as_given() | {"name": spec.name})[not is_fraction :]:
                again = parse_spec(json.loads(json.dumps(stored)), catalog)
                assert again.model_dump() == spec.model_dump(), (path, value)
    assert accepted > 150


def test_a_design_says_nothing_of_its_system_that_a_prediction_refuses() -> None:
    """Small messages below a nanosecond, or of 4,194,304 GPUs, were accepted here and refused in the system that is predicted."""
    taken = {path: bounds for path, _, bounds in numeric_fields(System)}
    shared = {path.rpartition(".")[2]: (path, bounds) for path, _, bounds in FIELDS}
    names = taken.keys() & shared.keys()
    assert {"small_message_us", "small_message_gpus", "scale_up_domain_gpus", "planes"} <= names
    for name in names:
        path, bounds = shared[name]
        low, high = (taken[name].get(one, edge) for one, edge in (("ge", -math.inf), ("le", math.inf)))
        assert bounds.get("ge", bounds.get("gt", -math.inf)) >= low, path
        assert bounds.get("le", bounds.get("lt", math.inf)) <= high, path
