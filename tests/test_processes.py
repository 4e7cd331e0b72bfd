"""An app that all processes of a run share: started once, stopped when the last has done with it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import processes
from tests.processes import app_of_all


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """What befell the apps, none of which is real, of a run of its own."""
    befell: list[str] = []

    @contextlib.contextmanager
    def running(var: Path) -> Iterator[SimpleNamespace]:
        befell.append("started")
        yield SimpleNamespace(url=f"http://{var.name}")
        befell.append("stopped")

    monkeypatch.setattr(processes, "shared_folder", lambda: tmp_path)
    monkeypatch.setattr(processes, "prepare", lambda var: var)
    monkeypatch.setattr(processes, "running_app", running)
    return befell


def test_an_app_is_started_once_and_stopped_when_the_last_has_done_with_it(started: list[str]) -> None:
    first, second = app_of_all(), app_of_all()
    url = first.__enter__().url
    assert second.__enter__().url == url
    leaving = threading.Thread(target=first.__exit__, args=(None, None, None))
    leaving.start()
    leaving.join(0.1)
    assert leaving.is_alive(), "whoever started it waits for the other"
    assert started == ["started"]
    second.__exit__(None, None, None)
    leaving.join(5)
    assert started == ["started", "stopped"]


def test_who_comes_after_the_end_has_an_app_of_its_own(started: list[str]) -> None:
    with app_of_all() as one:
        pass
    with app_of_all() as other:
        assert other.url != one.url
    assert started == ["started", "stopped"] * 2


def test_who_comes_while_the_first_waits_for_others_is_not_given_an_app_that_ends(started: list[str]) -> None:
    first, second = app_of_all(), app_of_all()
    url = first.__enter__().url
    second.__enter__()
    leaving = threading.Thread(target=first.__exit__, args=(None, None, None))
    leaving.start()
    while processes.shared_folder().joinpath("app-of-all").exists():
        leaving.join(0.01)
    with app_of_all() as late:
        assert late.url != url
    second.__exit__(None, None, None)
    leaving.join(5)
    assert started == ["started", "started", "stopped", "stopped"]
