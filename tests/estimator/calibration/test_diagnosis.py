"""Faults: every carried problem run gets its cause among the first two, no healthy run one with high confidence."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from estimator.calibration import across_logs, signature
from estimator.calibration import diagnosis as of_one_log
from estimator.calibration.diagnosis import diagnosis, judged
from estimator.calibration.faults import FAULTS, MEDIUM, NOTHING, OF_SOFTWARE
from estimator.calibration.logged_run import LoggedRun
from estimator.calibration.logs.transport import transport_of
from estimator.calibration.measured import Run, measured_runs
from estimator.calibration.predictor import Predictor
from estimator.calibration.result import Fault
from estimator.calibration.site_fit import calibrate
from estimator.catalog.loader import load_catalog
from tests.estimator.calibration.log_texts import LOGS, measured_log

CATALOG = load_catalog()
HALF_OF_THE_WIRE = {"degraded_node", "gpudirect_off", "nic_affinity", "acs_iommu"}
# run → what the source says was wrong, as faults that mean it
CAUSES = {
    "a100_4gpu_p2p_disabled": {"p2p_disabled"},
    "a100_collnet_4x2": {"sharp_unavailable"},
    "a100_roce100x8_2n_nt169": {"congestion", "no_flow_control"},
    "a100_roce100x8_4n_nt169": {"congestion", "no_flow_control"},
    "a100_roce100x8_6n_nt169": {"congestion", "no_flow_control"},
    "a100_roce200_acs_2n": {"acs_iommu"},
    "b200_slk_4n_jul_badrails_collnet": {"degraded_node"},
    "b200_slk_4n_jul_badrails_nvls": {"degraded_node"},
    "b200_slk_4n_jul_badrails_ring": {"degraded_node"},
    "b300_4gpu_ring_cpustress": {"cpu_starved"},
    "cloud_h100_ndr_8n_default": {"under_tuned"},
    # half of the wire, for which the site later found PCIe relaxed ordering off
    "f3_aicr_b200_2n": HALF_OF_THE_WIRE | {"under_tuned"},  # send-receive: channels of a pair hide the rest
    "f3_aicr_b200_2n_ring": HALF_OF_THE_WIRE,
    "f3_aicr_b200_2n_sharp": HALF_OF_THE_WIRE | {"sharp_unavailable"},
    "f3_drobot_h100_4nic_2n_a2a": {"under_tuned"} | HALF_OF_THE_WIRE,  # the site calls it low and names no cause
    "h100_2x1_4nic_tree": {"nic_per_gpu_limit", "one_nic_of_many"},
    "h100_300n_n1454": {"too_few_sizes"},  # the source leaves it open
    "h100_ndr_2n_nt290": {"nic_affinity", "gpudirect_off"},
    "mi350x_1n_mpi_unstable": {"unstable_node"},
    "polaris_128n_218_s1": {"tcp_fallback"},
    "polaris_2n_218_s1": {"tcp_fallback"},
    "polaris_2n_218_s2": {"tcp_fallback"},
    "polaris_2n_221_s1": {"tcp_fallback"},
}
# runs of sources that say too little for a prediction request: some name no GPU, some no network
REPORTED = json.loads((Path(__file__).parents[2] / "data" / "problem_runs.json").read_text())
RUNS = measured_runs()
PROBLEMS = [run for run in RUNS if run.health == "problem"]
HEALTHY = [run for run in RUNS if run.health == "healthy"]
H100: dict[str, Any] = {
    "gpu": "h100-sxm",
    "gpus_per_node": 8,
    "scale_up_domain_gpus": 8,
    "nics_per_node": 8,
    "nic_gbit_s": 400,
    "fabric": "infiniband",
}


def logged(run: Run) -> LoggedRun:
    return LoggedRun(
        run.name,
        run.collective,
        run.gpus,
        run.system,
        run.launch,
        run.algorithm,
        run.protocol,
        run.message_bytes,
        run.time_us,
    )


def label(run: Run) -> str:
    return f"{run.name}-{run.collective}"


def made(
    system: dict[str, Any], gpus: int, factor: Any = lambda size: 1.0, algorithm: str | None = None, **more: Any
) -> LoggedRun:
    """A run that takes ``factor`` times what the model predicts."""
    sizes = tuple(2**p for p in range(3, 34))
    run = LoggedRun(
        "made", "all_reduce", gpus, system, "process-per-gpu", algorithm, None, sizes, (1.0,) * len(sizes), **more
    )
    predictor = Predictor([run], CATALOG)
    times = predictor.predicted_s(predictor.constants) * 1e6
    return LoggedRun(
        "made",
        "all_reduce",
        gpus,
        system,
        "process-per-gpu",
        algorithm,
        None,
        sizes,
        tuple(time * factor(size) for time, size in zip(times.tolist(), sizes, strict=True)),
        **more,
    )


def codes(found: list[Fault]) -> list[str]:
    return [fault.code for fault in found]


def slow_above(size_from: int, times: float) -> Any:
    return lambda size: times if size >= size_from else 1.0


# ---------------------------------------------------------------- carried runs
def test_every_problem_run_has_a_cause_here() -> None:
    assert {run.name for run in PROBLEMS} == set(CAUSES)


@pytest.mark.parametrize("run", PROBLEMS, ids=label)
def test_a_problem_run_gets_its_cause_among_the_first_two(run: Run) -> None:
    assert CAUSES[run.name] & set(codes(diagnosis([logged(run)], CATALOG))[:2])


@pytest.mark.parametrize("run", HEALTHY, ids=label)
def test_a_healthy_run_gets_no_fault_with_high_confidence(run: Run) -> None:
    faults, short = judged([logged(run)], CATALOG)
    assert not short
    for fault in faults:
        assert fault.confidence != "high", fault


def is_left_out(run: Run) -> bool:
    """Whether a log of the run would be left out of a fit."""
    faults, short = judged([logged(run)], CATALOG)
    return bool(short) or any(fault.code not in OF_SOFTWARE and fault.score >= MEDIUM for fault in faults)


def test_problem_runs_short_of_rails_are_left_out_whatever_the_cause() -> None:
    """What is left shows a sound plateau of its own, or is too short or too near to one to tell."""
    fitted = {label(run) for run in PROBLEMS if not is_left_out(run)}
    assert fitted == {
        "a100_collnet_4x2-all_reduce",
        "a100_roce100x8_2n_nt169-all_reduce",
        "cloud_h100_ndr_8n_default-all_reduce",
        "f3_drobot_h100_4nic_2n_a2a-alltoall",
        "h100_2x1_4nic_tree-all_reduce",
    }


def test_a_log_short_of_rails_is_left_out_with_its_likeliest_cause() -> None:
    run = made(H100, 16, slow_above(MIB, 2.95))
    network: dict[str, Any] = {"nics_per_node": 8, "nic_gbit_s": 400}
    answer = calibrate([log_of(run)], network, CATALOG)
    assert all(fault.score < MEDIUM for fault in answer.diagnosis)
    (log,) = answer.logs
    assert not log.is_fitted
    assert answer.diagnosis[0].title in log.problems[-1].message
    assert "several causes leave as much" in log.problems[-1].message


def reported_logs(report: dict[str, Any]) -> list[tuple[str, bytes]]:
    """A report's run as the log it may have come from, with the faster log that its source compares it with."""
    versions = (
        [(report["name"], report), ("before", report["faster"])] if "faster" in report else [(report["name"], report)]
    )
    return [
        (
            f"{name}.txt",
            measured_log(
                report["gpu"],
                report["gpus"],
                run["rows"],
                report["collective"],
                report["nodes"],
                [f"# nccl-library={run['library']}"] if "library" in run else [],
            ),
        )
        for name, run in versions
    ]


USUAL = {"nics_per_node": 8, "nic_gbit_s": 400}


@pytest.mark.parametrize("report", REPORTED, ids=lambda report: report["name"])
def test_a_reported_run_gets_its_category_among_the_first_two(report: dict[str, Any]) -> None:
    found = calibrate(reported_logs(report), USUAL | report["system"], CATALOG).diagnosis
    assert report["category"] in [fault.category for fault in found[:2]], found[:3]


def test_disturbed_sizes_that_the_fit_leaves_out_still_show_congestion() -> None:
    base = made(H100, 16, lambda size: 4.0)
    spiked = {2**9: 2.5, 2**18: 20.0, 2**23: 9.0, 2**25: 8.0}
    rows = [(size, t * spiked.get(size, 1.0)) for size, t in zip(base.message_bytes, base.time_us, strict=True)]
    answer = calibrate([("spiky.txt", measured_log(gpus=16, nodes=2, rows=rows))], USUAL, CATALOG)
    assert answer.logs[0].n_dropped == len(spiked)
    assert "congestion" in codes(answer.diagnosis)[:2]
    one = [
        (size, t * (20.0 if size == 2**18 else 1.0)) for size, t in zip(base.message_bytes, base.time_us, strict=True)
    ]
    answer = calibrate([("once.txt", measured_log(gpus=16, nodes=2, rows=one))], USUAL, CATALOG)
    assert "congestion" not in codes(answer.diagnosis)[:2]


# ---------------------------------------------------------------- NICs that nobody names
MIB = 2**20


def log_of(run: LoggedRun, most: int = 2**40, extra: tuple[str, ...] = ()) -> tuple[str, bytes]:
    rows = [row for row in zip(run.message_bytes, run.time_us, strict=True) if row[0] <= most]
    return "made.log", measured_log(gpus=16, nodes=2, rows=rows, extra=extra)


SLOW = made(H100, 16, slow_above(MIB, 4.0))
EIGHT = (
    "node00:1:2 [0] NCCL INFO NET/IB : Using " + " ".join(f"[{i}]mlx5_{i}:1/IB" for i in range(8)) + " [RO]; OOB eth0"
)
FOUR = "node00:1:2 [0] NCCL INFO NET/IB : Using " + " ".join(f"[{i}]mlx5_bond_{i}:1/RoCE" for i in range(4))
GRAPH = "node00:1:2 [0] NCCL INFO + NET[{}] - NET/0 (7a0ed60003ec0c98/1/{})"


def test_nics_that_are_guessed_accuse_nobody() -> None:
    unknown = calibrate([log_of(SLOW)], {}, CATALOG)
    assert codes(unknown.diagnosis) == ["not_judged"]
    assert "(InfiniBand, 8 NICs a node, 400 Gb/s a NIC)" in unknown.diagnosis[0].evidence
    known = calibrate([log_of(SLOW)], {"nics_per_node": 8, "nic_gbit_s": 400}, CATALOG)
    assert "tcp_fallback" in codes(known.diagnosis)


def test_nics_that_the_library_names_are_taken_and_judged_by() -> None:
    (log,) = (answer := calibrate([log_of(SLOW, extra=(EIGHT, GRAPH.format("50.0", "50.0")))], {}, CATALOG)).logs
    assert (log.system or {}).items() >= {"fabric": "infiniband", "nics_per_node": 8, "nic_gbit_s": 400}.items()
    assert log.assumed == []
    assert "tcp_fallback" in codes(answer.diagnosis)
    (log,) = calibrate(
        [log_of(SLOW, extra=(FOUR, GRAPH.format("25.0", "25.0")))], {"fabric": "infiniband"}, CATALOG
    ).logs
    assert (log.system or {}).items() >= {"fabric": "roce", "nics_per_node": 4, "nic_gbit_s": 200}.items()


@pytest.mark.parametrize(("said", "rate"), [("7.0", 56), ("6.25", 50), ("200.0", 1600), ("24.0", 200)])
def test_the_rate_of_a_nic_is_the_usual_one_next_to_that_of_the_graph(said: str, rate: int) -> None:
    assert transport_of([GRAPH.format(said, said)]).nic_gbit_s == rate


def test_a_faulty_log_is_left_out_of_the_fit_unless_it_is_requested() -> None:
    sound = ("sound.log", log_of(made(H100, 16))[1])
    network: dict[str, Any] = {"nics_per_node": 8, "nic_gbit_s": 400}
    worse = log_of(made(H100, 16, slow_above(MIB, 12.0)))
    answer = calibrate([worse, sound], network, CATALOG)
    assert [log.is_fitted for log in answer.logs] == [False, True]
    problem = answer.logs[0].problems[-1]
    assert problem.code == "faulty_log"
    fault = answer.diagnosis[0]
    assert fault.title in problem.message
    assert fault.evidence in problem.message
    assert (answer.error.after.large or 0) < 0.02
    both = calibrate([worse, sound], network | {"fit_faulty": True}, CATALOG)
    assert [log.is_fitted for log in both.logs] == [True, True]
    alone = calibrate([worse], network, CATALOG)
    assert ([log.is_fitted for log in alone.logs], alone.parameters) == ([False], {})
    assert calibrate([worse], network | {"fit_faulty": True}, CATALOG).parameters


@pytest.mark.parametrize(
    ("wrong", "is_found"), [("2", True), ("1e+06", True), ("0", False), ("5e-07", False), ("N/A", False)]
)
def test_results_that_the_test_itself_found_wrong_are_the_likeliest_fault(wrong: str, is_found: bool) -> None:
    sound = made(H100, 16)
    rows = list(zip(sound.message_bytes, sound.time_us, strict=True))
    log = measured_log(gpus=16, nodes=2, rows=rows, wrong=wrong)
    answer = calibrate([("made.log", log)], {"nics_per_node": 8, "nic_gbit_s": 400}, CATALOG)
    first = answer.diagnosis[0]
    assert (first.code == "wrong_results") == is_found == (not answer.logs[0].is_fitted)
    assert not is_found or (first.confidence, "at 31 of 31 sizes, the smallest of 8 bytes" in first.evidence) == (
        "high",
        True,
    )


def test_wrong_results_that_only_the_last_line_counts_are_found() -> None:
    sound = made(H100, 16)
    rows = list(zip(sound.message_bytes, sound.time_us, strict=True))
    log = measured_log(gpus=16, nodes=2, rows=rows).replace(b"values : 0 OK", b"values : 4 FAILED")
    answer = calibrate([("made.log", log)], {"nics_per_node": 8, "nic_gbit_s": 400}, CATALOG)
    assert (answer.diagnosis[0].code, answer.logs[0].is_fitted) == ("wrong_results", False)
    assert "counts 4 values out of bounds (FAILED)" in answer.diagnosis[0].evidence
    name = "h100x4_all_reduce.json"
    content = json.loads((LOGS / name).read_text()) | {"out_of_bounds": {"count": 4, "okay": False}}
    assert codes(calibrate([(name, json.dumps(content).encode())], {}, CATALOG).diagnosis)[0] == "wrong_results"


def test_wrong_results_of_json_are_found() -> None:
    name = "h100x4_all_reduce.json"
    text = (LOGS / name).read_text()
    wrong = calibrate([(name, text.replace('"nwrong": 0.0', '"nwrong": 3.0', 1).encode())], {}, CATALOG)
    assert codes(wrong.diagnosis)[0] == "wrong_results"


# ---------------------------------------------------------------- sizes below 8 MiB, and times outside the band
def test_messages_below_8_mib_are_judged() -> None:
    network = {"nics_per_node": 8, "nic_gbit_s": 400}
    assert codes(calibrate([log_of(SLOW, 4 * MIB)], network, CATALOG).diagnosis) == ["slow_below_8_mib"]
    sound = calibrate([log_of(made(H100, 16), 4 * MIB)], network, CATALOG).diagnosis[0]
    assert sound.code == NOTHING
    assert "1.00 to 1.00 times the prediction" in sound.evidence


def test_a_run_that_is_too_fast_is_no_run_of_the_given_system() -> None:
    fast = calibrate([log_of(made(H100, 16, lambda size: 0.5))], {"nics_per_node": 8, "nic_gbit_s": 400}, CATALOG)
    (found,) = fast.diagnosis
    assert (found.code, found.confidence) == (NOTHING, "low")
    assert "faster than the system that was given allows" in found.evidence


def test_most_healthy_core_runs_have_nothing_wrong() -> None:
    core = [run for run in HEALTHY if run.family == "core"]
    clean = [run for run in core if codes(diagnosis([logged(run)], CATALOG)) == ["nothing_wrong"]]
    assert len(clean) > 0.85 * len(core)


def test_logs_of_one_machine_are_judged_together() -> None:
    """Bandwidth that sinks with each node is congestion, whatever one log alone would say."""
    runs = [logged(run) for run in PROBLEMS if run.name.startswith("a100_roce100x8")]
    first = diagnosis(runs, CATALOG)[0]
    assert first.code == "congestion"
    assert first.category == "congestion_or_loss"


# ---------------------------------------------------------------- signatures, one by one
@pytest.mark.parametrize(
    ("code", "run"),
    [
        ("nothing_wrong", made(H100, 32)),
        ("degraded_node", made(H100, 32, slow_above(2**22, 2.0))),
        ("one_nic_of_many", made(H100, 32, slow_above(2**22, 8.0))),
        ("under_tuned", made(H100, 32, slow_above(2**22, 1.22))),
        ("launcher_floor", made(H100, 32, lambda size: 4.0 if size <= 2**14 else 1.0)),
        ("no_flow_control", made(H100 | {"fabric": "roce"}, 32, slow_above(2**26, 9.0))),
        ("tcp_fallback", made(H100 | {"fabric": "efa"}, 32, slow_above(2**16, 6.0))),
        ("acs_iommu", made(H100 | {"nics_per_node": 1}, 32, slow_above(2**16, 2.4))),
        ("p2p_disabled", made(H100 | {"fabric": "none"}, 8, slow_above(2**16, 12.0))),
        ("cpu_starved", made(H100 | {"fabric": "none"}, 8, lambda s: 2.2 if s < 2**26 else 1.3)),
        (
            "unstable_node",
            made(H100 | {"fabric": "none"}, 8, lambda s: 1.0 if s < 2**25 else 1.9 if s.bit_length() % 2 else 1.3),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_signature_is_known(code: str, run: LoggedRun) -> None:
    found = diagnosis([run], CATALOG)
    assert found[0].code == code, found[:3]
    assert found[0].confidence != "high" or code == "p2p_disabled"


def test_the_ring_s_rate_on_two_nodes_says_that_the_fabric_is_sound() -> None:
    ring = made(H100, 16, algorithm="ring")
    run = LoggedRun("x", "all_reduce", 16, H100, "process-per-gpu", None, None, ring.message_bytes, ring.time_us)
    found = diagnosis([run], CATALOG)
    assert found[0].code == "algorithm_not_best"
    assert "gpudirect_off" not in codes(found)


def test_sharp_that_was_expected_and_gives_the_ring_s_rate() -> None:
    system = H100 | {"gpu": "b200-sxm", "in_network_reduction": True}
    ring = made(system, 64, algorithm="ring")
    run = LoggedRun("x", "all_reduce", 64, system, "process-per-gpu", None, None, ring.message_bytes, ring.time_us)
    assert codes(diagnosis([run], CATALOG))[0] == "sharp_unavailable"


def test_a_forced_tree_that_is_slower_than_the_ring() -> None:
    system = H100 | {"gpu": "b200-sxm", "scale_up_reduction": False}
    assert codes(diagnosis([made(system, 64, algorithm="tree")], CATALOG))[0] == "tree_on_wrong_topology"


SAID = [
    ("tcp_fallback", "n0:1:2 [0] NCCL INFO Using network Socket"),
    ("gpudirect_off", "n0:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0"),
    ("one_nic_of_many", "n0:1:2 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0"),
    ("sharp_unavailable", "n0:1:2 [0] NCCL WARN Collnet init failed: no resource"),
]


@pytest.mark.parametrize(("code", "line"), SAID)
def test_what_the_library_says_counts_most_where_times_agree(code: str, line: str) -> None:
    slow = diagnosis([made(H100, 32, slow_above(2**16, 2.6), messages=(line,))], CATALOG)
    assert (slow[0].code, slow[0].confidence) == (code, "high")
    assert line[:60] in slow[0].evidence
    sound = diagnosis([made(H100, 32, messages=(line,))], CATALOG)
    assert sound[0].code == code
    assert sound[0].confidence == "low"


def test_gpudirect_that_the_library_uses_is_not_doubted() -> None:
    line = "n0:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA"
    found = diagnosis([made(H100, 32, messages=(line,))], CATALOG)
    assert codes(found) == ["nothing_wrong"]


@pytest.mark.parametrize(
    ("name", "code"), [("h100x4_shared_memory.txt", "p2p_disabled"), ("h100x4_sockets.txt", "tcp_fallback")]
)
def test_own_runs_with_a_fault_switched_on(name: str, code: str) -> None:
    first = calibrate([(name, (LOGS / name).read_bytes())], {}, CATALOG).diagnosis[0]
    assert (first.code, first.confidence) == (code, "high")


@pytest.mark.parametrize(
    "name", ["h100x4_all_reduce.txt", "h100x4_ring_ll128.txt", "h100x4_tree_simple.txt", "h100x4_all_reduce.json"]
)
def test_own_healthy_runs_have_nothing_wrong_and_their_headroom_said(name: str) -> None:
    (only,) = calibrate([(name, (LOGS / name).read_bytes())], {}, CATALOG).diagnosis
    assert only.code == "nothing_wrong"
    assert set(only.numbers) == {"slow", "headroom"}


# ---------------------------------------------------------------- form
def test_every_fault_says_evidence_advice_confidence_and_numbers() -> None:
    seen = set()
    for run in RUNS:
        found = diagnosis([logged(run)], CATALOG)
        assert [fault.score for fault in found] == sorted((fault.score for fault in found), reverse=True)
        for fault in found:
            seen.add(fault.code)
            assert fault.evidence.startswith(run.name)
            assert len(fault.advice) > 20
            assert fault.confidence in ("low", "medium", "high")
            assert all(isinstance(value, float) for value in fault.numbers.values())
    assert seen <= set(FAULTS)


def test_a_log_of_small_sizes_alone_is_not_judged_by_bandwidth() -> None:
    data = measured_log(rows=[(2**p, 18.0) for p in range(3, 12)])
    found = calibrate([("small.txt", data)], {}, CATALOG).diagnosis
    assert codes(found) == ["nothing_wrong"]
    assert "no size is large enough" in found[0].evidence


# ---------------------------------------------------------------- a GPU that is not known
EDR = {"fabric": "infiniband", "nics_per_node": 1, "nic_gbit_s": 100}


def bare_log(busbw_gb_s: float, gpus: int = 4, nodes: int = 4) -> bytes:
    """A log of GPUs that no catalog has, at one bandwidth."""
    factor = 2 * (gpus - 1) / gpus
    return measured_log(
        "Acme Z9", gpus, [(2**p, 40.0 + 2**p * factor / busbw_gb_s / 1e3) for p in range(20, 34)], nodes=nodes
    )


def test_an_unknown_gpu_s_network_is_judged_by_its_nics_and_nothing_is_fitted() -> None:
    answer = calibrate([("z9.txt", bare_log(5.5))], EDR, CATALOG)
    assert answer.parameters == {}
    (log,) = answer.logs
    assert (log.is_fitted, log.judged_as, log.system) == (False, "v100-sxm", None)
    assert log.problems[0].code == "missing"
    assert {"gpudirect_off", "acs_iommu"} == set(codes(answer.diagnosis)[:2])
    assert "the GPU is not known" in answer.diagnosis[0].evidence
    assert all(fault.confidence != "high" for fault in answer.diagnosis)


def test_an_unknown_gpu_at_the_rate_of_its_nics_has_nothing_wrong() -> None:
    assert codes(calibrate([("z9.txt", bare_log(11.9))], EDR, CATALOG).diagnosis) == [NOTHING]


@pytest.mark.parametrize(
    ("system", "gpus", "nodes"), [({}, 4, 4), ({"nic_gbit_s": 100}, 8, 1), (EDR | {"fabric": "none"}, 4, 4)]
)
def test_an_unknown_gpu_without_known_nics_or_in_one_node_is_not_judged(
    system: dict[str, Any], gpus: int, nodes: int
) -> None:
    answer = calibrate([("z9.txt", bare_log(5.5, gpus, nodes))], system, CATALOG)
    assert answer.diagnosis == []
    assert answer.logs[0].judged_as is None


def test_faults_of_nodes_with_several_unknown_gpus_are_reported_less_surely() -> None:
    one = calibrate([("z9.txt", bare_log(5.0))], EDR, CATALOG).diagnosis[0]
    eight = calibrate([("z9.txt", bare_log(5.0, 32))], EDR, CATALOG).diagnosis
    assert next(fault for fault in eight if fault.code == one.code).score < one.score


# ---------------------------------------------------------------- logs against each other
def versioned(name: str, library: str | None, times: float, *extra: str, gpus: int = 16) -> tuple[str, bytes]:
    base = made(H100, gpus)
    rows = [(size, t * times) for size, t in zip(base.message_bytes, base.time_us, strict=True)]
    says = [f"# nccl-library={library}"] if library else []
    return name, measured_log(gpus=gpus, nodes=gpus // 8, rows=rows, extra=[*says, *extra])


def slower(*logs: tuple[str, bytes]) -> Fault | None:
    found = calibrate(logs, {"fabric": "infiniband", "nics_per_node": 8, "nic_gbit_s": 400}, CATALOG).diagnosis
    return next((fault for fault in found if fault.code == "slower_than_other_log"), None)


def test_a_newer_library_that_is_slower_is_a_regression() -> None:
    fault = slower(versioned("old.txt", "20904", 1.0), versioned("new.txt", "22809", 1.6, "# NCCL_IB_HCA=mlx5_0"))
    assert fault is not None
    assert (fault.category, fault.file, fault.confidence) == ("software_regression", "new.txt", "medium")
    assert fault.numbers["times"] == pytest.approx(1.6, rel=0.01)
    assert "its NCCL 2.28.9 is newer than 2.9.4" in fault.evidence
    assert "old.txt" in fault.evidence
    assert "NCCL_IB_HCA=mlx5_0 against unset" in fault.evidence


def test_how_sure_a_regression_is_depends_on_what_the_logs_say_of_their_libraries() -> None:
    scores = [
        fault.score
        for pair in (("2.7.8", "2.11.4"), ("2.11.4", "2.7.8"), (None, "2.7.8"), ("2708", "2.7.8"))
        if (fault := slower(versioned("a.txt", pair[0], 1.0), versioned("b.txt", pair[1], 1.8)))
    ]
    assert len(scores) == 4
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 4


def test_equal_logs_other_sizes_of_cluster_and_forced_algorithms_are_no_regression() -> None:
    assert slower(versioned("a.txt", "2.7.8", 1.0), versioned("b.txt", "2.11.4", 1.1)) is None
    assert slower(versioned("a.txt", "2.7.8", 1.0), versioned("b.txt", "2.11.4", 2.0, gpus=32)) is None
    assert slower(versioned("a.txt", "2.7.8", 1.0), versioned("b.txt", "2.7.8", 2.0, "# NCCL_ALGO=Ring")) is None


def test_a_fault_names_all_logs_that_show_it() -> None:
    good, bad = versioned("good.txt", "2.11.4", 1.0, gpus=32), versioned("bad.txt", "2.11.4", 2.0, gpus=64)
    worse = versioned("worse.txt", "2.11.4", 2.1, gpus=128)
    found = calibrate([good, bad, worse], {"fabric": "infiniband", "nics_per_node": 8, "nic_gbit_s": 400}, CATALOG)
    (fault,) = [fault for fault in found.diagnosis if fault.code == "degraded_node"]
    assert set(fault.files) == {"bad.txt", "worse.txt"}


# ---------------------------------------------------------------- steps and jumps
def test_one_step_down_to_the_ring_is_a_choice_of_algorithm() -> None:
    best, ring = made(H100, 16), made(H100, 16, algorithm="ring")
    times = [
        b if size < 2**27 else 1.3 * r
        for size, b, r in zip(best.message_bytes, best.time_us, ring.time_us, strict=True)
    ]
    upto = best.message_bytes.index(2**29) + 1
    run = LoggedRun(
        "x", "all_reduce", 16, H100, "process-per-gpu", None, None, best.message_bytes[:upto], tuple(times[:upto])
    )
    assert codes(diagnosis([run], CATALOG))[0] == "algorithm_not_best"


def test_a_jump_at_the_end_of_a_short_log_stays_open() -> None:
    base = made(H100, 32)
    times = tuple(
        t * (40.0 if size == 2**21 else 1.0) for size, t in zip(base.message_bytes, base.time_us, strict=True)
    )
    upto = base.message_bytes.index(2**21) + 1
    run = LoggedRun("x", "all_reduce", 32, H100, "process-per-gpu", None, None, base.message_bytes[:upto], times[:upto])
    first = diagnosis([run], CATALOG)[0]
    assert (first.code, first.category) == ("sudden_jump", "unresolved")
    whole = LoggedRun("x", "all_reduce", 32, H100, "process-per-gpu", None, None, base.message_bytes, times)
    assert "sudden_jump" not in codes(diagnosis([whole], CATALOG))


@pytest.mark.parametrize("share", [0.2, 0.05, 0.01, 0.001])
def test_small_shares_are_reported_with_their_figures_and_without_causes_that_leave_more(share: float) -> None:
    found = diagnosis([made(H100, 32, slow_above(2**16, 1 / share))], CATALOG)
    assert not any("has 0 %" in fault.evidence for fault in found)
    assert ("gpudirect_off" in codes(found)) == (share > 0.04)


# ---------------------------------------------------------------- thresholds and scores


def test_every_threshold_is_a_row_of_the_catalog_and_every_row_is_used() -> None:
    texts = (Path(module.__file__ or "").read_text() for module in (of_one_log, across_logs, signature))
    nodes = [node for text in texts for node in ast.walk(ast.parse(text))]
    strings = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    asked = {
        node.args[0].value
        for node in nodes
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", "") == "at"
        and isinstance(node.args[0], ast.Constant)
    }
    built = {f"slower_than_other_log.score_{which}" for which in ("newer", "older", "same", "unknown")}
    assert len(asked) > 80
    assert not asked - CATALOG.diagnosis.keys()
    assert not CATALOG.diagnosis.keys() - strings - built
    assert built <= CATALOG.diagnosis.keys()
