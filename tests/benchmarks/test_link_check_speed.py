"""What reading and comparing files of a very large fabric costs, in time and memory. Run by hand.

Bounds are wide, as machines differ: a few seconds of processor time for 393,216 links, and memory by the links, not by
the file.
"""

import time
import tracemalloc
from pathlib import Path

import pytest

from estimator.asbuilt.check import check_links
from estimator.asbuilt.readers.files import read_links
from estimator.asbuilt.report import report
from estimator.cabling.links import LinkList
from estimator.catalog.loader import load_catalog
from estimator.link_list import link_list
from estimator.spec.parse import parse_spec
from tests.estimator.asbuilt import fabric_dumps as dumps
from tests.yardstick import in_yardsticks

FABRIC = {"generation": "roce-400", "tiers": 3, "leaf_switch": "custom", "leaf_radix": 128}
BYTES_A_LISTING = 6 * 8 * 5  # six numbers, in a few copies while they are sorted


@pytest.fixture(scope="module")
def links() -> LinkList:
    catalog = load_catalog()
    return link_list(
        parse_spec({"compute": {"server": "dgx-h100", "nodes": 16384}, "fabric": FABRIC}, catalog), catalog
    )


@pytest.fixture(scope="module")
def sheet(links: LinkList, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("links") / "links.csv"
    with path.open("w") as file:
        file.write("a_device,a_port,b_device,b_port,rate_gbit_s\n")
        file.writelines(f"{row[5]},{row[7]},{row[8]},{row[10]},{row[11]}\n" for row in links.rows())
    return path


def test_a_sheet_of_all_links_is_compared_in_seconds(links: LinkList, sheet: Path) -> None:
    assert len(links) == 393_216
    with sheet.open("rb") as file:
        start = time.process_time()
        found = read_links(file)
        read_s = time.process_time() - start
    out = report(check_links(links, found))
    check_s = time.process_time() - start - read_s
    print(f"\nsheet: read {read_s:.1f} s, compared {check_s:.1f} s")
    assert out.matched == len(links)
    assert in_yardsticks(read_s) < 150
    assert in_yardsticks(check_s) < 80


def test_names_identified_by_cabling_take_seconds_too(links: LinkList, sheet: Path, tmp_path: Path) -> None:
    renamed = tmp_path / "renamed.csv"
    with sheet.open() as file, renamed.open("w") as out:
        out.write(next(file))
        for line in file:
            a, a_port, b, b_port, rate = line.split(",")
            out.write(f"x{dumps.guid(a)},{a_port},x{dumps.guid(b)},{b_port},{rate}")
    with renamed.open("rb") as file:
        found = read_links(file)
    start = time.process_time()
    reported = report(check_links(links, found))
    check_s = time.process_time() - start
    print(f"\nrenamed: compared {check_s:.1f} s, {reported.names.told_by}")
    assert reported.matched == len(links)
    assert in_yardsticks(check_s) < 300


def test_memory_grows_with_the_links(links: LinkList, sheet: Path) -> None:
    tracemalloc.start()
    with sheet.open("rb") as file:
        found = read_links(file)
    _, read_peak = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    check_links(links, found)
    _, check_peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(f"\nmemory: reading {read_peak / 1e6:.0f} MB, comparing {check_peak / 1e6:.0f} MB")
    assert read_peak < len(links) * BYTES_A_LISTING
    assert check_peak < len(links) * BYTES_A_LISTING * 3
