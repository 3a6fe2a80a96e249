"""How a program is started: what it inherits, what it does not, and what the agent keeps."""

from __future__ import annotations

import gc
import os
import resource
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from edge.hands.wall import limits, spawn, tree
from edge.record import replace
from tests.support import descriptors
from tests.support.walls import HELD, act, needs_landlock, needs_root, plan

LEVELS = ["seccomp", "off", pytest.param("landlock", marks=needs_landlock)]


@pytest.mark.parametrize("level", LEVELS)
def test_three_descriptors_a_clean_environment_and_default_signals(tmp_path: Path, level: str) -> None:
    leak = os.open("/etc/hostname", os.O_RDONLY)
    os.set_inheritable(leak, True)
    try:
        made = plan(tmp_path, level=level, environment=(("PATH", "/usr/bin:/bin"), ("ONE", "two words")))
        ended = act(made, "ls /proc/self/fd; /usr/bin/env; grep -E 'Sig(Blk|Ign)' /proc/self/status; pwd; umask")
    finally:
        os.close(leak)
    lines = ended.text.split()
    assert lines[:3] == ["0", "1", "2"] and lines[3] == "3", "the fourth is the folder that ls itself opened"
    assert lines[4] not in "456789"
    assert {"PATH=/usr/bin:/bin", "ONE=two", "words"} <= set(lines)
    assert not any(line.startswith(("HOME=", "USER=", "LD_", "PYTEST")) for line in lines)
    assert lines[lines.index("SigBlk:") + 1] == "0" * 16
    # Signals 32 and 33 are the C library's own, which it ignores in what it starts.
    assert int(lines[lines.index("SigIgn:") + 1], 16) & ~(3 << 31) == 0
    assert str(tmp_path) in lines and lines[-1] == "0022"


@pytest.mark.parametrize("level", LEVELS)
def test_no_privileges_are_left_and_none_can_be_gained(tmp_path: Path, level: str) -> None:
    ended = act(plan(tmp_path, level=level), "grep -E 'Cap(Prm|Eff|Inh|Amb)|NoNewPrivs|^Seccomp:' /proc/self/status")
    found = dict(line.split(":\t") for line in ended.text.splitlines())
    assert found["NoNewPrivs"] == "1"
    assert found["Seccomp"] == ("0" if level == "off" else "2")
    if level != "off":
        assert {found[name] for name in ("CapPrm", "CapEff", "CapInh", "CapAmb")} == {"0" * 16}


@needs_root
def test_a_capability_that_is_named_outlives_the_start(tmp_path: Path) -> None:
    ended = act(plan(tmp_path, level="seccomp", capabilities=("syslog",)), "grep CapEff /proc/self/status")
    assert int(ended.text.split()[1], 16) == 1 << 34


@pytest.mark.parametrize("level", LEVELS)
def test_the_agent_is_as_it_was(tmp_path: Path, level: str) -> None:
    def state() -> tuple[object, ...]:
        status = Path("/proc/self/status").read_text()
        kept = [line for line in status.splitlines() if line.startswith(("Cap", "NoNew", "Seccomp:", "Uid", "Umask"))]
        rlimits = [resource.getrlimit(one) for one in range(16)]
        return kept, os.getcwd(), rlimits, descriptors.count(), gc.isenabled(), threading.active_count()

    act(plan(tmp_path, level=level), "true")  # what is kept for later starts is kept now
    before = state()
    for _ in range(5):
        act(plan(tmp_path, level=level), "echo x > f")
    assert state() == before
    (tmp_path.parent / "still").write_text("the agent writes where its child may not")


@pytest.mark.parametrize("level", LEVELS)
def test_limits_are_there_and_stay(tmp_path: Path, level: str) -> None:
    """From the first instruction on; addresses too, unless this process itself has so many that a start needs more."""
    text = (
        f"grep 'address space' /proc/self/limits; {HELD} cat /proc/self/limits; "
        "for one in '-n 4000' '-c 9' '-f unlimited' '-v unlimited' '-t unlimited'; "
        "do ulimit $one 2>/dev/null && echo raised; done; true"
    )
    large = limits._least()[resource.RLIMIT_AS] > 4 << 30
    ended = act(plan(tmp_path, level=level), text)
    assert ended.text.split()[3] == str(4 << 30) or large
    found = {line[:24].strip(): line[24:].split()[:2] for line in ended.text.splitlines()}
    assert found["Max address space"][0] == found["Max file size"][0] == str(4 << 30)
    assert found["Max open files"][0] == "1024"
    assert found["Max core file size"][0] == "0"
    assert "raised" not in ended.text


@pytest.mark.parametrize(("word", "most"), [((1 << 31) - 1, (4 << 30) - 4096), ((1 << 63) - 1, 4 << 30)])
def test_four_gib_is_a_limit_on_32_bits_too(
    tmp_path: Path, word: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There 1 << 32 would be cut to what the C library calls infinity, and nothing would be held."""
    monkeypatch.setattr(sys, "maxsize", word)
    found = dict(limits.wanted(plan(tmp_path)))
    assert found[resource.RLIMIT_FSIZE] == found[resource.RLIMIT_AS] == most


@pytest.mark.parametrize("level", LEVELS)
def test_a_file_beyond_the_limit_and_memory_beyond_the_limit_fail(tmp_path: Path, level: str) -> None:
    made = plan(tmp_path, level=level)
    small = replace(made, limits=replace(made.limits, file_size=1 << 16, memory=64 << 20))
    assert act(small, HELD + "dd if=/dev/zero of=big bs=1024 count=100 2>/dev/null").code != 0
    assert (tmp_path / "big").stat().st_size <= 1 << 16
    assert act(small, HELD + "head -c 200000000 /dev/zero | tail -n 1 > /dev/null").code != 0


def test_an_agent_that_has_much_mapped_starts_what_may_have_little(tmp_path: Path) -> None:
    """In a process of its own, with as many addresses as hundreds of threads reserve, and many open files."""
    code = (
        "import mmap, resource, sys\n"
        "from pathlib import Path\n"
        "from edge.record import replace\n"
        "from tests.support.walls import HELD, act, plan\n"
        "much = mmap.mmap(-1, 9 << 30, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ)\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (1024, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))\n"
        "many = [open('/dev/null') for _ in range(700)]\n"
        "made = plan(Path(sys.argv[1]), level='seccomp')\n"
        "made = replace(made, limits=replace(made.limits, memory=64 << 20))\n"
        "print(act(made, HELD + 'ulimit -v').text)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True, check=True)
    assert int(ran.stdout) == 64 << 10


def test_a_program_that_is_not_there_is_an_error_with_its_name(tmp_path: Path) -> None:
    null = os.open("/dev/null", os.O_RDWR)
    tag = limits.tag()
    try:
        before = descriptors.count()
        plain = tmp_path / "plain"
        plain.write_text("no program")
        plain.chmod(0o644)
        for argv, number in ((["/no/such"], 2), ([str(plain)], 13)):
            with pytest.raises(OSError, match=argv[0]) as caught:
                spawn.start(plan(tmp_path, level="seccomp", tag=tag), argv, null, null, null)
            assert caught.value.errno == number
        with pytest.raises(OSError, match="null"):
            spawn.start(plan(tmp_path, level="seccomp", tag=tag), ["/bin/echo", "a\0b"], null, null, null)
        with pytest.raises(OSError):
            spawn.start(plan(tmp_path / "none", level="seccomp", tag=tag), ["/bin/true"], null, null, null)
        assert descriptors.count() == before
        assert resource.getrlimit(limits.QUEUES)[0] != tag
        assert not tree.members(tag)
    finally:
        os.close(null)
        limits.free(tag)


def test_the_streams_may_be_any_descriptors_also_each_others_numbers(tmp_path: Path) -> None:
    """In a process of its own, whose 0, 1 and 2 are given in another order."""
    code = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from edge.hands.wall import limits, spawn\n"
        "from tests.support.walls import plan\n"
        "made = plan(Path(sys.argv[1]), level='seccomp', tag=limits.tag())\n"
        "child = spawn.start(made, ('/bin/sh', '-c', 'cat; echo err >&2; echo out'), 2, 0, 1)\n"
        "os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)\n"
        "raise SystemExit(child.poll())\n"
    )
    (tmp_path / "in").write_text("in\n")
    files = [os.open(tmp_path / name, os.O_RDWR | os.O_CREAT) for name in ("out", "err", "in")]
    ran = subprocess.run([sys.executable, "-c", code, str(tmp_path)], stdin=files[0], stdout=files[1], stderr=files[2])
    for fd in files:
        os.close(fd)
    assert ran.returncode == 0
    assert ((tmp_path / "out").read_text(), (tmp_path / "err").read_text()) == ("in\nout\n", "err\n")


def test_a_start_that_was_given_up_starts_nothing_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spawn, "_PATIENCE", 0.0)
    given_up = []
    for number in range(8):
        try:
            act(plan(tmp_path, level="seccomp"), f"touch {number}")
        except OSError as error:
            assert "does not come to its end" in str(error)
            given_up.append(str(number))
    monkeypatch.undo()
    assert given_up, "no start was given up"
    assert set(given_up).isdisjoint(act(plan(tmp_path, level="seccomp"), "sleep 0.5; ls").text.split())


def test_the_end_is_told_as_subprocess_tells_it(tmp_path: Path) -> None:
    made = plan(tmp_path, level="seccomp")
    assert act(made, "exit 7").code == 7
    assert act(made, "kill -TERM $$").code == -signal.SIGTERM
    assert act(made, "kill -KILL $$").code == -signal.SIGKILL


def test_many_starts_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    said: dict[int, str] = {}

    def one(number: int) -> None:
        for _ in range(5):
            made = plan(tmp_path, level="seccomp", environment=(("N", str(number)), ("PATH", "/usr/bin:/bin")))
            said[number] = said.get(number, "") + act(made, 'echo "$N"').text

    threads = [threading.Thread(target=one, args=(number,)) for number in range(6)]
    before = resource.getrlimit(limits.QUEUES)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert said == {number: f"{number}\n" * 5 for number in range(6)}
    assert resource.getrlimit(limits.QUEUES) == before
