"""PFC headroom: what a port must still take in after it has sent a pause, by length and speed of its longest cable.

Whole numbers and fractions throughout: a byte too few is a lost packet, and vendors' own results are met to the byte.
"""

from fractions import Fraction
from math import ceil
from typing import NamedTuple

from estimator.units import BITS_PER_BYTE, ceil_div

KIB = 1024
LIGHT_IN_CABLE_M_S = 198_000_000
SMALLEST_PACKET_BYTES = 64
MLX5E_LEAST_MBIT_S = 40_000
MLXSW_CELL_FACTOR = 2
# IEEE 802.3, 31B.3.7: quanta of 512 bits that a peer may take to stop, by speed in Mb/s, as SONiC has them
PAUSE_QUANTA = {
    800_000: 905,
    400_000: 905,
    200_000: 453,
    100_000: 394,
    50_000: 147,
    40_000: 118,
    25_000: 80,
    10_000: 67,
    1_000: 2,
    100: 1,
}


class Silicon(NamedTuple):
    """What the formula needs of a switch's chip. Latencies are bytes that pass meanwhile, in KiB."""

    cell_bytes: int
    pipeline_latency_kib: Fraction
    mac_phy_delay_kib: Fraction


class SonicHeadroom(NamedTuple):
    """Thresholds of a lossless priority group. [B]"""

    xoff_bytes: int
    xon_bytes: int
    size_bytes: int


def sonic_headroom(
    silicon: Silicon,
    cable_m: int | Fraction,
    speed_gbit_s: int,
    port_mtu_bytes: int,
    packet_bytes: int,
    small_packet_percent: int = 100,
    lanes: int = 4,
    gearbox_delay_kib: Fraction = Fraction(0),
) -> SonicHeadroom:
    """Headroom of a port as SONiC works it out for NVIDIA's silicon.

    Parameters
    ----------
    cable_m : length of the cable. [m]
    port_mtu_bytes, packet_bytes : largest frame of the port, and of the lossless traffic. [B]
    small_packet_percent : share of packets that fill their cells worst. [%]
    lanes : electrical lanes of the port; a port of eight has twice the pipeline latency.

    Returns
    -------
    ``size_bytes`` is that without a shared headroom pool.

    Raises
    ------
    ValueError
        For a speed that the standard's table does not have.

    Notes
    -----
    sonic-net/sonic-swss, cfgmgr/buffer_headroom_mellanox.lua, commit 18913fa35726.
    """
    speed_mbit_s = speed_gbit_s * 1000
    quanta = PAUSE_QUANTA.get(speed_mbit_s)
    if quanta is None:
        raise ValueError(f"no pause quanta of {speed_gbit_s} Gb/s")
    pipeline, overhead = Fraction(silicon.pipeline_latency_kib) * KIB, 0
    if lanes == 8:
        pipeline, overhead = pipeline * 2 - KIB, port_mtu_bytes
    cell = silicon.cell_bytes
    worst = Fraction(cell, SMALLEST_PACKET_BYTES) if cell > 2 * SMALLEST_PACKET_BYTES else Fraction(2 * cell, 1 + cell)
    occupancy = (100 - small_packet_percent + small_packet_percent * worst) / 100
    on_gearbox = speed_mbit_s * Fraction(gearbox_delay_kib) / (8 * KIB)
    on_cable = 2 * Fraction(cable_m) * speed_mbit_s * 10**9 / LIGHT_IN_CABLE_M_S / (8 * KIB)
    peer = Fraction(quanta * 512, 8)
    propagation = port_mtu_bytes + on_cable + 2 * on_gearbox + silicon.mac_phy_delay_kib * KIB + peer
    xoff = _whole_kib(packet_bytes + propagation * occupancy)
    xon = _whole_kib(pipeline)
    return SonicHeadroom(xoff, xon, _whole_kib(Fraction(xoff + xon + overhead)))


def _whole_kib(value: Fraction) -> int:
    return ceil(value / KIB) * KIB


def mlx5e_xoff_bytes(cable_m: int, speed_gbit_s: int, mtu_bytes: int) -> int:
    """What the receive buffer of a ConnectX keeps above its pause threshold, to the byte as the driver rounds. [B]

    Notes
    -----
    (301 + 2.16 m) · Gb/s + 2.72 MTU, in whole numbers with every division rounded down, and at least 40 Gb/s: Linux,
    drivers/net/ethernet/mellanox/mlx5/core/en/port_buffer.c, calculate_xoff (commits 0696d60853d5, 5ec983e924c7).
    """
    speed_mbit_s = max(speed_gbit_s * 1000, MLX5E_LEAST_MBIT_S)
    return (301 + 216 * cable_m // 100) * speed_mbit_s // 1000 + 272 * mtu_bytes // 100


def mlxsw_delay_bytes(delay_bits: int, mtu_bytes: int, cell_bytes: int) -> int:
    """What a priority group under Linux' own driver of Spectrum has above its lossy size, for what is under way. [B]

    Parameters
    ----------
    delay_bits : bits that arrive between a pause and its effect, as IEEE 802.1Qbb counts them.

    Notes
    -----
    In whole cells: twice those of the delay, as a packet of a cell and a byte takes two, and those of one frame. Linux,
    drivers/net/ethernet/mellanox/mlxsw/spectrum.c, mlxsw_sp_pfc_delay_get (commit d81a6bdb87ce).
    """
    delay_cells = ceil_div(ceil_div(delay_bits, BITS_PER_BYTE), cell_bytes)
    cells: int = MLXSW_CELL_FACTOR * delay_cells + ceil_div(mtu_bytes, cell_bytes)
    return cells * cell_bytes


def cable_delay_bits(cable_m: int | Fraction, speed_gbit_s: int) -> int:
    """Bits on a cable in both directions."""
    return ceil(2 * Fraction(cable_m) * speed_gbit_s * 10**9 / LIGHT_IN_CABLE_M_S)
