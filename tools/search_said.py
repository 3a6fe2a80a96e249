"""What `glob` and `grep` say in the same words: paths as they can be given on, and what was left out. Pure."""

from __future__ import annotations

from edge.gate.paths import is_odd
from edge.text import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.tool import TreeHands

_WORDS = {"private": "with keys or private", "unreadable": "unreadable", "hidden": "hidden", "deep": "too deep"}


def shown_as(path: str) -> str:
    """A path on one line, as other tools take it; what the gate takes from nobody is written out."""
    return path if path.isprintable() or not is_odd(path) else visible(path, 4096)


def under(folder: str, path: str) -> str:
    """`path` below `folder`, as short as it can be said."""
    plain = folder.rstrip("/") or folder[:1]
    while plain.startswith("./"):
        plain = plain[2:].lstrip("/")
    if plain in ("", "."):
        return path or "."
    return f"{plain.rstrip('/')}/{path}" if path else plain


def left_out(tree: TreeHands, hint: str, untold: tuple[str, ...] = ()) -> list[str]:
    """What was not looked at, in lines in brackets, but for the reasons `untold`. hint: how hidden names are seen."""
    counts = {why: number for why, number in tree.skipped.items() if why not in untold}
    parts = [
        f"{number:,} {_WORDS[why]}{f' ({hint})' * (why == 'hidden')}" for why, number in counts.items() if why in _WORDS
    ]
    heavy = counts.get("heavy", 0)
    parts += [f"{heavy:,} of .git, node_modules and the like"] * bool(heavy)
    lines = [f"[left out: {', '.join(parts)}]"] if parts else []
    if tree.stopped:
        lines.append(f"[not all was looked at: stopped {tree.stopped}; narrow it]")
    return lines
