"""Seeded misconfigurations: one line of a clean set is changed, and the finding names device, file and that line."""

import pytest

from tests.estimator.bringup.settings.clean import HOST, LEAF, SPINE, clean
from tests.estimator.bringup.settings.seeds import Seed, seeded_text
from tests.estimator.bringup.settings.test_settings_clean import checked

NV, NV_SPINE, QOS = f"{LEAF}:nv.json", f"{SPINE}:nv.json", f"{HOST}:mlnx_qos.txt"
DB = "config_db.json"
IB_CODES = "opensm.conf"
SEEDS = [
    Seed("mtu_small", "Cumulus", NV, LEAF, '"mtu": 9216', '"mtu": 1500', '"swp3s1"'),
    Seed("data_dscp_lossy", "Cumulus", NV, LEAF, r'"3": \{\}', '"0": {}', '"26"', '"switch-priority"'),
    Seed("cnp_lossless", "Cumulus", NV, LEAF, r'"6": \{\}', '"3": {}', '"48"', '"switch-priority"'),
    Seed("pfc_one_side", "Cumulus", NV, LEAF, '"mode": "lossless"', '"mode": "lossy"'),
    Seed("trust_not_dscp", "Cumulus", NV_SPINE, SPINE, '"trust": "l3"', '"trust": "l2"'),
    Seed("headroom_small", "Cumulus", NV, LEAF, '"cable-length": 48', '"cable-length": 10'),
    Seed("ecn_off", "Cumulus", NV, LEAF, '"ecn": "enabled"', '"ecn": "disabled"'),
    Seed("ecn_swapped", "Cumulus", NV, LEAF, '"min-threshold": 150000', '"min-threshold": 9150000'),
    Seed(
        "adaptive_routing_off",
        "Cumulus",
        NV,
        LEAF,
        '"enable": "on"',
        '"enable": "off"',
        '"router": {\n        "adaptive-routing"',
    ),
    Seed("pfc_watchdog_off", "Cumulus", NV, LEAF, '"state": "enable"', '"state": "disable"', '"swp4s0"'),
    Seed("port_rate_low", "Cumulus", NV, LEAF, '"speed": "400G"', '"speed": "200G"', '"swp2s0"'),
    Seed("cnp_not_strict", "Cumulus", NV, LEAF, '"mode": "strict"', '"mode": "dwrr"'),
    Seed("rail_subnet_doubled", "Cumulus", NV, LEAF, r"10\.128\.0\.16/31", "10.128.0.0/31"),
    Seed("mtu_small", "Cumulus as YAML", "nv.yaml", LEAF, "mtu: 9216", "mtu: 1500", "swp4s0"),
    Seed("pfc_one_side", "Cumulus", QOS, HOST, "enabled     0   0   0   1", "enabled     0   0   0   0"),
    Seed("trust_not_dscp", "Cumulus", QOS, HOST, "trust state: dscp", "trust state: pcp"),
    Seed("headroom_small", "Cumulus", QOS, HOST, "Cable len: 50", "Cable len: 2"),
    Seed("global_pause_on", "Cumulus", QOS, HOST, "RX:\t\toff", "RX:\t\ton"),
    Seed(
        "data_dscp_lossy",
        "Cumulus",
        QOS,
        HOST,
        r"(prio:2 dscp:)(23,[^\n]*\n\tprio:3 dscp:31,30,29,28,27,)26,",
        r"\g<1>26,\g<2>",
        "mlnx_qos -i eth1",
        "prio:2",
    ),
    Seed("cnp_dscp_differs", "Cumulus", f"{HOST}:mlxconfig.txt", HOST, r"(CNP_DSCP_P1\s+)48", r"\g<1>4"),
    Seed("ats_on", "Cumulus", f"{HOST}:mlxconfig.txt", HOST, r"False\(0\)", "True(1)"),
    Seed("link_type_wrong", "Cumulus", f"{HOST}:mlxconfig.txt", HOST, r"ETH\(2\)", "IB(1)"),
    Seed("dcqcn_off", "Cumulus", f"{HOST}:mlxconfig.txt", HOST, r"(MASK_P1\s+)255", r"\g<1>0"),
    Seed(
        "mtu_small",
        "Cumulus",
        f"{HOST}:devinfo.txt",
        HOST,
        r"active_mtu:(\s+)4096 \(5\)",
        r"active_mtu:\g<1>1024 (3)",
        "mlx5_4",
    ),
    Seed("port_rate_low", "Cumulus", f"{HOST}:devinfo.txt", HOST, "100.0", "50.0", "mlx5_9"),
    Seed("link_down", "Cumulus", f"{HOST}:devinfo.txt", HOST, r"PORT_ACTIVE \(4\)", "PORT_DOWN (1)", "mlx5_10"),
    Seed("numa_balancing_on", "Cumulus", f"{HOST}:sysctl.txt", HOST, "numa_balancing = 0", "numa_balancing = 1"),
    Seed(
        "acs_on",
        "Cumulus",
        f"{HOST}:lspci.txt",
        HOST,
        "ACSCtl:\tSrcValid- TransBlk- ReqRedir-",
        "ACSCtl:\tSrcValid+ TransBlk- ReqRedir+",
    ),
    Seed("read_request_small", "Cumulus", f"{HOST}:lspci.txt", HOST, "MaxReadReq 4096", "MaxReadReq 512"),
    Seed("ats_on", "Cumulus", f"{HOST}:lspci.txt", HOST, "ATSCtl:\tEnable-", "ATSCtl:\tEnable+"),
    Seed("tc_not_dscp", "Cumulus", "nccl.env", "nccl", "TC=106", "TC=41"),
    Seed("gid_of_roce_v1", "Cumulus", "nccl.env", "nccl", "INDEX=3", "INDEX=2"),
    Seed("hca_missing_rail", "Cumulus", "nccl.env", "nccl", ",mlx5_6", ""),
    Seed(
        "rdma_off",
        "Cumulus",
        "nccl.env",
        "nccl",
        "export HF",
        "export NCCL_IB_DISABLE=1\nexport HF",
        at="NCCL_IB_DISABLE",
    ),
    Seed("rail_subnet_doubled", "Cumulus", f"{HOST}:gids.txt", HOST, r"10\.128\.0\.3(  \tv2)", r"10.128.0.1\g<1>"),
    Seed("pfc_off", "SONiC", DB, LEAF, '"pfc_enable": "3"', '"pfc_enable": ""', '"PORT_QOS_MAP"'),
    Seed("data_dscp_lossy", "SONiC", DB, LEAF, '"26": "3"', '"26": "1"'),
    Seed("cnp_lossless", "SONiC", "spine.json", SPINE, '"pfc_enable": "3"', '"pfc_enable": "3,6"', '"PORT_QOS_MAP"'),
    Seed("headroom_small", "SONiC", DB, LEAF, '"48m"', '"5m"', '"CABLE_LENGTH"'),
    Seed("headroom_small", "SONiC", DB, LEAF, r'"xoff": "\d+"', '"xoff": "64000"'),
    Seed("mtu_small", "SONiC", "spine.json", SPINE, '"mtu": "9216"', '"mtu": "1500"', '"Ethernet16"'),
    Seed("ecn_off", "SONiC", DB, LEAF, '"ecn_all"', '"ecn_none"'),
    Seed("port_rate_low", "SONiC", DB, LEAF, '"400000"', '"200000"', '"Ethernet8"'),
    Seed("data_dscp_lossy", "Arista", "leaf.cfg", LEAF, "(27 28 29 30 31 to traffic-class) 3", r"\g<1> 1"),
    Seed(
        "pfc_one_side",
        "Arista",
        "leaf.cfg",
        LEAF,
        "   priority-flow-control priority 3 no-drop\n",
        "",
        at="qos profile RDMA",
    ),
    Seed(
        "global_pause_on",
        "Arista",
        "leaf.cfg",
        LEAF,
        "(   service-profile RDMA)",
        r"   flowcontrol receive on\n\g<1>",
        "interface Ethernet3/1",
        "flowcontrol receive",
    ),
    Seed("mtu_small", "Arista", "spine.cfg", SPINE, "   mtu 9214", "   mtu 1500", "interface Ethernet9/1"),
    Seed("ecn_swapped", "Arista", "leaf.cfg", LEAF, "minimum-threshold 500", "minimum-threshold 5000"),
    Seed("trust_not_dscp", "Arista", "leaf.cfg", LEAF, "qos trust dscp", "qos trust cos"),
    Seed("cnp_lossless", "Arista", "leaf.cfg", LEAF, "dscp 48 to traffic-class 7", "dscp 48 to traffic-class 3"),
    Seed("adaptive_routing_off", "Arista", "leaf.cfg", LEAF, "distribution dynamic", "distribution hash"),
    Seed("data_dscp_lossy", "mixed", "spine.cfg", SPINE, "set qos-group 3", "set qos-group 1"),
    Seed(
        "pfc_one_side",
        "mixed",
        "spine.cfg",
        SPINE,
        "flow-control mode on",
        "flow-control mode off",
        "interface Ethernet1/2/1",
    ),
    Seed("ecn_off", "mixed", "spine.cfg", SPINE, " weight 0 ecn", " weight 0"),
    Seed(
        "data_dscp_lossy",
        "mixed",
        "leaf.set",
        LEAF,
        "NO-LOSS loss-priority low code-points 011010",
        "BEST-EFFORT loss-priority low code-points 011010",
    ),
    Seed(
        "cnp_lossless",
        "mixed",
        "leaf.set",
        LEAF,
        "forwarding-class CNP loss-priority",
        "forwarding-class NO-LOSS loss-priority",
    ),
    Seed("pfc_one_side", "mixed", "leaf.set", LEAF, "NO-LOSS no-loss", "NO-LOSS queue-num 4"),
    Seed("mtu_small", "Junos in braces", "leaf.conf", LEAF, "mtu 9216", "mtu 1514", "et-0/0/2:1"),
    Seed("headroom_small", "Junos in braces", "leaf.conf", LEAF, "cable-length 30", "cable-length 3"),
    Seed("routing_engine_wrong", "InfiniBand", IB_CODES, "opensm", "ar_updn,updn", "minhop"),
    Seed("sharp_off", "InfiniBand", IB_CODES, "opensm", "sharp_enabled 2", "sharp_enabled 0"),
    Seed("sharp_off", "InfiniBand", "nccl.env", "nccl", "COLLNET_ENABLE=1", "COLLNET_ENABLE=0"),
    Seed("port_rate_low", "InfiniBand", f"{HOST}:ibstat.txt", HOST, "Rate: 400", "Rate: 200", "mlx5_5"),
    Seed("link_down", "InfiniBand", f"{HOST}:ibstat.txt", HOST, "State: Active", "State: Down", "mlx5_11"),
    Seed(
        "pkey_wrong",
        "InfiniBand",
        "nccl.env",
        "nccl",
        "export HF",
        "export NCCL_IB_PKEY=1\nexport HF",
        at="NCCL_IB_PKEY",
    ),
    Seed("gpudirect_off", "Kubernetes", f"{HOST}:nccl.log", HOST, "RDMA Enabled for HCA 3", "RDMA Disabled for HCA 3"),
    Seed("hca_missing_rail", "Kubernetes", f"{HOST}:nccl.log", HOST, r"\[7\]mlx5_11:1/RoCE ", ""),
    Seed("read_request_small", "Kubernetes", "nic.yaml", "nic", "maxReadRequest: 4096", "maxReadRequest: 512"),
    Seed("pfc_off", "Kubernetes", "nic.yaml", "nic", "0,0,0,1", "0,0,0,0"),
    Seed("mtu_small", "Kubernetes", "nic.yaml", "nic", "mtu: 9000", "mtu: 1500"),
    Seed("rail_subnet_doubled", "Kubernetes", "nic.yaml", "nic", r"192\.168\.2\.0", "192.168.1.0"),
    Seed("cnp_dscp_differs", "Kubernetes", "nic.yaml", "nic", 'value: "48"', 'value: "4"'),
]


def seeded(seed: Seed) -> tuple[dict[str, str], int]:
    """The files with the change, and the line of the finding."""
    files = dict(clean(seed.set))
    changed, at = seeded_text(files[seed.file], seed)
    return files | {seed.file: changed}, changed.count("\n", 0, at) + 1


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: f"{seed.set}, {seed.code}, {seed.file}")
def test_a_seeded_fault_is_found_and_located(seed: Seed) -> None:
    files, line = seeded(seed)
    found = checked(seed.set, files).findings
    wanted = (seed.code, seed.device, seed.file.rpartition(":")[2], line)
    assert wanted in [(one.code, one.device, one.file, one.line) for one in found], found
    assert {one.code for one in found} == {seed.code}, "nothing else is wrong"
    (finding,) = [one for one in found if (one.code, one.file, one.line) == (seed.code, wanted[2], line)]
    assert all((finding.message, finding.fix, finding.expected, finding.found))


def test_seeds_are_of_all_readers_and_enough() -> None:
    assert len(SEEDS) >= 50
