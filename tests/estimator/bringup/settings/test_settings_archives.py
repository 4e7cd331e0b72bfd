"""Tar and gzip files as they are uploaded, and hostile ones; zip archives stand with the hostile uploads."""

import gzip
import io
import tarfile
from collections.abc import Callable

import pytest

from estimator.bringup.check.check import checked_against
from estimator.bringup.check.texts import archives
from estimator.bringup.check.upload import MAX_FILE_BYTES, read_all
from estimator.catalog.loader import load_catalog
from estimator.errors import SpecError
from tests.estimator.bringup.settings.clean import mlnx_qos
from tests.estimator.bringup.settings.test_settings_clean import plan_of_set


def tarred(files: dict[str, bytes], mode: str = "w") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in files.items():
            one = tarfile.TarInfo(name)
            one.size = len(data)
            archive.addfile(one, io.BytesIO(data))
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("all.tar", tarred),
        ("all.tar.gz", lambda files: tarred(files, "w:gz")),
        ("all.tgz", lambda files: gzip.compress(tarred(files))),
    ],
)
def test_tar_archives_are_read_as_zip_archives_are(name: str, pack: Callable[[dict[str, bytes]], bytes]) -> None:
    wrong = mlnx_qos().replace("state: dscp", "state: pcp").encode()
    files = {"./dump/node-0001/mlnx_qos.txt": mlnx_qos().encode(), "./dump/node-0002/qos.txt": wrong}
    answer = checked_against(plan_of_set("Cumulus"), [(name, pack(files))], load_catalog())
    assert {(one.device, one.file) for one in answer.findings} == {("node-0002", "qos.txt")}
    assert not answer.unread


def test_archives_are_known_by_their_first_bytes() -> None:
    for data in (tarred({"a": b"x"}), gzip.compress(b"x")):
        assert archives.is_archive(data[: MAX_FILE_BYTES + 1])
    assert not archives.is_archive(b"hostname x")


@pytest.mark.parametrize("name", ["node-0002:qos.txt.gz", "node-0002_qos.txt.gz"])
def test_a_file_of_gzip_is_read_by_its_name_without_the_ending(name: str) -> None:
    wrong = mlnx_qos().replace("state: dscp", "state: pcp").encode()
    answer = checked_against(plan_of_set("Cumulus"), [(name, gzip.compress(wrong))], load_catalog())
    file = name.rpartition(":")[2].removesuffix(".gz")
    assert {(one.device, one.file) for one in answer.findings} == {("node-0002", file)}


def links(times: int = 1) -> bytes:
    """A tar archive with links out of it, a device and a folder."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, kind in (
            *[("passwd", tarfile.SYMTYPE)] * times,
            ("disk", tarfile.BLKTYPE),
            ("folder", tarfile.DIRTYPE),
        ):
            one = tarfile.TarInfo(name)
            one.type, one.linkname = kind, "/etc/passwd"
            archive.addfile(one)
        one = tarfile.TarInfo("a.txt")
        one.size = 1
        archive.addfile(one, io.BytesIO(b"x"))
    return out.getvalue()


@pytest.mark.parametrize(
    "made",
    [
        lambda: gzip.compress(b"0" * 50_000_000),
        lambda: tarred({"a.txt": b"0" * 50_000_000}, "w:gz"),
        lambda: links(4_001),
        lambda: tarred({"a.tar": tarred({"b.txt": b"hostname x"})}),
        lambda: tarred({"a.txt": b"hostname x" * 1000}, "w:gz")[:-30],
        lambda: tarred({"a.txt": b"hostname x" * 1000})[:700],
        lambda: gzip.compress(b"hostname x\n" * 1000)[:-9],
        lambda: b"\x1f\x8b" + bytes(range(200)),
        lambda: tarred({"../../etc/passwd": b"root:x:0:0"}),
        links,
    ],
    ids=["bomb", "bomb in tar", "many", "nested", "cut", "cut tar", "cut gzip", "noise", "path", "links"],
)
def test_hostile_tar_and_gzip_files_are_answered_with_a_reason(made: Callable[[], bytes]) -> None:
    unread: list = []
    assert not list(read_all([("all.tar.gz", made())], unread))
    assert unread
    assert not any("/" in one.file for one in unread)


def test_links_and_devices_of_a_tar_archive_are_left_out() -> None:
    unread: list = []
    assert not list(read_all([("all.tar", links())], unread))
    assert [one.file for one in unread] == ["a.txt"]


def test_too_many_files_of_a_tar_archive_are_refused() -> None:
    with pytest.raises(SpecError, match="2,000 files are the most"):
        list(read_all([("all.tgz", tarred({f"{n}.txt": b"" for n in range(2_001)}, "w:gz"))], []))


def test_a_tar_archive_is_not_unpacked_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_UNPACKED_BYTES", 6_000_000)
    unread: list = []
    data = tarred({"a.txt": b"0" * 9_000_000, "node-0001/qos.txt": mlnx_qos().encode()}, "w:gz")
    assert not list(read_all([("all.tar.gz", data)], unread))
    assert "it unpacks to over 6 MB" in " ".join(one.why for one in unread)


def test_what_dcb_shows_of_flow_control_is_read() -> None:
    """``dcb pfc show`` of iproute2, of several NICs one behind the other."""
    shown = (
        "# dcb pfc show dev {nic}\npfc-cap 8 macsec-bypass off delay 0\n"
        "prio-pfc 0:off 1:off 2:off 3:{word} 4:off 5:off 6:off 7:off\n"
    )
    plan = plan_of_set("Cumulus")
    right = shown.format(nic="eth0", word="on")
    assert checked_against(plan, [("node-0001:dcb.txt", right.encode())], load_catalog()).findings == []
    both = right + shown.format(nic="eth1", word="off")
    (found,) = checked_against(plan, [("node-0001:dcb.txt", both.encode())], load_catalog()).findings
    assert (found.code, found.line) == ("pfc_off", 6)
    assert "eth1" in found.message
