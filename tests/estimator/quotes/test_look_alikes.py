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


@pytest.mark.parametrize("header", ["totalcount", "Total Qty", "Ordered quantity", "Gesamtmenge", "TotalCount"])
def test_headers_that_begin_with_total_may_be_counts(header: str) -> None:
    rows: list[list[Any]] = [
        ["id", "name", "model", header, "receivedcount"],
        [1, "QM9700 (MQM9700-NS2F)", "Switch", 12, 3],
    ]
    result = report(workbook(rows))
    assert [(line["quantity"], line["part"]) for line in result["lines"]] == [(12, "nvidia-qm9700")]
