"""The quick site fit: it finds constants that logs were made with, leaves alone what they do not inform, says its bounds."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from estimator.calibration.logged_run import LoggedRun, gpu_named
from estimator.calibration.measured import measured_runs
from estimator.calibration.predictor import Predictor
from estimator.calibration.site_fit import MAX_LOGS, calibrate
from estimator.catalog.constants import ModelConstants
from estimator.catalog.loader import load_catalog
from estimator.errors import SpecError
from estimator.performance.prediction import predict
from estimator.pipeline import estimate
from estimator.spec.calibration import Calibrated, calibrated_problems, constants_of
from estimator.spec.design import spec_hash
from estimator.spec.parse import parse_spec
from tests.estimator import verbs
from tests.estimator.calibration.log_texts import LOGS, measured_log

CATALOG = load_catalog()
NETWORK = {"fabric": "infiniband", "nics_per_node": 8, "nic_gbit_s": 400}
SIZES = [2**p for p in range(3, 34)]


def made_log(values: dict[tuple[str, str], float], gpus: int, nodes: int, noise: float = 0.0, seed: int = 7) -> bytes:
    """A log with exactly the times that the model has for these constants, times a seeded noise."""
    system = {
        "gpu": "h100-sxm",
        "gpus_per_node": 8,
        "scale_up_domain_gpus": 8,
        **(NETWORK if nodes > 1 else {"fabric": "none"}),
    }
    sizes = tuple(SIZES)
    run = LoggedRun("", "all_reduce", gpus, system, "process-per-gpu", None, None, sizes, (1.0,) * len(sizes))
    predictor = Predictor([run], CATALOG)
    times = predictor.predicted_s(predictor.constants.replaced(values)) * 1e6
    times *= np.exp(noise * np.random.default_rng(seed).standard_normal(len(times)))
    return measured_log(gpus=gpus, nodes=nodes, rows=list(zip(SIZES, times.tolist(), strict=True)))


def fitted(data: bytes, system: dict[str, Any] | None = None, name: str = "log.txt") -> dict[str, Any]:
    return calibrate([(name, data)], system or {}, CATALOG).as_json()


# ---------------------------------------------------------------- what the fit finds
def test_constants_that_a_log_was_made_with_are_found() -> None:
    truth = {("launch", "process-per-gpu"): 14.0, ("nvls_efficiency", "hopper"): 0.56, ("nvls_fill", ""): 110.0}
    answer = fitted(made_log(truth, 8, 1))
    values = {name: row["value"] for name, row in answer["parameters"].items()}
    assert values["launch.process-per-gpu"] == pytest.approx(14.0, abs=1.5)
    assert values["nvls_efficiency.hopper"] == pytest.approx(0.56, rel=0.01)
    assert values["nvls_fill"] == pytest.approx(110.0, rel=0.12)
    assert all(error < 0.02 for error in answer["error"]["after"].values())
    assert answer["error"]["before"]["large"] > 0.05
    assert answer["error"]["before"]["small"] > 0.2


def test_a_slower_network_is_found_in_the_network_and_a_slower_node_in_its_links() -> None:
    slow = {("network_efficiency", "infiniband"): 0.9}
    answer = fitted(made_log(slow, 32, 4), NETWORK)
    assert answer["parameters"]["network_efficiency.infiniband"]["value"] == pytest.approx(0.9, rel=0.012)
    inside = fitted(made_log({("nvls_efficiency", "hopper"): 0.56}, 8, 1))
    assert not [name for name in inside["parameters"] if name.startswith(("network", "fabric"))]


def test_a_log_of_the_model_itself_moves_nothing_far() -> None:
    answer = fitted(made_log({}, 16, 2), NETWORK)
    base = ModelConstants(CATALOG)
    for name, row in answer["parameters"].items():
        first, _, rest = name.partition(".")
        assert row["value"] == pytest.approx(float(base.row(first, rest).value), rel=0.12), name
        assert not row["at_bound"]
    assert max(answer["error"]["after"].values()) < 0.01


def test_the_spread_holds_the_truth_nine_times_in_ten_and_grows_with_the_noise() -> None:
    truth = {("nvls_efficiency", "hopper"): 0.57}
    widths: dict[float, list[float]] = {0.01: [], 0.05: []}
    hits = 0
    for noise, found in widths.items():
        for seed in range(12):
            row = fitted(made_log(truth, 8, 1, noise, seed))["parameters"]["nvls_efficiency.hopper"]
            hits += row["low"] <= 0.57 <= row["high"]
            found.append(row["high"] - row["low"])
    assert 18 <= hits <= 24
    assert 2 < np.median(widths[0.05]) / np.median(widths[0.01]) < 8


def test_a_value_at_its_bound_says_so() -> None:
    row = fitted(made_log({("nvls_efficiency", "hopper"): 0.4}, 8, 1))["parameters"]["nvls_efficiency.hopper"]
    assert row["at_bound"]
    assert row["value"] == pytest.approx(row["bounds"]["from"], rel=0.01)
    assert row["bounds"]["from"] == pytest.approx(0.596 * 0.92, rel=0.01)


def test_several_logs_share_what_they_have_in_common() -> None:
    truth = {("nvls_efficiency", "hopper"): 0.57, ("network_efficiency", "infiniband"): 0.91}
    files = [("node.txt", made_log(truth, 8, 1)), ("four.txt", made_log(truth, 32, 4))]
    answer = calibrate(files, NETWORK, CATALOG).as_json()
    values = {name: row["value"] for name, row in answer["parameters"].items()}
    assert values["nvls_efficiency.hopper"] == pytest.approx(0.57, rel=0.015)
    assert values["network_efficiency.infiniband"] == pytest.approx(0.91, rel=0.015)
    assert [log["system"]["fabric"] for log in answer["logs"]] == ["infiniband", "infiniband"]
    assert [curve["file"] for curve in answer["curves"]] == ["node.txt", "four.txt"]


@pytest.mark.parametrize("name", sorted(path.name for path in LOGS.iterdir()))
def test_own_logs_are_nearer_after_the_fit_than_before(name: str) -> None:
    answer = fitted((LOGS / name).read_bytes(), {"fit_faulty": True}, name=name)
    before, after = answer["error"]["before"], answer["error"]["after"]
    classes = [key for key in before if before[key] is not None]
    assert sum(after[key] for key in classes) < sum(before[key] for key in classes)
    assert after["large"] <= before["large"] + 0.02
    assert answer["logs"][0]["is_fitted"]
    if not name.startswith(("h100x4_shared", "h100x4_sockets")):
        assert after["large"] < 0.035
        assert after["small"] < 0.1


def test_carried_healthy_runs_of_many_sizes_fit_within_few_per_cent() -> None:
    """Core runs of twenty sizes and more: the site fit must beat the targets of the global one."""
    after: dict[str, list[float]] = {"large": [], "mid": [], "small": []}
    for run in measured_runs():
        if run.family != "core" or len(run.time_us) < 20 or run.algorithm:
            continue
        data = measured_log(
            gpus=run.gpus, rows=list(zip(run.message_bytes, run.time_us, strict=True)), collective=run.collective
        )
        system = run.system | {"launch": run.launch}
        answer = calibrate([(run.name, data)], system, CATALOG).as_json()
        for key, value in answer["error"]["after"].items():
            after[key] += [value] if value is not None else []
    assert len(after["large"]) > 10
    assert np.median(after["large"]) < 0.02
    assert np.median(after["mid"]) < 0.06
    assert np.median(after["small"]) < 0.06


# ---------------------------------------------------------------- which system a log ran on
@pytest.mark.parametrize(
    ("printed", "gpu"),
    [
        ("NVIDIA H100 80GB HBM3", "h100-sxm"),
        ("NVIDIA H100 PCIe", "h100-pcie"),
        ("NVIDIA H100 NVL", "h100-nvl"),
        ("NVIDIA A100-SXM4-40GB", "a100-40-sxm"),
        ("NVIDIA A100-SXM4-80GB", "a100-80-sxm"),
        ("NVIDIA A100 80GB PCIe", "a100-80-pcie"),
        ("Tesla V100-SXM2-32GB", "v100-sxm"),
        ("NVIDIA H200", "h200-sxm"),
        ("NVIDIA GH200 120GB", "gh200-141"),
        ("NVIDIA B200", "b200-sxm"),
        ("NVIDIA GB200", "gb200"),
        ("NVIDIA GB300", "gb300"),
        ("AMD Instinct MI300X", "mi300x"),
        ("NVIDIA L40S", "l40s"),
        ("NVIDIA H20", "h20-sxm"),
        ("NVIDIA A800-SXM4-80GB", "a800-80-sxm"),
        ("NVIDIA H800", "h800-sxm"),
        ("AMD Instinct MI250X", "mi250x"),
        ("NVIDIA Z9", None),
        ("NVIDIA GeForce RTX 3090", None),
        ("", None),
    ],
)
def test_a_gpu_by_its_printed_name(printed: str, gpu: str | None) -> None:
    assert gpu_named(printed, CATALOG) == gpu


def test_the_log_says_gpu_counts_launch_and_forced_algorithm() -> None:
    log = fitted((LOGS / "h100x4_ring_ll128.txt").read_bytes())["logs"][0]
    assert log["system"] == {
        "gpu": "h100-sxm",
        "gpus_per_node": 4,
        "scale_up_domain_gpus": 4,
        "library": "22809",
        "scale_up_reduction": False,
        "fabric": "none",
    }
    assert (log["launch"], log["assumed"], log["problems"]) == ("single-process", [], [])
    forced = fitted((LOGS / "h100x4_tree_simple.txt").read_bytes())
    free = fitted((LOGS / "h100x4_tree_simple.txt").read_bytes(), {"algorithm": "ring", "fit_faulty": True})
    assert forced["error"]["before"]["large"] < 0.07 < free["error"]["before"]["large"]


def test_a_network_that_nobody_named_is_asked_for_and_what_was_taken_is_said() -> None:
    log = fitted(made_log({}, 16, 2))["logs"][0]
    assert log["assumed"] == ["fabric", "nics_per_node", "nic_gbit_s"]
    (problem,) = log["problems"]
    assert (problem["field"], problem["code"]) == ("system.fabric", "assumed")
    assert "Taken: InfiniBand, 8 NICs a node" in problem["message"]
    named = fitted(made_log({}, 16, 2), NETWORK)["logs"][0]
    assert (named["assumed"], named["problems"]) == ([], [])


def test_messages_of_the_library_name_the_network() -> None:
    for line, fabric in (
        ("n0:1:2 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [RO]", "roce"),
        ("n0:1:2 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB", "infiniband"),
        ("n0:1:2 [0] NCCL INFO NET/OFI Selected Provider is efa", "efa"),
        ("n0:1:2 [0] NCCL INFO NET/OFI Selected Provider is cxi", "slingshot"),
    ):
        data = measured_log(gpus=16, nodes=2, rows=[(2**30, 5000.0)], extra=[line])
        assert fitted(data)["logs"][0]["system"]["fabric"] == fabric


def test_a_log_whose_machine_is_unknown_is_read_and_asks() -> None:
    answer = fitted(measured_log(gpu="NVIDIA Z9", rows=[(2**30, 4000.0)]))
    assert (answer["parameters"], answer["diagnosis"]) == ({}, [])
    assert answer["error"] == {
        "before": dict.fromkeys(("large", "mid", "small")),
        "after": dict.fromkeys(("large", "mid", "small")),
    }
    (log,) = answer["logs"]
    assert (log["rows"], log["is_fitted"]) == (1, False)
    assert [problem["field"] for problem in log["problems"]] == ["system.gpu"]
    assert fitted(measured_log(gpu="NVIDIA Z9", rows=[(2**30, 4000.0)]), {"gpu": "h100-sxm"})["logs"][0]["is_fitted"]


@pytest.mark.parametrize(
    ("system", "field"),
    [
        ({"gpus_per_node": 0}, "gpus_per_node"),
        ({"fabric": "tokenring"}, "fabric"),
        ({"nothing": 1}, "nothing"),
        ({"algorithm": "guess"}, "algorithm"),
        ([], ""),
        ({"system": {"nics_per_node": -1}}, "nics_per_node"),
    ],
)
def test_a_wrong_system_is_refused_by_its_field(system: Any, field: str) -> None:
    with pytest.raises(SpecError) as error:
        calibrate([("a.txt", (LOGS / "h100x4_all_reduce.txt").read_bytes())], system, CATALOG)
    assert [problem.field for problem in error.value.problems] == [field]


def test_impossible_systems_are_reported_and_never_break() -> None:
    data = made_log({}, 16, 2)
    for system in (
        {"fabric": "none"},
        NETWORK | {"nics_per_node": 0},
        NETWORK | {"algorithm": "nvls"},
        {"gpu": "nothing"},
    ):
        log = fitted(data, system)["logs"][0]
        assert log["problems"]
    assert fitted(measured_log(gpus=1, rows=[(2**30, 4000.0)]))["logs"][0]["is_fitted"] is False


def test_a_log_across_domains_without_a_network_is_not_fitted() -> None:
    data = measured_log(gpus=16, nodes=2, rows=[(2**p, 30.0 + 2**p / 200e3) for p in range(3, 34)])
    good = ("good.txt", (LOGS / "h100x4_all_reduce.txt").read_bytes())
    answer = calibrate([("cut.txt", data), good], {"fabric": "none"}, CATALOG).as_json()
    first, second = answer["logs"]
    assert first["problems"][-1]["code"] == "no_network"
    assert (first["is_fitted"], first["system"], second["is_fitted"]) == (False, None, True)
    assert [curve["file"] for curve in answer["curves"]] == ["good.txt"]
    assert {fault["file"] for fault in answer["diagnosis"]} == {"good.txt"}
    assert answer["parameters"] == calibrate([good], {"fabric": "none"}, CATALOG).as_json()["parameters"]


def test_no_log_too_many_logs_and_a_log_of_nothing_are_refused() -> None:
    good = ("a.txt", (LOGS / "h100x4_all_reduce.txt").read_bytes())
    for files, code in (
        ([], "missing"),
        ([good] * (MAX_LOGS + 1), "too_many_logs"),
        ([good, ("b.txt", b"x")], "no_rows"),
    ):
        with pytest.raises(SpecError) as error:
            calibrate(files, {}, CATALOG)
        assert [problem.code for problem in error.value.problems] == [code]


# ---------------------------------------------------------------- where a calibration goes
def test_a_prediction_takes_it_and_says_so() -> None:
    answer = fitted((LOGS / "h100x4_all_reduce.txt").read_bytes())
    calibrated: dict[str, Any] = {
        "name": "lab",
        "parameters": {key: row["value"] for key, row in answer["parameters"].items()},
    }
    (log,), (curve,) = answer["logs"], answer["curves"]
    request = {
        "system": log["system"],
        "gpus": [4],
        "message_bytes": curve["message_bytes"],
        "launch": log["launch"],
        "calibration": calibrated,
    }
    predicted = predict(request, CATALOG)
    assert [row["time_us"] for row in predicted["rows"]] == pytest.approx(curve["after_us"], rel=1e-9)
    assert predicted["calibration"] == Calibrated(**calibrated).provenance()


def test_designs_of_one_batch_keep_their_own_constants() -> None:
    base = {"compute": {"server": "dgx-h100", "nodes": 64}, "fabric": {"generation": "ndr"}}
    values = [0.6, None, 0.8]
    specs = [
        parse_spec(
            base
            | {
                "workload": {"calibration": {"name": str(v), "parameters": {"network_efficiency.infiniband": v}}}
                if v
                else {}
            },
            CATALOG,
        )
        for v in values
    ]
    together = [made.performance for made in estimate(specs, CATALOG, ("counts", "performance"))]
    alone = [estimate([spec], CATALOG, ("counts", "performance"))[0].performance for spec in specs]
    assert together == alone
    busbw = [made.all_reduce.busbw_gb_s[-1][-1] for made in together]
    assert busbw[0] == pytest.approx(0.75 * busbw[2], rel=0.01)
    assert busbw[1] > busbw[2]
    assert [made.calibration.name if made.calibration else None for made in together] == [
        "0.6",
        None,
        "0.8",
    ]
    assert len({spec_hash(spec) for spec in specs}) == 3


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        ({"no.such": 1.0}, "unknown_constant"),
        ({"network_efficiency.infiniband": 0.0}, "out_of_range"),
        ({"network_efficiency.infiniband": 5.0}, "out_of_range"),
        ({"launch.process-per-gpu": -1.0}, "out_of_range"),
        ({"launch.process-per-gpu": 1e12}, "out_of_range"),
        ({"ring_efficiency.": 0.5}, "unknown_constant"),
    ],
)
def test_constants_that_cannot_be_are_refused(parameters: dict[str, float], code: str) -> None:
    (problem,) = calibrated_problems(Calibrated(name="x", parameters=parameters), CATALOG, "calibration")
    assert (problem.field, problem.code) == ("calibration.parameters", code)


def test_the_hash_is_of_the_values_alone() -> None:
    one = Calibrated(name="a", parameters={"nvls_fill": 60.0, "ring_fill.hopper": 4.0})
    other = Calibrated(name="b", parameters={"ring_fill.hopper": 4.0, "nvls_fill": 60.0})
    assert one.hash == other.hash != Calibrated(name="a", parameters={"nvls_fill": 61.0, "ring_fill.hopper": 4.0}).hash
    assert constants_of(CATALOG, one).value("nvls_fill") == pytest.approx(60e-6)


# ---------------------------------------------------------------- command line
def test_the_command_reads_several_logs_and_a_system(tmp_path: Path) -> None:
    (tmp_path / "two.txt").write_bytes(made_log({}, 16, 2))
    (tmp_path / "system.json").write_text(json.dumps(NETWORK))
    done = verbs.run(
        "calibrate", LOGS / "h100x4_all_reduce.txt", tmp_path / "two.txt", "--system", tmp_path / "system.json"
    )
    assert (done.returncode, done.stderr) == (0, "")
    answer = json.loads(done.stdout)
    assert {"parameters", "logs", "error", "diagnosis"} <= set(answer)
    assert [log["gpus"] for log in answer["logs"]] == [4, 16]
    for row in answer["parameters"].values():
        assert {"value", "low", "high", "at_bound"} <= set(row)
        assert row["low"] <= row["value"] <= row["high"]


def test_the_command_refuses_in_the_one_shape(tmp_path: Path) -> None:
    (tmp_path / "no.txt").write_text("nothing")
    for arguments, code in (
        ([], "bad_command"),
        (["missing.txt"], "cannot_read"),
        ([str(tmp_path / "no.txt")], "no_rows"),
    ):
        done = verbs.run("calibrate", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert [problem["code"] for problem in json.loads(done.stderr)["problems"]] == [code]
