"""Words that a network engineer would not write stay out of every text: templates, messages, scripts and documents.

The page of preferred words says what to write in their place: ``estimator/docs/words.md``.
"""

import ast
import csv
import math
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
WORDS = ROOT / "estimator" / "docs" / "words.md"
OF_VENDORS = ("estimator/quotes/profile.py", "estimator/quotes/words.py")  # patterns of what quotes print
HISTORY = ("changes.md", "decisions")  # what was once written, as it was written
QUOTED = ("item", "quote", "seen_at")  # columns of tables: how the page that had a price calls the part
FORMS = "form_factor"  # mechanical forms: a superchip is a module
NAME = re.compile(r"[a-z0-9]+([-_.:/#]\S*)+")  # ids, keys and addresses
OF_PRODUCTS = re.compile(  # names of products and pages, as their vendors print them
    "ConnectX-7 Cedar module|Luxoptx: 800G optical module|NADDOD InfiniBand adapter collection|table 6: network modules"
)
CONSTANTS = re.compile(r"^(\w+(?:, \w+)*) = ((?:\d[\d_.]*(?:e-?\d+|\*\*\d+)?(?:, )?)+)", re.MULTILINE)
LIMIT = re.compile("_?(MAX_|MOST_|LARGEST|LONGEST)")
BARE = re.compile(r"\{([A-Z_]+)(?::g)?\}")  # in a message, as Python prints it
NEVER = {
    "reported, given": r"\b(un)?told\b",
    "current": r"\bin sight\b",
    "is not compatible, does not support": r"\bdo(es)? not do\b(?! \w)",
    "costs 12 % more": r"\bdearer\b|\bas dear as\b",
    "your price book": r"\bown (price )?book\b",
    "the RoCE (or InfiniBand) alternative": r"\bsiblings?\b",
    "uneven": r"\bloose(ly)?\b",
    "oversubscription (built)": r"\bbuilt ratio\b|\bleaf ratio\b",
    "bill of materials": r"\bbills?\b(?! of materials?\b)",
    "NICs, HCAs": r"\badapters?\b",
    "exports": r"\bhand-?offs?\b",
    "requested": r"\basked for\b",
    "compared with": r"\bheld against\b",
    "fix, correct": r"\bmend(s|ed|ing)?\b",
    "again": r"\banew\b",
    "vendor": r"\bmakers?\b",
    "manually": r"\bset by hand\b",
}
NEVER_ON_PAGES = {"transceivers": r"\bmodules?\b"}  # a document may speak of modules of Python


def found(text: str, patterns: dict[str, str]) -> list[str]:
    return [
        f"{match[0]!r}: write {write!r}"
        for write, pattern in patterns.items()
        for match in re.finditer(pattern, text, re.IGNORECASE)
    ]


def messages(path: Path) -> Iterator[str]:
    """String literals of a module that are words: not its docstrings, nor keys, names and patterns of text."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    holders = [node for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)]
    docstrings = {id(node.body[0].value) for node in holders if node.body and isinstance(node.body[0], ast.Expr)}
    in_f_strings = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "…" for part in node.values]
            yield "".join(str(part) for part in parts)
        elif (
            isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings | in_f_strings
        ):
            yield node.value


def is_words(text: str) -> bool:
    return " " in text.strip() and not re.search(r"\\[bdsw]|\(\?", text)


def of_templates() -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / "templates").rglob("*.html")):
        text = re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", " ", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        attributes = re.findall(r'\b(?:title|aria-label|placeholder|alt|data-label)="([^"]*)"', text)
        yield path.name, " | ".join([re.sub(r"<[^>]*>", " | ", text), *attributes])


def of_code() -> Iterator[tuple[str, str]]:
    for package in ("estimator", "designer"):
        for path in sorted((ROOT / package).rglob("*.py")):
            place = path.relative_to(ROOT).as_posix()
            if place not in OF_VENDORS:
                yield place, " | ".join(text for text in messages(path) if is_words(text))


def of_scripts() -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / "static" / "designer" / "js").rglob("*.js")):
        code = re.sub(r"^\s*//.*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        texts = [re.sub(r"\$\{[^}]*\}", "…", a or b) for a, b in re.findall(r'"([^"\n]*)"|`([^`]*)`', code)]
        yield path.name, " | ".join(text for text in texts if is_words(text))


def of_documents() -> Iterator[tuple[str, str]]:
    docs = sorted((ROOT / "estimator").rglob("*.md"))
    for path in [ROOT / "README.md", ROOT / "designer" / "docs" / "api.md", *docs]:
        if path != WORDS and not {path.name, path.parent.name} & set(HISTORY):
            text = re.sub(r"^```.*?^```", " ", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
            yield path.name, re.sub(r"``.*?``|`[^`]*`|\]\([^)]*\)", " ", text)


def of_tables() -> Iterator[tuple[str, str]]:
    """Cells that help, pages and exports print: of the catalog, of published designs and measured cases, of help."""
    for path in sorted((ROOT / "estimator").rglob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            for line, row in enumerate(csv.DictReader(file, restval=""), 2):
                cells = (cell for name, cell in row.items() if name not in (*QUOTED, FORMS))
                words = " | ".join(cell for cell in cells if not NAME.fullmatch(cell))
                yield f"{path.name}:{line}", OF_PRODUCTS.sub("…", words)


@pytest.mark.parametrize("texts", [of_templates, of_code, of_scripts, of_tables], ids=lambda texts: texts.__name__)
def test_texts_of_pages_and_messages_are_in_the_words_of_the_field(texts) -> None:
    wrong = {place: words for place, text in texts() if (words := found(text, NEVER | NEVER_ON_PAGES))}
    assert not wrong


def constants(source: str) -> Iterator[tuple[str, float]]:
    for names, numbers in CONSTANTS.findall(source):
        for name, number in zip(names.split(", "), numbers.split(", "), strict=False):
            yield name, math.inf if "**" in number else float(number or 0)


def test_limits_in_messages_are_printed_with_their_thousands_apart() -> None:
    paths = [path for package in ("estimator", "designer") for path in (ROOT / package).rglob("*.py")]
    sources = {path: path.read_text(encoding="utf-8") for path in paths}
    large = {
        name for text in sources.values() for name, value in constants(text) if value >= 1000 and LIMIT.match(name)
    }
    assert {"MAX_RATIO_SIDE", "MAX_LINKS", "MAX_INTEGER", "LARGEST", "LONGEST"} <= large
    bare = {
        (place, name)
        for place, text in sources.items()
        for name in large.intersection(BARE.findall(text))
        if dict(constants(text)).get(name, math.inf) >= 1000
    }
    assert not bare


def test_documents_are_in_the_words_of_the_field() -> None:
    wrong = {place: words for place, text in of_documents() if (words := found(text, NEVER))}
    assert not wrong


def test_the_page_of_words_names_each_of_them() -> None:
    """What fails here is explained there: each pattern finds something in its column "not"."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in WORDS.read_text(encoding="utf-8").splitlines()]
    refused = " | ".join(cells[1] for cells in rows if len(cells) == 3)
    assert not [
        pattern for pattern in (NEVER | NEVER_ON_PAGES).values() if not re.search(pattern, refused, re.IGNORECASE)
    ]
