"""Children in name spaces of their own: what they see, how they end, what stays of them. Nothing is simulated."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from edge.hands.wall import level, namespaces, spawn
from tests.support import descriptors, mounts
from tests.support.rooms import SYSTEM, alive, ended, gone, heard, plan, run, start

ROOT = Path(__file__).parents[4]
REACHED = level.find(at_most="namespaces")
pytestmark = pytest.mark.skipif(REACHED.name != "namespaces", reason="; ".join(REACHED.reasons))


@pytest.fixture(scope="module", autouse=True)
def no_keeper_stays(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    base = tmp_path_factory.getbasetemp()
    before = mounts.of_this_run(base)
    yield
    namespaces.end()
    assert mounts.of_this_run(base) == before, "the mounts of a child are seen by the agent"


LOOK = "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' ' | sort"


def keeper() -> int:
    return namespaces._running[0].pid


def test_what_it_writes_and_how_it_ends_come_back(tmp_path: Path) -> None:
    came = run(plan(str(tmp_path)), "echo to one; echo to two >&2; pwd; exit 7")
    assert came.code == 7 and came.text == f"to one\nto two\n{tmp_path}\n"
    assert run(plan(str(tmp_path)), "kill -TERM $$").code == -signal.SIGTERM
    assert run(plan(str(tmp_path)), "kill -KILL $$").code == -signal.SIGKILL
    assert run(plan(str(tmp_path)), "no-such-program-here").code == 127


def test_its_standard_input_is_what_was_given(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.write(write, b"from the agent\n")
    os.close(write)
    assert run(plan(str(tmp_path)), "cat", stdin=read).text == "from the agent\n"
    os.close(read)


def test_it_gets_the_environment_of_the_plan_and_nothing_else(tmp_path: Path) -> None:
    os.environ["OF_THE_AGENT"] = "secret"
    came = run(
        plan(str(tmp_path), environment=(("PATH", "/usr/bin:/bin"), ("A", "b c"))), "env; umask; ls /proc/self/fd"
    )
    assert "OF_THE_AGENT" not in came.text
    lines = came.text.splitlines()
    assert sorted(line for line in lines if "=" in line) == ["A=b c", "PATH=/usr/bin:/bin", f"PWD={tmp_path}"]
    assert "0022" in lines and lines[-4:] == ["0", "1", "2", "3"], "3 is the folder that ls reads"


def test_files_made_in_its_folder_belong_to_the_folders_owner(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("from before\n")
    (tmp_path / "old").chmod(0o600)
    came = run(
        plan(str(tmp_path)), "cat old && echo new > new && echo more >> old && mkdir d && mv new d/ && rm -f gone"
    )
    assert (came.code, came.text) == (0, "from before\n")
    assert (tmp_path / "d/new").read_text() == "new\n" and (tmp_path / "old").read_text() == "from before\nmore\n"
    owner = tmp_path.stat()
    assert {(path.stat().st_uid, path.stat().st_gid) for path in tmp_path.rglob("*")} == {(owner.st_uid, owner.st_gid)}
    if os.geteuid() == 0:
        assert came.user > 0 and run(plan(str(tmp_path)), "id -u").text == f"{came.user}\n"
    else:
        assert run(plan(str(tmp_path)), "id -u").text == f"{os.geteuid()}\n"


def test_what_no_one_granted_is_not_there(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (outside / "secret").write_text("secret\n")
    text = f"cat {outside}/secret; cat /proc/self/root{outside}/secret; ls -a ..; ls -a /; ln -s {outside} l; ls l/"
    came = run(plan(str(inside)), text)
    assert "secret\n" not in came.text and "out\n" not in came.text
    assert {"root", "home", "var", "run", "srv", "mnt"}.isdisjoint(came.text.split())


def test_a_way_to_its_folder_cannot_be_written(tmp_path: Path) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    came = run(
        plan(str(inside)),
        f"echo x > {tmp_path}/lost; echo x > /lost; mkdir {tmp_path.parent}/lost; echo y > /tmp/kept; ls /tmp",
    )
    assert came.text.count("ead-only file system") + came.text.count("ermission denied") == 3
    assert "kept" in came.text.split() and not Path("/tmp/kept").exists() and not (tmp_path / "lost").exists()


def test_hidden_things_can_be_neither_read_nor_changed_nor_moved_away(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("KEY=secret\n")
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys/id").write_text("secret\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/token").write_text("secret\n")
    hidden = tuple(str(tmp_path / name) for name in (".env", "keys", "sub/token", "absent"))
    text = (
        "cat .env keys/id sub/token; ls keys; cp .env copy; ln .env link;"
        "mv .env moved; rm -rf .env keys; echo x > .env;"
        "mv sub sub2; cat sub2/token sub/token; chmod 777 .env keys; cat .env; tar c . 2> /dev/null | grep -c secret;"
        "ln -s .env l; cat l; exec 3< .env; cat <&3"
    )
    came = run(plan(str(tmp_path), hidden=hidden), text)
    assert "secret" not in came.text.replace("grep", "") and "\n0\n" in came.text
    assert (tmp_path / ".env").read_text() == "KEY=secret\n" and (tmp_path / "keys/id").read_text() == "secret\n"
    assert [path.read_text() for path in tmp_path.glob("sub*/token")] == ["secret\n"]
    assert not (tmp_path / "copy").exists() or not (tmp_path / "copy").read_text()


def test_only_names_of_a_folder_that_may_be_listed(tmp_path: Path) -> None:
    inside, listed = tmp_path / "in", tmp_path / "listed"
    inside.mkdir()
    (listed / "folder").mkdir(parents=True)
    (listed / "folder/deep").write_text("secret\n")
    (listed / "file").write_text("secret\n")
    (listed / "open").write_text("may be read\n")
    made = plan(str(inside), lists=(str(listed),), reads=(*plan(str(inside)).reads, str(listed / "open")))
    came = run(made, f"ls {listed}; cat {listed}/file; ls {listed}/folder; cat {listed}/folder/deep {listed}/open")
    assert came.text.split("\n")[:3] == ["file", "folder", "open"]
    assert (
        "secret" not in came.text
        and "deep\n" not in came.text.replace("folder/deep", "")
        and "may be read" in came.text
    )


def test_what_is_only_read_is_read_only_with_all_below_it(tmp_path: Path) -> None:
    inside, shown = tmp_path / "in", tmp_path / "shown"
    inside.mkdir()
    shown.mkdir()
    (shown / "file").write_text("as it was\n")
    made = plan(str(inside), reads=(*plan(str(inside)).reads, str(shown)))
    came = run(
        made,
        f"cat {shown}/file; echo x > {shown}/file; echo x > {shown}/new; chmod 777 {shown}/file; touch {shown}/file",
    )
    assert came.text.startswith("as it was\n") and came.text.count("ead-only file system") == 4
    assert run(plan(str(inside)), "echo x > /etc/new; echo x > /usr/new").text.count("ead-only file system") == 2


def test_a_folder_to_write_below_one_to_read(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    made = plan(str(tmp_path / "w"), reads=(*plan(str(tmp_path)).reads, str(tmp_path)))
    came = run(made, f"echo x > made && echo y > {tmp_path}/not")
    assert (tmp_path / "w/made").exists() and not (tmp_path / "not").exists() and "ead-only" in came.text


def test_devices_are_five_and_the_named(tmp_path: Path) -> None:
    five = ["full", "null", "random", "urandom", "zero"]
    came = run(
        plan(str(tmp_path)), "ls -l /dev | sed -n 's/^[cb].* //p'; echo x > /dev/null; head -c 3 /dev/zero | wc -c"
    )
    assert came.text.split() == [*five, "3"]
    named = plan(str(tmp_path), writes=(str(tmp_path), "/dev/tty"), lists=("/dev",))
    opened = "for n in /dev/*; do test ! -d $n && (exec 3< $n) 2> /dev/null && echo $n; done"
    words = run(named, f"ls /dev | wc -l; {opened}; echo x 2> /dev/null > /dev/x").text.split()
    assert int(words[0]) >= len(os.listdir("/dev")), "the names of all are there"
    streams = {f"/dev/{name}" for name in ("stdin", "stdout", "stderr", "tty")}
    assert {word for word in words[1:] if word.startswith("/dev/") and not word.endswith(":")} - streams == {
        f"/dev/{name}" for name in five
    }
    assert not Path("/dev/x").exists()


def test_it_sees_its_own_processes_and_cannot_turn_knobs(tmp_path: Path) -> None:
    came = run(
        plan(str(tmp_path)),
        f"ls /proc | grep -c '^[0-9]'; cat /proc/{os.getpid()}/cmdline; cat /proc/1/environ; kill -0 1",
    )
    assert int(came.text.split()[0]) <= 6
    assert "pytest" not in came.text
    knobs = "echo 1 > /proc/sys/kernel/sysrq; echo x > /proc/sysrq-trigger; echo 1 > /sys/kernel/mm/ksm/run; echo $?"
    assert run(plan(str(tmp_path)), knobs).text.strip().endswith("2")


def test_it_has_no_capability_no_way_to_one_and_a_filter(tmp_path: Path) -> None:
    words = dict(
        line.split(":\t", 1)
        for line in run(plan(str(tmp_path)), "cat /proc/self/status").text.splitlines()
        if ":\t" in line
    )
    assert {words[f"Cap{name}"] for name in ("Inh", "Prm", "Eff", "Bnd", "Amb")} == {"0" * 16}
    assert (
        words["NoNewPrivs"] == "1"
        and words["Seccomp"] == "2"
        and words["Groups"].strip() in ("", words["Gid"].split()[0], "65534")
    )


def test_limits_are_there_from_the_start(tmp_path: Path) -> None:
    from edge.hands.wall.confine import Limits

    made = plan(str(tmp_path), limits=Limits(memory=1 << 30, file_size=1 << 20, processes=40, files=64, cpu=9))
    came = run(made, "ulimit -H -v; ulimit -H -n; ulimit -H -t; ulimit -H -c; head -c 2000000 /dev/zero > big; echo $?")
    assert came.text.split()[:4] == [str(1 << 20), "64", "9", "0"]
    assert (tmp_path / "big").stat().st_size == 1 << 20


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is bound by no limit of its user")
def test_a_child_that_stays_root_is_bound_too(tmp_path: Path) -> None:
    from edge.hands.wall import cgroup

    if cgroup.group(512) is None:
        pytest.skip("there is no pids controller that can be used here")
    text = "i=0; while test $i -lt 700; do sleep 99 & i=$((i+1)); done; echo all $i"
    made = plan(str(tmp_path), alone=False)
    came = run(made, text)
    assert came.user == 0 and "all 700" not in came.text and "annot fork" in came.text


def test_everything_ends_with_a_call_also_sessions_and_orphans(tmp_path: Path) -> None:
    text = "setsid sleep 300 & (setsid sh -c 'sleep 300' &) ; echo up; wait"
    child, told = start(plan(str(tmp_path)), text)
    assert heard(told, until=b"up") == b"up\n" and child.poll() is None
    first = child.pid
    assert child.kill_tree() >= 3, "the shell and what it left"
    assert ended(child) == -signal.SIGKILL
    assert heard(told) == b"", "the pipe ends: nobody holds it any more"
    child.close()
    os.close(told)
    assert not alive(first)


def test_what_is_left_when_the_command_ends_ends_too(tmp_path: Path) -> None:
    came = run(plan(str(tmp_path)), "setsid sh -c 'sleep 1; echo late > late' & echo done")
    assert (came.code, came.text) == (0, "done\n"), "the pipe ended although the other held it"
    assert not (tmp_path / "late").exists()


def test_when_the_keeper_is_killed_its_children_die_and_the_next_call_has_another(tmp_path: Path) -> None:
    child, told = start(plan(str(tmp_path)), "echo up; sleep 300")
    heard(told, until=b"up")
    old = keeper()
    os.kill(old, signal.SIGKILL)
    assert gone(child.pid) and ended(child) == -signal.SIGKILL
    child.close()
    os.close(told)
    assert run(plan(str(tmp_path)), "echo again").text == "again\n" and keeper() != old
    os.kill(keeper(), signal.SIGKILL)
    assert gone(keeper()) and run(plan(str(tmp_path)), "echo at once").text == "at once\n"


def test_when_the_agent_is_killed_the_keeper_and_its_children_are_gone(tmp_path: Path) -> None:
    code = f"""
        import sys; sys.path.insert(0, {str(ROOT)!r})
        from tests.support.rooms import heard, plan, start
        from edge.hands.wall import namespaces
        child, told = start(plan({str(tmp_path)!r}), "echo up; sleep 300")
        heard(told, until=b"up")
        print(namespaces._running[0].pid, child.pid, flush=True)
        sys.stdin.read()
    """
    agent = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    )
    assert agent.stdin and agent.stdout
    pids = [int(word) for word in agent.stdout.readline().split()]
    assert len(pids) == 2 and all(map(alive, pids))
    agent.kill()
    agent.wait(60)
    assert all(map(gone, pids))
    agent.stdin.close()
    agent.stdout.close()


def test_many_at_once_from_threads_and_nothing_is_left_open(tmp_path: Path) -> None:
    run(plan(str(tmp_path)), "true")
    before = descriptors.count(), len(os.listdir(f"/proc/{keeper()}/fd"))
    found: list[str] = []

    def some(number: int) -> None:
        for turn in range(4):
            found.append(run(plan(str(tmp_path)), f"echo {number} {turn}").text)

    threads = [threading.Thread(target=some, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == sorted(f"{number} {turn}\n" for number in range(4) for turn in range(4))
    assert (descriptors.count(), len(os.listdir(f"/proc/{keeper()}/fd"))) == before
    assert not Path(f"/proc/{keeper()}/task/{keeper()}/children").read_text().split()


def test_a_network_is_there_only_when_it_was_granted(tmp_path: Path) -> None:
    server = socket.create_server(("127.0.0.1", 0))
    code = f"import socket; socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 5); print('met')"
    command = f'/usr/bin/python3 -c "{code}" 2>&1 | tail -n 1'
    if not Path("/usr/bin/python3").exists():
        pytest.skip("there is no Python of the system to connect with")
    assert run(plan(str(tmp_path), sockets=("inet",)), command).text == "met\n"
    assert "PermissionError" in run(plan(str(tmp_path)), command).text
    server.close()


def test_who_writes_sees_an_empty_network(tmp_path: Path) -> None:
    assert run(plan(str(tmp_path)), LOOK).text.split() in (["lo"], [])


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"cwd": "/nowhere"}, "no such file or directory at /nowhere"),
        ({"environment": (("PATH", "/nowhere"),), "reads": ("/etc",)}, "no such file or directory"),
    ],
)
def test_what_cannot_be_built_is_said_and_nothing_runs(
    fields: dict[str, object], sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(OSError, match=f"could not be started in name spaces: .*{sentence}"):
        run(plan(str(tmp_path), **fields), "echo ran > ran")
    assert not (tmp_path / "ran").exists()
    assert run(plan(str(tmp_path)), "echo next").text == "next\n"


def test_what_is_not_there_is_left_out(tmp_path: Path) -> None:
    made = plan(str(tmp_path), writes=(str(tmp_path), f"{tmp_path}/no/file"), reads=(*SYSTEM, "/nowhere/at/all"))
    assert run(made, "echo x > made && echo y > no/file; ls").text.split()[-1] == "made"


def test_a_folder_in_shared_memory(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        came = run(plan(folder), "echo x > made && echo y > /dev/shm/own && ls /dev/shm && pwd")
        assert came.text.split() == [*sorted(["own", os.path.basename(folder)]), folder]
        assert Path(folder, "made").read_text() == "x\n" and not Path("/dev/shm/own").exists()


def test_paths_with_spaces_and_odd_characters(tmp_path: Path) -> None:
    odd = tmp_path / "a b\t$c\n'd\\e ü"
    odd.mkdir()
    (odd / ".env").write_text("secret")
    came = run(plan(str(odd), hidden=(str(odd / ".env"),)), "echo x > made; cat .env; pwd")
    assert (odd / "made").read_text() == "x\n" and "secret" not in came.text and came.code == 0


def test_the_temporary_folder_of_the_plan_is_its_tmp_too(tmp_path: Path) -> None:
    # Only where nothing granted lies in /tmp itself.
    place = Path("/var/tmp")
    if not os.access(place, os.W_OK):
        pytest.skip("/var/tmp cannot be written here")
    with tempfile.TemporaryDirectory(dir=place) as temporary, tempfile.TemporaryDirectory(dir=place) as folder:
        pairs = (("PATH", "/usr/bin:/bin"), ("TMPDIR", temporary))
        came = run(plan(folder, writes=(folder, temporary), environment=pairs), 'echo a > /tmp/a; cat "$TMPDIR/a"')
        assert came.text == "a\n" and Path(temporary, "a").read_text() == "a\n"


OLDER = """
    import os, sys; sys.path.insert(0, {root!r})
    from edge.hands.wall import bpf, kernel, namespaces, seccomp
    from tests.support.rooms import plan, run
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    seccomp.install(seccomp.assembled({{442: bpf.refuse(38)}}, kernel.machine()))
    try:
        kernel.mount_setattr("/", 0, False)
        print("the call is there")
    except OSError as error:
        print(error.errno)
    made = plan({folder!r}, hidden=({folder!r} + "/.env",))
    text = "echo x > made; cat .env; echo x > /etc/new; echo x > /sys/kernel/x; echo x > /lost; echo y > /tmp/y"
    came = run(made, text)
    print(came.code, came.user, came.text.count("ead-only file system"), "secret" in came.text)
    namespaces.end()
"""


def test_before_linux_5_12_it_is_read_only_mount_by_mount(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("secret")
    code = textwrap.dedent(OLDER.format(root=str(ROOT), folder=str(tmp_path)))
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    first, last = done.stdout.splitlines()
    user = 0 if os.geteuid() == 0 else -1
    assert first == "38" and last == f"0 {user} 3 False"
    assert (tmp_path / "made").read_text() == "x\n"


BARRED = """
    import os, sys; sys.path.insert(0, {root!r})
    from edge.hands.wall import kernel, level, namespaces
    uid, gid = os.geteuid(), os.getegid()
    kernel.unshare(kernel.NEWUSER)
    maps = ("self/setgroups", "deny"), ("self/uid_map", f"1000 {{uid}} 1"), ("self/gid_map", f"1000 {{gid}} 1")
    for name, text in (*maps, ("sys/user/max_user_namespaces", "0")):
        with open("/proc/" + name, "w") as file:
            file.write(text)
    kernel.hold()
    found = level.find(at_most="namespaces")
    namespaces.end()
    print(found.name, found.reasons[0])
"""


def test_where_users_may_make_none_the_level_is_not_there_and_says_why() -> None:
    code = textwrap.dedent(BARRED.format(root=str(ROOT)))
    done = subprocess.run(
        [sys.executable, "-c", code], cwd="/", capture_output=True, text=True, timeout=60, check=False
    )
    if "Permission denied" in done.stderr and os.geteuid() == 0:
        pytest.skip("another user cannot run this Python")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("seccomp ") and "user.max_user_namespaces" in done.stdout


def test_the_mask_for_new_files_is_the_one_that_was_told(tmp_path: Path) -> None:
    null = os.open("/dev/null", os.O_RDWR)
    try:
        child = spawn.start(plan(str(tmp_path)), ("/bin/sh", "-c", "echo x > made"), null, null, null, 0o077)
        assert ended(child) == 0
        child.kill_tree()
        child.close()
    finally:
        os.close(null)
    assert (tmp_path / "made").stat().st_mode & 0o777 == 0o600
