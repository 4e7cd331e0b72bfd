"""The crew pack where people and programs fetch it: the cabling tab and REST."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.api.resources.bringup import crew_pack
from estimator.bringup.crew_pack.pack import CREW_FILES
from tests.designer.api_helpers import Caller, assert_refused
from tests.designer.finished_design import finished

pytestmark = pytest.mark.django_db
PLANNED: dict[str, Any] = {
    "name": "Hall",
    "compute": {"server": "dgx-h100", "nodes": 4},
    "fabric": {"generation": "ndr"},
    "site": {"plan": {}},
}


def test_the_cabling_tab_offers_the_pack_and_each_of_its_files(page: Client, owner: User) -> None:
    design, _ = finished(owner, PLANNED)
    text = page.get(reverse("design", args=[design.pk]), {"tab": "cabling"}).content.decode()
    section = text[text.index('id="crew-pack"') :]
    section = section[: section.index("</section>")]
    addresses = re.findall(r'href="(/api/v1/[^"]+)"', section)
    assert len(addresses) == len(CREW_FILES) + 1
    with zipfile.ZipFile(io.BytesIO(b"".join(page.get(addresses[0]).streaming_content))) as found:  # type: ignore[attr-defined]
        assert {*CREW_FILES, "elevations-001.svg", "left-out.txt"} == set(found.namelist())
    for address in addresses[1:]:
        answer = page.get(address)
        name = address.rpartition("=")[2]
        assert (answer.status_code, answer["Content-Type"]) == (200, CREW_FILES[name].content_type)
    assert page.get(re.findall(r'href="(/docs/[^"]+)"', section)[0]).status_code == 200


def test_what_there_is_not_is_refused_with_the_reason(
    call: Caller, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, job = finished(owner, PLANNED | {"site": {}})
    assert_refused(call("GET", f"estimates/{job.pk}/crew-pack/?file=elevations.pdf"), 400, "invalid_spec", "file")
    assert call("GET", f"estimates/{job.pk}/crew-pack/?file=nothing.pdf").status_code == 400
    monkeypatch.setattr(crew_pack, "MOST_LINKS", 10)
    problems = assert_refused(call("GET", f"estimates/{job.pk}/crew-pack/"), 400, "invalid_spec", "compute.nodes")
    assert "command line" in problems[0]["message"]
