"""What pages say of files that people bring: no key of a request, and bandwidths in the units of who reads."""

import html
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from designer.models import AccountChoices
from designer.services.designs.saving import save_design
from designer.services.prices.books import create_book
from estimator.calibration.result import Log, SiteFit
from estimator.calibration.site_fit import LogSystem, calibrate
from estimator.catalog.loader import load_catalog
from estimator.errors import plain
from estimator.sentences import said
from estimator.spec.parse import parse_spec
from tests.designer.pages.test_calibrations import LOG, NETWORK, ONE_NODE, SLOW, SPEC, kept, shown, text_of, upload
from tests.estimator.bringup.sites import nvbandwidth_text, perftest_text
from tests.estimator.calibration.log_texts import SWEEP, measured_log
from tests.estimator.quotes.quote_files import HEADER, whole_quote, workbook

KEYS = frozenset(LogSystem.model_fields)
OF_TOOLS = re.compile(
    r"\b(?:ib_\w+|\w+_perf\w*|\w+_to_\w+_memcpy\w*|mlx5_\d+)\b"
)  # their own names, as they print them
CODE = re.compile(r"<(code|script|option|select|label)\b.*?</\1>", re.DOTALL)
SHARP = [(2**p, 30.0 + 2**p / (9e3 if p > 26 else 200e3)) for p in range(3, 34)]


def words_of(response: Any) -> str:
    """What stands on a page outside of code."""
    text = CODE.sub(" ", response.content.decode())
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", text)))


def keys_in(words: str) -> list[str]:
    """Names of programs in words of a page: keys of a log's system, snake case, dotted places of a request."""
    snake = re.findall(r"(?<![\w./-])[a-z][a-z0-9]*(?:_[a-z0-9]+)+", OF_TOOLS.sub(" ", words))
    dotted = re.findall(r"\b(?:system|fabric|compute|workload|site|economics)\.[a-z_]+", words)
    in_brackets = [key for key in KEYS if f"({key})" in words]
    return [*snake, *dotted, *in_brackets]


LOGS: list[tuple[tuple[tuple[str, bytes], ...], dict[str, str]]] = [
    ((("slow.txt", SLOW),), NETWORK),
    ((("z9.txt", measured_log("Acme Z9", 4, SHARP, nodes=4)),), {}),
    ((("z9.txt", measured_log("Acme Z9", 4, SHARP, nodes=4)),), {"fabric": "infiniband", "nic_gbit_s": "100"}),
    ((("two.txt", LOG),), {"fabric": "none"}),
    ((("two.txt", LOG),), {"algorithm": "nvls_tree", "fabric": "infiniband", "collective": "all_gather"}),
    ((("one.txt", measured_log(gpus=1, rows=SWEEP)),), {}),
    ((("gather.txt", measured_log(rows=SWEEP).replace(b"all_reduce_perf", b"gather_perf")),), {}),
    ((("no.txt", LOG.replace(b"#  Rank", b"#  Nothing").replace(b"nGpus", b"n")),), {"gpu": "h100-sxm"}),
    ((("link.txt", perftest_text(120.0)), ("copies.txt", nvbandwidth_text(peer=600.0))), {}),
    ((("nowhere.txt", nvbandwidth_text().replace(b"H100", b"Z9")),), {}),
    ((("two.txt", LOG),), {"gpus_per_node": "many", "nic_gbit_s": "-1", "oversubscription": "two", "nodes": "0"}),
    ((("two.txt", LOG),), {"nics_per_node": "1e9", "scale_up_domain_gpus": "0", "nodes_per_leaf": "x", "gpus": "-1"}),
]


@pytest.mark.parametrize(("logs", "answers"), LOGS)
def test_refused_logs_name_no_key_on_the_page(page: Client, logs: Any, answers: dict[str, str]) -> None:
    for to in ("calibration-new", "calibration-read"):
        response = upload(page, *logs, to=to, **answers)
        if response.status_code == 302:
            response = page.get(response["Location"])
        assert keys_in(words_of(response)) == []


def test_kept_calibrations_name_no_key_on_the_page(page: Client) -> None:
    rows = [
        kept(page, ("slow.txt", SLOW), ("well.txt", ONE_NODE), **NETWORK),
        kept(page, ("slow.txt", SLOW), ("well.txt", ONE_NODE), fit_faulty="true", **NETWORK),
        kept(page, ("guessed.txt", LOG)),
        kept(page, ("a.txt", perftest_text(392.0)), ("b.txt", perftest_text(120.0)), ("c.txt", nvbandwidth_text())),
    ]
    for row in rows:
        assert keys_in(words_of(shown(page, row))) == []
    assert keys_in(words_of(page.get(reverse("calibrations")))) == []
    words = text_of(shown(page, rows[0]))
    assert "Tick “Fit what looks faulty, too” to fit it all the same." in words
    words = text_of(shown(page, rows[3]))
    assert "Tick “Fit what looks faulty, too” to use it all the same." in words


def test_programs_are_given_the_keys() -> None:
    fit = calibrate(
        [("slow.txt", SLOW), ("b.txt", perftest_text(120.0))], {"fabric": "infiniband"} | GIVEN, load_catalog()
    )
    (problem,) = fit.logs[0].problems
    assert problem.message.endswith("Set fit_faulty (--fit-faulty of the command line) to fit it all the same.")
    assert (fit.paths or [])[0].note.endswith(
        "Set fit_faulty (--fit-faulty of the command line) to use it all the same."
    )
    guessed = calibrate([("guessed.txt", LOG)], {}, load_catalog())
    assert (
        guessed.logs[0]
        .problems[0]
        .message.endswith(
            "Give the network (fabric), the NICs a node (nics_per_node) and the rate of a NIC (nic_gbit_s)."
        )
    )
    assert "(fabric, nics_per_node, nic_gbit_s)" in guessed.diagnosis[0].advice


GIVEN: dict[str, Any] = {"nics_per_node": 8, "nic_gbit_s": 400}


def test_parts_are_kept_and_are_the_plain_text() -> None:
    fit = calibrate([("slow.txt", SLOW), ("well.txt", ONE_NODE)], {"fabric": "infiniband"} | GIVEN, load_catalog())
    again = SiteFit.from_json(fit.as_json())
    assert again == fit
    for fault in again.diagnosis:
        assert plain(fault.evidence_parts or said(fault.evidence)) == fault.evidence
    (problem,) = again.logs[0].problems
    assert problem.parts is not None
    assert plain(problem.parts) == problem.message
    assert [part.unit for part in problem.parts if part.value is not None] == ["GB/s"]
    older = fit.as_json()["logs"][0]
    older["problems"] = [{key: one[key] for key in ("field", "code", "message")} for one in older["problems"]]
    assert Log.from_json(older).problems[0].parts is None


@pytest.mark.parametrize("bandwidth", ["bytes", "bits"])
def test_bandwidths_follow_the_readers_units(page: Client, owner: User, bandwidth: str) -> None:
    """SLOW takes 2^33 B in 40 µs + 2^33 ÷ 3e3 B/µs, which is 3.00 GB/s, and × 15 ÷ 8 is 5.62 GB/s, or 45.0 Gb/s."""
    units = AccountChoices.Bandwidth.BITS if bandwidth == "bits" else AccountChoices.Bandwidth.BYTES
    AccountChoices.objects.update_or_create(user=owner, defaults={"bandwidth": units})
    copies = nvbandwidth_text(peer=340.0)
    row = kept(page, ("slow.txt", SLOW), ("well.txt", ONE_NODE), ("copies.txt", copies), **NETWORK)
    words = text_of(shown(page, row)).replace("\N{NO-BREAK SPACE}", " ")
    read = text_of(upload(page, ("copies.txt", copies), to="calibration-read")).replace("\N{NO-BREAK SPACE}", " ")
    refused = text_of(upload(page, ("slow.txt", SLOW), **NETWORK)).replace("\N{NO-BREAK SPACE}", " ")
    if bandwidth == "bits":
        assert "GB/s" not in words + read + refused
        assert "(45.0 Gb/s of bus bandwidth)" in words
        assert "2,720 Gb/s" in words
        assert "2,720 Gb/s" in read
        assert refused.count("(45.0 Gb/s of bus bandwidth)") >= 2, "in the diagnosis and in why it was left out"
    else:
        assert "(5.62 GB/s of bus bandwidth)" in words
        assert "340 GB/s" in words
        assert "340 GB/s" in read
    assert "5.6 GB/s" in row.diagnosis[0]["evidence"], "what is kept and sent has GB/s"


def test_prices_that_are_refused_name_no_key_on_the_page(page: Client, owner: User) -> None:
    book = create_book(owner, "Hall 4")
    head = b"part,typical,currency,basis,date,source,min_quantity,length_m,valid_from\n"
    rows = (
        b"nvidia-qm9700,1,USD,list,31/02/2026,x,,,\n"
        b"nvidia-qm9700,1,USD,list,2026-11-20,x,none,,\n"
        b"nvidia-qm9700,1,USD,list,2026-11-20,x,,long,\n"
        b"nvidia-qm9700,1,USD,list,2026-11-20,x,,,soon\n"
        b"nvidia-qm9700,dear,XYZ,hope,2026-11-20,x,,,\n"
    )
    file = SimpleUploadedFile("prices.csv", head + rows)
    shown = page.post(reverse("price-book-import", args=[book.pk]), {"file": file, "mode": "merge"})
    assert {one.column for one in shown.context["plan"].refused} >= {"as_of", "min_quantity", "length_m", "valid_from"}
    words = words_of(shown)
    assert keys_in(words) == []
    for label in ("Date", "From quantity", "Length", "Valid from"):
        assert f"nvidia-qm9700 {label} " in words


def test_quotes_that_are_refused_name_no_key_on_the_page(page: Client, owner: User) -> None:
    design = save_design(owner, parse_spec(SPEC, load_catalog()))
    for name, data in (("x.xlsx", b"PK no workbook"), ("x.csv", b"a;b\n1;2\n"), ("x.pdf", b"%PDF-1.4"), ("x.txt", b"")):
        sent = {"file": SimpleUploadedFile(name, data), "design": str(design.pk)}
        assert keys_in(words_of(page.post(reverse("quote-new"), sent, follow=True))) == []
    rows = [["Second offer"], HEADER, *whole_quote(), ["X-1", "Nothing known", 1, 5, 5], ["", "Freight", 1, 100, 100]]
    sent = {"file": SimpleUploadedFile("a.xlsx", workbook(rows)), "design": str(design.pk)}
    assert keys_in(words_of(page.post(reverse("quote-new"), sent, follow=True))) == []
