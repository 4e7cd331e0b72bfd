"""Published designs come out as printed, row by row, and slips of their sources are never matched."""

import json
from fractions import Fraction
from typing import Any

import pytest

from estimator.catalog.loader import load_catalog
from estimator.pipeline import estimate
from estimator.published.designs import DATA, PublishedDesign, Slip, compared, figure_of, published
from estimator.result import Estimate
from estimator.spec.parse import parse_spec

CATALOG = load_catalog()
DESIGNS, SLIPS = published().designs, published().slips


def estimate_of(design: PublishedDesign) -> Estimate:
    (made,) = estimate([parse_spec(design.inputs, CATALOG)], CATALOG, design.parts)
    return made


@pytest.mark.parametrize("design", DESIGNS.values(), ids=lambda design: design.id)
def test_every_row_comes_out_as_printed(design: PublishedDesign) -> None:
    rows = compared(design, estimate_of(design))
    assert rows
    assert [row for row in rows if not row.is_same] == []


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: f"{slip.case} {slip.figure}")
def test_a_slip_is_not_matched_and_what_was_meant_is(slip: Slip) -> None:
    computed = figure_of(estimate_of(DESIGNS[slip.case]), slip.figure)
    assert computed == slip.meant
    assert computed != slip.printed
    assert slip.why


def test_all_slips_that_are_known_are_explained() -> None:
    """The web table of the H100 (three), B300 XDR of 18 units, BasePOD's fibres, Juniper's leaves."""
    assert {(slip.printed, slip.meant) for slip in SLIPS} == {
        (1024, 0),
        (2048, 0),
        (56, 64),
        (9216, 10368),
        (16, 32),
        (4096, 512),
    }


def test_no_printed_row_carries_a_slip() -> None:
    printed = {(design.id, row.figure): row.printed for design in DESIGNS.values() for row in design.rows}
    assert not [slip for slip in SLIPS if printed.get((slip.case, slip.figure)) == slip.printed]


def test_every_case_has_a_name_of_its_own_a_source_and_inputs_under_that_name() -> None:
    data = json.loads(DATA.read_text())
    assert len({case["id"] for case in data["cases"]}) == len(data["cases"])
    assert len({case["name"] for case in data["cases"]}) == len(data["cases"])
    assert {case["source"] for case in data["cases"]} <= set(data["sources"])
    assert all(case["inputs"]["name"] == case["name"] for case in data["cases"])


def test_sums_quotients_and_bills_are_read() -> None:
    stored: dict[str, Any] = {
        "fabrics": {
            "compute": {"counts": {"leaf": 12, "spine": 5}, "attached": [{"kind": "pdu", "of": "", "ports": 7}]}
        },
        "bom": {"lines": [{"part": "x", "quantity": 2}, {"part": "y", "quantity": 9}, {"part": "x", "quantity": 3}]},
    }
    result = Estimate.from_json(stored)
    assert figure_of(result, "compute.counts.leaf+compute.counts.spine") == 17
    assert figure_of(result, "compute.counts.leaf/compute.counts.spine") == Fraction(12, 5)
    assert figure_of(result, "bom.x") == 5
    assert figure_of(result, "compute.attached.pdu") == 7


def test_a_row_that_differs_says_so() -> None:
    design = DESIGNS["dgx-h100-ndr-su1-ufm"]
    stored = estimate_of(design).as_json()
    stored["fabrics"]["compute"]["counts"]["spine"] += 1
    assert [one.row.figure for one in compared(design, Estimate.from_json(stored)) if not one.is_same] == [
        "compute.counts.spine"
    ]
