"""Slurm topology.conf for the tree plugin, with the block plugin's lines as a comment: docs/handoff.md, "Slurm"."""

from collections.abc import Iterator

from estimator.cabling.links import LinkList
from estimator.handoff.hostlist import hostlist
from estimator.handoff.placement import Level, Placement, placement
from estimator.handoff.stamp import comments


def write(links: LinkList) -> Iterator[str]:
    """Switches from the leaf groups up; below them, commented out, the same nodes as blocks."""
    placed, names = placement(links), links.table.devices.names
    yield comments(
        links, "TopologyPlugin=topology/tree; Slurm reads topology.yaml instead of this file if there is one."
    )
    for name, kind, children in switches(placed, names):
        yield f"SwitchName={name} {kind}={children}\n"
    yield "\n# For TopologyPlugin=topology/block, put these lines in place of the ones above.\n"
    for name, children in members(placed.blocks, names):
        yield f"# BlockName={name} Nodes={children}\n"
    yield f"# BlockSizes={','.join(map(str, placed.block_sizes()))}\n"


def switches(placed: Placement, names: list[str]) -> Iterator[tuple[str, str, str]]:
    """(name, "Nodes" or "Switches", hostlist) of every switch of the tree, leaf groups first."""
    for name, nodes in members(placed.levels[0], names):
        yield name, "Nodes", nodes
    for below, level in enumerate(placed.levels[1:]):
        children: list[list[str]] = [[] for _ in level.names]
        for child, parent in zip(placed.levels[below].names, placed.parent(below), strict=True):
            children[parent].append(child)
        for name, inner in zip(level.names, children, strict=True):
            yield name, "Switches", hostlist(inner)


def members(level: Level, names: list[str]) -> Iterator[tuple[str, str]]:
    """(name, hostlist of its nodes) of every group."""
    for group, name in enumerate(level.names):
        yield name, hostlist(names[node] for node in level.members(group).tolist())
