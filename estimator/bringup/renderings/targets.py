"""Every target by its name on the command line and in the API, and the files of a design for one or all of them."""

import io
import zipfile
from collections.abc import Iterator

from estimator.bringup.plan.answer import answered
from estimator.bringup.plan.plan import Plan
from estimator.bringup.plan.records import BringupPlan
from estimator.bringup.renderings.target import BOTH, IB, ROCE, File, Target
from estimator.errors import Problem, SpecError

TARGETS = {
    "nvue": Target("Cumulus Linux", "nv set commands, a script a switch", ROCE, "switches.nvue", "nvue"),
    "sonic": Target("SONiC", "patch of config_db.json, a file a switch", ROCE, "switches.sonic", "sonic"),
    "eos": Target("Arista EOS", "configuration, a file a switch", ROCE, "switches.eos", "eos"),
    "nxos": Target("Cisco NX-OS", "configuration, a file a switch", ROCE, "switches.nxos", "nxos"),
    "junos": Target("Junos", "set commands, a file a switch", ROCE, "switches.junos", "junos"),
    "host": Target("Host settings", "kernel line, sysctl, limits, PCIe, addresses of every host", BOTH, "hosts.host"),
    "nic": Target("NIC settings", "script on every host: classes, buffers, firmware of its NICs", BOTH, "hosts.nic"),
    "nccl": Target("NCCL and UCX", "environment of jobs", BOTH, "hosts.nccl"),
    "checklist": Target("Checklist", "the order of work at the site, by day and crew", BOTH, "checklist"),
    "opensm": Target(
        "OpenSM",
        "subnet manager: configuration, roots and nodes, levels of service, partitions",
        IB,
        "infiniband.opensm",
    ),
    "ufm": Target("UFM", "subnet manager of UFM: opensm.conf, gv.cfg", IB, "infiniband.ufm"),
    "sharp": Target("SHARP", "aggregation manager of reduction in switches: sharp_am.cfg", IB, "infiniband.sharp"),
    "network-operator": Target(
        "NVIDIA network operator",
        "Kubernetes: NICs, networks and addresses a rail, labels",
        BOTH,
        "clusters.network_operator",
    ),
    "slurm": Target("Slurm", "topology, GPUs of nodes, prolog that checks the network", BOTH, "clusters.slurm"),
    "ansible": Target("Ansible", "inventory and playbook that carry all of the files", BOTH, "clusters.ansible"),
}
MOST_SWITCHES = 1000


def target_named(name: str) -> Target:
    """One of TARGETS.

    Raises
    ------
    SpecError
        For a name that is none of them.
    """
    if name not in TARGETS:
        message = f"Targets are {', '.join(TARGETS)}, and {name[:40]} was requested."
        raise SpecError([Problem("target", "not_a_choice", message)])
    return TARGETS[name]


def targets_of(plan: Plan) -> list[str]:
    """Names of the targets that a design has."""
    return [name for name, target in TARGETS.items() if target.is_for(plan)]


def plan_answer(plan: Plan) -> BringupPlan:
    """The typed plan with the targets that the design has."""
    return answered(plan, targets_of(plan))


def files_of(plan: Plan, name: str) -> Iterator[File]:
    """The files of one target.

    Raises
    ------
    SpecError
        For a target of the other kind of network, or of no name.
    """
    target = target_named(name)
    if plan.protocol not in target.protocols:
        message = (
            f"{target.label} is not for {plan.protocol} fabrics, which this design's is. "
            f"It has {', '.join(targets_of(plan))}."
        )
        raise SpecError([Problem("target", "not_for_protocol", message)])
    return target.files(plan)


def file_of(plan: Plan, name: str, wanted: str | None = None) -> File:
    """One file of a target: the main one, or another by its name.

    Raises
    ------
    SpecError
        As ``files_of``, and for a file that the target has not.
    """
    names = []
    for file in files_of(plan, name):
        if wanted in (None, file.name):
            return file
        names.append(file.name)
    shown = ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
    message = f"Files of {name} are {shown}, and {str(wanted)[:80]} was requested."
    raise SpecError([Problem("file", "no_such_file", message)])


def archive(plan: Plan, name: str | None = None) -> bytes:
    """A zip of all files of one target, or of all targets that the design has; equal designs, equal bytes.

    Raises
    ------
    SpecError
        As ``files_of``; and for a design of more switches than an archive holds.
    """
    n_switches = len(plan.wired.switches)
    if n_switches > MOST_SWITCHES:
        message = (
            f"An archive has files of at most {MOST_SWITCHES} switches, and the design has {n_switches}. Take a target with "
            "the name of a file, one after the other."
        )
        raise SpecError([Problem("archive", "too_many_switches", message)])
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as files:
        for path, text in _paths(plan, [name] if name else targets_of(plan)):
            # a date of its own would make two archives of one design differ
            files.writestr(zipfile.ZipInfo(path), text, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _paths(plan: Plan, names: list[str]) -> Iterator[tuple[str, str]]:
    for name in names:
        for file in files_of(plan, name):
            yield f"{name}/{file.name}", file.text
