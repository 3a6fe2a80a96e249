"""Services of systemd, OpenRC, runit, s6, init scripts and busybox, by the files they leave."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from edge.hands.facts_reader import Reader
from edge.hands.facts_service import inittab, manager_of, services, supervise, unit_settings, unit_state
from tests.support.fact_boards import laid

SYSTEMD = {
    "/run/systemd/system/keep": "",
    "/usr/lib/systemd/system/ssh.service": "[Unit]\nDescription=OpenBSD Secure Shell server\n[Service]\n"
    "ExecStart=/usr/sbin/sshd -D --token abc123def\nRestart=on-failure\nType=notify\n",
    "/usr/lib/systemd/system/cron.service": "[Unit]\nDescription=cron\n",
    "/usr/lib/systemd/system/getty@.service": "[Unit]\nDescription=Getty on %I\n",
    "/usr/lib/systemd/system/oneshot.service": "[Unit]\nDescription=once\n",
    "/etc/systemd/system/fieldhand.service": "[Unit]\nDescription=Fieldhand\n"
    "[Service]\nUser=fieldhand\nWatchdogSec=10\n",
    "/sys/fs/cgroup/system.slice/ssh.service/cgroup.procs": "612\n613\n",
    "/sys/fs/cgroup/system.slice/ssh.service/memory.current": "5242880\n",
    "/sys/fs/cgroup/system.slice/system-getty.slice/getty@tty1.service/cgroup.procs": "700\n",
    "/proc/612/comm": "sshd\n",
    "/proc/700/comm": "agetty\n",
}


def systemd(tmp_path: Path) -> Reader:
    reader = laid(SYSTEMD, tmp_path)
    units = tmp_path / "run/systemd/units"
    units.mkdir()
    for name in ("ssh.service", "oneshot.service", "getty@tty1.service"):
        os.symlink("0" * 32, units / f"invocation:{name}")
    wants = tmp_path / "etc/systemd/system/multi-user.target.wants"
    wants.mkdir()
    os.symlink("/usr/lib/systemd/system/ssh.service", wants / "ssh.service")
    os.symlink("/dev/null", tmp_path / "etc/systemd/system/cron.service")
    return reader


def test_systemd_without_systemctl(tmp_path: Path) -> None:
    found = services(systemd(tmp_path), "", 40)
    rows = {row["name"]: row for row in found["services"]}
    assert found["manager"] == "systemd" and "failed" in found["not_told"]
    assert set(rows) == {"ssh.service", "oneshot.service", "getty@tty1.service"}  # what is not active only by name
    assert rows["ssh.service"] == {
        "name": "ssh.service",
        "state": "active: running",
        "memory_bytes": 5242880,
        "starts_with": "multi-user.target",
        "processes": [{"pid": 612, "name": "sshd"}],
        "processes_in_all": 2,
    }
    assert rows["oneshot.service"]["state"].startswith("active: no process left")


def test_one_service_by_name_with_its_file(tmp_path: Path) -> None:
    reader = systemd(tmp_path)
    (ssh,) = services(reader, "ssh", 5)["services"]
    assert ssh["file"] == "/usr/lib/systemd/system/ssh.service" and ssh["Restart"] == "on-failure"
    assert ssh["ExecStart"] == "/usr/sbin/sshd -D --token [redacted]"
    (cron,) = services(reader, "cron", 5)["services"]
    assert cron["state"] == "masked"
    (own,) = services(reader, "FieldHand", 5)["services"]
    assert own["state"].startswith("not active") and own["WatchdogSec"] == "10" and own["User"] == "fieldhand"
    (getty,) = services(reader, "getty", 5)["services"]
    assert getty["name"] == "getty@tty1.service" and getty["file"].endswith("getty@.service")
    assert services(reader, "nothing", 5)["services"] == []


@pytest.mark.parametrize(
    ("processes", "invoked", "tells", "masked", "begins"),
    [
        (True, True, True, False, "active: running"),
        (False, True, True, False, "active: no process"),
        (False, False, True, True, "masked"),
        (False, False, True, False, "not active"),
        (False, False, False, False, "no process"),
    ],
)
def test_states(processes: bool, invoked: bool, tells: bool, masked: bool, begins: str) -> None:
    assert unit_state(processes, invoked, tells, masked).startswith(begins)


def test_openrc(tmp_path: Path) -> None:
    reader = laid(
        {
            "/run/openrc/softlevel": "default",
            "/run/openrc/daemons/sshd/001": "exec=/usr/sbin/sshd\npidfile=/run/sshd.pid\n",
            "/run/openrc/daemons/pump/001": "exec=pump\npidfile=/var/run/pump.pid\n",
            "/run/sshd.pid": "55\n",
            "/run/pump.pid": "4000000\n",
            "/proc/55/comm": "sshd\n",
            "/etc/init.d/sshd": "#!/sbin/openrc-run\n",
            "/etc/init.d/unused": "",
        },
        tmp_path,
    )
    for state, name in (("started", "sshd"), ("started", "pump"), ("failed", "net"), ("started", "hwclock")):
        (tmp_path / "run/openrc" / state).mkdir(exist_ok=True)
        os.symlink(f"/etc/init.d/{name}", tmp_path / "run/openrc" / state / name)
    (tmp_path / "etc/runlevels/default").mkdir(parents=True)
    os.symlink("/etc/init.d/sshd", tmp_path / "etc/runlevels/default/sshd")
    found = services(reader, "", 40)
    rows = {row["name"]: row for row in found["services"]}
    assert found["manager"] == "OpenRC" and found["services"][0]["name"] == "net"  # trouble first
    assert rows["net"]["state"] == "failed" and rows["pump"]["state"] == "crashed"
    assert rows["sshd"]["processes"] == [{"pid": 55, "name": "sshd"}] and rows["sshd"]["starts_with"] == "default"
    assert rows["hwclock"]["state"] == "started"
    assert services(reader, "unused", 5)["services"][0]["state"] == "stopped"


def test_runit(tmp_path: Path) -> None:
    reader = laid(
        {
            "/run/runit/stopit": "",
            "/var/service/pump/supervise/stat": "run\n",
            "/var/service/pump/supervise/pid": "77\n",
            "/var/service/door/supervise/stat": "down, want up\n",
            "/proc/77/comm": "pump\n",
        },
        tmp_path,
    )
    rows = {row["name"]: row for row in services(reader, "", 9)["services"]}
    assert rows["pump"]["state"] == "running" and rows["pump"]["processes"] == [{"pid": 77, "name": "pump"}]
    assert rows["door"]["state"] == "down"


def test_s6(tmp_path: Path) -> None:
    folder = tmp_path / "run/service/pump/supervise"
    folder.mkdir(parents=True)
    status = bytes(24) + (77).to_bytes(8, "big") + bytes(11)
    (folder / "status").write_bytes(status)
    (tmp_path / "run/s6").mkdir()
    reader = Reader(("/run", "/proc"), top=str(tmp_path))
    assert manager_of(reader) == "s6" and supervise(reader, "/run/service/pump") == {"state": "running", "pids": [77]}
    (folder / "status").write_bytes(bytes(43))
    assert supervise(reader, "/run/service/pump")["state"] == "down"
    (folder / "status").write_bytes(b"short")
    assert supervise(reader, "/run/service/pump") == {}


def test_init_scripts_and_pid_files(tmp_path: Path) -> None:
    reader = laid(
        {
            "/etc/init.d/ssh": "",
            "/etc/init.d/S50dropbear": "",
            "/etc/init.d/cron": "",
            "/etc/init.d/rcS": "",
            "/etc/rc2.d/S01ssh": "",
            "/etc/rc3.d/S01ssh": "",
            "/run/ssh.pid": "12\n",
            "/run/dropbear.pid": "4000000\n",
            "/proc/12/comm": "sshd\n",
            "/etc/inittab": "# x\n::sysinit:/etc/init.d/rcS\nttyS0::respawn:/sbin/getty -L ttyS0 115200\n"
            "1:2345:respawn:/sbin/getty 38400 tty1\n",
        },
        tmp_path,
    )
    rows = {row["name"]: row for row in services(reader, "", 20)["services"]}
    assert rows["ssh"]["state"] == "running" and rows["ssh"]["starts_with"] == "2 3"
    assert rows["dropbear"]["state"].startswith("stale") and rows["dropbear"]["starts_with"] == "boot"
    assert rows["cron"]["state"].startswith("not known") and "rcS" not in rows
    assert "/sbin/getty -L ttyS0 115200" in rows and len(inittab("broken\n:::\n")) == 0


def test_where_nothing_is_told_nothing_is_claimed(tmp_path: Path) -> None:
    found = services(Reader(("/run", "/etc", "/sys"), top=str(tmp_path)), "", 5)
    assert found["manager"].startswith("something that leaves no trace") and found["services"] == []


def test_the_limit_and_an_exact_name_first(tmp_path: Path) -> None:
    names = [*[f"pump{n}" for n in range(9)], "zpump", "pump"]
    reader = laid({f"/etc/init.d/{name}": "" for name in names}, tmp_path)
    found = services(reader, "pump", 3)
    assert found["services"][0]["name"] == "pump" and len(found["services"]) == 3 and found["matching"] == 11


def test_settings_of_a_unit() -> None:
    told = unit_settings("[Service]\nExecStart=/bin/a \\\n  --password x\nUnknown=1\nUser=\n")
    assert told == {"ExecStart": "/bin/a --password [redacted]"}
