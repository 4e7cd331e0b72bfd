"""The tab of bring-up: the plan of settings with its files, the order of work, and the ways to checklist and acceptance."""

from typing import NamedTuple

from designer.models import Design
from designer.pages.result.bringup.checklist import progress_of
from designer.services.bringup.checklists import checklist_for, with_ticks
from designer.services.bringup.choosing import LONGEST, choices_asked
from designer.services.bringup.plans import State, changes_for, networks_for, overview_for, plan_for, state_of
from designer.services.shown_page import ShownPage
from designer.wording.context import Context
from designer.wording.numbers import words
from estimator.bringup.parts.overview import Overview
from estimator.bringup.plan.choices import ADDRESSINGS, CHANGES, DATA_CLASSES, MOST_WEEKS, USUAL, WEEKS
from estimator.bringup.plan.records import OtherNetwork
from estimator.bringup.plan.systems import SYSTEMS
from estimator.bringup.plan.value import TRUSTS, Value
from estimator.bringup.renderings.infiniband.subnets import routing_engine
from estimator.bringup.renderings.targets import TARGETS
from estimator.errors import EstimatorError, SpecError
from estimator.jobs.models import EstimateJob
from estimator.record import Given
from estimator.result import PricedEstimate

SHOWN = 60  # rows of headroom: REST and the files have all groups
CHIEF = ("addressing", "balancing", "lldp.enabled", "dcqcn.enabled", "watchdog.action", "bgp.first_asn")
ENVIRONMENT = "nccl."
WORDS_OF_FLOW = {"pfc": "lossless, PFC", "lossy": "lossy", "credits": "lossless, credits"}


class TargetRow(NamedTuple):
    """A target that the design has: its word in addresses, and what it is for."""

    key: str
    label: str
    purpose: str


class NetworkRow(NamedTuple):
    """A network beside the compute fabric, what it is called, and the systems of its switches."""

    name: str
    one: OtherNetwork
    systems: str


class Option(NamedTuple):
    """A word of a choice, and what it means."""

    key: str
    words: str


def bringup_context(job: EstimateJob, estimate: PricedEstimate, page: ShownPage, query: Given) -> Context:
    """The plan of the state that is shown by the choices of the address; phases and crews, with what is ticked of them."""
    context: Context = {
        "addressings": [Option(key, ADDRESSINGS[key]) for key in ADDRESSINGS],
        "data_classes": [Option(key, DATA_CLASSES[key]) for key in DATA_CLASSES],
        "choice_changes": CHANGES,
        "typed_weeks": str(query.get("weeks") or f"{WEEKS:g}")[:LONGEST],
        "most_weeks": MOST_WEEKS,
    }
    try:
        chosen = choices_asked(query)
    except SpecError as error:
        chosen = USUAL
        context |= {"choice_problems": error.problems}
    state = state_of(estimate.spec, chosen)
    context |= {"choices": chosen}
    return (
        context
        | _settings_context(state)
        | _networks_context(state)
        | _changes_context(state)
        | _checklist_context(state, page)
    )


def _changes_context(state: State) -> Context:
    """What the choices set otherwise than the usual ones; nothing where they are those."""
    if not state.choices.of_devices:
        return {}
    try:
        found = changes_for(state.usual, state.of_devices).changes
    except EstimatorError as error:
        return {"choice_problems": error.problems}
    return {"chosen_changes": found[:SHOWN], "n_chosen_hidden": max(len(found) - SHOWN, 0), "n_chosen": len(found)}


def _settings_context(state: State) -> Context:
    try:
        found = overview_for(state)
        plan = plan_for(state)
    except EstimatorError as error:
        return {"settings_problems": error.problems}
    return {
        "settings": found,
        "flows": WORDS_OF_FLOW,
        "trusts": TRUSTS,
        "headroom": found.headroom[:SHOWN],
        "n_headroom_hidden": max(len(found.headroom) - SHOWN, 0),
        "chief": [*([] if plan.is_ethernet else [routing_engine(plan)]), *_chief(found)],
        "environment": found.values_of(ENVIRONMENT),
        "targets": [TargetRow(key, TARGETS[key].label, TARGETS[key].purpose) for key in found.plan.targets],
    }


def _networks_context(state: State) -> Context:
    """Storage and management networks."""
    if not state.spec.other_fabrics:
        return {}
    try:
        found = networks_for(state.of_devices)
    except EstimatorError as error:
        return {"networks_problems": error.problems}
    return {"other_networks": [NetworkRow(words(one.key).capitalize(), one, _systems(one)) for one in found]}


def _systems(one: OtherNetwork) -> str:
    """Systems of its switches in words."""
    return ", ".join(
        f"{SYSTEMS[key].label} {number}" if len(one.systems) > 1 else SYSTEMS[key].label
        for key, number in one.systems.items()
    )


def _chief(found: Overview) -> list[Value]:
    """What a reader asks for first."""
    return [one for one in found.values_of(*CHIEF) if one.key.startswith("addressing") or one.key in CHIEF]


def _checklist_context(state: State, page: ShownPage) -> Context:
    try:
        made = checklist_for(state)
    except EstimatorError as error:
        return {"checklist_problems": error.problems}
    ticked = with_ticks(Design.objects.get(pk=page.design_id), made.items)
    return {"checklist": made, **progress_of(made, ticked)}
