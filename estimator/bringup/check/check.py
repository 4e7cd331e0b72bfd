"""Uploaded settings of a design → what disagrees, where, what it costs and what sets it right: the one way in."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from estimator.bringup.check.cost import Costs
from estimator.bringup.check.expected import Expected
from estimator.bringup.check.observation import ALL, Reading
from estimator.bringup.check.others import parted
from estimator.bringup.check.path import Ends, hops
from estimator.bringup.check.result import Hop, SettingFinding, SettingsCheck, Unread
from estimator.bringup.check.rules import addresses, fabric, hosts, jobs, switches
from estimator.bringup.check.rules.fault import Fault
from estimator.bringup.check.upload import read_all
from estimator.bringup.check.words import said
from estimator.bringup.networks.design import other_plans
from estimator.bringup.plan.choices import USUAL, Choices
from estimator.bringup.plan.design import plan_of
from estimator.bringup.plan.plan import Plan
from estimator.bringup.plan.systems import SYSTEMS
from estimator.bringup.plan.value import Scalar
from estimator.bringup.renderings.hosts.host import BARE_METAL, BY_TOOL, VIRTUAL
from estimator.catalog.catalog import Catalog
from estimator.designs.parts import catalog_of
from estimator.designs.system import system_of
from estimator.handoff.launch.nccl_env import fabric_settings
from estimator.spec.design import DesignSpec

Files = Iterable[tuple[str, bytes]]
SEVERITIES = ("error", "warning", "info")
PORTS_SHOWN = 6
MOST_FINDINGS = 5_000
ECMP = "ecmp"


def checked_settings(spec: DesignSpec, files: Files, catalog: Catalog, choices: Choices = USUAL) -> SettingsCheck:
    """Settings that devices have, against the plan of a design and each other.

    Parameters
    ----------
    files : names and contents; ``leaf-r1-001:nv.json`` says whose a file is.

    Raises
    ------
    SpecError
        If there are too many files, or all are too large.
    InfeasibleDesign
        If the design cannot be built.
    """
    return checked_against(plan_of(spec, catalog, choices), files, catalog)


def checked_against(plan: Plan, files: Files, catalog: Catalog) -> SettingsCheck:
    """The same of a plan that is there."""
    unread: list[Unread] = []
    spec = plan.links.spec
    catalog = catalog_of(spec, catalog)
    built = system_of(spec, plan.links.fabric, catalog)
    expected = Expected(plan, built)
    readings, networks = parted(list(read_all(files, unread)), expected, other_plans)
    found = _Check(readings, expected, spec)
    costs = Costs(built, plan.links.fabric.n_gpus, catalog)
    unread += found.unknown
    return SettingsCheck(
        findings=_ordered(
            [
                *_findings(found.faults(), expected, costs),
                *(one for network in networks for one in _findings(network.faults(), network.expected, costs)),
            ]
        ),
        paths=list(found.hops()),
        unread=unread,
        spec_hash=plan.links.spec_hash,
        versions=plan.links.versions,
    )


@dataclass(frozen=True)
class _Check:
    """Readings of all files, by whose they are."""

    readings: list[Reading]
    expected: Expected
    spec: DesignSpec

    @cached_property
    def switches(self) -> dict[str, switches.Switch]:
        """Configurations of switches by name; of two files of one device the last counts."""
        is_balanced = self.spec.workload.load_balancing != ECMP and self.expected.n_tiers > 1
        balanced = {one.kind for one in self.readings if (found := one.first("balancing", ALL)) and found.value}
        return {
            self.expected.name_of(one.device): switches.Switch(
                reading=one,
                device=self.expected.switch(one.device, one.kind),
                classes=self.expected.classes(one.kind),
                rate_gbit_s=self.expected.rate_gbit_s,
                balances=is_balanced and one.kind != "sonic",
                is_balanced_elsewhere=one.kind in balanced,
                trims=self.expected.trims(one.device, one.kind),
                peer_pauses=self._pauses_towards,
            )
            for one in self.readings
            if one.kind in SYSTEMS
        }

    @cached_property
    def nics(self) -> dict[str, Reading]:
        """Files that say which priorities NICs pause, by node."""
        return {
            self.expected.name_of(one.device): one
            for one in self.readings
            if one.kind == hosts.KIND and next(one.all("pfc"), None)
        }

    def _pauses_towards(self, device: str, towards: str) -> bool | None:
        """Whether a device pauses the data class at the port that leads to another."""
        priority = self.expected.classes("").data_priority
        return Ends(self.switches, self.nics).pauses(device, towards, priority)

    def _leaf_pauses(self, node: str) -> bool | None:
        """Whether a leaf of a node that was uploaded pauses towards it."""
        leaves = {port.peer for port in self.expected.host(node).ports.values()} & self.switches.keys()
        return any(self._pauses_towards(leaf, node) for leaf in leaves) if leaves else None

    @property
    def unknown(self) -> Iterator[Unread]:
        """Devices that the design does not have: their classes are compared, their ports cannot be."""
        for name, switch in self.switches.items():
            if not switch.device.is_known:
                why = f"The design has no switch named {name}: classes were compared with the plan, and not its cables and rates."
                yield Unread(file=switch.reading.file, line=None, why=why)

    def faults(self) -> Iterator[Fault]:
        """All of them."""
        if self.expected.is_ethernet:
            for switch in self.switches.values():
                yield from switches.faults(switch)
            yield from addresses.faults(self.readings, self.expected)
        reduces = bool(self.expected.system and self.expected.system.in_network_reduction)
        yield from fabric.faults(self.readings, self.expected, reduces)
        for reading in self.readings:
            if reading.kind == hosts.KIND:
                yield from hosts.faults(self._host(reading))
            elif reading.kind == jobs.KIND:
                yield from jobs.faults(self._job(reading, reduces))

    def _host(self, reading: Reading) -> hosts.Host:
        return hosts.Host(
            reading=reading,
            device=self.expected.host(reading.device),
            nics=self.expected.nics,
            classes=self.expected.classes(""),
            rate_gbit_s=self.expected.rate_gbit_s,
            is_ethernet=self.expected.is_ethernet,
            read_request_bytes=int(self.expected.plan.value("pcie.max_read_request_bytes").value),
            switch_pauses=self._leaf_pauses,
            is_virtual=reading.device in self._virtual,
            keeps_acs=self._wanted("host.acs", BARE_METAL) == BY_TOOL,
            lacks_ats=not self._wanted("pcie.ats_enabled", VIRTUAL),
        )

    @cached_property
    def _virtual(self) -> set[str]:
        """Hosts whose PCIe devices show that they are virtual machines."""
        return {one.device for one in self.readings if one.first("virtual", ALL)}

    def _wanted(self, key: str, platform: str) -> Scalar:
        """A setting of the plan on bare metal or in a virtual machine."""
        return self.expected.plan.value(key, platform=platform).value

    def _job(self, reading: Reading, reduces: bool) -> jobs.Job:
        tables = [one for one in self.readings if next(one.all("gid_version"), None)]
        own = [one for one in tables if one.device == reading.device]
        return jobs.Job(
            reading=reading,
            classes=self.expected.classes(""),
            nics=self.expected.nics,
            is_ethernet=self.expected.is_ethernet,
            reduces=reduces,
            adapts=self.spec.workload.load_balancing != ECMP and self.expected.n_tiers > 1,
            fabric={name: value for name, value, _ in fabric_settings(self.expected.plan.links)},
            gids=tuple(own or tables),
            is_set_beside=any(
                one.file == reading.file and one is not reading and one.first("variable", "NCCL_IB_TC")
                for one in self.readings
            ),
        )

    def hops(self) -> Iterator[Hop]:
        """The packet's way, with the DSCP that the job's environment gives it."""
        if not self.expected.is_ethernet:
            return
        classes = self.expected.classes("")
        given = (jobs.dscp_of(one) for one in self.readings if one.kind == jobs.KIND)
        dscp = next((one for one in given if one is not None), classes.data_dscp)
        yield from hops(Ends(self.switches, self.nics), self.expected, dscp)


def _findings(faults: Iterable[Fault], expected: Expected, costs: Costs) -> list[SettingFinding]:
    """One a code, file and line, with all its ports."""
    grouped: dict[tuple[str, str, str, int], list[Fault]] = {}
    for fault in _one_sided(list(faults)):
        key = (fault.code, fault.reading.device, fault.reading.file, fault.line)
        grouped.setdefault(key, []).append(fault)
        if len(grouped) > MOST_FINDINGS:
            break
    return [_finding(several, expected, costs) for several in grouped.values()]


def _ordered(found: list[SettingFinding]) -> list[SettingFinding]:
    """Worst first."""
    return sorted(found, key=lambda one: (SEVERITIES.index(one.severity), one.device, one.file, one.line, one.code))


def _one_sided(faults: list[Fault]) -> Iterator[Fault]:
    """A line that leaves PFC out is one fault: on one side only where that is known of any of its ports."""
    known = {(one.reading.file, one.reading.device, one.line): one for one in faults if one.code == "pfc_one_side"}
    for fault in faults:
        other = known.get((fault.reading.file, fault.reading.device, fault.line))
        yield replace(fault, code=other.code, more=other.more) if other and fault.code == "pfc_off" else fault


def _finding(faults: list[Fault], expected: Expected, costs: Costs) -> SettingFinding:
    first = max(faults, key=lambda fault: fault.expected) if faults[0].code == "headroom_small" else faults[0]
    device = expected.name_of(first.reading.device)
    ports = list(dict.fromkeys(fault.port for fault in faults if fault.port))
    more = f" and {len(ports) - PORTS_SHOWN} more" if len(ports) > PORTS_SHOWN else ""
    where = f"{device}, {', '.join(ports[:PORTS_SHOWN])}{more}" if ports else device
    system = first.reading.kind
    words = said(first.code, system, where, ports, first.expected, first.found, expected.classes(system))
    cost = max(
        (cost for fault in faults if (cost := costs.of(fault.change))), key=lambda one: one.from_ - one.to, default=None
    )
    return SettingFinding(
        code=first.code,
        severity=first.severity,
        device=device,
        file=first.reading.file,
        line=first.line,
        message=f"{words.message} {first.more}".strip(),
        expected=first.expected,
        found=first.found,
        cost=cost,
        fix=words.fix,
    )
