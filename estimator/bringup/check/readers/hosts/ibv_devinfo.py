"""Devices: ``ibv_devinfo``, also with -v. Its output: rdma-core, libibverbs/examples/devinfo.c."""

import re

from estimator.bringup.check.observation import Notes

KIND, SYSTEM = "ibv_devinfo", "host"
_LANE_GBIT_S = {"2.5": 2, "5.0": 4, "10.0": 10, "14.0": 14, "25.0": 25, "50.0": 50, "100.0": 100, "200.0": 200}


def is_mine(text: str) -> bool:
    """Whether it is what ibv_devinfo prints."""
    return "hca_id:" in text and bool(re.search(r"(?m)^\s*hca_id:\s*\S", text))


def read(text: str, notes: Notes) -> None:
    """State, MTU, link layer and rate of the first port of each device."""
    device, width, port = "", 0, 1
    for number, raw in enumerate(text.split("\n"), 1):
        match raw.replace("\t", " ").split():
            case ["hca_id:", name]:
                device, width, port = name, 0, 1
            case ["port:", which]:
                port = int(which) if which in ("1", "2", "3", "4") else 1
            case [*_] if port > 1:
                pass
            case ["state:", state, *_]:
                notes.see("state", device, state.removeprefix("PORT_").lower(), number)
            case ["active_mtu:", size, *_]:
                notes.number("active_mtu", device, size, number)
            case ["link_layer:", layer]:
                notes.see("link_layer", device, layer, number)
            case ["active_width:", lanes, *_]:
                found = re.match(r"(\d{1,2})X", lanes)
                width = int(found[1]) if found else 0
            case ["active_speed:", lane, *_] if width:
                if lane in _LANE_GBIT_S:
                    notes.see("rate", device, width * _LANE_GBIT_S[lane], number)
                else:
                    notes.skip(number, "a speed of a lane that is not known")
            case _:
                pass
