"""TensorRT-LLM: a worker's options as YAML, and trtllm-serve under mpirun.

Sources: TensorRT-LLM documentation, "trtllm-serve" (extra_llm_api_options; multi-node by mpirun and trtllm-llmapi-launch) and
"Parallelism in TensorRT-LLM" (tensor_parallel_size, pipeline_parallel_size, moe_tensor_parallel_size,
moe_expert_parallel_size, enable_attention_dp, gpus_per_node) and "Disaggregated Serving" (cache_transceiver_config;
disable_overlap_scheduler, which context servers need). Attention is whole on every rank of a stage, or in copies of
one rank each. Stages are outermost.
"""

from collections.abc import Iterator

from estimator.handoff.launch.job import Job, Worker, refuse, workers_of
from estimator.handoff.launch.shell import head
from estimator.workloads.placement.placed import PlacedPart
from estimator.workloads.placement.request import PIPELINES_CLOSE, Layout

PORT = 8000


def write(job: Job) -> Iterator[str]:
    """One script: a YAML file a part, and an mpirun a worker, all started from one machine."""
    parts = list(job.serving("TensorRT-LLM"))
    for part, degrees in parts:
        _check(job, part, degrees)
    yield head(
        job,
        "Run once, in a folder that all nodes share, on a machine that reaches them by ssh; a worker listens on its first node.",
        "Pools are joined by trtllm-serve disaggregated, with the addresses below as context and generation servers.",
    )
    for part, degrees in parts:
        yield f"cat > {job.name}-{part.part.name}.yaml <<'END'\n{options(degrees, part)}END\n"
        for worker in workers_of(job, part):
            yield _command(job, part, worker)
    yield "wait\n"


def _check(job: Job, part: PlacedPart, degrees: Layout) -> None:
    if degrees.attention_dp > 1 and degrees.tp > 1:
        message = (
            "TensorRT-LLM's attention is tensor parallel over a whole stage, or data parallel with one rank a copy; tp "
            f"{degrees.tp} with attention_dp {degrees.attention_dp} was requested. Make one of them 1."
        )
        raise refuse(message, "not_for_layout")
    if degrees.attention_dp > 1 and degrees.pp > 1 and part.part.order == PIPELINES_CLOSE:
        message = "TensorRT-LLM has stages outermost, and this order of ranks has them inside a copy. Leave order out."
        raise refuse(message, "not_for_layout")
    if any(gpus != worker.gpus[0] for worker in workers_of(job, part) for gpus in worker.gpus):
        message = (
            "mpirun gives all ranks of a worker the same GPUs of a node, and a worker here has others on each. Take ranks of a "
            "worker that divide a node's or are a multiple of it."
        )
        raise refuse(message, "not_for_layout")


def options(degrees: Layout, part: PlacedPart) -> str:
    """Options of a worker, as YAML."""
    out = f"tensor_parallel_size: {degrees.stage_ranks}\npipeline_parallel_size: {degrees.pp}\n"
    if degrees.ep > 1:
        out += f"moe_tensor_parallel_size: {degrees.experts_tp}\nmoe_expert_parallel_size: {degrees.ep}\n"
    out += f"enable_attention_dp: {'true' if degrees.attention_dp > 1 else 'false'}\n"
    if part.part.name == "prefill":
        out += "disable_overlap_scheduler: true\n"
    if part.part.name in ("prefill", "decode"):
        out += "cache_transceiver_config:\n  backend: DEFAULT\n"
    return out + f"gpus_per_node: {part.ranks_per_node}\n"


def _command(job: Job, part: PlacedPart, worker: Worker) -> str:
    hosts = ",".join(f"{node}:{len(gpus)}" for node, gpus in zip(worker.nodes, worker.gpus, strict=True))
    gpus, of_node = worker.gpus[0], job.machine.gpus_per_node
    seen = "" if gpus == list(range(of_node)) else f" -x CUDA_VISIBLE_DEVICES={','.join(map(str, gpus))}"
    return (
        f"mpirun -n {part.part.worker_ranks} --host {hosts} --map-by slot{seen} trtllm-llmapi-launch \\\n"
        f"  trtllm-serve {job.placed.request.model} --host 0.0.0.0 --port {PORT + worker.number} \\\n"
        f"  --extra_llm_api_options {job.name}-{part.part.name}.yaml &\n"
    )
