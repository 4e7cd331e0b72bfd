"""The order of work: counts are those of the bill of materials and the link list, nothing comes before what it rests on."""

import csv
import io
import json
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import pytest

from estimator.bringup.checklist import works
from estimator.bringup.checklist.design import ONLY_OF_GROWTH, checklist_of
from estimator.bringup.checklist.files import CHECKLIST_FORMATS
from estimator.bringup.checklist.result import Checklist, Item
from estimator.bringup.checklist.schedule import DAYS_PER_WEEK, Work, scheduled
from estimator.cabling.bundles import as_ranges, numbers_of
from estimator.catalog.loader import load_catalog
from estimator.crews.effort import crews, tasks
from estimator.errors import SpecError
from estimator.link_list import link_list
from estimator.pipeline import estimate
from estimator.spec.network_rules import other_keys
from tests.estimator.bringup.sites import FOUR_UNITS, spec_of

RACKS = {"name": "Racks", "compute": {"server": "gb200-tray", "gpus": 576}, "fabric": {"generation": "ndr"}}
PLANNED = {
    "compute": {"server": "dgx-h100", "nodes": 40},
    "fabric": {"generation": "ndr", "reserved": {"fabric_manager_links": 4}},
    "site": {"plan": {"racks_per_row": 6}},
}
OTHERS = {
    "compute": {"server": "dgx-h100", "nodes": 24},
    "fabric": {"generation": "ndr"},
    "other_fabrics": [
        {"role": "in-band", "generation": "roce-100"},
        {"role": "out-of-band", "generation": "ethernet-1"},
    ],
}
THREE_TIERS = {"compute": {"server": "dgx-h100", "nodes": 300}, "fabric": {"generation": "ndr", "tiers": 3}}
SPLIT = {"compute": {"server": "dgx-a100-640", "nodes": 20}, "fabric": {"generation": "hdr", "splitters": True}}
XDR = {"compute": {"server": "dgx-b300", "nodes": 64}, "fabric": {"generation": "xdr"}}
AMD = {"compute": {"server": "smc-8125gs-mi300x", "nodes": 16}, "fabric": {"generation": "roce-400"}}
DESIGNS = {
    "rails": FOUR_UNITS,
    "filled racks": RACKS,
    "floor plan": PLANNED,
    "three tiers": THREE_TIERS,
    "splitters": SPLIT,
    "planes": XDR,
    "Ethernet": AMD,
    "other networks": OTHERS,
}


@lru_cache(maxsize=16)
def _made(text: str) -> Checklist:
    return checklist_of(spec_of(json.loads(text)), load_catalog())


def made(design: Mapping[str, Any]) -> Checklist:
    return _made(json.dumps(design))


def count(checklist: Checklist, phase: str, unit: str | None = None) -> int:
    kind = unit or works.PHASES[phase].unit
    return sum(item.count for item in checklist.items if item.phase == phase and item.unit == kind)


@pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)
def test_counts_are_those_of_the_bill_and_of_the_link_list(design: Mapping[str, Any]) -> None:
    checklist, spec, catalog = made(design), spec_of(design), load_catalog()
    (answer,) = estimate([spec], catalog, ("counts", "links", "cables", "bom"))
    assert answer.bom is not None
    bought: Counter[str] = Counter()
    for line in answer.bom.lines:
        bought["racks" if line.category == "rack" or line.use == "rack" else line.category] += line.quantity
    assert count(checklist, "rack") == bought["racks"]
    assert count(checklist, "power") == bought["racks"]
    assert count(checklist, "rack", "patch panel") == bought["panel"]
    assert count(checklist, "cable") == bought["cable"] + bought["fiber"]
    assert count(checklist, "transceiver") == bought["transceiver"]
    switches = sum(network.counts.switches for network in answer.fabrics.values())
    assert count(checklist, "mount") == answer.compute.counts.nodes + switches
    assert count(checklist, "firmware") == count(checklist, "settings") == count(checklist, "mount")
    lists = [link_list(spec, catalog, role) for role in ("compute", *other_keys(spec))]
    assert count(checklist, "link") == count(checklist, "counter") == sum(map(len, lists))
    for links in lists:
        numbers = set()
        for row in links.rows():
            numbers |= {row.cable, *map(int, (row.further_cables or "").split())}
        pulled = [
            number
            for item in checklist.items
            if item.code.startswith(f"cable/{links.role}/")
            for number in numbers_of(item.labels or "")
        ]
        assert sorted(pulled) == sorted(numbers)  # each cable once
    ends = {
        (links.role, row.cable, device, cage)
        for links in lists
        for row in links.rows()
        for device, cage in ((row.a_device, row.a_cage), (row.b_device, row.b_cage))
    }
    if all(row.further_cables is None for links in lists for row in links.rows()):
        assert count(checklist, "end") == len(ends)


@pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)
def test_sums_of_hours_and_days_agree(design: Mapping[str, Any]) -> None:
    checklist = made(design)
    codes = [item.code for item in checklist.items]
    assert len(set(codes)) == len(codes)
    for parts in (checklist.phases, checklist.crews):
        assert sum(part.hours for part in parts) == pytest.approx(checklist.hours, abs=0.1)
    assert sum(item.hours for item in checklist.items) == pytest.approx(checklist.hours, rel=1e-3)
    assert max(item.last_day for item in checklist.items) == checklist.days
    for crew in checklist.crews:
        of_a_day = crews()[crew.code].person_hours_a_day
        assert crew.hours <= crew.last_day * of_a_day * crew.crews + 0.1  # nobody does more than a day holds
        assert crew.people == crew.crews * crews()[crew.code].people
    assert [phase.count for phase in checklist.phases] == [count(checklist, phase.code) for phase in checklist.phases]


def by_code(checklist: Checklist) -> dict[str, Item]:
    return {item.code: item for item in checklist.items}


@pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)
def test_nothing_is_done_before_what_it_rests_on(design: Mapping[str, Any]) -> None:
    checklist = made(design)
    items = by_code(checklist)
    place = {item.code: number for number, item in enumerate(checklist.items)}
    for code, item in items.items():
        phase, _, rest = code.partition("/")
        before = {
            "pdu": "rack",
            "mount": "power",
            "end": "cable",
            "link": "end",
            "counter": "link",
            "settings": "firmware",
        }
        if phase in before:
            earlier = items[f"{before[phase]}/{rest}"]
            assert earlier.last_day <= item.day or (earlier.hours == 0)
            assert place[earlier.code] < place[code]
    last_setting = max(item.last_day for item in checklist.items if item.phase == "settings")
    gates = [item for item in checklist.items if item.phase == "gate"]
    assert all(gate.day >= last_setting for gate in gates)
    assert [gate.day for gate in gates] == sorted(gate.day for gate in gates)
    assert gates[0].code == "gate/pcie"
    assert max(item.last_day for item in checklist.items if item.phase == "mount") <= max(
        item.day for item in checklist.items if item.phase == "cable"
    )


def test_outer_cages_are_filled_first_and_the_longest_bundles_before_the_others() -> None:
    links = link_list(spec_of(PLANNED), load_catalog())
    rows = {row.cable: row for row in links.rows()}
    checklist = made(PLANNED)
    bundles = [item for item in checklist.items if item.phase == "cable"]
    tiers = list(dict.fromkeys(item.code.split("/")[2] for item in bundles))
    assert tiers == ["leaf-spine", "fabric-manager", "node-leaf"]
    for tier in tiers:
        lengths = [
            max(rows[number].length_m for number in numbers_of(item.labels or ""))
            for item in bundles
            if item.code.split("/")[2] == tier
        ]
        assert lengths == sorted(lengths, reverse=True)
        assert len(set(lengths)) > 1 or tier == "fabric-manager"
    cages = list(dict.fromkeys(links.labels["leaf"].cages))
    for item in bundles:
        if item.code.startswith("cable/compute/node-leaf/"):
            at = [cages.index(rows[number].b_cage) for number in numbers_of(item.labels or "")]
            outside = [min(cage, len(cages) - 1 - cage) for cage in at]
            left = [cage for cage in at if 2 * cage < len(cages)]
            right = [cage for cage in at if 2 * cage >= len(cages)]
            assert at == left + right
            assert outside[: len(left)] == sorted(outside[: len(left)])
            assert outside[len(left) :] == sorted(outside[len(left) :])


def test_a_work_without_what_it_rests_on_is_a_fault() -> None:
    alone = Work("a", "rack", "racks", "A", "", "rack", 1, 8.0, after=("b",))
    with pytest.raises(ValueError, match="a rests on b"):
        scheduled([alone])


def test_a_crew_does_one_thing_after_the_other_and_waits() -> None:
    a_day = crews()["racks"].person_hours_a_day
    works_ = [
        Work("a", "rack", "racks", "A", "", "rack", 1, a_day),
        Work("b", "rack", "racks", "B", "", "rack", 1, a_day / 2),
        Work("c", "pdu", "power", "C", "", "PDU", 1, 1.0, after=("b",)),
        Work("d", "rack", "racks", "D", "", "rack", 1, a_day),
    ]
    days = {work.code: (work.day, work.last_day) for work in scheduled(works_)}
    assert days == {"a": (1, 1), "b": (2, 2), "c": (2, 2), "d": (2, 3)}


def test_several_crews_of_a_kind_work_side_by_side_and_share_what_is_of_the_whole_site() -> None:
    a_day = crews()["racks"].person_hours_a_day
    works_ = [Work(code, "rack", "racks", code, "", "rack", 1, a_day) for code in "abcd"]
    together = Work("e", "gate", "racks", "E", "site", "run", 8, 4 * a_day, after=("a",), is_shared=True)
    days = {work.code: (work.day, work.last_day) for work in scheduled([*works_, together], {"racks": 2})}
    assert days == {"a": (1, 1), "b": (1, 1), "c": (2, 2), "d": (2, 2), "e": (3, 4)}


@pytest.mark.parametrize(("weeks", "more"), [(20.0, False), (2.0, True)])
def test_crews_are_as_many_as_the_weeks_need(weeks: float, more: bool) -> None:
    checklist = checklist_of(spec_of(THREE_TIERS), load_catalog(), weeks)
    assert checklist.days <= weeks * DAYS_PER_WEEK
    assert any(crew.crews > 1 for crew in checklist.crews) == more
    said = {one.name: one.value for one in checklist.assumptions}
    assert said["weeks"] == weeks
    assert all(said[f"{crew.code} crews"] == crew.crews for crew in checklist.crews)


def test_weeks_that_no_crews_hold_are_said_and_wrong_ones_refused() -> None:
    spec = spec_of(THREE_TIERS)
    checklist = checklist_of(spec, load_catalog(), 0.1)
    assert any("however many crews" in words for words in checklist.left_out)
    for weeks in (0.0, -1.0, 1e6):
        with pytest.raises(SpecError, match="Weeks are above 0"):
            checklist_of(spec, load_catalog(), weeks)


def test_numbers_are_written_as_ranges_in_their_order() -> None:
    for numbers in ([], [7], [1, 2, 3], [3, 2, 1], [1, 2, 3, 9, 8, 5], [4, 6, 7, 8, 2]):
        assert numbers_of(as_ranges(numbers)) == numbers
    assert as_ranges([1, 2, 3, 9, 8, 5]) == "1-3, 9-8, 5"


def test_what_is_to_do_has_a_fingerprint_that_days_do_not_change() -> None:
    first, more = (
        by_code(made(FOUR_UNITS)),
        by_code(made({**FOUR_UNITS, "compute": {"server": "dgx-h100", "nodes": 96}})),
    )
    shared = first.keys() & more.keys()
    assert any(first[code].content == more[code].content and first[code].day != more[code].day for code in shared)
    spine = "cable/compute/leaf-spine/spine-001"
    assert first[spine].content != more[spine].content


def test_files_hold_every_item() -> None:
    checklist = made(AMD)
    rows = list(csv.DictReader(io.StringIO(b"".join(CHECKLIST_FORMATS["csv"].write(checklist, None)).decode())))
    assert [row["code"] for row in rows] == [item.code for item in checklist.items]
    assert sum(float(row["person_hours"]) for row in rows) == pytest.approx(checklist.hours, rel=1e-3)
    whole = json.loads(b"".join(CHECKLIST_FORMATS["json"].write(checklist, lambda code: ("yes", "Ada", "now"))))
    assert {(item["done"], item["by"], item["at"]) for item in whole["items"]} == {(True, "Ada", "now")}
    assert Checklist.from_json(json.loads(b"".join(CHECKLIST_FORMATS["json"].write(checklist, None)))) == checklist


def test_every_hour_rests_on_a_row_that_is_marked() -> None:
    for name, task in tasks().items():
        assert 0 < task.low < task.minutes < task.high, name
        assert task.crew in crews()
        assert task.basis == "assumption"
        assert task.source
    assert {one.name for one in made(AMD).assumptions} >= set(tasks()) - set(ONLY_OF_GROWTH)


def test_a_design_without_a_contract_has_the_rest_and_says_why() -> None:
    design = {"compute": {"server": "gaudi3-8u", "nodes": 8}, "fabric": {"generation": "roce-400"}}
    checklist = made(design)
    assert "gate" not in {phase.code for phase in checklist.phases}
    assert any("rccl-tests" in words for words in checklist.left_out)
