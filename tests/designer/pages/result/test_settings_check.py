"""The page that checks settings: findings with file, line, cost and mending, filters, files, hostile uploads, no secrets."""

import csv
import io
import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from designer.pages.result.settings import check as check_page
from designer.services.bringup.checking import refuse_unfit
from estimator.bringup.check.result import Hop, SettingsCheck, Unread
from estimator.bringup.check.upload import MAX_FILE_BYTES, MAX_FILES
from estimator.errors import SpecError
from tests.designer.pages.design.test_sharing import visitor
from tests.designer.pages.result.test_acceptance import estimated
from tests.designer.pages.result.test_asbuilt import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]
ROCE = {"name": "Site A", "compute": {"server": "dgx-h100", "nodes": 8}, "fabric": {"generation": "roce-400"}}
SECRET = "hunter2hunter2"
NCCL = f"NCCL_IB_HCA==mlx5_0\nNCCL_IB_TC=96\npassword = {SECRET}\n"
SYSCTL = "vm.zone_reclaim_mode = 0\nkernel.numa_balancing = 1\n"


@pytest.fixture
def address(owner: User) -> str:
    design, job = estimated(owner, ROCE)
    return reverse("settings-check", args=[design.pk, job.pk])


def upload(**files: bytes | str) -> dict[str, Any]:
    return {
        "files": [
            SimpleUploadedFile(name.replace("__", "."), text.encode() if isinstance(text, str) else text)
            for name, text in files.items()
        ]
    }


def kept(answer: Any) -> str:
    (packed,) = re.findall(r'name="kept" value="([^"]+)"', answer.content.decode())
    return str(packed)


def test_findings_are_shown_filtered_sorted_and_sent(page: Client, address: str) -> None:
    start = text_of(page.get(address))
    assert "What the devices printed" in start
    assert re.search(r"Up to 2,000 files of 4 MB, 64.MiB in all", start)
    answer = page.post(address, upload(**{"node-0001__nccl": NCCL, "node-0002__sysctl": SYSCTL}))
    shown = text_of(answer)
    assert answer.status_code == 200
    for words in ("NCCL_IB_TC is 96", "line 2", "NCCL_IB_TC=106", "node-0001", "A secret stood here"):
        assert words in shown
    assert re.search(r"[\d.]+ → [\d.]+ GB/s [\d.]+ to [\d.]+, all-reduce", shown)
    assert SECRET not in answer.content.decode()
    packed = {"kept": kept(answer)}
    assert SECRET not in page.post(address, packed | {"format": "json"}).content.decode()

    def codes(**asked: str) -> list[tuple[str, ...]]:
        table = page.post(address, packed | asked | {"format": "csv"})
        assert "attachment" in table["Content-Disposition"]
        rows = csv.DictReader(io.StringIO(table.content.decode()))
        return [(row["severity"], row["device"], row["code"]) for row in rows]

    every = codes()
    assert {device for _, device, _ in every} == {"node-0001", "node-0002"}
    errors = codes(severity="error")
    assert errors == [one for one in every if one[0] == "error"]
    assert 0 < len(errors) < len(every)
    assert {device for _, device, _ in codes(device="0002")} == {"node-0002"}
    assert [code for _, _, code in codes(order="kind")] == sorted(code for _, _, code in every)
    few = text_of(page.post(address, packed | {"severity": "error"}))
    assert "NCCL_IB_TC is 96" in few
    assert "numa_balancing" in shown
    assert "numa_balancing" not in few
    assert page.post(address, packed | {"format": "json"}).json()["findings"]


def test_hostile_uploads_are_answered_and_nothing_of_them_is_run(page: Client, address: str) -> None:
    answer = page.post(
        address,
        upload(
            core__bin=bytes(3000),
            page__html="<script>alert(1)</script>\n",
            big__txt=b"x = 1\n" * (MAX_FILE_BYTES // 5),
            deep__json="[" * 100_000,
            bomb__yaml="a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n",
            cells__env="NCCL_IB_TC==cmd|'/c calc'!A0\n",
        ),
    )
    assert answer.status_code == 200
    shown = text_of(answer)
    for words in ("core.bin", "It is binary", "big.txt", "It has over 4 MB", "deep.json"):
        assert words in shown
    assert b"<script>alert(1)" not in answer.content


def test_a_device_whose_name_is_markup_is_shown_as_text(page: Client, address: str) -> None:
    """In the table of findings, the filter, what was not read and the way of a packet."""
    bad = "<img/src=x/onerror=alert(1)>"
    switch = f"hostname {bad}\n!\ninterface Ethernet1/1\n   mtu 1500\n   priority-flow-control on\n"
    sonic = {"DEVICE_METADATA": {"localhost": {"hostname": bad}}, "PORT": {"Ethernet0": {"mtu": "1500"}}}
    answer = page.post(address, upload(a__cfg=switch, b__json=json.dumps(sonic)) | {"owner": ""})
    found = page.post(address, {"kept": kept(answer), "format": "json"}).json()["findings"]
    assert {one["device"] for one in found} == {bad}
    pages = [answer, page.post(address, {"kept": kept(answer), "device": bad})]
    for shown in pages:
        assert shown.status_code == 200
        assert "<img/src" not in shown.content.decode()
        assert "&lt;img/src=x/onerror=alert(1)&gt;" in shown.content.decode()


def test_what_cannot_be_taken_is_refused_with_a_way_out(page: Client, address: str) -> None:
    empty = page.post(address, {})
    assert empty.status_code == 422
    assert "Choose files first" in text_of(empty)
    for packed in ("x", "eyJ4IjoxfQ:1aaaaa:sig", "\x00"):
        wrong = page.post(address, {"kept": packed})
        assert wrong.status_code == 422
        assert "Check the files again" in text_of(wrong)


def test_the_files_of_one_device_may_be_named_at_once(page: Client, address: str) -> None:
    shown = text_of(page.post(address, upload(env__txt=NCCL) | {"owner": "node-0007"}))
    assert "node-0007" in shown


def test_settings_are_checked_by_the_owner_alone(page: Client, owner: User) -> None:
    design, job = estimated(owner, ROCE)
    address = reverse("settings-check", args=[design.pk, job.pk])
    reader, _, _ = visitor(design, "read")
    assert reader.post(address, upload(a__env=NCCL)).status_code in (302, 403)
    stranger = Client()
    stranger.force_login(User.objects.create_user("stranger"))
    assert stranger.post(address, upload(a__env=NCCL)).status_code == 404


def test_an_answer_holds_for_its_own_design_alone(page: Client, owner: User, address: str) -> None:
    design, job = estimated(owner, ROCE | {"name": "Site B", "compute": {"server": "dgx-h100", "nodes": 12}})
    packed = {"kept": kept(page.post(address, upload(a__env=NCCL)))}
    assert page.post(address, packed).status_code == 200
    other = page.post(reverse("settings-check", args=[design.pk, job.pk]), packed)
    assert other.status_code == 422
    assert "Check the files again" in text_of(other)


def test_a_long_answer_is_kept_as_far_as_a_form_may_send_it_back(
    page: Client, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    design, job = estimated(owner, ROCE)
    monkeypatch.setattr(check_page, "MOST_PACKED_BYTES", 4_000)
    monkeypatch.setattr(check_page, "MOST_PACKED", 1_024)
    hops = [Hop(from_=f"leaf-{n * 7919 % 999}", to="spine-1", dscp=26, priority=3, lossless=True) for n in range(900)]
    unread = [Unread(file=f"{n * 7919 % 9973}.log", line=n, why="A secret stood here.") for n in range(900)]
    answer = SettingsCheck(findings=[], paths=hops, unread=unread, spec_hash="a", versions={})
    shown, packed = check_page._kept(answer, job)
    assert len(packed) <= 4_000
    assert shown.paths == hops[: len(shown.paths)] != hops
    assert "of 900 lines that were not read" in shown.unread[0].why
    sent = page.post(reverse("settings-check", args=[design.pk, job.pk]), {"kept": packed, "format": "json"})
    assert sent.json() == shown.as_json()


def test_limits_are_those_of_a_request(settings: Any) -> None:
    assert settings.DATA_UPLOAD_MAX_NUMBER_FILES > 2 * MAX_FILES
    for sizes, code in (([1] * (MAX_FILES + 1), "too_many_logs"), ([settings.MAX_LINK_FILE_BYTES, 1], "too_large")):
        with pytest.raises(SpecError) as error:
            refuse_unfit(sizes)
        assert error.value.problems[0].code == code
    assert "64 MiB are the most" in error.value.problems[0].message
    refuse_unfit([settings.MAX_LINK_FILE_BYTES])
