"""LeaderWorkerSet: a worker of SGLang a group, a pod a node, groups below one switch each.

Source: LeaderWorkerSet (commit 060ab4d), api/leaderworkerset/v1 and docs/examples/sglang/lws.yaml; the exclusive-topology
annotation keeps a group in one domain of its label and other groups out of it, so it is set for workers that fill one.
"""

from collections.abc import Iterator

from estimator.handoff.kubernetes import DOMAIN
from estimator.handoff.launch.engines.sglang import INIT_PORT, PORT, arguments, check
from estimator.handoff.launch.job import Job, refuse, workers_of
from estimator.handoff.launch.kubernetes.pods import (
    QUEUE,
    container_resources,
    pod_claims,
    quoted,
    topology_annotations,
)
from estimator.handoff.stamp import comments
from estimator.workloads.placement.placed import PlacedPart
from estimator.workloads.placement.request import Layout

EXCLUSIVE = "leaderworkerset.sigs.k8s.io/exclusive-topology"


def write(job: Job) -> Iterator[str]:
    """A LeaderWorkerSet a part."""
    parts = list(job.serving("LeaderWorkerSet"))
    for part, degrees in parts:
        check(job, part, degrees)
    for number, (part, degrees) in enumerate(parts):
        yield "---\n" * (number > 0)
        if number == 0:
            yield comments(
                job.links,
                "Needs LeaderWorkerSet, Kueue with its queue (kueue-queue) and labels (links --format k8s-labels).",
            )
        yield from _set(job, part, degrees)


def _set(job: Job, part: PlacedPart, degrees: Layout) -> Iterator[str]:
    workers = list(workers_of(job, part))
    sizes = {len(worker.nodes) for worker in workers}
    if len(sizes) > 1:
        message = (
            f"Groups of a LeaderWorkerSet have as many pods each, and workers of {part.part.name} lie on "
            f"{' or '.join(map(str, sorted(sizes)))} nodes. Take ranks of a worker that divide a node's or are a multiple of it."
        )
        raise refuse(message, "not_for_layout")
    (size,) = sizes
    n_gpus = len(workers[0].gpus[0])
    nodes = part.nodes[:size]
    annotations = topology_annotations(job, nodes, size) if size > 1 else {}
    name = f"{job.name}-{part.part.name}"
    yield f"apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata:\n  name: {name}\n"
    yield f"  labels:\n    {QUEUE}: {job.name}\n"
    if job.spans_nodes and size == part.seats.filling.nodes_used and size > 1:
        yield "  annotations:\n" + quoted({EXCLUSIVE: DOMAIN}, 4)
    yield f"spec:\n  replicas: {part.part.workers}\n  startupPolicy: LeaderCreated\n  leaderWorkerTemplate:\n    size: {size}\n"
    yield "    restartPolicy: RecreateGroupOnPodRestart\n"
    for role in ("leader", "worker"):
        yield f"    {role}Template:\n      metadata:\n        labels:\n          role: {role}\n"
        yield "        annotations:\n" + quoted(annotations, 10) if annotations else ""
        yield "      spec:\n" + pod_claims(job, 8)
        yield f"        containers:\n          - name: {role}\n            image: {job.placed.request.image}\n"
        yield "            command:\n" + "".join(
            f'              - "{one}"\n' for one in _command(job, part, degrees, size)
        )
        yield container_resources(job, n_gpus, 12)
        yield f"            ports:\n              - containerPort: {PORT}\n" if role == "leader" else ""
        yield "            volumeMounts:\n              - name: shm\n                mountPath: /dev/shm\n"
        yield "        volumes:\n          - name: shm\n            emptyDir:\n              medium: Memory\n"


def _command(job: Job, part: PlacedPart, degrees: Layout, size: int) -> list[str]:
    words = [
        "python3",
        "-m",
        "sglang.launch_server",
        "--model-path",
        job.placed.request.model,
        *arguments(degrees).split(),
    ]
    words += ["--host", "0.0.0.0", "--port", str(PORT)]  # noqa: S104 - the pod's own network, behind a Service
    if size > 1:
        words += ["--nnodes", "$(LWS_GROUP_SIZE)", "--node-rank", "$(LWS_WORKER_INDEX)"]
        words += ["--dist-init-addr", f"$(LWS_LEADER_ADDRESS):{INIT_PORT}"]
    if part.part.name in ("prefill", "decode"):
        words += ["--disaggregation-mode", part.part.name]
    return words
