"""The playbook carries every target's files, changes nothing unless it is applied, and Ansible takes it."""

import shutil
import subprocess
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import yaml

from estimator.bringup.plan.plan import Plan
from estimator.bringup.renderings.targets import archive, files_of, targets_of
from tests.estimator.bringup.plans import DESIGNS, plan_named

needs_ansible = pytest.mark.skipif(
    not shutil.which("ansible-playbook"), reason="ansible-playbook is not installed (PyPI: ansible-core)"
)
PLAY_KEYS = {"name", "hosts", "gather_facts", "become", "tasks"}
TASK_KEYS = {"name", "ansible.builtin.copy", "check_mode", "diff", "loop"}


def loaded(plan: Plan) -> dict[str, Any]:
    """Playbook and inventory."""
    return {file.name: yaml.safe_load(file.text) for file in files_of(plan, "ansible")}


@pytest.mark.parametrize("name", DESIGNS)
def test_every_target_of_the_design_is_carried_to_a_group_of_the_inventory(name: str) -> None:
    plan = plan_named(name)
    found = loaded(plan)
    groups = found["inventory.yml"]["all"]["children"]
    carried = []
    for play in found["site.yml"]:
        assert set(play) == PLAY_KEYS
        assert play["hosts"] in groups
        (task,) = play["tasks"]
        assert set(task) <= TASK_KEYS
        assert task["check_mode"] == "{{ not (apply | default(false) | bool) }}"
        where = task["loop"] if "loop" in task else task["ansible.builtin.copy"]["src"]
        carried.append(where.partition("../")[2].partition("/")[0])
    assert sorted(carried) == sorted(target for target in targets_of(plan) if target != "ansible")
    if "nodes" in groups:
        assert list(groups["nodes"]["hosts"]) == [plan.wired.name(node) for node in plan.wired.nodes]


def test_a_play_is_dry_unless_it_is_applied() -> None:
    """Jinja as Ansible has it: the words of check_mode, with and without -e apply=true."""
    import jinja2

    environment = jinja2.Environment()
    environment.filters["bool"] = lambda value: str(value).lower() in ("true", "yes", "1")
    words = loaded(plan_named("one tier"))["site.yml"][0]["tasks"][0]["check_mode"]
    assert environment.from_string(words).render() == "True"
    assert environment.from_string(words).render(apply="true") == "False"
    assert environment.from_string(words).render(apply="false") == "True"


@needs_ansible
@pytest.mark.parametrize("name", ["two tiers", "InfiniBand"])
def test_ansible_takes_the_archive_as_it_is(name: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(BytesIO(b"".join(archive(plan_named(name))))) as files:
        files.extractall(tmp_path)
    made = subprocess.run(
        ["ansible-playbook", "--syntax-check", "-i", "inventory.yml", "site.yml"],
        cwd=tmp_path / "ansible",
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert made.returncode == 0, made.stderr
    assert "playbook: site.yml" in made.stdout
    assert "WARNING" not in made.stderr
