"""Clean sets and faults in forms of operators' files, written apart from the readers: all are found, none is made up."""

import json
from functools import cache

import pytest

from estimator.bringup.check.check import checked_against
from estimator.bringup.check.result import SettingFinding, SettingsCheck
from estimator.bringup.plan.plan import Plan
from estimator.catalog.loader import load_catalog
from tests.estimator.bringup.plans import plan_named, plan_of_values
from tests.estimator.bringup.settings.clean import DESIGN_OF_SHARP
from tests.estimator.bringup.settings.seeds import Seed, seeded_text
from tests.estimator.bringup.settings.strangers import cumulus, eos, fabric, hosts, junos, nxos, sonic

MODULES = (cumulus, sonic, eos, nxos, junos, hosts, fabric)
SETS = {name: one for module in MODULES for name, one in module.sets().items()}
SEEDS: list[Seed] = [seed for module in MODULES for seed in module.SEEDS]


@cache
def plan_of_design(design: str) -> Plan:
    return plan_of_values(DESIGN_OF_SHARP) if design == "SHARP" else plan_named(design)


def checked(name: str, more: dict[str, str]) -> SettingsCheck:
    """A set with other texts for some of its files."""
    design, files = SETS[name]
    given = [(file, text.encode()) for file, text in (files | more).items()]
    return checked_against(plan_of_design(design), given, load_catalog())


def place(one: SettingFinding) -> tuple[str, str, int]:
    return one.device, one.file, one.line


@pytest.mark.parametrize("name", SETS)
def test_a_clean_set_has_no_finding_and_is_read(name: str) -> None:
    answer = checked(name, {})
    assert [(one.code, *place(one), one.message) for one in answer.findings] == []
    assert [one for one in answer.unread if "secret" not in one.why.lower()] == []
    assert not any(hop.lossless is False for hop in answer.paths)
    assert "SEEDED" not in json.dumps(answer.as_json())


@pytest.mark.parametrize("name", SETS)
def test_faults_of_a_set_are_found_where_they_are_and_nowhere_else(name: str) -> None:
    for seed in [one for one in SEEDS if one.set == name]:
        changed, at = seeded_text(SETS[name][1][seed.file], seed)
        wanted = seed.device, seed.file.rpartition(":")[2].rpartition("/")[2], changed.count("\n", 0, at) + 1
        found = checked(name, {seed.file: changed}).findings
        assert seed.code in {one.code for one in found if place(one) == wanted}, (seed, found)
        assert {place(one) for one in found} == {wanted}, seed


def test_there_are_as_many_as_count() -> None:
    assert len(SEEDS) >= 190
    assert len(SETS) >= 20
