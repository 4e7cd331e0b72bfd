"""Every candidate of a request through the ordinary estimate, one by one: what a search is compared with."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError
from estimator.pipeline import estimate
from estimator.search.columns.work import Verbs
from estimator.search.figures import FIGURES, PARTS, Aims, Key, figures_of_estimate
from estimator.search.search import search
from estimator.serving_request.answering import served
from estimator.spec.change import apply_change
from estimator.spec.parse import parse_spec
from estimator.training_request import trained

CATALOG = load_catalog()
VERBS = Verbs(trained, served)
SIZE = 17_179_869_184
KEYS: list[Key] = [(name, SIZE) for name in FIGURES]
Ends = dict[str, tuple[float, float, float]]


def searched(request: Any) -> Any:
    """The answer to a search, as JSON."""
    return search(request, CATALOG, estimate, verbs=VERBS).as_json()


def every_design(base: Any, values: Mapping[str, Sequence[Any]]) -> list[tuple[Any, Ends]]:
    """(request, figures: low, typical, high) of each combination that can be built as it stands."""
    out = []
    for chosen in product(*values.values()):
        given = apply_change(base, dict(zip(values, chosen, strict=True)))
        if (figures := _figures(repr(given))) is not None:
            out.append((given, figures))
    return out


def makers_in(given: Any, categories: Sequence[str]) -> set[str]:
    """Who makes parts of a design, by its bill of materials."""
    (made,) = estimate([parse_spec(given, CATALOG)], CATALOG, ("bom",))
    parts = {line.part for line in made.bom.lines if line.category in categories}
    switches = {one.vendor for one in CATALOG.switches.values() if one.id in parts}
    cables = {one.vendor for one in CATALOG.cables.values() if one.id in parts}
    return {vendor.split(" (")[0] for vendor in switches | cables if vendor != "Generic"}


def meets(limit: Any, given: Any, figures: Ends) -> bool:
    """Whether a design that is known by brute force meets a limit."""
    if "barred" in limit or "allowed" in limit:
        is_every = limit["figure"] == "vendors"
        made = makers_in(given, ("switch", "transceiver", "cable", "fiber") if is_every else ("switch",))
        return not made & {*limit.get("barred", ())} and ("allowed" not in limit or made <= {*limit["allowed"]})
    value = figures[limit["figure"]][1]
    return bool(limit.get("least", -np.inf) <= value <= limit.get("most", np.inf))


@lru_cache(maxsize=4096)
def _figures(text: str) -> Ends | None:
    try:
        spec = parse_spec(eval(text), CATALOG)
        (made,) = estimate([spec], CATALOG, PARTS)
    except EstimatorError:
        return None
    if any(finding.severity == "error" for finding in made.findings):
        return None
    table = figures_of_estimate(made, Aims(KEYS), CATALOG)
    return {key[0]: tuple(float(side[key][0]) for side in (table.low, table.typical, table.high)) for key in KEYS}  # type: ignore[misc]


def front_of(designs: Sequence[Ends], names: Sequence[str]) -> set[tuple[float, ...]]:
    """Figures of the designs that no other is as good as in all of ``names`` and better in one, by looking at all pairs."""
    signs = [-1 if FIGURES[name].is_more else 1 for name in names]
    rows = {tuple(one[name][1] for name in names) for one in designs}
    rows = {row for row in rows if not any(np.isnan(row))}

    def beats(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
        return one != other and all(s * a <= s * b for s, a, b in zip(signs, one, other, strict=True))

    return {row for row in rows if not any(beats(other, row) for other in rows)}


def agrees(name: str, found: float | None, expected: float) -> bool:
    """Money to the cent and counts to the port; power, shown to a tenth of a watt, to that; bandwidth to twelve digits."""
    if found is None or np.isnan(expected):
        return found is None and bool(np.isnan(expected))
    if FIGURES[name].unit == "kW":
        return abs(found - expected) <= 1.01e-4
    if FIGURES[name].unit == "GB/s":
        return bool(np.isclose(found, expected, rtol=1e-12, atol=0))
    return found == expected
