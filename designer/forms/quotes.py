"""Forms of quotes: a file and the design that it is for, its prices into a book, and which column is what."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django import forms

from designer.forms.asking import AskForm, ask
from designer.models import Design
from estimator.digits import is_whole_number
from estimator.errors import Problem, SpecError
from estimator.quotes.check import ReadQuote
from estimator.quotes.columns import FIELDS, GIVEN, Columns, is_enough, letter_of
from estimator.quotes.words import header_fields
from estimator.record import IfAny, Record
from estimator.spec.price_book import MAX_NAME
from estimator.tables.discounts import given_percent
from estimator.tables.file import MAX_FILE_BYTES, QuoteSheet

AUTO = "auto"  # the program's own match
MAX_VENDOR = 200
SHOWN_SHEETS = 12


class QuoteForm(AskForm):
    """A vendor's file, and the design that it is for."""

    design = ask("Design", choices=[("", "Choose one")], required=True)
    file = forms.FileField(required=False, allow_empty_file=True)
    vendor = ask("Vendor", maxlength=MAX_VENDOR, autocomplete="organization")
    name = ask("Name", maxlength=MAX_NAME, autocomplete="off", placeholder="The file’s name")

    def __init__(self, designs: Iterable[Design], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        widget: Any = self.fields["design"].widget
        widget.choices = [("", "Choose one"), *((str(design.pk), design.name) for design in designs)]
        limits = {"data-drop": True, "data-max-files": 1, "data-max-file-bytes": MAX_FILE_BYTES, "required": True}
        self.fields["file"].widget = forms.FileInput(
            limits
            | {"class": "drop", "accept": ".xlsx,.xlsm,.csv,.tsv,.txt,.pdf", "data-max-bytes": MAX_FILE_BYTES}
            | {"aria-describedby": "help_file error_file"}
        )

    def field_of(self, problem: Problem) -> str:
        """The field that a problem is about; what is wrong inside of the file stands beside that."""
        return problem.field if problem.field in self.fields else "file"


class TakeForm(AskForm):
    """Which book takes a quote's prices: one of the owner's, or a new one of this name."""

    book, name, as_of = ask("Book"), ask("Name of a new book"), ask("Day of the quote")


def match_of(posted: str) -> str | None:
    """What a choice of the form means: an item's key, None, or "auto"."""
    return {"": None, AUTO: AUTO}.get(posted, posted)


# ---------------------------------------------------------------- columns


class PostedColumns(Record):
    """What the form says of one sheet; without ``fields`` its columns are identified by its header row."""

    sheet: str
    header_row: int
    is_used: bool
    fields: IfAny[dict[str, int]]
    decimal: str | None
    currency: str | None
    discount: str | None = None


def posted_columns(posted: Mapping[str, str], read: ReadQuote) -> list[PostedColumns]:
    """What the form says of every sheet that it showed; the columns of another header row are identified by it."""
    out = []
    known = {columns.sheet: columns for columns in read.columns}
    for at, sheet in enumerate(read.table.sheets[:SHOWN_SHEETS]):
        prefix = f"sheet-{at}-"
        if f"{prefix}header_row" not in posted:
            continue
        text = posted[f"{prefix}header_row"].strip()
        row = int(text) if is_whole_number(text, 7) else -1
        is_used, fields = posted.get(f"{prefix}used") == "on", _posted_fields(posted, f"{prefix}column-")
        before = known[sheet.title].header_row if sheet.title in known else 0
        is_by_header = row != before and is_used and is_enough(header_fields(_header_of(sheet, row)))
        out.append(
            PostedColumns(
                sheet=sheet.title,
                header_row=row,
                is_used=is_used,
                fields=None if is_by_header else fields,
                decimal=posted.get(f"{prefix}decimal") or None,
                currency=posted.get(f"{prefix}currency") or None,
                discount=posted.get(f"{prefix}discount", "").strip() or None,
            )
        )
    return out


def _header_of(sheet: QuoteSheet, number: int) -> tuple[str, ...]:
    return next((tuple(row.cells) for row in sheet.rows if number and row.number == number), ())


def as_typed(asked: Sequence[PostedColumns], read: ReadQuote) -> ReadQuote:
    """The quote with columns as somebody has them in the form, whether or not they do."""
    sheets = {sheet.title: sheet for sheet in read.table.sheets}
    columns = []
    for one in asked:
        header = _header_of(sheets[one.sheet], one.header_row)
        columns.append(
            Columns(
                one.sheet,
                one.header_row if header else 0,
                header_fields(header) if one.fields is None else one.fields,
                header,
                decimal=one.decimal or ".",
                currency=one.currency,
                how=GIVEN,
                is_used=one.is_used,
                discount=discount_as_typed(one.discount),
            )
        )
    return ReadQuote(read.table, tuple(columns))


def discount_as_typed(text: str | None) -> float | None:
    """The discount of a form, where it is one: what is wrong with another is said once it is to be used."""
    try:
        percent = given_percent(text, "columns.discount")
    except SpecError:
        return None
    return float(percent) if percent is not None else None


def _posted_fields(posted: Mapping[str, str], prefix: str) -> dict[str, int]:
    """Field → place of one sheet's choices.

    Raises
    ------
    SpecError
        If two columns are called the same.
    """
    fields: dict[str, int] = {}
    for key, name in posted.items():
        place = key.removeprefix(prefix)
        if not key.startswith(prefix) or name not in FIELDS or not is_whole_number(place, 4):
            continue
        if name in fields:
            message = (
                f"Columns {letter_of(fields[name])} and {letter_of(int(place))} are both called {FIELDS[name].lower()}."
            )
            raise SpecError([Problem("columns", "column_twice", f"{message} Choose one of them.")])
        fields[name] = int(place)
    return fields
