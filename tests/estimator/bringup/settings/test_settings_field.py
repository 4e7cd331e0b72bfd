"""Sets as the field has them: no finding when clean, and faults of other kinds found with device, file and line."""

import re
from functools import cache

import pytest

from estimator.bringup.check.check import checked_against
from estimator.bringup.check.result import SettingsCheck
from estimator.bringup.check.upload import READERS
from estimator.bringup.plan.systems import NVUE
from estimator.catalog.loader import load_catalog
from tests.estimator.bringup.plans import plan_named, plan_of_values
from tests.estimator.bringup.settings.clean import DESIGN_OF_SHARP, HOST, LEAF, SPINE, Files, clean, switch
from tests.estimator.bringup.settings.field import SECOND, field_sets, port_guid
from tests.estimator.bringup.settings.seeds import Seed, seeded_text
from tests.estimator.bringup.settings.test_settings_clean import checked as checked_clean

SETS = tuple(field_sets())


def checked(name: str, files: Files) -> SettingsCheck:
    design = field_sets()[name][0]
    plan = plan_of_values(DESIGN_OF_SHARP) if design == "SHARP" else plan_named(design)
    return checked_against(plan, [(file, text.encode()) for file, text in files.items()], load_catalog())


@pytest.mark.parametrize("name", SETS)
def test_a_clean_set_has_no_finding(name: str) -> None:
    answer = checked(name, field_sets()[name][1])
    assert [(one.code, one.device, one.file, one.line, one.message) for one in answer.findings] == []
    assert all("secret" in one.why for one in answer.unread), answer.unread
    assert not any(hop.lossless is False for hop in answer.paths)


def test_new_readers_read_a_file_each() -> None:
    texts = [text for _, files in field_sets().values() for text in files.values()]
    known = {next(reader for reader in READERS if reader.is_mine(text)).KIND for text in texts}
    assert {"gv.cfg", "partitions.conf", "limits", "kernel line"} <= known


ASN = switch("two tiers", LEAF, NVUE).asn
NV, DB, RUN = f"{LEAF}:nv.json", f"{LEAF}:config_db.json", f"{LEAF}:run.cfg"
SPANS, DEFAULT, BY_PORT, MIXED = "Cumulus in spans", "SONiC as it is generated", "EOS by port", "NX-OS and Junos"
SWAP = "the other port has what this one had"
ROCE, IB, MANAGERS = "host, RoCE", "host, InfiniBand", "subnet managers"
SEEDS = [
    Seed("loopback_doubled", SPANS, f"{SECOND}:nv.json", SECOND, r'"10\.0\.\d+\.\d+/32"', '"10.0.0.2/32"'),
    Seed("asn_doubled", SPANS, f"{SECOND}:nv.json", SECOND, r'"autonomous-system": \d+', f'"autonomous-system": {ASN}'),
    Seed("lldp_off", SPANS, NV, LEAF, '"tx-interval": 30', '"state": "disabled"'),
    Seed("adaptive_routing_off", SPANS, NV, LEAF, r'"state": "enabled",\s+"profile"', '"state": "disabled", "profile"'),
    Seed("pfc_watchdog_off", SPANS, NV, LEAF, r'"pfc-watchdog": \{\}', '"pfc-watchdog": {"state": "disable"}'),
    Seed("fec_wrong", SPANS, NV, LEAF, '"fec": "rs"', '"fec": "off"'),
    Seed("link_down", SPANS, NV, LEAF, r'"up": \{\}', '"down": {}', at='"down"'),
    Seed("headroom_small", SPANS, NV, LEAF, r'"cable-length": \d+', '"cable-length": 3'),
    Seed("asn_doubled", DEFAULT, f"{SECOND}:config_db.json", SECOND, r'"bgp_asn": "\d+"', f'"bgp_asn": "{ASN}"'),
    Seed("lldp_off", DEFAULT, DB, LEAF, '"state": "enabled"', '"state": "disabled"', '"lldp"'),
    Seed(
        "link_down", DEFAULT, DB, LEAF, '"admin_status": "up"', '"admin_status": "down"', '"Ethernet4": {\n      "admin'
    ),
    Seed("fec_wrong", DEFAULT, DB, LEAF, '"fec": "rs"', '"fec": "none"', '"Ethernet8": {\n      "admin'),
    Seed("data_dscp_lossy", DEFAULT, DB, LEAF, '"3": "3"', '"3": "0"', '"TC_TO_PRIORITY_GROUP_MAP": {'),
    Seed("queue_shared", DEFAULT, DB, LEAF, '"3": "3"', '"3": "1"', '"MAP_PFC_PRIORITY_TO_QUEUE": {'),
    Seed("cnp_not_strict", DEFAULT, DB, LEAF, '"48": "6"', '"48": "1"'),
    Seed("ecn_off", DEFAULT, DB, LEAF, "ecn_green", "ecn_yellow"),
    Seed("cnp_not_strict", DEFAULT, DB, LEAF, '"STRICT"', '"DWRR"'),
    Seed("headroom_small", DEFAULT, DB, LEAF, '"Ethernet0": "300m"', '"Ethernet0": "1m"'),
    Seed("pfc_watchdog_off", DEFAULT, DB, LEAF, '"action": "drop"', '"action": "alert"', at='"alert"'),
    Seed(
        "address_of_other_port",
        DEFAULT,
        DB,
        LEAF,
        r'"Ethernet0\|10\.128\.0\.0/31"',
        '"Ethernet0|10.128.0.16/31"',
        at=SWAP,
    ),
    Seed(
        "pfc_one_side",
        BY_PORT,
        RUN,
        LEAF,
        "priority-flow-control pause watchdog default timeout",
        "priority-flow-control all off\n\\g<0>",
        at="all off",
    ),
    Seed("pfc_watchdog_off", BY_PORT, RUN, LEAF, "timeout 0.20", "timeout 0"),
    Seed("data_dscp_lossy", BY_PORT, RUN, LEAF, "set traffic-class 3", "set traffic-class 1"),
    Seed("ets_weight_zero", BY_PORT, RUN, LEAF, "bandwidth percent 50", "bandwidth percent 0"),
    Seed("fec_wrong", BY_PORT, RUN, LEAF, "error-correction encoding reed-solomon", "no error-correction encoding"),
    Seed("asn_doubled", BY_PORT, f"{SECOND}:run.cfg", SECOND, r"router bgp \d+", f"router bgp {ASN}"),
    Seed(
        "loopback_doubled",
        BY_PORT,
        f"{SECOND}:run.cfg",
        SECOND,
        r"ip address 10\.0\.\d+\.\d+/32",
        "ip address 10.0.0.2/32",
    ),
    Seed("lldp_off", BY_PORT, RUN, LEAF, "no aaa root", "no aaa root\nno lldp run", at="no lldp run"),
    Seed(
        "link_down",
        BY_PORT,
        RUN,
        LEAF,
        "   no switchport",
        "   shutdown\n   no switchport",
        "interface Ethernet2/1",
        "shutdown",
    ),
    Seed("mtu_small", MIXED, "spine.cfg", SPINE, "    mtu 9216", "    mtu 1500"),
    Seed(
        "pfc_one_side",
        MIXED,
        "spine.cfg",
        SPINE,
        "  service-policy type network-qos qos_network\n",
        "",
        at="policy-map type network-qos",
    ),
    Seed(
        "trust_not_dscp",
        MIXED,
        "spine.cfg",
        SPINE,
        "  service-policy type qos input QOS_CLASSIFICATION\n",
        "",
        "interface Ethernet1/2/1",
        "interface Ethernet1/2/1",
    ),
    Seed("pfc_watchdog_off", MIXED, "spine.cfg", SPINE, "watch-dog-interval on", "watch-dog-interval off"),
    Seed("lldp_off", MIXED, "spine.cfg", SPINE, "feature lldp", "no feature lldp"),
    Seed("ets_weight_zero", MIXED, "spine.cfg", SPINE, "remaining percent 50", "remaining percent 0", "c-out-8q-q3"),
    Seed("data_priority_differs", MIXED, "leaf.set", LEAF, "pfc-priority 3", "pfc-priority 4"),
    Seed("ecn_swapped", MIXED, "leaf.set", LEAF, r"fill-level \[ 55 90 \]", "fill-level [ 90 55 ]"),
    Seed("mtu_small", MIXED, "leaf.set", LEAF, "mtu 9216", "mtu 1514"),
    Seed(
        "pfc_one_side",
        MIXED,
        "leaf.set",
        LEAF,
        r"interfaces et-\* congestion-notification-profile cnp",
        "interfaces et-* unit 0 rewrite-rules dscp x",
        at="interfaces et-",
    ),
    Seed(
        "lldp_off",
        MIXED,
        "leaf.set",
        LEAF,
        "set protocols lldp interface all",
        "set protocols lldp interface all disable",
    ),
    Seed(
        "link_type_wrong",
        IB,
        f"{HOST}:mlxconfig.txt",
        HOST,
        r"IB\(1\)(\s+)IB\(1\)(\s+)IB\(1\)",
        r"ETH(2)\g<1>ETH(2)\g<2>ETH(2)",
    ),
    Seed("read_request_small", ROCE, f"{HOST}:lspci.txt", HOST, "MaxReadReq 4096", "MaxReadReq 512"),
    Seed(
        "pcie_link_low",
        ROCE,
        f"{HOST}:lspci.txt",
        HOST,
        "Speed 32GT/s, Width x16\n",
        "Speed 16GT/s (downgraded), Width x16\n",
        "LnkSta",
    ),
    Seed("dcqcn_off", ROCE, f"{HOST}:mlxconfig.txt", HOST, r"(MASK_P1\s+\S+\s+\S+\s+)255", r"\g<1>0", "pciconf5"),
    Seed("iommu_translates", ROCE, f"{HOST}:cmdline.txt", HOST, " iommu=pt", ""),
    Seed("memlock_limited", ROCE, f"{HOST}:ulimit.txt", HOST, "-l\\) unlimited", "-l) 65536"),
    Seed("memlock_limited", ROCE, f"{HOST}:limits.conf", HOST, "hard\tmemlock\tunlimited", "hard\tmemlock\t8388608"),
    Seed("gpudirect_off", ROCE, f"{HOST}:nccl.log", HOST, "0/GDRDMA", "0"),
    Seed(
        "gid_link_local",
        ROCE,
        f"{HOST}:nccl.log",
        HOST,
        "INDEX set by environment to 3",
        "INDEX set by environment to 1",
    ),
    Seed("bootstrap_wrong", ROCE, f"{HOST}:nccl.log", HOST, "to bond0", "to lo"),
    Seed("link_down", ROCE, f"{HOST}:devinfo.txt", HOST, r"PORT_ACTIVE \(4\)", "PORT_INIT (2)", "mlx5_4"),
    Seed(
        "sharp_off",
        MANAGERS,
        "ufm-1:gv.cfg",
        "ufm-1",
        "\nsharp_enabled = true",
        "\nsharp_enabled = false",
        at="\nsharp_enabled",
    ),
    Seed("sm_priority_same", MANAGERS, "ufm-2:opensm.conf", "ufm-2", "sm_priority 3", "sm_priority 14"),
    Seed(
        "link_speed_forced",
        MANAGERS,
        "ufm-1:opensm.conf",
        "ufm-1",
        "force_link_speed_ext 31",
        "force_link_speed_ext 30",
    ),
    Seed("routing_engine_wrong", MANAGERS, "ufm-2:opensm.conf", "ufm-2", "ar_ftree,ar_updn,updn", "dor"),
]


@cache
def seeded(seed: Seed) -> tuple[Files, int]:
    """The files with the change, and the line of the finding."""
    files = dict(field_sets()[seed.set][1])
    is_swap = seed.at == SWAP
    changed, at = seeded_text(files[seed.file], seed._replace(at="") if is_swap else seed)
    if is_swap:
        changed = re.sub(r'"Ethernet4\|10\.128\.0\.16/31"', '"Ethernet4|10.128.0.0/31"', changed)
    return files | {seed.file: changed}, changed.count("\n", 0, at) + 1


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: f"{seed.set}, {seed.code}, {seed.file}")
def test_a_seeded_fault_is_found_and_located(seed: Seed) -> None:
    files, line = seeded(seed)
    found = checked(seed.set, files).findings
    wanted = (seed.code, seed.device, seed.file.rpartition(":")[2], line)
    assert wanted in [(one.code, one.device, one.file, one.line) for one in found], found
    follows = {"pfc_one_side"} if seed.code == "data_priority_differs" else set()
    assert {one.code for one in found} - follows == {seed.code}, "nothing else is wrong"
    assert all(all((one.message, one.fix, one.expected, one.found)) for one in found)


def test_a_partition_without_a_port_of_a_node_names_it() -> None:
    files = dict(field_sets()[MANAGERS][1])
    files["ufm-1:partitions.conf"] = (
        files["ufm-1:partitions.conf"]
        .replace("defmember=full", "defmember=limited")
        .replace(f"{port_guid(5)}=full,\n", "")
    )
    found = checked(MANAGERS, files).findings
    assert [one.code for one in found] == ["partition_missing"]
    assert port_guid(5) in found[0].message


def test_hosts_with_ports_in_one_subnet_need_arp_of_their_own() -> None:
    files = clean("Cumulus")
    table, kernel = files[f"{HOST}:gids.txt"], files[f"{HOST}:sysctl.txt"]
    number = iter(range(11, 200))
    shared = re.sub(r"\t10\.128\.\d+\.\d+  \tv2", lambda _: f"\t10.9.0.{next(number)}  \tv2", table)
    one_subnet = {f"{HOST}:gids.txt": shared, f"{HOST}:sysctl.txt": kernel}
    assert checked_clean("Cumulus", one_subnet).findings == []
    for key, value in (("arp_ignore = 2", "arp_ignore = 0"), ("arp_announce = 1", "arp_announce = 0")):
        (finding,) = checked_clean("Cumulus", one_subnet | {f"{HOST}:sysctl.txt": kernel.replace(key, value)}).findings
        assert (finding.code, finding.device) == ("arp_flux", HOST)
    apart = {f"{HOST}:gids.txt": table, f"{HOST}:sysctl.txt": kernel.replace("arp_ignore = 2", "arp_ignore = 0")}
    assert checked_clean("Cumulus", apart).findings == [], "a subnet a port has no such fault"


def test_a_virtual_machine_keeps_address_translation() -> None:
    files = dict(field_sets()[ROCE][1])
    lspci = files[f"{HOST}:lspci.txt"] + "00:03.0 Ethernet controller: Red Hat, Inc. Virtio network device\n"
    found = checked(ROCE, {f"{HOST}:lspci.txt": lspci}).findings
    assert {one.code for one in found} == {"ats_off"}
    with_ats = {f"{HOST}:lspci.txt": lspci.replace("ATSCtl:\tEnable-", "ATSCtl:\tEnable+")}
    assert checked(ROCE, with_ats).findings == []


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("NCCL_NET=Socket", "rdma_off"),
        ("NCCL_NET_GDR_LEVEL=LOC", "gpudirect_off"),
        ("NCCL_NET_GDR_READ=0", "gpudirect_off"),
        ("NCCL_PXN_DISABLE=1", "pxn_off"),
        ("NCCL_IB_TIMEOUT=14", "timeout_short"),
        ("NCCL_IB_RETRY_CNT=0", "timeout_short"),
        ("NCCL_MAX_NCHANNELS=2", "channels_few"),
        ("NCCL_SOCKET_IFNAME=lo", "bootstrap_wrong"),
        ("NCCL_IB_ADAPTIVE_ROUTING=0", "adaptive_routing_off"),
        ("UCX_IB_GID_INDEX=1", "gid_link_local"),
        ("UCX_IB_TRAFFIC_CLASS=0", "tc_not_dscp"),
    ],
)
def test_a_variable_of_a_job_that_is_wrong_is_found_on_its_line(line: str, code: str) -> None:
    text = clean("Cumulus")["nccl.env"] + f"export {line}\n"
    (finding,) = checked_clean("Cumulus", {"nccl.env": text}).findings
    assert (finding.code, finding.line) == (code, text.count("\n"))


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("roceOptimized:\n      enabled: true", "roceOptimized:\n      enabled: false", "pfc_off"),
        (
            "pciPerformanceOptimized:\n      enabled: true",
            "pciPerformanceOptimized:\n      enabled: false",
            "read_request_small",
        ),
        ("linkType: Ethernet", "linkType: Infiniband", "link_type_wrong"),
        ("  resourceName: rail1", "  isRdma: false\n  resourceName: rail1", "rdma_off"),
        (
            "gpuDirectOptimized:",
            "spectrumXOptimized:\n      enabled: true\n    gpuDirectOptimized:",
            "profiles_exclude",
        ),
    ],
)
def test_a_manifest_that_is_wrong_is_found(old: str, new: str, code: str) -> None:
    text = clean("Kubernetes")["nic.yaml"]
    assert old in text
    assert {one.code for one in checked_clean("Kubernetes", {"nic.yaml": text.replace(old, new)}).findings} == {code}


def test_the_class_of_the_data_needs_a_share_of_a_nic() -> None:
    text = clean("Cumulus")[f"{HOST}:mlnx_qos.txt"]
    wrong = text.replace(
        "tc: 3 ratelimit: unlimited, tsa: ets, bw: 50%", "tc: 3 ratelimit: unlimited, tsa: ets, bw: 0%", 1
    )
    (finding,) = checked_clean("Cumulus", {f"{HOST}:mlnx_qos.txt": wrong}).findings
    assert (finding.code, finding.line) == ("ets_weight_zero", wrong[: wrong.index("bw: 0%")].count("\n") + 1)
