"""The commands of the gates: perftest, nvbandwidth or TransferBench, and nccl-tests or rccl-tests by mpirun.

Names in capitals are those that the script fills in for each path: HOSTS is a file of nodes, PEER the other node, RAIL and
HCA the NIC. Options as the tools' own documents have them (linux-rdma/perftest, NVIDIA/nvbandwidth, ROCm/TransferBench,
NVIDIA/nccl-tests, Open MPI mpirun, NCCL's environment variables).
"""

from dataclasses import dataclass

from estimator.bringup.acceptance.site import Site

GIB = 2**30
WARM_UPS, ITERATIONS = 5, 20


@dataclass(frozen=True)
class Sizes:
    """Which size is judged, and which are run."""

    judged: int
    words: str


@dataclass(frozen=True)
class Launch:
    """One run of a collective: processes in all and on a node, GPUs of each, the algorithm that is forced."""

    collective: str
    n_processes: int
    per_node: int
    gpus_each: int
    algorithm: str | None = None
    one_rail: bool = False

    def sizes(self, most_bytes: int) -> str:
        """Sizes by doubling, from a sixteenth of the largest."""
        return f"{most_bytes // 16 // 2**20}M to {most_bytes // GIB}G, doubling"


def run_command(site: Site, launch: Launch, most_bytes: int) -> str:
    """One collective of nccl-tests or rccl-tests, a process for each GPU."""
    env = []
    if launch.algorithm:
        env.append(f"NCCL_ALGO={launch.algorithm.upper()}")
    if launch.one_rail:
        visible = "HIP_VISIBLE_DEVICES" if site.is_amd else "CUDA_VISIBLE_DEVICES"
        env += [f"{visible}=GPU", "NCCL_IB_HCA==HCA"]
        if site.domain_nodes > 1:
            env.append("NCCL_MNNVL_ENABLE=0")
    settings = "".join(f" -x {one}" for one in env)
    hosts = " --hostfile HOSTS" if launch.n_processes > launch.per_node else ""
    sizes = f"-b {max(most_bytes // 16 // 2**20, 1)}M -e {most_bytes // 2**20}M -f 2"
    return (
        f"mpirun -np {launch.n_processes} -N {launch.per_node}{hosts} --bind-to none{settings} "
        f"{launch.collective}_perf {sizes} -g {launch.gpus_each} -w {WARM_UPS} -n {ITERATIONS}"
    )


def link_command(site: Site) -> str:
    """ib_write_bw from a node to its neighbour; the other end runs it without PEER."""
    gpu_memory = "" if site.is_amd else " --use_cuda=GPU"
    return f"ib_write_bw -d HCA -s 8388608 -q 4 -D 10 -F --report_gbits{gpu_memory} PEER"


def copy_command() -> str:
    """Copies between host and every GPU."""
    return "nvbandwidth -b 512 -t host_to_device_memcpy_ce device_to_host_memcpy_ce"


def amd_copy_command() -> str:
    """Copies that every GPU makes to and from its hosts and its peers."""
    return "TransferBench p2p 512M"


def peer_command() -> str:
    """Copies between all pairs of GPUs."""
    return "nvbandwidth -b 512 -t device_to_device_memcpy_read_ce"
