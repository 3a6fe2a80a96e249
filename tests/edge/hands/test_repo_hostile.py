"""Repositories that were made to do harm: each is answered in a sentence, and nothing outside is touched or run."""

from __future__ import annotations

import os
import random
import stat
import zlib
from hashlib import sha1
from pathlib import Path

import pytest

from edge.faults import Fault
from edge.hands import repo_index, repo_trees
from edge.hands.repo_index import Item
from tests.support.repos import Bench

LOOKS = ("status", "diff", "staged", "log", "show", "branch", "stash_list")
ROUNDS = 400 if os.environ.get("FIELDHAND_SOAK") == "1" else 40


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "r").begun()


def tree_of(bench: Bench, entries: list[tuple[str, bytes, str]]) -> str:
    """A tree as it could never be added, by the real git told not to look."""
    data = b"".join(b"%s %s\0" % (mode.encode(), name) + bytes.fromhex(value) for mode, name, value in entries)
    return bench.git("hash-object", "-t", "tree", "--literally", "-w", "--stdin", data=data).strip()


def branch_of(bench: Bench, tree: str, name: str = "evil") -> None:
    commit = bench.git("commit-tree", tree, "-p", "HEAD", "-m", "evil").strip()
    bench.git("update-ref", f"refs/heads/{name}", commit)


BAD = [
    b".git",
    b".GIT",
    b"..",
    b".",
    b"git~1",
    b"GIT~1",
    b".git ",
    b".git.",
    b".g\xe2\x80\x8cit",
    b".git::$DATA",
    b"a/b",
]
BAD += [b"x\\.git", b".git\\hooks", b"/etc"]


def outside_of_objects(bench: Bench) -> list[str]:
    return sorted(str(path) for path in bench.home.parent.rglob("*") if "/objects/" not in str(path))


def test_a_tree_that_would_write_where_no_file_of_it_lies_is_not_checked_out(bench: Bench) -> None:
    blob = bench.git("hash-object", "-w", "--stdin", data=b"#!/bin/sh\ntouch /tmp/owned\n").strip()
    inner = tree_of(bench, [("100755", b"post-checkout", blob)])
    for number, name in enumerate(BAD):
        value, mode = ((inner, "40000"), (blob, "100644"))[number % 2]
        branch_of(bench, tree_of(bench, [(mode, name, value)]))
        before = outside_of_objects(bench)
        said = bench.refused("checkout", ref="evil")
        assert "no path of a work tree" in said or "broken" in said, name
        assert before == outside_of_objects(bench)
        assert b"/" in name or bench.ask("show", ref="evil")


def test_links_that_lead_outside_are_not_made_and_not_written_through(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    for number, target in enumerate((b"/etc/passwd", b"../outside", b".git/hooks", b"d/../../outside")):
        blob = bench.git("hash-object", "-w", "--stdin", data=target).strip()
        branch_of(bench, tree_of(bench, [("120000", b"link", blob)]), f"evil{number}")
        assert "is a link to" in bench.refused("checkout", ref=f"evil{number}")
    bench.git("checkout", "-qb", "side")
    bench.write("e/f", "x\n")
    bench.git("add", "-A")
    bench.git("commit", "-qm", "side")
    bench.git("checkout", "-q", "main")
    (bench.home / "e").symlink_to(tmp_path / "outside")
    assert "would be lost: e/f" in bench.refused("checkout", ref="side")
    assert not list((tmp_path / "outside").iterdir())


def test_an_index_with_a_path_that_is_none_is_refused(bench: Bench) -> None:
    for path in (b"../x", b"/etc/passwd", b".git/config", b"d/../../x", b".GIT/hooks/a", b"d//c", b""):
        (bench.home / ".git/index").write_bytes(repo_index.text([((path, 0), Item(0o100644, b"1" * 40))]))
        for operation, args in (("status", {}), ("diff", {}), ("add", {"paths": "."}), ("commit", {"message": "m"})):
            assert "index of the repository" in bench.refused(operation, **args)


def index_with(kind: bytes) -> bytes:
    body = repo_index.text([])[:-20] + kind + b"\0\0\0\0"
    return body + sha1(body).digest()


def test_an_index_that_is_split_sparse_or_unknown_is_said(bench: Bench) -> None:
    for kind, word in ((b"link", "split"), (b"sdir", "sparse"), (b"what", "not known")):
        (bench.home / ".git/index").write_bytes(index_with(kind))
        assert word in bench.refused("status")
    (bench.home / ".git/index").write_bytes(index_with(b"UNTR"))
    assert "a.txt" in bench.ask("status")


def loose(bench: Bench, name: str, data: bytes) -> None:
    file = bench.home / ".git/objects" / name[:2] / name[2:]
    file.parent.mkdir(exist_ok=True)
    file.unlink(missing_ok=True)
    file.write_bytes(data)


def test_an_object_is_inflated_no_further_than_it_says_and_not_when_it_says_much(bench: Bench) -> None:
    import tracemalloc

    pump = zlib.compressobj(9)
    bomb = pump.compress(b"commit 100\0")
    for _ in range(64):
        bomb += pump.compress(bytes(1 << 20))
    bomb += pump.flush()
    head = bench.git("rev-parse", "HEAD").strip()
    for data in (
        bomb,
        zlib.compress(b"commit 1099511627776\0" + bytes(1000)),
        b"",
        b"x\x9c" * 50,
        zlib.compress(b"zap 3\0abc"),
    ):
        loose(bench, head, data)
        tracemalloc.start()
        assert "broken" in (said := bench.refused("log")) or "too large" in said
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
        tracemalloc.stop()
    loose(bench, head, zlib.compress(b"commit 3\0abc"))
    assert head in bench.refused("log")


def test_names_that_lead_round_or_out_are_said(bench: Bench) -> None:
    heads = bench.home / ".git/refs/heads"
    (heads / "x").write_text("ref: refs/heads/y\n")
    (heads / "y").write_text("ref: refs/heads/x\n")
    assert "circle" in bench.refused("log", ref="x")
    assert "main" in bench.ask("branch")
    for target in (
        "ref: ../../../etc/passwd",
        "ref: /etc/passwd",
        "ref: refs/../../../x",
        "ref: refs/heads/x",
        "nonsense",
    ):
        (bench.home / ".git/HEAD").write_text(target + "\n")
        assert len(bench.refused("status")) > 20
        assert len(bench.refused("commit", message="m")) > 20
    (bench.home / ".git/HEAD").unlink()
    (bench.home / ".git/HEAD").symlink_to("refs/heads/main")
    assert "cannot be used" in bench.refused("status")


def test_what_lies_elsewhere_is_said_and_not_followed(bench: Bench, tmp_path: Path) -> None:
    other = Bench(tmp_path / "other").begun()
    config = (bench.home / ".git/config").read_text()
    for line, word in (
        ("[core]\nworktree = /etc\n", "core.worktree"),
        ("[extensions]\nobjectFormat = sha256\n", "sha256"),
        ("[extensions]\nworktreeConfig = true\n", "worktreeconfig"),
        ("[core]\nrepositoryformatversion = 7\n", "format 7"),
    ):
        (bench.home / ".git/config").write_text(config + line)
        assert word in bench.refused("status")
    (bench.home / ".git/config").write_text(config + f"[include]\npath = {tmp_path}/none\n")
    bench.ask("status")
    name = other.git("rev-parse", "HEAD").strip()
    (bench.home / ".git/objects/info").mkdir(exist_ok=True)
    (bench.home / ".git/objects/info/alternates").write_text(f"{other.home}/.git/objects\n")
    (bench.home / ".git/refs/heads/far").write_text("1" * 40 + "\n")
    assert "alternates" in bench.refused("show", ref="far") and name
    (bench.home / ".git/commondir").write_text("../../other/.git\n")
    assert "commondir" in bench.refused("status")
    (bench.home / ".git").rename(bench.home / "kept")
    (bench.home / ".git").symlink_to(other.home / ".git")
    assert "elsewhere" in bench.refused("log")
    (bench.home / ".git").unlink()
    (bench.home / ".git").write_text(f"gitdir: {other.home}/.git\n")
    assert "elsewhere" in bench.refused("log")
    (bench.home / ".git/x").parent.unlink()
    assert "no repository" in bench.refused("log")
    (bench.home / ".git").mkdir()
    assert "no repository" in bench.refused("log")
    (bench.home / "kept/objects").rename(tmp_path / "objects")
    (bench.home / "kept/objects").symlink_to(tmp_path / "objects")
    (bench.home / "kept/commondir").unlink()
    (bench.home / ".git").rmdir()
    (bench.home / "kept").rename(bench.home / ".git")
    assert len(bench.refused("log")) > 20


def test_nothing_is_run_and_neither_settings_nor_hooks_change(bench: Bench, tmp_path: Path) -> None:
    script = tmp_path / "ran.sh"
    script.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\ncat\n")
    script.chmod(0o755)
    for hook in (
        "pre-commit",
        "commit-msg",
        "post-commit",
        "post-checkout",
        "post-index-change",
        "reference-transaction",
    ):
        (bench.home / ".git/hooks").mkdir(exist_ok=True)
        (bench.home / ".git/hooks" / hook).write_bytes(script.read_bytes())
        (bench.home / ".git/hooks" / hook).chmod(0o755)
    config = bench.home / ".git/config"
    config.write_text(
        config.read_text()
        + f"[core]\nfsmonitor = {script}\nhooksPath = {tmp_path}\npager = {script}\neditor = {script}\n"
        + f'[diff]\nexternal = {script}\n[diff "x"]\ntextconv = {script}\ncommand = {script}\n'
        + f'[commit]\ngpgsign = true\n[gpg]\nprogram = {script}\n[filter "f"]\nclean = {script}\nsmudge = {script}\n'
    )
    (bench.home / ".git/info").mkdir(exist_ok=True)
    (bench.home / ".git/info/attributes").write_text("*.txt diff=x\n")
    kept = {path: path.read_bytes() for path in [config, *(bench.home / ".git/hooks").iterdir()]}
    bench.write("a.txt", "changed\n")
    said = bench.ask("add", paths=".") + bench.ask("commit", message="quiet")
    assert "not signed" in said and "pre-commit was not run" in said
    bench.ask("branch", ref="side")
    bench.ask("checkout", ref="side")
    bench.write("b.txt", "changed\n")
    bench.ask("stash")
    bench.ask("stash_pop")
    for operation in LOOKS:
        bench.ask(operation)
    (bench.home / ".git/info/attributes").write_text("*.txt filter=f\n")
    assert "filter" in bench.refused("add", paths="a.txt") and "filter" in bench.ask("status")
    assert not (tmp_path / "ran").exists() and kept == {path: path.read_bytes() for path in kept}


def test_line_ends_that_git_would_change_are_said(bench: Bench) -> None:
    bench.write(".gitattributes", "* text=auto\n")
    bench.write("dos.txt", "a\r\nb\r\n")
    assert "line ends" in bench.refused("add", paths="dos.txt")
    assert "text" in bench.ask("status") and "added 1" in bench.ask("add", paths=".gitattributes")
    bench.git("config", "core.autocrlf", "true")
    assert "text" in bench.ask("status")


def test_keys_are_neither_shown_nor_added_unless_they_are_named(bench: Bench) -> None:
    bench.write(".env", "TOKEN=abc\n")
    bench.git("add", "-f", ".env")
    bench.git("commit", "-qm", "env")
    bench.write(".env", "TOKEN=def\n")
    bench.write("deploy.key", "private\n")
    for operation in ("diff", "show"):
        said = bench.ask(operation)
        assert ".env" in said and "TOKEN" not in said and "may hold keys" in said
    assert "TOKEN=def" in bench.ask("diff", paths=".env")
    assert "2 left out: keys" in bench.ask("add", paths=".")
    bench.preset = "guarded"
    found = bench.git("diff", "--cached", "--name-only")
    assert not found and "may hold keys" in bench.refused("stash")


def test_what_is_run_by_itself_is_not_written_by_a_checkout(bench: Bench, tmp_path: Path) -> None:
    bench.git("checkout", "-qb", "side")
    bench.write(".envrc", "touch ran\n")
    bench.git("add", "-A")
    bench.git("commit", "-qm", "side")
    bench.git("checkout", "-q", "main")
    guarded = Bench.__new__(Bench)
    guarded.home, guarded.clock = bench.home, bench.clock
    super(Bench, guarded).__init__(bench.home, "guarded")
    assert "nothing was changed" in guarded.refused("checkout", ref="side")
    assert not (bench.home / ".envrc").exists() and guarded.ask("status").startswith("## main\nnothing")


def test_a_lock_of_another_git_is_respected(bench: Bench) -> None:
    bench.write("a.txt", "x\n")
    lock = bench.home / ".git/index.lock"
    lock.touch()
    assert "index.lock is there" in bench.refused("add", paths="a.txt")
    lock.unlink()
    bench.ask("add", paths="a.txt")
    (bench.home / ".git/refs/heads/main.lock").touch()
    assert "main.lock is there" in bench.refused("commit", message="m")
    (bench.home / ".git/refs/heads/main.lock").unlink()
    bench.ask("commit", message="m")
    assert not list((bench.home / ".git").rglob("*.lock")) and not list((bench.home / ".git").rglob(".tmp*"))
    objects = [path for path in (bench.home / ".git/objects").glob("??/*") if path.is_file()]
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o444 for path in objects)


def test_trees_that_share_themselves_without_end_are_bounded(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repo_trees, "ENTRIES", 20_000)
    tree = bench.git("rev-parse", "HEAD^{tree}").strip()
    for _ in range(12):
        tree = tree_of(bench, [("40000", b"%02d" % number, tree) for number in range(12)])
    branch_of(bench, tree)
    assert "more than 20,000" in bench.refused("checkout", ref="evil") and "evil" in bench.ask("log", ref="evil")


def test_a_broken_repository_never_raises_anything_but_a_sentence(bench: Bench) -> None:
    bench.write("a.txt", "one\n2\nthree\n")
    bench.git("commit", "-qam", "second")
    bench.git("gc", "-q")
    bench.write("a.txt", "one\n3\n")
    chance = random.Random(7)
    files = [
        *(bench.home / ".git/objects/pack").iterdir(),
        bench.home / ".git/index",
        bench.home / ".git/packed-refs",
        bench.home / ".git/config",
        bench.home / ".git/HEAD",
    ]
    kept = {path: path.read_bytes() for path in files}
    said = 0
    for _ in range(ROUNDS):
        file = chance.choice(files)
        data = bytearray(kept[file])
        for _ in range(chance.choice((1, 1, 4, 30))):
            if data:
                data[chance.randrange(len(data))] = chance.randrange(256)
        if chance.random() < 0.3:
            del data[chance.randrange(len(data) + 1) :]
        file.chmod(0o644)
        file.write_bytes(bytes(data))
        for operation in chance.sample(LOOKS, 3):
            try:
                bench.ask(operation)
            except Fault as fault:
                said += 1
                assert len(str(fault)) > 15
        file.write_bytes(kept[file])
    print(f"{ROUNDS} broken repositories, {said} of {3 * ROUNDS} calls ended in a sentence")
    assert said > ROUNDS // 4
    bench.alike()
