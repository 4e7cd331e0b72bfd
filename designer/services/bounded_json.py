"""JSON that somebody sends, read within bounds. What Python would read and JSON forbids is refused."""

import json
import math
from collections import Counter
from typing import Any, NoReturn

from estimator.errors import EstimatorError, Problem
from estimator.record import Json

MAX_DEPTH = 32
MAX_INTEGER = 2**63 - 1


class UnsoundJson(EstimatorError):
    """A text that is no JSON object, or one beyond the bounds; its one problem says where."""

    code = "malformed_json"


def json_object(data: bytes, what: str = "body") -> Json:
    """A JSON object of at most 32 levels, without NaN, repeated keys or integers beyond 64 bits.

    ``what`` names the text in messages.

    Raises
    ------
    UnsoundJson
        If it is none.
    """
    values = _value(data, what)
    if not isinstance(values, dict):
        raise _unsound("not_an_object", f"The {what} must be a JSON object {{…}}, not {_kind(values)}.")
    return values


def json_object_or_list(data: bytes, what: str = "body") -> Json | list[Any]:
    """As ``json_object``, or a list."""
    values = _value(data, what)
    if not isinstance(values, dict | list):
        message = f"The {what} must be a JSON object {{…}} or a list of them, not {_kind(values)}."
        raise _unsound("not_an_object", message)
    return values


def _value(data: bytes, what: str) -> Any:
    try:
        values = json.loads(
            data.decode("utf-8-sig"),
            parse_constant=_refuse_constant,
            parse_float=_finite_float,
            parse_int=_bounded_integer,
            object_pairs_hook=_unique_keys,
        )
    except UnicodeDecodeError as error:
        raise _unsound("malformed_json", f"The {what} is not UTF-8: byte {error.start} cannot be read.") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise _unsound("malformed_json", f"The {what} is not JSON: {error.msg} at {place}.") from None
    except RecursionError:
        raise _too_deep(what) from None
    _check(values, what)
    return values


def _unsound(code: str, message: str) -> UnsoundJson:
    return UnsoundJson([Problem("", code, message)])


def _refuse_constant(name: str) -> NoReturn:
    raise _unsound("malformed_json", f"{name} is not a JSON number. Leave the key out, or give a finite number.")


def _finite_float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise _unsound("number_out_of_range", f"{_short(text)} is too large a number; 1e308 is the largest.")
    return number


def _bounded_integer(text: str) -> int:
    # Length first: turning very long digits into a number takes quadratic time.
    if len(text) > 20 or abs(int(text)) > MAX_INTEGER:
        raise _unsound("number_out_of_range", f"{_short(text)} is outside ±{MAX_INTEGER:,}, the largest whole number.")
    return int(text)


def _unique_keys(pairs: list[tuple[str, Any]]) -> Json:
    values = dict(pairs)
    if len(values) < len(pairs):
        repeated = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise _unsound("repeated_key", f"The key {_short(repeated)!r} stands twice in one object; keep one.")
    return values


def _check(values: Any, what: str) -> None:
    """Refuse nesting deeper than MAX_DEPTH and text that no database stores (lone surrogates, NUL)."""
    level = [values]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for value in level:
            if isinstance(value, str):
                _check_text(value)
            elif isinstance(value, dict):
                below.extend(value)
                below.extend(value.values())
            elif isinstance(value, list):
                below.extend(value)
        if not below:
            return
        level = below
    raise _too_deep(what)


def _check_text(text: str) -> None:
    if text.isascii() and "\0" not in text:
        return
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise _unsound("unreadable_text", f"The text {_short(text)!a} has a NUL or half a character pair in it.")


def _too_deep(what: str) -> UnsoundJson:
    return _unsound("too_deep", f"The {what} nests deeper than {MAX_DEPTH} levels; a request needs fewer than 10.")


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}…"


def _kind(value: Any) -> str:
    names = {list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(value), "null")
