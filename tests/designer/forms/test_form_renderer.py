"""Controls as HTML: our template of a select against Django's own."""

from typing import Any

import pytest
from django import forms
from django.forms.renderers import Jinja2, get_default_renderer

from designer.config.form_renderer import FormRenderer

CHOICES = [("", "None"), ("a&b", "A < B"), ("Group", [("1", "One"), ("2", 'Two "2"')])]


@pytest.mark.parametrize("kind", [forms.Select, forms.SelectMultiple])
@pytest.mark.parametrize("value", [None, "a&b", ["1", "2"], 2])
@pytest.mark.parametrize("attrs", [{}, {"id": "id_x", "disabled": True, "required": False, "data-of": "a'<b>"}])
def test_a_select_is_as_djangos_own(kind: Any, value: Any, attrs: dict[str, Any]) -> None:
    own, django = (kind(choices=CHOICES).render("x", value, attrs, renderer=one()) for one in (FormRenderer, Jinja2))
    assert own == django
    assert isinstance(get_default_renderer(), FormRenderer)


def test_other_controls_are_djangos() -> None:
    widget = forms.CheckboxInput()
    assert widget.render("x", True, renderer=FormRenderer()) == widget.render("x", True, renderer=Jinja2())
