"""The fabric diagram: few glyphs whatever the size, blocks that add up to the fabric, and the same facts in words."""

import re
from xml.etree import ElementTree

import pytest

from designer.drawings.overview import (
    MAX_COLUMNS,
    MAX_GLYPHS,
    fabric_picture,
    fabric_svg,
    part_names,
    plan_of,
    shown_columns,
)
from designer.drawings.tiers import BELOW
from designer.forms.design import DesignForm
from designer.services.designs.samples import SAMPLES
from estimator.catalog.loader import load_catalog
from estimator.pipeline import estimate
from estimator.spec.parse import parse_spec

SVG = "{http://www.w3.org/2000/svg}"


def design(nodes, server="dgx-h100", generation="ndr", **fabric):
    return {"compute": {"server": server, "nodes": nodes}, "fabric": {"generation": generation, **fabric}}


DESIGNS = {
    **{sample.key: sample.values for sample in SAMPLES},
    "one-node": design(1),
    "one-leaf": design(4, tiers=1),
    "unit-and-a-bit": design(33),
    "many-units": design(256),
    "rail-only": design(64, layout="rail-only"),
    "rail-only-three-tiers": design(18, layout="rail-only", tiers=3, leaf_downlinks=1, pod_nodes=1),
    "top-of-rack": design(100, layout="top-of-rack"),
    "three-pods": design(2048),
    "pods-of-racks": design(
        288, server="gb200-tray", tiers=3, scalable_unit_nodes=18, pod_nodes=144, leaf_downlinks=18, leaf_uplinks=18
    ),
    "top-of-rack-three-tiers": design(4096, layout="top-of-rack", generation="roce-400", tiers=3),
    "four-planes": {
        "compute": {"server": "custom", "nodes": 512, "gpus_per_node": 8, "nics_per_node": 8, "nic_ports_per_node": 32},
        "fabric": {"generation": "roce-200", "leaf_switch": "custom", "leaf_radix": 256, "planes": 4},
    },
    "largest": design(65_536, layout="top-of-rack", generation="roce-400", tiers=3),
}


@pytest.fixture(scope="module", params=list(DESIGNS), ids=list(DESIGNS))
def drawn(request):
    catalog = load_catalog()
    (result,) = estimate([parse_spec(DESIGNS[request.param], catalog)], catalog, parts=("counts", "links", "bom"))
    svg = fabric_svg(result)
    return result, svg, ElementTree.fromstring(svg)


@pytest.fixture(scope="module")
def fields():
    return set(DesignForm().fields)


def squares_of(root, kind="glyph"):
    """Squares of switches, each a rectangle in the group of its box and tier."""
    return [rect for group in root.iter(f"{SVG}g") if group.get("class").startswith(kind) for rect in group]


def test_glyphs_stay_few(drawn):
    _, svg, root = drawn
    glyphs = squares_of(root)
    assert 0 < len(glyphs) <= MAX_GLYPHS
    assert len(svg) < 60_000


def test_nothing_is_drawn_outside_the_picture_or_over_a_neighbour(drawn):
    _, _, root = drawn
    width, height = (float(value) for value in root.get("viewBox").split()[2:])
    boxes = [rect for rect in root.iter(f"{SVG}rect") if rect.get("class") == "box"]
    for rect in root.iter(f"{SVG}rect"):
        assert float(rect.get("x")) >= 0
        assert float(rect.get("x")) + float(rect.get("width")) <= width
        assert float(rect.get("y")) + float(rect.get("height")) <= height
    for rect in root.iter(f"{SVG}rect"):
        if rect.get("class") is None:
            x, y = float(rect.get("x")), float(rect.get("y"))
            assert any(
                float(b.get("x")) <= x
                and x + float(rect.get("width")) <= float(b.get("x")) + float(b.get("width"))
                and float(b.get("y")) <= y <= float(b.get("y")) + float(b.get("height"))
                for b in boxes
            )


def test_labels_of_bundles_stand_between_the_tiers_and_clear_of_each_other(drawn):
    _, _, root = drawn
    sides = {
        kind: [
            [float(rect.get(key)) for key in ("x", "y", "width", "height")]
            for rect in root.iter(f"{SVG}rect")
            if rect.get("class") == kind
        ]
        for kind in ("box", "tag")
    }
    for k, (x, y, width, height) in enumerate(sides["tag"]):
        for x1, y1, width1, height1 in sides["box"] + sides["tag"][:k]:
            assert x + width <= x1 or x1 + width1 <= x or y + height <= y1 or y1 + height1 <= y


def test_bundles_end_within_the_boxes_they_join(drawn):
    _, _, root = drawn
    spans = [
        (float(r.get("x")), float(r.get("x")) + float(r.get("width")))
        for r in root.iter(f"{SVG}rect")
        if r.get("class") == "box"
    ]
    paths = [path.get("d") for path in root.iter(f"{SVG}path")]
    assert paths or len(spans) == 1
    for x0, x1 in (ends for d in paths for ends in re.findall(r"M([\d.]+) [^M]*?([\d.]+) [\d.]+(?=M|$)", d)):
        assert all(any(left <= float(x) <= right for left, right in spans) for x in (x0, x1))


def test_its_words_name_every_count(drawn):
    fabric, root = drawn[0].compute, drawn[2]
    words = root.find(f"{SVG}desc").text
    for tier in ("leaf", "spine", "core"):
        number = getattr(fabric.counts, tier)
        assert not number or f"{number:,}" in words
    for name in ("node_leaf", "leaf_spine", "spine_core"):
        assert not getattr(fabric.links, name) or f"{getattr(fabric.links, name):,} links" in words


def test_blocks_add_up_to_the_fabric(drawn):
    fabric = drawn[0].compute
    plan = plan_of(fabric)
    columns = shown_columns(plan.columns)
    assert len(columns) <= MAX_COLUMNS
    assert sum(column.stands_for for column in columns) == len(plan.columns)
    for tier, attribute, key in (
        ("node", "n_nodes", "nodes"),
        ("leaf", "n_leaf", "leaf"),
        ("spine", "n_spine", "spine"),
        ("core", "n_core", "core"),
    ):
        numbers = [getattr(column, attribute) for column in plan.columns]
        if tier not in plan.spans and all(numbers):
            assert sum(numbers) == getattr(fabric.counts, key)


def test_it_stands_alone_as_a_file(drawn):
    _, svg, _ = drawn
    assert "var(" not in svg
    assert "<a " not in svg
    assert not re.search(r"\sstyle=|<style|<script|\son\w+=", svg)


def test_every_block_of_a_page_s_picture_leads_to_fields_of_the_form(drawn, fields):
    result, _, _ = drawn
    picture = fabric_picture(result)
    root = ElementTree.fromstring(picture.svg)
    inside = [rect for link in root.iter(f"{SVG}a") for rect in link.iter(f"{SVG}rect") if rect.get("class") == "box"]
    assert len(inside) == sum(rect.get("class") == "box" for rect in root.iter(f"{SVG}rect")) > 0
    for link in root.iter(f"{SVG}a"):
        names = link.get("data-fields").split()
        assert set(names) <= fields
        assert link.get("href") == f"#id_{names[0]}"
        assert link.get("aria-label")
    stops = [link.get("data-about", "") for link in root.iter(f"{SVG}a") if link.get("tabindex") is None]
    assert sorted(stops) == sorted(tier.key for tier in picture.tiers), "a stop of the Tab key for each tier and lane"


def test_cables_between_tiers_say_part_number_length_and_price_with_its_basis(drawn):
    result, _, _ = drawn
    for tier in fabric_picture(result).tiers:
        if tier.key not in BELOW.values():
            continue
        bought = [line for line in tier.lines if line.category != "transceiver"]
        assert sum(line.quantity for line in bought) == getattr(result.compute.cables, tier.key)
        assert all(
            line.length_m and line.description and (line.price_basis or not line.unit_price_usd) for line in bought
        )
        assert f"{getattr(result.compute.links, tier.key):,} links" in tier.words


def test_a_part_s_name_is_text():
    catalog = load_catalog()
    (result,) = estimate([SAMPLES[0].spec()], catalog)
    bill = result.bom.but(lines=[line.but(description='<script>"&') for line in result.bom.lines])
    svg = fabric_svg(result.but(bom=bill))
    ElementTree.fromstring(svg)  # parses: the text was escaped
    assert "<script>" not in svg


def test_the_sample_shows_its_four_units():
    catalog = load_catalog()
    svg = fabric_svg(estimate([SAMPLES[0].spec()], catalog)[0])
    assert svg.count(">32 servers<") == 3
    assert svg.count(">256 GPUs<") == 3
    assert svg.count(">31 servers<") == 1
    assert svg.count(">248 GPUs<") == 1
    assert "256 × 400 Gb/s" in svg


def test_a_row_that_is_cut_says_so():
    catalog = load_catalog()
    result = estimate([parse_spec(SAMPLES[3].values, catalog)], catalog, parts=("counts", "links", "bom"))[0]
    root = ElementTree.fromstring(fabric_svg(result))
    n_drawn = len(squares_of(root, "glyph core"))
    assert n_drawn < result.compute.counts.core
    assert [text.text for text in root.iter(f"{SVG}text")].count("…") == 1 + 2 * 8, (
        "cores, and spines and leaves of eight rails"
    )


def test_parts_have_their_names_without_a_bill():
    catalog = load_catalog()
    spec = parse_spec(design(128), catalog)
    bare, billed = (estimate([spec], catalog, parts=parts)[0] for parts in (("counts",), ("counts", "bom")))
    assert (
        part_names(bare)
        == part_names(billed)
        == {"leaf": "NVIDIA QM9700", "spine": "NVIDIA QM9700", "node": "NVIDIA DGX H100"}
    )
