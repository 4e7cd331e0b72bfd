"""What a report of as many lines as it may hold costs, next to a piece of Python's own work. Run by hand."""

from datetime import UTC, datetime

from designer.exports.downloads import bom_pdf
from designer.exports.reports.bill import MAX_LINES
from estimator.result import PricedEstimate
from tests.designer.sample_estimate import sample_estimate
from tests.yardstick import yardsticks


def test_a_report_of_a_long_bill() -> None:
    values = sample_estimate()
    lines = values["bom"]["lines"]
    values["bom"]["lines"] = [dict(lines[k % len(lines)], line=k + 1) for k in range(2 * MAX_LINES)]
    estimate = PricedEstimate.from_json(values)
    assert yardsticks(lambda: bom_pdf(estimate, datetime(2026, 11, 27, tzinfo=UTC))) < 80  # about a dozen
