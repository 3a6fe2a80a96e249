"""Read a window of lines or of bytes of a file, or list a folder.

Rules:
1. Lines count from 1, or from the end when `offset` is negative. With `from_byte`, `limit` counts bytes.
2. Text is cut after whole lines; the sentence in brackets at its end says how to go on.
3. A binary file is told by its kind; its bytes come as base64 for who asks for them.
"""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.faults import UsageFault
from edge.text import letters
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.call import Args, Scene
    from edge.tool import Hands

MOST = 1_000_000_000
ROOM = 7800  # bytes of text; what is said about it has the rest of 8 KiB
CODED = 5700  # bytes that make as many as ROOM in base64


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    if args.get("offset") == 0:
        raise UsageFault("offset 0 is no line", "lines count from 1; offset=-100 is the 100th line from the end")
    if "offset" in args and "from_byte" in args:
        raise UsageFault("offset and from_byte cannot both be given", "offset counts lines, from_byte counts bytes")
    if args.get("base64") and "offset" in args:
        raise UsageFault("base64 has no lines", "give from_byte and limit in bytes instead of offset")
    return (Effect("read", f"file:{args['path']}"),)


def words(args: Args, scene: Scene) -> str:
    return f"read {args['path']}"


def run(args: Args, hands: Hands) -> Observation:
    if "from_byte" in args or args.get("base64"):
        return _bytes(args, hands)
    found = hands.files.read(args["path"], args.get("offset", 1), args.get("limit", MOST), ROOM)
    if "entries" in found:
        return Observation(True, "\n".join(found["entries"]) or "the folder is empty", found, untrusted=True)
    facts = {key: found[key] for key in ("path", "place", "first", "lines", "more", "total")}
    if "binary" in found:
        facts["binary"], facts["size"] = found["binary"], found["size"]
        return Observation(True, _binary(found), facts, untrusted=True)
    notes = _notes(found, args.get("offset", 1))
    text = found["text"]
    if not text and not notes:
        text = "[no lines here]" if not found["lines"] else text
    return Observation(True, "\n".join([text] * bool(text or found["lines"]) + notes), facts, untrusted=True)


def _binary(found: Mapping[str, Any]) -> str:
    return f"[{found['path']} is {found['binary']}, {found['size']:,} bytes; base64=true gives its bytes]"


def _notes(found: Mapping[str, Any], offset: int) -> list[str]:
    """What is said below the text, each in brackets."""
    said = [f"[{'; '.join(found['said'])}]"] if found["said"] else []
    first, lines, total = found["first"], found["lines"], found["total"]
    if found["more"]:
        return [*said, f"[more: go on with file_read offset={first + lines}]"]
    if total is not None and offset > max(1, total):
        return [*said, f"[the file has {total} lines; offset {offset} is past its end]"]
    if total is not None and offset != 1 and total:
        return [*said, f"[lines {first}-{first + lines - 1} of {total}: the end]"]
    return said


def _bytes(args: Args, hands: Hands) -> Observation:
    coded = bool(args.get("base64"))
    count = min(args.get("limit", MOST), CODED if coded else ROOM)
    found = hands.files.part(args["path"], args.get("from_byte", 0), count)
    data: bytes = found["data"]
    if coded:
        import base64

        text = base64.b64encode(data).decode()
    else:
        if found["more"]:
            data = data[: letters(data, len(data))]
        text = data.decode("utf-8", "replace")
    facts = {"path": found["path"], "place": found["place"], "from_byte": found["start"], "bytes": len(data)}
    facts.update(size=found["size"], more=found["more"])
    if found["more"]:
        text += f"\n[more: go on with from_byte={found['start'] + len(data)}; the file has {found['size']} bytes]"
    elif not data:
        text = f"[no bytes here: the file has {found['size']} bytes]"
    return Observation(True, text, facts, untrusted=True)


TOOL = Tool(
    name="file_read",
    about="Read lines (offset -9: last 9) or bytes of a file; list a folder.",
    schema={
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 1},
            "offset": {"type": "integer"},
            "limit": {"type": "integer", "minimum": 1, "maximum": MOST},
            "from_byte": {"type": "integer"},
            "base64": {"type": "boolean"},
        },
        "required": ["path"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("path=notes.txt", "path=log.txt offset=200 limit=50", "path=log.txt offset=-100", "path=."),
)
