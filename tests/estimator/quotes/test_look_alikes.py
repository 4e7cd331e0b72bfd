"""Parts that look like another and are none: other airflow, management, length, network; words that contradict the number."""

from typing import Any

import pytest

from estimator.quotes.part_numbers import airflow_of
from tests.estimator.quotes.quote_files import HEADER, codes, report, whole_quote, workbook


def of_code(result: dict[str, Any], code: str) -> list[dict[str, Any]]:
    return [problem for problem in result["problems"] if problem["code"] == code]


def changed(number: str, **cells: Any) -> bytes:
    """The whole quote with other cells in the row of a part number."""
    rows = whole_quote()
    row = next(row for row in rows if row[0] == number)
    for name, value in cells.items():
        row[HEADER.index(name.replace("_", " "))] = value
    return workbook([HEADER, *rows])


def with_row(*rows: list[Any]) -> dict[str, Any]:
    return report(workbook([HEADER, *whole_quote(), *rows]))


FIBRE = next(row for row in whole_quote() if "fibre" in row[1].lower())


@pytest.mark.parametrize(
    ("number", "is_to_ports"),
    [
        ("MQM9700-NS2F", True),
        ("MQM9700-NS2R", False),
        ("MSN2201-CB2RC", False),
        ("920-9B210-00FN-0M0", True),
        ("920-9N42F-00RI-7C0", False),
        ("DCS-7060X6-64PE-F", True),
    ],
)
def test_airflow_is_read_off_the_ending(number: str, is_to_ports: bool) -> None:
    assert (airflow_of(number) or "").endswith("to the ports") is is_to_ports
    assert airflow_of("MMA4Z00-NS") is None


def test_a_switch_with_air_the_other_way_is_another_part() -> None:
    result = report(changed("MQM9700-NS2F", Part_number="MQM9700-NS2R"))
    (problem,) = of_code(result, "incompatible")
    assert "other airflow" in problem["message"]
    assert [row["part"] for row in result["missing"]] == ["nvidia-qm9700"]


def test_an_unmanaged_switch_is_never_taken_for_the_managed_one() -> None:
    result = report(
        changed("MQM9700-NS2F", Part_number="MQM9790-NS2F", Description="NVIDIA Quantum-2 NDR 64-port switch")
    )
    assert [line["part_number"] for line in result["surplus"]] == ["MQM9790-NS2F"]
    assert "another part" in of_code(result, "surplus")[0]["message"]
    assert [row["part"] for row in result["missing"]] == ["nvidia-qm9700"]


def test_lines_of_another_network_say_so() -> None:
    result = with_row(["MSN3700-VS2FC", "Spectrum-2 200GbE 32-port switch", 4, 20_000, 80_000])
    (problem,) = of_code(result, "surplus")
    assert "belongs to another network of the cluster" in problem["message"]
    cable = with_row(["MCP1600-C003E30L", "100GbE QSFP28 DAC 3 m", 24, 50, 1_200])
    assert "another network of the cluster: 100 Gb/s" in of_code(cable, "surplus")[0]["message"]


def test_the_price_of_a_longer_cable_is_not_compared_with_the_shorter_one() -> None:
    number = FIBRE[0].split("-")[0] + "-N050"
    result = report(changed(FIBRE[0], Part_number=number, Description=f"{FIBRE[1]} 50 m", Unit_price=99_999))
    line = next(line for line in result["lines"] if line["part_number"] == number)
    assert (line["length_m"], line["status"]) == (50, "matched")
    assert "longer" in line["problems"]
    assert "price_high" not in line["problems"]


def test_words_that_contradict_the_number_are_reported() -> None:
    number = FIBRE[0].split("-")[0] + "-N030"
    result = report(changed(FIBRE[0], Part_number=number, Description="OM4 fibre MPO-12/APC, 20 m"))
    (problem,) = of_code(result, "contradiction")
    assert "the number ends in 30 m, and the words say 20 m" in problem["message"]
    flow = report(changed("MQM9700-NS2F", Description="Quantum-2 switch, C2P airflow, unmanaged"))
    assert len(of_code(flow, "contradiction")) == 2
    assert "contradiction" not in codes(report(workbook([HEADER, *whole_quote()])))


def test_metres_are_counted_as_pieces() -> None:
    lines = report(workbook([HEADER, *whole_quote()]))["lines"]
    length = next(line["items"][0] for line in lines if line["part_number"] == FIBRE[0]).split("@")[1]
    quantity, metres = FIBRE[2], int(FIBRE[2] * float(length))
    words = f"{FIBRE[1]}, price per metre"
    result = report(changed(FIBRE[0], Description=words, Qty=metres, Unit_price=2, Extended_price=2 * metres))
    (problem,) = of_code(result, "by_metre")
    assert f"{metres:,} m priced by the metre are {quantity:,} pieces" in problem["message"]
    assert next(line for line in result["lines"] if line["part_number"] == FIBRE[0])["quantity"] == quantity


def lines_of(header: list[str], *rows: list[Any]) -> list[tuple[int, float, str]]:
    """Pieces, unit price and currency of the lines of a table."""
    made = report(workbook([header, *rows]))
    return [(line["quantity"], line["unit_price"], line["currency"]) for line in made["lines"]]


@pytest.mark.parametrize(
    ("words", "unit", "quantity", "price", "pieces", "of_one"),
    [
        ("fibre 30 m, pack of 10", "", 53, 1_500, 530, 150),
        ("fibre 30 m, 10er-Pack", "", 53, 1_500, 530, 150),
        ("fibre 30 m", "10-pack", 53, 1_500, 530, 150),
        ("fibre 30 m", "VPE 10", 53, 1_500, 530, 150),
        ("fibre 30 m", "pair", 264, 300, 528, 150),
        ("fibre 30 m, priced per pair", "", 264, 300, 528, 150),
        ("fibre 30 m, shipped in box of 12", "", 528, 150, 528, 150),
        ("fibre 30 m", "EA", 528, 150, 528, 150),
        ("fibre", "m", 528 * 30, 5, 528, 150),
    ],
)
def test_pairs_packs_and_metres_are_counted_as_pieces(
    words: str, unit: str, quantity: int, price: float, pieces: int, of_one: float
) -> None:
    header = ["UoM", *HEADER] if unit else HEADER
    row: list[Any] = [FIBRE[0], words, quantity, price, quantity * price]
    (found,) = lines_of(header, [unit, *row] if unit else row)
    assert found[:2] == (pieces, of_one)


@pytest.mark.parametrize(
    ("packs", "codes_found", "left"),
    [(53, ["whole_packs"], "packs of 10: 2 are left over"), (54, ["too_many"], ""), (50, ["too_few"], "")],
)
def test_a_quantity_rounded_up_to_whole_packs_is_not_too_many(packs: int, codes_found: list[str], left: str) -> None:
    row = {"Description": f"{FIBRE[1]}, pack of 10", "Qty": packs, "Unit_price": 1_500}
    result = report(changed(FIBRE[0], **row, Extended_price=1_500 * packs))
    found = [one for one in result["problems"] if one["code"] in ("whole_packs", "too_many", "too_few")]
    assert [one["code"] for one in found] == codes_found
    assert left in found[0]["message"]


def test_a_server_with_a_set_of_gpus_is_one_server() -> None:
    (found,) = lines_of(HEADER, ["DGXH-G640F+P2EDI36", "DGX H100, set of 8 GPUs", 4, 375_000, 1_500_000])
    assert found[0] == 4


def test_prices_in_two_currencies_are_those_that_belong_together() -> None:
    header = ["Part number", "Qty", "Unit USD", "Unit EUR", "Total EUR"]
    assert lines_of(header, ["MQM9700-NS2F", 13, 30_000, 28_600, 371_800]) == [(13, 28_600, "EUR")]


def test_a_column_of_units_is_no_quantity_where_there_is_one() -> None:
    assert lines_of(["Unit", *HEADER], ["EA", "MQM9700-NS2F", "QM9700", 13, 32_000, 416_000])[0][0] == 13
    assert lines_of(["Part #", "Description", "EA", "Price each"], ["MQM9700-NS2F", "QM9700", 13, 32_000])[0][0] == 13


@pytest.mark.parametrize("header", ["totalcount", "Total Qty", "Ordered quantity", "Gesamtmenge", "TotalCount"])
def test_headers_that_begin_with_total_may_be_counts(header: str) -> None:
    rows: list[list[Any]] = [
        ["id", "name", "model", header, "receivedcount"],
        [1, "QM9700 (MQM9700-NS2F)", "Switch", 12, 3],
    ]
    result = report(workbook(rows))
    assert [(line["quantity"], line["part"]) for line in result["lines"]] == [(12, "nvidia-qm9700")]
