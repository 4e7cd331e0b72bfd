"""A site's own values of some constants, and the floor that its short messages stand on: how a request carries them, and what
they do to the model.
"""

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

from pydantic import Field

from estimator.catalog.constants import ModelConstants
from estimator.errors import Problem
from estimator.record import Json
from estimator.spec.checking import Section

Stack = Literal["lean", "slow-host", "kubernetes", "efa-blackwell", "two-racks-nvl72"]
LEAST_SMALL_US, MOST_SMALL_US = 0.001, 100_000.0  # a nanosecond: below it latencies are no numbers any more
MOST_SMALL_GPUS = 1_048_576  # as many as a prediction takes
STACK_WORDS = (
    "A host, launcher and plugin that are known by a measured floor of short messages; null where it is not known, and the "
    "band then holds what sites differ by."
)
SMALL_MESSAGE_WORDS = (
    "Measured time of a message of 1 KiB or less, in µs: all latencies follow it. Of the requested collective; of a design's "
    "curves, an all-reduce."
)
SMALL_GPUS_WORDS = (
    "GPUs of that measurement; where left out, the request's largest count, and of a design one scale-up domain."
)
MAX_CALIBRATED = 40
LARGEST = 1e9  # of any constant, in its unit: far beyond each, so that nothing overflows


class ConstantRange(Section):
    """How far a constant may lie from its value, in its unit."""

    low: float = Field(title="Least", description="The least that it may be.")
    high: float = Field(title="Most", description="The most that it may be.")


def _is_missing(value: Any) -> bool:
    return value is None


class Calibrated(Section):
    """A named calibration, whole: with it in the request a result depends on nothing that is not in there."""

    name: str = Field(min_length=1, max_length=200, title="Name", description="What the calibration is called.")
    parameters: dict[str, float] = Field(
        min_length=1,
        max_length=MAX_CALIBRATED,
        title="Constants",
        description="Constants of the model by name and index, such as network_efficiency.infiniband, in their units.",
    )

    ranges: dict[str, ConstantRange] | None = Field(
        None,
        max_length=MAX_CALIBRATED,
        exclude_if=_is_missing,
        title="Ranges",
        description="Of constants that figures of single paths set: how far each may lie from its value. Bands of predictions "
        "hold these ranges; constants without one are taken as fitted by logs.",
    )

    @property
    def hash(self) -> str:
        """16 hexadecimal digits of values and ranges: equal for calibrations that predict the same."""
        kept: Json = self.model_dump(include={"parameters", "ranges"})
        text = json.dumps(kept if self.ranges else self.parameters, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def provenance(self) -> Json:
        """What an estimate says of it."""
        return {"name": self.name, "hash": self.hash, "parameters": dict(sorted(self.parameters.items()))}


def parameter_name(key: tuple[str, str]) -> str:
    """``("ring_fill", "hopper")`` → ``ring_fill.hopper``."""
    return ".".join(part for part in key if part)


def parameter_key(name: str) -> tuple[str, str]:
    """The reverse of ``parameter_name``."""
    first, _, rest = name.partition(".")
    return first, rest


def calibrated_problems(calibrated: Calibrated | None, catalog: Any, field: str) -> list[Problem]:
    """Constants that the model does not have, and values that none can have."""
    problems = []
    for name, value in (calibrated.parameters if calibrated else {}).items():
        place = f"{field}.parameters"
        row = _rows(catalog).get(parameter_key(name))
        if row is None:
            message = (
                f"The model has no constant '{name[:80]}'. A calibration's answer has the names under 'parameters'."
            )
            problems.append(Problem(place, "unknown_constant", message))
        elif not 0 <= value <= LARGEST or (row.unit == "1" and value == 0):
            message = f"{name} must be above 0 (a time may be 0) and at most {LARGEST:,.0f}, and {value:g} was given."
            problems.append(Problem(place, "out_of_range", message))
        elif row.unit == "1" and value > 4 * float(row.high):
            message = f"{name} is a share or factor of at most {4 * float(row.high):g}, and {value:g} was given."
            problems.append(Problem(place, "out_of_range", message))
    for name, ends in ((calibrated.ranges or {}) if calibrated else {}).items():
        problems += _range_problems(name, ends, calibrated.parameters if calibrated else {}, catalog, field)
    return problems


def _range_problems(
    name: str, ends: ConstantRange, values: Mapping[str, float], catalog: Any, field: str
) -> list[Problem]:
    """A range of no constant, or one that its value lies outside of or that reaches where no constant can be."""
    place, value = f"{field}.ranges", values.get(name)
    row = _rows(catalog).get(parameter_key(name))
    if value is None:
        message = f"'{name[:80]}' has a range and no value. Give its value under 'parameters', or leave the range out."
        return [Problem(place, "unknown_constant", message)]
    if not ends.low <= value <= ends.high:
        message = (
            f"The range of {name}, {ends.low:g} to {ends.high:g}, does not hold its value {value:g}. "
            "Give low ≤ value ≤ high, or leave the range out."
        )
        return [Problem(place, "out_of_range", message)]
    least_holds = ends.low > 0 or (ends.low == 0 and row is not None and row.unit == "us")
    if not least_holds or ends.high > LARGEST:
        message = (
            f"The range of {name} must lie above 0 (of a time from 0 on) and end at {LARGEST:,.0f} at most, and "
            f"{ends.low:g} to {ends.high:g} was given."
        )
        return [Problem(place, "out_of_range", message)]
    return []


def _rows(catalog: Any) -> Mapping[tuple[str, str], Any]:
    return {(row.name, row.index or ""): row for row in catalog.constants.values()}


@lru_cache(maxsize=4)
def _as_listed(catalog: Any) -> ModelConstants:
    return ModelConstants(catalog)


def constants_of(catalog: Any, calibrated: Calibrated | None) -> ModelConstants:
    """The catalog's constants with a calibration's in their place."""
    constants = _as_listed(catalog)
    if calibrated is None:
        return constants.replaced({})  # one of its own: it keeps which rows have answered
    values = {parameter_key(name): value for name, value in calibrated.parameters.items()}
    ranges = {parameter_key(name): (ends.low, ends.high) for name, ends in (calibrated.ranges or {}).items()}
    return constants.replaced(values, f"calibration {calibrated.name}", ranges)
