"""Clean sets have no finding, and are read: every file gives settings, and no secret comes out."""

import json
from functools import cache

import pytest

from estimator.bringup.check.check import checked_against
from estimator.bringup.check.result import SettingsCheck
from estimator.bringup.check.upload import READERS, read_all
from estimator.bringup.plan.plan import Plan
from estimator.catalog.loader import load_catalog
from tests.estimator.bringup.plans import plan_named, plan_of_values
from tests.estimator.bringup.settings.clean import DESIGN_OF_SHARP, SETS, clean
from tests.estimator.bringup.settings.field import field_sets


@cache
def plan_of_set(name: str) -> Plan:
    """The plan of a clean set's design."""
    design = SETS[name][0]
    return plan_of_values(DESIGN_OF_SHARP) if design == "SHARP" else plan_named(design)


def checked(name: str, files: dict[str, str]) -> SettingsCheck:
    """A set against its design."""
    return checked_against(plan_of_set(name), [(file, text.encode()) for file, text in files.items()], load_catalog())


@pytest.mark.parametrize("name", SETS)
def test_a_clean_set_has_no_finding(name: str) -> None:
    answer = checked(name, clean(name))
    assert [(one.code, one.device, one.file, one.line, one.message) for one in answer.findings] == []
    assert all("secret" in one.why for one in answer.unread), answer.unread
    assert not any(hop.lossless is False for hop in answer.paths)


def test_every_reader_reads_a_clean_file() -> None:
    kinds = {reader.__name__.rpartition(".")[2]: 0 for reader in READERS}
    for files in [*map(clean, SETS), *(files for _, files in field_sets().values())]:
        for file, text in files.items():
            reader = next(one for one in READERS if one.is_mine(text))
            (reading,) = read_all([(file, text.encode())], [])
            kinds[reader.__name__.rpartition(".")[2]] += len(reading.seen)
    assert min(kinds.values()) > 0, kinds


def test_secrets_are_recognised_and_never_shown() -> None:
    for name in SETS:
        answer = checked(name, clean(name))
        assert "SEEDED" not in json.dumps(answer.as_json()).upper(), name
        hidden = {one.file for one in answer.unread}
        seeded = {
            file.rpartition(":")[2] for file, text in clean(name).items() if "SEEDEDHASH" in text or "deadbeef" in text
        }
        assert seeded <= hidden, name


def test_a_packet_is_followed_from_nic_to_spine() -> None:
    paths = checked("Cumulus", clean("Cumulus")).paths
    assert {(one.from_, one.to, one.dscp, one.priority, one.lossless) for one in paths} == {
        ("node-0001", "leaf-r1-001", 26, 3, True),
        ("leaf-r1-001", "spine-001", 26, 3, True),
    }
