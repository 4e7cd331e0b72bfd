"""The script that runs other tools on the measured rows: what it gives them, what it makes of answers, and the file it wrote."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from estimator.workloads import accuracy
from estimator.workloads.accuracy import RIVALS, rivals
from tests.estimator.workloads.rivals import compare
from tests.estimator.workloads.rivals.with_calculon import execution, refused

TOOL = """
import json, sys
print(json.dumps({"version": "9.9"}))
for line in sys.stdin:
    row = json.loads(line)
    said = {"step_s": 2.0} if row["id"] == "a" else {"why": "needs 123.4 GiB of 80"}
    print(json.dumps({"id": row["id"], **said}))
"""


def test_answers_of_a_tool_are_scored_where_it_answered(tmp_path: Path) -> None:
    (tmp_path / "tool.py").write_text(TOOL)
    version, found = compare.answers([sys.executable, str(tmp_path / "tool.py")], [{"id": "a"}, {"id": "b"}])
    measured = np.array([1.0, 1.0, 4.0])
    figure = compare.Figure("step", "step_s", measured, measured * np.exp(0.1), measured * np.exp(-0.3))
    row = compare.compared("tool", version, found, ["a", "b", "never given"], [figure], every=2)[0]
    assert (row.version, row.runs, row.answered) == ("9.9", 2, 1)
    assert row.note == "one run in 2 was given; 1 × needs … GiB of …"
    assert row.errors is not None
    assert row.ours is not None
    assert row.naive is not None
    assert row.errors.median == pytest.approx(np.log(2))
    assert (row.ours.median, row.naive.median) == pytest.approx((0.1, 0.3))


def test_a_tool_that_is_not_there_gets_no_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare, "RIVALS", tmp_path / "rivals.csv")
    monkeypatch.setattr(accuracy, "RIVALS", tmp_path / "rivals.csv")
    compare.main([])
    rivals.cache_clear()
    try:
        rows = rivals()
    finally:
        rivals.cache_clear()
    assert {row.tool for row in rows} == {"aiconfigurator", "calculon"}
    assert all(row.note == "not installed" and row.errors is None and row.answered == 0 for row in rows)


def test_an_environment_that_lacks_what_a_tool_needs_is_no_answer_of_the_tool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As calculon without numpy, which once stood in the file as 608 steps that it has no answer to."""
    (tmp_path / "calculon").mkdir()
    (tmp_path / "calculon" / "__init__.py").write_text("import no_such_part")
    (tmp_path / "calculon-0.1.0.dist-info").mkdir()
    (tmp_path / "calculon-0.1.0.dist-info" / "METADATA").write_text("Name: calculon\nVersion: 0.1.0\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    script = Path(compare.__file__).with_name("with_calculon.py")
    with pytest.raises(subprocess.CalledProcessError) as stopped:
        compare.answers([sys.executable, str(script), str(tmp_path)], [{"id": "a"}])
    assert "no_such_part" in stopped.value.stderr


def test_the_file_says_what_was_run() -> None:
    assert RIVALS.exists()
    for row in rivals():
        assert row.answered <= row.runs
        assert (row.errors is None) == (row.answered == 0)
        assert bool(row.version) == (row.note != "not installed")
        if row.errors and row.ours and row.naive:
            assert row.ours.median < row.naive.median


def test_tools_are_given_every_scored_row() -> None:
    assert len(compare.serving_rows()) == next(
        row.runs for row in accuracy.accuracy() if (row.figure, row.by) == ("time per token", "all")
    )
    assert len(compare.training_rows()) == next(
        row.runs for row in accuracy.accuracy() if (row.figure, row.by) == (accuracy.STEP, "all")
    )


def test_calculon_is_given_what_it_knows_alone() -> None:
    rows = compare.training_rows()
    reasons = {refused(row) for row in rows}
    assert None in reasons
    assert "has no mixtures of experts" in reasons
    for row in (row for row in rows if refused(row) is None):
        given = execution(row, (1, 1))
        assert given["num_procs"] == int(row["gpus"])
        assert given["datatype"] in ("float16", "float8")
