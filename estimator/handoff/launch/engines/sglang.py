"""SGLang on every node of a service: sglang.launch_server.

Sources: SGLang 0.5.23, sglang/srt/arg_groups/fields/ (tp-size, pp-size, attn-dp-size, ep-size, nnodes, node-rank,
dist-init-addr, disaggregation-mode, -bootstrap-port, -ib-device). Its tp-size counts all ranks of a stage: with attention_dp
copies of the attention, each has tp-size ÷ attn-dp-size tensor ranks. Stages are outermost. Releases before attn-dp-size
wrote it as dp-size with enable-dp-attention, which 0.5.23 still takes and marks as deprecated.
"""

from collections.abc import Iterator

from estimator.handoff.launch.job import Job, Worker, refuse, workers_of
from estimator.handoff.launch.shell import head, host_cases, visible
from estimator.workloads.placement.placed import PlacedPart
from estimator.workloads.placement.request import PIPELINES_CLOSE, Layout

PORT, INIT_PORT, BOOTSTRAP_PORT = 30000, 20000, 8998


def write(job: Job) -> Iterator[str]:
    """One script for all nodes."""
    commands: list[tuple[str, str]] = []
    for part, degrees in job.serving("SGLang"):
        check(job, part, degrees)
        for worker in workers_of(job, part):
            commands += _commands(job, part, degrees, worker)
    yield head(
        job,
        "Run on every node: bash FILE. Each worker has a port of its own on its first node; a router stands before them.",
        "A release without --attn-dp-size N takes --dp-size N --enable-dp-attention in its place.",
    )
    yield from host_cases(commands)


def check(job: Job, part: PlacedPart, degrees: Layout) -> None:
    """Refuse what SGLang's order of ranks and nodes cannot hold."""
    if degrees.attention_dp > 1 and degrees.pp > 1 and part.part.order == PIPELINES_CLOSE:
        message = "SGLang has stages outermost, and this order of ranks has them inside a copy. Leave order out."
        raise refuse(message, "not_for_layout")
    if not all(worker.is_even for worker in workers_of(job, part)):
        message = (
            "SGLang takes as many ranks on each node of a worker, and a worker here has not. Take another tp or pp."
        )
        raise refuse(message, "not_for_layout")


def arguments(degrees: Layout) -> str:
    """Parallelism of a worker."""
    out = f"--tp-size {degrees.stage_ranks} --pp-size {degrees.pp}"
    if degrees.attention_dp > 1:
        out += f" --attn-dp-size {degrees.attention_dp}"
    return out + f" --ep-size {degrees.ep}" * (degrees.ep > 1)


def _commands(job: Job, part: PlacedPart, degrees: Layout, worker: Worker) -> Iterator[tuple[str, str]]:
    """(node, command) for every node of a worker."""
    common = f"python3 -m sglang.launch_server --model-path {job.placed.request.model} {arguments(degrees)}"
    machine, first = job.machine, worker.nodes[0]
    for number, (node, gpus) in enumerate(zip(worker.nodes, worker.gpus, strict=True)):
        more = f" --host 0.0.0.0 --port {PORT + worker.number}"
        if len(worker.nodes) > 1:
            more += f" --nnodes {len(worker.nodes)} --node-rank {number}"
            more += f" --dist-init-addr {first}:{INIT_PORT + worker.number}"
        if part.part.name == "prefill":  # two on a node would open the same port
            more += f" --disaggregation-bootstrap-port {BOOTSTRAP_PORT + worker.number}"
        if part.part.name in ("prefill", "decode"):
            nics = ",".join(dict.fromkeys(nic for gpu in gpus for nic in machine.nics[gpu]))
            more += f" --disaggregation-mode {part.part.name} --disaggregation-ib-device {nics}"
        yield node, visible(gpus, machine.gpus_per_node) + common + more
