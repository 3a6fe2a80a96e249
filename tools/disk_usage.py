"""How full the file systems are, or what takes the room below a folder."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.faults import UsageFault
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from edge.call import Args, Scene
    from edge.tool import Hands

    Facts = dict[str, Any]

LIMIT = 15
_LONG = 4096  # characters of a path


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    if "path" in args:
        return (Effect("list", f"file:{args['path']}", True),)
    if "limit" in args or args.get("other"):
        raise UsageFault("limit and other are for a folder", "give path too, for example path=. limit=10")
    return (Effect("read", "file:/proc", True),)


def words(args: Args, scene: Scene) -> str:
    return f"add up the sizes below {args['path']}" if "path" in args else "look how full the file systems are"


def run(args: Args, hands: Hands) -> Observation:
    from edge.tools.fact_text import bounded

    if "path" in args:
        found = hands.facts.usage(args["path"], args.get("limit", LIMIT), bool(args.get("other")))
        data = bounded(bounded({"items": [], "biggest_files": [], **found}, "biggest_files"), "items")
        return Observation(True, below(dict(found)), data, untrusted=True)
    found = hands.facts.disks()
    return Observation(True, mounted(dict(found)), found)


def mounted(found: Facts) -> str:
    """A table of file systems."""
    from edge.tools.fact_text import fitted, size, table

    head = ("MOUNTED", "SIZE", "USED", "FREE", "USE%", "INODES%", "KIND", "DEVICE")
    rows = [
        (
            one["mounted"],
            size(one.get("bytes")),
            size(one.get("used_bytes")),
            size(one.get("free_bytes")),
            str(one.get("used_percent", "-")),
            str(one.get("inodes_used_percent", "-")),
            one["kind"] + (" read-only" if one["readonly"] else ""),
            one["device"],
        )
        for one in found.get("file_systems", ())
    ]
    silent = [f"[{path} did not answer: its server is away]" for path in found.get("unanswered", ())]
    silent += [f"[{found['not_asked']} file systems more were not asked]"] if "not_asked" in found else []
    return fitted([*silent, *table([head, *rows], " rrrrr")]) if rows or silent else "no file system is told here"


def below(found: Facts) -> str:
    """What lies in the folder, the largest first, then the largest files of all."""
    from edge.text import visible
    from edge.tools.fact_text import fitted, size, table

    items, files = found.get("items", []), found.get("biggest_files", [])
    lines = [f"{size(found['bytes'])} in {found['names']:,} names below {found['path']}"]
    lines += [f"[{_NOTES[name].format(found[name])}]" for name in _NOTES if name in found]
    lines += table([(size(one["bytes"]), visible(one["name"], _LONG)) for one in items], "r")
    if found["items_in_all"] > len(items):
        lines.append(f"[{len(items)} of {found['items_in_all']:,} shown; raise limit, or give one of them as path]")
    largest = table([(size(one["bytes"]), visible(one["path"], _LONG)) for one in files], "r")
    return fitted([*lines, *["largest files:"] * bool(files), *largest])


_NOTES = {
    "cut": "not all was counted: stopped {}",
    "not_readable": "{} names could not be read and are not counted",
    "private_not_entered": "{} folders not entered: keys or private",
    "odd_not_entered": "{} folders not entered: their names hold control characters or no UTF-8",
    "other_file_systems_not_entered": "{} folders are other file systems; other=true enters them",
    "too_deep_not_entered": "{} folders not entered: too deep",
}

TOOL = Tool(
    name="disk_usage",
    about="Size and free room of mounted file systems; with path the largest folders and files below it.",
    schema={
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 1},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100},
            "other": {"type": "boolean", "description": "enter other file systems"},
        },
        "required": [],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("", "path=/var/log", "path=. limit=5"),
)
