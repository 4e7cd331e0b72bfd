"""What templates are given."""

from typing import Any

Context = dict[str, Any]  # of a template, or one row that a page makes for it
