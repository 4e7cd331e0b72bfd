"""What the verbs of workloads answer the forms of the tab: kept, and refused by the names of the forms' fields."""

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

from designer.forms.asking import AskForm
from estimator.catalog.catalog import Catalog
from estimator.catalog.loader import load_catalog
from estimator.errors import SpecError
from estimator.record import Json

Answer = TypeVar("Answer")


def asking(
    verb: Callable[[Any, Catalog], Any],
    read: Callable[[Any], Answer],
    form: type[AskForm],
    fields: Mapping[str, str],
    kept: int,
) -> Callable[[Json], Answer]:
    """A verb that takes one request; ``read`` makes a record of its answer.

    Parameters
    ----------
    form : its fields have what was typed; ``fields`` are the names that it has for other keys of a request.
    kept : answers. Each change of the tab shows all of its parts, and changes one.

    Raises
    ------
    SpecError
        By the call that is returned, with what is wrong by the names of the form's fields.
    """
    names = {name: name for name in form.base_fields} | dict(fields)

    @lru_cache(maxsize=kept)
    def answer(request: str) -> Answer:
        return read(verb(json.loads(request), load_catalog()))

    def field_of(key: str) -> str:
        return next((names[part] for part in key.split(".") if part in names), key)

    def ask(request: Json) -> Answer:
        try:
            return answer(json.dumps(request, sort_keys=True))
        except SpecError as error:
            raise SpecError([problem.named(field_of(problem.field)) for problem in error.problems]) from None

    return ask
