"""Named parts of the OpenAPI document that are written by hand, bodies of calls above all: generators name classes so."""

from typing import Any

from pydantic import BaseModel

from estimator.record import Json

_WRITTEN: dict[str, Json] = {}


def component(name: str, schema: Json) -> Json:
    """A reference to this schema, which the document will have under this name."""
    if _WRITTEN.setdefault(name, schema) != schema:
        raise ValueError(f"two schemas are called {name}")
    return {"$ref": f"#/components/schemas/{name}"}


def model(kind: type[BaseModel]) -> Json:
    """A reference to what checks this part of a body."""
    schema = split_enums(kind.model_json_schema(ref_template="#/components/schemas/{model}"))
    for name, part in schema.pop("$defs", {}).items():
        component(name, part)
    return component(kind.__name__, schema)


def with_written_components(result: Json, **_: Any) -> Json:
    """The library's hook at the end: put them in."""
    schemas = result["components"]["schemas"]
    for name in sorted(_WRITTEN):
        if schemas.setdefault(name, _WRITTEN[name]) != _WRITTEN[name]:
            raise ValueError(f"the document has another schema called {name}")
    result["components"]["schemas"] = dict(sorted(schemas.items()))
    for call in (call for address in result["paths"].values() for call in address.values()):
        if "requestBody" in call:  # the library forgets it of bodies that are written by hand
            call["requestBody"]["required"] = True
    return result


def split_enums(schema: Any) -> Any:
    """A JSON Schema whose enums of several types (1, 2, 3 and "auto") are one of an enum each, which generators can name.

    A constant number becomes an enum of one: a generator writes ``1and`` of it.
    """
    if isinstance(schema, list):
        return [split_enums(value) for value in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: split_enums(value) for key, value in schema.items()}
    if _type_of_const(schema) in ("integer", "number"):
        schema["enum"] = [schema.pop("const")]
    values = schema.get("enum")
    if not isinstance(values, list) or len({_type_of(value) for value in values} - {"null"}) < 2:
        return schema
    kinds = dict.fromkeys(map(_type_of, values))
    parts = [{"type": kind, "enum": [value for value in values if _type_of(value) == kind]} for kind in kinds]
    return {key: value for key, value in schema.items() if key not in ("enum", "type")} | {"anyOf": parts}


def _type_of_const(schema: Json) -> str | None:
    return _type_of(schema["const"]) if isinstance(schema.get("const"), (str, int, float)) else None


def _type_of(value: Any) -> str:
    names = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}
    return names[type(value)]


def body(properties: Json, **more: Any) -> Json:
    """An object of these keys and no others."""
    return {"type": "object", "properties": properties, **more, "additionalProperties": False}


def values_by(what: str) -> Json:
    """An object of any JSON values by what is said here."""
    kinds = ("string", "number", "boolean", "null")
    nested = [{"type": "array", "items": {}}, {"type": "object", "additionalProperties": True}]
    any_value = [*({"type": kind} for kind in kinds), *nested]
    return {"type": "object", "description": f"Values by {what}.", "additionalProperties": {"anyOf": any_value}}


SPEC_CHANGE = component("SpecChange", values_by("dotted key of a spec; null takes a key away"))
