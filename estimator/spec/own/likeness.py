"""What is assumed of a part of one's own where its figures are left out: those of the part of the catalog most like it.

Every such figure is named to the reader (``Assumed``); none is taken in silence.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from estimator.catalog.records import Switch
from estimator.spec.own.part import OwnBox, OwnCable, OwnNic, OwnServer, OwnSwitch, is_own

if TYPE_CHECKING:
    from estimator.catalog.catalog import Catalog

PASSIVE = "dac"
LIQUID_HEAT_SHARE = 0.8  # of a server with cold plates on GPUs and processors, whose fans cool the rest
Record = TypeVar("Record")


class Assumed(NamedTuple):
    """A figure that was left out, what is taken instead, and of which part; ``like`` is "" where no part is like it.

    ``value`` is None where nothing can be taken instead: no total counts it, and each says so.
    """

    field: str
    value: float | None
    unit: str
    like: str


class Figures(NamedTuple):
    """Height and power of a part, with what of it is assumed or not known; power that is not known is 0."""

    rack_units: int
    typical_w: float
    max_w: float
    assumed: tuple[Assumed, ...]


class Measure(NamedTuple):
    """The part most like one's own: its figures for so much of what both have (Gb/s of ports, or GPUs)."""

    name: str
    size: float
    rack_units: int
    typical_w: float
    max_w: float


def switch_figures(part: OwnSwitch, catalog: Catalog) -> Figures:
    """Of a switch: the catalog's of its protocol and port rate that is nearest in ports."""
    size = part.ports * part.port_rate_gbit_s
    alike = [one for one in _of_catalog(catalog.switches.values()) if one.protocol == part.protocol]

    def distance(one: Switch) -> tuple[bool, float]:
        rates = {cage.link_rate_gbit_s for cage in one.cages} | {mode.link_rate_gbit_s for mode in one.breakouts}
        return part.port_rate_gbit_s not in rates, abs(one.bandwidth_gbit_s - size)

    near = min(alike, key=distance)
    like = Measure(near.model, near.bandwidth_gbit_s, near.rack_units, near.typical_no_optics_w, near.max_w)
    return _box_figures(part, size, like)


def server_figures(part: OwnServer, catalog: Catalog) -> Figures:
    """Of a server: the catalog's with the same GPU, that nearest in GPUs. Where there is none, the floor's usual height; and
    what it draws is not known, unless one figure of it is given.
    """
    alike = [one for one in _of_catalog(catalog.servers.values()) if one.gpu_id == part.gpu and one.gpu_count]
    near = min(alike, key=lambda one: abs(one.gpu_count - part.gpus), default=None) if part.gpu else None
    if near:
        like = Measure(near.model, near.gpu_count, near.rack_units, near.typical_w, near.max_w)
        return _box_figures(part, part.gpus, like)
    usual = Measure("", part.gpus, int(catalog.floor_defaults["custom_node_rack_units"].value), 0.0, 0.0)
    return _box_figures(part, part.gpus, usual)


def nic_figures(part: OwnNic, catalog: Catalog) -> Figures:
    """Of a NIC: the catalog's nearest in rate."""
    size = part.ports * part.port_rate_gbit_s
    near = min(_of_catalog(catalog.nics.values()), key=lambda one: abs(one.total_rate_gbit_s - size))
    like = Measure(near.model, near.total_rate_gbit_s, 0, near.typical_no_optics_w, near.max_w)
    typical, largest, assumed = _watts(part.typical_w, part.max_w, size, like)
    return Figures(0, typical, largest, tuple(assumed))


def cable_end_w(part: OwnCable, catalog: Catalog) -> tuple[float, tuple[Assumed, ...]]:
    """Of a cable: the draw of an end of the catalog's of its kind that is nearest in rate; passive copper draws nothing."""
    if part.end_w is not None:
        return part.end_w, ()
    if part.kind == PASSIVE:
        return 0.0, ()
    alike = [one for one in _of_catalog(catalog.cables.values()) if one.kind == part.kind and one.a_power_w]
    near = min(alike, key=lambda one: abs((one.aggregate_gbit_s or 0) - part.rate_gbit_s))
    return near.a_power_w, (Assumed("end_w", near.a_power_w, "W", near.description),)


def heat_share(part: OwnServer) -> tuple[float, tuple[Assumed, ...]]:
    """Share of a server's heat that goes into liquid."""
    if part.cooling == "air":
        return 0.0, ()
    if part.liquid_heat_share is not None:
        return part.liquid_heat_share, ()
    return LIQUID_HEAT_SHARE, (Assumed("liquid_heat_share", LIQUID_HEAT_SHARE, "", ""),)


def _of_catalog(records: Iterable[Record]) -> list[Record]:
    """Those on sale that are no part of one's own."""
    return [one for one in records if not is_own(getattr(one, "id", "")) and getattr(one, "status", "") == "available"]


def _box_figures(part: OwnBox, size: float, like: Measure) -> Figures:
    typical, largest, assumed = _watts(part.typical_w, part.max_w, size, like)
    units = part.rack_units
    if units is None:
        units = max(ceil(like.rack_units * size / like.size), 1)
        assumed.append(Assumed("rack_units", units, "U", like.name))
    if part.weight_kg is None:
        assumed.append(Assumed("weight_kg", None, "kg", ""))
    return Figures(units, typical, largest, tuple(assumed))


def _watts(
    typical: float | None, largest: float | None, size: float, like: Measure
) -> tuple[float, float, list[Assumed]]:
    """Typical and largest draw: one follows from the other as with the part most like it, both from its size."""
    if typical is None and largest is None and not like.typical_w:
        return 0.0, 0.0, [Assumed("typical_w", None, "W", ""), Assumed("max_w", None, "W", "")]
    assumed = []
    if typical is None:
        share = like.typical_w / like.max_w if like.max_w else 1.0
        typical = round(like.typical_w * size / like.size if largest is None else largest * share, 1)
        assumed.append(Assumed("typical_w", typical, "W", like.name))
    if largest is None:
        times = like.max_w / like.typical_w if like.typical_w else 1.0
        largest = round(typical * times, 1)
        assumed.append(Assumed("max_w", largest, "W", like.name))
    return typical, largest, assumed
