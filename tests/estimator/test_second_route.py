"""Estimates against their own link lists: random designs, counted twice by ways that share nothing."""

from typing import Any

from hypothesis import given, settings

from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError
from estimator.handoff.formats import FORMATS
from estimator.link_list import link_list
from estimator.pipeline import estimate
from estimator.spec import parse_spec
from tests.estimator.random_designs import requests
from tests.estimator.second_route import differences

CATALOG = load_catalog()


def both_routes(request: dict[str, Any]) -> list[str]:
    """What differs between the Estimate of a request and its link lists; refused as the estimator refuses."""
    spec = parse_spec(request, CATALOG)
    (made,) = estimate([spec], CATALOG, ("counts", "bom", "cost"))
    said = made.as_json()
    lists = {role: b"".join(FORMATS["csv"].write(link_list(spec, CATALOG, role))).decode() for role in said["fabrics"]}
    return differences(said, lists)


@settings(max_examples=60, deadline=None)
@given(requests())
def test_counts_modules_watts_and_cents_are_those_of_the_link_list(request: dict[str, Any]) -> None:
    try:
        found = both_routes(request)
    except EstimatorError:
        return  # no such design; other tests say why
    assert not found
