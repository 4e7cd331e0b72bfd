"""The design form: DesignSpec's keys as widgets in plain words. Titles, help and units are spec.py's; no rule lives here."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

from django import forms
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from designer.templatetags.units import words
from estimator.catalog.loader import Catalog, load_catalog
from estimator.errors import Problem, SpecError
from estimator.spec import DesignSpec, parse_spec

SIZE, SIZE_UNIT = "size", "size_unit"
SIZE_KEYS = {"gpus": "compute.gpus", "nodes": "compute.nodes"}
SWITCH_KEYS = ("fabric.leaf_switch", "fabric.spine_switch", "fabric.core_switch")
NOT_ASKED = {"spec_version", "other_fabrics", *SIZE_KEYS.values()}

LABELS: dict[Any, str] = {
    "edr": "InfiniBand EDR, 100 Gb/s", "hdr": "InfiniBand HDR, 200 Gb/s", "ndr": "InfiniBand NDR, 400 Gb/s",
    "xdr": "InfiniBand XDR, 800 Gb/s", "roce-100": "Ethernet RoCE, 100 Gb/s", "roce-200": "Ethernet RoCE, 200 Gb/s",
    "roce-400": "Ethernet RoCE, 400 Gb/s", "roce-800": "Ethernet RoCE, 800 Gb/s", "rail-optimized": "Rail-optimized",
    "rail-only": "Rail-only", "top-of-rack": "Top of rack", "auto": "Automatic: the fewest that fit", 1: "One: leaves only",
    2: "Two: leaves and spines", 3: "Three: leaves, spines and cores", "as-bought": "As bought", "full-unit": "Full unit",
    "even": "Even", "uneven": "Uneven", "anchors": "Anchors", "street": "Street prices", "ordered": "Ordered", "random": "Random",
    "adaptive": "Adaptive routing", "ecmp": "Plain ECMP", "spray": "Packet spray",
}  # fmt: skip


class Group(NamedTuple):
    """One block of the form: what shows at once, and what waits behind "More"."""

    key: str
    title: str
    main: tuple[str, ...]
    more: tuple[str, ...] = ()
    is_open: bool = False


GROUPS = (
    Group("cluster", "Cluster", ("name", "compute.server", SIZE),
          ("compute.gpu", "compute.gpus_per_node", "compute.nics_per_node", "compute.nic_ports_per_node",
           "compute.scale_up_domain_gpus"), is_open=True),
    Group("network", "Network", ("fabric.generation", "fabric.layout", "fabric.oversubscription", "fabric.tiers", "fabric.planes"),
          ("fabric.rails_per_leaf", "fabric.scalable_unit_nodes", "fabric.pod_nodes", "fabric.spine_oversubscription",
           "fabric.uplink_spread", "fabric.splitters"), is_open=True),
    Group("switches", "Switches and ports", SWITCH_KEYS,
          ("fabric.leaf_radix", "fabric.spine_radix", "fabric.core_radix", "fabric.leaf_downlinks", "fabric.leaf_uplinks")),
    Group("growth", "Growth and reserve",
          ("fabric.provision", "fabric.grow_to_nodes", "fabric.reserved.fabric_manager_links"),
          ("fabric.reserved.leaf_ports", "fabric.reserved.spine_ports")),
    Group("site", "Site", ("site.node_leaf_m", "site.leaf_spine_m", "site.spine_core_m")),
    Group("money", "Money", ("economics.price_book", "economics.years", "economics.electricity_usd_per_kwh"),
          ("economics.pue", "economics.load_factor", "economics.utilization", "economics.discount_rate")),
    Group("workload", "Workload", ("workload.placement", "workload.load_balancing", "workload.in_network_reduction",
                                   "workload.gpudirect")),
)  # fmt: skip


@dataclass(frozen=True)
class Key:
    """One key of DesignSpec that the form asks for."""

    path: str
    info: FieldInfo

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
    def is_computed(self) -> bool:
        """True where a blank means "as the parts and the other answers say"."""
        return self.info.default is None

    @property
    def choices(self) -> tuple[Any, ...]:
        """The values it is limited to, or none."""
        return get_args(self.info.annotation) if get_origin(self.info.annotation) is Literal else ()

    def types(self) -> set[type]:
        """The plain types it takes."""
        annotation = self.info.annotation
        options = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
        return {option for option in options if isinstance(option, type)}

    def parse(self, text: str) -> Any:
        """What was typed as the value it stands for; text that stands for none stays text, and spec.py says what is wrong."""
        for choice in self.choices:
            if text == str(choice):
                return choice
        plain = text.replace(",", "").replace("\N{NO-BREAK SPACE}", "").replace(" ", "")
        for kind in (int, float):
            if kind in self.types():
                try:
                    return kind(plain)
                except ValueError:
                    continue
        return text


def field_name(path: str) -> str:
    """"fabric.leaf_radix" → "fabric__leaf_radix"; a size in nodes or in GPUs is one field."""
    return SIZE if path in SIZE_KEYS.values() else path.replace(".", "__")


def _keys(model: type[BaseModel], prefix: str = "") -> Iterator[Key]:
    for name, info in model.model_fields.items():
        path = prefix + name
        if path in NOT_ASKED:
            continue
        if isinstance(info.annotation, type) and issubclass(info.annotation, BaseModel):
            yield from _keys(info.annotation, path + ".")
        else:
            yield Key(path, info)


KEYS = {key.path: key for key in _keys(DesignSpec)}


def read_path(values: Mapping[str, Any], path: str) -> Any:
    """The value at a dotted path, or None."""
    value: Any = values
    for part in path.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def write_path(values: dict[str, Any], path: str, value: Any) -> None:
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


def said_values(spec: Mapping[str, Any], catalog: Catalog) -> dict[str, Any]:
    """A normalized spec without what the catalog would answer anyway: those fields stay blank and follow the parts.

    A saved spec prints every default. Shown as typed values, they would hold on to the old server's NICs after the
    server is changed.
    """
    given: dict[str, Any] = {}
    computed = [key.path for key in KEYS.values() if key.is_computed and key.path != "compute.server"]
    size = SIZE_KEYS["nodes" if read_path(spec, SIZE_KEYS["gpus"]) is None else "gpus"]
    for path in (size, *KEYS):
        if path not in computed:
            write_path(given, path, read_path(spec, path))
    held: list[str] = []
    for path in computed:  # in the order of the spec: a part, then what follows from the part
        value = read_path(spec, path)
        if value is None or _answers(given, catalog).get(path) == value:
            continue
        write_path(given, path, value)
        held.append(path)
    for path in held:
        without = {**given}
        write_path(without, path, None)
        if _answers(without, catalog).get(path) == read_path(spec, path):
            given = without
    return given


def _answers(values: dict[str, Any], catalog: Catalog) -> dict[str, Any]:
    try:
        return computed_values(parse_spec(values, catalog).as_json())
    except SpecError:
        return {}


def computed_values(spec: Mapping[str, Any]) -> dict[str, Any]:
    """What a normalized spec says for every key that may be left blank."""
    return {key.path: read_path(spec, key.path) for key in KEYS.values() if key.is_computed}


class PartSelect(forms.Select):
    """A list of parts; each option says which network generations it fits, for the script that narrows the list."""

    def __init__(self, fits: Mapping[str, str], choices: Any) -> None:
        super().__init__(choices=choices)
        self.fits = fits

    def create_option(self, name: str, value: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """The option with its generations."""
        option = super().create_option(name, value, *args, **kwargs)
        if str(value) in self.fits:
            option["attrs"]["data-fits"] = self.fits[str(value)]
        return option


@cache
def _switch_choices(version: str) -> tuple[list[tuple[str, Any]], dict[str, str]]:
    """Switches by vendor, and the generations each one fits, of the catalog of that version."""
    catalog = load_catalog()
    fits = {
        part: " ".join(key for key, generation in catalog.generations.items() if generation.protocol == switch.protocol
                       and catalog.switch_ports(part, generation.port_rate_gbit_s))
        for part, switch in catalog.switches.items()
    }  # fmt: skip
    by_vendor: dict[str, list[tuple[str, str]]] = {}
    for part, switch in catalog.switches.items():
        if fits[part]:
            by_vendor.setdefault(switch.vendor, []).append((part, switch.model))
    return [("", "Automatic"), *sorted(by_vendor.items()), ("custom", "Custom: give the radix below")], fits


def _server_choices(catalog: Catalog) -> list[tuple[str, Any]]:
    by_vendor: dict[str, list[tuple[str, str]]] = {}
    for part, server in catalog.servers.items():
        if server.gpu_count:
            by_vendor.setdefault(server.vendor, []).append((part, server.model))
    return [*sorted(by_vendor.items()), ("custom", "Custom: give the counts below")]


def _widget(key: Key, catalog: Catalog) -> forms.Widget:
    if key.path in SWITCH_KEYS:
        choices, fits = _switch_choices(catalog.version)
        return PartSelect(fits, choices)
    if key.path == "compute.server":
        return forms.Select(choices=_server_choices(catalog))
    if key.path == "compute.gpu":
        return forms.Select(choices=[("", "Automatic"), *((part, gpu.model) for part, gpu in catalog.gpus.items())])
    if key.choices:
        return forms.Select(choices=[(str(choice), LABELS.get(choice, words(choice))) for choice in key.choices])
    if bool in key.types():
        return forms.CheckboxInput()
    is_number = key.types() & {int, float}
    return forms.TextInput(attrs={"autocomplete": "off"} | ({"inputmode": "decimal", "class": "numeric"} if is_number else {}))


def _field(key: Key, catalog: Catalog) -> forms.Field:
    kind = forms.BooleanField if bool in key.types() else forms.CharField
    field = kind(required=False, label=key.info.title, help_text=key.info.description or "", widget=_widget(key, catalog))
    field.unit = key.unit  # type: ignore[attr-defined]
    return field


class DesignForm(forms.Form):
    """What an architect typed → a DesignSpec, or problems beside their fields. `base` holds keys the form does not ask for."""

    def __init__(self, data: Any = None, *, values: Mapping[str, Any] | None = None, resolved: Mapping[str, Any] | None = None) -> None:
        self.catalog = load_catalog()
        super().__init__(data, initial=self._initial_of(values or {}), use_required_attribute=False)
        self.spec: DesignSpec | None = None
        for key in KEYS.values():
            self.fields[key.name] = _field(key, self.catalog)
        self.fields[SIZE] = forms.CharField(
            required=False, label="Size", help_text="How many GPUs or servers to connect. GPUs are rounded up to whole servers.",
            widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off", "class": "numeric"}))
        self.fields[SIZE_UNIT] = forms.CharField(
            required=False, label="Size counts", widget=forms.Select(choices=[("gpus", "GPUs"), ("nodes", "servers")]))
        if resolved is not None:
            self.show_computed(resolved)

    @staticmethod
    def _initial_of(values: Mapping[str, Any]) -> dict[str, Any]:
        initial: dict[str, Any] = {}
        for key in KEYS.values():
            value = read_path(values, key.path)
            initial[key.name] = key.info.get_default(call_default_factory=True) if value is None and not key.info.is_required() else value
        unit = "nodes" if read_path(values, SIZE_KEYS["nodes"]) is not None else "gpus"
        return initial | {SIZE: read_path(values, SIZE_KEYS[unit]), SIZE_UNIT: unit}

    def show_computed(self, resolved: Mapping[str, Any]) -> None:
        """Print what a blank stands for in the blank itself."""
        for path, shown in computed_texts(resolved).items():
            widget = self.fields[field_name(path)].widget
            if isinstance(widget, forms.Select):
                widget.choices = [("", f"Automatic: {shown}"), *list(widget.choices)[1:]]
            else:
                widget.attrs["placeholder"] = shown

    def typed(self) -> dict[str, str]:
        """The unbound form's values as a browser would send them."""
        initial = {name: value for name, value in self.initial.items() if value is not None and value is not False}
        return {name: "on" if value is True else str(value) for name, value in initial.items()}

    def values(self) -> dict[str, Any]:
        """The request as typed, before any rule."""
        values: dict[str, Any] = {"compute": {}, "fabric": {}}
        for key in KEYS.values():
            typed = self.cleaned_data.get(key.name)
            if isinstance(typed, bool):
                write_path(values, key.path, typed)
            elif typed:
                write_path(values, key.path, key.parse(typed))
        if size := self.cleaned_data.get(SIZE):
            path = SIZE_KEYS.get(self.cleaned_data.get(SIZE_UNIT) or "", SIZE_KEYS["gpus"])
            write_path(values, path, Key(path, _size_info(path)).parse(size))
        return values

    def clean(self) -> dict[str, Any]:
        """Hand the values to the one set of rules, and put its problems beside their fields."""
        try:
            self.spec = parse_spec(self.values(), self.catalog)
        except SpecError as error:
            self.add_problems(error.problems)
        return self.cleaned_data

    def add_problems(self, problems: Any) -> None:
        """Put problems beside their fields; those of no field go to the top."""
        for problem in problems:
            name = field_name(problem.field)
            self.add_error(name if name in self.fields else None, forms.ValidationError(problem.message, code=problem.code))

    def groups(self) -> Iterator[dict[str, Any]]:
        """The blocks of the form, each with its bound fields; a block with a problem is open."""
        for group in GROUPS:
            main, more = ([self[field_name(path)] for path in paths] for paths in (group.main, group.more))
            more_has_errors = any(field.errors for field in more)
            yield {
                "key": group.key, "title": group.title, "main": main, "more": more, "more_is_open": more_has_errors,
                "is_open": group.is_open or more_has_errors or any(field.errors for field in main),
            }  # fmt: skip


def _size_info(path: str) -> FieldInfo:
    section, name = path.split(".")
    annotation = DesignSpec.model_fields[section].annotation
    assert isinstance(annotation, type) and issubclass(annotation, BaseModel)
    return annotation.model_fields[name]


def computed_texts(spec: Mapping[str, Any]) -> dict[str, str]:
    """Path → what a blank there stands for, as the form prints it."""
    return {path: f"{value:,}" if isinstance(value, int) else str(value)
            for path, value in computed_values(spec).items() if value is not None}  # fmt: skip


def problems_for_page(problems: tuple[Problem, ...] | list[Problem]) -> list[dict[str, str]]:
    """Problems with the name of the form field each is about."""
    return [{"field": field_name(problem.field), "code": problem.code, "message": problem.message} for problem in problems]
