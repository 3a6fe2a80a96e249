"""List files by a pattern of names.

Rules:
1. The letters that the pattern begins with are the folder where the walk starts; nothing above it is looked at.
2. Paths come sorted by name and can be given to other tools as they are. At most `limit` are shown, and the text says
   how many there are.
3. What was left out on the way is said: hidden names, folders such as .git, what holds keys or is private.
"""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.faults import ToolFault
from edge.text import visible
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Args, Scene
    from edge.tool import Hands, TreeHands
    from edge.tools.glob_names import Glob

LIMIT = 500
ROOM = 7800  # bytes of paths: about 8 KB with what is said of them
_ABSENT = ("no such file", "not a directory")  # in the system's words for ENOENT and ENOTDIR


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    root, start, _ = planned(args)
    deep = Effect("list", f"file:{start}", True)
    return (deep,) if root == start else (Effect("list", f"file:{root}"), deep)


def words(args: Args, scene: Scene) -> str:
    return f"list files named {visible(args['pattern'], 100)} below {planned(args)[1]}"


def planned(args: Args) -> tuple[str, str, Glob]:
    """The root, the folder where the walk starts, and the pattern below that."""
    from edge.tools.glob_names import Glob
    from edge.tools.search_said import under

    glob = Glob(args["pattern"], args.get("hidden", False))
    if glob.absolute:
        return f"/{glob.start}", f"/{glob.start}", glob
    root = args.get("root", ".")
    return root, under(root, glob.start), glob


def run(args: Args, hands: Hands) -> Observation:
    from edge.tools.search_said import under

    root, start, glob = planned(args)
    kind = "folder" if glob.folders else args.get("type", "file")
    try:
        with hands.files.tree(start, "list") as tree:
            if tree.single:
                raise ToolFault(f"{start} is a file, no folder", "give the folder as root")
            found, total = _walked(tree, glob, kind, args.get("limit", LIMIT))
            return _told(under(start, ""), found, total, tree)
    except ToolFault as fault:
        if root == start or not any(words in fault.sentence for words in _ABSENT):
            raise
        with hands.files.tree(root, "list"):  # it says when the root itself is not there
            pass
        return Observation(True, f"no match: {fault.sentence}", {"paths": [], "total": 0}, untrusted=True)


def _walked(tree: TreeHands, glob: Glob, kind: str, limit: int) -> tuple[list[str], int]:
    """The first paths by name, at most `limit`, and how many there are."""
    tree.keep, tree.hidden, tree.suffix, tree.sorted = glob.keep, glob.hidden, glob.suffix, False
    tree.depth = min(glob.depth or tree.depth, tree.depth)
    if not glob.everywhere:
        tree.enter = glob.enter
    if glob.by_end and kind == "file":
        tree.keep = None
    found: list[str] = []
    total, last = 0, ""  # last: what comes after it by name need not be held
    for where, names, folders in tree:
        here = names if kind == "file" else [f"{name}/" for name in folders]
        if kind == "any":
            here += names
        total += len(here)
        if last and where > last and not last.startswith(where):
            continue
        found += [where + name for name in here]
        if len(found) > 4 * limit:
            found.sort()
            del found[limit:]
            last = found[-1]
    found.sort()
    return found[:limit], total


def _told(start: str, found: list[str], total: int, tree: TreeHands) -> Observation:
    from edge.tools.search_said import left_out, shown_as

    before = "" if start == "." else start.rstrip("/") + "/"
    room = ROOM
    shown: list[str] = []
    written = 0
    for path in found:
        plain = before + path
        path = shown_as(plain)
        room -= len(path.encode("utf-8", "replace")) + 1
        if room < 0 and shown:
            break
        shown.append(path)
        written += path != plain
    lines = list(shown) or ["no match" + f" in {tree.entries:,} names below {start}"]
    if len(shown) < total:
        lines.append(f"[{len(shown):,} of {total:,} shown; narrow the pattern]")
    if written:
        lines.append(f"[{written:,} with signs that cannot be seen, written out: no tool but bash opens these]")
    lines += left_out(tree, "hidden=true")
    facts = {"paths": shown, "total": total, "left_out": dict(tree.skipped), "stopped": tree.stopped}
    return Observation(True, "\n".join(lines), facts, untrusted=True)


TOOL = Tool(
    name="glob",
    about="List files by name: * ? [] {a,b}, ** through folders.",
    schema={
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "minLength": 1, "maxLength": 1024},
            "root": {"type": "string", "minLength": 1},
            "type": {"type": "string", "enum": ["file", "folder", "any"]},
            "hidden": {"type": "boolean"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 1000},
        },
        "required": ["pattern"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("pattern=**/*.py", "pattern='src/*.{c,h}'", "pattern='**/*' root=docs type=folder"),
)
