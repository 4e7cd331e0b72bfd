"""Files of Slurm and Kubernetes: their own readers or schemas take them, and they say what the design says."""

import json
import os
import re
import subprocess
from collections import Counter
from ipaddress import IPv4Network, ip_interface, ip_network
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from yamllint import linter
from yamllint.config import YamlLintConfig

from estimator.bringup.plan.plan import Plan
from estimator.bringup.plan.systems import SYSTEMS
from estimator.bringup.renderings.targets import file_of, files_of, plan_answer
from tests.estimator.bringup.plans import DESIGNS, plan_named, plan_of_values
from tests.estimator.bringup.schemas import SCHEMAS
from tests.estimator.handoff.fabric_tools import needs_slurm, slurm_log, slurm_switches
from tests.estimator.handoff.test_slurm_yaml import check

LINT = YamlLintConfig("{extends: relaxed, rules: {line-length: disable, indentation: {indent-sequences: whatever}}}")


def texts(plan: Plan, target: str) -> dict[str, str]:
    """Files of a target by name."""
    return {file.name: file.text for file in files_of(plan, target)}


def manifests(plan: Plan) -> list[dict[str, Any]]:
    """All documents of the Kubernetes files."""
    return [one for text in texts(plan, "network-operator").values() for one in yaml.safe_load_all(text)]


def of_kind(plan: Plan, kind: str) -> list[dict[str, Any]]:
    return [one for one in manifests(plan) if one["kind"] == kind]


@pytest.mark.parametrize("name", DESIGNS)
def test_every_manifest_fits_the_operators_schema_and_is_plain_yaml(name: str) -> None:
    plan = plan_named(name)
    found = manifests(plan)
    for one in found:
        jsonschema.validate(one, SCHEMAS[one["apiVersion"], one["kind"]])
    assert {"NicClusterPolicy", "NicConfigurationTemplate", "HostDeviceNetwork", "List", "Topology"} <= {
        one["kind"] for one in found
    }
    for target in ("network-operator", "slurm"):
        for file, text in texts(plan, target).items():
            if file.endswith(".yaml"):
                assert list(linter.run(text, LINT)) == [], file


def test_a_field_that_the_operator_does_not_know_is_found() -> None:
    (one,) = of_kind(plan_named("one tier"), "NicConfigurationTemplate")
    one["spec"]["template"]["roceOptimised"] = {"enabled": True}
    with pytest.raises(jsonschema.ValidationError, match="roceOptimised"):
        jsonschema.validate(one, SCHEMAS[one["apiVersion"], one["kind"]])


@pytest.mark.parametrize("name", ["two tiers", "planes", "one tier"])
def test_pods_get_the_addresses_that_switches_have_at_the_other_end(name: str) -> None:
    plan = plan_named(name)
    at_switch = {
        (port.peer, str(ip_interface(port.address).network)): str(ip_interface(port.address).ip)
        for switch in plan.switches(SYSTEMS["sonic"])
        for port in switch.interfaces
        if port.address
    }
    given = {}
    for pool in of_kind(plan, "CIDRPool"):
        nodes = Counter(one["nodeName"] for one in pool["spec"]["staticAllocations"])
        assert set(nodes.values()) == {1}, "nv-ipam takes one prefix a node and pool"
        for one in pool["spec"]["staticAllocations"]:
            assert IPv4Network(one["prefix"]).subnet_of(IPv4Network(pool["spec"]["cidr"]))
            given[one["nodeName"], one["prefix"]] = one["gateway"]
    assert given == at_switch


def test_infiniband_pools_do_not_overlap_and_hold_all_nodes() -> None:
    plan = plan_named("InfiniBand")
    pools = of_kind(plan, "IPPool")
    nets = [ip_network(pool["spec"]["subnet"]) for pool in pools]
    assert len(nets) == 8
    n_nodes = len(plan.wired.nodes)
    assert not any(a.overlaps(b) for at, a in enumerate(nets) for b in nets[at + 1 :])
    for pool, net in zip(pools, nets, strict=True):
        assert net.num_addresses - 2 >= n_nodes * pool["spec"]["perNodeBlockSize"]


@pytest.mark.parametrize("name", ["two tiers", "planes", "one tier", "InfiniBand"])
def test_networks_pools_and_resources_name_each_other(name: str) -> None:
    plan = plan_named(name)
    (policy,) = of_kind(plan, "NicClusterPolicy")
    listed = json.loads(policy["spec"]["sriovDevicePlugin"]["config"])["resourceList"]
    pools = {one["metadata"]["name"] for kind in ("CIDRPool", "IPPool") for one in of_kind(plan, kind)}
    networks = of_kind(plan, "HostDeviceNetwork")
    assert [one["spec"]["resourceName"] for one in networks] == [one["resourceName"] for one in listed]
    assert {json.loads(one["spec"]["ipam"])["poolName"] for one in networks} == pools
    assert len(networks) == len(pools) == len(next(iter(plan.nics())).ports)
    virtual = of_kind(plan, "SriovNetworkNodePolicy")
    assert [one["spec"]["nicSelector"]["pfNames"] for one in virtual] == [one["selectors"]["pfNames"] for one in listed]


def test_cnp_is_what_switches_have_and_the_operators_own_is_shown() -> None:
    plan = plan_named("two tiers")
    (one,) = of_kind(plan, "NicConfigurationTemplate")
    raw = {row["name"]: row["value"] for row in one["spec"]["template"]["rawNvConfig"]}
    assert raw["CNP_DSCP_P1"] == "48"
    comment = next(
        line for line in texts(plan, "network-operator")["nic-configuration.yaml"].splitlines() if "cnp.dscp" in line
    )
    assert "Others: 4 [A] Mellanox/nic-configuration-operator" in comment
    (infiniband,) = of_kind(plan_named("InfiniBand"), "NicConfigurationTemplate")
    assert infiniband["spec"]["template"]["linkType"] == "Infiniband"
    assert "roceOptimized" not in infiniband["spec"]["template"]


def test_nics_of_another_vendor_get_labels_alone() -> None:
    values = {"compute": {"server": "amd-mi300x-8", "nodes": 8}, "fabric": {"generation": "roce-400"}}
    servers = plan_named("one tier").links.catalog
    other = next(
        server.id
        for server in servers.servers.values()
        for network in server.networks
        if network.role == "compute" and network.nic_id and servers.nics[network.nic_id].vendor != "NVIDIA"
    )
    plan = plan_of_values(values | {"compute": {"server": other, "nodes": 8}})
    assert set(texts(plan, "network-operator")) == {"node-labels.yaml", "kueue-topology.yaml"}


# ---------------------------------------------------------------- Slurm


@pytest.mark.parametrize("name", DESIGNS)
def test_topology_yaml_keeps_the_rules_of_slurms_reader(name: str) -> None:
    plan = plan_named(name)
    check(texts(plan, "slurm")["topology.yaml"], [plan.wired.name(node) for node in plan.wired.nodes])


@needs_slurm
@pytest.mark.parametrize("name", ["three tiers", "InfiniBand"])
def test_slurmctld_loads_topology_and_nodes(name: str, tmp_path: Path) -> None:
    plan = plan_named(name)
    written = texts(plan, "slurm")
    (tmp_path / "gres.conf").write_text(written["gres.conf"])
    log = slurm_log(written["topology.conf"], len(plan.wired.nodes), tmp_path, written["slurm-cluster.conf"])
    stated = [line.split()[0] for line in written["topology.conf"].splitlines() if line.startswith("SwitchName=")]
    assert sorted(slurm_switches(log)) == sorted(line.removeprefix("SwitchName=") for line in stated)
    assert "error: Parsing error" not in log
    assert "fatal" not in log


def machine(folder: Path, plan: Plan) -> dict[str, str]:
    """A host's folders as they are when all is well."""
    (group,) = plan.nics()
    for name in group.ports:
        port = folder / f"class/infiniband/{name}/ports/1"
        port.mkdir(parents=True)
        (port / "state").write_text("4: ACTIVE\n")
        (port / "rate").write_text(f"{group.speed_gbit_s} Gb/sec (4X NDR)\n")
    (folder / "kernel/mm/memory_peers/nv_mem").mkdir(parents=True)
    (folder / "nccl.conf").write_text("NCCL_IB_HCA=mlx5_0\n")
    return os.environ | {"SYS": str(folder), "NCCL": str(folder / "nccl.conf")}


def test_the_prolog_passes_a_good_node_and_names_what_is_wrong(tmp_path: Path) -> None:
    plan = plan_named("InfiniBand")
    script, host = tmp_path / "prolog.sh", tmp_path / "sys"
    script.write_text(texts(plan, "slurm")["prolog.sh"])
    environment = machine(host, plan)

    def said() -> tuple[int, str]:
        made = subprocess.run(["bash", str(script)], env=environment, check=False, capture_output=True, text=True)
        return made.returncode, made.stderr

    assert said() == (0, "")
    port = host / "class/infiniband/mlx5_3/ports/1"
    (port / "rate").write_text("200 Gb/sec (2X NDR)\n")
    (host / "class/infiniband/mlx5_4/ports/1/state").write_text("1: DOWN\n")
    (host / "nccl.conf").write_text("")
    (host / "kernel/mm/memory_peers/nv_mem").rmdir()
    code, words = said()
    assert code != 0
    for part in (
        "rate of mlx5_3 is '200 Gb/sec",
        "state of mlx5_4 is '1: DOWN'",
        "NCCL_IB_HCA",
        "no driver of GPUDirect",
    ):
        assert part in words
    assert "mlx5_2" not in words


def test_imex_is_checked_where_nvlink_spans_nodes_alone() -> None:
    values = {"compute": {"server": "gb200-nvl72", "nodes": 36}, "fabric": {"generation": "ndr"}}
    catalog = plan_named("one tier").links.catalog
    spanning = next(
        server.id
        for server in catalog.servers.values()
        if server.gpu_count and server.scale_up_domain_gpus > server.gpu_count and server.gpu_count == 4
    )
    plan = plan_of_values(values | {"compute": {"server": spanning, "nodes": 36}})
    assert "is-active --quiet nvidia-imex" in texts(plan, "slurm")["prolog.sh"]
    assert "imex" not in texts(plan_named("one tier"), "slurm")["prolog.sh"].lower().partition("# links")[2]


def test_interfaces_of_ipoib_leave_room_for_its_header() -> None:
    plan = plan_named("InfiniBand")
    text = file_of(plan, "network-operator", "networks-sriov.yaml").text
    assert set(re.findall(r"(?m)^  mtu: (\d+)$", text)) == {"4092"}
    assert plan_answer(plan).mtu.as_json() == {"switch": 4096, "host": 4092, "rdma": 4096}
