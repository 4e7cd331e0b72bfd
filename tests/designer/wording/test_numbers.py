"""The filters that print numbers: the unit, the digits, and what stands for a missing value."""

from xml.etree import ElementTree

import pytest

from designer.templatetags.bars import WIDTH, range_bar
from designer.wording import numbers
from estimator.catalog.currency import Rate
from estimator.wording import whole_dollars

NB = numbers.NO_BREAK_SPACE


@pytest.mark.parametrize(
    ("price", "pieces", "text"),
    [
        (1320.55, 524, "$1,320.55"),  # $1,321 × 524 would not be the $691,968 beside it
        (1320.55, 1, "$1,321"),
        (1321, 524, "$1,321"),
        (1320.55, 0, "$1,321"),  # all are there already
        (12.5, None, "$12.50"),
        (189.90, 1055, "$189.90"),
        (34_648.5, 1, "$34,649"),
    ],
)
def test_a_unit_price_multiplies_to_its_line(price: float, pieces: int | None, text: str) -> None:
    assert numbers.usd_unit(price, pieces) == text


@pytest.mark.parametrize(
    ("amount", "text"),
    [(200_344.5, "200,345"), (2_453_076.5, "2,453,077"), (34_648.49, "34,648"), (1055 * 189.9, "200,345")],
)
def test_half_a_dollar_is_rounded_up(amount: float, text: str) -> None:
    """As spreadsheets print the same amount: 1,055 × $189.90 are $200,345 there, and to the even digit $200,344."""
    assert numbers.usd_exact(amount) == whole_dollars(amount) == f"${text}"
    assert numbers.usd_exact(-amount) == f"\N{MINUS SIGN}${text}"


@pytest.mark.parametrize(
    ("price", "pieces", "text"),
    [
        (109.18, 512, "€96.885"),  # 512 × €96.89 would not be the €49,605 beside it
        (109.18, 296, "€96.885"),
        (109.18, 20, "€96.89"),
        (1000.10, 20_000, "€887.4789"),
    ],
)
def test_a_converted_unit_price_multiplies_to_its_line(price: float, pieces: int, text: str) -> None:
    with numbers.reading(lambda: numbers.Chosen(Rate("EUR", 1.1269, "2026-11-27", "listing", "ECB"))):
        assert numbers.usd_unit(price, pieces) == text
        shown, line = float(text[1:]), numbers.usd_exact(price * pieces)
        assert f"€{shown * pieces:,.0f}" == line


@pytest.mark.parametrize(
    ("printer", "value", "text"),
    [
        (numbers.count, 1016, "1,016"),
        (numbers.count, 0, "0"),
        (numbers.count, 521.8, "522"),  # kilograms of a rack
        (numbers.count, -3, "\N{MINUS SIGN}3"),
        (numbers.gbit_s, 400, f"400{NB}Gb/s"),
        (numbers.gbit_s, 406_400, f"406.4{NB}Tb/s"),
        (numbers.gbit_s, 3_276_800, f"3.277{NB}Pb/s"),
        (numbers.gb_s, 368.4, f"368{NB}GB/s"),
        (numbers.gb_s, 0.00124, f"1.24{NB}MB/s"),
        (numbers.watts, 940, f"940{NB}W"),
        (numbers.watts, 57_600, f"57.6{NB}kW"),
        (numbers.watts, 2_400_000, f"2.40{NB}MW"),
        (numbers.usd, 1_240_000, f"$1.24{NB}M"),
        (numbers.usd, 999_800, f"$1.00{NB}M"),
        (numbers.usd, 12_400.4, "$12,400"),
        (numbers.usd, 0.1234, "$0.12"),
        (numbers.usd, 0, "$0"),
        (numbers.usd, -1000, "\N{MINUS SIGN}$1,000"),
        (numbers.usd, 20_000_000_000, f"$20.0{NB}bn"),
        (numbers.usd_exact, 1_240_017, "$1,240,017"),
        (numbers.usd_exact, 12.5, "$12.50"),
        (numbers.usd_range, {"low": 1_100_000, "typical": 1_200_000, "high": 1_400_000}, f"$1.10{NB}M to $1.40{NB}M"),
        (numbers.usd_range, {"low": 5, "typical": 5, "high": 5}, "$5.00"),
        (numbers.percent, 0.1234, f"12.3{NB}%"),
        (numbers.percent, 1, f"100{NB}%"),
        (numbers.message_size, 8, f"8{NB}B"),
        (numbers.message_size, 64 * 2**20, f"64{NB}MiB"),
        (numbers.message_size, 2**33, f"8{NB}GiB"),
        (numbers.duration_us, 12.34, f"12.3{NB}µs"),
        (numbers.duration_us, 4_100, f"4.10{NB}ms"),
        (numbers.duration_us, 2_500_000, f"2.50{NB}s"),
        (numbers.words, "leaf_spine", "leaf spine"),
        (numbers.words, "nvls_tree", "NVLS tree"),
        (numbers.generation_name, "ndr", "InfiniBand NDR"),
        (numbers.generation_name, "roce-400", "RoCE 400G"),
        (numbers.short_hash, "0123456789abcdef", "0123456789ab"),
        (numbers.usd, 47_222.48, "$47,200"),
        (numbers.usd, 400_552.72, "$401,000"),
        (numbers.usd, 47_978_037, f"$48.0{NB}M"),
        (numbers.usd_span, {"low": 5, "typical": 5, "high": 5}, ""),
        (numbers.usd_exact_span, {"low": 5, "typical": 5, "high": 9}, "$5 to $9"),
        (numbers.usd_exact_range, {"low": 900, "typical": 1249, "high": 1900.5}, "$900 to $1,901"),
        (numbers.percent, 0.10000486, f"10.0{NB}%"),
        (numbers.percent, 0.09996, f"10.0{NB}%"),
        (numbers.percent, 0, f"0{NB}%"),
        (numbers.watts, 32, f"32{NB}W"),
        (numbers.watts, 11_952, f"12.0{NB}kW"),
        (numbers.kilowatt_hours, 12_623_479.6, f"12.6{NB}GWh"),
        (numbers.computed, 45.0, "45.0"),
        (numbers.words, "rail-optimized", "rail-optimized"),
        (numbers.words, "fiber", "fibre"),
        (numbers.ratio_to_one, "1:1", "1:1"),
        (numbers.ratio_to_one, "4:3", "1.33:1"),
        (numbers.ratio_to_one, "128:39", "3.28:1"),
        (numbers.unit_name, "fraction of capex", "of the purchase price"),
        (numbers.unit_name, "fraction/yr", "a year"),
        (numbers.unit_name, "fraction of price a year", "of the price a year"),
        (numbers.unit_name, "fraction", ""),
        (numbers.unit_name, "USD/node", "$ per node"),
        (numbers.medium_name, "multimode", "multimode fibre"),
        (numbers.medium_name, "aoc", "active optical cable"),
        (numbers.medium_name, "copper", "copper"),
    ],
)
def test_a_number_prints_with_its_unit(printer, value, text):
    assert printer(value) == text


@pytest.mark.parametrize(
    "printer",
    [
        numbers.count,
        numbers.gbit_s,
        numbers.gb_s,
        numbers.watts,
        numbers.usd,
        numbers.usd_exact,
        numbers.usd_range,
        numbers.percent,
        numbers.message_size,
        numbers.duration_us,
        numbers.words,
    ],
)
def test_a_missing_value_prints_as_a_dash(printer):
    assert printer(None) == numbers.MISSING


@pytest.mark.parametrize("value", [1.0, 9.994, 9.996, 99.95, 123.4, 999.4, 12_345.6, 0.001234])
def test_significant_digits_stay_close_to_the_value(value):
    assert float(numbers.significant(value).replace(",", "")) == pytest.approx(value, rel=0.005)


def test_a_parameter_reads_as_its_unit_asks():
    assert numbers.in_unit(0.005, "fraction of capex") == f"0.5{NB}%"
    assert numbers.in_unit(1.54, "ratio") == "1.54"
    assert numbers.in_unit(2000.0, "USD/node") == "2,000"
    assert numbers.in_unit(None, "ratio") == numbers.MISSING


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.42, "s", f"420{NB}ms"),
        (12.345, "s", f"12.3{NB}s"),
        (0.0312, "ms", f"31.2{NB}µs"),
        (8.5, "ms", f"8.50{NB}ms"),
        (1016.0, "switches", "1,016"),
        (0.5234, "tokens/s", "0.523"),
        (12_345.6, "tokens/s", "12,346"),
        (8.7654, "tokens", "8.77"),
        (float("nan"), "s", numbers.MISSING),
    ],
)
def test_a_figure_of_a_search_prints_in_its_unit(value, unit, text):
    assert numbers.figure_text(value, unit) == text


def test_a_bar_runs_from_low_to_high_with_its_mark_at_typical():
    bar = ElementTree.fromstring(range_bar({"low": 16, "typical": 32, "high": 64}))
    part, tick = (
        next(rect.attrib for rect in bar if rect.get("class") == f"range-{name}") for name in ("part", "tick")
    )
    assert (float(part["x"]), float(part["width"])) == (WIDTH / 4, WIDTH * 3 / 4)
    assert float(tick["x"]) == pytest.approx(WIDTH / 2 - 1)
    assert range_bar(None) == range_bar({"low": 5, "typical": 5, "high": 5}) == ""


def test_assumptions_are_distinguished_from_sourced_figures():
    assert numbers.is_assumption("assumption")
    assert numbers.is_assumption("seed")
    assert not numbers.is_assumption("list")
