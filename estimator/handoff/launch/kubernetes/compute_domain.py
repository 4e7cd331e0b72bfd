"""ComputeDomain: memory shared between nodes of one scale-up domain (NVL72), by NVIDIA's DRA driver.

Source: k8s-dra-driver-gpu (commit 2240711), api/nvidia.com/resource/v1beta1/computedomain.go and demo/specs/imex. Pods claim
its channel by the template's name, as the JobSet and LeaderWorkerSet here do. numNodes is deprecated: 0.
"""

from collections.abc import Iterator

from estimator.handoff.launch.job import Job, refuse
from estimator.handoff.launch.kubernetes.pods import claim_name
from estimator.handoff.stamp import comments


def write(job: Job) -> Iterator[str]:
    """One ComputeDomain."""
    if not job.spans_nodes:
        message = (
            f"A ComputeDomain joins nodes of one scale-up domain, and one of this design has {job.machine.domain_gpus} GPUs, "
            f"within a node of {job.machine.gpus_per_node}. No job needs one here."
        )
        raise refuse(message, "no_spanning_domain")
    yield comments(job.links, "Needs NVIDIA's DRA driver for GPUs with compute domains on.")
    yield f"apiVersion: resource.nvidia.com/v1beta1\nkind: ComputeDomain\nmetadata:\n  name: {job.name}\nspec:\n  numNodes: 0\n"
    yield f"  channel:\n    allocationMode: Single\n    resourceClaimTemplate:\n      name: {claim_name(job)}\n"
