"""The emergency stop as a file: what is in force, what is damaged, and what a power cut or a full card leaves."""

from __future__ import annotations

import errno
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from edge import stop
from edge.call import Call, Effect, Root, Scene
from edge.faults import Fault
from edge.gate.decide import decide
from edge.gate.policy import Policy, State
from edge.stop import One, Stop
from tests.support.boards import Clock, rounds

ROOT = Path(__file__).resolve().parents[2]
EVERYTHING = One("all", "smoke in the greenhouse", 1_800_000_000.5, "uid 0")
NETWORK = One("network", "", 5.0, "uid 1000")
GREP = One("tool:grep", "too slow", 6.0, "uid 1000")
READS = Effect("read", "file:/srv/a")


def test_nothing_is_stopped_without_a_file_or_a_folder(tmp_path):
    assert stop.read(str(tmp_path)) is None
    assert stop.read("") is None
    assert stop.read(str(tmp_path / "absent")) is None


def test_what_is_set_is_read_in_force_together_and_lifted_one_by_one(tmp_path):
    state = str(tmp_path)
    assert stop.set_(state, NETWORK) == Stop((NETWORK,))
    stop.set_(state, GREP)
    assert stop.set_(state, EVERYTHING) == stop.read(state) == Stop((NETWORK, GREP, EVERYTHING))
    assert stop.lift(state, "network") == (Stop((NETWORK, GREP, EVERYTHING)), Stop((GREP, EVERYTHING)))
    assert stop.lift(state, "network") == (None, Stop((GREP, EVERYTHING)))
    assert stop.lift(state)[1] is None
    assert stop.read(state) is None
    assert stop.lift(state) == (None, None)
    assert os.listdir(state) == []


def test_the_file_is_json_for_people_and_for_nobody_else(tmp_path):
    stop.set_(str(tmp_path), EVERYTHING)
    file = tmp_path / "stop"
    row = {"kind": "all", "why": "smoke in the greenhouse", "at": 1_800_000_000.5, "by": "uid 0"}
    assert json.loads(file.read_text()) == {"version": 1, "stops": [row]}
    assert file.stat().st_mode & 0o777 == 0o600


def test_the_same_kind_again_is_one_stop_with_the_new_reason(tmp_path):
    stop.set_(str(tmp_path), One("all", "first"))
    assert stop.set_(str(tmp_path), One("all", "second")).stops == (One("all", "second"),)


def decided(found, tool, *effects):
    """The rule by which the gate denies a call under this stop, "" when it does not."""
    scene = Scene("/srv", "/home/pi", (Root("work", "/srv"),))
    state = State(stopped=found.words)
    decision = decide(Call(tool, {}), effects, Policy(), state, scene)
    return decision.rule if decision.verdict == "deny" else ""


def test_the_gate_denies_what_a_stop_touches_and_nothing_else():
    url = Effect("fetch", "url:https://a.example/", detail="GET")
    both = Stop((NETWORK, GREP))
    assert both.words == "network tool:grep"
    assert both.everything == ""
    assert decided(both, "file_read", READS) == ""
    assert decided(both, "grep", READS) == "stop.tool"
    assert decided(both, "http_request", url) == "stop.network"
    assert decided(Stop((NETWORK, EVERYTHING)), "file_read", READS) == "stop.all"
    assert decided(Stop((), "it is empty"), "file_read", READS) == "stop.all"
    assert Stop((EVERYTHING,)).everything == "everything is stopped (smoke in the greenhouse)"


DAMAGED = [
    b"",
    b"\n",
    b"stop",
    b"\xff\xfe",
    b"null",
    b"{}",
    b"[]",
    b'{"version":1,"stops":[]}',
    b'{"version":2,"stops":[{"kind":"all","why":"","at":1.0,"by":""}]}',
    b'{"version":1,"stops":[{"kind":"some","why":"","at":1.0,"by":""}]}',
    b'{"version":1,"stops":[{"kind":"tool:","why":"","at":1.0,"by":""}]}',
    b'{"version":1,"stops":[{"kind":"network","why":"","at":1.0}]}',
    b'{"version":1,"stops":[{"kind":"network","why":"","at":1.0,"by":""}]}{}',
    b'{"version":1,"stops":[{"kind":"network","why":"","at":NaN,"by":""}]}',
    b'{"version":1,"version":1,"stops":[{"kind":"network","why":"","at":1.0,"by":""}]}',
    b'{"version":true,"stops":[{"kind":"network","why":"","at":1.0,"by":""}]}',
    b"[" * 10_000,
    b"x" * 20_000,
    b"\0" * 4096,
]


@pytest.mark.parametrize("content", DAMAGED, ids=range(len(DAMAGED)))
def test_what_cannot_be_understood_stops_everything(tmp_path, content):
    (tmp_path / "stop").write_bytes(content)
    found = stop.read(str(tmp_path))
    assert found.damaged
    assert found.words == "all"
    assert "cannot be read" in found.everything


def test_every_cut_of_a_stop_stops_everything_or_is_the_stop(tmp_path):
    whole = stop.text(Stop((NETWORK,)))
    for size in range(len(whole)):
        (tmp_path / "stop").write_bytes(whole[:size])
        found = stop.read(str(tmp_path))
        assert found is not None
        assert found.everything or found == Stop((NETWORK,))  # without the newline it is whole


def test_random_changes_never_lift_a_stop_nor_raise(tmp_path):
    dice = random.Random(8)
    whole = stop.text(Stop((EVERYTHING, NETWORK)))
    for _ in range(rounds(5000)):
        data = bytearray(whole)
        for _ in range(dice.randrange(1, 6)):
            at = dice.randrange(len(data))
            data[at : at + dice.randrange(3)] = bytes(dice.randrange(256) for _ in range(dice.randrange(3)))
        (tmp_path / "stop").write_bytes(data)
        assert stop.read(str(tmp_path)) is not None


def test_what_is_no_file_stops_everything_at_once(tmp_path):
    (tmp_path / "folder" / "stop").mkdir(parents=True)
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / "stop")
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / "stop").symlink_to("/dev/zero")
    (tmp_path / "loop").symlink_to("loop")
    for name in ("folder", "pipe", "link", "loop"):
        began = time.monotonic()
        assert stop.read(str(tmp_path / name)).everything
        assert time.monotonic() - began < 30.0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_that_may_not_be_read_stops_everything(tmp_path):
    stop.set_(str(tmp_path), NETWORK)
    (tmp_path / "stop").chmod(0)
    assert stop.read(str(tmp_path)).everything


def test_a_damaged_stop_stays_a_stop_of_everything_when_another_is_set(tmp_path):
    (tmp_path / "stop").write_bytes(b"half a")
    stop.set_(str(tmp_path), NETWORK)
    found = stop.read(str(tmp_path))
    assert [one.kind for one in found.stops] == ["all", "network"]
    assert "could not be read" in found.everything


def test_a_damaged_stop_is_lifted_as_a_whole_only(tmp_path):
    (tmp_path / "stop").write_bytes(b"half a")
    with pytest.raises(Fault, match="fieldhand resume"):
        stop.lift(str(tmp_path), "network")
    assert stop.read(str(tmp_path)).everything
    assert stop.lift(str(tmp_path))[1] is None
    assert stop.read(str(tmp_path)) is None


def test_a_long_reason_is_clipped_and_too_many_stops_become_one_of_everything(tmp_path):
    found = stop.set_(str(tmp_path), One("all", "x" * 5000))
    assert len(found.stops[0].why) == stop.WHY
    for number in range(stop.MOST + 3):
        stop.set_(str(tmp_path), One(f"tool:t{number}"))
    assert stop.read(str(tmp_path)).everything


@pytest.mark.skipif(os.geteuid() != 0, reason="a small file system is mounted by root")
def test_a_full_card_still_takes_a_stop(tmp_path):
    card = tmp_path / "card"
    card.mkdir()
    try:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(card)], check=True, timeout=20)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no file system can be mounted here")
    try:
        filler = os.open(card / "filler", os.O_WRONLY | os.O_CREAT)
        with pytest.raises(OSError):
            while True:
                os.write(filler, b"x" * 4096)
        os.close(filler)
        with pytest.raises(Fault, match="cannot be set"):
            stop.set_(str(card), NETWORK)
        assert stop.read(str(card)) is None
        assert stop.set_(str(card), EVERYTHING).everything
        assert stop.read(str(card)).everything
        assert sorted(os.listdir(card)) == ["filler", "stop"]
    finally:
        subprocess.run(["umount", "-l", str(card)], check=True, timeout=20)


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone gives files away")
def test_a_stop_by_root_belongs_to_the_owner_of_the_folder(tmp_path):
    os.chown(tmp_path, 4321, 4322)
    stop.set_(str(tmp_path), NETWORK)
    found = (tmp_path / "stop").stat()
    assert (found.st_uid, found.st_gid) == (4321, 4322)


def test_stops_that_are_set_at_the_same_time_are_all_in_force(tmp_path):
    code = "import sys; from edge import stop; stop.set_(sys.argv[1], stop.One(sys.argv[2]))"
    kinds = ["all", "network", *(f"tool:t{number}" for number in range(6))]
    started = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), kind], cwd=ROOT) for kind in kinds]
    assert [process.wait(60) for process in started] == [0] * len(kinds)
    assert {one.kind for one in stop.read(str(tmp_path)).stops} == set(kinds)


def test_a_stop_that_another_wrote_over_is_set_again(tmp_path, monkeypatch):
    """On a slow card nobody waits for the lock, so one who read before may write after."""
    slow, put = [], stop._show

    def overtaken(state, told):
        put(state, told)
        if not slow:
            slow.append(True)
            put(state, stop.Stop((stop.One("network"),)))

    monkeypatch.setattr(stop, "_show", overtaken)
    stop.set_(str(tmp_path), stop.One("tool:bash"))
    assert {one.kind for one in stop.read(str(tmp_path)).stops} == {"network", "tool:bash"}


def test_two_that_write_at_once_do_not_cut_each_others_file(tmp_path, monkeypatch):
    """One who is overtaken between its new file and its place; the other is another process and has no lock."""
    code = "import sys; from edge import stop; stop.set_(sys.argv[1], stop.One('network', 'x' * 300))"
    others, real = [], os.replace

    def overtaken(new, path):
        if not others:
            others.append(subprocess.run([sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, timeout=60).returncode)
        real(new, path)

    monkeypatch.setattr(os, "replace", overtaken)
    monkeypatch.setattr(stop, "os", os)
    assert stop.set_(str(tmp_path), GREP) == stop.read(str(tmp_path)) == Stop((GREP,))
    assert others == [0] and os.listdir(tmp_path) == ["stop"]


def test_what_killed_writers_left_is_removed_and_what_others_write_now_is_not(tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left = ["stop.new", "stop.x.new", f"stop.{ended.pid}.1.new", f"stop.{10**30}.1.new"]
    mine = [f"stop.{os.getpid()}.1.new", f"stop.{os.getppid()}.1.new", "stop.sh", "nonstop.1.new"]
    for change in (lambda: stop.set_(str(tmp_path), NETWORK), lambda: stop.lift(str(tmp_path))):
        for name in (*left, *mine):
            (tmp_path / name).write_bytes(b"half a")
        change()
        assert sorted({*os.listdir(tmp_path)} - {"stop"}) == sorted(mine)


def test_a_stop_waits_for_nobody_who_holds_the_folder(tmp_path):
    import fcntl

    fd = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    began = time.monotonic()
    stop.set_(str(tmp_path), EVERYTHING)
    assert time.monotonic() - began < 30.0
    assert stop.read(str(tmp_path)).everything
    os.close(fd)


def test_a_killed_stop_leaves_the_old_or_the_new_and_never_none(tmp_path):
    """SIGKILL while `all` is set over `network`, again and again: whatever stands there stops at least the network."""
    code = (
        "import sys\nfrom edge import stop\n"
        "print(flush=True)\n"
        "while True:\n"
        "    stop.set_(sys.argv[1], stop.One('all'))\n"
        "    stop.lift(sys.argv[1], 'all')\n"
    )
    stop.set_(str(tmp_path), NETWORK)
    dice = random.Random(9)
    for _ in range(rounds(100)):
        process = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE)
        process.stdout.readline()
        until = time.monotonic() + dice.uniform(0.0, 0.03)
        while time.monotonic() < until:
            assert stop.read(str(tmp_path)).words
        process.kill()
        process.wait()
        process.stdout.close()
        assert stop.read(str(tmp_path)).words
    stop.set_(str(tmp_path), NETWORK)
    assert os.listdir(tmp_path) == ["stop"]


class Faulty:
    """The os module, whose call number `at` of those that touch the card fails."""

    CARD = ("open", "write", "fsync", "replace", "unlink", "stat", "fchown", "read", "listdir")

    def __init__(self, at, number):
        self.left = at
        self.number = number

    def __getattr__(self, name):
        real = getattr(os, name)
        if name not in self.CARD:
            return real

        def call(*args, **options):
            self.left -= 1
            if self.left == 0:
                raise OSError(self.number, os.strerror(self.number))
            return real(*args, **options)

        return call


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EINTR, errno.EMFILE, errno.EACCES])
@pytest.mark.parametrize("before", [None, NETWORK], ids=["nothing", "network"])
def test_a_fault_at_any_call_never_loses_a_stop_that_was_told(tmp_path, monkeypatch, number, before):
    """Set, with every call failing once: what returns is in force, what cannot be is a sentence, never a traceback."""
    kept = failed = 0
    for at in range(1, 40):
        state = tmp_path / str(at)
        state.mkdir()
        if before:
            stop.set_(str(state), before)
        faulty = Faulty(at, number)
        monkeypatch.setattr(stop, "os", faulty)
        try:
            stop.set_(str(state), EVERYTHING)
            told = True
        except Fault:
            told = False
        monkeypatch.setattr(stop, "os", os)
        found = stop.read(str(state))
        assert not told or found.everything
        assert found is not None or before is None
        kept += told
        failed += not told
        if faulty.left > 0:
            break
    print(f"{kept} told, {failed} failed")
    assert kept >= 5


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EROFS])
def test_a_fault_at_any_call_of_lifting_leaves_the_stop_or_lifts_it(tmp_path, monkeypatch, number):
    for at in range(1, 40):
        state = tmp_path / str(at)
        state.mkdir()
        stop.set_(str(state), NETWORK)
        stop.set_(str(state), EVERYTHING)
        faulty = Faulty(at, number)
        monkeypatch.setattr(stop, "os", faulty)
        try:
            left = stop.lift(str(state), "network")[1]
        except Fault:
            left = EVERYTHING
        monkeypatch.setattr(stop, "os", os)
        assert left is not None and stop.read(str(state)).everything
        monkeypatch.setattr(stop, "os", Faulty(at, number))
        try:
            gone = stop.lift(str(state))[1] is None
        except Fault as fault:
            gone = "is lifted now" in fault.sentence
        monkeypatch.setattr(stop, "os", os)
        assert (stop.read(str(state)) is None) is gone
        if faulty.left > 0:
            break


def test_a_watch_sees_a_stop_and_its_end_soon_and_asks_the_card_seldom(tmp_path: Path) -> None:
    watch, clock = stop.Watch(str(tmp_path)), Clock()
    watch._now = clock
    assert watch.look() is None and not watch.everything()
    stop.set_(str(tmp_path), stop.One("all"))
    assert not watch.everything(), "what was seen a moment ago counts"
    clock.pass_(2 * stop.FRESH)
    assert watch.everything()
    (tmp_path / "stop").unlink()
    assert watch.everything()
    clock.pass_(2 * stop.FRESH)
    assert watch.look() is None
