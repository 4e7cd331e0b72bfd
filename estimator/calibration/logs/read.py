"""Reading what nccl-tests and rccl-tests print: text of every age, behind any launcher's tags, and the JSON form.

A reader must live with what people paste: several runs in one file, lines of other programs in between, several ranks in turns,
`N/A` where nothing was checked, zeros where nothing was sent. Rows that cannot be used are named with the reason, never passed
over.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from estimator.calibration.logs.inference import agrees, collective_in, collective_of, gpus_of
from estimator.calibration.logs.json_form import json_runs
from estimator.calibration.logs.lines import OF_CPU, LogRow
from estimator.calibration.logs.other_tools import OSU, is_sheet, tool_of
from estimator.calibration.logs.runs import Rank, Run, is_falling, runs_of
from estimator.calibration.result import LogLine
from estimator.errors import Problem, SpecError
from estimator.performance.collectives import BUS_FACTORS

MAX_LOG_BYTES = 20_000_000
MAX_RUNS = 100  # in one file
MAX_DROPPED_SHOWN = 200
ARITHMETIC_TOLERANCE = 0.006  # of a bandwidth: what rounding to two decimals leaves, for times that are long enough
WARM_UP = 1.8  # a single row this many times both of its neighbours is no measurement of the network


@dataclass(frozen=True)
class ParsedLog:
    """What a log says of one run. What it does not say is None; ``gpu_names`` are as printed."""

    file: str
    collective: str | None
    gpus: int | None
    nodes: int | None
    launch: str
    gpu_names: tuple[str, ...]
    version: str | None
    rows: tuple[LogRow, ...]
    dropped: tuple[LogLine, ...]
    n_dropped: int
    messages: tuple[str, ...] = ()  # lines of the library, for the diagnosis
    settings: dict[str, str] = field(default_factory=dict)  # NCCL_… as the log says them
    n_disturbed: int = 0  # rows dropped because they took much longer than both neighbours
    hosts: tuple[str, ...] = ()  # in the order of their first rank
    n_failed: int = 0  # values that the line behind the table counts as out of bounds
    problems: tuple[Problem, ...] = ()  # why the run says nothing of a network


def read_logs(name: str, data: bytes) -> tuple[ParsedLog, ...]:
    """The runs of one file as nccl-tests or rccl-tests wrote it, in the order of the file.

    Raises
    ------
    SpecError
        If the file is too big, holds too many runs, or no usable row.
    """
    if len(data) > MAX_LOG_BYTES:
        message = f"{name} has {len(data):,} bytes, and {MAX_LOG_BYTES:,} is the most. Cut it to the table of results."
        raise SpecError([Problem("log", "file_too_large", message)])
    text = _text(data)
    outside: list[LogLine] = []
    runs = json_runs(name, text)
    if runs is None:
        runs, outside = runs_of(text)
    if len(runs) > MAX_RUNS:
        message = f"{name} holds {len(runs):,} runs, and {MAX_RUNS} are the most in one file. Split it."
        raise SpecError([Problem("log", "too_many_runs", message)])
    if runs:
        runs[0].dropped += outside
    names = [name] if len(runs) == 1 else [f"{name}, run {i}" for i in range(1, len(runs) + 1)]
    logs = [_finish(each, run, name if len(runs) == 1 else "") for each, run in zip(names, runs, strict=True)]
    read = tuple(log for log in logs if log is not None)
    if not read:
        n_rows = sum(len(run.rows) for run in runs)
        message = f"{name}: {_seen(text, runs, n_rows)}. Give the text that all_reduce_perf and its like print, or their JSON."
        raise SpecError([Problem("log", "no_rows", message)])
    lost = [line for run, log in zip(runs, logs, strict=True) if log is None for line in run.dropped]
    return (_with(read[0], lost), *read[1:])


def _seen(text: str, runs: list[Run], n_rows: int) -> str:
    """What stands in a file without a usable row."""
    if why := Counter(line.why for run in runs for line in run.dropped).most_common(1):
        return f"none of its rows can be used, most of them as {why[0][0]}"
    if n_rows:
        return f"{n_rows} rows were read and none can be used"
    tool = tool_of(text)
    if tool == OSU:
        return f"it is of {tool}, which times messages of MPI and is not read here"
    if tool:
        return f"it is of {tool}, which measures one path or lists links and no collective"
    return "its columns are parted by commas or semicolons" if is_sheet(text) else "no row of results in it"


def _with(log: ParsedLog, lost: list[LogLine]) -> ParsedLog:
    """A log that also names the lines of runs without a usable row."""
    dropped = sorted([*log.dropped, *lost], key=lambda item: item.line)
    return replace(log, dropped=tuple(dropped[:MAX_DROPPED_SHOWN]), n_dropped=log.n_dropped + len(lost))


def _text(data: bytes) -> str:
    """UTF-8, or UTF-16 as Windows shells write it; without zero bytes, which no database keeps."""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return data.decode(encoding, errors="replace").replace("\0", "")


# ---------------------------------------------------------------- what the rows of a run say together


def _finish(name: str, run: Run, file: str) -> ParsedLog | None:
    """A run as it is answered, None without a usable row; ``file`` may name the collective where it holds nothing else."""
    if is_falling([row.message_bytes for row in run.rows]):
        run.rows.reverse()
        run.shapes.reverse()
    ranks = {rank.rank: rank for rank in reversed(run.ranks)}
    gpus = max(max(ranks) + 1, _processes_times_gpus(run)) if ranks else None
    named = collective_in(file)
    if named and not agrees(named, run.rows, run.shapes, gpus):
        named = None
    collective = run.collective or named or collective_of(run.rows, run.shapes, gpus)
    gpus = gpus or gpus_of(run.rows, run.shapes, collective)
    alone = _ran_alone(name, run, gpus)
    usable = tuple(_usable(run, collective, None if alone else gpus, alone is not None))
    if not usable:
        return None
    dropped = sorted(run.dropped, key=lambda item: item.line)
    return ParsedLog(
        file=name,
        collective=collective,
        gpus=gpus,
        nodes=_nodes(ranks, gpus),
        launch=_launch(run, ranks),
        gpu_names=tuple(sorted({rank.gpu for rank in ranks.values() if rank.gpu})),
        version=run.version,
        rows=usable,
        dropped=tuple(dropped[:MAX_DROPPED_SHOWN]),
        n_dropped=len(dropped),
        messages=tuple(run.messages),
        settings=run.settings,
        n_disturbed=run.n_disturbed,
        n_failed=run.n_failed,
        hosts=tuple(dict.fromkeys(ranks[rank].host for rank in sorted(ranks) if ranks[rank].host)),
        problems=(alone,) if alone else (),
    )


def _ran_alone(name: str, run: Run, gpus: int | None) -> Problem | None:
    """That several processes each ran a test of their own, as builds without MPI do: rank 0 stands there once for each."""
    firsts = dict.fromkeys((rank.host, rank.pid) for rank in run.ranks if rank.rank == 0)
    per_run = f"rank 0 stands there {len(firsts)} times"
    if len(firsts) > 1 and gpus and gpus > 1:
        per_run = f"ranks 0 to {gpus - 1} stand there {len(firsts)} times"
    if len(firsts) > 1:
        hosts = list(dict.fromkeys(host for host, _ in firsts))
        where = f"{len(firsts)} processes on {', '.join(hosts[:4])}{' and more' if len(hosts) > 4 else ''}"
        lone = " and the bus bandwidth is 0" if _has_no_busbw(run) else ""
        said = f"{where} each ran a test of their own: {per_run}{lone}"
    elif _has_no_busbw(run) and (gpus is None or gpus < 2):
        said = "one GPU ran alone: the bus bandwidth is 0 at every size"
    else:
        return None
    message = (
        f"{name}: {said}. Nothing went over a network, so the log is not judged. Build the tests with MPI=1 (make MPI=1) and "
        "start one job over all nodes."
    )
    return Problem("log", "ran_alone", message)


def _has_no_busbw(run: Run) -> bool:
    return bool(run.rows) and all(row.busbw_gb_s == 0 and (row.algbw_gb_s or 0) > 1 for row in run.rows)


def _processes_times_gpus(run: Run) -> int:
    """GPUs by the options alone: a list of devices may be cut short. Processes of another run have a rank 0 of their own."""
    firsts = {(rank.host, rank.pid) for rank in run.ranks if rank.rank == 0}
    pids = {(rank.host, rank.pid) for rank in run.ranks}
    n_processes = 1 if len(firsts) > 1 else max(len(pids), 1)
    return n_processes * run.options.get("nThread", 1) * run.options.get("nGpus", 1)


def _nodes(ranks: dict[int, Rank], gpus: int | None) -> int | None:
    """Hosts that are named, or as many as one device stands in the list; None where most of the list is missing."""
    if not ranks or len(ranks) * 4 < (gpus or 0):
        return None
    hosts = {rank.host for rank in ranks.values()}
    a_device = Counter((rank.host, rank.device) for rank in ranks.values())
    return max(len(hosts), max(a_device.values()))


def _launch(run: Run, ranks: dict[int, Rank]) -> str:
    if run.options.get("graph"):
        return "graph"
    pids = {(rank.host, rank.pid) for rank in ranks.values()}
    if run.options.get("nGpus", 1) > 1 or (len(ranks) > 1 and len(pids) * 2 <= len(ranks)):
        return "single-process"
    return "process-per-gpu"


def _usable(run: Run, collective: str | None, gpus: int | None, alone: bool) -> Iterator[LogRow]:
    """Rows with a size and a time, whose bandwidths follow from them, and that stand out from both neighbours no more.

    Tables of several processes in turns are not compared with each other.
    """
    kept = []
    for row in run.rows:
        why = OF_CPU if run.is_of_cpu else _why_not(row, collective, gpus)
        if why:
            run.drop(row.line, why)
        else:
            kept.append(row)
    if alone:
        yield from kept
        return
    for i, row in enumerate(kept):
        near = [kept[j].time_us for j in (i - 1, i + 1) if 0 <= j < len(kept)]
        is_last = i == len(kept) - 1  # nothing after it says that it should have been shorter
        if not is_last and all(row.time_us > WARM_UP * time for time in near):
            run.n_disturbed += i > 0  # the first one is a warm-up
            run.drop(row.line, f"warm-up or a disturbance: {row.time_us:g} us is over {WARM_UP} times both neighbours")
        else:
            yield row


def _why_not(row: LogRow, collective: str | None, gpus: int | None) -> str | None:
    if row.message_bytes <= 0:
        return "no bytes were sent"
    if row.time_us <= 0:
        return f"a time of {row.time_us:g} us"
    algbw = row.message_bytes / row.time_us / 1e3
    if row.algbw_gb_s and row.algbw_gb_s > 1 and _differs(row.algbw_gb_s, algbw):
        return f"the arithmetic is wrong: {row.algbw_gb_s:g} GB/s printed, and {algbw:.2f} follow from size and time"
    if row.busbw_gb_s and row.busbw_gb_s > 1 and collective in BUS_FACTORS and gpus and gpus > 1:
        busbw = algbw * float(BUS_FACTORS[collective](gpus))
        if _differs(row.busbw_gb_s, busbw):
            return f"the arithmetic is wrong: {row.busbw_gb_s:g} GB/s of bus bandwidth printed, and {busbw:.2f} follow"
    return None


def _differs(printed: float, computed: float) -> bool:
    return abs(printed - computed) > ARITHMETIC_TOLERANCE * computed + 0.006
