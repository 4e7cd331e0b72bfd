"""The page of a sample workload: its messages and their times, on its own cluster or on a design of the reader's."""

from collections.abc import Mapping
from typing import NamedTuple
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from designer.models import Design
from designer.services.access import owner_of
from designer.services.designs.state import spec_of
from designer.services.revising import branch_off
from designer.wording.context import Context
from designer.wording.names import COLLECTIVES
from designer.wording.numbers import significant
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError
from estimator.published.workloads import TimedMessage, Workload, timed, workloads
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec

MOST_DESIGNS = 100


class WorkCard(NamedTuple):
    """A workload in a few words and figures."""

    id: str
    name: str
    teaches: str
    source: str
    url: str
    n_gpus: int
    layout: Mapping[str, int]
    parameters: str


class WorkRow(NamedTuple):
    """One kind of message, with the same on the cluster that the workload ran on where another design is shown."""

    here: TimedMessage
    collective_name: str
    there: TimedMessage | None = None


def work_card(work: Workload) -> WorkCard:
    """A workload as the start page offers it."""
    return WorkCard(
        id=work.id,
        name=work.name,
        teaches=work.teaches,
        source=work.source,
        url=work.url,
        n_gpus=work.n_gpus,
        layout=work.parallel,
        parameters=f"{significant(work.model['parameters'] / 1e9)} billion",
    )


@login_required
@require_safe
def workload(request: HttpRequest, key: str) -> HttpResponse:
    """One sample workload: what a step sends, and how long that takes on its cluster and on the design that is requested."""
    work, catalog = _workload(key), load_catalog()
    spec = parse_spec(work.inputs | {"name": work.name}, catalog)
    context = {
        "section": "start",
        "work": work,
        "card": work_card(work),
        "spec": spec,
        "generation": spec.fabric.generation,
        "rows": _rows(work, spec),
        "designs": _offered(owner_of(request)),
    }
    if asked := request.GET.get("design"):
        context |= _on(work, _own(request, asked))
    return render(request, "designer/start/workload.html", context)


@login_required
@require_POST
def workload_variant(request: HttpRequest, key: str) -> HttpResponse:
    """A variant of a design of the reader's for the workload: its GPUs, and what it says of jobs. The design stays as it is."""
    work = _workload(key)
    row = _own(request, request.POST.get("design", ""))

    def said(made: Design) -> str:
        return f"“{made.name}” has the {work.n_gpus:,} GPUs of {work.name}. “{row.name}” is as it was."

    back = f"{reverse('workload', args=[key])}?{urlencode({'design': str(row.pk)})}#sends"
    return branch_off(request, row, said, back, {"compute.gpus": work.n_gpus} | _about_jobs(work))


def _workload(key: str) -> Workload:
    work = workloads().get(key)
    if work is None:
        raise Http404("There is no such workload.")
    return work


def _offered(owner: User) -> list[tuple[str, str]]:
    """The owner's designs, the last changed first, as (id, name)."""
    return [(str(pk), name) for pk, name in Design.objects.filter(owner=owner).values_list("pk", "name")[:MOST_DESIGNS]]


def _own(request: HttpRequest, asked: str) -> Design:
    try:
        return get_object_or_404(Design, pk=UUID(asked), owner=owner_of(request))
    except ValueError:
        raise Http404("There is no such design.") from None


def _rows(work: Workload, spec: DesignSpec) -> list[WorkRow]:
    return [WorkRow(one, COLLECTIVES[one.message.collective]) for one in timed(work, spec, load_catalog())]


def _about_jobs(work: Workload) -> Context:
    """What a workload says of jobs, as dotted keys of a design."""
    return {f"workload.{name}": value for name, value in work.inputs.get("workload", {}).items()}


def _on(work: Workload, row: Design) -> Context:
    """The messages on a design's network, each with its time on the cluster that the workload ran on."""
    catalog = load_catalog()
    here: Context = {"own": row}
    try:
        spec = spec_of(row)
        rows = _rows(work, spec)
    except EstimatorError as error:
        return here | {"cannot": [problem.message for problem in error.problems]}
    known = timed(work, parse_spec(work.inputs, catalog), catalog)
    there = {(one.message.kind, one.message.collective): one for one in known}
    return here | {
        "rows": [row._replace(there=there.get((row.here.message.kind, row.here.message.collective))) for row in rows],
        "own_gpus": (spec.compute.nodes or 0) * (spec.compute.gpus_per_node or 1),
        "own_generation": spec.fabric.generation,
    }
