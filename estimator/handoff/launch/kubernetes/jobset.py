"""JobSet: a training run as one indexed Job, a pod a node, started by torchrun.

Source: JobSet (commit 08dfbdf), api/jobset/v1alpha2 and site/static/examples/pytorch; Kueue's annotations: pods.py. Pods are
numbered by JOB_COMPLETION_INDEX, and Kueue assigns nodes in order of that index, so that ranks of a domain are neighbours.
"""

from collections.abc import Iterator

from estimator.handoff.kubernetes import HOSTNAME, TIER
from estimator.handoff.launch.job import Job
from estimator.handoff.launch.kubernetes.pods import (
    QUEUE,
    container_resources,
    pod_claims,
    quoted,
    topology_annotations,
)
from estimator.handoff.launch.torchrun import PORT
from estimator.handoff.stamp import comments
from estimator.workloads.placement.notes import refuse_uneven


def write(job: Job) -> Iterator[str]:
    """One JobSet."""
    part, _ = job.training("JobSet")
    refuse_uneven(part, "A JobSet's indexed Job")
    n_nodes, name = len(part.nodes), job.name
    annotations = topology_annotations(job, part.nodes, part.seats.filling.nodes_used)
    yield comments(
        job.links,
        "Needs JobSet, Kueue with its queue (kueue-queue) and node labels (links --format k8s-labels)."
        + (" Memory across nodes: compute-domain." if job.spans_nodes else ""),
    )
    yield f"""apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: {name}
  labels:
    {QUEUE}: {name}
spec:
  suspend: true
  failurePolicy:
    maxRestarts: 3
  network:
    enableDNSHostnames: true
  replicatedJobs:
    - name: ranks
      replicas: 1
      template:
        spec:
          parallelism: {n_nodes}
          completions: {n_nodes}
          completionMode: Indexed
          backoffLimit: 0
          template:
            metadata:
              annotations:
{quoted(annotations, 16)}            spec:
              restartPolicy: Never
{_affinity(name)}{pod_claims(job, 14)}              containers:
                - name: ranks
                  image: {job.placed.request.image}
                  command:
                    - torchrun
                  args:
                    - --nnodes={n_nodes}
                    - --nproc-per-node={part.ranks_per_node}
                    - --node-rank=$(JOB_COMPLETION_INDEX)
                    - --master-addr={name}-ranks-0-0.{name}
                    - --master-port={PORT}
                    - {job.placed.request.script}
{container_resources(job, job.machine.gpus_per_node, 18)}"""


def _affinity(name: str) -> str:
    """A scheduler without Kueue is asked to keep pods below one leaf, and to put one on a node."""
    return f"""\
              affinity:
                podAffinity:
                  preferredDuringSchedulingIgnoredDuringExecution:
                    - weight: 100
                      podAffinityTerm:
                        topologyKey: {TIER.format(0)}
                        labelSelector:
                          matchLabels:
                            jobset.sigs.k8s.io/jobset-name: {name}
              topologySpreadConstraints:
                - maxSkew: 1
                  topologyKey: {HOSTNAME}
                  whenUnsatisfiable: ScheduleAnyway
                  labelSelector:
                    matchLabels:
                      jobset.sigs.k8s.io/jobset-name: {name}
"""
