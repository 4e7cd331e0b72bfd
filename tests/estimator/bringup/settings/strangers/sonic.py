"""SONiC as ``show runningconfiguration all`` and minigraphs give it: many tables, one line, ranges of queues, hexadecimal."""

import json
from math import ceil
from typing import Any

from estimator.bringup.plan.systems import SONIC
from tests.estimator.bringup.settings.clean import LEAF, switch
from tests.estimator.bringup.settings.seeds import Seed

DESIGN = "two tiers"
OTHER = "leaf-r2-001"


def tables(name: str) -> dict[str, Any]:
    """A whole configuration."""
    one = switch(DESIGN, name, SONIC)
    ports = [port.name for port in one.interfaces]
    need = max(group.headroom.xoff_bytes or 0 for group in one.groups)
    dscps = {str(dscp): "0" for dscp in range(64)} | {"24": "3", "26": "3", "48": "6", "46": "5"}
    return {
        "ACL_TABLE": {"DATAACL": {"policy_desc": "DATAACL", "ports": ports[:4], "stage": "ingress", "type": "L3"}},
        "AUTO_TECHSUPPORT": {"GLOBAL": {"state": "enabled", "since": "2 days ago"}},
        "BGP_NEIGHBOR": {
            "10.1.0.1": {
                "asn": "65001",
                "holdtime": "10",
                "keepalive": "3",
                "name": "peer",
                "auth_password": "SEEDEDBGP",
            }
        },
        "BREAKOUT_CFG": {"Ethernet0": {"brkout_mode": "2x400G"}},
        "BUFFER_PG": {f"{port}|3": {"profile": "pg_lossless_400000_40m_profile"} for port in ports}
        | {f"{port}|0": {"profile": "ingress_lossy_profile"} for port in ports},
        "BUFFER_POOL": {
            "egress_lossless_pool": {"mode": "static", "size": "165364160", "type": "egress"},
            "ingress_lossless_pool": {"mode": "dynamic", "size": "136209408", "type": "ingress", "xoff": "28311552"},
        },
        "BUFFER_PROFILE": {
            "ingress_lossy_profile": {"dynamic_th": "3", "pool": "ingress_lossless_pool", "size": "0"},
            "pg_lossless_400000_40m_profile": {
                "dynamic_th": "0",
                "pool": "ingress_lossless_pool",
                "size": str(need + 38912),
                "xoff": str(need + 1000),
                "xon": "38912",
                "xon_offset": "13440",
            },
        },
        "BUFFER_QUEUE": {f"{port}|3-4": {"profile": "egress_lossless_profile"} for port in ports},
        "CABLE_LENGTH": {
            "AZURE": {port.name: f"{ceil(port.cable_m)}m" for port in one.interfaces} | {"Ethernet1020": "0m"}
        },
        "CRM": {"Config": {"acl_counter_high_threshold": "85", "polling_interval": "300"}},
        "DEVICE_METADATA": {
            "localhost": {
                "bgp_asn": str(one.asn),
                "default_bgp_status": "up",
                "hostname": name,
                "hwsku": "Mellanox-SN5600-C256",
                "mac": "b0:cf:0e:11:22:33",
                "type": "LeafRouter",
            }
        },
        "DEVICE_NEIGHBOR": {ports[0]: {"name": "node-0001", "port": "eth0"}},
        "DSCP_TO_TC_MAP": {"AZURE": dscps},
        "FEATURE": {"bgp": {"state": "enabled"}, "lldp": {"state": "enabled", "has_global_scope": "True"}},
        "FLEX_COUNTER_TABLE": {"PFCWD": {"FLEX_COUNTER_STATUS": "enable"}},
        "INTERFACE": {f"{port.name}|{port.address}": {} for port in one.interfaces if port.address},
        "LOOPBACK_INTERFACE": {f"Loopback0|{one.loopback}/32": {}},
        "MGMT_INTERFACE": {"eth0|10.250.0.101/24": {"gwaddr": "10.250.0.1"}},
        "NTP_SERVER": {"10.0.0.1": {"association_type": "server", "key": "SEEDEDNTPKEY"}},
        "PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "200"}}
        | {port: {"action": "drop", "detection_time": "200", "restoration_time": "200"} for port in ports},
        "PORT": {
            port: {
                "admin_status": "up",
                "alias": f"etp{number}a",
                "autoneg": "off",
                "description": f"to <b>{number}</b>",
                "fec": "rs",
                "index": str(number),
                "lanes": f"{4 * number},{4 * number + 1},{4 * number + 2},{4 * number + 3}",
                "mtu": "9100",
                "speed": "400000",
            }
            for number, port in enumerate(ports, 1)
        }
        | {"Ethernet1020": {"admin_status": "down", "lanes": "513", "mtu": "1500", "speed": "10000"}},
        "PORT_QOS_MAP": {
            port: {
                "dscp_to_tc_map": "AZURE",
                "pfc_enable": "3",
                "pfc_to_queue_map": "AZURE",
                "pfcwd_sw_enable": "3",
                "tc_to_pg_map": "AZURE",
                "tc_to_queue_map": "AZURE",
            }
            for port in ports
        },
        "MAP_PFC_PRIORITY_TO_QUEUE": {"AZURE": {str(number): str(number) for number in range(8)}},
        "QUEUE": {f"{port}|3-4": {"scheduler": "scheduler.1", "wred_profile": "AZURE_LOSSLESS"} for port in ports}
        | {f"{port}|6": {"scheduler": "scheduler.2"} for port in ports}
        | {f"{port}|0": {"scheduler": "scheduler.0"} for port in ports},
        "RADIUS": {"global": {"auth_type": "pap", "passkey": "SEEDEDRADIUS"}},
        "SCHEDULER": {
            "scheduler.0": {"type": "DWRR", "weight": "14"},
            "scheduler.1": {"type": "DWRR", "weight": "15"},
            "scheduler.2": {"type": "STRICT"},
        },
        "SNMP": {"LOCATION": {"Location": "row 3"}},
        "SNMP_COMMUNITY": {"SEEDEDSNMP": {"TYPE": "RO"}},
        "SNMP_USER": {"ops": {"SNMP_USER_AUTH_PASSWORD": "SEEDEDAUTH", "SNMP_USER_ENCRYPTION_PASSWORD": "SEEDEDPRIV"}},
        "SYSLOG_SERVER": {"10.250.0.9": {}},
        "TACPLUS_SERVER": {"10.250.0.7": {"passkey": "SEEDEDTAC", "priority": "1", "tcp_port": "49"}},
        "TC_TO_PRIORITY_GROUP_MAP": {"AZURE": {str(tc): "3" if tc == 3 else "0" for tc in range(8)}},
        "TC_TO_QUEUE_MAP": {"AZURE": {str(tc): str(tc) for tc in range(8)}},
        "USER": {"admin": {"password_hash": "$6$SEEDEDHASH"}},
        "VLAN": {"Vlan1000": {"vlanid": "1000"}},
        "WRED_PROFILE": {
            "AZURE_LOSSLESS": {
                "ecn": "ecn_all",
                "green_drop_probability": "5",
                "green_max_threshold": "2097152",
                "green_min_threshold": "1048576",
                "wred_green_enable": "true",
            }
        },
    }


def whole(name: str) -> str:
    return json.dumps(tables(name), indent=4)


def one_line(name: str) -> str:
    """As redis dumps and back-ups have it: without a line's end, rows of several ports, names of tables between brackets."""
    tree = tables(name)
    ports = ",".join(tree["PORT_QOS_MAP"])
    row = next(iter(tree["PORT_QOS_MAP"].values()))
    tree["PORT_QOS_MAP"] = {
        ports: {key: f"[DSCP_TO_TC_MAP|{text}]" if "dscp" in key else text for key, text in row.items()}
    }
    return json.dumps(tree, separators=(",", ":"))


def sets() -> dict[str, tuple[str, dict[str, str]]]:
    """Clean sets by name."""
    return {
        "SONiC, all tables": (DESIGN, {"leaf/config_db.json": whole(LEAF), "other/config_db.json": whole(OTHER)}),
        "SONiC, one line": (DESIGN, {"leaf.json": one_line(LEAF), "s.json": one_line(OTHER)}),
    }


A, ONE = "SONiC, all tables", "SONiC, one line"
DB, DB_S = "leaf/config_db.json", "other/config_db.json"
SEEDS = [
    Seed("pfc_off", A, DB, LEAF, '"pfc_enable": "3"', '"pfc_enable": "4"', after='"PORT_QOS_MAP"'),
    Seed("pfc_off", A, DB, LEAF, '            "pfc_enable": "3",\n', "", after='"PORT_QOS_MAP"', at='"Ethernet0": {'),
    Seed("cnp_lossless", A, DB, LEAF, '"48": "6"', '"48": "3"'),
    Seed("data_dscp_lossy", A, DB, LEAF, '"26": "3"', '"26": "0"'),
    Seed(
        "trust_not_dscp",
        A,
        DB,
        LEAF,
        '            "dscp_to_tc_map": "AZURE",\n',
        "",
        after='"PORT_QOS_MAP"',
        at='"Ethernet0": {',
    ),
    Seed(
        "headroom_small", A, DB, LEAF, r'"xoff": "\d+"', '"xoff": "40000"', after='pg_lossless_400000_40m_profile": {'
    ),
    Seed(
        "headroom_small",
        A,
        DB,
        LEAF,
        '"pg_lossless_400000_40m_profile"',
        '"ingress_lossy_profile"',
        after='"Ethernet4|3"',
    ),
    Seed("headroom_small", A, DB_S, OTHER, r'"Ethernet0": "\d+m"', '"Ethernet0": "5m"', after="CABLE_LENGTH"),
    Seed("ecn_off", A, DB, LEAF, '"ecn": "ecn_all"', '"ecn": "ecn_red"'),
    Seed("ecn_off", A, DB, LEAF, r',\n *"wred_profile": "AZURE_LOSSLESS"', "", after='"QUEUE"', at='"Ethernet0|3-4"'),
    Seed(
        "ecn_swapped",
        A,
        DB,
        LEAF,
        '"green_max_threshold": "2097152"',
        '"green_max_threshold": "20971"',
        at='"green_min_threshold"',
    ),
    Seed("cnp_not_strict", A, DB, LEAF, '"type": "STRICT"', '"type": "WRR"'),
    Seed("pfc_watchdog_off", A, DB, LEAF, '"action": "drop"', '"action": "alert"', after='"PFC_WD"'),
    Seed(
        "pfc_watchdog_off",
        A,
        DB,
        LEAF,
        '            "pfcwd_sw_enable": "3",\n',
        "",
        after='"Ethernet8": {\n            "dscp',
        at='"Ethernet8": {\n            "dscp',
    ),
    Seed("mtu_small", A, DB, LEAF, '"mtu": "9100"', '"mtu": "1514"', after='"Ethernet12": {\n            "admin'),
    Seed(
        "port_rate_low",
        A,
        DB,
        LEAF,
        '"speed": "400000"',
        '"speed": "100000"',
        after='"Ethernet4": {\n            "admin',
    ),
    Seed("fec_wrong", A, DB, LEAF, '"fec": "rs"', '"fec": "none"', after='"Ethernet4": {\n            "admin'),
    Seed(
        "link_down",
        A,
        DB_S,
        OTHER,
        '"admin_status": "up"',
        '"admin_status": "down"',
        after='"Ethernet16": {\n            "admin',
        at='"admin_status": "down"',
    ),
    Seed("lldp_off", A, DB, LEAF, '"state": "enabled"', '"state": "always_disabled"', after='"lldp"'),
    Seed("queue_shared", A, DB, LEAF, '"3": "3"', '"3": "0"', after='"TC_TO_QUEUE_MAP"'),
    Seed("ets_weight_zero", A, DB, LEAF, '"weight": "15"', '"weight": "0"'),
    Seed("asn_doubled", A, DB, LEAF, r'"bgp_asn": "\d+"', '"bgp_asn": "4200000003"'),
    Seed("rail_subnet_doubled", A, DB, LEAF, r"10\.128\.0\.32/31", "10.128.0.0/31"),
    Seed("pfc_off", ONE, "leaf.json", LEAF, '"pfc_enable":"3"', '"pfc_enable":""'),
    Seed("mtu_small", ONE, "leaf.json", LEAF, '"mtu":"9100"', '"mtu":"1500"'),
]
