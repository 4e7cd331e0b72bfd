"""Shapes in the OpenAPI document of what `estimator` answers as records, straight from their annotations and docstrings."""

import ast
import inspect
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from designer.api.components import SPEC_CHANGE, component
from estimator.errors import Change
from estimator.record import NEWER, Json, Shape, keys_of
from estimator.workloads.serving.answer import Placement
from estimator.workloads.serving.search import Advice
from estimator.workloads.training.answer import Link, MemoryParts, Parts

_PLAIN: dict[Any, Json] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number", "format": "double"},
    str: {"type": "string"},
}
Schema = dict[str, Any]


def shape(kind: type[Shape], **options: Any) -> serializers.JSONField:
    """A field that holds such a record."""
    described = extend_schema_field(cast(Any, kind))(type(f"{kind.__name__}Field", (serializers.JSONField,), {}))
    return cast(serializers.JSONField, described(**options))


def shapes(kind: type[Shape], **options: Any) -> serializers.ListField:
    """A field that holds a list of them."""
    return serializers.ListField(child=shape(kind), **options)


NAMES: dict[type, str] = {
    Placement: "ServedPlacement",
    Advice: "PlacementAdvice",
    Link: "StepLink",
    Parts: "StepParts",
    MemoryParts: "StepMemory",
}  # of records whose own names say too little in a document of all of them


def name_of(kind: type) -> str:
    """What a record is called in the document."""
    return NAMES.get(kind, str(kind.__name__))


class _Writing:
    """Where a record's parts are put, in place of the library's registry: among the components that are written by hand."""

    def resolve_serializer(self, kind: type[Shape], direction: str) -> "_Written":
        """The part as a component."""
        return _Written(written(kind))


class _Written(NamedTuple):
    ref: Json


def written(kind: type[Shape]) -> Json:
    """A reference to a record, for bodies that are written by hand."""
    return component(name_of(kind), _described(kind, _Writing(), "response"))


class ShapeComponent(OpenApiSerializerExtension):
    """Components of the document out of records."""

    target_class = "estimator.record.Shape"
    match_subclasses = True

    def get_name(self, auto_schema: Any, direction: str) -> str:
        return name_of(self.target)

    def map_serializer(self, auto_schema: Any, direction: str) -> Schema:
        return _described(self.target, auto_schema, direction)


def _described(kind: type[Shape], auto_schema: Any, direction: str) -> Schema:
    """A record as a schema: its keys with their types and notes."""
    hints, notes = get_type_hints(kind, include_extras=True), _notes(kind)
    properties, required = {}, []
    for key in keys_of(kind):
        hint = hints[key.attribute]
        if key.is_left_out:
            hint = Annotated[_without_none(get_args(hint)[0]), *get_args(hint)[1:]]
        elif NEWER not in get_args(hint)[1:]:
            required.append(key.name)
        properties[key.name] = _noted(_schema(hint, auto_schema, direction), notes.get(key.attribute))
    described = {"description": inspect.cleandoc(kind.__doc__)} if kind.__doc__ else {}
    return {"type": "object", **described, "properties": properties, "required": sorted(required)}


def _schema(hint: Any, auto_schema: Any, direction: str) -> Schema:
    def of(part: Any) -> Schema:
        return _schema(part, auto_schema, direction)

    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return next((extra for extra in args[1:] if isinstance(extra, dict)), None) or of(args[0])
    if hint in _PLAIN:
        return dict(_PLAIN[hint])
    if hint == Change:
        return dict(SPEC_CHANGE)
    if inspect.isclass(hint) and issubclass(hint, Shape):
        return cast(Schema, auto_schema.resolve_serializer(cast(Any, hint), direction).ref)
    if isinstance(hint, TypeVar):  # of a range
        return dict(_PLAIN[float])
    if inspect.isclass(origin) and issubclass(origin, Shape):
        return of(origin)
    if origin in (Union, UnionType) and len(parts := [one for one in args if one is not NoneType]) > 1:
        null = [{"type": "null"}] if NoneType in args else []
        return {"anyOf": [*(of(one) for one in parts if one is not int or float not in parts), *null]}
    if origin in (Union, UnionType):
        return _or_null(of(_without_none(hint)))
    if origin is Literal:
        return {"type": "string", "enum": list(args)}
    if origin in (list, tuple, Sequence):
        return {"type": "array", "items": of(args[0])}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": of(args[1])}
    raise TypeError(f"no shape for {hint}")


def _without_none(hint: Any) -> Any:
    """``T | None`` → ``T``."""
    (kind,) = (part for part in get_args(hint) if part is not NoneType)
    return kind


def _or_null(schema: Schema) -> Schema:
    if "$ref" in schema:
        return {"oneOf": [schema, {"type": "null"}]}
    either = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return schema | {"type": [schema["type"], "null"]} | either


def _noted(schema: Schema, note: str | None) -> Schema:
    if note is None:
        return schema
    return ({"allOf": [schema]} if "$ref" in schema else schema) | {"description": note}


def _notes(kind: type) -> dict[str, str]:
    """The text below each attribute of a record, and of those that it extends."""
    notes: dict[str, str] = {}
    for base in reversed(kind.__mro__[:-1]):
        notes |= _notes_of_module(base.__module__)[base.__name__]
    return notes


@cache
def _notes_of_module(name: str) -> dict[str, dict[str, str]]:
    """Class → attribute → the text below it. A module is read once for all its classes: the document has hundreds."""
    body = ast.parse(inspect.getsource(sys.modules[name])).body
    return {one.name: _notes_of_class(one) for one in body if isinstance(one, ast.ClassDef)}


def _notes_of_class(definition: ast.ClassDef) -> dict[str, str]:
    return {
        line.target.id: inspect.cleandoc(below.value.value)
        for line, below in pairwise(definition.body)
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) and isinstance(below.value.value, str)
    }
