"""NICs of every host: classes, buffers and congestion control of RoCE, PCIe settings of both fabrics, as a shell script.

Commands: NVIDIA MLNX_EN 24.10 documentation, "Quality of Service" (mlnx_qos, cma_roce_tos), and the firmware tools'
mlxconfig. The script prints what it would run; with ``apply`` it does.
"""

from collections.abc import Iterator

from estimator.bringup.plan.buffers import NVIDIA, nic_headroom
from estimator.bringup.plan.plan import Plan
from estimator.bringup.plan.value import Value, worked_out
from estimator.bringup.renderings.sourced import Page
from estimator.bringup.renderings.target import File
from estimator.fabric.devices import NODE
from estimator.handoff.cells import csv_blocks

SCRIPT, CABLES = "nic.sh", "cables.csv"
DCQCN = (
    "DCE_TCP_G",
    "DCE_TCP_RTT",
    "INITIAL_ALPHA_VALUE",
    "RATE_TO_SET_ON_FIRST_CNP",
    "RPG_MIN_DEC_FAC",
    "RPG_MIN_RATE",
    "RPG_GD",
)
BASH = """\
set -euo pipefail
MODE=${1:-list}
HERE=$(dirname "$0")
run() { if [[ $MODE == apply ]]; then "$@"; else echo "$*"; fi; }
write() { if [[ $MODE == apply ]]; then echo "$2" >"$1"; else echo "echo $2 > $1"; fi; }
netdev() { basename "/sys/class/infiniband/$1/device/net/"*; }
pci() { basename "$(readlink -f "/sys/class/infiniband/$1/device")"; }
length() { awk -F, -v host="$(hostname -s)" -v dev="$1" '$1 == host && $2 == dev {print $3}' "$HERE/cables.csv"; }
"""


def files(plan: Plan) -> Iterator[File]:
    """The script, and the cable of every port of every node."""
    yield _script(plan) if plan.nic_vendor == NVIDIA else _by_own_tool(plan)
    if plan.is_ethernet:
        yield File(CABLES, "".join(csv_blocks(("node", "device", "cable_m", "xoff_bytes", "source"), _cables(plan))))


def _cables(plan: Plan) -> Iterator[tuple[str, str, int, int | None, str]]:
    labels = plan.links.labels[NODE]
    for node in plan.wired.nodes:
        for port in plan.wired.ports(node):
            room = nic_headroom(port.length_m, port.rate_gbit_s, plan.nic_vendor)
            source = f"[design] length as the design lays it; xoff [{room.trust}] {room.source}"
            yield plan.wired.name(node), labels.port(port.port), room.cable_m, room.xoff_bytes, source


def _by_own_tool(plan: Plan) -> File:
    """NICs that mlnx_qos and mlxconfig do not set: the largest frame, and the values that their own tool has to set."""
    page = Page(
        plan,
        f"NICs of {plan.nic_vendor or 'a vendor that is not known'}: nic.sh apply sets the largest frame. Classes and congestion",
        "control are set with the vendor's own tool, to the values that stand here.",
        first="#!/usr/bin/env bash",
    )
    page.say("How commands are run")
    page.put((), *BASH.splitlines())
    page.say("Ports of this fabric")
    page.put(_devices(plan), f'DEVICES="{_devices(plan).value}"')
    if plan.is_ethernet:
        page.say("Values for the vendor's tool")
        names = [f"{name}.{what}" for name in ("data", "cnp") for what in ("dscp", "priority", "flow")]
        page.put([plan.value(key) for key in (*names, "nic.trust", "nic.pfc", "nic.global_pause", "dcqcn.enabled")])
        page.put(_longest(plan))
        mtu = plan.value("mtu.host_bytes")
        page.say("Largest frame")
        page.put((_devices(plan), mtu), "for DEV in $DEVICES; do", '  IF=$(netdev "$DEV")')
        page.put(mtu, f'  run ip link set dev "$IF" mtu {mtu.value}', "done")
    return page.file(SCRIPT)


def _devices(plan: Plan) -> Value:
    names = [name for group in plan.nics() for name in group.ports]
    why = "Check them against ibdev2netdev"
    return worked_out("nic.devices", " ".join(names), "NICs of the server in the catalog, in rail order", why)


def _script(plan: Plan) -> File:
    page = Page(
        plan,
        "NIC settings of a host: nic.sh lists the commands, nic.sh apply runs them. PFC, trust and MTU are lost at reboot:",
        "run it at every boot. mlxconfig takes effect after a reset of the firmware.",
        first="#!/usr/bin/env bash",
    )
    page.say("How commands are run")
    page.put((), *BASH.splitlines())
    nics = _devices(plan)
    page.say("Ports of this fabric")
    page.put(nics, f'DEVICES="{nics.value}"')
    page.say("PCIe and firmware of every NIC")
    page.put(nics, "for DEV in $DEVICES; do")
    _firmware(plan, page)
    page.put(nics, "done")
    if plan.is_ethernet:
        page.say("Classes, buffers and congestion control of every NIC")
        page.put(nics, "for DEV in $DEVICES; do", '  IF=$(netdev "$DEV")')
        _classes(plan, page)
        _buffers(plan, page)
        _congestion(plan, page)
        page.put(nics, "done")
    return page.file(SCRIPT)


def _firmware(plan: Plan, page: Page) -> None:
    read = plan.value("pcie.max_read_request_bytes")
    code = (int(read.value) // 128).bit_length() - 1
    page.put(read, f'  run setpci -s "$(pci "$DEV")" CAP_EXP+8.w={code}000:7000')
    for key, name in (
        ("pcie.advanced_pci_settings", "ADVANCED_PCI_SETTINGS"),
        ("pcie.pci_wr_ordering", "PCI_WR_ORDERING"),
    ):
        value = plan.value(key)
        page.put(value, _set(f"{name}={value.value}"))
    if plan.is_ethernet:
        _congestion_firmware(plan, page)
    most = plan.value("pcie.max_acc_out_read")
    page.put(most, _set(f"MAX_ACC_OUT_READ={most.value}"))


def _congestion_firmware(plan: Plan, page: Page) -> None:
    """DCQCN as the firmware keeps it: what documents disagree on is set, and so are its defaults, as releases differ."""
    mask, dscp, priority = (plan.value(key) for key in ("dcqcn.prio_mask", "cnp.dscp", "cnp.priority"))
    page.put(mask, _set(f"ROCE_CC_PRIO_MASK_P1={mask.value}"))
    page.put((dscp, priority), _set(f"CNP_DSCP_P1={dscp.value} CNP_802P_PRIO_P1={priority.value}"))
    values = [plan.value(f"dcqcn.{name.lower()}") for name in DCQCN]
    page.put(values, _set(" ".join(f"{name}_P1={value.value}" for name, value in zip(DCQCN, values, strict=True))))


def _set(pairs: str) -> str:
    return f'  run mlxconfig -y -d "$(pci "$DEV")" set {pairs}'


def _classes(plan: Plan, page: Page) -> None:
    trust, pause = plan.value("nic.trust"), plan.value("nic.global_pause")
    page.put(trust, f'  run mlnx_qos -i "$IF" --trust {trust.value}')
    page.put(pause, f'  run ethtool -A "$IF" rx {pause.value} tx {pause.value}')
    for name in ("data", "cnp"):
        dscp, priority = plan.value(f"{name}.dscp"), plan.value(f"{name}.priority")
        page.put((dscp, priority), f'  run mlnx_qos -i "$IF" --dscp2prio set,{dscp.value},{priority.value}')
    data, cnp = plan.value("data.priority"), plan.value("cnp.priority")
    share, rest = plan.value("data.weight_percent"), plan.value("default.weight_percent")
    classes, schedulers, shares = ["0"] * 8, ["ets"] * 8, ["0"] * 8
    classes[int(data.value)], classes[int(cnp.value)] = str(data.value), str(cnp.value)
    schedulers[int(cnp.value)] = "strict"
    shares[int(data.value)], shares[0] = str(share.value), str(rest.value)
    page.put(
        (data, cnp, share, rest, plan.value("cnp.scheduler")),
        f'  run mlnx_qos -i "$IF" --prio_tc {",".join(classes)} --tsa {",".join(schedulers)} --tcbw {",".join(shares)}',
    )
    pfc = plan.value("nic.pfc")
    page.put(pfc, f'  run mlnx_qos -i "$IF" --pfc {pfc.value}')


def _buffers(plan: Plan, page: Page) -> None:
    mtu = plan.value("mtu.host_bytes")
    page.put(mtu, f'  run ip link set dev "$IF" mtu {mtu.value}')
    if not plan.is_lossless:
        return
    longest = max(plan.nics(), key=lambda group: group.cable_m)
    length = _longest(plan)
    page.put(length, f'  LENGTH=$(length "$DEV"); run mlnx_qos -i "$IF" --cable_len "${{LENGTH:-{length.value}}}"')
    room = nic_headroom(longest.cable_m, longest.speed_gbit_s)
    xoff = room.value("nic.xoff_bytes", room.xoff_bytes)
    page.put(
        xoff, f"  # the driver then keeps {xoff.value} B of the longest cable's buffer, and less of a shorter one's"
    )


def _longest(plan: Plan) -> Value:
    longest = max(plan.nics(), key=lambda group: group.cable_m)
    room = nic_headroom(longest.cable_m, longest.speed_gbit_s)
    why = "Of a host that cables.csv does not name: the longest cable of any NIC, rounded up"
    return worked_out("nic.cable_m", room.cable_m, "Cable lengths of the design", why, "m")


def _congestion(plan: Plan, page: Page) -> None:
    tos, version = plan.value("data.tos"), plan.value("nic.roce_version")
    page.put(version, f'  run cma_roce_mode -d "$DEV" -p 1 -m {version.value}')
    page.put(tos, f'  run cma_roce_tos -d "$DEV" -t {tos.value}')
    data, cnp, dscp = (plan.value(key) for key in ("data.priority", "cnp.priority", "cnp.dscp"))
    enabled = plan.value("dcqcn.enabled")
    ecn = '"/sys/class/net/$IF/ecn'
    on = int(enabled.value == "on")
    page.put(
        (enabled, data),
        f'  write {ecn}/roce_np/enable/{data.value}" {on}',
        f'  write {ecn}/roce_rp/enable/{data.value}" {on}',
    )
    page.put(
        (dscp, cnp),
        f'  write {ecn}/roce_np/cnp_dscp" {dscp.value}',
        f'  write {ecn}/roce_np/cnp_802p_prio" {cnp.value}',
    )
