"""One estimate as a report for people who decide: cover, summary, diagram, BOM, cost, performance, assumptions, versions."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from reportlab.platypus import Flowable

from designer.exports.pdf.page import About, pdf_bytes
from designer.exports.pdf.text import speaking_of
from designer.exports.reports.bill import bill
from designer.exports.reports.cost import cost_sections
from designer.exports.reports.front import cover, diagram, summary
from designer.exports.reports.performance import performance
from designer.exports.reports.sources import assumptions, constants, request, versions
from designer.exports.versions import foot_of

Json = Mapping[str, Any]


def name_of(estimate: Json) -> str:
    """The design's name, or what stands for one."""
    return str(estimate["spec"].get("name") or "Design without a name")


def design_report(estimate: Json, made: datetime) -> bytes:
    """The whole report as PDF. The same estimate and date give the same bytes."""
    with speaking_of(estimate):
        return _design_report(estimate, made)


def _design_report(estimate: Json, made: datetime) -> bytes:
    story: list[Flowable] = [
        *cover(estimate, "Design report", made),
        *summary(estimate),
        *diagram(estimate),
        *bill(estimate),
        *cost_sections(estimate),
        *performance(estimate),
        *assumptions(estimate),
        *constants(estimate),
        *request(estimate),
        *versions(estimate, made),
    ]
    return pdf_bytes(story, About(name_of(estimate), "Design report", foot_of(estimate), made))


def cost_report(estimate: Json, made: datetime) -> bytes:
    """Cost over the years alone, with what it rests on."""
    with speaking_of(estimate):
        return _cost_report(estimate, made)


def _cost_report(estimate: Json, made: datetime) -> bytes:
    story: list[Flowable] = [
        *cover(estimate, "Cost of ownership", made),
        *cost_sections(estimate),
        *assumptions(estimate),
        *versions(estimate, made),
    ]
    return pdf_bytes(story, About(name_of(estimate), "Cost of ownership", foot_of(estimate), made))
