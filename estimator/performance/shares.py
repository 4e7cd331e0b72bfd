"""What headers, hashing and chance leave of a rate: numbers of one system that bandwidths are multiplied by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from estimator.catalog.constants import ModelConstants
    from estimator.record import Json
    from estimator.units import FloatArray, IntArray

PATH_MTUS = (256, 512, 1024, 2048, 4096)  # payloads that InfiniBand and RoCE know


def balance_share(system: Json, oversubscription: float, constants: ModelConstants) -> float:
    """Share of the uplinks' rate that traffic gets before the hottest uplink is full, at most 1.

    Adaptive routing and packet spray even the load out, but for a few per cent. Hashed flows (ECMP) do not: with f flows an
    uplink on U uplinks the hottest carries M(f, U) times the mean (tabulated), of which the exponent is felt. Each plane
    hashes on its own: fewer uplinks, and as many flows again. Uplinks faster than a NIC's port are fewer and carry more
    flows each; of a flow over one that is slower no more gets through than it carries.
    """
    if system["load_balancing"] != "ecmp":
        return constants.value("uplink_share", system["load_balancing"])
    planes, flows_per_nic, uplink_gbit_s = system["planes"], system["flows_per_nic"], system.get("uplink_gbit_s")
    wide = uplink_gbit_s * planes / system["nic_gbit_s"] if uplink_gbit_s and system["nic_gbit_s"] else 1.0
    flows = np.log2(max(oversubscription * flows_per_nic * planes * wide, 1.0))
    uplinks = np.log2(max(system["nodes_per_leaf"] / oversubscription / planes / wide, 1.0))
    table = [index.split(".") for index in constants.indices("uplink_imbalance")]
    widths, depths = (sorted({int(row[column]) for row in table}) for column in (1, 2))
    by_width = [
        np.interp(flows, np.log2(depths), constants.column("uplink_imbalance", [f"ecmp.{u}.{f}" for f in depths]))
        for u in widths
    ]
    imbalance = np.interp(uplinks, np.log2(widths), by_width)
    return min(float(imbalance ** -constants.value("uplink_exponent", "ecmp")), wide * flows_per_nic, 1.0)


def header_share(fabric: str, mtu_bytes: int, constants: ModelConstants) -> float:
    """Payload rate at an MTU ÷ the rate at a payload of 4096 bytes.

    An Ethernet frame holds its headers, so that 1500 bytes leave a payload of 1024, and 9000 one of 4096.
    """
    header = constants.value("packet_header", fabric)
    room = mtu_bytes if fabric == "infiniband" else mtu_bytes - constants.value("frame_header", fabric)
    payload = max((size for size in PATH_MTUS if size <= max(room, PATH_MTUS[0])), default=PATH_MTUS[0])
    if fabric != "infiniband" and mtu_bytes == PATH_MTUS[-1]:
        payload = PATH_MTUS[-1]  # given as the path MTU itself
    return (payload / (payload + header)) / (PATH_MTUS[-1] / (PATH_MTUS[-1] + header))


_MOST_OF = np.array([0.0, 0.2, 1.03, 1.42, 1.77, 2.07, 2.34, 2.6, 2.82, 3.04, 3.24])
"""Expected largest of 1, 2, 4 … 1,024 independent normal deviates. What one of two leaves sends the other takes, so that
both have as many: 0.2 stands between none, where uplinks are always too few, and 0.4, where they just suffice in the mean."""


def of_worst_leaf(below: FloatArray, n_domains: IntArray, mean: FloatArray) -> FloatArray:
    """Share that the worst leaf sends up of a ring in random order, whose slowest hop all others wait for.

    How many of a leaf's L domains are followed by one of its own is hypergeometric, with variance L·q·(1 − q)², q = L/k;
    the leaf with the fewest is as many standard deviations from the mean as the largest of k/L normal deviates.
    """
    q = np.minimum(below / np.maximum(n_domains, 1), 1.0)
    deviation = np.sqrt(below * q) * (1.0 - q) / below
    leaves = np.log2(np.maximum(1.0 / np.maximum(q, 1e-12), 1.0))
    return np.minimum(1.0, mean + deviation * np.interp(leaves, np.arange(len(_MOST_OF)), _MOST_OF))
