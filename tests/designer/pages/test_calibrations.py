"""Pages of calibrations: logs in, what they show, refusals beside their fields, and designs that take them."""

import html
import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from designer.charts.calibration import SERIES, fit_charts
from designer.models import Calibration, Design
from designer.pages.calibrations import views as calibration_views
from designer.pages.calibrations.page import amount, by_reason, made_on, parameter_row
from designer.services.calibrations import calibrated_of
from designer.services.designs.saving import save_design
from designer.services.labels import MAX_NAME
from estimator.calibration.result import Curve, Log, LogLine, Parameter
from estimator.catalog.loader import load_catalog
from estimator.jobs import tasks
from estimator.jobs.models import EstimateJob
from estimator.spec.parse import parse_spec
from tests.designer.charts.test_charts import rendered
from tests.estimator.bringup.sites import perftest_text
from tests.estimator.calibration.log_texts import SWEEP, measured_log

SPEC = {"name": "Hall 4", "compute": {"server": "dgx-h100", "nodes": 8}, "fabric": {"generation": "ndr"}}
LOG = measured_log(gpus=16, nodes=2, rows=[(2**p, 30.0 + 2**p / 200e3) for p in range(3, 34)])
ONE_NODE = measured_log(rows=SWEEP)
SLOW = measured_log(gpus=16, nodes=2, rows=[(2**p, 40.0 + 2**p / 3e3) for p in range(3, 34)])
EVIL = "<img src=x onerror=alert(1)>datum.x"


@pytest.fixture
def design(owner: User) -> Design:
    return save_design(owner, parse_spec(SPEC, load_catalog()))


def upload(page: Client, *logs: tuple[str, bytes], to: str = "calibration-new", **answers: str) -> Any:
    files = [SimpleUploadedFile(name, data, content_type="text/plain") for name, data in logs]
    return page.post(reverse(to), {"log": files, **answers})


def kept(page: Client, *logs: tuple[str, bytes], **answers: str) -> Calibration:
    response = upload(page, *(logs or (("two_nodes.txt", LOG),)), **answers)
    assert response.status_code == 302, text_of(response)
    return Calibration.objects.get(pk=response["Location"].rstrip("/").rsplit("/", 1)[-1])


def shown(page: Client, row: Calibration, **query: str) -> Any:
    response = page.get(reverse("calibration", args=[row.pk]), query)
    assert response.status_code == 200
    return response


def text_of(response: Any) -> str:
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", response.content.decode())))


def beside(response: Any, field: str) -> str:
    found = re.search(rf'id="(?:id_{field}_error|error_{field})"[^>]*>(.*?)</p>', response.content.decode(), re.DOTALL)
    return html.unescape(found[1]) if found else ""


# ---------------------------------------------------------------- logs in


def test_several_logs_become_one_calibration_with_what_was_answered(page: Client, owner: User) -> None:
    row = kept(
        page,
        ("two.txt", LOG),
        ("one.txt", ONE_NODE),
        name="  Hall 4, November ",
        fabric="infiniband",
        nics_per_node="8",
        nic_gbit_s="400",
        in_network_reduction="false",
    )
    assert (row.owner, row.name) == (owner, "Hall 4, November")
    assert row.system == {"fabric": "infiniband", "nics_per_node": 8, "nic_gbit_s": 400, "in_network_reduction": False}
    assert [(log["file"], log["gpus"], log["rows"]) for log in row.logs] == [("two.txt", 16, 31), ("one.txt", 8, 31)]
    words = text_of(shown(page, row))
    assert "2 logs, 62 rows read, all used by the fit; 0 lines left out" in words
    assert "H100 80GB SXM5, 8 a node, InfiniBand, 8 × 400 Gb/s" in words
    for label in ("Error, ≥ 64 MiB", "Error, 1–64 MiB", "Error, < 1 MiB"):
        assert label in words
    for name in row.parameters:
        assert name in words


def test_a_blank_name_is_made_of_the_system(page: Client) -> None:
    assert kept(page).name == "H100 80GB SXM5, 16 GPUs, InfiniBand, all-reduce"


@pytest.mark.django_db
def test_what_the_logs_say_is_reported_before_anything_is_stored(page: Client) -> None:
    response = upload(page, ("two.txt", LOG), to="calibration-read", nodes="2", name="mine")
    assert response.status_code == 200
    content = response.content.decode()
    assert "<html" not in content
    assert '<option value="" selected>H100 80GB SXM5</option>' in content
    assert re.search(r'name="gpus_per_node" placeholder="8"', content), "blank, and named"
    assert re.search(r'name="nodes" value="2"', content), "what was typed stays"
    assert 'value="mine"' in content
    words = text_of(response)
    assert "1 log read; nothing is stored yet" in words
    assert words.count("Not in every log") == 3, "network, NICs and rate are guesses, and are told as such"
    assert words.count("enter it, even where it is as usual, or bandwidth is not judged") == 2, (
        "of both figures of the NICs"
    )
    assert '<option value="" selected>Usual: InfiniBand</option>' in content, (
        "not to be mistaken for the answer InfiniBand"
    )
    assert Calibration.objects.count() == 0


def test_what_is_answered_is_no_guess_any_more(page: Client) -> None:
    answers = {"fabric": "roce", "nics_per_node": "8", "nic_gbit_s": "400"}
    assert "Not in every log" not in text_of(upload(page, ("two.txt", LOG), to="calibration-read", **answers))


def test_a_guessed_network_is_marked_on_the_result(page: Client) -> None:
    words = text_of(shown(page, kept(page)))
    assert "default used: Network, NICs a node, Rate of a NIC" in words
    assert "Not judged: the network between the nodes is not known" in words
    assert "fault matches" not in words
    reported = kept(page, fabric="infiniband", nics_per_node="8", nic_gbit_s="400")
    assert "taken as usual" not in text_of(shown(page, reported))


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("answers", "field", "words"),
    [
        ({"gpus_per_node": "many"}, "gpus_per_node", "whole number"),
        ({"nic_gbit_s": "-5"}, "nic_gbit_s", "at least 0"),
        ({"gpu": "h900"}, "gpu", "h900"),
        ({"oversubscription": "two"}, "oversubscription", "two"),
        ({"fabric": "none"}, "fabric", "no network"),
        ({"name": "a" * (MAX_NAME + 1)}, "name", "1 to 200"),
    ],
)
def test_a_refusal_stands_beside_its_field_and_keeps_the_answers(
    page: Client, answers: dict[str, str], field: str, words: str
) -> None:
    response = upload(page, ("two.txt", LOG), nodes="2", **answers)
    assert response.status_code == 422
    assert words in beside(response, field)
    assert 'name="nodes" value="2"' in response.content.decode()
    assert f'href="#id_{field}"' in response.content.decode()
    assert "choose the logs again" in text_of(response)
    assert Calibration.objects.count() == 0


@pytest.mark.parametrize("to", ["calibration-new", "calibration-read"])
def test_files_that_are_no_logs_are_refused_by_name(page: Client, to: str) -> None:
    response = upload(page, ("good.txt", LOG), ("notes.txt", b"hello"), ("empty.txt", b" "), to=to)
    assert response.status_code == (422 if to == "calibration-new" else 200)
    assert "notes.txt" in beside(response, "log")
    assert "empty.txt" in beside(response, "log")


def test_no_file_too_many_and_too_large_ones_are_refused(page: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Choose at least one log" in beside(page.post(reverse("calibration-new"), {}), "log")
    monkeypatch.setattr(calibration_views, "MAX_LOGS", 1)
    assert "2 files were chosen" in beside(upload(page, ("a", LOG), ("b", LOG)), "log")
    monkeypatch.setattr(calibration_views, "MAX_LOG_BYTES", 100)
    assert "over 100 bytes" in beside(upload(page, ("a", LOG)), "log")


def test_a_body_above_the_limit_is_not_read(page: Client, settings: Any) -> None:
    settings.MAX_LINK_FILE_BYTES = 1000
    for name in ("calibration-new", "calibration-read"):
        assert upload(page, ("a", LOG), to=name).status_code == 413


def test_a_log_above_the_limit_of_other_pages_is_taken(page: Client, settings: Any) -> None:
    settings.MAX_BODY_BYTES = 100
    assert upload(page, ("a", LOG)).status_code == 302


# ---------------------------------------------------------------- one calibration


def test_lines_that_were_left_out_are_grouped_and_counted() -> None:
    dropped = [LogLine(line=n, why="no bytes were sent") for n in range(20)]
    dropped += [
        LogLine(line=40, why="warm-up or a disturbance: 99 us is over"),
        LogLine(line=41, why="warm-up or a disturbance: 77 us is over"),
    ]
    first, second = by_reason(dropped)
    assert (first["reason"], first["total"], len(first["items"]), first["n_more"]) == ("no bytes were sent", 20, 12, 8)
    assert (second["reason"], second["total"], second["has_figures"]) == ("warm-up or a disturbance", 2, True)


def test_left_out_lines_stand_on_the_page_with_their_reason(page: Client) -> None:
    zero = b"  0  0  float  sum  -1  0.24  0.00  0.00  0  0.24  0.00  0.00  0\n"
    words = text_of(shown(page, kept(page, ("zeros.txt", LOG + zero + zero))))
    assert "2 lines left out" in words
    assert "no bytes were sent" in words


NETWORK = {"fabric": "infiniband", "nics_per_node": "8", "nic_gbit_s": "400"}


def test_a_faulty_site_sees_its_faults_and_a_warning(page: Client) -> None:
    refused = upload(page, ("slow.txt", SLOW), **NETWORK)
    assert refused.status_code == 422
    assert "slow.txt looks faulty and is left out of the fit: Traffic runs over TCP sockets" in text_of(refused)
    row = kept(page, ("slow.txt", SLOW), fit_faulty="true", **NETWORK)
    response = shown(page, row)
    words = text_of(response)
    assert "Fix before use." in words
    places = [words.index(fault["title"]) for fault in row.diagnosis]
    assert places == sorted(places), "the likeliest first"
    for fault in row.diagnosis:
        assert f"{fault['confidence']} confidence" in words
        assert fault["advice"] in words
    assert any(one["at_bound"] for one in row.parameters.values())
    assert "at its lower bound" in words or "at its upper bound" in words


def test_one_faulty_log_is_named_and_does_not_condemn_the_sound_ones(page: Client) -> None:
    words = text_of(shown(page, kept(page, ("slow.txt", SLOW), ("well.txt", ONE_NODE), **NETWORK)))
    assert "Fix before use" not in words
    assert "1 log looks faulty: slow.txt. Left out of the fit, for the reason under Logs ; to fit it too," in words
    assert "slow.txt looks faulty and is left out of the fit: Traffic runs over TCP sockets" in words
    fitted = kept(page, ("slow.txt", SLOW), ("well.txt", ONE_NODE), fit_faulty="true", **NETWORK)
    assert "1 of 2 logs looks faulty: slow.txt. The constants rest on it too." in text_of(shown(page, fitted))
    both = text_of(shown(page, kept(page, ("slow.txt", SLOW), ("too.txt", SLOW), fit_faulty="true", **NETWORK)))
    assert "Fix before use." in both
    assert "Shown by slow.txt, too.txt" in both


def test_rows_of_a_log_that_was_left_out_are_not_used(page: Client) -> None:
    row = kept(page, ("slow.txt", SLOW), ("well.txt", ONE_NODE), ("alone.txt", SLOW), **NETWORK)
    response = shown(page, row)
    words = text_of(response)
    assert "3 logs, 93 rows read, 31 used by the fit; 0 lines left out" in words
    cells = re.findall(r'data-label="Rows (read|used)">(\d+)<', response.content.decode())
    assert cells == [("read", "31"), ("used", "0"), ("read", "31"), ("used", "31"), ("read", "31"), ("used", "0")]
    assert row.name == "H100 80GB SXM5, 8 GPUs, InfiniBand, all-reduce", "named after what was fitted"
    listed = text_of(page.get(reverse("calibrations")))
    assert "3 logs, 1 fitted" in listed
    assert re.search(r"8 × 400 Gb/s 8 GPUs", listed), "the sizes of what was fitted"


def test_a_path_that_sets_nothing_is_not_used(page: Client) -> None:
    row = kept(page, ("a.txt", perftest_text(392.0)), ("b.txt", perftest_text(120.0)), **NETWORK)
    assert "2 figures of single paths, 1 used;" in text_of(shown(page, row))


def test_a_log_that_is_slower_than_another_of_the_same_system_is_reported_by_how_much(page: Client) -> None:
    rows = [(2**p, 30.0 + 2**p / 200e3) for p in range(3, 34)]
    made = {
        name: measured_log(
            gpus=16, nodes=2, rows=[(size, t * times) for size, t in rows], extra=[f"# nccl-library={name}"]
        )
        for name, times in (("22707", 1.0), ("22809", 2.5))
    }
    row = kept(page, ("before.txt", made["22707"]), ("after.txt", made["22809"]), **NETWORK)
    words = text_of(shown(page, row))
    assert "Slower than another log of the same system" in words
    assert "after.txt: large messages take 2.5 times as long as in before.txt" in words
    assert "its NCCL 2.28.9 is newer than 2.27.7" in words
    assert "22809" not in words


def test_a_log_of_an_unknown_gpu_is_refused_with_what_its_network_shows(page: Client) -> None:
    log = measured_log("Acme Z9", 4, [(2**p, 40.0 + 2**p / 4e3) for p in range(20, 34)], nodes=4)
    response = upload(page, ("z9.txt", log), fabric="infiniband", nics_per_node="1", nic_gbit_s="100")
    assert response.status_code == 422
    words = text_of(response)
    assert "GPU not known: only its network was judged" in words
    assert "GPUDirect RDMA is off" in words
    assert "A name has" not in words
    assert Calibration.objects.count() == 0


def test_a_sound_site_is_shown_so_with_the_headroom_left(page: Client) -> None:
    row = kept(page)
    row.diagnosis = [
        {
            "code": "nothing_wrong",
            "title": "No fault found",
            "evidence": "it is well",
            "advice": "Keep it.",
            "confidence": "medium",
            "numbers": {"headroom": 0.066},
        }
    ]
    row.save()
    words = text_of(shown(page, row))
    assert "No fault found" in words
    assert "Headroom left 6.6 %" in words
    assert "Fix before use" not in words


def test_a_constant_is_shown_between_its_bounds() -> None:
    row = {
        "value": 2.0,
        "low": 1.5,
        "high": 2.0,
        "before": 1.0,
        "at_bound": True,
        "unit": "us",
        "bounds": {"from": 0.0, "to": 2.0},
    }
    out = parameter_row("launch.graph", Parameter.from_json(row))
    assert out.title == "Launch of an operation"
    assert (out.value, out.which, out.bounds) == ("2.00\u00a0µs", "upper", "0\u00a0µs to 2.00\u00a0µs")
    assert float(out.x["from"]) < float(out.x["before"]) < float(out.x["low"]) < float(out.x["value"])
    assert float(out.x["before"]) == pytest.approx((float(out.x["from"]) + float(out.x["to"])) / 2, abs=0.1)
    assert amount(0.776, "1", "ring_efficiency") == "77.6\u00a0%"
    assert amount(0.632, "1", "latency_factor") == "0.632"
    assert amount(2**20, "B") == "1\u00a0MiB"


def test_curves_hold_what_was_measured_and_both_predictions() -> None:
    curve = {
        "file": EVIL,
        "collective": "all_reduce",
        "gpus": 16,
        "message_bytes": [1024, 2**20, 2**30],
        "measured_us": [20.0, 50.0, 5000.0],
        "before_us": [22.0, 40.0, 4000.0],
        "after_us": [20.0, 50.0, 5000.0],
    }
    busbw, time = fit_charts(Curve.from_json(curve))
    assert [item.label for item in busbw.legend] == SERIES
    last = busbw.table.rows[-1]["cells"]
    assert [cell["text"] for cell in last] == ["403\u00a0GB/s", "503\u00a0GB/s", "403\u00a0GB/s"]  # 2**30/5e-3 · 15/8
    assert [cell["note"] for cell in last] == ["", "time −20\u00a0%", "time as measured"]
    assert [cell["text"] for cell in time.table.rows[0]["cells"]] == [
        "20.0\u00a0µs",
        "22.0\u00a0µs",
        "20.0\u00a0µs",
    ]
    assert len(busbw.table.rows) == 3
    assert EVIL not in json.dumps([busbw.spec, time.spec]), "a file's name is never part of a spec"
    for drawn in rendered([busbw.spec, time.spec]):
        assert drawn["lines"] == 2


def test_a_log_of_one_size_has_a_chart_too() -> None:
    curve = {
        "file": "a",
        "collective": "sendrecv",
        "gpus": 2,
        "message_bytes": [8],
        "measured_us": [20.0],
        "before_us": [22.0],
        "after_us": [20.0],
    }
    assert all(
        drawn["length"] > 1000 for drawn in rendered([chart.spec for chart in fit_charts(Curve.from_json(curve))])
    )


def test_another_log_s_curves_are_asked_for_by_number(page: Client) -> None:
    row = kept(page, ("two.txt", LOG), ("one.txt", ONE_NODE))
    assert "All-reduce on 16 GPUs: bandwidth" in text_of(shown(page, row))
    assert "All-reduce on 8 GPUs: bandwidth" in text_of(shown(page, row, log="2"))
    assert "All-reduce on 16 GPUs: bandwidth" in text_of(shown(page, row, log="99"))


def test_names_of_files_are_text(page: Client) -> None:
    row = kept(page, (EVIL.replace("/", ""), LOG), name=EVIL)
    assert b"<img src=x" not in shown(page, row).content
    assert b"<img src=x" not in page.get(reverse("calibrations")).content


def test_a_calibration_of_an_earlier_model_says_so(page: Client) -> None:
    row = kept(page)
    assert "earlier model or catalog" not in text_of(shown(page, row))
    Calibration.objects.update(model_version="0.9")
    assert "earlier model or catalog" in text_of(shown(page, row))


# ---------------------------------------------------------------- names, the end, other people


def test_a_calibration_is_renamed_and_a_wrong_name_is_reported(page: Client) -> None:
    row = kept(page)
    address = reverse("calibration-rename", args=[row.pk])
    assert page.post(address, {"name": " Hall 5 "}).status_code == 302
    row.refresh_from_db()
    assert row.name == "Hall 5"
    response = page.post(address, {"name": "  "})
    assert response.status_code == 422
    assert "A name has 1 to 200 printable characters" in text_of(response)
    row.refresh_from_db()
    assert row.name == "Hall 5"


def test_a_calibration_is_deleted_after_asking(page: Client) -> None:
    row = kept(page)
    address = reverse("calibration-delete", args=[row.pk])
    assert "cannot be restored" in text_of(page.get(address))
    assert Calibration.objects.exists()
    assert page.post(address).status_code == 302
    assert not Calibration.objects.exists()
    assert "No calibration yet" in text_of(page.get(reverse("calibrations")))


def test_nobody_else_sees_or_changes_a_calibration(page: Client, design: Design) -> None:
    row = kept(page)
    stranger = Client()
    stranger.force_login(User.objects.create_user("grace"))
    for name in ("calibration", "calibration-delete"):
        assert stranger.get(reverse(name, args=[row.pk])).status_code == 404
    assert stranger.post(reverse("calibration-rename", args=[row.pk]), {"name": "x"}).status_code == 404
    theirs = save_design(User.objects.get(username="grace"), parse_spec(SPEC, load_catalog()))
    use = reverse("calibration-use")
    assert stranger.post(use, {"design": str(theirs.pk), "calibration": str(row.pk)}).status_code == 404
    assert page.post(use, {"design": str(theirs.pk), "calibration": str(row.pk)}).status_code == 404
    assert page.post(use, {"design": "nonsense", "calibration": ""}).status_code == 404
    assert row.name not in text_of(stranger.get(reverse("calibrations")))
    assert Client().get(reverse("calibrations")).status_code == 302


# ---------------------------------------------------------------- designs that use one


def use(page: Client, design: Design, calibration: str) -> EstimateJob:
    """The finished job of the design with this calibration."""
    response = page.post(reverse("calibration-use"), {"design": str(design.pk), "calibration": calibration})
    assert response["Location"].startswith(reverse("design", args=[design.pk]))
    job = EstimateJob.objects.get(spec_hash=design.now.spec_hash)
    tasks.run_estimate(str(job.pk))
    job.refresh_from_db()
    return job


def test_a_design_takes_a_calibration_names_it_and_gives_it_back(page: Client, design: Design, sent: list[str]) -> None:
    row = kept(page, name="Hall 4, November", fabric="infiniband", nics_per_node="8", nic_gbit_s="400")
    plain = use(page, design, "")
    assert design.now.state_number == 1, "the catalog's constants were used before"
    job = use(page, design, str(row.pk))
    assert design.now.state_number == 2
    assert design.now.spec["workload"]["calibration"] == calibrated_of(row).model_dump()
    busbw = [done.result["performance"]["all_reduce"]["busbw_gb_s"][-1][-1] for done in (plain, job) if done.result]
    assert busbw[0] != busbw[1]

    result = page.get(reverse("design", args=[design.pk]))
    assert "Predicted with the calibration Hall 4, November" in text_of(result)
    assert reverse("calibration", args=[row.pk]) in result.content.decode()
    tab = text_of(page.get(reverse("design", args=[design.pk]), {"tab": "performance"}))
    assert "constants of a site’s own logs" in tab
    assert "It was made on" not in tab
    assert "Used by Hall 4" in text_of(shown(page, row))
    assert "Hall 4" in text_of(page.get(reverse("calibrations")))

    page.post(reverse("calibration-delete", args=[row.pk]))
    assert "“Hall 4, November”" in text_of(page.get(reverse("design", args=[design.pk]))), "the design keeps its values"
    use(page, design, "")
    assert design.now.state_number == 3
    assert design.now.spec["workload"]["calibration"] is None
    assert "Predicted with the calibration" not in text_of(page.get(reverse("design", args=[design.pk])))


def test_the_same_calibration_twice_changes_nothing(page: Client, design: Design, sent: list[str]) -> None:
    row = kept(page)
    for _ in range(2):
        response = page.post(
            reverse("calibration-use"), {"design": str(design.pk), "calibration": str(row.pk)}, follow=True
        )
    assert design.now.state_number == 2
    assert "the design says that already" in text_of(response)


def test_a_calibration_of_other_machines_says_so() -> None:
    catalog = load_catalog()
    systems = [{"gpu": "h100-sxm", "fabric": "efa"}, {"gpu": "h100-sxm", "fabric": "none"}, None]
    logs = [Log.from_json({"system": system, "is_fitted": True}) for system in systems]
    assert made_on(logs, "h100-sxm", "efa", catalog) == ""
    assert made_on(logs, "h100-sxm", "none", catalog) == ""
    assert made_on(logs, "h100-sxm", "roce", catalog) == "H100 80GB SXM5 over EFA"
    assert made_on(logs, "b200-sxm", "efa", catalog) == "H100 80GB SXM5 over EFA"


def test_the_list_takes_few_queries(page: Client, django_assert_max_num_queries: Any) -> None:
    for _ in range(3):
        kept(page)
    with django_assert_max_num_queries(6):
        assert page.get(reverse("calibrations")).status_code == 200


# ---------------------------------------------------------------- single paths


def test_path_results_alone_make_a_calibration_that_shows_lines_and_reasons(page: Client) -> None:
    row = kept(page, ("link.txt", perftest_text(385.0)), ("slow.txt", perftest_text(180.0)), nic_gbit_s="400")
    words = text_of(shown(page, row))
    assert (row.name, len(row.paths)) == ("Measured paths", 2)
    assert "1 measurement, 97.7 % of a healthy path; no probability" in words
    assert "of paths the catalog’s range times that of healthy paths" in words
    figures = (
        "link.txt 13 ib_write_bw, 8,388,608 B 385 Gb/s 394 Gb/s Share of the NICs’ rate that gets through, InfiniBand"
    )
    assert figures in words
    assert "Left out: less than a healthy path, so it looks faulty." in words
    read = page.post(reverse("calibration-read"), {"log": SimpleUploadedFile("link.txt", perftest_text(385.0))})
    assert "link.txt, line 13: ib_write_bw, 8,388,608 B, 385 Gb/s" in text_of(read)
