"""Who only reads, where there is no Landlock: the board as it is, and nothing of it to be changed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edge.hands.wall import level, namespaces
from edge.hands.wall.confine import Confinement
from edge.hands.wall.notes import NOBODY, READ_ONLY, notes
from tests.support import mounts
from tests.support.rooms import PATH, SYSTEM, alive, ended, gone, heard, plan, run, start

ROOT = Path(__file__).parents[4]
REACHED = level.find(at_most="namespaces")
pytestmark = pytest.mark.skipif(REACHED.name != "namespaces", reason="; ".join(REACHED.reasons))


@pytest.fixture(scope="module", autouse=True)
def _no_keeper_stays(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    base = tmp_path_factory.getbasetemp()
    before = mounts.of_this_run(base)
    yield
    namespaces.end()
    assert mounts.of_this_run(base) == before, "the mounts of a child are seen by the agent"


def reader(folder: Path, **fields: Any) -> Confinement:
    given = {"writes": (), "reads": (*SYSTEM, "/var/log", str(folder)), "lists": ("/dev",), "alone": False, **fields}
    return plan(str(folder), **given)


def outside(text: str) -> list[str]:
    return os.popen(text).read().split()


@pytest.mark.parametrize(
    "text",
    [
        "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' ' | sort",
        "ls /dev",
        "ls -l /dev | awk '{print $1, $5, $NF}' | grep -v '^total' | head -n 40",
        "ps -e -o pid= -o comm= | awk '$1 == 1'",
        "df / | tail -n 1 | awk '{print $1, $NF}'",
        "cut -d' ' -f1,2,3 /proc/1/mounts 2> /dev/null | head -n 3",
        "ls /sys/class/net /usr /etc",
        "uname -a",
    ],
)
def test_the_board_is_seen_as_it_is(text: str, tmp_path: Path) -> None:
    assert run(reader(tmp_path), text).text.split() == outside(text)


def test_what_is_not_as_it_is_is_said(tmp_path: Path) -> None:
    for text, sentence in (("cat /proc/self/mounts", READ_ONLY), ("ls -l /usr/..", NOBODY)):
        shown = run(reader(tmp_path), text).text
        told = notes("namespaces", True, os.geteuid() == 0, text, shown)
        assert (sentence in told) == ((" ro," in shown) if sentence == READ_ONLY else ("nobody" in shown))
    assert "ro," in run(reader(tmp_path), "grep ' / ' /proc/self/mounts").text


def test_its_temporary_folder_is_its_own_and_can_be_written(tmp_path: Path) -> None:
    own = tmp_path / "temporary"
    own.mkdir(0o700)
    environment = (("PATH", PATH), ("TMPDIR", str(own)))
    made = reader(tmp_path, writes=(str(own),), environment=environment)
    assert namespaces.only_reads(made)
    came = run(made, 'f=$(mktemp) && echo kept > "$f" && cat "$f" && case "$f" in "$TMPDIR"/*) echo there; esac')
    assert (came.code, came.text) == (0, "kept\nthere\n")
    assert run(made, f"echo x > {tmp_path}/new").code != 0 and os.listdir(own) == []


def test_the_agent_and_its_like_are_seen(tmp_path: Path) -> None:
    assert run(reader(tmp_path), f"test -d /proc/{os.getpid()} && echo seen").text == "seen\n"


def test_nothing_can_be_changed(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("as it was\n")
    acts = (
        "echo x > file",
        "echo x > new",
        "rm file",
        "mv file other",
        "chmod 777 file",
        "touch file",
        "mkdir d",
        "ln file l",
    )
    for act in acts:
        came = run(reader(tmp_path), act)
        assert came.code != 0 and "ead-only file system" in came.text, (act, came)
    assert (tmp_path / "file").read_text() == "as it was\n" and sorted(os.listdir(tmp_path)) == ["file"]
    for act in (
        "echo x > /etc/x",
        "echo x > /var/tmp/x",
        "echo x > /dev/x",
        "echo 1 > /proc/sys/kernel/sysrq",
        "echo x > /sys/x",
    ):
        assert run(reader(tmp_path), act).code != 0, act


def test_no_device_opens_but_five_and_the_named(tmp_path: Path) -> None:
    text = "for n in /dev/*; do test -c $n -o -b $n && (exec 3< $n) 2> /dev/null && echo $n; done"
    five = {f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom")}
    # The standard streams are links to what the child was given.
    assert set(run(reader(tmp_path), text).text.split()) - {"/dev/stdin", "/dev/stdout", "/dev/stderr"} == five
    came = run(reader(tmp_path), "echo x > /dev/null && head -c 2 /dev/zero | wc -c")
    assert came.text.strip() == "2"


def test_what_is_hidden_and_what_was_not_granted_is_closed(tmp_path: Path) -> None:
    inside, other = tmp_path / "in", tmp_path / "other"
    inside.mkdir()
    other.mkdir()
    (other / "secret").write_text("secret\n")
    (inside / ".env").write_text("secret\n")
    (inside / "keys").mkdir()
    (inside / "keys/id").write_text("secret\n")
    hidden = (str(inside / ".env"), str(inside / "keys"), str(inside / "absent"), "/etc/hostname")
    text = f"cat .env keys/id {other}/secret /etc/hostname; ls keys {other}; ls -a {tmp_path} /home /root"
    came = run(reader(inside, hidden=hidden), text)
    assert "secret\n" not in came.text and "other\n" not in came.text and "id\n" not in came.text.replace("keys/id", "")
    name = Path("/etc/hostname")
    assert not name.exists() or name.read_text().strip() not in came.text.split()


def test_only_names_of_a_folder_that_may_be_listed(tmp_path: Path) -> None:
    inside, listed = tmp_path / "in", tmp_path / "listed"
    inside.mkdir()
    listed.mkdir()
    (listed / "a").write_text("secret\n")
    (listed / "b").mkdir()
    came = run(reader(inside, lists=(str(listed),)), f"ls {listed}; cat {listed}/a; ls {listed}/b")
    assert came.text.split()[:2] == ["a", "b"] and "secret" not in came.text


def test_it_has_a_tmp_of_its_own_and_nothing_else_to_write(tmp_path: Path) -> None:
    came = run(reader(tmp_path), "echo x > /tmp/own-file && cat /tmp/own-file; printf 'b\\na\\n' | sort")
    assert came.text.split() == ["x", "a", "b"] and not Path("/tmp/own-file").exists()


def test_the_agent_can_be_neither_signalled_nor_read(tmp_path: Path) -> None:
    os.environ["OF_THE_AGENT"] = "1"
    text = "kill -URG $AGENT; echo $?; cat /proc/$AGENT/environ | wc -c; cat /proc/$AGENT/maps | wc -c"
    came = run(reader(tmp_path), f"AGENT={os.getpid()}; {text}")
    assert [word for word in came.text.split() if word.isdigit()] == ["1", "0", "0"]


def test_its_processes_end_with_it(tmp_path: Path) -> None:
    child, told = start(
        reader(tmp_path), "setsid sleep 300 & (setsid sh -c 'echo $$; exec sleep 300' &); echo up; wait"
    )
    words = heard(told, until=b"up").split()
    while len(words) < 2:
        words += os.read(told, 100).split()
    orphan = next(int(word) for word in words if word != b"up")
    assert alive(orphan)
    assert child.kill_tree() >= 3 and gone(orphan) and ended(child) is not None
    assert heard(told) == b""
    child.close()
    os.close(told)


def test_an_orphan_of_the_first_call_of_an_agent_ends_too(tmp_path: Path) -> None:
    code = f"""
        import os, sys, time; sys.path.insert(0, {str(ROOT)!r})
        from tests.support.rooms import SYSTEM, ended, heard, plan, start
        from edge.hands.wall import namespaces
        made = plan({str(tmp_path)!r}, writes=(), reads=(*SYSTEM, {str(tmp_path)!r}))
        child, told = start(made, "(sh -c 'echo $$; exec sleep 300' &); echo up; sleep 300")
        words = []
        while len(words) < 2:
            words += os.read(told, 100).split()
        pid = next(int(word) for word in words if word != b"up")
        child.kill_tree()
        heard(told)
        namespaces.end()
        print(pid)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert gone(int(done.stdout))


@pytest.mark.soak
def test_ended_at_any_moment_nothing_is_left_of_a_call(tmp_path: Path) -> None:
    chance = random.Random(5)
    rounds = 200 if os.environ.get("FIELDHAND_SOAK") == "1" else 20
    ends = ("exit 0", "sleep 20", "kill -9 $$")
    killed = 0
    for number in range(rounds):
        made = plan(str(tmp_path)) if number % 2 else reader(tmp_path)
        text = f"setsid sleep 50 & (sleep 50 &); for i in 1 2 3 4 5 6; do sleep 0.01; done; {chance.choice(ends)}"
        child, told = start(made, text)
        time.sleep(chance.random() * 0.08)
        killed += child.kill_tree()
        assert ended(child) is not None
        # The pipe comes to its end when nobody holds it any more.
        assert heard(told) == b""
        child.close()
        os.close(told)
    print(f"{rounds} calls ended at any moment, {killed} processes with them")
    assert killed >= rounds


def test_its_end_is_told_and_its_limits_hold(tmp_path: Path) -> None:
    assert run(reader(tmp_path), "exit 3").code == 3
    assert run(reader(tmp_path), "kill -TERM $$").code == -signal.SIGTERM
    assert run(reader(tmp_path), "ulimit -H -n").text == "1024\n"
    words = run(reader(tmp_path), "grep -E 'Cap(Eff|Prm)|NoNew|^Seccomp:' /proc/self/status").text.split()
    assert words[1::2] == ["0" * 16, "0" * 16, "1", "2"]
