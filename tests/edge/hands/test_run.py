"""Shells inside a permit: what comes back, when they end, what is left of them."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from edge.call import Call, Grant, Permit
from edge.faults import Refused, ToolFault
from edge.hands import Hands, run
from edge.hands.wall import level, limits, tree
from edge.hands.world import World
from tests.support import descriptors
from tests.support.asking import forgiven, late, moment
from tests.support.boards import eventually
from tests.support.one_call import world

READ = (Grant("run", "shell", "sh"), Grant("read", "work", ".", True))
WRITE = (*READ, Grant("write", "work", ".", True))


def hands(here: World, *grants: Grant, seconds: float = 30.0) -> Hands:
    return Hands(Permit("c1", grants or READ, (), seconds, 8192), Call("bash", {}, "c1"), here)


def shell(folder: Path, text: str, *grants: Grant, seconds: float = 60.0) -> Any:
    return hands(world(folder), *grants).run.shell(text, seconds)


def cut_short(folder: Path, text: str, said: str, *grants: Grant, seconds: float = 0.6) -> Any:
    """What came of a text that ends at its deadline, given as long as this machine needs to get to where it says so."""
    while True:
        found = shell(folder, text, *grants, seconds=seconds)
        if found["stdout"] == said or seconds > 30:
            return found
        seconds *= 3


def alive(text: str) -> list[int]:
    """Processes with `text` in their command line."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                line = Path("/proc", name, "cmdline").read_bytes()
            except OSError:
                continue
            if text.encode() in line:
                found.append(int(name))
    return found


def command_line(pid: int) -> list[str]:
    try:
        return Path("/proc", str(pid), "cmdline").read_text().split("\0")[:-1]
    except OSError:
        return []


def test_both_streams_the_code_and_the_wall_come_back(tmp_path: Path) -> None:
    found = shell(tmp_path, "echo out; echo err >&2; exit 3")
    assert (found["stdout"], found["stderr"], found["code"]) == ("out\n", "err\n", 3)
    assert (found["ended"], found["signal"], found["cut"], found["killed"]) == ("exit", "", 0, 0)
    assert found["wall"] == level.find(state="", roots=(str(tmp_path),)).name
    assert 0 <= found["seconds"] < 20


def test_the_text_runs_byte_for_byte(tmp_path: Path) -> None:
    text = "printf '%s|' \"$0\" \"$#\" 'a  b' \"it's\" '$HOME' '水泵'; cat <<'E'\n\t$x `y` \\\nE\n"
    assert shell(tmp_path, text).get("stdout", "").endswith("a  b|it's|$HOME|水泵|\t$x `y` \\\n")
    assert shell(tmp_path, text)["stdout"].split("|")[1] == "0"
    assert shell(tmp_path, "echo $LINENO")["stdout"].strip() in ("1", "0", "")


def test_no_grant_no_shell_and_no_nul(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="holds no run") as caught:
        shell(tmp_path, "true", Grant("read", "work", ".", True))
    assert caught.value.rule == "hands.no-grant"
    with pytest.raises(ToolFault, match="NUL"):
        shell(tmp_path, "true\0")
    with pytest.raises(ToolFault, match="too long"):
        shell(tmp_path, ": " + "x" * 3_000_000)


def test_where_there_is_no_shell_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "SHELL", "/nowhere/sh")
    with pytest.raises(ToolFault, match="there is no /nowhere/sh on this system"):
        shell(tmp_path, "true")


def test_standard_input_is_empty_and_bytes_are_bytes(tmp_path: Path) -> None:
    assert shell(tmp_path, "cat; read x || echo none")["stdout"] == "none\n"
    assert shell(tmp_path, "printf '\\377\\n'")["stdout"] == "\ufffd\n"


def test_a_call_that_reads_changes_nothing_and_one_that_writes_does(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("f\n")
    if level.find().name in ("landlock", "namespaces"):
        assert shell(tmp_path, "echo x > g || rm f")["code"] != 0
    assert os.listdir(tmp_path) == ["f"]
    assert shell(tmp_path, "cat f > g && rm f", *WRITE)["code"] == 0
    assert os.listdir(tmp_path) == ["g"]
    assert (tmp_path / "g").stat().st_uid == os.geteuid()


def test_a_writing_call_has_a_temporary_folder_that_goes(tmp_path: Path) -> None:
    found = shell(tmp_path, 'echo x > "$TMPDIR/x" && mktemp > /dev/null && echo "$TMPDIR"', *WRITE)
    folder = found["stdout"].strip()
    assert found["code"] == 0 and folder.startswith("/") and not os.path.lexists(folder)
    assert shell(tmp_path, 'echo "${TMPDIR-none}"')["stdout"] == "none\n"
    beyond = (*READ, Grant("read", "system", "etc", True), Grant("read", "system", "var/lib/dpkg", True))
    assert shell(tmp_path, "echo x | tee $(mktemp)", *beyond)["stdout"] == "x\n"


def test_a_deadline_ends_the_whole_tree_and_keeps_the_output(tmp_path: Path) -> None:
    mark = f"61.{os.getpid()}"
    text = f"setsid sleep {mark} & (trap '' TERM; sleep {mark}) & echo kept; sleep {mark}"
    found = cut_short(tmp_path, text, "kept\n", seconds=1)
    assert (found["ended"], found["stdout"], found["code"], found["signal"]) == ("deadline", "kept\n", None, "SIGKILL")
    assert found["killed"] >= 3 and 1 <= found["seconds"] < 50
    assert alive(mark) == []


def test_the_permit_bounds_the_time_that_was_asked_for(tmp_path: Path) -> None:
    found = hands(world(tmp_path), *READ, seconds=0.5).run.shell("sleep 60", 60)
    assert found["ended"] == "deadline" and found["seconds"] < 40


def test_what_finding_the_wall_takes_is_of_the_permits_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find = level.find

    def slowly(*args: Any, **options: Any) -> level.Level:
        time.sleep(1.5)
        return find(*args, **options)

    monkeypatch.setattr(level, "find", slowly)
    begin = moment()
    found = hands(world(tmp_path), *READ, seconds=4.0).run.shell("echo kept; sleep 60", 60)
    assert (found["ended"], found["stdout"]) == ("deadline", "kept\n")
    assert time.monotonic() - begin < 4.0 + max(1.2, late(begin))
    with pytest.raises(ToolFault, match="was not started"):
        hands(world(tmp_path), *WRITE, seconds=1.0).run.shell(f"touch {tmp_path}/made", 60)
    assert os.listdir(tmp_path) == []


def test_what_is_left_in_the_background_is_ended_with_the_shell(tmp_path: Path) -> None:
    mark = f"62.{os.getpid()}"
    begin = time.monotonic()
    found = shell(tmp_path, f"setsid sleep {mark} & sleep {mark} & sleep 0.2; echo done")
    assert (found["ended"], found["code"], found["stdout"]) == ("exit", 0, "done\n")
    assert found["killed"] == 2 and time.monotonic() - begin < 50
    assert alive(mark) == []


@pytest.mark.parametrize("how", ["cut", "stop"])
def test_a_stop_from_outside_ends_it(tmp_path: Path, how: str) -> None:
    here = world(tmp_path)
    told: list[bool] = []
    mark = f"65.{os.getpid()}"
    here.stopping = lambda: bool(told)

    def end() -> None:
        eventually(lambda: any(line == ["sleep", mark] for line in map(command_line, alive(mark))))
        here.cut() if how == "cut" else told.append(True)

    thread = threading.Thread(target=end)
    thread.start()
    found = hands(here, seconds=60.0).run.shell(f"echo kept; sleep {mark}", 60)
    thread.join()
    assert (found["ended"], found["stdout"]) == ("stopped", "kept\n") and found["killed"] >= 1
    assert found["seconds"] < 50


def test_endless_output_is_bounded_and_counted(tmp_path: Path) -> None:
    found = shell(
        tmp_path, "echo first; head -c 6000000 /dev/zero | tr '\\0' x; echo; echo last; head -c 3000000 /dev/zero >&2"
    )
    kept = len(found["stdout"])
    assert found["stdout"].startswith("first\nxxx") and found["stdout"].endswith("xxx\nlast\n")
    assert (1 << 20) <= kept < (1 << 20) + 100 and len(found["stderr"]) < (1 << 20) + 100
    assert found["cut"] == 6000000 + 12 + 3000000 - 2 * (1 << 20)
    assert f"[{6000000 + 12 - (1 << 20)} bytes left out]" in found["stdout"]
    assert shell(tmp_path, "yes", seconds=1)["ended"] == "deadline"


def test_a_signal_is_named(tmp_path: Path) -> None:
    found = shell(tmp_path, "kill -SEGV $$")
    assert (found["code"], found["signal"]) == (None, "SIGSEGV")


def zombies() -> list[int]:
    """Children of this process that ended and were not reaped."""
    found = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return [pid for pid in found if tree.stat(pid)[:2] == ("Z", os.getpid())]


def test_nothing_piles_up(tmp_path: Path) -> None:
    for _ in range(10):  # what is kept for later calls is full
        shell(tmp_path, "true", *WRITE)
    gc.collect()
    before = descriptors.count()
    counted = threading.active_count(), len(limits._taken), zombies()
    for text in ("true", "sleep 9 &", "(sleep 0.01 &) ; sleep 0.1; exit 4", "kill -9 $$"):
        shell(tmp_path, text, *WRITE)
    gc.collect()
    eventually(lambda: descriptors.count() <= before)
    eventually(lambda: (threading.active_count(), len(limits._taken), zombies()) == counted)


def test_a_deadline_is_kept_as_well_as_this_machine_can_wake(tmp_path: Path) -> None:
    """Most are late by what is forgiven at most, for wake-ups that were seen while they ran."""
    here, over = world(tmp_path), []
    for _ in range(8):
        begun = moment()
        found = hands(here).run.shell("sleep 90 & sleep 90", 0.2)
        assert found["ended"] == "deadline" and found["seconds"] < 40
        over.append(found["seconds"] - 0.2 - forgiven(begun))
    assert sorted(over)[len(over) // 2] <= 0.0, over


def test_each_start_is_told(tmp_path: Path) -> None:
    here = world(tmp_path)
    told: list[tuple[int, int, int]] = []
    here.child = lambda pid, start, tag: told.append((pid, start, tag))
    hands(here).run.shell("true", 9)
    ((pid, start, tag),) = told
    assert pid > 1 and start > 0 and 0 < tag < 819_200


def test_a_policy_that_requires_a_wall_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = world(tmp_path)
    here.sandbox = "require"
    if level.find().name in ("landlock", "namespaces"):
        assert hands(here).run.shell("echo x", 9)["stdout"] == "x\n"
    monkeypatch.setattr(level, "find", lambda *_, **__: level.Level("seccomp", False, ("this kernel has neither",)))
    with pytest.raises(Refused, match="this kernel has neither") as caught:
        hands(here).run.shell("echo x > made", 9)
    assert caught.value.rule == "wall.required" and os.listdir(tmp_path) == []
    here.sandbox = "prefer"
    found = hands(here).run.shell("echo x", 9)
    assert found["wall"] == "seccomp" and "no wall held the files" in found["notes"][0]


def test_off_is_off_and_still_ends_everything(tmp_path: Path) -> None:
    here = world(tmp_path)
    here.sandbox = "off"
    mark = f"63.{os.getpid()}"
    found = hands(here).run.shell(f"setsid sleep {mark} & sleep 0.2; echo $$", 9)
    assert found["wall"] == "off" and found["killed"] == 1 and alive(mark) == []


def test_shells_at_the_same_time_do_not_end_each_other(tmp_path: Path) -> None:
    here = world(tmp_path)
    said: dict[int, Any] = {}

    def one(number: int) -> None:
        said[number] = hands(here).run.shell(f"sleep 99 & sleep 0.{number + 1}; echo {number}", 30)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [said[number]["stdout"] for number in range(4)] == [f"{number}\n" for number in range(4)]
    assert [said[number]["killed"] for number in range(4)] == [1] * 4
    assert signal.getsignal(signal.SIGCHLD) == signal.SIG_DFL


@pytest.mark.parametrize("name", level.ORDER)
def test_a_shell_ends_in_the_same_way_behind_every_wall(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = level.find(at_most=name, roots=(str(tmp_path),))
    if found.name != name:
        pytest.skip(f"not here: {'; '.join(found.reasons)}")
    monkeypatch.setattr(level, "find", lambda *_, **__: found)
    mark = f"64.{os.getpid()}"
    for grants in (READ, WRITE):
        said = shell(tmp_path, "cat; echo out; echo err >&2; pwd; exit 3", *grants)
        assert (said["stdout"], said["stderr"], said["code"]) == (f"out\n{tmp_path}\n", "err\n", 3)
        assert (said["wall"], said["ended"], said["killed"]) == (name, "exit", 0)
        said = shell(tmp_path, f"setsid sleep {mark} & sleep 0.2; echo done", *grants)
        assert (said["stdout"], said["ended"]) == ("done\n", "exit") and alive(mark) == []
        said = cut_short(tmp_path, f"setsid sleep {mark} & echo kept; sleep {mark}", "kept\n", *grants)
        assert (said["stdout"], said["ended"], said["code"]) == ("kept\n", "deadline", None) and alive(mark) == []
        assert said["killed"] >= 1 and said["seconds"] < 50
        assert shell(tmp_path, "kill -TERM $$", *grants)["signal"] == "SIGTERM"
    assert shell(tmp_path, "echo x > made && cat made", *WRITE)["stdout"] == "x\n"
    assert (tmp_path / "made").read_text() == "x\n" and (tmp_path / "made").stat().st_uid == os.geteuid()
