"""topology.yaml against the rules of Slurm's reader, as its source has them (25.05.8): docs/handoff.md, "Slurm"."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from estimator.handoff.slurm_yaml import PAGE_BYTES
from tests.estimator.handoff.cases import SPECS, expand, links_of, text

KINDS = {"tree", "block", "flat"}
MAX_NAME, MAX_DEPTH, MAX_SWITCHES, MAX_LEVELS = 64, 64, 65_535, 20
MAX_HOSTS, MAX_BLOCK_LEVELS = 65_536, 16
HOSTS = r"[A-Za-z0-9._-]+(\[\d+(-\d+)?(,\d+(-\d+)?)*\])?"


def check(written: str, nodes: list[str]) -> None:
    """Raise AssertionError where slurmctld would refuse the file, or warn of it."""
    size = len(written.encode())
    assert size % PAGE_BYTES, "a file of whole pages"
    check_events(written)
    topologies = yaml.load(written, yaml.BaseLoader)
    assert isinstance(topologies, list)
    names = [one["topology"] for one in topologies]
    assert len(set(names)) == len(names) > 0
    assert [one["cluster_default"] for one in topologies].count("true") == 1
    for one in topologies:
        (kind,) = set(one) - {"topology", "cluster_default"}
        assert kind in KINDS
        assert one["cluster_default"] in ("true", "false")
        {"tree": check_tree, "block": check_blocks}[kind](one[kind], nodes)


def check_events(written: str) -> None:
    """One document without tags, anchors and aliases, no deeper than Slurm follows, and no key twice."""
    depth, n_documents = 0, 0
    for event in yaml.parse(written, yaml.BaseLoader):
        assert not isinstance(event, yaml.AliasEvent)
        assert getattr(event, "anchor", None) is None
        assert getattr(event, "tag", None) is None
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        assert depth < MAX_DEPTH
        n_documents += isinstance(event, yaml.DocumentStartEvent)
    assert n_documents == 1
    no_key_twice(yaml.compose(written, yaml.BaseLoader))


def no_key_twice(node: Any) -> None:
    if isinstance(node, yaml.MappingNode):
        names = [key.value for key, _ in node.value]
        assert len(set(names)) == len(names)
        for _, value in node.value:
            no_key_twice(value)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            no_key_twice(value)


def hosts(expression: str) -> list[str]:
    """Names of a hostlist, after the rules of hostlist.c."""
    assert re.fullmatch(f"{HOSTS}(,{HOSTS})*", expression), expression
    for low, high in re.findall(r"(\d+)-(\d+)(?=[,\]])", expression):
        assert int(low) <= int(high) < int(low) + MAX_HOSTS
        assert len(low) == len(high)
    return expand(expression)


def check_tree(tree: dict[str, Any], nodes: list[str]) -> None:
    assert set(tree) == {"switches"}
    switches = {one["switch"]: one for one in tree["switches"]}
    assert 0 < len(switches) == len(tree["switches"]) < MAX_SWITCHES
    assert all(0 < len(name) <= MAX_NAME for name in switches)
    assert all(set(one) in ({"switch", "nodes"}, {"switch", "children"}) for one in switches.values())
    below: dict[str, set[str]] = {name: set(hosts(one["nodes"])) for name, one in switches.items() if "nodes" in one}
    assert sum(map(len, below.values())) == len(set().union(*below.values()))  # no node on two leaves
    children = {name: hosts(one["children"]) for name, one in switches.items() if "children" in one}
    for name, inner in children.items():
        assert set(inner) <= set(switches) - {name}
    for _ in range(MAX_LEVELS):
        for name, inner in children.items():
            if set(inner) <= set(below):
                below[name] = set().union(*(below[child] for child in inner))
    assert set(below) == set(switches), "not a tree"
    assert set(nodes) in below.values(), "no switch reaches all nodes"


def check_blocks(block: dict[str, Any], nodes: list[str]) -> None:
    assert set(block) == {"block_sizes", "blocks"}
    sizes = [int(size) for size in block["block_sizes"]]
    assert sizes[0] > 0
    allowed = [sizes[0] << level for level in range(MAX_BLOCK_LEVELS)]
    assert sizes == sorted(set(sizes) & set(allowed))
    assert sizes[-1] < 2**31
    assert all(set(one) == {"block", "nodes"} for one in block["blocks"])
    assert len({one["block"] for one in block["blocks"]}) == len(block["blocks"]) > 0
    members = [hosts(one["nodes"]) for one in block["blocks"]]
    assert min(map(len, members)) >= sizes[0]
    assert sorted(node for of_block in members for node in of_block) == sorted(nodes)


@pytest.mark.parametrize("name", SPECS)
def test_every_fabric_keeps_the_rules_of_slurms_reader(name: str) -> None:
    links = links_of(name)
    check(text(links, "slurm-topology-yaml"), links.table.devices.names[: links.fabric.n_nodes])


@pytest.mark.parametrize(
    "broken",
    [
        lambda file: file.replace("children", "switches", 1),
        lambda file: file.replace("switch: unit-002", "switch: unit-001"),
        lambda file: file.replace("unit-001\n        nodes", "unit-001\n        tag: x\n        nodes", 1),
        lambda file: file.replace("unit-[001-004]", "unit-[001-005]"),
        lambda file: file.replace("unit-[001-004]", "fabric"),
        lambda file: file.replace("node-[0001-0032]", "node-[0032-0001]", 1),
        lambda file: file.replace("node-[0033-0064]", "node-[0032-0064]", 1),
        lambda file: file.replace("      - 31\n", "      - 32\n"),
        lambda file: file.replace("      - 62\n", "      - 93\n"),
        lambda file: file.replace("cluster_default: false", "cluster_default: true"),
        lambda file: file.replace("topology: block", "topology: tree"),
        lambda file: file.replace("- topology: tree", "- &a topology: tree"),
        lambda file: file + "#" * (PAGE_BYTES - len(file.encode()) - 1) + "\n",
    ],
)
def test_a_file_that_breaks_a_rule_is_found(broken: Callable[[str], str]) -> None:
    links = links_of("four units")
    good = text(links, "slurm-topology-yaml")
    bad = broken(good)
    assert bad != good
    with pytest.raises((AssertionError, ValueError, KeyError)):
        check(bad, links.table.devices.names[: links.fabric.n_nodes])


def test_a_file_never_fills_its_last_memory_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """slurmctld 25.05.8 says "Invalid argument" to one that does, and ends."""
    links = links_of("four units")
    size = len(text(links, "slurm-topology-yaml").encode())
    for page in (size, size // 2 if size % 2 == 0 else size):
        monkeypatch.setattr("estimator.handoff.slurm_yaml.PAGE_BYTES", page)
        written = text(links, "slurm-topology-yaml")
        assert len(written.encode()) % page
        assert yaml.safe_load(written) == yaml.safe_load(written.rpartition("# End")[0])
