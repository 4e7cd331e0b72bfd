"""A refusal never breaks the form: by plain POST and live it keeps what was typed and says why beside its field."""

import html
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.forms.design import DesignForm
from designer.models import Design
from designer.services.designs.samples import SAMPLES
from designer.services.designs.saving import save_design

pytestmark = pytest.mark.django_db
FORM = {"name": "Mine", "compute__server": "dgx-h100", "size": "1024", "size_unit": "gpus", "fabric__generation": "ndr"}
WRONG = "-7e99<x>"  # is of no field's kind
BOXES = ("CheckboxInput", "HiddenInput")
FIELDS = sorted(
    {name for name, field in DesignForm().fields.items() if type(field.widget).__name__ not in BOXES} - {"name"}
)
REFUSED: dict[str, dict[str, str]] = {
    "tiers": {"fabric__tiers": "1"},
    "ratio": {"fabric__oversubscription": "0:1"},
    "part": {"fabric__leaf_switch": "no-such-switch"},
    "size": {"size": "9000000"},
}


def beside(text: str, name: str) -> str:
    found = re.search(rf'data-error-of="{name}">(.*?)</p>', text, re.DOTALL)
    return found[1].strip() if found else ""


def test_every_field_that_refuses_says_so_and_keeps_its_text(page: Client) -> None:
    answer = page.post(reverse("design-new"), FORM | dict.fromkeys(FIELDS, WRONG))
    text = html.unescape(answer.text)
    assert answer.status_code == 422
    said = [name for name in FIELDS if beside(text, name)]
    assert len(said) > 60, "parts, and fields of networks and plans that are off, are read once the others are right"
    assert {answer.context["form"].data[name] for name in FIELDS} == {WRONG}
    assert text.count(WRONG) > len(said), "in the fields that take any text, and in the sentences"


@pytest.mark.parametrize("wrong", REFUSED.values(), ids=REFUSED)
def test_a_refused_design_is_kept_as_typed_and_comes_back(page: Client, owner: User, wrong: dict[str, Any]) -> None:
    answer = page.post(reverse("design-new"), FORM | wrong)
    assert answer.status_code == 422
    form = answer.context["form"]
    assert {name: form.data.get(name) for name in FORM | wrong} == FORM | wrong
    assert form.errors
    row = save_design(owner, SAMPLES[0].spec())
    live = page.post(reverse("edit", args=[row.pk]), FORM | wrong, headers={"HX-Request": "true"})
    assert (live.status_code, "preview-problems" in live.text) == (200, True)
    assert "data-problem-field" in live.text
    shown = page.get(reverse("design", args=[row.pk]))
    assert {name: shown.context["form"][name].value() for name in wrong} == wrong, "over a reload"
    assert "The figures are those of the last state that could be built." in shown.text
    page.post(reverse("edit", args=[row.pk]), FORM, headers={"HX-Request": "true"})
    assert Design.objects.get(pk=row.pk).now.given["compute"] == {"server": "dgx-h100", "gpus": 1024}


NOTES = re.compile(r'<span class="figure-note" title="([^"]*)">')


@pytest.mark.parametrize("wrong", REFUSED.values(), ids=REFUSED)
def test_figures_of_the_state_that_holds_keep_their_notes_over_a_reload(
    page: Client, owner: User, wrong: dict[str, Any]
) -> None:
    """The strip stood there whole when the value was refused; whoever loads the page then reads the same."""
    row = save_design(owner, SAMPLES[0].spec())
    address = reverse("design", args=[row.pk])
    before = page.get(address)
    page.post(reverse("edit", args=[row.pk]), FORM | wrong, headers={"HX-Request": "true"})
    after = page.get(address)
    assert all(NOTES.findall(before.text))
    assert NOTES.findall(after.text) == NOTES.findall(before.text)
    assert after.context["findings"] == before.context["findings"]
    assert "of the last state that could be built" in after.text
    beside_baseline = page.post(reverse("baselines", args=[row.pk]), {"name": "B"}, headers={"HX-Request": "true"})
    assert NOTES.findall(beside_baseline.text) == NOTES.findall(before.text)
