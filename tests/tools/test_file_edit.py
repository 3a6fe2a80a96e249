"""file_edit as the model meets it."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from edge.faults import UsageFault
from edge.gate.policy import PRESETS
from edge.hands.files import Files
from edge.registry import find
from tests.support.file_calls import Desk
from tests.support.one_call import judge, world


def test_one_exact_piece_is_replaced_and_the_change_comes_back(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a = 1\nb = 2\nc = 3\n")
    found = Desk(tmp_path).call("file_edit", path="f", old="b = 2", new="b = 5")
    assert found.text == "replaced 1 place in f\n@@ -1,3 +1,3 @@\n a = 1\n-b = 2\n+b = 5\n c = 3"
    assert found.data == {"path": "f", "replaced": 1, "bytes": 18} and found.untrusted
    assert (tmp_path / "f").read_text() == "a = 1\nb = 5\nc = 3\n"


def test_an_ambiguous_or_missing_piece_changes_nothing(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    (tmp_path / "f").write_text("x\ny\nx\n")
    before = (tmp_path / "f").stat()
    assert "old stands 2 times, in lines 1, 3 (nothing was changed" in desk.fault(
        "file_edit", path="f", old="x", new="z"
    )
    assert "old does not stand in the file" in desk.fault("file_edit", path="f", old="q", new="z")
    assert "nothing" in desk.fault("file_edit", path="f", edits=[{"old": "y", "new": "1"}, {"old": "q", "new": "2"}])
    after = (tmp_path / "f").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_all_of_them_from_a_line_on_and_several_at_once(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    (tmp_path / "f").write_text("x\ny\nx\nx\n")
    found = desk.call("file_edit", path="f", old="x", new="z", all=True, from_line=2)
    assert found.data is not None and found.data["replaced"] == 2 and (tmp_path / "f").read_text() == "x\ny\nz\nz\n"
    desk.call("file_edit", path="f", edits=[{"old": "x", "new": "1"}, {"old": "y\n", "new": ""}])
    assert (tmp_path / "f").read_text() == "1\nz\nz\n"


def test_bytes_that_are_no_text_stay_and_so_do_the_permissions(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"\xef\xbb\xbf\x0cKEY\r\n\xff\xfe\0end")
    (tmp_path / "f").chmod(0o640)
    Desk(tmp_path).call("file_edit", path="f", old="KEY", new="VALUE")
    assert (tmp_path / "f").read_bytes() == b"\xef\xbb\xbf\x0cVALUE\r\n\xff\xfe\0end"
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    ("args", "why"),
    [
        ({}, "old and new are missing"),
        ({"old": "a"}, "old and new are missing"),
        ({"old": "a", "new": "b", "edits": []}, "cannot both be given"),
        ({"edits": []}, "edits is empty"),
        ({"edits": [{"old": "a"}]}, "needs old and new"),
        ({"edits": ["a"]}, "must be an object"),
        ({"old": "a", "new": "b", "from_line": 0}, "at least 1"),
        ({"old": 1.5, "new": "b"}, "must be a string"),
    ],
)
def test_impossible_arguments_are_told_before_anything_is_asked(tmp_path: Path, args: dict, why: str) -> None:
    with pytest.raises(UsageFault, match=why):
        judge("file_edit", {"path": "f", **args}, world(tmp_path))


def test_a_file_that_changed_since_it_was_read_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from edge.hands.files import Files

    desk = Desk(tmp_path)
    (tmp_path / "f").write_text("a")
    real = Files.whole

    def late(self: Files, path: str, most: int, absent: bool = False) -> object:
        found = real(self, path, most, absent)
        (tmp_path / "f").write_text("b and more")
        return found

    monkeypatch.setattr(Files, "whole", late)
    assert "changed by something else meanwhile" in desk.fault("file_edit", path="f", old="a", new="c")
    assert (tmp_path / "f").read_text() == "b and more"


def test_it_is_judged_as_a_write_of_the_file(tmp_path: Path) -> None:
    here = world(tmp_path)
    args = {"path": "f", "old": "a", "new": "b"}
    assert [effect.verb for effect in find("file_edit").effects(args, here.scene)] == ["read", "write"]
    assert [judge("file_edit", args, here, preset)[1].verdict for preset in PRESETS] == ["deny", "ask", "ask", "allow"]
    for path in ("/etc/hosts", ".env", ".git/hooks/x"):
        assert judge("file_edit", {**args, "path": path}, here, "full")[1].verdict == "deny"
    assert "replace the one 'a' by 'b'" in find("file_edit").words(args, here.scene)


def test_files_of_16_mib_are_edited_and_larger_ones_are_told(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    (tmp_path / "f").write_bytes(b"line\n" * 3_000_000 + b"KEY\n")
    desk.call("file_edit", path="f", old="KEY", new="VALUE")
    assert (tmp_path / "f").stat().st_size == 15_000_006
    with open(tmp_path / "f", "ab") as file:
        file.truncate(17 << 20)
    assert "larger than 16 MiB" in desk.fault("file_edit", path="f", old="VALUE", new="x")


def test_a_link_or_a_second_name_is_not_edited_through(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    (tmp_path / "f").write_text("a")
    (tmp_path / "link").symlink_to("f")
    assert "is a link to 'f'" in desk.fault("file_edit", path="link", old="a", new="b")
    os.link(tmp_path / "f", tmp_path / "second")
    assert "second name" in desk.fault("file_edit", path="second", old="a", new="b")
    assert (tmp_path / "f").read_text() == "a"


def test_each_of_several_edits_is_old_and_new_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"one two\n")
    desk = Desk(tmp_path)
    for wrong in (
        {"old": "one"},
        {"old": 1, "new": "x"},
        {"old": "one", "new": None},
        {"old": "a", "new": "b", "c": 1},
    ):
        assert "each of edits needs old and new" in desk.fault("file_edit", path="f", edits=[wrong])
    assert (tmp_path / "f").read_bytes() == b"one two\n"


def test_who_is_not_sure_of_the_text_is_sent_to_file_read_and_what_that_shows_fits(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    (tmp_path / "f").write_text("valve  =\t3\n\tspeed = 2 \n")
    assert "file_read shows the exact text" in desk.fault("file_edit", path="f", old="pump = 3", new="x")
    near = desk.fault("file_edit", path="f", old="valve = 3", new="valve = 4")
    assert "line 1 differs in blanks" in near and "file_read offset=1 shows it" in near
    for line in (1, 2):
        shown = desk.text("file_read", path="f", offset=line, limit=1).split("\n")[0]
        desk.call("file_edit", path="f", old=shown, new=shown.upper())
    assert (tmp_path / "f").read_text() == "VALVE  =\t3\n\tSPEED = 2 \n"


@pytest.mark.parametrize("preset", PRESETS)
def test_wherever_the_file_lies_it_is_judged_as_file_write_is(preset: str, tmp_path: Path) -> None:
    here = world(tmp_path)
    judged = {}
    for path in ("f", "a/b", "../f", "/etc/hosts", "/srv/f", ".git/hooks/x", str(tmp_path / "f"), "~/f"):
        edit = judge("file_edit", {"path": path, "old": "a", "new": "b"}, here, preset)[1]
        write = judge("file_write", {"path": path, "content": "b"}, here, preset)[1]
        assert (edit.verdict, edit.risk) == (write.verdict, write.risk), path
        judged[path] = edit.verdict
    assert judged["f"] == {"readonly": "deny", "full": "allow"}.get(preset, "ask") and judged["../f"] == "deny"


def test_many_edits_of_a_large_file_are_made_in_the_memory_of_a_few(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"some words\n" * 200_000 + b"U0\n")
    desk = Desk(tmp_path)
    desk.call("file_edit", path="f", old="U0", new="U1")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    edits = [{"old": f"U{n}\n", "new": f"U{n + 1}\n"} for n in range(1, 60)]
    found = desk.call("file_edit", path="f", edits=edits)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 32 << 10  # KiB; all of them were 130 MB
    assert found.data is not None and found.data["replaced"] == 59
    assert found.text.count("@@") == 40 and found.text.endswith("[more was changed]")
    assert (tmp_path / "f").read_bytes().endswith(b"\nU60\n")


def test_edits_that_take_too_long_stop_in_time_and_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "f").write_text("a\n")
    looks: list[int] = []
    monkeypatch.setattr(Files, "why", lambda _: "after 27 s" if looks.append(0) or len(looks) > 2 else "")
    assert "stopped after 27 s (nothing was changed; make fewer" in Desk(tmp_path).fault(
        "file_edit", path="f", old="a", new="b"
    )
    assert (tmp_path / "f").read_text() == "a\n"
