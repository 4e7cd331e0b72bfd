"""Slurm: topology, nodes with their GPUs, and a prolog that keeps jobs off nodes whose network is not as the design has it.

Sources: slurm.schedmd.com topology.yaml, topology.conf, slurm.conf, gres.conf (25.05); Linux, Documentation/ABI/stable
sysfs-class-infiniband (state, rate).
"""

from collections.abc import Iterable, Iterator

from estimator.bringup.plan.plan import Plan
from estimator.bringup.plan.value import Value, worked_out
from estimator.bringup.renderings.sourced import Page
from estimator.bringup.renderings.target import File
from estimator.handoff import slurm_conf, slurm_yaml
from estimator.handoff.hostlist import hostlist
from estimator.handoff.placement import placement
from estimator.units import counted

TREE = "https://slurm.schedmd.com/topology.html"
CHECKS = r"""
is_fine=true
say() { echo "prolog: $*" >/dev/stderr; is_fine=false; }
checked() { [[ -n $2 && $2 == "$3"* ]] || say "$1 is '$2', and '$3' is expected"; }
"""


def files(plan: Plan) -> Iterator[File]:
    """The topology first."""
    yield _topology(
        plan, "topology.yaml", slurm_yaml.write(plan.links), "Slurm 25.05 and later; it replaces topology.conf."
    )
    yield _topology(plan, "topology.conf", slurm_conf.write(plan.links), "Slurm before 25.05.")
    yield _nodes(plan)
    yield _gres(plan)
    yield _prolog(plan)


def _topology(plan: Plan, name: str, pieces: Iterable[str], note: str) -> File:
    levels = placement(plan.links).levels
    value = worked_out(
        "slurm.topology",
        " below ".join(counted(len(level.names), "group") for level in levels),
        f"Links of the design; {TREE}",
        "Nodes that meet below the same leaves are near each other; levels as the switches have them",
    )
    page = Page(plan, note)
    lines = "".join(pieces).splitlines()
    start = next(at for at, line in enumerate(lines) if not line.startswith("#"))
    page.say("Switches from the nodes up")
    page.put(value, *(line for line in lines[start:] if line.strip()))
    file = page.file(name)
    fills = len(file.text.encode()) % slurm_yaml.PAGE_BYTES == 0
    return file._replace(text=f"{file.text}# End of the topologies\n") if fills else file


def _names(plan: Plan) -> str:
    return hostlist(map(plan.wired.name, plan.wired.nodes))


def _gpus(plan: Plan) -> Value:
    n = plan.links.spec.compute.gpus_per_node or 0
    return worked_out("slurm.gpus_per_node", n, "compute.gpus_per_node of the design", "GPUs of one server")


def _nodes(plan: Plan) -> File:
    page = Page(
        plan,
        "Parts of slurm.conf: include this file from it. Processors and memory of a node are what slurmd -C prints there.",
    )
    page.say("Topology: the tree; the blocks of topology.yaml for a partition that names them by Topology=block")
    page.put(plan.value("slurm.topology_plugin"), f"TopologyPlugin={plan.value('slurm.topology_plugin').value}")
    page.put(plan.value("slurm.select_type"), f"SelectType={plan.value('slurm.select_type').value}")
    page.say("A node that fails the prolog is drained, and its job waits for another one")
    page.put(plan.value("slurm.prolog_flags"), f"PrologFlags={plan.value('slurm.prolog_flags').value}")
    page.put(plan.value("slurm.prolog"), f"Prolog={plan.value('slurm.prolog').value}")
    page.say("Nodes")
    gpus, nodes = _gpus(plan), _named(plan)
    gres = f" Gres=gpu:{gpus.value}" if gpus.value else ""
    if gpus.value:
        page.put(gpus, "GresTypes=gpu")
    page.put((nodes, gpus), f"NodeName={nodes.value}{gres} State=UNKNOWN")
    page.put(nodes, f"PartitionName=all Nodes={nodes.value} Default=YES")
    return page.file("slurm-cluster.conf")


def _named(plan: Plan) -> Value:
    why = "Replace them where hosts have other names, here and in the topology"
    return worked_out("slurm.nodes", _names(plan), "Names of the design's link list", why)


def _gres(plan: Plan) -> File:
    page = Page(plan, "gres.conf: GPUs of every node.")
    page.say("GPUs")
    gpus, nodes, found = _gpus(plan), _named(plan), plan.value("slurm.gpu_autodetect")
    if found.value == "off":
        devices = plan.value("slurm.gpu_devices")
        last = int(gpus.value) - 1
        page.put((nodes, gpus, devices), f"NodeName={nodes.value} Name=gpu File={devices.value}[0-{last}]")
    else:
        page.put((nodes, found), f"NodeName={nodes.value} AutoDetect={found.value}")
    return page.file("gres.conf")


def _prolog(plan: Plan) -> File:
    page = Page(
        plan,
        "Prolog of every job, on every node: links up at their rate, a way from NIC to GPU memory, NCCL's settings, IMEX",
        "where NVLink spans nodes. It changes nothing. Any failure ends it with an error, and Slurm drains the node.",
        first="#!/usr/bin/env bash",
    )
    page.say("What is read; tests put folders of their own here")
    page.put((), "SYS=${SYS:-/sys}", "NCCL=${NCCL:-/etc/nccl.conf}", *CHECKS.strip().splitlines())
    for group in plan.nics():
        names = worked_out(
            "slurm.devices",
            " ".join(group.ports),
            "NICs of the server in the catalog, in rail order",
            "All of this fabric",
        )
        rate = worked_out(
            "slurm.rate_gbit_s",
            group.speed_gbit_s,
            "Port rate of the design",
            "A link at a lower rate slows all",
            "Gb/s",
        )
        page.say("Links")
        page.put(
            (names, rate),
            f"for DEV in {names.value}; do",
            '  PORT="$SYS/class/infiniband/$DEV/ports/1"',
            '  checked "state of $DEV" "$(cat "$PORT/state" 2>/dev/null || true)" "4: ACTIVE"',
            f'  checked "rate of $DEV" "$(cat "$PORT/rate" 2>/dev/null || true)" "{rate.value} Gb/sec"',
            "done",
        )
    page.say("GPUDirect: a driver that gives NICs a way to GPU memory; one of these is enough")
    ways = plan.value("slurm.gpudirect")
    listed = str(ways.value).replace(":", " ")
    page.put(
        ways,
        "has_way=false",
        f"for WAY in {listed}; do",
        '  if [[ -d "$SYS/$WAY" ]]; then has_way=true; fi',
        "done",
        f'"$has_way" || say "no driver of GPUDirect is loaded: {listed}"',
    )
    page.say("NCCL")
    hca = worked_out(
        "slurm.nccl_key",
        "NCCL_IB_HCA",
        "NVIDIA NCCL user guide: /etc/nccl.conf",
        "Without it, NCCL may take other NICs",
    )
    page.put(hca, f'grep -q "^{hca.value}=" "$NCCL" 2>/dev/null || say "$NCCL has no {hca.value}"')
    if placement(plan.links).domain is not None:
        page.say("IMEX: GPUs of several nodes share memory")
        unit = plan.value("slurm.imex_unit")
        page.put(
            unit,
            f'systemctl is-active --quiet {unit.value} || say "{unit.value} is not active"',
        )
    page.say("Verdict")
    page.put((), "$is_fine")
    return page.file("prolog.sh")
