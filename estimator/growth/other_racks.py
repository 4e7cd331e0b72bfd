"""Devices of a phase that its floor plan has in other racks than that of the phase before: what no sum has."""

from collections.abc import Sequence

from estimator.cabling.links import LinkList
from estimator.growth.known_by import plain_name
from estimator.units import counted


def moved_by_floor_plan(before: Sequence[LinkList], now: Sequence[LinkList]) -> str | None:
    """What the floor plans of two phases say of the devices of both; None where each stays in its rack, or without plans."""
    here, there = _racks(before), _racks(now)
    n_moved = sum(there.get(device, rack) != rack for device, rack in here.items())
    if not n_moved:
        return None
    return (
        f"its floor plan, made for itself, has {counted(n_moved, 'device')} of the phase before in other racks. Moving them is "
        "in no sum, and lengths are those of its own plan: the cables of a device that stays where it is may be longer or "
        "shorter. Give the lengths of each tier, without a floor plan, to have phases compared at the same lengths"
    )


def _racks(networks: Sequence[LinkList]) -> dict[str, str]:
    floor = networks[0].plan.floor if networks else None
    if floor is None:
        return {}
    racks = [plain_name(name) for name in floor.names]
    in_racks = zip(floor.devices.names, floor.rack.tolist(), floor.units.tolist(), strict=True)
    return {plain_name(device): racks[rack] for device, rack, units in in_racks if units}
