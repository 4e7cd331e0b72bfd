"""The command line, as a user runs it: JSON in, JSON out, problems on standard error, exit codes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.estimator.verbs import run

ROOT = Path(__file__).parents[2]
SPEC = {"compute": {"server": "dgx-h100", "nodes": 127}, "fabric": {"generation": "ndr"}}
REQUEST = {"system": {"gpu": "h100-sxm"}, "gpus": [8, 16], "message_bytes": [8, 2**30]}


def refused(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The refusal: exit 2, nothing on standard output, one JSON object on standard error."""
    assert done.returncode == 2
    assert done.stdout == ""
    answer = json.loads(done.stderr)
    assert set(answer) == {"code", "problems"}
    assert all(set(problem) - {"change"} == {"field", "code", "message"} for problem in answer["problems"])
    return answer


def test_an_estimate_from_a_file_and_from_standard_input_are_the_same(tmp_path: Path) -> None:
    file = tmp_path / "spec.json"
    file.write_text(json.dumps(SPEC))
    from_file, from_input = run("estimate", str(file)), run("estimate", "-", text=SPEC)
    assert from_file.returncode == 0
    assert from_file.stderr == ""
    assert from_file.stdout == from_input.stdout
    made = json.loads(from_file.stdout)
    assert set(made) == {
        "spec",
        "versions",
        "spec_hash",
        "fabrics",
        "findings",
        "bom",
        "cost",
        "power",
        "performance",
        "failures",
        "growth",
    }
    assert made["fabrics"]["compute"]["counts"]["leaf"] == 32


def test_an_estimate_starts_without_what_it_does_not_use() -> None:
    """Each takes a hundredth of the start or more: what looks for plugins and reads mail, other networks' files, graphs."""
    command = [sys.executable, "-X", "importtime", "-m", "estimator", "estimate", "-"]
    done = subprocess.run(
        command, input=json.dumps(SPEC), capture_output=True, text=True, cwd=ROOT, timeout=60, check=True
    )
    assert done.stdout == run("estimate", "-", text=SPEC).stdout
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "|" in line}
    assert {"pydantic", "estimator.pipeline"} <= loaded
    assert not loaded & {
        "importlib.metadata",
        "email.message",
        "socket",
        "estimator.handoff.formats",
        "networkx",
        "scipy",
    }


def test_only_computes_just_those_parts() -> None:
    made = json.loads(run("estimate", "-", "--only", "counts,links", text=SPEC).stdout)
    assert set(made) == {"spec", "versions", "spec_hash", "fabrics", "findings"}
    assert "transceivers" not in made["fabrics"]["compute"]
    made = json.loads(run("estimate", "-", "--only", "cost", text=SPEC).stdout)
    assert "cost" in made
    assert "bom" not in made


def test_a_prediction_has_a_row_for_each_count_and_size() -> None:
    rows = json.loads(run("predict", "-", text=REQUEST).stdout)["rows"]
    assert [(row["gpus"], row["message_bytes"]) for row in rows] == [(8, 8), (8, 2**30), (16, 8), (16, 2**30)]
    assert all(row["time_us_low"] <= row["time_us"] <= row["time_us_high"] for row in rows)


def test_the_catalog_lists_one_kind_or_all() -> None:
    switches = json.loads(run("catalog", "switches").stdout)
    assert any(record["id"] == "nvidia-qm9700" for record in switches["records"])
    everything = json.loads(run("catalog").stdout)
    assert everything["switches"] == switches["records"]
    models = json.loads(run("catalog", "models").stdout)
    assert everything["models"] == models["records"]
    assert any(record["id"] == "llama3-70b" and record["layers"] == 80 for record in models["records"])
    assert "not_a_choice" in str(refused(run("catalog", "toasters")))


@pytest.mark.parametrize(
    ("arguments", "text", "code"),
    [
        (("estimate", "-"), "{", "not_json"),
        (("estimate", "-"), "", "not_json"),
        (("estimate", "-"), '{"compute": {"nodes": NaN}, "fabric": {"generation": "ndr"}}', "not_json"),
        (("estimate", "-"), "[" * 100_000, "too_deep"),
        (("estimate", "-"), "\ud800".encode("utf-8", "replace").decode(), "not_json"),
        (("estimate", "-"), '{"x": "' + "a" * 5_000_001 + '"}', "too_large"),
        (("estimate", "/no/such/file"), "", "cannot_read"),
        (("estimate", "/"), "", "cannot_read"),
        (("estimate", "-", "--only", "counts,prices"), SPEC, "not_a_choice"),
        (("estimate",), "", "bad_command"),
        (("divine",), "", "bad_command"),
        ((), "", "bad_command"),
        (
            ("estimate", "-"),
            {"compute": {"nodes": 300}, "fabric": {"generation": "ndr", "tiers": 2}},
            "two_tier_too_small",
        ),
        (("predict", "-"), {**REQUEST, "gpus": [0]}, "out_of_range"),
    ],
)
def test_a_refusal_is_json_with_a_code(arguments: tuple[str, ...], text: Any, code: str) -> None:
    assert code in {problem["code"] for problem in refused(run(*arguments, text=text))["problems"]}


def test_a_quote_is_held_against_a_design_without_a_database(tmp_path: Path) -> None:
    spec, quote = tmp_path / "spec.json", tmp_path / "quote.csv"
    spec.write_text(json.dumps({"compute": {"server": "dgx-h100", "nodes": 8}, "fabric": {"generation": "ndr"}}))
    quote.write_text("Part number,Qty,Unit price\nMQM9700-NS2F,4,30000\nX-1,1,5\n")
    done = run("quote", str(spec), str(quote))
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert [line["part"] for line in answer["lines"]] == ["nvidia-qm9700"]
    assert [line["part_number"] for line in answer["surplus"]] == ["X-1"]
    quote.write_bytes(b"%PDF-1.7")
    done = run("quote", str(spec), str(quote))
    assert (done.returncode, done.stdout) == (2, "")
    assert json.loads(done.stderr)["problems"][0]["code"] == "not_a_table"


def test_a_layout_is_placed_by_name_of_format(tmp_path: Path) -> None:
    layout = tmp_path / "layout.json"
    layout.write_text(json.dumps({"parallel": {"tp": 8, "dp": 4}}))
    done = run("place", "-", str(layout), text=SPEC)
    assert json.loads(done.stdout)["nodes"] == 4
    assert run("place", "-", str(layout), "--format", "hostfile", text=SPEC).stdout.count("slots=8") == 4
    assert "torchrun" in refused(run("place", "-", str(layout), "--format", "x", text=SPEC))["problems"][0]["message"]
    layout.write_text(json.dumps({"parallel": {"tp": 8, "dp": 400}}))
    assert refused(run("place", "-", str(layout), text=SPEC))["problems"][0]["code"] == "layout_too_large"


def test_a_contract_is_printed_and_results_are_judged(tmp_path: Path) -> None:
    planned = run("accept", "-", text=SPEC)
    assert planned.stderr == ""
    answer = json.loads(planned.stdout)
    keys = {
        "code",
        "scope",
        "command",
        "bytes",
        "expected",
        "low",
        "high",
        "pass_at",
        "false_alarm",
        "miss",
        "on_failure",
    }
    assert all(keys <= set(gate) for gate in answer["gates"])
    assert {result["verdict"] for result in answer["results"]} == {"not_run"}
    assert run("accept", "-", "--format", "script", text=SPEC).stdout.startswith("#!/usr/bin/env bash\n")
    assert f"# gates_sha256 {answer['gates_sha256']}" in run("accept", "-", "--format", "nvcre", text=SPEC).stdout
    command = [sys.executable, "-m", "estimator", "accept", "-", "--format", "pdf"]
    paper = subprocess.run(command, input=json.dumps(SPEC).encode(), capture_output=True, check=True, cwd=ROOT)
    assert paper.stdout.startswith(b"%PDF-")
    log = tmp_path / "node__node-0001__1.log"
    log.write_text(
        " 17179869184 4294967296 float sum -1 100000 171.80 300.65 0 100000 171.80 300.65 0\n# nGpus 8\n# all_reduce_perf\n"
    )
    judged = run("accept", "-", "--results", str(log), text=SPEC)
    measured = [result for result in json.loads(judged.stdout)["results"] if result["measured"]]
    assert [(one["gate"], one["verdict"], one["where"]) for one in measured] == [("node", "fail", "node-0001")]
    assert refused(run("accept", "-", "--format", "x", text=SPEC))["problems"][0]["code"] == "not_a_choice"
    assert refused(run("accept", "-", "--results", "/nowhere", text=SPEC))["problems"][0]["code"] == "cannot_read"
    log.write_bytes(bytes(100))
    assert refused(run("accept", "-", "--results", str(log), text=SPEC))["problems"][0]["code"] == "no_results"


def test_settings_of_all_devices_are_printed_with_their_sources() -> None:
    spec = {"compute": {"server": "dgx-h100", "nodes": 16}, "fabric": {"generation": "roce-400"}}
    planned = run("bringup", "-", "--plan", text=spec)
    assert planned.stderr == ""
    answer = json.loads(planned.stdout)
    assert {"classes", "ports", "ecn", "mtu", "values"} <= set(answer)
    assert all({"key", "value", "source", "trust", "alternatives", "why"} <= set(one) for one in answer["values"])
    assert all(
        {"switch", "ports", "speed_gbit_s", "cable_m", "headroom_bytes", "formula"} <= set(one)
        for one in answer["ports"]
    )
    assert run("bringup", "-", "--target", "nic", text=spec).stdout.startswith("#!/usr/bin/env bash\n")
    assert run("bringup", "-", "--target", "nic", "--file", "cables.csv", text=spec).stdout.count("node-0016,") == 8
    assert refused(run("bringup", "-", "--target", "x", text=spec))["problems"][0]["code"] == "not_a_choice"
    assert (
        run("bringup", "-", "--target", "nvue", "--data-class", "trimming", text=spec).stdout.count("roce mode lossy")
        == 1
    )
    assert (
        "crews"
        in run("bringup", "-", "--target", "checklist", "--file", "effort.csv", "--weeks", "1", text=spec).stdout
    )
    assert refused(run("bringup", "-", "--data-class", "x", text=spec))["problems"][0]["code"] == "not_a_choice"
    late = refused(run("bringup", "-", "--target", "checklist", "--weeks", "0", text=spec))
    assert late["problems"][0]["code"] == "out_of_range"


def test_settings_that_devices_have_are_checked_against_the_plan(tmp_path: Path) -> None:
    spec = {"compute": {"server": "dgx-h100", "nodes": 4}, "fabric": {"generation": "roce-400"}}
    file = tmp_path / "running.nvue"
    file.write_text(run("bringup", "-", "--target", "nvue", text=spec).stdout)
    clean = run("check-settings", "-", f"leaf-r1-001:{file}", text=spec)
    assert clean.stderr == ""
    answer = json.loads(clean.stdout)
    assert set(answer) == {"findings", "paths", "unread", "spec_hash", "versions"}
    assert answer["findings"] == []
    file.write_text(file.read_text().replace("link mtu 9216", "link mtu 1500"))
    (finding, *_) = json.loads(run("check-settings", "-", f"leaf-r1-001:{file}", text=spec).stdout)["findings"]
    assert (finding["code"], finding["device"], finding["file"]) == ("mtu_small", "leaf-r1-001", "running.nvue")
    assert finding["cost"]["to"] < finding["cost"]["from"]
    trims = json.loads(run("check-settings", "-", f"leaf-r1-001:{file}", "--data-class", "trimming", text=spec).stdout)
    assert "pfc_on" in {one["code"] for one in trims["findings"]}
    assert refused(run("check-settings", "-", "/nowhere", text=spec))["problems"][0]["code"] == "cannot_read"


def test_what_changed_in_settings_is_printed_with_its_reasons(tmp_path: Path) -> None:
    spec = {"compute": {"server": "dgx-h100", "nodes": 8}, "fabric": {"generation": "roce-400"}}
    old = tmp_path / "old.json"
    old.write_text(json.dumps(spec))
    longer = spec | {"site": {"node_leaf_m": 50}}
    found = json.loads(run("bringup", "-", "--since", str(old), text=longer).stdout)
    assert {one["kind"] for one in found["changes"]} == {"headroom", "nic_headroom"}
    assert all("the longest cable of the group grew" in one["why"] for one in found["changes"])
