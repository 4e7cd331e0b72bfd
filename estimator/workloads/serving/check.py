"""Whether a model can be laid out over GPUs as a request says: every problem at once, each with a way out."""

from collections.abc import Mapping

from estimator.errors import Problem
from estimator.units import byte_s_to_gb_s, ceil_div, divisors
from estimator.wording import percent_of
from estimator.workloads.models.shapes import ModelShape
from estimator.workloads.paths.inside import HOST_MEMORY, PCIE
from estimator.workloads.serving.collectives import NETWORK, Fabric

MOST_SHOWN = 8


def layout_problems(shape: ModelShape, layout: Mapping[str, int], field: str) -> list[Problem]:
    """What is wrong with a layout (tp, pp, attention_dp, moe_tp, ep) of a model, under ``field`` of the request."""
    found = [_heads(shape, layout, field), _stages(shape, layout, field), *_experts(shape, layout, field)]
    return [one for one in found if one is not None]


def layout_notes(shape: ModelShape, layout: Mapping[str, int]) -> list[str]:
    """What a layout that can be had should be known for."""
    tp, pp, notes = layout["tp"], layout["pp"], []
    if shape.layers % pp:
        most = ceil_div(shape.layers, pp)
        notes.append(
            f"{shape.layers} layers do not divide into {pp} stages: the fullest ones have {most}. All wait for them, so that a "
            f"step takes {percent_of(most * pp / shape.layers - 1)} longer than with even stages, and memory is theirs."
        )
    if shape.latent is not None and tp > 1:
        notes.append(
            f"The latent cache has no heads to split: each of the {tp} tensor-parallel GPUs keeps all of it. Attention data "
            "parallelism keeps it once."
        )
    elif shape.attention_layers and tp > shape.kv_heads:
        notes.append(
            f"{shape.kv_heads} key-value heads over TP {tp}: each is kept {ceil_div(tp, shape.kv_heads)} times."
        )
    return notes


def path_note(ranks: int, fabric: Fabric, share: float) -> str:
    """What a group whose GPUs scale-up links do not join goes over, and which share of a decode step it takes."""
    path, links = fabric.path_of(ranks), fabric.links_gpus
    joined = "no scale-up links join them" if links == 1 else f"scale-up links join {links} of them"
    rate = fabric.nic_byte_s if path == NETWORK else fabric.inner_byte_s
    return (
        f"A layer spans {ranks} GPUs and {joined}: its collectives go over {_PATH_WORDS[path]}, "
        f"{byte_s_to_gb_s(rate):.3g} GB/s a GPU, and {share:.0%} of a decode step waits for other GPUs."
    )


_PATH_WORDS = {PCIE: "PCIe", HOST_MEMORY: "host memory", NETWORK: "the network"}


def _options(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers[:MOST_SHOWN])) + (" …" if len(numbers) > MOST_SHOWN else "")


def _heads(shape: ModelShape, layout: Mapping[str, int], field: str) -> Problem | None:
    tp = layout["tp"]
    if shape.heads % tp == 0:
        return None
    message = (
        f"{shape.name} has {shape.heads} attention heads, which TP {tp} does not divide. Use TP "
        f"{_options(divisors(shape.heads))}."
    )
    return Problem(f"{field}.tp", "heads_not_divisible", message)


def _stages(shape: ModelShape, layout: Mapping[str, int], field: str) -> Problem | None:
    pp = layout["pp"]
    if pp <= shape.layers:
        return None
    message = (
        f"{shape.name} has {shape.layers} layers and PP {pp} needs a layer a stage. Use at most PP {shape.layers}."
    )
    return Problem(f"{field}.pp", "too_many_stages", message)


def _experts(shape: ModelShape, layout: Mapping[str, int], field: str) -> list[Problem | None]:
    ep, moe_tp, experts = layout["ep"], layout["moe_tp"], shape.experts
    ranks = layout["tp"] * layout["attention_dp"]
    if experts is None:
        if ep == 1 and moe_tp in (1, ranks):
            return []
        message = f"{shape.name} has no experts to spread over EP {ep} and TP {moe_tp}. Leave ep and moe_tp out."
        return [Problem(f"{field}.ep", "no_experts", message)]
    found: list[Problem | None] = []
    if ep > experts.count:
        message = f"{shape.name} has {experts.count} experts a layer and EP {ep} needs one a GPU. Use at most EP {experts.count}."
        found.append(Problem(f"{field}.ep", "experts_exceeded", message))
    elif experts.count % ep:
        message = (
            f"{experts.count} experts of {shape.name} do not split evenly over EP {ep}. Use EP "
            f"{_options(divisors(experts.count))}."
        )
        found.append(Problem(f"{field}.ep", "experts_not_divisible", message))
    if experts.ffn % moe_tp:
        message = (
            f"Experts of {shape.name} are {experts.ffn} wide, which moe_tp {moe_tp} does not divide. Use moe_tp "
            f"{_options(divisors(experts.ffn))}."
        )
        found.append(Problem(f"{field}.moe_tp", "experts_not_divisible", message))
    if moe_tp * ep != ranks and (moe_tp * ep) % layout["tp"]:
        message = (
            f"Experts are spread over moe_tp × ep = {moe_tp * ep} GPUs and attention over tp × attention_dp = {ranks}. Give "
            "both the same product."
        )
        found.append(Problem(f"{field}.moe_tp", "ranks_do_not_match", message))
    elif moe_tp * ep < ranks:
        message = (
            f"moe_tp × ep = {moe_tp * ep} GPUs hold the experts and tp × attention_dp = {ranks} hold the rest. Give "
            f"moe_tp × ep = {ranks}."
        )
        found.append(Problem(f"{field}.moe_tp", "ranks_do_not_match", message))
    return found
