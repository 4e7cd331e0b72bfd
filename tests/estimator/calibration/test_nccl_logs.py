"""Logs of every age and launcher are read, and each line that is not used is named with the reason."""

import json
import re
import time
from contextlib import suppress
from itertools import pairwise, zip_longest
from typing import Any

import pytest

from estimator.calibration.logs.read import MAX_DROPPED_SHOWN, MAX_LOG_BYTES, MAX_RUNS, ParsedLog, read_logs
from estimator.errors import SpecError
from tests.estimator.calibration.log_texts import LOGS, SWEEP, measured_log, read_log, table_row
from tests.yardstick import yardsticks

WHOLE = measured_log(gpus=16, nodes=2, rows=SWEEP)
TIMES = {size: pytest.approx(time_us, rel=1e-4) for size, time_us in SWEEP}


def times(log: ParsedLog) -> dict[int, float]:
    return {row.message_bytes: row.time_us for row in log.rows}


def lines_of(data: bytes) -> list[str]:
    return data.decode().splitlines()


def tagged(tag: str, data: bytes = WHOLE) -> bytes:
    return "\n".join(tag + line for line in lines_of(data)).encode()


# ---------------------------------------------------------------- own runs, as the tool wrote them
@pytest.mark.parametrize(
    ("name", "collective", "gpus", "n_rows", "settings"),
    [
        ("h100x4_all_reduce.txt", "all_reduce", 4, 30, {"NCCL_NVLS_ENABLE": "0"}),
        ("h100x4_all_gather.txt", "all_gather", 4, 27, {"NCCL_NVLS_ENABLE": "0"}),
        ("h100x4_sendrecv_g2.txt", "sendrecv", 2, 30, {"NCCL_NVLS_ENABLE": "0"}),
        ("h100x4_ring_ll128.txt", "all_reduce", 4, 26, {"NCCL_ALGO": "Ring", "NCCL_PROTO": "LL128"}),
        ("h100x4_tree_simple.txt", "all_reduce", 4, 26, {"NCCL_ALGO": "Tree", "NCCL_PROTO": "Simple"}),
        ("h100x4_shared_memory.txt", "all_reduce", 4, 28, {"NCCL_P2P_DISABLE": "1"}),
        ("h100x4_all_reduce.json", "all_reduce", 4, 9, {}),
    ],
)
def test_own_runs(name: str, collective: str, gpus: int, n_rows: int, settings: dict[str, str]) -> None:
    log = read_log(name, (LOGS / name).read_bytes())
    assert (log.collective, log.gpus, log.nodes, log.launch) == (collective, gpus, 1, "single-process")
    assert len(log.rows) == n_rows
    assert log.gpu_names == ("NVIDIA H100 80GB HBM3",)
    assert settings.items() <= log.settings.items()
    assert all(dropped.why == "no bytes were sent" for dropped in log.dropped)


def test_figures_of_an_own_run_to_the_digit() -> None:
    log = read_log("a.txt", (LOGS / "h100x4_ring_ll128.txt").read_bytes())
    first, last = log.rows[0], log.rows[-1]
    lines = (LOGS / "h100x4_ring_ll128.txt").read_text().splitlines()
    for row in (first, last):
        words = lines[row.line - 1].split()
        assert [row.message_bytes, row.time_us, row.algbw_gb_s, row.busbw_gb_s, row.in_place_us] == [
            float(words[i]) for i in (0, 5, 6, 7, 9)
        ]


# ---------------------------------------------------------------- launchers and shells
@pytest.mark.parametrize("tag", ["", "0: ", "[1,0]<stdout>:"])
def test_the_head_of_a_table_is_no_broken_row(tag: str) -> None:
    """nccl-tests puts 62 spaces in front of out-of-place; a tag that begins with a digit, as of srun -l, makes it no row."""
    head = f"#{'out-of-place':>74}{'in-place':>31}          "
    units = f"#{'(B)':>11}    (elements){'(us)  (GB/s)  (GB/s)':>51}{'(us)  (GB/s)  (GB/s)':>33}"
    text = measured_log(gpus=16, nodes=2, rows=SWEEP, extra=(head, units)).decode()
    log = read_log("run.txt", "\n".join(tag + line for line in text.splitlines()).encode())
    assert (len(log.rows), log.n_dropped) == (len(SWEEP), 0)


@pytest.mark.parametrize(
    "tag",
    [
        "[1,0]<stdout>:",
        "[1,0]<stdout>: ",
        "[1,0]:",
        "0: ",
        " 0: ",
        "[0] ",
        "worker-0 | ",
        "launcher-abcde: ",
        "\x1b[32m",
        "   ",
        "\t",
        "[prterun-host-4242@1,0]<stdout>: ",
        "[1,0][host:4242]<stdout>: ",
        "Thu Jan  1 00:00:00 2026[1,0]<stdout>:",
        "2026-01-01T00:00:00.123456789Z ",
        "2026-01-01 00:00:00,123 ",
        "[pod/launcher-x7k2p/nccl] 2026-01-01T00:00:00+01:00 [1,0]<stdout>:",
        "(head, rank=0, pid=3808) [1,0]<stdout>:",
        "\x1b[36m(bench pid=4242, ip=192.0.2.7)\x1b[0m ",
        "2026-01-01T00:00:00.123456789Z stdout F ",
        "Jan 01 00:00:00 node-01 mpirun[4242]: ",
        "launcher-x7k2p nccl ",
        "\x1b[34mlauncher-x7k2p\x1b[0m › \x1b[33mnccl\x1b[0m ",
        "[rank0]:",
        "> ",
        "> > ",
        "node-01: [1,0]<stdout>:",
        "I0101 00:00:00.123456 4242 run.cc:17] ",
    ],
)
def test_tags_in_front_of_every_line(tag: str) -> None:
    log = read_log("log.txt", tagged(tag))
    assert times(log) == TIMES
    assert (log.collective, log.gpus, log.nodes, log.n_dropped) == ("all_reduce", 16, 2, 0)


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ('time="2026-01-01T00:00:00Z" level=info msg="', '"'),
        ('      "', '",'),
        ("b'", "\\n'"),
    ],
)
def test_lines_that_stand_as_strings_end_where_their_quotes_do(before: str, behind: str) -> None:
    log = read_log("log.txt", "\n".join(f"{before}{line}{behind}" for line in WHOLE.decode().splitlines()).encode())
    assert times(log) == TIMES
    assert (log.collective, log.gpus, log.nodes, log.n_dropped) == ("all_reduce", 16, 2, 0)


@pytest.mark.parametrize(
    "data",
    [
        WHOLE.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + WHOLE,
        WHOLE.decode().encode("utf-16"),
        WHOLE.replace(b"\n", b"\n\n"),
        WHOLE.rstrip(),
        b"\0" + WHOLE,
    ],
    ids=["windows", "utf-8 with a mark", "utf-16", "blank lines", "no last line end", "zero byte"],
)
def test_line_ends_and_encodings(data: bytes) -> None:
    log = read_log("log.txt", data)
    assert times(log) == TIMES
    assert log.gpus == 16


def test_ranks_that_print_in_turns_count_once_and_the_rest_is_explained() -> None:
    rows = [table_row(size, time_us, 16) for size, time_us in SWEEP]
    other = [table_row(size, 2 * time_us, 16) for size, time_us in SWEEP[:-2]]
    lines = [f"[1,0]<stdout>:{row}" for row in rows]
    for i, row in enumerate(other):
        lines.insert(2 * i + 1, f"[1,8]<stdout>:{row}")
    log = read_log("all_reduce.txt", "\n".join(lines).encode())
    assert times(log) == TIMES
    assert log.n_dropped == len(other)
    assert {dropped.why for dropped in log.dropped} == {
        "“[1,8]<stdout>:” printed it as well: the table of “[1,0]<stdout>:” is used"
    }


def test_messages_of_the_library_are_kept_for_the_diagnosis_and_read_for_settings() -> None:
    says = [
        "node00:1000:1010 [0] NCCL INFO NCCL_IB_HCA set by environment to mlx5_0,mlx5_1.",
        "node00:1000:1010 [0] NCCL INFO Using network Socket",
    ]
    log = read_log("log.txt", measured_log(gpus=16, nodes=2, rows=SWEEP, extra=says))
    assert times(log) == TIMES
    assert log.settings["NCCL_IB_HCA"] == "mlx5_0"
    assert any("Using network Socket" in message for message in log.messages)
    assert all("message of the library" in dropped.why for dropped in log.dropped)


def test_tags_that_number_each_line_or_tell_the_time_are_one_printer() -> None:
    numbered = "\n".join(f"{i:06d} [{i}.{i:03d}s] {line}" for i, line in enumerate(lines_of(WHOLE)))
    assert times(read_log("log.txt", numbered.encode())) == TIMES
    at = [f"2026-01-01T00:{i // 60:02d}:{i % 60:02d}.{i}Z stdout F {line}" for i, line in enumerate(lines_of(WHOLE))]
    assert times(read_log("log.txt", "\n".join(at).encode())) == TIMES


def test_containers_wrap_lines_in_json_and_forums_in_fences_and_tables() -> None:
    wrapped = [json.dumps({"log": line + "\n", "stream": "stdout", "time": "2026-01-01"}) for line in lines_of(WHOLE)]
    log = read_log("log.txt", "\n".join(wrapped).encode())
    assert (times(log), log.gpus, log.n_dropped) == (TIMES, 16, 0)
    fenced = read_log("log.txt", b"```text\n" + WHOLE + b"```\n")
    assert (times(fenced), fenced.n_dropped) == (TIMES, 0)
    columns = ["| " + " | ".join(line.split()) + " |" if line[:1] == " " else line for line in lines_of(WHOLE)]
    assert times(read_log("log.txt", "\n".join(columns).encode())) == TIMES


# ---------------------------------------------------------------- several runs in one file
OTHERS = [measured_log(gpus=16, nodes=2, rows=SWEEP[:9], collective=name) for name in ("all_gather", "alltoall")]


def test_every_run_of_a_file_is_a_result_of_its_own() -> None:
    says = b"node00:1:2 [0] NCCL INFO NCCL_ALGO set by environment to Tree\n"
    logs = read_logs("sweep.log", WHOLE + OTHERS[0] + says + OTHERS[1])
    assert [(log.file, log.collective, len(log.rows)) for log in logs] == [
        ("sweep.log, run 1", "all_reduce", len(SWEEP)),
        ("sweep.log, run 2", "all_gather", 9),
        ("sweep.log, run 3", "alltoall", 9),
    ]
    assert times(logs[0]) == TIMES
    assert [log.settings.get("NCCL_ALGO") for log in logs] == [None, None, "Tree"]
    assert [log.gpus for log in logs] == [16, 16, 16]


@pytest.mark.parametrize("tags", [("", ""), ("[1,0]<stdout>:", "[1,0]<stdout>:"), ("job-a: ", "job-b: "), ("> ", "")])
def test_the_same_collective_twice_is_two_results(tags: tuple[str, str]) -> None:
    again = measured_log(gpus=16, nodes=2, rows=[(size, 1.01 * time_us) for size, time_us in SWEEP])
    logs = read_logs("x", tagged(tags[0]) + b"\n" + tagged(tags[1], again))
    assert [len(log.rows) for log in logs] == [len(SWEEP)] * 2
    assert [log.gpus for log in logs] == [16, 16]


def test_a_table_that_two_ranks_print_word_by_word_counts_once() -> None:
    logs = read_logs("x", tagged("[1,0]<stdout>:") + b"\n" + tagged("[1,1]<stdout>:"))
    assert [log.n_dropped for log in logs] == [len(SWEEP)]


def test_tables_without_heads_part_where_sizes_begin_again() -> None:
    rows = [table_row(size, time_us, 16) for size, time_us in SWEEP]
    assert [len(log.rows) for log in read_logs("x", "\n".join([*rows, *rows]).encode())] == [len(SWEEP)] * 2
    out_of_order = [*rows[:9], rows[3], *rows[9:]]
    assert len(read_logs("x", "\n".join(out_of_order).encode())) == 1


def test_lines_of_two_jobs_that_are_mixed_are_two_results() -> None:
    """Tables that overlap are copies of one run only where they are of one collective."""
    one = [f"(a) {line}" for line in measured_log(gpus=8, rows=SWEEP).decode().splitlines()]
    other = [
        f"(b) {line}"
        for line in measured_log(gpus=16, nodes=2, rows=SWEEP, collective="all_gather").decode().splitlines()
    ]
    mixed = [line for pair in zip_longest(one, other, fillvalue="") for line in pair]
    found = {(log.collective, log.gpus, len(log.rows)) for log in read_logs("mixed.txt", "\n".join(mixed).encode())}
    assert found == {("all_reduce", 8, len(SWEEP)), ("all_gather", 16, len(SWEEP))}


def test_a_sweep_from_the_largest_size_down_is_one_run() -> None:
    log = read_log("down.txt", measured_log(rows=SWEEP[::-1]))
    assert [row.message_bytes for row in log.rows] == [size for size, _ in SWEEP]


@pytest.mark.parametrize("name", ["alltoallv", "broadcast_v"])
def test_a_binary_of_a_collective_that_is_not_known_is_taken_for_no_other(name: str) -> None:
    text = measured_log(rows=SWEEP, collective="all_gather").replace(b"all_gather_perf", f"{name}_perf_mpi".encode())
    assert read_log("log.txt", text).collective == name


def test_a_file_of_too_many_runs_is_refused_with_the_way_out() -> None:
    rows = "\n".join(table_row(size, time_us, 16) for size, time_us in SWEEP[-3:])
    with pytest.raises(SpecError) as error:
        read_logs("x", "\n".join([rows] * (MAX_RUNS + 1)).encode())
    assert error.value.problems[0].code == "too_many_runs"


# ---------------------------------------------------------------- tests that ran without MPI
def test_processes_that_each_ran_a_test_of_their_own_are_called_so() -> None:
    """Rows in turns, ranks once for each process, as srun prints a build without MPI."""
    one, other = lines_of(measured_log(gpus=8, rows=SWEEP[-6:])), lines_of(measured_log(gpus=8, rows=SWEEP[-6:]))
    other = [line.replace("node00", "node77") for line in other]
    both = [line for pair in zip(one, other, strict=True) for line in pair]
    for text in ("\n".join(both), "\n".join([*(f"0: {line}" for line in one), *(f"1: {line}" for line in other)])):
        (problem,) = read_logs("x", text.encode())[0].problems
        assert problem.code == "ran_alone"
        assert "node00, node77" in problem.message
        assert "MPI=1" in problem.message
        assert "ranks 0 to 7 stand there 2 times" in problem.message


def test_one_gpu_alone_has_no_bus_bandwidth() -> None:
    rows = [(size, 500.0 + size / 300e3) for size, _ in SWEEP[-4:]]
    lines = [line for line in lines_of(measured_log(gpus=2, rows=rows)) if "Rank  1" not in line]
    lines = [" ".join([*line.split()[:7], "0.00", "0"]) if line[:1] == " " else line for line in lines]
    (problem,) = read_log("x", "\n".join(lines).encode()).problems
    assert "bus bandwidth is 0" in problem.message
    assert not read_log("x", WHOLE).problems


# ---------------------------------------------------------------- columns
def test_nothing_checked_says_n_a() -> None:
    assert times(read_log("log.txt", measured_log(gpus=16, nodes=2, rows=SWEEP, wrong="N/A"))) == TIMES


def test_the_old_table_has_no_root_and_an_error_in_place_of_wrong() -> None:
    """nccl-tests before 2.11: size count type redop time algbw busbw error, twice."""
    rows = [
        f"{size:>12} {size // 4:>12} float sum {t:>8.5g} {size / t / 1e3:>6.2f} {size / t / 1e3 * 1.75:>6.2f} 4e-07 "
        f"{t:>8.5g} {size / t / 1e3:>6.2f} {size / t / 1e3 * 1.75:>6.2f} 4e-07"
        for size, t in SWEEP
    ]
    text = "# nThread 1 nGpus 8 minBytes 8\n# Using devices\n" + "\n".join(
        f"#   Rank {i:>2} Pid   2345 on  host device {i:>2} [0x{i:02x}] A100-SXM4-40GB" for i in range(8)
    )
    log = read_log("allreduce.txt", (text + "\n" + "\n".join(rows)).encode())
    assert times(log) == TIMES
    assert (log.collective, log.gpus, log.launch) == ("all_reduce", 8, "single-process")


def test_a_collective_that_is_not_named_is_identified_by_its_bandwidths() -> None:
    for collective, named in (
        ("all_reduce", "all_reduce"),
        ("all_gather", "all_gather"),
        ("reduce_scatter", "reduce_scatter"),
    ):
        rows = [table_row(size, time_us, 8, collective) for size, time_us in SWEEP]
        log = read_log("log.txt", "\n".join(rows).encode())
        assert (log.collective, log.gpus) == (named, 8)


@pytest.mark.parametrize("suffix", ["_mpi", ".sh", "-cuda12", "_v2.18.3_mpi"])
@pytest.mark.parametrize("name", ["all_reduce", "sendrecv", "reduce_scatter", "gather"])
def test_a_binary_with_any_suffix_names_its_collective(name: str, suffix: str) -> None:
    data = measured_log(gpus=1, rows=SWEEP).replace(b"all_reduce_perf", f"/opt/tests/{name}_perf{suffix}".encode())
    assert read_log("log.txt", data).collective == name


def unnamed(collective: str, gpus: int, in_place: str, share: int = 1, wrong: str = "0") -> bytes:
    rows = []
    for size, time_us in SWEEP[-12:]:
        words = table_row(size, time_us, gpus, collective, wrong).split()
        words[1], words[-1] = str(int(words[1]) // share), in_place
        rows.append(" ".join(words))
    return "\n".join(rows).encode()


@pytest.mark.parametrize(
    ("made", "collective", "gpus"),
    [
        (unnamed("alltoall", 16, "N/A", 16), "alltoall", 16),
        (unnamed("alltoall", 1024, "N/A", 1024), "alltoall", 1024),
        (unnamed("all_gather", 16, "0", 16), "all_gather", 16),
        (unnamed("all_gather", 1024, "0", 1024), "all_gather", 1024),
        (unnamed("all_gather", 16, "N/A", 16, wrong="N/A"), None, None),
        (unnamed("sendrecv", 16, "N/A"), "sendrecv", None),
        (unnamed("all_reduce", 2, "0"), "all_reduce", 2),
        (unnamed("reduce_scatter", 64, "0", 64), "reduce_scatter", 64),
    ],
)
def test_columns_tell_a_collective_that_nothing_names(made: bytes, collective: str | None, gpus: int | None) -> None:
    log = read_log("log.txt", made)
    assert (log.collective, log.gpus) == (collective, gpus)


def test_a_file_that_is_named_after_another_collective_is_not_believed() -> None:
    assert read_log("allgather.txt", unnamed("alltoall", 16, "N/A", 16)).collective == "alltoall"


def test_rccl_tests_name_no_gpu() -> None:
    lines = [line.replace(" NVIDIA H100 80GB HBM3", "") for line in lines_of(WHOLE)]
    log = read_log("log.txt", "\n".join([*lines[:3], "rccl-tests: Version develop:a52452e", *lines[3:]]).encode())
    assert (log.gpus, log.nodes, log.gpu_names) == (16, 2, ())
    assert times(log) == TIMES
    (dropped,) = log.dropped
    assert (dropped.line, dropped.why) == (4, "not a row of the table")


# ---------------------------------------------------------------- what is not used, and why
@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("  4194304  1048576  float  sum  -1  58.1  72.", "cut short"),
        ("  4194304  1048576  float  sum  -1  58.1", "a row of the table with 2 figures"),
        (f"{'9' * 60}  8  float  sum  -1  58.1  1.0  1.0  0", "a figure that no run has"),
        ("  4194304  1048576  float  sum  -1  1e999  1.0  1.0  0", "a figure that no run has"),
        ("  4194304  1048576  flo", "not a row of the table"),
        ("  10485²76  1048576  float  sum  -1  58.1  1.0  1.0  0", "not a row of the table"),
        ("  ²  1048576  float  sum  -1  58.1  1.0  1.0  0", "not a row of the table"),
        (table_row(4194304, 50.0, 16).replace("157.29", "99.99"), "the arithmetic is wrong"),
        (table_row(4194304, 50.0, 16).replace(" 83.89", " 38.89"), "the arithmetic is wrong"),
        ("           0             0     float     sum      -1     5.12    0.00    0.00      0", "no bytes were sent"),
        ("           8             2     float     sum      -1     0.00    0.00    0.00      0", "a time of 0 us"),
        ("           8             2     float     sum      -1     N/A     N/A     N/A       0", "without a time"),
        ("Segmentation fault (core dumped)", "not a row of the table"),
    ],
)
def test_a_line_that_is_not_used_is_named_with_the_reason(line: str, why: str) -> None:
    lines = lines_of(WHOLE)
    log = read_log("log.txt", "\n".join([*lines[:-2], line, *lines[-2:]]).encode())
    assert times(log) == TIMES
    (dropped,) = log.dropped
    assert dropped.line == len(lines) - 1
    assert why in dropped.why


def test_a_single_row_far_above_both_neighbours_is_a_disturbance_and_a_step_is_none() -> None:
    rows = [(2**p, 20.0) for p in range(3, 11)]
    disturbed = [*rows[:4], (rows[4][0], 200.0), *rows[5:]]
    log = read_log("log.txt", measured_log(rows=disturbed))
    assert [dropped.why[:7] for dropped in log.dropped] == ["warm-up"]
    stepped = [*rows[:4], *((size, 200.0) for size, _ in rows[4:])]
    assert read_log("log.txt", measured_log(rows=stepped)).n_dropped == 0


def test_every_line_is_used_or_explained() -> None:
    """Rows + dropped + comments are all lines: nothing is passed over."""
    noise = ["a line of something else", "[node00:01] mca base", "8 2 float sum -1 broken"]
    lines = lines_of(measured_log(gpus=16, nodes=2, rows=SWEEP, extra=noise))
    log = read_log("log.txt", "\n".join(lines).encode())
    reported = {row.line for row in log.rows} | {dropped.line for dropped in log.dropped}
    assert reported == {i for i, line in enumerate(lines, 1) if not line.startswith("#")}


# ---------------------------------------------------------------- signs and spaces between thousands
def parted(sign: str, *, counts: bool, figures: bool) -> bytes:
    """``WHOLE`` with thousands parted by a sign in its sizes, and in counts and figures where these say so."""

    def grouped(found: re.Match[str]) -> str:
        whole, point, rest = found[0].partition(".")
        return f"{int(whole):,}".replace(",", sign) + (("," if sign == "." else ".") + rest if point else "")

    def row(line: str) -> str:
        found = re.fullmatch(r"( *\d+)( +)(\d+)( +float +sum +-1)(.*)", line)
        if not found:
            return line
        number = re.compile(r"\d+(?:\.\d+)?")
        size, gap, count, middle, rest = found.groups()
        count, rest = number.sub(grouped, count) if counts else count, number.sub(grouped, rest) if figures else rest
        return f"{number.sub(grouped, size)}{gap}{count}{middle}{rest}"

    return "\n".join(map(row, lines_of(WHOLE))).encode()


@pytest.mark.parametrize("counts", [False, True])
@pytest.mark.parametrize("sign", [",", ".", "'", "’", "_", " ", "\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}"])
def test_thousands_may_be_parted_in_every_way(sign: str, counts: bool) -> None:
    for tag in ("", "[1,0]<stdout>:", "0: "):
        made = tag.encode() + parted(sign, counts=counts, figures=False).replace(b"\n", b"\n" + tag.encode())
        log = read_log("log.txt", made)
        assert (times(log), log.dropped) == (TIMES, ())


@pytest.mark.parametrize("sign", [",", ".", "'", "_"])
def test_figures_may_have_parted_thousands_and_a_comma(sign: str) -> None:
    log = read_log("log.txt", parted(sign, counts=True, figures=True))
    assert (times(log), log.dropped) == (TIMES, ())
    assert log.rows[-1].busbw_gb_s == read_log("log.txt", WHOLE).rows[-1].busbw_gb_s


def test_figures_with_spaces_between_thousands_are_refused_with_the_reason() -> None:
    log = read_log("log.txt", parted(" ", counts=True, figures=True))
    assert all(time == TIMES[size] for size, time in times(log).items())
    assert {dropped.why for dropped in log.dropped} == {"a row of the table with 11 figures where 4 or 8 are printed"}


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("  1,048,576  262,144  float  sum  -1  1,234  N/A  N/A  0  1,234  N/A  N/A  0", "thousands or decimals"),
        ("  1 048 577  262 144  float  sum  -1  58.1  18.0  33.8  0", "thousands or columns"),
    ],
)
def test_a_number_that_may_be_two_is_refused(line: str, why: str) -> None:
    log = read_log("log.txt", WHOLE + line.encode())
    assert times(log) == TIMES
    assert [why in dropped.why for dropped in log.dropped] == [True]


@pytest.mark.parametrize(
    ("figures", "time_us"),
    [("1,234 3.40 6.37", 1234.0), ("1,234 3398,95 6373,03", 1.234), ("1,234 3399 6373", 1.234)],
)
def test_a_comma_before_the_fraction_is_known_by_its_row(figures: str, time_us: float) -> None:
    head = "\n".join(line for line in lines_of(WHOLE) if line.startswith("#"))
    line = f"   4194304  1048576  float  sum  -1  {figures}  0  {figures}  0"
    assert [row.time_us for row in read_log("log.txt", f"{head}\n{line}\n".encode()).rows] == [time_us]


# ---------------------------------------------------------------- columns of newer versions
def test_columns_of_single_iterations_stand_behind_each_half() -> None:
    """nccl-tests of July 2026 prints least, most, 99th percentile and spread of the iterations behind each half."""
    more = "   28.10   31.20   31.00    2.10"

    def row(line: str) -> str:
        words = line.split()
        if len(words) != 13 or words[2] != "float":
            return line
        halves = " ".join(words[5:9]) + more, " ".join(words[9:13]) + more.replace("2.10", "N/A")
        return " ".join([*words[:5], *halves, "2026-11-30 01:02:03"])

    log = read_log("log.txt", "\n".join(map(row, lines_of(WHOLE))).encode())
    assert (times(log), log.dropped) == (TIMES, ())
    plain = read_log("log.txt", WHOLE)
    assert [(r.in_place_us, r.busbw_gb_s, r.n_wrong) for r in log.rows] == [
        (r.in_place_us, r.busbw_gb_s, r.n_wrong) for r in plain.rows
    ]


def test_times_of_the_cpu_are_no_times_of_the_network() -> None:
    text = WHOLE.decode().replace(" time ", " cputime ")
    with pytest.raises(SpecError) as error:
        read_logs("cpu.txt", text.encode())
    assert "none of its rows can be used, most of them as the time is the CPU’s" in error.value.problems[0].message
    content = json.loads((LOGS / "h100x4_all_reduce.json").read_text())
    for result in content["results"]:
        result["out_of_place"]["cpu_time"] = result["out_of_place"].pop("time")
    with pytest.raises(SpecError) as error:
        read_logs("cpu.json", json.dumps(content).encode())
    assert "the time is the CPU’s" in error.value.problems[0].message


def test_a_sheet_of_the_rows_is_refused_with_the_reason() -> None:
    text = "size,count,type,redop,time,algbw,busbw\n8,2,float,sum,20.1,0.00,0.00\n1048576,262144,float,sum,58.1,18.05,33.8\n"
    for made in (text, text.replace(",", ";")):
        with pytest.raises(SpecError) as error:
            read_logs("rows.csv", made.encode())
        assert "its columns are parted by commas or semicolons. Give the text" in error.value.problems[0].message


# ---------------------------------------------------------------- JSON
def json_log(**changes: Any) -> bytes:
    content = json.loads((LOGS / "h100x4_all_reduce.json").read_text())
    return json.dumps(content | changes).encode()


def test_json_rows_carry_in_place_times_and_the_library() -> None:
    log = read_log("x.json", json_log())
    assert (log.rows[0].message_bytes, log.rows[0].time_us, log.rows[0].in_place_us) == (1024, 24.5283, 26.7624)
    assert log.version == "22809"
    assert all(b.message_bytes > a.message_bytes for a, b in pairwise(log.rows))


def test_json_of_other_versions_and_with_damaged_results() -> None:
    good = json.loads(json_log())["results"]
    for changed in ({"version": 1}, {"version": 99, "new_key": {"a": [1]}}, {"nccl_version": None}):
        assert len(read_log("x.json", json_log(**changed)).rows) == 9
    log = read_log("x.json", json_log(results=[{"size": 8}, "text", *good]))
    assert len(log.rows) == 9
    assert [(dropped.line, dropped.why) for dropped in log.dropped] == [
        (1, "a result without size, time or bandwidths"),
        (2, "a result without size, time or bandwidths"),
    ]


@pytest.mark.parametrize(
    "data",
    [
        b"{",
        b"{}",
        b'{"results": 5}',
        b'{"results": null}',
        b'{"results": [], "config": 5}',
        b'{"results": {"a": 1}}',
        b'{"a":' * 5000,
        json_log(config={"ngpus": "four"}),
        json_log(config={"devices": [{"rank": "x"}]}),
        json_log(args=5),
    ],
)
def test_json_that_is_no_log_is_refused_or_read_and_never_breaks(data: bytes) -> None:
    with suppress(SpecError):
        assert read_log("x.json", data).rows


TAGS = [
    "[1,0]<stdout>:",
    "[1,0]<stdout>: ",
    "0: ",
    "node-01: ",
    "node-01 | ",
    "[pod/launcher-x/main] ",
    "2026-11-28T05:00:00Z ",
]


@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.parametrize("before", ["", "Warning: Permanently added 'n1' to the list of known hosts.\n"])
def test_json_is_read_behind_the_tags_of_launchers(tag: str, before: str) -> None:
    lines = json.dumps(json.loads(json_log()), indent=1).splitlines()
    log = read_log("x.json", (before + "\n".join(tag + line for line in lines)).encode())
    assert log == read_log("x.json", json_log())


def test_several_objects_of_json_are_several_runs() -> None:
    logs = read_logs("x.json", json_log() + b"\n" + json_log())
    assert [log.file for log in logs] == ["x.json, run 1", "x.json, run 2"]
    assert [log.rows for log in logs] == [read_log("x.json", json_log()).rows] * 2


def test_text_that_speaks_of_results_is_still_text() -> None:
    text = (LOGS / "h100x4_all_reduce.txt").read_bytes()
    log = read_log("x.txt", b'0: {"results" of the day}\n' + text)
    assert [row.time_us for row in log.rows] == [row.time_us for row in read_log("x.txt", text).rows]


def test_halves_of_character_pairs_and_zeros_in_json_stay_out() -> None:
    content = json.loads((LOGS / "h100x4_all_reduce.json").read_text())
    content["config"]["devices"][0]["device_info"] = "NVIDIA \ud800 H100\0"
    log = read_log("x.json", json.dumps(content).encode())
    "".join(log.gpu_names).encode()
    assert "\0" not in "".join(log.gpu_names)


# ---------------------------------------------------------------- bounds
def test_a_file_over_the_limit_is_refused_before_it_is_read() -> None:
    with pytest.raises(SpecError) as error:
        read_log("big.txt", b"#" * (MAX_LOG_BYTES + 1))
    (problem,) = error.value.problems
    assert problem.code == "file_too_large"
    assert f"{MAX_LOG_BYTES:,}" in problem.message


@pytest.mark.parametrize("filler", [b"8 ", b"[", b"NCCL_", b"Rank 1 ", b"1:", b"a.", b" " * 10, b"[1,0]", b"9" * 100])
def test_one_line_of_two_megabytes_takes_no_more_than_a_moment(filler: bytes) -> None:
    bomb = filler * (2_000_000 // len(filler)) + b"\n"
    assert yardsticks(lambda: read_log("log.txt", bomb + WHOLE)) < 25
    assert times(read_log("log.txt", bomb + WHOLE)) == TIMES


def test_a_log_of_hundreds_of_thousands_of_lines_says_how_many_were_dropped() -> None:
    log = read_log("log.txt", b"nothing of use\n" * 200_000 + WHOLE)
    assert times(log) == TIMES
    assert log.n_dropped == 200_000
    assert len(log.dropped) == MAX_DROPPED_SHOWN


@pytest.mark.parametrize("data", [b"", b"\n\n", b"hello", b"# only comments\n", bytes(range(256)) * 50])
def test_a_file_without_rows_is_refused_with_the_way_out(data: bytes) -> None:
    with pytest.raises(SpecError) as error:
        read_log("log.txt", data)
    assert error.value.problems[0].code == "no_rows"


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        (
            " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n 65536 5000 391.1 390.9 0.745\n",
            "ib_write_bw",
        ),
        (
            " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]\n 2 1000 2.11 5.2 2.2 2.2\n",
            "ib_read_lat",
        ),
        ("nvbandwidth Version: v0.8\nRunning host_to_device_memcpy_ce.\n", "nvbandwidth"),
        ("ClusterKit 1.12\nLatency (usec) min 1.2\n", "ClusterKit"),
    ],
)
def test_a_file_of_another_tool_is_refused_by_its_name(text: str, tool: str) -> None:
    with pytest.raises(SpecError) as error:
        read_logs("x.txt", text.encode())
    (problem,) = error.value.problems
    assert problem.code == "no_rows"
    assert tool in problem.message


@pytest.mark.parametrize("unit", ["Rank 1 ", "Rank 1 Pid 1 on ", "1 1 float ", "a ", "2026-11-28T00:00:00 ", "NCCL_A="])
def test_reading_takes_a_time_that_grows_with_the_length_of_a_line(unit: str) -> None:
    """A line four times as long takes about four times as long, where it took sixteen times: 20 MB took minutes."""

    def best_s(width: int) -> float:
        data = ("1 1 float " + unit * (width // len(unit)) + "\n").encode() * (400_000 // width)
        took = []
        for _ in range(3):
            started = time.process_time()
            with suppress(SpecError):
                read_log("log.txt", data)
            took.append(time.process_time() - started)
        return min(took)

    assert best_s(9_600) < 4 * best_s(600) + 0.02
