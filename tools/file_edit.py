"""Replace exact pieces of a file: all of the edits or none, and nothing else of it changes.

Rules:
1. `old` must stand exactly once (from `from_line` on); all=true replaces each. Several edits are made one after the
   other, each on what the one before left, and are written together or not at all.
2. The bytes that are not replaced stay: CRLF, a missing last newline, form feeds, a byte-order mark, what is no UTF-8.
3. A file that something else changed between reading and writing is left alone.
"""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.faults import ToolFault, UsageFault
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from edge.call import Args, Scene
    from edge.tool import Hands
    from edge.tools.edits import Change

_DIFF, _PLACES = 2400, 20
_MORE = "[more was changed]"


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    _edits(args)
    return Effect("read", f"file:{args['path']}"), Effect("write", f"file:{args['path']}")


def words(args: Args, scene: Scene) -> str:
    edits = _edits(args)
    old, new = edits[0]
    more = f", and {len(edits) - 1} more edits" if len(edits) > 1 else ""
    what = "each" if args.get("all") else "the one"
    return f"in {args['path']} replace {what} {_short(old)} by {_short(new)}{more}"


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:60] + "...")


def _edits(args: Args) -> list[tuple[str, str]]:
    """The pairs of old and new. UsageFault when they are not given in one of the two ways."""
    if "edits" in args:
        if "old" in args or "new" in args:
            raise UsageFault("edits and old/new cannot both be given", "put all of them into edits")
        if not args["edits"]:
            raise UsageFault("edits is empty", 'edits=[{"old": ..., "new": ...}]')
        if not all(set(one) == {"old", "new"} and _texts(one) for one in args["edits"]):
            raise UsageFault("each of edits needs old and new, both texts", 'edits=[{"old": "...", "new": "..."}]')
        return [(one["old"], one["new"]) for one in args["edits"]]
    if "old" not in args or "new" not in args:
        raise UsageFault("old and new are missing", "give old and new, or edits with several of them")
    return [(args["old"], args["new"])]


def _texts(edit: Args) -> bool:
    # The schema says only that it is an object: what is in it would stand in every request to a model.
    return isinstance(edit["old"], str) and isinstance(edit["new"], str)


def run(args: Args, hands: Hands) -> Observation:
    from edge.tools.edits import LARGEST, edit

    path = args["path"]
    shown = _Shown(hands.files.why)
    data, stamp = hands.files.whole(path, LARGEST)
    data, _ = edit(data, _edits(args), bool(args.get("all")), args.get("from_line", 1), path, shown.take)
    hands.files.put(path, data, stamp=stamp, parents=False)
    text = f"replaced {shown.count} place{'s' * (shown.count != 1)} in {path}\n" + "\n".join(shown.lines)
    return Observation(True, text, {"path": path, "replaced": shown.count, "bytes": len(data)}, untrusted=True)


class _Shown:
    """What the changes did, in few lines: none of them is kept. `late`: why it is time to stop."""

    def __init__(self, late: Callable[[], str]) -> None:
        self.count = 0
        self.lines: list[str] = []
        self._late = late
        self._room = _DIFF

    def take(self, change: Change) -> None:
        from edge.tools.diffs import diff

        why = self._late()
        if why:
            raise ToolFault(f"stopped {why}", "nothing was changed; make fewer edits at once")
        self.count += change.count
        if self._room > 0 and len(self.lines) < _PLACES:
            self.lines.append(diff(change, self._room))
            self._room -= len(self.lines[-1])
        elif self.lines[-1] != _MORE:
            self.lines.append(_MORE)


TOOL = Tool(
    name="file_edit",
    about="Replace exact text: old unique, or all=true; edits: several {old,new}.",
    schema={
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 1},
            "old": {"type": "string"},
            "new": {"type": "string"},
            "all": {"type": "boolean"},
            "from_line": {"type": "integer", "minimum": 1},
            "edits": {
                "type": "array",
                "items": {"type": "object"},
            },
        },
        "required": ["path"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("path=config.toml old='level = 1' new='level = 2'", "path=notes.txt old=TMP new=temperature all=true"),
)
