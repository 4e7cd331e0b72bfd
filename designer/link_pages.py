"""Pages of a link list: the ports of one device, and how many links each pair of devices or racks shares."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from designer.result_query import Page, page_number, rows_on
from designer.templatetags.units import decimal
from estimator.devices import SWITCH_KINDS
from estimator.link_list import COLUMNS, LinkList
from estimator.topology import TIERS, Column
from estimator.units import IntArray

SUGGESTIONS = 8
OPEN = -1  # the row of a port without a link


# ---------------------------------------------------------------- one device


def device_page(links: LinkList, name: str, asked: Any) -> dict[str, Any]:
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


def _port_row(links: LinkList, kind: str, port: int, lane: int, row: int, is_lower: bool) -> dict[str, Any]:
    if row == OPEN:
        return {"port": links.labels[kind].port(port, lane), "is_open": True}
    link = dict(zip(COLUMNS, next(iter(links.rows(row, row + 1))), strict=True))
    near, far = ("a", "b") if is_lower else ("b", "a")
    return {
        "port": link[f"{near}_port"], "cage": link[f"{near}_cage"], "far_device": link[f"{far}_device"],
        "far_port": link[f"{far}_port"], **{key: link[key] for key in ("link", "cable", "tier", "media", "length_m", "part")},
        "rate_gbit_s": link["rate_gbit_s"], "rail": link["rail"], "plane": link["plane"],
    }  # fmt: skip


# ---------------------------------------------------------------- pairs


def schedule_page(links: LinkList, asked: Any) -> dict[str, Any]:
    """Links and cables of each pair of devices, in order of tier and lower device."""
    table, cabling = links.table, links.cabling
    order, first = _pair_starts(table.a_device, table.b_device)
    number, n_pages = page_number(asked, len(first))
    shown = rows_on(number, len(first))
    stops = np.append(first[1:], len(order))
    names = table.devices.names
    rows = []
    for k in shown:
        at = order[first[k] : stops[k]]
        row, run = int(at[0]), links.plan.runs[int(cabling.run[at[0]])]
        lengths = cabling.length_m[at]
        rows.append({
            "tier": TIERS[int(table.tier[row])], "a": names[int(table.a_device[row])], "b": names[int(table.b_device[row])],
            "links": len(at), "cables": len(np.unique(cabling.cable[at])),
            "medium": run.choice.medium if run.choice else None, "part": run.choice.cable.id if run.choice else None,
            "length": _range_m(float(lengths.min()), float(lengths.max())),
        })  # fmt: skip
    return {"page": Page(rows, number, n_pages, len(first)), "unit": "devices"}


def _pair_starts(a: Column, b: Column) -> tuple[IntArray, IntArray]:
    """(rows with equal pairs side by side, where each pair starts in them)."""
    key = a.astype(np.int64) * (int(b.max(initial=0)) + 1) + b
    order = np.argsort(key, kind="stable")
    sorted_key = key[order]
    return order, np.flatnonzero(np.diff(sorted_key, prepend=-1))


def _range_m(low: float, high: float) -> str:
    return decimal(low) if low == high else f"{decimal(low)} to {decimal(high)}"
