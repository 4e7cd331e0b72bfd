"""Entries of pages: linked, they are what a browser makes of the files themselves, and what is not read is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders

from designer.config.static_files import ENTRIES
from designer.runtime.bundles import CannotLink, linked
from tests.processes import BASE_DIR

STATIC = BASE_DIR / "static"
FILES = [path for folder in ENTRIES for path in sorted((STATIC / folder).iterdir())]


@pytest.fixture
def write(tmp_path):
    """Writes files, and gives the path of the first."""

    def write(**texts: str) -> Path:
        for name, text in texts.items():
            (tmp_path / name.replace("_", ".")).write_text(text)
        return tmp_path / next(iter(texts)).replace("_", ".")

    return write


def test_a_module_comes_once_before_those_that_import_it_and_in_a_scope_of_its_own(write):
    entry = write(
        page_js='import "./a.js";\nimport "./b.js";\n',
        a_js='import {\n  take,\n  KEY,\n} from "./both.js";\nconst own = take(KEY);\n',
        b_js='import { take } from "./both.js";\n\nconst own = take("b");\nconst load = () => import(own);\n',
        both_js="export const KEY = 1;\nexport async function take(key) {\n  return key;\n}\n",
    )
    text = linked(entry)
    assert re.findall(r"^// .*?(\w+\.js)$", text, re.MULTILINE) == ["both.js", "a.js", "b.js", "page.js"]
    assert re.findall(r"^(?:import|export)\b", text, re.MULTILINE) == []
    assert "return { KEY, take };\n})();" in text
    assert "const m1 = (() => {\nconst {\n  take,\n  KEY,\n} = m0;\nconst own = take(KEY);\n" in text
    assert "const load = () => import(own);" in text, "an address that is known when it is asked for stays as it is"


def test_rules_come_in_the_order_of_the_imports_and_those_for_paper_apart(write):
    entry = write(
        page_css='@import url("kit.css");\n@import url("b.css");\n@import url("paper.css") print;\n',
        kit_css='/* both */\n@import url("a.css");\n',
        a_css="a { color: red; }\n",
        b_css="a { color: blue; }\n@media print {\n  a { color: black; }\n}\n",
        paper_css="a { color: grey; }\n",
    )
    assert linked(entry) == (
        "/* both */\na { color: red; }\na { color: blue; }\n@media print {\n  a { color: black; }\n}\n"
        "@media print {\na { color: grey; }\n}\n"
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("page_js", 'import * as all from "./a.js";\n'),
        ("page_js", 'import { a as b } from "./a.js";\n'),
        ("page_js", 'import { a } from "library";\n'),
        ("page_js", "export default 1;\n"),
        ("page_js", "export let count = 0;\n"),
        ("page_js", "const one = 1;\nexport { one };\n"),
        ("page_js", 'const later = await import("./a.js");\n'),
        ("page_js", 'import "./page.js";\n'),
        ("page_css", '@import "a.css";\n'),
        ("page_css", '@import url("a.css") screen;\n'),
    ],
)
def test_what_is_not_read_is_refused_by_its_file(name, text, write):
    with pytest.raises(CannotLink, match=re.escape(name.replace("_", "."))):
        linked(write(**{name: text}, a_js="export const a = 1;\n"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_entry_has_all_that_it_imports(path):
    text = linked(path)
    assert not re.search(r"^(?:@import|import|export)\b", text, re.MULTILINE)
    assert finders.find(str(path.relative_to(STATIC)))
    names = re.findall(r"^// (\S+\.js)$", text, re.MULTILINE)
    assert len(names) == len(set(names))


def test_who_may_only_look_has_no_script_that_sends_edits():
    scripts = {
        name: linked(STATIC / "designer/js/entry" / f"{name}.js")
        for name in ("design", "design_watched", "design_version")
    }
    assert [name for name, text in scripts.items() if "// session/sending.js" in text] == ["design"]
