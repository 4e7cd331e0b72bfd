"""Slurm topology.yaml (25.05 and later): the tree as the cluster's default, and the blocks beside it."""

from collections.abc import Iterator

from estimator.cabling.links import LinkList
from estimator.handoff.placement import placement
from estimator.handoff.slurm_conf import members, switches
from estimator.handoff.stamp import comments

KEYS = {"Nodes": "nodes", "Switches": "children"}
PAGE_BYTES = 4096  # memory pages of other machines are whole multiples of it


def write(links: LinkList) -> Iterator[str]:
    """Two topologies; a partition names the one it wants by Topology=.

    Slurm 25.05 looks for the end of the text behind the file, and refuses one that fills its last memory page.
    """
    n_bytes = 0
    for part in _topologies(links):
        n_bytes += len(part.encode())
        yield part
    if n_bytes % PAGE_BYTES == 0:
        yield "# End of the topologies\n"


def _topologies(links: LinkList) -> Iterator[str]:
    placed, names = placement(links), links.table.devices.names
    yield comments(links)
    yield "- topology: tree\n  cluster_default: true\n  tree:\n    switches:\n"
    for name, kind, children in switches(placed, names):
        yield f'      - switch: {name}\n        {KEYS[kind]}: "{children}"\n'
    yield "- topology: block\n  cluster_default: false\n  block:\n    block_sizes:\n"
    yield "".join(f"      - {size}\n" for size in placed.block_sizes())
    yield "    blocks:\n"
    for name, children in members(placed.blocks, names):
        yield f'      - block: {name}\n        nodes: "{children}"\n'
