"""Quotes against the bill of one scalable unit: every fault that a vendor can make is found, and every dollar counted."""

import random
from typing import Any

import pytest

from estimator.bom.result import BomLine
from estimator.catalog.currency import Rate, Rates
from estimator.catalog.loader import load_catalog
from estimator.errors import SpecError
from estimator.quotes.check import kept_quote, read_quote, report_of, with_columns
from estimator.quotes.result import QuoteReport
from estimator.ranges import Range
from estimator.tables.file import read_table
from tests.estimator.quotes.quote_files import HEADER, bom, codes, needed, report, rows_of, whole_quote, workbook
from tests.yardstick import yardsticks

SWITCH, MODULE = "nvidia-qm9700", "nv-mma4z00-ns"
EUR = Rates([Rate("EUR", 1.1, "2026-11-02", "own", "the bank")])


def by_status(result: dict[str, Any], status: str) -> list[dict[str, Any]]:
    return [line for line in result["lines"] if line["status"] == status]


def of_code(result: dict[str, Any], code: str) -> list[dict[str, Any]]:
    return [problem for problem in result["problems"] if problem["code"] == code]


def quote_of(change: Any = None, *title: list[Any]) -> bytes:
    """The whole bill as a workbook, after a change to its rows."""
    rows = whole_quote()
    if change:
        rows = change(rows) or rows
    return workbook([*title, HEADER, *rows])


def row_of(rows: list[list[Any]], number: str) -> list[Any]:
    return next(row for row in rows if row[0] == number)


# ---------------------------------------------------------------- a quote without fault


def test_a_whole_quote_has_no_fault_and_costs_what_the_book_says() -> None:
    result = report(quote_of())
    assert result["missing"] == []
    assert result["surplus"] == []
    assert {line["status"] for line in result["lines"]} == {"matched"}
    assert codes(result) == set()
    totals = result["totals"]
    assert totals["quote_usd"] == totals["design_usd"]["typical"] == totals["same_scope"]["quote_usd"]
    assert totals["same_scope"]["difference_usd"] == 0
    assert totals["left_out_by_quote_usd"]["typical"] == totals["outside_scope_usd"] == 0


def test_every_line_says_how_sure_its_match_is_and_why() -> None:
    for line in report(quote_of())["lines"]:
        assert 0.5 <= line["confidence"] <= 1
        assert len(line["reason"]) > 10
        assert line["bom_lines"]


# ---------------------------------------------------------------- the faults of the acceptance


def test_a_missing_optic_is_found_and_priced_by_the_book() -> None:
    result = report(quote_of(lambda rows: [row for row in rows if row[0] != "MMA4Z00-NS"]))
    (row,) = result["missing"]
    quantity, spares = needed(MODULE)
    assert (row["part"], row["missing_quantity"], row["offered"]) == (MODULE, quantity + spares, 0)
    assert result["totals"]["left_out_by_quote_usd"] == row["price_usd"]
    totals = result["totals"]
    assert totals["completed_usd"]["typical"] == pytest.approx(totals["design_usd"]["typical"])
    assert totals["same_scope"]["difference_usd"] == 0  # the rest is at the book's price


def test_a_doubled_switch_is_found_once_and_counted_once() -> None:
    result = report(quote_of(lambda rows: [*rows, list(row_of(rows, "MQM9700-NS2F"))]))
    (line,) = by_status(result, "doubled")
    assert line["items"] == [SWITCH]
    assert line["counted"] == 0
    assert len(of_code(result, "doubled")) == 1
    assert result["totals"]["outside_scope_usd"] == line["extended_price_usd"]
    assert result["totals"]["same_scope"]["difference_usd"] == 0


def test_lines_that_add_up_are_parts_of_one_offer() -> None:
    def split(rows: list[list[Any]]) -> list[list[Any]]:
        switch = row_of(rows, "MQM9700-NS2F")
        parts = [[*switch[:2], n, switch[3], n * switch[3]] for n in (8, 5)]
        return [row for row in rows if row is not switch] + parts

    result = report(quote_of(split))
    assert codes(result) == set()
    assert result["missing"] == []


@pytest.mark.parametrize(
    ("number", "description"),
    [
        ("920-9B210-00FN-0M0", "Quantum-2 switch"),  # the maker's other number
        ("NV-MQM9700-NS2F", "Switch"),  # a reseller's prefix
        ("MQM9700-NS2F-C1", "Switch"),  # and suffix
        ("mqm9700 ns2f", ""),
        ("SKU 10-2231", "NVIDIA QM9700 64-port NDR InfiniBand switch, managed"),
        ("SKU 10-2231", "MQM9700-NS2F Quantum-2"),
        ("", "64-port NDR 400G InfiniBand switch, OSFP, managed"),
    ],
)
def test_a_renamed_part_is_known_again(number: str, description: str) -> None:
    def renamed(rows: list[list[Any]]) -> None:
        row_of(rows, "MQM9700-NS2F")[:2] = [number, description]

    result = report(quote_of(renamed))
    assert result["missing"] == []
    (line,) = [line for line in result["lines"] if line["items"] == [SWITCH]]
    assert line["status"] == "matched"
    assert line["confidence"] >= 0.5


def test_another_number_is_reported_as_such() -> None:
    def renamed(rows: list[list[Any]]) -> None:
        row_of(rows, "MQM9700-NS2F")[0] = "920-9B210-00FN-0M0"

    result = report(quote_of(renamed))
    (problem,) = of_code(result, "renamed")
    assert problem["message"] == "NVIDIA QM9700 (MQM9700-NS2F) is offered as 920-9B210-00FN-0M0."
    (line,) = [line for line in result["lines"] if line["items"] == [SWITCH]]
    assert line["reason"] == "920-9B210-00FN-0M0 is another number of MQM9700-NS2F."


@pytest.mark.parametrize(
    ("number", "description", "why"),
    [
        ("MMS4X00-NS", "Twin-port transceiver 2xDR4", "single-mode offered"),
        ("XY-1", "800G OSFP twin-port module 2xDR4 single-mode OS2 finned 100 m", "single-mode offered"),
        ("XY-1", "400G OSFP module SR4 multimode 50 m finned", "400 Gb/s offered"),
        ("XY-1", "800G QSFP-DD module 2xSR4 multimode 50 m", "QSFP-DD offered"),
        ("XY-1", "800G OSFP twin-port module 2xSR4 multimode MPO-12/UPC 50 m finned", "UPC offered"),
        ("XY-1", "800G OSFP twin-port module 2xSR4 multimode 20 m finned", "20 m offered"),
        ("XY-1", "800G OSFP twin-port module 2xSR4 multimode flat top 50 m", "flat offered"),
    ],
)
def test_a_module_that_does_not_fit_is_refused_with_the_reason(number: str, description: str, why: str) -> None:
    def wrong(rows: list[list[Any]]) -> None:
        row_of(rows, "MMA4Z00-NS")[:2] = [number, description]

    result = report(quote_of(wrong))
    (line,) = by_status(result, "incompatible")
    assert line["items"] == [MODULE]
    assert any(why in message for message in line["messages"]), line["messages"]
    (row,) = result["missing"]
    assert row["part"] == MODULE
    assert result["totals"]["outside_scope_usd"] == line["extended_price_usd"]


def test_a_fibre_that_is_too_short_is_incompatible() -> None:
    def short(rows: list[list[Any]]) -> None:
        row_of(rows, "MFP7E10-N030")[0] = "MFP7E10-N010"

    result = report(quote_of(short))
    (line,) = by_status(result, "incompatible")
    assert "too short: 30 m is needed, 10 m offered" in line["messages"][0]


def test_a_wrong_fibre_is_incompatible() -> None:
    def wrong(rows: list[list[Any]]) -> None:
        row_of(rows, "MFP7E10-N030")[:2] = ["MFP7E30-N030", "MPO-12 APC single-mode fibre 30 m"]

    (line,) = by_status(report(quote_of(wrong)), "incompatible")
    assert any("multimode is needed, single-mode offered" in message for message in line["messages"])


def test_prices_in_euros_are_compared_in_dollars_at_a_named_rate() -> None:
    def euros(rows: list[list[Any]]) -> None:
        for row in rows:
            row[3], row[4] = row[3] / 1.1, row[4] / 1.1

    result = report(quote_of(euros, ["All prices in EUR, excl. VAT"]), rates=EUR)
    totals = result["totals"]
    assert totals["currencies"][0]["currency"] == "EUR"
    assert totals["rates"] == [
        {"currency": "EUR", "usd": 1.1, "date": "2026-11-02", "basis": "own", "source": "the bank"}
    ]
    assert totals["same_scope"]["difference_share"] == pytest.approx(0, abs=1e-6)
    assert any("EUR were turned into dollars at 1.1" in sentence for sentence in result["summary"])


def test_a_currency_without_a_rate_is_said_and_not_added() -> None:
    result = report(quote_of(None, ["Currency: ISK"]), rates=Rates())
    assert len(of_code(result, "no_rate")) == len(result["lines"])
    assert result["totals"]["quote_usd"] == 0
    assert result["totals"]["unpriced_lines"] == len(result["lines"])


def test_a_merged_title_row_and_remarks_are_listed() -> None:
    data = workbook(
        [["ACME quotation 118"], [], HEADER, *whole_quote(), ["", "Delivery in 12 weeks"], ["", "Total", "", "", 1]],
        lambda book: book.active.merge_cells("A1:E1"),
    )
    result = report(data)
    reasons = {row["row"]: row["code"] for row in result["left_out"]}
    n_rows = max(reasons)
    assert reasons[1] == "above_header"
    assert reasons[3] == "header"
    assert reasons[n_rows - 1] == "comment"
    assert reasons[n_rows] == "total"
    assert any(f"Row {n_rows} gives a total" in note for note in result["notes"])


def test_a_total_of_lines_and_freight_is_a_sum() -> None:
    rows = whole_quote()
    whole = round(sum(row[4] for row in rows) + 4200, 2)
    rows += [["", "Freight", 1, 4200, 4200], ["", "Total", "", "", whole]]
    assert not [note for note in report(workbook([HEADER, *rows]))["notes"] if "total" in note]
    rows[-1][4] = whole + 10_000
    (note,) = [note for note in report(workbook([HEADER, *rows]))["notes"] if "total" in note]
    assert f"{whole:,.2f} USD with charges" in note


def test_a_total_over_lines_in_two_currencies_is_no_wrong_sum() -> None:
    rows = [[*row, "USD"] for row in whole_quote()]
    rows[0][5] = "EUR"
    rows.append(["", "Total", "", "", round(sum(row[4] for row in rows) + 1000, 2), "USD"])
    (note,) = [note for note in report(workbook([[*HEADER, "Currency"], *rows]))["notes"] if "total" in note]
    assert "over lines in EUR and USD: without the rates that it was made with it is not checked" in note


@pytest.mark.parametrize("label", ["Total EUR", "Total", "Gesamtsumme (EUR)"])
@pytest.mark.parametrize("above", ["EUR", ""])
def test_an_empty_cell_of_currencies_is_no_us_dollar(label: str, above: str) -> None:
    """A cell that is merged down or left empty has the currency above it; a total that of its label or of its lines."""
    rows = [[*row, "EUR" if n == 0 else above] for n, row in enumerate(whole_quote())]
    rows.append(["", label, "", "", round(sum(row[4] for row in rows), 2), ""])
    result = report(workbook([[*HEADER, "Currency"], *rows]), rates=EUR)
    assert {line["currency"] for line in result["lines"]} == {"EUR"}
    assert not [note for note in result["notes"] if "total" in note or "No currency is named" in note]
    (total,) = [row for row in result["left_out"] if row["code"] == "total"]
    assert total["currency"] == "EUR"


def test_the_label_of_a_total_names_its_currency_where_lines_have_another() -> None:
    rows = [[*row, "USD"] for row in whole_quote()]
    rows.append(["", "Total EUR", "", "", 1000, ""])
    result = report(workbook([[*HEADER, "Currency"], *rows]))
    (total,) = [row for row in result["left_out"] if row["code"] == "total"]
    assert total["currency"] == "EUR"
    assert not [note for note in result["notes"] if "gives a total" in note]  # there is no line to sum in EUR


def test_what_lacks_wholly_is_counted_with_its_spares() -> None:
    rows = [row for row in whole_quote() if row[0] != "MQM9700-NS2F"]
    (found,) = of_code(report(workbook([HEADER, *rows])), "missing")
    quantity, spares = needed("nvidia-qm9700")
    assert found["message"].startswith(f"{quantity} and {spares} spare × NVIDIA QM9700")


def test_five_thousand_lines_are_matched_without_comparing_all_with_all_and_none_is_lost() -> None:
    rng = random.Random(4)
    names = [
        "800G OSFP module 2xSR4 multimode",
        "400G QSFP112 module DR4",
        "MPO-12 OM4 fibre {} m",
        "passive copper 800G {} m",
        "64-port NDR switch",
        "LC OS2 patch cord {} m",
        "Rail kit {}",
    ]
    rows = [
        [f"VND-{n:05d}", f"{rng.choice(names).format(rng.randint(1, 50))} item {n}", rng.randint(1, 99), 10, None]
        for n in range(5000 - len(whole_quote()))
    ]
    data = workbook([HEADER, *rows, *whole_quote()])
    report(workbook([HEADER, *rows[:5]]))  # libraries are loaded once
    quote = read_quote(data, "q.xlsx")
    lines = [BomLine.from_json(line) for line in bom()]
    made: list[QuoteReport] = []
    assert yardsticks(lambda: made.append(report_of(quote, lines, load_catalog()))) < 25
    result = made[0].as_json()
    assert rows_of(result) == [("Sheet", number) for number in range(1, 5002)]
    assert result["missing"] == []
    assert {key for line in by_status(result, "matched") for key in line["items"]} == {
        item["key"] for item in result["items"]
    }


def test_all_faults_at_once_are_each_found() -> None:
    def spoiled(rows: list[list[Any]]) -> list[list[Any]]:
        row_of(rows, "MQM9700-NS2F")[0] = "920-9B210-00FN-0M0"
        row_of(rows, "MMA4Z00-NS")[:2] = ["MMS4X00-NS", "Twin-port 2xDR4 single-mode"]
        return [row for row in rows if row[0] != "MMA4Z00-NS-FLT"] + [list(row_of(rows, "920-9B210-00FN-0M0"))]

    result = report(quote_of(spoiled, ["Quotation 118, prices in EUR"], []), rates=EUR)
    assert {"missing", "doubled", "renamed", "incompatible"} <= codes(result)
    assert {row["part"] for row in result["missing"]} == {MODULE, "nv-mma4z00-ns-flt"}


# ---------------------------------------------------------------- quantities


@pytest.mark.parametrize(("delta", "code"), [(-2, "too_few"), (-1, "spares"), (+1, "too_many")])
def test_a_wrong_quantity_is_found_with_spares_considered(delta: int, code: str) -> None:
    def changed(rows: list[list[Any]]) -> None:
        row = row_of(rows, "MQM9700-NS2F")
        row[2] += delta
        row[4] = row[2] * row[3]

    quantity, spares = needed(SWITCH)
    assert (quantity, spares) == (12, 1)
    result = report(quote_of(changed))
    assert codes(result) == {code}
    scope = result["totals"]["same_scope"]
    assert scope["difference_usd"] == 0
    assert len(result["missing"]) == (delta < 0)
    if code == "too_few":  # 2 are lacking of 12 and 1, and of 12 alone it would be 1
        assert "11 of " in result["missing"][0]["why"]
        assert result["missing"][0]["why"].endswith("are offered, and 12 and 1 spare are needed.")
        assert any(one.startswith("Missing or too few, with spares: 2 × ") for one in result["summary"])


def test_an_option_is_marked_and_not_added() -> None:
    rows = [*whole_quote(), ["", "Options", None, None, None], ["MQM9700-NS2F", "one more switch", 2, 30000, 60000]]
    result = report(workbook([HEADER, *rows]))
    (line,) = by_status(result, "option")
    assert line["section"] == "Options"
    assert result["totals"]["options_usd"] == 60000
    assert result["totals"]["quote_usd"] == result["totals"]["design_usd"]["typical"]


def test_services_are_no_hardware_even_if_they_name_it() -> None:
    rows = [
        *whole_quote(),
        ["SVC-9", "Support 24x7 for MQM9700-NS2F, 3 years", 13, 900, 11700],
        ["PSU-1", "Power supply for QM9700", 2, 400, 800],
    ]
    result = report(workbook([HEADER, *rows]))
    assert [row["part_number"] for row in result["surplus"]] == ["SVC-9", "PSU-1"]
    assert result["totals"]["outside_scope_usd"] == 12500


def test_a_longer_fibre_serves_a_shorter_need() -> None:
    lines = [BomLine.from_json(line) for line in bom()]
    lines = [line.but(length_m=20.0) if line.tier == "leaf_spine" and line.length_m else line for line in lines]
    rows = whole_quote()
    result = report_of(read_quote(workbook([HEADER, *rows]), "q.xlsx"), lines, load_catalog()).as_json()
    assert result["missing"] == []
    assert "longer" in codes(result)


# ---------------------------------------------------------------- prices


def test_prices_outside_the_books_range_are_found() -> None:
    def changed(rows: list[list[Any]]) -> None:
        for number, unit in (("MQM9700-NS2F", 99_000), ("MMA4Z00-NS", 12)):
            row = row_of(rows, number)
            row[3:] = [unit, unit * row[2]]

    assert codes(report(quote_of(changed))) == {"price_high", "price_low"}


def test_prices_that_contradict_each_other_are_found() -> None:
    def changed(rows: list[list[Any]]) -> None:
        row_of(rows, "MQM9700-NS2F")[4] -= 1000

    (problem,) = of_code(report(quote_of(changed)), "price_mismatch")
    assert "13 × the unit price is 450,424.00 USD, and the row says 449,424.00 USD" in problem["message"]


@pytest.mark.parametrize(
    ("header", "cells", "unit"),
    [
        (["List price", "Discount", "Net price", "Total"], [100, "25%", 75, 300], 75),
        (["List price", "Discount", "Total"], [100, "25 %", 300], 75),
        (["List price", "Discount"], [100, 0.25], 75),
        (["Unit price", "Discount", "Total"], [100, 25, 300], 75),
        (["Unit price", "Discount", "Total"], [75, "25%", 300], 75),
        (["Unit price", "Discount"], [100, "25%"], 75),
        (["Total"], [300], 75),
    ],
)
def test_discounts_come_off_once(header: list[str], cells: list[Any], unit: float) -> None:
    (line, *_) = report(workbook([["Part number", "Qty", *header], ["MQM9700-NS2F", 4, *cells]]))["lines"]
    assert (line["unit_price"], line["extended_price"]) == (unit, 300)


def test_freight_and_discounts_are_charges() -> None:
    rows = [*whole_quote(), ["", "Freight", 1, 5000, 5000], ["", "Project discount", None, None, -2000]]
    totals = report(workbook([HEADER, *rows]))["totals"]
    assert totals["charges_usd"] == 3000
    assert totals["quote_usd"] == totals["design_usd"]["typical"]


def test_money_adds_up_to_the_cent() -> None:
    rng = random.Random(7)

    def priced(rows: list[list[Any]]) -> None:
        for row in rows:
            row[2] = max(1, row[2] + rng.randint(-3, 3))
            row[3] = round(row[3] * rng.uniform(0.5, 1.5), 2)
            row[4] = round(row[2] * row[3], 2)

    totals = report(quote_of(priced))["totals"]
    assert totals["quote_usd"] == pytest.approx(
        totals["same_scope"]["quote_usd"] + totals["outside_scope_usd"], abs=0.05
    )


# ---------------------------------------------------------------- what somebody decides


def test_a_decision_by_hand_stands() -> None:
    data = quote_of()
    line = next(line for line in report(data)["lines"] if line["items"] == [SWITCH])
    none = report(data, by_hand={line["id"]: None})
    assert [row["id"] for row in none["surplus"]] == [line["id"]]
    assert none["missing"][0]["part"] == SWITCH
    other = report(data, by_hand={line["id"]: MODULE})
    (moved,) = [row for row in other["lines"] if row["id"] == line["id"]]
    assert (moved["items"], moved["confidence"], moved["how"]) == ([MODULE], 1, "by hand")


def test_a_decision_on_a_part_that_is_gone_is_forgotten() -> None:
    data = quote_of()
    line = next(line for line in report(data)["lines"] if line["items"] == [SWITCH])
    again = report(data, by_hand={line["id"]: "no-such-item"})
    assert [row["items"] for row in again["lines"] if row["id"] == line["id"]] == [[SWITCH]]


# ---------------------------------------------------------------- columns


def test_columns_may_be_said() -> None:
    rows: list[list[Any]] = [["a", "b", "c", "d"], ["MQM9700-NS2F", 13, 30000, "switch"]]
    data = workbook(rows)
    with pytest.raises(SpecError) as caught:
        report(workbook([["a", "b"], ["x", "y"]]))
    assert caught.value.problems[0].code == "no_header"
    fields = {"part_number": "A", "quantity": "b", "unit_price": 2}
    (line,) = report(data, columns={"header_row": 1, "fields": fields, "currency": "CHF"})["lines"]
    assert (line["quantity"], line["unit_price"], line["currency"]) == (13, 30000, "CHF")


@pytest.mark.parametrize(
    ("columns", "code"),
    [
        ({"fields": {"quantity": "ZZ", "part_number": "A"}}, "no_such_column"),
        ({"fields": {"colour": "A"}}, "unknown_key"),
        ({"fields": {"quantity": "A"}}, "too_few_columns"),
        ({"header_row": 99}, "out_of_range"),
        ({"sheet": "Other"}, "not_a_choice"),
        ({"decimal": ";"}, "not_a_choice"),
        ({"currency": "XYZ"}, "not_a_choice"),
        ({"rows": 1}, "unknown_key"),
        ([], "wrong_type"),
        ("A", "wrong_type"),
    ],
)
def test_wrong_columns_are_refused(columns: Any, code: str) -> None:
    quote = read_quote(quote_of(), "q.xlsx")
    with pytest.raises(SpecError) as caught:
        with_columns(quote, columns)
    assert caught.value.problems[0].code == code


def test_what_was_said_of_a_header_is_remembered() -> None:
    first = read_quote(
        workbook([["N", "V", "W"], ["MQM9700-NS2F", 13, 30000]]),
        "q.xlsx",
        {"header_row": 1, "fields": {"part_number": "A", "quantity": "B", "unit_price": "C"}},
    )
    (columns,) = first.columns
    again = read_quote(workbook([["Title"], ["N", "V", "W"], ["MQM9700-NS2F", 2, 1]]), "q.xlsx", None, {})
    assert not again.columns or again.columns[0].how == "guessed"
    assert columns.header_hash
    kept = kept_quote(first.as_json())
    assert kept.columns == first.columns


def test_a_sheet_without_a_header_is_read_by_what_stands_in_it_but_not_with_certainty() -> None:
    rows = [
        [f"MQM97{n:02d}-NS2F", f"a switch of kind {n} with words", n + 2, 1000 + n, (n + 2) * (1000 + n)]
        for n in range(8)
    ]
    quote = read_quote(workbook(rows), "q.xlsx")
    (columns,) = quote.columns
    assert dict(columns.fields) == {
        "part_number": 0,
        "description": 1,
        "quantity": 2,
        "unit_price": 3,
        "extended_price": 4,
    }
    assert not quote.is_sure


def test_a_sheet_of_terms_beside_the_quote_is_listed_row_by_row() -> None:
    def with_terms(book: Any) -> None:
        terms = book.create_sheet("Terms")
        terms.append(["Payment in 30 days"])
        terms.append(["Delivered duty paid"])

    data = workbook([HEADER, *whole_quote()], with_terms)
    result = report(data)
    assert [row["code"] for row in result["left_out"] if row["sheet"] == "Terms"] == ["no_columns"] * 2
    n_rows = read_table(data).n_rows
    assert len(rows_of(result)) == n_rows


def test_a_german_quote_is_read_with_its_charges_and_totals() -> None:
    text = """Angebot Nr. 4711;;;;;
Alle Preise in EUR zzgl. MwSt.;;;;;
;;;;;
Pos.;Artikel-Nr.;Bezeichnung;Menge;E-Preis;G-Preis
1;MQM9700-NS2F;NVIDIA Quantum-2 Switch 64x NDR;13 Stk;30.000,00;390.000,00
2;MFP7E10-N030;Glasfaser MPO-12 OM4 30 m;528;1.234,50;651.816,00
;;Zwischensumme;;;1.041.816,00
;;Rack 48HE mit 2 PDU;9;5.000,00;45.000,00
;;Fracht;;;2.500,00
;;Gesamtsumme;;;1.086.816,00
Zahlbar in 30 Tagen;;;;;
"""
    result = report(text.encode("cp1252"), "angebot.csv", rates=EUR)
    assert [(line["part_number"], line["quantity"], line["unit_price"]) for line in result["lines"]] == [
        ("MQM9700-NS2F", 13, 30_000),
        ("MFP7E10-N030", 528, 1234.5),
        ("", 9, 5000),
    ]
    assert result["totals"]["charges_usd"] == 2750
    assert not [note for note in result["notes"] if "total" in note]
    assert rows_of(result) == [("", number) for number in range(1, 12)]


def test_a_column_of_line_numbers_is_no_part_number() -> None:
    rows: list[list[Any]] = [
        ["Item", "Product", "Description", "QTY", "Unit Price"],
        ["1", "NETWORK"],
        ["1.1", "MQM9700-NS2F", "64-port switch", 13, "$31,000.00"],
        ["1.2", "MMA4Z00-NS", "", "396 EA", "call"],
    ]
    result = report(workbook(rows))
    assert [line["part_number"] for line in result["lines"]] == ["MQM9700-NS2F", "MMA4Z00-NS"]
    assert [line["currency"] for line in result["lines"]] == ["USD", "USD"]
    assert "no_price" in codes(result)


def test_a_single_line_is_reported_in_the_singular_and_what_lacks_as_a_list() -> None:
    summary = report(quote_of(lambda rows: [row_of(rows, "MMA4Z00-NS")]))["summary"]
    assert summary[0].startswith("1 line was read and 1 row left out; 1 line stands for 1 of the design’s ")
    assert summary[1].startswith("The quote has no ")
    assert summary[1].count(" and ") == 1


HEADS = "Part number;Description;Qty;Unit price USD;Total\n"
SWITCHES = "MQM9700-NS2F;Switch;13;32679.99;424839.87\n"
TWO = "MQM9700-NS2F;Switch;2;30000;60000\nMMA4Z00-NS;Transceiver;10;1000;10000\n"


@pytest.mark.parametrize(
    ("text", "charges", "stated"),
    [
        (f"{HEADS}{TWO};Discount;;-10%;\n", 0, [10.0]),
        (f"{HEADS}{TWO};Rabatt;;;10 %\n", 0, [10.0]),
        (f"{HEADS}{TWO};Project discount;1;-12,5%;\n", 0, [12.5]),
        (f"All prices less 30% discount\n{HEADS}{TWO}", 0, [30.0]),
        (f"Prices are net after 30% discount\n{HEADS}{TWO}", 0, []),
        (f"Prices include 30% discount already\n{HEADS}{TWO}", 0, []),
        (f"{HEADS}{TWO};Discount 10% on switches, 5% on cables;;;\n", 0, [None]),
        (f"{HEADS}{TWO};VAT;;;19%\n", 0, []),
        (f"{HEADS}{TWO};Discount 10%;;;7000\n", -7000, []),
        (f"{HEADS}{TWO};Rabatt;;;-7000\n", -7000, []),
        (f"{HEADS}{TWO};Projektrabatt;;;7000\n", -7000, []),
        (f"{HEADS}{TWO};Mengenrabatt 12,5 %;;;\n", 0, [12.5]),
        (f"{HEADS}{TWO};Freight;;;7000\n", 7000, []),
        (f"{HEADS}{TWO};Remise en service;;;7000\n", 7000, []),
    ],
)
def test_a_share_is_no_amount_and_a_discount_takes_off(text: str, charges: int, stated: list[float | None]) -> None:
    result = report(text.encode(), "q.csv")
    assert result["totals"]["charges_usd"] == charges
    assert [one["percent"] for one in result.get("discounts", [])] == stated
    assert result["totals"]["quote_usd"] == 70_000


def test_a_discount_that_is_taken_off_comes_off_prices_without_one_of_their_own() -> None:
    """To the cent, in words at each line; totals before and after it are no wrong sums."""
    text = (
        "Part number;Description;Qty;Unit price EUR;Discount;Total\nMQM9700-NS2F;Switch;3;30000.01;;90000.03\n"
        "MMA4Z00-NS;Transceiver;10;1000;20%;8000\n;Subtotal;;;;98000.03\n;Discount 12.5%;;;;\n;Freight;;;;100\n"
    )
    before = report(text.encode(), "q.csv", rates=EUR)
    assert [note for note in before["notes"] if "12.5%" in note] == [
        "Row 5 says “Discount 12.5%” and no amount: it is not taken off."
    ]
    after = report(text.encode(), "q.csv", rates=EUR, columns={"discount": "12,5"})
    assert [(line["unit_price"], line["extended_price"]) for line in after["lines"]] == [
        (26_250.01, 78_750.03),  # 26,250.00875 and 78,750.02625
        (800.0, 8000.0),
    ]
    assert "12.5% discount is taken off 30,000.01 EUR apiece." in after["lines"][0]["remarks"][0]["message"]
    assert [note for note in after["notes"] if "total of" in note] == []


def test_a_total_less_a_stated_discount_is_no_wrong_sum() -> None:
    result = report(f"{HEADS}{TWO};Project discount 10%;;;\n;Total;;;63000\n".encode(), "q.csv")
    assert (
        "Row 5 gives a total of 63,000.00 USD, which is 70,000.00 USD less the 10% discount of row 4."
        in result["notes"]
    )


def test_a_charge_in_a_currency_of_no_line_is_turned_by_its_rate() -> None:
    result = report(f"{HEADS}{TWO};Freight;;;EUR 1000\n".encode(), "q.csv")
    totals = result["totals"]
    assert (totals["charges_usd"], totals["charges_at_least"]) == (1126.9, False)
    assert [rate["currency"] for rate in totals["rates"]] == ["EUR"]
    unknown = report(f"{HEADS}{TWO};Freight;;;EUR 1000\n".encode(), "q.csv", rates=Rates(()))
    assert (unknown["totals"]["charges_usd"], unknown["totals"]["charges_at_least"]) == (0, True)


def test_a_first_cell_without_a_currency_takes_the_one_of_its_column() -> None:
    heads = "Part number;Qty;Unit price;Currency;Total\n"
    one = report(f"{heads}MQM9700-NS2F;2;30000;;60000\nMMA4Z00-NS;10;1000;EUR;10000\n".encode(), "q.csv")
    assert [line["currency"] for line in one["lines"]] == ["EUR", "EUR"]
    rows = "MQM9700-NS2F;2;30000;;60000\nMMA4Z00-NS;10;1000;EUR;10000\nMMA4Z00-NS-FLT;1;9;CHF;9\n"
    several = report(f"{heads}{rows}".encode(), "q.csv")
    assert [line["currency"] for line in several["lines"]] == ["USD", "EUR", "CHF"]
    assert several["notes"][0].startswith("1 price names no currency; US dollars are taken.")


@pytest.mark.parametrize(
    ("text", "unit", "total"),
    [
        ("Part number;Qty;Unit;Price USD;Total\nMMA4Z00-NS;1055;per 100;15000;158250\n", 150.0, 158_250.0),
        ("Part number;Qty;Unit;Price USD\nMMA4Z00-NS;1055;per 100;15000\n", 150.0, 158_250.0),
        ("Artikel-Nr.;Menge;Preis USD pro 100;Gesamt\nMMA4Z00-NS;50;15.000,00;7.500,00\n", 150.0, 7_500.0),
        ("Part number;Qty;Unit;Price USD;Total\nMMA4Z00-NS;10;per 100;15000;150000\n", 15_000.0, 150_000.0),
        ("Part number;Qty;List price USD;Discount;Total\nMQM9700-NS2F;25;40000;10000;750000\n", 30_000.0, 750_000.0),
        ("Part number;Qty;List price USD;Discount;Total\nMQM9700-NS2F;25;40000;250000;750000\n", 30_000.0, 750_000.0),
    ],
)
def test_a_price_of_many_and_a_discount_in_money_are_confirmed_by_the_total(
    text: str, unit: float, total: float
) -> None:
    result = report(text.encode(), "q.csv")
    ((line),) = result["lines"]
    assert (line["unit_price"], line["extended_price"]) == (unit, total)
    assert "price_mismatch" not in codes(result)


@pytest.mark.parametrize("quantity", ["-5", "−5 pcs"])
def test_a_negative_quantity_of_a_text_is_a_credit_as_of_a_workbook(quantity: str) -> None:
    result = report(f"{HEADS}{TWO}MQM9700-NS2F;trade-in;{quantity};1000;-5000\n;Total;;;65000\n".encode(), "q.csv")
    assert [row["code"] for row in result["left_out"]][1:] == ["negative_quantity", "total"]
    assert result["totals"]["charges_usd"] == -5000
    assert not [note for note in result["notes"] if "total of" in note]


def test_a_price_of_a_hundred_times_the_books_is_said_in_digits() -> None:
    result = report(f"{HEADS}MMA4Z00-NS;x;1;879000;879000\n".encode(), "q.csv")
    (high,) = of_code(result, "price_high")
    assert "1,000 times the typical price" in high["message"]


@pytest.mark.parametrize(("price", "unit"), [("8500.45", 850.05), ("8500.55", 850.06), ("8500.44", 850.04)])
def test_a_piece_of_a_pack_is_rounded_half_up(price: str, unit: float) -> None:
    text = f"Part number;Description;Qty;Unit;Price USD\nMMA4Z00-NS;Transceiver;40;PK10;{price}\n"
    ((line),) = report(text.encode(), "q.csv")["lines"]
    assert (line["quantity"], line["unit_price"]) == (400, unit)


def test_a_price_just_above_one_of_ones_own_is_not_one_times_it() -> None:
    lines = [BomLine.from_json(line) for line in bom()]
    own = [line.but(unit_price_usd=Range.at(31_302.77)) if line.part == "nvidia-qm9700" else line for line in lines]
    made = report_of(read_quote(f"{HEADS}{SWITCHES}".encode(), "q.csv"), own, load_catalog())
    (high,) = [problem for problem in made.problems if problem.code == "price_high"]
    assert high.message.endswith("costs $32,679.99 apiece, above the book’s $31,302.77, 1.04 times the typical price.")
