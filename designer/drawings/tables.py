"""The twins of fabric pictures: the same facts in rows, for reading, copying and those who see no picture."""

from collections.abc import Sequence

from designer.drawings.bundles import end_words
from designer.drawings.panel import use_words
from designer.drawings.scene import Scene
from designer.drawings.words import short_ratio
from estimator.diagrams.data import OUTSIDE, View
from estimator.diagrams.ports import Port
from estimator.fabric.devices import CORE, LEAF, NODE, SPINE
from estimator.fabric.topology import TIERS
from estimator.record import Json


def bundle_rows(scene: Scene, view: View) -> Json:
    """A row for each bundle of a view."""
    rows = []
    for bundle in view.bundles:
        lower, upper = view.boxes[bundle.lower], view.boxes[bundle.upper]
        is_between = lower.kind in (LEAF, SPINE) and upper.kind != OUTSIDE
        rows.append(
            {
                "lower": end_words(scene, view, lower),
                "upper": end_words(scene, view, upper),
                "tier": TIERS[bundle.tier],
                "links": bundle.links,
                "left": bundle.left,
                "rate_gbit_s": bundle.rate_gbit_s,
                "total_gbit_s": bundle.links * bundle.rate_gbit_s,
                "load": bundle.load if is_between else None,
                "ratio": short_ratio(lower.worst_ratio) if is_between else "",
            }
        )
    has = {key: any(row[key] not in (None, "") for row in rows) for key in ("load", "ratio")}
    counted = [bundle for bundle in view.bundles if view.boxes[bundle.upper].kind != OUTSIDE]
    return {
        "kind": "bundles",
        "rows": rows,
        "has": has | {"left": bool(scene.down)},
        "links": sum(bundle.links for bundle in counted),
    }


def port_rows(ports: Sequence[Port], kind: str) -> Json:
    """A row for each port of a device."""
    rows = [{"port": port, "use": "" if kind == NODE else use_words(port.use, kind)} for port in ports]
    return {"kind": "ports", "rows": rows, "is_host": kind == NODE}


def device_details(scene: Scene, devices: Sequence[int]) -> dict[int, str]:
    """What is said of each device in a list: its ports in use, or that it is down."""
    places = scene.places
    out = {}
    for device in devices:
        used, radix = int(places.used[device]), int(places.radix[device])
        is_switch = places.table.devices.kind(device) in (LEAF, SPINE, CORE)
        words = f"{used} of {radix} ports" if is_switch else ""
        out[device] = "down" if device in scene.down.devices else words or _servers_place(scene, device)
    return out


def _servers_place(scene: Scene, device: int) -> str:
    """The first leaf that a server or manager is linked to."""
    low = int(scene.places.low_leaf[device])
    return f"at {scene.name(low)}"
