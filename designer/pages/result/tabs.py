"""The tabs of a result: what each of them shows, out of the stored Estimate and the query of the address.

A page view reads aggregated figures alone. The link list is made only where a reader asks for rows of it, a page at a time.
"""

from typing import NamedTuple

from designer.charts.all_reduce import domain_nics_gb_s, performance_charts
from designer.drawings.overview import fabric_picture, part_names
from designer.pages.calibrations.page import used_context
from designer.pages.prices.page import used_book
from designer.pages.result.bill import sorted_bom
from designer.pages.result.bringup.tab import bringup_context
from designer.pages.result.cabling.tab import cabling_context
from designer.pages.result.cost.tab import cost_context
from designer.pages.result.fabric import fabric_context
from designer.pages.result.failures import failures_context
from designer.pages.result.findings import findings_context, way_of
from designer.pages.result.handoff import handoff_context
from designer.pages.result.performance import held_words, performance_context
from designer.pages.result.racks import racks_context
from designer.pages.result.workloads.tab import workloads_context
from designer.services.designs.results import result_of
from designer.services.link_lists import is_outdated
from designer.services.shown_page import ShownPage
from designer.wording.context import Context
from designer.wording.cost import bill_beside_likely, cost_parts, likely_rows
from designer.wording.findings import n_to_heed, verdict
from designer.wording.headlines import headline
from designer.wording.numbers import words
from designer.wording.phases import phase_rows, phases_left, recabled_words
from designer.wording.query import one_of
from estimator.bringup.crew_pack.pack import CREW_FILES, left_out
from estimator.catalog.loader import load_catalog
from estimator.jobs.models import EstimateJob
from estimator.record import Given
from estimator.result import PricedEstimate


class Tab(NamedTuple):
    """One tab: its word in the address, and what the reader sees of it."""

    key: str
    title: str


TABS = (
    Tab("overview", "Overview"),
    Tab("fabric", "Fabric"),
    Tab("cost", "Cost"),
    Tab("performance", "Performance"),
    Tab("workloads", "Workloads"),
    Tab("cabling", "Cabling"),
    Tab("racks", "Racks"),
    Tab("bringup", "Bring-up"),
    Tab("findings", "Findings"),
    Tab("handoff", "Exports"),
)
KEYS = tuple(tab.key for tab in TABS)


def tab_of(query: Given) -> str:
    """The tab that an address asks for; the first one where it asks for none that there is."""
    return one_of(query.get("tab"), KEYS)


def result_context(job: EstimateJob, page: ShownPage, query: Given) -> Context:
    """All that the result part of the page shows of a finished job: what every tab has, and what the asked one shows."""
    tab, result, estimate = tab_of(query), job.result, result_of(job)
    if result is None or estimate is None:
        raise ValueError("a job without a result has no tabs")
    context = {
        "tab": tab,
        "tabs": TABS,
        "tab_template": f"designer/result/_tab_{tab}.html",
        "result": estimate,
        "n_to_heed": n_to_heed(estimate.findings),
        "is_outdated": is_outdated(job),
        **used_context(estimate.performance, job.owner_id),
        **used_book(estimate.spec, job.owner_id),
    }
    match tab:
        case "fabric":
            return context | fabric_context(job, estimate, page, query)
        case "cost":
            return context | cost_context(job, estimate, query)
        case "performance":
            return context | performance_context(job, estimate, page.design_id, query)
        case "workloads":
            return context | workloads_context(estimate, query)
        case "cabling":
            missing = left_out(estimate.spec, load_catalog())
            files = [(name, file.purpose, missing.get(name)) for name, file in CREW_FILES.items()]
            return context | cabling_context(job, estimate, query) | {"crew_files": files}
        case "racks":
            return context | racks_context(job, page, query)
        case "bringup":
            return context | bringup_context(job, estimate, page, query)
        case "findings":
            return context | findings_context(estimate) | failures_context(estimate)
        case "handoff":
            return context | handoff_context(estimate, query)
    return context | overview(result, estimate, query)


def network_name(key: str) -> str:
    """A fabric's key as a heading: "in-band" → "In-band"."""
    return words(key).capitalize()


def overview(result: Context, estimate: PricedEstimate, query: Given) -> Context:
    """Counts, cost, predicted all-reduce, bill of materials, assumptions."""
    nics_gb_s = domain_nics_gb_s(estimate)
    return {
        "networks": [(network_name(key), network) for key, network in estimate.fabrics.items()],
        "nics_gb_s": nics_gb_s,
        "result_compute": estimate.compute,
        "result_diagram": fabric_picture(estimate),
        "names": part_names(estimate),
        "phases": estimate.phases,
        "phase_rows": phase_rows(estimate.phases),
        "phases_left": phases_left(estimate) if estimate.phases else [],
        "phases_way": way_of(estimate, "phase_not_possible"),
        "recabled": recabled_words(estimate.phases),
        "busbw_now": (now := headline(estimate.performance)),
        "held": held_words(estimate.performance, "all_reduce", now.gpus) if now else None,
        "likely": likely_rows(estimate.cost),
        "price_book": estimate.cost.price_book,
        "beside": bill_beside_likely(estimate),
        "charts": [chart.shaped("short") for chart in performance_charts(estimate.performance, nics_gb_s)],
        "verdict": verdict(estimate.findings, lacks_prices=bool(estimate.cost.at_least)),
        "cost_parts": (parts := cost_parts(estimate.cost)),
        "cost_together": sum(part.usd for part in parts),
        "bom": sorted_bom(estimate.bom, query.get("sort")),
    }
