"""Every figure of a part has a grade, and claims no more than its source gives."""

import shutil
from pathlib import Path

import pytest

from estimator.catalog.grades import GRADED_KINDS, GRADES
from estimator.catalog.loader import HERE, load_catalog
from estimator.errors import CatalogError

CATALOG = load_catalog()


@pytest.mark.parametrize("kind", GRADED_KINDS)
def test_every_part_shows_the_grade_of_each_of_its_figures(kind: str) -> None:
    for record in CATALOG.records(kind):
        assert record["grade"]["grade"] in GRADES
        assert record["grade"]["source"]
        for field, grade in record["field_grades"].items():
            assert grade["grade"] in GRADES, (record["id"], field)
            assert field.split(".")[0] in record, (record["id"], field)


def test_figures_of_one_part_have_grades_of_their_own() -> None:
    record = next(r for r in CATALOG.records("switches") if r["id"] == "nvidia-sn6600-ld")
    grades = {field: grade["grade"] for field, grade in record["field_grades"].items()}
    assert (grades["cages"], grades["radix"], grades["typical_no_optics_w"]) == (
        "vendor-doc",
        "secondary",
        "assumption",
    )
    assert record["grade"]["grade"] == "assumption"


def test_a_basis_from_memory_is_an_assumption() -> None:
    record = CATALOG.switches["nvidia-sb7800"]
    assert record.power_basis == "recalled"
    assert CATALOG.grades.of_fields("nvidia-sb7800", record)["max_w"].grade == "assumption"


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ("nvidia-qm9700,colour,secondary,nvidia-qm97x0-interfaces,2026", "fields"),
        ("nvidia-qm9700,max_w,secondary,nvidia-qm97x0-interfaces,2026", "fields"),
        ("nvidia-qm9700,model,datasheet,assumption,2026", "grade"),
        ("no-such-part,model,secondary,nvidia-qm97x0-interfaces,2026", "record_id"),
        ("nvidia-qm9700,model,rumour,nvidia-qm97x0-interfaces,2026", "grade"),
        ("nvidia-qm9700,model,secondary,hearsay,2026", "source"),
    ],
)
def test_a_grade_that_cannot_be_is_refused(tmp_path: Path, line: str, column: str) -> None:
    folder = tmp_path / "catalog"
    shutil.copytree(HERE, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    path = folder / "grades.csv"
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(CatalogError) as caught:
        load_catalog(folder)
    assert (caught.value.file, caught.value.column) == ("grades.csv", column)


def test_a_part_without_a_grade_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "catalog"
    shutil.copytree(HERE, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    path = folder / "grades.csv"
    path.write_text(
        "".join(line for line in path.read_text().splitlines(keepends=True) if not line.startswith("l40s,"))
    )
    with pytest.raises(CatalogError, match="l40s") as caught:
        load_catalog(folder)
    assert (caught.value.file, caught.value.column) == ("gpus.csv", "id")
