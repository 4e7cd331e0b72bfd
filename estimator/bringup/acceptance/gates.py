"""The gates of a site, the near paths first: each tests what the next one rests on, so a failure is found where it is.

A gate is planned from a ``Path``: which GPUs run what, how many such paths there are, and what they must give.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from estimator.bringup.acceptance.commands import (
    Launch,
    Sizes,
    amd_copy_command,
    copy_command,
    link_command,
    peer_command,
    run_command,
)
from estimator.bringup.acceptance.constants import Constant, constant
from estimator.bringup.acceptance.expected import Band, Expectations, Part, scaled
from estimator.bringup.acceptance.lines import Chances, lines_of, spread_of_band
from estimator.bringup.acceptance.result import Gate
from estimator.bringup.acceptance.site import Site
from estimator.units import ceil_div

GIB = 2**30
WHOLE_BYTES, RAIL_BYTES, COPY_BYTES, LINK_BYTES = 16 * GIB, 4 * GIB, GIB // 2, 8 * 2**20
RING = "ring"
PERFTEST_FABRICS = ("infiniband", "roce")
GB_S, GBIT_S = "GB/s", "Gb/s"
OF_MODEL = 0.8  # of the chance that a healthy site fails: what a wrong expectation may have, the rest is that of runs
FAMILIES = {"copies": 0.05, "domain": 0.05, "nic": 0.05, "network": 0.85}
"""Shares of OF_MODEL by what errs apart: copies by the host, links inside a domain, a NIC, collectives over NICs.

Copies and links are found by their peers or at half their rate, which little is needed for; gates of the whole cluster have
no peers, and the wider the model's band, the more of its faults a line lets through.
"""
RERUN = "Run it again alone and with NCCL_DEBUG=INFO"


@dataclass(frozen=True)
class Path:
    """One kind of path of a site, and how it is measured."""

    code: str
    scope: str
    title: str
    command: str
    sizes: Sizes
    band: Band
    n_results: int
    n_gpus: int
    n_nodes: int
    measured_by: str
    loss: float
    fault: str
    on_failure: str
    unit: str = GB_S
    part: Part | None = None  # None where no collective runs
    note: str | None = None

    @property
    def family(self) -> str:
        """Whose expectation it shares."""
        return _FAMILY.get(self.code, "network")


_FAMILY = {"pcie": "copies", "nvlink": "domain", "node": "domain", "domain": "domain", "link": "nic"}


@dataclass(frozen=True)
class Contract:
    """The paths of a site with their gates, and what it has no path for."""

    site: Site
    expectations: Expectations
    paths: tuple[Path, ...]
    gates: tuple[Gate, ...]
    left_out: tuple[str, ...]
    chances: dict[str, Chances]
    """By gate."""

    def path(self, code: str) -> Path | None:
        """The path of a gate; None where the site has no such gate."""
        return next((path for path in self.paths if path.code == code), None)

    def gate(self, code: str) -> Gate:
        """The gate of a path that is there."""
        return next(gate for gate in self.gates if gate.code == code)


def contract_of(site: Site, expectations: Expectations) -> Contract:
    """Every gate of a site; ``expectations`` are of its ``system``."""
    found = list(_paths(site, expectations))
    paths = tuple(path for path in found if isinstance(path, Path))
    chances = _chances(paths)
    gates = tuple(_gate(path, chances[path.code]) for path in paths)
    left_out = tuple(one for one in found if isinstance(one, str))
    return Contract(site, expectations, paths, gates, left_out, chances)


def _chances(paths: Sequence[Path]) -> dict[str, Chances]:
    """How often each gate may fail where all is healthy: a family's part of the model's is one, as its gates err together."""
    all_of_site = constant("site_false_alarm").value
    there = sum(FAMILIES[family] for family in {path.family for path in paths})
    runs = (1 - OF_MODEL) * all_of_site / max(len(paths), 1)
    return {path.code: Chances(OF_MODEL * all_of_site * FAMILIES[path.family] / there, runs) for path in paths}


def _gate(path: Path, chances: Chances) -> Gate:
    band = path.band
    run = constant("run_spread").value
    lines = lines_of(spread_of_band(band.expected, band.low), run, path.n_results, path.loss, chances)
    return Gate(
        code=path.code,
        scope=path.scope,
        title=path.title,
        command=path.command,
        bytes=path.sizes.judged,
        expected=_rounded(band.expected),
        low=_rounded(band.low),
        high=_rounded(band.high),
        ceiling=_rounded(band.ceiling),
        pass_at=_rounded(band.expected * lines.absolute),
        peers_at=None if lines.of_peers is None else round(lines.of_peers, 4),
        false_alarm=lines.false_alarm,
        miss=round(lines.miss, 4),
        unit=path.unit,
        fault_at=_rounded(band.expected * (1 - path.loss)),
        fault=path.fault,
        on_failure=path.on_failure,
        sizes=path.sizes.words,
        repetitions=lines.repetitions,
        results=path.n_results,
        gpus=path.n_gpus,
        nodes=path.n_nodes,
        measured_by=path.measured_by,
        collective=path.part.collective if path.part else None,
        algorithm=path.part.algorithm if path.part else None,
        limited_by=band.limited_by,
        basis=band.basis,
        evidence=band.evidence,
        note=path.note,
    )


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")


def _paths(site: Site, expectations: Expectations) -> Iterator[Path | str]:
    """Paths in the order in which they are tested; a text says what the site has not."""
    yield from _inside_a_node(site, expectations)
    yield from _domains(site, expectations)
    if site.n_domains < 2:
        yield "link, pair, rail, rack, leaf_pair and cluster: one scale-up domain holds all GPUs"
        return
    yield from _links(site)
    yield from _pairs(site, expectations)
    yield from _racks(site, expectations)
    yield from _rails(site, expectations)
    yield from _leaf_pairs(site, expectations)
    yield from _cluster(site, expectations)


# ---------------------------------------------------------------- inside a node and a domain


def _inside_a_node(site: Site, expectations: Expectations) -> Iterator[Path | str]:
    row = _host_copy(site)
    yield Path(
        code="pcie",
        scope="pcie",
        title="Host and GPU" if site.is_superchip else f"Host and GPU, PCIe {site.pcie_gen}.0 x16",
        command=amd_copy_command() if site.is_amd else copy_command(),
        sizes=Sizes(COPY_BYTES, "512 MiB buffers, every GPU, " + ("to its host" if site.is_amd else "both directions")),
        band=Band(row.value, row.low, row.high, row.high * 1.1, row.basis, row.evidence),
        n_results=site.n_nodes,
        n_gpus=site.gpus_per_node,
        n_nodes=1,
        measured_by="TransferBench" if site.is_amd else "nvbandwidth",
        loss=constant("degraded").value,
        fault="the slot trained at half its lanes or one generation below",
        on_failure="lspci -vv: compare LnkSta with LnkCap of the GPU and the switch above it; reseat, then replace",
    )
    if site.gpus_per_node < 2 or not site.link_gb_s:
        yield "nvlink and node: a node has one GPU, or its GPUs have no links of their own"
        return
    yield _peers(site, expectations)
    if site.domain_gpus >= site.gpus_per_node > 1:
        yield _collective(
            site,
            expectations,
            code="node",
            title="All GPUs of a node",
            part=Part("all_reduce", site.gpus_per_node, None, (("scale_up_domain_gpus", site.gpus_per_node),)),
            n_nodes=1,
            n_results=site.n_nodes,
            fault="links inside the node are down, or a GPU is throttled",
            on_failure="nvidia-smi nvlink -s and -q -d PERFORMANCE on the node: links down, clocks held back, errors"
            if not site.is_amd
            else "rocm-smi --showtopo and --showxgmierr on the node: links down, clocks held back, errors",
        )


def _host_copy(site: Site) -> Constant:
    """What a copy between a host and its GPU gives."""
    if site.is_superchip:
        return constant("chip_copy", "hopper" if site.system["gpu"].startswith("gh") else "")
    return constant("host_copy", f"{'amd-' if site.is_amd else ''}gen{site.pcie_gen}")


def _peers(site: Site, expectations: Expectations) -> Path:
    """One GPU reading another."""
    if site.is_amd:
        part = Part("sendrecv", 2, None, (("scale_up_domain_gpus", site.gpus_per_node),))
        band, by, command = (
            expectations.band(part, GIB),
            "rccl-tests",
            run_command(site, Launch("sendrecv", 2, 2, 1), GIB),
        )
    else:
        row = constant("peer_copy")
        share = Band(row.value, row.low, row.high, 1.0, row.basis, row.evidence)
        part, band, by, command = None, scaled(share, site.link_gb_s), "nvbandwidth", peer_command()
    return Path(
        code="nvlink",
        scope="nvlink",
        title="Pairs of GPUs of a node",
        command=command,
        sizes=Sizes(COPY_BYTES if part is None else GIB, "512 MiB buffers, every pair" if part is None else "1 GiB"),
        band=band,
        n_results=site.n_nodes,
        n_gpus=2,
        n_nodes=1,
        measured_by=by,
        loss=constant("degraded").value,
        fault="half of the links between two GPUs are down, or the copy goes through the host",
        on_failure="nvidia-smi nvlink -s and topo -m: links down, peer access off (ACS, IOMMU); fabric manager's log",
        part=part,
    )


def _domains(site: Site, expectations: Expectations) -> Iterator[Path | str]:
    if site.domain_nodes < 2 or not site.link_gb_s:
        return
    yield _collective(
        site,
        expectations,
        code="domain",
        title=f"A whole scale-up domain of {site.domain_nodes} nodes",
        part=Part("all_reduce", min(site.domain_gpus, site.n_gpus), None),
        n_nodes=min(site.domain_nodes, site.n_nodes),
        n_results=site.n_domains,
        fault="a tray or switch of the domain has links down, or the domain is split (IMEX, clique)",
        on_failure="nvidia-smi -q | grep -A3 Fabric on every node: state and clique; the fabric manager's log; links down",
    )


# ---------------------------------------------------------------- over the network


def _links(site: Site) -> Iterator[Path | str]:
    fabric = site.system["fabric"]
    if fabric not in PERFTEST_FABRICS:
        yield f"link: ib_write_bw does not run on {fabric}"
        return
    row = constant("link_share", fabric)
    share = Band(row.value, row.low, row.high, 1.0, row.basis, row.evidence, limited_by="NIC")
    yield Path(
        code="link",
        scope="link",
        title="Two neighbouring nodes, one NIC each",
        command=link_command(site),
        sizes=Sizes(LINK_BYTES, "8 MiB messages for 10 s"),
        band=scaled(share, site.port_gbit_s),
        n_results=ceil_div(site.n_nodes, 2) * site.n_rails,
        n_gpus=2,
        n_nodes=2,
        measured_by="perftest",
        loss=constant("loss").value,
        fault="the link retransmits or waits: dirty optics, a bad cable, pause frames, a slot that is too narrow",
        on_failure="mlxlink -d DEV -c -e and ibqueryerrors (RoCE: ethtool -S): rate, raw and effective BER, discards, pause; "
        "clean and swap the cable by its label",
        unit=GBIT_S,
    )


def _pairs(site: Site, expectations: Expectations) -> Iterator[Path | str]:
    n_gpus = 2 * site.domain_gpus
    common = {
        "n_nodes": 2 * site.domain_nodes,
        "n_results": ceil_div(site.n_domains, 2),
        "fault": "a NIC of either node does not carry its part, or data is staged through the host",
        "on_failure": f"{RERUN}: NICs used, GDRDMA on each channel; then the link gate of both nodes, rail by rail",
    }
    for collective in ("all_reduce", "all_gather"):
        yield _collective(
            site,
            expectations,
            code=f"pair_{collective}",
            scope="pair",
            title=f"Two neighbouring {'domains' if site.domain_nodes > 1 else 'nodes'}, all NICs",
            part=Part(collective, n_gpus, RING),
            note="A tree on two nodes shows more than the wire carries, so the ring is forced; a run without it is judged "
            "by what it shows: below the wire as a ring, above it as a tree.",
            **common,
        )


def _racks(site: Site, expectations: Expectations) -> Iterator[Path | str]:
    per_rack = max(len(nodes) for nodes in site.rack_nodes)
    domains = per_rack // site.domain_nodes
    if domains < 2 or len(site.rack_nodes) < 2:
        yield "rack: a rack holds one scale-up domain, or one rack holds all"
        return
    yield _collective(
        site,
        expectations,
        code="rack",
        title=f"All {per_rack} nodes of a rack",
        part=Part("all_gather", domains * site.domain_gpus, RING),
        n_nodes=per_rack,
        n_results=len(site.rack_nodes),
        fault="a node of the rack is slower than the rest: power or heat of the rack, a cable bundle",
        on_failure="Halve the rack's nodes until the slow one is alone; look at its clocks, power and link counters",
        note=None if site.has_floor_plan else f"The design has no floor plan: {per_rack} nodes a rack, as is usual.",
    )


def _one_nic() -> tuple[tuple[str, object], ...]:
    """A node as one GPU with one NIC of one rail."""
    return (("gpus_per_node", 1), ("scale_up_domain_gpus", 1), ("nics_per_node", 1), ("in_network_reduction", False))


def _rails(site: Site, expectations: Expectations) -> Iterator[Path | str]:
    if not site.has_rails or site.n_rails < 2:
        yield "rail: all NICs of a node hang on the same leaves"
        return
    yield _collective(
        site,
        expectations,
        code="rail",
        title="One rail: one GPU with its NIC in every node",
        part=Part("all_reduce", site.n_nodes, RING, _one_nic()),
        n_nodes=site.n_nodes,
        n_results=site.n_rails,
        fault="a leaf, uplink or NIC of this rail is slower than those of the others",
        on_failure="Halve the nodes until the slow leaf or node is alone; compare uplinks up, errors and pause counters by leaf",
        bytes_=RAIL_BYTES,
        launch=Launch("all_reduce", site.n_nodes, 1, 1, RING, one_rail=True),
    )


def _leaf_pairs(site: Site, expectations: Expectations) -> Iterator[Path | str]:
    sizes = [len(unit) for unit in site.units]
    if len(sizes) < 2:
        yield "leaf_pair: all nodes hang on the same leaves"
        return
    if not site.joins_leaves:
        yield "leaf_pair: nothing joins the leaves"
        return
    each = min(sizes)
    one = dict(_one_nic()) if site.has_rails else {}
    part = Part(
        "all_gather",
        2 * each * (1 if site.has_rails else site.gpus_per_node),
        RING,
        tuple({**one, "nodes_per_leaf": 1}.items()),
    )
    yield _collective(
        site,
        expectations,
        code="leaf_pair",
        title="The nodes of two leaves in turns, so that every hop passes the spines",
        part=part,
        n_nodes=2 * each,
        n_results=(len(sizes) if len(sizes) > 2 else 1) * (site.n_rails if site.has_rails else 1),
        fault="uplinks of a leaf are down or hash badly, or a spine drops",
        on_failure="Uplinks up and their load by leaf and spine (ibdiagnet, show interface counters); adaptive routing on",
        bytes_=RAIL_BYTES,
        launch=Launch(
            "all_gather", part.n_gpus, 1 if site.has_rails else site.gpus_per_node, 1, RING, one_rail=site.has_rails
        ),
    )


def _cluster(site: Site, expectations: Expectations) -> Iterator[Path | str]:
    n_domains = site.n_gpus // site.domain_gpus
    for collective in ("all_reduce", "all_gather", "alltoall"):
        yield _collective(
            site,
            expectations,
            code=f"cluster_{collective}",
            scope="cluster",
            title="The whole cluster",
            part=Part(
                collective,
                n_domains * site.domain_gpus,
                RING if n_domains == 2 and collective == "all_reduce" else None,
            ),
            n_nodes=ceil_div(n_domains * site.domain_gpus, site.gpus_per_node),
            n_results=1,
            loss=constant("misconfigured").value,
            fault="a setting of every node or switch is wrong: GPUDirect, traffic class, flow control, adaptive routing",
            on_failure="Compare the rail and leaf_pair gates first, which find single parts; then halve the nodes, and run both",
        )


def _collective(
    site: Site,
    expectations: Expectations,
    *,
    code: str,
    title: str,
    part: Part,
    n_nodes: int,
    n_results: int,
    fault: str,
    on_failure: str,
    scope: str | None = None,
    bytes_: int = WHOLE_BYTES,
    launch: Launch | None = None,
    note: str | None = None,
    loss: float | None = None,
) -> Path:
    own = launch or Launch(part.collective, part.n_gpus, ceil_div(part.n_gpus, n_nodes), 1, part.algorithm)
    return Path(
        code=code,
        scope=scope or code,
        title=title,
        command=run_command(site, own, bytes_),
        sizes=Sizes(bytes_, own.sizes(bytes_)),
        band=expectations.band(part, bytes_),
        n_results=n_results,
        n_gpus=part.n_gpus,
        n_nodes=n_nodes,
        measured_by="rccl-tests" if site.is_amd else "nccl-tests",
        loss=loss or constant("loss").value,
        fault=fault,
        on_failure=on_failure,
        part=part,
        note=note,
    )
