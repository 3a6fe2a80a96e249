"""file_patch as the model meets it: several files, all or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.call import TRASH
from edge.faults import ToolFault, UsageFault
from edge.gate import taint
from edge.gate.policy import PRESETS
from edge.hands.files import Files
from edge.registry import find
from tests.support.file_calls import Desk
from tests.support.one_call import judge, world

PATCH = """\
--- a/one
+++ b/one
@@ -1,2 +1,2 @@
 first
-1
+uno
--- /dev/null
+++ b/new/two
@@ -0,0 +1 @@
+2
--- a/three
+++ /dev/null
@@ -1 +0,0 @@
-3
"""


@pytest.fixture()
def desk(tmp_path: Path) -> Desk:
    (tmp_path / "one").write_text("first\n1\n")
    (tmp_path / "three").write_text("3\n")
    return Desk(tmp_path)


def contents(desk: Desk) -> dict[str, str]:
    paths = [desk.folder / name for name in desk.names()]
    return {path.relative_to(desk.folder).as_posix(): path.read_text() for path in paths if path.is_file()}


def test_files_are_changed_made_and_deleted_together(desk: Desk) -> None:
    assert desk.text("file_patch", patch=PATCH) == "changed one, made new/two, deleted three"
    assert contents(desk) == {"one": "first\nuno\n", "new/two": "2\n"}
    assert (desk.folder / ".fieldhand-trash/000001/three").read_text() == "3\n"


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (("one", "first\nother\n"), "one, hunk 1 (line 3 of the patch) does not fit"),
        (("new/two", "there\n"), "new/two is there, and the patch would make it"),
        (("three", "3\nmore\n"), "three holds more than the patch deletes"),
    ],
)
def test_one_hunk_that_does_not_fit_keeps_all_files(desk: Desk, spoil: tuple[str, str], why: str) -> None:
    (desk.folder / "new").mkdir()
    (desk.folder / spoil[0]).write_text(spoil[1])
    before = contents(desk)
    assert why in desk.fault("file_patch", patch=PATCH) and contents(desk) == before


def test_run_again_it_finishes_what_power_cut_short(desk: Desk) -> None:
    (desk.folder / "one").write_text("first\nuno\n")
    found = desk.text("file_patch", patch=PATCH)
    assert found == "made new/two, deleted three\n[one holds that already]"
    again = desk.text("file_patch", patch=PATCH)
    assert again.startswith("nothing to do") and "[three is gone already]" in again
    assert contents(desk) == {"one": "first\nuno\n", "new/two": "2\n"}


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_write_that_fails_takes_back_those_before_it(desk: Desk, at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(desk)
    done = [0]

    def failing(name: str) -> None:
        real = getattr(Files, name)

        def act(self: Files, *values: object, **more: object) -> object:
            done[0] += 1
            if done[0] == at:
                raise ToolFault("the card is full")
            return real(self, *values, **more)

        monkeypatch.setattr(Files, name, act)

    failing("put")
    failing("delete")
    said = desk.fault("file_patch", patch=PATCH)
    assert "the patch was not applied: the card is full (nothing was changed)" in said and contents(desk) == before


def test_a_file_that_appears_meanwhile_is_not_replaced(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Files.put

    def late(self: Files, path: str, *values: object, **more: object) -> object:
        if path == "new/two" and not (desk.folder / "new").exists():
            (desk.folder / "new").mkdir()
            (desk.folder / "new/two").write_text("mine\n")
        return real(self, path, *values, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Files, "put", late)
    assert "changed by something else meanwhile" in desk.fault("file_patch", patch=PATCH)
    assert contents(desk) == {"one": "first\n1\n", "new/two": "mine\n", "three": "3\n"}


def test_a_file_may_be_changed_twice(desk: Desk) -> None:
    patch = "--- a/one\n+++ b/one\n@@ -1 +1 @@\n-first\n+a\n--- a/one\n+++ b/one\n@@ -1 +1 @@\n-a\n+b\n"
    assert desk.text("file_patch", patch=patch) == "changed one" and contents(desk)["one"] == "b\n1\n"


def test_what_is_no_patch_is_told_before_anybody_is_asked(tmp_path: Path) -> None:
    for patch in ("hello", "--- a/x\n+++ b/x\n", "--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n"):
        with pytest.raises(UsageFault, match="patch"):
            judge("file_patch", {"patch": patch}, world(tmp_path))


def test_every_file_is_judged_as_a_write(tmp_path: Path) -> None:
    here = world(tmp_path)
    effects = find("file_patch").effects({"patch": PATCH}, here.scene)
    assert [effect.on for effect in effects if effect.verb == "write"] == ["file:one", "file:new/two", "file:three"]
    verdicts = [judge("file_patch", {"patch": PATCH}, here, preset)[1].verdict for preset in PRESETS]
    assert verdicts == ["deny", "ask", "ask", "allow"]
    for path in ("../x", "/etc/hosts", ".env", ".git/hooks/pre-commit"):
        patch = f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n" if path[0] != "/" else PATCH.replace("b/one", path)
        patch = patch.replace("a/one", path)
        assert judge("file_patch", {"patch": patch}, here, "full")[1].verdict == "deny", path
    words = find("file_patch").words({"patch": PATCH}, here.scene)
    assert words == "apply a patch: change one, make new/two, delete three"


def test_a_missing_file_is_a_sentence(desk: Desk) -> None:
    patch = "--- a/nope\n+++ b/nope\n@@ -1 +1 @@\n-a\n+b\n"
    assert "nope is not there, and the patch would change it" in desk.fault("file_patch", patch=patch)


def test_what_is_known_of_a_file_goes_into_the_trash_with_it(tmp_path: Path) -> None:
    scene = world(tmp_path).scene
    effects = find("file_patch").effects({"patch": PATCH}, scene)
    top = f"{tmp_path}/"
    assert taint.touched(effects, scene, "read") == (
        (f"{top}one", False),
        (f"{top}new/two", False),
        (f"{top}three", False),
    )
    assert (f"{top}{TRASH}", True) in taint.touched(effects, scene, "write")
    only = find("file_patch").effects({"patch": PATCH[: PATCH.index("--- a/three")]}, scene)
    assert (f"{top}{TRASH}", True) not in taint.touched(only, scene, "write")
