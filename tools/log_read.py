"""Lines of the system's log, of the kernel's messages, or of a log file; the newest last."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from edge.call import Args, Scene
    from edge.tool import Hands

    Facts = dict[str, Any]

LIMIT = 50
ROOM = 6144  # bytes of text
_LONGEST = 400  # characters of a line in the text
_ASKED = ("text", "unit", "priority", "since", "until")
_LOUD = ("emerg", "alert", "crit", "err", "warning")


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    source = args.get("source", "system")
    kernel = Effect("read", "file:/proc", True)
    if source == "kernel":
        return (Effect("read", "facts:kernel"), kernel)
    if source == "system":
        return (Effect("read", "file:/var/log", True), Effect("read", "file:/run/log", True), kernel)
    return (Effect("read", f"file:{source}"), kernel)


def words(args: Args, scene: Scene) -> str:
    told = [f"{name} {args[name]!r}" for name in _ASKED if name in args]
    return " ".join([f"read the log {args.get('source', 'system')}", *told])


def run(args: Args, hands: Hands) -> Observation:
    from edge.tools.fact_text import bounded

    asked = {name: args[name] for name in _ASKED if name in args}
    found = dict(hands.facts.log(args.get("source", "system"), args.get("limit", LIMIT), asked))
    return Observation(True, shown(found), bounded(found, "lines", last=True), untrusted=True)


def shown(found: Facts) -> str:
    """The lines, the newest last, and before them what a reader has to know."""
    from edge.tools.fact_text import fitted

    lines = [_line(one) for one in found["lines"]]
    text = fitted(lines, ROOM, newest_last=True, more="narrow by text=, unit=, since= or a smaller limit")
    notes = [f"[{note}]" for note in found["notes"]]
    return "\n".join([f"[{found['source']}: {len(lines)} lines]", *notes, text] if lines else [*notes, "no line fits"])


def _line(one: Facts) -> str:
    from edge.tools.fact_text import line

    text = line(one["text"])
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} [line cut]"
    loud = f"{one['priority']}: " if one.get("priority") in _LOUD else ""
    return f"{one['when']} {loud}{text}" if "when" in one else loud + text


TOOL = Tool(
    name="log_read",
    about="Newest lines of system log, kernel ring or a file.",
    schema={
        "type": "object",
        "properties": {
            "source": {"type": "string", "minLength": 1, "description": "kernel or path"},
            "unit": {"type": "string", "minLength": 1, "maxLength": 200},
            "priority": {"type": "integer", "minimum": 0, "maximum": 7, "description": "3=err"},
            "since": {"type": "string", "minLength": 1, "maxLength": 40, "description": "2h, date, boot"},
            "until": {"type": "string", "minLength": 1, "maxLength": 40},
            "text": {"type": "string", "minLength": 1, "maxLength": 200},
            "limit": {"type": "integer", "minimum": 1, "maximum": 1000},
        },
        "required": [],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("unit=ssh since=boot", "source=kernel priority=3", "source=/var/log/syslog text=usb limit=20"),
)
