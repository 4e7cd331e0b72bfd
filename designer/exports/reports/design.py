"""One estimate as a report for people who decide: cover, summary, diagram, BOM, cost, performance, assumptions, versions."""

from datetime import datetime

from reportlab.platypus import Flowable

from designer.exports.reports.bill import bill
from designer.exports.reports.cost import cost_sections
from designer.exports.reports.front import cover, diagram, summary
from designer.exports.reports.performance import performance
from designer.exports.reports.sources import assumptions, constants, request, versions
from designer.exports.versions import foot_of
from estimator.pdf.page import About, pdf_bytes
from estimator.pdf.text import speaking_of
from estimator.result import PricedEstimate


def design_report(estimate: PricedEstimate, made: datetime) -> bytes:
    """The whole report as PDF. The same estimate and date give the same bytes."""
    with speaking_of(estimate.spec):
        return _design_report(estimate, made)


def _design_report(estimate: PricedEstimate, made: datetime) -> bytes:
    story: list[Flowable] = [
        *cover(estimate, "Design report", made),
        *summary(estimate),
        *diagram(estimate),
        *bill(estimate),
        *cost_sections(estimate.cost),
        *performance(estimate.performance),
        *assumptions(estimate.cost),
        *constants(estimate.performance),
        *request(estimate.spec),
        *versions(estimate, made),
    ]
    return pdf_bytes(story, About(estimate.spec.name, "Design report", foot_of(estimate), made))


def cost_report(estimate: PricedEstimate, made: datetime) -> bytes:
    """Cost over the years alone, with what it rests on."""
    with speaking_of(estimate.spec):
        return _cost_report(estimate, made)


def _cost_report(estimate: PricedEstimate, made: datetime) -> bytes:
    story: list[Flowable] = [
        *cover(estimate, "Cost of ownership", made),
        *cost_sections(estimate.cost),
        *assumptions(estimate.cost),
        *versions(estimate, made),
    ]
    return pdf_bytes(story, About(estimate.spec.name, "Cost of ownership", foot_of(estimate), made))
