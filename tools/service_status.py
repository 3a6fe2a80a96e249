"""Which services run here, by what they leave in files and control groups."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from edge.call import Args, Scene
    from edge.tool import Hands

    Facts = dict[str, Any]

LIMIT = 40
_SHOWN = 4  # processes of one service
_FOLDERS = (
    "/proc",
    "/sys",
    "/etc/systemd",
    "/etc/init.d",
    "/etc/runlevels",
    "/usr/lib/systemd",
    "/usr/local/lib/systemd",
)
_LEVELS = ("/etc/rc2.d", "/etc/rc3.d", "/etc/rc4.d", "/etc/rc5.d", "/etc/rcS.d")


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    folders = [Effect("read", f"file:{path}", True) for path in (*_FOLDERS, *_LEVELS)]
    return (*folders, Effect("read", "file:/etc/inittab"), Effect("read", "facts:run"))


def words(args: Args, scene: Scene) -> str:
    return f"look at services called like {args['name']!r}" if "name" in args else "look at the services"


def run(args: Args, hands: Hands) -> Observation:
    from edge.tools.fact_text import bounded

    found = hands.facts.services(args.get("name", ""), args.get("limit", LIMIT))
    return Observation(True, shown(dict(found), args.get("name", "")), bounded(found, "services"), untrusted=True)


def shown(found: Facts, name: str = "") -> str:
    """One line for each service; of those that were named also file and program."""
    from edge.tools.fact_text import fitted, size

    lines = [f"services are started by {found['manager']}"]
    for one in found["services"]:
        told = [one["name"], one["state"]]
        pids = [f"{each['name']} ({each['pid']})" for each in one.get("processes", ())][:_SHOWN]
        more = one.get("processes_in_all", 0) - len(pids)
        told += [*pids, *([f"and {more} more"] if more > 0 else [])]
        told += [f"memory {size(one['memory_bytes'])}"] if "memory_bytes" in one else []
        told += [f"starts with {one['starts_with']}"] if "starts_with" in one else []
        lines.append("  ".join(told))
        lines += [f"    {key}: {one[key]}" for key in _DETAILS if key in one]
    if not found["services"]:
        lines.append(f"no service called like {name!r} is known here" if name else "no service is known here")
    if found["matching"] > len(found["services"]):
        lines.append(f"[{len(found['services'])} of {found['matching']:,} shown; narrow by name=]")
    return fitted([*lines, f"[not told here: {found['not_told']}]"])


_DETAILS = ("file", "Description", "ExecStart", "Type", "Restart", "User", "WatchdogSec")

TOOL = Tool(
    name="service_status",
    about="Services: running or not, their processes, memory, whether they start at boot; no systemctl needed.",
    schema={
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 200, "description": "name or part of it"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 200},
        },
        "required": [],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("", "name=ssh", "name=fieldhand"),
)
