"""The board and its state from /proc, /sys and os-release.

Rules:
1. What this kernel does not tell is not in the result. Numbers carry their unit in their name.
2. A serial number identifies the board: only when asked for.
"""

from __future__ import annotations

from edge.hands.facts_power import card, power, sensors, throttled, volts_low
from edge.hands.facts_reader import known, number, pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from edge.hands.facts_reader import Reader

    Facts = dict[str, Any]

# New-style revision codes of Raspberry Pi boards (documentation, "Raspberry Pi revision codes"): bits 12..15.
_PI_SOCS = ("BCM2835", "BCM2836", "BCM2837", "BCM2711", "BCM2712")
# CPU implementer and part of /proc/cpuinfo (Arm's main identification register).
_CORES = {
    ("0x41", "0xb76"): "ARM1176",
    ("0x41", "0xc07"): "Cortex-A7",
    ("0x41", "0xc08"): "Cortex-A8",
    ("0x41", "0xc09"): "Cortex-A9",
    ("0x41", "0xc0f"): "Cortex-A15",
    ("0x41", "0xd03"): "Cortex-A53",
    ("0x41", "0xd04"): "Cortex-A35",
    ("0x41", "0xd05"): "Cortex-A55",
    ("0x41", "0xd08"): "Cortex-A72",
    ("0x41", "0xd0b"): "Cortex-A76",
}
_MODEL = ("Model", "machine", "Hardware")  # of /proc/cpuinfo, by architecture
_SLACK = 60.0  # seconds: what is written while this is read
_NO_LIMIT = 1 << 60  # cgroup v1 writes a number near 2**63 for "none"
_WATCHDOG_RESET = 0x20  # WDIOF_CARDRESET


def system(
    reader: Reader, clock: Facts, now: float, serial: bool = False, machine: str = "", marks: tuple[float, ...] = ()
) -> Facts:
    """All facts of the board; `clock` is what the kernel's clock says, `now` the date in seconds since 1970.

    `machine` is the architecture as uname(2) has it, for kernels that have no file for it; `marks` are times that the
    date cannot be before, such as that of the last record.
    """
    processors = pairs(reader.text("/proc/cpuinfo", 1 << 18))
    return known(
        {
            "board": board(reader, processors, serial),
            "system": distribution(reader, machine),
            "boot": boot(reader),
            "memory": memory(reader),
            "cpu": cpu(reader, processors),
            "sensors": sensors(reader),
            "throttled": throttled(reader),
            "undervoltage_now": volts_low(reader),
            "power": power(reader),
            "storage": card(reader),
            "clock": date(reader, clock, now, marks),
        }
    )


def board(reader: Reader, processors: dict[str, str], serial: bool) -> Facts:
    tree = "/proc/device-tree"
    dmi = [reader.text(f"/sys/class/dmi/id/{name}", 256) for name in ("sys_vendor", "product_name", "board_name")]
    model = reader.text(f"{tree}/model", 256) or " ".join(word for word in dmi if word)
    kinds = (reader.text(f"{tree}/compatible", 1024) or "").split("\0")
    revision = processors.get("Revision") or None
    return known(
        {
            "model": model or next((processors[name] for name in _MODEL if processors.get(name)), None),
            "soc": kinds[-1] or reader.text("/sys/devices/soc0/soc_id", 128),
            **decoded_revision(revision),
            "revision": revision,
            "serial": (reader.text(f"{tree}/serial-number", 128) or processors.get("Serial")) if serial else None,
        }
    )


def decoded_revision(text: str | None) -> Facts:
    """Chip and memory of a Raspberry Pi from its revision code; nothing from the old codes, which have no such bits."""
    try:
        code = int(text or "", 16)
    except ValueError:
        return {}
    chip = code >> 12 & 15
    if not code >> 23 & 1 or chip >= len(_PI_SOCS):
        return {}
    return {"chip": _PI_SOCS[chip], "memory_fitted_mib": 256 << (code >> 20 & 7)}


def distribution(reader: Reader, machine: str) -> Facts:
    told = pairs(reader.text("/etc/os-release") or reader.text("/usr/lib/os-release"), "=")
    names = {name: value.strip("\"'") for name, value in told.items()}
    version = (reader.text("/proc/version", 1024) or "").split()
    return known(
        {
            "name": names.get("PRETTY_NAME") or names.get("NAME"),
            "id": names.get("ID"),
            "kernel": reader.text("/proc/sys/kernel/osrelease", 256) or (version[2] if len(version) > 2 else None),
            "kernel_built": reader.text("/proc/sys/kernel/version", 256),
            "architecture": reader.text("/proc/sys/kernel/arch", 64) or machine or None,
            "host": reader.text("/proc/sys/kernel/hostname", 256),
            "first_process": reader.text("/proc/1/comm", 64),
        }
    )


def boot(reader: Reader) -> Facts:
    uptime = (reader.text("/proc/uptime", 128) or "").split()
    dogs = [reader.number(f"/sys/class/watchdog/{name}/bootstatus") for name in reader.names("/sys/class/watchdog")]
    told = [one for one in dogs if one is not None]
    return known(
        {
            "uptime_seconds": decimal(uptime[0]) if uptime else None,
            "id": reader.text("/proc/sys/kernel/random/boot_id", 64),
            "by_watchdog": any(one & _WATCHDOG_RESET for one in told) if told else None,
            "crash_records": len(reader.names("/sys/fs/pstore")) or None,
            "root_readonly": root_readonly(reader.text("/proc/self/mounts", 1 << 18)),
        }
    )


def root_readonly(mounts: str | None) -> bool | None:
    """Whether the uppermost mount of / is read-only; None when no line says it."""
    found = None
    for line in (mounts or "").splitlines():
        parts = line.split(" ")
        if len(parts) > 3 and parts[1] == "/":
            found = "ro" in parts[3].split(",")
    return found


def memory(reader: Reader) -> Facts:
    told = pairs(reader.text("/proc/meminfo"))
    amounts = {name: kib(told.get(name)) for name in ("MemTotal", "MemAvailable", "MemFree", "SwapTotal", "SwapFree")}
    swap, free = amounts["SwapTotal"], amounts["SwapFree"]
    return known(
        {
            "total_bytes": amounts["MemTotal"],
            "available_bytes": amounts["MemAvailable"],
            "free_bytes": amounts["MemFree"],
            "swap_bytes": swap,
            "swap_used_bytes": swap - free if swap is not None and free is not None else None,
            "zram": zram(reader),
            "group_limit_bytes": group_limit(reader),
            "waiting_percent_10s": pressure(reader.text("/proc/pressure/memory", 512)),
            "killed_for_memory": number(pairs(reader.text("/proc/vmstat"), " ").get("oom_kill")),
        }
    )


def kib(text: str | None) -> int | None:
    """`948 kB` in bytes."""
    amount = number((text or "").partition(" ")[0])
    return None if amount is None else amount * 1024


def zram(reader: Reader) -> list[Facts]:
    """Compressed memory: what it may hold, what is in it, what that takes (mm_stat of zram)."""
    found = []
    for name in reader.names("/sys/block"):
        size = reader.number(f"/sys/block/{name}/disksize") if name.startswith("zram") else None
        if size:
            used = [number(one) for one in (reader.text(f"/sys/block/{name}/mm_stat", 256) or "").split()]
            first, taken = (used[0], used[2]) if len(used) > 2 else (None, None)
            found.append(known({"name": name, "bytes": size, "data_bytes": first, "memory_bytes": taken}))
    return found


def group_limit(reader: Reader) -> int | None:
    """The smallest memory limit of this process's control groups, from its own group up; None when there is none."""
    limits = []
    for line in (reader.text("/proc/self/cgroup", 4096) or "").splitlines():
        parts = line.split(":", 2)
        if len(parts) < 3 or parts[1] not in ("", "memory"):
            continue
        root, name = (
            ("/sys/fs/cgroup", "memory.max") if not parts[1] else ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
        )
        path = parts[2].rstrip("/")
        for _ in range(32):
            limits.append(reader.number(f"{root}{path}/{name}"))
            if not path:
                break
            path = path.rpartition("/")[0]
    return min([one for one in limits if one is not None and one < _NO_LIMIT], default=None)


def pressure(text: str | None) -> float | None:
    """`avg10` of the line `some` of a pressure file, in percent."""
    for word in (text or "").partition("\n")[0].split():
        if word.startswith("avg10="):
            return decimal(word[6:])
    return None


def decimal(text: str) -> float | None:
    """A number with a point, None when it is none."""
    try:
        return float(text) if len(text) < 40 and not text.strip("-0123456789.") else None
    except ValueError:
        return None


def cpu(reader: Reader, processors: dict[str, str]) -> Facts:
    load = [decimal(one) for one in (reader.text("/proc/loadavg", 128) or "").split()[:3]]
    core = _CORES.get((processors.get("CPU implementer", ""), processors.get("CPU part", "")))
    return known(
        {
            "name": core or processors.get("model name") or processors.get("cpu model"),
            "online": members(reader.text("/sys/devices/system/cpu/online", 256)),
            "load_1_5_15_min": load if len(load) == 3 and None not in load else None,
            "frequencies": frequencies(reader),
        }
    )


def members(text: str | None) -> int | None:
    """How many the kernel's list `0-3,5` names."""
    count = 0
    for part in (text or "").split(","):
        first, _, last = part.partition("-")
        low, high = number(first), number(last or first)
        if low is None or high is None or not low <= high < 1 << 16:
            return None
        count += high - low + 1
    return count


def frequencies(reader: Reader) -> list[Facts]:
    """Of each group of processors: MHz now and at most, and who chooses."""
    found = []
    base = "/sys/devices/system/cpu/cpufreq"
    for name in reader.names(base):
        if name.startswith("policy"):
            now = reader.number(f"{base}/{name}/scaling_cur_freq")
            most = reader.number(f"{base}/{name}/cpuinfo_max_freq")
            governor = reader.text(f"{base}/{name}/scaling_governor", 64)
            row = known({"mhz": mhz(now), "most_mhz": mhz(most), "governor": governor})
            found.append({"group": name, **row})
    return found


def mhz(kilohertz: int | None) -> int | None:
    return None if kilohertz is None else round(kilohertz / 1000)


def date(reader: Reader, clock: Facts, now: float, marks: tuple[float, ...]) -> Facts:
    """The date and whether it can be right: never before what was built or written earlier; who keeps it."""
    floors = [reader.status(path) for path in ("/usr/lib/os-release", "/etc/os-release")]
    floor = max([*marks, *[status.st_mtime for status in floors if status is not None]], default=None)
    clocks = reader.names("/sys/class/rtc")
    return known(
        {
            "unix_seconds": int(now),
            "plausible": now + _SLACK >= floor if floor is not None else None,
            **clock,
            "set_by_timesyncd": reader.status("/run/systemd/timesync/synchronized") is not None
            if reader.status("/run/systemd/timesync") is not None
            else None,
            "battery_clock": bool(clocks) if reader.status("/sys/class") is not None else None,
        }
    )
