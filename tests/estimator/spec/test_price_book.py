"""Prices of one's own: which of several counts, what a line says of it, and what is refused."""

from itertools import permutations
from typing import Any

import pytest

from estimator.bom.pricing import Pricing
from estimator.catalog.catalog import Catalog
from estimator.catalog.price_choice import BASIS_ORDER, chosen_price
from estimator.catalog.price_records import Price
from estimator.errors import SpecError
from estimator.pipeline import estimate
from estimator.ranges import NOTHING
from estimator.spec.design import spec_hash
from estimator.spec.parse import parse_spec
from estimator.spec.price_book import MAX_PRICES, OwnPrices
from tests.yardstick import yardsticks

QM9700, FIBRE, MODULE = "nvidia-qm9700", "fib-mfp7e10", "nv-mma4z00-ns"


def price(part: str = QM9700, usd: int = 31_000, **values: Any) -> dict[str, Any]:
    """An entry of a book; the range is the one price."""
    minor = usd * 100
    known = {"part": part, "low": minor, "typical": minor, "high": minor, "basis": "quote", "as_of": "2026-11-02"}
    return known | values


def book(*prices: dict[str, Any], **values: Any) -> dict[str, Any]:
    return {"name": "Vendor A", "prices": list(prices), **values}


def request_of(own: dict[str, Any] | None, **economics: Any) -> dict[str, Any]:
    return {
        "compute": {"server": "dgx-h100", "nodes": 127},
        "fabric": {"generation": "ndr"},
        "economics": {"prices": own, **economics},
    }


def bill(catalog: Catalog, own: dict[str, Any] | None, **economics: Any) -> list[dict[str, Any]]:
    made = estimate([parse_spec(request_of(own, **economics), catalog)], catalog, parts=("bom",))[0]
    assert made.bom is not None
    lines: list[dict[str, Any]] = made.bom.as_json()["lines"]
    return lines


def line_of(lines: list[dict[str, Any]], part: str) -> dict[str, Any]:
    return next(line for line in lines if line["part"] == part)


# ---------------------------------------------------------------- which price counts


def entry(**values: Any) -> Price:
    known = Price(QM9700, "anchors", "piece", 1, 1, 1, "USD", "list", "x", "2026-05-01", None, None, 1, None, None)
    return known._replace(**values)


@pytest.mark.parametrize(
    ("better", "worse", "why"),
    [
        ({"region": "EU"}, {"min_quantity": 50}, "a region's own price before one of none"),
        ({"min_quantity": 50}, {"as_of": "2026-11-01"}, "the larger quantity break before the newer price"),
        ({"as_of": "2026-11-01"}, {"basis": "quote"}, "the newer price before the better basis"),
        ({"basis": "quote"}, {}, "a quotation before a list price"),
        ({"basis": "list"}, {"basis": "listing"}, "a list price before a listing"),
        ({"basis": "listing"}, {"basis": "analyst"}, "a listing before an analyst"),
        ({"basis": "analyst"}, {"basis": "assumption"}, "an analyst before an assumption"),
        ({"as_of": "2026-05-02"}, {"as_of": "2026-05"}, "a day before its month without a day"),
    ],
)
def test_the_rule_of_choice(better: dict[str, Any], worse: dict[str, Any], why: str) -> None:
    wanted, other = entry(**better), entry(**worse)
    for order in permutations([wanted, other, entry(basis="assumption", as_of="2020-01-01")]):
        assert chosen_price(order, 100, "EU", "2026-11-27") == wanted, why


@pytest.mark.parametrize(
    "values",
    [{"valid_to": "2026-11-26"}, {"valid_from": "2026-11-28"}, {"min_quantity": 101}, {"region": "US"}],
)
def test_what_does_not_hold_is_not_chosen(values: dict[str, Any]) -> None:
    assert chosen_price([entry(**values)], 100, "EU", "2026-11-27") is None
    assert chosen_price([entry(**values), entry()], 100, "EU", "2026-11-27") == entry()


def test_a_buyer_without_a_region_takes_prices_of_every_region_those_of_none_first() -> None:
    anywhere, of_eu = entry(as_of="2020-01-01"), entry(region="EU")
    assert chosen_price([of_eu, anywhere], 1, None, "2026-11-27") == anywhere
    assert chosen_price([of_eu], 1, None, "2026-11-27") == of_eu


def test_first_and_last_day_are_days_on_which_it_holds() -> None:
    only = entry(valid_from="2026-11-27", valid_to="2026-11-27")
    assert chosen_price([only], 1, None, "2026-11-27") == only
    assert set(BASIS_ORDER) == {"quote", "list", "listing", "seed", "analyst", "assumption"}


# ---------------------------------------------------------------- what a line says


def test_an_own_price_comes_before_the_catalogs_and_the_line_says_so(catalog: Catalog) -> None:
    lines = bill(catalog, book(price(source="Offer 7")))
    switch, module = line_of(lines, QM9700), line_of(lines, MODULE)
    assert switch["unit_price_usd"] == {"low": 31_000.0, "typical": 31_000.0, "high": 31_000.0}
    assert switch["price_rule"] == "Your price book “Vendor A”, quotation of 2026-11-02"
    assert (switch["price_basis"], switch["price_source"], switch["assumption"]) == (
        "quote",
        "Offer 7, 2026-11-02",
        False,
    )
    assert (switch["price_currency"], switch["unit_price"], switch["price_rate"]) == ("USD", None, None)
    assert module["price_rule"] == "Street book: one price, a quarter to either side, dealer, newest of 2026-09-22"


def test_a_quantity_break_counts_the_pieces_of_all_lines_and_spares(catalog: Catalog) -> None:
    """32 leaves, 16 spines and 2 spares are 50 switches: a break from 50 holds for both lines, one from 51 for none."""
    lines = bill(catalog, book(price(usd=31_000), price(usd=29_000, min_quantity=50), price(usd=1, min_quantity=51)))
    switches = [line for line in lines if line["part"] == QM9700]
    assert [line["quantity"] + line["spare_quantity"] for line in switches] == [34, 16]
    assert {line["unit_price_usd"]["typical"] for line in switches} == {29_000.0}
    assert switches[0]["price_rule"] == "Your price book “Vendor A”, quotation of 2026-11-02, from 50 pieces"


def test_a_price_in_euros_is_in_dollars_on_the_line_with_its_rate(catalog: Catalog) -> None:
    rates = [{"currency": "EUR", "usd": 1.08, "as_of": "2026-11-01", "source": "Bank"}]
    line = line_of(bill(catalog, book(price(currency="EUR"), rates=rates)), QM9700)
    assert line["unit_price_usd"]["typical"] == 33_480.0
    assert (line["price_currency"], line["unit_price"]["typical"]) == ("EUR", 31_000.0)
    assert line["price_rate"] == {"usd": 1.08, "date": "2026-11-01", "basis": "own", "source": "Bank"}
    assert line["price_rule"].endswith("EUR 31,000, at 1.08 USD a EUR of 2026-11-01")


def test_metres_of_the_own_book_and_of_the_catalog(catalog: Catalog) -> None:
    """The catalog: $90 and $2.50 a metre. An own piece is whole; own metres are added to the catalog's piece."""
    of_catalog = line_of(bill(catalog, None), FIBRE)
    assert (of_catalog["length_m"], of_catalog["unit_price_usd"]["typical"]) == (30.0, 165.0)
    assert of_catalog["price_rule"].endswith(", $90 + $2.50 a metre × 30 m")
    piece, metre = price(FIBRE, 100), price(FIBRE, 3, per="metre")
    own = line_of(bill(catalog, book(piece, metre)), FIBRE)
    assert ", $100 + $3 a metre × 30 m" in own["price_rule"]
    mixed = line_of(bill(catalog, book(metre)), FIBRE)
    assert mixed["price_rule"].endswith(", $90 + $3 a metre in your price book × 30 m")
    assert line_of(bill(catalog, book(piece)), FIBRE)["unit_price_usd"]["typical"] == 100.0
    assert line_of(bill(catalog, book(piece, metre)), FIBRE)["unit_price_usd"]["typical"] == 190.0
    assert line_of(bill(catalog, book(metre)), FIBRE)["unit_price_usd"]["typical"] == 180.0
    discounted = line_of(bill(catalog, book(metre), volume_discount=0.1), FIBRE)
    assert discounted["unit_price_usd"]["typical"] == 171.0  # 90 less a tenth, and the own 30 × $3


def test_metres_in_another_currency_are_multiplied_before_anything_is_rounded(catalog: Catalog) -> None:
    """€1.45 a metre at 1.1269 is $1.634005: 30 m are $49.02 and not 30 × $1.63, with a piece of €60.01 $116.65."""
    rate = {"currency": "EUR", "usd": 1.1269, "as_of": "2026-11-01", "source": "Bank"}
    metre = price(FIBRE, per="metre", currency="EUR", low=145, typical=145, high=145)
    piece = price(FIBRE, currency="EUR", low=6001, typical=6001, high=6001)
    mixed = line_of(bill(catalog, book(metre, rates=[rate])), FIBRE)
    assert mixed["unit_price_usd"]["typical"] == 139.02  # the catalog's piece is $90
    own = line_of(bill(catalog, book(piece, metre, rates=[rate])), FIBRE)
    assert own["unit_price_usd"]["typical"] == 116.65  # 67.625269 + 49.02015
    assert own["unit_price"]["typical"] == 103.51
    taken_off = line_of(bill(catalog, None, volume_discount=0.015), FIBRE)
    assert taken_off["unit_price_usd"]["typical"] == 162.53  # 162.525, rounded once


def test_a_price_that_is_put_together_names_what_was_typed_in_another_currency(catalog: Catalog) -> None:
    """The metres over a piece of the catalog or of dollars, a piece with metres of dollars: each at the book's own rate."""
    rate = {"currency": "EUR", "usd": 1.2, "as_of": "2026-11-01", "source": "Bank"}
    said = {"usd": 1.2, "date": "2026-11-01", "basis": "own", "source": "Bank"}
    euro_metre = price(FIBRE, per="metre", currency="EUR", low=120, typical=120, high=120)
    euro_piece = price(FIBRE, currency="EUR", low=6001, typical=6001, high=6001)
    of_metre = {"per": "metre", "amount": 1.2, "currency": "EUR", "rate": said}
    of_piece = {"per": "piece", "amount": 60.01, "currency": "EUR", "rate": said}
    for prices, expected, usd in (
        ([euro_metre], [of_metre], 133.2),  # 90 + 30 × 1.44
        ([price(FIBRE, 50), euro_metre], [of_metre], 93.2),
        ([euro_piece, price(FIBRE, 3, per="metre")], [of_piece], 162.01),  # 72.012 + 90
        ([euro_piece, euro_metre], None, 115.21),  # 72.012 + 43.2, all of it in euros
        ([price(FIBRE, 3, per="metre")], None, 180.0),
    ):
        line = line_of(bill(catalog, book(*prices, rates=[rate])), FIBRE)
        assert (line.get("typed_prices"), line["unit_price_usd"]["typical"]) == (expected, usd)


def test_a_price_of_one_length_counts_for_that_length_alone(catalog: Catalog) -> None:
    own = book(price(FIBRE, 77, length_m=30.0), price(FIBRE, 99, as_of="2026-11-20"), price(FIBRE, 11, length_m=31.0))
    assert line_of(bill(catalog, own), FIBRE)["unit_price_usd"]["typical"] == 77.0


def test_a_discount_is_off_the_catalogs_prices_alone_and_named(catalog: Catalog) -> None:
    lines = bill(catalog, book(price()), volume_discount=0.15)
    assert line_of(lines, QM9700)["unit_price_usd"]["typical"] == 31_000.0
    module = line_of(lines, MODULE)
    assert module["unit_price_usd"]["typical"] == 747.15  # 879 × 0.85
    assert module["price_rule"].endswith("less 15% discount")


def test_results_depend_on_the_books_own_day_and_expired_prices_are_findings(catalog: Catalog) -> None:
    own = book(price(valid_to="2026-11-27"), priced_on="2026-11-27")
    spec = parse_spec(request_of(own), catalog)
    assert estimate([spec], catalog, parts=("bom",))[0].findings == [
        one for one in estimate([spec], catalog, parts=("bom",))[0].findings if one.code != "price_expired"
    ]
    made = estimate([parse_spec(request_of(own | {"priced_on": "2026-11-28"}), catalog)], catalog, parts=("bom",))[0]
    (finding,) = [one for one in made.findings if one.code == "price_expired"]
    assert "NVIDIA QM9700 until 2026-11-27" in finding.message
    assert made.bom is not None
    assert line_of(made.bom.as_json()["lines"], QM9700)["price_rule"].startswith("Street book: ")


@pytest.mark.parametrize(
    ("rates", "is_weak"),
    [
        ([], False),
        ([{"currency": "EUR", "usd": 1.08, "as_of": "2026-11-01"}], False),
        ([{"currency": "EUR", "usd": 1.08, "as_of": "2025-10-01"}], True),
    ],
)
def test_a_rate_that_is_assumed_or_old_is_a_finding(catalog: Catalog, rates: list[Any], is_weak: bool) -> None:
    spec = parse_spec(request_of(book(price(currency="EUR"), rates=rates)), catalog)
    codes = {finding.code for finding in estimate([spec], catalog, parts=("bom",))[0].findings}
    assert ("exchange_rate_weak" in codes) == is_weak
    metre = price(FIBRE, per="metre", currency="EUR")  # over the catalog's piece
    spec = parse_spec(request_of(book(metre, rates=rates)), catalog)
    codes = {finding.code for finding in estimate([spec], catalog, parts=("bom",))[0].findings}
    assert ("exchange_rate_weak" in codes) == is_weak


# ---------------------------------------------------------------- the catalog's own rule


def test_planning_prices_hold_and_each_line_says_which_one_ruled(catalog: Catalog) -> None:
    """Issue 5: $3,000–5,000 an InfiniBand NIC, $1,000–2,000 an Ethernet one, $500–1,000 and $200–400 a port."""
    bounds = {
        "seed-nic-ib": (3000, 5000),
        "seed-nic-eth": (1000, 2000),
        "seed-switch-ib-port": (500, 1000),
        "seed-switch-eth400-port": (200, 400),
    }
    seen = set()
    pricing = Pricing(parse_spec(request_of(None, price_book="anchors"), catalog).economics, catalog)
    for part in [*catalog.switches, *catalog.nics]:
        rule, unit = catalog.price_rules.get(part), pricing.of(part, 1)
        assert (rule is None) == (unit is None), part
        if rule is None or unit is None:
            continue
        if rule.anchor is None:
            assert rule.note
            assert unit.rule.startswith("Street book: "), part
            assert "no planning price: " in unit.rule, part
            continue
        seen.add(rule.anchor)
        low, high = bounds[rule.anchor]
        optics = catalog.price(rule.optics_part, "anchors") if rule.optics_part else None
        inside = optics.cents if optics else NOTHING
        per_unit = [
            (cents - rule.n_optics * module) / 100 / rule.units
            for cents, module in zip(unit.cents, inside, strict=True)
        ]
        assert (min(per_unit), max(per_unit)) == (low, high), part
        assert per_unit[1] == (low + high) / 2, part
        assert unit.rule.startswith(f"Planning price: ${low:,} to ${high:,} a"), part
    assert seen == set(bounds)


def test_units_of_a_planning_price_are_ports_capacity_and_adapters(catalog: Catalog) -> None:
    """Counted anew from the parts: ports at native rate for InfiniBand, 400G of capacity for Ethernet."""
    for part, switch in catalog.switches.items():
        rule = catalog.price_rules.get(part)
        if rule is None:
            continue
        if rule.anchor:
            ports = sum(cage.n_cages * cage.links_per_cage for cage in switch.cages)
            capacity = sum(cage.n_cages * cage.cage_rate_gbit_s for cage in switch.cages) // 400
            assert rule.units == (ports if switch.protocol == "infiniband" else capacity), part
            assert rule.anchor.startswith("seed-switch-ib" if switch.protocol == "infiniband" else "seed-switch-eth"), (
                part
            )
        else:
            assert switch.protocol == "ethernet", part
            assert switch.generation != "400GE", part
    for part, nic in catalog.nics.items():
        rule = catalog.price_rules.get(part)
        if rule and rule.anchor:
            assert rule.anchor == ("seed-nic-ib" if nic.protocols[0] == "infiniband" else "seed-nic-eth"), part


def test_several_rows_of_a_part_may_stand_in_the_catalog(catalog: Catalog) -> None:
    known = catalog.price(QM9700, "anchors")
    assert known is not None
    broken = known._replace(typical_cents=40_000_00, min_quantity=100)
    other = object.__new__(Catalog)
    other.__dict__.update(catalog.__dict__)
    other._price_rows = {**catalog._price_rows, (QM9700, "anchors", "piece"): (known, broken)}
    assert [
        row and row.typical_cents for row in (other.price_for(QM9700, "anchors", "piece", n) for n in (1, 99, 100))
    ] == [
        48_000_00,
        48_000_00,
        40_000_00,
    ]
    assert other.price(QM9700, "anchors") == known
    assert other.prices_of(QM9700, "anchors") == (known, broken)


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("own", "field", "code"),
    [
        (book(price("nvidia-qm97")), "prices[0].part", "unknown_part"),
        (book(price(), price(currency="EURO")), "prices[1].currency", "unknown_currency"),
        (book(price(currency="TWD")), "prices[0].currency", "no_exchange_rate"),
        (book(price(as_of="2026-02-30")), "prices[0].as_of", "not_a_date"),
        (book(price(as_of="2026-2-3")), "prices[0].as_of", "not_a_date"),
        (book(price(valid_from="soon")), "prices[0].valid_from", "not_a_date"),
        (book(price(valid_from="2026-03-01", valid_to="2026-02-01")), "prices[0].valid_to", "dates_not_ascending"),
        (book(price() | {"low": 5, "typical": 4}), "prices[0].typical", "price_range_not_ascending"),
        (book(price() | {"high": 10**13 + 1}), "prices[0].high", "out_of_range"),
        (book(price() | {"low": -1}), "prices[0].low", "out_of_range"),
        (book(price() | {"low": 1.5}), "prices[0].low", "wrong_type"),
        (book(price(min_quantity=0)), "prices[0].min_quantity", "out_of_range"),
        (book(price(basis="rumour")), "prices[0].basis", "not_a_choice"),
        (book(price(source="x" * 301)), "prices[0].source", "out_of_range"),
        (book(price(colour="red")), "prices[0].colour", "unknown_key"),
        (book(*[price()] * (MAX_PRICES + 1)), "prices", "out_of_range"),
        (book(priced_on="today"), "priced_on", "not_a_date"),
        (book(rates=[{"currency": "EUR", "usd": 0, "as_of": "2026-11-01"}]), "rates[0].usd", "out_of_range"),
        (book(rates=[{"currency": "EUR", "usd": 1.1, "as_of": "1st"}]), "rates[0].as_of", "not_a_date"),
        (book(rates=[{"currency": "XXX", "usd": 1.1, "as_of": "2026-11-01"}]), "rates[0].currency", "unknown_currency"),
    ],
)
def test_what_is_wrong_with_a_book_is_said_where_it_is(
    catalog: Catalog, own: dict[str, Any], field: str, code: str
) -> None:
    with pytest.raises(SpecError) as refused:
        parse_spec(request_of(own), catalog)
    assert [(one.field, one.code) for one in refused.value.problems] == [(f"economics.prices.{field}", code)]


def test_an_own_rate_is_the_way_out_of_a_currency_without_one(catalog: Catalog) -> None:
    rates = [{"currency": "TWD", "usd": 0.031, "as_of": "2026-11-01"}]
    line = line_of(bill(catalog, book(price(currency="TWD"), rates=rates)), QM9700)
    assert line["unit_price_usd"]["typical"] == 961.0


def test_two_thousand_unknown_parts_are_refused_at_once(catalog: Catalog) -> None:
    own = book(*(price(f"no-such-part-{number}") for number in range(MAX_PRICES)))
    with pytest.raises(SpecError) as refused:
        parse_spec(request_of(own), catalog)
    assert len(refused.value.problems) == MAX_PRICES
    assert "Near it" in refused.value.problems[0].message
    assert "Near it" not in refused.value.problems[-1].message


def test_a_full_book_is_priced_in_no_time(catalog: Catalog) -> None:
    """2,000 prices: the preview of a design with such a book answers while one types."""
    parts = catalog.part_ids()
    own = book(*(price(parts[n % len(parts)], currency="EUR", source=f"Offer {n}") for n in range(MAX_PRICES)))
    results: list[Any] = []
    spec = request_of(own)
    took = yardsticks(lambda: results.extend(estimate([parse_spec(spec, catalog)], catalog, parts=("bom",))))
    assert took < 20  # about twice the yardstick
    (made,) = results
    assert made.bom is not None
    assert all(line["price_rule"].startswith("Your price book") for line in made.bom.as_json()["lines"] if line["part"])


def test_the_hash_is_of_what_the_book_says(catalog: Catalog) -> None:
    one = OwnPrices(**book(price()))
    assert one.hash == OwnPrices(**(book(price()) | {"name": "Other", "priced_on": "2026-11-28"})).hash
    assert one.hash != OwnPrices(**book(price(usd=30_999))).hash
    assert one.provenance() == {"name": "Vendor A", "hash": one.hash, "priced_on": "2026-11-02", "n_prices": 1}
    with_own, without = (parse_spec(request_of(own), catalog) for own in (book(price()), None))
    assert spec_hash(with_own) != spec_hash(without)
