"""All files of all targets: every value has its source, equal designs give equal bytes, wrong names are refused."""

import io
import zipfile

import pytest

from estimator.bringup.renderings.targets import TARGETS, archive, file_of, files_of, in_pieces, size_of, targets_of
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
    has = [target for target in TARGETS if TARGETS[target].system and plan.protocol in TARGETS[target].protocols]
    has = [*dict.fromkeys([*has, *targets_of(plan)])]
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


def test_an_archive_of_too_many_files_is_refused_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_named("two tiers")
    n_switches = len(plan.wired.switches)
    monkeypatch.setattr("estimator.bringup.renderings.targets.MOST_FILES", n_switches)
    with pytest.raises(SpecError, match=rf"at most {n_switches} files .* one target at a time"):
        archive(plan)
    assert b"".join(archive(plan, "nvue"))
    monkeypatch.setattr("estimator.bringup.renderings.targets.MOST_FILES", n_switches - 1)
    with pytest.raises(SpecError, match=r"single files by name"):
        archive(plan, "nvue")
    assert b"".join(archive(plan, "nic"))  # which has no files of switches


@pytest.mark.parametrize("name", ["nvue", None])
def test_the_size_of_an_archive_is_known_before_and_its_pieces_are_it(name: str | None) -> None:
    plan = plan_named("two tiers")
    whole = b"".join(archive(plan, name))
    size = size_of(plan, name)
    files = [path for path, _ in entries(whole) if path.startswith(("nvue/", "sonic/")) and not path.endswith(".csv")]
    assert size.n_files == len(files)
    assert 0.5 < size.n_bytes / len(whole) < 1.5
    pieces = list(in_pieces(plan, name, 4_000))
    assert b"".join(data for data, _ in pieces) == whole
    assert all(len(data) >= 4_000 for data, _ in pieces[:-1])
    shares = [share for _, share in pieces]
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_names_that_are_not_there_are_refused_with_those_that_are() -> None:
    plan = plan_named("one tier")
    with pytest.raises(SpecError, match="nic"):
        files_of(plan, "routeros")
    with pytest.raises(SpecError, match=r"nic\.sh"):
        file_of(plan, "nic", "nic.exe")
    assert file_of(plan, "nic", "cables.csv").text.startswith("node,device,")
