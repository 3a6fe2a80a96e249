"""What the reader of facts opens, and what it does not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from edge.hands.facts_reader import Reader, natural, number, pairs


def reader(top: Path, *places: str, barred: tuple[str, ...] = ()) -> Reader:
    return Reader(places, barred, str(top))


@pytest.fixture
def top(tmp_path: Path) -> Path:
    for path, text in {"sys/a": "12\n", "etc/b": "word\0\n", "etc/c/d": "x", "other/e": "no"}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def test_only_granted_places_are_read(top: Path) -> None:
    here = reader(top, "/sys", "/etc/b")
    assert here.number("/sys/a") == 12 and here.text("/etc/b") == "word"
    assert here.text("/etc/c/d") is None and here.text("/other/e") is None and here.names("/etc") == ()
    assert here.status("/other/e") is None and here.text("/sysx") is None


def test_what_the_operator_closed_stays_closed_in_any_case(top: Path) -> None:
    here = reader(top, "/sys", "/etc", barred=("/ETC/C",))
    assert here.text("/etc/c/d") is None and here.names("/etc/c") == () and here.text("/etc/b") == "word"


def test_a_link_leads_only_where_was_granted(top: Path) -> None:
    os.symlink("../other/e", top / "etc/out")
    os.symlink("../sys/a", top / "etc/in")
    here = reader(top, "/etc", "/sys")
    assert here.text("/etc/out") is None and here.text("/etc/in") == "12"
    assert here.link("/etc/in") == "../sys/a" and here.link("/etc/b") is None
    outside = top.parent / "outside"
    outside.write_text("no")
    os.symlink(str(outside), top / "etc/far")
    assert here.text("/etc/far") is None


def test_a_folder_that_is_a_link_does_not_lead_out(top: Path) -> None:
    os.symlink("../other", top / "etc/door")
    assert reader(top, "/etc").text("/etc/door/e") is None


def test_secrets_and_private_files_are_not_facts(top: Path) -> None:
    for name in ("shadow", "id_rsa", "server.key"):
        (top / "etc" / name).write_text("secret")
    (top / "etc/private").write_text("secret")
    (top / "etc/private").chmod(0o600)
    here = reader(top, "/etc", "/var/log")
    assert [here.text(f"/etc/{name}") for name in ("shadow", "id_rsa", "server.key", "private")] == [None] * 4
    log = top / "var/log/syslog"
    log.parent.mkdir(parents=True)
    log.write_text("line")
    log.chmod(0o640)
    assert here.text("/var/log/syslog") == "line"  # the group of those who administer may read it
    log.chmod(0o600)
    assert here.text("/var/log/syslog") is None


def test_what_is_no_regular_file_is_not_opened(top: Path) -> None:
    os.mkfifo(top / "etc/fifo")
    assert reader(top, "/etc").text("/etc/fifo") is None and reader(top, "/etc").text("/etc/c") is None


def test_reads_and_lists_are_bounded(top: Path) -> None:
    (top / "sys/big").write_bytes(b"x" * 200_000)
    for count in range(50):
        (top / f"etc/c/{count}").write_text("")
    here = reader(top, "/sys", "/etc")
    assert len(here.data("/sys/big", 1000) or b"") == 1000 and len(here.data("/sys/big", 150_000) or b"") == 150_000
    assert len(here.names("/etc/c", 10)) == 10


def test_odd_paths_are_nothing(top: Path) -> None:
    assert reader(top, "/etc").text("/etc/\0") is None and reader(top, "/etc").text("/etc/" + "x" * 5000) is None


def test_small_readers() -> None:
    assert [number(text) for text in ("12", "0x1f", "-3", "", None, "a", "1" * 50)] == [
        12,
        31,
        -3,
        None,
        None,
        None,
        None,
    ]
    assert pairs("a : 1\nb\na: 2\n") == {"a": "1"} and pairs("x 1\n", " ") == {"x": "1"}
    assert sorted(["cpu10", "cpu2", "a"], key=natural) == ["a", "cpu2", "cpu10"]
