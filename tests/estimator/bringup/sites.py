"""Sites and results for tests of the acceptance contract."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from estimator.bringup.acceptance.design import design_contract
from estimator.bringup.acceptance.expected import Expectations
from estimator.bringup.acceptance.gates import Contract, contract_of
from estimator.bringup.acceptance.site import Site
from estimator.catalog.constants import ModelConstants
from estimator.catalog.loader import load_catalog
from estimator.performance.collectives import BUS_FACTORS
from estimator.spec.parse import parse_spec
from tests.estimator.calibration.log_texts import measured_log

GIB = 2**30
FOUR_UNITS = {"name": "Site A", "compute": {"server": "dgx-h100", "nodes": 128}, "fabric": {"generation": "ndr"}}


def spec_of(values: Mapping[str, Any]) -> Any:
    """A design as parsed."""
    return parse_spec(dict(values), load_catalog())


@lru_cache(maxsize=4)
def four_units() -> Contract:
    """The contract of 128 nodes on rails, 32 below each group of leaves."""
    return design_contract(spec_of(FOUR_UNITS), load_catalog())


def contract_of_system(system: Mapping[str, Any], n_gpus: int) -> Contract:
    """The contract of a system without a design: nodes below one leaf."""
    catalog = load_catalog()
    gpu, n_nodes = catalog.gpus[system["gpu"]], -(-n_gpus // system["gpus_per_node"])
    zeros = np.zeros(n_nodes, dtype=np.int64)
    site = Site(
        name="system",
        spec_hash="",
        system=dict(system),
        n_gpus=n_gpus,
        is_amd=gpu.vendor.lower() == "amd",
        is_superchip="superchip" in gpu.form_factor.lower(),
        pcie_gen=gpu.pcie_gen,
        link_gb_s=gpu.scale_up_both_ways_gb_s / 2,
        has_rails=False,
        joins_leaves=True,
        port_gbit_s=float(system["nic_gbit_s"]),
        nics=(),
        nodes=tuple(f"node-{i + 1:04d}" for i in range(n_nodes)),
        leaves=("leaf-001",),
        leaf_of=zeros[:, None],
        unit_of=zeros,
        racks=("rack-001",),
        rack_of=zeros,
        has_floor_plan=False,
    )
    return contract_of(site, Expectations(dict(system), catalog, ModelConstants(catalog)))


def nccl_log(
    busbw_gb_s: float, gpus: int, nodes: int, collective: str = "all_reduce", size: int = 16 * GIB, **more: Any
) -> bytes:
    """What nccl-tests prints of one size at a bus bandwidth."""
    time_us = size / (busbw_gb_s / float(BUS_FACTORS[collective](gpus))) / 1e3
    return measured_log(gpus=gpus, nodes=nodes, rows=[(size, time_us)], collective=collective, **more)


def perftest_text(gbit_s: float, size: int = 8_388_608) -> bytes:
    """What the client of ib_write_bw prints with --report_gbits."""
    line = "-" * 87
    return f"""{line}
                    RDMA_Write BW Test
 Dual-port       : OFF		Device         : mlx5_0
 Number of qps   : 4		Transport type : IB
 Mtu             : 4096[B]
 Link type       : IB
{line}
 local address: LID 0x01 QPN 0x0107 PSN 0xb264f8
 remote address: LID 0x02 QPN 0x0107 PSN 0x7bdb93
{line}
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 65536      5000           {gbit_s - 6:.2f}             {gbit_s - 7:.2f}		     0.70
 {size}    5000           {gbit_s:.2f}             {gbit_s:.2f}		     0.0058
{line}
""".encode()


def nvbandwidth_text(host: float = 55.3, peer: float = 390.0, slow: tuple[int, int] | None = None) -> bytes:
    """What nvbandwidth prints of eight GPUs; one pair may be at a third."""
    head = "          " + "         ".join(map(str, range(8)))
    cells = [["N/A" if a == b else f"{peer / 3 if (a, b) == slow else peer:.2f}" for b in range(8)] for a in range(8)]
    rows = "\n".join(f" {a}   " + "    ".join(row) for a, row in enumerate(cells))
    return f"""nvbandwidth Version: v0.10.0
Built from Git version: v0.10.0

Running host_to_device_memcpy_ce.
memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)
{head}
 0     {"     ".join([f"{host:.2f}"] * 8)}

SUM host_to_device_memcpy_ce {8 * host:.2f}

Running device_to_device_memcpy_read_ce.
memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)
{head}
{rows}

SUM device_to_device_memcpy_read_ce 21000.00
""".encode()
