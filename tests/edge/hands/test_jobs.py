"""Shells in the background: what goes there, what is read of it, and that nothing is left when it ends."""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from edge.call import Call, Grant, Permit
from edge.faults import Refused, ToolFault
from edge.hands import Hands, jobs
from edge.hands.wall import level, limits
from edge.hands.world import World
from tests.edge.hands.test_run import WRITE, alive, zombies
from tests.support import descriptors
from tests.support.one_call import world

READS = Grant("read", "memory", "jobs")
ENDS = Grant("write", "memory", "jobs")


class Talk:
    """A conversation in a folder: each call has a number of its own."""

    def __init__(self, folder: Path) -> None:
        self.world: World = world(folder)
        self.world.job_seconds = 600.0
        self.over: list[Any] = []
        self.world.over = lambda call, facts: self.over.append((call.id, dict(facts)))
        self.calls = 0

    def hands(self, *grants: Grant) -> Hands:
        self.calls += 1
        call = f"c{self.calls}"
        return Hands(Permit(call, grants or WRITE, (), 600.0, 8192), Call("bash", {}, call), self.world)

    def shell(self, text: str, seconds: float = 20.0, **how: Any) -> Any:
        return self.hands().run.shell(text, seconds, **how)

    def start(self, text: str, until: str = "") -> str:
        """The name of a shell in the background that wrote `until`."""
        name: str = self.shell(text, background=True)["shell_id"]
        wait(lambda: until in self.output(name)["output"])
        return name

    def output(self, name: str, offset: int = 0, limit: int = 1 << 20) -> Any:
        return self.hands(READS).jobs.output(name, offset, limit)

    def kill(self, name: str) -> Any:
        return self.hands(ENDS).jobs.kill(name)

    def ended(self, name: str) -> Any:
        """The facts of a shell that ended."""
        wait(lambda: self.output(name)["status"] != "running")
        return self.output(name)


def wait(done: Callable[[], bool], seconds: float = 90.0) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.01)


@pytest.fixture
def talk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Talk]:
    monkeypatch.setattr(jobs, "GRACE", 20.0)  # a busy machine may take its time
    made = Talk(tmp_path)
    yield made
    made.world.close()


def test_what_is_waited_for_no_longer_goes_on_and_is_read_from_anywhere(talk: Talk) -> None:
    found = talk.shell("echo a; echo b >&2; while [ ! -e go ]; do sleep 0.02; done; echo c; exit 3", 0.4)
    assert (found["ended"], found["code"], found["shell_id"], found["killed"]) == ("moved", None, "sh-1", 0)
    wait(lambda: talk.output("sh-1")["length"] == 4)
    shown = found["stdout"], found["stderr"], found["next_offset"]  # by the time it took to start
    assert shown in (("", "", 0), ("a\n", "", 2), ("a\n", "b\n", 4))
    now = talk.output("sh-1")
    assert (now["status"], now["exit_code"], now["output"], now["next_offset"]) == ("running", None, "a\nb\n", 4)
    Path(talk.world.scene.cwd, "go").touch()
    wait(lambda: talk.output("sh-1")["status"] == "exited")
    for _ in range(2):  # as often as wanted, also after the end
        done = talk.output("sh-1", 4)
        assert (done["status"], done["exit_code"], done["output"], done["next_offset"]) == ("exited", 3, "c\n", 6)
        assert talk.output("sh-1")["output"] == "a\nb\nc\n" and talk.output("sh-1", 2, 3)["output"] == "b\nc"
    assert [talk.output("sh-1", at)["next_offset"] for at in (-5, 6, 99)] == [6, 6, 6]
    assert talk.output("sh-1", 0, 0)["next_offset"] == 0
    assert [one for one, _ in talk.over] == ["c1"] and talk.over[0][1]["exit_code"] == 3


def test_at_once_and_with_no_patience_it_is_the_same(talk: Talk) -> None:
    begin = time.monotonic()
    for how in ({"seconds": 30.0, "background": True}, {"seconds": 0.0}):
        found = talk.shell("echo x; sleep 60", **how)
        assert found["ended"] == "moved" and found["stdout"] == ""
    assert time.monotonic() - begin < 60
    assert talk.shell("echo fore", 20)["stdout"] == "fore\n"  # the others are left alone
    assert len(talk.world.shells().running()) == 2


def test_standard_input_is_empty_there_too(talk: Talk) -> None:
    name = talk.start('cat; read x || echo "nobody"; exit 5', "nobody")
    assert talk.ended(name)["exit_code"] == 5


def test_kill_asks_first_and_gives_the_children_time_as_well(talk: Talk) -> None:
    """The shell ends at once, its child takes a moment to put things in order."""
    child = "trap 'sleep 0.3; echo saved >> state; exit 0' TERM; echo up; while :; do sleep 0.02; done"
    name = talk.start(f"({child}) & wait", "up")
    found = talk.kill(name)
    assert (found["status"], found["exit_code"], found["signal"]) == ("killed", -15, "SIGTERM")
    assert Path(talk.world.scene.cwd, "state").read_text() == "saved\n"
    assert talk.kill(name) == {**found, "age": pytest.approx(found["age"], abs=30)}
    assert talk.output(name)["output"].startswith("up\n")


def test_a_handler_says_how_it_ended(talk: Talk) -> None:
    name = talk.start("trap 'exit 7' TERM; echo up; while :; do sleep 0.02; done", "up")
    found = talk.kill(name)
    assert (found["status"], found["exit_code"], found["words"]) == (
        "killed",
        7,
        f"{name} was ended by bash_kill, with exit code 7",
    )


def test_what_ignores_it_stands_still_or_hides_is_ended_all_the_same(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "GRACE", 0.5)
    mark = f"71.{os.getpid()}"
    text = f"trap '' TERM; setsid sh -c \"trap '' TERM; sleep {mark}\" & (sleep {mark}; :) & kill -STOP $! ; echo up; "
    name = talk.start(text + "while :; do sleep 0.05; done", "up")
    wait(lambda: len(alive(mark)) >= 2)
    found = talk.kill(name)
    assert (found["status"], found["signal"]) == ("killed", "SIGKILL") and alive(mark) == []


def test_after_its_end_a_kill_only_tells(talk: Talk) -> None:
    name = talk.start("echo done; exit 4", "done")
    talk.ended(name)
    found = talk.kill(name)
    assert (found["status"], found["exit_code"], found["why"]) == ("exited", 4, "")


def test_when_the_shell_ends_nothing_it_started_goes_on(talk: Talk) -> None:
    mark = f"72.{os.getpid()}"
    name = talk.start(f"setsid sleep {mark} & sleep {mark} & sleep 0.2; exit 6")
    assert talk.ended(name)["exit_code"] == 6 and alive(mark) == []


def test_one_that_closes_its_streams_lives_on_until_it_ends(talk: Talk) -> None:
    name = talk.start("echo up; exec >&- 2>&-; while [ ! -e go ]; do sleep 0.02; done; exit 8", "up")
    time.sleep(0.1)
    assert talk.output(name)["status"] == "running"
    Path(talk.world.scene.cwd, "go").touch()
    assert talk.ended(name)["exit_code"] == 8


def test_its_time_is_bounded(talk: Talk) -> None:
    mark = f"73.{os.getpid()}"
    talk.world.job_seconds = 0.6
    name = talk.start(f"echo up; setsid sleep {mark} & sleep {mark}", "up")
    found = talk.ended(name)
    assert (found["status"], found["why"], found["signal"]) == ("killed", "deadline", "SIGKILL")
    assert "its time was over" in found["words"] and alive(mark) == []
    # What is waited for longer than anything may last is ended, not moved.
    found = talk.shell("echo x; sleep 60", 30.0)
    assert found["ended"] == "deadline" and "shell_id" not in found


@pytest.mark.parametrize("what", ["everything", "its tool"])
def test_a_stop_ends_it(talk: Talk, what: str) -> None:
    mark = f"74.{os.getpid()}"
    told: list[bool] = []
    name = talk.start(f"echo up; setsid sleep {mark} & sleep {mark}", "up")
    if what == "everything":
        talk.world.stopping = lambda: bool(told)
    else:
        talk.world.forbidden = lambda call: bool(told) and call.id == "c1"
    told.append(True)
    assert talk.ended(name)["why"] == "stopped" and alive(mark) == []


def test_a_cut_ends_what_is_waited_for_and_not_the_background(talk: Talk) -> None:
    name = talk.start("echo up; sleep 60", "up")
    begun = Path(talk.world.scene.cwd, "begun")
    threading.Thread(target=lambda: (wait(begun.exists), talk.world.cut())).start()
    found = talk.shell("echo kept; sleep 0.1; touch begun; sleep 60", 50)
    assert (found["ended"], found["stdout"]) == ("stopped", "kept\n")
    assert talk.output(name)["status"] == "running"


def test_the_end_of_the_conversation_ends_all_and_lets_everything_go(tmp_path: Path) -> None:
    talk = Talk(tmp_path)
    mark = f"75.{os.getpid()}"
    talk.shell("true")
    gc.collect()
    before = descriptors.count(), len(limits._taken), zombies()
    for _ in range(3):
        talk.start(f"head -c 200000 /dev/zero | tr '\\0' x; echo up; setsid sleep {mark} & sleep {mark}", "up")
    talk.ended(talk.start("exit 1"))
    begin = time.monotonic()
    talk.world.close()
    assert alive(mark) == [] and time.monotonic() - begin < 60
    assert sorted(facts["why"] for _, facts in talk.over) == ["", "quit", "quit", "quit"]
    gc.collect()
    roots = 1  # the opened workspace
    assert descriptors.count() <= before[0] - roots
    assert (len(limits._taken), zombies()) == before[1:]
    with pytest.raises(ToolFault, match="the conversation ends"):
        talk.world.shells().room()


def test_so_many_at_a_time_and_no_more(talk: Talk) -> None:
    for _ in range(jobs.AT_ONCE):
        talk.start("sleep 60")
    with pytest.raises(ToolFault, match=r"4 shells run in the background already \(sh-1, ") as caught:
        talk.shell("sleep 60", background=True)
    assert "bash_kill" in str(caught.value)
    found = talk.shell("echo x; sleep 60", 0.3)
    assert found["ended"] == "deadline" and "4 shells" in found["full"] and found["stdout"] == "x\n"
    talk.kill("sh-1")
    talk.start("sleep 60")


def test_the_newest_that_ended_are_kept_and_names_are_never_used_again(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "KEPT", 3)
    names = []
    for number in range(5):
        names.append(talk.start(f"echo {number}", f"{number}\n"))
        talk.ended(names[-1])
    assert [talk.output(name)["output"] for name in names[-3:]] == ["2\n", "3\n", "4\n"]
    for name in names[:2]:
        with pytest.raises(ToolFault, match="kept no more"):
            talk.output(name)
    with pytest.raises(ToolFault, match=f"no background shell is called 'x' .there are {names[2]} .exited.") as caught:
        talk.kill("x")
    assert names[1] not in str(caught.value) and len(set(names)) == 5
    talk.calls = 0  # a call with the number of one before it
    assert talk.start("echo again") == "sh-1.2"


def test_what_all_of_them_wrote_is_bounded(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "ROOM", jobs.AT_ONCE * (jobs.HEAD + jobs.TAIL) + 2_500_000)
    names = []
    for _ in range(4):
        names.append(talk.start("head -c 1000000 /dev/zero | tr '\\0' x"))
        talk.ended(names[-1])
    with pytest.raises(ToolFault, match="kept no more"):
        talk.output(names[0])
    assert talk.output(names[1], 999_999)["output"] == "x"


def test_a_flood_is_bounded_and_the_newest_can_be_read(talk: Talk) -> None:
    text = "i=0; while [ $i -lt 12 ]; do head -c 1000000 /dev/zero | tr '\\0' x; i=$((i+1)); done; echo; echo end"
    for _ in range(5):
        name = talk.start(text)
        found = talk.ended(name)
        if "Cannot fork" not in talk.output(name, found["length"] - 60)["output"]:
            break  # processes are counted by user: another suite beside this one may have a storm of forks just now
    assert found["length"] == 12_000_000 + 5 and found["left_out"] > 2_000_000
    assert talk.output(name, found["length"] - 5)["output"] == "\nend\n"
    jump = talk.output(name, 9_000_000, 10)
    assert jump["skipped"] > 0 and jump["start"] == 9_000_000 + jump["skipped"] and jump["output"] == "x" * 10


def test_a_storm_of_forks_is_ended(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "GRACE", 0.3)
    mark = f"76.{os.getpid()}"
    name = talk.start(f"f() {{ sleep {mark} & f & f & wait; }}; echo up; f 2>/dev/null", "up")
    wait(lambda: len(alive(mark)) > 20)
    assert talk.kill(name)["status"] == "killed"
    assert alive(mark) == []


def test_ended_orphans_are_not_left_waiting(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_REAP", 0.1)
    before = len(zombies())
    name = talk.start("i=0; while [ $i -lt 40 ]; do (sleep 0 &); i=$((i+1)); done; echo up; sleep 60", "up")
    wait(lambda: len(zombies()) <= before)
    assert talk.output(name)["status"] == "running"


def test_without_a_conversation_nothing_goes_there(tmp_path: Path) -> None:
    talk = Talk(tmp_path)
    talk.world.job_seconds = 0.0
    assert talk.shell("echo x; sleep 60", 0.4)["ended"] == "deadline"
    for how in ({"background": True}, {"seconds": 0.0}):
        with pytest.raises(ToolFault, match="nothing goes on in the background here"):
            talk.shell("touch made", **how)
    assert os.listdir(tmp_path) == [] and talk.world.lasting() is None
    talk.world.close()


def test_no_grant_no_look_and_no_end(talk: Talk) -> None:
    name = talk.start("sleep 60")
    with pytest.raises(Refused, match="holds no write of memory:jobs"):
        talk.hands(READS).jobs.kill(name)
    with pytest.raises(Refused, match="holds no read of memory:jobs"):
        talk.hands(ENDS).jobs.output(name, 0, 1)


def test_it_stays_behind_the_wall_of_its_call(talk: Talk) -> None:
    read = (Grant("run", "shell", "sh"), Grant("read", "work", ".", True))
    if level.find().name not in ("landlock", "namespaces"):
        pytest.skip("no wall holds files here")
    found = talk.hands(*read).run.shell("sleep 0.3; echo x > made; echo $?; sleep 60", 0.0)
    wait(lambda: talk.output(found["shell_id"])["output"] != "")
    assert os.listdir(talk.world.scene.cwd) == []


def test_a_temporary_folder_lasts_as_long_as_the_shell(talk: Talk) -> None:
    name = talk.start('echo "$TMPDIR"; sleep 60', "\n")
    folder = talk.output(name)["output"].strip()
    assert os.path.isdir(folder)
    talk.kill(name)
    assert not os.path.lexists(folder)


@pytest.mark.parametrize("name", level.ORDER)
def test_it_ends_in_the_same_way_behind_every_wall(talk: Talk, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = level.find(at_most=name, roots=(talk.world.scene.cwd,))
    if found.name != name:
        pytest.skip(f"not here: {'; '.join(found.reasons)}")
    monkeypatch.setattr(level, "find", lambda *_, **__: found)
    mark = f"77.{os.getpid()}"
    shell = talk.start(
        f"echo up; setsid sleep {mark} & trap 'echo bye; exit 3' TERM; while :; do sleep 0.05; done", "up"
    )
    done = talk.kill(shell)
    assert (done["status"], done["exit_code"]) == ("killed", 3) and alive(mark) == []
    assert "bye" in talk.output(shell)["output"]
    shell = talk.start("echo up; exit 2", "up")
    assert talk.ended(shell)["exit_code"] == 2
