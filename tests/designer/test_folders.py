"""Folders of the web app: few files in each, and no template, style or script that nothing uses."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from django.template import Engine

BASE_DIR = Path(__file__).resolve().parent.parent.parent
TEMPLATES, STATIC = BASE_DIR / "templates", BASE_DIR / "static"
MOST_MODULES, MOST_FILES = 15, 20
NAMES = sorted(str(path.relative_to(TEMPLATES)) for path in TEMPLATES.rglob("*.html"))
ASSETS = sorted(path.relative_to(STATIC) for path in STATIC.rglob("*") if path.suffix in (".css", ".js"))


def counts(root: Path, *endings: str) -> Counter[str]:
    """Files of these endings in each folder below a root."""
    found = [path for path in root.rglob("*") if path.suffix in endings and path.name != "__init__.py"]
    return Counter(str(path.parent.relative_to(BASE_DIR)) for path in found)


def sources(root: Path, *endings: str) -> str:
    """All files of these endings below a root as one text."""
    return "\n".join(path.read_text() for path in sorted(root.rglob("*")) if path.suffix in endings)


@pytest.mark.parametrize("folder", ["designer", "tests/designer"])
def test_no_folder_has_more_modules_than_a_reader_takes_in(folder: str) -> None:
    found = counts(BASE_DIR / folder, ".py")
    assert len(found) > 5
    assert {name: n for name, n in found.items() if n > MOST_MODULES} == {}


@pytest.mark.parametrize("root", [TEMPLATES, STATIC], ids=lambda root: root.name)
def test_no_folder_has_more_files_than_a_reader_takes_in(root: Path) -> None:
    found = counts(root, ".html", ".css", ".js")
    assert len(found) > 5
    assert {name: n for name, n in found.items() if n > MOST_FILES} == {}


def test_every_package_of_the_app_is_one_with_an_empty_init() -> None:
    """A folder without it is found by Python, and neither by Django's loaders nor by import-linter.

    That of ``models`` names all models, as Django needs it.
    """
    packages = {path.parent for path in (BASE_DIR / "designer").rglob("*.py")}
    assert not [package for package in packages if not (package / "__init__.py").exists()]
    assert not [
        path
        for path in (BASE_DIR / "designer").rglob("__init__.py")
        if path.read_text() and path.parent.name not in ("config", "models")
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_template_loads(name: str) -> None:
    assert Engine.get_default().get_template(name).name == name


def test_no_template_is_left_that_nothing_shows() -> None:
    text = sources(BASE_DIR / "designer", ".py") + sources(TEMPLATES, ".html")
    tabs = re.compile(r"designer/result/_tab_\w+\.html")  # named by their word in the address
    by_code = re.compile(r"\d{3}\w*\.html")  # Django looks for these itself
    rest = [name for name in NAMES if not tabs.fullmatch(name) and not by_code.fullmatch(name)]
    assert [name for name in rest if name not in text] == []
    assert set(re.findall(r"designer/[\w/-]+\.html", text)) <= set(NAMES)


def test_a_page_has_its_style_and_script_from_the_blocks_of_its_base() -> None:
    """One of each and the scheme: few requests. A library that is large and on few pages stays apart."""
    loading = re.compile(r'<link rel="stylesheet"|<script(?=[^>]* src=)')
    loads = {name: loading.findall((TEMPLATES / name).read_text()) for name in NAMES}
    assert {name: len(found) for name, found in loads.items() if found} == {
        "designer/base.html": 3,
        "designer/error.html": 2,
        "designer/api_docs.html": 2,
        "designer/design/design.html": 1,
        "designer/calibrations/new.html": 1,
        "designer/result/bringup/archive.html": 1,
        "designer/result/bringup/checklist.html": 1,
    }
    libraries = [
        re.findall(r"{% block library %}(.*?){% endblock %}", (TEMPLATES / name).read_text()) for name in NAMES
    ]
    assert {text for found in libraries for text in found if text} == {
        "<script src=\"{% static 'django_htmx/htmx-2.min.js' %}\" defer></script>"
    }


def test_no_style_or_script_is_left_that_nothing_loads() -> None:
    text = sources(BASE_DIR / "designer", ".py") + sources(TEMPLATES, ".html")
    imported = {
        (STATIC / asset).parent.joinpath(name).resolve().relative_to(STATIC)
        for asset in ASSETS
        for name in re.findall(r'(?:from|import|@import) (?:url\()?"([^"]+)"', (STATIC / asset).read_text())
    }
    assert [str(asset) for asset in ASSETS if str(asset) not in text and asset not in imported] == []
    named = {Path(name) for name in re.findall(r"designer/[\w/-]+\.(?:css|js)\b", text)}
    assert named | imported <= set(ASSETS)
