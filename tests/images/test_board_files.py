"""The scripts of a board are what sh reads, and say what the layout, the accounts and the other parts say."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from edge.card import layout, provision_plan, state
from images import initrd

BOARD = Path(__file__).resolve().parents[2] / "images" / "board"
ROOT = BOARD / "root"
SHEBANG = b"#!/bin/sh"
OWN = sorted(path for path in ROOT.rglob("*") if path.is_file() and path.read_bytes().startswith(SHEBANG))
SCRIPTS = [BOARD / "init", *OWN, ROOT / "etc/fieldhand/common.sh", ROOT / "etc/profile"]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_is_what_sh_reads(script: Path) -> None:
    done = subprocess.run(["sh", "-n", str(script)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_init_and_mdev_run_is_there_and_can_be_run() -> None:
    named = re.findall(r"(?m)^::\w+:(/(?:etc/init\.d|usr/sbin)/\S+)", (ROOT / "etc/inittab").read_text("utf-8"))
    assert len(named) >= 6
    named += re.findall(r"(?m)[@*](/usr/sbin/\S+)", (ROOT / "etc/mdev.conf").read_text("utf-8"))
    assert "/usr/sbin/fieldhand-network" in named
    for path in named:
        assert (ROOT / path[1:]).stat().st_mode & 0o111, path


def test_the_log_begins_when_the_board_has_its_name_and_before_anything_writes_to_it() -> None:
    """syslogd asks for the name once: before `hostname` each line is one of the host `(none)`."""
    lines = [line.split() for line in (ROOT / "etc/init.d/rcS").read_text("utf-8").splitlines()]
    begins = [line[0] if line else "" for line in lines]
    named, log, kernel = begins.index("hostname"), begins.index("syslogd"), begins.index("klogd")
    assert named < log < kernel
    assert all("logger" not in line and "-S" not in line for line in lines[:log])
    sysinit = re.findall(r"(?m)^::(\w+):(\S+)", (ROOT / "etc/inittab").read_text("utf-8"))
    assert sysinit[0] == ("sysinit", "/etc/init.d/rcS") and [kind for kind, _ in sysinit].count("sysinit") == 1


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_program_that_busybox_has_a_poorer_one_of_is_called_by_its_place(script: Path) -> None:
    """Debian's busybox-static has FEATURE_SH_STANDALONE: its shell takes an applet before it looks at PATH."""
    code = re.sub(r"(?m)^\s*#.*$", "", script.read_text("utf-8"))
    assert not re.findall(r"(?<![\w/-])(?:mke2fs|mkfs\.ext[234]|e2fsck|fsck|tune2fs)\b", code)


def test_the_initramfs_finds_the_disk_and_the_state_where_the_layout_has_them() -> None:
    text = (BOARD / "init").read_text("utf-8")
    assert f"DISK_ID={layout.DISK_ID:08x}\n" in text
    assert [int(number) for number in re.findall(r"(?m)^(?:FIRST|SECOND)=(\d+)$", text)] == [
        *reversed(layout.STATE_PLACES)
    ]
    assert f'[ "$slot" = b ] && number={layout.SLOT_B} || number={layout.SLOT_A}' in text


def test_the_states_that_the_initramfs_writes_are_in_it_under_the_names_it_uses() -> None:
    assert "state=/state-$prev-$data" in (BOARD / "init").read_text("utf-8")
    assert set(initrd.states()) == {f"state-{slot}-{data}" for slot in state.SLOTS for data in (state.NEW, state.MADE)}
    for name, block in initrd.states().items():
        found = state.read(block)
        assert found is not None
        assert (f"state-{found.slot}-{found.data}", found.prev, found.why) == (name, found.slot, "rotten")


def test_the_accounts_of_the_image_are_those_that_provisioning_knows() -> None:
    rows = [line.split(":") for line in (ROOT / "etc/passwd").read_text("utf-8").splitlines()]
    assert {row[0] for row in rows} == {"root", *provision_plan.USERS, "nobody"}
    shadow = (ROOT / "etc/shadow").read_text("utf-8")
    from edge.card.sha_crypt import fits

    assert fits(b"fieldhand", provision_plan.hash_of(shadow))
    assert [line.split(":")[1] for line in shadow.splitlines() if line.startswith(("root:", "nobody:"))] == ["*", "*"]
    assert "Default password: fieldhand" in (ROOT / "etc/issue").read_text("utf-8")
    assert "fieldhand\n" not in (ROOT / "etc/fieldhand/issue.own").read_text("utf-8").split("Default")[-1]


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        ("", "sim"),
        ("[model]\nname = 'offline'\n", "sim"),
        ("[outputs.pump]\nline = 'GPIO17'\n", "auto"),
        ("  [ inputs.door ]\n", "auto"),
        ("[sensors.box]\nhwmon = 'lm75'\n", "auto"),
        ("# [outputs.pump]\n", "sim"),
        ("board = 'sim'\n[outputs.pump]\n", ""),
        ('board="auto"\n', ""),
    ],
)
def test_the_console_chooses_the_board_by_the_settings(settings: str, wanted: str, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(settings, "utf-8")
    text = (ROOT / "etc/fieldhand/common.sh").read_text("utf-8") + f"\nCONFIG={tmp_path}/config.toml\nboard"
    assert subprocess.run(["sh", "-c", text], capture_output=True, text=True, check=True).stdout.strip() == wanted


def test_settings_that_cannot_be_read_choose_no_board(tmp_path: Path) -> None:
    (tmp_path / "config.toml").mkdir()
    text = (ROOT / "etc/fieldhand/common.sh").read_text("utf-8") + f"\nCONFIG={tmp_path}/config.toml\nboard"
    assert subprocess.run(["sh", "-c", text], capture_output=True, text=True, check=False).stdout == ""


def test_the_clock_is_no_earlier_than_what_the_board_wrote_and_hears_nothing_of_the_workspace(tmp_path: Path) -> None:
    times = {"config/config.toml": 100, "state/audit": 300, "etc/starts": 200, "work/photo.jpg": 4_000_000_000}
    for name, when in times.items():
        (tmp_path / "data" / name).parent.mkdir(parents=True)
        (tmp_path / "data" / name).write_text("")
        os.utime(tmp_path / "data" / name, (when, when))
    for folder in sorted((tmp_path / "data").glob("*")):
        os.utime(folder, (50, 50))
    step = re.search(r"(?m)^not_before \"\$\(find .*$", (ROOT / "etc/init.d/rcS").read_text("utf-8"))
    assert step is not None
    text = "not_before() { echo $1; }\n" + re.sub(r"(?<= )/data", f"{tmp_path}/data", step[0])
    assert subprocess.run(["sh", "-c", text], capture_output=True, text=True, check=True).stdout == "300\n"


LOST = 'board = "auto"  # other settings were lost\n'


@pytest.mark.parametrize(
    ("before", "boot", "head"),
    [
        (None, "DATA=mounted\nDATA_MENDED=\n", ""),
        (None, "DATA_MENDED=the data partition was damaged\n", LOST),
        (None, "VOLATILE=1\n", LOST),
        ("", "VOLATILE=1\n", ""),
        ("[model]\n", "", ""),
    ],
)
def test_the_first_settings_come_whole_and_never_over_those_that_are_there(
    before: str | None, boot: str, head: str, tmp_path: Path
) -> None:
    for folder in ("data/config", "etc/fieldhand"):
        (tmp_path / folder).mkdir(parents=True)
    own, first = tmp_path / "data/config/config.toml", ROOT / "etc/fieldhand/config.toml"
    (tmp_path / "etc/fieldhand/config.toml").write_bytes(first.read_bytes())
    own.with_name("config.toml.new").write_text("[mod")  # of a boot that was cut off
    if before is not None:
        own.write_text(before)
    step = re.search(
        r"(?ms)^if \[ ! -e /data/config/config\.toml \].*?^fi$", (ROOT / "etc/init.d/rcS").read_text("utf-8")
    )
    assert step is not None
    (tmp_path / "boot.txt").write_text(boot)
    text = re.sub(r"(?<= )/(?=data/|etc/)", f"{tmp_path}/", step[0]).replace("sync", "true")
    subprocess.run(["sh", "-e", "-c", f"BOOT={tmp_path}/boot.txt\n{text}"], check=True)
    assert own.read_text("utf-8") == (head + first.read_text("utf-8") if before is None else before)


def test_the_settings_of_the_image_are_settings() -> None:
    from edge.config import load

    assert load(str(ROOT / "etc/fieldhand/config.toml")).model.spec == "offline"


AGENT = """import time
try:
    print("up", flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    print("heard", flush=True)
"""


def test_ctrl_c_at_the_console_reaches_the_agent_and_not_the_program_that_waits_for_it(tmp_path: Path) -> None:
    """As on the board: `login` leads the session of the line and waits for the shell of the user."""
    (tmp_path / "agent").write_text(AGENT)
    text = (ROOT / "usr/sbin/fieldhand-console").read_text("utf-8")
    steps = "\n".join(re.findall(r"(?m)^stty .*$|^exec setsid .*$|^exec fieldhand .*$", text))
    steps = re.sub(r"\bfieldhand \$\(options\)", f"{sys.executable} {tmp_path}/agent", steps)
    login, line = pty.fork()
    if not login:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        shell = os.fork()
        if not shell:
            os.execv("/bin/sh", ["-console", "-c", steps])
        os._exit(os.WEXITSTATUS(os.waitpid(shell, 0)[1]))
    told = b""
    for wanted, answer in ((b"up", b"\x1c\x03"), (b"heard", b"")):
        while wanted not in told:
            assert select.select([line], [], [], 60)[0], told
            try:
                told += os.read(line, 4096)
            except OSError:  # EIO: nobody is left on the other side
                pytest.fail(f"{wanted!r} was not said, only {told!r}")
        os.write(line, answer)
    assert os.waitpid(login, 0)[1] == 0
    os.close(line)
