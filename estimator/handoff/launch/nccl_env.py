"""NCCL's settings for the paths that a placement means, each with its reason; what is left alone is said as well.

Source of names and values: NVIDIA NCCL documentation, "Environment Variables"
(docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html).
"""

from collections.abc import Iterator

from estimator.cabling.links import LinkList
from estimator.handoff.launch.job import Job
from estimator.handoff.stamp import comments


def write(job: Job) -> Iterator[str]:
    """Lines NAME=VALUE with a comment before each, as /etc/nccl.conf and ``set -a; . FILE`` take them."""
    yield comments(job.links, "set -a; . FILE; set +a, or each line as an environment variable of the job.")
    for name, value, why in settings(job):
        yield f"\n# {why}\n{name}={value}\n"
    yield "\n"
    for line in left_alone(job):
        yield f"# {line}\n"


def settings(job: Job) -> Iterator[tuple[str, str, str]]:
    """(name, value, why)."""
    machine = job.machine
    gpus = sorted({gpu for part in job.placed.parts for gpu in part.seats.filling.gpus.tolist()})
    nics = list(dict.fromkeys(nic for gpu in gpus for nic in machine.nics[gpu]))
    yield (
        "NCCL_IB_HCA",
        f'"={",".join(nics)}"',
        f"The {len(nics)} NICs of this fabric, by their exact names, so that storage and management NICs carry no collective.",
    )
    yield from fabric_settings(job.links)
    if job.spans_nodes and any(len(part.nodes) > 1 for part in job.placed.parts):
        yield (
            "NCCL_MNNVL_ENABLE",
            "1",
            "Scale-up domains span nodes: the job fails at its start, and not silently over NICs, where they cannot be used.",
        )


def fabric_settings(links: LinkList) -> Iterator[tuple[str, str, str]]:
    """(name, value, why) of what follows from a design's fabric alone, whatever runs on it."""
    fabric = links.fabric
    if fabric.layout == "rail-only":
        yield (
            "NCCL_CROSS_NIC",
            "0",
            "Each rail is a network of its own: rings and trees must stay on one NIC of every node.",
        )
    elif fabric.layout == "top-of-rack":
        yield (
            "NCCL_CROSS_NIC",
            "1",
            "All NICs of a node meet on the same leaf, so that a path may change NICs at no cost.",
        )
    if links.counts_on_reduction:
        yield (
            "NCCL_COLLNET_ENABLE",
            "1",
            "The design counts on reduction in the switches (SHARP), which is off by default.",
        )


def left_alone(job: Job) -> Iterator[str]:
    """What is not set, and why."""
    if job.links.fabric.layout not in ("rail-only", "top-of-rack"):
        yield "NCCL_CROSS_NIC is left at 2: NCCL keeps to a rail where it can, and rails meet in the spines where it cannot."
    yield "NCCL_ALGO and NCCL_PROTO are left to NCCL, which chooses by size; forcing one helps some sizes and slows others."
    yield "NCCL_PXN_DISABLE is left at 0: messages to another rail go over NVLink to the GPU that has its NIC."
    yield "NCCL_SOCKET_IFNAME: name the in-band interface where a node has several; this design does not name it."
