"""The files of the workloads tab: layouts, placements, links and traffic, with what the figures rest on."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime

from designer.exports.csv import csv_bytes
from designer.exports.downloads import CSV_TYPE, XLSX_TYPE, Download, file_name, workbook
from designer.exports.tables import ANY, COUNT, MONEY, RANGE, SHARE, Cell, Column, Table, provenance
from designer.services.workloads.answer import CountedModel, DesignWorkloads
from designer.wording.layouts import layout_words, placement_words
from estimator.result import PricedEstimate
from estimator.workloads.training.answer import StepAnswer

SECONDS, MILLISECONDS, GIGABYTES = "0.0000", "0.000", "0.00"


def _columns(path: str, heads: dict[str, str], unit: str, form: str, stem: str = "") -> tuple[Column, ...]:
    """A column for each key of a record that lies at ``path`` of a row; ``stem`` begins their keys."""
    at = tuple(path.split(".")) if path else ()
    return tuple(Column(f"{stem}{key}", head, unit, 14, form, path=(*at, key)) for key, head in heads.items())


PARTS = {
    "compute": "Matrix products",
    "attention": "Attention",
    "memory": "GPU memory",
    "tp": "TP traffic",
    "cp": "CP traffic",
    "ep": "EP traffic",
    "pp_bubble": "Pipeline bubble",
    "pp_p2p": "PP traffic",
    "dp_exposed": "DP traffic, not hidden",
    "optimizer": "Optimizer",
    "host": "Launches",
}
MEMORY = {"weights": "Weights", "gradients": "Gradients", "optimizer": "Optimizer", "activations": "Activations"}
SERVED_MEMORY = {"weights": "Weights", "kv_cache": "KV cache", "activations": "Activations", "reserved": "Reserved"}
ALL_MEMORY = {"total": "Memory, total", "usable": "Memory, usable"}
DEGREES = {"tp": "TP", "pp": "PP", "cp": "CP", "ep": "EP", "dp": "DP", "virtual_stages": "Virtual stages"}
BATCH = {
    "micro_batch": "Micro-batch",
    "global_batch": "Global batch",
    "sequence": "Sequence",
    "zero_stage": "ZeRO stage",
}
SERVED_DEGREES = {"tp": "TP", "pp": "PP", "attention_dp": "Attention DP", "moe_tp": "Expert TP", "ep": "EP"}
HEAD = (
    Column("rank", "Rank", width=6, number_format=COUNT),
    Column("model", "Model", width=22),
    Column("precision", "Precision", width=10),
    Column("layout", "Layout", width=26),
)
LAYOUT_COLUMNS = (
    *HEAD,
    *_columns("parallel", DEGREES | BATCH, "", COUNT),
    Column("recompute", "Recompute", path=("parallel", "recompute")),
    *_columns("stages", {"fullest_layers": "Layers, fullest stage", "last_layers": "Layers, last stage"}, "", COUNT),
    *_columns("", {"step_s": "Step", "step_s_low": "Step, low", "step_s_high": "Step, high"}, "s", SECONDS),
    *_columns("", {"tokens_per_s": "Tokens a second", "tokens_per_s_per_gpu": "Tokens a second, each GPU"}, "", COUNT),
    *_columns("", {"mfu": "MFU", "hfu": "HFU"}, "", SHARE),
    *_columns("parts_s", PARTS, "s", SECONDS, "part_s_"),
    *_columns("memory_gb_per_gpu", MEMORY | ALL_MEMORY, "GB", GIGABYTES, "memory_gb_"),
    Column("fits", "Fits", width=7),
    Column("limited_by", "Limited by", width=26),
)
TPOT = {"tpot_ms": "Time per token", "tpot_ms_low": "Time per token, low", "tpot_ms_high": "Time per token, high"}
TTFT = {
    "ttft_ms": "Time to first token",
    "ttft_ms_low": "Time to first token, low",
    "ttft_ms_high": "Time to first token, high",
}
_ROW = (
    Column("concurrency", "Concurrency", "requests", 10, COUNT),
    *_columns("", TPOT, "ms", MILLISECONDS),
    *_columns("", TTFT, "ms", MILLISECONDS),
    *_columns("", {"tokens_per_s_per_gpu": "Tokens a second, each GPU"}, "", ANY),
    Column("communication_share", "Communication", width=12, number_format=SHARE),
    Column("is_saturated", "Saturated", width=10),
)
PLACEMENT_COLUMNS = (
    *HEAD,
    *_columns("placement.layout", SERVED_DEGREES, "", COUNT),
    Column("gpus", "GPUs of a replica", width=9, number_format=COUNT, path=("placement", "gpus")),
    Column("replicas", "Replicas on the design", width=10, number_format=COUNT),
    Column("is_best", "Best", width=7),
    Column("is_on_front", "Pareto-optimal", width=9),
    *(Column(one.key, one.header, one.unit, one.width, one.number_format, ("row", one.key)) for one in _ROW),
    Column("tokens_per_s", "Tokens a second, all replicas", width=14, number_format=COUNT),
    Column("usd_per_million_tokens", "A million output tokens", "USD", 14, "#,##0.0000"),
    *_columns("placement.memory_gb_per_gpu", SERVED_MEMORY | ALL_MEMORY, "GB", GIGABYTES, "memory_gb_"),
    Column("max_concurrency", "Most requests at once", "", 12, COUNT, ("placement", "max_concurrency")),
    Column(
        "crosses_scale_up_domain",
        "Beyond scale-up links",
        width=12,
        path=("placement", "crosses_scale_up_domain"),
    ),
    Column("limited_by", "Limited by", width=20, path=("placement", "limited_by")),
    Column("why_not", "Why not", width=60),
)
LOAD_COLUMNS = (*HEAD, *_ROW)
RUN_COLUMNS = (
    *HEAD[1:],
    Column("tokens", "Tokens", width=16, number_format=COUNT),
    *(Column(f"days_{end}", f"Days, {end}", "", 12, "0.00", ("days", end)) for end in RANGE),
    *(Column(f"usd_{end}", f"Cost of the run, {end}", "USD", 16, MONEY, ("usd", end)) for end in RANGE),
    *(Column(f"goodput_{end}", f"Goodput, {end}", "", 12, SHARE, ("goodput", end)) for end in RANGE),
    *(
        Column(f"hours_between_stops_{end}", f"Between stops, {end}", "h", 12, "0.00", ("hours_between_stops", end))
        for end in RANGE
    ),
    Column("checkpoint_every_s", "Between checkpoints", "s", 14, COUNT),
    Column("checkpoint_gb", "Checkpoint", "GB", 12, COUNT),
)
LINK_COLUMNS = (
    Column("code", "Level", width=12),
    Column("name", "Link", width=32),
    Column("gb_s", "Each GPU, one direction", "GB/s", 14, "#,##0.0"),
    Column("latency_us", "Small message", "µs", 12, "0.0"),
    Column("limited_by", "Limited by", width=22),
    Column("basis", "Basis", width=12),
    Column("evidence", "Source", width=60),
)
TRAFFIC_COLUMNS = (
    *HEAD,
    Column("traffic", "Traffic", width=10),
    Column("path", "Path", width=12),
    Column("bytes_per_step", "Each GPU in a step", "bytes", 18, COUNT),
    Column("share_of_step", "Share of the step", width=12, number_format=SHARE),
)
ASKED_COLUMNS = (
    Column("workload", "Workload", width=12),
    Column("field", "Field", width=24),
    Column("value", "Value", width=40),
)
CONSTANT_COLUMNS = (
    Column("model", "Model", width=10),
    Column("name", "Constant", width=30),
    Column("index", "Of", width=28),
    *(
        Column(key, head, width=14, number_format=ANY)
        for key, head in (("low", "Low"), ("value", "Value"), ("high", "High"))
    ),
    Column("unit", "Unit", width=16),
    Column("basis", "Basis", width=12),
    Column("evidence", "Source", width=70),
)


def layouts_table(shown: DesignWorkloads) -> Table:
    """Layouts of training, the fastest first: degrees, times, parts, memory, and what limits them."""
    return _table("Training layouts", LAYOUT_COLUMNS, _trained(shown), 4)


def placements_table(shown: DesignWorkloads) -> Table:
    """Placements of a replica under the load requested."""
    rows = (
        ((rank, *_of_serving(shown), one.label), one) for rank, one in enumerate(shown.serving.searched.placements, 1)
    )
    return _table("Placements", PLACEMENT_COLUMNS, rows, 4)


def loads_table(shown: DesignWorkloads) -> Table:
    """The placements of the front under each load."""
    rows = (
        ((rank, *_of_serving(shown), placement_words(one.layout)), row)
        for rank, one in enumerate(shown.serving.front, 1)
        for row in one.rows
    )
    return _table("Serving loads", LOAD_COLUMNS, rows, 4)


def run_table(shown: DesignWorkloads) -> Table:
    """A row: the whole run by the best layout; none where no layout fits."""
    head = (*_of_training(shown), _best_words(shown.training.searched.layouts))
    return _table("Training run", RUN_COLUMNS, [(head, shown.training.run)] if shown.training.run else [], 3)


def links_table(shown: DesignWorkloads) -> Table:
    """What a GPU gets of each link, from its memory to the core."""
    return _table("Links", LINK_COLUMNS, (((), one) for one in shown.links), 2)


def traffic_table(shown: DesignWorkloads) -> Table:
    """What each layout of training sends over which path."""
    rows = ((head, link) for head, one in _trained(shown) for link in one.links)
    return _table("Traffic", TRAFFIC_COLUMNS, rows, 4)


def asked_table(shown: DesignWorkloads) -> Table:
    """What was requested, field by field, and what an hour of a GPU costs."""
    asked = (
        ("training", shown.training.asked, shown.training.model),
        ("serving", shown.serving.asked, shown.serving.model),
    )
    rows = list(asked_rows(asked))
    hour = shown.usd_per_gpu_hour or (None,) * len(RANGE)
    rows += [("both", f"usd_per_gpu_hour_{end}", value) for end, value in zip(RANGE, hour, strict=True)]
    return Table("Requested", ASKED_COLUMNS, tuple(rows))


def asked_rows(asked: Iterable[tuple[str, dict[str, str], CountedModel]]) -> Iterator[tuple[Cell, ...]]:
    """The rows of ASKED_COLUMNS of workloads: name, what was typed, and the model that it names."""
    for name, typed, model in asked:
        yield from ((name, field, text) for field, text in typed.items())
        yield from ((name, f"model.{key}", value) for key, value in model.as_json().items())


def constants_table(shown: DesignWorkloads) -> Table:
    """Constants that times rest on, each with its source."""
    return _table("Workload constants", CONSTANT_COLUMNS, (((), one) for one in shown.constants), 3)


TABLES: dict[str, Callable[[DesignWorkloads], Table]] = {
    "layouts": layouts_table,
    "placements": placements_table,
    "loads": loads_table,
    "run": run_table,
    "links": links_table,
    "traffic": traffic_table,
    "requested": asked_table,
    "constants": constants_table,
}


def workloads_csv(estimate: PricedEstimate, shown: DesignWorkloads, table: str) -> Download:
    """One of TABLES for machines."""
    content = csv_bytes(TABLES[table](shown), provenance(estimate))
    return Download(file_name(estimate, "csv", f"workloads-{table}"), CSV_TYPE, content)


def workloads_xlsx(estimate: PricedEstimate, shown: DesignWorkloads, created: datetime) -> Download:
    """All of TABLES, with the design and the sources of its prices."""
    return workbook(estimate, [make(shown) for make in TABLES.values()], created, "workloads")


def workloads_json(estimate: PricedEstimate, shown: DesignWorkloads) -> Download:
    """All that the tab shows, as REST answers it."""
    content = json.dumps(shown.as_json(), ensure_ascii=False, indent=1).encode()
    return Download(file_name(estimate, "json", "workloads"), "application/json", content)


WORKLOAD_TYPES = {"csv": CSV_TYPE, "xlsx": XLSX_TYPE}
WORKLOAD_FORMATS = ("json", *WORKLOAD_TYPES)


def workloads_download(
    form: str, estimate: PricedEstimate, shown: DesignWorkloads, table: str, created: datetime
) -> Download:
    """One of WORKLOAD_FORMATS; a CSV holds one table, the others all."""
    if form == "json":
        return workloads_json(estimate, shown)
    if form == "csv":
        return workloads_csv(estimate, shown, table)
    return workloads_xlsx(estimate, shown, created)


def _table(
    title: str, columns: Sequence[Column], rows: Iterable[tuple[tuple[Cell, ...], object]], frozen: int
) -> Table:
    """Rows of first cells and a record that has the others."""
    cells = tuple((*head, *(column.value(record) for column in columns[len(head) :])) for head, record in rows)
    return Table(title, tuple(columns), cells, frozen_columns=frozen)


def _trained(shown: DesignWorkloads) -> Iterator[tuple[tuple[Cell, ...], StepAnswer]]:
    for rank, one in enumerate(shown.training.searched.layouts, 1):
        yield (rank, *_of_training(shown), layout_words(one.parallel)), one


def _of_training(shown: DesignWorkloads) -> tuple[Cell, Cell]:
    return shown.training.model.name, shown.training.asked["train_precision"]


def _of_serving(shown: DesignWorkloads) -> tuple[Cell, Cell]:
    return shown.serving.model.name, shown.serving.asked["serve_precision"]


def _best_words(layouts: Sequence[StepAnswer]) -> str:
    return layout_words(layouts[0].parallel) if layouts else ""
