"""The form of a calibration: logs, and the system they ran on in plain words. A blank field means "as the logs say"."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django import forms

from designer.forms.asking import AskForm, ask
from designer.wording.context import Context
from designer.wording.names import COLLECTIVES, NETWORKS
from designer.wording.numbers import count, decimal, words
from estimator.calibration.logged_run import NIC_KEYS, LoggedRun, log_system, run_of
from estimator.calibration.logs.read import ParsedLog
from estimator.calibration.logs.system_words import FIT_FAULTY as FIT_FAULTY_LABEL
from estimator.calibration.logs.system_words import LABELS
from estimator.calibration.paths.read import PathFigure
from estimator.calibration.site_fit import read_file
from estimator.catalog.catalog import Catalog
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError, Problem
from estimator.record import Given
from estimator.spec.price_book import MAX_NAME

AS_LOGGED = "As the logs say"
FABRICS = NETWORKS | {"roce": "RoCE (Ethernet)", "none": "None: one domain"}
LAUNCH_WORDS = {
    "process-per-gpu": "one process for each GPU",
    "single-process": "one process for all GPUs of a node",
    "graph": "CUDA graph",
    "framework": "one process for each GPU, through PyTorch",
}
LAUNCHES = {
    "process-per-gpu": "One process for each GPU",
    "single-process": "One process for all GPUs of a node",
    "graph": "CUDA graph",
    "framework": "One process for each GPU, through PyTorch",
}
ALGORITHMS = ("ring", "tree", "nvls", "nvls_tree", "collnet_chain", "collnet_direct", "pat")
PROTOCOLS = ("ll", "ll128", "simple")
BALANCING = {"adaptive": "Adaptive routing", "ecmp": "Hashed flows (ECMP)", "spray": "Packet spray"}
YES_NO = {"true": "Yes", "false": "No"}
FILES, NAME, FIT_FAULTY = "log", "name", "fit_faulty"
PATHS_NAME = "Measured paths"


@dataclass(frozen=True)
class Ask:
    """One thing asked of the system; ``choices`` is empty for a number or a ratio."""

    name: str
    help: str
    choices: Mapping[str, str] = field(default_factory=dict)
    unit: str = ""
    is_more: bool = False
    usual: str = ""

    @property
    def label(self) -> str:
        """What the field is called."""
        return LABELS[self.name]


ASKS = (
    Ask("gpu", "The accelerator of the run."),
    Ask("nodes", "Servers of the run. Leave blank where several logs differ."),
    Ask("gpus_per_node", "That took part in the run.", unit="GPUs"),
    Ask("fabric", "Between scale-up domains. A run inside one domain needs none.", FABRICS),
    Ask("nics_per_node", "Of the compute network.", unit="NICs"),
    Ask("nic_gbit_s", "Of one NIC, one direction.", unit="Gb/s"),
    Ask("in_network_reduction", "Switches of the network add (SHARP).", YES_NO, usual="No"),
    Ask("collective", "Only where a log does not name it.", COLLECTIVES, is_more=True),
    Ask("gpus", "Only where a log does not list its ranks.", unit="GPUs", is_more=True),
    Ask("launch", "How the processes were started.", LAUNCHES, is_more=True),
    Ask("algorithm", "Where NCCL_ALGO was set.", {key: words(key) for key in ALGORITHMS},
        is_more=True, usual="The library’s choice"),
    Ask("protocol", "Where NCCL_PROTO was set.", {key: words(key) for key in PROTOCOLS},
        is_more=True, usual="The library’s choice"),
    Ask("scale_up_domain_gpus", "GPUs joined without the network, where it is not the usual.",
        unit="GPUs", is_more=True),
    Ask("oversubscription", "Bandwidth to nodes over bandwidth to spines, such as 2:1.",
        is_more=True, usual="1:1"),
    Ask("nodes_per_leaf", "Nodes that share a leaf switch.", unit="nodes", is_more=True),
    Ask("load_balancing", "How uplinks share the load.", BALANCING, is_more=True,
        usual="Usual for the network"),
)  # fmt: skip
TEXTS = {"oversubscription"}
NOT_JUDGED = "Not in every log: enter it, even where it is as usual, or bandwidth is not judged."
FROM_RUN = ("collective", "gpus", "launch", "algorithm", "protocol")


@dataclass
class Read:
    """What the chosen logs say: one entry a log, with its run where there is one."""

    logs: list[tuple[ParsedLog, LoggedRun | None]] = field(default_factory=list)
    figures: list[PathFigure] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def runs(self) -> list[LoggedRun]:
        """Those logs that say enough to be a run."""
        return [run for _, run in self.logs if run]


def _value(ask: Ask, text: str) -> Any:
    if ask.choices is YES_NO:
        return text == "true"
    if ask.name == "gpu" or ask.choices or ask.name in TEXTS:
        return text
    plain = text.replace(",", "").replace("\N{NO-BREAK SPACE}", "").replace(" ", "")
    for kind in (int, float):
        try:
            return kind(plain)
        except ValueError:
            continue
    return text


def read_logs(files: Iterable[tuple[str, bytes]], system: Given, catalog: Catalog) -> Read:
    """The logs as they read with what was answered so far; an answer that is wrong counts as blank here."""
    read = Read()
    try:
        asked = log_system(system)
    except EstimatorError:
        asked = log_system({})
    for name, data in files:
        found = read_file(name, data)
        read.figures += found.figures
        read.problems += found.problems
        read.logs += [(log, run_of(log, asked, catalog)[0]) for log in found.logs]
        read.problems += [problem for log in found.logs for problem in log.problems]
    return read


class CalibrationForm(AskForm):
    """Logs and the system that they ran on; ``read`` is what chosen logs say, so that a blank names what it stands for."""

    log = forms.FileField(required=False, label="Logs")  # several: the page reads them, and here stands what is wrong
    name = ask("Name", maxlength=MAX_NAME, autocomplete="off")
    fit_faulty = forms.BooleanField(required=False, label=FIT_FAULTY_LABEL)

    def __init__(self, data: Given | None = None, read: Read | None = None) -> None:
        super().__init__(data)
        catalog = load_catalog()
        for one in ASKS:
            self.fields[one.name] = _field(one, str((data or {}).get(one.name) or ""), read, catalog)
        self.suggested = suggested_name(read, catalog) if read else ""
        name = self.fields[NAME]
        name.help_text = f"Site and date say most later. Blank: {self.suggested or 'named after the system'}."
        name.widget.attrs["placeholder"] = self.suggested or "By GPU, GPU count, network and collective"

    def field_of(self, problem: Problem) -> str | None:
        """The field that a problem of a system is about."""
        name = problem.field.removeprefix("system.")
        return name if name in self.fields else None

    def system(self) -> Context:
        """The keys of a log's system that were answered. What is no number stays text, and is refused as such."""
        texts = self.texts(*LABELS)
        answered = {one.name: _value(one, texts[one.name]) for one in ASKS if texts[one.name]}
        return answered | ({FIT_FAULTY: True} if self.cleaned_data.get(FIT_FAULTY) else {})

    @property
    def main(self) -> list[forms.BoundField]:
        """Fields of the system that are always shown."""
        return [self[one.name] for one in ASKS if not one.is_more]

    @property
    def more(self) -> list[forms.BoundField]:
        """Fields of the run that are folded away."""
        return [self[one.name] for one in ASKS if one.is_more]

    @property
    def is_more_open(self) -> bool:
        """Whether a folded field says something, or something is wrong with it."""
        return any(field.errors or field.value() for field in self.more)


def _field(one: Ask, value: str, read: Read | None, catalog: Catalog) -> forms.CharField:
    choices = {key: gpu.model for key, gpu in catalog.gpus.items()} if one.name == "gpu" else dict(one.choices)
    stands_for, is_taken = _stands_for(one, read, choices)
    blank, help_text = stands_for or one.usual or AS_LOGGED, one.help
    if is_taken and not value:
        help_text = (
            NOT_JUDGED if one.name in NIC_KEYS else "Not in every log: the usual is taken. Choose it to be sure."
        )
        blank = f"Usual: {blank}" if choices else blank
    elif stands_for and not is_taken and not value:
        help_text = f"From the logs. {help_text}"
    mode = "text" if one.name in TEXTS else "decimal"
    attrs: Context = {"placeholder": blank, "inputmode": mode, "maxlength": 40, "autocomplete": "off"}
    field = (
        ask(one.label, help_text, [("", blank), *choices.items()])
        if choices
        else ask(one.label, help_text, unit=one.unit, **attrs)
    )
    vars(field)["is_heed"] = is_taken and not value
    return field


def _stands_for(ask: Ask, read: Read | None, choices: Mapping[str, str]) -> tuple[str, bool]:
    """(what a blank stands for, whether that is only usual and stands in no log); ("", False) where nobody knows."""
    found: list[Any] = []
    is_taken = False
    for log, run in read.logs if read else []:
        if run is None:
            continue
        value = _of_run(ask.name, log, run)
        if value is not None and not (ask.name == "fabric" and value == "none" and found):
            found.append(value)
            is_taken = is_taken or ask.name in run.assumed
    if ask.name == "fabric" and len(set(found)) > 1:
        found = [value for value in found if value != "none"]
    texts = dict.fromkeys(
        choices.get(str(value).lower() if isinstance(value, bool) else str(value), "") or _number(value)
        for value in found
    )
    return " or ".join(list(texts)[:3]), is_taken


def _of_run(name: str, log: ParsedLog, run: LoggedRun) -> Any:
    if name == "nodes":
        return log.nodes or -(-run.gpus // run.gpus_per_node)
    return getattr(run, name) if name in FROM_RUN else run.system.get(name)


def _number(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return count(value)
    return decimal(value) if isinstance(value, float) else str(value)


def suggested_name(read: Read, catalog: Catalog) -> str:
    """A name out of GPU, GPU counts, network and collectives: "H100 80GB SXM5, 16 GPUs, InfiniBand, all-reduce"."""
    runs = read.runs
    if not runs:
        return PATHS_NAME if read.figures else ""
    gpus = sorted({run.gpus for run in runs})
    span = count(gpus[0]) if len(gpus) == 1 else f"{count(gpus[0])} to {count(gpus[-1])}"
    fabrics = dict.fromkeys(run.fabric for run in runs)
    names = [FABRICS[name].split(" (")[0] for name in fabrics if name in FABRICS and name != "none"]
    collectives = dict.fromkeys(COLLECTIVES[run.collective].lower() for run in runs)
    model = catalog.gpus[runs[0].gpu].model
    return ", ".join([model, f"{span} GPUs", *names, " and ".join(list(collectives)[:2])])[:200]
