"""Tests are spread over the cores by file, the longest first."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.spread import PICTURED, FilesTogether, name_apart, start_rank


@pytest.mark.parametrize(
    ("nodeid", "group"),
    [
        ("tests/estimator/test_units.py::test_it", "tests/estimator/test_units.py"),
        ("tests/estimator/test_units.py::TestIt::test_it", "tests/estimator/test_units.py"),
        ("tests/estimator/test_units.py::test_it[a::b]", "tests/estimator/test_units.py"),
    ],
)
def test_a_file_is_one_piece_of_work(nodeid: str, group: str) -> None:
    assert FilesTogether.__new__(FilesTogether)._split_scope(nodeid) == group


def test_the_files_that_share_the_pictured_account_are_those_that_ask_for_it() -> None:
    asking = {path.stem for path in Path(__file__).parent.rglob("test_*.py") if "gallery)" in path.read_text()}
    assert asking - {Path(__file__).stem} == PICTURED


def test_tests_that_share_an_id_are_distinguished_by_their_names(request: pytest.FixtureRequest) -> None:
    items = [marked(request, name) for name in ("test_call[GET /a/]", "test_call[GET /b/]", "test_alone")]
    for item in items[:2]:  # as items of made-up calls come
        item._id = request.node.parent.id.child("test_call")
    name_apart(items)
    parent = request.node.parent.nodeid
    assert [item.nodeid for item in items] == [f"{parent}::{item.name}" for item in items]


def test_two_tests_of_one_name_are_refused(request: pytest.FixtureRequest) -> None:
    with pytest.raises(pytest.UsageError, match="test_twice"):
        name_apart([marked(request, "test_twice"), marked(request, "test_twice")])


def test_browsers_start_before_processes_and_both_before_the_rest(request: pytest.FixtureRequest) -> None:
    items = [
        marked(request, "test_sum"),
        marked(request, "test_kill", pytest.mark.processes),
        marked(request, "test_page", pytest.mark.processes, pytest.mark.browser),
        marked(request, "test_difference"),
    ]
    assert [item.name for item in sorted(items, key=start_rank)] == [
        "test_page",
        "test_kill",
        "test_sum",
        "test_difference",
    ]


def marked(request: pytest.FixtureRequest, name: str, *marks: pytest.MarkDecorator) -> pytest.Item:
    item = pytest.Function.from_parent(request.node.parent, name=name, callobj=marked)
    for mark in marks:
        item.add_marker(mark)
    return item
