"""Parts are in the catalog as their makers print them; where they are not, a reason stands beside the row."""

import pytest

from estimator.catalog.loader import load_catalog
from estimator.published.parts import PartRow, carried, part_rows

CATALOG = load_catalog()


@pytest.mark.parametrize("row", part_rows(), ids=lambda row: f"{row.part} {row.figure}")
def test_a_part_is_as_printed_or_says_why_not(row: PartRow) -> None:
    assert (carried(row, CATALOG) == row.printed) == (row.why == "")


def test_rows_are_about_parts_of_the_catalog_and_differ() -> None:
    keys = [(row.id, row.part, row.figure) for row in part_rows()]
    assert len(keys) == len(set(keys)) > 80
    assert {row.kind for row in part_rows()} == {"switch", "cable"}
    assert all(row.source for row in part_rows())
    assert sum(row.why == "" for row in part_rows()) > 0.9 * len(keys)
