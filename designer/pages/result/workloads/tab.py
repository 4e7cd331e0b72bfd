"""The workloads tab: a model trained and a model served on the design, and its links from a GPU's memory to the core."""

from collections.abc import Iterator

from django.utils.http import urlencode

from designer.charts.paths import levels_chart, traffic_chart
from designer.charts.servers import servers_chart
from designer.charts.vega import Chart
from designer.charts.workloads import parts_chart, serving_chart
from designer.forms.asking import AskForm
from designer.forms.workloads import POOLS, SERVERS, OwnModelForm, ServingForm, serving_form, training_form
from designer.services.workloads.compared import compared_servers, searched_pools, servers_to_train, within_ms
from designer.services.workloads.links import domain_nodes_of, levels_of_design, on_design
from designer.services.workloads.offered import offer_models
from designer.services.workloads.placing import placing_of, request_of
from designer.services.workloads.serving import SearchedPlacements, front_of, searched_placements
from designer.services.workloads.training import SearchedLayouts, run_of, searched_layouts
from designer.wording.context import Context
from designer.wording.layouts import layout_words
from estimator.handoff.launch.formats import formats_of
from estimator.record import Given
from estimator.result import PricedEstimate
from estimator.workloads.paths.hierarchy import LinkLevel
from estimator.workloads.training.answer import StepAnswer


def workloads_context(estimate: PricedEstimate, query: Given) -> Context:
    """Training and serving on the design, and its links; why there is nothing where nothing was predicted."""
    levels = levels_of_design(estimate)
    if not levels:
        return {"is_predicted": False, "why": estimate.performance.missing or "The design names no GPU that is known."}
    training, serving = training_context(estimate, query), serving_context(estimate, query)
    placing = placing_context(estimate, query, training.get("searched"), serving.get("served"))
    forms = [training["training_form"], serving["serving_form"], placing["placement_form"]]
    offer_models(query, forms[0].fields["train_model"], forms[1].fields["serve_model"])
    return {
        "is_predicted": True,
        "levels": levels,
        "charts": [levels_chart(levels), *_sent(levels, training.get("best"), serving.get("served"))],
        "tab_forms": forms,
        "tab_query": _address(*forms[:2]),
        "launch_query": _address(*forms),
        "own_form": OwnModelForm(),
        "carried": [(name, text) for form in forms for name, text in form.data.items() if text],
        **training,
        **serving,
        **placing,
    }


def _sent(levels: list[LinkLevel], step: StepAnswer | None, served: SearchedPlacements | None) -> Iterator[Chart]:
    """What the best layout and the best placement send over which link; no picture of what stays in one GPU."""
    if step is not None and step.links:
        yield traffic_chart("step-links", "What a step of training sends over which link", levels, step.links)
    if served is not None and served.best is not None and (links := served.best.placement.links):
        yield traffic_chart("decode-links", "What a decode step sends over which link", levels, links)


def _address(*forms: AskForm) -> str:
    """What forms hold, as the query of an address."""
    return urlencode({name: text for form in forms for name, text in form.data.items() if text})


def placing_context(
    estimate: PricedEstimate, query: Given, layouts: SearchedLayouts | None, placements: SearchedPlacements | None
) -> Context:
    """The form that chooses one of the layouts that were found, and the files that put it on the nodes."""
    placing = placing_of(query, layouts.layouts if layouts else (), placements.placements if placements else ())
    context: Context = {"placement_form": placing.form}
    if placing.chosen:
        with placing.form.refusing():
            request_of(placing)
            formats = formats_of(placing.chosen.workload, domain_nodes_of(estimate))
            context |= {"chosen": placing.chosen, "launch_formats": formats}
    return context


def training_context(estimate: PricedEstimate, query: Given) -> Context:
    """The form, and the layouts that it asks for; what is refused stands beside its field."""
    form = training_form(query, estimate.compute.counts.gpus)
    context: Context = {"training_form": form}
    on = on_design(estimate)
    with form.refusing():
        found = searched_layouts(form, on)
        context |= {"searched": found}
        if found.layouts:
            best = found.layouts[0]
            charts = [parts_chart(found.layouts)]
            context |= {"best": best, "best_words": layout_words(best.parallel), "parts_charts": charts}
            context |= {"run": run_of(form, best, on)}
        if form.text("train_beside") == SERVERS:
            servers = servers_to_train(form, estimate)
            context |= {
                "train_servers": servers,
                "train_servers_chart": servers_chart(servers.servers, "train-servers"),
            }
    return context


def serving_context(estimate: PricedEstimate, query: Given) -> Context:
    """The form, and the placements that it asks for; what is refused stands beside its field."""
    form = serving_form(query)
    context: Context = {"serving_form": form}
    on = on_design(estimate)
    with form.refusing():
        found = searched_placements(form, on)
        context |= {"served": found}
        front = front_of(form, on) if found.placements else []
        context |= {"serving_charts": [serving_chart(front)] if front else []}
        context |= _beside(form, estimate, found)
    return context


def _beside(form: ServingForm, estimate: PricedEstimate, found: SearchedPlacements) -> Context:
    """What the form compares the placements with."""
    if form.text("beside") == POOLS:
        return {"pools": searched_pools(form, estimate)}
    if form.text("beside") != SERVERS:
        return {}
    scale_up = compared_servers(form, estimate, found.best)
    return {
        "scale_up": scale_up,
        "servers_chart": servers_chart(scale_up.servers, "servers"),
        "within_ms": within_ms(form, found.best),
    }
