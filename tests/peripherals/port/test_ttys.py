"""What is known of a terminal before it is opened: consoles, holders, lock files."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from edge.peripherals.port.ttys import System, console, holders, is_tty, same_device
from tests.support.ports import eventually


@pytest.fixture
def port() -> Iterator[str]:
    master, slave = pty.openpty()
    yield os.ttyname(slave)
    os.close(master)
    os.close(slave)


def system(folder: Path, **texts: str) -> System:
    """A system whose /proc and /sys say this, with the devices of this machine."""
    for name in ("proc/self", "sys/class/tty/console", "locks"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name.replace("_", "/")).write_text(text)
    return System(f"{folder}/proc", f"{folder}/sys", "/dev", f"{folder}/locks")


def stat_of(number: int) -> str:
    """A line of /proc/self/stat with this terminal; the name of the program holds a parenthesis."""
    told = (os.minor(number) & 0xFF) | (os.major(number) << 8) | ((os.minor(number) & 0xFFF00) << 12)
    return f"7 (a) b) S 1 7 7 {told} 7 0"


def test_a_port_is_a_terminal_by_its_real_name(port: str, tmp_path: Path) -> None:
    (tmp_path / "by-id").symlink_to(port)
    (tmp_path / "ttyUSB0").write_text("")
    (tmp_path / "ttyNULL").symlink_to("/dev/null")
    assert is_tty(port) and is_tty(str(tmp_path / "by-id"))
    assert not any(is_tty(str(path)) for path in (tmp_path / "ttyUSB0", tmp_path / "ttyNULL", tmp_path / "none"))


def test_a_device_is_one_whatever_it_is_called(port: str, tmp_path: Path) -> None:
    for name, target in (("by-id", port), ("gone", "/dev/ttyGONE0")):
        (tmp_path / name).symlink_to(target)
    assert same_device(port, str(tmp_path / "by-id")) and same_device("/dev/ttyGONE0", str(tmp_path / "gone"))
    assert not same_device(port, "/dev/null") and not same_device("/dev/ttyGONE0", "/dev/ttyGONE1")


def test_a_free_port_is_no_console(port: str, tmp_path: Path) -> None:
    free = system(tmp_path, proc_cmdline="root=/dev/sda console=tty0 quiet", proc_self_stat=stat_of(0))
    assert console(port, free) == ""


def test_a_console_of_the_kernel_is_known_by_any_name_of_the_device(port: str, tmp_path: Path) -> None:
    (tmp_path / "by-id").symlink_to(port)
    name = port[len("/dev/") :]
    by_command_line = system(tmp_path, proc_cmdline=f"quiet console={name},115200n8 ro\n")
    for path in (port, str(tmp_path / "by-id")):
        assert console(path, by_command_line) == f"the kernel was started with console={name},115200n8"
    active = system(tmp_path, proc_cmdline="", sys_class_tty_console_active=f"tty0 {name}\n")
    assert console(port, active) == "the kernel's console is there"


def test_the_terminal_that_the_agent_is_worked_at_is_one(port: str, tmp_path: Path) -> None:
    here = system(tmp_path, proc_self_stat=stat_of(os.stat(port).st_rdev))
    assert console(port, here) == "the agent itself is worked at there"


@pytest.mark.skipif(not os.path.exists("/dev/tty"), reason="there is no /dev/tty here")
def test_devices_that_stand_for_the_terminal_are_one(tmp_path: Path) -> None:
    assert console("/dev/tty", system(tmp_path)) == "it is a console"


def test_who_has_a_port_open_is_named_and_this_process_is_not(port: str) -> None:
    assert holders(port, System()) == []
    text = f"import time; held = open({port!r}, 'rb', 0); print('held', flush=True); time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE) as other:
        try:
            assert other.stdout is not None and other.stdout.readline() == b"held\n"
            name = Path(f"/proc/{other.pid}/comm").read_text().strip()
            assert holders(port, System()) == [f"{name} (process {other.pid})"]
        finally:
            other.kill()
    eventually(lambda: holders(port, System()) == [])


def test_a_lock_file_of_a_program_that_runs_counts_and_an_old_one_does_not(port: str, tmp_path: Path) -> None:
    here = system(tmp_path)
    lock = tmp_path / "locks" / f"LCK..{os.path.basename(port)}"
    (tmp_path / "proc/41").mkdir()
    (tmp_path / "proc/41/comm").write_text("minicom\n")
    for text, found in (("        41\n", ["minicom (process 41)"]), ("42\n", []), ("nobody\n", []), ("", [])):
        lock.write_text(text)
        assert holders(port, here) == found, text
