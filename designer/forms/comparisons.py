"""Forms of comparisons: what to compare, and what to change of one."""

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


class ChangeForm(AskForm):
    """What to change of a comparison: ``do`` it, to a side in its place, by its label; or another name."""

    do, side, label, name = hidden(), hidden(), hidden(), hidden()
