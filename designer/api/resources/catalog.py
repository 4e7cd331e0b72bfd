"""The catalog over REST: its kinds, and the records of a kind with search and filters."""

from collections.abc import Callable, Mapping
from typing import Any

from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from designer.api.base import ApiView, Pages, query_of
from designer.api.errors import Refusal, refuse
from designer.api.schema import catalog as schema
from designer.api.serializers import CatalogQuery, NoQuery
from estimator.catalog.catalog import KINDS
from estimator.catalog.loader import load_catalog
from estimator.errors import Problem
from estimator.record import Given, Json
from estimator.workloads.models.listing import KIND as MODELS
from estimator.workloads.models.listing import model_records, models_version

Record = Given
ALL_KINDS = (*KINDS, MODELS)
LIMITS: dict[str, Callable[[float, float], bool]] = {
    "min": lambda value, limit: value >= limit,
    "max": lambda value, limit: value <= limit,
}


class CatalogView(ApiView):
    """The kinds of records there are."""

    @schema.catalog_kinds
    def get(self, request: Request) -> Response:
        query_of(request, NoQuery)
        catalog = load_catalog()
        kinds = [
            {
                "kind": kind,
                "count": len(_records_of(kind)[0]),
                "url": request.build_absolute_uri(reverse("api:catalog-kind", kwargs={"kind": kind})),
            }
            for kind in ALL_KINDS
        ]
        return Response({"version": catalog.version, "kinds": kinds})


class CatalogKindView(ApiView):
    """Records of one kind."""

    pagination_class = Pages

    @schema.catalog_records
    def get(self, request: Request, kind: str) -> Response:
        if kind not in ALL_KINDS:
            raise refuse(404, "not_found", f"The catalog has no kind {kind!r}. Kinds: {', '.join(ALL_KINDS)}.", "kind")
        records, version = _records_of(kind)
        columns = list(dict.fromkeys(key for record in records for key in record))
        names = [key for key in request.query_params if key not in CatalogQuery().fields]
        query = query_of(request, CatalogQuery, also=names)
        keep = _filters(request.query_params, names, columns)
        search = query.get("search", "").casefold()
        found = [r for r in records if all(test(r) for test in keep) and (not search or _mentions(r, search))]
        pages = Pages()
        page = pages.paginate_queryset(found, request, self)
        answer = pages.get_paginated_response(page)
        answer.data["version"] = version
        return answer


def _records_of(kind: str) -> tuple[list[Json], str]:
    """Records of a kind, and the version of the files that they are from: models have a file of their own."""
    if kind == MODELS:
        return model_records(), models_version()
    catalog = load_catalog()
    return catalog.records(kind), catalog.version


def _filters(query: Mapping[str, str], names: list[str], columns: list[str]) -> list[Callable[[Record], bool]]:
    """A test for each filter of the query; unknown columns and limits that are no numbers are refused together."""
    tests, problems = [], []
    for name in names:
        column, _, limit = name.partition("__")
        if column not in columns or (limit and limit not in LIMITS):
            known = f"Columns: {', '.join(columns)}; of numbers also __min and __max."
            message = f"There is no filter {name[:80]!r} here. {known}"
            problems.append(Problem(name[:80], "unknown_parameter", message))
        elif limit and _number(query[name]) is None:
            problems.append(
                Problem(name, "not_a_number", f"{name} takes a number, and {query[name][:40]!r} was given.")
            )
        else:
            tests.append(_limit(column, limit, query[name]) if limit else _equal(column, query[name]))
    if problems:
        raise Refusal(400, "invalid_request", problems)
    return tests


def _equal(column: str, wanted: str) -> Callable[[Record], bool]:
    """True for records whose value, or one of whose values, reads like this; letter case does not count."""
    text, number = wanted.casefold(), _number(wanted)

    def test(record: Record) -> bool:
        value = record.get(column)
        return any(
            text == _text(item) or (_is_number(item) and item == number)
            for item in (value if isinstance(value, (list, tuple)) else [value])
        )

    return test


def _limit(column: str, limit: str, wanted: str) -> Callable[[Record], bool]:
    """True for records whose number keeps the limit; a record without a number there does not."""
    bound = float(wanted)
    return lambda record: _is_number(record.get(column)) and LIMITS[limit](record[column], bound)


def _mentions(value: Any, search: str) -> bool:
    if isinstance(value, Mapping):
        return any(_mentions(item, search) for item in value.values())
    if isinstance(value, (list, tuple)):
        return any(_mentions(item, search) for item in value)
    return search in _text(value)


def _text(value: Any) -> str:
    return "" if value is None else str(value).casefold()


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
