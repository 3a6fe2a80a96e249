"""file_read as the model meets it."""

from __future__ import annotations

import base64
import os
import resource
from pathlib import Path

import pytest

from edge.faults import ToolFault, UsageFault
from edge.gate.policy import PRESETS, Policy
from edge.registry import find
from tests.support.file_calls import Desk
from tests.support.one_call import carry, judge, world


def test_a_path_is_all_it_needs_and_the_text_comes_back(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("one\ntwo\n")
    found = carry("file_read", {"path": "notes.txt"}, world(tmp_path))
    assert found.ok and found.text == "one\ntwo" and found.untrusted
    assert found.data is not None and found.data["lines"] == 2 and not found.data["more"]
    with pytest.raises(UsageFault, match="path is missing"):
        judge("file_read", {}, world(tmp_path))


@pytest.mark.parametrize("preset", PRESETS)
def test_it_only_looks_and_every_preset_lets_it(preset: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("one\n")
    here = world(tmp_path)
    effects = find("file_read").effects({"path": "notes.txt"}, here.scene)
    assert [effect.verb for effect in effects] == ["read"] and all(effect.observes for effect in effects)
    decision = judge("file_read", {"path": "notes.txt"}, here, preset)[1]
    assert (decision.verdict, decision.risk) == ("allow", "low")
    assert carry("file_read", {"path": "notes.txt"}, here, preset).text == "one"
    assert (tmp_path / "notes.txt").read_text() == "one\n"


def test_offset_and_limit_are_a_window_of_lines_from_one(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("".join(f"{n}\n" for n in range(1, 101)))
    here = world(tmp_path)
    found = carry("file_read", {"path": "log", "offset": 40, "limit": 3}, here)
    assert found.text == "40\n41\n42\n[more: go on with file_read offset=43]"
    assert carry("file_read", {"path": "log", "offset": 99}, here).text == "99\n100\n[lines 99-100 of 100: the end]"
    assert carry("file_read", {"path": "log", "limit": 1}, here).text.startswith("1\n")
    for wrong in ({"offset": 0}, {"limit": 0}, {"limit": -1}, {"offset": 1.5}, {"offset": 2, "from_byte": 2}):
        with pytest.raises(UsageFault):
            judge("file_read", {"path": "log", **wrong}, here)


def test_about_8_kb_of_a_large_file_come_back_with_the_way_to_the_rest(tmp_path: Path) -> None:
    assert Policy().bytes == 8192
    (tmp_path / "big").write_text(("x" * 70 + "\n") * 14_000)
    found = carry("file_read", {"path": "big", "limit": 2000}, world(tmp_path))
    assert found.data is not None and found.data["more"]
    assert 7000 < len(found.text) <= 8192 + 100
    assert found.text.endswith(f"\n[more: go on with file_read offset={found.data['lines'] + 1}]")


def test_one_endless_line_is_cut_and_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "big").write_text("x" * 999_999)
    found = carry("file_read", {"path": "big"}, world(tmp_path))
    assert 1000 < len(found.text) <= 8192 + 100
    assert found.text.endswith(" [line cut]\n[of a long line from_byte reads the rest]")


@pytest.mark.parametrize("letter", ["é", "☀", "😀"])
@pytest.mark.parametrize("before", [0, 1, 2, 3])
def test_no_letter_is_cut_in_two_by_lines_or_by_bytes(tmp_path: Path, letter: str, before: int) -> None:
    line = "a" * before + letter * 5000
    (tmp_path / "f").write_text(f"{line}\nend\n", encoding="utf-8")
    desk = Desk(tmp_path)
    first, end, said = desk.text("file_read", path="f").split("\n")
    cut = first[: -len(" [line cut]")]
    assert line.startswith(cut) and 4092 < len(cut.encode()) <= 4096 and (end, said[:5]) == ("end", "[of a")
    got, at = "", 0
    while True:
        text = desk.text("file_read", path="f", from_byte=at)
        part, on, more = text.rpartition("\n[more: go on with from_byte=")
        if not on:
            break
        got, at = got + part, int(more.split(";")[0])
    assert got + text == f"{line}\nend\n"
    assert desk.text("file_read", path="f", from_byte=before, limit=1).startswith("\ufffd\n[more: go on")


def test_a_folder_is_listed(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a").write_text("")
    found = carry("file_read", {"path": "."}, world(tmp_path))
    assert found.text == "a\nsub/" and found.data is not None and found.data["entries"] == ["a", "sub/"]


def test_it_says_where_the_file_lies(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("one\n")
    here = world(tmp_path)
    for path, place in (
        ("notes.txt", "workspace"),
        (".", "workspace"),
        ("/proc/version", "kernel"),
        ("/etc", "readable"),
    ):
        found = carry("file_read", {"path": path}, here)
        assert found.data is not None and found.data["place"] == place


def test_a_large_file_is_read_by_its_windows_and_what_claims_no_size_is_read_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "big.log").write_text("".join(f"line {n:07} of a large log\n" for n in range(1, 200_001)))
    assert (tmp_path / "big.log").stat().st_size > 4 << 20
    here = world(tmp_path)
    assert carry("file_read", {"path": "big.log", "offset": 199_999}, here).text.splitlines() == [
        "line 0199999 of a large log",
        "line 0200000 of a large log",
        "[lines 199999-200000 of 200000: the end]",
    ]
    found = carry("file_read", {"path": "/proc/cpuinfo", "limit": 2000}, here)
    assert Path("/proc/cpuinfo").stat().st_size == 0 and found.text


def test_what_is_not_there_is_a_sentence_for_the_model(tmp_path: Path) -> None:
    with pytest.raises(ToolFault, match="nothing"):
        carry("file_read", {"path": "nothing"}, world(tmp_path))


def test_lines_are_counted_from_the_end_too(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("".join(f"{n}\n" for n in range(1, 101)))
    desk = Desk(tmp_path)
    assert desk.text("file_read", path="log", offset=-2) == "99\n100"
    assert desk.text("file_read", path="log", offset=-3, limit=2) == "98\n99\n[more: go on with file_read offset=-1]"
    assert desk.text("file_read", path="log", offset=-1000, limit=1) == "1\n[more: go on with file_read offset=2]"
    assert desk.text("file_read", path="log", offset=101) == "[the file has 100 lines; offset 101 is past its end]"
    (tmp_path / "none").touch()
    assert desk.text("file_read", path="none") == desk.text("file_read", path="none", offset=-1) == "[no lines here]"


def test_each_way_on_leads_to_the_rest(tmp_path: Path) -> None:
    wanted = [f"{n} {'x' * (n % 90)}" for n in range(1, 1501)]
    (tmp_path / "log").write_text("\n".join(wanted))
    desk = Desk(tmp_path)
    for offset in (1, -1500):
        seen: list[str] = []
        while True:
            found = desk.call("file_read", path="log", offset=offset)
            lines = found.text.split("\n")
            seen += [line for line in lines if not line.startswith("[")]
            assert len(found.text.encode()) <= 8192 and found.data is not None
            if not found.data["more"]:
                break
            offset = int(lines[-1].partition("offset=")[2].rstrip("]"))
        assert seen == wanted


def test_bytes_come_as_they_are_asked_for(tmp_path: Path) -> None:
    data = bytes(range(256)) * 100
    (tmp_path / "f").write_bytes(data)
    desk = Desk(tmp_path)
    assert desk.text("file_read", path="f") == "[f is data of no known kind, 25,600 bytes; base64=true gives its bytes]"
    got, at = b"", 0
    while True:
        found = desk.call("file_read", path="f", base64=True, from_byte=at)
        got += base64.b64decode(found.text.split("\n")[0])
        assert len(found.text) <= 8192 and found.data is not None
        if not found.data["more"]:
            break
        at = int(found.text.partition("from_byte=")[2].partition(";")[0])
    assert got == data
    assert base64.b64decode(desk.text("file_read", path="f", base64=True, from_byte=-2)) == data[-2:]
    assert desk.text("file_read", path="f", from_byte=65, limit=3).startswith("ABC\n[more: go on with from_byte=68;")
    assert desk.text("file_read", path="f", from_byte=25_600) == "[no bytes here: the file has 25600 bytes]"
    with pytest.raises(UsageFault, match="base64 has no lines"):
        judge("file_read", {"path": "f", "offset": 1, "base64": True}, desk.world)


def test_encodings_and_ends_of_lines_are_told(tmp_path: Path) -> None:
    (tmp_path / "dos").write_bytes(b"one\r\ntwo\r\n")
    (tmp_path / "wide").write_bytes("\ufeffone\nzwei".encode("utf-16-le"))
    desk = Desk(tmp_path)
    assert desk.text("file_read", path="dos") == "one\ntwo\n[CRLF line ends]"
    assert desk.text("file_read", path="wide", offset=2) == "zwei\n[UTF-16 LE]\n[lines 2-2 of 2: the end]"


def test_what_is_no_file_gives_a_sentence_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    desk = Desk(tmp_path)
    for more in ({}, {"offset": -1}, {"from_byte": 0}, {"base64": True}):
        assert "is a FIFO and no regular file" in desk.fault("file_read", path="fifo", **more)
    assert "is a folder" in desk.fault("file_read", path=".", from_byte=0)


def test_one_line_that_is_very_long_is_read_in_little_memory(tmp_path: Path) -> None:
    with open(tmp_path / "f", "wb") as file:
        for _ in range(25 if os.environ.get("FIELDHAND_SOAK") == "1" else 6):  # 200 MB, or 50
            file.write(b"y" * (8 << 20))
        file.write(b"\nlast")
    desk = Desk(tmp_path)
    desk.call("file_read", path="f", limit=1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert desk.text("file_read", path="f", limit=1).startswith("yyyy")
    assert desk.text("file_read", path="f", offset=2) == "last\n[lines 2-2 of 2: the end]"
    assert desk.text("file_read", path="f", offset=-1) == "last"
    assert desk.text("file_read", path="f").split("\n")[0].endswith("y [line cut]")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4 << 10  # KiB


def test_a_file_of_a_mebibyte_comes_back_whole_by_the_way_on(tmp_path: Path) -> None:
    wanted = [f"{n:07} {'x' * 1015}" for n in range(1024)]
    (tmp_path / "f").write_text("\n".join([*wanted, ""]))
    assert (tmp_path / "f").stat().st_size == 1 << 20
    desk, seen, offset = Desk(tmp_path), [], 1
    while offset:
        found = desk.call("file_read", path="f", offset=offset)
        seen += [line for line in found.text.split("\n") if not line.startswith("[")]
        assert found.data is not None
        offset = offset + found.data["lines"] if found.data["more"] else 0
    assert seen == wanted
