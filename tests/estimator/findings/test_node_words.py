"""Where a design's servers are trays, its texts say trays; keys, names and servers of another kind stay as they are."""

import pytest

from estimator.catalog.loader import load_catalog
from estimator.findings.node_words import node_word, said
from estimator.pipeline import estimate
from estimator.spec.parse import parse_spec

CATALOG = load_catalog()


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("whole servers of 4 make 127 nodes", "whole trays of 4 make 127 trays"),
        ("Servers’ price", "Trays’ price"),
        ("Node–leaf links", "Tray–leaf links"),
        ("A server is cut off.", "A tray is cut off."),
        ("the server’s ports", "the tray’s ports"),
        ("Give compute.nodes or `nodes`", "Give compute.nodes or `nodes`"),
        ("node-0001 on node-leaf, scalable_unit_nodes", "node-0001 on node-leaf, scalable_unit_nodes"),
        (
            "a fabric-manager server, storage nodes, a custom server",
            "a fabric-manager server, storage nodes, a custom server",
        ),
        ("Your price book “server prices” of nodes", "Your price book “server prices” of trays"),
    ],
)
def test_texts_say_trays_and_leave_names_alone(text: str, spoken: str) -> None:
    assert said(text, "tray") == spoken
    assert said(spoken, "tray") == spoken
    assert said(text, "server") == text


def test_the_word_is_the_servers_own() -> None:
    words = {server: node_word(server, CATALOG) for server in ("gb300-tray", "dgx-h100", "custom", None)}
    assert words == {"gb300-tray": "tray", "dgx-h100": "server", "custom": "server", None: "server"}
    assert all(CATALOG.servers[rack.tray_id].node_word == "tray" for rack in CATALOG.racks.values())


@pytest.mark.parametrize(("server", "own", "other"), [("gb300-tray", "tray", "server"), ("dgx-h200", "node", "tray")])
def test_findings_are_in_the_word(server: str, own: str, other: str) -> None:
    asked = {"compute": {"server": server, "gpus": 5003}, "fabric": {"generation": "ndr"}}
    messages = [one["message"] for one in estimate([parse_spec(asked, CATALOG)], CATALOG)[0].as_json()["findings"]]
    assert any(own in message for message in messages)
    assert not [message for message in messages if other in message.replace("manager server", "")]
