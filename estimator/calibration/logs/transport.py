"""What the library's own lines say of the network: its kind, the NICs of a node and their rate.

"NET/IB : Using [0]mlx5_0:1/IB …" lists the devices, "NET[25.0]" of the graph their rate in GB/s, "found 32 nics" those of
libfabric (NCCL, transport/net_ib and graph/topo; aws-ofi-nccl, nccl_ofi_net).
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_USING = re.compile(r"NET/IB\s*:\s*Using\s(.{0,4000})")
_DEVICE = re.compile(r"\[\d{1,3}\]([\w.-]{1,60}):\d{1,2}/(IB|RoCE)")
_FOUND = re.compile(r"NET/OFI.{0,200}found (\d{1,3}) nics", re.IGNORECASE)
_RATE = re.compile(r"\bNET\[(\d{1,4}(?:\.\d{1,4})?)\]")
_MARKS = (("is cxi", "slingshot"), ("NET/OFI", "efa"), ("/RoCE", "roce"), ("NET/IB", "infiniband"))
NIC_RATES_GBIT_S = (10, 25, 40, 50, 56, 100, 200, 400, 800, 1600)  # of one port


@dataclass(frozen=True)
class Transport:
    """What was said; None where it was not."""

    fabric: str | None = None
    n_nics: int | None = None
    nic_gbit_s: int | None = None


def transport_of(messages: Sequence[str]) -> Transport:
    """The network by lines of the library. Of devices of two kinds, the kind that most are of."""
    using = next((found[1] for line in messages if (found := _USING.search(line))), "")
    devices = dict(_DEVICE.findall(using))
    rate = _rate(messages)
    if devices:
        kind, n_nics = Counter(devices.values()).most_common(1)[0]
        return Transport("roce" if kind == "RoCE" else "infiniband", n_nics, rate)
    fabric = next((fabric for mark, fabric in _MARKS if any(mark in line for line in messages)), None)
    n_found = next((int(found[1]) for line in messages if (found := _FOUND.search(line))), None)
    return Transport(fabric, n_found, rate)


def _rate(messages: Sequence[str]) -> int | None:
    """The usual rate next to that of the graph, which counts some encodings and headers."""
    said = Counter(float(text) for line in messages for text in _RATE.findall(line))
    if not said:
        return None
    gbit_s = 8 * said.most_common(1)[0][0]
    nearest = min(NIC_RATES_GBIT_S, key=lambda rate: abs(rate - gbit_s))
    return nearest if abs(nearest - gbit_s) < 0.15 * nearest else None
