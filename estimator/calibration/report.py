"""Predicted against measured, for every run that is carried: the errors that pages and documents state.

``python -m estimator.calibration.report`` writes docs/validation.md again; a test holds the document to the model.
"""

from pathlib import Path

from estimator.calibration.held_out import write_coverage
from estimator.calibration.validation.document import document
from estimator.calibration.validation.errors import coverage_rows
from estimator.catalog.loader import load_catalog

DOCUMENT = Path(__file__).parents[1] / "docs" / "validation.md"

if __name__ == "__main__":
    write_coverage(coverage_rows(load_catalog()))
    DOCUMENT.write_text(document(load_catalog()), encoding="utf-8")
