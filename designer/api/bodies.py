"""Bodies that carry a design: a spec as it is, or a spec under a name of its own."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from designer.api.errors import Refusal, invalid, refuse, refuse_unknown
from designer.models import Design
from estimator.catalog.catalog import Catalog
from estimator.errors import Problem
from estimator.record import Given
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec

WRAPPER_KEYS = ("name", "spec")
REFERENCE_KEYS = ("design", "revision")
VERSION_KEYS = ("name", "note")


def spec_of(body: Given, catalog: Catalog) -> DesignSpec:
    """The DesignSpec of ``{"name": …, "spec": {…}}`` or of a bare spec. A name beside the spec is the design's.

    Raises
    ------
    Refusal
        For keys beside name and spec.
    SpecError
        With every problem of the spec.
    """
    if "spec" not in body:
        return parse_spec(body, catalog)
    refuse_unknown(body, WRAPPER_KEYS, most=None)
    return _named(body["spec"], body, catalog)


def revised_spec(design: Design, body: Given, catalog: Catalog) -> DesignSpec:
    """The next state of a design: ``name`` replaces its name, ``spec`` its spec; what is left out stays."""
    refuse_unknown(body, WRAPPER_KEYS, most=None)
    if not body:
        raise refuse(400, "nothing_to_change", "Give a name, a spec or both.")
    spec = body.get("spec", design.given)
    if isinstance(spec, Mapping) and "name" in design.given:
        spec = {"name": design.given["name"], **spec}
    return _named(spec, body, catalog)


def _named(spec: Any, body: Given, catalog: Catalog) -> DesignSpec:
    """The spec under the body's name; a name of its own must be right too, although it gives way."""
    if not isinstance(spec, Mapping) or "name" not in body:
        return parse_spec(spec, catalog)
    if "name" in spec:
        parse_spec(spec, catalog)
    return parse_spec({**spec, "name": body["name"]}, catalog)


def design_id_of(body: Given, key: str = "design") -> UUID:
    """The id in ``{"design": …}``, which the caller's own body has at ``key``."""
    refuse_unknown(body, REFERENCE_KEYS, most=None)
    try:
        return UUID(body["design"])
    except (ValueError, TypeError, AttributeError):
        message = (
            "This is no id of a design. Ids look like 8f14e45f-ceea-467f-8d5c-3a1b2c3d4e5f; GET designs/ lists yours."
        )
        raise invalid(key, "invalid", message) from None


def version_of(body: Given) -> tuple[str, str]:
    """(name, note) of a version to be saved; either may be left out.

    Raises
    ------
    Refusal
        For other keys, and for values that are no texts.
    """
    refuse_unknown(body, VERSION_KEYS, most=None)
    problems = [
        Problem(key, "wrong_type", f"A version's {key} is a text.")
        for key, value in body.items()
        if not isinstance(value, str)
    ]
    if problems:
        raise Refusal(400, "invalid_request", problems)
    return body.get("name", ""), body.get("note", "")
