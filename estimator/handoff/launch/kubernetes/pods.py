"""What pods of a placed job have in common: levels as node labels, GPUs, and the claim of a ComputeDomain.

Labels are those of handoff/kubernetes.py (NVIDIA topograph's), which ``python -m estimator links SPEC --format k8s-labels``
sets. Source of annotations: Kueue, apis/kueue/v1beta2/topology_types.go; of the GPUs' resource: NVIDIA/k8s-device-plugin,
README.md (commit 1b826ac).
"""

import numpy as np

from estimator.handoff.kubernetes import DOMAIN, HOSTNAME
from estimator.handoff.kueue import nested_levels
from estimator.handoff.launch.job import Job
from estimator.units import IntArray

REQUIRED = "kueue.x-k8s.io/podset-required-topology"
PREFERRED = "kueue.x-k8s.io/podset-preferred-topology"
SLICE_TOPOLOGY = "kueue.x-k8s.io/podset-slice-required-topology"
SLICE_SIZE = "kueue.x-k8s.io/podset-slice-size"
QUEUE = "kueue.x-k8s.io/queue-name"
GPU = "nvidia.com/gpu"


def level_keys(job: Job) -> list[str]:
    """Labels of Kueue's levels, coarsest first, the node's own last."""
    levels, _ = nested_levels(job.tree)
    return [*(key for key, _, _ in levels), HOSTNAME]


def holding_level(job: Job, nodes: IntArray) -> str | None:
    """The closest level that has nodes enough in one group for all of ``nodes``; None where only all levels have."""
    levels, _ = nested_levels(job.tree)
    for key, _, level in reversed(levels):
        if max(level.sizes) >= len(np.unique(nodes)):
            return key
    return None


def topology_annotations(job: Job, nodes: IntArray, slice_nodes: int) -> dict[str, str]:
    """Kueue's annotations of a pod set: all pods below one switch where one holds them, and slices inside a domain."""
    key = holding_level(job, nodes)
    out = {REQUIRED: key} if key else {PREFERRED: level_keys(job)[0]}
    if job.spans_nodes and len(nodes) > slice_nodes and DOMAIN in level_keys(job) and len(nodes) % slice_nodes == 0:
        out |= {SLICE_TOPOLOGY: DOMAIN, SLICE_SIZE: str(slice_nodes)}
    return out


def quoted(values: dict[str, str], indent: int) -> str:
    """Keys and texts as YAML lines."""
    return "".join(f'{" " * indent}{key}: "{value}"\n' for key, value in values.items())


def claim_name(job: Job) -> str:
    """Name of the claim template that a ComputeDomain makes for the job."""
    return f"{job.name}-channel"


def container_resources(job: Job, n_gpus: int, indent: int) -> str:
    """Limits of a container, with the memory channel where domains span nodes."""
    pad = " " * indent
    out = f'{pad}resources:\n{pad}  limits:\n{pad}    {GPU}: "{n_gpus}"\n'
    return out + (f"{pad}  claims:\n{pad}    - name: channel\n" if job.spans_nodes else "")


def pod_claims(job: Job, indent: int) -> str:
    """The pod's claim; empty where domains lie within nodes."""
    pad = " " * indent
    if not job.spans_nodes:
        return ""
    return f"{pad}resourceClaims:\n{pad}  - name: channel\n{pad}    resourceClaimTemplateName: {claim_name(job)}\n"
