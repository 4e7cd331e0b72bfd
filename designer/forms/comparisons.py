"""Forms of comparisons: what to compare, and what to change of one."""

from typing import Any

from django import forms

from designer.forms.asking import AskForm, hidden
from designer.wording.context import Context


def several() -> forms.Field:
    """Boxes of one name that are ticked."""
    return forms.Field(required=False, widget=forms.MultipleHiddenInput())


class PickForm(AskForm):
    """Several designs with one as the baseline, one design by several price books, or one on both families of network."""

    kind, one, baseline = hidden(), hidden(), hidden()
    design, book = several(), several()

    @property
    def ticked(self) -> list[str]:
        """Ids of the designs, as they were ticked or come from the page before."""
        return list(self["design"].value() or [])

    def items(self) -> tuple[list[Context], int]:
        """(items, baseline) of a comparison."""
        one, baseline = self.text("one"), self.text("baseline")
        match self.text("kind"):
            case "books":
                books = self.cleaned_data["book"] or []
                return [{"design": one, "price_book": book} for book in books], 0
            case "families":
                return [{"design": one}, {"sibling": 0}], 0
        at = self.ticked.index(baseline) if baseline in self.ticked else 0
        return [{"design": design} for design in self.ticked], at


class BoardForm(forms.Form):
    """What a paper for a board says of itself: title, the option that is recommended and why, a logo."""

    title = forms.CharField(required=False, max_length=120, label="Title")
    subtitle = forms.CharField(required=False, max_length=120, label="Below the title")
    reason = forms.CharField(
        required=False,
        max_length=600,
        label="Why",
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="In your words.",
    )
    logo = forms.FileField(required=False, label="Logo", help_text="PNG or SVG of 500 kB at most; it is not kept.")

    def __init__(self, labels: list[str], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["recommended"] = forms.TypedChoiceField(
            choices=[("", "As the figures say"), *enumerate(labels)],
            required=False,
            coerce=int,
            empty_value=None,
            label="Recommended option",
            help_text="Left open, the figures say.",
        )
        self.order_fields(["title", "subtitle", "recommended", "reason", "logo"])


class ChangeForm(AskForm):
    """What to change of a comparison: ``do`` it, to a side in its place, by its label; or another name."""

    do, side, label, name = hidden(), hidden(), hidden(), hidden()
