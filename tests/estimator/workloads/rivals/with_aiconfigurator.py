"""Serving rows answered by aiconfigurator, in an environment that has it: rows of JSON in, a line of JSON out for each.

Run by ``compare``; nothing of the project is imported here. Models are those whose configuration the tool carries, as it
reads no other without a network; quantization is what the row names, where the checkpoint has another.
"""

import json
import logging
import sys
from importlib.metadata import version

MODELS = {
    "deepseek-v3": {"fp8": "deepseek-ai/DeepSeek-V3", "nvfp4": "nvidia/DeepSeek-V3.1-NVFP4"},
    "gpt-oss-120b": {"nvfp4": "openai/gpt-oss-120b"},
    "kimi-k2": {"int4_wo": "moonshotai/Kimi-K2.5", "nvfp4": "nvidia/Kimi-K2.5-NVFP4"},
    "llama3-70b": dict.fromkeys(("bf16", "fp8", "nvfp4"), "meta-llama/Meta-Llama-3.1-70B"),
    "llama3-8b": dict.fromkeys(("bf16", "fp8", "fp8_block"), "meta-llama/Meta-Llama-3.1-8B"),
    "qwen3-235b-a22b": dict.fromkeys(("fp8", "fp8_block"), "Qwen/Qwen3-235B-A22B-FP8"),
    "qwen3.5-397b-a17b": {
        "bf16": "Qwen/Qwen3.5-397B-A17B",
        "fp8": "Qwen/Qwen3.5-397B-A17B",
        "nvfp4": "nvidia/Qwen3.5-397B-A17B-NVFP4",
    },
}
QUANTIZED = {  # of a checkpoint that is stored in BF16
    "fp8": {"gemm_quant_mode": "fp8", "kvcache_quant_mode": "fp8"},
    "fp8_block": {"gemm_quant_mode": "fp8_block"},
    "nvfp4": {"gemm_quant_mode": "nvfp4", "kvcache_quant_mode": "fp8"},
}
QUANTIZED_EXPERTS = {"qwen3.5-397b-a17b": {"fp8": {"gemm_quant_mode": "fp8_block", "moe_quant_mode": "fp8_block"}}}
SYSTEMS = {"h100-sxm": "h100_sxm", "h200-sxm": "h200_sxm", "b200-sxm": "b200_sxm"}


def answer(row: dict[str, str]) -> dict[str, object]:
    """Seconds per token and to first token, or why not."""
    from aiconfigurator.cli.api import cli_estimate  # the tool's own, and slow to import

    path = MODELS.get(row["model"], {}).get(row["precision"])
    if path is None:
        return {"why": f"carries no configuration of {row['model']} in {row['precision']}"}
    counts = {name: int(row[name]) for name in ("tp", "pp", "attention_dp", "moe_tp", "ep", "concurrency")}
    is_moe = row["is_moe"] == "yes"
    modes = QUANTIZED_EXPERTS.get(row["model"], {}) if is_moe else QUANTIZED
    found = cli_estimate(
        model_path=path,
        system_name=SYSTEMS[row["gpu"]],
        backend_name=row["framework"],
        isl=int(row["input_tokens"]),
        osl=int(row["output_tokens"]),
        batch_size=max(1, round(counts["concurrency"] / counts["attention_dp"])),
        tp_size=counts["tp"],
        pp_size=counts["pp"],
        attention_dp_size=counts["attention_dp"],
        moe_tp_size=counts["moe_tp"] if is_moe else None,
        moe_ep_size=counts["ep"] if is_moe else None,
        **modes.get(row["precision"], {}),
    )
    return {"tpot_s": float(found.tpot) / 1e3, "ttft_s": float(found.ttft) / 1e3}


def main() -> None:
    """Answers in the order of the rows; whatever the tool raises is its reason."""
    logging.disable(logging.CRITICAL)
    out, sys.stdout = sys.stdout, sys.stderr  # the tool prints
    print(json.dumps({"version": version("aiconfigurator")}), file=out, flush=True)
    for line in sys.stdin:
        row = json.loads(line)
        try:
            found = answer(row)
        except ImportError:
            raise  # the environment is not whole, which says nothing of the tool
        except Exception as error:  # noqa: BLE001 - a tool of others, whose every failure is an answer here
            found = {"why": f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:200]}
        print(json.dumps({"id": row["id"], **found}), file=out, flush=True)


if __name__ == "__main__":
    main()
