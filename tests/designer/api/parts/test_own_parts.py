"""Own parts over REST: made, revised with who and why, shared by a team, taken into designs; refusals in the one shape."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from designer.api.resources.own_parts.schema import SWITCH
from designer.forms.parts.choice import OwnChoice
from designer.models import ApiToken, OwnPart
from designer.services.parts.catalog import create_part
from tests.designer.api.test_schema import assert_has_shape, document
from tests.designer.api_helpers import BASE, Caller, assert_refused

__all__ = ["document"]
NIC = {
    "id": "own-nic",
    "vendor": "Acme",
    "model": "N",
    "protocols": ["ethernet"],
    "port_rate_gbit_s": 400,
    "cage": "QSFP112",
}
NETWORK = {"nic": "own-nic", "nics": 4, "port_rate_gbit_s": 400, "cage": "QSFP112"}
SERVER = {"id": "own-box", "vendor": "Acme", "model": "G4", "gpus": 4, "networks": [NETWORK]}


def test_a_part_is_made_read_revised_and_deleted(call: Caller, owner: User, document: dict[str, Any]) -> None:
    made = call("POST", "own-parts/", {"kind": "switches", "part": SWITCH, "reason": "Offer 7"})
    assert made.status_code == 201, made.content
    values = made.json()
    assert_has_shape(document, "OwnPartDetail", values)
    assert made["Location"] == values["url"]
    assert (values["key"], values["revision"], values["part"]["revision"]) == ("own-acme-128", 1, 1)
    path = f"own-parts/{values['id']}/"
    revised = call("PATCH", path, {"part": SWITCH | {"price_usd": 38_000}, "reason": "Round two"}).json()
    assert [(row["number"], row["reason"], row["by"]) for row in revised["revisions"]] == [
        (1, "Offer 7", owner.username),
        (2, "Round two", owner.username),
    ]
    assert revised["part"]["price_usd"] == 38_000
    same = call("PATCH", path, {"part": SWITCH | {"price_usd": 38_000}, "reason": "Again"}).json()
    assert same["revision"] == 2
    first = call("GET", path + "revisions/1/").json()
    assert_has_shape(document, "OwnPartRevisionDetail", first)
    assert first["part"]["price_usd"] == 40_000
    listed = call("GET", "own-parts/?kind=switches").json()
    assert_has_shape(document, "PaginatedOwnPartList", listed)
    assert [one["key"] for one in listed["results"]] == ["own-acme-128"]
    assert call("GET", "own-parts/?kind=nics").json()["results"] == []
    assert call("DELETE", path).status_code == 204
    assert_refused(call("GET", path), 404, "not_found")


@pytest.mark.parametrize(
    ("body", "field", "code"),
    [
        ({"kind": "switches"}, "part", "missing"),
        ({"kind": "boxes", "part": SWITCH}, "kind", "not_a_choice"),
        ({"kind": "switches", "part": []}, "part", "wrong_type"),
        ({"kind": "switches", "part": SWITCH, "by": "me"}, "by", "unknown_key"),
        ({"kind": "switches", "part": SWITCH | {"id": "dgx-h100"}}, "id", "id_taken"),
        ({"kind": "switches", "part": SWITCH | {"ports": 10**9}}, "ports", "out_of_range"),
        ({"kind": "switches", "part": SWITCH | {"model": "<script>"}}, "model", "not_plain_text"),
        ({"kind": "switches", "part": SWITCH, "reason": "x" * 301}, "reason", "out_of_range"),
        ({"kind": "servers", "part": SERVER}, "networks[0].nic", "unknown_part"),
    ],
)
def test_what_is_wrong_with_a_part_is_refused(call: Caller, body: dict[str, Any], field: str, code: str) -> None:
    answer = call("POST", "own-parts/", body)
    assert answer.status_code == 400
    assert (field, code) in {(one["field"], one["code"]) for one in answer.json()["problems"]}


def test_an_id_stands_once_and_stays(call: Caller) -> None:
    made = call("POST", "own-parts/", {"kind": "switches", "part": SWITCH}).json()
    again = call("POST", "own-parts/", {"kind": "switches", "part": SWITCH})
    assert_refused(again, 400, "invalid_spec")
    other = call("PATCH", f"own-parts/{made['id']}/", {"part": SWITCH | {"id": "own-b"}, "reason": "Name"})
    assert other.json()["problems"][0]["code"] == "contradiction"
    nothing = call("PATCH", f"own-parts/{made['id']}/", {"part": SWITCH | {"price_usd": 1}, "reason": " "})
    assert nothing.json()["problems"][0]["field"] == "reason"


def test_lists_take_no_query_a_part(call: Caller, owner: User, client: Client) -> None:
    client.force_login(owner)

    def queries() -> list[int]:
        counts = []
        for read in (
            lambda: call("GET", "own-parts/"),
            lambda: client.get("/parts/"),
            lambda: client.get("/designs/new/"),
        ):
            with CaptureQueriesContext(connection) as seen:
                assert read().status_code == 200
            counts.append(len(seen))
        return counts

    create_part(owner, "switches", SWITCH)
    queries()
    before = queries()
    for n in range(5):
        create_part(owner, "switches", SWITCH | {"id": f"own-{n}"})
    assert queries() == before


def test_a_team_shares_its_parts_and_nobody_else_sees_them(call: Caller, owner: User) -> None:
    mate, stranger = (User.objects.create_user(name) for name in ("mate", "stranger"))
    row = create_part(owner, "switches", SWITCH, "Offer 7")
    call_command("team", "network", owner.username, "mate")
    token = {
        name: ApiToken.issue(user, "t", ApiToken.Scope.WRITE)[1]
        for name, user in (("mate", mate), ("stranger", stranger))
    }
    clients = {name: Client(headers={"authorization": f"Token {key}"}) for name, key in token.items()}
    path = f"{BASE}/own-parts/{row.pk}/"
    assert clients["stranger"].get(path).status_code == 404
    body = json.dumps({"part": SWITCH | {"price_usd": 1}, "reason": "Seen elsewhere"})
    assert clients["stranger"].patch(path, body, content_type="application/json").status_code == 404
    answer = clients["mate"].patch(path, body, content_type="application/json").json()
    assert answer["revisions"][-1]["by"] == "mate"
    call_command("team", "network", "mate", "--leave")
    assert clients["mate"].get(path).status_code == 404
    call_command("team", "network", owner.username, "--leave")
    assert not Group.objects.filter(name="network").exists()
    with pytest.raises(CommandError, match="no user named nobody"):
        call_command("team", "network", "nobody")


def test_a_design_takes_parts_as_they_are_and_keeps_them(call: Caller, owner: User) -> None:
    create_part(owner, "nics", NIC)
    create_part(owner, "servers", SERVER)
    create_part(owner, "switches", SWITCH)
    chosen = {"leaf_switch": "own-acme-128", "spine_switch": "own-none"}
    own = OwnChoice(owner, None).taken({"compute": {"server": "own-box"}, "fabric": chosen})
    assert own
    assert {kind: [one["id"] for one in rows] for kind, rows in own.items() if rows} == {
        "switches": ["own-acme-128"],
        "nics": ["own-nic"],
        "servers": ["own-box"],
    }
    fabric = {"generation": "roce-400", "leaf_switch": "own-acme-128", "spine_switch": "own-acme-128"}
    spec = {"name": "Own", "compute": {"server": "own-box", "nodes": 128}, "fabric": fabric, "own_parts": own}
    design = call("POST", "designs/", spec)
    assert design.status_code == 201, design.content
    preview = call("POST", "preview/", spec).json()
    assert preview["fabrics"]["compute"]["counts"]["leaf"] == 8
    part = OwnPart.objects.get(key="own-acme-128")
    call("PATCH", f"own-parts/{part.pk}/", {"part": SWITCH | {"ports": 64}, "reason": "Another box"})
    assert call("POST", "preview/", spec).json()["spec_hash"] == preview["spec_hash"]
    kept_parts = OwnChoice(owner, own).taken({"fabric": {"leaf_switch": "own-acme-128"}})
    assert kept_parts == own  # what a design carries already stays as it is
    kept = call("GET", f"designs/{design.json()['id']}/").json()
    assert kept["spec"]["own_parts"]["switches"][0]["ports"] == 128
