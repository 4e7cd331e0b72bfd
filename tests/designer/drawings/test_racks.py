"""Rack elevations and the floor from above: every device at its unit, no word over another, few elements whatever the size."""

from itertools import combinations
from xml.etree import ElementTree

import pytest

from designer.drawings.racks import IN_LINE, MAX_LINKED, MAX_RACKS, MAX_ROWS, TAIL_ROWS, UNIT, floor_svg, rack_svg
from estimator.catalog.loader import load_catalog
from estimator.fabric.size import size
from estimator.fabric.sized import fabric_of
from estimator.fabric.topology import link_table, panels_of
from estimator.floor.plan import floor_plan
from estimator.spec.parse import parse_spec

SVG = "{http://www.w3.org/2000/svg}"


def floor(compute, fabric=None, plan=None):
    catalog = load_catalog()
    spec = parse_spec(
        {"compute": compute, "fabric": {"generation": "ndr", **(fabric or {})}, "site": {"plan": plan or {}}}, catalog
    )
    sized = fabric_of(size([spec], catalog), 0, spec)
    return floor_plan(spec, link_table(sized, panels_of(spec, sized, catalog)), catalog)


FLOORS = {
    "four-units": (
        {"server": "dgx-h100", "nodes": 127},
        {"scalable_unit_nodes": 32, "provision": "full-unit", "reserved": {"fabric_manager_links": 4}},
        {},
    ),
    "top-of-rack": ({"server": "dgx-h100", "nodes": 64}, {"layout": "top-of-rack"}, {}),
    "nvl72": ({"server": "gb200-tray", "nodes": 144}, {"scalable_unit_nodes": 18}, {}),
    "over": (
        {"server": "mi355x-4u-lc", "nodes": 100},
        {"generation": "roce-400", "scalable_unit_nodes": 64},
        {"nodes_per_rack": 9, "rack_weight_kg": 100},
    ),
    "one-leaf": ({"server": "dgx-h100", "nodes": 4}, {"tiers": 1, "reserved": {"fabric_manager_links": 4}}, {}),
    "custom": (
        {"nodes": 50},
        {"generation": "xdr", "leaf_switch": "nvidia-q3200-ra"},
        {"leaf_placement": "in-rack", "reserved_units": 0},
    ),
}


@pytest.fixture(scope="module", params=list(FLOORS))
def plan(request):
    return floor(*FLOORS[request.param])


def shown_racks(plan):
    """Racks of every kind: the first and the last, and those in between that hold something else."""
    first = {role: plan.role.index(role) + 1 for role in plan.role}
    return list(dict.fromkeys([*first.values(), plan.n_racks]))


def boxes_of_words(root):
    """(left, top, right, bottom) and the words of each text, by a width that is rather too large."""
    for text in root.iter(f"{SVG}text"):
        size, words, x, y = float(text.get("font-size")), text.text, float(text.get("x")), float(text.get("y"))
        width = sum(0.68 if letter.isupper() else 0.56 for letter in words) * size
        left = {"start": x, "middle": x - width / 2, "end": x - width}[text.get("text-anchor")]
        yield (left, y - 0.72 * size, left + width, y + 0.02 * size), words


def check_words(root):
    width, height = (float(value) for value in root.get("viewBox").split()[2:])
    placed = list(boxes_of_words(root))
    for (left, top, right, bottom), words in placed:
        assert left >= 0, words
        assert right <= width, words
        assert top >= 0, words
        assert bottom <= height, words
    for (one, words), (other, others) in combinations(placed, 2):
        apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
        assert apart, (words, others)


def test_no_word_of_an_elevation_covers_another_or_leaves_the_picture(plan):
    check_words(ElementTree.fromstring(rack_svg(plan, shown_racks(plan)[:IN_LINE])))
    check_words(ElementTree.fromstring(rack_svg(plan, list(range(1, min(plan.n_racks, MAX_RACKS) + 1)))))


def test_no_word_of_a_floor_covers_another_or_leaves_the_picture(plan):
    check_words(ElementTree.fromstring(floor_svg(plan)))


def test_every_device_is_drawn_at_its_unit(plan):
    for number in shown_racks(plan):
        root = ElementTree.fromstring(rack_svg(plan, [number]))
        frame = next(rect for rect in root.iter(f"{SVG}rect") if rect.get("class") == "frame")
        floor_y = float(frame.get("y", 0)) + float(frame.get("height", 0))
        assert float(frame.get("height", 0)) == plan.plan.rack_units * UNIT
        names = {
            text.text: float(text.get("y", 0)) for text in root.iter(f"{SVG}text") if text.get("class") == "label name"
        }
        devices = plan.devices_in(number - 1)
        assert list(names) == [device.name for device in devices]
        for device in devices:
            low = floor_y - (device.bottom_unit - 1) * UNIT
            assert low - device.units * UNIT < names[device.name] < low
        plates = [rect for rect in root.iter(f"{SVG}rect") if rect.get("class") == "plate"]
        assert len(plates) == len(devices)


def test_words_beside_the_bars_name_what_is_over_and_what_is_not_known():
    over = floor(*FLOORS["over"])
    nodes, leaves = (over.role.index(kind) + 1 for kind in ("node", "leaf"))
    text = rack_svg(over, [nodes, leaves])
    assert "over: 148.5 of 142 kW" in text  # 9 × 16.5 kW
    assert "94 of 100 kg" in text  # 4 × 23.5 kg: a fifth switch went to the next rack
    assert "3.8 typical, 9 of 142 kW" in text  # 4 × 940 W, 4 × 2,250 W
    heavy = floor({"server": "dgx-h100", "nodes": 8}, {}, {"nodes_per_rack": 4, "rack_weight_kg": 400})
    assert "over: 522 of 400 kg" in rack_svg(heavy, [1])  # 4 × 130.5 kg
    unknown = floor({"server": "hgx-b200-10u", "nodes": 8}, {"generation": "roce-400"}, {"rack_weight_kg": 1_000})
    assert "weight not known" in rack_svg(unknown, [unknown.role.index("node") + 1])
    custom = floor(*FLOORS["custom"])
    assert "at least 3.5 of 50 kW" in rack_svg(custom, [1])


def test_title_and_description_say_what_is_drawn(plan):
    root = ElementTree.fromstring(rack_svg(plan, [1]))
    assert root.get("role") == "img"
    title, words = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert root.get("aria-labelledby").split() == [title.get("id"), words.get("id")]
    assert plan.names[0] in title.text
    assert f"of {plan.plan.rack_units} U" in words.text
    root = ElementTree.fromstring(floor_svg(plan))
    assert root.find(f"{SVG}title").text == f"Floor of {plan.n_racks} racks"
    assert "leaves" in root.find(f"{SVG}desc").text or plan.plan.leaf_placement == "in-rack"


def test_a_rack_that_is_not_there_or_too_many_are_refused(plan):
    for numbers in ([0], [plan.n_racks + 1], [-1]):
        with pytest.raises(ValueError, match="none of the"):
            rack_svg(plan, numbers)
    for numbers in ([], [1] * (MAX_RACKS + 1)):
        with pytest.raises(ValueError, match="shows 1 to"):
            rack_svg(plan, numbers)


def test_racks_of_a_floor_are_links_where_the_page_asks_for_it(plan):
    root = ElementTree.fromstring(floor_svg(plan, href=lambda number: f"?tab=racks&rack={number}", chosen=[1]))
    links = list(root.iter(f"{SVG}a"))
    assert [link.get("href") for link in links] == [f"?tab=racks&rack={n + 1}" for n in range(plan.n_racks)]
    assert all(plan.names[n] in link.get("aria-label") for n, link in enumerate(links))
    assert len([rect for rect in root.iter(f"{SVG}rect") if rect.get("class") == "chosen"]) == 1
    assert not list(ElementTree.fromstring(floor_svg(plan)).iter(f"{SVG}a"))


def test_racks_over_a_limit_are_marked_and_counted():
    over = floor(*FLOORS["over"])
    text = floor_svg(over)
    n_over = sum(over.max_w > 142_000)
    assert n_over == 11
    marked = [rect for rect in ElementTree.fromstring(text).iter(f"{SVG}rect") if rect.get("class") == "plate over"]
    assert len(marked) == n_over + 1  # and the legend's
    assert "Over a limit: 11\N{NO-BREAK SPACE}racks" in text
    assert f"{over.names[0]}: servers, up to 148.5 kW, over its limit" in text
    assert "Over a limit" not in floor_svg(floor(*FLOORS["four-units"]))


def test_a_floor_of_thousands_of_racks_stays_small():
    plan = floor({"server": "dgx-h100", "nodes": 16_384}, {"generation": "roce-400", "tiers": 3}, {"racks_per_row": 40})
    assert plan.n_racks > MAX_LINKED
    assert plan.n_rows > 100
    text = floor_svg(plan, href=lambda number: f"?rack={number}", chosen=[1, plan.n_racks])
    root = ElementTree.fromstring(text)
    assert len(text) < 60_000
    check_words(root)
    assert {path.get("class") for path in root.iter(f"{SVG}path")} == {
        "glyph node",
        "glyph leaf",
        "glyph spine",
        "glyph core",
    }
    assert len(rack_svg(plan, list(range(1, MAX_RACKS + 1)))) < 90_000


def test_names_are_escaped(plan, monkeypatch):
    monkeypatch.setitem(vars(plan), "names", ["<b>&"] * plan.n_racks)
    for text in (rack_svg(plan, [1]), floor_svg(plan, href=lambda number: '"><script>')):
        assert "<b>" not in text
        assert "<script>" not in text


def test_of_very_many_rows_the_middle_ones_are_left_out_in_words():
    plan = floor({"server": "dgx-h100", "nodes": 4_000}, {"generation": "roce-400", "tiers": 3}, {"racks_per_row": 6})
    assert plan.n_rows > MAX_ROWS
    text = floor_svg(plan)
    assert f"{plan.n_rows - MAX_ROWS:,} rows between are not drawn" in text
    assert f"R{plan.n_rows - TAIL_ROWS + 1}" in text
    check_words(ElementTree.fromstring(text))
