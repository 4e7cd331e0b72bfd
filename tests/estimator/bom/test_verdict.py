"""Between two technologies a lower price is said only where every channel and the range of unquoted parts let it stand."""

from typing import Any

import pytest

from estimator.bom.verdict import ALL, NETWORK, price_verdict
from estimator.bom.verdict_words import NO_DIFFERENCE, verdict_words
from estimator.catalog.loader import load_catalog
from estimator.compare.comparison import compare_request
from estimator.compare.kept import KeptLine, kept_of
from estimator.compare.verdicts import are_two_technologies
from estimator.pipeline import estimate
from estimator.result import PricedEstimate
from estimator.spec.parse import parse_spec

CATALOG = load_catalog()


def spec_of(server: str, gpus: int, **fabric: Any) -> dict[str, Any]:
    return {"name": f"{fabric}", "compute": {"server": server, "gpus": gpus}, "fabric": fabric}


def made(values: dict[str, Any]) -> PricedEstimate:
    return PricedEstimate.of(estimate([parse_spec(values, CATALOG)], CATALOG)[0])


def line(part: str, usd: float, n: int = 10, **more: Any) -> KeptLine:
    """A switch line of a bill; ``more`` has low and high, prices by book, basis, book."""
    low, high = more.get("low", usd), more.get("high", usd)
    books = {book: dict.fromkeys(("low", "typical", "high"), price) for book, price in more.get("books", {}).items()}
    values = {
        "category": "switch",
        "part": part,
        "description": part,
        "fabric": "compute",
        "quantity": n,
        "spare_quantity": 0,
        "unit_price_usd": {"low": low, "typical": usd, "high": high},
        "price_basis": more.get("basis", "listing"),
        "price_book": more.get("book", "street"),
        "book_prices_usd": books,
    }
    return KeptLine.from_json(values)


@pytest.mark.parametrize(
    ("ours", "theirs", "sign"),
    [
        (line("a", 80), line("b", 100), -1),
        (line("a", 92), line("b", 100), 0),  # 8.7 % apart
        (line("a", 100), line("b", 92), 0),
        (line("a", 100), line("b", 90), 1),
        (line("a", 80, books={"dealer": 120}), line("b", 100, books={"dealer": 100}), 0),  # dealers say otherwise
        (line("a", 80, books={"branded": 101}), line("b", 100), 0),
        (line("a", 80, books={"dealer": 90, "branded": 99}), line("b", 100), -1),
        (line("a", 80, high=120, basis="assumption"), line("b", 100), 0),  # nobody quotes it, and it may cost more
        (line("a", 80, high=95, basis="assumption"), line("b", 100), -1),
        (line("a", 80, high=120), line("b", 100), -1),  # its range is that of prices seen
        (line("a", 80, book="own", books={"dealer": 120}), line("b", 100), -1),  # a quotation is what one pays
    ],
)
def test_the_rule(ours: KeptLine, theirs: KeptLine, sign: int) -> None:
    assert price_verdict([ours], [theirs]).sign(NETWORK) == sign
    assert price_verdict([theirs], [ours]).sign(NETWORK) == -sign


def test_the_deciding_part_and_its_price() -> None:
    verdict = price_verdict([line("a", 80, low=70, high=120)], [line("b", 100, low=99, high=101)])
    assert verdict.deciding is not None
    assert (verdict.deciding.part, verdict.deciding.break_even_usd) == ("a", 100.0)
    alike = price_verdict([line("a", 80)], [line("a", 80)])
    assert alike.deciding is None


@pytest.mark.parametrize(
    ("server", "gpus", "ours", "theirs", "sign", "part", "break_even_usd"),
    [
        ("dgx-h100", 1024, {"generation": "ndr"}, {"generation": "roce-400"}, 0, "nvidia-qm9700", 30_500),
        ("dgx-h100", 4096, {"generation": "ndr"}, {"generation": "roce-400"}, 1, "nvidia-qm9700", 4_300),
        (
            "dgx-b300",
            1024,
            {"generation": "xdr"},
            {"generation": "roce-400", "planes": 2},
            0,
            "nvidia-q3400-ra",
            138_700,
        ),
        (
            "dgx-b300",
            4096,
            {"generation": "xdr"},
            {"generation": "roce-400", "planes": 2},
            0,
            "nvidia-q3400-ra",
            138_900,
        ),
        (
            "dgx-b300",
            4096,
            {"generation": "xdr"},
            {"generation": "xdr", "leaf_switch": "nvidia-q3450-ld"},
            0,
            "nvidia-q3450-ld",
            240_000,
        ),
    ],
)
def test_infiniband_against_roce(
    server: str, gpus: int, ours: dict[str, Any], theirs: dict[str, Any], sign: int, part: str, break_even_usd: float
) -> None:
    one, other = made(spec_of(server, gpus, **ours)), made(spec_of(server, gpus, **theirs))
    assert are_two_technologies(kept_of(one), kept_of(other))
    verdict = price_verdict(one.bom.lines, other.bom.lines)
    assert verdict.sign(NETWORK) == sign
    assert verdict.deciding is not None
    assert verdict.deciding.part == part
    assert verdict.deciding.break_even_usd == pytest.approx(break_even_usd, rel=0.02)
    words = verdict_words(verdict, "InfiniBand", "the other")
    assert (NO_DIFFERENCE in words) == (sign == 0)
    assert ("request a quotation" in words) == (part != "nvidia-qm9700")
    assert verdict.cases[0].ours[ALL] == pytest.approx(one.bom.totals_usd.typical)


@pytest.mark.parametrize(
    ("ours", "theirs", "share"),
    [(92, 100, "8 % less"), (100, 92, "8.7 % more"), (80, 100, "20 % less"), (100, 80, "25 % more")],
)
def test_a_share_is_of_the_side_that_is_compared_with(ours: float, theirs: float, share: str) -> None:
    """As the table's differences are, whichever of the two costs less and whether the prices can show it."""
    words = verdict_words(price_verdict([line("a", ours)], [line("b", theirs)]), "A", "B").replace(
        "\N{NO-BREAK SPACE}", " "
    )
    assert f"{share} than" in words
    assert words.count("%") == (2 if "is needed" in words else 3 if "alike" in words else 1)


def test_co_packaged_optics_are_paid_for_and_need_no_module() -> None:
    """A switch with its optics inside has no transceiver at its end, costs what they would, and draws their power itself."""
    pluggable, inside = (
        made(spec_of("dgx-b300", 4096, generation="xdr", leaf_switch=f"nvidia-{name}"))
        for name in ("q3400-ra", "q3450-ld")
    )
    modules = [line for line in inside.bom.lines if line.category == "transceiver"]
    assert {line.use for line in modules} == {"node"}
    ratio = inside.cost.capex_usd.network.typical / pluggable.cost.capex_usd.network.typical
    assert 0.95 < ratio < 1.1  # it was 0.54 while the optics were free
    switches = next(line for line in inside.bom.lines if line.use == "leaf")
    assert switches.power_w / switches.quantity > 3_000  # of the box alone


def test_a_comparison_says_no_winner_where_prices_show_none() -> None:
    specs = [spec_of("dgx-b300", 1024, generation="xdr"), spec_of("dgx-b300", 1024, generation="roce-400", planes=2)]
    answer = compare_request({"items": [{"spec": spec} for spec in specs]}, CATALOG).as_json()
    network = next(figure for figure in answer["figures"] if figure["key"] == "network_usd")
    assert network["differences"][1]["is_undecided"]
    assert network["differences"][1]["is_better"] is None
    assert network["best"] == []
    (said,) = [one for one in answer["summary"][0]["sentences"] if one["code"] == "network_usd"]
    assert said["tone"] == "same"
    assert NO_DIFFERENCE in said["phrase"]
    assert "for each NVIDIA Q3400-RA" in said["words"]


def test_a_comparison_of_one_technology_says_what_it_said() -> None:
    small, large = spec_of("dgx-h100", 512, generation="ndr"), spec_of("dgx-h100", 1024, generation="ndr")
    answer = compare_request({"items": [{"spec": large}, {"spec": small}]}, CATALOG).as_json()
    assert not any(one and one["is_undecided"] for figure in answer["figures"] for one in figure["differences"])
