"""What every way of opening keeps to: openat2 below the root, and the walk that follows nothing.

The table is one of kinds, each tried over both ways: what is read, what is refused, and that nothing hangs.
"""

from __future__ import annotations

import gc
import os
import socket
import stat
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from edge.call import Call, Effect, Permit, Scene
from edge.faults import Fault, Refused, ToolFault
from edge.hands import Hands
from edge.hands.files import Files
from edge.hands.world import World
from edge.tape.unkept import Unkept
from tests.support.opening import WAYS, hand, hold, world


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """One of the two ways, held to for this test."""
    hold(request.param, monkeypatch)
    return str(request.param)


def files(folder: Path, verb: str, path: str, preset: str = "guarded", **more: Any) -> Files:
    """The hand of a call whose permit holds exactly `verb` on `path`, with the real gate to ask."""
    return hand(world(folder, preset, **more), verb, path)


def read(folder: Path, path: str, **more: Any) -> dict[str, Any]:
    return dict(files(folder, "read", path, **more).read(path, 1, 200))


@pytest.fixture()
def tree(tmp_path: Path) -> Path:
    """A workspace with every kind of thing in it, and a secret outside."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("SECRET")
    work = tmp_path / "work"
    (work / "d").mkdir(parents=True)
    (work / "ok").write_text("fine\n")
    (work / "d" / "f").write_text("deep\n")
    for name, target in {
        "in": "ok",
        "ind": "d",
        "d/up": "../ok",
        "absolute": str(work / "ok"),
        "out": str(outside / "secret"),
        "outrel": "../outside/secret",
        "outdir": str(outside),
        "proc": "/proc/self/root",
        "loop": "loop",
        "stdin": "/dev/stdin",
        "gone": "nothing",
        "chain": "out",
    }.items():
        (work / name).symlink_to(target)
    os.link(outside / "secret", work / "hard")
    os.mkfifo(work / "fifo")
    with open(work / "sparse", "wb") as file:
        file.truncate(1 << 40)
    return work


# path, what openat2 makes of it, what the walk makes of it: a text that is read, or the rest of a refusal
LINK = "is a link to"
CASES = [
    ("ok", "fine", "fine"),
    ("d/f", "deep", "deep"),
    ("./ok", "fine", "fine"),
    ("d//f", "deep", "deep"),
    ("d/../ok", "fine", "fine"),
    ("d/./../d/f", "deep", "deep"),
    ("in", "fine", f"{LINK} 'ok'"),
    ("ind/f", "deep", f"{LINK} 'd'"),
    ("d/up", "fine", f"{LINK} '../ok'"),
    ("absolute", f"{LINK} '/", f"{LINK} '/"),
    ("gone", "where nothing is", f"{LINK} 'nothing'"),
    ("outdir/secret", f"{LINK} '/", f"{LINK} '/"),
    ("out", f"{LINK} '/", f"{LINK} '/"),
    ("outrel", f"{LINK} '../outside/secret'", f"{LINK} '../outside/secret'"),
    ("chain", f"{LINK} 'out'", f"{LINK} 'out'"),
    ("proc/etc/hostname", f"{LINK} '/proc/self/root'", f"{LINK} '/proc/self/root'"),
    ("loop", f"{LINK} 'loop'", f"{LINK} 'loop'"),
    ("stdin", f"{LINK} '/dev/stdin'", f"{LINK} '/dev/stdin'"),
    ("hard", "SECRET", "SECRET"),
    ("fifo", "is a FIFO", "is a FIFO"),
    ("ok/", "no regular file", "no regular file"),
    ("ok/x", "'ok/x' cannot|not a directory", "not a directory"),
    ("%2e%2e/outside/secret", "no such file", "no such file"),
    ("ok\0.txt", "NUL", "NUL"),
    ("sparse", "[reading stopped where", "[reading stopped where"),
    ("n" * 300, "file name too long", "file name too long"),
]


@pytest.mark.parametrize(("path", "below", "walked"), CASES, ids=[ascii(case[0])[1:20] for case in CASES])
def test_each_kind_of_path_is_read_or_refused_in_a_sentence(
    tree: Path, way: str, path: str, below: str, walked: str
) -> None:
    wanted = below if way == "openat2" else walked
    begun = time.monotonic()
    try:
        told = str(read(tree, path)["text"])
    except ToolFault as fault:
        told = str(fault)
    assert any(part in told for part in wanted.split("|")), told
    assert time.monotonic() - begun < 30


def test_what_lies_outside_the_grant_has_no_way_in(tree: Path, way: str) -> None:
    """By the hand itself, with a grant that says another thing than the gate would ever grant."""
    here = world(tree)
    for path in ("../outside/secret", "/etc/hostname", str(tree / "ok")):
        for_ok = hand(here, "read", "ok")
        if path.startswith(str(tree)):
            assert for_ok.read(path, 1, 9)["text"] == "fine"
        else:
            with pytest.raises(Refused) as caught:
                for_ok.read(path, 1, 9)
            assert caught.value.rule == "hands.no-grant"


def test_a_socket_and_a_folder(tree: Path, way: str) -> None:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(tree / "sock"))
    with pytest.raises(ToolFault, match="is a socket"):
        read(tree, "sock")
    listener.close()
    assert read(tree, "d")["entries"] == ["f", "up"]
    with pytest.raises(ToolFault, match="no regular file"):
        files(tree, "write", "d").write("d", b"x")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make device nodes")
@pytest.mark.parametrize(("major", "minor"), [(1, 5), (5, 0), (10, 130)], ids=["zero", "tty", "watchdog"])
def test_a_device_node_in_the_workspace_is_not_even_opened(tree: Path, way: str, major: int, minor: int) -> None:
    try:
        os.mknod(tree / "node", 0o666 | stat.S_IFCHR, os.makedev(major, minor))
    except OSError as error:
        pytest.skip(f"no device nodes can be made here: {error}")
    for act in (lambda: read(tree, "node"), lambda: files(tree, "write", "node").write("node", b"x")):
        with pytest.raises(ToolFault, match=r"is a device|no regular file"):
            act()


def test_a_writer_that_waits_at_a_fifo_is_not_woken(tree: Path, way: str) -> None:
    child = os.fork()
    if not child:
        os.open(tree / "fifo", os.O_WRONLY)  # waits for a reader
        os._exit(7)
    try:
        time.sleep(0.2)
        with pytest.raises(ToolFault, match="is a FIFO"):
            read(tree, "fifo")
        time.sleep(0.2)
        assert os.waitpid(child, os.WNOHANG) == (0, 0)
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


@pytest.mark.parametrize("name", ["out", "outrel", "in", "gone", "loop"])
def test_no_write_goes_through_a_link(tree: Path, way: str, name: str) -> None:
    with pytest.raises(ToolFault, match="is a link to"):
        files(tree, "write", name).write(name, b"x")
    assert (tree.parent / "outside" / "secret").read_text() == "SECRET" and (tree / "ok").read_text() == "fine\n"
    assert (tree / name).is_symlink() and not (tree / "nothing").exists()


def test_no_write_goes_out_through_a_folder_link_nor_onto_a_second_name(tree: Path, way: str) -> None:
    for path in ("outdir/new", "proc/tmp/new"):
        with pytest.raises(ToolFault, match="is a link to"):
            files(tree, "write", path).write(path, b"x")
    with pytest.raises(ToolFault, match="hard link"):
        files(tree, "write", "hard").write("hard", b"x")
    assert os.listdir(tree.parent / "outside") == ["secret"]
    assert (tree.parent / "outside" / "secret").read_text() == "SECRET"


def test_what_a_link_inside_leads_to_is_judged_by_what_it_is(tree: Path, way: str) -> None:
    (tree / ".env").write_text("KEY=1")
    (tree / "conf").mkdir()
    (tree / "conf" / "server.pem").write_text("KEY")
    (tree / "harmless").symlink_to(".env")
    (tree / "data").symlink_to("conf")
    for path in ("harmless", "data/server.pem"):
        with pytest.raises(Fault) as caught:
            read(tree, path)
        assert "KEY" not in str(caught.value)
        if way == "openat2":
            assert isinstance(caught.value, Refused) and "by its own name" in str(caught.value)
    if way == "openat2":  # the operator's `full` allows secrets by their own name, so by another as well
        assert read(tree, "harmless", preset="full")["text"] == "KEY=1"


def test_a_write_into_a_linked_folder_is_judged_by_where_it_lands(tree: Path, way: str) -> None:
    (tree / ".git" / "hooks").mkdir(parents=True)
    (tree / "tidy").symlink_to(".git/hooks")
    with pytest.raises(Fault):
        files(tree, "write", "tidy/pre-commit").write("tidy/pre-commit", b"#!/bin/sh")
    assert os.listdir(tree / ".git" / "hooks") == []
    if way == "openat2":  # where a change of the workspace needs nobody's leave, a link inside is as good as its target
        assert files(tree, "write", "ind/new", "full").write("ind/new", b"x") == 1
        assert (tree / "d" / "new").read_bytes() == b"x"


def test_the_agents_state_is_refused_under_every_name(tree: Path, way: str) -> None:
    state = tree / "st"
    (state / "tapes").mkdir(parents=True)
    (state / "audit.key").write_text("K1E2Y3")
    (state / "tapes" / "t.jsonl").write_text("s1a2id")
    os.link(state / "audit.key", tree / "innocent")
    os.link(state / "tapes" / "t.jsonl", tree / "notes")
    (tree / "link").symlink_to("st/audit.key")
    (tree / "folder").symlink_to("st")
    for path in ("innocent", "notes", "link", "folder/audit.key", "st/audit.key", "st/tapes/t.jsonl", "folder"):
        with pytest.raises(Fault) as caught:
            read(tree, path, state=str(state), preset="full")
        assert "K1E2Y3" not in str(caught.value) and "s1a2id" not in str(caught.value)
        with pytest.raises(Fault):
            files(tree, "write", path, "full", state=str(state)).write(path, b"x")
    assert (state / "audit.key").read_text() == "K1E2Y3" and (state / "tapes" / "t.jsonl").read_text() == "s1a2id"
    assert read(tree, "hard", state=str(state))["text"] == "SECRET"


def test_a_permit_reads_in_a_system_place_what_its_links_lead_to(tree: Path, way: str) -> None:
    assert read(tree, "/proc/sys/kernel/ostype")["text"] == "Linux"
    assert read(tree, "/proc/sys/kernel/ostype")["place"] == "kernel"
    if way == "openat2":
        assert f"{os.getpid()}" in read(tree, "/proc/self/status")["text"]
        assert read(tree, "/proc/mounts")["text"]
    else:
        with pytest.raises(ToolFault, match="is a link to"):
            read(tree, "/proc/self/status")
    assert read(tree, "ok")["place"] == "workspace"


def test_this_process_gives_neither_its_memory_nor_its_environment(tree: Path, way: str) -> None:
    for who in ("self", "thread-self", str(os.getpid()), f"{os.getpid()}/task/{os.getpid()}"):
        for what in ("environ", "mem", "maps", "pagemap", "fd/0", "root/etc/hostname"):
            with pytest.raises(Fault):
                read(tree, f"/proc/{who}/{what}")


def test_nothing_that_blocks_holds_a_reader(tree: Path, way: str) -> None:
    for path in ("/proc/kmsg", "/proc/kcore", "/sys/kernel/debug/tracing/trace_pipe", "/sys/kernel/tracing/trace_pipe"):
        begun = time.monotonic()
        with pytest.raises(Fault):
            read(tree, path)
        assert time.monotonic() - begun < 30


def test_no_descriptor_is_left_open(tree: Path, way: str) -> None:
    def attempt(verb: str, path: str) -> None:
        found = files(tree, verb, path)
        with suppress(Fault):
            found.read(path, 1, 2) if verb == "read" else found.write(path, b"fine\n")

    gc.collect()  # worlds of earlier tests give theirs back first
    before = len(os.listdir("/proc/self/fd"))
    for path, _, _ in CASES:
        if "\0" not in path:
            attempt("read", path)
            attempt("write", path)
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) == before


def test_also_without_a_gate_refuses() -> None:
    bare = World(Scene("/", ""), Unkept(), lambda: pytest.fail("no board is needed"))
    with pytest.raises(Refused) as caught:
        Hands(Permit("c1", ()), Call("file_read", {}, "c1"), bare).also(Effect("read", "file:/etc/hosts"))
    assert caught.value.rule == "hands.no-gate"
