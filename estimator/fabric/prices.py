"""What choosing between two sizes needs to know of prices: a switch, and one end of a link; typical, in US cents."""

from functools import lru_cache

from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import switch_ports
from estimator.spec.fabric import Fabric

NO_PRICE_SWITCH_CENTS = 4_000_000  # of parts without a price: a switch costs as much as forty link ends
NO_PRICE_END_CENTS = 100_000
_OPTICS = "transceiver"


@lru_cache(maxsize=1024)
def part_cents(part: str | None, book: str, catalog: Catalog) -> int:
    """Typical price of one switch; a fixed one for custom switches and those without a price."""
    price = catalog.price(part, book) if part in catalog.switches and part else None
    return price.cents.typical if price else NO_PRICE_SWITCH_CENTS


@lru_cache(maxsize=64)
def link_end_cents(generation: str, rate_gbit_s: int, book: str, catalog: Catalog) -> int:
    """Typical price of the cheapest transceiver of a rate, shared by the links that it carries."""
    protocol = catalog.generations[generation].protocol
    ends = [
        price.cents.typical // (cable.a_count or 1)
        for key, cable in catalog.cables.items()
        if cable.kind == _OPTICS
        and cable.status == "available"
        and protocol in cable.protocols
        and cable.a_rate_gbit_s == rate_gbit_s
        and (price := catalog.price(key, book))
    ]
    return min(ends, default=NO_PRICE_END_CENTS)


def cage_links_of(fabric: Fabric, catalog: Catalog) -> int:
    """Links that share a cage of the leaf at the port rate; 1 for a custom switch."""
    switch = catalog.switches.get(fabric.leaf_switch or "")
    ports = switch_ports(switch, catalog.generations[fabric.generation].port_rate_gbit_s) if switch else None
    return ports.links_per_cage if ports else 1
