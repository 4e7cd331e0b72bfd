"""Parts of an Estimate as frozen, typed records: their JSON has a key for each annotation, in that order.

Records are made by our own code alone, so that mypy checks them and nothing is checked when one is made. Their base has
all the code they need: forty generated classes would cost the start of the program a tenth of its time (decision 0014).
"""

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, Self, TypeVar, dataclass_transform, get_args, get_type_hints

T = TypeVar("T")
LEFT_OUT = "no key where there is nothing"
_PLAIN = (str, int, float, bool)
NEWER = "not in estimates of every older model"
Newer = Annotated[T, NEWER]  # may be missing from an estimate that is kept: the REST document does not promise it
IfAny = Annotated[T | None, LEFT_OUT]  # no key where the value is None; every other None is null in JSON


class Key(NamedTuple):
    """One attribute of a record and its key in JSON; ``from_`` is ``from``, which is no name in Python."""

    attribute: str
    name: str
    is_left_out: bool


_KEYS: dict[type, tuple[Key, ...]] = {}


def keys_of(kind: type) -> tuple[Key, ...]:
    """Keys of a kind of record; those of the kinds that it extends come first. Kept, as annotations do not change."""
    if kind not in _KEYS:
        hints = get_type_hints(kind, include_extras=True)
        _KEYS[kind] = tuple(Key(name, name.rstrip("_"), LEFT_OUT in get_args(hint)[1:]) for name, hint in hints.items())
    return _KEYS[kind]


class Shape:
    """Whatever has a key in JSON for each of its annotations: a record, or a frozen dataclass."""

    __slots__ = ()

    def as_json(self) -> dict[str, Any]:
        """Plain JSON values under the names of the Estimate."""
        return {
            key.name: _plain(value)
            for key in keys_of(type(self))
            if (value := getattr(self, key.attribute)) is not None or not key.is_left_out
        }


def _plain(value: Any) -> Any:
    """Lists are of one kind throughout: their first entry says whether records are among them."""
    if value is None or type(value) in _PLAIN:
        return value
    if isinstance(value, Shape):
        return value.as_json()
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value] if value and isinstance(value[0], (Shape, Mapping)) else list(value)
    return value


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Record(Shape):
    """Base of the parts of an Estimate: attributes as annotated, given by name, never changed."""

    def __init__(self, **given: Any) -> None:
        attributes = [key.attribute for key in keys_of(type(self))]
        for name in attributes:
            if name not in given and hasattr(type(self), name):
                given[name] = getattr(type(self), name)
        if given.keys() != set(attributes):
            raise TypeError(f"{type(self).__name__} has {', '.join(attributes)}; given were {', '.join(given)}")
        self.__dict__.update(given)

    def but(self, **changes: Any) -> Self:
        """The record with other values under some names."""
        return type(self)(**(vars(self) | changes))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} does not change")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"
