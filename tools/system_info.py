"""What board this is and how it does: one look at /proc and /sys."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.text import span
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from edge.call import Args, Scene
    from edge.tool import Hands

    Facts = dict[str, Any]

_UNITS = {"celsius": "°C", "volts": "V", "amperes": "A", "watts": "W", "rpm": "rpm"}


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    files = [Effect("read", f"file:{path}") for path in ("/etc/os-release", "/usr/lib/os-release")]
    return (Effect("read", "file:/proc", True), Effect("read", "file:/sys", True), *files, Effect("read", "facts:run"))


def words(args: Args, scene: Scene) -> str:
    return "look at the board, its load, temperatures and supply" + " and its serial number" * bool(args.get("serial"))


def run(args: Args, hands: Hands) -> Observation:
    found = dict(hands.facts.system(bool(args.get("serial"))))
    return Observation(True, shown(found), found)


def shown(found: Facts) -> str:
    """The facts as lines of name and value."""
    from edge.tools.fact_text import fitted, named

    rows = [*_board(found), *_state(found), *_power(found), *_clock(found.get("clock", {}))]
    return fitted(named(rows))


def _board(found: Facts) -> list[tuple[str, str]]:
    board, system, boot = (found.get(name, {}) for name in ("board", "system", "boot"))
    chip = ", ".join(str(board[name]) for name in ("chip", "soc") if name in board)
    told = [f"{name.replace('_', ' ')} {board[name]}" for name in ("revision", "serial") if name in board]
    start = [span(int(boot["uptime_seconds"]))] if "uptime_seconds" in boot else []
    start += ["last start by the watchdog"] if boot.get("by_watchdog") else []
    start += [f"{boot['crash_records']} crash records in pstore"] if "crash_records" in boot else []
    start += ["ROOT IS MOUNTED READ-ONLY"] if boot.get("root_readonly") else []
    return [
        ("board", " ".join([board.get("model", "not told by this kernel"), *([f"({chip})"] if chip else []), *told])),
        (
            "system",
            " ".join(filter(None, (system.get("name", ""), f"on {system['host']}" if "host" in system else ""))),
        ),
        ("kernel", " ".join(filter(None, (system.get("kernel", ""), system.get("architecture", ""))))),
        ("up", ", ".join(start)),
        ("boot id", boot.get("id", "")),
    ]


def _state(found: Facts) -> list[tuple[str, str]]:
    from edge.tools.fact_text import size

    memory, cpu = found.get("memory", {}), found.get("cpu", {})
    kind = "available" if "available_bytes" in memory else "free"  # an old kernel does not tell what is available
    lines = [f"{size(memory.get(f'{kind}_bytes'))} {kind} of {size(memory.get('total_bytes'))}"]
    lines += (
        [f"limit of the control group {size(memory['group_limit_bytes'])}"] if "group_limit_bytes" in memory else []
    )
    if "waiting_percent_10s" in memory:
        lines.append(f"{memory['waiting_percent_10s']} % waiting for it")
    if memory.get("killed_for_memory"):
        lines.append(f"{memory['killed_for_memory']} processes killed for lack of it")
    swap = (
        f"{size(memory.get('swap_used_bytes'))} used of {size(memory['swap_bytes'])}"
        if memory.get("swap_bytes")
        else "none"
    )
    packed = ", ".join(f"{one['name']} {size(one['bytes'])}" for one in memory.get("zram", ()))
    load = " ".join(f"{one:g}" for one in cpu.get("load_1_5_15_min", ()))
    speeds = [
        f"{one['mhz']} of {one.get('most_mhz', '-')} MHz ({one.get('governor', '-')})"
        for one in cpu.get("frequencies", ())
        if "mhz" in one
    ]
    count = f"{cpu['online']} x " if "online" in cpu else ""
    return [
        ("memory", ", ".join(lines) if memory else ""),
        ("swap", f"{swap}, of it {packed}" if packed else swap if "swap_bytes" in memory else ""),
        ("load", f"{load} (1, 5, 15 min)" if load else ""),
        ("cpu", ", ".join([count + cpu.get("name", "processor"), *dict.fromkeys(speeds)]) if cpu else ""),
    ]


def _power(found: Facts) -> list[tuple[str, str]]:
    from edge.tools.fact_text import size

    rows = [("sensor", f"{one['name']} {_measured(one)}") for one in found.get("sensors", ())]
    throttled = found.get("throttled")
    if throttled is not None:
        now, since = (", ".join(throttled[name]) or "nothing" for name in ("now", "since_boot"))
        rows.append(("throttled", f"now: {now}; since boot: {since}"))
    if "undervoltage_now" in found:
        rows.append(("supply", "UNDER-VOLTAGE NOW" if found["undervoltage_now"] else "no under-voltage alarm"))
    if not rows:
        rows.append(("sensor", "no temperature or supply is told by this kernel"))
    for one in found.get("power", ()):
        told = [
            f"{one[name]} {unit}".strip()
            for name, unit in (("status", ""), ("percent", "%"), ("volts", "V"))
            if name in one
        ]
        rows.append(("power", " ".join([one["name"], one.get("kind", ""), *told])))
    for one in found.get("storage", ()):
        worn = (
            f"at most {one['worn_percent_at_most']} % worn"
            if "worn_percent_at_most" in one
            else "wear is not told by it"
        )
        kind = " ".join(one[name] for name in ("kind", "product", "made") if name in one)
        spare = f", spare blocks: {one['spare_blocks']}" if "spare_blocks" in one else ""
        rows.append(("card", f"{one['name']} {kind} {size(one.get('bytes'))}, {worn}{spare}"))
    return rows


def _measured(one: Facts) -> str:
    return " ".join(f"{one[name]:g} {unit}" for name, unit in _UNITS.items() if name in one)


def _clock(clock: Facts) -> list[tuple[str, str]]:
    from edge.tools.calendar_day import moment

    date = f"{moment(clock['unix_seconds'])} UTC" if "unix_seconds" in clock else ""
    synced = clock.get("synchronised")
    told = "" if synced is None else "synchronised" if synced else "not synchronised"
    if clock.get("plausible") is False:
        told += ", THE DATE IS BEFORE WHAT WAS WRITTEN HERE EARLIER"
    kept = "no battery clock" if clock.get("battery_clock") is False else ""
    return [("clock", ", ".join(filter(None, (date, told, kept))))]


TOOL = Tool(
    name="system_info",
    about="This board: model, system, uptime, memory, load, temperatures, throttling, supply, clock, SD card.",
    schema={
        "type": "object",
        "properties": {"serial": {"type": "boolean", "description": "also the serial number"}},
        "required": [],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("", "serial=true"),
)
