"""Pages of a link list: the ports of one device, and how many links each pair of devices or racks shares."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from designer.wording.context import Context
from designer.wording.query import Page, page_number, rows_on
from estimator.cabling.links import LinkList
from estimator.fabric.devices import SWITCH_KINDS
from estimator.fabric.topology import TIERS, Column
from estimator.floor.plan import FloorPlan
from estimator.units import IntArray

SUGGESTIONS = 8
OPEN = -1  # the row of a port without a link


# ---------------------------------------------------------------- one device


def device_page(links: LinkList, name: str, asked: Any) -> Context:
    """The ports of one device, open ones too, and where each goes; or names like the one typed if no device has it."""
    devices = links.table.devices
    index = devices.index_of(name.lower())
    if index is None:
        return {"page": None, "like": _names_like(devices.names, name.lower())}
    ends = _ends_of(links, index)
    kind = devices.kind(index)
    n_ports = getattr(links.fabric, f"{kind}_radix") if kind in SWITCH_KINDS else 0
    used = {port for port, *_ in ends}
    rows = sorted([*ends, *((port, 0, OPEN, False) for port in range(n_ports) if port not in used)])
    number, n_pages = page_number(asked, len(rows))
    shown = [_port_row(links, kind, *rows[k]) for k in rows_on(number, len(rows))]
    page = Page(shown, number, n_pages, len(rows))
    return {
        "page": page,
        "name": devices.names[index],
        "kind": kind,
        "n_used": len(ends),
        "n_open": len(rows) - len(ends),
    }


def _names_like(names: Sequence[str], typed: str) -> list[str]:
    """The first few names that begin with what was typed, else that have it in them."""
    starts = [name for name in names if name.startswith(typed)]
    return (starts or [name for name in names if typed in name])[:SUGGESTIONS]


def _ends_of(links: LinkList, device: int) -> list[tuple[int, int, int, bool]]:
    """(port, lane, row, whether the device is the lower end) of every link that ends in the device."""
    table = links.table
    below = np.flatnonzero(table.a_device == device)
    above = np.flatnonzero(table.b_device == device)
    return [
        *((int(table.a_port[row]), 0, int(row), True) for row in below),
        *((int(table.b_port[row]), int(table.b_lane[row]), int(row), False) for row in above),
    ]


def _port_row(links: LinkList, kind: str, port: int, lane: int, row: int, is_lower: bool) -> Context:
    if row == OPEN:
        return {"port": links.labels[kind].port(port, lane), "is_open": True}
    link = next(links.rows(row, row + 1))
    near, far = ("a", "b") if is_lower else ("b", "a")
    return {
        "port": getattr(link, f"{near}_port"),
        "transceiver": getattr(link, f"{near}_transceiver"),
        "far_device": getattr(link, f"{far}_device"),
        "far_port": getattr(link, f"{far}_port"),
        "link": link,
        "cables": " ".join(str(one) for one in (link.cable, link.further_cables) if one),
    }


# ---------------------------------------------------------------- pairs


def schedule_page(links: LinkList, asked: Any, racks: FloorPlan | None = None) -> Context:
    """Links and cables of each tier between each pair of devices, or of racks where ``racks`` has them in racks."""
    table = links.table
    ends: tuple[Column, Column] = (table.a_device, table.b_device)
    names = table.devices.names
    if racks is not None:
        ends, names = (racks.rack[ends[0]], racks.rack[ends[1]]), racks.names
    order, first = _pair_starts(table.tier, *ends)
    number, n_pages = page_number(asked, len(first))
    stops = np.append(first[1:], len(order))
    rows = [
        {"a": names[int(ends[0][at[0]])], "b": names[int(ends[1][at[0]])], **_bundle(links, at)}
        for at in (order[first[k] : stops[k]] for k in rows_on(number, len(first)))
    ]
    return {"page": Page(rows, number, n_pages, len(first)), "unit": "devices" if racks is None else "racks"}


def _bundle(links: LinkList, at: IntArray) -> Context:
    """What is pulled for the links of some rows of one tier, all together; ``lengths`` has the cables of each length."""
    cabling = links.cabling
    run, cable = cabling.run[at], cabling.cable[at]
    runs = {k: links.plan.runs[k] for k in np.unique(run).tolist()}
    choices = [one.choice for one in runs.values() if one.choice]
    lengths: dict[float, int] = {}
    for k, one in runs.items():
        pieces = len(np.unique(cable[run == k])) * (one.choice.cables_per_link if one.choice else 1)
        lengths[one.length_m] = lengths.get(one.length_m, 0) + pieces
    return {
        "tier": TIERS[int(links.table.tier[at[0]])],
        "links": len(at),
        "cables": sum(lengths.values()),
        "media": list(dict.fromkeys(choice.reported_medium for choice in choices)),
        "parts": list(dict.fromkeys(choice.cable.id for choice in choices)),
        "lengths": [{"length_m": length, "cables": lengths[length]} for length in sorted(lengths)],
    }


def _pair_starts(tier: Column, a: Column, b: Column) -> tuple[IntArray, IntArray]:
    """(rows with equal pairs of a tier side by side, where each pair starts in them)."""
    key = tier.astype(np.int64) * (int(a.max(initial=0)) + 1) + a
    key = key * (int(b.max(initial=0)) + 1) + b
    order = np.argsort(key, kind="stable")
    sorted_key = key[order]
    return order, np.flatnonzero(np.diff(sorted_key, prepend=-1))
