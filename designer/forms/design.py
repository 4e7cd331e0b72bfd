"""The design form: DesignSpec's keys as widgets in plain words. Titles, help, units and rules are estimator.spec's."""

import json
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args

from django import forms
from django.contrib.auth.models import User
from django.core.exceptions import NON_FIELD_ERRORS

from designer.forms.books import BASE_KEY, PRICES_KEY, BookChoice, carried_by_form
from designer.forms.books import KEPT as KEPT_BOOK
from designer.forms.keys import (
    ALL_KEYS,
    KEPT,
    KEYS,
    LINES,
    PLAN,
    SIZE,
    SIZE_KEYS,
    SIZE_UNIT,
    Key,
    computed_texts,
    field_name,
    write_path,
)
from designer.forms.layout import GROUPS, RANGES, SWITCH_KEYS, Section, digest
from designer.forms.lines.owned import OWNED, text_of_owned
from designer.forms.networks import OTHERS, ROLE_FIELDS, ROLE_KEYS, entries_of, first_entries, label_of, path_of_problem
from designer.forms.parts.cables import LABEL as CABLES_LABEL
from designer.forms.parts.cables import OWN_CABLES, line_of
from designer.forms.parts.choice import OWN_PARTS, OwnChoice, without_revisions
from designer.forms.parts.servers import NicSelect, ServerSelect
from designer.models import KeptPart
from designer.wording.context import Context
from designer.wording.names import BOOKS
from designer.wording.numbers import words
from estimator.catalog.aliases import renamed
from estimator.catalog.catalog import Catalog
from estimator.catalog.loader import load_catalog
from estimator.catalog.records import Server, Switch, maker_of
from estimator.errors import Change, Problem, SpecError
from estimator.record import Given
from estimator.spec.change import read_path
from estimator.spec.design import DesignSpec
from estimator.spec.fabric import Generation
from estimator.spec.own.nics import nics_for
from estimator.spec.parse import parse_spec

SIZE_LABEL = "Size"
KEPT_FIELD = "kept"

LABELS: dict[Any, str] = {
    "edr": "InfiniBand EDR, 100 Gb/s", "hdr": "InfiniBand HDR, 200 Gb/s", "ndr": "InfiniBand NDR, 400 Gb/s",
    "xdr": "InfiniBand XDR, 800 Gb/s", "roce-100": "Ethernet RoCE, 100 Gb/s", "roce-200": "Ethernet RoCE, 200 Gb/s",
    "roce-400": "Ethernet RoCE, 400 Gb/s", "roce-800": "Ethernet RoCE, 800 Gb/s", "rail-optimized": "Rail-optimized",
    "rail-only": "Rail-only", "top-of-rack": "Top of rack", "auto": "Automatic: the fewest that fit", 1: "One: leaves only",
    2: "Two: leaves and spines", 3: "Three: leaves, spines and cores", "as-bought": "As bought", "full-unit": "Full unit",
    "even": "Even", "uneven": "Uneven", **BOOKS, "ordered": "Ordered", "random": "Random",
    "per-unit": "Per unit", "end-of-row": "End of row", "middle-of-row": "Middle of row", "network-row": "Network row",
    "in-rack": "In rack", "middle": "Middle", "adaptive": "Adaptive routing", "ecmp": "Plain ECMP", "spray": "Packet spray",
    "colocation": "Colocation", "own-building": "Own building", "existing": "Existing hall",
}  # fmt: skip


class PartSelect(forms.Select):
    """A list of parts; each option says which network generations it fits, for the script that narrows the list."""

    def __init__(self, fits: Mapping[str, str], choices: Any) -> None:
        super().__init__(choices=choices)
        self.fits = fits

    def create_option(self, name: str, value: Any, *args: Any, **kwargs: Any) -> Context:
        """The option with its generations."""
        option = super().create_option(name, value, *args, **kwargs)
        if str(value) in self.fits:
            option["attrs"]["data-fits"] = self.fits[str(value)]
        return option


class SizeUnitSelect(forms.Select):
    """What a size counts: trays where the server is one, and racks where its trays come in them.

    The options say which servers they are for, for the script that follows the choice of the server; ``data-gpus`` says how
    many GPUs a server has, and how many trays its rack, for the one that keeps the GPUs when another unit is chosen.
    """

    def __init__(self, catalog: Catalog) -> None:
        self.trays = {rack.tray_id for rack in catalog.racks.values()}
        self.server = ""
        trays = {rack.tray_id: rack.n_trays for rack in catalog.racks.values()}
        gpus = {key: [one.gpu_count, *([trays[key]] if key in trays else [])] for key, one in catalog.servers.items()}
        choices = [("gpus", "GPUs"), ("nodes", "servers"), ("racks", "racks")]
        super().__init__(choices=choices, attrs={"data-gpus": json.dumps(gpus, separators=(",", ":"))})

    def create_option(self, name: str, value: Any, label: Any, selected: bool, *args: Any, **kwargs: Any) -> Context:
        """The option under its name for the server."""
        is_tray = self.server in self.trays
        option = super().create_option(
            name, value, "trays" if value == "nodes" and is_tray else label, selected, *args, **kwargs
        )
        if value == "nodes":
            option["attrs"] |= {"data-server": "servers", "data-tray": "trays"}
        if value == "racks":
            option["attrs"] |= {"data-trays": " ".join(sorted(self.trays))} | (
                {} if is_tray or selected else {"hidden": True}
            )
        return option


def _model(record: Switch | Server) -> str:
    """The model as a list names it; what cannot be ordered yet says so."""
    return f"{record.model} (announced)" if record.status == "announced" else record.model


@cache
def _switch_choices(version: str) -> tuple[list[tuple[str, Any]], dict[str, str]]:
    """Switches by vendor, and the generations each one fits. ``version`` is the key under which they are kept."""
    catalog = load_catalog()
    fits = {
        part: " ".join(
            key
            for key, generation in catalog.generations.items()
            if generation.protocol == switch.protocol
            and key in get_args(Generation)
            and catalog.switch_ports(part, generation.port_rate_gbit_s)
        )
        for part, switch in catalog.switches.items()
    }
    by_vendor: dict[str, list[tuple[str, str]]] = {}
    for part, switch in catalog.switches.items():
        if fits[part]:
            by_vendor.setdefault(switch.vendor, []).append((part, _model(switch)))
    return [("", "Automatic"), *sorted(by_vendor.items()), ("custom", "Custom: give the radix below")], fits


def _server_choices(catalog: Catalog) -> list[tuple[str, Any]]:
    """Servers by GPU, as gpus.csv lists them, each with its vendor first."""
    by_gpu: dict[str, list[tuple[str, str]]] = {gpu.model: [] for gpu in catalog.gpus.values()}
    for part, server in catalog.servers.items():
        if server.gpu_count:
            gpu = catalog.gpus[server.gpu_id].model if server.gpu_id else "Other"
            by_gpu.setdefault(gpu, []).append((part, f"{maker_of(server.vendor)} {_model(server)}"))
    found = [(gpu, sorted(servers, key=lambda one: one[1])) for gpu, servers in by_gpu.items() if servers]
    return [*found, ("custom", "Custom: give the counts below")]


def _widget(key: Key, catalog: Catalog) -> forms.Widget:
    if key.path in SWITCH_KEYS:
        choices, fits = _switch_choices(catalog.version)
        return PartSelect(fits, choices)
    if key.path == "compute.server":
        return ServerSelect(_server_choices(catalog))
    if key.path == "compute.gpu":
        return forms.Select(choices=[("", "Automatic"), *((part, gpu.model) for part, gpu in catalog.gpus.items())])
    if key.path == "compute.nic":
        offered = {nic.id: nic.model for server in catalog.servers.values() for nic in nics_for(server, catalog)}
        return NicSelect(choices=[("", "Automatic"), *sorted(offered.items(), key=lambda one: one[1])])
    if key.choices:
        automatic = [("", "Automatic")] if key.info.default is None else []
        labels = LABELS | {"auto": "Automatic"} if key.path.endswith("_medium") else LABELS
        choices = [(str(choice), labels.get(choice, words(choice))) for choice in key.choices]
        return forms.Select(choices=automatic + choices)
    if key.is_switch:
        return forms.CheckboxInput()
    is_number = key.types() & {int, float}
    more = {"inputmode": "decimal", "class": "numeric"} if is_number else {"data-rows": ""} if key.path == OWNED else {}
    return forms.TextInput(attrs={"autocomplete": "off"} | more)


@cache
def _prototype(key: Key, version: str) -> forms.Field:
    """A field as every form begins with it. ``version`` of the catalog is the key under which it is kept."""
    return _field(key, load_catalog())


def _field(key: Key, catalog: Catalog) -> forms.Field:
    kind = forms.BooleanField if key.is_switch else forms.CharField
    field = kind(required=False, label=key.info.title, help_text=key.help, widget=_widget(key, catalog))
    vars(field).update(unit=key.unit, is_share=key.is_share)  # for the template
    return field


class KeptField(forms.JSONField):
    """What the form hands through, large parts by their names; nesting that no reader follows is as wrong as no JSON."""

    def to_python(self, value: Any) -> Any:
        """The values, or a problem of the field."""
        try:
            kept = super().to_python(value)
            return {path: KeptPart.meant(part) for path, part in kept.items()} if isinstance(kept, dict) else kept
        except (RecursionError, KeptPart.DoesNotExist):
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid", params={"value": ""}) from None


@dataclass(frozen=True, slots=True)
class BoundSection:
    """A section of a form with its fields; what has a problem is open."""

    section: Section
    main: list[forms.BoundField]
    more: list[forms.BoundField]

    @property
    def title(self) -> str:
        """Its heading, "" for none."""
        return self.section.title

    @property
    def has_errors(self) -> bool:
        """Whether something is wrong with one of its fields."""
        return self.more_is_open or any(field.errors for field in self.main)

    @property
    def is_open(self) -> bool:
        """Whether it is unfolded as the page comes."""
        return self.section.is_open or self.has_errors

    @property
    def more_is_open(self) -> bool:
        """The same of the fields behind "More"."""
        return any(field.errors for field in self.more)

    @property
    def digest(self) -> Any:
        """What its fields say, for a section that is folded."""
        return digest(self.main)

    @property
    def more_digest(self) -> Any:
        """The same of the fields behind "More"."""
        return digest(self.more)


class DesignForm(forms.Form):
    """What an architect typed → a DesignSpec, or problems beside their fields."""

    def __init__(
        self,
        data: Any = None,
        *,
        values: Given | None = None,
        resolved: Given | None = None,
        owner: User | None = None,
        only_book: str | None = None,
    ) -> None:
        self.catalog = load_catalog()
        data = _with_owned(data)
        values = renamed(values, self.catalog.aliases) if values else values
        carried = read_path(values, PRICES_KEY) if values else carried_by_form((data or {}).get(KEPT_FIELD))
        self.books = BookChoice(owner, carried, only_book)
        super().__init__(data, initial=self._initial_of(values or {}), use_required_attribute=False)
        self.spec: DesignSpec | None = None
        self.changes: dict[tuple[str, str], Change] = {}  # what would end a problem, by its field and message
        for key in KEYS.values():
            self.fields[key.name] = deepcopy(_prototype(key, self.catalog.version))
        self.fields[SIZE] = forms.CharField(
            required=False,
            label=SIZE_LABEL,
            help_text="How many GPUs, servers, or where they come in racks, trays or racks to connect.",
            widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off", "class": "numeric"}),
        )
        self.fields[SIZE_UNIT] = forms.CharField(
            required=False, label="Size counts", widget=SizeUnitSelect(self.catalog)
        )
        server = str((self.data or {}).get("compute__server") or self.initial.get("compute__server") or "")
        self.fields[SIZE_UNIT].widget.server = self.fields[field_name("compute.nic")].widget.server = server
        for path, (label, words_of_it) in ROLE_FIELDS.items():
            self.fields[field_name(path)] = forms.BooleanField(required=False, label=label, help_text=words_of_it)
        for path, key in ROLE_KEYS.items():
            self.fields[key.name] = deepcopy(_prototype(key, self.catalog.version))
            self.fields[key.name].label = label_of(path)
        self.fields[KEPT_FIELD] = KeptField(required=False, widget=forms.HiddenInput())
        self._offer_books()
        own = read_path(values, OWN_PARTS) if values else carried_by_form((data or {}).get(KEPT_FIELD), OWN_PARTS)
        self.own = OwnChoice(owner if only_book is None else None, own)
        self.own.offer(self.fields, lambda name: str((self.data or self.initial).get(name) or ""))
        for path, span in RANGES.items():
            vars(self.fields[field_name(path)])["range"] = span  # for the template
        if resolved is not None:
            self.show_computed(computed_texts(resolved, self.catalog))

    def _offer_books(self) -> None:
        """The owner's own books and the one that the design carries, beside the catalog's."""
        name = field_name(BASE_KEY)
        typed, base = str((self.data or {}).get(name, "")), str(self.initial[name])
        field = self.fields[name]
        known = typed.removeprefix(KEPT_BOOK) if typed.startswith(KEPT_BOOK) else base
        field.widget.choices = [*field.widget.choices, *self.books.choices(known)]
        field.help_text = f"{field.help_text}{self.books.note}"
        self.initial[name] = self.books.initial(base)

    @staticmethod
    def _initial_of(values: Given) -> Context:
        kept = {path: KeptPart.named(value) for path in KEPT if (value := read_path(values, path))}
        initial: Context = {KEPT_FIELD: kept or None}
        for key in KEYS.values():
            value = read_path(values, key.path)
            initial[key.name] = (
                key.info.get_default(call_default_factory=True)
                if value is None and not key.info.is_required()
                else value
            )
        initial |= {field_name(path): line.text_of(read_path(values, path)) for path, line in LINES.items()}
        initial[field_name(OWN_CABLES)] = line_of(read_path(values, OWN_PARTS))
        initial[field_name(PLAN)] = read_path(values, PLAN) is not None
        entries = first_entries(values.get(OTHERS))
        initial |= {field_name(path): path in entries for path in ROLE_FIELDS}
        for path, key in ROLE_KEYS.items():
            box, name = path.rsplit(".", 1)
            default = key.info.get_default(call_default_factory=True)
            initial[key.name] = entries.get(box, {}).get(name, default)
        unit = next((one for one in ("racks", "nodes") if read_path(values, SIZE_KEYS[one]) is not None), "gpus")
        return initial | {SIZE: read_path(values, SIZE_KEYS[unit]), SIZE_UNIT: unit}

    def show_computed(self, texts: Mapping[str, str]) -> None:
        """Print what a blank stands for, by path, in the blank itself."""
        for path, shown in texts.items():
            widget = self.fields[field_name(path)].widget
            if isinstance(widget, forms.Select):
                widget.choices = [("", f"Automatic: {shown}"), *list(widget.choices)[1:]]
            else:
                widget.attrs["placeholder"] = shown

    def typed(self) -> dict[str, str]:
        """The unbound form's values as a browser would send them."""
        initial = {name: value for name, value in self.initial.items() if value is not None and value is not False}
        kept = {KEPT_FIELD: json.dumps(initial.pop(KEPT_FIELD))} if KEPT_FIELD in initial else {}
        return {name: "on" if value is True else str(value) for name, value in initial.items()} | kept

    def values(self) -> Context:
        """The request as typed, before any rule."""
        values: Context = {"compute": {}, "fabric": {}}
        kept = self.cleaned_data.get(KEPT_FIELD)
        for path in KEPT:
            if isinstance(kept, Mapping) and kept.get(path):
                write_path(values, path, kept[path])
        ticked = [path for path in ROLE_FIELDS if self.cleaned_data.get(field_name(path))]
        typed_of = {path: self._typed(key) for path, key in ROLE_KEYS.items()}
        write_path(values, OTHERS, entries_of(read_path(values, OTHERS), ticked, typed_of) or None)
        has_plan = self.cleaned_data.get(field_name(PLAN))
        for key in KEYS.values():
            typed = self.cleaned_data.get(key.name)
            if key.path.startswith(PLAN) and not has_plan:
                continue
            if key.path == PLAN:
                write_path(values, PLAN, {})
            elif key.path == BASE_KEY:
                self._write_book(values, typed or "")
            elif isinstance(typed, bool):
                write_path(values, key.path, typed)
            elif typed:
                write_path(values, key.path, key.parse(typed) or None if key.path in LINES else key.parse(typed))
        write_path(values, OWN_PARTS, self.own.taken(values, self.cleaned_data.get(field_name(OWN_CABLES)) or ""))
        if size := self.cleaned_data.get(SIZE):
            path = SIZE_KEYS.get(self.cleaned_data.get(SIZE_UNIT) or "", SIZE_KEYS["gpus"])
            write_path(values, path, ALL_KEYS[path].parse(size))
        return values

    def _write_book(self, values: Context, typed: str) -> None:
        """The catalog's book, and the own prices over it where there are any."""
        base, prices, _ = self.books.meant(typed)
        write_path(values, PRICES_KEY, prices)
        if base:
            write_path(values, BASE_KEY, base)

    def _typed(self, key: Key) -> Any:
        """The value typed for a key; None where its default is to hold."""
        typed = self.cleaned_data.get(key.name)
        if isinstance(typed, bool):
            return typed or None
        value = key.parse(typed) if typed else None
        return None if value == key.info.default else value

    def clean(self) -> Context:
        """Hand the values to the one set of rules, and put its problems beside their fields."""
        is_broken = bool(self.errors)  # what is handed through cannot be read: without it, this is another design
        try:
            spec = parse_spec(self.values(), self.catalog)
            self.spec = None if is_broken else spec
        except SpecError as error:
            self.add_problems(error.problems)
        _, _, unknown = self.books.meant(self.cleaned_data.get(field_name(BASE_KEY)) or "")
        wrong = self.own.cable_problems(self.cleaned_data.get(field_name(OWN_CABLES)) or "")
        if unknown is not None:
            wrong.append(unknown)
        if wrong:
            self.spec = None
            self.add_problems(wrong)
        return self.cleaned_data

    def add_problems(self, problems: Iterable[Problem]) -> None:
        """Put problems beside their fields; those of no field go to the top."""
        for problem in problems:
            name = field_name(path_of_problem(problem.field, self.values().get(OTHERS)))
            place = name if name in self.fields else None
            if problem.change is not None:
                self.changes[place or NON_FIELD_ERRORS, problem.message] = problem.change
            self.add_error(place, forms.ValidationError(problem.message, code=problem.code))

    def groups(self) -> list[Context]:
        """The blocks of the form, each with its bound fields; what has a problem is open."""
        blocks = []
        for group in GROUPS:
            sections = [self._section(section) for section in group.sections]
            blocks.append(
                {
                    "key": group.key,
                    "title": group.title,
                    "short": group.short or group.title,
                    "sections": sections,
                    "is_open": group.is_open or any(section.has_errors for section in sections),
                    "digest": digest(field for section in sections for field in section.main),
                }
            )
        return blocks

    def _section(self, section: Section) -> BoundSection:
        main, more = ([self[field_name(path)] for path in paths] for paths in (section.main, section.more))
        return BoundSection(section, main, more)


def _with_owned(data: Any) -> Any:
    """What a form sent, with parts that are owned already in their line: forms of before had them in what they hand through."""
    name, text = field_name(OWNED), str((data or {}).get(KEPT_FIELD) or "")
    if f'"{OWNED}"' not in text or data.get(name):
        return data
    return {**dict(data.items()), name: text_of_owned(carried_by_form(text, OWNED))}


def carrying(typed: Mapping[str, str], spec: DesignSpec) -> dict[str, str]:
    """What a form holds, with the own parts that it has taken: a later revision of the team is taken by choice alone."""
    if spec.own_parts is None:
        return dict(typed)
    try:
        kept = json.loads(typed.get(KEPT_FIELD) or "{}")
    except (ValueError, RecursionError):
        return dict(typed)
    kept = kept if isinstance(kept, dict) else {}
    own = spec.own_parts.model_dump(mode="json")
    return {**without_revisions(typed), KEPT_FIELD: json.dumps({**kept, OWN_PARTS: own})}


def with_parts_named(typed: Mapping[str, str]) -> dict[str, str]:
    """What a form holds, its large parts kept and named; what it hands through as it is where that is broken."""
    try:
        kept = json.loads(typed.get(KEPT_FIELD) or "{}")
        named = {path: KeptPart.keep(part) for path, part in kept.items()} if isinstance(kept, dict) else {}
    except (ValueError, RecursionError):
        named = {}
    return {**typed, KEPT_FIELD: json.dumps(named)} if named else dict(typed)


def problems_for_page(problems: Iterable[Problem], entries: Any = None) -> list[dict[str, str]]:
    """Problems with name and label of the form field each is about; ``entries`` are the request's other networks."""
    labels = {key.name: str(key.info.title) for key in KEYS.values()} | {SIZE: SIZE_LABEL}
    labels |= {field_name(path): label for path, (label, _) in ROLE_FIELDS.items()}
    labels |= {field_name(OWN_CABLES): CABLES_LABEL}
    labels |= {key.name: label_of(path) for path, key in ROLE_KEYS.items()}
    return [
        {"field": name, "label": labels.get(name, ""), "code": problem.code, "message": problem.message}
        for problem in problems
        for name in [field_name(path_of_problem(problem.field, entries))]
    ]
