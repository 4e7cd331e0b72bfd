"""Pictures of a fabric: few glyphs, no word over another, nothing outside, every figure that of the link table."""

import re
from collections import Counter
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from designer.config.settings import BASE_DIR
from designer.drawings.blocks import draw_view
from designer.drawings.boxes import MAX_GLYPHS
from designer.drawings.node import draw_host, draw_node
from designer.drawings.panel import draw_list, draw_panel
from designer.drawings.scene import Scene, legend_of
from designer.drawings.svg import FILLS, Pen, Rect, fitted, lines_of, short_name, text_width
from designer.drawings.tables import bundle_rows, device_details
from designer.drawings.words import MODES, heat_left, percent_words, ratio_words, short_ratio
from estimator.catalog.loader import load_catalog
from estimator.diagrams.data import fabric_view, listed
from estimator.diagrams.failure import NOTHING_DOWN, Down, down_of
from estimator.diagrams.load import PATTERNS, Traffic
from estimator.diagrams.node import inside_of
from estimator.diagrams.places import Places
from estimator.diagrams.ports import host_ports_of, panel_of
from estimator.diagrams.scope import Scope
from estimator.errors import EstimatorError
from estimator.fabric.devices import CORE, LEAF, NODE, SPINE
from estimator.link_list import link_list
from tests.estimator.designs import spec_of
from tests.estimator.diagrams.test_diagrams import SPECS, design, other_places, places_for, scopes_below
from tests.thorough import n_examples

SVG = "{http://www.w3.org/2000/svg}"
CATALOG = load_catalog()
NAMES = {
    "leaf": "A vendor’s quite long name of a leaf switch, 64 × 400G OSFP twin-port, liquid-cooled",
    "node": "DGX H100",
}


def scene(places: Places, mode: str = "role", down: Down = NOTHING_DOWN, is_file: bool = False) -> Scene:
    def href(**changes: Any) -> str | None:
        return None if is_file else "?" + "&".join(f"{key}={value}" for key, value in changes.items())

    heading = "A design with a name that is long enough to reach far" if is_file else ""
    return Scene(places, "compute", mode, down, NAMES, href, heading)


def number(element: ElementTree.Element, name: str) -> float:
    """An attribute as a number."""
    return float(element.get(name, "nan"))


def boxes_of_words(root: ElementTree.Element) -> list[tuple[tuple[float, float, float, float], str]]:
    """(left, top, right, bottom) and the words of each text, by other widths than the pen's: those of a wide font."""
    out = []
    for text in root.iter(f"{SVG}text"):
        size, words, x, y = number(text, "font-size"), text.text or "", number(text, "x"), number(text, "y")
        ems = [0.66 if c.isupper() else 0.3 if c in "il.,: ·|'" else 0.56 for c in words]
        width = sum(ems) * size
        left = {"start": x, "middle": x - width / 2, "end": x - width}[text.get("text-anchor", "")]
        out.append(((left, y - 0.72 * size, left + width, y + 0.05 * size), words))
    return out


def check(svg: str, pen: Pen) -> ElementTree.Element:
    """No two words meet, by the pen's widths and by others; all stand inside; glyphs are few; it stands alone."""
    root = ElementTree.fromstring(svg)
    width, height = (float(value) for value in root.get("viewBox").split()[2:])
    for k, label in enumerate(pen.labels):
        assert not any(label.meets(other) for other in pen.labels[:k]), k
    placed = boxes_of_words(root)
    assert len(placed) == len(pen.labels)
    for k, ((left, top, right, bottom), words) in enumerate(placed):
        assert left >= 0, words
        assert right <= width, words
        assert top >= 0, words
        assert bottom <= height, words
        for other, others in placed[:k]:
            assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top, (words, others)
    for rect in root.iter(f"{SVG}rect"):
        assert number(rect, "x") >= 0
        assert number(rect, "x") + number(rect, "width") <= width + 0.1
        assert number(rect, "y") + number(rect, "height") <= height + 0.1
    glyphs = [e for e in root.iter() if "mark" in (e.get("class") or "").split()]
    assert len(glyphs) == pen.n_glyphs <= MAX_GLYPHS
    assert all(glyph.find(f"{SVG}title") is not None for glyph in glyphs)
    assert not re.search(r"\sstyle=|<style|<script|\son\w+=|var\(", svg)
    return root


@pytest.fixture(scope="module", params=list(SPECS))
def places(request: pytest.FixtureRequest) -> Places:
    return places_for(SPECS[request.param])


@pytest.mark.parametrize("mode", MODES)
def test_every_part_is_drawn_without_a_word_over_another(places: Places, mode: str) -> None:
    devices = places.table.devices
    some = [devices.names[devices.first[kind]] for kind in (LEAF, SPINE, CORE) if devices.n[kind]]
    down = down_of(some, devices)[0] if mode == "failure" else NOTHING_DOWN
    traffic = Traffic(mode) if mode in PATTERNS else None
    for scope in scopes_below(places, depth=2):
        for start in (0, 3):
            view = fabric_view(places, scope, start=start, traffic=traffic, down=down)
            check(*draw_view(scene(places, mode, down), view))


def test_a_file_has_a_heading_and_no_links(places: Places) -> None:
    svg, pen = draw_view(scene(places, is_file=True), fabric_view(places, Scope()))
    root = check(svg, pen)
    assert not list(root.iter(f"{SVG}a"))
    assert "A design with a name" in svg


def test_a_page_s_glyphs_are_links_with_names(places: Places) -> None:
    svg, pen = draw_view(scene(places), fabric_view(places, Scope()))
    links = list(ElementTree.fromstring(svg).iter(f"{SVG}a"))
    assert len(links) == pen.n_glyphs
    assert all(link.get("href").startswith("?") and link.get("aria-label") for link in links)


def test_the_hints_of_the_bundles_add_up_to_the_links(places: Places) -> None:
    view = fabric_view(places, Scope())
    svg, _ = draw_view(scene(places), view)
    hints = [
        mark.find(f"{SVG}title").text
        for mark in ElementTree.fromstring(svg).iter(f"{SVG}a")
        if "line" in mark.get("class").split()
    ]
    counts = [re.findall(r": ([\d,]+) × ", hint or "")[0] for hint in hints]
    reported = sum([int(words.replace(",", "")) for words in counts])
    assert reported == len(places.table)
    twin = bundle_rows(scene(places), view)
    assert sum(row["links"] for row in twin["rows"]) == twin["links"] == len(places.table)


def test_the_words_of_the_picture_name_every_count(places: Places) -> None:
    svg, _ = draw_view(scene(places), fabric_view(places, Scope()))
    words = ElementTree.fromstring(svg).find(f"{SVG}desc").text
    for kind, one in ((LEAF, "lea"), (SPINE, "spine"), (CORE, "core"), (NODE, "server")):
        n = places.table.devices.n[kind]
        assert not n or f"{n:,} {one}" in words


@settings(max_examples=n_examples(25), deadline=None)
@given(
    nodes=st.integers(1, 700),
    ports=st.sampled_from([1, 2, 4, 8]),
    radix=st.sampled_from([16, 40, 64, 128]),
    layout=st.sampled_from(["rail-optimized", "top-of-rack", "rail-only"]),
    ratio=st.sampled_from(["1:1", "2:1", "7:1"]),
    managers=st.sampled_from([0, 3]),
    mode=st.sampled_from(list(MODES)),
    start=st.integers(0, 30),
)
def test_any_design_is_drawn_so(
    nodes: int, ports: int, radix: int, layout: str, ratio: str, managers: int, mode: str, start: int
) -> None:
    try:
        spec = spec_of(
            nodes,
            ports,
            layout=layout,
            leaf_radix=radix,
            spine_radix=radix,
            core_radix=radix,
            oversubscription=ratio,
            reserved={"fabric_manager_links": managers},
        )
        places = places_for(spec)
    except EstimatorError:
        return  # no fabric of these parts
    traffic = Traffic(mode) if mode in PATTERNS else None
    for scope in scopes_below(places, depth=1):
        view = fabric_view(places, scope, start=start, traffic=traffic)
        check(*draw_view(scene(places, mode), view))


def test_other_networks_are_drawn_with_what_they_lead_into() -> None:
    for key, (places, into) in other_places().items():
        view = fabric_view(places, Scope(), uplinks_into=into if into in ("in-band", "outside") else None)
        one = Scene(places, key, "role", NOTHING_DOWN, {}, lambda **_: "?", into=into or "")
        check(*draw_view(one, view))


# --- Switches, servers, lists ------------------------------------------------------------------------------------
PARTS = {
    "superpod": SPECS["superpod"],
    "planes": SPECS["planes"],
    "split-ports": SPECS["split-ports"],
    "racks": design(72, server="gb200-tray", scalable_unit_nodes=18),
    "b300": design(40, server="dgx-b300", generation="xdr"),
    "pcie": design(20, server="mgx-4u-8x-pcie", generation="roce-200"),
    "custom": spec_of(10, 4),
    "director": design(40, generation="edr", server="custom", leaf_switch="nvidia-cs7500", tiers=1),
    "gaudi": design(20, server="gaudi3-8u", generation="roce-200"),
}


@pytest.mark.parametrize("key", list(PARTS))
def test_fronts_and_insides_are_drawn_without_a_word_over_another(key: str) -> None:
    spec = PARTS[key]
    links = link_list(spec, CATALOG)
    places = places_for(spec)
    devices = places.table.devices
    down, _ = down_of(
        [devices.names[devices.first[LEAF]], f"{devices.names[0]}~{devices.names[devices.first[LEAF]]}"], devices
    )
    for one in (scene(places), scene(places, "failure", down), scene(places, is_file=True)):
        for kind in (LEAF, SPINE, CORE):
            if devices.n[kind]:
                panel = panel_of(links, devices.first[kind])
                svg, pen = draw_panel(one, panel, devices.first[kind], NAMES["leaf"])
                check(svg, pen)
                assert pen.n_glyphs == sum(len(cage.ports) for cage in panel.cages)
        ports = host_ports_of(links, 0)
        inside = inside_of(spec, ports, CATALOG)
        start = 0
        while start < len(inside.adapters):
            svg, pen = draw_node(one, 0, inside, start)
            check(svg, pen)
            start += 8
        check(*draw_host(one, 0, ports))
        for kind in (NODE, LEAF):
            some, _, total = listed(places, Scope().listing(kind))
            check(*draw_list(one, some.tolist(), total, "A list", device_details(one, some.tolist())))


def test_a_front_tells_where_every_port_goes() -> None:
    links = link_list(PARTS["superpod"], CATALOG)
    places = places_for(PARTS["superpod"])
    devices = places.table.devices
    leaf = devices.names.index("leaf-r8-004")
    svg, _ = draw_panel(scene(places), panel_of(links, leaf), leaf, "QM9700")
    addresses = Counter(link.get("href") for link in ElementTree.fromstring(svg).iter(f"{SVG}a"))
    for kind, wanted in (("node", 31), ("spine", 32), ("manager", 0)):
        assert sum([n for address, n in addresses.items() if f"{kind}-" in str(address)]) == wanted


def test_in_failure_mode_switches_and_links_go_down_and_come_back() -> None:
    places = places_for(SPECS["superpod"])
    devices = places.table.devices
    one = scene(places, "failure")
    spine, leaf = devices.names.index("spine-003"), devices.names.index("leaf-r1-001")
    assert one.address(spine) == "?down=['spine-003']"
    assert one.link_address(spine, leaf) == "?down=['leaf-r1-001~spine-003']"
    assert one.address(0) == "?at=node-0001", "a server is no switch"
    down, _ = down_of(["spine-003", "leaf-r1-001~spine-003"], devices)
    after = scene(places, "failure", down)
    assert after.address(spine) == "?down=['leaf-r1-001~spine-003']"
    assert after.link_is_down(leaf, spine)
    assert after.link_is_down(leaf + 1, spine)
    assert not after.link_is_down(leaf, spine + 1)
    view = fabric_view(places, Scope((("unit", 1),)), down=down)
    svg, _ = draw_view(after, view)
    assert svg.count("0 of 2 left</title>") == 8


def test_names_are_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    places = places_for(SPECS["one-leaf"])
    monkeypatch.setitem(vars(places.table.devices), "names", ['<b>&"'] * len(places.table.devices))
    one = Scene(places, "compute", "role", NOTHING_DOWN, {"leaf": "<script>"}, lambda **_: '"><script>', "<i>")
    for svg in (draw_view(one, fabric_view(places, Scope()))[0], draw_list(one, [0], 1, "<u>", {0: "<s>"})[0]):
        ElementTree.fromstring(svg)
        assert not re.search(r"<(b|i|u|s|script)>", svg)


# --- Words and the pen -------------------------------------------------------------------------------------------
def test_words_are_cut_where_they_end_and_names_keep_their_end() -> None:
    assert fitted("whole", 100, 10) == "whole"
    assert fitted("a very long name of a part", 60, 10).endswith("…")
    assert text_width(fitted("a very long name of a part", 60, 10), 10) <= 60
    assert fitted("long", 3, 10) == ""
    assert short_name("storage-leaf-r1-001", 60, 10) == "r1-001"
    assert short_name("node-0001", 5, 10) == ""
    lines = lines_of("16 × a long name of a switch that takes three lines of words", 80, 10, 2)
    assert len(lines) == 2
    assert all(text_width(line, 10) <= 80 for line in lines)
    assert Rect(0, 0, 2, 2).meets(Rect(1, 1, 3, 3))
    assert not Rect(0, 0, 2, 2).meets(Rect(2, 0, 3, 2))


HEATS = re.compile(r"--heat-(\d): (#[0-9a-f]{6})")


def luminance(colour: str) -> float:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    return sum(
        w * (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4)
        for w, c in zip((0.2126, 0.7152, 0.0722), parts, strict=True)
    )


def test_more_load_is_darker_on_light_ground_and_brighter_on_dark() -> None:
    css = (BASE_DIR / "static/designer/css/result/fabric.css").read_text()
    light, dark, auto = (dict(HEATS.findall(block)) for block in css.split(":root")[1:4])
    assert dark == auto
    assert light == {str(n): FILLS[f"heat-{n}"] for n in range(5)}  # a file has the light ones
    for heats, is_dark in ((light, False), (dark, True)):
        found = [luminance(heats[str(n)]) for n in range(5)]
        assert found == sorted(found, reverse=not is_dark)


def test_what_load_says_nothing_of_is_in_the_legend() -> None:
    places = places_for(SPECS["superpod"])
    kinds = [SPINE, LEAF, NODE]
    words = dict(legend_of(scene(places, "alltoall"), kinds))
    assert words[SPINE] == "Spine, by role"  # no spine of two tiers has uplinks
    assert words[NODE] == "Server, by role"
    assert LEAF not in words
    assert dict(legend_of(scene(places), kinds)) == {SPINE: "Spine", LEAF: "Leaf", NODE: "Server"}


def test_small_losses_and_odd_ratios_are_reported() -> None:
    from fractions import Fraction

    assert percent_words(0.9996).startswith("99.96")
    assert percent_words(1.0).startswith("100")
    assert percent_words(float("inf")) == "no way up"
    assert [short_ratio(Fraction(*pair)) for pair in ((8, 7), (1, 1), (1, 22), (3, 1))] == [
        "1.14:1",
        "1:1",
        "1:22",
        "3:1",
    ]
    assert ratio_words(Fraction(8, 7)) == "8:7, 1.14:1"
    assert [heat_left(share) for share in (1.0, 0.95, 0.8, 0.6, 0.0)] == [f"heat-{n}" for n in range(5)]
