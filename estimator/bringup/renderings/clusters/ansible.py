"""Ansible: an inventory of the design's devices, and a playbook that carries the files of every target to where they are read.

It shows what it would change and changes nothing until it runs with ``-e apply=true``. Format: docs.ansible.com, playbook
keywords (check_mode, diff) and ansible.builtin.copy. It lies beside the other targets' folders, as in the archive.
"""

from collections.abc import Iterator

from estimator.bringup.plan.plan import Plan
from estimator.bringup.plan.value import own, worked_out
from estimator.bringup.renderings.sourced import Page
from estimator.bringup.renderings.target import File
from estimator.bringup.renderings.targets import TARGETS, targets_of
from estimator.fabric.devices import MANAGER
from estimator.units import counted

NAME = "ansible"
PLAYBOOK, INVENTORY = "site.yml", "inventory.yml"
NODES, SWITCHES, MANAGERS, STAGING = "nodes", "switches", "subnet_managers", "staging"
PLACES = {  # group of hosts and folder on them, by target
    "opensm": (MANAGERS, "/etc/opensm"),
    "ufm": (MANAGERS, "/root/clusterwright/ufm"),
    "sharp": (MANAGERS, "/etc/sharp"),
    "slurm": ("slurm_controllers", "/root/clusterwright/slurm"),
    "network-operator": ("kubernetes_admins", "/root/clusterwright/network-operator"),
}
OF_NODES = ("host", "nic", "nccl")
LINUX_SWITCHES = ("nvue", "sonic")
"""Systems whose switches take files as hosts do; those of others are staged for the vendor's own loader."""
CHECK = '"{{ not (apply | default(false) | bool) }}"'


def files(plan: Plan) -> Iterator[File]:
    """The playbook first."""
    carried = [name for name in targets_of(plan) if name != NAME]
    yield _playbook(plan, carried)
    yield _inventory(plan, carried)


def place(target: str) -> tuple[str, str]:
    """Group and folder that a target's files go to."""
    if target in PLACES:
        return PLACES[target]
    group = NODES if target in OF_NODES else SWITCHES if target in LINUX_SWITCHES else STAGING
    return group, f"/root/clusterwright/{target}"


def _playbook(plan: Plan, carried: list[str]) -> File:
    page = Page(
        plan,
        "ansible-playbook -i inventory.yml site.yml shows what would change, and changes nothing;",
        "ansible-playbook -i inventory.yml site.yml -e apply=true copies the files. Nothing of them is run: what runs a file",
        "stands in its first lines.",
    )
    for target in carried:
        group, folder = place(target)
        label = TARGETS[target].label
        page.say(f"{label}: {TARGETS[target].purpose}")
        value = own(
            f"ansible.{target}", folder, f"Where {group} keep the files of {target}; change it as the site has it"
        )
        page.put(
            value,
            f"- name: Files of {label}",
            f"  hosts: {group}",
            "  gather_facts: false",
            "  become: true",
            "  tasks:",
            f"    - name: Copy {target}",
            "      ansible.builtin.copy:",
            *_source(target, group),
            f"        dest: {folder}/",
            "        mode: u=rwX,go=rX",
            f"      check_mode: {CHECK}",
            "      diff: true",
            *_own_files(target, group),
        )
    return page.file(PLAYBOOK)


def _source(target: str, group: str) -> list[str]:
    return ['        src: "{{ item }}"'] if group == SWITCHES else [f"        src: ../{target}/"]


def _own_files(target: str, group: str) -> list[str]:
    """A switch gets its own files alone, which its name begins."""
    if group != SWITCHES:
        return []
    glob = f"playbook_dir ~ '/../{target}/' ~ inventory_hostname ~ '.*'"
    return [f"      loop: \"{{{{ query('ansible.builtin.fileglob', {glob}) }}}}\""]


def _inventory(plan: Plan, carried: list[str]) -> File:
    page = Page(
        plan, "Devices of the design by group; put hosts of the site into the groups that the design has none for."
    )
    groups = list(dict.fromkeys(place(target)[0] for target in carried))
    page.say("Groups")
    start = worked_out(
        "ansible.groups", " ".join(groups), "Targets that the design has", "A group for each place of files"
    )
    page.put(start, "all:", "  children:")
    for group in groups:
        names = _hosts(plan, group)
        value = (
            worked_out(f"ansible.{group}", counted(len(names), "device"), "Names of the design's link list", "As wired")
            if names
            else own(f"ansible.{group}", "none", "The design has no such host: name those of the site")
        )
        page.put(value, f"    {group}:", *_listed(names))
    return page.file(INVENTORY)


def _hosts(plan: Plan, group: str) -> list[str]:
    wired, devices = plan.wired, plan.links.table.devices
    found: dict[str, list[str]] = {
        NODES: [wired.name(node) for node in wired.nodes],
        SWITCHES: [wired.name(switch) for switch in wired.switches],
        MANAGERS: devices.names[devices.of(MANAGER)],
    }
    return found.get(group, [])


def _listed(names: list[str]) -> list[str]:
    return ["      hosts:", *(f"        {name}:" for name in names)] if names else ["      hosts: {}"]
