"""Training rows answered by calculon, in an environment that has it: rows of JSON in, a line of JSON out for each.

Run by ``compare`` with the folder of the tool's ``systems``; nothing of the project is imported here. It knows dense models
with as many key-value as query heads and a feed-forward of two matrices: a gated one of three is given as one 1.5 times as
wide, which has the same parameters and products.
"""

import json
import logging
import sys
from importlib.metadata import version
from pathlib import Path

SYSTEMS = {"a100-80-sxm": "a100_80g", "h100-sxm": "h100_80g_nvl8"}
DATATYPES = {"bf16": "float16", "fp8": "float8"}
RECOMPUTE = {"": "none", "none": "none", "selective": "attn_only", "full": "full"}
NETWORKS = ((0, 0), (0, 1), (1, 0), (1, 1))  # of pipeline and data parallelism; the first that fits is taken


def refused(row: dict[str, str]) -> str | None:
    """What the tool has no notion of."""
    checks = {
        "has no system file of this GPU": row["gpu"] not in SYSTEMS,
        "has no mixtures of experts": row["is_moe"] == "yes",
        "has no LoRA": row["task"] != "pretrain",
        "has no FSDP": row["fsdp"] != "",
        "has no context parallelism": row["cp"] != "1",
        "has no such precision": row["precision"] not in DATATYPES,
    }
    return next((why for why, holds in checks.items() if holds), None)


def execution(row: dict[str, str], networks: tuple[int, int]) -> dict[str, object]:
    """The tool's description of a layout; overlap as Megatron has it."""
    tp, pp, dp = (int(row[name]) for name in ("tp", "pp", "dp"))
    return {
        "num_procs": tp * pp * dp,
        "tensor_par": tp,
        "pipeline_par": pp,
        "data_par": dp,
        "tensor_par_net": 0,
        "pipeline_par_net": networks[0],
        "data_par_net": networks[1],
        "batch_size": int(row["global_batch"]),
        "microbatch_size": int(row["micro_batch"]),
        "datatype": DATATYPES[row["precision"]],
        "fused_activation": True,
        "attention_type": "multihead",
        "activation_recompute": RECOMPUTE[row["recompute"]],
        "pipeline_interleaving": int(row["virtual_stages"] or 1) if pp > 1 else 1,
        "optimizer_sharding": dp > 1,
        "tensor_par_comm_type": "rs_ag" if tp > 1 else "ar",
        "tensor_par_overlap": "none",
        "seq_par_ag_redo": False,
        "data_par_overlap": dp > 1,
        "weight_offload": False,
        "activations_offload": False,
        "optimizer_offload": False,
        "training": True,
    }


def answer(row: dict[str, str], systems: Path) -> dict[str, object]:
    """Seconds of a step, or why not."""
    from calculon.llm import Llm  # the tool's own
    from calculon.system import System

    if why := refused(row):
        return {"why": why}
    feed_forward = int(row["ffn"]) * 3 // 2 if row["gated"] == "yes" else int(row["ffn"])
    shape = {
        "hidden": int(row["hidden"]),
        "feedforward": feed_forward,
        "seq_size": int(row["sequence"]),
        "attn_heads": int(row["heads"]),
        "attn_size": int(row["head_dim"]),
        "num_blocks": int(row["layers"]),
    }
    why = ""
    for networks in NETWORKS:
        system = System(json.loads((systems / f"{SYSTEMS[row['gpu']]}.json").read_text()))
        model = Llm(Llm.Application(shape), logging.getLogger())
        try:
            model.compile(system, Llm.Execution.from_json(execution(row, networks)))
            model.run(system)
        except Llm.Error as error:
            why = str(error)
            continue
        return {"step_s": model.get_total_time()}
    return {"why": why}


def main() -> None:
    """Answers in the order of the rows; whatever the tool raises is its reason."""
    systems = Path(sys.argv[1])
    logging.disable(logging.CRITICAL)
    out, sys.stdout = sys.stdout, sys.stderr
    print(json.dumps({"version": version("calculon")}), file=out, flush=True)
    for line in sys.stdin:
        row = json.loads(line)
        try:
            found = answer(row, systems)
        except ImportError:
            raise  # the environment is not whole, which says nothing of the tool
        except Exception as error:  # noqa: BLE001 - a tool of others, whose every failure is an answer here
            found = {"why": f"{type(error).__name__}: {error}"[:200]}
        print(json.dumps({"id": row["id"], **found}), file=out, flush=True)


if __name__ == "__main__":
    main()
