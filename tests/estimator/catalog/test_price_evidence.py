"""The default book follows from the prices seen, by rule: ranges, channels, classes, formulas, and what loading refuses."""

import csv
import shutil
from pathlib import Path

import pytest

from estimator.catalog.catalog import Catalog
from estimator.catalog.loader import HERE, load_catalog
from estimator.catalog.price_evidence import contradiction, counted_range, months_before
from estimator.catalog.price_records import BRANDED, DEALER
from estimator.errors import CatalogError
from estimator.pipeline import estimate
from estimator.ranges import Range
from estimator.spec.parse import parse_spec

# dollars (low, typical, high) that a second reader of the same prices recommends, rounded by hand
RECOMMENDED = {
    "nvidia-sb7800": (8_200, 10_260, 12_820),
    "nvidia-sb7890": (7_800, 9_750, 12_200),
    "nvidia-qm8700": (15_000, 18_740, 23_400),
    "nvidia-qm8790": (14_200, 17_800, 22_200),
    "nvidia-qm9700": (32_000, 35_000, 50_000),
    "nvidia-qm9790": (30_300, 33_300, 47_500),
    "nvidia-q3200-ra": (40_000, 60_000, 92_500),
    "nvidia-q3400-ra": (80_000, 120_000, 185_000),
    "nvidia-q3401-rd": (80_000, 120_000, 185_000),
    "nvidia-q3450-ld": (175_000, 253_000, 330_000),
    "nvidia-sn2201": (3_360, 4_200, 5_250),
    "nvidia-sn4700": (17_600, 22_000, 27_500),
    "nvidia-sn5400": (26_000, 32_500, 41_000),
    "nvidia-sn5600": (52_000, 61_000, 87_000),
    "nvidia-sn5610": (45_000, 52_000, 65_000),
    "fs-n9600-64od": (35_500, 39_100, 43_000),
    "edgecore-as9817-64o": (31_300, 39_100, 48_900),
    "celestica-ds5000": (31_300, 39_100, 48_900),
    "arista-7060x6-64pe": (52_000, 61_000, 87_000),
    "cisco-n9364e-sg2": (52_000, 61_000, 87_000),
    "cisco-8122-64eh": (52_000, 61_000, 87_000),
    "juniper-qfx5240-64od": (52_000, 61_000, 87_000),
    "dell-z9864f-on": (52_000, 61_000, 87_000),
    "arista-7060dx5-64s": (26_000, 32_500, 41_000),
    "cisco-9364d-gx2a": (26_000, 32_500, 41_000),
    "cisco-9332d-gx2b": (17_600, 22_000, 27_500),
    "juniper-qfx5230-64cd": (26_000, 32_500, 41_000),
    "dell-z9664f-on": (26_000, 32_500, 41_000),
    "edgecore-as9736-64d": (12_000, 15_000, 20_000),
    "generic-th4-64x400": (12_000, 15_000, 20_000),
    "nvidia-cx5-edr": (345, 429, 536),
    "nvidia-cx5-100g-2p": (590, 736, 920),
    "nvidia-cx6-hdr100": (850, 1_065, 1_330),
    "nvidia-cx6-hdr": (900, 1_300, 1_900),
    "nvidia-cx6dx-100g-2p": (1_300, 1_565, 1_720),
    "nvidia-cx7-ndr-osfp": (1_730, 2_000, 2_350),
    "nvidia-cx7-ndr200-2p": (1_600, 2_130, 2_465),
    "nvidia-cx7-400g-qsfp112": (1_600, 2_065, 2_465),
    "nvidia-cx7-cedar": (6_900, 8_000, 9_400),
    "nvidia-cx8-c8180": (1_815, 2_210, 2_605),
    "nvidia-cx8-c8240": (1_780, 2_520, 2_770),
    "nvidia-bf3-b3140h": (2_000, 2_500, 3_125),
    "broadcom-thor2-p1400gd": (1_760, 2_200, 2_750),
    "amd-pollara-400": (1_760, 2_200, 2_750),
    "nv-mma4z00-ns": (703, 879, 1_250),
    "nv-mms4x00-ns": (799, 1_030, 1_320),
    "gen-800g-dr8": (800, 1_030, 1_320),
    "gen-800g-sr8": (703, 879, 1_150),
    "nv-mms1x00-ns400": (895, 1_119, 1_400),
    "nv-mma1z00-ns400": (769, 1_119, 1_400),
    "nv-mma4z00-ns400": (615, 769, 960),
    "nv-mms4a00": (1_400, 1_850, 2_500),
    "nv-mms4c10": (1_400, 1_850, 2_500),
    "nv-mms4a20": (900, 1_100, 1_600),
    "hgx-b200-10u": (400_000, 450_000, 500_000),
    "dgx-b200": (412_000, 515_000, 565_000),
    "hgx-b300-9u": (500_000, 617_000, 750_000),
    "dgx-b300": (560_000, 620_000, 750_000),
    "gb200-nvl72": (2_800_000, 3_000_000, 3_400_000),
    "gb300-nvl72": (3_640_000, 4_000_000, 5_750_000),
}
OTHERWISE = {  # where the rule comes out more than 5 % (typical) or 10 % (ends) apart, and why
    "nv-mma4z00-ns": "one price a quarter to either side; the reader set the high end at a flat-top module’s",
    "nv-mma1z00-ns400": "one price a quarter to either side; the reader set the low end at its OSFP sibling’s",
    "nv-mms4a00": "ends of the three prices that count; the reader’s high end is a constant of somebody’s calculator",
    "nv-mms4c10": "as nv-mms4a00",
    "nv-mms4a20": "0.6 × nv-mms4a00, ends included",
    "dgx-b200": "a listing of December 2024 is three weeks inside the 24 months",
    "hgx-b300-9u": "10 % to 90 % of four prices, and never under ±10 %; the reader took the ends of the listings",
    "dgx-b300": "one price a quarter to either side; the reader added $20,000 to its middle",
}


@pytest.mark.parametrize("part", RECOMMENDED)
def test_ranges_come_out_as_recommended(catalog: Catalog, part: str) -> None:
    price = catalog.price(part)
    assert price is not None
    ratios = [cents / 100 / usd - 1 for cents, usd in zip(price.cents, RECOMMENDED[part], strict=True)]
    is_close = abs(ratios[1]) <= 0.05 and max(abs(ratio) for ratio in ratios) <= 0.10
    assert is_close == (part not in OTHERWISE), ratios


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        ([(100, 100, 100)], (80, 100, 125)),  # one price: a quarter to either side
        ([(95, 100, 104), (96, 102, 103)], (91, 101, 111)),  # never under ±10 %
        ([(60, 100, 110), (90, 102, 150)], (60, 101, 150)),  # two or three: their outermost ends
        ([(1, value, 999) for value in (100, 110, 120, 130, 140)], (104, 120, 136)),  # from four: 10 % and 90 %
    ],
)
def test_the_range_of_prices_that_count(seen: list[tuple[int, int, int]], expected: tuple[int, int, int]) -> None:
    low, typical, high = counted_range([Range(*ends) for ends in seen])
    assert typical == expected[1]
    assert min(low, round(typical * 0.9)) == low
    assert (low, high) == (min(expected[0], low), max(expected[2], high))
    assert abs(low - expected[0]) <= 4
    assert abs(high - expected[2]) <= 4


def test_what_counts_is_new_and_not_older_than_24_months(catalog: Catalog) -> None:
    assert months_before("2026-11-28", 24) == "2024-11-28"
    book = catalog.evidence
    rows = {row.item + row.date: book.counts(row) for row in catalog.evidence_of("nvidia-qm9700")}
    assert rows["QM97002024-08"] is False  # too old
    assert rows["QM97002026-07-04"] is True
    assert not any(book.counts(row) for row in catalog.price_evidence if row.condition in ("used", "model", "claim"))
    assert not any(book.counts(row) for row in catalog.price_evidence if row.channel in ("OEM", "used", "model"))
    kit = next(row for row in catalog.price_evidence if row.item == "ConnectX-8 auxiliary kit")
    assert not book.counts(kit)


def test_foreign_prices_count_at_the_catalogs_rate(catalog: Catalog) -> None:
    price = catalog.price("fs-n9600-64od")
    assert price is not None
    euros, pounds = 33_894 * 1.1269, 30_136 * 1.32764
    assert price.typical_cents == pytest.approx((euros + pounds) * 50, abs=50)


def test_a_channel_has_a_book_of_its_own(catalog: Catalog) -> None:
    dealer, branded = catalog.price("nvidia-sn5600", DEALER), catalog.price("nvidia-sn5600", BRANDED)
    assert dealer is not None
    assert branded is not None
    assert (dealer.typical_cents, branded.typical_cents) == (53_500_00, 68_802_00)
    assert dealer.book == DEALER
    unsold = catalog.price("nvidia-q3400-ra", BRANDED)
    assert unsold is not None
    assert unsold.book == "street"  # nobody branded quotes it


def test_optics_inside_are_in_the_price_of_every_book(catalog: Catalog) -> None:
    for book in ("street", "anchors"):
        with_optics, pluggable, module = (
            catalog.price(part, book) for part in ("nvidia-q3450-ld", "nvidia-q3400-ra", "nv-mms4a00")
        )
        assert with_optics is not None
        assert pluggable is not None
        assert module is not None
        assert with_optics.typical_cents == pytest.approx(pluggable.typical_cents + 72 * module.typical_cents, abs=100)


def test_a_default_far_from_its_own_evidence_is_refused(tmp_path: Path) -> None:
    assert contradiction(150, [100]) is None
    assert contradiction(151, [100, 90, 110]) == pytest.approx(1.51)
    folder = tmp_path / "catalog"
    shutil.copytree(HERE, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    with (folder / "prices.csv").open() as file:
        rows = list(csv.reader(file))
    row = dict.fromkeys(rows[0], "") | {
        "part_id": "nvidia-qm9700",
        "book": "street",
        "per": "piece",
        "low_cents": "3200000",
        "typical_cents": "6400000",
        "high_cents": "7000000",
        "currency": "USD",
        "basis": "assumption",
        "source": "assumption",
        "as_of": "2026-11-28",
        "min_quantity": "1",
    }
    with (folder / "prices.csv").open("a") as file:
        csv.DictWriter(file, rows[0], lineterminator="\n").writerow(row)
    with pytest.raises(
        CatalogError, match=r"the default of nvidia-qm9700, \$64,000, lies 1.83 × from the median of its 3"
    ):
        load_catalog(folder)


def test_a_method_without_a_price_behind_it_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "catalog"
    shutil.copytree(HERE, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    with (folder / "price_methods.csv").open("a") as file:
        file.write("nvidia-sn6600,times,nvidia-sn6600,1,,A part as itself\n")
    with pytest.raises(CatalogError, match="no price that counts stands behind nvidia-sn6600"):
        load_catalog(folder)


def reported(catalog: Catalog, code: str, **economics: object) -> list[str]:
    values = {"compute": {"server": "custom", "gpus": 512}, "fabric": {"generation": "ndr"}, "economics": economics}
    made = estimate([parse_spec(values, catalog)], catalog, ("bom",))[0]
    return [finding.message for finding in made.findings if finding.code == code]


def own_book(usd: int, as_of: str, **more: str) -> dict[str, object]:
    cents = dict.fromkeys(("low", "typical", "high"), usd * 100)
    price = {"part": "nvidia-qm9700", "basis": "quote", "as_of": as_of} | cents
    return {"name": "Vendor A", "prices": [price]} | more


def test_books_that_differ_by_more_than_half_are_a_finding(catalog: Catalog) -> None:
    (words,) = reported(catalog, "price_books_differ")
    assert "ConnectX-7 NDR/400GbE 1-port OSFP $2,000 (Street book) and $4,000 (Anchors book), 2.0 ×" in words
    assert "QM9700" not in words  # 1.37 to 1.39 × between any two books
    (words,) = reported(catalog, "price_books_differ", prices=own_book(20_000, "2026-11-01"))
    assert "NVIDIA QM9700 $20,000 (your prices) and $48,000 (Anchors book), 2.4 ×" in words


def test_prices_of_a_year_ago_are_a_finding(catalog: Catalog) -> None:
    assert reported(catalog, "prices_old", prices=own_book(30_000, "2026-11-01", priced_on="2027-10-31")) != []
    at_most = reported(catalog, "prices_old", prices=own_book(30_000, "2026-11-01", priced_on="2026-11-28"))
    assert not any("QM9700" in words for words in at_most)
    (words,) = reported(catalog, "prices_old", prices=own_book(30_000, "2026-11-01", priced_on="2027-11-01"))
    assert "on 2027-11-01, for which the design is priced" in words
    assert "NVIDIA QM9700 of 2026-11-01" in words
