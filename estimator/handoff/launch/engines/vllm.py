"""vLLM on every node of a service: ``vllm serve`` with its own launcher across nodes, or data-parallel copies.

Sources: vLLM documentation, "Parallelism and Scaling" (tensor-parallel-size, pipeline-parallel-size, nnodes, node-rank,
master-addr, headless), "Data Parallel Deployment" (data-parallel-size, -size-local, -address, -rpc-port, -start-rank) and
"Expert Parallel Deployment" (enable-expert-parallel: experts over all tensor and data-parallel ranks); ranks count tensor,
stage, copy (vllm/distributed/parallel_state.py). Several nodes for one copy need vLLM 0.11.1 or later; Ray does the same
with ``--distributed-executor-backend ray`` once ``ray start`` has joined the nodes. Pools: "NixlConnector Usage Guide" (a
side channel's host and port for each worker).
"""

from collections.abc import Iterator

from estimator.handoff.launch.job import Job, Worker, refuse, workers_of
from estimator.handoff.launch.shell import head, host_cases, visible
from estimator.workloads.placement.placed import PlacedPart
from estimator.workloads.placement.request import PIPELINES_CLOSE, Layout

PORT, MASTER_PORT, RPC_PORT, NIXL_PORT = 8000, 29501, 13345, 5600
TRANSFER = """--kv-transfer-config '{"kv_connector":"NixlConnector","kv_role":"kv_both"}'"""


def write(job: Job) -> Iterator[str]:
    """One script for all nodes; pools exchange their cache by NIXL."""
    commands: list[tuple[str, str]] = []
    for part, degrees in job.serving("vLLM"):
        _check(job, part, degrees)
        for worker in workers_of(job, part):
            commands += _commands(job, part, degrees, worker)
    yield head(
        job,
        "Run on every node: bash FILE. Each worker has a port of its own on its first node; a router stands before them.",
        "With Ray instead: ray start --head on a worker's first node, ray start --address on its others, and on the first",
        "the same command with --distributed-executor-backend ray in place of --nnodes, --node-rank and --master-addr.",
    )
    yield from host_cases(commands)


def _check(job: Job, part: PlacedPart, degrees: Layout) -> None:
    if degrees.ep > 1 and degrees.experts_tp > 1:
        message = (
            f"vLLM spreads experts over all {degrees.stage_ranks} ranks of a stage or over none, and ep {degrees.ep} with "
            f"moe_tp {degrees.experts_tp} was requested. Take ep {degrees.stage_ranks}, or another engine."
        )
        raise refuse(message, "not_for_layout")
    if degrees.attention_dp > 1 and degrees.pp > 1 and part.part.order != PIPELINES_CLOSE:
        message = (
            "vLLM has the stages of a copy side by side, and this order of ranks has copies side by side. Give "
            f'"order": "{PIPELINES_CLOSE}", or another engine.'
        )
        raise refuse(message, "not_for_layout")
    copy = degrees.tp * degrees.pp
    if degrees.attention_dp > 1 and (
        part.ranks_per_node % copy or not all(one.is_even for one in workers_of(job, part))
    ):
        message = (
            f"vLLM's data-parallel copies of {copy} ranks (tp × pp) lie inside a node each, and a node has "
            f"{part.ranks_per_node}. Take a smaller tp or pp, or attention_dp 1."
        )
        raise refuse(message, "not_for_layout")
    if not all(one.is_even for one in workers_of(job, part)):
        message = "vLLM takes as many ranks on each node of a worker, and a worker here has not. Take another tp or pp."
        raise refuse(message, "not_for_layout")


def arguments(degrees: Layout) -> str:
    """What all commands of a worker have."""
    out = f"--tensor-parallel-size {degrees.tp} --pipeline-parallel-size {degrees.pp}"
    if degrees.attention_dp > 1:
        out += f" --data-parallel-size {degrees.attention_dp}"
    return out + " --enable-expert-parallel" * (degrees.ep > 1)


def _commands(job: Job, part: PlacedPart, degrees: Layout, worker: Worker) -> Iterator[tuple[str, str]]:
    """(node, command) for every node of a worker."""
    pool = f" {TRANSFER}" if part.part.name in ("prefill", "decode") else ""
    common = f"vllm serve {job.placed.request.model} {arguments(degrees)}{pool}"
    first, n_nodes = worker.nodes[0], len(worker.nodes)
    local = len(worker.gpus[0]) // (degrees.tp * degrees.pp)
    side = NIXL_PORT + worker.number * degrees.attention_dp
    for number, (node, gpus) in enumerate(zip(worker.nodes, worker.gpus, strict=True)):
        more = f" --port {PORT + worker.number}" if number == 0 else " --headless"
        if n_nodes > 1 and degrees.attention_dp > 1:
            more += f" --data-parallel-size-local {local} --data-parallel-address {first}"
            more += f" --data-parallel-rpc-port {RPC_PORT + worker.number}"
            more += f" --data-parallel-start-rank {number * local}" * (number > 0)
        elif n_nodes > 1:
            more += f" --nnodes {n_nodes} --node-rank {number} --master-addr {first}"
            more += f" --master-port {MASTER_PORT + worker.number}"
        channel = f"VLLM_NIXL_SIDE_CHANNEL_HOST={node} VLLM_NIXL_SIDE_CHANNEL_PORT={side} " if pool else ""
        yield node, channel + visible(gpus, job.machine.gpus_per_node) + common + more
