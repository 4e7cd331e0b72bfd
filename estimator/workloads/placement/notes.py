"""What somebody should know about a placement: groups that leave a domain, GPUs and nodes left over."""

from collections.abc import Iterator

from estimator.errors import Problem, SpecError
from estimator.record import Record
from estimator.units import counted
from estimator.workloads.placement.machine import DOMAIN, FABRIC, LEAF, LEVELS, NODE, POD, Machine
from estimator.workloads.placement.placed import Crossing, Placed, PlacedPart
from estimator.workloads.placement.request import PIPELINES_CLOSE

KIND_WORDS = {
    "tp": "tensor-parallel",
    "cp": "context-parallel",
    "ep": "expert-parallel",
    "dp": "data-parallel",
    "pp": "pipeline",
    "expert_tp": "expert tensor-parallel",
    "expert_dp": "expert data-parallel",
    "attention_dp": "attention data-parallel",
    "worker": "worker",
}
CHATTY = ("tp", "ep", "cp", "expert_tp")  # several messages a layer


class GroupsAt(Record):
    """Groups of one kind: how many ranks each has, and at which level of links they meet."""

    part: str
    kind: str
    groups: int
    ranks: int
    domain_ranks: int
    domains_apart: int
    farthest: str
    at: dict[str, int]
    one_rail: bool


class Note(Record):
    """One remark; ``code`` is stable."""

    code: str
    message: str


class PlacementAnswer(Record):
    """A placement in figures: counts, groups and remarks."""

    order: str
    ranks: int
    nodes: int
    ranks_per_node: list[int]
    first_node: str
    last_node: str
    nodes_left: int
    gpus_unused: int
    groups: list[GroupsAt]
    notes: list[Note]


def answer_of(placed: Placed) -> PlacementAnswer:
    """The placement in figures."""
    machine, nodes = placed.machine, placed.nodes
    return PlacementAnswer(
        order=placed.order,
        ranks=placed.n_ranks,
        nodes=len(nodes),
        ranks_per_node=[one.ranks_per_node for one in placed.parts],
        first_node=machine.node_names[int(nodes[0])],
        last_node=machine.node_names[int(nodes[-1])],
        nodes_left=machine.n_nodes - len(nodes),
        gpus_unused=len(nodes) * machine.gpus_per_node - placed.n_ranks,
        groups=[_groups_at(one.part.name, crossing) for one in placed.parts for crossing in one.crossings],
        notes=list(notes_of(placed)),
    )


def _groups_at(part: str, crossing: Crossing) -> GroupsAt:
    return GroupsAt(
        part=part,
        kind=crossing.kind,
        groups=crossing.n_groups,
        ranks=crossing.n_ranks,
        domain_ranks=int(crossing.domain_ranks.max()),
        domains_apart=int(crossing.domains_apart.max()),
        farthest=crossing.farthest,
        at=crossing.n_at(),
        one_rail=bool(crossing.one_rail.all()),
    )


def notes_of(placed: Placed) -> Iterator[Note]:
    """Remarks, those about speed first."""
    machine = placed.machine
    for one in placed.parts:
        for crossing in one.crossings:
            if crossing.kind in CHATTY:
                yield from _about_crossing(crossing, one, machine)
    if placed.order == PIPELINES_CLOSE and placed.request.order == "auto":
        yield Note(
            code="pipelines_close",
            message=(
                "Stages of a pipeline come before data-parallel copies in the order of ranks, as the model of collectives finds "
                "that faster for the traffic given (use_tp_pp_dp_mapping in Megatron-LM)."
            ),
        )
    for one in placed.parts:
        yield from _about_seats(one, machine)
    left = machine.n_nodes - len(placed.nodes)
    if left:
        yield Note(
            code="nodes_left",
            message=f"{counted(left, 'node')} of {machine.n_nodes:,} have no rank and are free for other jobs.",
        )


def _about_crossing(crossing: Crossing, one: PlacedPart, machine: Machine) -> Iterator[Note]:
    word = f"{KIND_WORDS[crossing.kind].capitalize()} groups of {crossing.n_ranks}"
    n_crossing = int((crossing.level > LEVELS.index(DOMAIN)).sum())
    if n_crossing:
        why = (
            f"a scale-up domain has {machine.domain_gpus} GPUs"
            if crossing.n_ranks > machine.domain_gpus
            else "ranks of other groups lie between theirs, or the design has too few nodes to leave GPUs unused"
        )
        through = {NODE: "PCIe and host memory", LEAF: "a leaf", POD: "spines", FABRIC: "the top of the fabric"}
        yield Note(
            code=f"{crossing.kind}_crosses_domain",
            message=(
                f"{word} leave the scale-up domain in {n_crossing:,} of {crossing.n_groups:,} cases, as {why}: their traffic, "
                f"several messages a layer, goes through {through[crossing.farthest]}. A smaller group stays inside."
            ),
        )
    elif crossing.kind == "tp" and crossing.n_ranks > machine.gpus_per_node:
        yield Note(
            code="tp_spans_nodes",
            message=(
                f"{word} span nodes of {machine.gpus_per_node} GPUs inside one scale-up domain: the job needs memory export "
                "channels between nodes (IMEX; in Kubernetes a ComputeDomain)."
            ),
        )


def _about_seats(one: PlacedPart, machine: Machine) -> Iterator[Note]:
    filling, used = one.seats.filling, len(one.seats.filling.gpus)
    if used < machine.gpus_per_node and one.part.n_ranks > used:
        yield Note(
            code="gpus_unused",
            message=(
                f"{used} of a node's {machine.gpus_per_node} GPUs are used by {one.part.name}, so that {filling.unit} ranks that "
                "belong together share a scale-up domain."
            ),
        )
    if filling.nodes_used < filling.domain_nodes and len(one.nodes) > filling.nodes_used:
        yield Note(
            code="domain_nodes_unused",
            message=(
                f"{filling.nodes_used} of a domain's {filling.domain_nodes} nodes are used by {one.part.name}, so that "
                f"{filling.unit} ranks that belong together share it."
            ),
        )
    if not one.is_even:
        yield Note(
            code="uneven_nodes",
            message=(
                f"The last node of {one.part.name} has {counted(int(one.ranks_of_nodes[-1]), 'rank')} and the others have "
                f"{one.ranks_per_node}."
            ),
        )


def refuse_uneven(one: PlacedPart, of: str) -> None:
    """Refuse nodes with different numbers of ranks where a format has one number for all.

    Raises
    ------
    SpecError
        If the last node has fewer ranks than the others.
    """
    if one.is_even:
        return
    message = (
        f"{of} has as many ranks on every node, and the last of {len(one.nodes)} has {int(one.ranks_of_nodes[-1])} where the "
        f"others have {one.ranks_per_node}. Take {one.ranks_per_node * len(one.nodes)} ranks (more dp, workers or replicas), or "
        "another format."
    )
    raise SpecError([Problem("format", "uneven_nodes", message)])
