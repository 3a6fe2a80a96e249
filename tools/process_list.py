"""Which processes run, and what they take."""

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

LIMIT = 20
SECONDS = 0.5
_NAME = 70  # characters of a command line in the table


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    return (Effect("read", "file:/proc", True), Effect("read", "file:/etc/passwd"))


def words(args: Args, scene: Scene) -> str:
    return "list the processes" + (f" with {args['text']!r} in name or command" if "text" in args else "")


def run(args: Args, hands: Hands) -> Observation:
    from edge.tools.fact_text import bounded

    found = hands.facts.processes(
        args.get("seconds", SECONDS), args.get("sort", "cpu"), args.get("text", ""), args.get("limit", LIMIT)
    )
    return Observation(True, shown(dict(found)), bounded(found, "processes"), untrusted=True)


def shown(found: Facts) -> str:
    """A table, and under it what was measured and what was left out."""
    from edge.tools.fact_text import fitted, size, table

    head = ("PID", "USER", "STATE", "CPU%", "RSS", "THR", "AGE", "COMMAND")
    rows = [
        (
            str(one["pid"]),
            one.get("user", "-"),
            one["state"],
            f"{one['cpu_percent']:.1f}" if "cpu_percent" in one else "-",
            size(one["rss_bytes"]),
            str(one["threads"]),
            span(one["age_seconds"]) if "age_seconds" in one else "-",
            _command(one),
        )
        for one in found["processes"]
    ]
    over = f"over {found['cpu_over_seconds']:g} s" if "cpu_over_seconds" in found else "since the start of each process"
    notes = [f"[CPU {over}, 100 = one processor]"]
    if found["matching"] > len(rows):
        notes.append(f"[{len(rows)} of {found['matching']:,} processes; narrow by text=, or raise limit]")
    if "not_looked_at" in found:
        notes.append(f"[{found['not_looked_at']:,} processes more were not looked at]")
    if "cut" in found:
        notes.append(f"[stopped {found['cut']}]")
    return fitted([*notes, *table([head, *rows], "r  rrr")]) if rows else "no process fits"


def _command(one: Facts) -> str:
    if "command" not in one:
        return f"[{one['name']}]"  # a thread of the kernel, or a zombie
    command: str = one["command"]
    return command if len(command) <= _NAME else command[: _NAME - 3] + "..."


TOOL = Tool(
    name="process_list",
    about="Running processes with user, state, CPU, memory, threads, age and command line.",
    schema={
        "type": "object",
        "properties": {
            "sort": {"type": "string", "enum": ["cpu", "memory", "pid"]},
            "text": {"type": "string", "minLength": 1, "maxLength": 200, "description": "part of name or command"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 500},
            "seconds": {
                "type": "number",
                "minimum": 0,
                "maximum": 10,
                "description": "measure CPU over; 0: since start",
            },
        },
        "required": [],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("", "sort=memory limit=10", "text=python seconds=2"),
)
