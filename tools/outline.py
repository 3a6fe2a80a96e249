"""The skeleton of a file: its definitions or headings with their lines, instead of its content.

Rules:
1. One line for each entry, `LINE: signature`, the signature moved in by two blanks for each level. What is cut is said.
2. At most ENTRIES entries and SIZE bytes; before entries are left out, signatures are made shorter. What is left out is
   counted, and `offset` goes on from a line. The whole, as far as ENTRIES goes, stands in `whole`.
3. Every entry is counted, none beyond the bound is kept: memory does not grow with the file.
"""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.faults import ToolFault
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from edge.call import Args, Scene
    from edge.tool import BlockHands, Hands
    from edge.tools.outlines.text import Entry

ENTRIES = 400
SIZE = 8192
# How wide a signature may be: the first that lets all entries stand is taken.
WIDTHS = (120, 80, 56)
_LOOK = 4096
_DEEPEST = 12
# Room for what is said about what was cut.
_NOTES = 130


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    return (Effect("read", f"file:{args['path']}"),)


def words(args: Args, scene: Scene) -> str:
    return f"outline {args['path']}"


def run(args: Args, hands: Hands) -> Observation:
    from edge.tools.outlines.pick import language, scanner

    path = args["path"]
    counted = _Counted(hands.files.blocks(path))
    spoken = language(path, counted.first)
    if counted.first[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise ToolFault(f"{path} is UTF-16, it has no outline here", "file_read and grep read it")
    if b"\0" in counted.first:
        raise ToolFault(f"{path} is binary, it has no outline", "file_read shows bytes")
    kept, total = _kept(scanner(spoken)(counted), args.get("offset", 1))
    facts: dict[str, Any] = {"path": path, "language": spoken, "lines": counted.lines, "entries": total}
    head = f"{path}: {spoken}, {counted.lines} lines, {total} {'entry' if total == 1 else 'entries'}"
    if counted.why:
        head += f"; reading stopped {counted.why}"
    if not kept:
        more = " from here on" if args.get("offset", 1) > 1 else ""
        return Observation(True, f"{head}\n[nothing found{more}; try grep, or file_read]", facts, untrusted=True)
    text, whole, shown = _told(head, kept, total)
    facts.update(shown=shown, found=[[entry.line, entry.depth, entry.text[:80]] for entry in kept[:100]])
    return Observation(True, text, facts, untrusted=True, whole=whole)


class _Counted:
    """The blocks of a file on their way to a scanner: their first bytes, and how many lines there were."""

    def __init__(self, blocks: BlockHands) -> None:
        self._blocks = blocks
        self._rest: Iterator[bytes] = iter(blocks)
        self._next = next(self._rest, b"")
        self.first = self._next[:_LOOK]
        self.lines = 0

    @property
    def why(self) -> str:
        """Why reading stopped early, or nothing."""
        return self._blocks.why

    def __iter__(self) -> Iterator[bytes]:
        block = self._next
        while block:
            self.lines += len(block) - len(block.replace(b"\n", b""))  # sooner than `count`, where lines are short
            yield block
            after = next(self._rest, b"")
            self.lines += not after and not block.endswith(b"\n")
            block = after


def _kept(entries: Iterable[Entry], offset: int) -> tuple[list[Entry], int]:
    """The first entries from line `offset` on, in order of their lines, and how many there are from there."""
    wanted = iter(entries) if offset == 1 else (entry for entry in entries if entry.line >= offset)
    kept = [entry for _, entry in zip(range(ENTRIES), wanted)]
    total = len(kept) + sum(1 for _ in wanted)
    kept.sort(key=_place)
    return kept, total


def _place(entry: Entry) -> int:
    return entry.line


def _told(head: str, kept: list[Entry], total: int) -> tuple[str, str, int]:
    """The text, the whole of it where that is more, and how many entries the text shows."""
    lines = _lines(kept, WIDTHS[0])
    whole = "\n".join([head, *lines, *_truncated(kept, len(kept), total)])
    if _size(whole) <= SIZE:
        return whole, "", len(kept)
    longest = max([len(entry.text) for entry in kept])
    note = ""
    for width in WIDTHS[1:]:
        if longest > width and _size(head) + sum(map(len, lines)) + len(lines) > SIZE - _NOTES:
            lines = _lines(kept, width)
            note = f"\n[signatures are cut at {width} characters]"
    body = "\n".join(lines).encode("utf-8", "replace")
    room, shown = SIZE - _NOTES - _size(head), len(lines)
    if len(body) > room:
        shown = body.count(b"\n", 0, body.rfind(b"\n", 0, room) + 1)
    text = "\n".join([head, *lines[:shown], *_truncated(kept, shown, total)])
    return text + note, whole, shown


def _truncated(kept: list[Entry], shown: int, total: int) -> list[str]:
    """What is said when entries are left out."""
    if shown == total:
        return []
    after = kept[shown].line if shown < len(kept) else kept[-1].line + 1
    return [f"[truncated: {shown} of {total} entries; go on with offset={after}]"]


def _lines(entries: list[Entry], width: int) -> list[str]:
    return [
        f"{entry.line}: {'  ' * entry.depth}{entry.text}"
        if len(entry.text) <= width and entry.depth < _DEEPEST
        else f"{entry.line}: {'  ' * min(entry.depth, _DEEPEST)}{_cut(entry.text, width)}"
        for entry in entries
    ]


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 3].rstrip() + "..."


def _size(text: str) -> int:
    """Bytes on the wire."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


TOOL = Tool(
    name="outline",
    about="Map a file: its functions, types, sections or headings with line numbers, to read parts by file_read.",
    schema={
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 1},
            "offset": {"type": "integer", "minimum": 1, "description": "entries from this line on"},
        },
        "required": ["path"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("path=tools/grep.py", "path=README.md", "path=driver.c offset=900"),
)
