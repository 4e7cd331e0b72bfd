"""Networks beside the compute one, as the form asks for them: a box for each role, and the few keys that matter most.

What an entry of ``other_fabrics`` says besides is handed through, and so are further entries of the same role.
"""

import re
from collections.abc import Mapping
from typing import Any

from designer.forms.keys import LINES, Key
from designer.forms.parts.cables import OWN_CABLES
from estimator.record import Given
from estimator.spec.fabric import OtherFabric

OTHERS = "other_fabrics"
ROLE_FIELDS = {
    "other_fabrics.storage": (
        "Storage network",
        "Joins the servers' storage ports and what is given as other endpoints.",
    ),
    "other_fabrics.in-band": ("In-band management network", "Ethernet for provisioning, logins and jobs' own traffic."),
    "other_fabrics.out-of-band": ("Out-of-band management network", "1G for every server controller, switch and PDU."),
    "other_fabrics.converged": (
        "Converged network",
        "Storage and in-band on one Ethernet network, as small sites have it.",
    ),
}
_KEYS_OF_ROLE = {
    "storage": ("extra_endpoints", "ports_per_node", "dual_homed", "oversubscription"),
    "in-band": ("extra_endpoints", "ports_per_node", "dual_homed"),
    "out-of-band": ("extra_endpoints", "nodes_per_leaf", "pdus_per_rack"),
    "converged": ("extra_endpoints", "ports_per_node", "dual_homed", "endpoints_per_port"),
}
ROLE_KEYS = {
    path: Key(path, OtherFabric.model_fields[name])
    for role, names in _KEYS_OF_ROLE.items()
    for name in names
    for path in [f"{OTHERS}.{role}.{name}"]
}
_ENTRY = re.compile(r"other_fabrics\[(\d+)\](?:\.(.+))?").fullmatch


def label_of(path: str) -> str:
    """A key's title with its network: "Other endpoints: storage"."""
    return f"{ROLE_KEYS[path].info.title}: {path.split('.')[1]}"


def role_of(entry: Any) -> str:
    """The box of an entry."""
    return f"{OTHERS}.{entry.get('role')}" if isinstance(entry, Mapping) else ""


def first_entries(entries: Any) -> dict[str, Given]:
    """The entry that each box is about: the first of its role."""
    found: dict[str, Given] = {}
    for entry in entries if isinstance(entries, list) else ():
        if role_of(entry) in ROLE_FIELDS:
            found.setdefault(role_of(entry), entry)
    return found


def entries_of(kept: Any, ticked: list[str], typed: Given) -> Any:
    """The entries of a request: those kept without the roles whose box is empty, one for each other box, as typed.

    ``typed`` has a value by path for every key of ROLE_KEYS, None where its default is to hold.
    """
    if not isinstance(kept, list | None):
        return kept  # spec/parse.py says what is wrong with it
    stays = [entry for entry in kept or () if role_of(entry) not in ROLE_FIELDS or role_of(entry) in ticked]
    has = {role_of(entry) for entry in stays}
    entries = stays + [{"role": path.removeprefix(f"{OTHERS}.")} for path in ticked if path not in has]
    asked: set[str] = set()
    for number, entry in enumerate(entries):
        box = role_of(entry)
        if box in ticked and box not in asked:
            asked.add(box)
            own = {path.rsplit(".", 1)[1]: value for path, value in typed.items() if path.startswith(f"{box}.")}
            entries[number] = {key: value for key, value in {**entry, **own}.items() if value is not None}
    return entries


def path_of_problem(field: str, entries: Any) -> str:
    """``other_fabrics[1].tiers`` → the path of its field in the form, else of the network's box; other fields as they are.

    Of a list that the form writes in one line, that line.
    """
    written = next((path for path in (*LINES, OWN_CABLES) if field.startswith(f"{path}[")), None)
    if written:
        return written
    match = _ENTRY(field)
    if match is None or not isinstance(entries, list) or int(match[1]) >= len(entries):
        return field
    entry = entries[int(match[1])]
    path = f"{role_of(entry)}.{match[2]}"
    is_first = first_entries(entries).get(role_of(entry)) is entry
    return path if path in ROLE_KEYS and is_first else role_of(entry)
