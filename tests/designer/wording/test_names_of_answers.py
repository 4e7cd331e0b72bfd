"""Codes of answers as pages name them: limits, classes of parts, and bands in one unit; sources stay as they are written."""

import json

import pytest

from designer.charts.all_reduce import busbw_chart
from designer.charts.scaling import size_chart
from designer.exports.tables import Column, Table, in_words_of
from designer.pages.result.failures import CLASSES
from designer.wording.headlines import LIMIT_NAMES, limit_name
from designer.wording.numbers import NO_BREAK_SPACE, Chosen, gb_s_span, reading
from designer.wording.trays import said_in_markup
from estimator.catalog.loader import load_catalog
from estimator.cost.reliability import _CABLE_ROWS
from estimator.performance import bandwidth
from estimator.performance.result import Performance
from estimator.pipeline import estimate
from estimator.spec.parse import parse_spec
from estimator.workloads.serving.answer import CAPACITY, COMMUNICATION, COMPUTE, MEMORY, OVERHEAD, PROMPTS

RACKS = {"compute": {"server": "gb200-tray", "gpus": 576}, "fabric": {"generation": "ndr"}}


def performance_of(values: dict[str, object]) -> Performance:
    catalog = load_catalog()
    (made,) = estimate([parse_spec(values, catalog)], catalog, parts=("counts", "performance"))
    assert made.performance
    return made.performance


def test_every_limit_has_a_name_without_codes() -> None:
    serving = {CAPACITY, COMMUNICATION, COMPUTE, MEMORY, OVERHEAD, PROMPTS}
    assert set(LIMIT_NAMES) <= {*bandwidth.LIMITS, *serving}
    assert all("_" not in limit_name(one) for one in (*bandwidth.LIMITS, *serving))
    assert limit_name("rack network channels") == "channels between racks"
    assert limit_name(MEMORY) == "memory bandwidth"
    assert limit_name("NIC") == "NIC"
    assert limit_name(None) == "–"


def test_no_page_of_a_rack_system_has_the_codes_of_limits() -> None:
    found = performance_of(RACKS).predicted_all_reduce
    assert found
    assert "rack network channels" in {one for row in found.limited_by for one in row}
    notes = [cell["note"] for row in busbw_chart(found).table.rows for cell in row["cells"]]
    assert any("channels between racks" in note for note in notes)
    assert not [note for note in notes if any(code in note for code in LIMIT_NAMES)]


def test_every_class_of_parts_that_fail_has_a_name() -> None:
    kinds = {"optic" if kind == "transceiver" else kind for kind in _CABLE_ROWS}
    assert {"gpu", "host", "nic", "switch", *kinds} <= set(CLASSES)


@pytest.mark.parametrize(
    ("low", "high", "in_bytes", "in_bits"),
    [
        (313.2, 426.1, "313 to 426 GB/s", "2,506 to 3,409 Gb/s"),
        (0.000645, 0.00126, "645 kB/s to 1.26 MB/s", "5.16 to 10.1 Mb/s"),
    ],
)
def test_a_band_is_in_the_unit_of_its_figure(low: float, high: float, in_bytes: str, in_bits: str) -> None:
    assert gb_s_span(low, high).replace(NO_BREAK_SPACE, " ") == in_bytes
    with reading(lambda: Chosen(in_bits=True)):
        assert gb_s_span(low, high).replace(NO_BREAK_SPACE, " ") == in_bits


def test_bands_of_charts_follow_the_unit_that_the_reader_chose() -> None:
    """The drawn figure was in Gb/s and the ends of its band in GB/s, without a unit."""
    performance = performance_of({"compute": {"server": "dgx-h100", "nodes": 16}, "fabric": {"generation": "ndr"}})
    found = performance.predicted_all_reduce
    assert found
    with reading(lambda: Chosen(in_bits=True)):
        note = size_chart(found, "all_reduce", "busbw", {}).table.rows[-1]["cells"][-1]["note"]
        hover = json.dumps(busbw_chart(found).spec, ensure_ascii=False)
    assert "Gb/s; " in note
    assert f"{NO_BREAK_SPACE}GB/s" not in note + hover
    assert f"{NO_BREAK_SPACE}Gb/s), " in hover


def test_sources_speak_of_the_servers_of_others() -> None:
    markup = '<th>A node</th><td translate="no">four <b>nodes</b> of H100</td><td title="a server">node</td>'
    assert (
        said_in_markup(markup, "tray")
        == '<th>A tray</th><td translate="no">four <b>nodes</b> of H100</td><td title="a tray">tray</td>'
    )
    table = Table("T", (Column("name", "Node"), Column("evidence", "Source")), (("A node", "Four nodes of H100"),))
    said = in_words_of(table, parse_spec(RACKS, load_catalog()))
    assert said.rows == (("A tray", "Four nodes of H100"),)
