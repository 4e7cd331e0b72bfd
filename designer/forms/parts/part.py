"""The form of an own part: the plain keys of its kind as fields, and those of a server's networks side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

from django import forms

from designer.forms.asking import AskForm, ask, hidden
from designer.forms.keys import Key
from designer.wording.context import Context
from estimator.catalog.loader import load_catalog
from estimator.catalog.records import maker_of
from estimator.errors import Problem
from estimator.spec.own.part import OWN_KINDS, OwnNetwork, OwnNic, OwnPart, OwnServer

KIND_WORDS = {"switches": "switch", "nics": "NIC", "servers": "server", "cables": "cable"}
PROTOCOLS = {"infiniband": ["infiniband"], "ethernet": ["ethernet"], "both": ["infiniband", "ethernet"]}
PROTOCOL_WORDS = [("", "Choose"), ("infiniband", "InfiniBand"), ("ethernet", "Ethernet"), ("both", "Both")]
ROLES = {
    "compute": "Compute network",
    "storage": "Storage network",
    "inband": "In-band network",
    "oob": "Out-of-band network",
}
SPECIAL = ("revision", "protocols", "lengths_m", "splits", "networks")
WIDE = ("source", "note", "model", "cpu")


class Block(NamedTuple):
    """Fields of the form under a heading, "" for none."""

    title: str
    fields: list[forms.BoundField]


def _field(key: Key) -> forms.CharField:
    title, words = key.info.title or key.path, key.info.description or ""
    if key.is_switch:
        return ask(title, words, [("", "As usual"), ("True", "Yes"), ("False", "No")])
    if key.choices:
        usual = "" if key.info.is_required() else str(key.info.default)  # a blank stands for it
        others = [(str(one), _said(one)) for one in key.choices if str(one) != usual]
        return ask(title, words, [("", _said(usual) if usual else "Choose"), *others], unit=key.unit)
    if key.path == "gpu":
        gpus = ((part, gpu.model) for part, gpu in load_catalog().gpus.items())
        return ask(title, "The accelerator; without one no collectives are predicted.", [("", "None named"), *gpus])
    return ask(title, words, unit=key.unit, is_wide=key.path in WIDE, autocomplete="off")


def _said(value: Any) -> str:
    """A choice as one reads it: protocols by their name."""
    return dict(PROTOCOL_WORDS).get(str(value)) or str(value)


@cache
def _keys(kind: str) -> dict[str, Key]:
    return {name: Key(name, info) for name, info in OWN_KINDS[kind].model_fields.items() if name not in SPECIAL}


NETWORK_KEYS = {name: Key(name, info) for name, info in OwnNetwork.model_fields.items() if name != "role"}


def _nic_choices(own: Iterable[OwnNic], kept: str) -> list[tuple[str, Any]]:
    """NICs of the team, then those of the catalog by maker; one that a server names stays in the list."""
    makers: dict[str, list[tuple[str, str]]] = {}
    for part, nic in load_catalog().nics.items():
        makers.setdefault(maker_of(nic.vendor), []).append((part, nic.model))
    mine = [(nic.id, f"{nic.vendor} {nic.model}") for nic in own]
    groups = [("Your own parts", mine)] if mine else []
    groups += [(maker, sorted(nics, key=lambda one: one[1])) for maker, nics in sorted(makers.items())]
    known = {part for _, nics in groups for part, _ in nics}
    lost = [(kept, f"{kept}, which is not in the catalog")] if kept and kept not in known else []
    return [("", "Ports of the server itself"), *lost, *groups]


class OwnPartForm(AskForm):
    """One part of a kind; ``values`` are those of the revision that it begins with, ``nics`` what a server may name beside the
    catalog's.
    """

    number = hidden()  # of the revision that the form shows
    reason = ask("Reason", "For the history: why, or whose offer.", is_wide=True, autocomplete="off")

    def __init__(
        self,
        kind: str,
        data: Any = None,
        values: Mapping[str, Any] | None = None,
        nics: Iterable[OwnNic] = (),
    ) -> None:
        super().__init__(data, initial=_texts(kind, values or {}) | {"number": (values or {}).get("revision", "")})
        nics = list(nics)
        self.kind = kind
        model = OWN_KINDS[kind].model_fields
        for name, key in _keys(kind).items():
            self.fields[name] = _field(key)
        if "protocols" in model:
            self.fields["protocols"] = ask("Protocols", "What it speaks, or is coded for.", PROTOCOL_WORDS)
        if "lengths_m" in model:
            self.fields["lengths_m"] = ask("Lengths", "In metres, with commas between: 1, 2, 3.", unit="m")
        if "splits" in model:
            self.fields["splits"] = ask("Other rates", "Links × Gb/s a cage, with commas between: 4x200, 1x800.")
        for role in ROLES if "networks" in model else ():
            for name, key in NETWORK_KEYS.items():
                self.fields[f"{role}_{name}"] = _field(key)
            kept = str((data or self.initial).get(f"{role}_nic") or "")
            words_of_it = "The card whose ports these are; none for ports of the server itself."
            self.fields[f"{role}_nic"] = ask("NIC", words_of_it, _nic_choices(nics, kept))
        self.order_fields([*(name for name in self.fields if name != "reason"), "reason"])

    @property
    def blocks(self) -> list[Block]:
        """The part's own fields, then those of each network."""
        inside = {
            role: [self[f"{role}_{name}"] for name in NETWORK_KEYS] for role in ROLES if f"{role}_nics" in self.fields
        }
        names = {"number", *(field.name for fields in inside.values() for field in fields)}
        own = Block("", [self[name] for name in self.fields if name not in names])
        return [own, *(Block(ROLES[role], fields) for role, fields in inside.items())]

    def part(self) -> Context:
        """What was typed, as a request says it; text that stands for no value stays text, and the rules say so."""
        texts = self.texts()
        out = _parsed(_keys(self.kind), texts, "")
        if typed := texts.get("protocols"):
            out |= {"protocols": PROTOCOLS.get(typed, [typed])}
        if typed := texts.get("lengths_m"):
            out |= {"lengths_m": [_number(one) for one in typed.split(",") if one.strip()]}
        if typed := texts.get("splits"):
            out |= {"splits": [_split(one) for one in typed.split(",") if one.strip()]}
        if "compute_nics" in self.fields:
            found = ((role, _parsed(NETWORK_KEYS, texts, f"{role}_")) for role in ROLES)
            out |= {"networks": [{"role": role, **values} for role, values in found if values]}
        return out

    def field_of(self, problem: Problem) -> str | None:
        """The field that a problem is about; of a network, its role's."""
        name, _, inner = problem.field.partition("[")
        if name == "networks" and inner:
            rows = self.part().get("networks", [])
            at = int(inner.split("]")[0])
            role = rows[at].get("role") if at < len(rows) else None
            return next((one for one in [f"{role}_{inner.rpartition('.')[2]}"] if one in self.fields), f"{role}_nics")
        return name if name in self.fields else None


def _parsed(keys: Mapping[str, Key], texts: Mapping[str, str], prefix: str) -> Context:
    out: Context = {}
    for name, key in keys.items():
        if typed := texts.get(prefix + name, "").strip():
            out[name] = typed == "True" if key.is_switch and typed in ("True", "False") else key.parse(typed)
    return out


def _number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text.strip()


def _split(text: str) -> Any:
    links, _, rate = text.strip().lower().replace("×", "x").partition("x")
    if links.strip().isdecimal() and rate.strip().isdecimal() and len(text) < 20:
        return {"links_per_cage": int(links), "port_rate_gbit_s": int(rate)}
    return text.strip()


def _texts(kind: str, values: Mapping[str, Any]) -> dict[str, str]:
    """A revision as the form prints it."""
    texts = {name: _text(values.get(name)) for name in _keys(kind)}
    both = values.get("protocols") or []
    splits = values.get("splits") or ()
    texts |= {
        "protocols": "both" if len(both) > 1 else next(iter(both), ""),
        "lengths_m": ", ".join(_text(one) for one in values.get("lengths_m") or ()),
        "splits": ", ".join(f"{one.get('links_per_cage')}x{one.get('port_rate_gbit_s')}" for one in splits),
    }
    for one in values.get("networks") or ():
        texts |= {f"{one.get('role')}_{name}": _text(one.get(name)) for name in NETWORK_KEYS}
    return texts


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value)


def figures_of(part: OwnPart) -> str:
    """The figures of a part that a list shows, in words."""
    values = part.model_dump()
    values |= {"protocol": _said(values.get("protocol")), "network": ""}
    if isinstance(part, OwnServer) and (compute := next((one for one in part.networks if one.role == "compute"), None)):
        values |= {"network": f", {compute.nics} NICs at {compute.port_rate_gbit_s} Gb/s a port"}
    shown = {
        "switches": "{ports} × {port_rate_gbit_s} Gb/s, {protocol}",
        "nics": "{ports} × {port_rate_gbit_s} Gb/s",
        "servers": "{gpus} GPUs{network}",
        "cables": "{rate_gbit_s} Gb/s {kind}",
    }
    kind = next(name for name, model in OWN_KINDS.items() if isinstance(part, model))
    return shown[kind].format(**values)
