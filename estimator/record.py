"""Parts of an Estimate as frozen, typed records: their JSON has a key for each annotation, in that order, and is read back.

Records are made by our own code alone, so that mypy checks them and nothing is checked when one is made. Their base has
all the code they need: forty generated classes would cost the start of the program a tenth of its time (decision 0014).
"""

from collections.abc import Callable, Mapping, Sequence
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    NamedTuple,
    Self,
    TypeVar,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

T = TypeVar("T")
Json = dict[str, Any]  # an object of JSON whose keys are not declared: a schema, a change, what as_json gives
Given = Mapping[str, Any]  # the same as somebody gave it, only read
LEFT_OUT = "no key where there is nothing"
_PLAIN = (str, int, float, bool)
NEWER = "not in every estimate"
Newer = Annotated[T, NEWER]  # no key in estimates of older models, or where it was not requested: reads as None
IfAny = Annotated[T | None, LEFT_OUT]  # no key where the value is None; every other None is null in JSON
Read = Callable[[Any], Any]  # JSON → what a record has


class Key(NamedTuple):
    """One attribute of a record and its key in JSON; ``from_`` is ``from``, which is no name in Python."""

    attribute: str
    name: str
    is_left_out: bool
    is_newer: bool


_KEYS: dict[type, tuple[Key, ...]] = {}
_NEEDED: dict[type, tuple[frozenset[str], frozenset[str], Json]] = {}
_READS: dict[type, tuple[tuple[Key, Read | None], ...]] = {}


def keys_of(kind: type) -> tuple[Key, ...]:
    """Keys of a kind of record; those of the kinds that it extends come first. Kept, as annotations do not change."""
    if kind not in _KEYS:
        # as written: to resolve every annotation, as get_type_hints does, would take longer than all that is made of them
        hints = {
            name: hint for one in reversed(kind.__mro__) for name, hint in vars(one).get("__annotations__", {}).items()
        }
        marked = {name: get_args(hint)[1:] for name, hint in hints.items()}
        _KEYS[kind] = tuple(
            Key(name, name.rstrip("_"), LEFT_OUT in marks, NEWER in marks) for name, marks in marked.items()
        )
    return _KEYS[kind]


class Shape:
    """Whatever has a key in JSON for each of its annotations: a record, or a frozen dataclass."""

    __slots__ = ()

    def as_json(self) -> Json:
        """Plain JSON values under the names of the Estimate."""
        return {
            key.name: _plain(value)
            for key in keys_of(type(self))
            if (value := getattr(self, key.attribute)) is not None or not key.is_left_out
        }

    @classmethod
    def from_json(cls, stored: Given) -> Self:
        """The reverse of ``as_json``. Keys that it does not know are left alone, and nothing is checked."""
        return cls(
            **{
                key.attribute: one(stored[key.name]) if one else stored[key.name]
                for key, one in _reads(cls)
                if key.name in stored
            }
        )


def _needed(kind: type) -> tuple[frozenset[str], frozenset[str], Json]:
    """Names of the attributes of a kind of record, those that have to be given, and the defaults of others; kept."""
    if kind not in _NEEDED:
        names = frozenset(key.attribute for key in keys_of(kind))
        newer = {key.attribute for key in keys_of(kind) if key.is_newer}
        defaults = {name: getattr(kind, name) for name in names - newer if hasattr(kind, name)}
        _NEEDED[kind] = names, names - newer - defaults.keys(), defaults
    return _NEEDED[kind]


def _reads(kind: type) -> tuple[tuple[Key, Read | None], ...]:
    """The keys of a kind of record, and how the value of each is read; kept."""
    if kind not in _READS:
        hints = get_type_hints(kind)
        _READS[kind] = tuple((key, _read(hints[key.attribute])) for key in keys_of(kind))
    return _READS[kind]


def _read(hint: Any) -> Read | None:
    """How a value of this annotation is read from JSON; None where it is kept as it is."""
    origin, args = get_origin(hint), get_args(hint)
    kind = origin or hint
    if isinstance(kind, type) and hasattr(kind, "from_json"):
        read: Read = kind.from_json
        return read
    if kind in (Union, UnionType):
        reads = [found for part in args if part is not NoneType and (found := _read(part))]
        return _or_none(*reads) if reads else None
    if kind in (list, Sequence):
        return _each(list, _read(args[0])) if _read(args[0]) else None
    if kind is tuple:
        return _each(tuple, _read(args[0]))
    if kind in (dict, Mapping) and (one := _read(args[1])):
        return lambda stored: {key: one(value) for key, value in stored.items()}
    return None


def _or_none(one: Read) -> Read:
    return lambda stored: None if stored is None else one(stored)


def _each(kind: Callable[[Any], Any], one: Read | None) -> Read:
    return (lambda stored: kind([one(value) for value in stored])) if one else kind


def _plain(value: Any) -> Any:
    """Lists are of one kind throughout: their first entry that is not None says whether records are among them."""
    if value is None or type(value) in _PLAIN:
        return value
    if hasattr(value, "as_json"):
        return value.as_json()
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        first = next((one for one in value if one is not None), None)
        return [_plain(one) for one in value] if isinstance(first, (Shape, Mapping)) else list(value)
    return value


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Record(Shape):
    """Base of the parts of an Estimate: attributes as annotated, given by name, never changed."""

    def __init_subclass__(cls) -> None:
        for name, hint in cls.__annotations__.items():
            if NEWER in get_args(hint)[1:]:
                setattr(cls, name, None)

    def __init__(self, **given: Any) -> None:
        names, needed, defaults = _needed(type(self))
        if not names >= given.keys() >= needed:
            has = ", ".join(key.attribute for key in keys_of(type(self)))
            raise TypeError(f"{type(self).__name__} has {has}; given were {', '.join(given)}")
        self.__dict__.update(defaults, **given)

    def as_json(self) -> Json:
        """Plain JSON values under the names of the Estimate; what was not given has no key."""
        held = self.__dict__
        return {
            key.name: _plain(value)
            for key in keys_of(type(self))
            if (value := held.get(key.attribute)) is not None or (key.attribute in held and not key.is_left_out)
        }

    @classmethod
    def from_json(cls, stored: Given) -> Self:
        """The reverse of ``as_json``; a key that an older model did not have is one that was not given."""
        made = object.__new__(cls)
        held = made.__dict__
        for key, one in _reads(cls):
            if key.name in stored:
                value = stored[key.name]
                held[key.attribute] = one(value) if one else value
            elif key.is_left_out:
                held[key.attribute] = None
        return made

    def but(self, **changes: Any) -> Self:
        """The record with other values under some names."""
        return type(self)(**(vars(self) | changes))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} does not change")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"
