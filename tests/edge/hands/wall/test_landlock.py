"""What a plan closes and opens, seen from behind the wall and then looked at from outside."""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path

import pytest

from edge.hands.wall import landlock
from tests.support.walls import SYSTEM, act, needs_landlock, plan

pytestmark = needs_landlock


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    """A workspace, and a folder outside it with a file."""
    work, out = tmp_path / "work", tmp_path / "out"
    work.mkdir()
    out.mkdir()
    (out / "victim").write_text("as it was\n")
    return work, out


FORBIDDEN = [
    "echo x > $OUT/new",
    "echo x > /proc/self/root$OUT/new",
    "echo x >> $OUT/victim",
    "ln -s $OUT way && echo x > way/new",
    "ln $OUT/victim way && echo x >> way",
    "mv $OUT/victim .",
    "mv mine $OUT/new",
    "cat $OUT/victim",
    "ls $OUT",
    "rm $OUT/victim",
    "mkdir $OUT/new",
    "truncate -s 0 $OUT/victim",
    "cd $OUT && echo x > new",
    "cp /bin/true $OUT/new",
    "$OUT/program",
    "mkfifo $OUT/new",
    "mknod new c 1 3",
    "echo x > /proc/sys/kernel/printk",
    "echo x > /dev/tty",
    "cat /dev/mem",
]


@pytest.mark.parametrize("text", FORBIDDEN)
def test_what_no_grant_names_is_closed(places: tuple[Path, Path], text: str) -> None:
    work, out = places
    (work / "mine").write_text("mine\n")
    program = out / "program"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    before = sorted(os.listdir(out))
    ended = act(plan(work), text.replace("$OUT", str(out)))
    assert ended.code != 0, ended
    assert sorted(os.listdir(out)) == before
    assert (out / "victim").read_text() == "as it was\n"
    assert not (work / "new").exists()


def test_the_workspace_is_open_for_all_that_is_ordinary(places: tuple[Path, Path]) -> None:
    work, _ = places
    text = (
        "set -e; mkdir -p a/b; echo one > a/b/f; echo two >> a/b/f; mv a/b/f a/g; ln a/g a/h; ln -s g a/l; cat a/l; "
        "truncate -s 3 a/h; mkfifo p; chmod 700 a; cp /bin/true t; ./t; rm -r a/b; echo x > /dev/null; "
        "head -c 4 /dev/zero > z; head -c 4 /dev/urandom > z; ls /dev > z; rmdir $(mktemp -d ./t.XXXXXX)"
    )
    ended = act(plan(work), text)
    assert (ended.code, ended.text) == (0, "one\ntwo\n")
    assert (work / "a/g").read_text() == "one" and (work / "a/h").stat().st_nlink == 2
    assert {"null", "zero"} <= set((work / "z").read_text().split())


def test_a_plan_that_only_reads_changes_nothing(places: tuple[Path, Path]) -> None:
    work, _ = places
    (work / "f").write_text("f\n")
    made = plan(work, reads=(*SYSTEM, str(work)), writes=())
    assert act(made, "cat f; ls").text == "f\nf\n"
    for text in ("echo x > f", "rm f", "mv f g", "mkdir d", ": >> f", "truncate -s 0 f"):
        assert act(made, text).code != 0
    assert os.listdir(work) == ["f"] and (work / "f").read_text() == "f\n"


HIDDEN_ACTS = [
    "cat keys/k",
    "cat deep/way/keys/k",
    "echo x > keys/k",
    "echo x > keys/new",
    "ln keys/k other/k && cat other/k",
    "ln -s ../keys/k other/l && cat other/l",
    "mv keys other/ && cat other/keys/k",
    "mv deep/way other/ && cat other/way/keys/k",
    "cp -r keys other/keys && cat other/keys/k",
    "rm keys/k",
    "cat .env",
    "mv .env other/e && cat other/e",
    "rm .env",
    "echo x > .env",
    "cat /proc/self/cwd/keys/k",
    "cd keys && cat k",
]


@pytest.mark.parametrize("text", HIDDEN_ACTS)
@pytest.mark.parametrize("grant", ["writes", "reads"])
def test_what_is_hidden_below_a_grant_stays_closed_and_unchanged(tmp_path: Path, text: str, grant: str) -> None:
    for folder in ("keys", "deep/way/keys", "deep/other", "other"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("keys/k", "deep/way/keys/k", ".env"):
        (tmp_path / name).write_text("hush\n")
    hidden = tuple(str(tmp_path / name) for name in ("keys", "deep/way/keys", ".env", "not/there"))
    made = plan(tmp_path, **{"writes": (), "reads": SYSTEM, grant: (*SYSTEM, str(tmp_path))[-1:], "hidden": hidden})
    made = plan(tmp_path, reads=(*SYSTEM, *made.reads), writes=made.writes, hidden=hidden)
    ended = act(made, text)
    assert ended.code != 0 and "hush" not in ended.text, ended
    for name in ("keys/k", "deep/way/keys/k", ".env"):
        assert (tmp_path / name).read_text() == "hush\n"
    assert sorted(os.listdir(tmp_path / "keys")) == ["k"]


def test_beside_what_is_hidden_work_goes_on(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/main.c").write_text("int x;\n")
    (tmp_path / "notes").write_text("n\n")
    (tmp_path / ".env").write_text("hush\n")
    made = plan(tmp_path, hidden=(str(tmp_path / ".env"),))
    ended = act(
        made, "cat notes && echo more >> notes && echo 'int y;' > src/new.c && mkdir src/d && ls -a && rm src/main.c"
    )
    assert ended.code == 0 and ".env" in ended.text
    assert sorted(os.listdir(tmp_path / "src")) == ["d", "new.c"]


def test_a_folder_that_changed_since_is_split_anew(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    made = plan(tmp_path, hidden=(str(tmp_path / "keys"),))
    assert act(made, "ls").code == 0
    (tmp_path / "new").write_text("new\n")
    assert act(made, "cat new").text == "new\n"
    (tmp_path / "new").unlink()
    (tmp_path / "new").write_text("newer\n")
    assert act(made, "cat new").text == "newer\n"


def test_a_link_in_a_split_folder_opens_nothing(places: tuple[Path, Path]) -> None:
    work, out = places
    (work / "keys").mkdir()
    (work / "way").symlink_to(out)
    (work / "file").symlink_to(out / "victim")
    made = plan(work, hidden=(str(work / "keys"),))
    assert act(made, "cat way/victim").code != 0
    assert act(made, "cat file").code != 0


def test_a_single_file_is_granted_and_nothing_beside_it(places: tuple[Path, Path]) -> None:
    work, out = places
    (out / "other").write_text("other\n")
    made = plan(work, reads=(*SYSTEM, str(out / "victim")))
    assert act(made, f"cat {out}/victim").text == "as it was\n"
    assert act(made, f"cat {out}/other").code != 0
    assert act(made, f"echo x > {out}/victim").code != 0
    made = plan(work, reads=(*SYSTEM, str(out / "victim")), hidden=(str(out),))
    assert act(made, f"cat {out}/victim").text == "as it was\n", "what is named itself was granted for what it is"
    assert act(made, f"cat {out}/other").code != 0


def test_a_device_that_is_named_can_be_opened_and_no_other(tmp_path: Path) -> None:
    if not os.path.exists("/dev/ptmx"):
        pytest.skip("there is no /dev/ptmx here")
    assert act(plan(tmp_path), ": <> /dev/ptmx").code != 0
    assert act(plan(tmp_path, writes=(str(tmp_path), "/dev/ptmx")), ": <> /dev/ptmx").code == 0


def test_the_environment_and_memory_of_processes_outside_are_closed(tmp_path: Path) -> None:
    own = os.getpid()
    for name in ("environ", "mem", "maps", "fd/0", "root/etc/hostname", "cwd/x"):
        assert act(plan(tmp_path), f"cat /proc/{own}/{name}").code != 0, name
    assert act(plan(tmp_path), "cat /proc/self/maps /proc/meminfo > /dev/null").code == 0


@pytest.mark.parametrize("level", ["landlock", "seccomp"])
def test_the_agent_cannot_be_signalled(tmp_path: Path, level: str) -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGURG, lambda number, _: heard.append(number))
    try:
        for text in (f"kill -URG {os.getpid()}", "kill -URG $PPID", f"kill -URG -{os.getpgid(0)}"):
            assert act(plan(tmp_path, level=level), text).code != 0
        act(plan(tmp_path, level=level), "kill -URG -1; kill -URG 0")
        assert heard == []
    finally:
        signal.signal(signal.SIGURG, before)


def test_the_network_is_closed_and_opened_by_the_plan(tmp_path: Path) -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        port = server.getsockname()[1]
        text = f"python3 -c \"import socket; socket.create_connection(('127.0.0.1', {port}), 3)\""
        # The program of the tests may stand where a plan reads nothing.
        if not os.path.exists("/usr/bin/python3"):
            pytest.skip("there is no /usr/bin/python3 here")
        assert act(plan(tmp_path), text).code != 0
        assert act(plan(tmp_path, sockets=("inet",)), text).code == 0
        assert act(plan(tmp_path, sockets=("unix", "netlink")), text).code != 0


def test_rulesets_are_kept_and_do_not_pile_up(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for number in range(3 * 8):
        folder = tmp_path / str(number)
        folder.mkdir()
        for _ in range(3):
            os.close(landlock.ruleset(plan(folder)))
    assert len(os.listdir("/proc/self/fd")) <= before + 8


def test_rights_are_masked_to_every_version(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for version in range(1, landlock.version() + 1):
        monkeypatch.setattr(landlock, "_version", version)
        (tmp_path / f"f{version}").write_text("x")
        ended = act(plan(tmp_path, hidden=(str(tmp_path / f"f{version}"),)), f"cat f{version}")
        assert ended.code != 0
        assert act(plan(tmp_path), f"cat f{version}").text == "x"
