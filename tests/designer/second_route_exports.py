"""Designs counted a second time, files and all: the Estimate against its link lists, and every file against the Estimate.

``python -m tests.designer.second_route_exports 1000 1`` runs it over so many random designs, with a second number from that
seed on. Bill and cost are read back as CSV, workbook and PDF of every design; a tenth of the designs, by their hash, has its
formulas computed afresh, the workbook that opens at its cost, and its link lists as point-to-point sheets too.
"""

import json
import os
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from estimator.handoff.formats import FORMATS
from estimator.link_list import link_list
from estimator.pipeline import estimate
from estimator.result import PricedEstimate
from estimator.spec.parse import parse_spec
from tests.designer import second_route_pages as pages
from tests.designer import second_route_sheets as sheets
from tests.estimator.second_route import differences, main, rows_of
from tests.estimator.test_second_route import CATALOG

MADE = datetime(2026, 11, 27, 12, tzinfo=UTC)
SLOW_ONE_IN = 10


def all_routes(request: dict[str, Any], is_slow: bool | None = None) -> list[str]:
    """What differs between the Estimate of a request, its link lists and its files; refused as the estimator refuses.

    ``is_slow`` has the slow files read too; without it, a tenth of the designs has.
    """
    spec = parse_spec(request, CATALOG)
    (made,) = estimate([spec], CATALOG)
    said: dict[str, Any] = json.loads(json.dumps(made.as_json()))
    links = {role: link_list(spec, CATALOG, role) for role in said["fabrics"]}
    lists = {role: b"".join(FORMATS["csv"].write(one)).decode() for role, one in links.items()}
    found = [*differences(said, lists), *file_differences(said)]
    if int(said["spec_hash"], 16) % SLOW_ONE_IN == 0 if is_slow is None else is_slow:
        found += slow_file_differences(said)
        for role, one in links.items():
            sheet = b"".join(FORMATS["xlsx-p2p"].write(one))
            found += [f"{role}: {text}" for text in sheets.link_sheet_differences(rows_of(lists[role]), sheet)]
    return found


def file_differences(said: dict[str, Any]) -> Iterator[str]:
    """Bill and cost as CSV, as workbook and as report."""
    from designer.exports import downloads

    made = PricedEstimate.from_json(said)
    bill, cost = (make(made, MADE).content for make in (downloads.bom_csv, downloads.cost_csv))
    yield from sheets.csv_differences(said, bill, cost)
    yield from sheets.workbook_differences(said, sheets.cells_of(downloads.bom_xlsx(made, MADE).content))
    yield from pages.report_differences(said, downloads.bom_pdf(made, MADE).content)
    yield from pages.cost_differences(said, downloads.cost_pdf(made, MADE).content)


def slow_file_differences(said: dict[str, Any]) -> Iterator[str]:
    """Formulas computed afresh, and the workbook that opens at its cost: the same sheets in another order."""
    from designer.exports import downloads

    made = PricedEstimate.from_json(said)
    content = downloads.bom_xlsx(made, MADE).content
    cells = sheets.cells_of(content)
    yield from sheets.formula_differences(content, cells)
    by_cost = sheets.cells_of(downloads.cost_xlsx(made, MADE).content)
    if by_cost != cells:
        yield "the workbook of cost holds other cells than that of the bill"
    if next(iter(by_cost)) != "Cost" or next(iter(cells)) != "Bill of materials":
        yield f"workbooks open at {next(iter(cells))} and {next(iter(by_cost))}"


if __name__ == "__main__":
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    main(sys.argv[1:3], counted=all_routes)
