"""The ``system`` of a prediction request: the machines and their network, as requests, logs and workloads describe them."""

from typing import Literal

from pydantic import Field

from estimator.spec.calibration import (
    LEAST_SMALL_US,
    MOST_SMALL_GPUS,
    MOST_SMALL_US,
    SMALL_GPUS_WORDS,
    SMALL_MESSAGE_WORDS,
    STACK_WORDS,
    Stack,
)
from estimator.spec.checking import Ratio, Section

MAX_GPUS = 1_048_576

Fabric = Literal["infiniband", "roce", "efa", "slingshot", "none"]
FABRIC_NAMES = {"infiniband": "InfiniBand", "roce": "RoCE", "efa": "EFA", "slingshot": "Slingshot"}
Algorithm = Literal[
    "ring", "tree", "nvls", "nvls_tree", "collnet_chain", "collnet_direct", "pat", "two_level", "one_shot", "direct"
]


class System(Section):
    """The machines and their network. What is left out, or null, takes the GPU's usual value."""

    gpu: str = Field(max_length=80, description="The accelerator, by its catalog id.")
    gpus_per_node: int | None = Field(None, ge=1, le=256, description="GPUs in one server.")
    scale_up_domain_gpus: int | None = Field(None, ge=1, le=4096, description="GPUs joined without the network.")
    nics_per_node: int | None = Field(None, ge=0, le=256, description="NICs in one server.")
    nic_gbit_s: float | None = Field(None, ge=0, le=100_000, description="Rate of one NIC, one direction.")
    fabric: Fabric | None = Field(None, description="Kind of network.")
    in_network_reduction: bool | None = Field(None, description="Switches of the network add (SHARP).")
    scale_up_reduction: bool | None = Field(None, description="Switches of the scale-up domain add (NVLS).")
    oversubscription: Ratio | None = Field(
        None, description="Bandwidth of a leaf towards servers over its bandwidth towards spines."
    )
    nodes_per_leaf: int | None = Field(None, ge=1, le=MAX_GPUS, description="Servers that share a leaf.")
    spine_oversubscription: Ratio | None = Field(None, description="The same ratio at the spines of three tiers.")
    nodes_per_pod: int | None = Field(None, ge=1, le=MAX_GPUS, description="Servers below one group of spines.")
    last_pod_from: int | None = Field(
        None, ge=1, le=MAX_GPUS, description="Servers before a last pod that is smaller than the others."
    )
    last_pod_nodes: int | None = Field(None, ge=1, le=MAX_GPUS, description="Servers of that last pod.")
    last_pod_oversubscription: Ratio | None = Field(
        None, description="Bandwidth of that pod's servers over its bandwidth towards the core."
    )
    placement: Literal["ordered", "random"] | None = Field(None, description="Whether ranks follow the cabling.")
    load_balancing: Literal["adaptive", "ecmp", "spray"] | None = Field(None, description="How uplinks share the load.")
    gpudirect: bool | None = Field(None, description="NICs read and write GPU memory without the host in between.")
    pxn: bool | None = Field(None, description="On rails, a GPU passes on what is meant for another rail.")
    planes: int | None = Field(None, ge=1, le=16, description="Parallel networks; each NIC has a port in every one.")
    flows_per_nic: int | None = Field(None, ge=1, le=1024, description="Connections of a NIC that ECMP hashes apart.")
    uplink_gbit_s: float | None = Field(
        None, gt=0, le=100_000, description="Rate of one uplink of a leaf; as one port of a NIC where left out."
    )
    mtu_bytes: int | None = Field(None, ge=256, le=16_384, description="Path MTU; of Ethernet, the frame's payload.")
    nics_per_pcie_root: int | None = Field(None, ge=1, le=16, description="NICs behind one x16 port of the host.")
    remote_nics: bool | None = Field(None, description="NICs hang on the other socket than their GPUs.")
    lossless: bool | None = Field(None, description="The network holds back what it cannot take (PFC, credits).")
    failed_nics: int | None = Field(None, ge=0, le=256, description="NICs down in the worst node.")
    failed_uplinks: float | None = Field(
        None, ge=0, lt=1, description="Share of the worst leaf's uplinks that are down."
    )
    stack: Stack | None = Field(None, description=STACK_WORDS)
    small_message_us: float | None = Field(None, ge=LEAST_SMALL_US, le=MOST_SMALL_US, description=SMALL_MESSAGE_WORDS)
    small_message_gpus: int | None = Field(None, ge=2, le=MOST_SMALL_GPUS, description=SMALL_GPUS_WORDS)
    library: str | None = Field(
        None, max_length=80, description="Version of the collective library, such as 2.29.7; the newest where left out."
    )
