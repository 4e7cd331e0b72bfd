"""Links of storage and management networks that no part of the catalog can join: the changes that give them cables."""

from collections.abc import Iterator
from itertools import islice

from estimator.cabling.networks import other_plan
from estimator.catalog.catalog import Catalog
from estimator.designs.networks import sized_fabrics, sized_others
from estimator.errors import Change, InfeasibleDesign, SpecError
from estimator.networks.sized import OtherSized
from estimator.spec.change import apply_change
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec
from estimator.spec.rates import adapter_rate, lane_rate, port_rate

_MOST_TRIED = 24
_KEYS = tuple(f"{tier}_{what}" for tier in ("leaf", "spine", "core") for what in ("switch", "radix"))
_PORTS = ("leaf_downlinks", "leaf_uplinks", "endpoints_per_port", "splitters", "uplink_rate_gbit_s")


def change_of(one: OtherSized, spec: DesignSpec, catalog: Catalog) -> Change | None:
    """The first change of a network's entry under which every link of it has a cable, and it can be built."""
    values = spec.as_json()
    for change in islice(_ways(one, spec, catalog), _MOST_TRIED):
        try:
            made = parse_spec(apply_change(values, change), catalog)
            _, fabrics = sized_fabrics([made], catalog)
            (others,) = sized_others([made], fabrics, catalog)
            again = next(other for other in others if other.index == one.index)
            plan = other_plan(again, fabrics[0], others, catalog)
        except (SpecError, InfeasibleDesign):
            continue
        if not (plan.blocked or any(tier.missing for tier in plan.tiers)):
            return change
    return None


def _ways(one: OtherSized, spec: DesignSpec, catalog: Catalog) -> Iterator[Change]:
    """Ports split for slower NICs, their own rate, other leaves and rates, and at last servers with other NICs."""
    entry, at = one.entry, f"other_fabrics.{one.index}"
    network = catalog.network(spec.compute.server, entry.role)
    usual = {f"{at}.{key}": None for key in (*_KEYS, *_PORTS)}
    if entry.endpoints_a_port > 1:
        yield {f"{at}.endpoints_per_port": 1, f"{at}.splitters": None}
    rate = adapter_rate(entry, network, catalog) if network else lane_rate(entry, catalog)
    for share in (2, 4, 8):
        if port_rate(entry, catalog) == share * rate:
            yield {f"{at}.endpoints_per_port": share, f"{at}.splitters": None}
    yield usual
    known = catalog.generations
    rates = sorted({g.port_rate_gbit_s for g in known.values()}, key=lambda port: (port != rate, -port))
    own = known[entry.generation or ""].protocol
    for protocol in sorted({g.protocol for g in known.values()}, key=lambda name: name != own):
        for port in rates:
            for key, generation in known.items():
                if (generation.protocol, generation.port_rate_gbit_s) == (protocol, port) and key != entry.generation:
                    yield usual | {f"{at}.generation": key}
    if entry.role == "in-band":
        yield usual | {f"{at}.role": "converged", f"{at}.generation": None, f"{at}.ports_per_node": None}
    if spec.compute.server != "custom":
        counts = ("gpu", "gpus_per_node", "nics_per_node", "nic_ports_per_node", "scale_up_domain_gpus")
        custom = {"compute.server": "custom"} | {f"compute.{key}": getattr(spec.compute, key) for key in counts}
        yield custom
        yield custom | usual
