"""Files of hosts: scripts that a shell takes and that run dry, settings by platform, NCCL's class that of the switches."""

import csv
import io
import os
import re
import subprocess
from pathlib import Path

import pytest

from estimator.bringup.check.check import checked_against
from estimator.bringup.plan.headroom import mlx5e_xoff_bytes
from estimator.bringup.renderings.targets import file_of, files_of
from estimator.catalog.loader import load_catalog
from tests.estimator.bringup.plans import DESIGNS, plan_named, plan_of_values


def settings(text: str) -> dict[str, str]:
    """NAME=VALUE lines."""
    return dict(re.findall(r"^([A-Z][A-Z0-9_]*)=(.*)$", text, re.MULTILINE))


@pytest.mark.parametrize("name", ["two tiers", "InfiniBand"])
@pytest.mark.parametrize("target", ["host", "nic"])
def test_a_shell_takes_every_script(name: str, target: str) -> None:
    scripts = [file for file in files_of(plan_named(name), target) if file.name.endswith(".sh")]
    assert scripts
    for file in scripts:
        done = subprocess.run(["bash", "-n"], input=file.text, text=True, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), file.name


def dry_run(folder: Path, script: str, text: str, host: str) -> list[str]:
    """Commands that a script would run on a host whose devices are called by their own names."""
    for tool, output in {"hostname": host, "readlink": "/sys/0000:18:00.0", "basename": "IF"}.items():
        stub = folder / tool
        stub.write_text(f"#!/bin/sh\necho {output}\n")
        stub.chmod(0o755)
    (folder / script).write_text(text)
    env = {"PATH": f"{folder}:{os.environ['PATH']}"}
    # dirname of a path without a stub: the script finds its tables beside itself
    done = subprocess.run(
        ["bash", str(folder / script)], env=env, capture_output=True, text=True, check=False, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_nic_script_lists_what_it_would_set(tmp_path: Path) -> None:
    plan = plan_named("two tiers")
    (tmp_path / "cables.csv").write_text(file_of(plan, "nic", "cables.csv").text)
    lines = dry_run(tmp_path, "nic.sh", file_of(plan, "nic").text, "node-0003")
    devices = 8
    assert lines.count("mlnx_qos -i IF --trust dscp") == devices
    assert lines.count("mlnx_qos -i IF --pfc 0,0,0,1,0,0,0,0") == devices
    assert lines.count("mlnx_qos -i IF --dscp2prio set,48,6") == devices
    assert lines.count("cma_roce_tos -d mlx5_0 -t 106") == 1
    firmware = [line.partition(" set ")[2] for line in lines if line.startswith("mlxconfig")]
    assert firmware.count("CNP_DSCP_P1=48 CNP_802P_PRIO_P1=6") == devices
    assert firmware.count("ROCE_CC_PRIO_MASK_P1=255") == devices
    assert len([line for line in firmware if "DCE_TCP_G_P1=1019" in line]) == devices
    lengths = [line.rpartition(" ")[2] for line in lines if "--cable_len" in line]
    table = list(csv.DictReader(io.StringIO(file_of(plan, "nic", "cables.csv").text)))
    assert lengths == [row["cable_m"] for row in table if row["node"] == "node-0003"]
    assert all(int(row["xoff_bytes"]) == mlx5e_xoff_bytes(int(row["cable_m"]), 400, 9000) for row in table)


def test_infiniband_has_no_settings_of_roce(tmp_path: Path) -> None:
    lines = dry_run(tmp_path, "nic.sh", file_of(plan_named("InfiniBand"), "nic").text, "node-0001")
    assert len([line for line in lines if "MAX_ACC_OUT_READ=0" in line]) == 8
    assert not [line for line in lines if "mlnx_qos" in line or "CNP" in line or "ROCE" in line]


def test_addresses_are_the_other_ends_of_the_switches(tmp_path: Path) -> None:
    plan = plan_named("two tiers")
    table = file_of(plan, "host", "addresses.csv").text
    (tmp_path / "addresses.csv").write_text(table)
    lines = dry_run(tmp_path, "network.sh", file_of(plan, "host", "network.sh").text, "node-0002")
    rows = [row for row in csv.DictReader(io.StringIO(table)) if row["node"] == "node-0002"]
    assert [line for line in lines if line.startswith("ip address")] == [
        f"ip address replace {row['address']} dev IF" for row in rows
    ]
    assert len({line.rpartition(" ")[2] for line in lines if "ip route" in line}) == len(rows) == 8
    switch = file_of(plan, "nvue").text
    assert f"ip address {rows[0]['gateway']}/31\n" in switch


def test_the_script_of_addresses_may_run_at_every_boot(tmp_path: Path) -> None:
    """``ip rule add`` of a rule that is there fails, and would end the script at the first NIC."""
    plan = plan_named("two tiers")
    for name in ("addresses.csv", "network.sh"):
        (tmp_path / name).write_text(file_of(plan, "host", name).text)
    stubs, rules = tmp_path / "stubs", tmp_path / "rules"
    stubs.mkdir()
    rules.mkdir()
    texts = {
        "hostname": "echo node-0002",
        "basename": "echo IF",
        "ip": f"""case "$1 $2" in
"rule add") [[ ! -e {rules}/$4 ]] || exit 2; echo "$6" > {rules}/$4;;
"rule del") rm {rules}/$4;;
esac""",
    }
    for name, text in texts.items():
        (stubs / name).write_text(f"#!/usr/bin/env bash\n{text}\n")
        (stubs / name).chmod(0o755)
    env = os.environ | {"PATH": f"{stubs}:{os.environ['PATH']}"}
    for _ in range(2):
        done = subprocess.run(
            ["bash", str(tmp_path / "network.sh"), "apply"], env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    tables = [one.read_text() for one in rules.iterdir()]
    assert len(set(tables)) == len(tables) == 8


def test_grace_has_words_of_arm_and_access_control_of_its_own() -> None:
    design = {"compute": {"server": "gb300-tray", "racks": 1}, "fabric": {"generation": "xdr"}}
    texts = {file.name: file.text for file in files_of(plan_of_values(design), "host")}
    for platform in ("bare-metal", "virtual-machine"):
        words = texts[f"{platform}/kernel-line.txt"].splitlines()[-1].split()
        assert "iommu.passthrough=1" in words
        assert not {"iommu=pt", "intel_iommu=on", "amd_iommu=on"} & set(words)
        assert "ATS_ENABLED=0" in texts[f"{platform}/pcie.sh"]
    assert "rdma_topo write-grub-acs" in texts["bare-metal/pcie.sh"]
    assert "run setpci" not in texts["bare-metal/pcie.sh"]
    plan = plan_of_values(design)
    shown = "01:00.0 PCI bridge: x\n\tCapabilities: [1] Access Control Services\n\t\tACSCtl:\tSrcValid+ ReqRedir+\n"
    found = checked_against(plan, [("node-0001:lspci.txt", shown.encode())], load_catalog()).findings
    assert "acs_on" not in {one.code for one in found}
    other = plan_named("InfiniBand")
    found = checked_against(other, [("node-0001:lspci.txt", shown.encode())], load_catalog()).findings
    assert "acs_on" in {one.code for one in found}


def test_bare_metal_and_virtual_machines_differ_where_they_must() -> None:
    plan = plan_named("two tiers")
    texts = {file.name: file.text for file in files_of(plan, "host")}
    assert "iommu=pt" in texts["bare-metal/kernel-line.txt"]
    assert "intel_iommu=on" in texts["virtual-machine/kernel-line.txt"]
    assert "ECAP_ACS+0x6.w=0000" in texts["bare-metal/pcie.sh"]
    assert "ATS_ENABLED=0" in texts["bare-metal/pcie.sh"]
    assert "ATS_ENABLED=1" in texts["virtual-machine/pcie.sh"]
    assert "kernel.numa_balancing = 0" in texts["bare-metal/90-fabric.conf"]


@pytest.mark.parametrize("name", DESIGNS)
def test_nccl_sends_in_the_lossless_class(name: str) -> None:
    plan = plan_named(name)
    made = settings(file_of(plan, "nccl").text)
    nics = [port for group in plan.nics() for port in group.ports]
    assert made["NCCL_IB_HCA"] == "=" + ",".join(nics)
    if plan.is_ethernet:
        assert int(made["NCCL_IB_TC"]) >> 2 == plan.value("data.dscp").value
        assert settings(file_of(plan, "nccl", "ucx.env").text)["UCX_IB_TRAFFIC_CLASS"] == made["NCCL_IB_TC"]
        assert made["NCCL_IB_ADAPTIVE_ROUTING"] == "1"
    else:
        assert "NCCL_IB_TC" not in made


def test_nics_of_other_vendors_are_not_set_with_tools_of_nvidia() -> None:
    plan = plan_named("custom")
    assert plan.nic_vendor == "Broadcom"
    text = file_of(plan, "nic").text
    commands = [line for line in text.splitlines() if not line.startswith("#")]
    assert not [line for line in commands if "mlnx_qos" in line or "mlxconfig" in line]
    assert [line.strip() for line in commands if "mtu" in line] == ['run ip link set dev "$IF" mtu 9000']
    assert "# cnp.dscp = 48 [A]" in text
    assert plan.nics()[0].headroom_bytes is None


def test_sites_have_their_own_environment_beside_it() -> None:
    oci = settings(file_of(plan_named("two tiers"), "nccl", "sites/oci.conf").text)
    assert (oci["NCCL_IB_TC"], oci["NCCL_IB_GID_INDEX"], oci["NCCL_IB_QPS_PER_CONNECTION"]) == ("41", "3", "4")
    azure = settings(file_of(plan_named("InfiniBand"), "nccl", "sites/azure-ndv5.conf").text)
    assert azure["NCCL_MIN_NCHANNELS"] == "32"
    assert "sites/oci.conf" not in [file.name for file in files_of(plan_named("InfiniBand"), "nccl")]


def test_the_layout_decides_whether_a_path_may_change_nics() -> None:
    assert settings(file_of(plan_named("one tier"), "nccl").text)["NCCL_CROSS_NIC"] == "1"
    assert "NCCL_CROSS_NIC" not in settings(file_of(plan_named("two tiers"), "nccl").text)
