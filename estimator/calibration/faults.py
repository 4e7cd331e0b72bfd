"""Faults that a log can show: what each is called, and what to look at."""

from dataclasses import dataclass

from estimator.calibration import result
from estimator.errors import Sentence, plain, special
from estimator.sentences import by_reader, said

HIGH, MEDIUM = 0.8, 0.5  # scores from which a fault is reported with this confidence
SHOWN = 0.2  # below it a fault is not reported
NOTHING, NOT_JUDGED = "nothing_wrong", "not_judged"
NO_FAULT = (NOTHING, NOT_JUDGED)  # answers where no fault was found, or none could be looked for
OF_SOFTWARE = frozenset(  # what the constants of a site may show: its logs are fitted all the same
    (NOTHING, "launcher_floor", "algorithm_not_best", "slow_below_8_mib", NOT_JUDGED, "too_few_sizes")
)

# code → (kind of fault, title, what to check)
FAULTS: dict[str, tuple[str, str, str | Sentence]] = {
    "wrong_results": (
        "data_corruption", "The results were wrong",
        "Run no job on these nodes before the cause is found. Run pairs of nodes with -c 1 until one shows it alone. Look for "
        "Xid and ECC errors (dmesg, nvidia-smi -q), for NIC and link errors, and try another version of the library.",
    ),
    "gpudirect_off": (
        "gdr_off", "GPUDirect RDMA is off",
        "Run with NCCL_DEBUG=INFO and look for GDRDMA behind 'via NET/IB'. Load nvidia-peermem (or use DMA-BUF), and let "
        "NCCL_NET_GDR_LEVEL reach the distance that nvidia-smi topo -m shows between GPU and NIC.",
    ),
    "nic_affinity": (
        "nic_affinity_or_gdr", "GPUs use NICs of the other socket, or share one",
        "Compare nvidia-smi topo -m with the NICs that NCCL_DEBUG=INFO prints for each rank. Check NCCL_IB_HCA, the topology "
        "file of a virtual machine, and the binding of ranks to sockets.",
    ),
    "one_nic_of_many": (
        "nic_affinity_or_gdr", "One NIC carries what several should",
        "Count the devices behind 'NET/IB : Using'. Check NCCL_IB_HCA, the state of the other ports (ibstat) and, in "
        "containers, which devices are passed in.",
    ),
    "nic_per_gpu_limit": (
        "nic_per_gpu_limit", "Fewer GPUs than NICs: each GPU feeds one NIC",
        "A GPU's own PCIe link is the limit. Run one rank on every GPU of the node; more NICs for one GPU gain nothing.",
    ),
    "tcp_fallback": (
        "transport_fallback_tcp", "Traffic runs over TCP sockets",
        "NCCL_DEBUG=INFO says 'NET/Socket' then. Install the network's plugin or libibverbs (libfabric plugin on EFA and "
        "Slingshot), check that its devices are visible in the container and NCCL_IB_DISABLE is not set.",
    ),
    "no_flow_control": (
        "congestion_or_loss", "Ethernet that drops packets: no flow control",
        "Read the NICs' out-of-sequence and discard counters. Check that PFC or ECN is on along the whole path, for the "
        "priority that NCCL_IB_TC marks.",
    ),
    "congestion": (
        "congestion_or_loss", "Congestion: uplinks or a neighbour's traffic",
        "Run pairs of nodes under one leaf, then over the spine. Look at uplink counters, at how flows are hashed (more queue "
        "pairs: NCCL_IB_QPS_PER_CONNECTION), at adaptive routing, and at other jobs.",
    ),
    "acs_iommu": (
        "acs_on", "PCIe ACS or the IOMMU sends peer traffic through the CPU",
        "lspci -vvv shows ACSCtl: SrcValid+ on bridges where it is on. Switch ACS and the IOMMU off in firmware, or use "
        "ATS in virtual machines.",
    ),
    "under_tuned": (
        "default_tuning", "Too few channels or queue pairs for these NICs",
        "Try NCCL_IB_QPS_PER_CONNECTION=2 to 4, NCCL_MIN_CTAS=16 to 32 and a current library; then the plateau should reach "
        "97 % of the NICs.",
    ),
    "tree_on_wrong_topology": (
        "algo_choice", "A tree runs where a ring is faster",
        "Leave NCCL_ALGO unset, or force Ring for a run, and compare. Check that ranks are numbered node by node.",
    ),
    "algorithm_not_best": (
        "algo_choice", "The ring's rate is reached, but not that of the tree or NVLS tree",
        "The fabric is sound up to the ring's bound. An older library does not choose the faster algorithm: update it, or try "
        "NCCL_ALGO=NVLSTree (or Tree) on two nodes.",
    ),
    "sharp_unavailable": (
        "sharp_unavailable", "In-network reduction was wanted and did not start",
        "Look for CollNet or SHARP errors with NCCL_DEBUG=INFO. Check the SHARP plugin, the aggregation manager, its free "
        "trees, and that every rank uses the same port of the same rail.",
    ),
    "degraded_node": (
        "degraded_links", "Some links or a node run below their rate",
        "Compare the rate and width of every port (ibstat, ethtool, lspci LnkSta). Run pairs of nodes to find the slow "
        "one; one slow rail holds up all.",
    ),
    "unstable_node": (
        "unstable_intranode", "Times inside a node jump from size to size",
        "Repeat the run. Bind ranks to cores next to their GPUs, look at clocks, power caps and other processes, and at the "
        "driver's version.",
    ),
    "cpu_starved": (
        "cpu_starvation", "The CPU is busy with something else",
        "Look at the load of the hosts. The library's proxy threads need a free core for each GPU: bind them.",
    ),
    "launcher_floor": (
        "launcher_floor", "Small messages wait for the launcher",
        "The floor is of the software: one process for each GPU, CUDA graphs, pinned cores, GDRCopy, and debugging off "
        "lower it. Bandwidth is not touched by it.",
    ),
    "p2p_disabled": (
        "p2p_disabled", "GPUs of a node talk through host memory",
        "Check NCCL_P2P_DISABLE, nvidia-smi topo -p2p r, the fabric manager of NVSwitch machines, and that the container "
        "sees all GPUs with their own IPC namespace shared.",
    ),
    "slower_than_other_log": (
        "software_regression", "Slower than another log of the same system",
        "Run both libraries one after the other on the same nodes. Compare the NICs, channels and topology that NCCL_DEBUG=INFO "
        "prints for each: an update may choose others (NCCL_IB_HCA, NCCL_TOPO_FILE). Keep the faster one until it is known.",
    ),
    "sudden_jump": (
        "unresolved", "Times jump at one size, and the log ends before it tells why",
        "Run on to 8 GiB with NCCL_DEBUG=INFO, and once with NCCL_PROTO=Simple: a jump where the protocol changes points to "
        "the network's plugin, one that stays to the fabric.",
    ),
    "too_few_sizes": (
        "unresolved", "Too few sizes to tell the cause",
        "Run from 8 B to 8 GiB in steps of 2 with NCCL_DEBUG=INFO, once with NCCL_ALGO=Ring, and send all logs together.",
    ),
    "slow_below_8_mib": (
        "unresolved", "Messages below 8 MiB are slow",
        "Run on to 8 GiB with NCCL_DEBUG=INFO, which tells bandwidth from latency. Where large messages are sound, look at the "
        "protocol (NCCL_PROTO=LL128 and Simple), at NCCL_BUFFSIZE, at GDRCopy and at the binding of processes.",
    ),
    NOT_JUDGED: (
        "unresolved", "Not judged: the network between the nodes is not known",
        said(
            "Give the network, its NICs a node and their rate", by_reader(" (fabric, nics_per_node, nic_gbit_s)"),
            ", or run with NCCL_DEBUG=INFO, whose lines name the NICs.",
        ),
    ),
    NOTHING: (NOTHING, "No fault found", "Keep this log as the reference of the site."),
}  # fmt: skip


@dataclass(frozen=True)
class Fault:
    """One fault that a run may have; ``score`` from 0 to 1."""

    code: str
    score: float
    evidence: Sentence
    file: str
    numbers: dict[str, float]
    files: tuple[str, ...] = ()  # all that show it, the clearest first

    @property
    def confidence(self) -> result.Confidence:
        """high, medium or low."""
        return "high" if self.score >= HIGH else "medium" if self.score >= MEDIUM else "low"

    def reported(self) -> result.Fault:
        """As it is answered, with confidence and the numbers behind it."""
        kind, title, advice = FAULTS[self.code]
        advised = said(advice)
        return result.Fault(
            code=self.code,
            title=title,
            evidence=plain(self.evidence),
            evidence_parts=special(self.evidence),
            advice=plain(advised),
            advice_parts=special(advised),
            confidence=self.confidence,
            score=round(self.score, 3),
            category=kind,
            file=self.file,
            files=list(self.files or (self.file,)) if self.file else [],
            numbers=self.numbers,
        )
