"""Sample workloads: published training runs, what each of their steps sends, and how long that takes on a network.

The layouts are data (``published/workloads.json``). Messages follow from model and layout by the formulas in ``messages_of``;
element sizes are assumptions where a paper does not print them.
"""

import json
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import NamedTuple

from estimator.catalog.catalog import Catalog
from estimator.performance.prediction import prediction
from estimator.record import Json
from estimator.spec.design import DesignSpec
from estimator.spec.rates import endpoint_rate

DATA = Path(__file__).with_name("workloads.json")


@dataclass(frozen=True)
class Workload:
    """A published run: the model, its layout, and the cluster it ran on."""

    id: str
    name: str
    source: str
    url: str
    teaches: str
    model: dict[str, int]
    parallel: dict[str, int]
    bytes: dict[str, int]
    inputs: Json

    @property
    def n_gpus(self) -> int:
        """GPUs that the layout takes."""
        return self.parallel["tp"] * self.parallel["pp"] * self.parallel["dp"]


@dataclass(frozen=True)
class Message:
    """One kind of traffic of a step: a collective of so many bytes over so many GPUs, so many times for each GPU.

    ``per_node`` is how many GPUs of one group share a server; groups of one GPU each use a NIC of their own.
    """

    kind: str
    collective: str
    gpus: int
    per_node: int
    message_bytes: int
    times: int
    formula: str


class TimedMessage(NamedTuple):
    """A message with its predicted time and bus bandwidth on a design's network."""

    message: Message
    time_us: float
    """Of one message."""
    busbw_gb_s: float
    validated: bool

    @property
    def is_inside(self) -> bool:
        """Whether a group stands in one server."""
        return self.message.gpus <= self.message.per_node

    @property
    def step_us(self) -> float:
        """Of all of them in a row: an upper bound, since runs hide some behind computing."""
        return self.time_us * self.message.times


@cache
def workloads() -> dict[str, Workload]:
    """The sample workloads, read once."""
    data = json.loads(DATA.read_text(encoding="utf-8"))
    return {one["id"]: Workload(**one) for one in data["workloads"]}


def messages_of(work: Workload, gpus_per_node: int) -> list[Message]:
    """What every GPU takes part in during one step.

    Notes
    -----
    M micro-batches = sequences ÷ (dp · micro-batch); P parameters of a GPU = parameters ÷ (tp · pp · ep); A bytes of an
    activation = micro-batch · sequence · hidden · bytes. Gradients: one reduce-scatter of P · bytes over dp ÷ ep, weights:
    one all-gather. Tensor parallelism: four all-reduces of A a layer and micro-batch [Shoeybi and others, 2019]. Pipeline: A ÷ tp
    forth and back at each stage, scattered over its GPUs [Narayanan and others, 2021].
    Experts: four all-to-alls of A · experts a token, for each layer that has them.
    """
    model, layout, size = work.model, work.parallel, work.bytes
    tp, pp, dp, ep = (layout[name] for name in ("tp", "pp", "dp", "ep"))
    micro_batches = layout["sequences"] // (dp * layout["micro_batch"])
    own_parameters = model["parameters"] // (tp * pp * ep)
    activation = layout["micro_batch"] * layout["sequence"] * model["hidden"] * size["activation"]
    copies = dp // ep
    found = [
        Message(
            "Gradients",
            "reduce_scatter",
            copies,
            1,
            own_parameters * size["gradient"],
            1,
            f"parameters ÷ (tp · pp · ep) × {size['gradient']} B",
        ),
        Message(
            "Weights",
            "all_gather",
            copies,
            1,
            own_parameters * size["weight"],
            1,
            f"parameters ÷ (tp · pp · ep) × {size['weight']} B",
        ),
        Message(
            "Tensor parallel",
            "all_reduce",
            tp,
            min(tp, gpus_per_node),
            activation,
            4 * micro_batches * model["layers"] // pp,
            f"micro-batch · sequence · hidden × {size['activation']} B",
        ),
        Message(
            "Pipeline",
            "sendrecv",
            2,
            1,
            activation // tp,
            2 * micro_batches,
            f"micro-batch · sequence · hidden × {size['activation']} B ÷ tp",
        ),
        Message(
            "Experts",
            "alltoall",
            ep,
            min(ep, gpus_per_node),
            activation * model["experts_per_token"],
            4 * micro_batches * model["moe_layers"] // pp,
            f"micro-batch · sequence · hidden · experts a token × {size['activation']} B",
        ),
    ]
    return [one for one in found if one.gpus > 1 and one.message_bytes and one.times]


def timed(work: Workload, spec: DesignSpec, catalog: Catalog) -> list[TimedMessage]:
    """Each message of a step with its predicted time on a design's network, in the order of ``messages_of``."""
    rows = []
    for message in messages_of(work, spec.compute.gpus_per_node or 1):
        request = {
            "system": _system(message, spec, catalog),
            "collective": message.collective,
            "gpus": [message.gpus],
            "message_bytes": [message.message_bytes],
        }
        (row,) = prediction(request, catalog).rows
        rows.append(TimedMessage(message, row.time_us, row.busbw_gb_s, row.validated))
    return rows


def _system(message: Message, spec: DesignSpec, catalog: Catalog) -> Json:
    """The machines as one group sees them: its GPUs of a server, with their share of the NICs and of what those carry."""
    generation, compute = catalog.generations[spec.fabric.generation], spec.compute
    nics = Fraction(compute.nics_per_node or 1) * message.per_node / (compute.gpus_per_node or 1)
    ports = Fraction(compute.nic_ports_per_node or 1) * message.per_node / (compute.gpus_per_node or 1)
    rate = endpoint_rate(spec.fabric, catalog.compute_network(compute.server), catalog)
    n_nics = max(math.ceil(nics), 1)
    return {
        "gpu": spec.compute.gpu,
        "gpus_per_node": message.per_node,
        "scale_up_domain_gpus": message.per_node,
        "nics_per_node": n_nics,
        "nic_gbit_s": float(ports * rate / n_nics),
        "fabric": "infiniband" if generation.protocol == "infiniband" else "roce",
        "oversubscription": spec.fabric.oversubscription,
        "load_balancing": spec.workload.load_balancing,
    }
