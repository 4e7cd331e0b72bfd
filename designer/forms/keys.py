"""DesignSpec's keys as the form names and reads them: paths, units, types, and which of them a blank answers."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from designer.forms.lines.owned import OWNED, owned_of_text, text_of_owned
from designer.forms.lines.phases import EXAMPLE, PHASES, phases_of_text, text_of_phases
from designer.wording.context import Context
from designer.wording.names import own_models
from estimator.catalog.catalog import Catalog
from estimator.record import Given, Json
from estimator.result import PricedEstimate
from estimator.spec.change import read_path
from estimator.spec.design import DesignSpec

SIZE, SIZE_UNIT = "size", "size_unit"
SIZE_KEYS = {"gpus": "compute.gpus", "nodes": "compute.nodes", "racks": "compute.racks"}
SPLIT_KEYS = ("scalable_unit_nodes", "leaf_downlinks", "leaf_uplinks")
PLAN = "site.plan"  # a section that a design has or has not: a box to tick, and fields that count once it is ticked
NOT_ASKED = {
    "spec_version",
    "other_fabrics",
    "own_parts",
    "site.set_lengths",
    "workload.calibration",
    "economics.prices",
}
# What the form hands through as it was given.
KEPT = (
    "other_fabrics",
    "own_parts",
    "site.set_lengths",
    "workload.calibration",
    "economics.prices",
)


class LineOfList(NamedTuple):
    """How a list of a request is written in one line, and read from it."""

    of_text: Callable[[str], list[Json]]
    text_of: Callable[[Any], str]
    example: str = ""  # after the words of the field, where they alone do not say how to write it


LINES = {PHASES: LineOfList(phases_of_text, text_of_phases, EXAMPLE), OWNED: LineOfList(owned_of_text, text_of_owned)}


@dataclass(frozen=True)
class Key:
    """One key of DesignSpec that the form asks for."""

    path: str
    info: FieldInfo

    @property
    def help(self) -> str:
        """What stands below the field: what the key is, and how a list is written in one line."""
        line = LINES.get(self.path)
        return " ".join(filter(None, (self.info.description, line.example if line else "")))

    @property
    def name(self) -> str:
        """Its name in HTML, where a dot would read as a class in selectors."""
        return field_name(self.path)

    @property
    def unit(self) -> str:
        """Its unit in words, or nothing."""
        extra = self.info.json_schema_extra
        return str(extra.get("unit", "")) if isinstance(extra, dict) else ""

    @property
    def is_share(self) -> bool:
        """True for a part of one, which the form also prints in per cent."""
        ends = [getattr(limit, end, None) for limit in self.info.metadata for end in ("le", "lt")]
        return float in self.types() and not self.unit and any(end is not None and end <= 1 for end in ends)

    @property
    def is_computed(self) -> bool:
        """True where a blank means "as the parts and the other answers say"."""
        return self.info.default in (None, "") and self.path not in (
            "compute.server",
            PLAN,
        )  # without a server there is nothing to follow, and without a plan there is none

    @property
    def choices(self) -> tuple[Any, ...]:
        """The values it is limited to, or none."""
        return next((get_args(option) for option in self._options() if get_origin(option) is Literal), ())

    @property
    def is_switch(self) -> bool:
        """True for a thing that is so or is not: a box to tick."""
        return bool in self.types() or self.path == PLAN

    def types(self) -> set[type]:
        """The plain types it takes."""
        return {option for option in self._options() if isinstance(option, type)}

    def _options(self) -> tuple[Any, ...]:
        """What it may be, None aside."""
        annotation = self.info.annotation
        options = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
        return tuple(option for option in options if option is not NoneType)

    def parse(self, text: str) -> Any:
        """What was typed as the value it stands for; text that stands for none stays text, and parse_spec says what is wrong."""
        if line := LINES.get(self.path):
            return line.of_text(text)
        for choice in self.choices:
            if text == str(choice):
                return choice
        plain = text.replace(",", "").replace("\N{NO-BREAK SPACE}", "").replace(" ", "")
        if self.is_share and plain.endswith("%"):  # "10 %", as the form itself prints a share beside the field
            try:
                return float(Decimal(plain[:-1]) / 100)
            except ArithmeticError:
                return text
        for kind in (int, float):
            if kind in self.types():
                try:
                    return kind(plain)
                except ValueError:
                    continue
        return text


def field_name(path: str) -> str:
    """ "fabric.leaf_radix" → "fabric__leaf_radix"; a size in GPUs, nodes or racks is one field."""
    return SIZE if path in SIZE_KEYS.values() else path.replace(".", "__")


def _keys(model: type[BaseModel], prefix: str = "") -> Iterator[Key]:
    for name, info in model.model_fields.items():
        path = prefix + name
        if path in NOT_ASKED:
            continue
        key = Key(path, info)
        section = next((option for option in key.types() if issubclass(option, BaseModel)), None)
        if section is None or path == PLAN:
            yield key
        if section is not None:
            yield from _keys(section, path + ".")


ALL_KEYS = {key.path: key for key in _keys(DesignSpec)}
KEYS = {
    path: key for path, key in ALL_KEYS.items() if path not in SIZE_KEYS.values()
}  # a size in any unit is one field


def write_path(values: Context, path: str, value: Any) -> None:
    """Set the value at a dotted path; None removes it, so that its default holds."""
    *parents, last = path.split(".")
    for part in parents:
        inner = values.get(part)
        values[part] = dict(inner) if isinstance(inner, Mapping) else {}
        values = values[part]
    if value is None:
        values.pop(last, None)
    else:
        values[last] = value


def cost_rows(catalog: Catalog) -> dict[str, str]:
    """Path of every key that replaces a row of economics.csv → that row."""
    return {f"economics.{row.request_key}": row.id for row in catalog.economics.values() if row.request_key}


def computed_values(spec: Given) -> Context:
    """What a normalized spec says for every key that may be left blank."""
    return {key.path: read_path(spec, key.path) for key in KEYS.values() if key.is_computed}


def computed_texts(spec: Given, catalog: Catalog) -> dict[str, str]:
    """Path → what a blank there stands for, as the form prints it: numbers with commas, parts by their model."""
    models = {part: record.model for records in (catalog.switches, catalog.gpus) for part, record in records.items()}
    models |= own_models(spec)
    return {
        path: f"{value:,}" if isinstance(value, int) else models.get(value, str(value))
        for path, value in computed_values(spec).items()
        if value is not None
    }


def answered_texts(estimate: PricedEstimate, catalog: Catalog) -> dict[str, str]:
    """As ``computed_texts``, with what only the Estimate knows: the split of ports, the unit, and the figures behind the cost."""
    compute = estimate.compute
    split = {f"fabric.{name}": getattr(compute.split, name) for name in SPLIT_KEYS}
    split["fabric.uplink_rate_gbit_s"] = compute.uplink_rate_gbit_s
    if compute.tiers == 3:
        split["fabric.pod_nodes"] = compute.split.nodes_per_pod
    used = {item.name: item.value for item in estimate.cost.assumptions}
    figures = {path: used[row] for path, row in cost_rows(catalog).items() if row in used}
    return (
        {path: f"{value:,}" for path, value in split.items() if value}
        | {path: f"{value:g}" for path, value in figures.items()}
        | computed_texts(estimate.spec.as_json(), catalog)
    )
