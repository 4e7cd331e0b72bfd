"""How controls of forms become HTML: Django's templates for Jinja2, and ours before them."""

from functools import cached_property
from pathlib import Path
from typing import Any

from django.forms.renderers import Jinja2


class FormRenderer(Jinja2):
    """A select writes its options itself: a page has thousands, and Django's includes two templates for each."""

    @cached_property
    def engine(self) -> Any:
        """Templates of ``jinja2/`` beside this file, then Django's."""
        django = super().engine
        dirs = [Path(__file__).parent / "jinja2", *django.template_dirs]
        return self.backend({"APP_DIRS": False, "DIRS": dirs, "NAME": "djangoforms", "OPTIONS": {}})
