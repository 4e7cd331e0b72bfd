"""Sample workloads: layouts fill their clusters, messages follow by hand, and each is timed on its network."""

import pytest

from estimator.catalog.loader import load_catalog
from estimator.pipeline import estimate
from estimator.published.workloads import Workload, messages_of, timed, workloads
from estimator.spec.parse import parse_spec

CATALOG = load_catalog()


@pytest.mark.parametrize("work", workloads().values(), ids=lambda work: work.id)
def test_a_layout_fills_the_cluster_it_ran_on(work: Workload) -> None:
    (made,) = estimate([parse_spec(work.inputs, CATALOG)], CATALOG, ("counts",))
    assert made.fabrics["compute"].counts.gpus == work.n_gpus
    assert work.url.startswith("https://arxiv.org/abs/")
    assert work.parallel["sequences"] % (work.parallel["dp"] * work.parallel["micro_batch"]) == 0


def test_messages_of_llama_by_hand() -> None:
    """405 B parameters over 8 · 16 GPUs; 2,048 sequences over 128 copies are 16 micro-batches; 126 layers over 16 stages."""
    found = {one.kind: one for one in messages_of(workloads()["llama-3-405b"], 8)}
    assert found["Gradients"].message_bytes == 405_000_000_000 // 128 * 4
    assert found["Weights"].message_bytes == 405_000_000_000 // 128 * 2
    assert (found["Gradients"].gpus, found["Gradients"].times) == (128, 1)
    assert found["Tensor parallel"].message_bytes == 8192 * 16384 * 2
    assert found["Tensor parallel"].times == 4 * 16 * 126 // 16
    assert found["Pipeline"].message_bytes == 8192 * 16384 * 2 // 8
    assert "Experts" not in found


def test_experts_send_all_to_all_and_keep_fewer_copies_in_step() -> None:
    found = {one.kind: one for one in messages_of(workloads()["deepseek-v3"], 8)}
    assert (found["Experts"].gpus, found["Experts"].per_node) == (64, 8)
    assert found["Experts"].message_bytes == 4096 * 7168 * 2 * 8
    assert found["Gradients"].gpus == 128 // 64
    assert "Tensor parallel" not in found


@pytest.mark.parametrize("work", workloads().values(), ids=lambda work: work.id)
def test_every_message_is_timed_on_the_network(work: Workload) -> None:
    spec = parse_spec(work.inputs, CATALOG)
    rows = timed(work, spec, CATALOG)
    assert len(rows) == len(messages_of(work, 8))
    port_gb_s = CATALOG.generations[spec.fabric.generation].port_rate_gbit_s / 8
    for row in rows:
        assert row.time_us > 0
        assert row.step_us == pytest.approx(row.time_us * row.message.times)
        if row.message.per_node == 1:
            assert row.busbw_gb_s < port_gb_s, "one NIC a GPU carries no more than its port"
    assert {row.is_inside for row in rows if row.message.kind == "Tensor parallel"} <= {True}
