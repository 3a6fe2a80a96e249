"""glob as the model meets it."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from edge.faults import ToolFault, UsageFault
from edge.gate.policy import PRESETS
from tests.support import slow_glob
from tests.support.one_call import carry, judge, world

ROUNDS = 400 if os.environ.get("FIELDHAND_SOAK") == "1" else 40
PARTS = ("*", "**", "a*", "*.py", "?", "[ab]*", "d*", "b", ".*", "*.{py,c}", "{a,b}", "[!a]*", "d1")


def fill(folder: Path, *paths: str) -> None:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("")


def found(folder: Path, pattern: str, **args: object) -> list[str]:
    data = carry("glob", {"pattern": pattern, **args}, world(folder)).data
    assert data is not None
    return list(data["paths"])


def test_paths_are_sorted_relative_and_ready_for_other_tools(tmp_path: Path) -> None:
    fill(tmp_path, "src/z.py", "src/a.py", "b.py", "src/deep/m.py", "src/x.c")
    seen = carry("glob", {"pattern": "**/*.py"}, world(tmp_path))
    assert seen.ok and seen.untrusted and seen.text == "b.py\nsrc/a.py\nsrc/deep/m.py\nsrc/z.py"
    assert seen.data is not None and seen.data["total"] == 4
    for path in found(tmp_path, "*.py", root="src"):
        assert carry("file_read", {"path": path}, world(tmp_path)).ok
        assert carry("grep", {"pattern": "x", "path": path}, world(tmp_path)).ok
    assert found(tmp_path, "*.py", root="./src/") == ["src/a.py", "src/z.py"]
    assert found(tmp_path, f"{tmp_path}/src/*.py") == [f"{tmp_path}/src/a.py", f"{tmp_path}/src/z.py"]
    assert found(tmp_path, "*", root=str(tmp_path)) == [f"{tmp_path}/b.py"]


def test_stars_stay_in_a_folder_and_two_stars_cross(tmp_path: Path) -> None:
    fill(tmp_path, "a.py", "s/b.py", "s/t/c.py")
    assert found(tmp_path, "*.py") == ["a.py"]
    assert found(tmp_path, "*/*.py") == ["s/b.py"]
    assert found(tmp_path, "s/**/*.py") == ["s/b.py", "s/t/c.py"]
    assert found(tmp_path, "s/**") == ["s/b.py", "s/t/c.py"]
    assert found(tmp_path, "s/t/c.py") == ["s/t/c.py"] and found(tmp_path, "s/t/d.py") == []


def test_folders_hidden_names_and_links(tmp_path: Path) -> None:
    fill(tmp_path, "a/x", ".h/y", ".z", "node_modules/m")
    (tmp_path / "link").symlink_to("a")
    assert found(tmp_path, "*", type="any") == ["a/", "link", "node_modules/"]
    assert found(tmp_path, "*/") == ["a/", "node_modules/"] == found(tmp_path, "*", type="folder")
    assert found(tmp_path, "**/*") == ["a/x", "link"]
    assert found(tmp_path, "**/*", hidden=True) == [".h/y", ".z", "a/x", "link"]
    assert found(tmp_path, ".*") == [".z"] and found(tmp_path, ".h/*") == [".h/y"]
    assert found(tmp_path, "node_modules/*") == ["node_modules/m"]
    assert "[left out: 2 hidden (hidden=true), 1 of .git" in carry("glob", {"pattern": "**/*"}, world(tmp_path)).text


def test_it_finds_what_the_slow_reference_finds(tmp_path: Path) -> None:
    chance = random.Random(14)
    names = ("a", "a", "b.py", "ab.c", ".x", "c.py", "e1")
    for number in range(60):
        folder = "/".join(chance.choices(("d1", "d2", ".d", "b"), k=chance.randrange(4)))
        fill(tmp_path, f"{folder}/{chance.choice(names)}{number % 3 or ''}".strip("/"))
    hits = 0
    for _ in range(ROUNDS):
        pattern = "/".join(chance.choices(PARTS, k=chance.randrange(1, 4)))
        hidden = chance.random() < 0.3
        wanted = slow_glob.found(tmp_path, pattern, hidden)
        assert found(tmp_path, pattern, hidden=hidden) == wanted, (pattern, hidden)
        hits += bool(wanted)
    print(f"{ROUNDS} patterns, {hits} with hits")
    assert hits > ROUNDS // 4


@pytest.mark.parametrize(("files", "limit", "shown"), [(9, 10, 9), (10, 10, 10), (11, 10, 10), (600, None, 500)])
def test_a_cap_says_how_many_there_are(files: int, limit: int | None, shown: int, tmp_path: Path) -> None:
    fill(tmp_path, *[f"f{number:04}" for number in range(files)])
    args = {"pattern": "*"} if limit is None else {"pattern": "*", "limit": limit}
    seen = carry("glob", args, world(tmp_path))
    assert seen.data is not None and seen.data["total"] == files and len(seen.data["paths"]) == shown
    assert (f"[{shown:,} of {files:,} shown; narrow the pattern]" in seen.text) is (shown < files)


def test_the_text_stays_below_8_kb(tmp_path: Path) -> None:
    fill(tmp_path, *["x" * 200 + str(number) for number in range(100)])
    seen = carry("glob", {"pattern": "*"}, world(tmp_path))
    assert 7000 < len(seen.text) < 8192 and " of 100 shown" in seen.text


def test_the_first_by_name_are_shown_of_more_than_are_held(tmp_path: Path) -> None:
    fill(tmp_path, *[f"d{number}/f{other}" for number in range(9, -1, -1) for other in range(4)])
    seen = carry("glob", {"pattern": "**/*", "limit": 3}, world(tmp_path))
    assert seen.text.startswith("d0/f0\nd0/f1\nd0/f2\n[3 of 40 shown")
    fill(tmp_path, "d1.x/a", "d0-/b", "d", "z")
    for limit in (1, 2, 7, 43, 44):
        wanted = slow_glob.found(tmp_path, "**/*")
        assert found(tmp_path, "**/*", limit=limit) == wanted[:limit] and len(wanted) == 44


def test_nothing_found_and_nothing_there_are_told_apart(tmp_path: Path) -> None:
    fill(tmp_path, "a")
    seen = carry("glob", {"pattern": "*.py"}, world(tmp_path))
    assert seen.ok and seen.text == "no match in 1 names below ."
    assert "no such file" in carry("glob", {"pattern": "gone/*.py"}, world(tmp_path)).text
    for args in ({"pattern": "*", "root": "gone"}, {"pattern": "a/b*", "root": "gone"}):
        with pytest.raises(ToolFault, match="gone"):
            carry("glob", args, world(tmp_path))
    with pytest.raises(ToolFault, match="a file, no folder"):
        carry("glob", {"pattern": "*", "root": "a"}, world(tmp_path))
    with pytest.raises(UsageFault, match="root"):
        judge("glob", {"pattern": "../*"}, world(tmp_path))


@pytest.mark.parametrize("preset", PRESETS)
def test_it_only_lists_and_every_preset_lets_it(preset: str, tmp_path: Path) -> None:
    fill(tmp_path, "a", ".env", "token.json")
    decision = judge("glob", {"pattern": "**/*"}, world(tmp_path), preset)[1]
    assert (decision.verdict, decision.risk) == ("allow", "low")
    assert decision.permit is not None and {grant.verb for grant in decision.permit.grants} == {"list"}
    seen = carry("glob", {"pattern": "*", "hidden": True}, world(tmp_path), preset)
    assert seen.text == "a\n[left out: 2 with keys or private]"


@pytest.mark.parametrize("pattern", ["*s", "**/*s", "*c", "*.c", "**/*.py", "[t]*s", "id_*", "*"])
def test_how_a_pattern_ends_hides_no_key(pattern: str, tmp_path: Path) -> None:
    fill(tmp_path, "tokens", "d/secrets", "id_rsa.c", "id_rsa.py", "kept.c", "kept.py", "keeps", "x.env.c", ".env.c")
    assert set(found(tmp_path, pattern, hidden=True)) <= {"kept.c", "kept.py", "keeps", "x.env.c"}


def test_names_that_cannot_be_shown_are_written_out(tmp_path: Path) -> None:
    (tmp_path / "a\x1b[31m\n").write_text("")
    (tmp_path / os.fsdecode(b"b\xff")).write_text("")
    assert carry("glob", {"pattern": "*"}, world(tmp_path)).text.startswith("a\\x1b[31m\\n\nb\\udcff\n[2 ")


def test_a_question_mark_and_brackets_stay_in_a_folder_too(tmp_path: Path) -> None:
    fill(tmp_path, "a-b", "a/b", "axb", "a/xb")
    assert found(tmp_path, "a?b") == found(tmp_path, "a[!q]b") == found(tmp_path, "a[,-z]b") == ["a-b", "axb"]
    assert found(tmp_path, "a*b") == ["a-b", "axb"] and found(tmp_path, "a/*") == ["a/b", "a/xb"]
    with pytest.raises(UsageFault, match="pattern is missing"):
        judge("glob", {"root": "."}, world(tmp_path))


def test_a_dot_that_is_written_out_or_ends_a_pattern_means_what_it_means_in_a_shell(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    for name in (".h", "x", "d/.k", "d/y"):
        (tmp_path / name).write_text("")
    assert found(tmp_path, "\\.*") == [".h"] and found(tmp_path, "*/\\.k") == ["d/.k"]
    assert found(tmp_path, "[.]*") == []
    assert found(tmp_path, "**/.") == found(tmp_path, "**/") == ["d/"] and found(tmp_path, "x/.") == []


def test_names_that_no_tool_opens_are_told_as_such(tmp_path: Path) -> None:
    for name in ("a\nb", "\x1b[31m", "plain", "ünï 😀", "ü\xa0x"):
        (tmp_path / name).write_text("")
    seen = carry("glob", {"pattern": "*"}, world(tmp_path)).text.split("\n")
    assert seen[:5] == ["\\x1b[31m", "a\\nb", "plain", "ünï 😀", "ü\xa0x"]
    carry("file_read", {"path": seen[4]}, world(tmp_path))
    assert seen[5:] == ["[2 with signs that cannot be seen, written out: no tool but bash opens these]"]
    with pytest.raises(ToolFault, match=r"no such file or directory$"):
        carry("file_read", {"path": "a\\nb"}, world(tmp_path))
