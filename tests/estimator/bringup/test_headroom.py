"""Headroom is the kernel's and SONiC's to the byte: the published formulas written again, by other arithmetic."""

import random
from fractions import Fraction

import pytest

from estimator.bringup.plan.headroom import (
    PAUSE_QUANTA,
    Silicon,
    cable_delay_bits,
    mlx5e_xoff_bytes,
    mlxsw_delay_bytes,
    sonic_headroom,
)

SPEEDS = (10, 25, 40, 50, 100, 200, 400, 800)
SPECTRUM_4 = Silicon(192, Fraction(19), Fraction(4, 5))


def kernel_xoff(cable_m: int, speed_mbit_s: int, mtu: int) -> int:
    """calculate_xoff of the driver in C's unsigned division: product and quotient one after the other."""
    by_length, _ = divmod(216 * cable_m, 100)
    by_speed, _ = divmod((301 + by_length) * max(speed_mbit_s, 40_000), 1000)
    by_frame, _ = divmod(272 * mtu, 100)
    return by_speed + by_frame


def sonic_thresholds(
    cell: int, latency_kib: int, cable_m: int, speed_mbit_s: int, mtu: int, packet: int, small: int, lanes: int
) -> tuple[int, int, int]:
    """The plug-in's formula over one common denominator, in whole numbers alone."""
    worst = (cell, 64) if cell > 128 else (2 * cell, 1 + cell)
    occupancy = ((100 - small) * worst[1] + small * worst[0], 100 * worst[1])
    # on the cable: 2 · m · Mb/s · 10^9 / (198·10^6 · 8 · 1024)
    cable = (2 * cable_m * speed_mbit_s * 10**9, 198_000_000 * 8 * 1024)
    # MAC and PHY: 0.8 KiB = 4096/5 B; the peer: quanta of 512 bits
    fixed = (mtu * 5 + 4096 + PAUSE_QUANTA[speed_mbit_s] * 64 * 5, 5)
    propagation = (cable[0] * fixed[1] + fixed[0] * cable[1], cable[1] * fixed[1])
    xoff = (packet * propagation[1] * occupancy[1] + propagation[0] * occupancy[0], propagation[1] * occupancy[1])
    xoff_bytes = -(-xoff[0] // (xoff[1] * 1024)) * 1024
    xon_bytes = (2 * latency_kib - 1 if lanes == 8 else latency_kib) * 1024
    size = xoff_bytes + xon_bytes + (mtu if lanes == 8 else 0)
    return xoff_bytes, xon_bytes, -(-size // 1024) * 1024


def drawn(n: int) -> list[tuple[int, ...]]:
    rng = random.Random(14)
    return [
        (
            rng.choice((96, 144, 192, 254, 256)),
            rng.randrange(12, 50),
            rng.randrange(301),
            rng.choice(SPEEDS) * 1000,
            rng.choice((1500, 9000, 9100, 9214, 9216)),
            rng.choice((1024, 1500, 4096)),
            rng.randrange(101),
            rng.choice((1, 2, 4, 8)),
        )
        for _ in range(n)
    ]


def test_a_connectx_keeps_what_its_driver_works_out() -> None:
    for _, _, cable_m, speed_mbit_s, mtu, *_ in drawn(100):
        assert mlx5e_xoff_bytes(cable_m, speed_mbit_s // 1000, mtu) == kernel_xoff(cable_m, speed_mbit_s, mtu)


@pytest.mark.parametrize(
    ("speed_gbit_s", "cable_m", "xoff_bytes"),
    [(100, 100, 76_767), (400, 50, 188_668), (400, 100, 231_868), (800, 100, 438_668)],
)
def test_a_connectx_is_within_a_byte_of_the_formula_of_the_commit(
    speed_gbit_s: int, cable_m: int, xoff_bytes: int
) -> None:
    """The commit's text is in decimals; the driver's whole numbers drop what is below a byte."""
    exact = (301 + Fraction(216, 100) * cable_m) * speed_gbit_s + Fraction(272, 100) * 9216
    assert abs(exact - xoff_bytes) < 1
    assert 0 <= exact - mlx5e_xoff_bytes(cable_m, speed_gbit_s, 9216) < 1


def test_spectrum_keeps_what_sonic_works_out() -> None:
    for cell, latency, cable_m, speed_mbit_s, mtu, packet, small, lanes in drawn(100):
        room = sonic_headroom(
            Silicon(cell, Fraction(latency), Fraction(4, 5)),
            cable_m,
            speed_mbit_s // 1000,
            mtu,
            packet,
            small,
            lanes,
        )
        assert tuple(room) == sonic_thresholds(cell, latency, cable_m, speed_mbit_s, mtu, packet, small, lanes)


def test_a_gearbox_adds_its_delay_twice() -> None:
    without = sonic_headroom(SPECTRUM_4, 30, 100, 9216, 1024)
    with_one = sonic_headroom(SPECTRUM_4, 30, 100, 9216, 1024, gearbox_delay_kib=Fraction("9.765"))
    # 2 · 100,000 · 9.765 / 8192 B, each in cells filled worst (192 / 64)
    assert with_one.xoff_bytes - without.xoff_bytes in (0, 1024)
    assert with_one.xon_bytes == without.xon_bytes


def test_headroom_of_hand_counted_ports() -> None:
    """SN5600 at 400 Gb/s over 30 m: 9216 + 14796.4 + 819.2 + 57920 B under way, in cells at a third, and a packet."""
    room = sonic_headroom(SPECTRUM_4, 30, 400, 9216, 4096)
    assert room.xoff_bytes == 247 * 1024
    assert room.xon_bytes == 19 * 1024
    assert room.size_bytes == 266 * 1024


def test_headroom_grows_with_length_speed_and_frames() -> None:
    rooms = [sonic_headroom(SPECTRUM_4, length, 400, 9216, 4096).xoff_bytes for length in range(0, 301, 10)]
    assert rooms == sorted(rooms)
    assert rooms[-1] > rooms[0]
    assert sonic_headroom(SPECTRUM_4, 30, 800, 9216, 4096).xoff_bytes > rooms[3]
    assert mlx5e_xoff_bytes(10, 10, 1500) == mlx5e_xoff_bytes(10, 40, 1500)


def test_a_speed_without_pause_quanta_is_refused() -> None:
    with pytest.raises(ValueError, match="1600"):
        sonic_headroom(SPECTRUM_4, 30, 1600, 9216, 4096)


def test_spectrum_under_linux_counts_whole_cells() -> None:
    """100,000 bits are 12,500 B, 131 cells of 96 B, twice; a frame of 1,518 B takes 16."""
    assert mlxsw_delay_bytes(100_000, 1518, 96) == (2 * 131 + 16) * 96
    assert cable_delay_bits(100, 100) == 101_011
