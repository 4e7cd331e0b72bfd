"""Forms of one setting: what a reader sees of other releases, notations and spans."""

import pytest

from estimator.bringup.check.upload import read_all

SHOWN = "PFC configuration:\n\tpriority:  0   1   2   3   4   5   6   7\n\tenabled:   0   0   0   1   0   0   0   0\n"
GIDS = "DEV\tPORT\tINDEX\tGID\n"
GIDS += "mlx5_0\t1\t3\t0000:0000:0000:0000:0000:ffff:0a0a:0a01 10.10.10.1 RoCE v2 eth2\n"
FIRMWARE = "Device type: ConnectX7\nDevice: 0000:18:00.0\n"
FIRMWARE += "Configurations:   Next Boot\n   ROCE_CC_PRIO_MASK_P1   255(0xff)\n   CNP_DSCP_P1   0x30\n"
SPANS = "nv set interface swp1-2 qos pfc profile rdma\nnv set qos pfc rdma switch-priority 3\n"
SPANS += "nv set interface swp1-3 link mtu 9216\n"
BARE = '{"qos": {"roce": {"mode": "lossless"}}, "interface": {"swp1": {"link": {"mtu": 9216}}}, "system": {}}'
FLAT = "- set:\n    interface:\n      swp1-2:\n        link: {mtu: 9216, speed: 400G}\n    qos:\n      roce: {}\n"
NEXUS = (
    "hostname a\nclass-map type qos match-any R\n  match dscp 26\npolicy-map type qos IN\n  class R\n    set qos-group 3\n"
    "policy-map type qos OTHER\n  class R\n    set qos-group 1\n"
    "interface Ethernet1/1-2\n  service-policy type qos input IN no-stats\n"
    "interface Ethernet1/3\n  service-policy type qos input OTHER\n"
)
SEEN = [
    (SHOWN, "pfc", "", (3,)),
    (GIDS, "gid_version", "mlx5_0|3", "v2"),
    (FIRMWARE, "cc_mask", "0000:18:00.0", 255),
    (FIRMWARE, "cnp_dscp", "0000:18:00.0", 48),
    (SPANS, "pfc", "swp2", (3,)),
    (SPANS, "pfc", "swp3", ()),
    (BARE, "mtu", "swp1", 9216),
    (FLAT, "mtu", "swp2", 9216),
    (FLAT, "speed", "swp1", 400),
    (NEXUS, "dscp_class", "26", 3),
    (NEXUS, "trust", "Ethernet1/2", "dscp"),
    (NEXUS, "port_class", "Ethernet1/3|26", 1),
    ("srun --export=ALL,NCCL_IB_TC=106,NCCL_IB_HCA=mlx5_0,mlx5_3 ./a\n", "variable", "NCCL_IB_HCA", "mlx5_0,mlx5_3"),
    ('{"env": {"NCCL_IB_TC": "106", "NCCL_IB_GID_INDEX": 3}}', "variable", "NCCL_IB_GID_INDEX", "3"),
    ("export NCCL_IB_TC=${NCCL_IB_TC:-106}\n", "variable", "NCCL_IB_TC", "106"),
    ('os.environ["NCCL_IB_TC"] = "106"\n', "variable", "NCCL_IB_TC", "106"),
    ("setenv NCCL_IB_TC 106\n", "variable", "NCCL_IB_TC", "106"),
]


@pytest.mark.parametrize(("text", "setting", "where", "value"), SEEN)
def test_a_setting_is_seen_in_its_other_forms(text: str, setting: str, where: str, value: object) -> None:
    (reading,) = read_all([("device-1:x", text.encode())], [])
    found = reading.first(setting, where)
    assert found is not None
    assert found.value == value


def test_a_variable_that_is_unset_again_is_none() -> None:
    (reading,) = read_all([("x", b"export NCCL_IB_TC=0\nexport NCCL_DEBUG=INFO\nunset NCCL_IB_TC\n")], [])
    assert [one.place for one in reading.seen] == ["NCCL_DEBUG"]
