"""What was requested, and what is built for it."""

from collections.abc import Sequence

from reportlab.platypus import Flowable, Paragraph

from designer.exports.reports.board.sides import NO_ESTIMATE, of_sides
from designer.wording.numbers import (
    count,
    gbit_s,
    generation_name,
    ratio_to_one,
    watts,
)
from estimator.bom.lines import SWITCH
from estimator.catalog.ports import COMPUTE
from estimator.compare.result import ComparisonResult
from estimator.pdf.grid import Field, Grid, Row, Text
from estimator.pdf.page import UPRIGHT, headed, section
from estimator.pdf.style import BODY
from estimator.result import PricedEstimate
from estimator.units import counted


def requirement(result: ComparisonResult, options: Sequence[PricedEstimate | None]) -> list[Flowable]:
    """What was requested, and what is built for it."""
    out: list[Flowable] = [*section("Requirement, and what is built", UPRIGHT)]
    fields = [Field("", 0.34), Field("Requested", 0.33, is_number=True), Field("Built", 0.33, is_number=True)]
    for name, option in of_sides(result, options):
        if option is None:
            out += headed(name, Paragraph(NO_ESTIMATE, BODY))
            continue
        spec, network = option.spec, option.compute
        asked = spec.compute.gpus or (spec.compute.nodes or 0) * (spec.compute.gpus_per_node or 0)
        built = network.counts
        rows = [
            ("GPUs", count(asked), count(built.gpus)),
            ("Network", generation_name(spec.fabric.generation), "as requested"),
            ("Switches", "–", _switches(option)),
            (
                "Oversubscription, fullest leaf",
                ratio_to_one(spec.fabric.oversubscription),
                ratio_to_one(network.oversubscription.worst_leaf),
            ),
            (
                "Tiers",
                "as few as it takes" if spec.fabric.tiers == "auto" else str(spec.fabric.tiers),
                str(network.tiers),
            ),
            ("Bisection, one direction", "–", gbit_s(network.bisection_gbit_s)),
            ("Power, largest", "–", watts(option.power.it_w.max)),
        ]
        if option.growth or spec.fabric.grow_to_nodes:
            rows.append(
                ("Servers to come", count(spec.fabric.grow_to_nodes or option.compute.counts.nodes), _room(option))
            )
        if spec.other_fabrics:
            rows.append(("Networks beside compute", str(len(spec.other_fabrics)), str(len(option.fabrics) - 1)))
        if spec.phases:
            planned = len(option.phases.phases) if option.phases else 0
            rows.append(("Phases", count(len(spec.phases)), count(planned)))
        out += headed(name, Grid(fields, [Row([Text(what), Text(left), Text(right)]) for what, left, right in rows]))
    return out


def _switches(option: PricedEstimate) -> str:
    """How many of each tier, and of which model."""
    own = [line for line in option.bom.lines if line.category == SWITCH and line.fabric == COMPUTE]
    return "; ".join(f"{counted(line.quantity, line.use)}, {line.description}" for line in own)


def _room(option: PricedEstimate) -> str:
    return f"ports for {count(option.growth.nodes.sized_for)}" if option.growth else "–"
