"""Wait for words of an open serial port: until a pattern stands in what came, or until the line is quiet.

Rules:
1. A pattern is looked for line by line by the linear engine (edge/regex), with `literal` as it stands. In the form
   `hex` it is looked for in pairs of digits (`01 03 ..`), all of which are one line.
2. What came is a stranger's: it is told as untrusted, and nothing in it is done.
"""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.text import clip
from edge.tool import Tool
from edge.tools.port_text import NAMED, SHOWN, called, heard, meant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from edge.call import Args, Scene
    from edge.tool import Hands

SECONDS = 5.0


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    return (Effect("read", f"serial:{meant(args['port'], scene)}"),)


def words(args: Args, scene: Scene) -> str:
    return f"wait for what {called(args['port'], scene)} says"


def run(args: Args, hands: Hands) -> Observation:
    pattern = args.get("pattern", "")
    search = _search(pattern, args.get("literal", False)) if pattern else None
    name, seconds = meant(args["port"], hands.scene), float(args.get("seconds", SECONDS))
    found = hands.port.expect(name, seconds, search, args.get("form", "text"))
    ok = found["matched"] or (not pattern and found["size"] > 0)
    kept = {**found, "text": clip(found["text"], SHOWN), "match": clip(found["match"], SHOWN)}
    return Observation(ok, heard(found, pattern), kept, untrusted=True)


def _search(pattern: str, literal: bool) -> Callable[[str], tuple[int, int] | None]:
    """Where a text holds it for the first time, in characters."""
    from edge.regex import compile as compiled

    regex = compiled(pattern, fixed=literal)

    def search(text: str) -> tuple[int, int] | None:
        data = text.encode()
        span = regex.find(data)
        if span is None:
            return None
        before = len(data[: span[0]].decode())
        return before, before + len(data[span[0] : span[1]].decode())

    return search


TOOL = Tool(
    name="serial_expect",
    about="Read an open serial port until a pattern comes, or, without one, until it is quiet.",
    schema={
        "type": "object",
        "properties": {
            "port": NAMED,
            "pattern": {"type": "string", "maxLength": 500, "description": "regex"},
            "literal": {"type": "boolean"},
            "seconds": {"type": "number", "minimum": 0, "maximum": 600},
            "form": {"type": "string", "enum": ["text", "hex"]},
        },
        "required": ["port"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("port=meter pattern='T=([0-9.]+)' seconds=10", "port=meter form=hex"),
    needs=("library:serial",),
)
