"""Files to launch a placed job, read back: by their tools' own names, schemas and parsers, and held against the rank map."""

import csv
import io
import json
import re
import shutil
import subprocess
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
import yaml

from estimator.catalog.loader import load_catalog
from estimator.errors import SpecError
from estimator.handoff.launch.formats import LAUNCH_FORMATS, archive, formats_of
from estimator.handoff.launch.job import Job
from estimator.handoff.launch.making import placed_job
from estimator.spec.parse import parse_spec
from estimator.workloads.training.stages import stages_of
from tests.estimator.handoff.cases import custom, expand, small

DATA = Path(__file__).parents[3] / "data" / "launch"
CATALOG = load_catalog()
DESIGNS: dict[str, dict[str, Any]] = {
    "hgx": {"compute": {"server": "dgx-h100", "nodes": 64}, "fabric": {"generation": "ndr"}},
    "racks": {"compute": custom(36, 4, scale_up_domain_gpus=72), "fabric": small(32)},
    "rail only": {"compute": custom(30, 4), "fabric": small(16, layout="rail-only")},
    "top of rack": {"compute": custom(22, 3), "fabric": small(16, layout="top-of-rack", leaf_downlinks=8)},
    "three tiers": {"compute": custom(70, 4), "fabric": small(16)},
}
WIDE = {"tp": 1, "attention_dp": 16, "ep": 16}
LAYOUTS: dict[str, dict[str, Any]] = {
    "training": {
        "parallel": {
            "tp": 4, "pp": 4, "dp": 4, "ep": 4, "expert_tp": 1, "virtual_stages": 2, "micro_batch": 1, "global_batch": 64,
            "sequence": 4096, "sequence_parallel": True, "recompute": "full", "zero_stage": 1,
        },
        "order": "tp-cp-ep-pp-dp",
    },
    "three": {"parallel": {"tp": 3, "dp": 4, "recompute": "selective", "fsdp": True}},
    "replicas": {"layout": {"tp": 2}, "replicas": 4, "model": "meta-llama/Llama-3.1-8B"},
    "wide": {"layout": {"tp": 4, "pp": 4}, "replicas": 2},
    "pools": {"prefill": {"workers": 2, "layout": {"tp": 4}}, "decode": {"workers": 1, "layout": WIDE}},
}  # fmt: skip
TRAINING, SERVING = ("training", "three"), ("replicas", "wide", "pools")
SHELL = ("torchrun", "megatron", "nccl", "slurm", "vllm", "sglang", "tensorrt-llm")


@cache
def job_of(design: str, layout: str) -> Job:
    return placed_job(parse_spec(DESIGNS[design], CATALOG), LAYOUTS[layout], CATALOG)


def text(design: str, layout: str, name: str) -> str:
    return b"".join(LAUNCH_FORMATS[name].write(job_of(design, layout))).decode()


def written() -> list[tuple[str, str, str]]:
    """(design, layout, format) of every file that there is."""
    out = []
    for design in DESIGNS:
        for layout in LAYOUTS:
            for name in LAUNCH_FORMATS:
                try:
                    text(design, layout, name)
                except SpecError:
                    continue
                out.append((design, layout, name))
    return out


FILES = written()


def of(*names: str) -> list[tuple[str, str, str]]:
    return [one for one in FILES if one[2] in names]


def problem(design: str, layout: dict[str, Any], name: str) -> tuple[str, str]:
    job = placed_job(parse_spec(DESIGNS[design], CATALOG), layout, CATALOG)
    with pytest.raises(SpecError) as refused:
        list(LAUNCH_FORMATS[name].write(job))
    (one,) = refused.value.problems
    return one.code, one.message


def rows(design: str, layout: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text(design, layout, "ranks"))))


def test_every_format_has_a_file_of_some_layout() -> None:
    assert {name for _, _, name in FILES} == set(LAUNCH_FORMATS)


@pytest.mark.parametrize(("design", "layout", "name"), FILES)
def test_a_file_says_which_design_it_is_of(design: str, layout: str, name: str) -> None:
    assert job_of(design, layout).links.spec_hash in text(design, layout, name)
    assert text(design, layout, name).endswith("\n")


@pytest.mark.parametrize(("design", "layout", "name"), of("ranks"))
def test_the_map_has_every_rank_once_and_no_gpu_twice(design: str, layout: str, name: str) -> None:
    found, job = rows(design, layout), job_of(design, layout)
    assert [int(row["rank"]) for row in found] == list(range(job.placed.n_ranks))
    assert len({(row["node"], row["gpu"]) for row in found}) == len(found)
    assert {row["node"] for row in found} <= set(job.links.table.devices.names)
    for row in found:
        assert row["nics"].split() == list(job.machine.nics[int(row["gpu"])])


def test_leaf_groups_and_nics_are_those_of_the_link_list() -> None:
    job = job_of("hgx", "training")
    leaves: dict[tuple[str, str], str] = {}
    for row in job.links.rows():
        if row.tier == "node-leaf":
            leaves.setdefault((row.a_device, row.a_port), row.b_device)
    by_group: dict[str, set[str]] = {}
    for one in rows("hgx", "training"):
        by_group.setdefault(one["leaf_group"], set()).add(leaves[one["node"], one["nics"].split()[0]])
        assert int(one["rail"]) == int(one["gpu"]) + 1
    assert all(len(group) == 8 for group in by_group.values())  # a leaf a rail


# --- MPI


@pytest.mark.parametrize(("design", "layout", "name"), of("rankfile"))
def test_a_rankfile_is_the_map_line_by_line(design: str, layout: str, name: str) -> None:
    lines = [line for line in text(design, layout, name).splitlines() if not line.startswith("#")]
    read = [re.fullmatch(r"rank (\d+)=(\S+) slot=(\d+)", line) for line in lines]
    assert all(read)
    found = [(match[1], match[2]) for match in read if match]
    assert found == [(row["rank"], row["node"]) for row in rows(design, layout)]
    slots = [(match[2], match[3]) for match in read if match]
    assert len(set(slots)) == len(slots)


@pytest.mark.parametrize(("design", "layout", "name"), of("hostfile"))
def test_a_hostfile_has_a_slot_a_rank(design: str, layout: str, name: str) -> None:
    lines = [line for line in text(design, layout, name).splitlines() if not line.startswith("#")]
    hosts = [re.fullmatch(r"(\S+) slots=(\d+)", line) for line in lines]
    by_slot = [match[1] for match in hosts if match for _ in range(int(match[2]))]
    assert by_slot == [row["node"] for row in rows(design, layout)]


# --- shell


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
@pytest.mark.parametrize(("design", "layout", "name"), of(*SHELL))
def test_bash_reads_every_script(design: str, layout: str, name: str) -> None:
    script = text(design, layout, name)
    done = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("design", "layout", "name"), of(*SHELL))
def test_flags_are_those_of_the_tools_sources(design: str, layout: str, name: str) -> None:
    """flags.csv says in which file of which version each name was read."""
    with (DATA / "flags.csv").open(newline="") as file:
        rows_of_tool = [row for row in csv.DictReader(file) if row["tool"] == name]
    assert all(row["repository"] and row["path"] and row["version"] for row in rows_of_tool)
    known = {row["flag"] for row in rows_of_tool}
    lines = [line for line in text(design, layout, name).splitlines() if not line.lstrip().startswith("#")]
    code = "\n".join(lines)
    if name == "nccl":
        assert set(re.findall(r"^(\w+)=", code, re.M)) <= known
    elif name == "slurm":
        directives = set(re.findall(r"^#+SBATCH (--[a-z-]+)", text(design, layout, name), re.M))
        assert directives | set(re.findall(r"(?<!\S)--[a-z-]+", code)) | set(re.findall(r"\bSLURM_\w+", code)) <= known
    else:
        flags = set(re.findall(r"(?<![\w-])--[a-z][a-z_-]*", code)) - {"--"}
        overrides = set(re.findall(r"^ +([a-z]+\.\w+)=", code, re.M))
        variables = set(re.findall(r"\b(VLLM_\w+)=", code))
        options = set(re.findall(r"^([a-z]\w+):", code, re.M)) if name == "tensorrt-llm" else set()
        assert flags | overrides | variables | options <= known
    assert known


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
def test_torchrun_counts_nodes_as_the_map_does(tmp_path: Path) -> None:
    """Run with stand-ins for hostname and torchrun that print what they are given."""
    script = tmp_path / "launch.sh"
    script.write_text(text("hgx", "three", "torchrun"))
    for program, body in (("hostname", "echo $NODE"), ("torchrun", 'echo "$CUDA_VISIBLE_DEVICES" "$@"')):
        (tmp_path / program).write_text(f"#!/bin/bash\n{body}\n")
        (tmp_path / program).chmod(0o755)

    def run(node: str) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "NODE": node}
        return subprocess.run(["bash", script], env=environment, capture_output=True, text=True, check=False)

    assert "0,1,2,3,4,5 --nnodes=2 --nproc-per-node=6 --node-rank=1 --master-addr=node-0001" in run("node-0002").stdout
    assert run("node-0003").returncode == 1


def test_megatron_has_every_degree_in_both_forms() -> None:
    script = text("hgx", "training", "megatron")
    for word in (
        "--tensor-model-parallel-size 4",
        "--pipeline-model-parallel-size 4",
        "--expert-model-parallel-size 4",
        "--expert-tensor-parallel-size 1",
        "--num-virtual-stages-per-pipeline-rank 2",
        "--use-tp-pp-dp-mapping",
        "--use-distributed-optimizer\n",
        "model.virtual_pipeline_model_parallel_size=2",
        "dist.use_tp_pp_dp_mapping=true",
        "model.seq_length=4096",
    ):
        assert word in script, word
    for word in (
        "--data-parallel-sharding-strategy optim_grads_params",
        "--ckpt-format fsdp_dtensor",
        "ddp.data_parallel_sharding_strategy=optim_grads_params",
        "checkpoint.ckpt_format=fsdp_dtensor",
        "model.recompute_granularity=selective",
    ):
        assert word in text("hgx", "three", "megatron"), word
    shared = {"parallel": LAYOUTS["training"]["parallel"] | {"zero_stage": 2}, "order": "tp-cp-ep-pp-dp"}
    job = placed_job(parse_spec(DESIGNS["hgx"], CATALOG), shared, CATALOG)
    refused_by_bridge = b"".join(LAUNCH_FORMATS["megatron"].write(job)).decode()
    assert "--data-parallel-sharding-strategy optim_grads\n" in refused_by_bridge
    assert "BRIDGE_OVERRIDES" not in refused_by_bridge
    wrong = {"parallel": {"dp": 4, "micro_batch": 2, "global_batch": 12}}
    assert problem("hgx", wrong, "megatron")[0] == "not_for_layout"


# --- engines


def test_every_worker_of_a_node_has_gpus_and_a_port_of_its_own() -> None:
    script = text("hgx", "replicas", "vllm")
    assert re.findall(r"CUDA_VISIBLE_DEVICES=(\S+)", script) == ["0,1", "2,3", "4,5", "6,7"]
    assert re.findall(r"--port (\d+)", script) == ["8000", "8001", "8002", "8003"]
    assert "meta-llama/Llama-3.1-8B" in script


def test_vllm_spans_nodes_by_its_own_launcher() -> None:
    script = text("hgx", "wide", "vllm")
    assert re.findall(r"--node-rank (\d)", script) == ["0", "1", "0", "1"]
    assert script.count("--headless") == 2
    assert re.findall(r"--master-addr (\S+)", script) == ["node-0001"] * 2 + ["node-0003"] * 2


def test_copies_across_nodes_start_where_the_node_before_ends() -> None:
    script = text("hgx", "pools", "vllm")
    assert re.findall(r"--data-parallel-size 16 .* --data-parallel-size-local (\d+)", script) == ["8", "8"]
    assert re.findall(r"--data-parallel-start-rank (\d+)", script) == ["8"]
    assert "--enable-expert-parallel" in script
    assert script.count("NixlConnector") == 4


def test_sglang_counts_all_ranks_of_a_stage_as_tensor_ranks() -> None:
    script = text("hgx", "pools", "sglang")
    assert "--tp-size 16 --pp-size 1 --attn-dp-size 16 --ep-size 16" in script
    assert re.findall(r"--disaggregation-bootstrap-port (\d+)", script) == ["8998", "8999"]
    assert re.findall(r"--disaggregation-mode (\w+)", script) == ["prefill", "prefill", "decode", "decode"]


def test_tensorrt_llms_options_are_yaml() -> None:
    script = text("hgx", "pools", "tensorrt-llm")
    options = [yaml.safe_load(one) for one in re.findall(r"<<'END'\n(.*?)END\n", script, re.S)]
    assert options[0] == {
        "tensor_parallel_size": 4,
        "pipeline_parallel_size": 1,
        "enable_attention_dp": False,
        "disable_overlap_scheduler": True,
        "cache_transceiver_config": {"backend": "DEFAULT"},
        "gpus_per_node": 8,
    }
    assert options[1]["moe_expert_parallel_size"] == options[1]["tensor_parallel_size"] == 16
    assert options[1]["enable_attention_dp"] is True
    assert "cache_transceiver_config" in options[1]
    assert "disable_overlap_scheduler" not in options[1]
    assert re.findall(r"mpirun -n (\d+) --host (\S+)", script)[2] == ("16", "node-0002:8,node-0003:8")


@pytest.mark.parametrize(
    ("layout", "name", "code"),
    [
        ({"layout": {"tp": 4}}, "megatron", "wrong_workload"),
        ({"parallel": {"tp": 4}}, "vllm", "wrong_workload"),
        ({"layout": {"tp": 8, "ep": 4}}, "vllm", "not_for_layout"),
        ({"layout": {"tp": 2, "pp": 2, "attention_dp": 2}}, "vllm", "not_for_layout"),
        ({"layout": {"tp": 8, "pp": 2, "attention_dp": 2}, "order": "tp-cp-ep-pp-dp"}, "vllm", "not_for_layout"),
        ({"layout": {"tp": 2, "pp": 2, "attention_dp": 2}, "order": "tp-cp-ep-pp-dp"}, "sglang", "not_for_layout"),
        ({"layout": {"tp": 2, "attention_dp": 2}}, "tensorrt-llm", "not_for_layout"),
        ({"layout": {"tp": 4, "pp": 3}}, "sglang", "not_for_layout"),
        ({"parallel": {"tp": 4, "dp": 3}}, "slurm", "uneven_nodes"),
        ({"parallel": {"tp": 4, "dp": 3}}, "jobset", "uneven_nodes"),
        ({"parallel": {"tp": 4}}, "compute-domain", "no_spanning_domain"),
    ],
)
def test_what_a_format_cannot_hold_is_refused(layout: dict[str, Any], name: str, code: str) -> None:
    assert problem("hgx", layout, name)[0] == code


# --- NCCL


def test_nccl_settings_follow_the_fabric() -> None:
    assert '"=mlx5_0,mlx5_3,mlx5_4,mlx5_5,mlx5_6,mlx5_9,mlx5_10,mlx5_11"' in text("hgx", "training", "nccl")
    assert "NCCL_CROSS_NIC=0" in text("rail only", "training", "nccl")
    assert "NCCL_CROSS_NIC=1" in text("top of rack", "three", "nccl")
    assert "\nNCCL_CROSS_NIC=" not in text("hgx", "training", "nccl")
    assert "NCCL_MNNVL_ENABLE=1" in text("racks", "training", "nccl")
    assert "NCCL_MNNVL_ENABLE" not in text("hgx", "training", "nccl")
    for line, following in zip(lines := text("racks", "training", "nccl").splitlines(), lines[1:], strict=False):
        assert not re.match(r"\w+=", following) or line.startswith("# ")  # each with why


# --- Slurm


def directives(script: str) -> dict[str, str]:
    return dict(re.findall(r"^#SBATCH --([a-z-]+)=?(\S*)$", script, re.M))


@pytest.mark.parametrize(("design", "layout", "name"), of("slurm"))
def test_a_batch_script_has_the_placements_nodes(design: str, layout: str, name: str) -> None:
    script, job = text(design, layout, name), job_of(design, layout)
    found, part = directives(script), job.placed.parts[0]
    assert int(found["nodes"]) * int(found["ntasks-per-node"]) == part.part.n_ranks
    (nodes,) = re.findall(r"^##SBATCH --nodelist=(\S+)$", script, re.M)
    assert expand(nodes) == job.nodes_of(part)
    assert script.rindex("#SBATCH") < script.index("set -e")  # sbatch reads none after the first command
    assert ("segment" in found) == job.spans_nodes != ("switches" in found)


@pytest.mark.skipif(not shutil.which("sbatch"), reason="sbatch is not installed (Debian: slurm-client)")
def test_sbatch_knows_every_directive(tmp_path: Path) -> None:
    """It reads the directives before it looks for a controller, which there is none of."""
    (tmp_path / "slurm.conf").write_text(
        "ClusterName=test\nSlurmctldHost=localhost\nGresTypes=gpu\nNodeName=node-[0001-0064] Gres=gpu:8\n"
    )
    script = tmp_path / "job"
    environment = {"PATH": "/usr/bin:/bin", "SLURM_CONF": str(tmp_path / "slurm.conf")}

    def said(written: str) -> str:
        script.write_text(written)
        command = ["timeout", "20", "sbatch", "--test-only", str(script)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stderr

    good = text("hgx", "training", "slurm")
    assert not re.search("unrecognized|[Ii]nvalid", said(good))
    assert re.search("unrecognized|[Ii]nvalid", said(good.replace("--ntasks-per-node", "--ntasks-for-node")))


def test_a_segment_divides_the_nodes_of_a_job() -> None:
    """Slurm starts no job whose nodes are no multiple of its segment: 20 trays of domains of 18 take 10."""

    def segment(design: str, parallel: dict[str, int]) -> str | None:
        job = placed_job(parse_spec(DESIGNS[design], CATALOG), {"parallel": parallel}, CATALOG)
        return directives(b"".join(LAUNCH_FORMATS["slurm"].write(job)).decode()).get("segment")

    assert segment("racks", {"dp": 80}) == "10"
    assert segment("racks", {"dp": 144}) == "18"
    assert segment("racks", {"dp": 40}) == "10"  # all of them in one domain
    assert segment("racks", {"tp": 8, "dp": 10}) == "10"
    assert segment("racks", {"tp": 16, "dp": 5}) == "4"  # segments of 10 would part groups of 4 nodes
    assert segment("racks", {"tp": 72, "dp": 1}) == "18"


def written_for(parallel: dict[str, Any]) -> str:
    job = placed_job(parse_spec(DESIGNS["hgx"], CATALOG), {"parallel": parallel}, CATALOG)
    return b"".join(LAUNCH_FORMATS["megatron"].write(job)).decode()


def layers_as_megatron_reads(code: str, layers: int, pp: int) -> list[list[int]]:
    """Layers of each stage's virtual stages by the rules of Megatron-LM's TransformerConfig (commit d98e8a6), which it holds."""
    values = dict(re.findall(r"^  (--[a-z-]+)(?: (.+))?$", code, re.M))
    v = int(values.get("--num-virtual-stages-per-pipeline-rank", 1))
    string = values.get("--pipeline-model-parallel-layout")
    if string is not None:
        assert "--num-virtual-stages-per-pipeline-rank" not in values  # one of the two alone
        flat = re.sub(r"\(([^)]+)\)\*(\d+)", lambda x: x[1] * int(x[2]), string.strip("'"))
        stages = re.sub(r"(.)\*(\d+)", lambda x: x[1] * int(x[2]), flat).split("|")
        assert (stages[0][0], stages[-1][-1]) == ("E", "L")
        assert len(stages) % pp == 0
        return [[stage.count("t") for stage in stages[rank::pp]] for rank in range(pp)]
    if "--decoder-last-pipeline-num-layers" in values:
        last = int(values["--decoder-last-pipeline-num-layers"])
        each, rest = divmod(layers - last, pp - 1)
        assert (last > 0, rest, each % v, last % v) == (True, 0, 0, 0)
        return [[each // v] * v] * (pp - 1) + [[last // v] * v]
    ends = {"--account-for-embedding-in-pipeline-split", "--account-for-loss-in-pipeline-split"} & values.keys()
    each, rest = divmod(layers + len(ends), pp)
    assert (rest, each % v) == (0, 0)
    stages_of_all = [[each // v] * v for _ in range(pp)]
    stages_of_all[0][0] -= "--account-for-embedding-in-pipeline-split" in values
    stages_of_all[-1][-1] -= "--account-for-loss-in-pipeline-split" in values
    return stages_of_all


@pytest.mark.parametrize(
    ("layers", "pp", "virtual_stages", "word"),
    [
        (61, 8, 1, "--decoder-last-pipeline-num-layers 5\n"),
        (66, 4, 2, "--decoder-last-pipeline-num-layers 12\n"),
        (126, 16, 1, "--account-for-loss-in-pipeline-split\n"),
        (126, 16, 2, "--account-for-embedding-in-pipeline-split\n"),
        (61, 4, 2, "--pipeline-model-parallel-layout 'Et*8|(t*8|)*6t*5L'\n"),
        (35, 16, 1, "--pipeline-model-parallel-layout 'Et*3|(t*3|)*2(t*2|)*12t*2L'\n"),
        (6, 8, 1, "--account-for-loss-in-pipeline-split\n"),
        (7, 8, 1, "--pipeline-model-parallel-layout 'Et*1|(t*1|)*6L'\n"),
        (64, 8, 2, "--num-virtual-stages-per-pipeline-rank 2\n"),
    ],
)
def test_megatron_spreads_layers_as_the_step_was_computed(layers: int, pp: int, virtual_stages: int, word: str) -> None:
    degrees = {"pp": pp, "virtual_stages": virtual_stages}
    code = written_for({**degrees, "dp": 2, "layers": layers})
    assert word in code
    spread = layers_as_megatron_reads(code, layers, pp)
    computed = stages_of(*(np.array([one]) for one in (layers, pp, virtual_stages)))
    assert sum(map(sum, spread)) == layers
    assert max(map(sum, spread)) == computed.fullest[0]
    assert {len(of_stage) for of_stage in spread} == {virtual_stages}
    flags = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", code))
    overrides = dict(re.findall(r"^  \"?(model\.\w+)=(.+)$", code, re.M))
    with (DATA / "flags.csv").open(newline="") as file:
        known = {row["flag"] for row in csv.DictReader(file) if row["tool"] == "megatron"}
    assert flags | overrides.keys() <= known
    said = {"model.num_layers_in_last_pipeline_stage", "model.account_for_loss_in_pipeline_split"} & overrides.keys()
    assert bool(said or "model.pipeline_model_parallel_layout" in overrides) == (layers % (pp * virtual_stages) > 0)


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
def test_bash_gives_the_string_of_stages_in_one_word() -> None:
    code = written_for({"pp": 4, "virtual_stages": 2, "layers": 61})
    show = code + 'printf "%s\n" "${MEGATRON_ARGUMENTS[@]}" "${BRIDGE_OVERRIDES[@]}"'
    words = subprocess.run(["bash"], input=show, capture_output=True, text=True, check=True).stdout.splitlines()
    assert "Et*8|(t*8|)*6t*5L" in words
    assert "model.pipeline_model_parallel_layout='Et*8|(t*8|)*6t*5L'" in words


def test_fewer_layers_than_stages_are_refused() -> None:
    with pytest.raises(SpecError, match="4 layers were given for 8 stages"):
        written_for({"pp": 8, "layers": 4})


# --- Kubernetes


@pytest.mark.parametrize(("design", "layout", "name"), of("jobset", "lws", "kueue-queue"))
def test_keys_and_variables_are_those_of_the_controllers_sources(design: str, layout: str, name: str) -> None:
    """Labels and annotations under a controller's own domain, and variables that it sets, are in flags.csv."""
    with (DATA / "flags.csv").open(newline="") as file:
        known = {row["flag"] for row in csv.DictReader(file) if row["tool"] == name}
    written = text(design, layout, name)
    code = "\n".join(line for line in written.splitlines() if not line.startswith("#"))
    keys = set(re.findall(r"\b(?:kueue\.x-k8s|[a-z]+\.sigs\.k8s)\.io/[\w-]+", code))
    keys |= set(re.findall(r"\b[a-z]+\.topograph\.run/[\w-]+|(?<![\w.])nvidia\.com/[\w.-]+", code))
    keys = {key for key in keys if not re.fullmatch(r"kueue\.x-k8s\.io/v\d+beta\d+", key)}
    variables = set(re.findall(r"\$\((\w+)\)", code))
    assert keys | variables
    assert keys | variables <= known


def schema(node: Any) -> Any:
    """An OpenAPI schema as JSON Schema that knows no other key; int-or-string is what Kubernetes calls a quantity."""
    if not isinstance(node, dict):
        return node
    if node.get("x-kubernetes-int-or-string"):
        return {"type": ["integer", "string"]}
    out = {key: value for key, value in node.items() if not key.startswith("x-kubernetes") and key != "format"}
    if isinstance(node.get("properties"), dict):
        out["properties"] = {key: schema(value) for key, value in node["properties"].items()}
        out["additionalProperties"] = False
    for key in ("items", "additionalProperties"):
        if isinstance(node.get(key), dict):
            out[key] = schema(node[key])
    return out


SCHEMAS = json.loads((DATA / "crd_schemas.json").read_text())["schemas"]
YAML = ("jobset", "lws", "kueue-queue", "compute-domain")


@pytest.mark.parametrize(("design", "layout", "name"), of(*YAML))
def test_resources_keep_the_schemas_of_their_kinds(design: str, layout: str, name: str) -> None:
    documents = list(yaml.safe_load_all(text(design, layout, name)))
    assert documents
    for document in documents:
        known = SCHEMAS[document["kind"]]
        assert document["apiVersion"] == known["apiVersion"]
        assert re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", document["metadata"]["name"])
        jsonschema.validate(document["spec"], schema(known["spec"]))


def test_a_wrong_resource_is_found() -> None:
    document = yaml.safe_load(text("hgx", "training", "jobset"))
    document["spec"]["replicatedJobs"][0]["template"]["spec"]["paralellism"] = 3
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document["spec"], schema(SCHEMAS["JobSet"]["spec"]))


def test_pods_are_as_many_as_nodes_with_claims_where_memory_spans_them() -> None:
    job = yaml.safe_load(text("racks", "training", "jobset"))["spec"]["replicatedJobs"][0]["template"]["spec"]
    part = job_of("racks", "training").placed.parts[0]
    assert job["completions"] == job["parallelism"] == len(part.nodes) == 16
    pod = job["template"]["spec"]
    claim = yaml.safe_load(text("racks", "training", "compute-domain"))["spec"]["channel"]["resourceClaimTemplate"][
        "name"
    ]
    assert pod["resourceClaims"] == [{"name": "channel", "resourceClaimTemplateName": claim}]
    assert pod["containers"][0]["resources"]["claims"] == [{"name": "channel"}]
    assert "resourceClaims" not in text("hgx", "training", "jobset")


def test_the_required_level_is_one_of_the_topology_and_holds_the_nodes() -> None:
    levels = yaml.safe_load(text("hgx", "training", "kueue-queue").partition("---")[0])["spec"]["levels"]
    pods = yaml.safe_load(text("hgx", "training", "jobset"))["spec"]["replicatedJobs"][0]["template"]["spec"][
        "template"
    ]
    (key,) = pods["metadata"]["annotations"].values()
    assert key in [level["nodeLabel"] for level in levels]
    assert key == "fabric.topograph.run/tier-0"  # 8 nodes of a unit of 32
    wide = placed_job(parse_spec(DESIGNS["hgx"], CATALOG), {"parallel": {"tp": 8, "dp": 48}}, CATALOG)
    assert "tier-1" in b"".join(LAUNCH_FORMATS["jobset"].write(wide)).decode()


def test_workers_of_a_leader_worker_set_are_those_of_the_placement() -> None:
    one = yaml.safe_load(text("hgx", "wide", "lws"))["spec"]
    assert (one["replicas"], one["leaderWorkerTemplate"]["size"]) == (2, 2)
    prefill, decode = yaml.safe_load_all(text("hgx", "pools", "lws"))
    assert (prefill["spec"]["replicas"], prefill["spec"]["leaderWorkerTemplate"]["size"]) == (2, 1)
    assert decode["spec"]["leaderWorkerTemplate"]["size"] == 2


# --- the archive


def test_an_archive_has_every_file_or_says_why_not() -> None:
    job = job_of("hgx", "training")
    with zipfile.ZipFile(io.BytesIO(archive(job))) as files:
        names = set(files.namelist())
        left_out = files.read("job/left-out.txt").decode()
    there = {f"job/{one.file}" for name, one in LAUNCH_FORMATS.items() if ("hgx", "training", name) in FILES}
    assert names == there | {"job/left-out.txt"}
    assert {line.partition(":")[0] for line in left_out.splitlines()} == {
        name for name in LAUNCH_FORMATS if ("hgx", "training", name) not in FILES
    }
    assert archive(job) == archive(job)


def test_the_order_follows_the_traffic_by_the_model_of_collectives() -> None:
    """Four GPUs of a node are left beside a group of four: they go to the kind of group that moves more."""

    def order(dp_bytes: float, pp_bytes: float, **more: Any) -> str:
        traffic = {"dp_bytes": dp_bytes, "pp_bytes": pp_bytes}
        layout = {"parallel": {"tp": 4, "dp": 8, "pp": 2}, "traffic": traffic, **more}
        return placed_job(parse_spec(DESIGNS["hgx"], CATALOG), layout, CATALOG).placed.order

    assert order(1e10, 1e6) == "tp-cp-ep-dp-pp"
    assert order(1e3, 1e10) == "tp-cp-ep-pp-dp"
    assert order(1e3, 1e10, order="tp-cp-ep-dp-pp") == "tp-cp-ep-dp-pp"


def test_a_format_says_which_workload_it_is_for() -> None:
    for kind, layouts in (("training", TRAINING), ("serving", SERVING)):
        named = set(formats_of(kind, domain_nodes=18))
        refused = {name for name in LAUNCH_FORMATS for layout in layouts if _is_of_the_other_kind(layout, name)}
        assert named == set(LAUNCH_FORMATS) - refused
        assert refused


def test_memory_across_nodes_is_a_file_only_of_domains_that_span_them() -> None:
    for workload, layout in (("training", TRAINING[0]), ("serving", SERVING[0])):
        job = job_of("hgx", layout)
        assert "compute-domain" not in formats_of(workload, job.machine.domain_nodes)
        with pytest.raises(SpecError, match="within a node"):
            list(LAUNCH_FORMATS["compute-domain"].write(job))


def _is_of_the_other_kind(layout: str, name: str) -> bool:
    try:
        text("hgx", layout, name)
    except SpecError as error:
        return any(problem.code == "wrong_workload" for problem in error.problems)
    return False
