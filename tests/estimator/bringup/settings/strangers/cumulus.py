"""Cumulus Linux as operators keep it: commands, YAML of several indentations, profiles of flow control on ports."""

import json

from estimator.bringup.plan.systems import NVUE
from tests.estimator.bringup.settings.clean import LEAF, SPINE, longest, switch
from tests.estimator.bringup.settings.seeds import Seed

DESIGN = "two tiers"


def commands(name: str) -> str:
    """A script of ``nv set`` lines as it lies in a repository: lists of ports, comments, an apply at its end."""
    one = switch(DESIGN, name, NVUE)
    every = ",".join(port.name for port in one.interfaces)
    up = [port.name for port in one.interfaces if not port.is_to_node]
    lines = [
        "#!/bin/bash",
        f"# {name}: compute fabric, rev 7",
        f"nv set system hostname {name}",
        "nv set system aaa user cumulus hashed-password '$6$SEEDEDHASH$abc'",
        "nv set system snmp-server readonly-community SEEDEDSNMP access any",
        f"nv set interface {every} type swp",
        f"nv set interface {every} link mtu 9216",
        f"nv set interface {every} link state up",
        f"nv set interface {every} link speed 400G",
        f"nv set interface {','.join(up)} router adaptive-routing enable on",
        "nv set router adaptive-routing enable on",
        "nv set qos roce enable on",
        "nv set qos roce mode lossless",
        f"nv set qos roce cable-length {longest(one.interfaces)}",
        f"nv set interface {every} qos pfc-watchdog state enable",
        f"nv set router bgp autonomous-system {one.asn}",
        f"nv set router bgp router-id {one.loopback}",
        "nv set vrf default router bgp peer-group underlay password SEEDEDBGPPW",
        f"nv set interface lo ip address {one.loopback}/32",
    ]
    lines += [f"nv set interface {port.name} ip address {port.address}" for port in one.interfaces if port.address]
    return "\n".join([*lines, "nv config apply -y", ""])


def profiles(name: str) -> str:
    """``nv config show`` as YAML, four blanks deep, flow control by a profile on each port and not by ``qos roce``."""
    one = switch(DESIGN, name, NVUE)
    out = [
        "- header:",
        "    model: SN5600",
        "    nvue-api-version: nvue_v1",
        "    version: 5.9.2",
        "- set:",
        "    interface:",
    ]
    for port in one.interfaces:
        out += [
            f"        {port.name}:",
            "            link:",
            "                mtu: 9216",
            "                speed: 400G",
        ]
        out += ["                state:", "                    up: {}", "            qos:"]
        out += ["                pfc:", "                    profile: rdma-pfc", "                pfc-watchdog:"]
        out += ["                    state: enable", "            type: swp"]
        if not port.is_to_node:
            out += ["            router:", "                adaptive-routing:", "                    enable: 'on'"]
    out += [
        "    qos:",
        "        congestion-control:",
        "            default-global:",
        "                traffic-class:",
        "                    '3':",
        "                        ecn: enable",
        "                        max-threshold-bytes: 1500000",
        "                        min-threshold-bytes: 150000",
        "                        probability: 100",
        "        egress-queue-mapping:",
        "            default-global:",
        "                switch-priority:",
    ]
    for priority in range(8):
        out += [f"                    '{priority}':", f"                        traffic-class: '{priority}'"]
    out += [
        "        egress-scheduler:",
        "            default-global:",
        "                traffic-class:",
        "                    '0,3':",
        "                        bw-percent: 50",
        "                        mode: dwrr",
        "                    '6':",
        "                        mode: strict",
        "        mapping:",
        "            default-global:",
        "                dscp:",
        "                    '26':  # RoCE",
        "                        switch-priority: '3'",
        "                    '48':",
        "                        switch-priority: '6'",
        "                trust: l3",
        "        pfc:",
        "            rdma-pfc:",
        f"                cable-length: {longest(one.interfaces)}",
        "                rx: enable",
        "                switch-priority:",
        "                    '3': {}",
        "                tx: enable",
        "    router:",
        "        adaptive-routing:",
        "            enable: 'on'",
        "    system:",
        f"        hostname: {name}",
    ]
    return "\n".join(out) + "\n"


def bare(name: str) -> str:
    """The tree under ``set`` alone, as ``nv config show -o json`` of an older release, minified."""
    one = switch(DESIGN, name, NVUE)
    ports = {
        port.name: {
            "type": "swp",
            "link": {"mtu": "9216", "speed": "400g", "auto-negotiate": "off", "fec": "rs"},
            "qos": {"pfc-watchdog": {"enable": "on"}},
        }
        | ({} if port.is_to_node else {"router": {"adaptive-routing": {"enable": "on"}}})
        for port in one.interfaces
    }
    qos = {"roce": {"enable": "on", "mode": "lossless", "cable-length": str(longest(one.interfaces) + 5)}}
    tree = {"interface": ports, "qos": qos, "router": {"adaptive-routing": {"enable": "on"}}}
    return json.dumps([{"set": tree | {"system": {"hostname": f"{name}.dc1.example.net"}}}])


def sets() -> dict[str, tuple[str, dict[str, str]]]:
    """Clean sets by name."""
    return {
        "Cumulus, commands": (DESIGN, {"leaf.sh": commands(LEAF), "spine.sh": commands(SPINE)}),
        "Cumulus, profiles": (DESIGN, {"leaf.yaml": profiles(LEAF), "spine.yaml": profiles(SPINE)}),
        "Cumulus, minified": (DESIGN, {"backup/leaf-r1-001.json": bare(LEAF)}),
        "Cumulus, one leaf": (DESIGN, {"x.yaml": profiles(LEAF)}),
    }


C, P, M, L = "Cumulus, commands", "Cumulus, profiles", "Cumulus, minified", "Cumulus, one leaf"
SEEDS = [
    Seed("pfc_one_side", C, "leaf.sh", LEAF, "qos roce mode lossless", "qos roce mode lossy"),
    Seed(
        "pfc_one_side",
        C,
        "leaf.sh",
        LEAF,
        "nv set qos roce enable on\nnv set qos roce mode lossless\nnv set qos roce cable-length \\d+\n",
        "",
        at="#!/bin",
    ),
    Seed("headroom_small", C, "leaf.sh", LEAF, r"cable-length \d+", "cable-length 5"),
    Seed(
        "adaptive_routing_off",
        C,
        "spine.sh",
        SPINE,
        "nv set router adaptive-routing enable on",
        "nv set router adaptive-routing enable off",
    ),
    Seed("adaptive_routing_off", C, "spine.sh", SPINE, "nv set router adaptive-routing enable on\n", "", at="#!/bin"),
    Seed("pfc_watchdog_off", C, "leaf.sh", LEAF, "pfc-watchdog state enable", "pfc-watchdog state disable"),
    Seed("asn_doubled", C, "leaf.sh", LEAF, r"autonomous-system \d+", "autonomous-system 4210000002"),
    Seed(
        "loopback_doubled",
        C,
        "leaf.sh",
        LEAF,
        r"lo ip address \S+",
        f"lo ip address {switch(DESIGN, SPINE, NVUE).loopback}/32",
    ),
    Seed(
        "lldp_off",
        C,
        "leaf.sh",
        LEAF,
        "nv set qos roce enable on",
        "nv set service lldp state disabled\nnv set qos roce enable on",
    ),
    Seed(
        "mtu_small",
        C,
        "leaf.sh",
        LEAF,
        "nv config apply",
        "nv set interface swp2s0 link mtu 1500\nnv config apply",
        at="nv set interface swp2s0 link mtu",
    ),
    Seed("pfc_off", P, "leaf.yaml", LEAF, "profile: rdma-pfc", "profile: default-global", after="swp2s1:"),
    Seed(
        "pfc_one_side",
        P,
        "leaf.yaml",
        LEAF,
        "'3': {}",
        "'4': {}",
        after="rdma-pfc:\n                cable",
        at="switch-priority:",
    ),
    Seed("pfc_one_side", P, "spine.yaml", SPINE, "tx: enable", "tx: disable"),
    Seed(
        "pfc_off",
        P,
        "leaf.yaml",
        LEAF,
        "                pfc:\n                    profile: rdma-pfc\n",
        "",
        after="swp3s0:",
        at="swp3s0:",
    ),
    Seed("headroom_small", P, "leaf.yaml", LEAF, r"cable-length: \d+", "cable-length: 3"),
    Seed("ecn_off", P, "leaf.yaml", LEAF, "ecn: enable", "ecn: disable"),
    Seed(
        "ecn_off",
        P,
        "leaf.yaml",
        LEAF,
        "                    '3':\n                        ecn: enable\n",
        "                    '4':\n                        ecn: enable\n",
        at="                traffic-class:\n                    '4'",
    ),
    Seed(
        "ecn_swapped",
        P,
        "leaf.yaml",
        LEAF,
        "min-threshold-bytes: 150000",
        "min-threshold-bytes: 1600000",
        at="min-threshold-bytes",
    ),
    Seed("trust_not_dscp", P, "leaf.yaml", LEAF, "trust: l3", "trust: l2"),
    Seed(
        "trust_not_dscp",
        P,
        "leaf.yaml",
        LEAF,
        "                trust: l3\n",
        "",
        at="            default-global:\n                dscp:",
    ),
    Seed("data_dscp_lossy", P, "leaf.yaml", LEAF, "switch-priority: '3'", "switch-priority: '0'", after="'26'"),
    Seed("cnp_not_strict", P, "spine.yaml", SPINE, "mode: strict", "mode: dwrr"),
    Seed(
        "adaptive_routing_off",
        L,
        "x.yaml",
        LEAF,
        "    router:\n        adaptive-routing:\n            enable: 'on'\n",
        "",
        at="- header",
    ),
    Seed(
        "pfc_watchdog_off",
        M,
        "backup/leaf-r1-001.json",
        LEAF,
        '"pfc-watchdog": {"enable": "on"}',
        '"pfc-watchdog": {"enable": "off"}',
        after='"swp3s1"',
    ),
    Seed("port_rate_low", M, "backup/leaf-r1-001.json", LEAF, '"400g"', '"100g"', after='"swp4s0"'),
    Seed("fec_wrong", M, "backup/leaf-r1-001.json", LEAF, '"rs"', '"baser"', after='"swp4s0"'),
]
