"""Words keep up with code: error codes in api.md, settings in the README, catalog columns in columns.csv."""

import ast
import csv
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.urls import resolve
from rest_framework import exceptions

from designer.api import serializers, urls
from designer.services.bounded_json import MAX_DEPTH
from estimator.performance.prediction import MAX_ROWS

ROOT = Path(__file__).parent.parent
API_DOC = ROOT / "designer" / "docs" / "api.md"
CATALOG = ROOT / "estimator" / "catalog"
DOCS = ROOT / "estimator" / "docs"
CODE_POSITION = {
    "_unsound": 0,
    "Problem": 1,
    "saying": 1,
    "refuse": 1,
    "Refusal": 1,
    "AuthenticationFailed": 1,
    "ErrorDetail": 1,
    "fail_with": 0,
    "Finding": 0,
    "UnreadableFile": 0,
}
# Never sent: the base class's own code. Only the command line's, whose words are its own usage.
NOT_IN_THE_API = {"refused", "bad_command", "cannot_read", "not_json", "too_large"}
FRAMEWORK_ERRORS = (
    exceptions.NotAuthenticated,
    exceptions.AuthenticationFailed,
    exceptions.PermissionDenied,
    exceptions.NotFound,
    exceptions.MethodNotAllowed,
    exceptions.UnsupportedMediaType,
    exceptions.Throttled,
)


def sources() -> Iterator[Path]:
    for package in ("estimator", "designer"):
        yield from sorted((ROOT / package).rglob("*.py"))


def literals(node: ast.AST) -> Iterator[str]:
    """Codes that a piece of code names: arguments of what takes a code, and values of anything called code."""
    if isinstance(node, ast.Call):
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        place = CODE_POSITION.get(name)
        found = (
            []
            if place is None
            else [*node.args[place : place + 1], *(k.value for k in node.keywords if k.arg == "code")]
        )
    elif isinstance(node, ast.Assign):
        found = [node.value] if "code" in [target.id for target in node.targets if isinstance(target, ast.Name)] else []
        pairs = [t for t in node.targets if isinstance(t, ast.Tuple) and isinstance(node.value, ast.Tuple)]
        for pair in pairs:
            names = [getattr(target, "id", "") for target in pair.elts]
            found += [v for n, v in zip(names, getattr(node.value, "elts", []), strict=False) if n == "code"]
    elif isinstance(node, ast.Dict):
        found = [
            v for k, v in zip(node.keys, node.values, strict=True) if isinstance(k, ast.Constant) and k.value == "code"
        ]
    else:
        found = []
    for value in found:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield value.value


@cache
def codes_in_code() -> set[str]:
    trees = [ast.parse(path.read_text()) for path in sources()]
    found = {code for tree in trees for node in ast.walk(tree) for code in literals(node)}
    found |= {error.default_code for error in FRAMEWORK_ERRORS}
    checked = (
        serializers.DesignQuery,
        serializers.EstimateQuery,
        serializers.CatalogQuery,
        serializers.BomQuery,
    )
    found |= {code for query in checked for field in query().fields.values() for code in field.error_messages}
    return found - NOT_IN_THE_API


def test_every_error_code_is_in_the_api_document() -> None:
    codes = codes_in_code()
    assert {"invalid_spec", "out_of_range", "two_tier_too_small", "csrf_failed", "body_too_large", "throttled"} <= codes
    documented = set(re.findall(r"`([a-z_]+)`", API_DOC.read_text()))
    assert not sorted(codes - documented)


def test_the_api_document_names_no_code_that_is_gone() -> None:
    named = set()
    for line in API_DOC.read_text().splitlines():
        if match := re.match(r"\| (?:\d{3} \| )?((?:`[a-z_]+`(?:, )?)+) \|", line):
            named |= set(re.findall(r"`([a-z_]+)`", match[1]))
    assert len(named) > 40
    assert not sorted(named - codes_in_code())


def test_every_address_of_the_api_is_in_its_document() -> None:
    text = API_DOC.read_text()
    patterns = [str(pattern.pattern) for pattern in urls.urlpatterns if pattern.name != "unknown"]
    for pattern in patterns:
        shown = re.sub(r"<\w+:(\w+)>", lambda match: "{id}" if match[1] == "pk" else f"{{{match[1]}}}", pattern)
        assert f"/api/v1/{shown}" in text, shown
    for address in re.findall(r"`(?:GET|POST|PATCH|DELETE) (/api/v1/[^`]+)`", text):
        path = (
            address.replace("{id}", "00000000-0000-4000-8000-000000000000")
            .replace("{number}", "1")
            .replace("{kind}", "gpus")
        )
        assert resolve(path).url_name != "unknown", address


def test_the_limits_in_the_api_document_are_those_of_the_settings() -> None:
    text = API_DOC.read_text()
    rates: Any = settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"]
    for rate in (rates[scope] for scope in ("user", "heavy", "anon")):
        assert f"| {rate.removesuffix('/min')} a minute" in text, rate
    assert f"| {settings.ACTIVE_JOBS_PER_USER} (`DESIGNER_ACTIVE_JOBS_PER_USER`) |" in text
    assert f"| {settings.MAX_BODY_BYTES:,} bytes, {MAX_DEPTH} levels deep |" in text
    assert f"| {MAX_ROWS:,} |" in text
    assert f"| {settings.MAX_LINK_FILE_BYTES:,} bytes; {rates['heavy'].removesuffix('/min')} a minute |" in text


def test_every_setting_is_in_the_readme() -> None:
    names = {name for path in sources() for name in re.findall(r"\bDESIGNER_[A-Z_]+\b", path.read_text())}
    assert {"DESIGNER_VAR", "DESIGNER_SECRET_KEY", "DESIGNER_ALLOWED_HOSTS"} <= names
    readme = (ROOT / "README.md").read_text()
    assert not sorted(name for name in names if not re.search(rf"\b{name}\b", readme))


def test_every_catalog_column_is_explained() -> None:
    with (CATALOG / "columns.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    explained = {(row["file"], row["column"]) for row in rows}
    present = set()
    for path in CATALOG.glob("*.csv"):
        if path.name == "columns.csv":  # it explains the others
            continue
        with path.open(newline="") as file:
            present |= {(path.name, column) for column in next(csv.reader(file))}
    assert len(present) > 100
    assert not sorted(present - explained)
    assert not sorted(explained - present)
    assert all(row["meaning"].strip() for row in rows)


def test_decisions_are_numbered_without_a_gap_and_say_what_was_turned_down() -> None:
    pages = sorted((ROOT / "estimator" / "docs" / "decisions").glob("*.md"))
    assert [page.name[:5] for page in pages] == [f"{number:04}-" for number in range(1, len(pages) + 1)]
    for page in pages:
        text = page.read_text()
        assert text.startswith(f"# {page.name[:4]} "), page.name
        for part in ("Context", "Decision", "Turned down", "Would change our mind"):
            assert f"**{part}.**" in text, (page.name, part)


GUIDES = (DOCS / "architecture.md", *sorted((DOCS / "how-to").glob("*.md")))
PLACES = (ROOT, ROOT / "estimator", ROOT / "designer", CATALOG, DOCS)


def paths_in(text: str) -> set[str]:
    """Files and folders that a text names in code; what it leaves to the reader is in capitals, an address begins with /."""
    named = {name for code in re.findall(r"`([^`\n]+)`", text) for name in re.findall(r"[\w./-]+", code)}
    is_path = re.compile(r"[a-z_.][\w.-]*(/[\w.-]*)+|[\w-]+\.(py|csv|md|js|toml)").fullmatch
    return {name for name in named if is_path(name) and not re.search(r"[A-Z]{3}", name)}


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_every_file_that_a_guide_names_is_there(guide: Path) -> None:
    named = paths_in(guide.read_text())
    assert len(named) > 3
    assert not sorted(name for name in named if not any((place / name).exists() for place in PLACES))


def test_the_guides_have_every_package_and_the_readme_leads_to_them() -> None:
    text = (DOCS / "architecture.md").read_text()
    tower = text.split("```")[1]
    named = set(re.findall(r"\w+", " ".join(line.split("  ")[0] for line in tower.splitlines())))
    folders = (ROOT / "estimator").iterdir()
    modules = {path.stem for path in folders if path.suffix == ".py" or (path / "__init__.py").exists()} - {"__init__"}
    assert named == modules
    assert all(f"how-to/{path.name}" in text for path in GUIDES[1:])
    assert len(GUIDES) == 7
    where = (ROOT / "README.md").read_text().split("## Where things are")[1]
    assert "estimator/docs/architecture.md" in where
    assert "estimator/docs/how-to/" in where
    linked = {name for name in paths_in(where) if name.endswith(".md")}
    assert not sorted(name for name in linked if not (ROOT / name).exists() and not (DOCS / name).exists())
