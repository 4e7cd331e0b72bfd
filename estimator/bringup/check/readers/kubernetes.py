"""Kubernetes: NicClusterPolicy, NicConfigurationTemplate, networks and pools as YAML.

Fields: Mellanox/network-operator and Mellanox/nic-configuration-operator, API definitions.
"""

import re

from estimator.bringup.check.observation import Notes
from estimator.bringup.check.texts.spans import numbers
from estimator.bringup.check.texts.tree import Node, Path, Tree, yaml_tree

KIND, SYSTEM = "Kubernetes manifest", "host"
KINDS = (
    "NicClusterPolicy|NicConfigurationTemplate|NicDevice|IPPool|CIDRPool|HostDeviceNetwork|MacvlanNetwork|IPoIBNetwork|"
    "SriovNetwork|SriovNetworkNodePolicy|SriovIBNetwork|SriovNetworkPoolConfig"
)
LAYERS = {"ethernet": "Ethernet", "eth": "Ethernet", "infiniband": "InfiniBand", "ib": "InfiniBand"}


def is_mine(text: str) -> bool:
    """Whether it is a manifest of the network operators."""
    return bool(
        "apiVersion:" in text
        and re.search(r"(?m)^\s*apiVersion:", text)
        and re.search(rf"(?m)^\s*-?\s*kind:\s*({KINDS})\b", text)
    )


def read(text: str, notes: Notes) -> None:
    """Settings of NICs, MTU of networks, subnets of pools."""
    tree = yaml_tree(text)
    for path, node in tree.walk():
        _field(path, node, tree, notes)
    for line in tree.secrets:
        notes.skip(line, "a secret stood here; it was not kept")


def _field(path: Path, node: Node, tree: Tree, notes: Notes) -> None:
    if node.value is None:
        return
    text = str(node.value)
    name = tree.text(*_document(path, tree), "metadata", "name")[:60]
    match path[-2:]:
        case (_, "maxReadRequest"):
            notes.number("max_read_request", name, text, node.line)
        case (_, "linkType"):
            notes.see("link_type", name, LAYERS.get(text.lower(), text), node.line)
        case ("qos", "trust"):
            notes.see("trust", name, text.lower(), node.line)
        case ("qos", "pfc"):
            flags = numbers(text)
            if len(flags) == 8:
                notes.see("pfc", name, tuple(at for at, flag in enumerate(flags) if flag), node.line)
            else:
                notes.skip(node.line, "eight flags of PFC were expected")
        case (("roceOptimized" | "pciPerformanceOptimized" | "spectrumXOptimized") as profile, "enabled"):
            notes.see("profile", f"{name}|{profile}", text.lower() == "true", node.line)
        case (_, "isRdma"):
            notes.see("rdma", name, text.lower() == "true", node.line)
        case (_, "mtu"):
            notes.number("mtu", name, text, node.line)
        case ("spec", "subnet" | "cidr") if not tree.get(*path[:-1], "staticAllocations"):
            notes.see("pool", name, text, node.line)
        case (_, "prefix") if "staticAllocations" in path:
            notes.see("pool", f"{name} {tree.text(*path[:-1], 'nodeName')}".strip(), text, node.line)
        case ("nvConfig" | "rawNvConfig", _) | (_, "ATS_ENABLED"):
            _raw(path[-1], text, name, node.line, notes)
        case _:
            _named(path, text, name, node, tree, notes)


def _document(path: Path, tree: Tree) -> Path:
    """The object that a field is in: a document, or an item of a list."""
    for size in range(len(path), 0, -1):
        if tree.get(*path[:size], "kind"):
            return path[:size]
    return path[:1]


def _named(path: Path, text: str, name: str, node: Node, tree: Tree, notes: Notes) -> None:
    """Firmware options as a list of names and values."""
    if path[-1] == "value" and path[-2].startswith("-"):
        _raw(tree.text(*path[:-1], "name"), text, name, node.line, notes)


def _raw(option: str, text: str, name: str, line: int, notes: Notes) -> None:
    settings = {"CNP_DSCP": "cnp_dscp", "CNP_802P_PRIO": "cnp_priority", "ROCE_CC_PRIO_MASK": "cc_mask"}
    stem = re.sub(r"_P\d$", "", option)
    if stem in settings:
        notes.number(settings[stem], name, text, line)
    elif stem == "ATS_ENABLED":
        notes.see("ats", name, text in ("1", "True", "true"), line)
