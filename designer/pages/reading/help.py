"""What every field and head figure says of itself: texts are data (``estimator/docs/help.csv``), names are the form's."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from django.utils.text import slugify

from designer.forms.design import SIZE_LABEL
from designer.forms.keys import KEYS, SIZE, SIZE_UNIT
from designer.forms.layout import GROUPS
from designer.forms.networks import OTHERS, ROLE_FIELDS, ROLE_KEYS
from designer.forms.parts.cables import LABEL as CABLES_LABEL
from designer.forms.parts.cables import OWN_CABLES
from designer.wording.context import Context
from designer.wording.figures import RESULT_FIGURES, RESULT_TITLES
from designer.wording.glossary import DOCS, term_anchor
from designer.wording.query import has_all
from designer.wording.strip import NAMES

TEXTS = DOCS / "help.csv"
FIGURES = NAMES  # of the strip of key figures
COST_FIGURES = {
    "cost.total_cost": "Total cost",
    "cost.purchase_price": "Purchase price",
    "cost.outlay_in_year_0": "Outlay in year 0",
    "cost.running_cost_a_year": "Running cost a year",
    "cost.per_gpu": "Per GPU",
    "cost.per_gpu_hour": "Per GPU-hour",
    "cost.per_gb_s_of_bisection": "Per Gb/s of bisection",
    "cost.per_gb_s_of_bus_bandwidth": "Per GB/s of bus bandwidth",
    "cost.per_million_tokens": "Per million tokens",
}


@dataclass(frozen=True)
class HelpText:
    """One field or figure: what it is, why it matters, how it is worked out, where that is from, and where to read on."""

    key: str
    title: str
    what: str
    why: str
    formula: str
    source: str
    doc: str
    terms: tuple[str, ...]

    @property
    def doc_name(self) -> str:
        """The document that says more, without its section; "" for none."""
        return self.doc.partition("#")[0]

    @property
    def doc_anchor(self) -> str:
        """The section of that document; "" for all of it."""
        return self.doc.partition("#")[2]

    @property
    def term_links(self) -> list[tuple[str, str]]:
        """Terms of the glossary with their anchors."""
        return [(term, term_anchor(term)) for term in self.terms]


@cache
def help_texts() -> dict[str, HelpText]:
    """Every text by key, in the file's order."""
    names = titles()
    with TEXTS.open(newline="", encoding="utf-8") as file:
        texts = [_text(names, **row) for row in csv.DictReader(file)]
    return {text.key: text for text in texts}


def _text(names: dict[str, str], *, key: str, terms: str, **others: str) -> HelpText:
    found = tuple(term.strip() for term in terms.split(",") if term.strip())
    return HelpText(key=key, title=names[key], terms=found, **others)


def titles() -> dict[str, str]:
    """What the page calls each field and figure, by the key of its help."""
    names = {path: str(key.info.title) for path, key in KEYS.items()} | {SIZE: SIZE_LABEL, OWN_CABLES: CABLES_LABEL}
    names |= {path: label for path, (label, _) in ROLE_FIELDS.items()}
    names |= {help_key(path): str(key.info.title) for path, key in ROLE_KEYS.items()}
    return names | FIGURES | COST_FIGURES | RESULT_TITLES


def help_key(name: str) -> str:
    """The key of a form field's help: "fabric__tiers" → "fabric.tiers"; fields of all other networks share one text."""
    path = name.replace("__", ".")
    if path == SIZE_UNIT:
        return SIZE
    head, _, rest = path.partition(".")
    _, _, last = rest.partition(".")
    return f"{OTHERS}.{last}" if head == OTHERS and last else path


def cost_key(figure_name: str) -> str:
    """The key of a head figure of the cost tab, by its name: "Total cost over 4 years" → "cost.total_cost"."""
    return next(
        (
            key
            for key, title in COST_FIGURES.items()
            if figure_name == title or (title == "Total cost" and figure_name.startswith("Total cost"))
        ),
        "",
    )


def help_groups(words: Sequence[str] = ()) -> Iterator[Context]:
    """Texts by the blocks of the form, then those of figures; with words those that have all of them, and no empty group."""
    for key, title, names in _groups():
        texts = [text for name in names if (text := help_texts().get(name)) and has_all(words, *_said(text))]
        if texts or not words:
            yield {"key": key, "title": title, "texts": texts}


def _said(text: HelpText) -> tuple[str, ...]:
    return text.title, text.what, text.why, text.formula, text.source, *text.terms


def _groups() -> Iterator[tuple[str, str, Iterable[str]]]:
    for group in GROUPS:
        yield group.key, group.title, dict.fromkeys(help_key(path) for path in (*group.main, *group.more))
    yield "figures", "Key figures", FIGURES
    yield "cost", "Cost figures", COST_FIGURES
    for title, figures in RESULT_FIGURES.items():
        yield slugify(title), title, figures
