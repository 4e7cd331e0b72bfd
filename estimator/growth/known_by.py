"""What the devices and cables of two phases are known by, so that the same one is found in both lists."""

import re
from collections.abc import Hashable

from estimator.cabling.links import LinkList
from estimator.cabling.runs import Run
from estimator.fabric.devices import SWITCH_KINDS

ZEROS = re.compile(r"(?<![0-9])0+(?=[0-9])")
Kind = tuple[str, float, int]


def plain_name(device: str) -> str:
    """A name without the zeros that fill names up: leaf-07 of ten leaves is leaf-007 of a hundred."""
    return ZEROS.sub("", device)


def models_of(links: LinkList) -> dict[str, str]:
    """Model by kind of switch: one that is exchanged for another model takes its cables out."""
    return {kind: switch.id if switch else "custom" for kind, switch in links.switches.items()}


def kind_of(run: Run) -> Kind:
    """What another cable must be to be the same: part, stock length, and cables a link."""
    choice = run.choice
    return choice.cable.id if choice else "", round(float(run.length_m), 2), choice.cables_per_link if choice else 1


def device_keys(links: LinkList) -> list[Hashable]:
    """What each device of a list is known by, in the order of the devices."""
    devices, models = links.table.devices, models_of(links)
    keys: list[Hashable] = [(plain_name(name), "") for name in devices.names]
    for kind in SWITCH_KINDS:
        own = devices.of(kind)
        keys[own] = [(plain_name(name), models.get(kind, "")) for name in devices.names[own]]
    return keys
