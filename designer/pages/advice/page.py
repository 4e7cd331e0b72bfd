"""InfiniBand or RoCE for a design or a size: Estimates of both families, and the advice that they lead to."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from designer.charts.vega import Spec
from designer.wording.numbers import in_usual_units, words
from estimator.catalog.catalog import Catalog
from estimator.catalog.loader import load_catalog
from estimator.compare.advice import Advice, Priority, advise
from estimator.compare.criteria import INFINIBAND, ROCE, Compared
from estimator.compare.other_family import ALTERNATIVES, alternative_spec
from estimator.digits import is_whole_number
from estimator.errors import EstimatorError, Problem, SpecError
from estimator.pipeline import estimate
from estimator.result import PricedEstimate
from estimator.spec.change import apply_change, read_path
from estimator.spec.parse import parse_spec

FULL = ("counts", "cables", "bom", "cost", "performance", "failures")
SPEED = ("counts", "performance")
PLANES = ("counts", "cables", "bom", "cost", "all_reduce")
KEPT = 32
MAX_BUDGET_USD = 1e12
RATES = {"100": "edr", "200": "hdr", "400": "ndr", "800": "xdr"}
DEFAULT_SERVER, DEFAULT_GPUS, DEFAULT_RATE = "dgx-h100", "1024", "400"
PRIORITY_LABELS: dict[Priority, str] = {
    "balanced": "Everything, evenly",
    "cost": "Cost",
    "speed": "Speed",
    "freedom": "Freedom of choice",
}


@dataclass(frozen=True)
class Advised:
    """The advice for a request, with what changes from one family to the other."""

    advice: Advice
    pair: Compared
    notes: tuple[str, ...]


def advised(values: Spec, priority: Priority, budget_usd: float | None) -> Advised:
    """The advice for a request.

    Raises
    ------
    EstimatorError
        If the request is wrong, cannot be built, or has no other family.
    """
    catalog = load_catalog()
    pair, notes = _compared(json.dumps(values, sort_keys=True), catalog.version)
    return Advised(advise(pair, catalog, priority, budget_usd), pair, notes)


@lru_cache(maxsize=KEPT)
@in_usual_units()  # kept for everybody
def _compared(text: str, catalog_version: str) -> tuple[Compared, tuple[str, ...]]:
    """Both families of a request, and notes on the other side."""
    catalog, values = load_catalog(), json.loads(text)
    spec = parse_spec(values, catalog)
    other = alternative_spec(values, catalog)
    is_infiniband = catalog.generations[spec.fabric.generation].protocol == "infiniband"
    infiniband, roce = (values, other.values) if is_infiniband else (other.values, values)
    scattered = {"workload.placement": "random", "workload.load_balancing": "adaptive"}
    quick = [
        parse_spec(apply_change(side, change), catalog)
        for side, change in (
            (infiniband, {"workload.in_network_reduction": True}),
            (infiniband, scattered),
            (roce, scattered),
            (roce, scattered | {"workload.load_balancing": "ecmp"}),
        )
    ]
    full = estimate([parse_spec(side, catalog) for side in (infiniband, roce)], catalog, FULL)
    sharp, ordered, mixed, hashed = estimate(quick, catalog, SPEED)
    both = [PricedEstimate.of(made) for made in full]
    own = INFINIBAND if is_infiniband else ROCE
    pair = Compared(both[0], both[1], sharp, (ordered, mixed), hashed, _two_planes(infiniband, catalog), own)
    return pair, tuple(note.words for note in other.notes)


def _two_planes(infiniband: Spec, catalog: Catalog) -> PricedEstimate | None:
    """RoCE at half the rate in two planes, where NICs of 800 Gb/s have the ports for it."""
    if read_path(infiniband, "fabric.generation") != "xdr":
        return None
    alternative = alternative_spec(infiniband, catalog).values
    try:
        spec = parse_spec(apply_change(alternative, {"fabric.generation": "roce-400", "fabric.planes": 2}), catalog)
        (made,) = estimate([spec], catalog, PLANES)
    except (
        EstimatorError
    ):  # these servers have no ports for two planes, or no such fabric exists: then there is nothing to say
        return None
    return PricedEstimate.of(made)


# ---------------------------------------------------------------- what the page asks


def asked_values(query: Mapping[str, str], catalog: Catalog) -> Spec:
    """A request out of the page's own questions: servers, GPUs, port rate.

    Raises
    ------
    SpecError
        If the rate is none of those that both families have, or the size is no whole number.
    """
    rate = query.get("rate") or DEFAULT_RATE
    if rate not in RATES:
        raise SpecError(
            [Problem("rate", "not_a_choice", f"Rates are {', '.join(RATES)} Gb/s, and {rate} was requested.")]
        )
    size = str(query.get("gpus") or DEFAULT_GPUS).replace(",", "").strip()
    if not is_whole_number(size, 9):
        raise SpecError(
            [Problem("gpus", "not_a_number", f"GPUs are a whole number such as 1024, and {size[:40]!r} is none.")]
        )
    server = query.get("server") or DEFAULT_SERVER
    network = catalog.compute_network(server)
    speaks_ethernet_alone = network is not None and network.nic_id is None  # the accelerators' own ports
    generation = ALTERNATIVES[RATES[rate]] if speaks_ethernet_alone else RATES[rate]
    return {
        "name": f"{int(size):,} GPUs",
        "compute": {"server": server, "gpus": int(size)},
        "fabric": {"generation": generation},
    }


def budget_of(text: str | None) -> float | None:
    """What was typed as a budget, in dollars; None where nothing was. "50M" and "1,200,000" are read.

    Raises
    ------
    SpecError
        If it is no amount of money.
    """
    plain = (text or "").replace(",", "").replace("$", "").replace(" ", "").strip().casefold()
    if not plain:
        return None
    factor = {"k": 1e3, "m": 1e6, "b": 1e9}.get(plain[-1], 1)
    try:
        value = float(plain.rstrip("kmb")) * factor
    except ValueError:
        value = -1
    if not 0 < value <= MAX_BUDGET_USD:
        message = f"A budget is an amount in dollars such as 50,000,000 or 50M, and {str(text)[:40]!r} is none."
        raise SpecError([Problem("budget", "not_a_number", message)])
    return value


def servers_of(catalog: Catalog) -> list[tuple[str, str]]:
    """Servers with GPUs that stand by themselves, by vendor and model."""
    found = [
        (key, f"{server.vendor} {server.model}" if not server.model.startswith(server.vendor) else server.model)
        for key, server in catalog.servers.items()
        if server.gpu_count
    ]
    return sorted(found, key=lambda pair: words(pair[1]).casefold())
