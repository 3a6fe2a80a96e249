"""List a folder with type, size, time, permissions and the targets of links, some levels deep."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.call import Args, Scene
    from edge.tool import Hands

MOST = 500
ROOM = 7800  # bytes of text
TOLD = 100  # entries in the data


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    return (Effect("list", f"file:{args.get('path', '.')}", args.get("depth", 1) > 1),)


def words(args: Args, scene: Scene) -> str:
    return f"list {args.get('path', '.')}"


def run(args: Args, hands: Hands) -> Observation:
    path = args.get("path", ".")
    told = hands.files.list(path, args.get("depth", 1), bool(args.get("hidden")), MOST)
    found, left = told["found"], list(told["left"])
    rows: list[str] = []
    size = 0
    for entry in found:
        row = _row(entry)
        size += len(row.encode("utf-8", "replace")) + 1
        if size > ROOM:
            left.insert(0, f"{len(rows)} of {len(found)} shown; list a folder below, or with less depth")
            break
        rows.append(row)
    text = "\n".join([*rows, *[f"[{sentence}]" for sentence in left]]) or "the folder is empty"
    facts = {"path": path, "place": told["place"], "count": len(found), "entries": found[:TOLD], "left": left}
    return Observation(True, text, facts, untrusted=True)


def _row(entry: Mapping[str, Any]) -> str:
    """`0644     1,204 2024-03-01 12:00 name`, with a slash behind a folder and the target behind a link."""
    kind = entry["type"]
    from edge.tools.calendar_day import moment

    name = entry["name"] + {"dir": "/", "link": f" -> {entry.get('target')}", "file": ""}.get(kind, f" ({kind})")
    size = f"{entry['size']:,}" if kind == "file" else "-"
    return f"{entry['mode']} {size:>13} {moment(entry['mtime'])[:-3]} {name}"


TOOL = Tool(
    name="file_list",
    about="List a folder: permissions, size, time (UTC), name, link targets.",
    schema={
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 1},
            "depth": {"type": "integer", "minimum": 1, "maximum": 8, "description": "levels, 1 if absent"},
            "hidden": {"type": "boolean", "description": "dotfiles too"},
        },
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("path=.", "path=src depth=3 hidden=true"),
)
