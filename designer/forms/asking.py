"""What small forms share: what a service refuses stands beside its field, and what was typed stays."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from django import forms

from designer.wording.findings import problem_words
from estimator.errors import EstimatorError, Problem
from estimator.spec.price_book import MAX_NAME


def ask(
    label: str,
    help_text: str = "",
    choices: Iterable[tuple[str, str]] = (),
    unit: str = "",
    *,
    is_wide: bool = False,
    **attrs: Any,
) -> forms.CharField:
    """A field for a text, or for one of ``choices``; ``attrs`` are those of its HTML element."""
    widget = forms.Select(attrs, choices) if choices else forms.TextInput(attrs)
    field = forms.CharField(required=False, label=label, help_text=help_text, widget=widget)
    vars(field).update(unit=unit, is_wide=is_wide)  # for the template
    return field


def hidden() -> forms.CharField:
    """A field that a page sends along."""
    return forms.CharField(required=False, strip=False, widget=forms.HiddenInput())


def number_of(text: Any) -> Any:
    """What was typed as a number; text that is none stays, and the rules of the request say what is wrong."""
    plain = str(text or "").replace(",", "").replace("$", "").replace(" ", "")
    if not plain:
        return None
    for kind in (int, float):
        try:
            return kind(plain)
        except ValueError:
            continue
    return str(text)


def read_json(value: Any) -> Any:
    """A value, or the one that a text says in JSON; None where it says none."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return None


def mapping_of(value: Any) -> Mapping[str, Any]:
    """An object, or the one that a text says; an empty one for anything else."""
    value = read_json(value)
    return value if isinstance(value, Mapping) else {}


class AskForm(forms.Form):
    """A form of texts without rules of its own."""

    def texts(self, *names: str) -> dict[str, str]:
        """What was typed, by field; "" where nothing was sent."""
        self.is_valid()
        return {name: self.cleaned_data.get(name) or "" for name in names or self.fields}

    def text(self, name: str) -> str:
        """What was typed in one field."""
        return self.texts(name)[name]

    def refusing(self) -> "Refusing":
        """Put what a service refuses inside of the block beside the fields, and go on behind it."""
        return Refusing(self)

    def refuse(self, problems: Iterable[Problem]) -> None:
        """Put problems beside their fields, and those of no field above them."""
        self.is_valid()
        for problem in problems:
            field = self.field_of(problem)
            self.add_error(field, forms.ValidationError(problem_words(problem), code=problem.code))

    def field_of(self, problem: Problem) -> str | None:
        """The field that a problem is about."""
        return problem.field if problem.field in self.fields else None


class NameForm(AskForm):
    """What a thing is called."""

    name = ask("Name", maxlength=MAX_NAME, required=True, autocomplete="off")


class Refusing:
    """What a service refuses inside of the block stands beside the fields of a form."""

    def __init__(self, form: AskForm) -> None:
        self._form = form

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> bool:
        if isinstance(error, EstimatorError):
            self._form.refuse(error.problems)
        return isinstance(error, EstimatorError)
