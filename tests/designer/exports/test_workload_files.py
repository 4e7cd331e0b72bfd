"""Files of the workloads tab, read back: they hold what the tab shows, with what it rests on."""

import csv
import io
from datetime import UTC, datetime
from typing import Any

import openpyxl
import pytest
from django.contrib.auth.models import User

from designer.exports.tables import PROVENANCE_COLUMNS
from designer.exports.workloads import TABLES, workloads_csv, workloads_download
from designer.services.designs.results import result_of
from designer.services.workloads.answer import DesignWorkloads, NotPredicted, workloads_of
from estimator.result import PricedEstimate
from tests.designer.finished_design import finished
from tests.designer.pages.result.test_performance import SPEC

pytestmark = pytest.mark.django_db
CREATED = datetime(2026, 11, 27, 12, 0, 0, tzinfo=UTC)
ASKED = {"train_model": "llama3-8b", "serve_model": "llama3-70b", "concurrency": "32"}
CUSTOM: dict[str, Any] = {
    "name": "Unknown GPU",
    "compute": {"server": "custom", "nodes": 8, "gpus_per_node": 8, "nics_per_node": 8, "nic_ports_per_node": 8},
    "fabric": {"generation": "ndr"},
}


@pytest.fixture
def shown(owner: User, sent: list[str]) -> tuple[PricedEstimate, DesignWorkloads]:
    estimate = result_of(finished(owner, SPEC)[1])
    assert estimate
    return estimate, workloads_of(estimate, ASKED)


def rows_of(shown: tuple[PricedEstimate, DesignWorkloads], table: str) -> list[dict[str, str]]:
    content = workloads_csv(*shown, table).content.decode()
    return list(csv.DictReader(io.StringIO(content, newline=""), strict=True))


def test_layouts_have_parts_memory_and_limits(shown: tuple[PricedEstimate, DesignWorkloads]) -> None:
    estimate, answer = shown
    rows = rows_of(shown, "layouts")
    layouts = answer.training.searched.layouts
    assert len(rows) == len(layouts) > 1
    for row, one in zip(rows, layouts, strict=True):
        assert one.parallel
        assert float(row["step_s"]) == one.step_s
        assert int(row["tp"]) == one.parallel.tp
        parts = sum(float(value) for key, value in row.items() if key.startswith("part_s_"))
        assert parts == pytest.approx(one.step_s)
        assert float(row["memory_gb_total"]) == one.memory_gb_per_gpu.total
        assert row["limited_by"] == one.limited_by
        assert row["model"] == "llama3-8b"
        assert [row[column.key] for column in PROVENANCE_COLUMNS] == [
            estimate.spec.name,
            estimate.spec_hash,
            estimate.versions.model,
            estimate.versions.catalog,
        ]


def test_placements_and_loads_are_those_of_the_tab(shown: tuple[PricedEstimate, DesignWorkloads]) -> None:
    _, answer = shown
    rows = rows_of(shown, "placements")
    assert [float(row["tpot_ms"]) for row in rows] == [one.row.tpot_ms for one in answer.serving.searched.placements]
    assert {row["is_on_front"] for row in rows} == {"true", "false"}
    assert [row["is_best"] for row in rows].count("true") == 1
    loads = rows_of(shown, "loads")
    assert len(loads) == sum(len(one.rows) for one in answer.serving.front)
    assert {float(row["concurrency"]) for row in loads} == {1, 4, 16, 32}


def test_links_traffic_and_the_run_are_there(shown: tuple[PricedEstimate, DesignWorkloads]) -> None:
    _, answer = shown
    assert [row["code"] for row in rows_of(shown, "links")] == [one.code for one in answer.links]
    traffic = rows_of(shown, "traffic")
    assert sum(float(row["bytes_per_step"]) for row in traffic) == pytest.approx(
        sum(link.bytes_per_step for one in answer.training.searched.layouts for link in one.links)
    )
    (run,) = rows_of(shown, "run")
    assert answer.training.run
    assert answer.training.run.usd
    assert float(run["usd_typical"]) == answer.training.run.usd.typical


def test_every_constant_has_its_basis_and_source(shown: tuple[PricedEstimate, DesignWorkloads]) -> None:
    rows = rows_of(shown, "constants")
    assert {row["model"] for row in rows} == {"training", "serving", "runs", "paths"}
    assert not [row["name"] for row in rows if not row["basis"] or not row["evidence"] or not row["unit"]]


def test_the_workbook_has_all_tables_the_design_and_its_sources(
    shown: tuple[PricedEstimate, DesignWorkloads],
) -> None:
    estimate, answer = shown
    file = workloads_download("xlsx", estimate, answer, "layouts", CREATED)
    book = openpyxl.load_workbook(io.BytesIO(file.content))
    assert book.sheetnames == [*(make(answer).title for make in TABLES.values()), "Design", "Sources and assumptions"]
    for make in TABLES.values():
        table = make(answer)
        assert book[table.title].max_row == len(table.rows) + 1
    assert file.name.endswith(".xlsx")
    assert file.content == workloads_download("xlsx", estimate, answer, "layouts", CREATED).content


def test_json_is_read_back_as_it_was(shown: tuple[PricedEstimate, DesignWorkloads]) -> None:
    _, answer = shown
    assert DesignWorkloads.from_json(answer.as_json()).as_json() == answer.as_json()


def test_a_design_of_an_unknown_gpu_has_none(owner: User, sent: list[str]) -> None:
    estimate = result_of(finished(owner, CUSTOM)[1])
    assert estimate
    with pytest.raises(NotPredicted) as refused:
        workloads_of(estimate, {})
    assert refused.value.problems[0].code == "not_predicted"
