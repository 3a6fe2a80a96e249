"""Services as their files and control groups tell, without asking whoever started them.

Rules:
1. What starts services here is found by what it leaves in /run and /etc: systemd, OpenRC, runit, s6, else init scripts
   or busybox's inittab.
2. A state is told only as far as files show it. systemd keeps "failed" to itself: a unit without processes and without
   an invocation is "not active", and it is said that this may be a failure.
3. Whether it starts by itself is told by links, never guessed.
"""

from __future__ import annotations

from edge.hands.facts_reader import known, number, pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from edge.hands.facts_reader import Reader

    Facts = dict[str, Any]

UNITS = ("/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system")
_OLD_UNITS = "/lib/systemd/system"  # beside /usr/lib where the two are not yet one
_OPENRC = ("failed", "starting", "stopping", "inactive", "started", "stopped", "scheduled", "hotplugged", "wasinactive")
_SCANNED = ("/run/service", "/run/runit/service", "/var/service", "/etc/service", "/service")
_PIDS = 16
_UNKNOWN = "something that leaves no trace in files"
_TEXT = 16384
_KEYS = ("Description", "ExecStart", "Restart", "User", "WatchdogSec", "Type")


def services(reader: Reader, text: str, limit: int) -> Facts:
    """`manager`, the services whose name holds `text` (an exact name first), and what is not told here."""
    manager = manager_of(reader)
    found = _MANAGERS[manager](reader, text.lower())
    found.sort(key=lambda row: (row["name"].partition(".")[0] != text, _rank(row["state"]), row["name"]))
    if manager == "systemd" and text:
        for row in found[:_PIDS]:
            row.update(_unit_file(reader, row["name"]))
    for row in found[:limit]:
        _running(reader, row)
    return {
        "manager": manager,
        "services": found[:limit],
        "matching": len(found),
        "not_told": _NOT_TOLD.get(manager, "services that leave no file are not known"),
    }


_NOT_TOLD = {
    "systemd": "whether a unit that is not active has failed; its last words are in log_read unit=NAME",
    "init scripts": "a service without a pid file is not known to run or not",
}


def _rank(state: str) -> int:
    """Trouble first, then what runs."""
    order = ("failed", "crashed", "stale", "starting", "stopping", "active", "running", "started")
    return next((place for place, word in enumerate(order) if state.startswith(word)), len(order))


def manager_of(reader: Reader) -> str:
    """Who starts services on this board."""
    if reader.status("/run/systemd/system") is not None:
        return "systemd"
    if reader.status("/run/openrc") is not None:
        return "OpenRC"
    if reader.status("/run/s6-rc") is not None or reader.status("/run/s6") is not None:
        return "s6"
    if reader.status("/run/runit") is not None or any(reader.names(folder) for folder in _SCANNED):
        return "runit"
    known_here = any(reader.status(path) is not None for path in ("/etc/init.d", "/etc/inittab"))
    return "init scripts" if known_here else _UNKNOWN


# --- systemd ---


def _systemd(reader: Reader, text: str) -> list[Facts]:
    cgroups = group_folders(reader)
    active = {name[len("invocation:") :] for name in _invoked(reader)}
    tells = reader.status("/run/systemd/units") is not None
    enabled = enabled_units(reader)
    units = {name for folder in (*UNITS, _OLD_UNITS) for name in reader.names(folder) if _is_unit(name)}
    units |= {name for name in cgroups if _is_unit(name)} | {name for name in active if _is_unit(name)}
    found = []
    for name in units:
        if text not in name.lower() or name.endswith("@.service"):
            continue
        pids = _pids(reader, cgroups.get(name, ""))
        if pids or text or name in active:
            state = unit_state(bool(pids), name in active, tells, _masked(reader, name))
            memory = reader.number(f"{cgroups[name]}/memory.current") if pids else None
            row = {"name": name, "state": state, "pids": pids, "memory_bytes": memory, "starts_with": enabled.get(name)}
            found.append(known(row))
    return found


def unit_state(processes: bool, invoked: bool, tells: bool, masked: bool) -> str:
    """What control group and invocation say of a unit."""
    if processes:
        return "active: running"
    if invoked:
        return "active: no process left (it did its work, or is between two starts)"
    if masked:
        return "masked"
    return "not active: stopped, failed or never started" if tells else "no process"


def _is_unit(name: str) -> bool:
    return name.endswith((".service", ".timer", ".socket", ".mount")) and not name.startswith(("systemd-fsck", "-"))


def _invoked(reader: Reader) -> list[str]:
    return [name for name in reader.names("/run/systemd/units") if name.startswith("invocation:")]


def group_folders(reader: Reader) -> dict[str, str]:
    """Unit -> its control group below system.slice, in either layout of control groups, one slice deep."""
    found: dict[str, str] = {}
    for top in [f"/sys/fs/cgroup/{layout}system.slice" for layout in ("", "systemd/", "unified/")]:
        for name in reader.names(top):
            if name.endswith(".slice"):
                for inner in reader.names(f"{top}/{name}"):
                    found.setdefault(inner, f"{top}/{name}/{inner}")
            else:
                found.setdefault(name, f"{top}/{name}")
    return found


def _pids(reader: Reader, group: str) -> list[int]:
    """The processes of a group and of the groups right below it."""
    if not group:
        return []
    inner = [name for name in reader.names(group) if "." not in name or name.endswith(".scope")]
    folders = [group, *[f"{group}/{name}" for name in inner]]
    words = [word for folder in folders for word in (reader.text(f"{folder}/cgroup.procs", _TEXT) or "").split()]
    return [pid for pid in map(number, words) if pid is not None]


def enabled_units(reader: Reader) -> dict[str, str]:
    """Unit -> the targets that pull it in, by the links of `systemctl enable`."""
    found: dict[str, str] = {}
    for folder in (UNITS[0], UNITS[3]):
        for wants in reader.names(folder):
            target, ending = wants.rpartition(".")[::2]
            if ending in ("wants", "requires"):
                for name in reader.names(f"{folder}/{wants}"):
                    found[name] = f"{found[name]} {target}" if name in found else target
    return found


def _masked(reader: Reader, name: str) -> bool:
    return any(reader.link(f"{folder}/{name}") == "/dev/null" for folder in UNITS[:2])


def _unit_file(reader: Reader, name: str) -> Facts:
    """The file of a unit and what it says of the program; the file of its template for `name@instance`."""
    template = name.partition("@")[0] + "@." + name.rpartition(".")[2] if "@" in name else name
    for folder in (*UNITS, _OLD_UNITS):
        for one in dict.fromkeys((name, template)):
            text = reader.text(f"{folder}/{one}", _TEXT)
            if text is not None:
                return {"file": f"{folder}/{one}", **unit_settings(text)}
    return {}


def unit_settings(text: str) -> Facts:
    """What a unit file sets, of the settings that matter to who looks at a service; secrets taken out."""
    from edge.hands.facts_words import hidden

    told = pairs(text.replace("\\\n", " "), "=")
    found = {key: told[key] for key in _KEYS if told.get(key)}
    if "ExecStart" in found:
        found["ExecStart"] = " ".join(hidden(found["ExecStart"].split()))
    return found


# --- the others ---


def _openrc(reader: Reader, text: str) -> list[Facts]:
    states: dict[str, str] = {}
    for state in _OPENRC:
        for name in reader.names(f"/run/openrc/{state}"):
            states.setdefault(name, state)
    levels: dict[str, str] = {}
    for level in reader.names("/etc/runlevels"):
        for name in reader.names(f"/etc/runlevels/{level}"):
            levels[name] = f"{levels[name]} {level}" if name in levels else level
    found = []
    for name in {*states, *levels, *(reader.names("/etc/init.d") if text else ())}:
        if text in name.lower() and not name.endswith(".sh"):
            pids = _daemon(reader, name)
            state = states.get(name, "stopped")
            if state == "started" and pids and not _alive(reader, pids):
                state = "crashed"
            found.append(known({"name": name, "state": state, "pids": pids, "starts_with": levels.get(name)}))
    return found


def _daemon(reader: Reader, name: str) -> list[int]:
    """The processes that start-stop-daemon or a pid file knows of an OpenRC service."""
    found: list[int] = []
    for one in reader.names(f"/run/openrc/daemons/{name}"):
        told = pairs(reader.text(f"/run/openrc/daemons/{name}/{one}", 4096), "=")
        path = told.get("pidfile", "").replace("/var/run/", "/run/")
        pid = _pid_file(reader, path) if path else None
        found += [pid] if pid is not None else []
    return found


def _pid_file(reader: Reader, path: str) -> int | None:
    return number((reader.text(path, 64) or "").split("\n")[0])


def _alive(reader: Reader, pids: list[int]) -> bool:
    return any(reader.status(f"/proc/{pid}") is not None for pid in pids)


def _supervised(reader: Reader, text: str) -> list[Facts]:
    """runit and s6: a folder for each service, with `supervise` in it."""
    found: dict[str, Facts] = {}
    for folder in _SCANNED:
        for name in reader.names(folder):
            if text in name.lower() and not name.startswith((".", "s6-svscan")):
                row = supervise(reader, f"{folder}/{name}")
                if row or name not in found:
                    found[name] = {"name": name, "state": "not known: its supervisor keeps that to itself", **row}
    return list(found.values())


def supervise(reader: Reader, folder: str) -> Facts:
    """State and process of one supervised service; empty when its supervisor does not show it."""
    word = reader.text(f"{folder}/supervise/stat", 128)  # runit(8): run, down, finish
    status = reader.data(f"{folder}/supervise/status", 64)
    if word is not None:
        pid = number(reader.text(f"{folder}/supervise/pid", 32))
        state = {"run": "running", "down": "down"}.get(word.partition(",")[0], word)
        return known({"state": state, "pids": [pid] if pid else None})
    if status is None or len(status) < 35:
        return {}
    pid = int.from_bytes(status[24:32], "big")  # s6_svstatus_t: two TAI64N stamps, then the process
    return known({"state": "running" if pid else "down", "pids": [pid] if pid else None})


def _scripts(reader: Reader, text: str) -> list[Facts]:
    """Init scripts with pid files, and busybox's inittab."""
    levels: dict[str, str] = {}
    for level in "2345S":
        for name in reader.names(f"/etc/rc{level}.d"):
            if name[:1] == "S" and name[1:3].isdigit():
                levels[name[3:]] = (levels.get(name[3:], "") + f" {level}").strip()
    found = []
    for script in reader.names("/etc/init.d"):
        name = script[3:] if script[:1] == "S" and script[1:3].isdigit() else script  # buildroot: S50dropbear
        if text not in name.lower() or name in ("rcS", "rcK", "README", "skeleton", "functions"):
            continue
        pid = next((pid for pid in (_pid_file(reader, path) for path in _pid_files(name)) if pid is not None), None)
        state = "not known: no pid file"
        if pid is not None:
            state = "running" if _alive(reader, [pid]) else "stale pid file: not running"
        starts = levels.get(name) or ("boot" if script != name else None)
        found.append(known({"name": name, "state": state, "pids": [pid] if pid else None, "starts_with": starts}))
    return found + [row for row in inittab(reader.text("/etc/inittab", _TEXT)) if text in row["name"].lower()]


def _pid_files(name: str) -> tuple[str, ...]:
    return (f"/run/{name}.pid", f"/run/{name}/{name}.pid", f"/run/{name}d.pid")


def inittab(text: str | None) -> list[Facts]:
    """The lines `id:levels:respawn:command` (inittab(5), and busybox's own without levels)."""
    found = []
    for line in (text or "").splitlines():
        parts = line.split(":", 3)
        if len(parts) == 4 and parts[2] == "respawn" and not line.startswith("#"):
            found.append(
                {"name": parts[3].strip(), "state": "kept running by init, if it can be", "starts_with": "inittab"}
            )
    return found


def _running(reader: Reader, row: Facts) -> None:
    """The names of a service's processes; at most _PIDS of them."""
    pids = row.get("pids", ())
    names = [reader.text(f"/proc/{pid}/comm", 64) for pid in pids[:_PIDS]]
    row.pop("pids", None)
    alive = [{"pid": pid, "name": name} for pid, name in zip(pids, names) if name is not None]
    if alive:
        row["processes"] = alive
        row["processes_in_all"] = len(pids)


_MANAGERS = {
    "systemd": _systemd,
    "OpenRC": _openrc,
    "s6": _supervised,
    "runit": _supervised,
    "init scripts": _scripts,
    _UNKNOWN: _scripts,
}
