"""The contract as a Certification of NVIDIA's Cluster Readiness Engine (NVCRE), which runs nccl-tests on Kubernetes.

Source of the form: NVIDIA/cluster-readiness-engine, api/v1alpha1/certification_types.go, docs/api-reference/certification.md,
catalog entries communication/nccl-all-reduce, nccl-all-gather and nccl-alltoall; of the label of nodes with GPUs:
NVIDIA/gpu-operator, controllers/state_manager.go (commit a22dbf6). A threshold is a CEL expression on the best
bus bandwidth over all sizes, which is the one that a gate judges. Its commands force no algorithm: a pair is therefore judged
on all-gather alone, as trees of an all-reduce on two nodes exceed the wire.
"""

import json
from collections.abc import Iterator
from typing import NamedTuple

from estimator.bringup.acceptance.exports.heading import heading, left_out, line_of, object_name, refuse_amd
from estimator.bringup.acceptance.gates import GIB, WHOLE_BYTES, Contract
from estimator.bringup.acceptance.result import Gate
from estimator.bringup.acceptance.site import Site

API, NAMESPACE = "nvcre.nvidia.com/v1alpha1", "nvcre"
SCALES = {"node": "intra-node", "domain": "intra-rack", "pair": "full-scale", "cluster": "full-scale"}
VARIANTS = {"all_reduce": "nccl-all-reduce", "all_gather": "nccl-all-gather", "alltoall": "nccl-alltoall"}
FORCED = ("pair_all_reduce",)  # gates whose algorithm is forced, which no category can do


class Category(NamedTuple):
    """One category of the certification, and the gate that it is."""

    gate: Gate
    variant: str
    options: dict[str, str | int | bool | dict[str, str]]


def write(contract: Contract) -> Iterator[str]:
    """The YAML, piece by piece.

    Raises
    ------
    SpecError
        If the site's GPUs are not NVIDIA's.
    """
    refuse_amd(contract, "NVCRE")
    site, categories = contract.site, [_category(gate, contract.site) for gate in contract.gates if _is_held(gate)]
    yield from heading(contract, "Apply with: kubectl apply -f nvcre.yaml, or nvcrectl certification run -f nvcre.yaml")
    yield from left_out(contract, (one.gate.code for one in categories))
    yield f"apiVersion: {API}\nkind: Certification\nmetadata:\n"
    yield f"  name: acceptance-{object_name(contract)}\n  namespace: {NAMESPACE}\n"
    yield 'spec:\n  target:\n    nodeSelector:\n      nvidia.com/gpu.present: "true"\n'
    yield f"  gpusPerNode: {site.gpus_per_node}\n  mlnxPerNode: {int(site.system['nics_per_node'])}\n"
    yield f"  maxBytes: {WHOLE_BYTES // GIB}G\n  categories:\n"
    for one in categories:
        yield f"    # {line_of(one.gate)}\n"
        yield f"    - domain: communication\n      variant: {one.variant}\n      options:\n"
        for key, value in one.options.items():
            yield _entry(key, value)


def _is_held(gate: Gate) -> bool:
    return gate.scope in SCALES and gate.collective in VARIANTS and gate.code not in FORCED


def _category(gate: Gate, site: Site) -> Category:
    options: dict[str, str | int | bool | dict[str, str]] = {"testScale": SCALES[gate.scope], "nodesPerJob": gate.nodes}
    if site.domain_nodes > 1:
        options["enableMNNVL"] = gate.scope != "node"
    options["thresholds"] = {"busBandwidthGBps": f"value >= {gate.pass_at:g}"}
    return Category(gate, VARIANTS[str(gate.collective)], options)


def _entry(key: str, value: object) -> str:
    if isinstance(value, dict):
        return f"        {key}:\n" + "".join(f"          {name}: {json.dumps(text)}\n" for name, text in value.items())
    return f"        {key}: {json.dumps(value) if isinstance(value, bool) else value}\n"
