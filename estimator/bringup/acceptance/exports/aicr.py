"""The contract as a recipe overlay of NVIDIA's AICR: its performance constraints, which ``aicr validate`` holds the site to.

Source of the form: NVIDIA/aicr, pkg/recipe/metadata.go (RecipeMetadata, Constraint), pkg/recipe/criteria.go,
pkg/constraints/constraint.go (an expression is an operator and a value), recipes/overlays/gb300-generic-ubuntu-training.yaml.
The validator passes from 0.9 of the written value on (validators/performance/nccl_all_reduce_bw_constraint.go), so that what
is written is the gate's line over 0.9. It runs all-reduce alone, at 16 GiB over all nodes, of accelerators and services whose
job it knows; nccl-benchmark-profile names such a pair for a site that is none of them (issues 1703 and 2640).
"""

from collections.abc import Iterator

from estimator.bringup.acceptance.exports.heading import heading, left_out, line_of, object_name, refuse_amd
from estimator.bringup.acceptance.gates import Contract
from estimator.bringup.acceptance.result import Gate

API, TOLERANCE = "aicr.run/v1beta1", 0.9
SERVICE = "generic"  # self-managed Kubernetes on bare metal
CHECK, CHECK_INSIDE = "nccl-all-reduce-bw", "nccl-all-reduce-bw-nvls"
ACCELERATORS = {  # of our GPUs that criteria.go and the overlays have a name for
    "a100-40-sxm": "a100",
    "a100-80-sxm": "a100",
    "h100-sxm": "h100",
    "h200-sxm": "h200",
    "b200-sxm": "b200",
    "gb200": "gb200",
    "gb300": "gb300",
    "vr200": "vr200",
    "l40s": "l40",
    "rtx-pro-6000-se": "rtx-pro-6000",
}
PROFILES = {  # pairs of accelerator and service with a job: supportedNCCLCombinations of the validator
    CHECK: {"h100": "h100/aks", "h200": "h100/aks", "b200": "b200/any", "gb200": "gb200/any"},
    CHECK_INSIDE: {"gb200": "gb200/oke", "gb300": "", "vr200": "vr200/rke2"},  # "" is generic itself
}


def write(contract: Contract) -> Iterator[str]:
    """The YAML, piece by piece.

    Raises
    ------
    SpecError
        If the site's GPUs are not NVIDIA's.
    """
    refuse_amd(contract, "AICR")
    gate, check = _judged(contract)
    accelerator = ACCELERATORS.get(contract.site.system["gpu"], "any")
    profile = PROFILES[check].get(accelerator)
    name = f"acceptance-{object_name(contract)}"
    yield from heading(
        contract, "A folder of overlays that holds it is given as: aicr recipe --data FOLDER, then aicr validate"
    )
    yield from left_out(contract, [gate.code])
    yield f"kind: RecipeMetadata\napiVersion: {API}\nmetadata:\n  name: {name}\nspec:\n  base: base\n"
    yield f"  criteria:\n    service: {SERVICE}\n    accelerator: {accelerator}\n    intent: training\n"
    yield "  componentRefs: []\n  validation:\n    performance:\n      checks:\n"
    yield f"        - {check}\n      constraints:\n"
    yield f"        # {line_of(gate)}\n"
    yield f"        # Passes at {gate.pass_at:g} {gate.unit}: AICR accepts from {TOLERANCE} of the value that is written\n"
    if profile is None:
        yield f"        # AICR has no job for {contract.site.system['gpu']} and skips the check: a skip is no pass\n"
    elif profile:
        yield f"        - name: nccl-benchmark-profile\n          value: {profile}\n"
    yield f'        - name: {check}\n          value: ">= {gate.pass_at / TOLERANCE:.4g}"\n'
    yield f"          unit: {gate.unit}\n          severity: error\n"


def _judged(contract: Contract) -> tuple[Gate, str]:
    """The gate that AICR's one job is, and the check that runs it: over the network, or where there is none inside it."""
    gates = {gate.code: gate for gate in contract.gates}
    if over := gates.get("cluster_all_reduce"):
        return over, CHECK
    inside = gates.get("domain") or gates.get("node")
    if inside is None:
        raise ValueError("a contract has gates inside a node")
    return inside, CHECK_INSIDE if inside.code == "domain" else CHECK
