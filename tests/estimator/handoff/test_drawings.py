"""Drawings for draw.io: every device and link is there, and no label meets another."""

import itertools
from collections import Counter, defaultdict
from xml.etree import ElementTree

import pytest

from estimator.cabling.links import LinkList
from estimator.errors import SpecError
from estimator.fabric.topology import TIERS
from estimator.handoff import drawio
from estimator.handoff.formats import FORMATS
from tests.estimator.handoff.cases import NETWORKS, SPECS, large, links_of, text


def drawn(links: LinkList) -> tuple[dict[str, ElementTree.Element], dict[str, tuple[float, float, float, float]]]:
    """Objects by id, and the rectangles of those that have one."""
    objects, places = {}, {}
    for made in ElementTree.fromstring(text(links, "drawio")).iter("object"):
        assert made.attrib["id"] not in objects
        objects[made.attrib["id"]] = made
        cell = made.find("mxCell")
        assert cell is not None
        geometry = cell.find("mxGeometry")
        assert geometry is not None
        if cell.attrib.get("vertex"):
            x, y, width, height = (float(geometry.attrib[key]) for key in ("x", "y", "width", "height"))
            places[made.attrib["id"]] = (x, y, x + width, y + height)
    return objects, places


DRAWN = [*SPECS, *NETWORKS, "rail-optimized", "top-of-rack"]


def any_links(name: str) -> LinkList:
    return large(name) if name in ("rail-optimized", "top-of-rack") else links_of(name)


@pytest.mark.parametrize("name", DRAWN)
def test_no_label_of_a_drawing_meets_another(name: str) -> None:
    objects, places = drawn(any_links(name))
    for key, (left, top, right, bottom) in places.items():
        lines = objects[key].attrib["label"].split("\n")
        assert right - left >= 7 * max(map(len, lines))  # 12 px Helvetica: under 7 px a letter on average
        assert bottom - top >= 16 * len(lines)
    for (a, one), (b, other) in itertools.combinations(places.items(), 2):
        apart = one[2] < other[0] or other[2] < one[0] or one[3] < other[1] or other[3] < one[1]
        assert apart, (a, b)


@pytest.mark.parametrize("name", DRAWN)
def test_a_drawing_shows_every_device_and_link(name: str) -> None:
    links = any_links(name)
    objects, places = drawn(links)
    boxes = {key: made for key, made in objects.items() if key.startswith("box-")}
    counts: Counter[str] = Counter()
    for made in boxes.values():
        counts[made.attrib["kind"]] += int(made.attrib["devices"])
    assert counts == {kind: n for kind, n in links.table.devices.n.items() if n}
    rows = Counter(places[key][1] for key in boxes)
    assert max(rows.values()) <= 64
    wires: Counter[str] = Counter()
    for key, made in objects.items():
        if key.startswith("line-"):
            cell = made.find("mxCell")
            assert cell is not None
            lower, upper = cell.attrib["source"], cell.attrib["target"]
            if made.attrib["tier"] != "leaf-leaf":
                assert places[lower][1] > places[upper][3]  # tiers are layers, the nodes at the bottom
            wires[made.attrib["tier"]] += int(made.attrib["links"])
    want = Counter(TIERS[tier] for tier in links.table.tier.tolist())
    assert wires == want
    words = "\n".join(objects[key].attrib["label"] for key in objects if key.startswith("note-"))
    assert all(f"{tier}: {n:,} link" in words for tier, n in want.items())


def test_a_small_fabric_is_drawn_device_by_device_and_a_larger_one_in_groups() -> None:
    one, _ = drawn(links_of("one tier"))
    assert [made.attrib["label"] for key, made in one.items() if key.startswith("box-")] == [
        "node-0001",
        "node-0002",
        "node-0003",
        "node-0004",
        links_of("one tier").table.devices.names[-1],
    ]
    four, _ = drawn(links_of("four units"))
    labels = [made.attrib["label"] for key, made in four.items() if key.startswith("box-")]
    assert "unit-004\n31 nodes" in labels
    assert {"leaf-r1-001", "spine-016"} <= set(labels)
    many, _ = drawn(large("top-of-rack"))
    assert any("pod-001" in made.attrib["label"] for made in many.values())


def test_a_group_is_drawn_below_its_switches() -> None:
    objects, places = drawn(links_of("four units"))
    above = defaultdict(list)
    for made in objects.values():
        if made.attrib.get("tier") == "node-leaf":
            cell = made.find("mxCell")
            assert cell is not None
            above[cell.attrib["source"]].append(places[cell.attrib["target"]])
    assert len(above) == 4
    for unit, leaves in above.items():
        assert len(leaves) == 8
        assert min(leaf[0] for leaf in leaves) < sum(places[unit][::2]) / 2 < max(leaf[2] for leaf in leaves)


def test_what_no_one_could_read_is_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawio, "MAX_BOXES_A_ROW", 1)
    with pytest.raises(SpecError) as refused:
        FORMATS["drawio"].write(links_of("four units"))  # nodes and fabric managers are two boxes of one row
    assert [problem.code for problem in refused.value.problems] == ["too_large_for_format"]
    assert "2" in refused.value.problems[0].message
