"""The plan as it is answered: classes, ports, marking and values of the design's own switches."""

from collections.abc import Iterator

from estimator.bringup.plan import reduction
from estimator.bringup.plan.facts import chosen, facts, is_known
from estimator.bringup.plan.plan import Plan, SwitchPlan, port_group
from estimator.bringup.plan.records import BringupPlan, Flow, Marking, Mtu, TrafficClass
from estimator.bringup.plan.systems import usual_system
from estimator.bringup.plan.value import Scalar, Value

MIN_BYTES = "ecn.min_bytes"
SHARED = ("mtu.host_bytes", "mtu.rdma_bytes")
ONLY_INFINIBAND = "ib."
OF_INFINIBAND = (ONLY_INFINIBAND, "pcie.", "host.", "nccl.")


def answered(plan: Plan, targets: list[str]) -> BringupPlan:
    """The plan of the compute fabric; ``targets`` are those that the design has. Other networks are not in it."""
    switches = list(_switches(plan))
    return BringupPlan(
        protocol=plan.protocol,
        choices=plan.choices.answer,
        classes=list(classes_of(plan, switches[0])) if plan.is_ethernet else [_infiniband(plan)],
        ports=[port_group(switch, group) for switch in switches for group in switch.groups],
        nics=plan.nics(),
        ecn=list(_markings(switches)) if plan.is_ethernet else [],
        mtu=_mtu(plan, switches[0]),
        load_balancing={one.kind: one.value("balancing").value for one in switches} if plan.is_ethernet else {},
        networks=[],
        values=list(_values(plan, switches)),
        targets=targets,
        spec_hash=plan.links.spec_hash,
        versions=plan.links.versions,
        name=plan.links.spec.name or None,
    )


def _switches(plan: Plan) -> Iterator[SwitchPlan]:
    """Each switch under the system that its box usually runs, in order."""
    for device in plan.wired.switches:
        part = plan.links.switches[plan.wired.kind(device)]
        yield from plan.switches(usual_system(part), [device])


def _mtu(plan: Plan, switch: SwitchPlan) -> Mtu:
    if not plan.is_ethernet:
        largest = int(plan.value("ib.mtu_bytes").value)
        return Mtu(switch=largest, host=int(plan.value("ib.ipoib_mtu_bytes").value), rdma=largest)
    host, rdma = (int(plan.value(key).value) for key in SHARED)
    return Mtu(switch=int(switch.value("mtu.switch_bytes").value), host=host, rdma=rdma)


def classes_of(plan: Plan, switch: SwitchPlan) -> Iterator[TrafficClass]:
    """The classes of a RoCE fabric, with the queues of one switch's system."""

    def number(key: str) -> int:
        return int(switch.value(key).value)

    def one(name: str, flow: Flow, queue: int, scheduler: str, weight: int | None, ecn: bool) -> TrafficClass:
        return TrafficClass(
            name=name,
            dscp=number(f"{name}.dscp"),
            priority=number(f"{name}.priority"),
            queue=queue,
            flow=flow,
            trimming=name == "data" and trims,
            scheduler=scheduler,
            weight_percent=weight,
            ecn=ecn,
        )

    trims = is_known("trim.available", **switch.circumstances) and switch.value("trim.available").value == "yes"
    data, cnp = flow_of(switch.value("data.flow")), flow_of(switch.value("cnp.flow"))
    strict = str(switch.value("cnp.scheduler").value)
    yield one("data", data, number("data.queue"), "dwrr", number("data.weight_percent"), True)
    yield one("cnp", cnp, number("cnp.queue"), strict, None, False)
    if trims:
        yield one("trim", "lossy", number("trim.queue"), strict, None, False)
    yield one("ack", data, number("data.queue"), "dwrr", number("data.weight_percent"), True)
    yield one("control", "lossy", number("cnp.queue"), strict, None, False)
    yield one("default", "lossy", number("default.queue"), "dwrr", number("default.weight_percent"), False)


def flow_of(value: Value) -> Flow:
    """How a class is protected, as a row of facts says it."""
    return "pfc" if value.value == "pfc" else "lossy"


def _infiniband(plan: Plan) -> TrafficClass:
    level = int(plan.value("ib.data_sl").value)
    return TrafficClass(
        name="data",
        dscp=None,
        priority=level,
        queue=level,
        flow="credits",
        trimming=False,
        scheduler="one lane",
        weight_percent=None,
        ecn=False,
    )


def _markings(switches: list[SwitchPlan]) -> Iterator[Marking]:
    """One a kind of switch and speed."""
    seen = set()
    for switch in switches:
        for group in switch.groups:
            key = (switch.kind, group.speed_gbit_s)
            if key not in seen:
                seen.add(key)
                yield marking(switch, group.speed_gbit_s)


def marking(switch: SwitchPlan, speed_gbit_s: int) -> Marking:
    """Thresholds of a switch at a speed, in bytes or as shares of the queue."""
    lowest, highest, percent = mark_values(switch, speed_gbit_s)
    in_bytes = lowest.key == MIN_BYTES
    at = [int(lowest.value), int(highest.value)]
    return Marking(
        switches=switch.kind,
        os=switch.system.key,
        asic=switch.part.asic if switch.part else "custom",
        speed_gbit_s=speed_gbit_s,
        min_bytes=at[0] if in_bytes else None,
        max_bytes=at[1] if in_bytes else None,
        min_fill_percent=None if in_bytes else at[0],
        max_fill_percent=None if in_bytes else at[1],
        mark_percent=int(percent.value),
        source=lowest.source,
        trust=lowest.trust,
        why=lowest.why,
    )


def mark_values(switch: SwitchPlan, speed_gbit_s: int) -> tuple[Value, Value, Value]:
    """Lower and upper end and chance of marks: a source about this speed goes before one about others."""
    at = switch.circumstances | {"gbit_s": str(speed_gbit_s)}
    ends = (
        (MIN_BYTES, "ecn.max_bytes") if is_known(MIN_BYTES, **at) else ("ecn.fill_min_percent", "ecn.fill_max_percent")
    )
    lowest, highest = (chosen(key, **at) for key in ends)
    return lowest, highest, chosen("ecn.mark_percent", **at)


def _values(plan: Plan, switches: list[SwitchPlan]) -> Iterator[Value]:
    """Every key that fits the design, once for each value that its kinds of switches have."""
    first = {switch.kind: switch for switch in switches}
    if not plan.is_ethernet:
        yield from (reduction.manager(plan.links), reduction.in_switches(plan.links))
    for key in facts():
        has = key.startswith(OF_INFINIBAND) if not plan.is_ethernet else not key.startswith(ONLY_INFINIBAND)
        has &= plan.links.counts_on_reduction or not key.startswith(reduction.OF_MANAGER)
        found: dict[Scalar, Value] = {}
        kinds: dict[Scalar, list[str]] = {}
        for kind, switch in first.items() if has else ():
            if is_known(key, **switch.circumstances):
                value = switch.value(key)
                found.setdefault(value.value, value)
                kinds.setdefault(value.value, []).append(kind)
        for scalar, value in found.items():
            yield value if len(found) == 1 else value.but(applies=", ".join(kinds[scalar]))
