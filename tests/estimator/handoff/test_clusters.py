"""Files for clusters, labs and graphs: what holds for each, a lab's devices and ports, and graphs read back by networkx."""

import io
import itertools
import json
import re
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import networkx as nx
import pytest
import yaml

from estimator.cabling.links import COLUMNS, LinkList
from estimator.catalog.loader import load_catalog
from estimator.errors import SpecError
from estimator.handoff.formats import FORMATS
from estimator.link_list import link_list
from estimator.spec.parse import parse_spec
from tests.estimator.handoff.cases import NETWORKS, SPECS, custom, large, links_of, rows_of, small, text

NEW = (
    "slurm-topology-conf",
    "slurm-topology-yaml",
    "k8s-labels",
    "kueue",
    "containerlab",
    "drawio",
    "graphml",
    "node-link",
    "astra-sim",
    "simai",
)


@pytest.mark.parametrize("format_name", NEW)
@pytest.mark.parametrize("name", ["four units", "top of rack", "one node"])
def test_a_file_says_which_design_it_is_of(format_name: str, name: str) -> None:
    links = links_of(name)
    written = text(links, format_name)
    assert links.spec_hash in written
    assert links.catalog.version in written
    assert written.endswith("\n")


def test_names_and_words_of_a_design_cannot_break_a_file() -> None:
    catalog = load_catalog()
    spec = parse_spec({"name": 'a\nb: "]]>\x07 \u2028é', "compute": custom(2, 2), "fabric": small(8, tiers=2)}, catalog)
    links = link_list(spec, catalog)
    ElementTree.fromstring(text(links, "graphml"))
    ElementTree.fromstring(text(links, "drawio"))
    json.loads(text(links, "node-link"))
    for format_name in ("slurm-topology-yaml", "k8s-labels", "kueue", "containerlab"):
        assert yaml.safe_load(text(links, format_name))
    for format_name in ("slurm-topology-conf", "simai"):
        for line in text(links, format_name).splitlines():
            assert line == "" or re.match(r"#|SwitchName=|\d+ ", line)


@pytest.mark.parametrize("format_name", NEW)
@pytest.mark.parametrize("role", NETWORKS)
def test_what_is_about_gpus_is_of_the_compute_fabric_alone(format_name: str, role: str) -> None:
    if FORMATS[format_name].compute_only:
        with pytest.raises(SpecError) as refused:
            FORMATS[format_name].write(links_of(role))
        assert [problem.code for problem in refused.value.problems] == ["compute_fabric_only"]
    else:
        assert links_of(role).spec_hash in text(links_of(role), format_name)


# --- containerlab


def lab_of(compute: dict[str, Any], fabric: dict[str, Any]) -> tuple[LinkList, dict[str, Any]]:
    catalog = load_catalog()
    links = link_list(parse_spec({"compute": compute, "fabric": fabric}, catalog), catalog)
    return links, yaml.safe_load(text(links, "containerlab"))


@pytest.mark.parametrize("name", [*SPECS, *NETWORKS])
def test_a_lab_has_every_device_and_link_and_no_port_twice(name: str) -> None:
    links = links_of(name)
    lab = yaml.safe_load(text(links, "containerlab"))
    nodes, wires = lab["topology"]["nodes"], [link["endpoints"] for link in lab["topology"]["links"]]
    assert list(nodes) == links.table.devices.names
    ports = [end for wire in wires for end in wire]
    assert len(set(ports)) == len(ports) == 2 * len(links)
    devices = [tuple(end.partition(":")[0] for end in wire) for wire in wires]
    assert devices == [(row["a_device"], row["b_device"]) for row in rows_of(name)]
    assert all(re.fullmatch(r"(eth|swp)[1-9]\d*", end.partition(":")[2]) for end in ports)  # eth0 is containerlab's
    assert re.fullmatch(r"[a-z0-9_]+", lab["name"])


def test_a_lab_runs_what_the_switches_run() -> None:
    def kinds(**fabric: Any) -> dict[str, str]:
        _, lab = lab_of({"server": "dgx-h100", "nodes": 12}, fabric)
        return {node["group"]: node["kind"] for node in lab["topology"]["nodes"].values()}

    assert kinds(generation="roce-400")["leaf"] == "nvidia_cumulusvx"
    assert kinds(generation="roce-400", leaf_switch="arista-7060x6-64pe")["leaf"] == "arista_ceos"
    assert kinds(generation="roce-400", leaf_switch="edgecore-as9817-64o")["leaf"] == "sonic-vs"
    assert kinds(generation="roce-400", leaf_switch="custom", leaf_radix=64)["leaf"] == "sonic-vs"
    assert kinds(generation="ndr") == {"node": "linux", "leaf": "linux"} | kinds(generation="ndr")
    assert set(kinds(generation="ndr").values()) == {"linux"}


def test_ports_of_a_lab_are_named_by_its_systems_and_the_real_ones_stand_beside() -> None:
    links, lab = lab_of({"server": "dgx-h100", "nodes": 12}, {"generation": "roce-400"})
    wire = lab["topology"]["links"][0]["endpoints"]
    row = next(links.rows())._asdict()
    assert wire == ["node-0001:eth1", f"{row['b_device']}:swp1"]
    line = next(line for line in text(links, "containerlab").splitlines() if "endpoints" in line)
    assert line.endswith(f"# node-0001 {row['a_port']}, {row['b_device']} {row['b_port']}")


def test_a_lab_too_large_for_a_machine_is_refused_before_its_first_byte() -> None:
    catalog = load_catalog()
    links = link_list(parse_spec({"compute": custom(1001, 1), "fabric": small(64)}, catalog), catalog)
    with pytest.raises(SpecError) as refused:
        FORMATS["containerlab"].write(links)
    (problem,) = refused.value.problems
    assert (problem.field, problem.code) == ("format", "too_large_for_format")
    n_devices = len(links.table.devices)
    assert all(words in problem.message for words in ("1,000 devices", f"{n_devices:,}", "graphml"))


# --- GraphML and node-link JSON


def graphs(name: str) -> Iterator[Any]:
    """The same fabric as networkx reads it from both files."""
    links = links_of(name)
    yield nx.read_graphml(io.BytesIO(text(links, "graphml").encode()), force_multigraph=True)
    yield nx.node_link_graph(json.loads(text(links, "node-link")))


@pytest.mark.parametrize("name", [*SPECS, *NETWORKS])
def test_graphs_have_every_device_and_every_column_of_every_link(name: str) -> None:
    links = links_of(name)
    for graph in graphs(name):
        assert (graph.is_multigraph(), graph.is_directed()) == (True, False)
        assert list(graph) == links.table.devices.names
        edges = {data["link"]: ({a, b}, data) for a, b, data in graph.edges(data=True)}
        assert len(edges) == graph.number_of_edges() == len(links)
        for row in rows_of(name):
            ends, data = edges[row["link"]]
            assert ends == {row["a_device"], row["b_device"]}
            assert {key: data[key] for key in COLUMNS if key in data} == {
                key: value for key, value in row.items() if value is not None
            }
        kinds = Counter(data["kind"] for _, data in graph.nodes(data=True))
        assert kinds == {kind: n for kind, n in links.table.devices.n.items() if n}


def test_both_graphs_carry_what_they_were_made_from() -> None:
    xml, from_json = graphs("four units")
    assert xml.graph["spec_hash"] == from_json.graph["spec_hash"] == links_of("four units").spec_hash
    assert xml.nodes["leaf-r3-002"]["rail"] == from_json.nodes["leaf-r3-002"]["rail"] == 3
    assert xml.nodes["node-0001"]["part"] == "dgx-h100"
    assert xml.nodes["node-0001"]["part_name"] == "NVIDIA DGX H100"
    (storage, _) = graphs("storage")
    assert storage.nodes["node-0040"]["part"] == "dgx-h100"
    assert "part" not in storage.nodes["storage-0005"]


@pytest.mark.parametrize("format_name", ["graphml", "node-link", "k8s-labels"])
def test_a_large_file_is_written_piece_by_piece(format_name: str) -> None:
    links = large("rail-optimized")  # 98,304 links: 40 MB of GraphML
    for _ in links.rows(0, 1):  # names and labels belong to the list, not to the file
        pass
    tracemalloc.start()
    pieces = list(map(len, itertools.islice(FORMATS[format_name].write(links), 8)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert max(pieces) < 1_000_000
    assert peak < 8_000_000
