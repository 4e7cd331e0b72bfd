"""All files of all targets: every value has its source, equal designs give equal bytes, wrong names are refused."""

import io
import zipfile

import pytest

from estimator.bringup.renderings.targets import TARGETS, archive, file_of, files_of, targets_of
from estimator.errors import SpecError
from tests.estimator.bringup.plans import DESIGNS, plan_named
from tests.estimator.bringup.sourced import unsourced


def entries(data: bytes) -> list[tuple[str, str]]:
    """Path and text of every file of an archive."""
    with zipfile.ZipFile(io.BytesIO(data)) as files:
        return [(name, files.read(name).decode()) for name in files.namelist()]


@pytest.mark.parametrize("name", DESIGNS)
def test_no_file_of_any_target_has_a_value_without_a_source(name: str) -> None:
    plan = plan_named(name)
    has = [target for target in TARGETS if plan.protocol in TARGETS[target].protocols]
    files = [(f"{target}/{file.name}", file.text) for target in has for file in files_of(plan, target)]
    assert len(files) >= len(has) > 0
    assert unsourced(files) == []


def test_the_walk_finds_a_value_without_a_source() -> None:
    good = "# mtu = 9216 B [A] A manual. Why.\nmtu 9216\n\n"
    assert unsourced([("nic/a.sh", good)]) == []
    assert unsourced([("nic/a.sh", good + "mtu 9000\n")]) == ["nic/a.sh:4: mtu 9000"]
    assert len(unsourced([("nic/a.sh", "# mtu = 9216 B [A] as above\nmtu 9216\n")])) == 2
    assert unsourced([("sonic/a.json", '{"mtu": 9216}')]) == ["sonic/a.json/mtu"]
    assert unsourced([("nic/a.csv", "mtu,source\n9216,\n")]) == ["nic/a.csv:2"]


def test_an_archive_has_the_files_of_all_targets_and_equal_bytes() -> None:
    plan = plan_named("two tiers")
    data = b"".join(archive(plan))
    names = [name for name, _ in entries(data)]
    assert {name.partition("/")[0] for name in names} == set(targets_of(plan))
    assert len(set(names)) == len(names)
    assert b"".join(archive(plan)) == data
    assert {name for name, _ in entries(b"".join(archive(plan, "nic")))} == {
        name for name in names if name.startswith("nic/")
    }


def test_an_archive_of_too_many_switches_is_refused_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("estimator.bringup.renderings.targets.MOST_SWITCHES", 3)
    monkeypatch.setattr("estimator.bringup.renderings.targets.MOST_SWITCHES_OF_ALL", 2)
    with pytest.raises(SpecError, match=r"at most 2 switches, .* one target at a time"):
        archive(plan_named("two tiers"))
    with pytest.raises(SpecError, match=r"at most 3 switches, .* the name of a file"):
        archive(plan_named("two tiers"), "nic")


def test_names_that_are_not_there_are_refused_with_those_that_are() -> None:
    plan = plan_named("one tier")
    with pytest.raises(SpecError, match="nic"):
        files_of(plan, "routeros")
    with pytest.raises(SpecError, match=r"nic\.sh"):
        file_of(plan, "nic", "nic.exe")
    assert file_of(plan, "nic", "cables.csv").text.startswith("node,device,")
