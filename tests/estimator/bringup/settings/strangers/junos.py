"""Junos: braces two blanks deep with comments, code points with blocks under them, groups, ``show | display set``."""

from estimator.bringup.plan.systems import JUNOS
from tests.estimator.bringup.settings.clean import LEAF, junos_set, longest, switch
from tests.estimator.bringup.settings.seeds import Seed

DESIGN = "mixed"


def braces(name: str) -> str:
    """As the vendor's validated design prints it, with a prompt, comments and an inactive part."""
    one = switch(DESIGN, name, JUNOS)
    ports = []
    for port in one.interfaces:
        family = f"family inet {{\n        address {port.address};\n      }}" if port.address else "family inet6;"
        ports.append(
            f"  {port.name} {{\n    description {port.peer};\n    mtu 9216;\n    unit 0 {{\n      {family}\n    }}\n  }}"
        )
    return f"""\
admin@{name}> show configuration | no-more
## Last commit: 2026-03-01 10:00:00 UTC by admin
version 23.4X100-D20.7-EVO;
groups {{
  global {{
    forwarding-options {{
      enhanced-hash-key {{
        ecmp-dlb {{
          flowlet {{
            inactivity-interval 256;
          }}
        }}
      }}
    }}
  }}
}}
apply-groups [ global ];
system {{
  host-name {name};
  root-authentication {{
    encrypted-password "$6$SEEDEDHASH"; ## SECRET-DATA
  }}
  tacplus-server {{
    10.250.0.7 secret "$9$SEEDEDTAC"; ## SECRET-DATA
  }}
}}
snmp {{
  community SEEDEDSNMP {{
    authorization read-only;
  }}
}}
/* quality of service
   for RDMA */
class-of-service {{
  classifiers {{
    dscp mydscp {{
      forwarding-class CNP {{
        loss-priority low code-points 110000;
      }}
      forwarding-class NO-LOSS {{
        loss-priority low code-points [ 011010 011000 ];
      }}
    }}
  }}
  drop-profiles {{
    dp1 {{
      interpolate {{
        fill-level [ 55 90 ];
        drop-probability [ 0 100 ];
      }}
    }}
  }}
  shared-buffer {{
    ingress {{
      buffer-partition lossless {{
        percent 66;
      }}
    }}
  }}
  forwarding-classes {{
    class CNP queue-num 3;
    class NO-LOSS queue-num 4 no-loss pfc-priority 3;
  }}
  congestion-notification-profile {{
    cnp {{
      pfc-watchdog;
      input {{
        dscp {{
          code-point 011010 {{
            pfc;
          }}
          code-point 011000 {{
            pfc;
          }}
        }}
        cable-length {longest(one.interfaces)};
      }}
      output {{
        ieee-802.1 {{
          code-point 011 {{
            flow-control-queue 4;
          }}
        }}
      }}
    }}
  }}
  interfaces {{
    et-* {{
      congestion-notification-profile cnp;
      scheduler-map sm1;
      unit * {{
        classifiers {{
          dscp mydscp;
        }}
      }}
    }}
  }}
  scheduler-maps {{
    sm1 {{
      forwarding-class CNP scheduler s2-cnp;
      forwarding-class NO-LOSS scheduler s1;
    }}
  }}
  schedulers {{
    s1 {{
      transmit-rate percent 60;
      drop-profile-map loss-priority any protocol any drop-profile dp1;
      explicit-congestion-notification;
    }}
    s2-cnp {{
      priority strict-high;
    }}
  }}
}}
interfaces {{
{chr(10).join(ports)}
  inactive: xe-0/1/0 {{
    mtu 1500;
  }}
  lo0 {{
    unit 0 {{
      family inet {{
        address {one.loopback}/32;
      }}
    }}
  }}
}}
protocols {{
  bgp {{
    group underlay {{
      authentication-key "$9$SEEDEDBGP"; ## SECRET-DATA
    }}
  }}
  lldp {{
    interface all;
  }}
}}
routing-options {{
  router-id {one.loopback};
  autonomous-system {one.asn};
}}
"""


def displayed(name: str) -> str:
    """``show configuration | display set`` with a group, a range of ports and a deactivated line."""
    text = junos_set(DESIGN, name).replace("set forwarding-options", "set groups all-dc forwarding-options")
    lines = [line for line in text.splitlines() if not line.startswith("set interfaces") or " mtu " not in line]
    one = switch(DESIGN, name, JUNOS)
    members = [f"set interfaces interface-range FABRIC member {port.name}" for port in one.interfaces]
    return "\n".join(
        [
            "set version 23.4X100-D20",
            "set apply-groups all-dc",
            *lines,
            *members,
            "set interfaces interface-range FABRIC mtu 9216",
            "set class-of-service schedulers NO-LOSS-S transmit-rate percent 50",
            "set class-of-service interfaces et-* scheduler-map MAP",
            "set protocols lldp interface all",
            "set protocols bgp group u disable",
            "deactivate protocols bgp group u",
            "",
        ]
    )


def sets() -> dict[str, tuple[str, dict[str, str]]]:
    """Clean sets by name."""
    return {
        "Junos, braces": (DESIGN, {"leaf.conf": braces(LEAF)}),
        "Junos, displayed": (DESIGN, {"leaf.set": displayed(LEAF)}),
    }


B, S = "Junos, braces", "Junos, displayed"
SEEDS = [
    Seed("pfc_off", B, "leaf.conf", LEAF, " no-loss pfc-priority 3", "", at="    class NO-LOSS queue"),
    Seed("data_priority_differs", B, "leaf.conf", LEAF, "pfc-priority 3", "pfc-priority 4"),
    Seed(
        "pfc_off",
        B,
        "leaf.conf",
        LEAF,
        "      congestion-notification-profile cnp;\n",
        "",
        at="      scheduler-map sm1",
    ),
    Seed(
        "data_dscp_lossy",
        B,
        "leaf.conf",
        LEAF,
        r"\[ 011010 011000 \]",
        "011000",
        at="        loss-priority low code-points 110000",
    ),
    Seed("cnp_lossless", B, "leaf.conf", LEAF, r"\[ 011010 011000 \]", "[ 011010 011000 110000 ]"),
    Seed("trust_not_dscp", B, "leaf.conf", LEAF, "dscp mydscp;", "ieee-802.1 default;"),
    Seed(
        "trust_not_dscp",
        B,
        "leaf.conf",
        LEAF,
        "      unit \\* {\n        classifiers {\n          dscp mydscp;\n        }\n      }\n",
        "",
        at="        loss-priority low code-points 110000",
    ),
    Seed("headroom_small", B, "leaf.conf", LEAF, r"cable-length \d+", "cable-length 2"),
    Seed(
        "ecn_off",
        B,
        "leaf.conf",
        LEAF,
        "      explicit-congestion-notification;\n",
        "",
        at="      transmit-rate percent 60",
    ),
    Seed(
        "ecn_off", B, "leaf.conf", LEAF, "      scheduler-map sm1;\n", "", at="      forwarding-class CNP scheduler s2"
    ),
    Seed("ecn_swapped", B, "leaf.conf", LEAF, r"fill-level \[ 55 90 \]", "fill-level [ 90 55 ]"),
    Seed("cnp_not_strict", B, "leaf.conf", LEAF, "priority strict-high", "priority low"),
    Seed(
        "cnp_not_strict",
        B,
        "leaf.conf",
        LEAF,
        "    s2-cnp {\n      priority strict-high;\n",
        "    s2-cnp {\n      transmit-rate percent 10;\n",
        at="transmit-rate percent 10",
    ),
    Seed(
        "pfc_watchdog_off",
        B,
        "leaf.conf",
        LEAF,
        "      pfc-watchdog;\n",
        "",
        at="            pfc;\n          }\n        }",
    ),
    Seed("adaptive_routing_off", B, "leaf.conf", LEAF, r"apply-groups \[ global \];\n", "", at="admin@"),
    Seed("mtu_small", B, "leaf.conf", LEAF, "    mtu 9216;\n", "", after="et-0/0/2:0", at="    description"),
    Seed(
        "link_down",
        B,
        "leaf.conf",
        LEAF,
        "    mtu 9216;",
        "    disable;\n    mtu 9216;",
        after="et-0/0/2:0",
        at="disable;",
    ),
    Seed(
        "lldp_off",
        B,
        "leaf.conf",
        LEAF,
        "    interface all;",
        "    interface all {\n      disable;\n    }",
        at="disable;",
    ),
    Seed("lldp_off", B, "leaf.conf", LEAF, "  lldp {\n    interface all;\n  }\n", "", at="admin@"),
    Seed("pfc_off", S, "leaf.set", LEAF, "input dscp code-point 011010 pfc", "input dscp code-point 011011 pfc"),
    Seed("mtu_small", S, "leaf.set", LEAF, "interface-range FABRIC mtu 9216", "interface-range FABRIC mtu 1500"),
    Seed("ets_weight_zero", S, "leaf.set", LEAF, "transmit-rate percent 50", "transmit-rate percent 0"),
    Seed(
        "adaptive_routing_off",
        S,
        "leaf.set",
        LEAF,
        "set protocols bgp group u disable",
        "deactivate groups all-dc forwarding-options",
        at="set version",
    ),
    Seed(
        "pfc_watchdog_off",
        S,
        "leaf.set",
        LEAF,
        "set class-of-service congestion-notification-profile PFC pfc-watchdog[^\n]*\n",
        "",
        at="set class-of-service congestion-notification-profile PFC input dscp",
    ),
]
