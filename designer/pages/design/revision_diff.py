"""What differs between two states of a design, in words: the answers that were given, and what that did to the figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from designer.forms.changes import AUTOMATIC, label_of, text_of
from designer.forms.keys import KEPT, SIZE_KEYS, cost_rows
from designer.models import Design, DesignRevision
from designer.services.designs.figures import figures_of
from designer.wording.context import Context
from designer.wording.headlines import Headlines, changes, is_floor
from designer.wording.names import own_models
from designer.wording.numbers import change_usd, count, gb_s, ratio_to_one, usd, usd_small, watts, words
from estimator.catalog.catalog import Catalog
from estimator.catalog.loader import load_catalog
from estimator.record import Given
from estimator.spec.change import read_path
from estimator.spec.fabric import OtherFabric
from estimator.units import W_PER_KW

PLAN, OTHERS, OWN, LENGTHS, CALIBRATION, PRICES = (
    "site.plan",
    "other_fabrics",
    "own_parts",
    "site.set_lengths",
    "workload.calibration",
    "economics.prices",
)
NONE = "none"
State = Design | DesignRevision


class Row(NamedTuple):
    """An answer that differs: its name on the form, what it was and what it became."""

    label: str
    before: str
    after: str


COUNTS = (
    ("gpus", "GPUs"),
    ("leaf", "leaf switches"),
    ("spine", "spines"),
    ("core", "cores"),
    ("switches", "switches"),
    ("cables", "cables"),
    ("modules", "transceivers"),
)


def revision_diff(before: State, after: State) -> Context:
    """Rows of answers that differ, the difference of the figures in words, and whether only defaults have moved."""
    rows = answer_rows(before, after, load_catalog())
    figures = [figures_of(one.spec, one.spec_hash) for one in (before, after)]
    return {
        "before": before,
        "after": after,
        "rows": rows,
        "figures": figure_words(*figures),
        "is_by_defaults": not rows and before.spec_hash != after.spec_hash,
    }


def answer_rows(before: State, after: State, catalog: Catalog) -> list[Row]:
    """One row an answer that differs: its name on the form, what it was and what it became.

    An answer that says what held without it is none.
    """
    was, became = _flat(before.given), _flat(after.given)
    moved = [
        path
        for path in dict.fromkeys([*was, *became])
        if was.get(path) != became.get(path) and _held(path, before, was) != _held(path, after, became)
    ]
    rows = [
        Row(label_of(path, {}), _said(path, before, was, catalog), _said(path, after, became, catalog))
        for path in moved
    ]
    if any(path in moved for path in SIZE_KEYS.values()):
        sizes = {label_of(path, {}) for path in SIZE_KEYS.values()}
        rows = [row for row in rows if row.label not in sizes]
        rows.insert(0, Row("Size", _size(before), _size(after)))
    return [row for row in [*rows, *_kept_rows(before.given, after.given)] if row.before != row.after]


def _flat(given: Given, prefix: str = "") -> Context:
    """Dotted path → value, without what the form only hands through."""
    out: Context = {}
    for name, value in given.items():
        path = prefix + name
        if path in KEPT or path == "spec_version":
            continue
        if path == PLAN:
            out[PLAN] = value is not None
        if isinstance(value, Mapping):
            out |= _flat(value, path + ".")
        elif path != PLAN:
            out[path] = value
    return out


def _held(path: str, revision: State, flat: Given) -> Any:
    """What holds at a path: the answer, or what it came to without one."""
    value = flat.get(path)
    return read_path(revision.spec, path) if value is None else value


def _said(path: str, revision: State, flat: Given, catalog: Catalog) -> str:
    """An answer as the form prints it; where none was given, what it came to."""
    if path == PLAN:
        return "planned" if flat.get(PLAN) else NONE
    if (value := flat.get(path)) is not None:
        return own_models(revision.given).get(str(value)) or text_of(path, value, catalog)
    found = read_path(revision.spec, path)
    if path.startswith(f"{PLAN}.") and not flat.get(PLAN):
        return NONE
    if found is None and (row := cost_rows(catalog).get(path)):
        found = catalog.economics[row].typical
    if found is None or isinstance(found, Mapping):
        return AUTOMATIC
    text = own_models(revision.spec).get(str(found)) or text_of(path, found, catalog)
    return text if text.lower().startswith(AUTOMATIC) else f"{text} ({AUTOMATIC})"


def _size(revision: State) -> str:
    for unit, path in SIZE_KEYS.items():
        if (value := read_path(revision.given, path)) is not None:
            return f"{value:,} {_size_word(unit, revision)}"
    return NONE


def _size_word(unit: str, revision: State) -> str:
    """What a size counts: GPUs, racks, servers or trays."""
    server = load_catalog().server(read_path(revision.spec, "compute.server"))
    words = {"gpus": "GPUs", "racks": "racks", "nodes": f"{server.node_word if server else 'server'}s"}
    return words[unit]


def _kept_rows(was: Given, became: Given) -> list[Row]:
    """Rows of what is not one answer but a whole: other networks, lengths set manually, your prices, a calibration."""
    sayers: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
        (OWN, "Own parts", lambda value: ", ".join(_own_words(value)) or NONE),
        (LENGTHS, "Lengths set manually", lambda value: _several(len(value), "link") if value else NONE),
        (CALIBRATION, "Calibration", _named),
        (
            PRICES,
            "Your prices",
            lambda value: f"{_named(value)}, {_several(len(value['prices']), 'price')}" if value else NONE,
        ),
    )
    rows = list(_network_rows(was.get(OTHERS) or [], became.get(OTHERS) or []))
    for path, label, say in sayers:
        old, new = read_path(was, path), read_path(became, path)
        if (old or None) != (new or None):
            texts = [say(old), say(new)]
            texts[1] += ", other values" if texts[0] == texts[1] else ""
            rows.append(Row(label, texts[0], texts[1]))
    return rows


def _own_words(carried: Any) -> list[str]:
    """Own parts that a request carries, by model and revision."""
    kinds = carried.values() if isinstance(carried, Mapping) else ()
    rows = [one for kind in kinds if isinstance(kind, list) for one in kind if isinstance(one, Mapping)]
    return [f"{one.get('model') or one.get('id')} revision {one.get('revision', 1)}" for one in rows]


def _several(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _named(value: Any) -> str:
    return f"“{value.get('name') or 'unnamed'}”" if isinstance(value, Mapping) else NONE


def _network_rows(was: list[Any], became: list[Any]) -> Iterator[Row]:
    """Other networks by role: added, taken out, or which of their answers differ."""
    old, new = _by_role(was), _by_role(became)
    catalog = load_catalog()
    for role in dict.fromkeys([*old, *new]):
        title = f"{words(role[0]).capitalize()} network" + (f" {role[1]}" if role[1] > 1 else "")
        before, after = old.get(role), new.get(role)
        if before is None or after is None:
            yield Row(title, "present" if before else NONE, "present" if after else NONE)
            continue
        for key in dict.fromkeys([*before, *after]):
            if before.get(key) != after.get(key):
                field = OtherFabric.model_fields.get(key)
                name = field.title if field and field.title else words(key)
                texts = [text_of("", one.get(key), catalog) for one in (before, after)]
                yield Row(f"{title}: {name}", texts[0], texts[1])


def _by_role(entries: list[Any]) -> dict[tuple[str, int], Given]:
    """Networks by (role, how many of that role so far)."""
    out: dict[tuple[str, int], Given] = {}
    for entry in entries:
        role = str(entry.get("role", ""))
        out[role, 1 + sum(known == role for known, _ in out)] = entry
    return out


def figure_words(before: Headlines | None, after: Headlines | None) -> list[str]:
    """What moved: ["spines 16 → 18", "+$210,000", "built 1.33:1 → 1:1"]; nothing where one of them cannot be reported."""
    if before is None or after is None:
        return []
    out = [words for key, name in COUNTS for words in _figure(before, after, key, name, count)]
    if len(out) > 1 and {"leaf", "spine", "core"} & {
        key for key, _ in COUNTS if getattr(before, key) != getattr(after, key)
    }:
        out = [text for text in out if not text.startswith("switches ")]  # the tiers have said it
    out += _figure(before, after, "it_kw", "IT power", lambda value: watts(value * W_PER_KW))
    moved = changes(after, before)
    if "capex_usd" in moved:
        out.append(f"{change_usd(moved['capex_usd'])} to buy")
    elif is_floor(before, "capex_usd") or is_floor(after, "capex_usd"):
        out += _figure(before, after, "capex_usd", "purchase", usd)
    out += _figure(before, after, "usd_per_gpu", "a GPU", usd)
    out += _figure(before, after, "tco_usd", f"cost over {_years(before, after)}", usd)
    out += _figure(before, after, "usd_per_gpu_hour", "a GPU-hour", usd_small)
    out += _figure(before, after, "built", "built", ratio_to_one, none="one tier")
    return out + _figure(before, after, "busbw_gb_s", "all-reduce", gb_s)


def _figure(
    before: Headlines, after: Headlines, key: str, name: str, say: Callable[[Any], str], none: str = "not known"
) -> list[str]:
    was, became = (_text(one, key, say, none) for one in (before, after))
    return [] if was == became else [f"{name} {was} → {became}"]


def _text(figures: Headlines, key: str, say: Callable[[Any], str], none: str) -> str:
    value, has_more = getattr(figures, key, None), is_floor(figures, key)
    if value is None or (has_more and not value):
        return none
    return f"at least {say(value)}" if has_more else say(value)


def _years(before: Headlines, after: Headlines) -> str:
    """ "4 years", or "4 → 6 years" """
    spans = dict.fromkeys(str(one.tco_years) for one in (before, after))
    return f"{' → '.join(spans)} year{'' if list(spans) == ['1'] else 's'}"
