"""Kubernetes node labels, under the keys that NVIDIA topograph sets: docs/handoff.md, "Kubernetes"."""

from collections.abc import Iterator

from estimator.cabling.links import LinkList
from estimator.handoff.placement import Level, Placement, placement
from estimator.handoff.stamp import comments

HOSTNAME = "kubernetes.io/hostname"
TIER = "fabric.topograph.run/tier-{}"  # topograph 1.0 and later; tier 0 is next to the node
DOMAIN = "accelerator.topograph.run/domain"
OLDER_TIERS = tuple(f"network.topology.nvidia.com/{name}" for name in ("leaf", "spine", "core"))  # up to topograph 0.5
OLDER_DOMAIN = "network.topology.nvidia.com/accelerator"
USE = (
    "kubectl apply --server-side -f FILE: labels nodes that have joined under these names (one that has not would be",
    "created, so rename first). Keys: fabric.topograph.run and accelerator.topograph.run are those of topograph 1.0,",
    "network.topology.nvidia.com those of topograph 0.5 and before.",
)


def labelled_levels(placed: Placement) -> Iterator[tuple[str, str, Level]]:
    """(key, key of older versions, level), closest first; scale-up domains only where they span nodes."""
    if placed.domain:
        yield DOMAIN, OLDER_DOMAIN, placed.domain
    for tier, level in enumerate(placed.levels):
        yield TIER.format(tier), OLDER_TIERS[tier], level


def write(links: LinkList) -> Iterator[str]:
    """One List of Nodes with names and labels only."""
    columns = [
        (f"      {key}: {{}}\n      {older}: {{}}\n", level.of_node.tolist(), level.names)
        for key, older, level in labelled_levels(placement(links))
    ]
    yield comments(links, *USE)
    yield "apiVersion: v1\nkind: List\nitems:\n"
    for node, name in enumerate(links.table.devices.names[: links.fabric.n_nodes]):
        labels = "".join(text.format(names[of[node]], names[of[node]]) for text, of, names in columns)
        yield f"- apiVersion: v1\n  kind: Node\n  metadata:\n    name: {name}\n    labels:\n{labels}"
