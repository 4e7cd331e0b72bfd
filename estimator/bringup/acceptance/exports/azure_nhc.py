"""The contract's gates of one node as lines of a Node Health Check configuration, with Azure's own checks.

Source of the form: mej/nhc (``hostmask || check``) and Azure/azurehpc-health-checks, conf/*.conf and customTests/*.nhc.
check_gpu_bw takes the least copy with the host and between two GPUs [GB/s]; check_nccl_allreduce and check_rccl_allreduce the
bus bandwidth [GB/s], how often it may be tried, and the size; check_ib_bw_gdr and check_ib_bw_non_gdr the rate [Gb/s] of each
device with itself; check_hw_ib the rate of a port that has to be up.
"""

from collections.abc import Iterator

from estimator.bringup.acceptance.exports.heading import heading, left_out, line_of
from estimator.bringup.acceptance.gates import GIB, Contract
from estimator.bringup.acceptance.result import Gate
from estimator.bringup.acceptance.site import Site

HELD = ("pcie", "nvlink", "node", "link")
TRIES = 1  # with more of them it passes if any does


def write(contract: Contract) -> Iterator[str]:
    """The configuration, piece by piece."""
    gates = {gate.code: gate for gate in contract.gates if gate.code in HELD}
    if contract.site.system["fabric"] != "infiniband":
        gates.pop("link", None)  # Azure's checks find their devices by ibstat's link layer
    yield from heading(
        contract,
        "Lines are hostmask || check. Run them with: run-health-checks.sh -c azure-nhc.conf, or append them with -e",
    )
    yield from left_out(contract, gates)
    yield from _gpus(contract.site, gates)
    if link := gates.get("link"):
        yield from _links(contract.site, link)


def _check(*words: object) -> str:
    return f" * || {' '.join(map(str, words))}\n"


def _gpus(site: Site, gates: dict[str, Gate]) -> Iterator[str]:
    yield "\n# GPUs\n"
    yield _check("check_gpu_count", site.gpus_per_node, *(["rocm"] if site.is_amd else []))
    pcie, peers = gates.get("pcie"), gates.get("nvlink")
    if pcie:
        yield f"# {line_of(pcie)}\n"
        least: list[object] = [f"{pcie.pass_at:g}"]
        if peers and peers.measured_by == pcie.measured_by:
            yield f"# {line_of(peers)}\n"
            least.append(f"{peers.pass_at:g}")
        elif site.is_amd:
            yield "# Pairs of GPUs may have any rate here: the contract measures them by rccl-tests, with the script\n"
            least.append(0)
        yield _check("check_gpu_bw", *least)
    if node := gates.get("node"):
        yield f"# {line_of(node)}\n"
        check = "check_rccl_allreduce" if site.is_amd else "check_nccl_allreduce"
        yield _check(check, f"{node.pass_at:g}", TRIES, f"{node.bytes // GIB}G")
    if site.link_gb_s:
        yield _check("check_gpu_xgmi" if site.is_amd else "check_nvlink_status")


def _links(site: Site, link: Gate) -> Iterator[str]:
    yield "\n# NICs\n"
    for nic in site.nics:
        yield _check("check_hw_ib", f"{site.port_gbit_s:g}", f"{nic}:1")
    yield f"# {line_of(link)}\n"
    yield "# The check sends from a device to itself: neither cable nor leaf is in it, so run the gate link as well\n"
    yield _check("check_ib_bw_non_gdr" if site.is_amd else "check_ib_bw_gdr", f"{link.pass_at:g}")
    yield _check("check_ib_link_flapping")
