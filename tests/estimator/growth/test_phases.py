"""Phases of a design: bills that add up, years that add up, and cables compared by a second route."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import pytest

from estimator.asbuilt.report import DIFFERENCES
from estimator.catalog.loader import load_catalog
from estimator.crews.effort import tasks
from estimator.errors import SpecError
from estimator.growth.in_place import in_place
from estimator.growth.recabling import ADDED, KEPT, MOVED, REMOVED, Cable, cables_of, steps_between
from estimator.growth.result import GrowthPhase, Phases
from estimator.handoff.phases import BILL_COLUMNS, CABLE_COLUMNS, phases_of_design
from estimator.link_list import link_lists
from estimator.pipeline import estimate
from estimator.spec.change import apply_change
from estimator.spec.design import spec_hash
from estimator.spec.parse import parse_spec
from tests.estimator.verbs import run

CATALOG = load_catalog()
BASE: dict[str, Any] = {
    "compute": {"server": "dgx-h100", "nodes": 32},
    "fabric": {"generation": "ndr"},
}
DATES = ["2027-01-01", "2027-09-01", "2028-06-01"]


def phased(*nodes: int, base: dict[str, Any] = BASE, grow: int | None = None) -> dict[str, Any]:
    later = [{"date": date, "nodes": n} for date, n in zip(DATES[1:], nodes, strict=False)]
    return apply_change(base, {"fabric.grow_to_nodes": grow}) | {"phases": [{"date": DATES[0]}, *later]}


def phases(values: dict[str, Any]) -> Phases:
    return phases_of_design(parse_spec(values, CATALOG), CATALOG)


def pieces(made: Any) -> dict[Any, int]:
    out: dict[Any, int] = {}
    for line in made.bom.lines:
        key = (line.category, line.part, line.description, line.length_m)
        out[key] = out.get(key, 0) + line.quantity + line.spare_quantity
    return out


def test_a_design_without_phases_is_the_one_that_it_was() -> None:
    """The key counts in the hash where it says something; the hash is that of version 0.30 of the catalog's sample."""
    spec = parse_spec(BASE | {"name": "Untitled design"}, CATALOG)  # as designs without a name were called then
    assert spec_hash(spec) == "b7a3b9cbc5915997"
    assert spec_hash(parse_spec(phased(64), CATALOG)) != spec_hash(spec)
    (made,) = estimate([spec], CATALOG)
    assert "phases" not in made.as_json()


@pytest.mark.parametrize("nodes", [(128, 300), (33,), (32, 64)])
def test_what_is_bought_less_what_is_stranded_is_the_bill_of_each_phase(nodes: tuple[int, ...]) -> None:
    answer = phases(phased(*nodes))
    owned: dict[Any, int] = {}
    for phase, n in zip(answer.phases, (32, *nodes), strict=True):
        (alone,) = estimate([parse_spec(apply_change(BASE, {"compute.nodes": n}), CATALOG)], CATALOG, ("bom",))
        for line in phase.bill:
            key = (line.category, line.part, line.description, line.length_m)
            owned[key] = owned.get(key, 0) + line.quantity
        used = dict(owned)
        for line in phase.stranded:
            used[line.category, line.part, line.description, line.length_m] -= line.quantity
        assert {key: n for key, n in used.items() if n} == {key: n for key, n in pieces(alone).items() if n}
        assert phase.nodes == n


@pytest.mark.parametrize("quantity", [None, 5])
def test_what_is_there_already_is_bought_in_no_phase(quantity: int | None) -> None:
    part = next(line.part for line in phases(phased(64)).phases[0].bill if line.category == "switch")
    values = phased(64) | {"economics": {"owned": [{"part": part, "quantity": quantity}]}}
    (made,) = estimate([parse_spec(values, CATALOG)], CATALOG)
    assert made.phases
    assert made.cost
    first = made.phases.phases[0]
    assert sum(line.quantity for line in first.bill if line.part == part) == (0 if quantity is None else 13 - quantity)
    assert first.bought_usd.typical == pytest.approx(made.cost.capex_usd.total.typical)
    assert all(line.part != part for line in first.stranded)


def test_years_add_up_to_the_phases() -> None:
    """Running cost by hand: of the first phase for 243 days of 2027, of the second from 1 September."""
    answer = phases(phased(128, 300))
    assert [one.year for one in answer.years] == [2027, 2028, 2029, 2030]
    first, second, third = answer.phases
    of_2027 = (first.running_usd_per_year.typical * 243 + second.running_usd_per_year.typical * 122) / 365.25
    assert answer.years[0].running_usd.typical == pytest.approx(of_2027)
    of_2028 = (second.running_usd_per_year.typical * 152 + third.running_usd_per_year.typical * 214) / 365.25
    assert answer.years[1].running_usd.typical == pytest.approx(of_2028)
    bought = sum(one.bought_usd.typical for one in answer.phases)
    assert answer.bought_usd.typical == pytest.approx(bought)
    assert answer.years[-1].cumulative_usd.typical == pytest.approx(answer.total_usd.typical)
    assert answer.total_usd.typical == pytest.approx(
        bought + sum(one.one_off_usd.typical for one in answer.phases) + answer.running_usd.typical
    )
    (alone,) = estimate([parse_spec(BASE, CATALOG)], CATALOG, ("bom", "cost"))
    assert alone.bom
    assert alone.cost
    assert first.bought_usd == alone.bom.totals_usd
    by_kind = sum(one.typical for kind, one in alone.cost.one_off_usd.items() if kind != "total")
    assert first.one_off_usd.typical == pytest.approx(by_kind)
    assert first.bought_usd.typical + first.one_off_usd.typical == pytest.approx(alone.cost.outlay_usd.typical)


def by_ends(links: Any) -> dict[Any, Cable]:
    return {(one.fabric, one.a, one.b): one for one in cables_of(links)}


def test_cables_are_those_of_both_link_lists() -> None:
    """Second route: sets of ends with part and length; nothing is lost and nothing comes from nowhere."""
    here = link_lists(parse_spec(BASE, CATALOG), CATALOG)
    there = in_place(here, link_lists(parse_spec(apply_change(BASE, {"compute.nodes": 128}), CATALOG), CATALOG))
    steps = list(steps_between(here, there))
    old, new = by_ends(here[0]), by_ends(there[0])
    same = {ends for ends, cable in old.items() if ends in new and new[ends].kind == cable.kind}
    kept = [step for step in steps if step.action == KEPT]
    assert {(step.cable.fabric, step.cable.a, step.cable.b) for step in kept} == same
    assert sorted(step.before.number for step in steps if step.before) == sorted(one.number for one in old.values())
    assert sorted(step.after.number for step in steps if step.after) == sorted(one.number for one in new.values())
    for step in steps:
        if step.action == MOVED:
            assert step.before
            assert step.after
            assert step.before.kind == step.after.kind
            shared = len({step.before.a, step.before.b} & {step.after.a, step.after.b})
            assert step.ends_moved == 2 - shared if shared else step.ends_moved == 2
    # 8 leaves, 32 uplinks: from 8 a spine on four to 2 on sixteen, so 8 × 4 × 2 of them stay
    answer = phases(phased(128)).phases[1].recabling
    assert answer
    assert (answer.kept, answer.moved, answer.added, answer.removed) == (256 + 64, 192, 1536, 0)
    assert len(same) == 256 + 64


@pytest.mark.parametrize("grow", [128, 200])
def test_a_design_with_room_moves_no_cable_and_strands_nothing(grow: int) -> None:
    answer = phases(phased(64, 128, grow=grow))
    assert [one.recabling.touched for one in answer.phases[1:] if one.recabling] == [0, 0]
    assert answer.recabling_minutes.typical == 0
    assert answer.stranded_usd.typical == 0
    assert all(one.counts.spine == answer.phases[0].counts.spine for one in answer.phases)
    assert [one.nodes_held for one in answer.phases] == [grow] * 3


def test_the_least_that_moves_is_what_two_devices_share_no_more() -> None:
    """8 leaves with 8 cables to each of 4 spines, then 4 to each of 8: 4 × 4 × 8 stay whatever the ports, and as many go."""
    first, second = phases(phased(64, base=apply_change(BASE, {"compute.nodes": 32}))).phases
    assert (first.nodes_held, second.nodes_held) == (32, 64)
    assert second.recabling
    assert (second.recabling.least_touched, second.recabling.touched) == (128, 128)


def test_beyond_the_room_it_is_sized_for_itself() -> None:
    answer = phases(phased(64, 200, grow=64))
    assert [one.recabling.touched > 0 for one in answer.phases[1:] if one.recabling] == [False, True]


def test_beyond_the_room_a_phase_takes_the_tiers_that_it_needs() -> None:
    """The phase within the room keeps two tiers; the one beyond it has more nodes than two tiers reach."""
    answer = phases(phased(64, 512, grow=64))
    assert [one.counts.core > 0 for one in answer.phases] == [False, False, True]
    assert [one.nodes_held for one in answer.phases] == [64, 64, 512]


def test_what_is_of_no_use_is_stranded_at_its_price() -> None:
    """128 servers at 1:1 need 16 spines and 1,024 cables to them, at 2:1 fewer of both: what is left over lies there."""
    values = phased(128, base=apply_change(BASE, {"compute.nodes": 128}))
    values["phases"][1]["oversubscription"] = "2:1"
    answer = phases(values)
    first, second = answer.phases
    stranded = {line.use: line.quantity for line in second.stranded if line.category == "switch"}
    assert sum(stranded.values()) == first.counts.switches - second.counts.switches + spare_switches(first, second)
    expected = sum(line.quantity * line.unit_price_usd.typical for line in second.stranded if line.unit_price_usd)
    assert answer.stranded_usd.typical == pytest.approx(expected) != 0
    assert second.recabling
    assert second.recabling.removed > 0
    assert second.recabling.replaced_switches == first.counts.switches - second.counts.switches
    assert sum(one.removed for one in second.recabling.tiers) == second.recabling.removed
    assert second.bought_usd.typical == sum(
        line.extended_price_usd.typical for line in second.bill if line.extended_price_usd
    )


def spare_switches(first: GrowthPhase, second: GrowthPhase) -> int:
    """Spares of the first phase that the second has no part in: a share of the switches of a model, rounded up."""
    share = CATALOG.economics["spare-switches"].typical
    return math.ceil(first.counts.switches * share) - math.ceil(second.counts.switches * share)


def test_minutes_are_counts_by_the_tasks() -> None:
    """Cables of which one end stays cost a move, an end and the check of a link."""
    base = phases(phased(128)).phases[1]
    here = link_lists(parse_spec(BASE, CATALOG), CATALOG)
    there = in_place(here, link_lists(parse_spec(apply_change(BASE, {"compute.nodes": 128}), CATALOG), CATALOG))
    steps = [step for step in steps_between(here, there) if step.action in (MOVED, REMOVED)]
    minutes = 0.0
    for step in steps:
        assert step.cable.is_fiber
        whole = tasks()["cable-out"].minutes + tasks()["cable"].minutes
        metres = tasks()["cable-metre"].minutes * step.cable.length_m
        minutes += tasks()["cable-move"].minutes if step.ends_moved == 1 else whole + metres
        minutes += tasks()["fiber-end"].minutes * step.ends_moved
    crew = {one.crew: one for one in base.work}
    assert crew["cabling"].recabling.typical == pytest.approx(minutes, abs=0.1)
    moved = len(steps)
    assert crew["network"].recabling.typical == pytest.approx(
        moved * (tasks()["link"].minutes + tasks()["counter"].minutes), abs=0.1
    )
    assert base.window_minutes
    by_hand = minutes / 8 + moved * (tasks()["link"].minutes + tasks()["counter"].minutes) / 2  # of crews of 8 and of 2
    assert base.window_minutes.typical == pytest.approx(by_hand, abs=0.2)
    assert crew["racks"].recabling.typical == 0
    assert crew["racks"].installing.typical == 96 * tasks()["node"].minutes + 36 * tasks()["switch"].minutes


def test_networks_beside_compute_are_compared_too() -> None:
    both = apply_change(BASE, {"compute.nodes": 8}) | {"other_fabrics": [{"role": "storage"}]}
    recabling = phases(phased(24, base=both)).phases[1].recabling
    assert recabling
    assert {one.fabric for one in recabling.tiers} == {"compute", "storage"}


WRONG: list[tuple[Any, str, str]] = [
    ([{"date": "2027-01"}], "phases", "too_few"),
    ([{"date": "2027-13"}, {"date": "2028-01", "nodes": 64}], "phases[0].date", "invalid"),
    ([{"date": "0001-01"}, {"date": "0002-01", "nodes": 64}], "phases[0].date", "invalid"),
    ([{"date": "9998-01"}, {"date": "9999-01", "nodes": 64}], "phases[1].date", "invalid"),
    ([{"date": "2027-01"}, {"date": "2027-01-01", "nodes": 64}], "phases[1].date", "out_of_range"),
    ([{"date": "2027-01"}, {"date": "2028-01", "nodes": 31}], "phases[1].nodes", "out_of_range"),
    ([{"date": "2027-01"}, {"date": "2028-01"}], "phases[1].nodes", "missing"),
    ([{"date": "2027-01", "nodes": 16}, {"date": "2028-01", "nodes": 64}], "phases[0].nodes", "contradiction"),
    ([{"date": "2027-01"}, {"date": "2028-01", "nodes": 64, "gpus": 600}], "phases[1].gpus", "contradiction"),
    ([{"date": "2027-01"}, {"date": "2043-01", "nodes": 64}], "phases[1].date", "out_of_range"),
    ([{"date": f"20{27 + n}-01"} for n in range(6)], "phases", "out_of_range"),
]


@pytest.mark.parametrize(("given", "field", "code"), WRONG, ids=[f"{case[1]}-{case[2]}" for case in WRONG])
def test_wrong_phases_are_refused_by_field(given: Any, field: str, code: str) -> None:
    with pytest.raises(SpecError) as refused:
        parse_spec(BASE | {"phases": given}, CATALOG)
    found = {(problem.field, problem.code) for problem in refused.value.problems}
    assert (field, code) in found or (code == "invalid" and field in {one for one, _ in found})


def test_a_size_in_gpus_is_whole_servers_and_the_first_may_be_said_again() -> None:
    given = [{"date": "2027-01", "nodes": 32}, {"date": "2028-01", "gpus": 1001}]
    spec = parse_spec(BASE | {"phases": given}, CATALOG)
    assert [one.nodes for one in spec.phases] == [None, 126]
    again = parse_spec(spec.as_json(), CATALOG)
    assert spec_hash(again) == spec_hash(spec)


def test_a_phase_that_cannot_be_is_a_finding_of_its_own_field() -> None:
    one_leaf = {"compute": {"server": "dgx-h100", "nodes": 8}, "fabric": {"generation": "ndr", "tiers": 1}}
    values = phased(4000, base=one_leaf)
    (made,) = estimate([parse_spec(values, CATALOG)], CATALOG)
    assert made.phases is not None
    assert [one.nodes for one in made.phases.phases] == [8]
    assert any(note.startswith("Phase 2: ") for note in made.phases.left_out)
    found = [one for one in made.findings if one.code == "phase_not_possible"]
    assert [(one.field, one.change) for one in found] == [("phases[1].nodes", {"fabric.tiers": "auto"})]
    with pytest.raises(SpecError, match="Phase 2") as refused:
        phases_of_design(parse_spec(values, CATALOG), CATALOG)
    (change,) = [problem.change for problem in refused.value.problems]
    assert change == {"fabric.tiers": "auto"}
    assert [one.counts.core > 0 for one in phases(apply_change(values, change)).phases] == [False, True]


def test_a_phase_that_no_number_of_tiers_lets_be_has_another_way_or_none() -> None:
    base = {"compute": {"server": "dgx-h100", "nodes": 600}, "fabric": {"generation": "ndr", "tiers": 3}}
    values = phased(12_000, base=base)
    (made,) = estimate([parse_spec(values, CATALOG)], CATALOG)
    (found,) = [one for one in made.findings if one.code == "phase_not_possible"]
    assert found.change is not None
    assert [one.nodes for one in phases(apply_change(values, found.change)).phases] == [600, 12_000]
    other = {"date": DATES[1], "nodes": 700, "generation": "roce-400"}
    (made,) = estimate([parse_spec(base | {"phases": [{"date": DATES[0]}, other]}, CATALOG)], CATALOG)
    (found,) = [one for one in made.findings if one.code == "phase_not_possible"]
    assert found.change is None


def test_a_later_phase_says_what_today_does_not_have() -> None:
    """31 servers leave ports for two fabric managers, 32 take all: each warning once, in the first phase that has it."""
    base = {
        "compute": {"server": "dgx-h100", "nodes": 31},
        "fabric": {"generation": "ndr", "reserved": {"fabric_manager_links": 2}},
    }
    (made,) = estimate([parse_spec(phased(32, 64, base=base), CATALOG)], CATALOG)
    short = [one for one in made.findings if one.code == "fabric_manager_ports_short"]
    assert [(one.field, one.severity) for one in short] == [("phases[1].nodes", "warning")]
    assert short[0].message.startswith("Phase 2: ")
    assert "2 fabric-manager links have no port" in short[0].message
    assert made.phases is not None


def test_the_command_line_has_phases_and_their_files() -> None:
    values = phased(128)
    answer = run("phases", "-", text=values)
    assert answer.returncode == 0, answer.stderr
    assert '"until": "2031-01-01"' in answer.stdout
    bill = list(csv.DictReader(io.StringIO(run("phases", "-", "--format", "csv", text=values).stdout)))
    assert tuple(bill[0]) == BILL_COLUMNS
    assert all(row["price_basis"] and row["price_source"] for row in bill)
    total = sum(float(row["price_usd_typical"]) for row in bill if row["state"] == "bought")
    assert total == pytest.approx(phases(values).bought_usd.typical)
    cables = list(csv.DictReader(io.StringIO(run("phases", "-", "--format", "csv-cables", text=values).stdout)))
    assert tuple(cables[0]) == CABLE_COLUMNS
    assert all(row["part_name"] == CATALOG.cables[row["part"]].name for row in cables)
    by_action = [row["action"] for row in cables if row["phase"] == "Phase 2"]
    assert (by_action.count(MOVED), by_action.count(ADDED)) == (192, 1536)
    refused = run("phases", "-", text=BASE)
    assert refused.returncode == 2
    assert "no phases" in refused.stderr


XDR = {"compute": {"server": "dgx-b300", "nodes": 64}, "fabric": {"generation": "xdr"}}
B300 = {"compute": {"server": "dgx-b300", "nodes": 32}, "fabric": {"generation": "ndr", "leaf_switch": "nvidia-qm9700"}}


def test_a_phase_of_another_generation_replaces_the_whole_network() -> None:
    values = phased(64, 96, base=B300)
    values["phases"][1]["generation"] = "xdr"
    first, rebuilt, last = phases(values).phases
    (direct,) = estimate([parse_spec(XDR, CATALOG)], CATALOG)
    assert (first.generation, rebuilt.generation, last.generation) == ("ndr", "xdr", "xdr")
    assert rebuilt.counts == direct.compute.counts
    assert {line.part: line.quantity for line in rebuilt.stranded if line.category == "switch"} == {
        line.part: line.quantity for line in first.bill if line.category == "switch"
    }
    assert rebuilt.recabling.kept == 0
    assert rebuilt.recabling.touched == first.counts.nodes * 8 + 256
    assert last.recabling.kept > 0
    assert not [line for line in last.bill if line.part == "nvidia-qm9700"]


@pytest.mark.parametrize(
    ("generation", "at", "words"),
    [("xdr", 1, "ports of 400 Gb/s"), ("roce-400", 1, "protocol"), ("xdr", 0, "fabric.generation holds")],
)
def test_servers_that_cannot_join_another_generation_stay_where_they_are(generation: str, at: int, words: str) -> None:
    values = phased(64)
    values["phases"][at]["generation"] = generation
    with pytest.raises(SpecError, match=words) as refused:
        phases(values)
    assert [one.field for one in refused.value.problems] == [f"phases[{at}].generation"]


def test_a_phase_that_names_no_generation_has_the_hash_of_before_there_was_the_key() -> None:
    assert spec_hash(parse_spec(phased(64) | {"name": "a"}, CATALOG)) == "dc09a0b0b85de930"


def test_a_phase_has_a_link_list_of_its_own() -> None:
    """Each cable that the list of touched cables leads somewhere is there in the list of the phase, and its dump fits it."""
    values = phased(64, 100)
    touched = list(csv.DictReader(io.StringIO(run("phases", "-", "--format", "csv-cables", text=values).stdout)))
    ends = ("a_device", "a_port", "b_device", "b_port")
    stands: dict[int, set[tuple[str, ...]]] = {}
    for phase in (1, 2, 3):
        answer = run("links", "-", "--phase", str(phase), text=values)
        assert answer.returncode == 0, answer.stderr
        stands[phase] = {tuple(row[end] for end in ends) for row in csv.DictReader(io.StringIO(answer.stdout))}
        led = {
            tuple(row[end] for end in ends) for row in touched if row["phase"] == f"Phase {phase}" and row["a_device"]
        }
        assert led <= stands[phase]
        before = stands.get(phase - 1, set())
        gone = {
            tuple(row[f"{end}_before"] for end in ends)
            for row in touched
            if row["phase"] == f"Phase {phase}" and row["a_device_before"]
        }
        assert (before - gone) | led == stands[phase]
    alone = run("links", "-", text=apply_change(values, {"compute.nodes": 100, "phases": None}))
    by_itself = {tuple(row[end] for end in ends) for row in csv.DictReader(io.StringIO(alone.stdout))}
    assert len(by_itself) == len(stands[3])
    assert by_itself != stands[3]


def test_what_is_built_in_a_phase_is_compared_with_that_phase(tmp_path: Path) -> None:
    values = phased(64)
    built = tmp_path / "built.topo"
    built.write_text(run("links", "-", "--format", "topo", "--phase", "2", text=values).stdout)
    found = json.loads(run("compare-links", "-", str(built), "--phase", "2", text=values).stdout)
    assert found["matched"] == 1024
    assert not any(found[name] for name in DIFFERENCES)


@pytest.mark.parametrize(("values", "phase", "words"), [(phased(64), 3, "phases 1 to 2"), (BASE, 1, "no phases")])
def test_links_of_a_phase_that_is_not_there_are_refused(values: dict[str, Any], phase: int, words: str) -> None:
    answer = run("links", "-", "--phase", str(phase), text=values)
    assert answer.returncode == 2
    assert words in answer.stderr


def test_devices_that_a_floor_plan_has_in_other_racks_are_said() -> None:
    """64 servers and 24 switches: in the plan of 128 servers 8 spines and 40 servers stand elsewhere, by rack names."""
    planned = apply_change(BASE, {"compute.nodes": 64}) | {"site": {"plan": {}}}
    racks = []
    for nodes in (64, 128):
        (links,) = link_lists(parse_spec(apply_change(planned, {"compute.nodes": nodes}), CATALOG), CATALOG)
        assert links.plan.floor
        floor = links.plan.floor
        placed = [(rack.name, device.name) for rack in floor.racks() for device in floor.devices_in(rack.number - 1)]
        racks.append({device: rack for rack, device in placed})
    n_moved = sum(racks[1][device] != rack for device, rack in racks[0].items())
    assert n_moved == 48
    said = [note for note in phases(phased(128, base=planned)).left_out if "floor plan" in note]
    assert len(said) == 1
    assert said[0].startswith("Phase 2: its floor plan, made for itself, has 48 devices")
    plain = phases(phased(128, base=apply_change(BASE, {"compute.nodes": 64}))).left_out
    assert not [note for note in plain if "floor plan" in note]
