"""The layers, and the one arrow between them: designer → estimator.jobs → estimator.

Which package of the core may import which stands in pyproject.toml (``lint-imports``); here is what a linter cannot see.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import grimp
import networkx
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

BASE_DIR = Path(__file__).resolve().parent.parent
CORE_PATHS = sorted(
    path
    for path in (BASE_DIR / "estimator").rglob("*.py")
    if "jobs" not in path.relative_to(BASE_DIR).parts and path.name != "__main__.py"
)
BARRED = ("django", "celery", "kombu", "rest_framework", "designer", "estimator.jobs")
SLOW = ("networkx", "scipy")
MOST_MODULES = 15
MOST_TABLES = 30
LONGEST_CHAINS = [(["estimator"], 16), (["designer"], 16), (["estimator", "designer"], 26)]  # of modules
BY_HAND = "# fmt: " + "skip"
MOST_SUBSCRIPTS = 138
OF_DJANGO = {  # mappings of a framework or a document of others: what was sent, settings, bound fields, headers, a schema
    *("GET", "POST", "FILES", "META", "session", "headers", "query_params", "data"),
    *("environ", "settings", "options", "schema"),
    *("fields", "cleaned_data", "errors", "form", "self"),
}
READ = ("estimator.tables.pdf",)  # what reads a PDF, in a process of its own
PRINTED = (
    "estimator.pdf",
    "estimator.bringup.crew_pack.printed",
    "estimator.bringup.acceptance.exports.signed",
)  # what makes a PDF, loaded when one is made
ALLOWED = {*sys.stdlib_module_names, "numpy", "networkx", "scipy", "pydantic", "pydantic_core", "estimator"}


def module_name(path: Path) -> str:
    name = ".".join(path.relative_to(BASE_DIR).with_suffix("").parts)
    return name.removesuffix(".__init__")


def imports_of(path: Path) -> set[str]:
    """Every module that a file imports, at its top or inside a function, as full dotted names."""
    package = module_name(path) if path.name == "__init__.py" else module_name(path).rpartition(".")[0]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(), filename=str(path))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*parents, node.module] if node.module else parents)
            found |= {base} | {f"{base}.{alias.name}" for alias in node.names}
    return found


def is_in(module: str, packages: tuple[str, ...] | set[str]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def test_the_core_is_found() -> None:
    names = {module_name(path) for path in CORE_PATHS}
    assert {"estimator.units", "estimator.spec", "estimator.fabric.sizing", "estimator.pipeline"} <= names


def test_importing_the_core_loads_no_web_framework_and_nothing_slow() -> None:
    names = [module_name(path) for path in CORE_PATHS] + ["estimator.__main__"]
    program = (
        "import importlib, sys\n"
        f"for name in {names!r}: importlib.import_module(name)\n"
        f"print([m for m in sys.modules if m.split('.')[0] in {(*BARRED, *SLOW)!r} or m.startswith('estimator.jobs')])"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=BASE_DIR, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


def test_the_locks_hold_every_package_that_a_package_of_theirs_needs() -> None:
    """They are installed as they stand: what is missing from them would be missing."""
    lists = [(BASE_DIR / name).read_text() for name in ("requirements.txt", "tests/requirements.txt")]
    for text in (lists[0], "".join(lists)):
        locked = {Requirement(line).name: line for line in re.findall(r"(?m)^[\w.-]+==\S+", text)}
        known = {canonicalize_name(name) for name in locked}
        needed = {
            (canonicalize_name(need.name), name)
            for name in locked
            for need in map(Requirement, metadata.requires(name) or [])
            if need.marker is None or need.marker.evaluate({"extra": ""})
        }
        assert {(need, by) for need, by in needed if need not in known} == set()


def test_the_process_that_reads_a_spreadsheet_starts_without_numpy() -> None:
    """numpy takes longer to load than the file of a price list takes to read."""
    program = "import sys, estimator.tables.child; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=BASE_DIR, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("path", CORE_PATHS, ids=module_name)
def test_a_core_module_imports_only_what_the_core_may(path: Path) -> None:
    imported = imports_of(path)
    assert not {module for module in imported if is_in(module, BARRED)}
    name = module_name(path)
    allowed = ALLOWED | ({"reportlab"} if is_in(name, PRINTED) else {"pypdf"} if is_in(name, READ) else set())
    assert {module.split(".")[0] for module in imported} <= allowed


def test_the_queue_does_not_know_the_web_app() -> None:
    for path in (BASE_DIR / "estimator" / "jobs").rglob("*.py"):
        assert not {module for module in imports_of(path) if is_in(module, ("designer", "rest_framework"))}, path


def test_a_folder_of_the_core_is_seen_at_a_glance() -> None:
    """At most MOST_MODULES modules lie in a folder; hand-off formats, one a module, are as many as they are."""
    for folder in sorted({path.parent for path in (BASE_DIR / "estimator").rglob("*.py")}):
        if folder != BASE_DIR / "estimator" / "handoff":
            modules = [path.name for path in folder.glob("*.py") if path.name != "__init__.py"]
            assert len(modules) <= MOST_MODULES, folder


@pytest.mark.parametrize(("packages", "most"), LONGEST_CHAINS, ids=["estimator", "designer", "both"])
def test_chains_of_imports_are_short(packages: list[str], most: int) -> None:
    """From a module down to the last that it needs; imports that only annotations need (TYPE_CHECKING) do not count."""
    graph = grimp.build_graph(*packages, exclude_type_checking_imports=True, cache_dir=None)
    arrows = [(name, used) for name in graph.modules for used in graph.find_modules_directly_imported_by(name)]
    chain = networkx.dag_longest_path(networkx.DiGraph(arrows))
    assert len(chain) <= most, " → ".join(chain)


@pytest.mark.parametrize("package", ["designer", "estimator/jobs"])
def test_importing_a_package_starts_nothing(package: str) -> None:
    assert (BASE_DIR / package / "__init__.py").read_text() == ""


def test_digits_are_those_that_int_takes() -> None:
    """str.isdigit() and str.isnumeric() hold of ² and ½, which int() refuses: is_whole_number() is what asks."""
    for folder in ("designer", "estimator"):
        for path in (BASE_DIR / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                assert not (isinstance(node, ast.Attribute) and node.attr in ("isdigit", "isnumeric")), path


def test_only_literal_tables_are_laid_out_by_hand() -> None:
    """What the formatter leaves alone is the value of a constant of its module, and there are few of them."""
    n_tables = 0
    for folder in ("designer", "estimator", "tests"):
        for path in (BASE_DIR / folder).rglob("*.py"):
            text = path.read_text()
            lines = {number for number, line in enumerate(text.splitlines(), 1) if BY_HAND in line}
            constants = {
                node.end_lineno
                for node in (ast.parse(text).body if lines else ())
                if isinstance(node, ast.Assign | ast.AnnAssign)
            }
            assert lines <= constants, f"{path}: {sorted(lines - constants)}"
            n_tables += len(lines)
    assert 0 < n_tables <= MOST_TABLES


def string_subscripts(text: str) -> list[str]:
    """``x["…"]`` of what is no mapping of a framework: results and rows that are read by strings."""
    found = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, str)
        and getattr(node.value, "attr", getattr(node.value, "id", "")) not in OF_DJANGO
    ]
    return [ast.unparse(node) for node in found]


def test_subscripts_are_distinguished_from_what_a_framework_gives() -> None:
    assert string_subscripts("""row["usd"] = rows[0]["usd"] + rows[key] + row.usd""") == [
        "row['usd']",
        "rows[0]['usd']",
    ]
    assert string_subscripts("""request.POST["name"], form["name"], answer.headers["Location"]""") == []


def test_pages_and_files_read_results_by_attributes() -> None:
    """A result, a row or a kept record is a typed record; few are read by strings, and none comes to them."""
    paths = sorted((BASE_DIR / "designer").rglob("*.py"))
    found = {str(path.relative_to(BASE_DIR)): string_subscripts(path.read_text()) for path in paths}
    assert 0 < sum(map(len, found.values())) <= MOST_SUBSCRIPTS, {
        name: several for name, several in found.items() if several
    }
