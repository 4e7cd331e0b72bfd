"""What every written contract says first, as comment lines: whose it is, what it rests on, which gates it cannot hold."""

from collections.abc import Iterable, Iterator

from estimator.bringup.acceptance.digest import gates_sha256
from estimator.bringup.acceptance.gates import Contract
from estimator.bringup.acceptance.result import Gate
from estimator.errors import Problem, SpecError
from estimator.handoff.stamp import slug
from estimator.version import MODEL_VERSION


def heading(contract: Contract, *more: str) -> Iterator[str]:
    """Title, hash of the design, version of the model and digest of the gates; then further lines."""
    name = " ".join("".join(sign if sign.isprintable() else " " for sign in contract.site.name).split())
    yield f"# Clusterwright: acceptance of {name}\n"
    yield f"# spec_hash {contract.site.spec_hash}, model_version {MODEL_VERSION}\n"
    yield f"# gates_sha256 {gates_sha256(contract.gates)}\n"
    yield "".join(f"# {line}\n" for line in more)


def line_of(gate: Gate) -> str:
    """The gate's line with its chances, for a comment beside it."""
    return (
        f"{gate.code}: expected {gate.expected:g} {gate.unit} (nine in ten {gate.low:g} to {gate.high:g}), "
        f"false alarm {chance(gate.false_alarm)}, a fault missed {chance(gate.miss)}"
    )


def chance(value: float) -> str:
    """A chance in per cent; gates round theirs to 0.01 %."""
    return f"{100 * value:.2g} %" if value else "below 0.01 %"


def left_out(contract: Contract, held: Iterable[str]) -> Iterator[str]:
    """A comment that names the gates that are not in this file."""
    inside = frozenset(held)
    others = [gate.code for gate in contract.gates if gate.code not in inside]
    if others:
        yield f"# Not in this file, run them by the script: {', '.join(others)}\n"


def object_name(contract: Contract) -> str:
    """A name that Kubernetes takes: the design's in letters, digits and dashes."""
    return slug(contract.site.name, longest=50) or "design"


def refuse_amd(contract: Contract, label: str) -> None:
    """Some tools know NVIDIA's GPUs alone.

    Raises
    ------
    SpecError
        If the site's GPUs are AMD's.
    """
    if contract.site.is_amd:
        gpu = contract.site.system["gpu"]
        message = f"{label} runs on NVIDIA GPUs, and this design has {gpu}. Take script or azure-nhc, which know AMD's."
        raise SpecError([Problem("format", "not_for_this_gpu", message)])
