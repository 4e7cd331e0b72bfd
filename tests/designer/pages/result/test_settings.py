"""The settings of a design on pages: the plan with its sources, files by target beside their sources, one archive."""

import io
import json
import re
import zipfile
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.models import Design
from designer.services.bringup.plans import names_for, plan_for, state_of_job
from designer.services.designs.saving import save_version
from estimator.bringup.plan.choices import choices
from estimator.bringup.renderings.targets import archive, files_of
from estimator.jobs.models import EstimateJob
from tests.designer.pages.design.test_sharing import visitor
from tests.designer.pages.result.test_acceptance import estimated
from tests.designer.pages.result.test_asbuilt import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]
ROCE = {"name": "Site A", "compute": {"server": "dgx-h100", "nodes": 64}, "fabric": {"generation": "roce-400"}}
NDR = ROCE | {"fabric": {"generation": "ndr"}}
TRAYS = {"name": "Racks", "compute": {"server": "gb300-tray", "racks": 2}, "fabric": {"generation": "roce-400"}}


@pytest.fixture
def roce(owner: User) -> tuple[Design, EstimateJob]:
    return estimated(owner, ROCE)


def files_page(made: tuple[Design, EstimateJob], name: str = "settings-files") -> str:
    return reverse(name, args=[made[0].pk, made[1].pk])


def sent(response: Any) -> bytes:
    return b"".join(response.streaming_content)


def test_the_tab_shows_the_plan_with_the_source_of_each_value(page: Client, roce: tuple[Design, EstimateJob]) -> None:
    words = text_of(page.get(reverse("design", args=[roce[0].pk]), {"tab": "bringup"}))
    for said in (
        "Traffic classes",
        "lossless by PFC",
        "cfgmgr/buffer_headroom_mellanox.lua",
        "ECN thresholds",
        "/31 a port",
    ):
        assert said in words
    assert re.search(r"NCCL_IB_TIMEOUT 20 ", words)
    # of a value that sources disagree on, each is shown: DSCP of CNP is 48, the operator's code has 4
    assert re.search(r"cnp\.dscp 48 .{0,600}other source.{0,80} 4 ", words)


def test_infiniband_says_its_routing_engine_and_why(page: Client, owner: User) -> None:
    design, _ = estimated(owner, NDR)
    words = text_of(page.get(reverse("design", args=[design.pk]), {"tab": "bringup"}))
    assert re.search(r"ib\.routing_engine \S+ .{0,300}(credit loop|fat tree)", words)
    assert "ECN thresholds" not in words


def test_files_are_listed_found_shown_and_sent(page: Client, roce: tuple[Design, EstimateJob]) -> None:
    state = state_of_job(roce[1])
    listed = page.get(files_page(roce), {"target": "nvue"})
    names = re.findall(r"<a href=\"[^\"]*file=[^\"]*\"><code>([^<]+)</code>", listed.content.decode())
    made = {file.name: file.text for file in files_of(plan_for(state), "nvue")}
    assert names == list(made) == names_for(state, "nvue")
    found = text_of(page.get(files_page(roce), {"target": "nvue", "find": "spine"}))
    assert "spine-001.nvue" in found
    assert "leaf-r1-001.nvue" not in found
    name = names[-1]
    file = page.get(files_page(roce), {"target": "nvue", "file": name, "format": "file"})
    assert file.content.decode() == made[name]
    assert f'filename="{name}"' in file["Content-Disposition"]
    shown = page.get(files_page(roce), {"target": "nvue", "file": name}).content.decode()
    assert "nv set system hostname spine" in shown
    assert '<span class="trust trust-A"' in shown
    assert "# mtu.switch_bytes" not in shown  # its comments are beside the lines


def test_a_file_without_comments_is_shown_by_its_values(page: Client, roce: tuple[Design, EstimateJob]) -> None:
    words = text_of(page.get(files_page(roce), {"target": "sonic", "file": "leaf-r1-001.json"}))
    assert "/DEVICE_METADATA/localhost" in words
    assert re.search(r"/BUFFER_PROFILE/\S*/xoff \d+ .{0,80}headroom\.", words)


@pytest.mark.parametrize(
    "query",
    [
        {"target": "nvue", "file": "nowhere.nvue"},
        {"target": "nvue", "file": "../../etc/passwd"},
        {"file": "\x00<script>"},
    ],
)
def test_a_file_that_is_not_there_is_refused(
    page: Client, roce: tuple[Design, EstimateJob], query: dict[str, str]
) -> None:
    answer = page.get(files_page(roce), query)
    assert answer.status_code == 422
    assert "There is no such file" in text_of(answer)
    assert b"<script>\x00" not in answer.content


def test_one_archive_has_all_files_and_is_the_same_each_time(page: Client, roce: tuple[Design, EstimateJob]) -> None:
    whole = sent(page.get(files_page(roce, "settings-archive")))
    assert whole == sent(page.get(files_page(roce, "settings-archive")))
    assert whole == b"".join(archive(plan_for(state_of_job(roce[1]))))
    with zipfile.ZipFile(io.BytesIO(whole)) as files:
        assert files.testzip() is None
        assert {"nvue/leaf-r1-001.nvue", "nccl/nccl.conf", "host/bare-metal/kernel-line.txt"} <= set(files.namelist())
    part = page.get(files_page(roce, "settings-archive"), {"target": "nic"})
    assert re.search(r'filename="site-a-nic-[0-9a-f]{8}\.zip"', part["Content-Disposition"])
    with zipfile.ZipFile(io.BytesIO(sent(part))) as files:
        assert {name.partition("/")[0] for name in files.namelist()} == {"nic"}
    wrong = page.get(files_page(roce, "settings-archive"), {"target": "opensm"})
    assert wrong.status_code == 422
    assert "not for ethernet fabrics" in text_of(wrong)


def test_the_plan_is_a_json_file(page: Client, roce: tuple[Design, EstimateJob]) -> None:
    answer = page.get(files_page(roce, "settings-plan"))
    assert {"classes", "ports", "ecn", "mtu", "values"} <= json.loads(answer.content).keys()


def test_settings_speak_of_trays_and_are_open_to_who_may_look(page: Client, owner: User) -> None:
    made = estimated(owner, TRAYS)
    shown = page.get(reverse("acceptance", args=[made[0].pk, made[1].pk])).content.decode()
    assert "?tab=bringup#result" in shown
    words = re.sub(r"<code>.*?</code>|<[^>]+>", " ", shown)  # codes of gates and commands stay
    assert "tray" in words
    assert not re.search(r"(?<![\w-])nodes?(?![\w-])", words)
    reader, _, _ = visitor(made[0], "read")
    assert reader.get(files_page(made)).status_code == 200
    assert Client().get(files_page(made)).status_code == 302
    stranger = Client()
    stranger.force_login(User.objects.create_user("stranger"))
    for name in ("settings-files", "settings-archive", "settings-plan"):
        assert stranger.get(files_page(made, name)).status_code == 404


# --- Choices -----------------------------------------------------------------------------------------------------
RAIL = {"addressing": "rail", "data_class": "trimming", "weeks": "3"}


def test_choices_stand_in_the_address_and_in_every_link_of_the_tab(
    page: Client, roce: tuple[Design, EstimateJob]
) -> None:
    tab = reverse("design", args=[roce[0].pk])
    shown = page.get(tab, {"tab": "bringup"} | RAIL)
    words, markup = text_of(shown), shown.content.decode()
    assert re.search(r"addressing a subnet a rail", words)
    assert "lossy, trimmed" in words
    assert "because the data class is lossy with trimming (lossless before)" in words
    assert "because node ports have a subnet a leaf (a /31 each before)" in words
    for word in ("rail", "trimming"):
        assert f'<option value="{word}" selected>' in markup
    leading = re.findall(r'href="([^"]*/settings/[^"]*)"', markup)
    assert len(leading) > 10
    assert all("addressing=rail&amp;data_class=trimming&amp;weeks=3" in address for address in leading)
    assert re.search(r'href="[^"]*/checklist/\?weeks=3"', markup)
    usual = page.get(tab, {"tab": "bringup"}).content.decode()
    assert not re.findall(r'href="[^"]*addressing=[^"]*"', usual)


def test_files_archive_and_plan_follow_the_choices(page: Client, roce: tuple[Design, EstimateJob]) -> None:
    chosen = choices("rail", "trimming", 3)
    plan = plan_for(state_of_job(roce[1], chosen))
    asked = {"target": "nvue", "file": "leaf-r1-001.nvue", "format": "file"} | RAIL
    file = page.get(files_page(roce), asked).content.decode()
    assert file == next(iter(files_of(plan, "nvue"))).text
    assert "# Choices: addressing rail.\n# Choices: data_class trimming.\n" in file
    part = page.get(files_page(roce, "settings-archive"), {"target": "nic"} | RAIL)
    assert re.search(r'filename="site-a-nic-rail-trimming-[0-9a-f]{8}\.zip"', part["Content-Disposition"])
    assert sent(part) == b"".join(archive(plan, "nic"))
    answer = json.loads(page.get(files_page(roce, "settings-plan"), RAIL).content)
    assert answer["choices"] == {"addressing": "rail", "data_class": "trimming", "weeks": 3}
    listed = page.get(files_page(roce), {"target": "nvue"} | RAIL).content.decode()
    assert listed.count("addressing=rail&amp;data_class=trimming&amp;weeks=3") > len(
        names_for(state_of_job(roce[1]), "nvue")
    )


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"addressing": "dhcp"}, "Choices of addressing are port, rail"),
        ({"weeks": "0"}, "Weeks are above 0 and at most 260"),
        ({"weeks": "nan"}, "Weeks are above 0"),
        ({"weeks": "soon"}, "Weeks are a number"),
    ],
)
def test_a_wrong_choice_is_named_and_the_usual_plan_is_shown(
    page: Client, roce: tuple[Design, EstimateJob], wrong: dict[str, str], said: str
) -> None:
    tab = page.get(reverse("design", args=[roce[0].pk]), {"tab": "bringup"} | wrong)
    assert said in text_of(tab)
    assert "/31 a port" in text_of(tab)
    refused = page.get(files_page(roce), {"target": "nvue"} | wrong)
    assert refused.status_code == 422
    assert said in text_of(refused)


def test_links_of_a_version_stay_on_it(page: Client, roce: tuple[Design, EstimateJob]) -> None:
    save_version(roce[0], name="As bid")
    markup = page.get(reverse("version", args=[roce[0].pk, 1]), {"tab": "bringup"} | RAIL).content.decode()
    leading = re.findall(r'href="([^"]*/settings/[^"]*)"', markup)
    assert leading
    assert all("version=1&amp;addressing=rail" in address for address in leading)
    assert "amp;amp;" not in markup


def test_other_networks_are_on_the_tab_with_their_files(page: Client, owner: User) -> None:
    others = [{"role": "storage", "generation": "roce-200"}, {"role": "in-band"}, {"role": "out-of-band"}]
    made = estimated(owner, ROCE | {"compute": {"server": "dgx-h100", "nodes": 8}, "other_fabrics": others})
    shown = page.get(reverse("design", args=[made[0].pk]), {"tab": "bringup", "data_class": "trimming"})
    words = text_of(shown)
    assert re.search(
        r"Storage Ethernet \d+ Cumulus Linux 16 10\.64\.0\.0/16 /24 a leaf 9,000 B 9,216 B lossy, trimmed", words
    )
    assert re.search(r"Out-of-band Ethernet 1 Cumulus Linux .{0,200} lossy", words)
    assert "target=networks&amp;data_class=trimming" in shown.content.decode()
    listed = text_of(page.get(files_page(made), {"target": "networks"}))
    assert "storage/storage-leaf-001.nvue" in listed
    file = page.get(files_page(made), {"target": "networks", "file": "out-of-band/oob-leaf-001.nvue"})
    assert "nv set system hostname oob-leaf-001" in file.content.decode()
