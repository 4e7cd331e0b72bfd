"""Parts of a plan: the same as the whole says, made without it; files taken apart beside their sources."""

from typing import Any

import pytest

from estimator.bringup.parts.groups import answer_of, port_groups
from estimator.bringup.parts.overview import overview
from estimator.bringup.plan.answer import answered
from estimator.bringup.plan.plan import Plan
from estimator.bringup.renderings.annotated import blocks, by_note
from estimator.bringup.renderings.targets import TARGETS, file_of, files_of, names_of, targets_of
from tests.estimator.bringup.plans import DESIGNS, plan_named


@pytest.mark.parametrize("name", DESIGNS)
def test_the_answer_by_groups_is_that_of_every_switch(name: str) -> None:
    plan = plan_named(name)
    assert answer_of(plan, targets_of(plan)) == answered(plan, targets_of(plan))


@pytest.mark.parametrize("name", ["two tiers", "mixed", "InfiniBand, three tiers"])
def test_rows_of_headroom_stand_for_all_groups(name: str) -> None:
    plan = plan_named(name)
    ports = answered(plan, []).ports
    found = overview(plan, targets_of(plan))
    assert sum(row.n_ports for row in found.headroom) == sum(len(group.ports) for group in ports)
    assert {row.headroom_bytes for row in found.headroom} == {group.headroom_bytes for group in ports}
    assert len(found.headroom) == len(port_groups(plan).firsts) < len(ports)
    assert found.plan.ports == []


@pytest.mark.parametrize("name", ["two tiers", "mixed", "InfiniBand, three tiers"])
def test_names_of_files_are_known_without_writing_them(name: str) -> None:
    plan = plan_named(name)
    for target in targets_of(plan):
        assert names_of(plan, target) == [file.name for file in files_of(plan, target)]


def test_the_file_of_one_switch_is_that_of_the_whole_and_no_other_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_named("two tiers")
    written: list[int] = []
    whole = {file.name: file for file in files_of(plan, "sonic")}
    name = [one for one in whole if one.startswith("spine")][-1]
    monkeypatch.setattr(type(plan), "_switch", _noting(type(plan)._switch, written))
    assert file_of(plan, "sonic", name) == whole[name]
    assert len(written) == 1


def _noting(made: Any, written: list[int]) -> Any:
    def switch(self: Plan, device: int, *more: Any) -> Any:
        written.append(device)
        return made(self, device, *more)

    return switch


@pytest.mark.parametrize("target", [name for name, one in TARGETS.items() if one.system])
def test_a_file_taken_apart_loses_no_line_and_has_its_notes(target: str) -> None:
    plan = plan_named("two tiers")
    first = next(files_of(plan, target))
    if target == "sonic":
        placed = by_note(file_of(plan, target, first.name + ".sources.csv").text, 2)
        assert all(len(one.places) == min(one.n_places, 2) for one in placed)
        assert any(one.note.key == "mtu.switch_bytes" and one.n_places > 2 for one in placed)
        return
    taken = list(blocks(first.text, 10**6))
    lines = [line for block in taken for line in block.lines if line.strip()]
    mark = "!" if target in ("eos", "nxos") else "#"
    assert lines == [line for line in first.text.split("\n") if line.strip() and not line.lstrip().startswith(mark)]
    notes = [note for block in taken for note in block.notes]
    assert all(note.words and note.words != "as above" for note in notes)
    assert any(note.others for note in notes)
    assert sum(len(block.lines) for block in blocks(first.text, 40)) < 40
