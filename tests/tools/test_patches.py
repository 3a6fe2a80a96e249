"""Unified diffs: what `diff -u` makes is applied as it says, what does not fit is told by file, hunk and line."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from edge.faults import ToolFault
from edge.tools.patches import apply, read

ROUNDS = 3_000 if os.environ.get("FIELDHAND_SOAK") == "1" else 60
HEAD = "--- a/f\n+++ b/f\n"


def patched(data: bytes, patch: str) -> bytes:
    (one,) = read(patch)
    return apply(data, one)[0]


def fault(data: bytes, patch: str) -> str:
    with pytest.raises(ToolFault) as caught:
        for one in read(patch):
            apply(data, one)
    return str(caught.value)


def text(chance: random.Random, lines: list[str]) -> str:
    return "\n".join(lines) + ("\n" if lines and chance.random() < 0.7 else "")


@pytest.mark.skipif(shutil.which("diff") is None, reason="there is no diff(1) here")
def test_what_diff_makes_of_two_files_makes_one_of_the_other_both_ways(tmp_path: Path) -> None:
    chance = random.Random(5)
    done = 0
    for _ in range(ROUNDS):
        words = ["a", "b", "", "--x", "++y", "@@ z", " q", "\tt", "ä"]
        lines = [chance.choice(words) + str(chance.randrange(6)) for _ in range(chance.randrange(30))]
        changed = list(lines)
        for _ in range(chance.randrange(1, 5)):
            at = chance.randrange(len(changed) + 1)
            changed[at : at + chance.randrange(2)] = ["new"] * chance.randrange(3)
        old, new = text(chance, lines), text(chance, changed)
        if old == new:
            continue
        (tmp_path / "o").write_bytes(old.encode())
        (tmp_path / "n").write_bytes(new.encode())
        labels = ["--label", "a/f" if old else "/dev/null", "--label", "b/f" if new else "/dev/null"]
        made = subprocess.run(["diff", "-u", *labels, "o", "n"], cwd=tmp_path, capture_output=True, check=False).stdout
        (one,) = read(made.decode())
        assert (one.path, one.made, one.gone) == ("f", not old, not new)
        assert apply(old.encode(), one) == (new.encode(), ()), (old, new)
        assert apply(new.encode(), one, back=True)[0] == old.encode(), (old, new)
        done += 1
    print(f"{done} patches of diff(1)")


def test_lines_that_drifted_are_found_and_that_is_said() -> None:
    data = b"".join(b"%d\n" % number for number in range(50))
    (one,) = read(HEAD + "@@ -11,3 +11,3 @@\n 20\n-21\n+x\n 22\n")
    new, told = apply(data, one)
    assert new == data.replace(b"21\n", b"x\n") and told == ("hunk 1 of f fitted 10 lines below",)
    twice = HEAD + "@@ -30,1 +30,1 @@\n-x\n+y\n"
    assert patched(b"x\n" + b"-\n" * 25 + b"x\n" + b"-\n" * 9, twice).count(b"y") == 1
    assert patched(b"x\n" + b"-\n" * 25 + b"x\n" + b"-\n" * 9, twice).startswith(b"x\n")


def test_a_hunk_whose_lines_do_not_stand_there_names_the_first_that_differs() -> None:
    said = fault(b"a\nb\nc\n", HEAD + "@@ -1,3 +1,3 @@\n a\n-x\n+y\n c\n")
    assert said.startswith("f, hunk 1 (line 3 of the patch) does not fit (nothing was changed; line 2 is 'b'")
    assert "the patch has 'x'" in said
    assert "the file ends before line 3" in fault(b"a\nb\n", HEAD + "@@ -1,3 +1,3 @@\n a\n b\n-c\n+d\n")


def test_hunks_stand_in_their_order() -> None:
    patch = HEAD + "@@ -3,1 +3,1 @@\n-c\n+C\n@@ -1,1 +1,1 @@\n-a\n+A\n"
    assert "hunk 2 (line 6 of the patch)" in fault(b"a\nb\nc\n", patch)


def test_numbers_that_are_wrong_do_not_hide_the_lines() -> None:
    (one,) = read(HEAD + "@@ -1,9 +1,2 @@\n a\n-b\n+x\n+y\n c\n")
    assert apply(b"a\nb\nc\n", one) == (
        b"a\nx\ny\nc\n",
        ("the header of hunk 1 of f counted wrong: its lines were taken",),
    )
    first, second = read(HEAD + "@@ -1,7 +1,7 @@\n-a\n+b\n\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-c\n+d\n")
    assert apply(b"a\n", first)[0] == b"b\n" and second.path == "g"


def test_ends_of_lines_are_those_of_the_file() -> None:
    patch = HEAD + "@@ -1,2 +1,3 @@\n a\n-b\n+x\n+y\n"
    assert patched(b"a\r\nb\r\nc\r\n", patch) == b"a\r\nx\r\ny\r\nc\r\n"
    assert patched(b"a\r\nb\r\nc\r\n", patch.replace("\n", "\r\n")) == b"a\r\nx\r\ny\r\nc\r\n"
    assert patched(b"a\nb", HEAD + "@@ -1,2 +1,2 @@\n-a\n+x\n b\n") == b"x\nb"
    assert patched(b"a", HEAD + "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n") == b"b\n"
    assert patched(b"a\n", HEAD + "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n") == b"b"


def test_letters_are_those_of_the_file_and_other_bytes_stay() -> None:
    patch = HEAD + "@@ -1,2 +1,2 @@\n Größe\n-5 °C\n+6 °C\n"
    assert patched("Größe\n5 °C\n".encode("latin-1"), patch) == "Größe\n6 °C\n".encode("latin-1")
    assert patched("Größe\n5 °C\n".encode() + b"\xff\n", patch) == "Größe\n6 °C\n".encode() + b"\xff\n"


def test_a_file_in_latin_1_gets_no_letters_of_another_encoding() -> None:
    file = "Größe\nx\n".encode("latin-1")
    assert patched(file, HEAD + "@@ -2 +2 @@\n-x\n+ü\n") == "Größe\nü\n".encode("latin-1")
    assert patched(file, HEAD + "@@ -2,0 +3 @@\n+ü\n") == "Größe\nx\nü\n".encode("latin-1")
    assert "does not have" in fault(file, HEAD + "@@ -2 +2 @@\n-x\n+☀\n")
    log = "Größe\nx\n".encode() + b"\xff torn\n"
    assert patched(log, HEAD + "@@ -2 +2 @@\n-x\n+☀\n") == "Größe\n☀\n".encode() + b"\xff torn\n"


def test_lines_that_are_only_put_in_end_as_those_of_the_file_and_stand_alone() -> None:
    more = HEAD + "@@ -2,0 +3,2 @@\n+x\n+y\n"
    assert patched(b"a\r\nb\r\nc\r\n", more) == b"a\r\nb\r\nx\r\ny\r\nc\r\n"
    assert patched(b"a\nb", more) == b"a\nb\nx\ny\n" == patched(b"a\nb\n", more)
    assert patched(b"a\r\nb", more) == b"a\r\nb\r\nx\r\ny\r\n"


def test_names_lose_their_letters_quotes_and_times() -> None:
    rest = "@@ -1 +1 @@\n-a\n+b\n"
    assert read("--- f.orig\t2024-01-01 00:00\n+++ f\t2024-01-02\n" + rest)[0].path == "f"
    assert read('--- "a/\\303\\244 \\"x\\""\n+++ "b/\\303\\244 \\"x\\""\n' + rest)[0].path == 'ä "x"'
    assert read("diff --git a/x b/x\nindex 12..34 100644\n--- a/x\n+++ b/x\n" + rest)[0].path == "x"
    assert read("--- /dev/null\n+++ b/x/y\n@@ -0,0 +1 @@\n+b\n")[0].made
    assert read("--- a/x/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n")[0].gone


@pytest.mark.parametrize(
    ("patch", "why"),
    [
        ("", "holds no file"),
        ("hello", "holds no file"),
        ("@@ -1 +1 @@\n-a\n+b\n", "a hunk of no file"),
        (HEAD, "has no hunk"),
        (HEAD + "@@ -1 +x @@\n", "is no header"),
        (HEAD + "@@ -1,-3 +1 @@\n-a\n", "is no header"),
        (HEAD + "@@ -" + "9" * 5000 + " +1 @@\n-a\n", "is no header"),
        (HEAD + "@@ -1,2 +1,2 @@\n a\n b\n", "changes nothing"),
        (HEAD + "@@ -1 +1 @@\nother\n", "changes nothing"),
        ("--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", "x would become y"),
        ("--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "both names"),
        ("--- \n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "names no file"),
        ("rename from a\nrename to b\n", "is not done here"),
        ("GIT binary patch\n", "is not done here"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n" * 65, "at most 64"),
    ],
)
def test_what_is_no_patch_is_a_sentence(patch: str, why: str) -> None:
    assert why in fault(b"a\n", patch)


def test_no_patch_takes_long() -> None:
    begun = time.monotonic()
    assert "does not fit" in fault(b"x\n" * 1_000_000, HEAD + "@@ -1,9 +1,9 @@\n" + " x\n" * 100_000 + "-y\n+z\n")
    assert "does not fit" in fault(b"x\n" * 1000, HEAD + f"@@ -{1 << 39} +1 @@\n-y\n+z\n")
    assert "does not fit" in fault(b"x\n", HEAD + f"@@ -{1 << 39},0 +1 @@\n+z\n")
    assert time.monotonic() - begun < 60


def test_random_texts_raise_nothing_but_faults() -> None:
    chance = random.Random(11)
    pieces = [
        "--- a/f",
        "+++ b/f",
        "@@ -1,2 +1,2 @@",
        "@@ -1 +1 @@",
        " a",
        "-a",
        "+b",
        "",
        "\\ No newline",
        "/dev/null",
    ]
    found = 0
    for _ in range(ROUNDS * 20):
        patch = "\n".join(chance.choice(pieces) for _ in range(chance.randrange(7)))
        if chance.random() < 0.7:
            patch = f"{HEAD}@@ -1,1 +1,1 @@\n{patch}"
        try:
            for one in read(patch):
                apply(b"a\nb\na\n", one)
                found += 1
        except ToolFault:
            continue
    print(f"{ROUNDS * 20} texts, {found} fitted")
    assert found


def test_hunks_without_number_are_fitted_in_a_moment_and_stop_when_it_is_time() -> None:
    count = 20_000
    data = "".join(f"{n % 7}\r\n" for n in range(3 * count)).encode()
    (one,) = read(HEAD + "".join(f"@@ -{3 * n + 1} +{3 * n + 1} @@\n-{3 * n % 7}\n+ü\n" for n in range(count)))
    begun = time.process_time()
    assert apply(data, one)[0].count("ü\r\n".encode()) == count
    assert time.process_time() - begun < 20
    looks: list[int] = []
    with pytest.raises(ToolFault, match="stopped after 27 s"):
        apply(data, one, late=lambda: "after 27 s" if looks.append(0) or len(looks) > 9 else "")
    assert len(looks) == 10


@pytest.mark.parametrize("code", ["utf-16-le", "utf-16-be"])
def test_a_file_in_utf_16_is_told_as_such(code: str) -> None:
    assert "file_edit edits it" in fault("\ufeffa\n".encode(code), HEAD + "@@ -1 +1 @@\n-a\n+b\n")
