"""Parts of one's own as records of the catalog, so that sizing, cabling, bill and power treat them like any other."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from estimator.catalog.catalog import Catalog, PartRecords
from estimator.catalog.currency import USD, half_up
from estimator.catalog.grades import Grade
from estimator.catalog.price_records import STREET, Price
from estimator.catalog.records import (
    Breakout,
    Cable,
    Nic,
    NicPort,
    PortNaming,
    Server,
    ServerNetwork,
    Source,
    Switch,
    SwitchCage,
)
from estimator.spec.own.likeness import Assumed, cable_end_w, heat_share, nic_figures, server_figures, switch_figures
from estimator.spec.own.part import Cage, Cooling, OwnCable, OwnNetwork, OwnNic, OwnPart, OwnParts, OwnServer, OwnSwitch
from estimator.units import CENTS_PER_USD

SYSTEMS = {
    "mlnx-os": "MLNX-OS",
    "nvos": "NVOS",
    "cumulus": "Cumulus Linux",
    "eos": "EOS",
    "nx-os": "NX-OS",
    "junos": "Junos Evolved",
    "sonic": "SONiC",
    "plain": "any",
}
CAGE_TITLES = {"OSFP8": "OSFP twin-port", "OSFP4": "OSFP"}
MOST_GBIT_S = {  # of all lanes of a cage of each class together
    "RJ45": 10,
    "SFP+": 10,
    "SFP28": 25,
    "QSFP28": 100,
    "QSFP56": 200,
    "QSFP112": 400,
    "QSFP-DD": 400,
    "QSFP-DD800": 800,
    "OSFP4": 800,
    "OSFP8": 1600,
    "MPO-12": 800,
}
NS_PER_M = 4.5  # of copper and fibre alike, as in cables.csv
_KIND_WORDS = {"dac": "passive copper", "acc": "active copper", "aec": "retimed copper", "aoc": "active optical cable"}


@dataclass
class OwnRecords(PartRecords):
    """Records of all parts of one's own, and what of their figures is assumed, by id."""

    assumed: dict[str, tuple[Assumed, ...]] = field(default_factory=dict)


def records_of(own: OwnParts, catalog: Catalog) -> OwnRecords:
    """Every part of one's own as the catalog's records; ``catalog`` is what left-out figures are assumed from."""
    made = OwnRecords()
    for switch in own.switches:
        _add_switch(switch, catalog, made)
    for nic in own.nics:
        _add_nic(nic, catalog, made)
    for server in own.servers:
        _add_server(server, catalog, made)
    for cable in own.cables:
        _add_cable(cable, catalog, made)
    for _, _, part in own.all():
        _add_provenance(part, catalog, made)
    return made


def cage_title(cage: Cage) -> str:
    """A class of cage as data sheets print it."""
    return CAGE_TITLES.get(cage, cage)


def _basis(is_given: bool) -> str:
    """A figure that the reader gave is as good as a vendor's document; one that was left out is assumed."""
    return "vendor-doc" if is_given else "assumption"


def _top(cage: Cage, cooling: Cooling | None) -> str | None:
    """OSFP plugs have fins where a switch cools them by air, and are flat in servers and on cold plates."""
    if not cage.startswith("OSFP"):
        return None
    return "finned" if cooling == "air" else "flat"


def _numbers(part: OwnPart) -> tuple[str, ...]:
    return (part.part_number,) if part.part_number else ()


def _add_provenance(part: OwnPart, catalog: Catalog, made: OwnRecords) -> None:
    """Source, grade and price of a part."""
    day = part.as_of or catalog.priced_on
    title = f"Your own part {part.model}, revision {part.revision}" + (f" ({part.source})" if part.source else "")
    made.sources[part.id] = Source(part.id, title, None, part.as_of, "read")
    made.grades[part.id] = Grade("vendor-doc", part.id, day)
    amounts = [("piece", part.price_usd)]
    if isinstance(part, OwnCable):
        amounts.append(("metre", part.price_per_m_usd))
    for per, usd in amounts:
        if usd is not None:
            cents = half_up(Fraction(str(usd)) * CENTS_PER_USD)
            made.prices.append(
                Price(
                    part_id=part.id,
                    book=STREET,
                    per=per,
                    low_cents=cents,
                    typical_cents=cents,
                    high_cents=cents,
                    currency=USD,
                    basis=part.price_basis,
                    source=part.id,
                    as_of=day,
                    note=part.note or None,
                    region=None,
                    min_quantity=1,
                    valid_from=None,
                    valid_to=None,
                )
            )


def _add_switch(part: OwnSwitch, catalog: Catalog, made: OwnRecords) -> None:
    figures = switch_figures(part, catalog)
    made.assumed[part.id] = figures.assumed
    lanes = catalog.connector_lanes[part.cage]
    n_cages = part.ports // part.links_per_cage
    cage = SwitchCage(
        position=1,
        n_cages=n_cages,
        cage=cage_title(part.cage),
        cage_classes=(part.cage,),
        cage_rate_gbit_s=part.links_per_cage * part.port_rate_gbit_s,
        lanes=lanes,
        links_per_cage=part.links_per_cage,
        link_rate_gbit_s=part.port_rate_gbit_s,
        top=_top(part.cage, part.cooling),
    )
    ways = [
        (part.links_per_cage, part.port_rate_gbit_s),
        *((s.links_per_cage, s.port_rate_gbit_s) for s in part.splits),
    ]
    breakouts = tuple(
        Breakout(f"{links}x{rate}G", links, rate, n_cages * links, None) for links, rate in dict.fromkeys(ways)
    )
    made.switches[part.id] = Switch(
        id=part.id,
        vendor=part.vendor,
        model=part.model,
        part_numbers=_numbers(part),
        generation=f"{part.port_rate_gbit_s}G",
        protocol=part.protocol,
        status="available",
        form="fixed",
        managed=part.managed,
        roles=("leaf", "spine", "core"),
        asic="not known",
        n_asics=1,
        bandwidth_gbit_s=part.ports * part.port_rate_gbit_s,
        radix=part.ports,
        switch_units=1,
        max_ports=max(one.max_ports for one in breakouts),
        rack_units=figures.rack_units,
        weight_kg=part.weight_kg,
        weight_basis="vendor-doc" if part.weight_kg else None,
        airflow=(),
        cooling=part.cooling,
        psu_count=None,
        psu_rating_w=None,
        psu_inlet=None,
        typical_no_optics_w=figures.typical_w,
        max_w=figures.max_w,
        max_optic_cage_w=0.0,
        power_basis=_basis(part.typical_w is not None),
        latency_ns=part.latency_ns,
        note=part.note or None,
        cages=(cage,),
        breakouts=breakouts,
    )
    made.naming[part.id] = PortNaming(
        switch_id=part.id,
        style=part.port_names,
        system=SYSTEMS[part.port_names],
        cages_per_card=None,
        first_card=None,
        management_port="mgmt0" if part.managed else None,
        topo_type=None,
        basis="assumption",
        source=part.id,
        as_of=part.as_of or catalog.priced_on,
        note=None,
    )


def _add_nic(part: OwnNic, catalog: Catalog, made: OwnRecords) -> None:
    figures = nic_figures(part, catalog)
    made.assumed[part.id] = figures.assumed
    made.nics[part.id] = Nic(
        id=part.id,
        vendor=part.vendor,
        model=part.model,
        part_numbers=_numbers(part),
        generation=f"{part.port_rate_gbit_s}G",
        protocols=tuple(part.protocols),
        status="available",
        total_rate_gbit_s=part.ports * part.port_rate_gbit_s,
        pcie_gen=part.pcie_gen,
        pcie_lanes=part.pcie_lanes,
        pcie_extension=None,
        form_factor="card",
        is_dpu=False,
        typical_no_optics_w=figures.typical_w,
        max_w=figures.max_w,
        power_basis=_basis(part.typical_w is not None),
        note=part.note or None,
        ports=(
            NicPort(1, part.ports, cage_title(part.cage), (part.cage,), part.port_rate_gbit_s, _top(part.cage, None)),
        ),
    )


def _add_server(part: OwnServer, catalog: Catalog, made: OwnRecords) -> None:
    figures = server_figures(part, catalog)
    share, of_heat = heat_share(part)
    made.assumed[part.id] = (*figures.assumed, *of_heat)
    made.servers[part.id] = Server(
        id=part.id,
        vendor=part.vendor,
        model=part.model,
        part_numbers=_numbers(part),
        role="gpu",
        status="available",
        gpu_id=part.gpu,
        gpu_count=part.gpus,
        scale_up_domain_gpus=part.scale_up_domain_gpus or part.gpus,
        rack_units=figures.rack_units,
        weight_kg=part.weight_kg,
        weight_basis="vendor-doc" if part.weight_kg else None,
        cpu=part.cpu or "not known",
        memory_gb=0,
        typical_w=figures.typical_w,
        max_w=figures.max_w,
        power_basis=_basis(part.typical_w is not None),
        psu_count=None,
        psu_rating_w=None,
        cooling=part.cooling,
        liquid_heat_share=share,
        airflow="front-to-rear",
        per_rack=None,
        note=part.note or None,
        networks=tuple(_network(one, place) for place, one in enumerate(part.networks, start=1)),
    )


def _network(one: OwnNetwork, place: int) -> ServerNetwork:
    return ServerNetwork(
        position=place,
        role=one.role,
        nic_id=one.nic,
        n_nics=one.nics,
        ports_per_nic=one.ports_per_nic,
        port_rate_gbit_s=one.port_rate_gbit_s,
        cage=cage_title(one.cage),
        cage_classes=(one.cage,),
        n_cages=one.cages or one.nics * one.ports_per_nic,
        top=_top(one.cage, None),
        nic_included=one.nics_in_price or one.nic is None,
        shares_nic_with=None,
    )


def _add_cable(part: OwnCable, catalog: Catalog, made: OwnRecords) -> None:
    end_w, assumed = cable_end_w(part, catalog)
    made.assumed[part.id] = assumed
    is_optical = part.kind == "aoc"
    made.cables[part.id] = Cable(
        id=part.id,
        vendor=part.vendor,
        part_numbers=_numbers(part),
        description=f"{part.model}, {part.rate_gbit_s}G {_KIND_WORDS[part.kind]}",
        kind=part.kind,
        optic=None,
        protocols=tuple(part.protocols),
        generation=f"{part.rate_gbit_s}G",
        status="available",
        aggregate_gbit_s=part.rate_gbit_s,
        a_connector=cage_title(part.a_cage),
        a_class=part.a_cage,
        a_count=1,
        a_rate_gbit_s=part.rate_gbit_s,
        a_top=None,
        b_connector=cage_title(part.b_cage),
        b_class=part.b_cage,
        b_count=part.branches,
        b_rate_gbit_s=part.rate_gbit_s // part.branches,
        b_top=None,
        lengths_m=tuple(sorted(part.lengths_m)),
        reach_min_m=min(part.lengths_m),
        reach_max_m=max(part.lengths_m),
        reach_om3_m=None,
        medium="multimode" if is_optical else "copper",
        fiber_grade=None,
        fiber_connector=None,
        connectors_per_module=None,
        fibers_per_connector=None,
        polish=None,
        matching_fiber_ids=(),
        a_power_w=end_w,
        b_power_w=end_w,
        power_basis=_basis(part.end_w is not None),
        latency_ns_per_m=NS_PER_M,
        note=part.note or None,
    )
