"""What goes into which cage, and which fibre into which transceiver: each rule by its code, on parts of several makers."""

import json

import pytest

from estimator.__main__ import main
from estimator.cabling.compatibility import (
    BLOCKED,
    MATCH,
    REVIEW,
    fiber_reasons,
    fit,
    fit_by_id,
    pair_reasons,
    verdict_on,
)
from estimator.cabling.result import Fit
from estimator.catalog.catalog import Catalog
from estimator.errors import SpecError
from tests.estimator.designs import design


def codes(found: Fit) -> list[str]:
    return [reason.code for reason in found.reasons]


@pytest.mark.parametrize(
    ("part", "switch", "verdict", "expected"),
    [
        ("nv-mma4z00-ns", "nvidia-qm9700", MATCH, []),
        ("nv-mcp4y10-n", "nvidia-qm9700", MATCH, []),
        ("nv-mma4z00-ns400", "nvidia-qm9700", BLOCKED, ["single_port_in_twin_cage"]),  # B8: no 400G plug in a twin cage
        ("nv-mms4x00-ns400", "nvidia-qm9790", BLOCKED, ["single_port_in_twin_cage"]),
        ("nv-mms4a20", "nvidia-q3400-ra", BLOCKED, ["single_port_in_twin_cage"]),
        ("nv-mma4z00-ns-flt", "nvidia-qm9700", BLOCKED, ["top_differs"]),  # flat top in an air-cooled switch
        ("nv-mms4a00", "nvidia-qm9700", BLOCKED, ["lane_rate_differs"]),  # 200G lanes in a cage of 100G lanes
        ("nv-mma4z00-ns", "nvidia-q3400-ra", BLOCKED, ["lane_rate_differs"]),  # and the other way round
        ("nv-mcp7y60-h", "nvidia-qm9700", REVIEW, ["speed_below_cage"]),  # NDR cage to two HDR NICs
        ("gen-800g-sr8", "nvidia-sn5600", REVIEW, ["vendor_coding"]),
        ("nv-mma4z00-ns", "arista-7060x6-64pe", REVIEW, ["vendor_coding"]),
        ("gen-800g-sr8", "nvidia-qm9700", BLOCKED, ["protocol_differs", "vendor_coding"]),
        ("nv-mfa1a00-e", "nvidia-qm9700", BLOCKED, ["connector_class"]),
        ("gen-100g-dac", "nvidia-sn3700", REVIEW, ["speed_below_cage", "vendor_coding"]),  # QSFP28 in QSFP56
        ("gen-25g-dac", "nvidia-sn2201", BLOCKED, ["connector_class", "vendor_coding"]),
    ],
)
def test_a_part_in_a_switch(catalog: Catalog, part: str, switch: str, verdict: str, expected: list[str]) -> None:
    found = fit(catalog.cables[part], catalog.switches[switch], catalog)
    assert (found.verdict, codes(found)) == (verdict, expected)
    for reason in found.reasons:
        assert reason.message.endswith(".")
        assert "{" not in reason.message


def test_ends_of_a_splitter_go_where_their_class_fits(catalog: Catalog) -> None:
    """Finned twin end up in the switch, flat single ends down in the NICs."""
    splitter = catalog.cables["nv-mcp7y00-n"]
    assert fit(splitter, catalog.switches["nvidia-qm9700"], catalog).verdict == MATCH
    assert fit(splitter, catalog.nics["nvidia-cx7-ndr-osfp"], catalog).verdict == MATCH
    assert codes(fit(splitter, catalog.switches["nvidia-sn4700"], catalog)) == ["connector_class"]


def test_servers_take_what_their_cages_take(catalog: Catalog) -> None:
    dgx, hgx = catalog.servers["dgx-h100"], catalog.servers["hgx-h100-8u"]
    assert fit(catalog.cables["nv-mma4z00-ns-flt"], dgx, catalog).verdict == MATCH
    assert "top_differs" in codes(fit(catalog.cables["nv-mma4z00-ns"], dgx, catalog))
    assert fit(catalog.cables["nv-mma4z00-ns400"], hgx, catalog).verdict == MATCH
    assert fit(catalog.cables["nv-mma4z00-ns-flt"], hgx, catalog).verdict == BLOCKED


def test_an_announced_part_is_to_be_reviewed(catalog: Catalog) -> None:
    announced = catalog.cables["nv-mma4z00-ns"]._replace(status="announced")
    found = fit(announced, catalog.switches["nvidia-qm9700"], catalog)
    assert (found.verdict, codes(found)) == (REVIEW, ["not_available"])


@pytest.mark.parametrize(
    ("module", "fibers", "length_m", "panels", "expected"),
    [
        ("nv-mma4z00-ns", ("fib-mfp7e10", "fib-mfp7e10"), 50, 2, []),
        ("nv-mma4z00-ns", ("fib-mfp7e20", "fib-mfp7e20"), 50, 0, []),
        ("nv-mma4z00-ns", ("fib-mfp7e10", "fib-mfp7e20"), 10, 0, ["mixed_fiber"]),  # B8: straight beside split
        ("nv-mma4z00-ns", ("fib-mfp7e10", "fib-mfp7e30"), 10, 0, ["fiber_differs", "mixed_fiber"]),
        ("nv-mma4z00-ns", ("fib-mpo12-om4",) * 2, 10, 0, ["fiber_differs"]),  # UPC on APC
        ("nv-mma4z00-ns", ("fib-mfp7e10",) * 2, 51, 0, ["reach_exceeded"]),  # B9
        ("nv-mma4z00-ns", ("fib-mpo12-om3-apc",) * 2, 30, 0, []),
        ("nv-mma4z00-ns", ("fib-mpo12-om3-apc",) * 2, 40, 0, ["reach_exceeded"]),
        ("nv-mma4z00-ns", ("fib-mfp7e10",) * 2, 30, 3, ["panels_exceeded"]),
        ("nv-mms4x00-nm", ("fib-mpo12-os2",) * 2, 500, 4, []),
        ("nv-mms4x00-nm", ("fib-mpo12-os2",) * 2, 501, 0, ["reach_exceeded"]),
        ("nv-mms4x00-ns", ("fib-mfp7e40",) * 2, 50, 0, []),
        ("nv-mms4x00-ns", ("fib-mfp7e40",) * 2, 51, 0, ["reach_exceeded"]),
        ("nv-mms4x50-nm", ("fib-lc-os2",) * 2, 2000, 0, []),
        ("nv-mms4x50-nm", ("fib-lc-os2",) * 2, 2001, 0, ["reach_exceeded"]),
        ("nv-mms4x50-nm", ("fib-mfp7e40",) * 2, 10, 0, ["lc_cannot_split"]),  # B8: FR4 on LC
        ("gen-400g-fr4", ("fib-mfp7e40",), 10, 0, ["lc_cannot_split"]),
        ("nv-mma1t00-hs", ("fib-mpo12-om3",), 70, 0, []),
        ("nv-mma1t00-hs", ("fib-mpo12-om3",), 71, 0, ["reach_exceeded"]),
    ],
)
def test_fibres_in_a_module(
    catalog: Catalog, module: str, fibers: tuple[str, ...], length_m: float, panels: int, expected: list[str]
) -> None:
    reasons = fiber_reasons(catalog.cables[module], [catalog.cables[f] for f in fibers], length_m, panels)
    assert list(dict.fromkeys(reasons)) == expected
    assert verdict_on(expected, module, "fibres").verdict == (BLOCKED if expected else MATCH)


def test_a_grade_that_the_maker_does_not_name_is_blocked(catalog: Catalog) -> None:
    unnamed = catalog.cables["nv-mma4z00-ns"]._replace(reach_om3_m=None)
    assert list(fiber_reasons(unnamed, [catalog.cables["fib-mpo12-om3-apc"]], 1, 0)) == ["grade_unknown"]


@pytest.mark.parametrize(
    ("upper", "lower", "expected"),
    [
        ("nv-mma4z00-ns", "nv-mma4z00-ns400", []),
        ("nv-mma4z00-ns", "nv-mms4x00-ns400", ["optics_differ"]),
        ("nv-mms4a00", "nv-mms4x00-ns400", ["lane_rate_differs"]),  # 200G lanes never see 100G lanes
        ("nv-mms4a00", "nv-mms4a20", []),
        ("nv-mma1t00-hs", "nv-mma1b00-e100", ["lane_rate_differs"]),
    ],
)
def test_two_modules_see_one_another(catalog: Catalog, upper: str, lower: str, expected: list[str]) -> None:
    assert list(pair_reasons(catalog.cables[upper], catalog.cables[lower])) == expected


SERVERS = ["dgx-h100", "hgx-h100-8u", "dgx-a100-640", "dgx-b300", "gaudi3-8u", "smc-8125gs-mi300x", "custom"]
GENERATIONS = ["edr", "hdr", "ndr", "xdr", "roce-100", "roce-200", "roce-400", "roce-800"]


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("generation", GENERATIONS)
@pytest.mark.parametrize("length_m", [1.0, 5.0, 30.0, 300.0])
def test_no_part_that_is_chosen_is_blocked(catalog: Catalog, server: str, generation: str, length_m: float) -> None:
    """cabling/media.py and this report rest on the same rules: what a design buys goes into its cages."""
    site = {"node_leaf_m": length_m, "leaf_spine_m": length_m}
    for run in design(catalog, server, 80, generation, site).plan.runs:
        for found in run.fits:
            assert found is None or found.verdict != BLOCKED, (run.choice, found)


def test_the_estimate_tells_what_to_review(catalog: Catalog) -> None:
    made = design(catalog, "smc-8125gs-mi300x", 64, "roce-400", leaf_switch="arista-7060x6-64pe")
    media = made.plan.media
    upper = media["leaf_spine"].runs[0].fit.upper
    assert upper
    assert (upper.verdict, [reason.code for reason in upper.reasons]) == (REVIEW, ["vendor_coding"])
    assert media["node_leaf"].runs[0].fit.as_json()["lower"] == {"verdict": MATCH, "reasons": []}


def test_ids_name_parts_and_places_of_any_kind(catalog: Catalog) -> None:
    assert fit_by_id("nv-mma4z00-ns400", "nvidia-qm9700", catalog).verdict == BLOCKED
    assert fit_by_id("nv-mma4z00-ns400", "nvidia-cx7-ndr-osfp", catalog).verdict == MATCH
    with pytest.raises(SpecError) as refused:
        fit_by_id("no-such", "nor-this", catalog)
    assert [(p.field, p.code) for p in refused.value.problems] == [("PART", "unknown_part"), ("PLACE", "unknown_part")]


def test_the_command_line_answers_for_one_part_and_one_place(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["fit", "nv-mma4z00-ns400", "nvidia-qm9700"]) == 0
    answer = json.loads(capsysbinary.readouterr().out)
    assert (answer["part"], answer["place"], answer["verdict"]) == ("nv-mma4z00-ns400", "nvidia-qm9700", "blocked")
    assert [reason["code"] for reason in answer["reasons"]] == ["single_port_in_twin_cage"]
    assert main(["fit", "no-such", "nvidia-qm9700"]) == 2
