"""The filters that print numbers: the unit, the digits, and what stands for a missing value."""

from xml.etree import ElementTree

import pytest

from designer.templatetags import units
from designer.templatetags.bars import WIDTH, range_bar

NB = units.NO_BREAK_SPACE


@pytest.mark.parametrize(
    ("printer", "value", "text"),
    [
        (units.count, 1016, "1,016"),
        (units.count, 0, "0"),
        (units.count, -3, "\N{MINUS SIGN}3"),
        (units.gbit_s, 400, f"400{NB}Gb/s"),
        (units.gbit_s, 406_400, f"406.4{NB}Tb/s"),
        (units.gbit_s, 3_276_800, f"3.277{NB}Pb/s"),
        (units.gb_s, 368.4, f"368{NB}GB/s"),
        (units.gb_s, 0.00124, f"1.24{NB}MB/s"),
        (units.watts, 940, f"940{NB}W"),
        (units.watts, 57_600, f"57.6{NB}kW"),
        (units.watts, 2_400_000, f"2.40{NB}MW"),
        (units.usd, 1_240_000, f"$1.24{NB}M"),
        (units.usd, 999_800, f"$1.00{NB}M"),
        (units.usd, 12_400.4, "$12,400"),
        (units.usd, 0.1234, "$0.12"),
        (units.usd, 0, "$0"),
        (units.usd, -1000, "\N{MINUS SIGN}$1,000"),
        (units.usd, 20_000_000_000, f"$20.0{NB}bn"),
        (units.usd_exact, 1_240_017, "$1,240,017"),
        (units.usd_exact, 12.5, "$12.50"),
        (units.usd_range, {"low": 1_100_000, "typical": 1_200_000, "high": 1_400_000}, f"$1.10{NB}M to $1.40{NB}M"),
        (units.usd_range, {"low": 5, "typical": 5, "high": 5}, "$5.00"),
        (units.percent, 0.1234, f"12.3{NB}%"),
        (units.percent, 1, f"100{NB}%"),
        (units.message_size, 8, f"8{NB}B"),
        (units.message_size, 64 * 2**20, f"64{NB}MiB"),
        (units.message_size, 2**33, f"8{NB}GiB"),
        (units.duration_us, 12.34, f"12.3{NB}µs"),
        (units.duration_us, 4_100, f"4.10{NB}ms"),
        (units.duration_us, 2_500_000, f"2.50{NB}s"),
        (units.words, "leaf_spine", "leaf spine"),
        (units.words, "nvls_tree", "NVLS tree"),
        (units.generation_name, "ndr", "InfiniBand NDR"),
        (units.generation_name, "roce-400", "RoCE 400G"),
        (units.short_hash, "0123456789abcdef", "0123456789ab"),
        (units.usd, 47_222.48, "$47,200"),
        (units.usd, 400_552.72, "$401,000"),
        (units.usd, 47_978_037, f"$48.0{NB}M"),
        (units.usd_exact_range, {"low": 900, "typical": 1249, "high": 1900.5}, "$900 to $1,900"),
        (units.percent, 0.10000486, f"10.0{NB}%"),
        (units.percent, 0.09996, f"10.0{NB}%"),
        (units.percent, 0, f"0{NB}%"),
        (units.watts, 32, f"32{NB}W"),
        (units.watts, 11_952, f"12.0{NB}kW"),
        (units.kilowatt_hours, 12_623_479.6, f"12.6{NB}GWh"),
        (units.computed, 45.0, "45.0"),
        (units.words, "rail-optimized", "rail-optimized"),
        (units.words, "fiber", "fibre"),
        (units.ratio_to_one, "1:1", "1:1"),
        (units.ratio_to_one, "4:3", "1.33:1"),
        (units.ratio_to_one, "128:39", "3.28:1"),
        (units.unit_name, "fraction of capex", "of the purchase price"),
        (units.unit_name, "fraction/yr", "a year"),
        (units.unit_name, "fraction of price a year", "of the price a year"),
        (units.unit_name, "fraction", ""),
        (units.unit_name, "USD/node", "$ per node"),
        (units.medium_name, "multimode", "multimode fibre"),
        (units.medium_name, "aoc", "active optical cable"),
        (units.medium_name, "copper", "copper"),
        (units.total, {"a": 2, "b": 3, "c": None}, "5"),
    ],
)
def test_a_number_prints_with_its_unit(printer, value, text):
    assert printer(value) == text


@pytest.mark.parametrize(
    "printer",
    [units.count, units.gbit_s, units.gb_s, units.watts, units.usd, units.usd_exact, units.usd_range, units.percent,
     units.message_size, units.duration_us, units.total, units.words],
)  # fmt: skip
def test_a_missing_value_prints_as_a_dash(printer):
    assert printer(None) == units.MISSING


@pytest.mark.parametrize("value", [1.0, 9.994, 9.996, 99.95, 123.4, 999.4, 12_345.6, 0.001234])
def test_significant_digits_stay_close_to_the_value(value):
    assert float(units.significant(value).replace(",", "")) == pytest.approx(value, rel=0.005)


def test_a_parameter_reads_as_its_unit_asks():
    assert units.in_unit(0.005, "fraction of capex") == f"0.5{NB}%"
    assert units.in_unit(1.54, "ratio") == "1.54"
    assert units.in_unit(2000.0, "USD/node") == "2,000"
    assert units.in_unit(None, "ratio") == units.MISSING


def test_a_bar_runs_from_low_to_high_with_its_mark_at_typical():
    bar = ElementTree.fromstring(range_bar({"low": 16, "typical": 32, "high": 64}))
    part, tick = (
        next(rect.attrib for rect in bar if rect.get("class") == f"range-{name}") for name in ("part", "tick")
    )
    assert (float(part["x"]), float(part["width"])) == (WIDTH / 4, WIDTH * 3 / 4)
    assert float(tick["x"]) == pytest.approx(WIDTH / 2 - 1)
    assert range_bar(None) == range_bar({"low": 5, "typical": 5, "high": 5}) == ""


def test_assumptions_are_told_from_sourced_figures():
    assert units.is_assumption("assumption")
    assert units.is_assumption("seed")
    assert not units.is_assumption("list")
