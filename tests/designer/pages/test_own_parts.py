"""Pages of own parts: made and revised by a form, with who changed what; refusals stand beside their fields."""

import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.exports.sheets.comparison import sides_table
from designer.forms.design import KEPT_FIELD, DesignForm
from designer.forms.parts.choice import OwnChoice
from designer.forms.parts.part import OwnPartForm
from designer.models import OwnPart
from designer.services.comparison_sides import resolved_items
from designer.services.comparisons import create_comparison
from designer.services.designs.saving import save_design
from designer.services.parts.catalog import create_part, part_at, revise_part
from estimator.catalog.loader import load_catalog
from estimator.compare.comparison import compare_request
from estimator.compare.result import ComparisonResult
from estimator.pipeline import estimate
from estimator.spec.change import read_path
from estimator.spec.own.part import OwnServer
from tests.designer.finished_design import finished
from tests.estimator.spec.test_own_parts import NETWORK, NIC, OWN

pytestmark = pytest.mark.django_db
TYPED = {
    "id": "own-acme-128",
    "vendor": "Acme",
    "model": "S128",
    "protocol": "ethernet",
    "ports": "128",
    "port_rate_gbit_s": "400",
    "links_per_cage": "2",
    "cage": "OSFP8",
    "price_usd": "40,000",
    "splits": "4x200, 1x800",
    "reason": "Offer 7",
}
SERVER = {
    "id": "own-box",
    "vendor": "Acme",
    "model": "G4",
    "gpus": "4",
    "compute_nics": "4",
    "compute_port_rate_gbit_s": "400",
    "compute_cage": "QSFP112",
    "compute_nic": "nvidia-cx7-400g-qsfp112",
    "storage_nics": "1",
    "storage_port_rate_gbit_s": "200",
    "storage_cage": "QSFP56",
}


def test_a_switch_is_made_revised_and_listed_with_its_history(client: Client, owner: User) -> None:
    client.force_login(owner)
    assert "No part yet" in client.get(reverse("own-parts")).content.decode()
    made = client.post(reverse("own-part-new", args=["switches"]), TYPED)
    row = OwnPart.objects.get(key="own-acme-128")
    assert made["Location"] == reverse("own-part", args=[row.pk])
    assert [one.port_rate_gbit_s for one in part_at(row).splits] == [200, 800]  # type: ignore[attr-defined]
    page = client.get(made["Location"]).content.decode()
    assert 'value="128"' in page
    assert 'value="4x200, 1x800"' in page
    client.post(made["Location"], TYPED | {"price_usd": "38000", "reason": "Round two", "number": "1"})
    page = client.get(made["Location"]).content.decode()
    assert "Revision 2: Round two" in page
    assert '38,000 USD <span class="was">was 40,000 USD' in page
    assert owner.username in page
    listed = client.get(reverse("own-parts")).content.decode()
    assert "Acme S128" in listed
    assert "$38,000" in listed
    assert "128 × 400 Gb/s, Ethernet" in listed
    assert "New switch" in listed
    dear = {"price_usd": "1234567.5", "reason": "Round three"}
    client.post(made["Location"], TYPED | dear | {"number": "2"})
    assert 'value="1234567.5"' in client.get(made["Location"]).content.decode()  # a revision loses no digit


def test_a_server_has_its_networks_and_a_part_of_another_is_not_there(client: Client, owner: User) -> None:
    client.force_login(owner)
    assert client.post(reverse("own-part-new", args=["servers"]), SERVER).status_code == 302
    part = part_at(OwnPart.objects.get(key="own-box"))
    assert [(one.role, one.nics) for one in part.networks] == [("compute", 4), ("storage", 1)]  # type: ignore[attr-defined]
    assert "4 GPUs, 4 NICs at 400 Gb/s a port" in client.get(reverse("own-parts")).content.decode()
    asked = client.get(reverse("own-part", args=[OwnPart.objects.get(key="own-box").pk])).content.decode()
    assert '<option value="h100-sxm">H100 80GB SXM5' in asked
    stranger = User.objects.create_user("stranger")
    row = create_part(
        stranger,
        "switches",
        {
            name: int(value) if value.isdecimal() else value
            for name, value in TYPED.items()
            if name not in ("price_usd", "splits", "reason")
        },
    )
    assert client.get(reverse("own-part", args=[row.pk])).status_code == 404
    assert client.get(reverse("own-part-new", args=["boxes"])).status_code == 404


@pytest.mark.parametrize(
    ("kind", "change", "field", "words"),
    [
        ("switches", {"ports": "1000000000"}, "ports", "at most 4,096"),
        ("switches", {"id": "dgx-h100"}, "id", "is a part of the catalog"),
        ("switches", {"model": "<b>x</b>"}, "model", "is plain text"),
        ("switches", {"price_usd": "-4"}, "price_usd", "at least 0"),
        ("servers", {"compute_nic": "own-none"}, "compute_nic", "own-none"),
        ("servers", {"storage_cage": "SFP28"}, "storage_port_rate_gbit_s", "at most 25 Gb/s"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(
    client: Client, owner: User, kind: str, change: dict[str, str], field: str, words: str
) -> None:
    client.force_login(owner)
    typed = (TYPED if kind == "switches" else SERVER) | change
    answer = client.post(reverse("own-part-new", args=[kind]), typed)
    assert answer.status_code == 422
    page = answer.content.decode()
    place = page.index(f'id="id_{field}_error"')
    assert words in page[place : place + 400]
    assert "<b>x</b>" not in page
    assert not OwnPart.objects.exists()


def test_what_a_mate_has_saved_meanwhile_is_not_written_over(client: Client, owner: User) -> None:
    client.force_login(owner)
    address = client.post(reverse("own-part-new", args=["switches"]), TYPED)["Location"]
    assert '<input type="hidden" name="number" value="1"' in client.get(address).content.decode()
    client.post(address, TYPED | {"price_usd": "38000", "number": "1"})
    late = client.post(address, TYPED | {"max_w": "2000", "number": "1"})
    assert late.status_code == 422
    page = late.content.decode()
    assert "has been changed meanwhile (revision 2)" in page
    assert 'name="number" value="2"' in page
    assert 'value="2000"' in page
    assert OwnPart.objects.get().revisions.count() == 2


def test_the_form_of_a_server_keeps_every_figure(owner: User) -> None:
    oob = {"role": "oob", "nics": 1, "port_rate_gbit_s": 1, "cage": "RJ45"}
    values = OWN["servers"][0] | {"price_usd": 1_234_567.89, "networks": [NETWORK, oob]}
    part = OwnServer.model_validate(values)
    shown = OwnPartForm("servers", None, part.model_dump(mode="json"))
    sent = OwnPartForm("servers", {name: value for name, value in shown.initial.items() if value != ""})
    assert OwnServer.model_validate(sent.part()) == part


def test_a_server_names_any_nic_of_a_large_catalog(owner: User) -> None:
    for n in range(41):
        create_part(owner, "nics", NIC | {"id": f"own-nic-{n:02d}"})
    made = create_part(owner, "servers", OWN["servers"][0] | {"networks": [NETWORK | {"nic": "own-nic-40"}]})
    assert made.key == "own-box"


def test_a_part_is_asked_about_and_deleted(client: Client, owner: User) -> None:
    client.force_login(owner)
    client.post(reverse("own-part-new", args=["switches"]), TYPED)
    address = reverse("own-part-delete", args=[OwnPart.objects.get().pk])
    assert "keep it" in client.get(address).content.decode()
    assert client.post(address)["Location"] == reverse("own-parts")
    assert not OwnPart.objects.exists()


def test_the_form_of_a_design_offers_own_parts_and_keeps_their_revision(client: Client, owner: User) -> None:
    client.force_login(owner)
    client.post(reverse("own-part-new", args=["switches"]), TYPED)
    client.post(reverse("own-part-new", args=["servers"]), SERVER)
    form = DesignForm(owner=owner)
    assert ("own-acme-128", "Acme S128") in dict(form.fields["fabric__leaf_switch"].widget.choices)["Your own parts"]
    assert 'value="own-acme-128" data-fits="roce-200 roce-400 roce-800"' in str(form["fabric__leaf_switch"])
    form = DesignForm(WITH_OWN, owner=owner)
    assert form.is_valid(), form.errors
    assert form.spec
    assert form.spec.own_parts
    assert [one.price_usd for one in form.spec.own_parts.switches] == [40_000]
    made = form.spec.as_given()
    row = OwnPart.objects.get(key="own-acme-128")
    client.post(
        reverse("own-part", args=[row.pk]), TYPED | {"price_usd": "38000", "reason": "Round two", "number": "1"}
    )
    again = DesignForm(values=made, owner=owner)
    options = dict(again.fields["fabric__leaf_switch"].widget.choices)["Your own parts"]
    assert ("own-acme-128", "Acme S128, as in this design") in options
    assert ("own-acme-128@2", "Acme S128, revision 2") in options
    kept = DesignForm(again.typed(), owner=owner)
    assert kept.is_valid(), kept.errors
    assert kept.spec
    assert kept.spec.own_parts
    assert kept.spec.own_parts.switches[0].price_usd == 40_000
    newer = DesignForm(again.typed() | {"fabric__leaf_switch": "own-acme-128@2"}, owner=owner)
    assert newer.is_valid(), newer.errors
    assert newer.spec
    assert newer.spec.own_parts
    assert (newer.spec.fabric.leaf_switch, newer.spec.own_parts.switches[0].price_usd) == ("own-acme-128", 38_000)
    stranger = DesignForm(WITH_OWN, owner=User.objects.create_user("stranger"))
    assert not stranger.is_valid()


CABLE = {
    "id": "own-wire",
    "vendor": "Acme",
    "model": "W400",
    "kind": "aoc",
    "protocols": ["ethernet"],
    "rate_gbit_s": 800,
    "a_cage": "OSFP8",
    "b_cage": "QSFP112",
    "branches": 2,
    "lengths_m": [3, 30],
    "price_usd": 300,
}
WITH_OWN = {
    "name": "Own",
    "compute__server": "own-box",
    "size": "512",
    "size_unit": "gpus",
    "fabric__generation": "roce-400",
    "fabric__leaf_switch": "own-acme-128",
    "fabric__spine_switch": "own-acme-128",
}


def _made(client: Client, owner: User) -> OwnPart:
    """A switch and a server of the team, and its cable."""
    client.post(reverse("own-part-new", args=["switches"]), TYPED)
    client.post(reverse("own-part-new", args=["servers"]), SERVER)
    return create_part(owner, "cables", CABLE)


def test_own_cables_are_ticked_kept_at_their_revision_and_taken_out_again(client: Client, owner: User) -> None:
    client.force_login(owner)
    row = _made(client, owner)
    assert "own-wire" in str(DesignForm(owner=owner)["own_parts__cables"])
    assert "Acme W400" in str(DesignForm(owner=owner)["own_parts__cables"])

    def form(**more: str) -> DesignForm:
        made = DesignForm(WITH_OWN | more, owner=owner)
        made.is_valid()
        return made

    without, ticked = form(), form(own_parts__cables="own-wire")
    assert without.spec
    assert without.spec.own_parts
    assert without.spec.own_parts.cables == []
    assert ticked.spec
    assert ticked.spec.own_parts
    assert [one.price_usd for one in ticked.spec.own_parts.cables] == [300]
    bill = estimate([ticked.spec], load_catalog(), parts=("bom",))[0].bom
    assert bill
    assert {line.quantity for line in bill.lines if line.part == "own-wire"} == {256}
    wrong = form(own_parts__cables="own-wire, own-wired")
    assert wrong.spec is None
    assert "'own-wired' is no cable of your own. Near it: own-wire" in wrong.errors["own_parts__cables"][0]
    values = ticked.spec.as_given()
    revise_part(owner, row, CABLE | {"price_usd": 280}, "Round two")
    again = DesignForm(values=values, owner=owner)
    assert again.typed()["own_parts__cables"] == "own-wire"
    assert "Acme W400 has been changed since: tick it as revision 2" in again.fields["own_parts__cables"].help_text
    for line, prices in (("", [300]), ("own-wire", [300]), ("own-wire@2", [280]), ("none", [])):
        kept = DesignForm(again.typed() | {"own_parts__cables": line}, owner=owner)
        assert kept.is_valid(), kept.errors
        assert kept.spec
        assert kept.spec.own_parts
        assert [one.price_usd for one in kept.spec.own_parts.cables] == prices
    refused = DesignForm(WITH_OWN | {"own_parts__cables": "own-wire"}, owner=User.objects.create_user("stranger"))
    assert "Your team has no own cable" in refused.errors["own_parts__cables"][0]


def test_parts_that_are_owned_are_a_line_of_the_form_and_not_priced(client: Client, owner: User) -> None:
    client.force_login(owner)
    _made(client, owner)
    typed = WITH_OWN | {"economics__owned": "own-acme-128: 16", "own_parts__cables": "own-wire"}
    form = DesignForm(typed, owner=owner)
    assert form.is_valid(), form.errors
    assert form.spec
    assert [(one.part, one.quantity) for one in form.spec.economics.owned] == [("own-acme-128", 16)]
    again = DesignForm(values=form.spec.as_given(), owner=owner).typed()
    assert again["economics__owned"] == "own-acme-128: 16"
    gone = DesignForm(again | {"economics__owned": "none"}, owner=owner)
    assert gone.is_valid()
    assert gone.spec
    assert gone.spec.economics.owned == []
    wrong = DesignForm(typed | {"economics__owned": "qm9700"}, owner=owner)
    assert "The catalog has no part 'qm9700'" in wrong.errors["economics__owned"][0]
    before = {KEPT_FIELD: json.dumps({"economics.owned": [{"part": "own-acme-128", "quantity": 3}]})}
    old = DesignForm(WITH_OWN | before, owner=owner)  # as forms of before sent it
    assert old.is_valid(), old.errors
    assert old["economics__owned"].value() == "own-acme-128: 3"
    design = save_design(owner, form.spec)
    offered = client.get(reverse("parts-offered", args=[design.pk])).json()["parts"]
    assert offered[0] == {"part": "own-box", "name": "Acme G4", "note": "128 in this design"}
    named = "Acme W400, 800G active optical cable"
    assert {"part": "own-wire 30 m", "name": named, "note": "264 in this design"} in offered
    assert {"part": "nvidia-qm9700", "name": "NVIDIA QM9700", "note": ""} in offered
    assert client.get(reverse("parts-offered-new")).json()["parts"]
    client.logout()
    assert client.get(reverse("parts-offered", args=[design.pk])).status_code == 302


def test_a_server_offers_the_nics_that_go_into_it(client: Client, owner: User) -> None:
    client.force_login(owner)
    client.post(reverse("own-part-new", args=["servers"]), SERVER)
    create_part(owner, "nics", NIC)
    hidden = re.compile(r'value="([^"]+)" hidden')
    card = DesignForm({"compute__server": "hgx-h100-8u"}, owner=owner)
    assert "own-nic" in card.fields["compute__nic"].widget.offered["hgx-h100-8u"]
    assert "own-nic" in card.fields["compute__nic"].widget.offered["own-box"]
    assert "own-nic" not in hidden.findall(str(card["compute__nic"]))
    on_board = DesignForm({"compute__server": "dgx-h100", "compute__nic": "own-nic"}, owner=owner)
    shown = str(on_board["compute__nic"])
    assert "nvidia-cx7-400g-qsfp112" in hidden.findall(shown)
    assert "own-nic" not in hidden.findall(shown)  # what is chosen stays, and the rules say what is wrong with it
    assert "part of its board" in on_board.fields["compute__nic"].widget.note
    assert 'data-note="8 × ConnectX-7' in str(card["compute__server"])


def test_own_parts_are_found_in_the_catalog_and_by_the_search_with_where_they_are_used(
    client: Client, owner: User
) -> None:
    client.force_login(owner)
    _made(client, owner)
    row = OwnPart.objects.get(key="own-acme-128")
    address = reverse("own-part", args=[row.pk])
    for kind, name in (("switches", "Acme S128"), ("servers", "Acme G4"), ("cables", "W400")):
        listed = client.get(reverse("catalog"), {"kind": kind, "q": "your own"}).text
        assert name in listed, kind
        assert "your own part, revision 1" in listed
    assert f'href="{address}"' in client.get(reverse("catalog")).text
    assert client.get(reverse("catalog-part", args=["own-acme-128"]))["Location"] == address
    found = client.get(reverse("find-matches"), {"q": "acme s128"}).json()["matches"]
    assert [(one["title"], one["address"]) for one in found] == [("Acme S128", address)]
    assert "No design of yours has it" in client.get(address).text
    form = DesignForm(WITH_OWN, owner=owner)
    assert form.is_valid()
    assert form.spec
    save_design(owner, form.spec)
    used = " ".join(_words_of(client.get(address).text).split())
    assert "Own Leaves, spines 1" in used, used
    stranger = User.objects.create_user("stranger")
    client.force_login(stranger)
    assert "Acme" not in client.get(reverse("catalog"), {"q": "acme"}).text.replace('value="acme"', "")
    assert client.get(reverse("find-matches"), {"q": "acme s128"}).json()["matches"] == []
    assert client.get(reverse("catalog-part", args=["own-acme-128"])).status_code == 404


def test_servers_are_grouped_by_gpu_with_their_vendor_first() -> None:
    choices = dict(DesignForm().fields["compute__server"].widget.choices)
    assert ("dgx-h100", "NVIDIA DGX H100") in choices["H100 80GB SXM5"]
    names = [name for _, name in choices["H100 80GB SXM5"]]
    assert names == sorted(names)
    assert list(choices)[-1] == "custom"


def test_every_tab_of_a_design_calls_own_parts_by_their_models(client: Client, owner: User) -> None:
    """The fabric and the crew pack are drawn from the design's own catalog, too: they answered nothing before."""
    client.force_login(owner)
    client.post(reverse("own-part-new", args=["switches"]), TYPED)
    client.post(reverse("own-part-new", args=["servers"]), SERVER)
    client.get(reverse("own-parts"))  # says that they were made, by id
    chosen: dict[str, Any] = {
        "compute": {"server": "own-box", "nodes": 64},
        "fabric": {"generation": "roce-400", "leaf_switch": "own-acme-128"},
    }
    values = chosen | {
        "name": "Ours",
        "own_parts": OwnChoice(owner, None).taken(chosen),
        "site": {"plan": {}},
    }
    design, job = finished(owner, values)
    for tab in ("overview", "fabric", "bringup", "racks"):
        page = _words_of(client.get(reverse("design", args=[design.pk]), {"tab": tab}).text)
        assert "own-box" not in page, tab
        assert "own-acme-128" not in page, tab
        assert "S128" in page, tab
    listed = _words_of(client.get(reverse("designs")).text)
    assert "own-box" not in listed
    assert "G4" in listed
    pack = client.get(reverse("api:crew-pack", args=[job.pk]), {"file": "cables-by-rack.csv"})
    assert pack.status_code == 200
    assert b"leaf" in pack.content
    cabling = client.get(reverse("design", args=[design.pk]), {"tab": "cabling"}).text
    assert "The HCA map is for InfiniBand" in cabling
    assert "file=hca-mapping.csv" not in cabling
    assert "file=elevations.pdf" in cabling
    sides = resolved_items(owner, [{"design": str(design.pk)}, {"design": str(design.pk), "price_book": "anchors"}])
    compared = create_comparison(owner, sides)
    assert "256 GPUs, G4, RoCE" in _words_of(client.get(reverse("comparison", args=[compared.pk])).text)


def _words_of(page: str) -> str:
    """What one reads of a page: without its tags, and so without values of options."""
    return re.sub(r"<(script|style|template)\b.*?</\1>|<[^>]*>", " ", page, flags=re.DOTALL)


def test_files_of_a_comparison_call_an_own_server_by_its_name(client: Client, owner: User) -> None:
    client.force_login(owner)
    _made(client, owner)
    form = DesignForm(WITH_OWN, owner=owner)
    assert form.is_valid()
    assert form.spec
    spec = form.spec.as_given() | {"name": "Ours"}
    sides = [{"label": "Ours", "spec": spec}, {"label": "Theirs", "spec": spec | {"name": "Theirs"}}]
    result = compare_request({"items": sides}, load_catalog())
    assert [one.server_name for one in result.items] == ["Acme G4", "Acme G4"]
    assert "Acme G4" in [cell for row in sides_table(result).rows for cell in row]
    assert "own-box" not in [cell for row in sides_table(result).rows for cell in row]
    stored = result.as_json()
    for item in stored["items"]:
        del item["server_name"]  # as comparisons of before were kept
    assert ComparisonResult.from_json(stored).items[0].server_name is None


def test_a_session_keeps_the_revision_that_it_took_until_another_is_chosen(client: Client, owner: User) -> None:
    """Every edit took the team's newest revision before, as what the page sends along did not have the part."""
    client.force_login(owner)
    row = _made(client, owner)
    form = DesignForm(WITH_OWN | {"fabric__leaf_switch": "", "fabric__spine_switch": ""}, owner=owner)
    assert form.is_valid()
    assert form.spec
    design = save_design(owner, form.spec)

    def edited(**fields: str) -> list[Any]:
        sent = {"fields": json.dumps(fields), "was": "{}", "step": next(iter(fields))}
        assert client.post(reverse("edit", args=[design.pk]), sent).status_code == 200
        design.refresh_from_db()
        own = read_path(design.given, "own_parts")
        return [one["revision"] for kind in ("switches", "cables") for one in own.get(kind, ())]

    assert edited(fabric__leaf_switch="own-acme-128", own_parts__cables="own-wire") == [1, 1]
    switch = OwnPart.objects.get(key="own-acme-128")
    for part in (switch, row):
        revise_part(owner, part, part_at(part).model_dump(mode="json") | {"price_usd": 9}, "Round two")
    assert edited(economics__years="5") == [1, 1]
    page = client.get(reverse("design", args=[design.pk])).text
    assert "Acme S128 has been changed since: choose it in the list as revision 2" in page
    assert edited(fabric__leaf_switch="own-acme-128@2") == [2, 1]
    assert edited(own_parts__cables="own-wire@2") == [2, 2]
    revise_part(owner, switch, part_at(switch).model_dump(mode="json") | {"price_usd": 8}, "Round three")
    assert edited(economics__years="6") == [2, 2]
