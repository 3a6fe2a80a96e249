"""Replacing a file when the card is full, failing or read-only: whole, or as it was, and a sentence either way."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from edge.faults import Refused, ToolFault
from edge.hands import adding
from edge.hands import open as opening
from edge.hands import replace as replacing
from tests.support.opening import hand, world

CALLS = (
    "open",
    "write",
    "fchmod",
    "fchown",
    "fsync",
    "close",
    "stat",
    "rename",
    "readlink",
    "fstat",
    "listdir",
    "link",
)
WAYS = [errno.ENOSPC, errno.EIO, errno.EINTR, errno.EROFS, errno.EDQUOT, errno.EACCES]
OLD, NEW = b"old content\n" * 50, b"new content, longer than the old one\n" * 50


class Card:
    """Stands between the hands and the system: counts calls, and fails the one numbered `at` or all from it on."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.calls = 0
        self.at = 0
        self.code = 0
        self.lasting = False
        self.names: list[str] = []
        for name in CALLS:
            patch.setattr(os, name, self._failing(name, getattr(os, name)))
        patch.setattr(opening, "rename_new", self._failing("renameat2", opening.rename_new))
        patch.setattr(replacing, "rename_new", opening.rename_new)

    def _failing(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*values: Any, **more: Any) -> Any:
            if name == "close" and fcntl.fcntl(values[0], fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
                return real(*values, **more)  # close(2) tells what became of what was written, and nothing else
            self.calls += 1
            self.names.append(name)
            if self.at and (self.calls == self.at or (self.lasting and self.calls > self.at)):
                if name == "close":
                    real(*values, **more)  # close(2): the descriptor is gone whatever it says
                if name == "write" and self.code == errno.EINTR:
                    return real(values[0], bytes(values[1])[:7])  # cut short instead
                raise OSError(self.code, os.strerror(self.code))
            return real(*values, **more)

        return call


@pytest.fixture()
def card(monkeypatch: pytest.MonkeyPatch) -> Iterator[Card]:
    yield Card(monkeypatch)


def told(act: Callable[[], object]) -> str:
    """The sentence of a refusal, "" when it worked. Nothing else may come out."""
    try:
        act()
    except (ToolFault, Refused) as fault:
        assert len(str(fault)) > 10
        return str(fault)
    return ""


def sweep(folder: Path, exists: bool, code: int, lasting: bool, card: Card) -> int:
    """Fail each call of one write in turn; how many calls there were."""
    path = folder / "f"
    for at in range(1, 400):
        card.at = 0
        for name in os.listdir(folder):
            os.unlink(folder / name)
        if exists:
            path.write_bytes(OLD)
        writer = hand(world(folder), "write", "f")
        card.calls, card.at, card.code, card.lasting = 0, at, code, lasting
        card.names = []
        said = told(partial(writer.write, "f", NEW))
        reached, card.at = card.calls >= at, 0
        there = path.read_bytes() if path.exists() else None
        assert there in (NEW, OLD if exists else None), (at, card.names[-5:])
        assert os.listdir(folder) == (["f"] if there is not None else []), (at, card.names[-5:])
        if not said:
            assert there == NEW
        elif "nothing was changed" in said:
            assert there != NEW, (at, card.names[-5:])
        if not reached:
            return at - 1
    raise AssertionError("a write makes more calls than that?")


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "for good"])
@pytest.mark.parametrize("exists", [True, False], ids=["replaced", "new"])
@pytest.mark.parametrize("code", WAYS, ids=errno.errorcode.get)
def test_a_fault_at_any_call_leaves_the_old_or_the_new_file_and_nothing_else(
    tmp_path: Path, card: Card, exists: bool, code: int, lasting: bool
) -> None:
    calls = sweep(tmp_path, exists, code, lasting, card)
    assert calls > 15
    print(f"{calls} calls")


def test_a_folder_that_is_not_confirmed_says_that_the_file_was_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "f").write_bytes(OLD)
    real = os.fsync

    def failing(descriptor: int) -> None:
        if os.path.isdir(f"/proc/self/fd/{descriptor}"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", failing)
    assert "was replaced, but the card did not confirm it" in told(
        lambda: hand(world(tmp_path), "write", "f").write("f", NEW)
    )
    assert (tmp_path / "f").read_bytes() == NEW


FULL = """
import os, resource, sys
sys.path.insert(0, sys.argv[1])
from tests.support.opening import hand, world
from edge.faults import ToolFault
from pathlib import Path
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    hand(world(Path(sys.argv[2])), "write", "f").write("f", b"x" * 100000)
except ToolFault as fault:
    print(fault)
"""


def test_a_file_that_may_not_grow_so_large_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(OLD)
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(root), str(tmp_path)], capture_output=True, text=True, timeout=60, check=True
    )
    assert "file too large" in done.stdout and "nothing was changed" in done.stdout
    assert (tmp_path / "f").read_bytes() == OLD and os.listdir(tmp_path) == ["f"]


@pytest.fixture()
def mounted(tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """Mounts for one test; skips where they cannot be made."""
    made: list[Path] = []

    def mount(*words: str) -> Path:
        target = tmp_path / f"m{len(made)}"
        target.mkdir()
        done = subprocess.run(["mount", *words, str(target)], capture_output=True, text=True, timeout=20, check=False)
        if done.returncode:
            pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")
        made.append(target)
        return target

    if os.geteuid() != 0:
        pytest.skip("only root can mount")
    yield mount
    for target in reversed(made):
        subprocess.run(["umount", "-l", str(target)], check=False, timeout=20)


def test_a_full_card_is_a_sentence_and_the_old_file_stays(mounted: Callable[..., Path]) -> None:
    full = mounted("-t", "tmpfs", "-o", "size=64k", "none")
    (full / "f").write_bytes(OLD)
    (full / "ballast").write_bytes(b"x" * 40000)
    assert "no space left" in told(lambda: hand(world(full), "write", "f").write("f", b"y" * 60000))
    assert (full / "f").read_bytes() == OLD and sorted(os.listdir(full)) == ["ballast", "f"]


def test_a_read_only_card_is_a_sentence(mounted: Callable[..., Path]) -> None:
    closed = mounted("-t", "tmpfs", "-o", "size=64k", "none")
    (closed / "f").write_bytes(OLD)
    subprocess.run(["mount", "-o", "remount,ro", str(closed)], check=True, timeout=20)
    for name in ("f", "new"):
        said = told(partial(hand(world(closed), "write", name).write, name, NEW))
        assert "read-only file system" in said and "nothing was changed" in said
    assert (closed / "f").read_bytes() == OLD


def test_what_is_the_agents_own_is_known_behind_a_mount(tmp_path: Path, mounted: Callable[..., Path]) -> None:
    """A folder of the state, one below it, and one file of it, each mounted at another place of the workspace."""
    state = tmp_path / "state"
    (state / "tapes" / "old").mkdir(parents=True)
    (state / "tapes" / "old" / "t").write_text("S1AID")
    (state / "audit.key").write_text("K1EY")
    (tmp_path / "work").mkdir()
    places = [mounted("--bind", str(part)) for part in (state, state / "tapes", state / "tapes" / "old")]
    (tmp_path / "m9").write_text("")
    done = subprocess.run(
        ["mount", "--bind", str(state / "tapes" / "old" / "t"), str(tmp_path / "m9")], check=False, timeout=20
    )
    assert done.returncode == 0
    try:
        for path in ("m0/audit.key", "m0/tapes/old/t", "m1/old/t", "m2/t", "m2", "m9"):
            here = world(tmp_path, "full", state=str(state))
            assert "own state" in told(partial(hand(here, "read", path).read, path, 1, 9)), path
            assert told(partial(hand(here, "write", path).write, path, b"x"))
    finally:
        subprocess.run(["umount", "-l", str(tmp_path / "m9")], check=False, timeout=20)
    assert len(places) == 3 and (state / "audit.key").read_text() == "K1EY"
    assert (state / "tapes" / "old" / "t").read_text() == "S1AID"


def test_a_new_file_does_not_land_on_what_appeared_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.fsync

    def late(descriptor: int) -> None:
        real(descriptor)
        if not (tmp_path / "f").is_symlink():
            (tmp_path / "f").symlink_to("/etc/passwd")

    monkeypatch.setattr(os, "fsync", late)
    assert "appeared meanwhile" in told(lambda: hand(world(tmp_path), "write", "f").write("f", NEW))
    assert (tmp_path / "f").is_symlink() and os.listdir(tmp_path) == ["f"]


def refuse(code: int) -> Callable[..., None]:
    def call(*values: object, **more: object) -> None:
        raise OSError(code, os.strerror(code))

    return call


def test_a_card_that_knows_neither_permissions_nor_links_nor_renameat2_is_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As FAT and FUSE are: what they cannot do is refused, not done otherwise."""
    monkeypatch.setattr(replacing, "rename_new", refuse(errno.EINVAL))
    monkeypatch.setattr(os, "link", refuse(errno.EPERM))
    monkeypatch.setattr(os, "fchmod", refuse(errno.EPERM))
    here = world(tmp_path)
    old = os.umask(0o077)  # every file has the same permissions, the temp file too
    try:
        for content in (b"one", b"two"):
            assert not told(partial(hand(here, "write", "f").write, "f", content))
            assert (tmp_path / "f").read_bytes() == content and os.listdir(tmp_path) == ["f"]
    finally:
        os.umask(old)
    (tmp_path / "d").mkdir()
    test_a_new_file_does_not_land_on_what_appeared_meanwhile(tmp_path / "d", monkeypatch)


def test_a_new_file_has_the_permissions_that_every_new_file_has(tmp_path: Path) -> None:
    for mask, mode in ((0o022, 0o644), (0o002, 0o664), (0o077, 0o600)):
        old = os.umask(mask)
        try:
            hand(world(tmp_path), "write", f"f{mask}").write(f"f{mask}", NEW)
        finally:
            os.umask(old)
        assert (tmp_path / f"f{mask}").stat().st_mode & 0o7777 == mode


@pytest.mark.parametrize("code", [errno.ENOSYS, errno.EINVAL])
def test_without_renameat2_a_new_file_lands_on_nothing_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    monkeypatch.setattr(replacing, "rename_new", refuse(code))
    assert not told(lambda: hand(world(tmp_path), "write", "g").write("g", NEW))
    assert (tmp_path / "g").read_bytes() == NEW
    (tmp_path / "deeper").mkdir()
    test_a_new_file_does_not_land_on_what_appeared_meanwhile(tmp_path / "deeper", monkeypatch)


def test_a_file_that_was_swapped_since_it_was_judged_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "f").write_bytes(OLD)
    real = os.fsync

    def swap(descriptor: int) -> None:
        real(descriptor)
        (tmp_path / "other").write_bytes(b"another")
        os.rename(tmp_path / "other", tmp_path / "f")

    monkeypatch.setattr(os, "fsync", swap)
    assert "changed by something else" in told(lambda: hand(world(tmp_path), "write", "f").write("f", NEW))
    assert (tmp_path / "f").read_bytes() == b"another" and os.listdir(tmp_path) == ["f"]


def test_a_folder_that_is_moved_out_of_the_workspace_meanwhile_is_not_written_into(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    (work / "d").mkdir(parents=True)
    real = os.fsync

    def move(descriptor: int) -> None:
        real(descriptor)
        if (work / "d").exists():
            os.rename(work / "d", tmp_path / "out")

    monkeypatch.setattr(os, "fsync", move)
    assert "was moved meanwhile" in told(lambda: hand(world(work), "write", "d/f").write("d/f", NEW))
    assert os.listdir(tmp_path / "out") == []


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "for good"])
@pytest.mark.parametrize("small", [True, False], ids=["written anew", "at its end"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EINTR], ids=errno.errorcode.get)
def test_a_fault_at_any_call_of_an_append_takes_nothing_away_and_says_what_is_there(
    tmp_path: Path, card: Card, code: int, small: bool, lasting: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adding, "_SMALL", 1 << 20 if small else 10)
    path = tmp_path / "f"
    for at in range(1, 200):
        card.at = 0
        path.write_bytes(OLD)
        writer = hand(world(tmp_path), "write", "f")
        card.calls, card.at, card.code, card.lasting = 0, at, code, lasting
        said = told(partial(writer.put, "f", NEW, append=True))
        reached, card.at = card.calls >= at, 0
        there = path.read_bytes()
        assert there in (OLD, OLD + NEW) and os.listdir(tmp_path) == ["f"], at
        if not said or not reached:
            assert there == OLD + NEW
        elif "nothing was changed" in said:
            assert there == OLD
        if not reached:
            break
    assert at > 15
    print(f"{at - 1} calls")


def test_an_append_that_cannot_be_taken_back_says_how_much_of_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adding, "_SMALL", 10)
    (tmp_path / "f").write_bytes(OLD)
    real = os.write
    count = [0]

    def short(descriptor: int, data: bytes) -> int:
        count[0] += 1
        if count[0] > 1:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(descriptor, bytes(data)[:7])

    monkeypatch.setattr(os, "write", short)
    monkeypatch.setattr(os, "ftruncate", refuse(errno.EIO))
    said = told(lambda: hand(world(tmp_path), "write", "f").put("f", NEW, append=True))
    assert f"7 of {len(NEW)} bytes stand at its end" in said and (tmp_path / "f").read_bytes() == OLD + NEW[:7]


def test_what_was_read_before_is_replaced_only_while_it_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(OLD)
    here = world(tmp_path)
    _, stamp = hand(here, "read", "f").whole("f", 1 << 20)
    hand(here, "write", "f").put("f", NEW, stamp=stamp)
    assert "changed by something else" in told(lambda: hand(here, "write", "f").put("f", OLD, stamp=stamp))
    nothing, absent = hand(here, "read", "g").whole("g", 9, absent=True)
    assert (nothing, absent) == (b"", replacing.NEW)
    hand(here, "write", "g").put("g", NEW, stamp=absent)
    assert "changed by something else" in told(lambda: hand(here, "write", "g").put("g", OLD, stamp=absent))
    assert (tmp_path / "f").read_bytes() == (tmp_path / "g").read_bytes() == NEW


@pytest.mark.parametrize("exists", [True, False], ids=["replaced", "new"])
def test_a_process_that_is_killed_while_it_writes_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, exists: bool
) -> None:
    try:
        os.close(os.open(tmp_path, os.O_WRONLY | os.O_TMPFILE, 0o600))
    except OSError as error:
        pytest.skip(f"this file system has no files without a name: {error}")
    if exists:
        (tmp_path / "f").write_bytes(OLD)
    writer = hand(world(tmp_path), "write", "f")
    child = os.fork()
    if not child:
        os.fsync = lambda descriptor: os.kill(os.getpid(), 9)  # type: ignore[assignment]
        try:
            writer.write("f", NEW)
        finally:
            os._exit(0)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == 9
    assert os.listdir(tmp_path) == ["f"] * exists
    if exists:
        assert (tmp_path / "f").read_bytes() == OLD


@pytest.mark.parametrize("call", ["open", "link"])
def test_where_no_file_can_be_without_a_name_it_is_written_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    real = getattr(os, call)

    def without(path: Any, *values: Any, **more: Any) -> Any:
        if call == "link" or (path == "." and values[0] & os.O_TMPFILE == os.O_TMPFILE):
            raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))
        return real(path, *values, **more)

    monkeypatch.setattr(os, call, without)
    for content in (OLD, NEW):
        hand(world(tmp_path), "write", "f").write("f", content)
        assert (tmp_path / "f").read_bytes() == content and os.listdir(tmp_path) == ["f"]


@pytest.mark.parametrize("small", [True, False], ids=["written anew", "at its end"])
def test_appends_of_several_processes_at_once_all_arrive(
    tmp_path: Path, small: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adding, "_SMALL", 1 << 20 if small else 10)
    writers = [hand(world(tmp_path), "write", "f") for _ in range(4)]
    children = []
    for number, writer in enumerate(writers):
        child = os.fork()
        if not child:
            code = 1
            try:
                for line in range(10):
                    for _ in range(50):  # what is told to be tried again is tried again
                        if not told(partial(writer.put, "f", b"%d-%d\n" % (number, line), append=True)):
                            break
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    found = (tmp_path / "f").read_text().split()
    assert [name for name in found if name[0] == "2"] == [f"2-{line}" for line in range(10)]
    assert sorted(found) == sorted(f"{number}-{line}" for number in range(4) for line in range(10))
    assert os.listdir(tmp_path) == ["f"]


def test_an_append_goes_on_after_what_something_else_wrote_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "f"
    path.write_bytes(OLD)
    writer, real, wrote = hand(world(tmp_path), "write", "f"), os.fsync, []

    def meanwhile(descriptor: int) -> None:
        if not wrote:
            wrote.append(path.write_bytes(b"other\n"))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", meanwhile)
    assert writer.put("f", NEW, append=True)["was"] == "appended to" and wrote
    assert path.read_bytes() == b"other\n" + NEW and os.listdir(tmp_path) == ["f"]


def test_who_keeps_the_folder_locked_stops_no_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replacing, "_PATIENCE", 0.05)
    (tmp_path / "f").write_bytes(OLD)
    lock = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        hand(world(tmp_path), "write", "f").write("f", NEW)
    finally:
        os.close(lock)
    assert (tmp_path / "f").read_bytes() == NEW
