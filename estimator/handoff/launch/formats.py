"""The files that a placed job can be handed off as: name → what it is and the module that writes it.

Modules are imported when a format is requested; each has ``write(job)``, which yields the file piece by piece.
"""

import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

from estimator.errors import SpecError, one_of_formats
from estimator.handoff.launch.job import Job

TRAINING, SERVING = "training", "serving"
MEDIA_TYPES = {"json": "application/json", "csv": "text/csv"}
LEFT_OUT = ("wrong_workload", "not_for_layout", "uneven_nodes", "no_spanning_domain")  # of an archive, named in it


@dataclass(frozen=True, slots=True)
class LaunchFormat:
    """One kind of file; ``purpose`` says what reads it, ``only`` which kind of workload has it where not both have."""

    label: str
    purpose: str
    file: str
    module: str
    only: str = ""
    spans_nodes: bool = False
    """Only where scale-up domains hold several nodes."""

    @property
    def content_type(self) -> str:
        """Media type of the file."""
        return MEDIA_TYPES.get(self.file.rpartition(".")[2], "text/plain")

    def write(self, job: Job) -> Iterator[bytes]:
        """The file's bytes, piece by piece.

        Raises
        ------
        SpecError
            For a layout that the format cannot hold.
        """
        pieces = import_module(f"estimator.handoff.launch.{self.module}").write(job)
        return (piece.encode() for piece in pieces)


LAUNCH_FORMATS = {
    "summary": LaunchFormat("Summary", "people, scripts: what crosses which level", "placement.json", "summary"),
    "ranks": LaunchFormat("Rank map", "scripts, spreadsheets: a row a rank", "ranks.csv", "rank_map"),
    "hostfile": LaunchFormat("Hostfile", "Open MPI's mpirun: nodes with slots", "hostfile", "hostfile"),
    "rankfile": LaunchFormat("Rankfile", "Open MPI's mpirun: a line a rank", "rankfile", "rankfile"),
    "torchrun": LaunchFormat("torchrun", "PyTorch, on each node", "torchrun.sh", "torchrun", TRAINING),
    "megatron": LaunchFormat("Megatron", "Megatron-LM and Megatron Bridge", "megatron.sh", "megatron", TRAINING),
    "nccl": LaunchFormat("NCCL settings", "NCCL: an environment file", "nccl.env", "nccl_env"),
    "slurm": LaunchFormat("Slurm batch script", "sbatch", "job.sbatch", "slurm_batch", TRAINING),
    "vllm": LaunchFormat("vLLM", "vllm serve, on each node", "vllm.sh", "engines.vllm", SERVING),
    "sglang": LaunchFormat("SGLang", "sglang.launch_server, on each node", "sglang.sh", "engines.sglang", SERVING),
    "tensorrt-llm": LaunchFormat(
        "TensorRT-LLM", "trtllm-serve by mpirun", "tensorrt-llm.sh", "engines.tensorrt_llm", SERVING
    ),
    "jobset": LaunchFormat("JobSet", "Kubernetes: a training run", "jobset.yaml", "kubernetes.jobset", TRAINING),
    "lws": LaunchFormat(
        "LeaderWorkerSet", "Kubernetes: serving workers", "lws.yaml", "kubernetes.leader_worker_set", SERVING
    ),
    "kueue-queue": LaunchFormat("Kueue queue", "Kueue: topology, flavor, queues", "kueue.yaml", "kubernetes.queue"),
    "compute-domain": LaunchFormat(
        "ComputeDomain",
        "NVIDIA's DRA driver: memory shared across nodes",
        "compute-domain.yaml",
        "kubernetes.compute_domain",
        spans_nodes=True,
    ),
}


def launch_format(name: str) -> LaunchFormat:
    """One of LAUNCH_FORMATS.

    Raises
    ------
    SpecError
        For a name that is none of them.
    """
    return one_of_formats(name, LAUNCH_FORMATS)


def formats_of(workload: str, domain_nodes: int) -> dict[str, LaunchFormat]:
    """The formats that a kind of workload has on scale-up domains of so many nodes."""
    return {
        name: one
        for name, one in LAUNCH_FORMATS.items()
        if one.only in ("", workload) and (domain_nodes > 1 or not one.spans_nodes)
    }


def archive(job: Job) -> bytes:
    """A zip of every file that the layout has; ``left-out.txt`` says which it has not, and why."""
    out, missing = io.BytesIO(), []
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as files:
        for name, one in LAUNCH_FORMATS.items():
            try:
                data = b"".join(one.write(job))
            except SpecError as error:
                if not {problem.code for problem in error.problems} <= set(LEFT_OUT):
                    raise
                missing.append(f"{name}: {error.words()}\n")
                continue
            # a date of its own would make two archives of one job differ
            files.writestr(zipfile.ZipInfo(f"{job.name}/{one.file}"), data, zipfile.ZIP_DEFLATED)
        files.writestr(zipfile.ZipInfo(f"{job.name}/left-out.txt"), "".join(missing))
    return out.getvalue()
