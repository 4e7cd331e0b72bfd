"""The workloads tab: the links of the design that is estimated."""

import html
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.charts.paths import levels_chart
from designer.models import Design
from designer.pages.result.workloads.tab import levels_of_design
from designer.services.designs.results import result_of
from tests.designer.charts.test_charts import rendered
from tests.designer.finished_design import finished
from tests.designer.pages.result.test_performance import SPEC

pytestmark = pytest.mark.django_db


def words_of(page: Client, design: Design, **query: Any) -> str:
    response = page.get(reverse("design", args=[design.pk]), {"tab": "workloads", **query})
    assert response.status_code == 200
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", response.content.decode())))


def test_the_tab_states_what_a_gpu_gets_of_each_link(page: Client, owner: User, sent: list[str]) -> None:
    design, job = finished(owner, SPEC)
    estimate = result_of(job)
    assert estimate
    levels = levels_of_design(estimate)
    words = words_of(page, design)
    assert {"gpu_memory", "scale_up", "pcie", "host_memory", "leaf"} <= {one.code for one in levels}
    for one in levels:
        assert one.name[1:] in words
        assert one.evidence in words
    assert "Gb/s a node" not in words


def test_an_in_band_network_is_the_slow_way(page: Client, owner: User, sent: list[str]) -> None:
    design, job = finished(owner, SPEC | {"other_fabrics": [{"role": "in-band"}]})
    estimate = result_of(job)
    assert estimate
    level = next(one for one in levels_of_design(estimate) if one.code == "ethernet")
    network = estimate.fabrics["in-band"]
    assert level.name == f"Ethernet, {network.endpoint_rate_gbit_s * (network.ports_per_node or 1)} Gb/s a node"
    assert level.name in words_of(page, design)


def test_the_chart_has_a_point_and_a_row_for_each_level(owner: User, sent: list[str]) -> None:
    _, job = finished(owner, SPEC)
    estimate = result_of(job)
    assert estimate
    levels = levels_of_design(estimate)
    chart = levels_chart(levels)
    assert len(chart["table"]["rows"]) == len(levels)
    assert rendered([chart["spec"]])[0]["length"] > 1000
