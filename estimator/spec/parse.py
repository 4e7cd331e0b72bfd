"""DesignSpec: what an architect asks for, checked, with every default printed back.

``parse_spec(values, catalog)`` is the one way in for the command line, the API, the form and stored designs. It finds
all problems in one pass. The keys and their words are in design.py, rules over several keys in rules.py.
"""

import json
import re
from dataclasses import replace
from typing import Any

from estimator.catalog.aliases import renamed
from estimator.catalog.catalog import Catalog
from estimator.errors import Problem, SpecError
from estimator.spec.calibration import calibrated_problems
from estimator.spec.change import apply_change
from estimator.spec.checking import validated
from estimator.spec.design import DesignSpec
from estimator.spec.network_rules import resolve_others, set_length_problems
from estimator.spec.own.checks import own_part_problems
from estimator.spec.own.overlay import seen_by
from estimator.spec.own.owned import owned_problems
from estimator.spec.price_book import own_price_problems
from estimator.spec.rules import nic_problem, resolve

_EVEN = "1:1"
_BEYOND_A_NAME = re.compile(r" (\d+GB\b|SXM\d*\b|PCIe\b|\().*|^Instinct ")  # memory, form and notes of a GPU's model
_OF_ONE_KEY = ("out_of_range", "wrong_type", "not_a_ratio")


def parse_spec(values: Any, catalog: Catalog) -> DesignSpec:
    """Check a request and fill in every default.

    Parameters
    ----------
    values : mapping, the JSON of a request.
    catalog : parts that ids refer to and defaults come from.

    Raises
    ------
    SpecError
        With every problem found: wrong types, bounds, unknown keys, unknown parts, values that contradict each other.
    """
    values = renamed(values, catalog.aliases)
    resolved, problems = _checked(values, catalog)
    if resolved is None or problems:
        raise SpecError([_settled(problem, values, catalog) for problem in problems])
    if not resolved.name:
        resolved = resolved.model_copy(update={"name": _name_of_what_it_is(resolved, catalog)})
    resolved._given.update(json.loads(json.dumps(dict(values))))
    return resolved


def _name_of_what_it_is(spec: DesignSpec, catalog: Catalog) -> str:
    """What a design is called that nobody has named: "2,048 × H100, NDR", with the oversubscription where there is one."""
    compute, fabric = spec.compute, spec.fabric
    gpus = (compute.nodes or 0) * (compute.gpus_per_node or 0)
    gpu = catalog.gpus.get(compute.gpu or "")
    what = f"{gpus:,} × {_BEYOND_A_NAME.sub('', gpu.model)}" if gpu else f"{gpus:,} GPUs"
    generation = catalog.generations[fabric.generation].label.removeprefix("InfiniBand ")
    over = "" if fabric.oversubscription == _EVEN else f", {fabric.oversubscription}"
    return f"{what}, {generation}{over}"


def _checked(values: Any, catalog: Catalog) -> tuple[DesignSpec | None, list[Problem]]:
    draft, problems = validated(DesignSpec, values, "a design")
    if draft is None:
        return None, problems
    if wrong := own_part_problems(draft.own_parts, catalog):
        return None, [*problems, *wrong]  # nothing is worked out with a part that cannot be
    catalog = seen_by(draft.own_parts, None, None, catalog)
    if wrong_nic := nic_problem(draft.compute, catalog):
        problems.append(wrong_nic)
    else:
        catalog = seen_by(draft.own_parts, draft.compute.server, draft.compute.nic, catalog)
    resolved, problems = resolve(draft, catalog, problems)
    resolved, of_others = resolve_others(resolved, catalog)
    problems += [*of_others, *set_length_problems(resolved)]
    problems += calibrated_problems(draft.workload.calibration, catalog, "workload.calibration")
    problems += own_price_problems(draft.economics.prices, catalog, "economics.prices")
    problems += owned_problems(draft.economics.owned, catalog, "economics.owned")
    return resolved, problems


def _settled(problem: Problem, values: Any, catalog: Catalog) -> Problem:
    """A problem whose change also keeps the rules over several keys: at its own bound, a number may still break one of those."""
    if problem.change is None or problem.code not in _OF_ONE_KEY:
        return problem
    after = _checked(apply_change(values, problem.change), catalog)[1]
    further = next((other.change for other in after if other.field == problem.field and other.change), None)
    if further is None or set(further) != set(problem.change):
        return problem
    return replace(problem, change=further)
