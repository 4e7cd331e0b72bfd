"""The request of a search as a form: fields of a design that are fixed, a list, a range or free; objective, limits, front."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django import forms
from django.contrib.auth.models import User

from designer.forms.asking import ask, hidden, number_of, read_json
from designer.forms.design import DesignForm
from designer.forms.keys import ALL_KEYS, SIZE, SIZE_KEYS, SIZE_UNIT, Key, field_name, read_path, write_path
from designer.forms.workloads import WORK, WORK_CONTROLS, WORK_MODEL, work_asked, work_fields, work_initial
from designer.wording.context import Context
from designer.wording.numbers import message_size
from estimator.catalog.loader import load_catalog
from estimator.errors import Problem
from estimator.record import Given, Json
from estimator.search.columns.parts import vendors_of
from estimator.search.figures import FIGURES
from estimator.search.limits import VENDORS
from estimator.search.request import DEFAULT_BYTES, MOST_LIMITS
from estimator.search.values import FREE

FIXED, LIST, RANGE, OPEN = "fixed", "list", "range", "free"
WAYS = {FIXED: "Fixed", LIST: "List", RANGE: "Range", OPEN: "Free"}
N_LIMITS, N_FRONT = 6, 3
HOW_VENDORS, VENDOR_NAMES, VENDORS_KEPT = "vendors_how", "vendors", "vendors_kept"
ALLOWED, BARRED = "allowed", "barred"
TOPS = (20, 50, 100, 200)
SIZES = (2**10, 2**20, 2**24, 2**28, 2**30, DEFAULT_BYTES)


class Section(NamedTuple):
    """Fields under a heading; the first section is open as the page comes."""

    title: str
    paths: tuple[str, ...]
    is_open: bool = False


SECTIONS = (
    Section(
        "Cluster and network",
        (
            "compute.server",
            SIZE,
            "fabric.generation",
            "fabric.layout",
            "fabric.oversubscription",
            "fabric.tiers",
            "fabric.planes",
            "fabric.leaf_switch",
            "fabric.spine_switch",
        ),
        is_open=True,
    ),
    Section(
        "Ports and units",
        (
            "fabric.core_switch",
            "fabric.spine_oversubscription",
            "fabric.least_spines",
            "fabric.leaf_downlinks",
            "fabric.leaf_uplinks",
            "fabric.scalable_unit_nodes",
            "fabric.rails_per_leaf",
            "fabric.uplink_spread",
            "fabric.pod_nodes",
            "fabric.core_groups",
        ),
    ),
    Section("Cables", ("site.node_leaf_medium", "site.leaf_spine_medium", "site.spine_core_medium")),
    Section("Money", ("economics.years", "economics.utilization", "economics.electricity_usd_per_kwh")),
)
PATHS = tuple(path for section in SECTIONS for path in section.paths if path != SIZE)
_HOW, _LIST, _ENDS = ".how", ".list", (".from", ".to", ".step")
_TIMES, _STEP_HINT = ("×", "x", "*"), "step or ×2"
_NUMBERED = re.compile(r"(limits|pareto|free|figures)\[(\d{1,4})\]")
_LIMIT_NAME = re.compile(r"limit\d{1,2}")
_BETWEEN = re.compile(r"[,;\s]+")


@dataclass(frozen=True, slots=True)
class OpenField:
    """One field with the ways to give it."""

    fixed: forms.BoundField
    how: forms.BoundField
    several: forms.BoundField
    ends: tuple[forms.BoundField, ...]

    @property
    def is_open(self) -> bool:
        """Whether it is given otherwise than by one value."""
        return (self.how.value() or FIXED) != FIXED


@dataclass(frozen=True, slots=True)
class LimitControls:
    """One limit: its figure and its ends; ``own_bytes`` is a message size that is not that of the answer."""

    figure: forms.BoundField
    least: forms.BoundField
    most: forms.BoundField
    own_bytes: forms.BoundField

    @property
    def own_size(self) -> str:
        """The message size in words, where the limit has its own."""
        held = number_of(self.own_bytes.value())
        return message_size(held) if isinstance(held, int) else ""


class ExploreForm(forms.Form):
    """What is searched for; ``values`` is a search's request that it begins with, ``data`` what a browser sends."""

    def __init__(self, data: Any = None, *, values: Given | None = None, owner: User | None = None) -> None:
        values = values or {}
        base = values.get("base")
        self.base: Given = base if isinstance(base, Mapping) else {}
        free = _free_paths(values)
        design = DesignForm(values=fixed_of(self.base), owner=owner)
        super().__init__(data, initial={**_initial_of(values), **_kept(design.initial)}, use_required_attribute=False)
        for name in (*(_name(path) for path in (*PATHS, SIZE)), SIZE_UNIT):
            self.fields[name] = design.fields[name]
        for path in (*PATHS, SIZE):
            self._offer_ways(path, free)
        self.n_limits = _n_limits(data or {}, values)
        for name, field in _aims(self.n_limits).items():
            self.fields[name] = field

    def _offer_ways(self, path: str, free: frozenset[str]) -> None:
        """How a field may be given, with controls for each way, and what the request says of it."""
        name, label = _name(path), self.fields[_name(path)].label
        ways = {key: words for key, words in WAYS.items() if _may(path, key)}
        self.fields[name + _HOW] = ask(f"{label}: how it is given", choices=ways.items())
        own = self.fields[name].widget
        if isinstance(own, forms.Select):
            choices = [one for one in own.choices if one[0] not in ("", "custom")]
            widget = forms.SelectMultiple({"size": min(len(choices) + 1, 6)}, choices)
            self.fields[name + _LIST] = forms.MultipleChoiceField(required=False, choices=choices, widget=widget)
        else:
            attrs = {"placeholder": "with commas between", "autocomplete": "off"}
            self.fields[name + _LIST] = forms.CharField(required=False, widget=forms.TextInput(attrs))
        self.fields[name + _LIST].label = f"{label}: values"
        for end in _ENDS:
            hint = _STEP_HINT if end == _ENDS[-1] else end[1:]
            self.fields[name + end] = ask(f"{label}, {hint}", placeholder=hint, autocomplete="off")
        self.initial.update(_way_of(path, self.base, free))

    # ------------------------------------------------ as the page shows it

    def sections(self) -> list[Context]:
        """Headings with their fields; what is given otherwise than by one value, or has a problem, is open."""
        out = []
        for section in SECTIONS:
            fields = [self._open_field(path) for path in section.paths]
            is_open = section.is_open or any(one.is_open or one.fixed.errors for one in fields)
            out.append({"title": section.title, "fields": fields, "is_open": is_open})
        return out

    def _open_field(self, path: str) -> OpenField:
        name = _name(path)
        return OpenField(self[name], self[name + _HOW], self[name + _LIST], tuple(self[name + end] for end in _ENDS))

    def limits(self) -> list[LimitControls]:
        """Controls of the limits that are given, and of some more."""
        return [self._limit(at) for at in range(self._n_open)]

    def more_limits(self) -> list[LimitControls]:
        """Controls of those that are folded away."""
        return [self._limit(at) for at in range(self._n_open, self.n_limits)]

    def _limit(self, at: int) -> LimitControls:
        return LimitControls(*(self[f"{name}{at}"] for name in ("limit", "least", "most", "own_bytes")))

    @property
    def _n_open(self) -> int:
        used = [at for at in range(self.n_limits) if self[f"limit{at}"].value()]
        return min(max(used, default=0) + 2, self.n_limits)

    def vendor_limit(self) -> list[forms.BoundField]:
        """Controls of the limit that names vendors: how, and which."""
        return [self[HOW_VENDORS], self[VENDOR_NAMES]]

    def vendors_kept_words(self) -> list[str]:
        """Limits that name vendors and are more than their two controls show, in words."""
        first, *others = _vendor_limits_in(self[VENDORS_KEPT].value()) or [{}]
        is_more = first.get("figure", VENDORS) != VENDORS or (ALLOWED in first and BARRED in first)
        return [words for one in ([first] * is_more + others) if (words := _vendor_words(one))]

    def work_controls(self) -> list[forms.BoundField]:
        """Controls of the workload."""
        return [self[name] for name in WORK_CONTROLS]

    def front(self) -> list[forms.BoundField]:
        """Controls of the figures of the front."""
        return [self[f"pareto{at}"] for at in range(N_FRONT)]

    def aims(self) -> list[forms.BoundField]:
        """Controls of what else an answer rests on."""
        return [self[name] for name in ("at_bytes", "top")]

    # ------------------------------------------------ as a request

    def asked(self) -> Json:
        """The request of a search, as it was typed and before any rule."""
        self.is_valid()
        given = self.cleaned_data
        base: Json = {}
        free: list[str] = []
        for path in (*PATHS, SIZE):
            at, name = self._path(path), _name(path)
            way = given.get(name + _HOW) or FIXED
            if way == OPEN:
                free.append(at)
            if (value := self._value(at, name, way)) is not None:
                write_path(base, at, value)
        limits: list[Given] = [self._typed_limit(at) for at in range(self.n_limits) if given.get(f"limit{at}")]
        limits += self._vendor_limits()
        pareto = [given[f"pareto{at}"] for at in range(N_FRONT) if given.get(f"pareto{at}")]
        aims: Json = {"objective": given.get("objective") or None, "limits": limits, "pareto": pareto}
        numbers = {name: number_of(given.get(name)) for name in ("at_bytes", "top")}
        asked = {"base": base, "free": free, **aims, **numbers, "workload": work_asked(given)}
        return {key: value for key, value in asked.items() if value not in (None, [])}

    def _vendor_limits(self) -> list[Given]:
        """The limit that is shown, with what the form does not show of it, and the others; none where any vendor may be."""
        given = self.cleaned_data
        if not (how := given.get(HOW_VENDORS)):
            return []
        first, *others = _vendor_limits_in(given.get(VENDORS_KEPT)) or [{}]
        kept = {key: value for key, value in first.items() if key != _shown_list(first)}
        names = {how: list(given[VENDOR_NAMES])} if given.get(VENDOR_NAMES) else {}
        size = number_of(given.get("at_bytes"))
        own = {"figure": VENDORS, **kept, **names} | ({"at_bytes": size} if size is not None else {})
        return [*([own] if _names_vendors(own) else []), *others]

    def _path(self, path: str) -> str:
        return size_path(self.cleaned_data.get(SIZE_UNIT)) if path == SIZE else path

    def _value(self, path: str, name: str, way: str) -> Any:
        """The value of a key as it was given: one, a list, the ends of a range; None where it is left out."""
        given, key = self.cleaned_data, ALL_KEYS[path]
        if way == LIST:
            typed = given.get(name + _LIST) or []
            texts = typed if isinstance(typed, list) else [text for text in _BETWEEN.split(typed) if text]
            return [_parsed(key, text) for text in texts]
        if way == RANGE:
            first, last, step = (str(given.get(name + end) or "") for end in _ENDS)
            by = "factor" if step.startswith(_TIMES) else "step"
            ends = {"from": number_of(first), "to": number_of(last), by: number_of(step.lstrip("".join(_TIMES)))}
            return {end: value for end, value in ends.items() if value is not None}
        typed = given.get(name)
        value = _parsed(key, typed) if typed else None
        return None if value == key.info.default else value

    def _typed_limit(self, at: int) -> Json:
        given = self.cleaned_data
        typed = {end: number_of(given.get(f"{end}{at}")) for end in ("least", "most")}
        typed |= {"at_bytes": number_of(given.get(f"own_bytes{at}")) or number_of(given.get("at_bytes"))}
        known = {key: value for key, value in typed.items() if value is not None}
        return {"figure": given[f"limit{at}"], **known}


def size_path(unit: Any) -> str:
    """The key of a size that counts in a unit: GPUs where none is given."""
    return SIZE_KEYS.get(str(unit or ""), next(iter(SIZE_KEYS.values())))


def control_of(problem: Problem, asked: Given) -> tuple[str, str]:
    """(name, label) of the control that a problem of a request is about; two empty texts where it is about none."""
    path = problem.field
    if named := _NUMBERED.match(path):
        kind, at = named[1], int(named[2])
        if kind == "free":
            free = list(_listed(asked, "free"))
            path = free[at] if at < len(free) and isinstance(free[at], str) else ""
        else:
            if kind == "limits":
                return _control_of_limit(at, list(_listed(asked, kind)))
            names = {
                "pareto": ("pareto", "Front"),
                "figures": ("figure", "Figure"),
            }
            name, label = names[kind]
            return (f"{name}{at}", label)
    span, _, _ = path.partition(".")
    if span == "workload":
        return (WORK_MODEL, "Model") if path.endswith(".model") else (WORK, "Workload")
    if span in ("x", "y"):
        return (f"{span}_values", "Values") if ".values" in path else (span, "What varies")
    path = path.removeprefix("base.")
    found = next((one for one in (*PATHS, *SIZE_KEYS.values()) if path == one or path.startswith(f"{one}.")), None)
    if found:
        return _name(found), str(ALL_KEYS[found].info.title)
    return (path, {"objective": "Best is"}[path]) if path == "objective" else ("", "")


def _control_of_limit(at: int, limits: Sequence[Any]) -> tuple[str, str]:
    """The control of a limit: those that name vendors have one for all of them, and the others are counted without them."""
    if at < len(limits) and _names_vendors(limits[at]):
        return VENDOR_NAMES, "Vendors of switches"
    place = at - sum(map(_names_vendors, limits[:at]))
    return f"limit{place}", f"Limit {place + 1}"


def _name(path: str) -> str:
    return SIZE if path == SIZE else field_name(path)


def _may(path: str, way: str) -> bool:
    """Whether a field may be given in some way."""
    if way == OPEN:
        return path in FREE
    if way == RANGE:
        return path == SIZE or bool(ALL_KEYS[path].types() & {int, float})
    return True


def _parsed(key: Key, text: str) -> Any:
    return key.parse(str(text))


def _n_limits(data: Given, values: Given) -> int:
    """Limits that the form has room for: all that are given, and N_LIMITS at least."""
    sent = [int(name.removeprefix("limit")) + 1 for name in data if _LIMIT_NAME.fullmatch(name)]
    held = sum(isinstance(one, Mapping) and not _names_vendors(one) for one in _listed(values, "limits"))
    return min(max([N_LIMITS, held, *sent]), MOST_LIMITS)


def _aims(n_limits: int) -> dict[str, forms.Field]:
    """Objective, figures of the front, limits, message size and how many designs are listed."""
    figures = [(name, figure.title) for name, figure in FIGURES.items()]
    found: dict[str, forms.Field] = {
        "objective": ask("Best is", "The least of it, or the most of a bandwidth.", figures),
        "at_bytes": ask("Message size", "Of bandwidths.", [(str(size), message_size(size)) for size in SIZES]),
        "top": ask("Designs listed", "", [(str(top), str(top)) for top in TOPS]),
    }
    for at in range(N_FRONT):
        found[f"pareto{at}"] = ask("and" if at else "Front of", "", [("", "nothing"), *figures])
    found |= work_fields()
    makers = [(name, name) for name in vendors_of(load_catalog())]
    ways = [("", "Any vendor"), (ALLOWED, "Only these"), (BARRED, "None of these")]
    found[HOW_VENDORS] = ask("Vendors of switches", "", ways)
    several = forms.SelectMultiple({"size": 5}, makers)
    found[VENDOR_NAMES] = forms.MultipleChoiceField(
        required=False, choices=makers, widget=several, label="Vendors that the limit names"
    )
    found[VENDORS_KEPT] = hidden()
    for at in range(n_limits):
        found[f"own_bytes{at}"] = hidden()
        found[f"limit{at}"] = ask(f"Limit {at + 1}", "", [("", "No limit"), *figures])
        found[f"least{at}"] = ask(f"Limit {at + 1}, at least", inputmode="decimal", placeholder="at least")
        found[f"most{at}"] = ask(f"Limit {at + 1}, at most", inputmode="decimal", placeholder="at most")
    return found


# ---------------------------------------------------------------- a request as the form begins with it


def _free_paths(values: Given) -> frozenset[str]:
    free = values.get("free")
    names = [name for name in free if isinstance(name, str)] if isinstance(free, list) else []
    last_words = {path.rpartition(".")[2]: path for path in FREE}
    return frozenset(last_words.get(name, name) for name in names)


def _one(value: Any) -> bool:
    return not isinstance(value, list | Mapping)


def fixed_of(base: Given) -> Json:
    """The fields of a base that the forms show and that have one value."""
    fixed: Json = {}
    for path in (*PATHS, *SIZE_KEYS.values()):
        value = read_path(base, path)
        if value is not None and _one(value):
            write_path(fixed, path, value)
    return fixed


def _kept(initial: Given) -> Context:
    names = {*(_name(path) for path in (*PATHS, SIZE)), SIZE_UNIT}
    return {name: value for name, value in initial.items() if name in names}


def _way_of(path: str, base: Given, free: frozenset[str]) -> Context:
    """How a field is given, with its list or the ends of its range."""
    name = _name(path)
    paths = tuple(SIZE_KEYS.items()) if path == SIZE else (("", path),)
    for unit, at in paths:
        value = read_path(base, at)
        own: Context = {SIZE_UNIT: unit} if unit else {}
        if isinstance(value, list):
            texts = [str(one) for one in value]
            several = texts if path != SIZE and ALL_KEYS[path].choices else ", ".join(texts)
            is_select = _is_select(path)
            return own | {name + _HOW: LIST, name + _LIST: texts if is_select else several}
        if isinstance(value, Mapping):
            ends = {name + end: value.get(end[1:]) for end in _ENDS}
            if factor := value.get("factor"):
                ends[name + _ENDS[-1]] = f"{_TIMES[0]}{factor}"
            return own | {name + _HOW: RANGE} | ends
        if at in free:
            return {name + _HOW: OPEN}
    return {name + _HOW: FIXED}


def _is_select(path: str) -> bool:
    return path == "compute.server" or path.endswith("_switch") or (path != SIZE and bool(ALL_KEYS[path].choices))


def _initial_of(values: Given) -> Context:
    """Objective, front, limits, size and top of a request."""
    out: Context = {key: values.get(key) for key in ("objective", "top")}
    out |= {"at_bytes": values.get("at_bytes") or DEFAULT_BYTES}
    out |= {f"pareto{at}": name for at, name in enumerate(_listed(values, "pareto"))}
    out |= work_initial(values)
    limits = [one for one in _listed(values, "limits") if isinstance(one, Mapping)]
    if of_vendors := _vendor_limits_in(limits):
        how = _shown_list(of_vendors[0])
        out |= {HOW_VENDORS: how, VENDOR_NAMES: of_vendors[0].get(how), VENDORS_KEPT: json.dumps(of_vendors)}
    for at, limit in enumerate(one for one in limits if not _names_vendors(one)):
        out |= {f"limit{at}": limit.get("figure"), f"least{at}": limit.get("least"), f"most{at}": limit.get("most")}
        size = limit.get("at_bytes")
        out |= {f"own_bytes{at}": size} if size not in (None, out.get("at_bytes")) else {}
    return out


def _vendor_limits_in(value: Any) -> list[Given]:
    """Limits that name vendors, of a list or of one that a text says."""
    value = read_json(value)
    return [one for one in value if _names_vendors(one)] if isinstance(value, list) else []


def vendors_named(allowed: Sequence[str] | None, barred: Sequence[str] | None) -> str:
    """Vendors that a limit names, in words: "only Arista and none of Dell, Cisco"."""
    lists = (("only ", allowed), ("none of ", barred))
    return " and ".join(word + ", ".join(names) for word, names in lists if names)


def _vendor_words(limit: Given) -> str:
    """A limit as a request has it, which may be wrong; "" where it names nobody."""
    figure = FIGURES.get(str(limit.get("figure")))
    lists = [[str(name) for name in _listed(limit, key)] for key in (ALLOWED, BARRED)]
    named = vendors_named(*lists)
    return f"{figure.title}: {named}" if figure and named else ""


def _shown_list(limit: Given) -> str:
    """Which list of a limit that names vendors the form shows."""
    return ALLOWED if limit.get(ALLOWED) is not None else BARRED


def _names_vendors(limit: Any) -> bool:
    return isinstance(limit, Mapping) and (limit.get(ALLOWED) is not None or limit.get(BARRED) is not None)


def _listed(values: Given, key: str) -> Iterator[Any]:
    found = values.get(key)
    return iter(found if isinstance(found, list) else ())
