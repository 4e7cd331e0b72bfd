"""What a proposed change reads like beside what is there: keys by their name on the form, values as the form prints them."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from designer.forms.design import LABELS, problems_for_page
from designer.forms.keys import ALL_KEYS, LINES, SIZE_KEYS, SIZE_UNIT, field_name
from designer.wording.context import Context
from designer.wording.numbers import words
from estimator.catalog.catalog import Catalog
from estimator.catalog.loader import load_catalog
from estimator.digits import is_whole_number
from estimator.errors import Problem
from estimator.record import Given
from estimator.spec.fabric import OtherFabric

IN_LIST = re.compile(r"\[(\d+)\]")  # problems count entries as lists do, changes as keys
AUTOMATIC = "automatic"
OTHER_NETWORKS = "other_fabrics"


def difference(spec: Given, change: Given, catalog: Catalog) -> list[dict[str, str]]:
    """One row a changed key: its name on the form, its dotted path, the value there is and the proposed one.

    A key that is set to what it is already has no row.
    """
    return [
        {
            "path": path,
            "label": label_of(path, spec),
            "before": text_of(path, value_at(spec, path), catalog),
            "after": text_of(path, value, catalog),
        }
        for path, value in change.items()
        if value_at(spec, path) != value
    ]


def value_at(values: Any, path: str) -> Any:
    """The value at a dotted path, where numbers count the entries of lists; None where there is none."""
    for part in path.split("."):
        if isinstance(values, Mapping):
            values = values.get(part)
        elif isinstance(values, Sequence) and is_whole_number(part, 6) and int(part) < len(values):
            values = values[int(part)]
        else:
            return None
    return values


def label_of(path: str, spec: Given) -> str:
    """A dotted key by its name on the form; one of a list by its network: "Storage network: Dual-homed"."""
    if path == OTHER_NETWORKS:
        return "Networks beside compute"
    key = ALL_KEYS.get(path)
    if key and key.info.title:
        return str(key.info.title)
    section, _, last = path.rpartition(".")
    role = value_at(spec, IN_LIST.sub(r".\1", section) + ".role")
    if role is None:
        return words(last).capitalize()
    field = OtherFabric.model_fields.get(last)
    return f"{words(role).capitalize()} network: {field.title if field and field.title else words(last)}"


def text_of(path: str, value: Any, catalog: Catalog) -> str:
    """A value as the form prints it: parts by their model, numbers with their unit, nothing as "automatic"."""
    if value is None:
        return AUTOMATIC
    if isinstance(value, bool):
        return "yes" if value else "no"
    key = ALL_KEYS.get(path)
    choices = key.choices if key else ()
    if isinstance(value, str) or value in choices:
        return _part_models(catalog).get(value, LABELS.get(value, str(value)))
    if isinstance(value, int | float):
        return f"{value:,} {_unit_of(value, key.unit)}" if key and key.unit else f"{value:,}"
    if path == OTHER_NETWORKS:
        return ", ".join(str(words(entry["role"])) for entry in value) or "none"
    if line := LINES.get(path):
        return line.text_of(value) or "none"
    return str(value)


def _unit_of(value: float, unit: str) -> str:
    """One of a thing is singular: "1 server", "2 servers", "1 m"."""
    return unit.removesuffix("s") if value == 1 and len(unit) > 1 else unit


def _part_models(catalog: Catalog) -> dict[Any, str]:
    records = (catalog.servers, catalog.switches, catalog.gpus)
    return {part: record.model for kind in records for part, record in kind.items()}


def proposal(change: Given | None, catalog: Catalog) -> Context | None:
    """A change as words, and as values of the form's fields; None where the form does not ask for all of its keys."""
    if not change or not all(path in ALL_KEYS for path in change):
        return None
    fields: Context = {}
    for path, value in change.items():
        line = LINES.get(path)
        typed = "" if value is None else line.text_of(value) if line else str(value)
        fields[field_name(path)] = value if isinstance(value, bool) else typed
        if path in SIZE_KEYS.values() and value is not None:
            fields[SIZE_UNIT] = path.rpartition(".")[2]
    return {"text": on_button(change, {}, catalog), "fields": json.dumps(fields)}


def on_button(change: Given, spec: Given, catalog: Catalog) -> str:
    """A change as a button names it: each key with its value, without what the form explains behind a colon."""
    values = {path: text_of(path, value, catalog).partition(": ")[0] for path, value in change.items()}
    return "; ".join(f"{label_of(path, spec)}: {text}" for path, text in values.items())


def problem_rows(problems: Iterable[Problem], entries: Any = None) -> list[Context]:
    """Problems with the field of each, and with the change that would end it where the form can make it."""
    found = list(problems)
    rows = problems_for_page(found, entries)
    return [row | {"proposal": proposal(one.change, load_catalog())} for row, one in zip(rows, found, strict=True)]
