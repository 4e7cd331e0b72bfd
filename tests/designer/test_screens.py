"""The command line of the pictures: help is help, and a word that is no page is refused before anything is drawn."""

from pathlib import Path

import pytest

from tests.designer.screens import main


@pytest.mark.parametrize("arguments", [["--help"], ["take", "--help"], ["take", "-h"], ["compare", "--help"]])
def test_help_is_printed_and_nothing_is_drawn(
    arguments: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("usage: python -m tests.designer.screens")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "arguments", [[], ["take"], ["look", "x"], ["take", "x", "no-such-page"], ["take", "--folder"]]
)
def test_what_it_does_not_know_is_refused(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert not list(tmp_path.iterdir())
