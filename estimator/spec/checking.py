"""Checking JSON against pydantic models: every problem in one pass, in plain words, with the limit and the value."""

import difflib
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Annotated, Any, TypeVar, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from estimator.errors import Change, Problem
from estimator.record import Given, Json
from estimator.spec.change import apply_change, copied
from estimator.units import counted, nearest_ratio, parse_ratio

MAX_RATIO_SIDE = 1_024
MOST_GROUPED = 10**15
MAX_DEPTH = 20  # objects and lists inside one another; a request needs four
MAX_PROBLEMS = 100  # reported in one answer: a body of nothing but wrong keys would get one forty times its size
MOST_CHANGED = 10  # problems for which a value is looked for: each is tried on the whole request
MOST_STEPS = 3  # from a value that is not allowed to one that is: a fraction is rounded up, then held to its bound
PERCENT = 100
_SHOWN_CHARACTERS = 60


class Section(BaseModel):
    """Frozen, strict about types, and closed to unknown keys."""

    # built when it is first used: most are only parts of another, which builds them in itself
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False, defer_build=True)


def empty() -> list[Any]:
    """The default of a list. Of ``list`` itself pydantic parses the signature, with a tokenizer that it loads for that."""
    return []


def quantity(title: str, description: str, unit: str, default: Any = None, **bounds: Any) -> Any:
    """A field with a unit, which the schema says; ``bounds`` are pydantic's: ge, gt, le, lt."""
    field: Any = Field(default, title=title, description=description, json_schema_extra={"unit": unit}, **bounds)
    return field


def _checked_ratio(text: str) -> str:
    ratio = parse_ratio(text)
    if max(ratio.numerator, ratio.denominator) > MAX_RATIO_SIDE:
        raise ValueError(f"{text!r} is finer than 1:{MAX_RATIO_SIDE:,}; use smaller integers")
    down, up = text.split(":")
    return f"{int(down)}:{int(up)}"


Ratio = Annotated[str, AfterValidator(_checked_ratio)]


def not_true_or_false(choices: str) -> BeforeValidator:
    """Refuses true and false among choices that hold 1: Python takes True for it."""

    def checked(value: Any) -> Any:
        if isinstance(value, bool):
            raise PydanticCustomError("literal_error", "Input should be {expected}", {"expected": choices})
        return value

    return BeforeValidator(checked)


Model = TypeVar("Model", bound=BaseModel)


def left_out(section: type[Model]) -> Callable[[], Model]:
    """The default of a section that a request does not have: sections are frozen, so that one instance serves all."""
    return cache(section.model_construct)


def validated(model: type[Model], values: Any, what: str) -> tuple[Model | None, list[Problem]]:
    """Check ``values`` against ``model``; ``what`` names the request, as in "a design".

    Returns
    -------
    (instance, problems). Keys that fail are dropped and the rest is checked again, so that the instance, where one can
    still be made, lets later rules find their problems in the same pass.
    """
    if not isinstance(values, Mapping):
        return None, [
            Problem("", "wrong_type", f"{what.capitalize()} is a JSON object, and this is {kind_of(values)}.")
        ]
    if _is_deep(values):
        return None, [
            Problem("", "too_deep", f"The request nests more than {MAX_DEPTH} objects and lists; {what} needs four.")
        ]
    try:
        return model.model_validate(dict(values)), []
    except ValidationError as error:
        found = _errors_of(error, values)
    problems = [problem_of(item, model, what) for item in found[:MAX_PROBLEMS]]
    for at, item in enumerate(found[:MOST_CHANGED]):
        problems[at] = replace(problems[at], change=_change_of(item, model, values))
    if (n_more := len(found) - MAX_PROBLEMS) > 0:
        problems.append(Problem("", "too_many_problems", f"There are {n_more:,} more; fix these {MAX_PROBLEMS} first."))
    places = [item["loc"] for item in found]
    for wrong in (places, [*places, *(place[: _list_at(place)] for place in places)]):
        try:
            return model.model_validate(_without(values, wrong)), problems
        except ValidationError:
            continue  # an entry of a list lacks what it needs: the rest is checked without the list
    return None, problems


# ---------------------------------------------------------------- errors at places of the request


def _errors_of(error: ValidationError, values: Given) -> list[Any]:
    """Pydantic's errors at places of the request, each choice of kinds once.

    Of a value that may be of several kinds, pydantic tells what is wrong with it as each of them, at places that have the
    kind's name in them. Told is the kind that the value came nearest to, or, where it is none, all kinds in one.
    """
    out: list[Any] = []
    choices: dict[tuple[int | str, ...], list[Any]] = {}
    for item in error.errors(include_url=False):
        place, choice = _place_in(item, values)
        if choice is None:
            out.append(item)
            continue
        if place[:choice] not in choices:
            out.append(choices.setdefault(place[:choice], []))
        choices[place[:choice]].append({**item, "loc": place})
    return [one for item in out for one in (_nearest_kind(item) if isinstance(item, list) else [item])]


def _place_in(item: Any, values: Given) -> tuple[tuple[int | str, ...], int | None]:
    """Where an error is in the request, and at which depth a kind was to be chosen; None where none was."""
    here: Any = values
    place: list[int | str] = []
    choice = None
    for at, part in enumerate(item["loc"]):
        is_left_out = item["type"] == "missing" and at == len(item["loc"]) - 1
        if (isinstance(here, Mapping) and part in here) or (isinstance(here, list) and isinstance(part, int)):
            here = here[part]
        elif not is_left_out:
            choice = len(place) if choice is None else choice
            continue
        place.append(part)
    return tuple(place), choice


def _nearest_kind(found: list[Any]) -> list[Any]:
    """Errors of one choice: those deepest in the value, and of several at one place one that names all kinds."""
    deepest = max(len(item["loc"]) for item in found)
    by_place: dict[tuple[int | str, ...], list[Any]] = {}
    for item in found:
        if len(item["loc"]) == deepest:
            by_place.setdefault(item["loc"], []).append(item)
    return [{**alike[0], "needed": _needed(alike)} if len(alike) > 1 else alike[0] for alike in by_place.values()]


def _needed(alike: Iterable[Any]) -> str | None:
    """ "a text or an object"; None where a value is of a kind, and wrong otherwise."""
    words = [next((words for start, words in _KINDS.items() if item["type"].startswith(start)), None) for item in alike]
    return None if None in words else " or ".join(dict.fromkeys(str(word) for word in words))


# ---------------------------------------------------------------- the nearest value that is allowed


def _change_of(item: Any, model: type[BaseModel], values: Given) -> Change | None:
    """The value nearest to one that is out of range or malformed, tried before it is proposed; None where none is clear."""
    place, path = item["loc"], ".".join(map(str, item["loc"]))
    for candidate in _nearest(item):
        for _ in range(MOST_STEPS):
            try:
                changed = apply_change(values, {path: candidate})
            except (ValueError, IndexError):
                return None  # the place is one of pydantic's own, not of the request
            wrong = _error_at(place, model, changed)
            if wrong is None:
                return {path: candidate}
            candidate = next(_nearest(wrong), None)
            if candidate is None:
                break
    return None


def _error_at(place: tuple[int | str, ...], model: type[BaseModel], values: Given) -> Any:
    """What is wrong at a place of the request; None if nothing is."""
    try:
        model.model_validate(values)
    except ValidationError as error:
        return next((item for item in _errors_of(error, values) if item["loc"] == place), None)
    return None


def _nearest(item: Any) -> Iterator[Any]:
    """Values to try for one that breaks a rule: the bound, the whole number above, the ratio that is meant."""
    kind, value, context = item["type"], item.get("input"), item.get("ctx", {})
    if kind in _BOUNDS:
        limit = context[_BOUNDS[kind]]
        if limit == 1 and 2 <= value <= PERCENT:
            yield value / PERCENT  # a share given in per cent
        yield int(limit) if limit == int(limit) else limit
    elif kind.startswith("int") and isinstance(value, float | str) and _DECIMAL.fullmatch(str(value)):
        yield math.ceil(float(value))
    elif kind == "value_error" and isinstance(value, str):
        ratio = nearest_ratio(value)
        yield from [ratio] * (ratio is not None)


_DECIMAL = re.compile(r"-?[0-9]{1,9}\.[0-9]{1,9}")
_BOUNDS = {"greater_than_equal": "ge", "less_than_equal": "le"}


def _list_at(place: tuple[int | str, ...]) -> int:
    """Length of the path to the first list that a place leads through; of the whole path if there is none."""
    return next((at for at, part in enumerate(place) if isinstance(part, int)), len(place))


def _is_deep(values: Any) -> bool:
    level = [values]
    for _ in range(MAX_DEPTH + 1):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, Mapping) else outer)
            if isinstance(inner, dict | list)
        ]
    return bool(level)


def unknown_part(
    field: str, kind: str, value: str, known: Iterable[str], instead: str = "", numbered: Iterable[str] = ()
) -> Problem:
    """An id that the catalog does not have, with those near it; ``instead`` is another way out.

    ``numbered`` are the ids of parts whose vendor's number it is: they are what was meant.
    """
    way_out = f"; or {instead}" if instead else ""
    if meant := " or ".join(numbered):
        message = f"'{value[:80]}' is a vendor's part number. The catalog's name of that {kind} is {meant}{way_out}."
        return Problem(field, "unknown_part", message)
    message = f"The catalog has no {kind} '{value[:80]}'. Near it: {near_words(value, known)}{way_out}."
    return Problem(field, "unknown_part", message)


def near_words(value: str, known: Iterable[str]) -> str:
    """Those of the known names that are most like a value, or the first ones."""
    names = list(known)
    return ", ".join(difflib.get_close_matches(value[:_SHOWN_CHARACTERS], names, 3, 0.4) or sorted(names)[:5])


def kind_of(value: Any) -> str:
    """What a JSON value is, in words."""
    names = {
        dict: "an object",
        list: "a list",
        str: "a text",
        bool: "true or false",
        int: "a number",
        float: "a number",
    }
    return "empty" if value is None else names.get(type(value), type(value).__name__)


def _without(values: Given, locations: list[tuple[int | str, ...]]) -> Json:
    rest: Json = copied(dict(values))
    for location in locations:
        path = list(location)
        while path and isinstance(path[-1], int):  # an entry that is no object: the list goes, so that no index moves
            path.pop()
        holder: Any = rest
        for key in path[:-1]:
            is_there = key in holder if isinstance(holder, dict) else isinstance(holder, list) and isinstance(key, int)
            holder = holder[key] if is_there else holder
        if isinstance(holder, dict) and path:
            holder.pop(path[-1], None)
    return rest


def _field_of(location: tuple[int | str, ...]) -> str:
    """``("other_fabrics", 0, "generation")`` → ``"other_fabrics[0].generation"``."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location).removeprefix(".")


def problem_of(item: Any, model: type[BaseModel], what: str) -> Problem:
    """One pydantic error as a Problem in plain words."""
    location = [part for part in item["loc"] if isinstance(part, str)]
    field, kind, context, value = _field_of(item["loc"])[:200], item["type"], item.get("ctx", {}), item.get("input")
    shown = _shortened(json.dumps(value, default=str, ensure_ascii=False))
    if kind == "extra_forbidden":
        known = _keys_at(model, location[:-1])
        near = difflib.get_close_matches(location[-1][:_SHOWN_CHARACTERS], known, 1)
        hint = f" Did you mean '{near[0]}'?" if near else f" Known keys here: {', '.join(known)}."
        return Problem(field, "unknown_key", f"'{location[-1][:_SHOWN_CHARACTERS]}' is not a key of {what}.{hint}")
    if kind == "missing":
        return Problem(field, "missing", f"'{location[-1]}' is needed and was left out.")
    if kind in _LIMITS:
        word, key = _LIMITS[kind]
        limit = context[key]
        text = f"{int(limit):,}" if limit == int(limit) else f"{limit:,}"
        return Problem(field, "out_of_range", f"Must be {word} {text}, and {_number_text(value)} was requested.")
    if kind == "literal_error":
        one_of = "one of " if " or " in context["expected"] else ""
        return Problem(field, "not_a_choice", f"Must be {one_of}{context['expected']}, and {shown} was given.")
    if kind == "value_error":
        return Problem(field, "not_a_ratio", f"{context['error']}.")
    if kind.removeprefix("string_") in ("too_long", "too_short"):
        word, limit = ("at most", "max_length") if kind.endswith("long") else ("at least", "min_length")
        noun = "character" if kind.startswith("string_") else "entry"
        asked = f"Must have {word} {counted(context[limit], noun)}, and has {len(value):,}."
        return Problem(field, "out_of_range", asked)
    needed = item.get("needed") or next((words for part, words in _KINDS.items() if kind.startswith(part)), None)
    message = f"Must be {needed}" if needed else item["msg"]
    given = "nothing" if value is None else kind_of(value) if isinstance(value, dict | list) else shown
    return Problem(field, "wrong_type", f"{message}, and {given} was given.")


def _number_text(value: Any) -> str:
    """A number as pages print it: 150000.0 → "150,000"; what is none, or has very many digits, as it was given."""
    number = int(value) if isinstance(value, float) and value.is_integer() else value
    if isinstance(number, int | float) and abs(number) < MOST_GROUPED:
        return f"{number:,}"
    return _shortened(json.dumps(value))


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"


_LIMITS = {
    "greater_than_equal": ("at least", "ge"),
    "less_than_equal": ("at most", "le"),
    "greater_than": ("above", "gt"),
    "less_than": ("below", "lt"),
}
_KINDS = {  # start of pydantic's error type → what is needed, in words
    "int": "a whole number",
    "float": "a number",
    "finite": "a finite number",
    "string": "a text",
    "bool": "true or false",
    "model": "an object",
    "dict": "an object",
    "list": "a list",
}


def _keys_at(model: type[BaseModel], path: list[str]) -> list[str]:
    for key in path:
        annotation = model.model_fields[key].annotation if key in model.model_fields else None
        options = (annotation, *get_args(annotation))  # a section, or one that may be null
        section = next((part for part in options if isinstance(part, type) and issubclass(part, BaseModel)), None)
        if section is None:
            return []
        model = section
    return list(model.model_fields)
