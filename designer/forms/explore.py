"""The request of a search as a form: fields of a design that are fixed, a list, a range or free; objective, limits, front."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from django import forms
from django.contrib.auth.models import User

from designer.forms.asking import ask, hidden
from designer.forms.design import DesignForm
from designer.forms.keys import ALL_KEYS, SIZE, SIZE_KEYS, SIZE_UNIT, Key, field_name, read_path, write_path
from designer.forms.workloads import models
from designer.wording.context import Context
from designer.wording.numbers import message_size
from estimator.catalog.loader import load_catalog
from estimator.errors import Problem
from estimator.record import Given, Json
from estimator.search.columns.parts import vendors_of
from estimator.search.columns.work import INFER, TRAIN
from estimator.search.figures import FIGURES
from estimator.search.limits import VENDORS
from estimator.search.request import DEFAULT_BYTES
from estimator.search.values import FREE

FIXED, LIST, RANGE, OPEN = "fixed", "list", "range", "free"
WAYS = {FIXED: "Fixed", LIST: "List", RANGE: "Range", OPEN: "Free"}
N_LIMITS, N_FRONT = 6, 2
HOW_VENDORS, VENDOR_NAMES, VENDORS_KEPT = "vendors_how", "vendors", "vendors_kept"
ALLOWED, BARRED = "allowed", "barred"
WORK, WORK_MODEL, WORK_LOAD, WORK_KEPT = "work", "work_model", "work_load", "work_kept"
USUAL_LOAD, USUAL_MODEL = 4096, "llama3-70b"
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
        for name, field in _aims().items():
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

    def limits(self) -> list[tuple[forms.BoundField, ...]]:
        """Controls of the limits that are given, and of some more: figure, least, most."""
        return [self._limit(at) for at in range(self._n_open)]

    def more_limits(self) -> list[tuple[forms.BoundField, ...]]:
        """Controls of those that are folded away."""
        return [self._limit(at) for at in range(self._n_open, N_LIMITS)]

    def _limit(self, at: int) -> tuple[forms.BoundField, ...]:
        return self[f"limit{at}"], self[f"least{at}"], self[f"most{at}"]

    @property
    def _n_open(self) -> int:
        used = [at for at in range(N_LIMITS) if self[f"limit{at}"].value()]
        return min(max(used, default=0) + 2, N_LIMITS)

    def vendor_limit(self) -> list[forms.BoundField]:
        """Controls of the limit that names vendors: how, and which."""
        return [self[HOW_VENDORS], self[VENDOR_NAMES]]

    def work_controls(self) -> list[forms.BoundField]:
        """Controls of the workload."""
        return [self[name] for name in (WORK, WORK_MODEL, WORK_LOAD)]

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
        limits: list[Given] = [self._typed_limit(at) for at in range(N_LIMITS) if given.get(f"limit{at}")]
        limits += self._vendor_limits()
        pareto = [given[f"pareto{at}"] for at in range(N_FRONT) if given.get(f"pareto{at}")]
        aims: Json = {"objective": given.get("objective") or None, "limits": limits, "pareto": pareto}
        numbers = {name: number_of(given.get(name)) for name in ("at_bytes", "top")}
        asked = {"base": base, "free": free, **aims, **numbers, "workload": self._workload()}
        return {key: value for key, value in asked.items() if value not in (None, [])}

    def _workload(self) -> Json | None:
        """What runs on the candidates, with the keys of the request that the form does not show."""
        given = self.cleaned_data
        if not (kind := given.get(WORK)):
            return None
        kept = _mapping(given.get(WORK_KEPT))
        load = {"concurrency": number_of(given.get(WORK_LOAD))} if kind == INFER and given.get(WORK_LOAD) else {}
        return {kind: {**_mapping(kept.get(kind)), "model": given.get(WORK_MODEL), **load}}

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
        typed |= {"at_bytes": number_of(given.get("at_bytes"))}
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
            path = free[at] if at < len(free) else ""
        else:
            names = {
                "limits": ("limit", f"Limit {at + 1}"),
                "pareto": ("pareto", "Front"),
                "figures": ("figure", "Figure"),
            }
            name, label = names[kind]
            limit = next(islice(_listed(asked, kind), at, None), None)
            return (
                (VENDOR_NAMES, "Vendors of switches")
                if kind == "limits" and _names_vendors(limit)
                else (f"{name}{at}", label)
            )
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


def number_of(text: Any) -> Any:
    """What was typed as a number; text that is none stays, and the rules of the request say what is wrong."""
    plain = str(text or "").replace(",", "").replace("$", "").replace(" ", "")
    if not plain:
        return None
    for kind in (int, float):
        try:
            return kind(plain)
        except ValueError:
            continue
    return str(text)


def _aims() -> dict[str, forms.Field]:
    """Objective, figures of the front, limits, message size and how many designs are listed."""
    figures = [(name, figure.title) for name, figure in FIGURES.items()]
    found: dict[str, forms.Field] = {
        "objective": ask("Best is", "The least of it, or the most of a bandwidth.", figures),
        "at_bytes": ask("Message size", "Of bandwidths.", [(str(size), message_size(size)) for size in SIZES]),
        "top": ask("Designs listed", "", [(str(top), str(top)) for top in TOPS]),
    }
    for at in range(N_FRONT):
        found[f"pareto{at}"] = ask(("Against", "and")[at], "", [("", "nothing"), *figures])
    kinds = [("", "None"), (TRAIN, "Training"), (INFER, "Serving")]
    found[WORK] = ask("Workload", "For step time, tokens and dollars a million tokens.", kinds)
    found[WORK_MODEL] = ask("Model", "", models())
    found[WORK_LOAD] = ask("Requests in flight, of serving", "", inputmode="numeric", placeholder=f"{USUAL_LOAD:,}")
    found[WORK_KEPT] = hidden()
    makers = [(name, name) for name in vendors_of(load_catalog())]
    ways = [("", "Any vendor"), (ALLOWED, "Only these"), (BARRED, "None of these")]
    found[HOW_VENDORS] = ask("Vendors of switches", "", ways)
    several = forms.SelectMultiple({"size": 5}, makers)
    found[VENDOR_NAMES] = forms.MultipleChoiceField(
        required=False, choices=makers, widget=several, label="Vendors that the limit names"
    )
    found[VENDORS_KEPT] = hidden()
    for at in range(N_LIMITS):
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
    workload = _mapping(values.get("workload"))
    kind = next((one for one in (TRAIN, INFER) if one in workload), "")
    request = _mapping(workload.get(kind))
    out |= {WORK: kind, WORK_MODEL: request.get("model") or USUAL_MODEL, WORK_LOAD: request.get("concurrency")}
    out |= {WORK_KEPT: json.dumps(workload) if workload else ""}
    limits = [one for one in _listed(values, "limits") if isinstance(one, Mapping)]
    if of_vendors := _vendor_limits_in(limits):
        how = _shown_list(of_vendors[0])
        out |= {HOW_VENDORS: how, VENDOR_NAMES: of_vendors[0].get(how), VENDORS_KEPT: json.dumps(of_vendors)}
    for at, limit in enumerate(one for one in limits if not _names_vendors(one)):
        out |= {f"limit{at}": limit.get("figure"), f"least{at}": limit.get("least"), f"most{at}": limit.get("most")}
    return out


def _read(value: Any) -> Any:
    """A value, or the one that a text says in JSON; None where it says none."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return None


def _mapping(value: Any) -> Mapping[str, Any]:
    """An object, or the one that a text says; an empty one for anything else."""
    value = _read(value)
    return value if isinstance(value, Mapping) else {}


def _vendor_limits_in(value: Any) -> list[Given]:
    """Limits that name vendors, of a list or of one that a text says."""
    value = _read(value)
    return [one for one in value if _names_vendors(one)] if isinstance(value, list) else []


def _shown_list(limit: Given) -> str:
    """Which list of a limit that names vendors the form shows."""
    return ALLOWED if limit.get(ALLOWED) is not None else BARRED


def _names_vendors(limit: Any) -> bool:
    return isinstance(limit, Mapping) and (limit.get(ALLOWED) is not None or limit.get(BARRED) is not None)


def _listed(values: Given, key: str) -> Iterator[Any]:
    found = values.get(key)
    return iter(found if isinstance(found, list) else ())
