"""Hostile uploads: a clear answer, nothing run, no secret shown, bounds held."""

import io
import json
import zipfile
from typing import Any

import pytest

from estimator.bringup.check import upload
from estimator.bringup.check.check import checked_against
from estimator.bringup.check.observation import Notes
from estimator.bringup.check.readers.infiniband import partitions
from estimator.bringup.check.texts.spans import ports
from estimator.bringup.check.upload import MAX_FILE_BYTES, MAX_FILES, READERS, named, read_all
from estimator.catalog.loader import load_catalog
from estimator.errors import SpecError
from tests.estimator.bringup.settings.clean import clean, mlnx_qos
from tests.estimator.bringup.settings.test_settings_clean import checked, plan_of_set

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
    "ports of EOS": b"hostname a\nqos profile R\ninterface Ethernet1-6000/1-6000\n   mtu 9214\n",
    "ports of NX-OS": b"hostname a\nfeature bgp\n" + b"interface Ethernet1/1-1000\n  mtu 9216\n" * 120,
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


DIGITS = "9" * 5000
NUMBERS = {
    "partitions.conf": "storage=01, ipoib : ALL=full;\n",
    "eos seconds": "! Command: show running-config\nhostname a\npriority-flow-control pause watchdog default timeout 1.2.3\n",
    "eos speed": f"! Command: show running-config\nhostname a\ninterface Ethernet1\n   speed {DIGITS}g\n",
    "junos range": "set system host-name a\nset class-of-service forwarding-classes class x queue-num 3 no-loss\n"
    f"set interfaces interface-range x member-range et-0/0/{DIGITS} to et-0/0/1\n",
    "nvue headroom": "nv set system hostname a\nnv set qos pfc default-global switch-priority 3\n"
    f"nv set qos pfc default-global port-buffer {DIGITS}\nnv set qos pfc default-global xoff-threshold {DIGITS}\n",
}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_of_an_odd_form_leaves_the_rest_of_its_file(name: str) -> None:
    unread: list = []
    (reading,) = read_all([("leaf-1:x", NUMBERS[name].encode())], unread)
    assert reading.seen
    assert not any("to its end" in one.why for one in unread)


def test_a_key_of_a_partition_is_decimal_or_hexadecimal() -> None:
    (reading,) = read_all([("p", b"a=010 : ALL=full;\nb=0x8010 : ALL=full;\n")], [])
    assert {one.place: one.value for one in reading.all("partition")} == {"a": 10, "b": 16}


def test_a_reader_that_stumbles_says_so_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def stumble(_text: str, notes: Notes) -> None:
        notes.see("partition", "a", 1, 1)
        int("one")

    monkeypatch.setattr(partitions, "read", stumble)
    unread: list = []
    files = [("p.conf", b"a=1 : ALL=full;\n"), ("ucx.env", b"UCX_IB_GID_INDEX=3\n")]
    assert len(list(read_all(files, unread))) == 2
    assert [(one.file, "could not be read to its end" in one.why) for one in unread] == [("p.conf", True)]


@pytest.mark.parametrize(
    "text",
    [
        "[Server]\npassword = SEEDED\n[Sharp]\nsharp_enabled = true\n",
        "[1,0]<stdout>:export API_TOKEN=SEEDED\n[1,0]<stdout>:a:1:1 [0] NCCL INFO NCCL_IB_TC set to secret=SEEDED\n",
        "{ password SEEDED }\nNCCL_IB_HCA=password=SEEDED\n",
    ],
    ids=["gv.cfg", "mpirun", "brace"],
)
def test_secrets_go_from_what_only_begins_like_json(text: str) -> None:
    unread: list = []
    readings = list(read_all([("node-1:x", text.encode())], unread))
    assert any("A secret stood here" in one.why for one in unread)
    assert "SEEDED" not in str(readings)


def test_a_long_line_is_refused_where_a_file_only_begins_like_json() -> None:
    unread: list = []
    assert not list(read_all([("gv.cfg", b"[Server]\nx = " + b"y" * 30_000)], unread))
    assert unread[0].line == 2
    long: Any = {"PORT_QOS_MAP": {}, "PORT": {f"Ethernet{n}": {"mtu": "9216"} for n in range(2000)}}
    assert list(read_all([("config_db.json", json.dumps(long).encode())], []))


def test_ports_after_a_span_keep_their_stem() -> None:
    assert ports("swp1-2,5,7s0-1,9") == ["swp1", "swp2", "swp5", "swp7s0", "swp7s1", "swp9"]


def with_a_broken_stream(archive: bytes) -> bytes:
    at = len(b"PK\x03\x04") + 26 + len("a.txt")
    return archive[:at] + bytes(byte ^ 0xFF for byte in archive[at : at + 8]) + archive[at + 8 :]


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def test_an_archive_is_read_and_its_folders_say_whose_files_are() -> None:
    files = {"dump/node-0001/mlnx_qos.txt": mlnx_qos().encode(), "dump/node-0002/qos.txt": mlnx_qos().encode()}
    files |= {"dump/2026-03-01_node-0003_qos.log": mlnx_qos().replace("state: dscp", "state: pcp").encode()}
    wrong = mlnx_qos().replace("state: dscp", "state: pcp").encode()
    answer = checked_against(
        plan_of_set("Cumulus"), [("all.zip", zipped(files | {"dump/node-0002/qos.txt": wrong}))], load_catalog()
    )
    assert {(one.device, one.file) for one in answer.findings} == {
        ("node-0002", "qos.txt"),
        ("node-0003", "2026-03-01_node-0003_qos.log"),
    }


@pytest.mark.parametrize(
    "data",
    [
        zipped({"a.txt": b"0" * 50_000_000}),
        zipped({f"{n}.txt": b"x" for n in range(4_001)}),
        zipped({"a.zip": zipped({"b.txt": b"hostname x"})}),
        zipped({"a.txt": b"hostname x" * 1000})[:-30],
        with_a_broken_stream(zipped({"a.txt": b"hostname x" * 1000})),
        zipped({"../../etc/passwd": b"root:x:0:0"}),
    ],
    ids=["bomb", "many", "nested", "cut", "broken", "path"],
)
def test_a_hostile_archive_is_answered_with_a_reason(data: bytes) -> None:
    unread: list = []
    assert not list(read_all([("all.zip", data)], unread))
    assert unread
    assert not any("/" in one.file for one in unread)


def test_all_files_of_archives_together_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload, "MAX_ALL_BYTES", 1_000_000)
    data = zipped({f"{n}.txt": b"hostname x\n" * 10_000 for n in range(10)})
    with pytest.raises(SpecError) as error:
        list(read_all([("all.zip", data)], []))
    assert error.value.problems[0].code == "too_large"


def test_marks_of_control_and_of_pages_stay_text() -> None:
    name = "leaf-<script>alert(1)</script>"
    unread: list = []
    text = f"hostname {name}\x1b[31m\nqos profile A\ninterface Ethernet1/1\n   mtu <b>9\n"
    (reading,) = read_all([("x\x07<img src=x>.cfg", text.encode())], unread)
    assert "\x1b" not in reading.device
    assert "<" not in reading.file
