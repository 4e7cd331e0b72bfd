"""Former ids of parts: what was written with one, in a spec, a price book or a quotation, still finds its part."""

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

Record = TypeVar("Record")
MOST_DEPTH = 20
_OWN_WORDS = ("name", "note", "source")  # keys whose text is the reader's own, whatever it says


class Parts(dict[str, Record], Generic[Record]):
    """Records of one kind by id. A former id finds its part too, and is not listed."""

    def __init__(self, records: Mapping[str, Record], aliases: Mapping[str, str]) -> None:
        super().__init__(records)
        self._aliases = aliases

    def _id(self, key: object) -> object:
        return self._aliases.get(key, key) if isinstance(key, str) else key

    def __missing__(self, key: str) -> Record:
        if (now := self._aliases.get(key)) is not None and super().__contains__(now):
            return super().__getitem__(now)
        raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        return super().__contains__(self._id(key))

    def get(self, key: str, default: Any = None) -> Any:
        """The record of an id or former id, or the default."""
        return super().get(self._aliases.get(key, key), default)


def renamed(values: Any, aliases: Mapping[str, str], depth: int = MOST_DEPTH) -> Any:
    """Values of a request with today's ids in the place of former ones; what names no part stays as it is.

    A request that nests deeper than ``depth`` is refused elsewhere: what lies below is left alone.
    """
    if isinstance(values, str):
        return values if depth < 0 else aliases.get(values, values)
    if depth < 0 or values is None or isinstance(values, int | float):  # first: to ask for a Mapping takes longest
        return values
    if isinstance(values, Mapping):
        return {
            key: value if key in _OWN_WORDS else renamed(value, aliases, depth - 1) for key, value in values.items()
        }
    return [renamed(value, aliases, depth - 1) for value in values] if isinstance(values, list) else values
