"""Every target by its name on the command line and in the API, and the files of a design for one or all of them."""

import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, NamedTuple, cast

from estimator.bringup.networks.answer import answered
from estimator.bringup.networks.design import other_plans
from estimator.bringup.parts.groups import answer_of
from estimator.bringup.parts.part import part_of
from estimator.bringup.plan.plan import Plan
from estimator.bringup.plan.records import BringupPlan, OtherNetwork
from estimator.bringup.renderings.target import BOTH, IB, ROCE, File, Target
from estimator.errors import Problem, SpecError
from estimator.fabric.devices import SWITCH_KINDS
from estimator.record import Json

TARGETS = {
    "nvue": Target("Cumulus Linux", "nv set commands, a script a switch", ROCE, "switches.nvue", "nvue"),
    "sonic": Target("SONiC", "patch of config_db.json, a file a switch", ROCE, "switches.sonic", "sonic"),
    "eos": Target("Arista EOS", "configuration, a file a switch", ROCE, "switches.eos", "eos"),
    "nxos": Target("Cisco NX-OS", "configuration, a file a switch", ROCE, "switches.nxos", "nxos"),
    "junos": Target("Junos", "set commands, a file a switch", ROCE, "switches.junos", "junos"),
    "host": Target("Host settings", "kernel line, sysctl, limits, PCIe, addresses of every host", BOTH, "hosts.host"),
    "nic": Target("NIC settings", "script on every host: classes, buffers, firmware of its NICs", BOTH, "hosts.nic"),
    "nccl": Target("NCCL and UCX", "environment of jobs", BOTH, "hosts.nccl"),
    "networks": Target(
        "Other networks",
        "storage and management: subnets, frames, classes, addresses of all ports, configurations of the switches",
        BOTH,
        "networks",
        is_of_others=True,
    ),
    "checklist": Target("Checklist", "the order of work at the site, by day and crew", BOTH, "checklist"),
    "opensm": Target(
        "OpenSM",
        "subnet manager: configuration, roots and nodes, levels of service, partitions",
        IB,
        "infiniband.opensm",
    ),
    "ufm": Target("UFM", "subnet manager of UFM: opensm.conf, gv.cfg", IB, "infiniband.ufm"),
    "sharp": Target(
        "SHARP",
        "aggregation manager of reduction in switches: sharp_am.cfg",
        IB,
        "infiniband.sharp",
        is_of_reduction=True,
    ),
    "network-operator": Target(
        "NVIDIA network operator",
        "Kubernetes: NICs, networks and addresses a rail, labels",
        BOTH,
        "clusters.network_operator",
    ),
    "slurm": Target("Slurm", "topology, GPUs of nodes, prolog that checks the network", BOTH, "clusters.slurm"),
    "ansible": Target("Ansible", "inventory and playbook that carry all of the files", BOTH, "clusters.ansible"),
}
MOST_FILES = 20_000  # of switches in an archive: it takes 6 ms a file, SONiC's 30
BYTES_A_SWITCH = 5_000  # of an archive and of a network beside the compute fabric
BYTES_A_NODE = 60  # of an archive and target whose files have a line a node


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
    """The typed plan with the targets and the other networks that the design has."""
    return answer_of(plan, targets_of(plan)).but(networks=networks_of(plan))


def networks_of(plan: Plan) -> list[OtherNetwork]:
    """The networks of a design beside the compute fabric, in its order.

    Raises
    ------
    SpecError
        As ``other_plans``.
    """
    return [answered(one) for one in other_plans(plan)]


def files_of(plan: Plan, name: str) -> Iterator[File]:
    """The files of one target.

    Raises
    ------
    SpecError
        For a target of the other kind of network, of what the design does not count on, or of no name.
    """
    target = target_named(name)
    if plan.protocol not in target.protocols:
        message = (
            f"{target.label} is not for {plan.protocol} fabrics, which this design's is. "
            f"It has {', '.join(targets_of(plan))}."
        )
        raise SpecError([Problem("target", "not_for_protocol", message)])
    if target.is_of_reduction and not plan.links.counts_on_reduction:
        message = (
            f"{target.label} is for designs that count on reduction in the switches, and workload.in_network_reduction of "
            f"this one is false. Set it to true, or take one of {', '.join(targets_of(plan))}."
        )
        change: Json = {"workload.in_network_reduction": True}
        raise SpecError([Problem("target", "not_for_design", message, change)])
    return target.files(plan)


def names_of(plan: Plan, name: str) -> list[str]:
    """Names of a target's files, in order: of files that every switch has, one switch of each kind is written.

    Raises
    ------
    SpecError
        As ``files_of``.
    """
    if target_named(name).is_of_others:
        return target_named(name).names(plan)
    if target_named(name).system is None:
        return [file.name for file in files_of(plan, name)]
    devices, out = plan.links.table.devices, []
    for kind in SWITCH_KINDS:
        own = range(*devices.of(kind).indices(len(devices)))
        first = part_of(plan, own[:1])
        endings = [file.name.removeprefix(devices.names[own[0]]) for file in files_of(first, name)] if own else []
        out += [devices.names[device] + ending for device in own for ending in endings]
    return out


def file_of(plan: Plan, name: str, wanted: str | None = None) -> File:
    """One file of a target: the main one, or another by its name.

    Raises
    ------
    SpecError
        As ``files_of``, and for a file that the target has not.
    """
    if wanted is not None and target_named(name).is_of_others:
        found = target_named(name).file_named(plan, wanted)
    else:
        found = next((file for file in files_of(_with(plan, name, wanted), name) if wanted in (None, file.name)), None)
    if found:
        return found
    names = names_of(plan, name)
    shown = ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
    message = f"Files of {name} are {shown}, and {str(wanted)[:80]} was requested."
    raise SpecError([Problem("file", "no_such_file", message)])


def _with(plan: Plan, name: str, wanted: str | None) -> Plan:
    """The plan, or of a target with files by switch the one switch whose file is wanted."""
    device = plan.links.table.devices.index_of((wanted or "").partition(".")[0])
    return plan if target_named(name).system is None or device is None else part_of(plan, [device])


class Size(NamedTuple):
    """How large an archive is going to be: files of switches, and bytes, the latter from one switch of each kind."""

    n_files: int
    n_bytes: int


def size_of(plan: Plan, name: str | None = None) -> Size:
    """The size of an archive of one target, or of all that the design has.

    Raises
    ------
    SpecError
        As ``files_of``.
    """
    n_files = n_bytes = 0
    for one in _wanted(plan, name):
        if target_named(one).is_of_others:
            n_own = sum("/" in each for each in target_named(one).names(plan))
            n_files, n_bytes = n_files + n_own, n_bytes + n_own * BYTES_A_SWITCH
        if target_named(one).system is None:
            n_bytes += BYTES_A_NODE * len(plan.wired.nodes)
            continue
        for kind in SWITCH_KINDS:
            own = plan.links.table.devices.of(kind)
            devices = range(*own.indices(len(plan.links.table.devices)))
            texts = [file.text for file in files_of(part_of(plan, devices[:1]), one)] if devices else []
            n_files += len(devices)
            n_bytes += len(devices) * sum(len(zlib.compress(text.encode())) for text in texts)
    return Size(n_files, n_bytes)


def refuse_too_large(plan: Plan, name: str | None = None) -> None:
    """Nothing for an archive that is not too large.

    Raises
    ------
    SpecError
        For one of too many files, and as ``files_of``.
    """
    n_systems = sum(target_named(one).system is not None for one in _wanted(plan, name))
    n_files = n_systems * len(plan.wired.switches)
    if n_files > MOST_FILES:
        way_out = "single files by name" if name else "one target at a time"
        message = f"An archive has at most {MOST_FILES:,} files of switches, and this one would have {n_files:,}. Take {way_out}."
        raise SpecError([Problem("archive", "too_many_switches", message)])


def _wanted(plan: Plan, name: str | None) -> list[str]:
    """Targets of an archive."""
    if name:
        files_of(plan, name)
    return [name] if name else targets_of(plan)


def archive(plan: Plan, name: str | None = None) -> Iterator[bytes]:
    """A zip of all files of one target, or of all targets that the design has, as it is made; equal designs, equal bytes.

    Raises
    ------
    SpecError
        As ``refuse_too_large``.
    """
    refuse_too_large(plan, name)
    return _zipped(_paths(plan, _wanted(plan, name)))


def in_pieces(plan: Plan, name: str | None, piece_bytes: int) -> Iterator[tuple[bytes, float]]:
    """The same in pieces of at least so many bytes but the last, each with the share of the files that is written then.

    Raises
    ------
    SpecError
        As ``archive``.
    """
    n_files = max(size_of(plan, name).n_files, 1)
    held: list[bytes] = []
    n_bytes = 0
    for number, data in enumerate(archive(plan, name)):
        held.append(data)
        n_bytes += len(data)
        if n_bytes >= piece_bytes:
            yield b"".join(held), min(number / n_files, 1.0)
            held, n_bytes = [], 0
    if held:
        yield b"".join(held), 1.0


class _Written:
    """What a zip was written to since it was taken last: neither told nor sought, so that it is written front to back."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, data: bytes) -> int:
        """Keep bytes."""
        self._pieces.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Nothing waits."""

    def taken(self) -> bytes:
        """All since the last call."""
        out = b"".join(self._pieces)
        self._pieces.clear()
        return out


def _zipped(paths: Iterator[tuple[str, str]]) -> Iterator[bytes]:
    out = _Written()
    with zipfile.ZipFile(cast("IO[bytes]", out), "w", zipfile.ZIP_DEFLATED) as files:
        for path, text in paths:
            # a date of its own would make two archives of one design differ
            files.writestr(zipfile.ZipInfo(path), text, zipfile.ZIP_DEFLATED)
            yield out.taken()
    yield out.taken()


def _paths(plan: Plan, names: list[str]) -> Iterator[tuple[str, str]]:
    for name in names:
        for file in files_of(plan, name):
            yield f"{name}/{file.name}", file.text
