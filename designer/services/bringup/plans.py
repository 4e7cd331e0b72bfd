"""The plan of settings of a state of a design, kept in the process: a page, its files and its archive ask for the same one."""

from dataclasses import dataclass, field, replace
from functools import lru_cache

from designer.models import Design
from estimator.bringup.changes.changes import changed_settings
from estimator.bringup.changes.result import SettingsChanges
from estimator.bringup.parts.overview import Overview, overview
from estimator.bringup.plan.choices import USUAL, WEEKS, Choices
from estimator.bringup.plan.design import plan_of
from estimator.bringup.plan.plan import Plan
from estimator.bringup.plan.records import OtherNetwork
from estimator.bringup.renderings.targets import TARGETS, names_of, networks_of, targets_of
from estimator.catalog.loader import load_catalog
from estimator.jobs.models import EstimateJob
from estimator.record import Record
from estimator.spec.design import DesignSpec, spec_hash
from estimator.spec.parse import parse_spec


@dataclass(frozen=True)
class State:
    """A state of a design at today's catalog, with the choices of its plan; two are equal if hashes and choices are."""

    spec_hash: str
    catalog_version: str
    spec: DesignSpec = field(compare=False)
    choices: Choices = USUAL

    @property
    def usual(self) -> "State":
        """The same without choices."""
        return replace(self, choices=USUAL)

    @property
    def of_devices(self) -> "State":
        """The same with the choices alone that devices are set by: of other weeks of work the plan is the same one."""
        return replace(self, choices=self.choices._replace(weeks=WEEKS))


def state_of(spec: DesignSpec, choices: Choices = USUAL) -> State:
    """The state that a spec says."""
    return State(spec_hash(spec), load_catalog().version, spec, choices)


def state_of_job(job: EstimateJob, choices: Choices = USUAL) -> State:
    """The state that an estimate is of."""
    return state_of(parse_spec(job.spec, load_catalog()), choices)


def state_of_design(design: Design, version: int | None, choices: Choices = USUAL) -> State:
    """A named version of a design, or the design as it is now."""
    given = design.given if version is None else design.revisions.get(number=version).given
    return state_of(parse_spec(given, load_catalog()), choices)


def plan_for(state: State) -> Plan:
    """The plan of a state.

    Raises
    ------
    EstimatorError
        As ``plan_of``.
    """
    plan = _plan_for(state.of_devices)
    return replace(plan, choices=state.choices) if plan.choices != state.choices else plan


@lru_cache(maxsize=2)  # one of 100,000 GPUs has 150 MB
def _plan_for(state: State) -> Plan:
    return plan_of(state.spec, load_catalog(), state.choices)


@lru_cache(maxsize=8)
def overview_for(state: State) -> Overview:
    """The overview of a state's plan.

    Raises
    ------
    EstimatorError
        As ``plan_of``.
    """
    plan = plan_for(state)
    return overview(plan, targets_of(plan))


@lru_cache(maxsize=8)
def networks_for(state: State) -> list[OtherNetwork]:
    """The networks of a state beside its compute fabric.

    Raises
    ------
    EstimatorError
        As ``plan_of`` and ``networks_of``.
    """
    return networks_of(plan_for(state))


@lru_cache(maxsize=32)
def names_for(state: State, target: str) -> list[str]:
    """Names of the files of a target, in order.

    Raises
    ------
    EstimatorError
        As ``plan_of`` and ``names_of``.
    """
    return names_of(plan_for(state), target)


@lru_cache(maxsize=8)
def changes_for(before: State, after: State) -> SettingsChanges:
    """What the later of two states sets otherwise.

    Raises
    ------
    EstimatorError
        As ``plan_of``, of either.
    """
    return changed_settings(plan_for(before), plan_for(after))


class TargetFiles(Record):
    """A target of a design and the names of its files, as REST answers them."""

    target: str
    label: str
    purpose: str
    files: list[str]
    spec_hash: str


def target_files(state: State, target: str) -> TargetFiles:
    """A target with the names of its files.

    Raises
    ------
    EstimatorError
        As ``names_for``.
    """
    names, about = names_for(state, target), TARGETS[target]
    return TargetFiles(target=target, label=about.label, purpose=about.purpose, files=names, spec_hash=state.spec_hash)
