"""The model that a request names: an id of the catalog, a shape by plain keys, or a model hub's ``config.json``."""

import difflib
from collections.abc import Mapping

from estimator.errors import Problem, SpecError
from estimator.spec.checking import kind_of
from estimator.workloads.models.catalog import catalog_models, ids_by_name
from estimator.workloads.models.hub_config import MARKS, shape_of_config
from estimator.workloads.models.own_shape import shape_of_keys
from estimator.workloads.models.shapes import ModelShape

MOST_KEYS = 1_000  # of a pasted config.json; public ones have fewer than 200
_NEAR = 3


def model_of(value: object, field: str = "model") -> ModelShape:
    """The shape that a request's ``model`` means.

    Parameters
    ----------
    value : an id or alias of the catalog (case does not matter), an object with the keys of an own shape, or an object
        that is a model hub's ``config.json``.
    field : where it stands in the request; problems name it.

    Raises
    ------
    SpecError
        With every problem found; an unknown id names those near it.
    """
    shape, problems = model_or_problems(value, field)
    if shape is None:
        raise SpecError(problems)
    return shape


def model_or_problems(value: object, field: str = "model") -> tuple[ModelShape | None, list[Problem]]:
    """The same for callers that gather problems: the shape, or None and what is wrong."""
    if isinstance(value, str):
        return _by_name(value, field)
    if not isinstance(value, Mapping):
        message = (
            f"A model is a catalog id, an object of plain keys or a hub's config.json, and {kind_of(value)} was given."
        )
        return None, [Problem(field, "wrong_type", message)]
    if len(value) > MOST_KEYS:
        return None, [Problem(field, "too_deep", f"Has {len(value):,} keys; a config.json has at most {MOST_KEYS:,}.")]
    if any(mark in value for mark in MARKS):
        return shape_of_config(value, field)
    return shape_of_keys(value, field)


def _by_name(value: str, field: str) -> tuple[ModelShape | None, list[Problem]]:
    names = ids_by_name()
    id_ = names.get(value.strip().casefold())
    if id_ is not None:
        return catalog_models()[id_].shape, []
    near = difflib.get_close_matches(value.strip().casefold()[:80], names, 2 * _NEAR, 0.4)
    ids = list(dict.fromkeys(names[name] for name in near))[:_NEAR] or sorted(catalog_models())[:_NEAR]
    message = (
        f"The catalog has no model '{value[:80]}'. Near it: {', '.join(ids)}; or give its shape by plain keys "
        "(layers, hidden, heads, …) or its config.json."
    )
    return None, [Problem(field, "unknown_model", message)]
