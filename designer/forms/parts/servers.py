"""Lists of servers and of NICs in the design form: what a server is found by, and which NICs go into it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import Any, NamedTuple

from django import forms
from django.utils.choices import flatten_choices
from pydantic import ValidationError

from designer.wording.context import Context
from estimator.catalog.catalog import Catalog, with_records
from estimator.catalog.loader import load_catalog
from estimator.catalog.ports import compute_network
from estimator.spec.own.nics import nics_for
from estimator.spec.own.part import OwnNic, OwnParts, OwnServer
from estimator.spec.own.records import records_of

NO_CHOICE = "The NICs of this server are part of its board or tray: there is no other to choose."


class OfferedParts(NamedTuple):
    """What own servers and own NICs say, by the values of their options."""

    servers: Mapping[str, Mapping[str, Any]]
    nics: Mapping[str, Mapping[str, Any]]


class ServerSelect(forms.Select):
    """Servers by GPU; an option names the NICs too, as the page's search looks at them."""

    def __init__(self, choices: Any) -> None:
        super().__init__(choices=choices, attrs={"data-search": "Vendor, model, GPU or NIC"})

    def create_option(self, name: str, value: Any, *args: Any, **kwargs: Any) -> Context:
        """The option with its NICs."""
        option = super().create_option(name, value, *args, **kwargs)
        if note := _notes(load_catalog().version).get(str(value)):
            _attrs(option).update({"data-note": note})
        return option


def _attrs(of: Context) -> Context:
    """Attributes in HTML of what a widget is about to write."""
    attrs: Context = of.setdefault("attrs", {})
    return attrs


@cache
def _notes(version: str) -> dict[str, str]:
    """ "8 × ConnectX-7" of each server. ``version`` of the catalog is the key under which they are kept."""
    catalog = load_catalog()
    out = {}
    for part, server in catalog.servers.items():
        network = compute_network(server)
        nic = catalog.nics.get((network.nic_id if network else None) or "")
        if network and nic:
            out[part] = f"{network.n_nics} × {nic.model.partition(' (')[0]}"
    return out


class NicSelect(forms.Select):
    """NICs of the compute network, of which a server takes some: the others are hidden, and the page's script follows the server.

    ``server`` is the chosen one's value. What is chosen stays in the list whether it fits or not, as the rules say what is
    wrong with it.
    """

    own: Callable[[], OfferedParts] | None = None
    server = ""
    no_choice = NO_CHOICE

    @cached_property
    def offered(self) -> Mapping[str, tuple[str, ...]]:
        """Values of the NICs that each server takes, by the server's value; none where its own are part of the board."""
        parts = self.own() if self.own else OfferedParts({}, {})
        return _offered(load_catalog().version) if not any(parts) else _offered_with(parts)

    def get_context(self, name: str, value: Any, attrs: Any) -> Context:
        """The list, with which servers take which of them."""
        context: Context = super().get_context(name, value, attrs)
        place = {str(value): at for at, (value, _) in enumerate(flatten_choices(self.choices))}
        offered = {
            server: tuple(sorted(place[nic] for nic in nics if nic in place)) for server, nics in self.offered.items()
        }
        sets = [
            f"{' '.join(map(str, nics))}:{' '.join(server for server, taken in offered.items() if taken == nics)}"
            for nics in dict.fromkeys(offered.values())
            if nics
        ]
        shown: Context = context.get("widget", {})
        _attrs(shown).update({"data-nics": ";".join(sets)})  # places in the list, and the servers that take them
        return context

    def create_option(self, name: str, value: Any, label: Any, selected: bool, *args: Any, **kwargs: Any) -> Context:
        """The option, hidden where the server does not take it."""
        option = super().create_option(name, value, label, selected, *args, **kwargs)
        if value and not selected and str(value) not in self.offered.get(self.server, ()):
            _attrs(option).update(hidden=True, disabled=True)
        return option

    @property
    def note(self) -> str:
        """What stands below a list in which there is nothing to choose."""
        return NO_CHOICE if self.server in self.offered and not self.offered[self.server] else ""


@cache
def _offered(version: str) -> Mapping[str, tuple[str, ...]]:
    """Of the catalog's servers and NICs. ``version`` of the catalog is the key under which they are kept."""
    return _taken(load_catalog())


def _offered_with(parts: OfferedParts) -> Mapping[str, tuple[str, ...]]:
    """The same with own servers and NICs; what is broken in a design is left out, as the rules say what is wrong with it."""
    catalog = load_catalog()
    nics = [one for value, said in parts.nics.items() if (one := _read(OwnNic, said, value))]
    servers = [one for value, said in parts.servers.items() if (one := _read(OwnServer, said, value))]
    own = OwnParts.model_construct(switches=[], nics=nics, servers=servers, cables=[])
    return _taken(with_records(catalog, records_of(own, catalog)))


def _taken(catalog: Catalog) -> Mapping[str, tuple[str, ...]]:
    return {
        part: tuple(nic.id for nic in nics_for(server, catalog))
        for part, server in catalog.servers.items()
        if server.gpu_count
    }


def _read(kind: Any, said: Mapping[str, Any], value: str) -> Any:
    """A part under the value of its option; None for what is none."""
    try:
        return kind.model_validate(dict(said), extra="ignore").model_copy(update={"id": value})
    except ValidationError:
        return None
