"""Hostile uploads: a clear answer, nothing run, no secret shown, bounds held."""

import json

import pytest

from estimator.bringup.check.upload import MAX_FILE_BYTES, MAX_FILES, READERS, named, read_all
from estimator.errors import SpecError
from tests.estimator.bringup.settings.clean import clean
from tests.estimator.bringup.settings.test_settings_clean import checked

DEEP = '{"PORT_QOS_MAP": ' + '{"a": ' * 100_000 + "1" + "}" * 100_001
BOMB = "apiVersion: v1\nkind: IPPool\nspec:\n  a: &a [x, x]\n  b: &b [*a, *a]\n  subnet: *b\n"
HOSTILE = {
    "huge": b"hostname x\n" * (MAX_FILE_BYTES // 10),
    "binary": bytes(range(256)) * 20,
    "empty": b"",
    "deep": DEEP.encode(),
    "bomb": BOMB.encode(),
    "cut": clean("SONiC")["config_db.json"][:5000].encode(),
    "number": b'{"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": ' + b"9" * 10_000 + b"}}}",
    "long line": b"hostname " + b"x" * 50_000,
    "braces": b"class-of-service {\n" + b"a {\n" * 500,
    "closing": b"class-of-service {\n}\n}\n}\n",
    "prose": b"Dear network, please be fast.",
    "utf-16": "PFC configuration:\n".encode("utf-16"),
    "tabs": b"apiVersion: v1\nkind: IPPool\nspec:\n\tsubnet: 1\n",
    "code": b"!!python/object/apply:os.system ['touch /tmp/check/owned']\napiVersion: v1\nkind: IPPool\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_answered_with_a_reason(name: str) -> None:
    unread: list = []
    list(read_all([(name, HOSTILE[name])], unread))
    assert unread, name
    assert all(len(one.why) > 10 for one in unread)


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../../x.json", "a:../../etc/shadow", "x\x00y", "leaf-1:" + "n" * 5000, ":", ""]
)
def test_names_of_files_are_names_alone(name: str) -> None:
    _, file = named(name)
    assert 0 < len(file) <= 120
    assert not {"/", "\x00"} & set(file)


def test_a_device_before_the_colon_is_whose_the_file_is() -> None:
    assert named("leaf-1-1:nv.json") == ("leaf-1-1", "nv.json")
    assert named("nv.json") == ("", "nv.json")


def test_too_many_files_are_refused() -> None:
    with pytest.raises(SpecError) as error:
        list(read_all((("x", b"x") for _ in range(MAX_FILES + 1)), []))
    assert error.value.problems[0].code == "too_many_logs"


@pytest.mark.parametrize("name", ["Cumulus", "Arista", "mixed"])
def test_a_file_cut_anywhere_is_read_or_explained(name: str) -> None:
    """A prefix of a file never fails: it has settings, or a reason."""
    for file, text in clean(name).items():
        for part in range(1, 8):
            unread: list = []
            found = list(read_all([(file, text[: len(text) * part // 8].encode())], unread))
            assert found or unread


def test_secrets_in_odd_places_stay_hidden() -> None:
    lines = [
        "hostname SWITCH",
        "enable password 7 SEEDEDONE",
        "tacacs-server host 10.0.0.1 key SEEDEDTWO",
        "snmp-server community SEEDEDTHREE ro",
        "-----BEGIN RSA PRIVATE KEY-----",
        "SEEDEDFOUR",
        "-----END RSA PRIVATE KEY-----",
        "feature bgp",
        "interface Ethernet1/1",
        "  mtu SEEDEDFIVE",
        "  description https://user:SEEDEDSIX@host/",
        "  radius-server key 7 SEEDEDSEVEN",
    ]
    answer = checked("mixed", {"switch.cfg": "\n".join(lines)})
    shown = json.dumps(answer.as_json())
    assert "SEEDED" not in shown
    assert {one.line for one in answer.unread if one.line} >= {2, 3, 4, 5, 6, 7, 10, 11, 12}


def test_kinds_are_recognised_by_content_alone() -> None:
    for text in clean("Cumulus").values():
        assert sum(reader.is_mine(text) for reader in READERS) >= 1


def test_variables_of_ucx_alone_are_read() -> None:
    (reading,) = read_all([("ucx.env", b"UCX_IB_GID_INDEX=3\n")], [])
    assert [one.place for one in reading.seen] == ["UCX_IB_GID_INDEX"]
