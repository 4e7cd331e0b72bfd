"""Hosts as operators gather them: old and new releases of the tools, several hosts in one file, NICs of other networks."""

from tests.estimator.bringup.settings.clean import HOST, NICS, gids
from tests.estimator.bringup.settings.seeds import Seed

DESIGN = "two tiers"
SECOND = "node-0002"


def qos_old(number: int = 0) -> str:
    """mlnx_qos of MLNX_OFED 4: no buffers, single blanks between flags."""
    return f"""\
[root@{HOST} ~]# mlnx_qos -i ens{number}f0np0
Priority trust state: dscp
dscp2prio mapping:
\tprio:0 dscp:07,06,05,04,03,02,01,00,
\tprio:1 dscp:15,14,13,12,11,10,09,08,
\tprio:2 dscp:23,22,21,20,19,18,17,16,
\tprio:3 dscp:31,30,29,28,27,26,25,24,
\tprio:4 dscp:39,38,37,36,35,34,33,32,
\tprio:5 dscp:47,46,45,44,43,42,41,40,
\tprio:6 dscp:55,54,53,52,51,50,49,48,
\tprio:7 dscp:63,62,61,60,59,58,57,56,
Cable len: 30
PFC configuration:
\tpriority    0   1   2   3   4   5   6   7
\tenabled     0   0   0   1   0   0   0   0   {""}

tc: 0 ratelimit: unlimited, tsa: ets, bw: 40%
\t priority:  0
\t priority:  1
\t priority:  2
\t priority:  4
\t priority:  5
\t priority:  7
tc: 3 ratelimit: unlimited, tsa: ets, bw: 60%
\t priority:  3
tc: 6 ratelimit: unlimited, tsa: strict
\t priority:  6
"""


def qos_new() -> str:
    """Of DOCA-OFED: no map but the default one, buffers, tsa by vendor, an interface without a line of its command."""
    return """\
DCBX mode: OS controlled
Priority trust state: dscp
default priority:
Receive buffer size (bytes): 130944,130944,0,0,0,0,0,0,max_buffer_size=1027728
Cable len: 30
PFC configuration:
        priority    0   1   2   3   4   5   6   7
        enabled     0   0   0   1   0   0   0   0
        buffer      0   0   0   1   0   0   0   0
tc: 0 ratelimit: unlimited, tsa: vendor
         priority:  1
tc: 1 ratelimit: unlimited, tsa: vendor
         priority:  0
tc: 2 ratelimit: unlimited, tsa: vendor
         priority:  2
tc: 3 ratelimit: unlimited, tsa: vendor
         priority:  3
tc: 4 ratelimit: unlimited, tsa: vendor
         priority:  4
tc: 5 ratelimit: unlimited, tsa: vendor
         priority:  5
tc: 6 ratelimit: unlimited, tsa: vendor
         priority:  6
tc: 7 ratelimit: unlimited, tsa: vendor
         priority:  7
"""


def devinfo_verbose() -> str:
    """``ibv_devinfo -v``: everything, with speeds in Gbps, GIDs, and a bond of the storage network at a lower rate."""
    out = []
    for nic in [*NICS, "mlx5_bond_0"]:
        rate = "25.0 Gbps (32)" if "bond" in nic else "100.0 Gbps (128)"
        mtu = "1024 (3)" if "bond" in nic else "4096 (5)"
        out.append(f"""\
hca_id:\t{nic}
\ttransport:\t\t\tInfiniBand (0)
\tfw_ver:\t\t\t\t28.39.3004
\tnode_guid:\t\t\t5c25:7303:0012:a4c8
\tvendor_id:\t\t\t0x02c9
\tboard_id:\t\t\tMT_0000000838
\tphys_port_cnt:\t\t\t1
\tmax_mr_size:\t\t\t0xffffffffffffffff
\tdevice_cap_flags:\t\t0xed721c36
\t\t\t\t\tBAD_PKEY_CNTR
\t\t\t\t\tAUTO_PATH_MIG
\tcore clock frequency:\t\t\t1000000 kHz
\t\tport:\t1
\t\t\tstate:\t\t\tPORT_ACTIVE (4)
\t\t\tmax_mtu:\t\t4096 (5)
\t\t\tactive_mtu:\t\t{mtu}
\t\t\tsm_lid:\t\t\t0
\t\t\tport_lid:\t\t0
\t\t\tlink_layer:\t\tEthernet
\t\t\tmax_msg_sz:\t\t0x40000000
\t\t\tport_cap_flags:\t\t0x04010000
\t\t\tactive_width:\t\t4X (2)
\t\t\tactive_speed:\t\t{rate}
\t\t\tphys_state:\t\tLINK_UP (5)
\t\t\tGID[  0]:\t\tfe80:0000:0000:0000:5e25:73ff:fe12:a4c8, RoCE v1
\t\t\tGID[  1]:\t\tfe80::5e25:73ff:fe12:a4c8, RoCE v2

""")
    return "".join(out)


def mlxconfig_brackets() -> str:
    """``mlxconfig -d … q`` of a newer release: a description, unit of numbers, arrays, both ports, read-only rows."""
    return "".join(
        f"""
Device #{number + 1}:
----------

Device type:        ConnectX7
Name:               MCX755106AS-HEA_Ax
Description:        NVIDIA ConnectX-7 HHHL Adapter Card; 200GbE; PCIe 5.0 x16; Crypto Disabled
Device:             0000:{0x18 + number:02x}:00.0

Configurations:                                          Next Boot
        MEMIC_BAR_SIZE                              0
        MEMIC_SIZE_LIMIT                            _256KB(1)
        HOST_CHAINING_DESCRIPTORS                   Array[0..7]
        ATS_ENABLED                                 False(0)
        LINK_TYPE_P1                                ETH(2)
        LINK_TYPE_P2                                IB(1)
        ROCE_CC_PRIO_MASK_P1                        255
        ROCE_CC_PRIO_MASK_P2                        0
        CLAMP_TGT_RATE_P1                           False(0)
        CNP_802P_PRIO_P1                            6
        CNP_DSCP_P1                                 48
        CNP_DSCP_P2                                 0
        NUM_OF_VL_P1                                _4_VLs(3)
        SRIOV_EN                                    False(0)
        ROCE_ADAPTIVE_ROUTING_EN                    True(1)
"""
        for number in range(8)
    )


SYSCTL = """\
# /etc/sysctl.d/90-gpu.conf
kernel.numa_balancing=0
net/ipv4/conf/all/arp_announce = 2
net/ipv4/conf/all/arp_ignore = 1
-net.ipv4.conf.all.rp_filter = 2
vm.max_map_count = 262144
"""
LSPCI = """\
0000:00:00.0 Host bridge [0600]: Intel Corporation Device [8086:09a2] (rev 20)
0000:15:01.0 PCI bridge [0604]: Broadcom / LSI PEX890xx PCIe Gen 5 Switch [1000:c030] (rev b0) (prog-if 00 [Normal decode])
\tControl: I/O+ Mem+ BusMaster+ SpecCycle- MemWINV- VGASnoop- ParErr+ Stepping- SERR+ FastB2B- DisINTx+
\tCapabilities: [148 v1] Access Control Services
\t\tACSCap: SrcValid+ TransBlk+ ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl+ DirectTrans+
\t\tACSCtl: SrcValid- TransBlk- ReqRedir- CmpltRedir- UpstreamFwd- EgressCtrl- DirectTrans-
0000:18:00.0 Infiniband controller [0207]: Mellanox Technologies MT2910 Family [ConnectX-7] [15b3:1021]
\tSubsystem: Mellanox Technologies MT2910 Family [ConnectX-7] [15b3:0041]
\tControl: I/O- Mem+ BusMaster+ SpecCycle- MemWINV- VGASnoop- ParErr- Stepping- SERR- FastB2B- DisINTx+
\tCapabilities: [60] Express (v2) Endpoint, MSI 00
\t\tDevCtl: CorrErr+ NonFatalErr+ FatalErr+ UnsupReq-
\t\t\tMaxPayload 256 bytes, MaxReadReq 4096 bytes
\t\tLnkCap: Port #0, Speed 32GT/s, Width x16, ASPM not supported
\t\tLnkSta: Speed 32GT/s (ok), Width x16 (ok)
\tCapabilities: [1c0 v1] Address Translation Service (ATS)
\t\tATSCap: Invalidate Queue Depth: 00
\t\tATSCtl: Enable-, Smallest Translation Unit: 00
"""
GRUB = 'GRUB_TIMEOUT=5\nGRUB_CMDLINE_LINUX_DEFAULT="quiet"\nGRUB_CMDLINE_LINUX="amd_iommu=on iommu=pt quiet"\n'
ULIMIT = """\
real-time non-blocking time  (microseconds, -R) unlimited
core file size              (blocks, -c) 0
max locked memory           (kbytes, -l) unlimited
open files                          (-n) 1048576
"""
SERVICE = "# /etc/systemd/system/slurmd.service.d/limits.conf\n[Service]\nLimitNOFILE=1048576\nLimitMEMLOCK=infinity\n"


def prefixed(of: dict[str, str]) -> str:
    """What pdsh prints: each line behind the name of its host."""
    return "".join(f"{host}: {line}\n" for host, text in of.items() for line in text.splitlines())


def bannered(of: dict[str, str]) -> str:
    """What dshbak and clush -b print: each host's text below its name between rules."""
    rule = "-" * 16
    return "".join(f"{rule}\n{host}\n{rule}\n{text}" for host, text in of.items())


def ansible(of: dict[str, str]) -> str:
    """What ad-hoc commands of Ansible print."""
    return "".join(f"{host} | CHANGED | rc=0 >>\n{text}\n" for host, text in of.items())


def roce_log() -> str:
    """NCCL 2.26's log of two hosts as mpirun --tag-output --timestamp-output gives it."""
    used = " ".join(f"[{number}]{nic}:1/RoCE" for number, nic in enumerate(NICS))
    out = []
    for rank, host in enumerate((HOST, SECOND)):
        head = f"[1,{8 * rank}]<stdout>:{host}:3211:3211 [0] NCCL INFO"
        out += [
            f"{head} Bootstrap: Using bond0:10.9.0.{rank + 1}<0>",
            f"{head} NCCL_IB_TC set by environment to 106.",
            f"{head} NCCL_IB_GID_INDEX set by environment to 3.",
            f"{head} NCCL_IB_HCA set to {','.join(NICS)}",
            f"{head} NET/IB : Using {used} [RO]; OOB bond0:10.9.0.{rank + 1}<0>",
            f"{head} GPU Direct RDMA Enabled for HCA 0 'mlx5_0'",
            f"{head} Channel 00/0 : {7 + rank}[7] -> 8[0] [send] via NET/IB/0/GDRDMA",
            f"{head} comm 0x55 rank {8 * rank} nranks 16 cudaDev 0 nvmlDev 0 busId 1b000 commId 0x1 - Init COMPLETE",
        ]
    return "\n".join(out) + "\n"


HCAS = ",".join(NICS)
SBATCH = f"""\
#!/bin/bash
#SBATCH --nodes=2
#SBATCH --gpus-per-node=8
export WANDB_API_KEY=SEEDEDWANDB
export NCCL_DEBUG=INFO NCCL_IB_TC=106
export NCCL_IB_GID_INDEX=3
export NCCL_IB_HCA="={HCAS}"   # all rails
srun --mpi=pmix python train.py --token SEEDEDTOKEN
"""
MPIRUN = f"mpirun -np 16 -H a,b -x NCCL_IB_TC=106 -x NCCL_IB_GID_INDEX=3 -x NCCL_IB_HCA={HCAS} -x PATH ./all_reduce_perf -b 1G\n"
DOCKER = "FROM nvcr.io/nvidia/pytorch:25.01-py3\nENV NCCL_IB_TC=106\nENV NCCL_IB_GID_INDEX 3\n"
DOCKER += "ENV NCCL_IB_HCA=^=mlx5_1,mlx5_2,mlx5_7,mlx5_8\n"
POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: nccl
spec:
  containers:
    - name: nccl
      env:
        - name: NCCL_IB_TC
          value: "106"
        - name: NCCL_IB_GID_INDEX
          value: "3"
        - name: NCCL_IB_HCA
          value: "mlx5"
        - name: HF_TOKEN
          value: hf_SEEDEDTOKENTOKENTOKEN
"""
CONF = f"# /etc/nccl.conf\nNCCL_IB_TC = 106\nNCCL_IB_GID_INDEX = 3\nNCCL_IB_HCA = {HCAS}\nNCCL_SOCKET_IFNAME = =bond0\n"
UCX = "UCX_NET_DEVICES=mlx5_0:1,mlx5_3:1\nUCX_IB_TRAFFIC_CLASS=106\nUCX_IB_GID_INDEX=auto\nNCCL_IB_TC=106\n"


def sets() -> dict[str, tuple[str, dict[str, str]]]:
    """Clean sets by name."""
    return {
        "hosts, old tools": (
            DESIGN,
            {
                f"{HOST}:qos.txt": qos_old(),
                f"{HOST}:sysctl.conf": SYSCTL,
                f"{HOST}:lspci.txt": LSPCI,
                f"{HOST}:grub": GRUB,
                f"{HOST}:ulimit.txt": ULIMIT,
                f"{HOST}:slurmd.conf": SERVICE,
                "train.sbatch": SBATCH,
            },
        ),
        "hosts, new tools": (
            DESIGN,
            {
                f"{HOST}:mlnx_qos": qos_new(),
                f"{HOST}:devinfo": devinfo_verbose(),
                f"{HOST}:mlxconfig.txt": mlxconfig_brackets(),
                f"{HOST}:gids": gids(DESIGN, HOST),
                "run.sh": MPIRUN,
                "nccl.conf": CONF,
            },
        ),
        "hosts, pdsh": (
            DESIGN,
            {
                "qos.txt": prefixed({HOST: qos_new(), SECOND: qos_old()}),
                "gids.txt": prefixed({name: gids(DESIGN, name) for name in (HOST, SECOND)}),
                "devinfo.txt": bannered({HOST: devinfo_verbose(), SECOND: devinfo_verbose()}),
                "sysctl.txt": ansible({HOST: SYSCTL, SECOND: SYSCTL}),
                "Dockerfile": DOCKER,
            },
        ),
        "hosts, a log of two": (DESIGN, {"job.log": roce_log(), "pod.yaml": POD, "ucx.env": UCX}),
    }


OLD, N, P, J = "hosts, old tools", "hosts, new tools", "hosts, pdsh", "hosts, a log of two"
Q, V, F, X = f"{HOST}:qos.txt", f"{HOST}:mlnx_qos", f"{HOST}:mlxconfig.txt", f"{HOST}:devinfo"
SEEDS = [
    Seed("pfc_off", OLD, Q, HOST, "0   0   0   1   0", "0   0   0   0   1", at="\tenabled"),
    Seed("data_dscp_lossy", OLD, Q, HOST, "27,26,25,24,\n\tprio:4 dscp:", "27,25,24,\n\tprio:4 dscp:26,", at="prio:4"),
    Seed("cnp_not_strict", OLD, Q, HOST, "tsa: strict", "tsa: ets, bw: 0%"),
    Seed("headroom_small", OLD, Q, HOST, "Cable len: 30", "Cable len: 1"),
    Seed("ets_weight_zero", OLD, Q, HOST, "bw: 60%", "bw: 0%"),
    Seed("numa_balancing_on", OLD, f"{HOST}:sysctl.conf", HOST, "numa_balancing=0", "numa_balancing=1"),
    Seed(
        "acs_on",
        OLD,
        f"{HOST}:lspci.txt",
        HOST,
        "ACSCtl: SrcValid- TransBlk- ReqRedir- CmpltRedir-",
        "ACSCtl: SrcValid+ TransBlk- ReqRedir+ CmpltRedir+",
    ),
    Seed("read_request_small", OLD, f"{HOST}:lspci.txt", HOST, "MaxReadReq 4096", "MaxReadReq 512"),
    Seed(
        "pcie_link_low",
        OLD,
        f"{HOST}:lspci.txt",
        HOST,
        r"LnkSta: Speed 32GT/s \(ok\), Width x16 \(ok\)",
        "LnkSta: Speed 32GT/s (ok), Width x8 (downgraded)",
    ),
    Seed(
        "pcie_link_low",
        OLD,
        f"{HOST}:lspci.txt",
        HOST,
        r"LnkSta: Speed 32GT/s \(ok\), Width x16 \(ok\)",
        "LnkSta: Speed 16GT/s, Width x16",
    ),
    Seed("iommu_translates", OLD, f"{HOST}:grub", HOST, " iommu=pt", ""),
    Seed("memlock_limited", OLD, f"{HOST}:ulimit.txt", HOST, r"-l\) unlimited", "-l) 65536"),
    Seed("memlock_limited", OLD, f"{HOST}:slurmd.conf", HOST, "MEMLOCK=infinity", "MEMLOCK=8M"),
    Seed("tc_not_dscp", OLD, "train.sbatch", "train.sbatch", "NCCL_IB_TC=106", "NCCL_IB_TC=26"),
    Seed("hca_missing_rail", OLD, "train.sbatch", "train.sbatch", "=mlx5_0,mlx5_3", "=mlx5_0,mlx5_1"),
    Seed(
        "pfc_off",
        N,
        V,
        HOST,
        "0   0   0   1   0   0   0   0\n        buffer",
        "0   0   0   0   0   0   0   0\n        buffer",
        at="        enabled",
    ),
    Seed("trust_not_dscp", N, V, HOST, "state: dscp", "state: pcp"),
    Seed("link_down", N, X, HOST, r"PORT_ACTIVE \(4\)", "PORT_INIT (2)", after="mlx5_6"),
    Seed(
        "port_rate_low",
        N,
        X,
        HOST,
        r"active_speed:\t\t100.0 Gbps \(128\)",
        "active_speed:\t\t50.0 Gbps (64)",
        after="mlx5_6",
    ),
    Seed("port_rate_low", N, X, HOST, r"4X \(2\)", "2X (16)", after="mlx5_6", at="\t\t\tactive_speed"),
    Seed("mtu_small", N, X, HOST, r"4096 \(5\)\n\t\t\tsm", "2048 (4)\n\t\t\tsm", after="mlx5_9", at="\t\t\tactive_mtu"),
    Seed("link_type_wrong", N, X, HOST, "Ethernet", "InfiniBand", after="mlx5_9"),
    Seed("cnp_dscp_differs", N, F, HOST, r"CNP_DSCP_P1( +)48", r"CNP_DSCP_P1\g<1>0"),
    Seed("cnp_dscp_differs", N, F, HOST, r"CNP_802P_PRIO_P1( +)6", r"CNP_802P_PRIO_P1\g<1>7"),
    Seed("dcqcn_off", N, F, HOST, r"ROCE_CC_PRIO_MASK_P1( +)255", r"ROCE_CC_PRIO_MASK_P1\g<1>0xf0"),
    Seed("ats_on", N, F, HOST, r"ATS_ENABLED( +)False\(0\)", r"ATS_ENABLED\g<1>True(1)"),
    Seed("tc_not_dscp", N, "run.sh", "run.sh", "NCCL_IB_TC=106", "NCCL_IB_TC=0x1a"),
    Seed("tc_not_dscp", N, "run.sh", "run.sh", "-x NCCL_IB_TC=106 ", ""),
    Seed("gid_of_roce_v1", N, "run.sh", "run.sh", "GID_INDEX=3", "GID_INDEX=0"),
    Seed("gid_missing", N, "nccl.conf", "nccl", "GID_INDEX = 3", "GID_INDEX = 7"),
    Seed("gid_link_local", N, "nccl.conf", "nccl", "GID_INDEX = 3", "GID_INDEX = 1"),
    Seed(
        "pfc_off",
        P,
        "qos.txt",
        SECOND,
        "1   0   0   0   0   \n",
        "0   0   0   0   0   \n",
        after="node-0002: PFC",
        at="node-0002: \tenabled",
    ),
    Seed(
        "rail_subnet_doubled",
        P,
        "gids.txt",
        SECOND,
        r"10\.128\.0\.19(  \tv2)",
        r"10.128.0.17\g<1>",
        after="node-0002",
        at="node-0002: mlx5_3\t1\t3",
    ),
    Seed("link_down", P, "devinfo.txt", SECOND, r"PORT_ACTIVE \(4\)", "PORT_DOWN (1)", after="node-0002"),
    Seed("numa_balancing_on", P, "sysctl.txt", SECOND, "numa_balancing=0", "numa_balancing=1", after="node-0002"),
    Seed("hca_missing_rail", P, "Dockerfile", "Dockerfile", r"\^=mlx5_1,", "^=mlx5_0,"),
    Seed("gid_of_roce_v1", P, "Dockerfile", "Dockerfile", "GID_INDEX 3", "GID_INDEX 2"),
    Seed("tc_not_dscp", J, "pod.yaml", "pod", 'value: "106"', 'value: "0"'),
    Seed(
        "gpudirect_off",
        J,
        "job.log",
        HOST,
        "GDRDMA\n",
        "Shared\n",
        at="[1,0]<stdout>:node-0001:3211:3211 [0] NCCL INFO Channel",
    ),
    Seed(
        "hca_missing_rail",
        J,
        "job.log",
        SECOND,
        r"\[5\]mlx5_9:1/RoCE ",
        "",
        after="node-0002",
        at="[1,8]<stdout>:node-0002:3211:3211 [0] NCCL INFO NET/IB",
    ),
    Seed("tc_not_dscp", J, "ucx.env", "ucx", "TRAFFIC_CLASS=106", "TRAFFIC_CLASS=26"),
    Seed(
        "tc_not_dscp",
        J,
        "job.log",
        SECOND,
        "TC set by environment to 106",
        "TC set by environment to 0",
        after="node-0002",
    ),
]
