"""The fabric as an undirected Graphviz graph, in the form that NVIDIA Air, PTM and the Cable Validation Tool read.

Every name is quoted, as ``-``, ``.`` and ``/`` would end a bare one: ``"node-0001":"mlx5_0" -- "leaf-001":"swp1s0"``.
"""

from collections.abc import Iterator

from estimator.cabling.links import BLOCK_ROWS, LinkList
from estimator.fabric.devices import CORE, LEAF, MANAGER, SPINE, SWITCH_KINDS
from estimator.fabric.ports import port_system
from estimator.handoff.hosts_of import SWITCH_HOSTS, host_groups
from estimator.handoff.stamp import comments, origin

ROLES = {LEAF: "leaf", SPINE: "spine", CORE: "super_spine"}
SYSTEM_KEYS = {"Cumulus Linux": "cumulus", "SONiC": "sonic"}  # as those tools spell them


def write(links: LinkList) -> Iterator[str]:
    """Attributes of the graph, a line a device, a line a link."""
    stamp = "".join(f"  {name}={quoted(text)};\n" for name, text in origin(links).items())
    yield f"{comments(links, mark='// ')}graph network {{\n{stamp}"
    for names, role, system in _named(links):
        attributes = f'role="{role}" function="{role}"' + (f' os="{system}"' if system else "")
        for start in range(0, len(names), BLOCK_ROWS):
            block = names[start : start + BLOCK_ROWS]
            yield "".join(f"  {quoted(name)} [label={quoted(name)} {attributes}]\n" for name in block)
    lines = []
    for row in links.rows():
        a, b = (quoted(row.a_device), quoted(row.a_port)), (quoted(row.b_device), quoted(row.b_port))
        lines.append(f"  {':'.join(a)} -- {':'.join(b)}\n")
        if len(lines) == BLOCK_ROWS:
            yield "".join(lines)
            lines = []
    yield "".join(lines) + "}\n"


def quoted(text: str) -> str:
    """A DOT string: only the quote sign needs a backslash, and a backslash before one or at the end its own."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _named(links: LinkList) -> Iterator[tuple[list[str], str, str | None]]:
    """(names, role, system) of every kind of device."""
    devices = links.table.devices
    for group, place in host_groups(links):
        yield devices.names[place], "switch" if group.kind in SWITCH_HOSTS else "host", None
    yield devices.names[devices.of(MANAGER)], "host", None
    for kind in SWITCH_KINDS:
        system = SYSTEM_KEYS.get(port_system(links.switches[kind], links.catalog))
        yield devices.names[devices.of(kind)], ROLES[kind], system
