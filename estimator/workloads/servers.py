"""Scale up or out: the same workload on servers of the catalog with their scale-up domains, in dollars a million tokens.

Each server stands in the same design, sized, networked and priced by it. What the design assumes of years, power and use is
common to all, so that servers differ by their prices (capital, with its ends) and by how far off a rate can be.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from estimator.catalog.catalog import Catalog
from estimator.catalog.records import Server
from estimator.errors import EstimatorError, Problem
from estimator.ranges import Range
from estimator.record import Json, Record
from estimator.units import ceil_div
from estimator.workloads.serving.answer import usd_per_million_tokens

SAME_FAMILY_BAND = 1.10  # of a ratio of rates within one architecture: as layouts at equal GPUs are ranked, nine in ten
SMALLER_DOMAINS = {"gb200-tray": (36,)}  # racks that the same trays are sold in too
MOST_SERVERS = 12
NODE_GPUS = 16  # a domain of more of them is a rack's
OF_SERVER = (  # keys of a design's compute that follow from its server
    "server",
    "nodes",
    "gpus",
    "gpu",
    "gpus_per_node",
    "nics_per_node",
    "nic_ports_per_node",
    "scale_up_domain_gpus",
)
OF_NODES = ("leaf_downlinks", "leaf_uplinks", "scalable_unit_nodes", "pod_nodes", "grow_to_nodes")  # of its fabric


class Rated(NamedTuple):
    """A workload on one server's design."""

    n_gpus: int
    n_nodes: int
    words: str  # of the layout
    widest: int  # GPUs that its largest group of a layer spans
    tokens_s: float  # of all GPUs
    band: float  # factor that a rate is within, nine times in ten
    usd_per_gpu_hour: Range[float] | None
    capex_usd: Range[float] | None
    tpot_ms: float | None = None


class ServerRow(Record):
    """One server with its domain."""

    server: str
    name: str
    gpu: str
    scale_up_domain_gpus: int
    gpus: int
    nodes: int
    layout: str
    tokens_per_s: float
    tokens_per_s_per_gpu: float
    tpot_ms: float | None
    usd_per_gpu_hour: Range[float] | None
    """Null where the server has no price."""
    usd_per_million_tokens: Range[float] | None
    """Ends of prices and running cost, and of the rate's band."""
    usd_per_token_s: Range[float] | None
    """Capital for one token a second, at the typical rate."""
    against: Range[float] | None
    """Dollars a million tokens over those of the design's own server; ends by prices and bands, all else being common."""
    verdict: str
    """own, costs_less, costs_more, no_difference, or no_price."""
    note: str | None


class ServerRefused(Record):
    """A server that the workload or the design cannot have."""

    server: str
    scale_up_domain_gpus: int
    code: str
    message: str


class ScaleUp(Record):
    """Servers in order of their domains."""

    servers: list[ServerRow]
    refused: list[ServerRefused]
    verdict: str
    """scale_up, scale_out, domain_not_used, or no_difference."""
    message: str


class Candidate(NamedTuple):
    """A server to look at, with its domain."""

    server: Server
    domain_gpus: int


def candidates(own: str, wanted: Sequence[str] | None, catalog: Catalog) -> list[Candidate]:
    """The design's own server, then those that are wanted: by default what is sold and priced of its architecture, one a GPU.

    Servers of larger domains than the design's are looked at whatever their architecture.
    """
    if wanted is not None:
        chosen = [catalog.servers[one] for one in dict.fromkeys([own, *wanted]) if one in catalog.servers]
    else:
        base = catalog.servers[own]
        chosen = [base, *_usual(base, catalog)]
    found = [
        Candidate(one, domain)
        for one in chosen
        for domain in (one.scale_up_domain_gpus, *(SMALLER_DOMAINS.get(one.id, ())))
    ]
    return found[:MOST_SERVERS]


def _usual(base: Server, catalog: Catalog) -> list[Server]:
    architecture = _architecture(base, catalog)
    cheapest: dict[str, tuple[int, Server]] = {}
    for one in catalog.servers.values():
        price = catalog.price(one.id)
        if one.gpu_id in (None, base.gpu_id) or one.status != "available" or price is None:
            continue
        if _architecture(one, catalog) != architecture and one.scale_up_domain_gpus <= base.scale_up_domain_gpus:
            continue
        known = cheapest.get(str(one.gpu_id))
        if known is None or price.typical_cents < known[0]:
            cheapest[str(one.gpu_id)] = (price.typical_cents, one)
    return sorted((one for _, one in cheapest.values()), key=lambda one: one.scale_up_domain_gpus)


def _architecture(server: Server, catalog: Catalog) -> str:
    gpu = catalog.gpus.get(server.gpu_id or "")
    return gpu.architecture.removesuffix(" Ultra") if gpu else ""


def design_on(design: Mapping[str, Any], one: Candidate, n_gpus: int) -> Json:
    """The design with another server: as many GPUs, in whole domains, on a network of the same generation and ratio."""
    compute = {key: value for key, value in design["compute"].items() if key not in OF_SERVER}
    fabric = {key: value for key, value in design["fabric"].items() if key not in OF_NODES}
    domain = max(one.domain_gpus, 1)
    compute |= {"server": one.server.id, "gpus": int(ceil_div(n_gpus, domain)) * domain}
    if one.domain_gpus != one.server.scale_up_domain_gpus:
        compute["scale_up_domain_gpus"] = one.domain_gpus
    return {**design, "compute": compute, "fabric": fabric}


def scale_up(
    design: Mapping[str, Any],
    own: str,
    own_gpus: int,
    wanted: Sequence[str] | None,
    rate: Callable[[Json], Rated],
    catalog: Catalog,
) -> ScaleUp:
    """The workload on each server.

    Parameters
    ----------
    design : as requested; its own server stands as it is.
    own, own_gpus : its server's id and its GPUs.
    wanted : ids of servers; None for the usual ones.
    rate : the workload's best on a design; raises EstimatorError where there is none.
    """
    rated: list[tuple[Candidate, Rated]] = []
    refused = []
    for at, one in enumerate(candidates(own, wanted, catalog)):
        try:
            rated.append((one, rate(dict(design) if at == 0 else design_on(design, one, own_gpus))))
        except EstimatorError as error:
            refused.append(_refusal(one, error))
    base = rated[0] if rated and rated[0][0].server.id == own else None
    rows = [_row(one, found, base, catalog) for one, found in rated]
    order = sorted(range(len(rows)), key=lambda at: (rows[at].scale_up_domain_gpus, at))
    rows = [rows[at] for at in order]
    verdict, message = _verdict(rows, [rated[at] for at in order], catalog)
    return ScaleUp(servers=rows, refused=refused, verdict=verdict, message=message)


def _refusal(one: Candidate, error: EstimatorError) -> ServerRefused:
    problem = error.problems[0] if error.problems else Problem("", "refused", str(error))
    return ServerRefused(
        server=one.server.id, scale_up_domain_gpus=one.domain_gpus, code=problem.code, message=problem.message
    )


def _row(one: Candidate, found: Rated, base: tuple[Candidate, Rated] | None, catalog: Catalog) -> ServerRow:
    a_gpu = found.tokens_s / found.n_gpus
    capex = found.capex_usd
    against = None if base is None else _ratio((one, found), base, catalog)
    note = None
    if found.usd_per_gpu_hour is None:
        note = "The server has no price in the catalog or your price book."
    elif one.domain_gpus != one.server.scale_up_domain_gpus:
        note = f"Priced as the trays of a domain of {one.server.scale_up_domain_gpus}: an assumption."
    return ServerRow(
        server=one.server.id,
        name=one.server.model,
        gpu=str(one.server.gpu_id),
        scale_up_domain_gpus=one.domain_gpus,
        gpus=found.n_gpus,
        nodes=found.n_nodes,
        layout=found.words,
        tokens_per_s=found.tokens_s,
        tokens_per_s_per_gpu=a_gpu,
        tpot_ms=found.tpot_ms,
        usd_per_gpu_hour=found.usd_per_gpu_hour,
        usd_per_million_tokens=_usd_range(found),
        usd_per_token_s=None if capex is None else capex.each(lambda usd: usd / found.tokens_s),
        against=against,
        verdict=_against(against, is_own=base is not None and found is base[1]),
        note=note,
    )


def _usd_range(found: Rated) -> Range[float] | None:
    if found.usd_per_gpu_hour is None:
        return None
    a_gpu, usd = found.tokens_s / found.n_gpus, found.usd_per_gpu_hour
    ends = ((usd.low, a_gpu * found.band), (usd.typical, a_gpu), (usd.high, a_gpu / found.band))
    return Range(*(usd_per_million_tokens(price, rate) or 0.0 for price, rate in ends))


def _ratio(one: tuple[Candidate, Rated], other: tuple[Candidate, Rated], catalog: Catalog) -> Range[float] | None:
    """Dollars a million tokens of one over another: prices at opposite ends, and rates off by the band of their ratio."""
    (first, found), (second, known) = one, other
    if found.usd_per_gpu_hour is None or known.usd_per_gpu_hour is None or not (found.capex_usd and known.capex_usd):
        return None
    if found is known:
        return Range.at(1.0)
    rates = (known.tokens_s / known.n_gpus) / (found.tokens_s / found.n_gpus)
    typical = found.usd_per_gpu_hour.typical / known.usd_per_gpu_hour.typical * rates
    is_alike = _architecture(first.server, catalog) == _architecture(second.server, catalog)
    band = SAME_FAMILY_BAND if is_alike else max(found.band, known.band)
    own, others = (usd * (1 / usd.typical) for usd in (found.capex_usd, known.capex_usd))
    return Range(typical * own.low / others.high / band, typical, typical * own.high / others.low * band)


def _against(ratio: Range[float] | None, is_own: bool) -> str:
    if is_own:
        return "own"
    if ratio is None:
        return "no_price"
    return "costs_less" if ratio.high < 1 else "costs_more" if ratio.low > 1 else "no_difference"


def _verdict(rows: list[ServerRow], rated: list[tuple[Candidate, Rated]], catalog: Catalog) -> tuple[str, str]:
    """The cheapest server whose domain is a node against the cheapest whose domain is more, of one architecture if there are."""
    own = next((at for at, row in enumerate(rows) if row.verdict == "own"), None)
    priced = [at for at, row in enumerate(rows) if row.usd_per_million_tokens is not None]
    kinds = [_architecture(one.server, catalog) for one, _ in rated]
    alike = [at for at in priced if own is not None and kinds[at] == kinds[own]]
    sides = _sides(rows, alike) or _sides(rows, priced)
    if sides is None:
        return "no_difference", "Priced servers of both kinds are needed: a domain of a node, and a domain of a rack."
    small, large = sides
    ratio = _ratio(rated[large], rated[small], catalog)
    if ratio is None:
        return "no_difference", "Prices are missing on one side."
    names = [f"{rows[at].name}, a domain of {rows[at].scale_up_domain_gpus}" for at in (large, small)]
    direction = "less" if ratio.typical < 1 else "more"
    shown = f"a million tokens cost {abs(ratio.typical - 1) * 100:.0f} % {direction} on {names[0]}, than on {names[1]}"
    other = (
        "" if kinds[small] == kinds[large] else " The two are of different GPU architectures, which counts here too."
    )
    if rated[large][1].widest <= rows[small].scale_up_domain_gpus:
        unused = f"The larger domain is not used: the best layout there is {rows[large].layout}, which a node holds too"
        return (
            "domain_not_used",
            f"{unused}. What is left is the GPU and its price: {shown} ({_percent(ratio)}).{other}",
        )
    if ratio.high < 1:
        return "scale_up", f"Scale up: {shown} ({_percent(ratio)}).{other}"
    if ratio.low > 1:
        return "scale_out", f"Scale out, more nodes of the smaller domain: {shown} ({_percent(ratio)}).{other}"
    return (
        "no_difference",
        f"No difference that these prices and bands can show: {shown}, and the range of that is {_percent(ratio)}.{other}",
    )


def _sides(rows: list[ServerRow], some: list[int]) -> tuple[int, int] | None:
    """The cheapest a million tokens of the domains of a node, and of larger ones; None where one kind is missing."""

    def usd(at: int) -> float:
        price = rows[at].usd_per_million_tokens
        return price.typical if price else float("inf")

    small = [at for at in some if rows[at].scale_up_domain_gpus <= NODE_GPUS]
    large = [at for at in some if rows[at].scale_up_domain_gpus > NODE_GPUS]
    return (min(small, key=usd), min(large, key=usd)) if small and large else None


def _percent(ratio: Range[float]) -> str:
    return f"{(ratio.low - 1) * 100:+.0f} to {(ratio.high - 1) * 100:+.0f} %".replace("-", "−")
