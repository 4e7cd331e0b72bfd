"""InfiniBand and Kubernetes: subnet managers' files, ibstat of several hosts, manifests as kubectl gives them back."""

from tests.estimator.bringup.settings.clean import HOST, NICS
from tests.estimator.bringup.settings.seeds import Seed

IB, ETH = "SHARP", "two tiers"
SECOND = "node-0002"


def ibstat(rate: str = "400") -> str:
    """``ibstat`` as it is today, with an Ethernet NIC of storage and one of management."""
    out = []
    for number, nic in enumerate([*NICS, "mlx5_1", "mlx5_2"]):
        is_ours = nic in NICS
        out.append(f"""\
CA '{nic}'
\tCA type: MT4129
\tNumber of ports: 1
\tFirmware version: 28.39.3560
\tHardware version: 0
\tNode GUID: 0xb8e92403003a5{number:03x}
\tSystem image GUID: 0xb8e92403003a5{number:03x}
\tPort 1:
\t\tState: {"Active" if is_ours or nic == "mlx5_1" else "Down"}
\t\tPhysical state: {"LinkUp" if is_ours or nic == "mlx5_1" else "Disabled"}
\t\tRate: {rate if is_ours else "100"}
\t\tBase lid: {10 + number if is_ours else 0}
\t\tLMC: 0
\t\tSM lid: {1 if is_ours else 0}
\t\tCapability mask: {"0xa751e848" if is_ours else "0x00010000"}
\t\tPort GUID: 0xb8e92403003a5{number:03x}
\t\tLink layer: {"InfiniBand" if is_ours else "Ethernet"}
""")
    return "".join(out)


OPENSM = """\
#
# OpenSM configuration file, from opensm -c
#
guid 0x0000000000000000
m_key 0x00000000deadbeef
m_key_lease_period 0
sm_key 0x0000000000000001
sa_key 0x00000000SEEDED01
subnet_prefix 0xfe80000000000000
lmc 0
lmc_esp0 FALSE
force_link_speed 15
force_link_speed_ext 31
force_link_speed_file (null)
packet_life_time 0x12
max_op_vls 3
partition_config_file /etc/opensm/partitions.conf
no_partition_enforcement FALSE
sweep_interval 10
reassign_lids FALSE
port_profile_switch_nodes FALSE
port_prof_ignore_file (null)
hop_weights_file (null)
routing_engine ar_updn,updn,minhop
avoid_throttled_links FALSE
connect_roots FALSE
use_ucast_cache TRUE
root_guid_file /etc/opensm/root_guid.cfg
cn_guid_file (null)
sm_priority {priority}
master_sm_priority 14
ignore_other_sm FALSE
qos FALSE
qos_max_vls 0
prefix_routes_file /etc/opensm/prefix-routes.conf
consolidate_ipv6_snm_req FALSE
sharp_enabled 2
"""
UFM = """\
[Server]
ufma_interfaces = ib0
[LogStreaming]
log_streaming = false
[Rest]
rest_password = SEEDEDUFM
[SubnetManager]
disable_lid_config = true
[Sharp]
sharp_enabled = yes
sharp_allocation_enabled = true
[Multisubnet]
multisubnet_enabled = false
"""
PARTS = """\
# partitions
Default=0x7fff, ipoib, rate=16, mtu=5, defmember=full:
   ALL, ALL_SWITCHES=full,
   SELF=full ;
storage=0x8002 , rate=16 : ALL=limited, 0xb8e92403003b0000=full;
"""
ENV = (
    f"NCCL_IB_HCA=mlx5_0:1,{','.join(f'{nic}:1' for nic in NICS[1:])}\nNCCL_COLLNET_ENABLE=1\nSHARP_COLL_LOG_LEVEL=3\n"
)
MANIFESTS = """\
# helm template, then kubectl apply
---
apiVersion: mellanox.com/v1alpha1
kind: NicClusterPolicy
metadata:
    name: nic-cluster-policy
spec:
    ofedDriver:
        image: doca-driver
        repository: nvcr.io/nvidia/mellanox
        version: "25.01-0.6.0.0-0"
        env:
            - name: CREATE_IFNAMES_UDEV
              value: "true"
        upgradePolicy: {autoUpgrade: true, maxParallelUpgrades: 1}
    rdmaSharedDevicePlugin:
        config: |
            {
              "configList": [ { "resourceName": "rdma_a", "rdmaHcaMax": 63 } ]
            }
    secondaryNetwork:
        multus:
            image: multus-cni
            imagePullSecrets: []
---
apiVersion: sriovnetwork.openshift.io/v1
kind: SriovNetworkNodePolicy
metadata: {name: rail-0, namespace: nvidia-network-operator}
spec:
    deviceType: netdevice
    isRdma: true
    linkType: eth
    mtu: 9000
    nicSelector:
        vendor: "15b3"
        pfNames: ["ens1f0np0"]
    numVfs: 1
    priority: 90
    resourceName: rail_0
---
apiVersion: v1
kind: Secret
metadata:
    name: registry
stringData:
    password: SEEDEDREG
    .dockerconfigjson: '{"auths":{"nvcr.io":{"auth":"SEEDEDDOCKER"}}}'
---
apiVersion: nv-ipam.nvidia.com/v1alpha1
kind: CIDRPool
metadata:
    name: rail-0
spec:
    cidr: 10.144.0.0/16
    gatewayIndex: 0
    perNodeNetworkPrefix: 31
---
apiVersion: nv-ipam.nvidia.com/v1alpha1
kind: CIDRPool
metadata:
    name: rail-1
spec:
    cidr: 10.145.0.0/16
    perNodeNetworkPrefix: 31
---
apiVersion: mellanox.com/v1alpha1
kind: MacvlanNetwork
metadata:
    name: storage
spec:
    networkNamespace: default
    master: ens5
    mode: bridge
    mtu: 9000
    ipam: '{"type": "nv-ipam", "poolName": "storage"}'
"""
LIST = """\
apiVersion: v1
items:
- apiVersion: configuration.net.nvidia.com/v1alpha1
  kind: NicConfigurationTemplate
  metadata:
    annotations:
      kubectl.kubernetes.io/last-applied-configuration: |
        {"apiVersion":"configuration.net.nvidia.com/v1alpha1","kind":"NicConfigurationTemplate"}
    creationTimestamp: "2026-03-01T08:00:00Z"
    generation: 3
    name: roce
    resourceVersion: "182733"
    uid: 0f9d8e6a-1111-2222-3333-444455556666
  spec:
    nicSelector:
      nicType: "1021"
    resetToDefault: false
    template:
      linkType: Ethernet
      numVfs: 0
      pciPerformanceOptimized:
        enabled: true
        maxReadRequest: 4096
      rawNvConfig:
      - name: ATS_ENABLED
        value: "0"
      - name: CNP_DSCP_P1
        value: "48"
      - name: ROCE_CC_PRIO_MASK_P1
        value: "255"
      roceOptimized:
        enabled: true
        qos:
          pfc: 0,0,0,1,0,0,0,0
          trust: dscp
  status:
    conditions: []
kind: List
metadata:
  resourceVersion: ""
"""


def sets() -> dict[str, tuple[str, dict[str, str]]]:
    """Clean sets by name."""
    pdsh = "".join(f"{host}: {line}\n" for host in (HOST, SECOND) for line in ibstat().splitlines())
    return {
        "InfiniBand, dumps": (
            IB,
            {
                "ufm-a:opensm.conf": OPENSM.replace("{priority}", "15"),
                "ufm-b:opensm.conf": OPENSM.replace("{priority}", "8"),
                "ufm-a:gv.cfg": UFM,
                "ufm-a:partitions.conf": PARTS,
                f"{HOST}:ibstat": ibstat(),
                "env.sh": ENV,
            },
        ),
        "InfiniBand, pdsh": (IB, {"ibstat.txt": pdsh, "opensm.conf": OPENSM.replace("{priority}", "0")}),
        "Kubernetes, documents": (ETH, {"manifests.yaml": MANIFESTS, "get.yaml": LIST}),
    }


D, P, K = "InfiniBand, dumps", "InfiniBand, pdsh", "Kubernetes, documents"
OA, OB = "ufm-a:opensm.conf", "ufm-b:opensm.conf"
SEEDS = [
    Seed("routing_engine_wrong", D, OA, "ufm-a", "routing_engine ar_updn,updn,minhop", "routing_engine minhop"),
    Seed("routing_engine_wrong", D, OA, "ufm-a", "routing_engine ar_updn,updn,minhop", "routing_engine (null)"),
    Seed("routing_engine_wrong", D, OA, "ufm-a", "routing_engine ar_updn,updn,minhop\n", "", at="use_ucast_cache"),
    Seed("sharp_off", D, OA, "ufm-a", "sharp_enabled 2", "sharp_enabled 0"),
    Seed("sharp_off", D, "ufm-a:gv.cfg", "ufm-a", "sharp_enabled = yes", "sharp_enabled = False"),
    Seed("link_speed_forced", D, OA, "ufm-a", "force_link_speed_ext 31", "force_link_speed_ext 1"),
    Seed("link_speed_forced", D, OA, "ufm-a", "force_link_speed 15", "force_link_speed 0x1"),
    Seed("sm_priority_same", D, OB, "ufm-b", "sm_priority 8", "sm_priority 15"),
    Seed(
        "partition_limited",
        D,
        "ufm-a:partitions.conf",
        "ufm-a",
        "defmember=full:\n   ALL,",
        "defmember=limited:\n   ALL,",
        at="   ALL,",
    ),
    Seed("port_rate_low", D, f"{HOST}:ibstat", HOST, "Rate: 400", "Rate: 200", after="mlx5_9"),
    Seed("port_rate_low", D, f"{HOST}:ibstat", HOST, "Rate: 400", "Rate: 40 (FDR10)", after="mlx5_9"),
    Seed("link_down", D, f"{HOST}:ibstat", HOST, "State: Active", "State: Initializing", after="mlx5_10"),
    Seed("link_down", D, f"{HOST}:ibstat", HOST, r"CA 'mlx5_11'\n(?:\t.*\n)+", "", at="\t\tState: Active"),
    Seed("link_type_wrong", D, f"{HOST}:ibstat", HOST, "layer: InfiniBand", "layer: Ethernet", after="mlx5_10"),
    Seed("hca_missing_rail", D, "env.sh", "env.sh", ",mlx5_3:1", ""),
    Seed("sharp_off", D, "env.sh", "env.sh", "COLLNET_ENABLE=1", "COLLNET_ENABLE=0"),
    Seed("port_rate_low", P, "ibstat.txt", SECOND, "Rate: 400", "Rate: 100", after="node-0002: CA 'mlx5_4'"),
    Seed("routing_engine_wrong", P, "opensm.conf", "opensm", "ar_updn,updn,minhop", "DOR"),
    Seed("mtu_small", K, "manifests.yaml", "manifests", "mtu: 9000", "mtu: 1500"),
    Seed("rdma_off", K, "manifests.yaml", "manifests", "isRdma: true", "isRdma: false"),
    Seed("link_type_wrong", K, "manifests.yaml", "manifests", "linkType: eth", "linkType: IB"),
    Seed("rail_subnet_doubled", K, "manifests.yaml", "manifests", "10.145.0.0/16", "10.144.0.0/16"),
    Seed("rail_subnet_doubled", K, "manifests.yaml", "manifests", "10.145.0.0/16", "10.144.128.0/17"),
    Seed("pfc_off", K, "get.yaml", "get", "0,0,0,1,0,0,0,0", "0,0,0,0,1,0,0,0"),
    Seed(
        "pfc_off",
        K,
        "get.yaml",
        "get",
        "roceOptimized:\n        enabled: true",
        "roceOptimized:\n        enabled: false",
        at="        enabled: false",
    ),
    Seed("trust_not_dscp", K, "get.yaml", "get", "trust: dscp", "trust: pcp"),
    Seed("read_request_small", K, "get.yaml", "get", "maxReadRequest: 4096", "maxReadRequest: 1024"),
    Seed("ats_on", K, "get.yaml", "get", 'value: "0"', 'value: "1"'),
    Seed("cnp_dscp_differs", K, "get.yaml", "get", 'value: "48"', 'value: "46"'),
    Seed("dcqcn_off", K, "get.yaml", "get", 'value: "255"', 'value: "247"'),
]
