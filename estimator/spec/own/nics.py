"""Servers whose compute NICs are cards, and such a server with other cards.

Vendors' option lists are not in the catalog: that a card of the same host interface goes into the slot of another one is
an assumption, which a finding names.
"""

from __future__ import annotations

from estimator.catalog.catalog import Catalog, PartRecords, with_records
from estimator.catalog.ports import compute_network, nic_modes
from estimator.catalog.price_records import BOOKS, Price
from estimator.catalog.records import Nic, Server, ServerNetwork
from estimator.ranges import NOTHING

CARDS = ("HHHL", "FHHL", "card")  # form factors that go into a slot of one width
LEAST_GBIT_S = 100  # of a card for compute


def nics_for(server: Server, catalog: Catalog) -> list[Nic]:
    """Cards that a server may have for compute, its own first; none where its NICs are part of the board or the tray."""
    network = compute_network(server)
    own = catalog.nics.get((network.nic_id if network else None) or "")
    if network is None or own is None or server.role != "gpu" or not _is_card(own) or network.n_cages != network.n_nics:
        return []
    others = [
        nic
        for nic in catalog.nics.values()
        if nic.id != own.id
        and _is_card(nic)
        and nic.status == "available"
        and nic.pcie_gen <= own.pcie_gen
        and nic.total_rate_gbit_s >= LEAST_GBIT_S
    ]
    return [own, *others]


def _is_card(nic: Nic) -> bool:
    return nic.form_factor in CARDS


def equipped(catalog: Catalog, server_id: str, nic_id: str) -> Catalog:
    """The catalog, in which a server has other cards for compute: their ports, cages, power and price in place of its own."""
    server, nic = catalog.servers.get(server_id), catalog.nics.get(nic_id)
    network = compute_network(server) if server else None
    old = catalog.nics.get((network.nic_id if network else None) or "")
    if server is None or nic is None or network is None or old is None or nic.id == old.id:
        return catalog
    n = network.n_nics
    other = server._replace(
        networks=tuple(_with_cards(one, nic) if one is network else one for one in server.networks),
        typical_w=round(server.typical_w + n * (nic.typical_no_optics_w - old.typical_no_optics_w), 3),
        max_w=round(server.max_w + n * (nic.max_w - old.max_w), 3),
        power_basis="assumption",
    )
    prices = _prices_without(server, old, n if network.nic_included else 0, catalog)
    return with_records(catalog, PartRecords(servers={server.id: other}, prices=prices))


def _with_cards(network: ServerNetwork, nic: Nic) -> ServerNetwork:
    port = nic.ports[0]
    protocol = "ethernet" if "ethernet" in nic.protocols else nic.protocols[0]
    n_ports, rate = max(nic_modes(nic, protocol), key=lambda mode: mode[0] * mode[1])
    return network._replace(
        nic_id=nic.id,
        ports_per_nic=n_ports,
        port_rate_gbit_s=rate,
        cage=port.cage,
        cage_classes=port.cage_classes,
        n_cages=network.n_nics * sum(one.n_cages for one in nic.ports),
        top=port.top,
        nic_included=False,
    )


def _prices_without(server: Server, old: Nic, n: int, catalog: Catalog) -> list[Price]:
    """The server's prices less those of the cards that it comes with; as they are where those have none."""
    out = []
    for book in BOOKS:
        for price in catalog.prices_of(server.id, book):
            card = catalog.price(old.id, book)
            less = (card.cents if card else NOTHING) * n
            out.append(
                price._replace(
                    low_cents=max(price.low_cents - less.low, 0),
                    typical_cents=max(price.typical_cents - less.typical, 0),
                    high_cents=max(price.high_cents - less.high, 0),
                    basis="assumption" if n else price.basis,
                    note=f"The server’s price less {n} × {old.model}, which it comes with. {price.note or ''}".strip(),
                )
            )
    return out
