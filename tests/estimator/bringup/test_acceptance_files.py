"""The contract as files of other tools and as a paper, held to the tools' own schemas and parsers as their sources have them.

None of the parsers installs here (two are Go, one bash on Azure's images), so each grammar is restated with its source.
"""

import csv
import hashlib
import io
import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from pypdf import PdfReader

from estimator.bringup.acceptance.constants import constants
from estimator.bringup.acceptance.design import accepted, design_contract
from estimator.bringup.acceptance.digest import gates_sha256
from estimator.bringup.acceptance.exports import signed
from estimator.bringup.acceptance.exports.formats import ACCEPTANCE_FORMATS
from estimator.bringup.acceptance.gates import Contract
from estimator.bringup.acceptance.judge import judged
from estimator.bringup.acceptance.result import Gate
from estimator.catalog.loader import load_catalog
from estimator.errors import SpecError
from tests.estimator.bringup.sites import FOUR_UNITS, spec_of

RACKS = {"name": "Racks", "compute": {"server": "gb200-tray", "gpus": 576}, "fabric": {"generation": "ndr"}}
ONE_RACK = {"name": "One", "compute": {"server": "gb300-tray", "gpus": 72}, "fabric": {"generation": "xdr"}}
AMD = {"name": "AMD", "compute": {"server": "smc-8125gs-mi300x", "nodes": 64}, "fabric": {"generation": "roce-400"}}
SMALL = {"name": "Two", "compute": {"server": "dgx-h100", "nodes": 2}, "fabric": {"generation": "ndr"}}
NVIDIA = {"rails": FOUR_UNITS, "racks": RACKS, "one rack": ONE_RACK, "two nodes": SMALL}
FLAGS = Path(__file__).parents[2] / "data" / "launch" / "flags.csv"
WHEN = datetime(2026, 11, 28, 5, 0, tzinfo=UTC)

# api/v1alpha1/certification_types.go: kubebuilder patterns, enumerations and minima of what is written, unknown keys pruned
OPTIONS: dict[str, Any] = {
    "testScale": {"enum": ["intra-node", "intra-rack", "diagnose", "full-scale"]},
    "nodesPerJob": {"type": "integer", "minimum": 1, "maximum": 2**31 - 1},
    "gpusPerNode": {"type": "integer", "minimum": 1},
    "mlnxPerNode": {"type": "integer", "minimum": 0},
    "enableMNNVL": {"type": "boolean"},
    "maxBytes": {"type": "string", "pattern": "^[0-9]+(K|M|G|T)?$"},
    "thresholds": {"type": "object", "additionalProperties": {"type": "string"}},
}
CERTIFICATION = {
    "type": "object",
    "additionalProperties": False,
    "required": ["apiVersion", "kind", "metadata", "spec"],
    "properties": {
        "apiVersion": {"const": "nvcre.nvidia.com/v1alpha1"},
        "kind": {"const": "Certification"},
        "metadata": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "maxLength": 63},
                "namespace": {"type": "string"},
            },
        },
        "spec": {
            "type": "object",
            "additionalProperties": False,
            "required": ["target", "categories"],
            "properties": {
                "target": {"type": "object", "required": ["nodeSelector"]},
                "categories": {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": 64,
                    "items": {
                        "type": "object",
                        "additionalProperties": False,
                        "required": ["domain", "variant"],
                        "properties": {
                            "domain": {"const": "communication"},
                            "variant": {"enum": ["nccl-all-reduce", "nccl-all-gather", "nccl-alltoall"]},
                            "options": {"type": "object", "additionalProperties": False, "properties": OPTIONS},
                        },
                    },
                },
                **OPTIONS,
            },
        },
    },
}
ACCELERATORS = ["any", "a100", "b200", "gb200", "gb300", "h100", "h200", "l40", "rtx-pro-6000", "vr200"]
# pkg/recipe/metadata.go and criteria.go: RecipeMetadata
CONSTRAINT = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name", "value"],
    "properties": {
        **{key: {"type": "string"} for key in ("name", "value", "remediation", "unit")},
        "severity": {"enum": ["error", "warning"]},
    },
}
RECIPE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["kind", "apiVersion", "metadata", "spec"],
    "properties": {
        "kind": {"const": "RecipeMetadata"},
        "apiVersion": {"const": "aicr.run/v1beta1"},
        "metadata": {"type": "object", "required": ["name"]},
        "spec": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "base": {"const": "base"},
                "criteria": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "service": {"enum": ["any", "generic"]},
                        "accelerator": {
                            "enum": [
                                "any",
                                "a100",
                                "b200",
                                "gb200",
                                "gb300",
                                "h100",
                                "h200",
                                "l40",
                                "rtx-pro-6000",
                                "vr200",
                            ]
                        },
                        "intent": {"enum": ["training", "inference"]},
                    },
                },
                "componentRefs": {"type": "array"},
                "validation": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "performance": {
                            "type": "object",
                            "additionalProperties": False,
                            "properties": {
                                "checks": {"type": "array", "items": {"type": "string"}},
                                "constraints": {"type": "array", "items": CONSTRAINT},
                            },
                        }
                    },
                },
            },
        },
    },
}
# pairs that validators/performance/nccl_all_reduce_bw_constraint.go has a job for (supportedNCCLCombinations)
WITH_A_JOB = {
    "nccl-all-reduce-bw": {"h100/eks", "h200/eks", "h100/gke", "h100/aks", "b200/any", "gb200/any"},
    "nccl-all-reduce-bw-nvls": {"gb200/eks", "gb200/oke", "vr200/rke2", "gb300/generic"},
}
# mej/nhc: "hostmask || check"; Azure/azurehpc-health-checks, customTests/*.nhc: what each check takes
NHC_LINE = re.compile(r"^\s*(\S+)\s*\|\|\s*(\S.*?)\s*$")
NUMBER, SIZE, PORT = r"\d+(\.\d+)?", r"\d+[KMG]", r"[A-Za-z0-9_]+:\d+"
NHC_CHECKS = {
    "check_gpu_count": rf"{NUMBER}( rocm)?",
    "check_gpu_bw": rf"{NUMBER}( {NUMBER}( {NUMBER})?)?",
    "check_nccl_allreduce": rf"{NUMBER} \d+ {SIZE}( \S+)?",
    "check_rccl_allreduce": rf"{NUMBER} \d+ {SIZE}",
    "check_nvlink_status": "",
    "check_gpu_xgmi": "",
    "check_hw_ib": rf"\d+ {PORT}",
    "check_ib_bw_gdr": NUMBER,
    "check_ib_bw_non_gdr": NUMBER,
    "check_ib_link_flapping": "",
}


def contract_of(values: Mapping[str, Any]) -> Contract:
    """Kept, as several tests read the same contract."""
    return _contract(json.dumps(values))


@lru_cache(maxsize=8)
def _contract(values: str) -> Contract:
    return design_contract(spec_of(json.loads(values)), load_catalog())


def written(contract: Contract, name: str) -> str:
    return b"".join(ACCEPTANCE_FORMATS[name].write(contract, judged(contract, (), load_catalog()))).decode()


def by_code(contract: Contract) -> dict[str, Gate]:
    return {gate.code: gate for gate in contract.gates}


@pytest.mark.parametrize("design", NVIDIA.values(), ids=NVIDIA)
def test_nvcre_takes_the_certification_and_holds_the_gates_lines(design: Mapping[str, Any]) -> None:
    contract = contract_of(design)
    text = written(contract, "nvcre")
    certification = yaml.safe_load(text)
    jsonschema.validate(certification, CERTIFICATION)
    named = re.findall(r"^    # (\w+): expected", text, re.MULTILINE)
    categories = certification["spec"]["categories"]
    assert len(named) == len(categories)
    for code, category in zip(named, categories, strict=True):
        gate, options = by_code(contract)[code], category["options"]
        assert category["variant"] == f"nccl-{str(gate.collective).replace('_', '-')}"
        assert options["nodesPerJob"] == gate.nodes <= contract.site.n_nodes
        passes = re.fullmatch(r"value >= ([0-9.]+)", options["thresholds"]["busBandwidthGBps"])
        assert passes is not None
        assert float(passes[1]) == gate.pass_at
        assert options.get("enableMNNVL") == ((code != "node") if contract.site.domain_nodes > 1 else None)
    left = re.search(r"by the script: (.*)", text)
    assert sorted([*named, *(left[1].split(", ") if left else [])]) == sorted(by_code(contract))
    assert "pair_all_reduce" not in named  # no category forces the ring, and a tree exceeds the wire
    with FLAGS.open(newline="") as file:
        known = {row["flag"] for row in csv.DictReader(file) if row["tool"] == "nvcre"}
    assert certification["spec"]["target"]["nodeSelector"].keys() <= known


@pytest.mark.parametrize("design", NVIDIA.values(), ids=NVIDIA)
def test_aicr_passes_from_the_gates_line_on(design: Mapping[str, Any]) -> None:
    contract = contract_of(design)
    recipe = yaml.safe_load(written(contract, "aicr"))
    jsonschema.validate(recipe, RECIPE)
    phase, criteria = recipe["spec"]["validation"]["performance"], recipe["spec"]["criteria"]
    (check,) = phase["checks"]
    constraints = {one["name"]: one["value"] for one in phase["constraints"]}
    profile = constraints.pop("nccl-benchmark-profile", f"{criteria['accelerator']}/{criteria['service']}")
    assert profile in WITH_A_JOB[check]
    operator, value = constraints[check].split()  # pkg/constraints/constraint.go: an operator, then the value
    gate = by_code(contract)["domain" if check.endswith("nvls") else "cluster_all_reduce"]
    assert operator == ">="
    assert float(value) * 0.9 == pytest.approx(gate.pass_at, rel=1e-3)  # the validator's tolerance of a tenth


def test_aicr_says_where_it_has_no_job() -> None:
    design = {"compute": {"server": "dgx-a100-640", "nodes": 8}, "fabric": {"generation": "hdr"}}
    text = written(contract_of(design), "aicr")
    assert "skips the check" in text
    assert "nccl-benchmark-profile" not in text


@pytest.mark.parametrize("name", ["nvcre", "aicr"])
def test_tools_for_one_vendor_refuse_the_other(name: str) -> None:
    with pytest.raises(SpecError) as refused:
        written(contract_of(AMD), name)
    assert [problem.code for problem in refused.value.problems] == ["not_for_this_gpu"]


@pytest.mark.parametrize("design", [*NVIDIA.values(), AMD], ids=[*NVIDIA, "AMD"])
def test_node_health_check_takes_every_line(design: Mapping[str, Any]) -> None:
    contract = contract_of(design)
    checks: dict[str, list[str]] = {}
    for line in written(contract, "azure-nhc").splitlines():
        if line.strip() and not line.startswith("#"):
            found = NHC_LINE.match(line)
            assert found is not None, line
            check, _, words = found[2].partition(" ")
            assert re.fullmatch(NHC_CHECKS[check], words), line
            assert found[1] == "*"
            checks.setdefault(check, []).append(words)
    gates, is_amd = by_code(contract), contract.site.is_amd
    copies = checks["check_gpu_bw"][0].split()
    assert float(copies[0]) == gates["pcie"].pass_at
    assert float(copies[1]) == (0 if is_amd else gates["nvlink"].pass_at)
    rate, tries, size = checks["check_rccl_allreduce" if is_amd else "check_nccl_allreduce"][0].split()[:3]
    assert (float(rate), tries, size) == (gates["node"].pass_at, "1", "16G")
    if contract.site.system["fabric"] == "infiniband" and "link" in gates:
        assert [float(words) for words in checks["check_ib_bw_gdr"]] == [gates["link"].pass_at]
        assert len(checks["check_hw_ib"]) == contract.site.n_rails
    else:
        assert "check_ib_bw_gdr" not in checks


def test_the_paper_carries_every_gate_and_a_digest_that_can_be_checked() -> None:
    contract, answer = accepted(spec_of(FOUR_UNITS), load_catalog())
    pdf = signed.write(contract, WHEN)
    text = " ".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages)
    plain = " ".join(text.replace("\N{NO-BREAK SPACE}", " ").split())
    for gate in contract.gates:
        for words in (gate.code, gate.title, f"{gate.pass_at:g} {gate.unit}", f"{gate.expected:g} {gate.unit}"):
            assert words in plain, words
        assert f"{100 * gate.false_alarm:.2g} %" in plain
        assert gate.command.split()[0] in plain
    for words in ("Buyer", "Supplier", "Signature", "Place and date", "28 November 2026", contract.site.spec_hash):
        assert words in plain
    assert "AICR floor of VR200" in plain  # the source of an assumption
    gates = json.loads(b"".join(ACCEPTANCE_FORMATS["json"].write(contract, answer)))["gates"]
    digest = hashlib.sha256(json.dumps(gates, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    assert digest == answer.gates_sha256
    assert plain.count(digest) == 2
    assert signed.write(contract, WHEN) == pdf


def test_another_line_is_another_digest() -> None:
    contract = contract_of(SMALL)
    first, *others = contract.gates
    moved = first.as_json() | {"pass_at": first.pass_at - 0.1}
    assert gates_sha256([Gate.from_json(moved), *others]) != gates_sha256(contract.gates)
    assert gates_sha256(contract_of(SMALL).gates) == gates_sha256(contract.gates)


def test_the_paper_names_the_constants_that_its_gates_rest_on() -> None:
    for design in (AMD, RACKS):
        contract = contract_of(design)
        text = " ".join(page.extract_text() for page in PdfReader(io.BytesIO(signed.write(contract, WHEN))).pages)
        plain = " ".join(text.split())
        resting = {gate.evidence for gate in contract.gates} & {row.evidence for row in constants().values()}
        assert resting
        for evidence in resting:
            assert evidence[:60] in plain
