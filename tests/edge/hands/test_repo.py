"""The hand on repositories held against the real git on generated ones."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.support.repos import Bench, Chance

ROUNDS = 40 if os.environ.get("FIELDHAND_SOAK") == "1" else 2
SEEDS = range(1, 1 + ROUNDS)


def numbers(diff: str) -> list[tuple[str, int, int]]:
    """File, lines added, lines removed, as `git diff --numstat` has them."""
    found: dict[str, tuple[int, int]] = {}
    for part in re.split(r"^diff --git ", diff, flags=re.M)[1:]:
        head, _, body = part.partition("\n@@ ")
        lines = body.split("\n")[1:]
        added, removed = found.get(name := head.split("\n")[0].partition(" b/")[2], (0, 0))
        added += sum(line.startswith("+") for line in lines)
        found[name] = (added, removed + sum(line.startswith("-") for line in lines))
    return sorted((name, *counts) for name, counts in found.items())


def theirs(bench: Bench, *args: str) -> list[tuple[str, int, int]]:
    rows = [
        line.split("\t") for line in bench.git("diff", "--numstat", "--minimal", "--no-renames", *args).splitlines()
    ]
    return sorted((path, int(added), int(removed)) for added, removed, path in rows)


def whole(bench: Bench, operation: str, **args: str) -> str:
    found = bench.call("git_operations", operation=operation, **args)
    return found.whole or found.text


@pytest.mark.parametrize("seed", SEEDS)
def test_status_diff_and_log_are_those_of_git(tmp_path: Path, seed: int) -> None:
    bench = Bench(tmp_path / "r")
    chance = Chance(bench, seed)
    chance.history(6)
    bench.alike()
    for operation, args, option in (
        ("diff", {}, ()),
        ("staged", {}, ("--cached",)),
        ("diff", {"ref": "HEAD"}, ("HEAD",)),
    ):
        text = whole(bench, operation, **args)
        # Of a file that became a link git counts what one difference would have, and shows two.
        odd = {
            path for path in re.findall(r"^diff --git a/(.*) b/", text, re.M) if text.count(f"a/{path} b/{path}\n") > 1
        }
        mine = [one for one in numbers(text) if one[0] not in odd]
        assert mine == [one for one in theirs(bench, *option) if one[0] not in odd], (seed, operation)
        if numbers(text) and "ref" not in args:
            places = ("--cached",) if operation == "staged" else ()
            bench.git("apply", "--reverse", "--check", "--unidiff-zero", *places, data=(text + "\n").encode())
    assert numbers(whole(bench, "diff", ref="side..main")) == theirs(bench, "side", "main")
    for path in ("", "pump", "fan.txt", "valve"):
        mine = [line[:7] for line in bench.ask("log", limit=200, paths=path).split("\n") if line != "no commit"]
        assert mine == bench.git("log", "--format=%h", "--abbrev=7", *(["--", path] if path else [])).split()
    mine = [line[:7] for line in bench.ask("log", ref="side..main").split("\n")]
    assert mine == bench.git("log", "--format=%h", "--abbrev=7", "side..main").split()


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_added_committed_stashed_and_checked_out_is_what_git_would_have(tmp_path: Path, seed: int) -> None:
    bench = Bench(tmp_path / "r")
    chance = Chance(bench, 1000 + seed)
    chance.history(4)
    bench.ask("add", paths=".")
    bench.alike()
    assert not bench.git("add", "-A", "--dry-run")
    if bench.git("status", "--porcelain"):
        bench.ask("commit", message="all of it")
    bench.alike()
    assert not bench.git("status", "--porcelain")
    tree = bench.git("rev-parse", "HEAD^{tree}")
    bench.ask("checkout", ref="side")
    bench.alike()
    assert not bench.git("diff", "HEAD") and bench.git("rev-parse", "--abbrev-ref", "HEAD") == "side\n"
    bench.ask("checkout", ref="main")
    bench.alike()
    assert bench.git("rev-parse", "HEAD^{tree}") == tree and not bench.git("diff", "HEAD")
    for _ in range(6):
        chance.step()
    before = bench.git("diff", "HEAD", "--", ".")
    if before:
        bench.ask("stash")
        bench.alike()
        assert not bench.git("diff", "HEAD") and "WIP on main" in bench.git("stash", "list")
        bench.ask("stash_pop")
        bench.alike()
        assert bench.git("diff", "HEAD", "--", ".") == before and not bench.git("stash", "list")


def test_git_goes_on_with_what_was_made_here(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "r").begun()
    bench.write("a.txt", "one\n")
    bench.ask("stash", message="half done")
    bench.git("stash", "pop")
    bench.git("commit", "-qam", "second")
    bench.write("b.txt", "other\n")
    bench.git("stash")
    bench.git("pack-refs", "--all")
    assert bench.ask("stash_list").startswith("stash@{0}: WIP on main")
    bench.ask("stash_pop")
    bench.alike()
    assert "refs/stash" not in bench.git("for-each-ref") and (bench.home / "b.txt").read_text() == "other\n"


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_every_version_of_the_index_is_read_and_kept(tmp_path: Path, version: str) -> None:
    bench = Bench(tmp_path / "r").begun()
    if version == "3":
        bench.write("later", "x\n")
        bench.git("add", "-N", "later")
    else:
        bench.git("update-index", "--index-version", version)
    assert (bench.home / ".git/index").read_bytes()[7] == int(version)
    bench.write("new", "n\n")
    bench.ask("add", paths="new")
    bench.alike()
    assert "A  new" in bench.git("status", "--porcelain")


def test_a_file_changed_in_the_moment_of_the_index_is_seen(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "r").begun()
    for number in range(8):
        bench.write("a.txt", f"{number:02}\n")
        bench.ask("add", paths="a.txt")
        bench.write("a.txt", f"{number + 1:02}\n")
        bench.write("z", f"{number}\n")
        bench.ask("add", paths="z")
        assert "a.txt" in bench.git("diff", "--name-only").split()
        bench.alike()
