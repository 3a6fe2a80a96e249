"""Search lines of a file, or of all files below a folder.

Rules:
1. The pattern is an extended regular expression as edge/regex reads it; each line of `pattern` is one of several.
2. One file is told as `grep -n` does, also with `-C`; a tree file by file below their paths (edge/tools/grep_show.py).
3. What was not searched is said: what holds keys or is private, binary files, hidden names, and when time was up.
"""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.faults import BudgetFault, UsageFault
from edge.record import Record
from edge.text import visible
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from edge.call import Args, Scene
    from edge.tool import Hands, TreeHands
    from edge.tools.grep_scan import Search
    from edge.tools.grep_show import Page

CONTEXT = 20
MOST, MOST_EVER = 200, 1000
# What grep knows and what is so here anyway.
_NOTHING = "nrREsHh- ,"
_MODES = {"l": "files", "c": "count"}
_MEANT = "i w F v l c a, A3 B3 C3 m50, and . for hidden names"


class Want(Record):
    """What the arguments say. before, after: lines of context, 0 to 20. most: hits that are shown, 1 to 1000."""

    kind: str
    before: int
    after: int
    most: int
    flags: frozenset[str]


def wanted(args: Args) -> Want:
    """The arguments put together; UsageFault for a flag that is none."""
    letters, numbers = _flags(args.get("flags", ""))
    around = numbers.get("C", args.get("context", 0))
    before, after = [max(0, min(numbers.get(side, around), CONTEXT)) for side in "BA"]
    if args.get("ignore_case"):
        letters = letters | {"i"}
    kind = args.get("output") or next((mode for letter, mode in _MODES.items() if letter in letters), "content")
    return Want(kind, before, after, max(1, min(numbers.get("m", MOST), MOST_EVER)), letters)


def _flags(text: str) -> tuple[frozenset[str], Mapping[str, int]]:
    """The letters, and the numbers behind those that have one."""
    letters: set[str] = set()
    numbers: dict[str, int] = {}
    at = 0
    while at < len(text):
        letter = text[at]
        at += 1
        if letter in "ABCm":
            rest = text[at:].lstrip(" =")
            digits = rest[: len(rest) - len(rest.lstrip("0123456789"))]
            if not digits:
                raise UsageFault(f"the flag {letter} needs a number, as in {letter}3")
            numbers[letter] = int(digits[:9])
            at = len(text) - len(rest) + len(digits)
        elif letter in "iwFvalc.":
            letters.add(letter)
        elif letter not in _NOTHING:
            raise UsageFault(f"the flag {visible(letter)} is none of grep's that are known here", f"flags: {_MEANT}")
    return frozenset(letters), numbers


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    wanted(args)
    _filters(args)
    return (Effect("read", f"file:{args.get('path', '.')}", True),)


def words(args: Args, scene: Scene) -> str:
    return f"search {args.get('path', '.')} for {visible(args['pattern'], 200)}"


def _filters(args: Args) -> Callable[[str, list[str]], list[str]] | None:
    """What `include` says: patterns of names, several with blanks between, those with ! take names out."""
    from edge.tools.glob_names import filtering

    given = args.get("include", "").split()
    takes = [filtering(one) for one in given if not one.startswith("!")]
    drops = [filtering(one[1:]) for one in given if one.startswith("!") and len(one) > 1]
    if not takes and not drops:
        return None

    def keep(where: str, names: list[str]) -> list[str]:
        found = {name for take in takes for name in take(where, names)} if takes else set(names)
        for drop in drops:
            found.difference_update(drop(where, names))
        return [name for name in names if name in found]

    return keep


def run(args: Args, hands: Hands) -> Observation:
    from edge.regex import compile as compiled
    from edge.tools.grep_scan import Search
    from edge.tools.grep_show import Page
    from edge.tools.search_said import under

    want = wanted(args)
    patterns = args["pattern"].split("\n")
    if len(patterns) > 1 and not patterns[-1]:
        patterns.pop()
    regex = compiled(patterns, "i" in want.flags, "w" in want.flags, "F" in want.flags)
    path = args.get("path", ".")
    with hands.files.tree(path) as tree:
        page = Page(want.kind, want.most, tree.single, regex)
        search = Search(regex, page, want.before, want.after, "v" in want.flags, "a" in want.flags)
        search.late = lambda: bool(tree.late())
        tree.files, tree.hidden, tree.keep = True, "." in want.flags, _filters(args)
        try:
            _through(tree, search, under(path, ""))
        except BudgetFault:
            tree.late()
        return _told(under(path, ""), tree, search, page)


def _through(tree: TreeHands, search: Search, start: str) -> None:
    before = start if tree.single else "" if start == "." else start.rstrip("/") + "/"
    for where, names, _ in tree:
        if names:
            search.folder(tree, names, before + where)


def _told(start: str, tree: TreeHands, search: Search, page: Page) -> Observation:
    from edge.tools.search_said import left_out

    lines = list(page.lines)
    more, files = page.hits - page.shown, page.files - page.shown_files
    if page.kind == "content":
        if more:
            lines.append(f"[{_many(more, 'more hit')}{_in(page, files)}; narrow it]")
        elif page.less:
            lines.append("[some of the context left out; ask for less of it, or read it by file_read offset=NUMBER]")
    elif files:
        lines.append(f"[{_many(files, 'more file')} with hits; narrow it]")
    if not page.hits:
        what = start if tree.single else f"{_many(search.searched, 'file')} below {start}"
        lines.append(f"no match in {what} ({tree.sizes:,} bytes)")
    if search.binaries:
        lines.append(f"[{_many(search.binaries, 'binary file')} not searched; flags=a does]")
    lines += [f"[{visible(note)}]" for note in search.notes[:5]]
    lines += [f"[and {len(search.notes) - 5} more like that]"] * (len(search.notes) > 5)
    lines += left_out(tree, "flags=.", () if not page.hits else ("hidden", "heavy"))
    facts = {
        **{"hits": page.hits, "files": page.files, "shown": page.shown, "found": page.found},
        **{"searched": search.searched, "bytes": tree.sizes, "binary": search.binaries},
        **{"left_out": dict(tree.skipped), "stopped": tree.stopped},
    }
    return Observation(True, "\n".join(lines), facts, untrusted=True)


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def _in(page: Page, files: int) -> str:
    """In how many files the hits are that are not shown, where more than one was searched."""
    if page.single:
        return ""
    return f" in {_many(files, 'more file')}" if files else " in these files"


TOOL = Tool(
    name="grep",
    about="Search a file or folder by regex; flags: w F v a A3 m50.",
    schema={
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "minLength": 1, "maxLength": 4096},
            "path": {"type": "string", "minLength": 1},
            "include": {"type": "string", "maxLength": 1024},
            "context": {"type": "integer"},
            "ignore_case": {"type": "boolean"},
            "output": {"type": "string", "enum": ["content", "files", "count"]},
            "flags": {"type": "string", "maxLength": 40},
        },
        "required": ["pattern"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("pattern=error path=app.log context=2", "pattern='def \\w+' path=src include='*.py !test_*'"),
)
