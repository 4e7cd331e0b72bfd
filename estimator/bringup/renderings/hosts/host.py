"""Hosts: kernel line, sysctl, limits, PCIe access control and addresses, for bare metal and for virtual machines.

Scripts print what they would run; with ``apply`` they do.
"""

from collections.abc import Iterator

from estimator.bringup.plan.plan import Plan
from estimator.bringup.plan.value import Value, own
from estimator.bringup.renderings.sourced import Page
from estimator.bringup.renderings.target import File
from estimator.fabric.devices import NODE
from estimator.handoff.cells import csv_blocks

BARE_METAL, VIRTUAL = "bare-metal", "virtual-machine"
PLATFORMS = (BARE_METAL, VIRTUAL)
BY_TOOL = "by rdma_topo"
ADDRESSES = "addresses.csv"
BASH = """\
set -euo pipefail
MODE=${1:-list}
HERE=$(dirname "$0")
run() { if [[ $MODE == apply ]]; then "$@"; else echo "$*"; fi; }
"""


def files(plan: Plan) -> Iterator[File]:
    """The files of both platforms, and the addresses of every node."""
    for platform in PLATFORMS:
        yield _kernel(plan, platform)
        yield _sysctl(plan, platform)
        yield _limits(plan, platform)
        yield _access_control(plan, platform)
    if plan.is_ethernet:
        yield File(ADDRESSES, "".join(csv_blocks(("node", "device", "address", "gateway", "source"), _addresses(plan))))
        yield _network(plan)


def _kernel(plan: Plan, platform: str) -> File:
    page = Page(plan, f"Kernel line of {platform} hosts: append it to GRUB_CMDLINE_LINUX, update-grub, reboot.")
    keys = ["iommu", "transparent_hugepage", "pci"]
    values = [plan.value(f"host.kernel.{key}", platform=platform) for key in keys]
    page.say("GRUB_CMDLINE_LINUX")
    page.put(values, " ".join(str(value.value) for value in values if value.value))
    return page.file(f"{platform}/kernel-line.txt")


def _sysctl(plan: Plan, platform: str) -> File:
    page = Page(plan, f"/etc/sysctl.d/90-fabric.conf of {platform} hosts; sysctl --system loads it.")
    page.say("Memory")
    for key in ("kernel.numa_balancing", "vm.zone_reclaim_mode", "vm.nr_hugepages"):
        value = plan.value(f"host.{key}")
        page.put(value, f"{key} = {value.value}")
    if plan.is_ethernet:
        page.say("Addresses: every port answers for itself alone")
        for name in ("arp_announce", "arp_ignore", "rp_filter"):
            key = f"net.ipv4.conf.all.{name}"
            value = plan.value(f"host.{key}")
            page.put(value, f"{key} = {value.value}")
    return page.file(f"{platform}/90-fabric.conf")


def _limits(plan: Plan, platform: str) -> File:
    page = Page(plan, "/etc/security/limits.d/90-fabric.conf; services need LimitMEMLOCK= in their unit as well.")
    for item in ("memlock", "nofile"):
        value = plan.value(f"host.limits.{item}")
        page.say(item)
        page.put(value, *(f"* {kind} {item} {value.value}" for kind in ("soft", "hard")))
    return page.file(f"{platform}/limits.conf")


def _access_control(plan: Plan, platform: str) -> File:
    acs = plan.value("host.acs", platform=platform)
    head = {
        BARE_METAL: "PCIe access control (ACS) off on every capable device: repeat it at every boot.",
        VIRTUAL: "PCIe access control (ACS) on the hypervisor: on, and direct translated peers allowed, on the bridges named.",
    }
    by_tool = acs.value == BY_TOOL
    title = (
        "PCIe access control (ACS) as data direct needs it: reboot after the first line." if by_tool else head[platform]
    )
    page = Page(plan, title, first="#!/usr/bin/env bash")
    page.say("How commands are run")
    page.put((), *BASH.splitlines())
    if by_tool:
        page.say("Flags of every bridge: the second line says after the reboot whether they are set")
        page.put(acs, "run rdma_topo write-grub-acs", 'run rdma_topo check || echo "Reboot, and check again." >&2')
    else:
        _each_device(page, platform, acs)
    ats = plan.value("pcie.ats_enabled", platform=platform)
    page.say("Address translation of the NICs: firmware")
    page.put(
        ats,
        "for DEV in /sys/class/infiniband/*; do",
        f'  run mlxconfig -y -d "$(basename "$(readlink -f "$DEV/device")")" set ATS_ENABLED={ats.value}',
        "done",
    )
    return page.file(f"{platform}/pcie.sh")


def _each_device(page: Page, platform: str, acs: Value) -> None:
    """The same flags on every device, or on the bridges that are named."""
    page.say("Devices")
    find = r"""for BDF in $(lspci -D | awk '{print $1}'); do"""
    if platform == VIRTUAL:
        note = "Bridges above the GPUs and NICs that are passed through, as lspci -t shows them; none is known here"
        page.put(own("host.acs_bridges", "none", note), "for BDF in ${BRIDGES:-}; do")
    else:
        page.put(acs, find)
    page.put(
        acs,
        '  setpci -s "$BDF" ECAP_ACS+0x6.w >/dev/null || continue',
        f'  run setpci -s "$BDF" ECAP_ACS+0x6.w={acs.value}',
        "done",
    )


def _addresses(plan: Plan) -> Iterator[tuple[str, str, str, str, str]]:
    labels, how = plan.links.labels[NODE], plan.value("addressing")
    source = f"[{how.trust}] {how.source}"
    for node in plan.wired.nodes:
        for port in plan.wired.ports(node):
            ends = plan.host_link(port.link)
            gateway = ends.switch.partition("/")[0]
            yield plan.wired.name(node), labels.port(port.port), ends.host, gateway, source


def _network(plan: Plan) -> File:
    how, table = plan.value("addressing"), plan.value("host.first_route_table")
    page = Page(
        plan,
        "Addresses of a host's NICs from addresses.csv, each with routes of its own, so that a rail's packets leave by its NIC.",
        first="#!/usr/bin/env bash",
    )
    page.say("How commands are run")
    page.put((), *BASH.splitlines())
    page.say("A table of routes for every NIC")
    pool = plan.value("addressing.hosts")
    page.put(
        (how, pool, table),
        f"TABLE={table.value}",
        """while IFS=, read -r NODE DEV ADDRESS GATEWAY _; do""",
        """  [[ $NODE == $(hostname -s) ]] || continue""",
        """  IF=$(basename "/sys/class/infiniband/$DEV/device/net/"*)""",
        """  run ip address replace "$ADDRESS" dev "$IF" """.rstrip(),
        f"""  run ip route replace {pool.value} via "$GATEWAY" dev "$IF" table "$TABLE" """.rstrip(),
        # the script runs at every boot, and a rule that is there already would end it
        """  [[ $MODE != apply ]] || while ip rule del from "${ADDRESS%/*}" 2>/dev/null; do :; done""",
        """  run ip rule add from "${ADDRESS%/*}" table "$TABLE" """.rstrip(),
        """  TABLE=$((TABLE + 1))""",
        """done <"$HERE/addresses.csv" """.rstrip(),
    )
    return page.file("network.sh")
